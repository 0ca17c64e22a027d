// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_BLOCK_HPP
#define SWEEP_DETAIL_TRIDIAGONAL_BLOCK_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/tridiagonal/chunk.hpp>
#include <sweep/detail/tridiagonal/relation.hpp>
#include <sweep/detail/tridiagonal/scalar.hpp>

#include <cstdint>

SWEEP_BEGIN_LOOPS

#if defined(__CUDA_ARCH__)
#define SWEEP_DETAIL_AS_LOOP _Pragma("unroll 1")
#else
#define SWEEP_DETAIL_AS_LOOP
#endif

namespace sweep::inline SWEEP_ABI::detail {

// Blocks of M unknowns: coefficients are matrices, and a row is M equations. All is as for single unknowns
// (relation.hpp, chunk.hpp), with M equations for each one there; pivots are chosen among all equations that
// have an unknown, not among blocks. Loops over unknowns stay loops on the device: unrolled, the larger
// blocks' eliminations would be tens of thousands of instructions.

template <class S, int M>
struct block_matrix {
  S at[M][M];
};
template <class S, int M>
struct coefficient_type<block_of<S, M>> {
  using type = block_matrix<S, M>;
};

/// lower X[j - 1] + diagonal X[j] + upper X[j + 1] = right
template <class S, int M>
struct tridiagonal_row<block_of<S, M>> {
  block_matrix<S, M> lower, diagonal, upper;
  block_of<S, M> right;
};
template <class S, int M>
SWEEP_HD tridiagonal_row<block_of<S, M>> equilibrated(tridiagonal_row<block_of<S, M>> row) {
  for (int i = 0; i < M; ++i) {
    auto largest = magnitude(S{});
    for (int k = 0; k < M; ++k)
      largest = larger_of(larger_of(largest, magnitude(row.lower.at[i][k])),
                          larger_of(magnitude(row.diagonal.at[i][k]), magnitude(row.upper.at[i][k])));
    auto const scale = scale_of(largest);
    for (int k = 0; k < M; ++k) {
      row.lower.at[i][k] = row.lower.at[i][k] * scale;
      row.diagonal.at[i][k] = row.diagonal.at[i][k] * scale;
      row.upper.at[i][k] = row.upper.at[i][k] * scale;
    }
    row.right.at[i] = row.right.at[i] * scale;
  }
  return row;
}

/// An equation of K unknowns that are eliminated, and of others; the last of `rest` is its value.
template <class S, int K, int R>
struct long_equation {
  S out[K], rest[R];
};

template <class S, int K, int R>
SWEEP_HD void subtract(long_equation<S, K, R>& from, int k, S by, long_equation<S, K, R> const& pivot) {
  if (from.out[k] == S{}) return;
  S const factor = from.out[k] * by;
  for (int c = k + 1; c < K; ++c) from.out[c] = from.out[c] - factor * pivot.out[c];
  for (int c = 0; c < R; ++c) from.rest[c] = from.rest[c] - factor * pivot.rest[c];
}

/// Eliminates K unknowns from E equations. The pivots' equations end in places [First, First + K), divided by
/// their pivots; the others stay where they are. An equation changes its place with that at an unknown's only
/// where both have the unknown, and what stands there is given up where none has: as in join() for single
/// unknowns, of the unknown's system. singular(k) is told of a pivot that is zero.
template <pivots How, int First, class S, int K, int R, int E, class Singular>
SWEEP_HD void eliminate(long_equation<S, K, R> (&all)[E], Singular const& singular) {
  SWEEP_DETAIL_AS_LOOP
  for (int k = 0; k < K; ++k) {
    int const here = First + k;
    if constexpr (How == pivots::chosen) {
      int best = here;
      for (int e = 0; e < E; ++e)
        if ((e < First || e > here) && magnitude(all[e].out[k]) > magnitude(all[best].out[k])) best = e;
      if (best != here) {
        auto const kept = all[here];
        all[here] = all[best];
        all[best] = kept;
      }
    }
    auto& pivot = all[here];
    if (pivot.out[k] == S{}) singular(k);
    S const inverse = reciprocal(pivot.out[k]), by = inverse_or_zero(pivot.out[k], inverse);
    SWEEP_DETAIL_AS_LOOP
    for (int e = 0; e < E; ++e)
      if (e < First || e > here) subtract(all[e], k, by, pivot);
    for (int c = k + 1; c < K; ++c) pivot.out[c] = pivot.out[c] * inverse;
    for (int c = 0; c < R; ++c) pivot.rest[c] = pivot.rest[c] * inverse;
  }
}

/// The K unknowns of such pivots, from the others'.
template <class S, int K, int R>
SWEEP_HD void solve_eliminated(long_equation<S, K, R> const (&kept)[K], S const (&others)[R - 1], S (&x)[K]) {
  for (int k = K - 1; k >= 0; --k) {
    S value = kept[k].rest[R - 1];
    for (int c = 0; c < R - 1; ++c) value = less_product(value, kept[k].rest[c], others[c]);
    for (int c = k + 1; c < K; ++c) value = less_product(value, kept[k].out[c], x[c]);
    x[k] = value;
  }
}

/// left . (X[first - 1], X[first]) + right . (X[last], X[last + 1]) = value
template <class S, int M>
struct equation<block_of<S, M>> {
  S left[2 * M], right[2 * M], value;
};
template <class S, int M>
SWEEP_HD void equilibrate(equation<block_of<S, M>>& e) {
  auto largest = magnitude(S{});
  for (int c = 0; c < 2 * M; ++c)
    largest = larger_of(largest, larger_of(magnitude(e.left[c]), magnitude(e.right[c])));
  auto const scale = scale_of(largest);
  for (int c = 0; c < 2 * M; ++c) {
    e.left[c] = e.left[c] * scale;
    e.right[c] = e.right[c] * scale;
  }
  e.value = e.value * scale;
}
template <class S, int M>
struct relation<block_of<S, M>> {
  equation<block_of<S, M>> upper[M], lower[M];
};

template <class S, int M>
struct elimination<block_of<S, M>> {
  long_equation<S, 2 * M, 4 * M + 1> kept[2 * M];

  SWEEP_HD state<block_of<S, M>> middle(state<block_of<S, M>> const& left,
                                        state<block_of<S, M>> const& right) const {
    S others[4 * M], x[2 * M];
    for (int k = 0; k < M; ++k) {
      others[k] = left.below.at[k];
      others[M + k] = left.above.at[k];
      others[2 * M + k] = right.below.at[k];
      others[3 * M + k] = right.above.at[k];
    }
    solve_eliminated(kept, others, x);
    state<block_of<S, M>> found;
    for (int k = 0; k < M; ++k) {
      found.below.at[k] = x[k];
      found.above.at[k] = x[M + k];
    }
    return found;
  }
};

/// Eliminates the state between two neighbouring chunks.
template <class S, int M, class Singular>
SWEEP_HD relation<block_of<S, M>> join(relation<block_of<S, M>> const& left,
                                       relation<block_of<S, M>> const& right,
                                       elimination<block_of<S, M>>& how, Singular const& singular) {
  using long_one = long_equation<S, 2 * M, 4 * M + 1>;
  long_one all[4 * M];
  for (int e = 0; e < M; ++e) {
    auto const of_left = [&](equation<block_of<S, M>> const& from, long_one& to) {
      for (int c = 0; c < 2 * M; ++c) {
        to.out[c] = from.right[c];
        to.rest[c] = from.left[c];
        to.rest[2 * M + c] = S{};
      }
      to.rest[4 * M] = from.value;
    };
    auto const of_right = [&](equation<block_of<S, M>> const& from, long_one& to) {
      for (int c = 0; c < 2 * M; ++c) {
        to.out[c] = from.left[c];
        to.rest[c] = S{};
        to.rest[2 * M + c] = from.right[c];
      }
      to.rest[4 * M] = from.value;
    };
    of_left(left.upper[e], all[e]);
    of_left(left.lower[e], all[M + e]);
    of_right(right.upper[e], all[2 * M + e]);
    of_right(right.lower[e], all[3 * M + e]);
  }
  eliminate<pivots::chosen, M>(all, singular);
  relation<block_of<S, M>> both;
  auto const put = [&](long_one const& from, equation<block_of<S, M>>& to) {
    for (int c = 0; c < 2 * M; ++c) {
      to.left[c] = from.rest[c];
      to.right[c] = from.rest[2 * M + c];
    }
    to.value = from.rest[4 * M];
    equilibrate(to);
  };
  for (int e = 0; e < M; ++e) {
    put(all[e], both.upper[e]);
    put(all[3 * M + e], both.lower[e]);
  }
  for (int k = 0; k < 2 * M; ++k) how.kept[k] = all[M + k];
  return both;
}

/// singular(which): [0, M) the pivots of X[0], [M, 2 M) those of X[n - 1].
template <class S, int M, class Singular>
SWEEP_HD end_states<block_of<S, M>> close_system(relation<block_of<S, M>> const& all, bool cyclic,
                                                 Singular const& singular) {
  long_equation<S, 2 * M, 1> ends[2 * M];
  auto const put = [&](equation<block_of<S, M>> const& from, long_equation<S, 2 * M, 1>& to) {
    for (int k = 0; k < M; ++k) {
      to.out[k] = cyclic ? from.left[M + k] + from.right[M + k] : from.left[M + k];
      to.out[M + k] = cyclic ? from.right[k] + from.left[k] : from.right[k];
    }
    to.rest[0] = from.value;
  };
  for (int e = 0; e < M; ++e) {
    put(all.upper[e], ends[e]);
    put(all.lower[e], ends[M + e]);
  }
  eliminate<pivots::chosen, 0>(ends, singular);
  S x[2 * M];
  for (int k = 2 * M - 1; k >= 0; --k) {
    x[k] = ends[k].rest[0];
    for (int c = k + 1; c < 2 * M; ++c) x[k] = less_product(x[k], ends[k].out[c], x[c]);
  }
  block_of<S, M> first, last, zero{};
  for (int k = 0; k < M; ++k) {
    first.at[k] = x[k];
    last.at[k] = x[M + k];
  }
  using ends_type = end_states<block_of<S, M>>;
  return cyclic ? ends_type{{last, first}, {last, first}} : ends_type{{zero, first}, {last, zero}};
}

/// X[j], from what stands next: M equations of X[j], X[j + 1] and X[j + 2].
template <class S, int M>
struct kept_row<block_of<S, M>> {
  long_equation<S, M, 2 * M + 1> kept[M];

  SWEEP_HD block_of<S, M> solved(block_of<S, M> const& next, block_of<S, M> const& beyond) const {
    S others[2 * M];
    for (int k = 0; k < M; ++k) {
      others[k] = next.at[k];
      others[M + k] = beyond.at[k];
    }
    block_of<S, M> x;
    solve_eliminated(kept, others, x.at);
    return x;
  }
};

/// A step of an elimination: K unknowns of `all` are out, and the next take their places. `Others` of the
/// rest come before the two blocks that stand next.
template <int M, int Others, class S, int R>
SWEEP_HD void shift(long_equation<S, M, R>& e) {
  for (int k = 0; k < M; ++k) {
    e.out[k] = e.rest[Others + k];
    e.rest[Others + k] = e.rest[Others + M + k];
    e.rest[Others + M + k] = S{};
  }
}
/// Equation i of a row whose lower coefficients are of the block that is eliminated next.
template <int Others, class S, int M, int R>
SWEEP_HD void put_row(tridiagonal_row<block_of<S, M>> const& row, int i, long_equation<S, M, R>& to) {
  for (int k = 0; k < Others; ++k) to.rest[k] = S{};
  for (int k = 0; k < M; ++k) {
    to.out[k] = row.lower.at[i][k];
    to.rest[Others + k] = row.diagonal.at[i][k];
    to.rest[Others + M + k] = row.upper.at[i][k];
  }
  to.rest[R - 1] = row.right.at[i];
}

template <class S>
struct block_parts;
template <class S, int M>
struct block_parts<block_of<S, M>> {
  using part = S;
  static constexpr int size = M;
};

/// The relation of m rows of blocks.
template <pivots How, class B, class Rows, class Index>
  requires(is_block<B>)
SWEEP_HD relation<B> relation_of_rows(Rows const& rows, Index m) {
  using S = typename block_parts<B>::part;
  constexpr int M = block_parts<B>::size, others = 2 * M;
  relation<B> related{};
  S const unit = one<S>();
  auto const first = rows(Index{0});
  if (m == 1) {
    for (int i = 0; i < M; ++i) {
      for (int k = 0; k < M; ++k) {
        related.upper[i].left[k] = first.lower.at[i][k];
        related.upper[i].left[M + k] = first.diagonal.at[i][k];
        related.upper[i].right[M + k] = first.upper.at[i][k];
      }
      related.upper[i].value = first.right.at[i];
      related.lower[i].left[M + i] = unit;
      related.lower[i].right[i] = S{} - unit;
    }
    return related;
  }
  long_equation<S, M, 4 * M + 1> all[3 * M]{};
  auto const second = rows(Index{1});
  for (int i = 0; i < M; ++i) {
    for (int k = 0; k < M; ++k) {
      all[i].rest[k] = first.lower.at[i][k];
      all[i].rest[M + k] = first.diagonal.at[i][k];
      all[i].out[k] = first.upper.at[i][k];
      all[M + i].rest[M + k] = second.lower.at[i][k];
      all[M + i].out[k] = second.diagonal.at[i][k];
      all[M + i].rest[others + k] = second.upper.at[i][k];
    }
    all[i].rest[4 * M] = first.right.at[i];
    all[M + i].rest[4 * M] = second.right.at[i];
  }
  for (Index j = 2; j < m; ++j) {
    auto const row = rows(j);
    for (int i = 0; i < M; ++i) put_row<others>(row, i, all[2 * M + i]);
    eliminate<How, M>(all, [](int) {});
    for (int i = 0; i < M; ++i) {
      all[M + i] = all[2 * M + i];
      shift<M, others>(all[i]);
      shift<M, others>(all[M + i]);
    }
  }
  auto const put = [&](long_equation<S, M, 4 * M + 1> const& from, equation<B>& to) {
    for (int k = 0; k < 2 * M; ++k) to.left[k] = from.rest[k];
    for (int k = 0; k < M; ++k) {
      to.right[k] = from.out[k];
      to.right[M + k] = from.rest[others + k];
    }
    to.value = from.rest[4 * M];
    equilibrate(to);
  };
  for (int i = 0; i < M; ++i) {
    put(all[i], related.upper[i]);
    put(all[M + i], related.lower[i]);
  }
  return related;
}

/// Blocks [first, end), from what was kept of them and the state behind them.
template <class B, class Store, class Index>
  requires(is_block<B>)
SWEEP_HD void solve_blocks_back(Store const& store, Index first, Index end, state<B> behind) {
  for (Index j = end - 1; j >= first; --j) {
    B const x = store.kept(j).solved(behind.below, behind.above);
    store.solve(j, x);
    behind = {x, behind.below};
  }
}

/// The unknowns of m rows of blocks whose states are known: the same elimination again, with the left state
/// put in, then back. singular(u) is told of a zero pivot of unknown u, M of them a row.
template <pivots How, class B, class Rows, class Index, class Store, class Singular>
  requires(is_block<B>)
SWEEP_HD void solve_rows(Rows const& rows, Index m, state<B> const& left, state<B> const& right,
                         Store const& store, Singular const& singular) {
  using S = typename block_parts<B>::part;
  constexpr int M = block_parts<B>::size;
  if (m == 0) return;
  if (m > 2) {
    long_equation<S, M, 2 * M + 1> all[3 * M]{};
    auto const first = rows(Index{0}), second = rows(Index{1});
    for (int i = 0; i < M; ++i) {
      S value = first.right.at[i], next = second.right.at[i];
      for (int k = 0; k < M; ++k) {
        value = less_product(value, first.lower.at[i][k], left.below.at[k]);
        value = less_product(value, first.diagonal.at[i][k], left.above.at[k]);
        next = less_product(next, second.lower.at[i][k], left.above.at[k]);
        all[i].out[k] = first.upper.at[i][k];
        all[M + i].out[k] = second.diagonal.at[i][k];
        all[M + i].rest[k] = second.upper.at[i][k];
      }
      all[i].rest[2 * M] = value;
      all[M + i].rest[2 * M] = next;
    }
    for (Index j = 2; j < m; ++j) {
      auto const row = rows(j);
      for (int i = 0; i < M; ++i) put_row<0>(row, i, all[2 * M + i]);
      eliminate<How, M>(all, [&](int k) { singular((j - 1) * M + k); });
      kept_row<B> kept;
      for (int i = 0; i < M; ++i) {
        kept.kept[i] = all[M + i];
        all[M + i] = all[2 * M + i];
        shift<M, 0>(all[i]);
        shift<M, 0>(all[M + i]);
      }
      store.keep(j - 1, kept);
    }
    solve_blocks_back<B>(store, Index{1}, m - 1, right);
  }
  store.solve(Index{0}, left.above);
  if (m > 1) store.solve(m - 1, right.below);
}

/// A whole system of n rows of blocks that is not cyclic: banded Gaussian elimination with partial pivoting
/// (LAPACK's gbsv). singular(u) is told of a zero pivot of unknown u.
template <pivots How, class B, class Rows, class Index, class Store, class Singular>
  requires(is_block<B>)
SWEEP_HD void solve_system(Rows const& rows, Index n, Store const& store, Singular const& singular) {
  using S = typename block_parts<B>::part;
  constexpr int M = block_parts<B>::size;
  if (n == 0) return;
  long_equation<S, M, 2 * M + 1> all[2 * M]{};
  auto const first = equilibrated(rows(Index{0}));
  for (int i = 0; i < M; ++i) {
    for (int k = 0; k < M; ++k) {
      all[i].out[k] = first.diagonal.at[i][k];
      all[i].rest[k] = first.upper.at[i][k];
    }
    all[i].rest[2 * M] = first.right.at[i];
  }
  kept_row<B> kept;
  for (Index j = 1; j < n; ++j) {
    auto const row = equilibrated(rows(j));
    for (int i = 0; i < M; ++i) put_row<0>(row, i, all[M + i]);
    eliminate<How, 0>(all, [&](int k) { singular((j - 1) * M + k); });
    for (int i = 0; i < M; ++i) {
      kept.kept[i] = all[i];
      all[i] = all[M + i];
      shift<M, 0>(all[i]);
    }
    store.keep(j - 1, kept);
  }
  for (int i = 0; i < M; ++i) kept.kept[i] = all[i];
  eliminate<How, 0>(kept.kept, [&](int k) { singular((n - 1) * M + k); });
  B const last = kept.solved(B{}, B{});
  store.solve(n - 1, last);
  solve_blocks_back<B>(store, Index{0}, n - 1, state<B>{last, B{}});
}

}  // namespace sweep::inline SWEEP_ABI::detail

#undef SWEEP_DETAIL_AS_LOOP

SWEEP_END_LOOPS

#endif

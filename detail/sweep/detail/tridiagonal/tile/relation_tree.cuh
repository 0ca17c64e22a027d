// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_TILE_RELATION_TREE_CUH
#define SWEEP_DETAIL_TRIDIAGONAL_TILE_RELATION_TREE_CUH

#include <sweep/detail/tridiagonal/relation.hpp>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Finite where all of an equation is.
template <class S>
__device__ S sum_of(equation<S> const& e) {
  return (e.left.below + e.left.above) + (e.right.below + e.right.above) + e.value;
}

/// Whether a chunk's upper equation says nothing of what is behind its last unknown, and the lower one
/// nothing of what is before its first: so of rows that all were pivots as they stood.
template <class S>
__device__ bool is_short(relation<S> const& rows) {
  return (rows.upper.right.above == S{}) & (rows.lower.left.below == S{});
}
/// join() of two such relations where no equations change places, and what they find is finite: the same
/// operations without those that take away nothing. It is short again. False where it is not so.
template <class S>
__device__ bool join_short(relation<S> const& left, relation<S> const& right, relation<S>& both,
                           elimination<S>& how) {
  S const zero{};
  equation<S> const &first = left.upper, &pivot = left.lower, &next = right.upper, &last = right.lower;
  auto const size = magnitude(pivot.right.below);
  S const inverse = reciprocal(pivot.right.below);
  S const of_first = first.right.below * inverse, of_next = next.left.below * inverse;
  S const first_above = minus_product(zero, of_first, pivot.right.above),
          next_above = minus_product(next.left.above, of_next, pivot.right.above),
          next_left = minus_product(zero, of_next, pivot.left.above),
          next_value = minus_product(next.value, of_next, pivot.value);
  auto const next_size = magnitude(next_above);
  bool const stays = (size != 0) & (size >= magnitude(first.right.below)) &
                     (size >= magnitude(next.left.below)) & (next_size != 0) &
                     (next_size >= magnitude(first_above)) & (next_size >= magnitude(last.left.above));
  S const next_inverse = reciprocal(next_above);
  S const by_first = first_above * next_inverse, by_last = last.left.above * next_inverse;
  both.upper.left = {
      first.left.below,
      minus_product(minus_product(first.left.above, of_first, pivot.left.above), by_first, next_left)};
  both.upper.right = {minus_product(zero, by_first, next.right.below), zero};
  both.upper.value = minus_product(minus_product(first.value, of_first, pivot.value), by_first, next_value);
  both.lower.left = {zero, minus_product(zero, by_last, next_left)};
  both.lower.right = {minus_product(last.right.below, by_last, next.right.below), last.right.above};
  both.lower.value = minus_product(last.value, by_last, next_value);
  how.below_above = pivot.right.above * inverse;
  how.below_left = {zero, pivot.left.above * inverse};
  how.below_right = {zero, zero};
  how.below_value = pivot.value * inverse;
  how.above_left = {zero, next_left * next_inverse};
  how.above_right = {next.right.below * next_inverse, zero};
  how.above_value = next_value * next_inverse;
  bool const finite = is_finite(sum_of(both.upper) + sum_of(both.lower));
  equilibrate(both.upper);
  equilibrate(both.lower);
  return stays & finite;
}

/// join() without keeping out what is not finite beside a zero. False where something is not finite or a
/// pivot is zero.
template <class S>
__device__ bool join_choosing(relation<S> const& left, relation<S> const& right, relation<S>& both,
                              elimination<S>& how) {
  bool regular = true;
  both = eliminate_between<false>(left, right, how, [&](int) { regular = false; });
  if (!regular || !is_finite(sum_of(both.upper) + sum_of(both.lower))) return false;
  equilibrate(both.upper);
  equilibrate(both.lower);
  return true;
}
/// join(), by the quickest way that gives its bits; `both_short` says whether the short one is tried.
struct join_on_device {
  template <class S, class Singular>
  __device__ relation<S> operator()(relation<S> const& left, relation<S> const& right, elimination<S>& how,
                                    Singular const& singular, bool both_short) const {
    relation<S> both;
    if (both_short && join_short(left, right, both, how)) return both;
    if (join_choosing(left, right, both, how)) return both;
    return join(left, right, how, singular);
  }
  template <class S, class Singular>
  __device__ relation<S> operator()(relation<S> const& left, relation<S> const& right, elimination<S>& how,
                                    Singular const& singular) const {
    return (*this)(left, right, how, singular, is_short(left) && is_short(right));
  }
};

/// The state between, where what is not finite beside a zero is kept out only where something is not finite.
template <class S>
__device__ state<S> middle_of(elimination<S> const& how, state<S> const& left, state<S> const& right) {
  S const above = minus_product(
      minus_product(minus_product(minus_product(how.above_value, how.above_left.below, left.below),
                                  how.above_left.above, left.above),
                    how.above_right.below, right.below),
      how.above_right.above, right.above);
  S const below = minus_product(
      minus_product(
          minus_product(minus_product(minus_product(how.below_value, how.below_left.below, left.below),
                                      how.below_left.above, left.above),
                        how.below_right.below, right.below),
          how.below_right.above, right.above),
      how.below_above, above);
  return is_finite(above + below) ? state<S>{below, above} : how.middle(left, right);
}

/// Relations of neighbouring chunks, one of each thread of a block: folded to that of all of them, and from
/// the states at the ends back to those between. Warps fold theirs, and the first one what these left. Both
/// lanes of a pair join their relations: the left one goes on with what comes of it, and the right one keeps
/// what eliminates the state before its own.
template <class S>
class relation_tree {
  struct ends {
    state<S> left, right;
  };
  union total {
    relation<S> related;
    ends known;
  };

 public:
  /// For so many threads.
  SWEEP_HD static constexpr std::size_t bytes(int threads) {
    return threads > 32 ? (sizeof(elimination<S>) + sizeof(total)) * static_cast<std::size_t>(threads / 32)
                        : 0;
  }
  __device__ explicit relation_tree(void* memory)
      : of_warps_{static_cast<elimination<S>*>(memory)},
        totals_{reinterpret_cast<total*>(of_warps_ + blockDim.x / 32)} {}

  /// All of `count` relations, for thread 0, from `mine` of the first so many threads. Warps try the short
  /// join where all their relations are. singular(k, which) is told of the state before relation k.
  template <class Singular>
  __device__ relation<S> fold(relation<S> const& mine, int count, Singular const& singular) {
    relation<S> all = mine;
    for (int stage = 0;; ++stage) {
      int const mine_of = stage == 0 ? count - warp() * 32 : (count + 31) / 32;
      for (int by = 1; by < 32; by *= 2) {
        if (by >= mine_of) break;  // alike in the warp
        bool const all_short = __all_sync(~0u, is_short(all));
        auto const other = warp_shfl_xor(all, by);
        if (int const right = lane() | by; (lane() & (by - 1)) == 0 && right < mine_of) {
          bool const is_right = lane() == right;
          elimination<S> how;
          all = join_on_device{}(
              select_registers(is_right, other, all), select_registers(is_right, all, other), how,
              [&](int which) { singular(stage == 0 ? warp() * 32 + right : 32 * right, which); }, all_short);
          if (is_right && stage == 0) of_thread_ = how;
          if (is_right && stage == 1) of_warps_[right] = how;
        }
      }
      if (stage == 1 || blockDim.x == 32) return all;
      if (lane() == 0) totals_[warp()].related = all;
      __syncthreads();
      if (warp() > 0) return all;
      if (lane() < static_cast<int>(blockDim.x) / 32) all = totals_[lane()].related;
    }
  }
  /// How the state before this thread's relation follows, of all but the first: after fold() and a barrier.
  /// And back into a tree that is unfolded elsewhere, before one.
  __device__ elimination<S> before() const {
    return lane() == 0 && warp() > 0 ? of_warps_[warp()] : of_thread_;
  }
  __device__ void put_before(elimination<S> const& how) {
    of_thread_ = how;
    if (lane() == 0 && warp() > 0) of_warps_[warp()] = how;
  }

  /// The states at both ends of each thread's chunk, from those at the ends of all that thread 0 has. After
  /// fold().
  __device__ void unfold(int count, state<S>& left, state<S>& right) {
    __syncwarp();
    for (int stage = blockDim.x == 32 ? 1 : 0; stage < 2; ++stage) {
      bool const of_warps = stage == 0;
      if (!of_warps || warp() == 0) {
        int const mine_of = of_warps ? (count + 31) / 32 : count - warp() * 32;
        elimination<S> how = of_thread_;
        if (of_warps && lane() < mine_of) how = of_warps_[lane()];
        left = warp_shfl(left, 0);
        right = warp_shfl(right, 0);
#pragma unroll 1
        for (int by = 16; by >= 1; by /= 2) {
          if (by >= mine_of) continue;
          auto const outer_left = warp_shfl_up(left, by), outer_right = warp_shfl_up(right, by);
          int const in_pair = lane() & (2 * by - 1);
          if (in_pair == by && lane() < mine_of) {
            left = middle_of(how, outer_left, outer_right);
            right = outer_right;
          }
          auto const middle = warp_shfl_down(left, by);
          if (in_pair == 0 && lane() + by < mine_of) right = middle;
        }
        if (of_warps && lane() < static_cast<int>(blockDim.x) / 32) totals_[lane()].known = {left, right};
      }
      if (of_warps) {
        __syncthreads();  // one for all warps: where some stood at another, tools would take it for
                          // divergence
        left = totals_[warp()].known.left;
        right = totals_[warp()].known.right;
      }
    }
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }

  elimination<S> of_thread_;  ///< of the state before this thread's chunk
  elimination<S>* of_warps_;
  total* totals_;
};

/// The lowest row with a zero pivot, where somebody wants to know.
__device__ inline void note_singular(std::int64_t* first, std::int64_t row) {
  if (first) atomicMin(reinterpret_cast<long long*>(first), static_cast<long long>(row));
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

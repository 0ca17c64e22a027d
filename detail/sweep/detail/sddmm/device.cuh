// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SDDMM_DEVICE_CUH
#define SWEEP_DETAIL_SDDMM_DEVICE_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/complex_number.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/sddmm/problem.hpp>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/detail/warp/search.cuh>
#include <sweep/detail/warp/shuffle.cuh>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Sums of numbers, whose operands may change places: a lane adds up what it has of all rounds.
template <class Problem>
inline constexpr bool adds_in_any_order =
    adds<std::remove_cvref_t<decltype(Problem::op)>, typename Problem::value> &&
    (std::is_arithmetic_v<typename Problem::value> || complex_number<typename Problem::value>);

/// How many products a lane has side by side, at most.
template <class V>
inline constexpr int most_of_leaf = sizeof(V) <= 8 ? 4 : 1;
/// How an entry's products are bracketed: so many neighbours in a row, one after the other. As many as divide
/// all of them, whether or not memory has such vectors, and of many products that are numbers of 8 bytes,
/// which are joined once, no more than 16 bytes, so that lanes side by side read whole lines: part of what
/// fixes the bits.
template <class Problem>
SWEEP_HD constexpr int sample_leaf(std::int64_t depth) {
  using V = typename Problem::value;
  int leaf = most_of_leaf<V>;
  if (adds_in_any_order<Problem> && sizeof(V) == 8 && depth > 16) leaf = 2;
  while (depth % leaf != 0) leaf /= 2;
  return leaf;
}

/// Vectors of L items begin at multiples of so many.
template <class Item, int L>
inline constexpr std::int64_t sample_unit = sizeof(Item) >= 16      ? 1
                                            : L * sizeof(Item) < 16 ? L
                                                                    : static_cast<int>(16 / sizeof(Item));

/// Whether L neighbours of an array can be one piece of memory.
template <class It, int L>
inline constexpr bool is_leaf_of = [] {
  if constexpr (L == 1 && std::is_pointer_v<It>)
    return relocatable<value_of<It>> && std::is_default_constructible_v<value_of<It>>;
  else return is_vector_of<It, L>;
}();
/// Whether all of L neighbours of an array's lines are.
template <int L, class It>
bool in_leaves(It const& first, std::int64_t apart, std::int64_t step) {
  if constexpr (L == 1 && is_leaf_of<It, 1>)
    return step == 1 && apart >= 0 &&
           reinterpret_cast<std::uintptr_t>(first) % vector_width(sizeof(value_of<It>)) == 0;
  else if constexpr (L == 1) return false;
  else return in_vectors<L>(first, apart, step, L);
}

/// Warps with some batches of neighbouring entries each: where a warp's rows lie is looked for once. A group
/// of lanes folds some entries of a batch, N at once, so that their loads do not wait for each other. Shape
/// of a batch: (turns, N, groups); of an entry's products: (rounds, group's lanes, L neighbours). Each round
/// joins the lanes' folds, in their order; but lanes whose sums may be in any order do so once. Many rows:
/// whether a warp has, in the mean, so many that a search for one takes several steps.
template <class Problem, bool ManyRows>
struct sddmm_job {
  using V = typename Problem::value;
  static constexpr int threads = 256, warps = threads / 32, most_leaf = most_of_leaf<V>;
  static constexpr bool any_order = adds_in_any_order<Problem>;
  using X = decltype(Problem::x);
  using Y = decltype(Problem::y);
  using index = std::remove_cv_t<value_of<decltype(Problem::indices)>>;
  using x_item = std::remove_cv_t<value_of<X>>;
  using y_item = std::remove_cv_t<value_of<Y>>;
  template <int L>
  static constexpr bool can_be_vectors = is_leaf_of<X, L>&& is_leaf_of<Y, L>;
  /// Of leaves, so many at once.
  template <int L>
  static constexpr int at_once = [] {
    constexpr auto words = L * (sizeof(x_item) + sizeof(y_item)) / 4;
    return words <= 8 ? 4 : words <= 16 ? 2 : 1;
  }();
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900  // whose code would spill
  static constexpr int blocks = can_be_vectors<most_leaf> ? 3 : 1;
#else
  static constexpr int blocks = can_be_vectors<most_leaf> ? 4 : 1;
#endif
  Problem problem;
  int group;     ///< lanes that fold an entry together, a power of two
  int some;      ///< entries of a batch that a group has: a power of two, no more than it has lanes
  int entries;   ///< of a warp, whole batches
  bool vectors;  ///< whether all leaves of x's rows, and of y's columns, are vectors of memory

  __device__ void operator()() const {
    auto const first = (std::int64_t{blockIdx.x} * warps + threadIdx.x / 32) * entries;
    if (first >= problem.n) return;
    int const count = static_cast<int>(min(problem.n - first, static_cast<std::int64_t>(entries)));
    // The rows that the warp's entries are in lie between those of the first and the last.
    auto const of_half = first + (lane() < 16 ? 0 : count - 1);
    auto const guess = static_cast<std::int64_t>(static_cast<float>(of_half) / static_cast<float>(problem.n) *
                                                 static_cast<float>(problem.rows));
    auto const found = half_warp_find_first(0, problem.rows, guess,
                                            [&](std::int64_t r) { return !problem.ends_before(r, of_half); });
    warp_share const share{first, count, warp_shfl(found, 0), warp_shfl(found, 16)};
    switch (sample_leaf<Problem>(problem.depth)) {
    case 4:
      if constexpr (most_leaf >= 4) sample_leaves<4>(share);
      break;
    case 2:
      if constexpr (most_leaf >= 2) sample_leaves<2>(share);
      break;
    default:
      sample_leaves<1>(share);
    }
  }

 private:
  struct warp_share {
    std::int64_t first;
    int count;
    std::int64_t low, high;  ///< rows of the first entry, and of the last
  };
  static __device__ int lane() { return static_cast<int>(threadIdx.x % 32); }
  __device__ index column_of(warp_share const& share, int k) const {
    return static_cast<index>(problem.indices[share.first + min(k, share.count - 1)]);
  }
  __device__ std::int64_t row_of(warp_share const& share, int k) const {
    return problem.row_of(share.first + min(k, share.count - 1), share.low, share.high);
  }

  /// The row of entry k of at most 32 from the share's first on. Where a search takes several steps lanes
  /// look at where the next rows end: one that has an entry ends in a place of its own.
  __device__ std::int64_t row_in_batch(warp_share const& share, int k) const {
    if constexpr (ManyRows) {
      auto const r = share.low + lane();
      auto const end = static_cast<std::int64_t>(problem.offsets[min(r, problem.rows - 1) + 1]) - share.first;
      bool const is_before = end <= 0, is_here = !is_before && end < 32 && r < problem.rows;
      unsigned const before = __ballot_sync(~0u, is_before), here = __ballot_sync(~0u, is_here);
      unsigned const ends = __reduce_or_sync(~0u, is_here ? 1u << static_cast<int>(end) : 0u);
      // Fewer places than rows: some are empty. No row behind: others follow.
      if (__popc(ends) == __popc(here) && (before | here) != ~0u) {
        auto const last = min(k, share.count - 1);
        return min(share.low + __popc(before) + __popc(ends & ((2u << last) - 1)), problem.rows - 1);
      }
    }
    return row_of(share, k);
  }

  template <int L>
  __device__ void sample_leaves(warp_share const& share) const {
    if constexpr (can_be_vectors<L>)
      if (vectors) return sample<L, true>(share);
    sample<L, false>(share);
  }
  template <int L, bool Vectors>
  __device__ void sample(warp_share const& share) const {
    constexpr int N = at_once<L>;
    if (group == 1) return sample_alone<N, L, Vectors>(share);
    // Of leaves that are shorter than can be there are three or more.
    if constexpr (N > 2 && L == most_leaf)
      if (group == 2) return sample_together<2, L, Vectors>(share);
    sample_together<N, L, Vectors>(share);
  }

  /// Where a row of x, or a column of y, begins: counted in units where leaves are vectors.
  template <bool Vectors>
  using place = std::conditional_t<Vectors, unsigned, std::int64_t>;
  template <class Item, int L, bool Vectors>
  static __device__ place<Vectors> place_of(std::int64_t nth, std::int64_t apart) {
    if constexpr (Vectors)
      return static_cast<unsigned>(nth) * static_cast<unsigned>(apart / sample_unit<Item, L>);
    else return nth * apart;
  }

  /// Entries of no more than a leaf, a lane each: folds wait for nothing but their loads, and those of N
  /// batches are made at once.
  template <int N, int L, bool Vectors>
  __device__ void sample_alone(warp_share const& share) const {
#pragma unroll 1
    for (int k = lane(); k - lane() < share.count; k += 32 * N) {
      index columns[N];
      std::int64_t rows[N];
      place<Vectors> x[N], y[N];
      V sums[N];
#pragma unroll
      for (int e = 0; e < N; ++e) columns[e] = column_of(share, k + 32 * e);
#pragma unroll
      for (int e = 0; e < N; ++e) {
        rows[e] = row_of(share, k + 32 * e);
        x[e] = place_of<x_item, L, Vectors>(rows[e], problem.x_row);
        y[e] = place_of<y_item, L, Vectors>(static_cast<std::int64_t>(columns[e]), problem.y_column);
        put_bytes(sums[e], problem.zero);
      }
      if (problem.depth > 0) fold_leaves<N, L, Vectors, false, false>(x, y, 0, sums);
#pragma unroll
      for (int e = 0; e < N; ++e)
        if (k + 32 * e < share.count) problem.put(share.first + k + 32 * e, rows[e], sums[e]);
    }
  }

  /// Entries of several leaves: each group has some of a batch, N a turn, and each of its lanes the result of
  /// one.
  template <int N, int L, bool Vectors>
  __device__ void sample_together(warp_share share) const {
    int const nth = lane() & (group - 1), first_of_group = lane() - nth, groups = 32 / group;
    // At once groups have neighbouring entries, whose columns of y may be neighbours, too.
    int const mine = min(nth, some - 1) * groups + first_of_group / group, batch = groups * some;
    // A bit for each lane that has an entry of the first turn.
    unsigned turn_lanes = (1u << N) - 1;
    for (int by = group; by < 32; by *= 2) turn_lanes |= turn_lanes << by;
#pragma unroll 1
    for (; share.count > 0; share.first += batch, share.count -= batch) {
      auto const column = column_of(share, mine);
      auto const row = row_in_batch(share, mine);
      share.low = warp_shfl(row, 31);
      auto const x = place_of<x_item, L, Vectors>(row, problem.x_row);
      auto const y = place_of<y_item, L, Vectors>(static_cast<std::int64_t>(column), problem.y_column);
      unsigned const others = __ballot_sync(~0u, x != warp_shfl(x, lane() & ~(N - 1)));
      V sum = problem.zero;
#pragma unroll 1
      for (int turn = 0; turn < some; turn += N) {
        // Of entries in one row that is read once.
        V const joined = (others & turn_lanes << turn) == 0
                             ? fold_turn<N, L, Vectors, true>(x, y, first_of_group + turn, nth)
                             : fold_turn<N, L, Vectors, false>(x, y, first_of_group + turn, nth);
        if ((nth & ~(N - 1)) == turn) put_bytes(sum, joined);
      }
      if (mine < share.count && nth < some) problem.put(share.first + mine, row, sum);
    }
  }

  /// What the products come to of N entries that are known to lanes from `source` on: of entry e in lanes
  /// nth % N == e.
  template <int N, int L, bool Vectors, bool OneRow>
  __device__ V fold_turn(place<Vectors> of_x, place<Vectors> of_y, int source, int nth) const {
    using step = std::conditional_t<Vectors, int, std::int64_t>;
    auto const depth = static_cast<step>(problem.depth);
    place<Vectors> x[N], y[N];
#pragma unroll
    for (int e = 0; e < N; ++e) {
      x[e] = OneRow && e > 0 ? x[0] : warp_shfl(of_x, source + e);
      y[e] = warp_shfl(of_y, source + e);
    }
    V leaves[N];
    if constexpr (any_order) {
#pragma unroll
      for (int e = 0; e < N; ++e) leaves[e] = empty_sum<V>();
      if constexpr (sizeof(V) == 8 && L == 4) {  // few products, of one round
        if (nth * L < depth) fold_leaves<N, L, Vectors, OneRow, false>(x, y, nth * L, leaves);
      } else {
#pragma unroll 1
        for (step at = nth * L; at < depth; at += group * L)
          fold_leaves<N, L, Vectors, OneRow, true>(x, y, at, leaves);
      }
      return join_lanes<N>(leaves, nth, group);
    } else {
      V sum = problem.zero;
#pragma unroll 1
      for (step base = 0; base < depth; base += group * L) {
#pragma unroll
        for (int e = 0; e < N; ++e) put_bytes(leaves[e], problem.zero);
        auto const at = base + nth * L;
        if (at < depth) fold_leaves<N, L, Vectors, OneRow, false>(x, y, at, leaves);
        auto const left = (depth - base) / L;
        V const joined = join_lanes<N>(leaves, nth, left < group ? static_cast<int>(left) : group);
        put_bytes(sum, base == 0 ? joined : problem.fold(sum, joined));
      }
      return sum;
    }
  }

  /// L neighbouring products of each of N entries: what their sums are, or what is added to them.
  template <int N, int L, bool Vectors, bool OneRow, bool Added>
  __device__ void fold_leaves(place<Vectors> const (&x)[N], place<Vectors> const (&y)[N], std::int64_t at,
                              V (&sums)[N]) const {
    if constexpr (Vectors) {
      // Of entries in rows of their own half as many are on their way: registers.
      constexpr int M = OneRow || N < 4 ? N : N / 2;
      auto const* const from_x = problem.x + at;
      auto const* const from_y = problem.y + at;
#pragma unroll
      for (int first = 0; first < N; first += M) {
        column_items<x_item, L> of_x[M];
        column_items<y_item, L> of_y[M];
#pragma unroll
        for (int e = 0; e < M; ++e) {
          if (!OneRow || e == 0) load(from_x, x[first + e], of_x[e]);
          load(from_y, y[first + e], of_y[e]);
        }
#pragma unroll
        for (int e = 0; e < M; ++e)
#pragma unroll
          for (int u = 0; u < L; ++u) {
            V const next = static_cast<V>(problem.times(of_x[OneRow ? 0 : e].of[u], of_y[e].of[u]));
            put_bytes(sums[first + e], u == 0 && !Added ? next : problem.fold(sums[first + e], next));
          }
      }
    } else {
#pragma unroll
      for (int u = 0; u < L; ++u)
#pragma unroll
        for (int e = 0; e < N; ++e) {
          V const next = static_cast<V>(problem.times(problem.x[x[e] + (at + u) * problem.x_step],
                                                      problem.y[y[e] + (at + u) * problem.y_step]));
          put_bytes(sums[e], u == 0 && !Added ? next : problem.fold(sums[e], next));
        }
    }
  }
  template <class Item, int L>
  static __device__ void load(Item const* from, unsigned nth, column_items<Item, L>& items) {
    auto const* const at = reinterpret_cast<unsigned char const*>(from) +
                           std::uint64_t{nth} * (sample_unit<Item, L> * sizeof(Item));
    load_aligned(reinterpret_cast<Item const*>(at), items.of);
  }

  /// What a group's lanes have of N entries, those of the first `have` lanes: of entry e in lanes nth % N ==
  /// e. As long as there are several, neighbouring lanes give each other the half that they do not keep.
  template <int N>
  __device__ V join_lanes(V (&leaves)[N], int nth, int have) const {
#pragma unroll
    for (int by = 1; by < N; by *= 2)
#pragma unroll
      for (int e = 0; e < N / 2 / by; ++e) {
        bool const upper = (nth & by) != 0;
        V const kept = select_registers(upper, leaves[2 * e + 1], leaves[2 * e]);
        V const given = select_registers(upper, leaves[2 * e], leaves[2 * e + 1]);
        put_bytes(leaves[e], join(kept, warp_shfl_xor(given, by), nth, by, have));
      }
    V joined = leaves[0];
#pragma unroll 1
    for (int by = N; by < group; by *= 2)
      put_bytes(joined, join(joined, warp_shfl_xor(joined, by), nth, by, have));
    return joined;
  }
  /// What a lane and the one that is `by` away have, in their order; lanes from `have` on have nothing.
  __device__ V join(V const& mine, V const& other, int nth, int by, int have) const {
    if constexpr (any_order) return problem.fold(mine, other);
    bool const upper = (nth & by) != 0;
    V joined = select_registers(upper, other, mine);
    if (((nth | by) & ~(by - 1)) < have)
      put_bytes(joined, problem.fold(joined, select_registers(upper, mine, other)));
    return joined;
  }
};

template <class Source, class... Tags, class Problem>
void run_sddmm(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  using job = sddmm_job<Problem, false>;
  // As many lanes as one round of a short product keeps busy. Of longer ones few lanes make several rounds:
  // what lanes give each other then is of more entries. Where there are few entries all lanes are needed.
  constexpr std::int64_t most = 256, warps_wanted = 8192, fewest_warps = 1536;
  constexpr int lanes_of_many = 8, least = 4;
  int const leaf = sample_leaf<Problem>(problem.depth),
            most_lanes = problem.n < 32 * fewest_warps ? 32 : lanes_of_many;
  int group = 1;
  while (group < most_lanes && std::int64_t{group} * leaf < problem.depth) group *= 2;
  // As many batches as leave warps enough, and as many entries to a batch.
  int some = group;
  while (some > least && problem.n / (32 / group * some) < fewest_warps) some /= 2;
  auto const batch = 32 / group * some;
  auto const shared = (problem.n / warps_wanted + 31) / 32 * 32;
  auto const entries = batch < 32 || shared < 32 ? batch
                       : shared < most           ? shared
                                                 : most,
             of_block = entries * job::warps;
  auto const are_vectors = [&]<int L>(std::integral_constant<int, L>) {
    constexpr auto places = std::int64_t{1} << 32;
    return in_leaves<L>(problem.x, problem.x_row, problem.x_step) &&
           in_leaves<L>(problem.y, problem.y_column, problem.y_step) &&
           problem.rows <= places / (problem.x_row + 1) && problem.columns <= places / (problem.y_column + 1);
  };
  bool const vectors =
      problem.depth < std::int64_t{1} << 30 && (leaf == 4   ? are_vectors(std::integral_constant<int, 4>{})
                                                : leaf == 2 ? are_vectors(std::integral_constant<int, 2>{})
                                                            : are_vectors(std::integral_constant<int, 1>{}));
  auto const launch = [&]<bool ManyRows>(std::bool_constant<ManyRows>) {
    launch_job(call, policy.stream(), (problem.n + of_block - 1) / of_block, job::threads,
               sddmm_job<Problem, ManyRows>{problem, group, some, static_cast<int>(entries), vectors});
  };
  if (problem.rows > problem.n / entries * 7) launch(std::true_type{});
  else launch(std::false_type{});
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

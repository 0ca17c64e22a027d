// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUN_LENGTH_TILE_WARP_RUNS_CUH
#define SWEEP_DETAIL_RUN_LENGTH_TILE_WARP_RUNS_CUH

#include <sweep/detail/block/stage_items.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/partition/tile/marked_rows.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// The inclusive scan of lanes [0, last] that starts anew in each lane whose bit is set in `heads`; other
/// lanes keep what they have. The operator is called on what is folded and on nothing else.
template <class V, class Op>
__device__ V warp_scan_segments(V value, unsigned heads, int last, Op& op) {
  int const lane = static_cast<int>(threadIdx.x % 32);
  unsigned const begun = heads & (~0u >> (31 - lane));
  int const reach = lane > last ? 0 : begun != 0 ? lane - (31 - __clz(static_cast<int>(begun))) : lane;
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    V const left = warp_shfl_up(value, by);
    if (by <= reach) value = static_cast<V>(op(left, value));
  }
  return value;
}

/// f(i) for [first, count), i from `worker` on in steps of `workers`, so that the lanes of a warp write whole
/// lines where out[at + i] are written.
template <class Out, class F>
__device__ void for_each_written(Out const& out, std::int64_t at, int first, int count, int worker,
                                 int workers, F f) {
  int skew = 0;
  if constexpr (std::is_pointer_v<Out>)
    skew = static_cast<int>(reinterpret_cast<std::uintptr_t>(out + at) % 128 / sizeof(*out));
#pragma unroll 4
  for (int i = worker - skew; i < count; i += workers)
    if (i >= first) f(i);
}

/// What a warp finds in a chunk of keys, and in the items beside them where those are folded. Shape of a
/// chunk, in order:
///   (R rows, 32 lanes, I items)
/// Places count from the chunk's first item on.
template <class Problem, int I, int R>
class warp_runs {
  using key = typename Problem::key;
  using V = typename Problem::value;
  static constexpr bool folds = Problem::folds;
  static_assert(I >= 1 && I < 32 && (R == 1 || !folds));

 public:
  static constexpr int items = R * 32 * I;

  __device__ explicit warp_runs(Problem const& problem)
      : problem_{problem}, lane_{static_cast<int>(threadIdx.x % 32)} {}

  /// Which of the chunk's keys begin a run; returns how many do. `index` is that of the first of the keys,
  /// which are staged, or else read where they are; `count` of them exist. The key before them is staged too,
  /// or else is still to be read. load(place, begin, end, x) gives staged ones, of which x[begin] to x[end -
  /// 1] exist.
  template <bool Whole, class Load>
  __device__ int find(std::int64_t index, int count, bool left_is_staged, Load load) {
#pragma unroll
    for (int r = 0; r < R; ++r) heads_[r] = heads_at<Whole>(r, index, count, left_is_staged, load);
    unsigned any = heads_[0];
#pragma unroll
    for (int r = 1; r < R; ++r) any |= heads_[r];
    return __any_sync(~0u, any != 0) ? rank_in_warp<I>(heads_, ranks_) : 0;
  }

  /// Which of a lane's items begin a run, to words of all lanes and rows; and back from there, by all lanes.
  __device__ void keep_heads(std::uint32_t* words) const {
#pragma unroll
    for (int r = 0; r < R; ++r) words[r * 32 + lane_] = heads_[r];
  }
  __device__ void take_heads(std::uint32_t const* words) {
#pragma unroll
    for (int r = 0; r < R; ++r) heads_[r] = words[r * 32 + lane_];
    rank_in_warp<I>(heads_, ranks_);
  }

  /// The last place that begins a run, or -1; in all lanes.
  __device__ int last() const {
    int found = -1;
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (heads_[r] != 0) found = place_of(r) + 31 - __clz(static_cast<int>(heads_[r]));
    return __reduce_max_sync(~0u, found);
  }

  /// Folds the items beside the keys, of which load(place, v, x) gives the first v from a place on. Returns
  /// what they come to since the last head, in all lanes.
  template <bool Whole, class Load>
  __device__ V fold(int count, Load load) {
    int const place = place_of(0), last_lane = Whole ? 31 : min((count + I - 1) / I - 1, 31);
    auto& op = problem_.op;
    lanes_with_heads_ = __ballot_sync(~0u, heads_[0] != 0);
    V tail{};
    if (Whole || lane_ <= last_lane) {
      int const mine = Whole ? I : min(count - place, I);
      load(place, mine, fold_);
      if (lanes_with_heads_ == 0) {
        tail = fold_[0];
#pragma unroll
        for (int v = 1; v < I; ++v)
          if (Whole || v < mine) tail = static_cast<V>(op(tail, fold_[v]));
      } else {
#pragma unroll
        for (int v = 1; v < I; ++v) {
          if (!Whole && v >= mine) fold_[v] = fold_[v - 1];
          else if ((heads_[0] >> v & 1u) == 0) fold_[v] = static_cast<V>(op(fold_[v - 1], fold_[v]));
        }
        tail = fold_[I - 1];
      }
    }
    tail = warp_scan_segments(tail, lanes_with_heads_, last_lane, op);
    first_ = warp_shfl_up(tail, 1);
    return warp_shfl(tail, last_lane);
  }

  /// What a lane's first head closes, of a chunk that has heads: what is carried into the chunk, what the
  /// lanes before have of it, and what is in this lane.
  __device__ void close_first(optional<V> const& carry) {
    unsigned const mask = heads_[0];
    if (mask == 0) return;
    V lead = fold_[0];
#pragma unroll
    for (int v = 1; v < I - 1; ++v)
      if ((mask & ((2u << v) - 1)) == 0) lead = fold_[v];
    auto& op = problem_.op;
    optional<V> closed{carry.value, carry.present && (lanes_with_heads_ & ((1u << lane_) - 1)) == 0};
    if (lane_ > 0) closed = {combine(closed, first_, op), true};
    if ((mask & 1u) == 0) closed = {combine(closed, lead, op), true};
    first_ = closed.value;
  }

  /// f(rank, place) of each head, or f(rank, place, fold of the run that it closes).
  template <class F>
  __device__ void for_each_head(F f) const {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      unsigned mask = heads_[r];
      if (mask == 0) continue;
      int at = ranks_[r];
      int const place = place_of(r);
      if constexpr (folds) {
        f(at++, place + __ffs(static_cast<int>(mask)) - 1, first_);
        mask &= mask - 1;
#pragma unroll
        for (int v = 1; v < I; ++v)
          if ((mask >> v & 1u) != 0) f(at++, place + v, fold_[v - 1]);
      } else {
#pragma unroll
        for (int v = 0; v < I; ++v)
          if ((mask >> v & 1u) != 0) f(at++, place + v);
      }
    }
  }

 private:
  __device__ int place_of(int r) const { return (r * 32 + lane_) * I; }

  template <bool Whole, class Load>
  __device__ unsigned heads_at(int r, std::int64_t index, int count, bool left_is_staged, Load load) const {
    int const place = place_of(r);
    bool const first_of_all = place == 0 && index == 0;
    unsigned mask = 0;
    auto const look = [&](int v, auto const& left, auto const& x) {
      mask |= static_cast<unsigned>((v == 0 && first_of_all) || problem_.starts_run(left, x)) << v;
    };
    if (!Whole && place >= count) return 0;
    if constexpr (Problem::stages_keys) {
      key x[I + 1];
      load(place - 1, place == 0 && (first_of_all || !left_is_staged) ? 1 : 0,
           Whole ? I + 1 : min(count - place, I) + 1, x);
      if (!left_is_staged && place == 0 && !first_of_all)
        put_bytes(x[0], static_cast<key>(problem_.keys[index - 1]));
#pragma unroll
      for (int v = 0; v < I; ++v)
        if (Whole || place + v < count) look(v, x[v], x[v + 1]);
    } else {
      auto const at = index + place;
#pragma unroll 1
      for (int v = 0; v < I; ++v)
        if (Whole || place + v < count) {
          if (v == 0 && first_of_all) mask = 1;
          else look(v, problem_.keys[at + v - 1], problem_.keys[at + v]);
        }
    }
    return mask;
  }

  Problem const& problem_;
  int lane_;
  unsigned heads_[R];
  int ranks_[R];  ///< what comes before a lane's in its warp
  unsigned lanes_with_heads_;
  V fold_[folds ? I : 1];  ///< of a lane's items, from the last head on
  V first_;  ///< what the lanes before have since the last head; then what the first head closes
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

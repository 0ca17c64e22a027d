// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUN_LENGTH_TILE_WARP_RUNS_CUH
#define SWEEP_DETAIL_RUN_LENGTH_TILE_WARP_RUNS_CUH

#include <sweep/detail/block/stage_items.cuh>
#include <sweep/detail/block/store_contiguous.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/packed_value.hpp>
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

/// Writes folds[first] to folds[count - 1], values in shared memory, from out[at + first] on, by so many
/// workers; structs of bytes in words of what they fill together.
template <class Problem, class V>
__device__ void write_folds(Problem const& problem, std::int64_t at, int first, int count, V const* folds,
                            int worker, int workers) {
  if constexpr (std::is_same_v<decltype(problem.out), V*> && spreads_in_registers<V>) {
    constexpr int size = static_cast<int>(sizeof(V));
    store_bytes(reinterpret_cast<unsigned char*>(problem.out + (at + first)),
                reinterpret_cast<unsigned char const*>(folds + first), max(count - first, 0) * size, worker,
                workers);
  } else {
    for_each_written(problem.out, at, first, count, worker, workers,
                     [&](int i) { problem.put(at + i, folds[i]); });
  }
}

/// Values that a lane keeps, those of many narrow members packed.
template <class V, int N>
struct kept_values {
  static constexpr bool packed = spreads_in_registers<V>;
  std::conditional_t<packed, item_vector<V, 1>, V> of[N];

  __device__ void put(int n, V const& x) {
    if constexpr (packed) {
      V const one[1] = {x};
      of[n].pack(one);
      of[n].keep_packed();
    } else {
      of[n] = x;
    }
  }
  __device__ V at(int n) const {
    if constexpr (packed) return of[n].item(0);
    else return of[n];
  }
};

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

  /// Folds the items beside the keys, of which one(v) makes number v of a lane's. In a chunk that has heads
  /// visit(v, fold) gets for each v but the first what the items before it come to since the lane's last
  /// head. Returns what all come to since the last head, in all lanes.
  template <bool Whole, class One, class Visit>
  __device__ V fold(int count, One const& one, Visit visit) {
    int const place = place_of(0), last_lane = Whole ? 31 : min((count + I - 1) / I - 1, 31);
    auto& op = problem_.op;
    lanes_with_heads_ = __ballot_sync(~0u, heads_[0] != 0);
    V tail{};
    if (Whole || lane_ <= last_lane) {
      int const mine = Whole ? I : min(count - place, I);
      tail = one(0);
      if (lanes_with_heads_ == 0) {
#pragma unroll
        for (int v = 1; v < I; ++v)
          if (Whole || v < mine) tail = static_cast<V>(op(tail, one(v)));
      } else {
#pragma unroll
        for (int v = 1; v < I; ++v) {
          if (!Whole && v >= mine) continue;
          visit(v, tail);
          V const x = one(v);
          tail = (heads_[0] >> v & 1u) == 0 ? static_cast<V>(op(tail, x)) : x;
        }
      }
    }
    tail = warp_scan_segments(tail, lanes_with_heads_, last_lane, op);
    first_ = warp_shfl_up(tail, 1);
    return warp_shfl(tail, last_lane);
  }

  /// What a lane's first head closes, of a chunk that has heads: what is carried into the chunk, what the
  /// lanes before have of it, and what lead() gives, if there are items before it in this lane: theirs.
  template <class Lead>
  __device__ V closed_by_first(optional<V> const& carry, Lead lead) const {
    auto& op = problem_.op;
    optional<V> closed{carry.value, carry.present && (lanes_with_heads_ & ((1u << lane_) - 1)) == 0};
    if (lane_ > 0) closed = {combine(closed, first_, op), true};
    if ((heads_[0] & 1u) == 0) closed = {combine(closed, lead(), op), true};
    return closed.value;
  }

  /// Of the only row: which of a lane's items begin a run, and how many of the warp's do before those.
  __device__ unsigned heads() const { return heads_[0]; }
  __device__ int rank() const { return ranks_[0]; }
  /// The place of a lane's item.
  __device__ int place(int v) const { return place_of(0) + v; }

  /// f(rank, place) of each head.
  template <class F>
  __device__ void for_each_head(F f) const {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      unsigned const mask = heads_[r];
      if (mask == 0) continue;
      int at = ranks_[r];
      int const place = place_of(r);
#pragma unroll
      for (int v = 0; v < I; ++v)
        if ((mask >> v & 1u) != 0) f(at++, place + v);
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
  V first_;  ///< what the lanes before have since the last head
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

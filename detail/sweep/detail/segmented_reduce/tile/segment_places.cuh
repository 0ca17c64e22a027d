// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_SEGMENT_PLACES_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_SEGMENT_PLACES_CUH

#include <sweep/detail/segments/heads.hpp>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/search.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Whether segments are told by lengths, of which a block makes offsets itself.
template <class Offsets>
inline constexpr bool may_sum_lengths = requires(Offsets const& x) {
  x.lengths;
};

/// Items [begin, end) of a segment.
struct segment_part {
  std::int64_t segment, begin, end;
};

/// Where segments lie, as a block finds it out.
template <class Offsets>
class segment_places {
  static constexpr int most_warps = 16;

 public:
  struct shared {
    std::int64_t sums_before[most_warps], sums[most_warps];
    segment_part found[2];
  };

  __device__ segment_places(Offsets const& offsets, std::int64_t n, std::int64_t count, shared& smem)
      : offsets_{offsets},
        n_{n},
        count_{count},
        smem_{smem},
        threads_{static_cast<int>(blockDim.x)},
        warps_{threads_ / 32},
        lane_{static_cast<int>(threadIdx.x % 32)},
        warp_{static_cast<int>(threadIdx.x / 32)} {}

  /// Whether the whole block has to call at(), which passes a barrier then.
  __device__ bool sums() const {
    if constexpr (may_sum_lengths<Offsets>) return !offsets_.offsets;
    else return false;
  }

  /// The segment of a group of so many threads, a power of two, of the block's from `first` on.
  __device__ segment_part at(std::int64_t first, int group, int width) {
    segment_part mine{first + group, 0, 0};
    bool const exists = mine.segment < count_;
    if constexpr (may_sum_lengths<Offsets>)
      if (sums()) {
        sum_lengths(mine, exists, first, width);
        return mine;
      }
    look_up(mine, exists);
    return mine;
  }

  /// The segments that two items are in, to found(0) and found(1); by one warp.
  __device__ void find(std::int64_t first, std::int64_t last) {
    if constexpr (may_sum_lengths<Offsets>)
      if (sums()) return find_by_lengths(first, last);
    std::int64_t low[2] = {0, 0}, high[2] = {count_, count_};
    std::int64_t const at[2] = {first, last};
    constexpr int rows = 4, probes = 32 * rows;  // a step is as long as a load, of how many places ever
    while (low[0] < high[0] || low[1] < high[1]) {
      bool ends_before[2][rows];
      std::int64_t step[2];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        step[k] = (high[k] - low[k] + probes) / (probes + 1);  // so many answers are left together
#pragma unroll
        for (int r = 0; r < rows; ++r) {
          auto const s = low[k] + (r * 32 + lane_ + 1) * step[k] - 1;
          ends_before[k][r] = s < high[k] && static_cast<std::int64_t>(offsets_[s + 1]) <= at[k];
        }
      }
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        int before = 0;
#pragma unroll
        for (int r = 0; r < rows; ++r) before += __popc(__ballot_sync(~0u, ends_before[k][r]));
        high[k] = min(high[k], low[k] + (before + 1) * step[k] - 1);
        low[k] += before * step[k];
      }
    }
    if (lane_ >= 2) return;
    segment_part one{lane_ == 0 ? low[0] : low[1], 0, 0};
    look_up(one, one.segment < count_);
    auto const item = lane_ == 0 ? first : last;
    if (item < one.begin || item >= one.end) one.end = one.begin;
    smem_.found[lane_] = one;
  }
  __device__ segment_part const& found(int k) const { return smem_.found[k]; }

 private:
  __device__ std::int64_t within(std::int64_t at) const { return min(max(at, std::int64_t{0}), n_); }
  __device__ void look_up(segment_part& mine, bool exists) const {
    if (!exists) return;
    mine.begin = within(static_cast<std::int64_t>(offsets_[mine.segment]));
    mine.end = within(static_cast<std::int64_t>(offsets_[mine.segment + 1]));
  }

  static __device__ std::int64_t less(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  }
  /// Offsets of the block's segments, of which the first is `first`.
  __device__ void sum_lengths(segment_part& mine, bool exists, std::int64_t first, int width) {
    wrapping_plus add{};
    auto const& lengths = offsets_.lengths;
    std::int64_t before = 0;
    first = min(first, count_);
    constexpr int batch = 8;
    for (auto s = static_cast<std::int64_t>(threadIdx.x); s < first; s += batch * threads_) {
      std::int64_t some[batch];
#pragma unroll
      for (int b = 0; b < batch; ++b)
        some[b] = static_cast<std::int64_t>(lengths[min(s + b * threads_, first - 1)]);
#pragma unroll
      for (int b = 0; b < batch; ++b) before = add(before, s + b * threads_ < first ? some[b] : 0);
    }
    auto const length = exists ? static_cast<std::int64_t>(lengths[mine.segment]) : 0;
    int const first_thread = static_cast<int>(threadIdx.x) & ~(width - 1);
    bool const counts = exists && static_cast<int>(threadIdx.x) == first_thread;
    auto const ends = warp_scan(counts ? length : std::int64_t{0}, add);
    before = warp_scan(before, add);
    if (lane_ == 31) {
      smem_.sums_before[warp_] = before;
      smem_.sums[warp_] = ends;
    }
    __syncthreads();
    std::int64_t begin = 0;
    for (int w = 0; w < warps_; ++w) {
      begin = add(begin, smem_.sums_before[w]);
      if (w < first_thread / 32) begin = add(begin, smem_.sums[w]);
    }
    if (width < 32) begin = add(begin, less(warp_shfl(ends, first_thread % 32), length));
    if (exists) {
      mine.begin = within(begin);
      mine.end = within(add(begin, length));
    }
  }

  /// Each lane adds up neighbouring lengths.
  __device__ void find_by_lengths(std::int64_t first, std::int64_t last) {
    wrapping_plus add{};
    auto const& lengths = offsets_.lengths;
    auto const each = (count_ + 31) / 32, from = min(lane_ * each, count_), to = min(from + each, count_);
    std::int64_t sum = 0;
#pragma unroll 8
    for (auto s = from; s < to; ++s) sum = add(sum, static_cast<std::int64_t>(lengths[s]));
    auto begin = less(warp_scan(sum, add), sum);
    if (lane_ < 2) smem_.found[lane_] = {-1 - static_cast<std::int64_t>(lane_), 0, 0};
    __syncwarp();
    if (first < add(begin, sum) && last >= begin) {
#pragma unroll 8
      for (auto s = from; s < to; ++s) {
        auto const end = add(begin, static_cast<std::int64_t>(lengths[s]));
        segment_part const one{s, within(begin), within(end)};
        if (begin <= first && first < end) smem_.found[0] = one;
        if (begin <= last && last < end) smem_.found[1] = one;
        begin = end;
      }
    }
  }

  Offsets const& offsets_;
  std::int64_t n_, count_;
  shared& smem_;
  int threads_, warps_, lane_, warp_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

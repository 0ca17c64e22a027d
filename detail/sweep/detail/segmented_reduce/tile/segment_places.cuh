// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_SEGMENT_PLACES_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_SEGMENT_PLACES_CUH

#include <sweep/detail/segments/heads.hpp>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/search.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <type_traits>
#include <utility>

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
  using offset = std::remove_cvref_t<decltype(std::declval<Offsets const&>()[0])>;

 public:
  struct shared {
    std::int64_t sums_before[most_warps], sums[most_warps], sums_found[most_warps];
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

  /// The segments that two items are in, to found(0) and found(1), behind a barrier; by one warp, or by the
  /// whole block where it sums().
  __device__ void find(std::int64_t first, std::int64_t last) {
    if constexpr (may_sum_lengths<Offsets>)
      if (sums()) return find_by_lengths(first, last);
    // Half of the warp for each. A step is as long as a load, of however many places.
    int const half = lane_ / 16, sub = lane_ % 16;
    auto const at = half == 0 ? first : last;
    constexpr int rows = 4, probes = 16 * rows;
    std::int64_t low = 0, high = count_ - 1;
    offset begin[rows], end[rows];
    int before;
    while (true) {
      auto const step = (high - low + probes) / probes;  // so many answers are left together
      auto const probe = [&](int r) { return low + (r * 16 + sub + 1) * step - 1; };
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        auto const s = min(probe(r), high);
        begin[r] = offsets_[s];
        end[r] = offsets_[s + 1];
      }
      before = 0;
#pragma unroll
      for (int r = 0; r < rows; ++r)
        before += __popc(__ballot_sync(~0u, probe(r) <= high && static_cast<std::int64_t>(end[r]) <= at) >>
                             16 * half &
                         0xffffu);
      if (__all_sync(~0u, step <= 1)) break;
      high = min(high, low + (before + 1) * step - 1);
      low += before * step;
    }
    if (sub != before % 16) return;
#pragma unroll
    for (int r = 1; r < rows; ++r)
      begin[0] = select_registers(before / 16 == r, begin[r], begin[0]),
      end[0] = select_registers(before / 16 == r, end[r], end[0]);
    segment_part one{low + before, within(static_cast<std::int64_t>(begin[0])),
                     within(static_cast<std::int64_t>(end[0]))};
    if (one.segment > high || at < one.begin || at >= one.end) one = {-1 - std::int64_t{half}, 0, 0};
    smem_.found[half] = one;
  }
  __device__ segment_part const& found(int k) const { return smem_.found[k]; }

 private:
  __device__ std::int64_t within(std::int64_t at) const {
    if (static_cast<std::uint64_t>(at) <= static_cast<std::uint64_t>(n_)) return at;
    return at < 0 ? 0 : n_;
  }
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

  /// Each thread adds up neighbouring lengths.
  __device__ void find_by_lengths(std::int64_t first, std::int64_t last) {
    wrapping_plus add{};
    auto const& lengths = offsets_.lengths;
    auto const each = (count_ + threads_ - 1) / threads_,
               from = min(static_cast<std::int64_t>(threadIdx.x) * each, count_),
               to = min(from + each, count_);
    std::int64_t sum = 0;
#pragma unroll 4
    for (auto s = from; s < to; ++s) sum = add(sum, static_cast<std::int64_t>(lengths[s]));
    auto const with = warp_scan(sum, add);
    if (lane_ == 31) smem_.sums_found[warp_] = with;
    if (threadIdx.x < 2) smem_.found[threadIdx.x] = {-1 - static_cast<std::int64_t>(threadIdx.x), 0, 0};
    __syncthreads();
    auto begin = less(with, sum);
    for (int w = 0; w < warp_; ++w) begin = add(begin, smem_.sums_found[w]);
    if (first >= add(begin, sum) || last < begin) return;
#pragma unroll 1
    for (auto s = from; s < to; ++s) {
      auto const end = add(begin, static_cast<std::int64_t>(lengths[s]));
      segment_part const one{s, within(begin), within(end)};
      if (begin <= first && first < end) smem_.found[0] = one;
      if (begin <= last && last < end) smem_.found[1] = one;
      begin = end;
    }
  }

  Offsets const& offsets_;
  std::int64_t n_, count_;
  shared& smem_;
  int threads_, warps_, lane_, warp_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

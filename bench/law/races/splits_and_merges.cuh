// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_RACES_SPLITS_AND_MERGES_CUH
#define SWEEP_BENCH_LAW_RACES_SPLITS_AND_MERGES_CUH

#include <cub/device/device_merge.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <law/races/peers.cuh>

#include <cstdint>
#include <type_traits>

// Races of splits, merges and sorts of segments.
namespace law {

/// Into 2^Bits parts by the highest bits of each key, which is a stable pass of a radix sort by these. Ours
/// also writes where parts begin.
template <class T, int Bits>
struct multisplit {
  static constexpr char const* peer = "cub::DeviceRadixSort::SortKeys";
  static constexpr double held = 4 * sizeof(T);
  static constexpr int width = static_cast<int>(sizeof(T)) * 8;
  struct highest_bits {
    __host__ __device__ int operator()(T x) const { return static_cast<int>(x >> (width - Bits)); }
  };
  static result run(draw const& d) {
    auto const n = d.n;
    T const* const in = input<T>(0, d, d.in_shift);
    auto const out = output<T>(2, n, d.out_shift);
    auto const offsets = output<std::int64_t>(4, (1 << Bits) + 1);
    auto const ours = [=] {
      sweep::multisplit_into(on(), in, in + n, out.ours, offsets.ours, 1 << Bits, highest_bits{});
    };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceRadixSort::SortKeys(t, b, in, out.peers, n, width - Bits, width, stream());
    });
    return race(2.0 * sizeof(T) * static_cast<double>(n), ours, theirs, [=] { return agree(out, n); });
  }
};

/// Of two sorted ranges, which together have the items of the case.
template <class T>
struct merge {
  static constexpr char const* peer = "cub::DeviceMerge::MergeKeys";
  static constexpr double held = 4 * sizeof(T);
  struct ascending {
    std::uint64_t thirds;
    __host__ __device__ T operator()(std::uint64_t, std::int64_t i) const {
      return static_cast<T>(static_cast<std::uint64_t>(i) * thirds / 3);
    }
  };
  static result run(draw const& d) {
    auto const n1 = static_cast<std::int64_t>(d.density * static_cast<double>(d.n)), n2 = d.n - n1;
    T const* const first = input<T>(0, d, d.in_shift, ascending{4});
    T const* const second = input<T>(10, d, 0, ascending{5});
    auto const out = output<T>(2, d.n, d.out_shift);
    auto const ours = [=] { sweep::merge(on(), first, first + n1, second, second + n2, out.ours); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceMerge::MergeKeys(t, b, first, n1, second, n2, out.peers, cuda::std::less<>{},
                                         stream());
    });
    return race(2.0 * sizeof(T) * static_cast<double>(d.n), ours, theirs, [=] { return agree(out, d.n); });
  }
};

/// Of numbers, from one range into another.
template <class T>
struct segmented_sort {
  static constexpr char const* peer = "cub::DeviceSegmentedSort::SortKeys";
  static constexpr double held = 4 * sizeof(T) + 4;
  static result run(draw const& d) {
    auto const n = d.n;
    T const* const in = input<T>(0, d, d.in_shift);
    auto const segments = drawn_offsets(d, 10);
    auto const noted = sweep::segments::by_offsets(segments.offsets, segments.offsets + segments.count + 1);
    auto const out = output<T>(2, n, d.out_shift);
    auto const ours = [=] { sweep::segmented_sort_copy(on(), in, in + n, noted, out.ours); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceSegmentedSort::SortKeys(t, b, in, out.peers, n, segments.count, segments.offsets,
                                                segments.offsets + 1, stream());
    });
    return race(2.0 * sizeof(T) * static_cast<double>(n), ours, theirs, [=] { return agree(out, n); });
  }
};

}  // namespace law

#endif

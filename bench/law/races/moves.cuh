// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_RACES_MOVES_CUH
#define SWEEP_BENCH_LAW_RACES_MOVES_CUH

#include <cub/device/device_find.cuh>
#include <law/races/peers.cuh>
#include <thrust/gather.h>
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

// Races of gathers, bounds and histograms.
namespace law {

template <class T>
struct gather {
  static constexpr char const* peer = "thrust::gather";
  static constexpr double held = 3 * sizeof(T) + 4;
  static result run(draw const& d) {
    auto const n = d.n;
    T const* const in = input<T>(0, d, d.in_shift);
    auto const* const places = input<std::uint32_t>(12, d, 0, hop{n});
    auto const out = output<T>(2, n, d.out_shift);
    auto const ours = [=] { sweep::gather(on(), places, places + n, in, out.ours); };
    auto const theirs = [=] { thrust::gather(thrust_policy(), places, places + n, in, out.peers); };
    return race((2.0 * sizeof(T) + 4) * static_cast<double>(n), ours, theirs, [=] { return agree(out, n); });
  }
};

template <class T>
struct lower_bound {
  static constexpr char const* peer = "cub::DeviceFind::LowerBound";
  static constexpr double held = 2 * sizeof(T) + 16;
  struct ascending {
    __host__ __device__ T operator()(std::uint64_t, std::int64_t i) const { return static_cast<T>(2 * i); }
  };
  struct anywhere {
    std::int64_t n;
    __host__ __device__ T operator()(std::uint64_t seed, std::int64_t i) const {
      return static_cast<T>(elements::random_bits(seed, i) % static_cast<std::uint64_t>(2 * n));
    }
  };
  static result run(draw const& d) {
    auto const n = d.n;
    T const* const in = input<T>(0, d, d.in_shift, ascending{});
    T const* const needles = input<T>(10, d, 0, anywhere{n});
    auto const out = output<std::int64_t>(2, n);
    auto const ours = [=] { sweep::lower_bound(on(), in, in + n, needles, needles + n, out.ours); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceFind::LowerBound(t, b, bare(in), n, needles, n, out.peers, cuda::std::less<>{},
                                         stream());
    });
    return race((2.0 * sizeof(T) + 8) * static_cast<double>(n), ours, theirs, [=] { return agree(out, n); });
  }
};

struct as_int {
  __host__ __device__ int operator()(signed char x) const { return x; }
};
template <class T>
struct histogram_even {
  static constexpr char const* peer = "cub::DeviceHistogram::HistogramEven";
  static constexpr double held = sizeof(T);
  static result run(draw const& d) {
    auto const n = d.n;
    // The peer counts bins, and what lies between the first and the last, in the items' own type.
    using limits = std::numeric_limits<T>;
    constexpr bool whole = std::is_integral_v<T>;
    constexpr int most = [] {
      if constexpr (whole && sizeof(T) == 1) return int{limits::max()};
      else return 16384;
    }();
    auto const bins = std::clamp(static_cast<int>(d.mean_segment), 1, most);
    constexpr auto ends = [] {
      if constexpr (whole)
        return std::pair{static_cast<T>(limits::lowest() / 2),
                         static_cast<T>(limits::max() / (std::is_signed_v<T> ? 2 : 1))};
      else return std::pair{T{-4}, T{4}};
    }();
    auto const low = ends.first, high = ends.second;
    T const* const in = input<T>(0, d, d.in_shift);
    auto const out = output<std::uint32_t>(2, bins);
    auto const ours = [=] { sweep::histogram_even(on(), in, in + n, out.ours, bins, low, high); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      // The peer counts a byte as it is in a table of 256, where one below 0 has no place.
      if constexpr (std::is_signed_v<T> && sizeof(T) == 1)
        return cub::DeviceHistogram::HistogramEven(t, b, thrust::make_transform_iterator(bare(in), as_int{}),
                                                   out.peers, bins + 1, int{low}, int{high}, n, stream());
      else
        return cub::DeviceHistogram::HistogramEven(t, b, bare(in), out.peers, bins + 1, low, high, n,
                                                   stream());
    });
    return race(sizeof(T) * static_cast<double>(n), ours, theirs, [=] { return agree(out, bins); });
  }
};

}  // namespace law

#endif

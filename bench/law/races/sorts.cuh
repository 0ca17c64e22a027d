// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_RACES_SORTS_CUH
#define SWEEP_BENCH_LAW_RACES_SORTS_CUH

#include <law/races/peers.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

// Races of sorts and selections.
namespace law {

/// Of keys, or of keys with values of another type; stable on both sides, so that both are the same bits.
template <class T>
struct sort_keys {
  static constexpr char const* peer = "cub::DeviceRadixSort::SortKeys";
  static constexpr double held = 4 * sizeof(T);
  static result run(draw const& d) {
    auto const n = d.n;
    T const* const in = input<T>(0, d, d.in_shift);
    auto const out = output<T>(2, n, d.out_shift);
    auto const ours = [=] { sweep::sort_copy(on(), in, in + n, out.ours); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceRadixSort::SortKeys(t, b, in, out.peers, n, 0, static_cast<int>(sizeof(T)) * 8,
                                            stream());
    });
    return race(2.0 * sizeof(T) * static_cast<double>(n), ours, theirs, [=] { return agree(out, n); });
  }
};

template <class T, class V>
struct sort_pairs {
  static constexpr char const* peer = "cub::DeviceRadixSort::SortPairs";
  static constexpr double held = 4 * (sizeof(T) + sizeof(V));
  static result run(draw const& d) {
    auto const n = d.n;
    T const* const in = input<T>(0, d, d.in_shift);
    V const* const values = input<V>(10, d, 0);
    auto const out = output<T>(2, n, d.out_shift);
    auto const values_out = output<V>(4, n);
    auto const ours = [=] { sweep::sort_by_key_copy(on(), in, in + n, values, out.ours, values_out.ours); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceRadixSort::SortPairs(t, b, in, out.peers, values, values_out.peers, n, 0,
                                             static_cast<int>(sizeof(T)) * 8, stream());
    });
    return race(2.0 * (sizeof(T) + sizeof(V)) * static_cast<double>(n), ours, theirs,
                [=] { return agree(out, n) && agree(values_out, n); });
  }
};

/// By a comparison that says nothing of digits.
template <class T>
struct sort_by_comparison {
  static constexpr char const* peer = "cub::DeviceMergeSort::StableSortKeysCopy";
  static constexpr double held = 4 * sizeof(T);
  struct before {
    __host__ __device__ bool operator()(T const& a, T const& b) const { return a < b; }
  };
  static result run(draw const& d) {
    auto const n = d.n;
    T const* const in = input<T>(0, d, d.in_shift);
    auto const out = output<T>(2, n, d.out_shift);
    auto const ours = [=] { sweep::sort_copy(on(), in, in + n, out.ours, before{}); };
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      return cub::DeviceMergeSort::StableSortKeysCopy(t, b, in, out.peers, n, before{}, stream());
    });
    return race(2.0 * sizeof(T) * static_cast<double>(n), ours, theirs, [=] { return agree(out, n); });
  }
};

/// The greatest k, in order: as many as the case's mean segment. The peer selects them in any order and sorts
/// those.
template <class T>
struct top_k {
  static constexpr char const* peer = "cub::DeviceTopK and DeviceRadixSort of k";
  static constexpr double held = 3 * sizeof(T);
  static result run(draw const& d) {
    auto const n = d.n, k = std::min(n, static_cast<std::int64_t>(d.mean_segment));
    T const* const in = input<T>(0, d, d.in_shift);
    auto const out = output<T>(2, k, d.out_shift);
    auto* const selected = role(4).get<T>(k + 256);
    auto const ours = [=] { sweep::top_k(on(), in, in + n, k, out.ours); };
    auto const select = cub_call([=](void* t, std::size_t& b) {
      auto const any = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                                cuda::execution::output_ordering::unsorted);
      return cub::DeviceTopK::MaxKeys(t, b, in, selected, n, k,
                                      cuda::std::execution::env{cuda::stream_ref{stream()}, any});
    });
    auto const sort = cub_call<5>([=](void* t, std::size_t& b) {
      return cub::DeviceRadixSort::SortKeysDescending(t, b, selected, out.peers, k, 0,
                                                      static_cast<int>(sizeof(T)) * 8, stream());
    });
    auto const theirs = [=] {
      select();
      sort();
    };
    return race(sizeof(T) * static_cast<double>(n), ours, theirs, [=] { return agree(out, k); });
  }
};

}  // namespace law

#endif

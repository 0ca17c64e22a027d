// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_RACES_RECURRENCES_CUH
#define SWEEP_BENCH_LAW_RACES_RECURRENCES_CUH

#include <law/races/peers.cuh>
#include <thrust/iterator/transform_output_iterator.h>

// Races of linear recurrences.
namespace law {

/// y[i] = a[i] y[i - 1] + x[i] over integers, whose results do not depend on the order. The peer scans affine
/// maps, and writes what they make of zero.
template <class T, bool Backward>
struct recurrence {
  static constexpr char const* peer = "cub::DeviceScan of affine maps";
  static constexpr double held = 4 * sizeof(T);
  struct as_map {
    __host__ __device__ affine<T> operator()(thrust::tuple<T, T> both) const {
      return {thrust::get<0>(both), thrust::get<1>(both)};
    }
  };
  struct of_zero {
    __host__ __device__ T operator()(affine<T> map) const { return map.b; }
  };
  static result run(draw const& d) {
    auto const n = d.n;
    T const* const factors = input<T>(10, d, d.in_shift);
    T const* const in = input<T>(0, d, d.in_shift);
    auto const out = output<T>(2, n, d.out_shift);
    auto const ours = [=] {
      if constexpr (Backward) sweep::linear_recurrence(on(), factors, in, in + n, out.ours, sweep::backward);
      else sweep::linear_recurrence(on(), factors, in, in + n, out.ours);
    };
    auto const maps = thrust::make_transform_iterator(thrust::make_zip_iterator(factors, in), as_map{});
    auto const theirs = cub_call([=](void* t, std::size_t& b) {
      auto const call = [&](auto items, auto results) {
        return cub::DeviceScan::InclusiveScan(
            t, b, items, thrust::make_transform_output_iterator(results, of_zero{}), then{}, n, stream());
      };
      if constexpr (Backward)
        return call(thrust::make_reverse_iterator(maps + n), thrust::make_reverse_iterator(out.peers + n));
      else return call(maps, out.peers);
    });
    return race(3.0 * sizeof(T) * static_cast<double>(n), ours, theirs, [=] { return agree(out, n); });
  }
};

}  // namespace law

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_RACES_PEERS_CUH
#define SWEEP_BENCH_LAW_RACES_PEERS_CUH

#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are raced whatever their future

#include <sweep/sweep.hpp>

#include <cub/cub.cuh>
#include <law/race.cuh>
#include <thrust/execution_policy.h>

#include <limits>
#include <type_traits>

// What Sweep and its peers are called with.
namespace law {

inline auto on() { return sweep::device.on(stream()); }
inline auto thrust_policy() { return thrust::cuda::par_nosync.on(stream()); }

/// For peers to whom a device_vector's iterator gives references that they do not all convert.
template <class It>
It bare(It it) {
  return it;
}
template <class T>
T* bare(thrust::device_ptr<T> it) {
  return thrust::raw_pointer_cast(it);
}

/// The neutral value of an operator.
template <class T, class Operator>
T neutral() {
  if constexpr (std::is_same_v<Operator, larger>) return std::numeric_limits<T>::lowest();
  else if constexpr (std::is_same_v<T, mat2>) return {1, 0, 0, std::is_same_v<Operator, mat2_product>};
  else if constexpr (is_affine<T>) return {1, 0};
  else return T{};
}

}  // namespace law

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_UNINITIALIZED_CUH
#define SWEEP_DETAIL_BLOCK_UNINITIALIZED_CUH

#include <sweep/version.hpp>

namespace sweep::inline SWEEP_ABI::detail {

/// Shared memory for N values of any type: nothing is constructed, values are written before they are read.
template <class T, int N = 1>
struct uninitialized {
  alignas(T) unsigned char bytes[N * sizeof(T)];

  __device__ T* data() { return reinterpret_cast<T*>(bytes); }
  __device__ T const* data() const { return reinterpret_cast<T const*>(bytes); }
  __device__ T& value() { return *data(); }
  __device__ T const& value() const { return *data(); }
  __device__ T& operator[](int i) { return data()[i]; }
  __device__ T const& operator[](int i) const { return data()[i]; }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

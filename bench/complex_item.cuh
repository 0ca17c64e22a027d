// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_COMPLEX_ITEM_CUH
#define SWEEP_BENCH_COMPLEX_ITEM_CUH

#include "elements.hpp"

#include <cuda/std/complex>

template <class T, int Bits>
struct elements::random_item<cuda::std::complex<T>, Bits> {
  __host__ __device__ cuda::std::complex<T> operator()(std::uint64_t seed, std::int64_t i) const {
    return {static_cast<T>(step(seed, i, Bits, 0)), static_cast<T>(step(seed, i, Bits, 1))};
  }
};

#endif

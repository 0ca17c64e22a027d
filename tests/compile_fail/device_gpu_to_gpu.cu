// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: results are the same from run to run on one model of GPU
#include <sweep/reduce.hpp>

#if __has_include(<cuda/execution>)  // CCCL 3.0 has no requirements
#include <cuda/execution>

void sum(float* first, float* last, float* to) {
#if defined(SWEEP_TEST_FIXED)
  auto const wanted = cuda::execution::determinism::run_to_run;
#else
  auto const wanted = cuda::execution::determinism::gpu_to_gpu;
#endif
  sweep::reduce_into(cuda::execution::require(wanted), first, last, to);
}
#elif !defined(SWEEP_TEST_FIXED)
#error "sweep: results are the same from run to run on one model of GPU: CCCL 3.0 cannot ask for more"
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_CUB_FIND_CUH
#define SWEEP_BENCH_CUB_FIND_CUH

/// CUB's searches, where this CCCL has them.
#if __has_include(<cub/device/device_find.cuh>)
#include <cub/device/device_find.cuh>
#define SWEEP_BENCH_HAS_FIND 1
#else
#define SWEEP_BENCH_HAS_FIND 0
#endif

#endif

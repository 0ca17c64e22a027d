// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SWEEP_EXPECTED_CCCL is read from the folder that SWEEP_CCCL_DIR names.
#include <cuda/std/version>

#if defined(__CUDACC__)
#include <cub/version.cuh>
static_assert(CUB_MAJOR_VERSION == SWEEP_EXPECTED_CCCL / 1000000);
static_assert(CUB_MINOR_VERSION == SWEEP_EXPECTED_CCCL / 1000 % 1000);
#endif

static_assert(CCCL_VERSION == SWEEP_EXPECTED_CCCL);

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_CONFIG_HPP
#define SWEEP_DETAIL_CORE_CONFIG_HPP

#include <sweep/version.hpp>

// One spelling for functions that run on both sides; plain g++ sees none of CUDA's words.
#if defined(__CUDACC__)
#define SWEEP_HD __host__ __device__
// Before a template for host and device that calls a caller's functions, which may be for one of them alone.
#define SWEEP_NO_EXEC_CHECK _Pragma("nv_exec_check_disable")
#else
#define SWEEP_HD
#define SWEEP_NO_EXEC_CHECK
#endif

#endif

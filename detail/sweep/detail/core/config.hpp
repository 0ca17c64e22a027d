// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_CONFIG_HPP
#define SWEEP_DETAIL_CORE_CONFIG_HPP

#include <sweep/version.hpp>

// One spelling for functions that run on both sides; plain g++ sees none of CUDA's words.
#if defined(__CUDACC__)
#define SWEEP_HD __host__ __device__
// Before a template for host and device that calls a caller's functions, which may be for one of them alone.
#define SWEEP_NO_EXEC_CHECK _Pragma("nv_exec_check_disable")
// Around functions that a kernel's thread can run in one loop, and the host in other ways as well: nvcc would
// warn of what these call, in their lambdas and destructors too, which the pragma above does not reach.
#define SWEEP_BEGIN_LOOPS                                                                                    \
  _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 20011") _Pragma("nv_diag_suppress 20013")          \
      _Pragma("nv_diag_suppress 20014") _Pragma("nv_diag_suppress 20015")
#define SWEEP_END_LOOPS _Pragma("nv_diagnostic pop")
#else
#define SWEEP_HD
#define SWEEP_NO_EXEC_CHECK
#define SWEEP_BEGIN_LOOPS
#define SWEEP_END_LOOPS
#endif

// Before a loop of a host whose results no item waits for: g++ makes vectors of it at -O2, too.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define SWEEP_INDEPENDENT_ITEMS _Pragma("GCC ivdep")
// Before a loop of few instructions: one turn of it would take a cycle or two, depending on where in a line
// of memory they come to lie. Other compilers make several steps a turn by themselves.
#define SWEEP_STEPS_AT_ONCE _Pragma("GCC unroll 4")
// Before a loop over what is to stand in registers, of up to 32 numbers: g++ makes vectors of its steps.
#define SWEEP_IN_REGISTERS _Pragma("GCC unroll 32")
#else
#define SWEEP_INDEPENDENT_ITEMS
#define SWEEP_STEPS_AT_ONCE
#define SWEEP_IN_REGISTERS
#endif

#endif

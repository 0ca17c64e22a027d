// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_VERSION_HPP
#define SWEEP_VERSION_HPP

// A user's build ends without warnings about what Sweep's headers do with whatever they are given: compilers
// take each public header, and what it includes, for a system header. Sweep's own builds define
// SWEEP_SHOW_WARNINGS.
#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

// Every public header comes here first. What cannot work says so in one line, and the #include of a file that
// does not exist keeps a compiler that goes on after #error from saying more.
#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#error "sweep: needs C++20: compile with -std=c++20 (nvcc too, whose default is C++17)"
#include "see the line above"
#elif !defined(__cpp_exceptions) && !defined(__EXCEPTIONS) && !defined(_CPPUNWIND)
#error "sweep: reports errors by exceptions: compile without -fno-exceptions"
#include "see the line above"
#elif defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ < 800
#error "sweep: needs compute capability 8.0: compile with -arch=sm_80 or newer"
#include "see the line above"
#endif
#endif

#if __has_include(<cuda/std/__cccl/version.h>)
#include <cuda/std/__cccl/version.h>
#endif

/// 10000 * major + 100 * minor + patch.
#define SWEEP_VERSION 100

// All of Sweep but its exceptions stands in an inline namespace that is named after whatever changes the code
// of its inline functions, so that translation units compiled in different ways can be linked into one
// program: the version, CCCL's version or the standard library's atomics in its place, whose threads the host
// has, which stream is the default one, and how many bytes the CPU's vectors have.
#define SWEEP_ABI_NAME_(version, atomics, threads, stream, vectors)                                          \
  v##version##_##atomics##_##threads##_##stream##_##vectors
#define SWEEP_ABI_NAME(version, atomics, threads, stream, vectors)                                           \
  SWEEP_ABI_NAME_(version, atomics, threads, stream, vectors)

#if defined(CCCL_VERSION) && __has_include(<cuda/atomic>)
#define SWEEP_ABI_ATOMICS CCCL_VERSION
#else
#define SWEEP_ABI_ATOMICS std
#endif
#if defined(_OPENMP)
#define SWEEP_ABI_THREADS omp
#else
#define SWEEP_ABI_THREADS threads
#endif
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define SWEEP_ABI_STREAM per_thread
#else
#define SWEEP_ABI_STREAM legacy
#endif
#if defined(__AVX__)
#define SWEEP_ABI_VECTORS 32
#else
#define SWEEP_ABI_VECTORS 16
#endif
#define SWEEP_ABI                                                                                            \
  SWEEP_ABI_NAME(SWEEP_VERSION, SWEEP_ABI_ATOMICS, SWEEP_ABI_THREADS, SWEEP_ABI_STREAM, SWEEP_ABI_VECTORS)

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_ATOMIC_HPP
#define SWEEP_DETAIL_CORE_ATOMIC_HPP

#include <sweep/detail/core/config.hpp>

#include <cstdint>

// libcu++ wherever it can be had, so that host and device share one source; the standard's own atomic_ref
// where a plain C++ compiler has no CCCL on its include path.
#if __has_include(<cuda/atomic>)
// Words of tile state are never local memory. CCCL 3.5 compiled by nvcc 13.0 with NDEBUG asks at every
// access, which takes 5 % of a scan's rate (bench/scan); where <cuda/atomic> came first, it has made its
// choice.
#pragma push_macro("_CCCL_ATOMIC_UNSAFE_AUTOMATIC_STORAGE")
#ifndef _CCCL_ATOMIC_UNSAFE_AUTOMATIC_STORAGE
#define _CCCL_ATOMIC_UNSAFE_AUTOMATIC_STORAGE
#endif
#include <cuda/atomic>
#pragma pop_macro("_CCCL_ATOMIC_UNSAFE_AUTOMATIC_STORAGE")
#define SWEEP_HAS_LIBCUDACXX 1
#else
#include <atomic>
#define SWEEP_HAS_LIBCUDACXX 0
#endif

namespace sweep::detail {

#if SWEEP_HAS_LIBCUDACXX
#if defined(__CUDA_ARCH__)
inline constexpr auto tile_scope = cuda::thread_scope_device;
#else
inline constexpr auto tile_scope = cuda::thread_scope_system;
#endif
template <class Word>
using atomic_ref = cuda::atomic_ref<Word, tile_scope>;
inline constexpr auto relaxed = cuda::std::memory_order_relaxed;
inline constexpr auto acquire = cuda::std::memory_order_acquire;
inline constexpr auto release = cuda::std::memory_order_release;
inline constexpr auto acq_rel = cuda::std::memory_order_acq_rel;
/// Orders what this thread did before it and what others do after they have seen words that it writes next.
SWEEP_HD inline void fence() { cuda::atomic_thread_fence(acq_rel, tile_scope); }
#else
template <class Word>
using atomic_ref = std::atomic_ref<Word>;
inline constexpr auto relaxed = std::memory_order_relaxed;
inline constexpr auto acquire = std::memory_order_acquire;
inline constexpr auto release = std::memory_order_release;
inline constexpr auto acq_rel = std::memory_order_acq_rel;
inline void fence() { std::atomic_thread_fence(acq_rel); }
#endif

}  // namespace sweep::detail

#endif

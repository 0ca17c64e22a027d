// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_ATOMIC_HPP
#define SWEEP_DETAIL_CORE_ATOMIC_HPP

#include <sweep/detail/core/config.hpp>

#include <cstdint>

// libcu++ wherever it can be had, so that host and device share one source; the standard's own atomic_ref
// where a plain C++ compiler has no CCCL on its include path.
#if __has_include(<cuda/atomic>)
#define SWEEP_HAS_LIBCUDACXX 1
// <cuda/atomic> brings the clocks, semaphores and streams that its waits need, which take longer to compile
// than all of this library. What its atomic_ref calls stands in headers of its own, by the same names from
// CCCL 3.0 to 3.5.
#if __has_include(<cuda/std/__cccl/version.h>) && __has_include(<cuda/std/__atomic/types/reference.h>)
#include <cuda/std/__cccl/version.h>
#if CCCL_VERSION >= 3000000 && CCCL_VERSION < 3006000
#define SWEEP_HAS_LIBCUDACXX_DISPATCH 1
#endif
#endif
// Words of tile state are never local memory. CCCL 3.5 compiled by nvcc 13.0 with NDEBUG asks at every
// access, which takes 5 % of a scan's rate (bench/scan); where <cuda/atomic> came first, it has made its
// choice.
#pragma push_macro("_CCCL_ATOMIC_UNSAFE_AUTOMATIC_STORAGE")
#ifndef _CCCL_ATOMIC_UNSAFE_AUTOMATIC_STORAGE
#define _CCCL_ATOMIC_UNSAFE_AUTOMATIC_STORAGE
#endif
#if defined(SWEEP_HAS_LIBCUDACXX_DISPATCH)
#include <cuda/std/__atomic/order.h>
#include <cuda/std/__atomic/scopes.h>
#include <cuda/std/__atomic/types/reference.h>
#else
#include <cuda/atomic>
#endif
#pragma pop_macro("_CCCL_ATOMIC_UNSAFE_AUTOMATIC_STORAGE")
#else
#include <atomic>
#define SWEEP_HAS_LIBCUDACXX 0
#endif

namespace sweep::inline SWEEP_ABI::detail {

#if SWEEP_HAS_LIBCUDACXX
#if defined(__CUDA_ARCH__)
inline constexpr auto tile_scope = cuda::thread_scope_device;
#else
inline constexpr auto tile_scope = cuda::thread_scope_system;
#endif
inline constexpr auto relaxed = cuda::std::memory_order_relaxed;
inline constexpr auto acquire = cuda::std::memory_order_acquire;
inline constexpr auto release = cuda::std::memory_order_release;
inline constexpr auto acq_rel = cuda::std::memory_order_acq_rel;
#if defined(SWEEP_HAS_LIBCUDACXX_DISPATCH)
/// cuda::atomic_ref without its waits.
template <class Word, cuda::thread_scope Scope>
class scoped_atomic_ref {
 public:
  SWEEP_HD constexpr explicit scoped_atomic_ref(Word& word) : at_{&word} {}

  SWEEP_HD Word load(cuda::std::memory_order order) const {
    return cuda::std::__atomic_load_dispatch(&at_, order, scope{});
  }
  SWEEP_HD void store(Word value, cuda::std::memory_order order) const {
    cuda::std::__atomic_store_dispatch(&at_, value, order, scope{});
  }
  SWEEP_HD Word fetch_add(Word value, cuda::std::memory_order order) const {
    return cuda::std::__atomic_fetch_add_dispatch(&at_, value, order, scope{});
  }
  SWEEP_HD Word fetch_or(Word value, cuda::std::memory_order order) const {
    return cuda::std::__atomic_fetch_or_dispatch(&at_, value, order, scope{});
  }
  SWEEP_HD bool compare_exchange_weak(Word& expected, Word value, cuda::std::memory_order order) const {
    auto const failed = order == acq_rel ? acquire : order == release ? relaxed : order;
    return cuda::std::__atomic_compare_exchange_weak_dispatch(&at_, &expected, value, order, failed, scope{});
  }

 private:
  using scope = cuda::std::__scope_to_tag<Scope>;
  cuda::std::__atomic_ref_storage<Word> at_;
};
#else
template <class Word, cuda::thread_scope Scope>
using scoped_atomic_ref = cuda::atomic_ref<Word, Scope>;
#endif
template <class Word>
using atomic_ref = scoped_atomic_ref<Word, tile_scope>;
/// A word that the host reads while a kernel writes it.
template <class Word>
using system_atomic_ref = scoped_atomic_ref<Word, cuda::thread_scope_system>;
/// On the device, orders what this thread did before it and what others do after they have seen words that it
/// writes next. On the host those words are written and read in that order themselves (lookback/slots.hpp).
SWEEP_HD inline void fence() {
#if defined(__CUDA_ARCH__)
#if defined(SWEEP_HAS_LIBCUDACXX_DISPATCH)
  cuda::std::__atomic_thread_fence_cuda(static_cast<int>(acq_rel), cuda::std::__scope_to_tag<tile_scope>{});
#else
  cuda::atomic_thread_fence(acq_rel, tile_scope);
#endif
#endif
}
#else
template <class Word>
using atomic_ref = std::atomic_ref<Word>;
template <class Word>
using system_atomic_ref = std::atomic_ref<Word>;
inline constexpr auto relaxed = std::memory_order_relaxed;
inline constexpr auto acquire = std::memory_order_acquire;
inline constexpr auto release = std::memory_order_release;
inline constexpr auto acq_rel = std::memory_order_acq_rel;
inline void fence() {}
#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

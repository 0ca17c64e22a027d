// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_BULK_COPY_CUH
#define SWEEP_DETAIL_BLOCK_BULK_COPY_CUH

#include <sweep/version.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// Hopper's bulk copy engine and the barriers that it completes, from sm_90 on. CUDA C++ has no narrower name
// for these.

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

__device__ inline unsigned shared_address(void const* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/// A barrier in shared memory whose phases complete when so many have arrived and all announced bytes have
/// landed.
class stage_barrier {
 public:
  __device__ void init(unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&word_)), "r"(arrivals)
                 : "memory");
  }
  __device__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&word_)) : "memory");
  }
  /// Arrive, and announce bytes that the copy engine will bring.
  __device__ void arrive_expecting(unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&word_)),
                 "r"(bytes)
                 : "memory");
  }
  /// Wait until the phase of this parity has completed.
  __device__ void wait(unsigned parity) {
    unsigned done = 0;
    do {
      asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.u32 %0, "
                   "1, 0, p;\n}"
                   : "=r"(done)
                   : "r"(shared_address(&word_)), "r"(parity)
                   : "memory");
    } while (!done);
  }

 private:
  friend __device__ void bulk_load(void*, void const*, unsigned, stage_barrier&);
  friend __device__ void bulk_load_passing(void*, void const*, unsigned, stage_barrier&);
  std::uint64_t word_;
};

/// Makes initialised barriers visible to the copy engine.
__device__ inline void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Orders this thread's accesses to shared memory before the copy engine's.
__device__ inline void fence_before_bulk() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// Global to shared; addresses and bytes are multiples of 16. Completes on the barrier, which must expect the
/// bytes.
__device__ inline void bulk_load(void* to, void const* from, unsigned bytes, stage_barrier& done) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(&done.word_))
      : "memory");
}

/// The same of what will not be read again soon: the L2 cache gives it up before others.
__device__ inline void bulk_load_passing(void* to, void const* from, unsigned bytes, stage_barrier& done) {
  asm volatile("{\n .reg .b64 passing;\n createpolicy.fractional.L2::evict_first.b64 passing, 1.0;\n "
               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], "
               "%2, [%3], "
               "passing;\n}" ::"r"(shared_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(&done.word_))
               : "memory");
}

/// Global memory into the L2 cache, whence a load brings it soon; addresses and bytes are multiples of 16.
__device__ inline void bulk_prefetch(void const* from, unsigned bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from)), "r"(bytes)
               : "memory");
}

/// Shared to global, as one group of this thread.
__device__ inline void bulk_store(void* to, void const* from, unsigned bytes) {
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
      "r"(shared_address(from)), "r"(bytes)
      : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// The same of lines that are written in parts, one soon after the other: the L2 cache gives up others first.
__device__ inline void bulk_store_staying(void* to, void const* from, unsigned bytes) {
  asm volatile("{\n .reg .b64 staying;\n createpolicy.fractional.L2::evict_last.b64 staying, 1.0;\n "
               "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, staying;\n}" ::"l"(
                   __cvta_generic_to_global(to)),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Wait until at most so many of this thread's latest stores still read shared memory.
template <int Pending>
__device__ void await_bulk_reads() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

/// Wait until all of this thread's stores are made.
__device__ inline void await_bulk_stores() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

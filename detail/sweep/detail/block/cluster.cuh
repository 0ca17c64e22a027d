// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_CLUSTER_CUH
#define SWEEP_DETAIL_BLOCK_CLUSTER_CUH

#include <sweep/detail/block/bulk_copy.cuh>
#include <sweep/version.hpp>

#include <cstdint>
#include <cstring>

namespace sweep::inline SWEEP_ABI::detail {

// Blocks of one cluster run at the same time and reach each other's shared memory, from sm_90 on.

/// What is sent from one block to another: an item in whole words, 4, 8 or 16 bytes.
template <class T>
struct sent {
  static constexpr int bytes = sizeof(T) <= 4 ? 4 : sizeof(T) <= 8 ? 8 : (sizeof(T) + 15) / 16 * 16;
  struct alignas(bytes <= 16 ? bytes : 16) type {
    std::uint32_t words[bytes / 4];
  };
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

template <class T>
__device__ typename sent<T>::type as_sent(T const& item) {
  typename sent<T>::type x{};
  memcpy(x.words, static_cast<void const*>(&item), sizeof(T));
  return x;
}
template <class T>
__device__ void take_sent(T& item, typename sent<T>::type const& from) {
  memcpy(static_cast<void*>(&item), from.words, sizeof(T));
}

/// The cluster's own barrier: all threads of all blocks arrive, and wait. What they wrote before is seen.
__device__ inline void arrive_at_cluster() { asm volatile("barrier.cluster.arrive.release;" ::: "memory"); }
__device__ inline void wait_for_cluster() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }
__device__ inline void meet_cluster() {
  arrive_at_cluster();
  wait_for_cluster();
}

/// What another block of the cluster has where this one has `own` in shared memory.
template <class T>
__device__ T* at_block(T* own, unsigned block) {
  T* there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(own), "r"(block));
  return there;
}
/// The same of an address in 32 bits.
__device__ inline unsigned address_at_block(unsigned own, unsigned block) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(block));
  return there;
}

/// Sends an item to another block, where it comes to the place that is `to` in this one. That block's `there`
/// counts its bytes once it has come: the cluster need not meet, which takes longer.
template <class T>
__device__ void send(unsigned block, typename sent<T>::type* to, T const& item, stage_barrier& there) {
  static_assert(sizeof(T) <= 16);
  auto const x = as_sent(item);
  auto const place = address_at_block(shared_address(to), block),
             barrier = address_at_block(shared_address(&there), block);
  if constexpr (sent<T>::bytes == 4)
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(place),
                 "r"(x.words[0]), "r"(barrier)
                 : "memory");
  else if constexpr (sent<T>::bytes == 8)
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(place),
        "r"(x.words[0]), "r"(x.words[1]), "r"(barrier)
        : "memory");
  else
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
            place),
        "r"(x.words[0]), "r"(x.words[1]), "r"(x.words[2]), "r"(x.words[3]), "r"(barrier)
        : "memory");
}
/// Waits until all has come that is announced in the barrier's phase of this parity, from wherever in the
/// cluster.
__device__ inline void wait_for_sent(stage_barrier& there, unsigned parity) {
  unsigned done = 0;
  do {
    asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], "
                 "%2;\n selp.u32 "
                 "%0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(shared_address(&there)), "r"(parity)
                 : "memory");
  } while (!done);
}

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

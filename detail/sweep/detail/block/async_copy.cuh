// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_ASYNC_COPY_CUH
#define SWEEP_DETAIL_BLOCK_ASYNC_COPY_CUH

#include <sweep/version.hpp>

namespace sweep::inline SWEEP_ABI::detail {

/// 16 bytes from global to shared memory, both aligned to them, past the registers and the first-level cache.
/// Neighbours are soon asked for too: the second-level cache fetches 256 bytes.
__device__ inline void copy_16_bytes_async(void* to, void const* from) {
  asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(__cvta_generic_to_global(from))
               : "memory");
}
/// The same where nobody asks for neighbours: no more of the second-level cache is busy.
__device__ inline void copy_16_bytes_async_alone(void* to, void const* from) {
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(__cvta_generic_to_global(from))
      : "memory");
}
/// Either of them.
__device__ inline void copy_16_bytes_async(void* to, void const* from, bool neighbours) {
  if (neighbours) copy_16_bytes_async(to, from);
  else copy_16_bytes_async_alone(to, from);
}
/// The same of what is read once: it leaves the second-level cache before other lines do.
__device__ inline void copy_16_bytes_async_passing(void* to, void const* from) {
  asm volatile("{\n .reg .b64 passing;\n createpolicy.fractional.L2::evict_first.b64 passing, 1.0;\n "
               "cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, passing;\n}" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(__cvta_generic_to_global(from))
               : "memory");
}
/// The line of an address, into the second-level cache alone.
__device__ inline void ask_for_line(void const* at) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(at)));
}
/// 4, 8 or 16 bytes, aligned to as many.
template <int Bytes>
__device__ void copy_async(void* to, void const* from) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16);
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(__cvta_generic_to_global(from)), "n"(Bytes)
      : "memory");
}
/// Those of this thread up to here can be awaited without those after it.
__device__ inline void end_first_async_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ inline void await_first_async_copies() {
  asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 1;" ::: "memory");
}
/// All but the last so many groups of them have landed.
template <int Groups>
__device__ void await_async_copies_but() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
}
/// All such copies of this thread have landed.
__device__ inline void await_async_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

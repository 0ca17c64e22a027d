// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_WARP_SHUFFLE_CUH
#define SWEEP_DETAIL_WARP_SHUFFLE_CUH

#include <sweep/version.hpp>

#include <cstring>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Shuffles among the 32 lanes of a warp, for values of any size, all lanes taking part.

template <class T, class Shuffle>
__device__ T warp_shuffle_registers(T const& value, Shuffle shuffle) {
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned part[words] = {};
  memcpy(part, __builtin_addressof(value), sizeof(T));
#pragma unroll
  for (int w = 0; w < words; ++w) part[w] = shuffle(part[w]);
  T moved;
  memcpy(__builtin_addressof(moved), part, sizeof(T));
  return moved;
}

template <class T>
__device__ T warp_shfl(T const& value, int lane) {
  return warp_shuffle_registers(value, [lane](unsigned word) { return __shfl_sync(~0u, word, lane); });
}
/// A value that all lanes have: as the compiler then knows, a branch on it keeps the warp together, and
/// shuffles behind it need not ask whether it is.
template <class T>
__device__ T same_in_warp(T const& value) {
  return warp_shfl(value, 0);
}
/// Which warp of its block this is.
__device__ inline int warp_of_block() { return same_in_warp(static_cast<int>(threadIdx.x) / 32); }

template <class T>
__device__ T warp_shfl_up(T const& value, int by) {
  return warp_shuffle_registers(value, [by](unsigned word) { return __shfl_up_sync(~0u, word, by); });
}
template <class T>
__device__ T warp_shfl_down(T const& value, int by) {
  return warp_shuffle_registers(value, [by](unsigned word) { return __shfl_down_sync(~0u, word, by); });
}

template <class T>
__device__ T warp_shfl_xor(T const& value, int with) {
  return warp_shuffle_registers(value, [with](unsigned word) { return __shfl_xor_sync(~0u, word, with); });
}

/// which ? a : b, chosen in registers, where the language would choose between addresses.
template <class T>
__device__ T select_registers(bool which, T const& a, T const& b) {
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned of_a[words] = {}, of_b[words] = {};
  memcpy(of_a, __builtin_addressof(a), sizeof(T));
  memcpy(of_b, __builtin_addressof(b), sizeof(T));
#pragma unroll
  for (int w = 0; w < words; ++w) of_a[w] = which ? of_a[w] : of_b[w];
  T chosen;
  memcpy(__builtin_addressof(chosen), of_a, sizeof(T));
  return chosen;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

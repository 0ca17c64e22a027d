// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_ASK_AHEAD_CUH
#define SWEEP_DETAIL_AXES_TILE_ASK_AHEAD_CUH

#include <sweep/detail/block/bulk_copy.cuh>
#include <sweep/detail/block/window.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Asks for `count` items of a line, step by step from one on, where they are neighbours in memory: from
/// sm_90 on the second-level cache has them when they are looked at. By one thread.
template <class It, class Place>
__device__ void ask_ahead([[maybe_unused]] It const& it, [[maybe_unused]] Place const& first,
                          [[maybe_unused]] Place const& step, [[maybe_unused]] std::int64_t count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if constexpr (std::is_pointer_v<It> && std::is_integral_v<Place>) {
    if (step != 1 && step != -1) return;
    auto const words = byte_range::of(it + (step > 0 ? first : first + 1 - count), count).words_inside();
    if (!words.empty()) bulk_prefetch(reinterpret_cast<void const*>(words.from), words.bytes());
  }
#endif
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

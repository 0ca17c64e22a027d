// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_HOST_TILE_SIZE_HPP
#define SWEEP_DETAIL_HOST_TILE_SIZE_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/version.hpp>

#include <cstddef>

// Sweep's own tests take less under AddressSanitizer, where many tiles are to be few items.
#if !defined(SWEEP_HOST_STRAND_BYTES)
#define SWEEP_HOST_STRAND_BYTES 16064
#endif

namespace sweep::inline SWEEP_ABI::detail {

/// Independent chains of operations that one host thread overlaps.
inline constexpr int host_strands = 4;

/// Items of a host tile: it is read twice, so it should sit in a core's own cache; and strands must not begin
/// a multiple of a page apart, where they would share cache sets. Results depend on it, so it does not depend
/// on the machine.
constexpr int host_tile_items(std::size_t bytes) {
  return host_strands *
         std::max(16, static_cast<int>(SWEEP_HOST_STRAND_BYTES / std::max(bytes, std::size_t{4})));
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

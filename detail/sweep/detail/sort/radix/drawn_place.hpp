// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_DRAWN_PLACE_HPP
#define SWEEP_DETAIL_SORT_RADIX_DRAWN_PLACE_HPP

#include <sweep/detail/core/config.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// A place among n, of which there are fewer than 2^32: the same in every run.
SWEEP_HD inline std::int64_t drawn_place(unsigned k, std::int64_t n) {
  auto bits = k * 0x9e3779b1u + 0x85ebca6bu;
  bits = (bits ^ bits >> 16) * 0x85ebca6bu;
  bits = (bits ^ bits >> 13) * 0xc2b2ae35u;
  return static_cast<std::int64_t>(
      static_cast<std::uint64_t>(bits ^ bits >> 16) * static_cast<std::uint64_t>(n) >> 32);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

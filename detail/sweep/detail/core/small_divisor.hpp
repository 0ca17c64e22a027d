// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_SMALL_DIVISOR_HPP
#define SWEEP_DETAIL_CORE_SMALL_DIVISOR_HPP

#include <sweep/detail/core/config.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// n / divisor of what is less than 2^16, by a multiplication.
struct small_divisor {
  unsigned divisor, inverse;
  explicit SWEEP_HD constexpr small_divisor(int by)
      : divisor{static_cast<unsigned>(by)}, inverse{~0u / static_cast<unsigned>(by) + 1} {}
  SWEEP_HD constexpr int quotient(int n) const {
    return divisor == 1 ? n : static_cast<int>(std::uint64_t{static_cast<unsigned>(n)} * inverse >> 32);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

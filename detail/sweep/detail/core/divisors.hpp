// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_DIVISORS_HPP
#define SWEEP_DETAIL_CORE_DIVISORS_HPP

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

/// The same of numbers of 32 bits, by two or more; without a divisor 0 of any.
class word_divisor {
 public:
  word_divisor() = default;
  explicit constexpr word_divisor(std::uint32_t by) : inverse_{~std::uint64_t{0} / by + 1} {}
  /// 64 bits of the inverse give the exact quotient.
  SWEEP_HD constexpr std::uint32_t quotient(std::uint32_t n) const {
    return static_cast<std::uint32_t>(((inverse_ >> 32) * n + ((inverse_ & ~0u) * n >> 32)) >> 32);
  }

 private:
  std::uint64_t inverse_ = 0;  ///< 2^64 / divisor
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BITS_HPP
#define SWEEP_BITS_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/standard.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>

/// \file
/// Flags packed into words, as an iterator.

namespace sweep::inline SWEEP_ABI {

/// A read-only random-access iterator over packed flags: item i is bit i % 32 of word i / 32. `bits(words)`
/// stands at flag 0; a stencil or flags argument takes it as any iterator, and reads the words whole.
class bits {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = bool;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = bool;

  /// Stands nowhere.
  bits() = default;
  /// Stands at one of the flags.
  ///
  /// \param words  (n + 31) / 32 words for n flags, the lowest bit of a word first
  /// \param at     which flag, counted from bit 0 of word 0
  SWEEP_HD constexpr explicit bits(std::uint32_t const* words, difference_type at = 0)
      : words_{words}, at_{at} {}

  /// The words that this was made of, whatever flag it stands at.
  ///
  /// \return the first of them
  SWEEP_HD constexpr std::uint32_t const* words() const { return words_; }
  /// The flag that this stands at.
  ///
  /// \return its number, counted from bit 0 of word 0
  SWEEP_HD constexpr difference_type position() const { return at_; }

  /// \name A random-access iterator
  /// @{
  SWEEP_HD constexpr bool operator*() const { return (*this)[0]; }
  SWEEP_HD constexpr bool operator[](difference_type i) const {
    return (words_[(at_ + i) >> 5] >> ((at_ + i) & 31) & 1u) != 0;
  }
  SWEEP_HD constexpr bits& operator+=(difference_type i) {
    at_ += i;
    return *this;
  }
  SWEEP_HD constexpr bits& operator-=(difference_type i) { return *this += -i; }
  SWEEP_HD constexpr bits& operator++() { return *this += 1; }
  SWEEP_HD constexpr bits& operator--() { return *this -= 1; }
  SWEEP_HD constexpr bits operator++(int) {
    auto const before = *this;
    *this += 1;
    return before;
  }
  SWEEP_HD constexpr bits operator--(int) {
    auto const before = *this;
    *this -= 1;
    return before;
  }
  friend SWEEP_HD constexpr bits operator+(bits it, difference_type i) { return it += i; }
  friend SWEEP_HD constexpr bits operator+(difference_type i, bits it) { return it += i; }
  friend SWEEP_HD constexpr bits operator-(bits it, difference_type i) { return it -= i; }
  friend SWEEP_HD constexpr difference_type operator-(bits const& a, bits const& b) { return a.at_ - b.at_; }
  friend SWEEP_HD constexpr bool operator==(bits const& a, bits const& b) { return a.at_ == b.at_; }
  friend SWEEP_HD constexpr auto operator<=>(bits const& a, bits const& b) { return a.at_ <=> b.at_; }
  /// @}

 private:
  std::uint32_t const* words_ = nullptr;
  difference_type at_ = 0;
};
static_assert(std::random_access_iterator<bits>);

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif

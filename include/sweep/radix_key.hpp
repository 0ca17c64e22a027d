// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_RADIX_KEY_HPP
#define SWEEP_RADIX_KEY_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/callable.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/radix_word.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/pair.hpp>

#include <type_traits>

/// \file
/// Orders by a number that is made of an item, which radix sorts take.

namespace sweep::inline SWEEP_ABI {

namespace detail {

template <class A, class B>
struct radix_value<sweep::pair<A, B>> : radix_pair<sweep::pair<A, B>, A, B> {};

/// What a projection, or a pointer to a member, makes of an item.
SWEEP_NO_EXEC_CHECK
template <class Projection, class Item>
SWEEP_HD constexpr decltype(auto) projected(Projection& projection, Item const& item) {
  if constexpr (std::is_member_object_pointer_v<Projection>) return (item.*projection);
  else if constexpr (std::is_member_function_pointer_v<Projection>) return (item.*projection)();
  else return projection(item);
}
template <class Projection, class Item>
using projected_t =
    std::remove_cvref_t<decltype(projected(std::declval<Projection&>(), std::declval<Item const&>()))>;

/// Whether a projection makes of such items what has a word.
template <class Projection, class Item>
SWEEP_HD constexpr bool makes_radix_value() {
  if constexpr (!(std::is_member_pointer_v<Projection> || std::is_invocable_v<Projection&, Item const&>))
    return false;
  else return radix_value<projected_t<Projection, Item>>::bits > 0;
}

}  // namespace detail

/// An order of items by the number that a projection makes of each: ascending, unless it is turned, and by
/// all bits, unless it is narrowed. It is a comparison, comp(a, b), and sorts take it for radix.
///
/// The number is of an arithmetic type, an integer of 128 bits, `__half`, `__nv_bfloat16`, an enumeration, or
/// a pair or tuple of these, of which the first counts most, with 128 bits at most. -0.0 is equal to 0.0, and
/// all NaNs are equal and behind infinity.
///
/// \tparam Projection  a function of an item, or a pointer to a member
/// \tparam Descending  whether the greatest comes first
template <class Projection, bool Descending = false>
class radix_order_by {
 public:
  /// The order by all bits.
  ///
  /// \param projection  a function of an item, or a pointer to a member
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD constexpr explicit radix_order_by(Projection projection) : projection_(projection) {}

  /// The opposite order, in which NaNs come first.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD constexpr auto descending() const {
    radix_order_by<Projection, !Descending> turned(projection_);
    return turned.bits(begin_, end_);
  }
  /// By some bits alone: items that differ in others are equal. Bit 0 is the lowest of an unsigned integer;
  /// of a signed one, whose highest is turned over; of a floating-point number, with all bits turned over if
  /// it is negative, and the highest alone if it is not; of the last part of a pair or tuple.
  ///
  /// \param begin  the lowest bit
  /// \param end    one behind the highest; no less than begin
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD constexpr radix_order_by bits(int begin, int end) const {
    radix_order_by narrowed = *this;
    narrowed.begin_ = begin;
    narrowed.end_ = end;
    return narrowed;
  }

  /// Whether a goes before b.
  ///
  /// \param a,b  items
  SWEEP_NO_EXEC_CHECK
  template <class Item>
    requires(detail::makes_radix_value<Projection, Item>())
  SWEEP_HD constexpr bool operator()(Item const& a, Item const& b) const {
    using value = detail::radix_value<detail::projected_t<Projection, Item>>;
    using word = typename value::word;
    auto const end = end_ < value::bits ? end_ : value::bits;
    if (begin_ >= end) return false;
    auto const mask = static_cast<word>(static_cast<word>(~word{0}) >>
                                        (static_cast<int>(sizeof(word)) * 8 - (end - begin_)));
    auto const x = static_cast<word>(value::of(detail::projected(projection_, a)) >> begin_ & mask),
               y = static_cast<word>(value::of(detail::projected(projection_, b)) >> begin_ & mask);
    return Descending ? y < x : x < y;
  }

  /// \cond
  SWEEP_HD constexpr int begin_bit() const { return begin_; }
  SWEEP_HD constexpr int end_bit() const { return end_; }
  SWEEP_HD constexpr Projection const& projection() const { return projection_; }
  /// \endcond

 private:
  mutable Projection projection_;  // a caller's function need not be const
  int begin_ = 0, end_ = 128;
};

namespace detail {
template <class Comp>
inline constexpr bool is_radix_order_by = false;
template <class Projection, bool Descending>
inline constexpr bool is_radix_order_by<radix_order_by<Projection, Descending>> = true;
}  // namespace detail

/// Items ascending by what a projection makes of them (radix_order_by): `sort(policy, first, last,
/// radix_key(&row::price).descending())`.
///
/// \param projection  a function of an item, or a pointer to a member
/// \return            the order, a comparison of two items
SWEEP_NO_EXEC_CHECK
template <class Projection>
SWEEP_HD constexpr radix_order_by<Projection> radix_key(Projection projection) {
  return radix_order_by<Projection>(projection);
}
/// Items ascending by themselves: `radix_key().bits(8, 16)`.
///
/// \return  the order, a comparison of two items
SWEEP_HD constexpr radix_order_by<detail::identity> radix_key() {
  return radix_order_by<detail::identity>(detail::identity{});
}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif

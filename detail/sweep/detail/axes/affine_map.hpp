// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_AFFINE_MAP_HPP
#define SWEEP_DETAIL_AXES_AFFINE_MAP_HPP

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/walk.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/radix_word.hpp>
#include <sweep/detail/core/zip.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Recurrences, as scans of maps y -> factor y + term.

template <class A, class T>
constexpr auto factor_of_product() {
  if constexpr (std::is_same_v<A, bool>)
    return std::type_identity<std::uint8_t>{};  // 0 or 1, as all products
  else if constexpr (std::is_integral_v<A> && std::is_floating_point_v<T>) return std::type_identity<T>{};
  else if constexpr (std::is_integral_v<A> && (std::is_integral_v<T> || is_int128<T>)&&sizeof(A) < sizeof(T))
    return std::type_identity<radix_word<sizeof(T) < 4 ? 32 : 8 * static_cast<int>(sizeof(T))>>{};
  else if constexpr ((std::is_floating_point_v<A> || is_half<A>)&&std::is_floating_point_v<T> &&
                     sizeof(A) < sizeof(T))
    return std::type_identity<T>{};
  else return std::type_identity<A>{};
}

/// What factors are kept in: products of many are made before they meet a term, so that numbers narrower than
/// these would lose bits that factors taken one after the other do not. Integers are then taken without sign,
/// whose products are those modulo 2^bits and overflow nowhere.
template <class A, class T>
using kept_factor = typename decltype(factor_of_product<A, T>())::type;

/// Whether results can be made of factors A and items X; one line where they cannot.
template <class A, class X, class T>
constexpr bool require_recurrence() {
  using kept = kept_factor<A, T>;
  constexpr bool makes_results = requires(kept const& factor, A const& given, X const& item, T const& term) {
    static_cast<kept>(given);
    static_cast<T>(item);
    static_cast<kept>(factor * factor);
    static_cast<T>(factor * term + term);
  };
  static_assert(makes_results,
                "sweep: a recurrence multiplies factors with each other and with results, and adds items: "
                "their types have no such * and +, or do not become what the output has");
  return makes_results;
}

/// The map y -> factor y + term. As a result it is its term: what it makes of what stood before the line is
/// in there already.
template <class A, class T>
struct affine_map {
  A factor;
  T term;
  SWEEP_NO_EXEC_CHECK
  template <class Result>
    requires requires(T const& x) { static_cast<Result>(x); }
  SWEEP_HD constexpr explicit operator Result() const { return static_cast<Result>(term); }
};
template <class A, class T>
inline constexpr bool relocatable<affine_map<A, T>> = relocatable<A>&& relocatable<T>;

/// The first map, then the second.
struct then {
  SWEEP_NO_EXEC_CHECK
  template <class A, class T>
  SWEEP_HD constexpr affine_map<A, T> operator()(affine_map<A, T> const& x, affine_map<A, T> const& y) const {
    return {static_cast<A>(y.factor * x.factor), static_cast<T>(y.factor * x.term + y.term)};
  }
  SWEEP_NO_EXEC_CHECK
  template <class A, class T>
  SWEEP_HD constexpr T operator()(T const& x, affine_map<A, T> const& y) const {
    return static_cast<T>(y.factor * x + y.term);
  }
};
/// Results are terms, and the next ones need no more.
template <class A, class T>
struct running_part<then, affine_map<A, T>> {
  using type = T;
  static T of(affine_map<A, T> const& map) { return map.term; }
};

template <class A, class T>
struct map_with_factor {
  A factor;
  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD constexpr affine_map<A, T> operator()(X const& x) const {
    return {factor, static_cast<T>(x)};
  }
};
template <class A, class T>
struct map_of_pair {
  SWEEP_NO_EXEC_CHECK
  template <class Pair>
  SWEEP_HD constexpr affine_map<A, T> operator()(Pair const& x) const {
    return {static_cast<A>(x.first), static_cast<T>(x.second)};
  }
};

template <class A, class T>
inline constexpr bool is_free<map_of_pair<A, T>> = true;
template <class A, class T>
inline constexpr bool keeps_bytes<map_of_pair<A, T>, item_pair<A, T>> = true;

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

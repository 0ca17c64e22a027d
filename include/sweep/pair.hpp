// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_PAIR_HPP
#define SWEEP_PAIR_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

#if __has_include(<cuda/std/__fwd/pair.h>) && __has_include(<cuda/std/__fwd/tuple.h>)
#include <cuda/std/__fwd/pair.h>
#include <cuda/std/__fwd/tuple.h>
#define SWEEP_HAS_LIBCUDACXX_PAIR 1
#else
#define SWEEP_HAS_LIBCUDACXX_PAIR 0
#endif

/// \file
/// What calls return that return two things.

namespace sweep::inline SWEEP_ABI {

namespace detail {

template <class T, class A, class B>
inline constexpr bool is_other_pair = false;
template <class C, class D, class A, class B>
inline constexpr bool is_other_pair<std::pair<C, D>, A, B> =
    std::is_convertible_v<A const&, C>&& std::is_convertible_v<B const&, D>;
template <class T, class A, class B>
inline constexpr bool is_tie = std::is_same_v<T, std::tuple<A&, B&>>;
#if SWEEP_HAS_LIBCUDACXX_PAIR
template <class C, class D, class A, class B>
inline constexpr bool is_other_pair<cuda::std::pair<C, D>, A, B> =
    std::is_convertible_v<A const&, C>&& std::is_convertible_v<B const&, D>;
template <class A, class B>
inline constexpr bool is_tie<cuda::std::tuple<A&, B&>, A, B> = true;
#endif

}  // namespace detail

/// Two things, on host and device. Read by its members, by std::get, cuda::std::get and thrust::get, by a
/// structured binding, by std::tie and thrust::tie; becomes a std::pair or a thrust::pair (cuda::std::pair).
template <class First, class Second>
struct pair {
  First first;    ///< the first
  Second second;  ///< the second

  /// The first (0) or the second (1).
  ///
  /// \tparam I  which
  template <std::size_t I>
    requires(I < 2)
  SWEEP_HD constexpr auto& get() {
    if constexpr (I == 0) return first;
    else return second;
  }
  /// The first (0) or the second (1), to be read.
  ///
  /// \tparam I  which
  template <std::size_t I>
    requires(I < 2)
  SWEEP_HD constexpr auto const& get() const {
    if constexpr (I == 0) return first;
    else return second;
  }

  /// A std::pair or a cuda::std::pair of the same.
  SWEEP_NO_EXEC_CHECK
  template <class To>
    requires(detail::is_other_pair<To, First, Second>)
  SWEEP_HD constexpr operator To() const { return To(first, second); }
  /// What std::tie and thrust::tie are assigned from.
  SWEEP_NO_EXEC_CHECK
  template <class To>
    requires(detail::is_tie<To, First, Second>)
  SWEEP_HD constexpr operator To() { return To(first, second); }

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD friend constexpr bool operator==(pair const& a, pair const& b) {
    return a.first == b.first && a.second == b.second;
  }
  SWEEP_NO_EXEC_CHECK
  template <class Other>
    requires(detail::is_other_pair<Other, First, Second>)
  SWEEP_HD friend constexpr bool operator==(pair const& a, Other const& b) {
    return a.first == b.first && a.second == b.second;
  }
};

}  // namespace sweep::inline SWEEP_ABI

/// \cond
template <class First, class Second>
struct std::tuple_size<sweep::pair<First, Second>> : std::integral_constant<std::size_t, 2> {};
template <std::size_t I, class First, class Second>
struct std::tuple_element<I, sweep::pair<First, Second>> {
  using type = std::conditional_t<I == 0, First, Second>;
};

// std::get, cuda::std::get and thrust::get are qualified names, which look nowhere else; so each of the three
// namespaces has one of its own. Thrust's is more constrained, since it may have libcu++'s beside it.
namespace std {
template <std::size_t I, class First, class Second>
SWEEP_HD constexpr auto& get(sweep::pair<First, Second>& x) {
  return x.template get<I>();
}
template <std::size_t I, class First, class Second>
SWEEP_HD constexpr auto const& get(sweep::pair<First, Second> const& x) {
  return x.template get<I>();
}
}  // namespace std
#if SWEEP_HAS_LIBCUDACXX_PAIR
namespace cuda::std {
template <::std::size_t I, class First, class Second>
SWEEP_HD constexpr auto& get(sweep::pair<First, Second>& x) {
  return x.template get<I>();
}
template <::std::size_t I, class First, class Second>
SWEEP_HD constexpr auto const& get(sweep::pair<First, Second> const& x) {
  return x.template get<I>();
}
}  // namespace cuda::std
#endif
#if SWEEP_HAS_THRUST
THRUST_NAMESPACE_BEGIN
template <std::size_t I, class First, class Second>
  requires(I < 2)
SWEEP_HD constexpr auto& get(sweep::pair<First, Second>& x) { return x.template get<I>(); }
template <std::size_t I, class First, class Second>
  requires(I < 2)
SWEEP_HD constexpr auto const& get(sweep::pair<First, Second> const& x) { return x.template get<I>(); }
THRUST_NAMESPACE_END
#endif
/// \endcond

#include <sweep/detail/macros/back.hpp>

#endif

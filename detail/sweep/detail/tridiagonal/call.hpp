// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_CALL_HPP
#define SWEEP_DETAIL_TRIDIAGONAL_CALL_HPP

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/detail/tridiagonal/banded.hpp>
#include <sweep/detail/tridiagonal/problem.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI {

template <class Lower, class Diagonal, class Upper, class Right, class Solution>
struct tridiagonal_system;
template <class Segments, class Lower, class Diagonal, class Upper, class Right, class Solution>
struct segmented_tridiagonal_system;
template <class Right, class Solution, class... Bands>
struct banded_system;

namespace detail {

/// A number that stands at every place.
template <class T>
struct repeated {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = T;
  T value;
  SWEEP_HD constexpr T operator*() const { return value; }
  SWEEP_HD constexpr T operator[](difference_type) const { return value; }
  friend SWEEP_HD constexpr repeated operator+(repeated x, difference_type) { return x; }
};
/// It says of no side that it is there.
template <class T>
inline constexpr side side_said<repeated<T>> = side::unsaid;

/// A range's begin, or an iterator.
SWEEP_NO_EXEC_CHECK
template <class X>
SWEEP_HD constexpr auto items_of(X& x) {
  if constexpr (is_range<X>) return x.begin();
  else return std::decay_t<X>(x);
}
/// The same, or one number for all rows.
SWEEP_NO_EXEC_CHECK
template <class X>
SWEEP_HD constexpr auto coefficients(X& x) {
  using plain = std::decay_t<X>;
  if constexpr (std::is_arithmetic_v<plain> || complex_number<plain> || small_matrix_rows<plain> != 0)
    return repeated<plain>{x};
  else return items_of(x);
}
/// How many items a range has; -1 where nobody says.
SWEEP_NO_EXEC_CHECK
template <class X>
SWEEP_HD constexpr std::int64_t said_size(X& x) {
  if constexpr (is_range<X>) return static_cast<std::int64_t>(x.end() - x.begin());
  else return -1;
}
template <class Lower, class Diagonal, class Upper, class Right, class Solution>
SWEEP_HD constexpr auto system_of(std::int64_t n, system_sizes sizes, Lower lower, Diagonal diagonal,
                                  Upper upper, Right right, Solution solution) {
  static_assert(
      iterator_like<Lower> && iterator_like<Diagonal> && iterator_like<Upper> && iterator_like<Right> &&
          iterator_like<Solution>,
      "sweep: a tridiagonal system is of random-access iterators, ranges, or of numbers that stand for all "
      "coefficients");
  system_layout layout;
  layout.n = n;
  return tridiagonal_system<Lower, Diagonal, Upper, Right, Solution>{lower,    diagonal, upper, right,
                                                                     solution, layout,   sizes};
}

template <class Right, class Solution, class... Bands>
SWEEP_HD constexpr auto banded_of(std::int64_t n, system_sizes sizes, Right right, Solution solution,
                                  Bands... bands) {
  static_assert(
      iterator_like<Right> && iterator_like<Solution> && (iterator_like<Bands> && ...),
      "sweep: a banded system is of random-access iterators, ranges, or of numbers that stand for all "
      "coefficients");
  static_assert(
      sizeof...(Bands) % 2 == 1 && sizeof...(Bands) >= 3 && sizeof...(Bands) <= 9,
      "sweep: a banded system has 3, 5, 7 or 9 bands: as many below the diagonal as above, 4 at most");
  system_layout layout;
  layout.n = n;
  return banded_system<Right, Solution, Bands...>{bands_of(bands...), right, solution, layout, sizes};
}

template <class T>
inline constexpr bool is_tridiagonal_system = false;
template <class... Its>
inline constexpr bool is_tridiagonal_system<tridiagonal_system<Its...>> = true;
template <class... Its>
inline constexpr bool is_tridiagonal_system<segmented_tridiagonal_system<Its...>> = true;

template <class System>
inline constexpr bool has_segments = false;
template <class... Its>
inline constexpr bool has_segments<segmented_tridiagonal_system<Its...>> = true;

template <class System>
inline constexpr int half_bandwidth = 0;
template <class Right, class Solution, class... Bands>
inline constexpr int half_bandwidth<banded_system<Right, Solution, Bands...>> =
    (static_cast<int>(sizeof...(Bands)) - 1) / 2;

template <class System, class Policy>
inline constexpr bool reaches_system = false;
template <class... Its, class Policy>
inline constexpr bool reaches_system<banded_system<Its...>, Policy> = (can_reach<Its, Policy>() && ...);
template <class... Its, class Policy>
inline constexpr bool reaches_system<tridiagonal_system<Its...>, Policy> = (can_reach<Its, Policy>() && ...);
template <class Segments, class... Its, class Policy>
inline constexpr bool reaches_system<segmented_tridiagonal_system<Segments, Its...>, Policy> =
    (can_reach<Its, Policy>() && ...);

template <class System>
inline constexpr bool writes_solution = false;
template <class Lower, class Diagonal, class Upper, class Right, class Solution>
inline constexpr bool writes_solution<tridiagonal_system<Lower, Diagonal, Upper, Right, Solution>> =
    !is_read_only<Solution>();
template <class Segments, class... Its>
inline constexpr bool writes_solution<segmented_tridiagonal_system<Segments, Its...>> =
    writes_solution<tridiagonal_system<Its...>>;
template <class Right, class Solution, class... Bands>
inline constexpr bool writes_solution<banded_system<Right, Solution, Bands...>> = !is_read_only<Solution>();

/// Systems that a policy reaches and whose solutions can be written.
template <class System, class Policy>
concept system_for =
    is_tridiagonal_system<System> && reaches_system<System, Policy> && writes_solution<System>;

template <class... Its, class... More>
constexpr auto policy_of_parts(std::type_identity<tridiagonal_system<Its...>>, std::type_identity<More>...) {
  return policy_of<Its..., More...>();
}
template <class Segments, class... Its, class... More>
constexpr auto policy_of_parts(std::type_identity<segmented_tridiagonal_system<Segments, Its...>>,
                               std::type_identity<More>...) {
  return policy_of<Its..., More...>();
}
template <class... Its, class... More>
constexpr auto policy_of_parts(std::type_identity<banded_system<Its...>>, std::type_identity<More>...) {
  return policy_of<Its..., More...>();
}
/// The policy of a call that names none.
template <class System, class... More>
constexpr auto policy_of_system() {
  return policy_of_parts(std::type_identity<System>{}, std::type_identity<More>{}...);
}

/// The same of banded systems.
template <class System, class Policy>
concept banded_system_for = half_bandwidth<System>
!= 0 && reaches_system<System, Policy>&& writes_solution<System>;

/// Says what is wrong with a call that no form takes.
template <class First, class... Rest>
constexpr void refuse_banded() {
  if constexpr (half_bandwidth<First> == 0 && (half_bandwidth<Rest> + ... + 0) == 0)
    static_assert(never<First>,
                  "sweep: sweep::pentadiagonal or sweep::banded makes of iterators the system that this call "
                  "solves; pentadiagonal_solve takes those with five bands");
  else if constexpr (!(writes_solution<First> || (writes_solution<Rest> || ...)))
    static_assert(never<First>, "sweep: the solution cannot be written: its items are const, or computed");
  else
    static_assert(
        never<First>,
        "sweep: the policy is the first argument, and must reach the system's items: device_vector is "
        "for sweep::device, std::vector for sweep::host and sweep::seq");
}

/// Says what is wrong with a call that no form takes.
template <class First, class... Rest>
constexpr void refuse_systems() {
  if constexpr (!is_tridiagonal_system<First> && !(is_tridiagonal_system<Rest> || ...))
    static_assert(never<First>,
                  "sweep: sweep::tridiagonal makes of iterators the system that this call solves");
  else if constexpr (!(policy<First> || is_tridiagonal_system<First>))
    static_assert(never<First>, "sweep: the policy is the first argument, and the system the next");
  else if constexpr (!(writes_solution<First> || (writes_solution<Rest> || ...)))
    static_assert(never<First>, "sweep: the solution cannot be written: its items are const, or computed");
  else
    static_assert(
        never<First>,
        "sweep: this policy runs where it does not reach the items: device_vector is for "
        "sweep::device, std::vector for sweep::host and sweep::seq (or give a pointer that both reach)");
}

}  // namespace detail
}  // namespace sweep::inline SWEEP_ABI

#endif

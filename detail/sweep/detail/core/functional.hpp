// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_FUNCTIONAL_HPP
#define SWEEP_DETAIL_CORE_FUNCTIONAL_HPP

#include <sweep/detail/core/callable.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/standard.hpp>

#if __has_include(<cuda/std/__functional/operations.h>)
#include <cuda/std/__functional/operations.h>  // <cuda/std/functional> takes half a second more to compile
#define SWEEP_HAS_LIBCUDACXX_OPERATIONS 1
#else
#define SWEEP_HAS_LIBCUDACXX_OPERATIONS 0
#endif

#include <cstdint>
#include <limits>

namespace sweep::inline SWEEP_ABI::detail {

/// The default operator, callable on both sides.
struct plus {
  SWEEP_NO_EXEC_CHECK
  template <class A, class B>
    requires requires(A const& a, B const& b) { a + b; }
  SWEEP_HD constexpr auto operator()(A const& a, B const& b) const { return a + b; }
};

inline constexpr std::int64_t largest_sum = std::numeric_limits<std::int64_t>::max();

/// The sum of two lengths that are not negative, or the largest number.
struct saturating_plus {
  SWEEP_HD std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return a > largest_sum - b ? largest_sum : a + b;
  }
};

struct minus {
  SWEEP_NO_EXEC_CHECK
  template <class A, class B>
    requires requires(A const& a, B const& b) { a - b; }
  SWEEP_HD constexpr auto operator()(A const& a, B const& b) const { return a - b; }
};

struct multiplies {
  SWEEP_NO_EXEC_CHECK
  template <class A, class B>
    requires requires(A const& a, B const& b) { (a * b); }
  SWEEP_HD constexpr auto operator()(A const& a, B const& b) const { return a * b; }
};

struct equal_to {
  SWEEP_NO_EXEC_CHECK
  template <class A, class B>
    requires requires(A const& a, B const& b) { a == b; }
  SWEEP_HD constexpr bool operator()(A const& a, B const& b) const { return static_cast<bool>(a == b); }
};

struct less {
  SWEEP_NO_EXEC_CHECK
  template <class A, class B>
    requires requires(A const& a, B const& b) { a < b; }
  SWEEP_HD constexpr bool operator()(A const& a, B const& b) const { return static_cast<bool>(a < b); }
};

struct greater {
  SWEEP_NO_EXEC_CHECK
  template <class A, class B>
    requires requires(A const& a, B const& b) { a > b; }
  SWEEP_HD constexpr bool operator()(A const& a, B const& b) const { return static_cast<bool>(a > b); }
};

struct identity {
  template <class A>
  SWEEP_HD constexpr A const& operator()(A const& a) const {
    return a;
  }
};

/// A pointer to a member as a function of an item, callable on both sides. What it gives is a value: the item
/// may be one that goes.
template <class Member>
struct member_of {
  Member member;
  SWEEP_NO_EXEC_CHECK
  template <class Item>
    requires(
        requires(Item const& item, Member at) { item.*at; } ||
        requires(Item const& item, Member at) { (item.*at)(); })
  SWEEP_HD constexpr auto operator()(Item const& item) const {
    if constexpr (std::is_member_object_pointer_v<Member>) return item.*member;
    else return (item.*member)();
  }
};

/// A standard functor over one type, callable on both sides.
template <class T, class Op>
struct typed {
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD constexpr T operator()(T const& a, T const& b) const { return static_cast<T>(Op{}(a, b)); }
};
template <class T>
struct typed<T, equal_to> {
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD constexpr bool operator()(T const& a, T const& b) const { return equal_to{}(a, b); }
};

template <class T>
struct typed<T, less> {
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD constexpr bool operator()(T const& a, T const& b) const { return less{}(a, b); }
};
template <class T>
struct typed<T, greater> {
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD constexpr bool operator()(T const& a, T const& b) const { return greater{}(a, b); }
};

/// The standard library's functors are host functions; their meaning is ours to call on the device.
template <class Op>
SWEEP_HD constexpr Op device_functor(Op op) {
  return op;
}
template <class Class, class Member>
SWEEP_HD constexpr member_of<Member Class::*> device_functor(Member Class::*member) {
  return {member};
}
SWEEP_HD constexpr plus device_functor(std::plus<>) { return {}; }
SWEEP_HD constexpr minus device_functor(std::minus<>) { return {}; }
SWEEP_HD constexpr multiplies device_functor(std::multiplies<>) { return {}; }
SWEEP_HD constexpr equal_to device_functor(std::equal_to<>) { return {}; }
SWEEP_HD constexpr less device_functor(std::less<>) { return {}; }
SWEEP_HD constexpr greater device_functor(std::greater<>) { return {}; }
SWEEP_HD constexpr identity device_functor(std::identity) { return {}; }
template <class T>
SWEEP_HD constexpr typed<T, equal_to> device_functor(std::equal_to<T>) {
  return {};
}
template <class T>
SWEEP_HD constexpr typed<T, less> device_functor(std::less<T>) {
  return {};
}
template <class T>
SWEEP_HD constexpr typed<T, greater> device_functor(std::greater<T>) {
  return {};
}
template <class T>
SWEEP_HD constexpr typed<T, plus> device_functor(std::plus<T>) {
  return {};
}
template <class T>
SWEEP_HD constexpr typed<T, minus> device_functor(std::minus<T>) {
  return {};
}
template <class T>
SWEEP_HD constexpr typed<T, multiplies> device_functor(std::multiplies<T>) {
  return {};
}

#if SWEEP_HAS_LIBCUDACXX_OPERATIONS  // Thrust's functors are these
SWEEP_HD constexpr plus device_functor(cuda::std::plus<>) { return {}; }
SWEEP_HD constexpr minus device_functor(cuda::std::minus<>) { return {}; }
SWEEP_HD constexpr multiplies device_functor(cuda::std::multiplies<>) { return {}; }
SWEEP_HD constexpr equal_to device_functor(cuda::std::equal_to<>) { return {}; }
SWEEP_HD constexpr less device_functor(cuda::std::less<>) { return {}; }
SWEEP_HD constexpr greater device_functor(cuda::std::greater<>) { return {}; }
template <class T>
SWEEP_HD constexpr typed<T, equal_to> device_functor(cuda::std::equal_to<T>) {
  return {};
}
template <class T>
SWEEP_HD constexpr typed<T, less> device_functor(cuda::std::less<T>) {
  return {};
}
template <class T>
SWEEP_HD constexpr typed<T, greater> device_functor(cuda::std::greater<T>) {
  return {};
}
template <class T>
SWEEP_HD constexpr typed<T, plus> device_functor(cuda::std::plus<T>) {
  return {};
}
template <class T>
SWEEP_HD constexpr typed<T, minus> device_functor(cuda::std::minus<T>) {
  return {};
}
template <class T>
SWEEP_HD constexpr typed<T, multiplies> device_functor(cuda::std::multiplies<T>) {
  return {};
}
#endif

/// Operators that add: their sums may be made with instructions of their own.
template <class Op, class T>
inline constexpr bool adds = std::is_same_v<Op, plus>;
template <class T>
inline constexpr bool adds<typed<T, plus>, T> = true;

/// Operators whose results do not depend on the brackets: integers are added and multiplied exactly.
template <class Op, class T>
inline constexpr bool is_exact = std::is_integral_v<T> && (adds<Op, T> || std::is_same_v<Op, multiplies> ||
                                                           std::is_same_v<Op, typed<T, multiplies>>);

/// Integers, and pairs and tuples of them: what an associative operator makes of these does not depend on the
/// brackets, for none of them rounds.
template <class T>
inline constexpr bool of_integers = std::is_integral_v<T>;
template <template <class...> class Tuple, class... Parts>
  requires(std::tuple_size<Tuple<Parts...>>::value == sizeof...(Parts))
inline constexpr bool of_integers<Tuple<Parts...>> = (of_integers<Parts> && ...);

// What folds accumulate in.

template <class Value, class Result>
SWEEP_HD constexpr auto wider_of() {
  if constexpr (std::is_arithmetic_v<Value> && std::is_arithmetic_v<Result>)
    return std::type_identity<std::common_type_t<Value, Result>>{};
  else return std::type_identity<Result>{};
}
/// An operator whose results become values of type T, whatever they are.
template <class T, class Op>
struct folding_into {
  mutable Op op;  ///< the caller's function need not be const
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD constexpr T operator()(T const& a, T const& b) const { return static_cast<T>(op(a, b)); }
};
/// Sums of narrow integers, which become such again.
template <class T>
inline constexpr bool adds<folding_into<T, plus>, T> = std::is_integral_v<T>;

template <class T, class Op>
SWEEP_HD constexpr bool makes_exactly() {
  if constexpr (hides_result<Op>() || !std::is_invocable_v<Op&, T const&, T const&>) return false;
  else return std::is_same_v<T, std::decay_t<std::invoke_result_t<Op&, T const&, T const&>>>;
}
/// The operator of a fold that accumulates in T.
template <class T, class Op>
SWEEP_HD constexpr auto folding(Op op) {
  if constexpr (makes_exactly<T, Op>()) return op;
  else return folding_into<T, Op>{op};
}
template <class T, class Op>
using folding_t = decltype(folding<T>(std::declval<Op>()));

/// What a scan accumulates in: what the operator makes of (initial value or first item, item), but no
/// narrower than that value: bytes are summed in ints, floats by plus<int> in floats.
template <class Op, class Value, class Item>
using accumulator = typename decltype(wider_of<Value, result_or<Value, Op, Value, Item>>())::type;

template <class Op, class Item>
SWEEP_HD constexpr auto item_or_sum() {
  if constexpr (std::is_same_v<Op, plus>)
    return std::type_identity<std::decay_t<std::invoke_result_t<Op&, Item, Item>>>{};
  else return std::type_identity<Item>{};
}
/// What a fold of items alone accumulates in, as Thrust's reduce_by_key: their own type; with +, what that
/// makes of two of them.
template <class Op, class Item>
using item_accumulator = typename decltype(item_or_sum<Op, Item>())::type;

/// Whether (f, ..., op) are a unary and a binary operator on the items of In, and not the other way round.
template <class F, class Op, class In, bool HasInit = true>
inline constexpr bool thrust_order = is_thrust_order<F, Op, value_of<In>, HasInit>();

/// Whether (a, b) are an initial value and a binary operator on the items of In.
template <class A, class B, class In>
inline constexpr bool init_first = [] {
  using X = value_of<In>;
  constexpr auto a = arity_on<A, X>(), b = arity_on<B, X>();
  return a != arity::two && a != arity::unsaid && (b == arity::two || b == arity::unsaid);
}();

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

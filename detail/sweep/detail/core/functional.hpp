// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_FUNCTIONAL_HPP
#define SWEEP_DETAIL_CORE_FUNCTIONAL_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/standard.hpp>

#if __has_include(<cuda/std/__functional/operations.h>)
#include <cuda/std/__functional/operations.h>  // <cuda/std/functional> takes half a second more to compile
#define SWEEP_HAS_LIBCUDACXX_OPERATIONS 1
#else
#define SWEEP_HAS_LIBCUDACXX_OPERATIONS 0
#endif

namespace sweep::inline SWEEP_ABI::detail {

/// The default operator, callable on both sides.
struct plus {
  template <class A, class B>
  SWEEP_HD constexpr auto operator()(A const& a, B const& b) const {
    return a + b;
  }
};

struct minus {
  template <class A, class B>
  SWEEP_HD constexpr auto operator()(A const& a, B const& b) const {
    return a - b;
  }
};

struct multiplies {
  template <class A, class B>
  SWEEP_HD constexpr auto operator()(A const& a, B const& b) const {
    return a * b;
  }
};

struct equal_to {
  template <class A, class B>
  SWEEP_HD constexpr bool operator()(A const& a, B const& b) const {
    return static_cast<bool>(a == b);
  }
};

struct less {
  template <class A, class B>
  SWEEP_HD constexpr bool operator()(A const& a, B const& b) const {
    return static_cast<bool>(a < b);
  }
};

struct greater {
  template <class A, class B>
  SWEEP_HD constexpr bool operator()(A const& a, B const& b) const {
    return static_cast<bool>(a > b);
  }
};

struct identity {
  template <class A>
  SWEEP_HD constexpr A const& operator()(A const& a) const {
    return a;
  }
};

/// A standard functor over one type, callable on both sides.
template <class T, class Op>
struct typed {
  SWEEP_HD constexpr T operator()(T const& a, T const& b) const { return static_cast<T>(Op{}(a, b)); }
};
template <class T>
struct typed<T, equal_to> {
  SWEEP_HD constexpr bool operator()(T const& a, T const& b) const { return equal_to{}(a, b); }
};

template <class T>
struct typed<T, less> {
  SWEEP_HD constexpr bool operator()(T const& a, T const& b) const { return less{}(a, b); }
};
template <class T>
struct typed<T, greater> {
  SWEEP_HD constexpr bool operator()(T const& a, T const& b) const { return greater{}(a, b); }
};

/// The standard library's functors are host functions; their meaning is ours to call on the device.
template <class Op>
constexpr Op device_functor(Op op) {
  return op;
}
constexpr plus device_functor(std::plus<>) { return {}; }
constexpr minus device_functor(std::minus<>) { return {}; }
constexpr multiplies device_functor(std::multiplies<>) { return {}; }
constexpr equal_to device_functor(std::equal_to<>) { return {}; }
constexpr less device_functor(std::less<>) { return {}; }
constexpr greater device_functor(std::greater<>) { return {}; }
constexpr identity device_functor(std::identity) { return {}; }
template <class T>
constexpr typed<T, equal_to> device_functor(std::equal_to<T>) {
  return {};
}
template <class T>
constexpr typed<T, less> device_functor(std::less<T>) {
  return {};
}
template <class T>
constexpr typed<T, greater> device_functor(std::greater<T>) {
  return {};
}
template <class T>
constexpr typed<T, plus> device_functor(std::plus<T>) {
  return {};
}
template <class T>
constexpr typed<T, minus> device_functor(std::minus<T>) {
  return {};
}
template <class T>
constexpr typed<T, multiplies> device_functor(std::multiplies<T>) {
  return {};
}

#if SWEEP_HAS_LIBCUDACXX_OPERATIONS  // Thrust's functors are these
constexpr plus device_functor(cuda::std::plus<>) { return {}; }
constexpr minus device_functor(cuda::std::minus<>) { return {}; }
constexpr multiplies device_functor(cuda::std::multiplies<>) { return {}; }
constexpr equal_to device_functor(cuda::std::equal_to<>) { return {}; }
constexpr less device_functor(cuda::std::less<>) { return {}; }
constexpr greater device_functor(cuda::std::greater<>) { return {}; }
template <class T>
constexpr typed<T, equal_to> device_functor(cuda::std::equal_to<T>) {
  return {};
}
template <class T>
constexpr typed<T, less> device_functor(cuda::std::less<T>) {
  return {};
}
template <class T>
constexpr typed<T, greater> device_functor(cuda::std::greater<T>) {
  return {};
}
template <class T>
constexpr typed<T, plus> device_functor(cuda::std::plus<T>) {
  return {};
}
template <class T>
constexpr typed<T, minus> device_functor(cuda::std::minus<T>) {
  return {};
}
template <class T>
constexpr typed<T, multiplies> device_functor(cuda::std::multiplies<T>) {
  return {};
}
#endif

/// Operators that add: their sums may be made with instructions of their own.
template <class Op>
inline constexpr bool adds = std::is_same_v<Op, plus>;
template <class T>
inline constexpr bool adds<typed<T, plus>> = true;

/// CUB's rule: what the operator makes of (initial value or item, item).
template <class Op, class Init, class Item>
using accumulator = std::decay_t<std::invoke_result_t<Op&, Init, Item>>;

/// Whether (f, ..., op) are a unary and a binary operator on the items of In, and not the other way round.
template <class F, class Op, class In>
inline constexpr bool thrust_order = [] {
  using X = typename std::iterator_traits<In>::value_type;
  if constexpr (std::is_invocable_v<F&, X, X>) return false;
  else if constexpr (std::is_invocable_v<F&, X>) {
    using Y = std::decay_t<std::invoke_result_t<F&, X>>;
    return std::is_invocable_v<Op&, Y, Y>;
  } else return false;
}();

/// Whether (a, b) are an initial value and a binary operator on the items of In.
template <class A, class B, class In>
inline constexpr bool init_first = [] {
  using X = typename std::iterator_traits<In>::value_type;
  return !std::is_invocable_v<A&, X, X> && std::is_invocable_v<B&, X, X>;
}();

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_CALLABLE_HPP
#define SWEEP_DETAIL_CORE_CALLABLE_HPP

// What can be known of a caller's function without calling it, and of which two kinds less can be known than
// of all others. Of an extended `[] __device__` lambda nvcc's pass for the host sees a stand-in that takes
// any arguments and returns int, while its pass for the device sees the lambda: a kernel whose types were
// asked of it would not be found. A placeholder of Thrust's does not compile when it is asked about too few
// arguments.

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/standard.hpp>

#include <type_traits>

#if __has_include(<thrust/detail/config/config.h>)
#include <thrust/detail/config/config.h>
THRUST_NAMESPACE_BEGIN
namespace detail {
namespace functional {
template <typename Eval>
struct actor;
template <unsigned int Position>
struct argument;
}  // namespace functional
}  // namespace detail
THRUST_NAMESPACE_END
#define SWEEP_HAS_THRUST_PLACEHOLDERS 1
#else
#define SWEEP_HAS_THRUST_PLACEHOLDERS 0
#endif

// Functions that say what they return, cuda::proclaim_return_type<float>(f), by another forward declaration.
#if __has_include(<cuda/std/__cccl/prologue.h>)
#include <cuda/std/__cccl/prologue.h>  // with the macros that open its namespaces
#endif
#if defined(_CCCL_BEGIN_NAMESPACE_CUDA) || defined(_LIBCUDACXX_BEGIN_NAMESPACE_CUDA)
#if defined(_CCCL_BEGIN_NAMESPACE_CUDA)
_CCCL_BEGIN_NAMESPACE_CUDA
#else
_LIBCUDACXX_BEGIN_NAMESPACE_CUDA
#endif
namespace __detail {
template <class Result, class F>
class __return_type_wrapper;
}  // namespace __detail
#if defined(_CCCL_BEGIN_NAMESPACE_CUDA)
_CCCL_END_NAMESPACE_CUDA
#else
_LIBCUDACXX_END_NAMESPACE_CUDA
#endif
#define SWEEP_HAS_PROCLAIMED_RESULTS 1
#else
#define SWEEP_HAS_PROCLAIMED_RESULTS 0
#endif
#if __has_include(<cuda/std/__cccl/epilogue.h>)
#include <cuda/std/__cccl/epilogue.h>
#endif

namespace sweep::inline SWEEP_ABI::detail {

// Extended lambdas, alone or as a part of another function's type.

/// Whether F is a `[] __device__` lambda.
template <class F>
SWEEP_HD constexpr bool is_device_lambda() {
#if defined(__CUDACC_EXTENDED_LAMBDA__)
  return __nv_is_extended_device_lambda_closure_type(F);
#else
  return false;
#endif
}
/// Whether it is one that says what it returns: `[] __device__ (int x) -> float`.
template <class F>
SWEEP_HD constexpr bool is_plain_device_lambda() {
#if defined(__CUDACC_EXTENDED_LAMBDA__)
  return __nv_is_extended_device_lambda_with_preserved_return_type(F);
#else
  return false;
#endif
}

/// Whether F is a lambda that does not say where it runs, which no kernel can be given. The standard has no
/// question for that; nvcc's pass for the device, which is the one that would object at length, names it so.
template <class F>
SWEEP_HD constexpr bool is_plain_lambda() {
#if defined(__CUDACC_EXTENDED_LAMBDA__)
  if (__nv_is_extended_device_lambda_closure_type(F) || __nv_is_extended_host_device_lambda_closure_type(F))
    return false;
#endif
#if defined(__CUDA_ARCH__) && defined(__GNUC__)
  constexpr char const* looked_for = "F = lambda [";
  for (char const* at = __PRETTY_FUNCTION__; *at != 0; ++at) {
    int same = 0;
    while (looked_for[same] != 0 && at[same] == looked_for[same]) ++same;
    if (looked_for[same] == 0) return true;
  }
#endif
  return false;
}

struct any_argument {};
/// Whether the compiler of host code compiles this: to it a device lambda takes as many arguments as you
/// like.
template <class F>
SWEEP_HD constexpr bool is_stand_in_of_lambda() {
  return is_device_lambda<F>() &&
         std::is_invocable_v<F&, any_argument, any_argument, any_argument, any_argument, any_argument>;
}

template <class F>
SWEEP_HD constexpr bool hides_result();
template <class F>
SWEEP_HD constexpr bool has_stand_in_of_lambda();
template <class F>
SWEEP_HD constexpr bool has_plain_lambda();

#if defined(__CUDA_ARCH__)
template <class F>
__device__ void name_functions();
#endif

/// The types that a type is made of.
template <class F>
struct type_arguments {
  static constexpr bool any_hides_result = false, any_is_stand_in = false, any_is_plain_lambda = false;
#if defined(__CUDA_ARCH__)
  static __device__ void name_functions() {}
#endif
};
template <template <class...> class Template, class... Arguments>
struct type_arguments<Template<Arguments...>> {
#if defined(__CUDA_ARCH__)
  static __device__ void name_functions() { (detail::name_functions<Arguments>(), ...); }
#endif
  static constexpr bool any_hides_result = (hides_result<Arguments>() || ...);
  static constexpr bool any_is_stand_in = (has_stand_in_of_lambda<Arguments>() || ...);
  static constexpr bool any_is_plain_lambda = (has_plain_lambda<Arguments>() || ...);
};
#if SWEEP_HAS_PROCLAIMED_RESULTS
template <class Result, class F>
struct type_arguments<cuda::__detail::__return_type_wrapper<Result, F>> {
  static constexpr bool any_hides_result = false;  // it says what it returns
  static constexpr bool any_is_stand_in = has_stand_in_of_lambda<F>();
  static constexpr bool any_is_plain_lambda = has_plain_lambda<F>();
#if defined(__CUDA_ARCH__)
  static __device__ void name_functions() { detail::name_functions<F>(); }
#endif
};
#endif

/// A type as the argument of another, for what is known by more than types.
template <class F>
struct type_argument {};

/// Whether host and device would not agree on what F returns.
template <class F>
SWEEP_HD constexpr bool hides_result() {
  using G = std::remove_cvref_t<F>;
  if constexpr (is_device_lambda<G>()) return !is_plain_device_lambda<G>();
  else return type_arguments<G>::any_hides_result;
}
/// Whether F, or what it calls, cannot be called where this is compiled for.
template <class F>
SWEEP_HD constexpr bool has_stand_in_of_lambda() {
  using G = std::remove_cvref_t<F>;
  if constexpr (is_device_lambda<G>()) return is_stand_in_of_lambda<G>();
  else return type_arguments<G>::any_is_stand_in;
}

/// Whether F, or what it calls, is a lambda that no kernel can be given.
template <class F>
SWEEP_HD constexpr bool has_plain_lambda() {
  using G = std::remove_cvref_t<F>;
  return is_plain_lambda<G>() || type_arguments<G>::any_is_plain_lambda;
}

template <class Otherwise, class F, class... Arguments>
SWEEP_HD constexpr auto type_of_result() {
  if constexpr (hides_result<F>()) return std::type_identity<Otherwise>{};
  else return std::type_identity<std::decay_t<std::invoke_result_t<F&, Arguments...>>>{};
}
/// What F makes of the arguments, decayed; `Otherwise` where host and device would not agree on it.
template <class Otherwise, class F, class... Arguments>
using result_or = typename decltype(type_of_result<Otherwise, F, Arguments...>())::type;

/// Whether F makes something of the arguments that can become a Result; of a lambda that hides what it makes,
/// whether it takes them.
template <class Result, class F, class... Arguments>
SWEEP_HD constexpr bool makes() {
  if constexpr (!std::is_invocable_v<F&, Arguments...>) return false;
  else if constexpr (hides_result<F>()) return true;
  else if constexpr (std::is_void_v<std::invoke_result_t<F&, Arguments...>>) return false;
  else return requires(F & f, Arguments & ... x) {
      static_cast<Result>(f(x...));
    };
}

// How many arguments a function takes.

/// How many a placeholder of Thrust's takes at least: 0 for what is none.
template <class F>
inline constexpr int placeholders_of = 0;
template <template <class...> class Template, class... Arguments>
inline constexpr int placeholders_of<Template<Arguments...>> = [] {
  int most = 0;
  ((most = placeholders_of<Arguments> > most ? placeholders_of<Arguments> : most), ...);
  return most;
}();
template <class F>
inline constexpr int placeholder_arity = 0;
#if SWEEP_HAS_THRUST_PLACEHOLDERS
template <unsigned int Position>
inline constexpr int placeholders_of<thrust::detail::functional::argument<Position>> =
    static_cast<int>(Position) + 1;
template <class Eval>
inline constexpr int placeholder_arity<thrust::detail::functional::actor<Eval>> =
    placeholders_of<Eval> > 1 ? placeholders_of<Eval> : 1;
#endif

/// What F is to an X: takes one, takes two, no function of X at all; or a device lambda, which does not say.
enum class arity { none, one, two, unsaid };

template <class F, class X>
SWEEP_HD constexpr arity arity_on() {
  using G = std::remove_cvref_t<F>;
  if constexpr (placeholder_arity < G >> 0) return placeholder_arity<G> == 1 ? arity::one : arity::two;
  else if constexpr (is_device_lambda<G>()) return arity::unsaid;
  else if constexpr (std::is_invocable_v<F&, X, X>) return arity::two;
  else if constexpr (std::is_invocable_v<F&, X>) return arity::one;
  else return arity::none;
}

/// Whether (f, ..., op) are a unary and a binary operator on items of type X, and not the other way round.
/// Where an initial value stands between them, a device lambda in its place can only be Thrust's order. Two
/// device lambdas and nothing else do not say: the standard's is assumed, and either_unary puts it right.
template <class F, class Op, class X, bool HasInit>
SWEEP_HD constexpr bool is_thrust_order() {
  constexpr auto first = arity_on<F, X>();
  if constexpr (first == arity::one) {
    constexpr auto second = arity_on<Op, std::decay_t<std::invoke_result_t<F&, X>>>();
    return second == arity::two || second == arity::unsaid;
  } else if constexpr (first == arity::unsaid) {
    constexpr auto second = arity_on<Op, X>();
    return second == arity::two || (HasInit && second == arity::unsaid);
  } else return false;
}

/// Whether neither function says whether it is the unary or the binary one.
template <class F, class Op>
inline constexpr bool order_is_unsaid =
    is_device_lambda<std::remove_cvref_t<F>>() && is_device_lambda<std::remove_cvref_t<Op>>();

/// The one of two functions that takes two arguments: on the device, where it is called, that is known.
template <class A, class B>
struct either_binary {
  A a;
  B b;
  SWEEP_NO_EXEC_CHECK
  template <class X, class Y>
  SWEEP_HD constexpr auto operator()(X const& x, Y const& y) {
    if constexpr (std::is_invocable_v<A&, X const&, Y const&>) return a(x, y);
    else return b(x, y);
  }
};
/// The one that takes one.
template <class A, class B>
struct either_unary {
  A a;
  B b;
  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD constexpr auto operator()(X const& x) {
    if constexpr (std::is_invocable_v<B&, X const&>) return b(x);
    else return a(x);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

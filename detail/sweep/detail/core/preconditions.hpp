// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_PRECONDITIONS_HPP
#define SWEEP_DETAIL_CORE_PRECONDITIONS_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/values.hpp>
#include <sweep/error.hpp>

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

template <class Otherwise, class... First>
struct first_or_type {
  using type = Otherwise;
};
template <class Otherwise, class First>
struct first_or_type<Otherwise, First> {
  using type = First;
};
/// The one type in a pack, or another where the pack is empty.
template <class Otherwise, class... First>
using first_or = typename first_or_type<Otherwise, First...>::type;

/// The type of an initial value: of a reference that stands for one, thrust::device_reference, that value's.
template <class Init>
SWEEP_HD constexpr auto type_of_initial() {
  if constexpr (requires {
                  typename Init::value_type;
                  typename Init::pointer;
                  requires std::is_convertible_v<Init, typename Init::value_type>;
                  requires !std::is_convertible_v<typename Init::value_type, Init>;
                })
    return std::type_identity<typename Init::value_type>{};
  else return std::type_identity<Init>{};
}
template <class Init>
using initial_value = typename decltype(type_of_initial<Init>())::type;

/// The operators of a fold as they can be called on both sides: of two device lambdas, that one of them which
/// takes two arguments, and that which takes one.
template <bool OrderIsUnsaid>
struct operators {
  template <class Op, class Unary>
  SWEEP_HD static constexpr auto binary(Op op, Unary const&) {
    return device_functor(op);
  }
  template <class Op, class Unary>
  SWEEP_HD static constexpr auto unary(Op const&, Unary unary) {
    return device_functor(unary);
  }
};
template <>
struct operators<true> {
  template <class Op, class Unary>
  SWEEP_HD static constexpr either_binary<Op, Unary> binary(Op op, Unary unary) {
    return {op, unary};
  }
  template <class Op, class Unary>
  SWEEP_HD static constexpr either_unary<Op, Unary> unary(Op op, Unary unary) {
    return {op, unary};
  }
};

/// What a fold is made of: its operators, what the unary one makes of an item, and the accumulator. One
/// readable line where something does not fit. Where device lambdas hide what they return, that is taken for
/// the initial value's type, or else for the output's.
template <class In, class Out, class Op, class Unary, class... Init>
struct fold_types {
  using in_order = operators<sizeof...(Init) == 0 && order_is_unsaid<Op, Unary>>;
  using op = decltype(in_order::binary(std::declval<Op>(), std::declval<Unary>()));
  using unary = decltype(in_order::unary(std::declval<Op>(), std::declval<Unary>()));
  static_assert(std::is_invocable_v<unary&, value_of<In>>,
                "sweep: the unary operator cannot be called with an item");
  using item =
      result_or<first_or<written_value<Out, value_of<In>>, initial_value<Init>...>, unary, value_of<In>>;
};

/// Of a scan.
template <class In, class Out, class Op, class Unary, class... Init>
struct accumulation : fold_types<In, Out, Op, Unary, Init...> {
  using types = fold_types<In, Out, Op, Unary, Init...>;
  using first_operand = first_or<typename types::item, initial_value<Init>...>;
  static_assert(std::is_invocable_v<typename types::op&, first_operand, typename types::item>,
                "sweep: the operator cannot be called with (initial value or item, item)");
  using value = accumulator<typename types::op, first_operand, typename types::item>;
};

/// Whether an operator folds values of its own, and items become such.
template <class V, class Op, class Item>
SWEEP_HD constexpr bool folds_results() {
  if constexpr (!requires(Item const& x) { static_cast<V>(x); }) return false;
  else return makes<V, Op, V&, V&>();
}

/// Whether a scan fits together; one line where it does not, after which nothing of it is compiled.
template <class In, class Out, class Op, class Unary, class... Init>
SWEEP_HD constexpr bool scan_fits() {
  using types = fold_types<In, Out, Op, Unary, Init...>;
  using item = typename types::item;
  using first = first_or<item, initial_value<Init>...>;
  if constexpr (std::is_void_v<item>) {
    static_assert(!std::is_void_v<item>, "sweep: the unary operator returns nothing");
    return false;
  } else if constexpr (hides_result<typename types::op>()) {
    return true;
  } else if constexpr (!std::is_invocable_v<typename types::op&, first, item>) {
    static_assert(std::is_invocable_v<typename types::op&, first, item>,
                  "sweep: the operator cannot be called with (initial value or item, item)");
    return false;
  } else {
    using sum = std::invoke_result_t<typename types::op&, first, item>;
    using written = written_value<Out, std::decay_t<sum>>;
    if constexpr (std::is_void_v<sum>) {
      static_assert(!std::is_void_v<sum>, "sweep: the operator of a scan returns nothing");
      return false;
    } else if constexpr (!std::is_default_constructible_v<std::decay_t<sum>>) {
      static_assert(std::is_default_constructible_v<std::decay_t<sum>>,
                    "sweep: what a scan folds in must have a default constructor");
      return false;
    } else if constexpr (!is_assigned<accumulator<typename types::op, first, item>>) {
      static_assert(is_assigned<accumulator<typename types::op, first, item>>,
                    "sweep: what a scan folds in must be assigned (has it a const member?)");
      return false;
    } else if constexpr (!folds_results<accumulator<typename types::op, first, item>, typename types::op,
                                        item>()) {
      static_assert(
          folds_results<accumulator<typename types::op, first, item>, typename types::op, item>(),
          "sweep: the operator of a scan must fold two of its results, and an item must become one: "
          "what tiles make is folded, too");
      return false;
    } else if constexpr (!requires(std::decay_t<sum> const& x) { static_cast<written>(x); }) {
      static_assert(
          requires(std::decay_t<sum> const& x) { static_cast<written>(x); },
          "sweep: a result does not become what the output has");
      return false;
    } else {
      return true;
    }
  }
}

/// Whether what a call writes becomes what its output has; one line where it does not.
template <class Out, class Item>
SWEEP_HD constexpr bool require_becomes() {
  using written = written_value<Out, Item>;
  constexpr bool becomes = requires(Item const& x) { static_cast<written>(x); }
  || requires(Item & x) { static_cast<written>(static_cast<Item&&>(x)); };
  static_assert(becomes, "sweep: a result does not become what the output has");
  return becomes;
}

/// Whether items can be written while they stay where they are, if they must; one line where they can only be
/// moved.
template <class Out, class In, bool Must = true>
SWEEP_HD constexpr bool require_copies() {
  using item = value_of<In>;
  constexpr bool copies =
      !Must || !std::is_lvalue_reference_v<decltype(*std::declval<In&>())> || requires(item const& x) {
    static_cast<written_value<Out, item>>(x);
  };
  static_assert(copies, "sweep: this call copies its items, and what these are can only be moved");
  return copies;
}

/// Of a reduction, which is of the initial value's type, as the standard's and Thrust's.
template <class In, class Op, class Unary, class Init>
struct reduction : fold_types<In, initial_value<Init>*, Op, Unary, Init> {
  using types = fold_types<In, initial_value<Init>*, Op, Unary, Init>;
  using value = initial_value<Init>;
  static constexpr bool makes_items = std::is_invocable_v<typename types::unary&, value_of<In>>;
  static_assert(
      !makes_items || requires(typename types::item x) { static_cast<value>(x); },
      "sweep: an item, or what the unary operator makes of it, does not become the initial value's type");
  static_assert(
      !makes_items || !requires(typename types::item x) { static_cast<value>(x); } ||
          makes<value, typename types::op, value&, value&>(),
      "sweep: the operator cannot be called with two values of the initial value's type, or does not "
      "make another of them");
  static_assert(std::is_default_constructible_v<value> && is_assigned<value>,
                "sweep: the initial value's type, which is folded in, must have a default constructor and be "
                "assigned");
};

#if defined(__CUDA_ARCH__)
/// Names F, and the functions that it is made of, in device code, where one that is of the host alone does
/// not exist. What calls them there is marked for both sides, and would be compiled without them, silently.
template <class F>
__device__ void name_functions() {
  using G = std::remove_cvref_t<F>;
  if constexpr (std::is_class_v<G>) {
    if constexpr (requires { &G::operator(); } &&
                  std::is_same_v<decltype(device_functor(std::declval<G>())), G>)
      if (false) { [[maybe_unused]] auto const at = &G::operator(); }
    type_arguments<G>::name_functions();
  }
}
#endif

/// Whether functions can be called where they are: a `[] __device__` lambda on the host would compute nothing
/// at all, and no kernel can be given a lambda that does not say where it runs. One line where they cannot; a
/// call that asks compiles nothing else then. Asked as the call runs, not of the compiler alone, it has nvcc
/// say that a function without __device__ is undefined in device code.
template <bool OnHost, class... Callers>
SWEEP_HD constexpr auto require_callable() {
  constexpr bool on_host_alone = !OnHost || !(has_stand_in_of_lambda<Callers>() || ...);
  constexpr bool on_device = OnHost || !(has_plain_lambda<Callers>() || ...);
  static_assert(
      on_host_alone,
      "sweep: a [] __device__ lambda cannot be called on the host: write [] __host__ __device__, or "
      "use sweep::device");
  static_assert(on_device,
                "sweep: a lambda for sweep::device says where it runs: write [] __device__ or [] __host__ "
                "__device__, and compile with --extended-lambda");
#if defined(__CUDA_ARCH__)
  if constexpr (!OnHost) (name_functions<Callers>(), ...);
#endif
  constexpr bool both = on_host_alone && on_device;
  return std::bool_constant<both>{};
}

/// Whether a function can be asked of items: as values, or as what it may only look at, `[](auto& a)`.
template <class F, class... Items>
inline constexpr bool is_asked_of = makes<bool, F, Items...>() || makes<bool, F, Items const&...>();
/// The same where a predicate does not fit the items, or the items that stand beside them.
template <class Pred, class Item>
SWEEP_HD constexpr bool require_predicate() {
  constexpr bool fits = is_asked_of<Pred, Item>;
  static_assert(fits || asks_for<Pred> != asked_for::function,
                "sweep: the predicate cannot be called with an item (of the stencil, where there is one)");
  static_assert(fits || asks_for<Pred> != asked_for::value,
                "sweep: the value cannot be compared with an item by ==");
  static_assert(fits || asks_for<Pred> != asked_for::flag, "sweep: a flag must be what becomes bool");
  return fits;
}
/// What stands in for a function that does not fit, so that nothing more is said about it.
struct never_holds {
  template <class... Arguments>
  SWEEP_HD constexpr bool operator()(Arguments const&...) const {
    return false;
  }
};
/// A predicate of an item as it can be called on both sides.
template <class Item, class Pred>
SWEEP_HD constexpr auto predicate_of(Pred pred) {
  using callable = decltype(device_functor(pred));
  if constexpr (is_asked_of<callable, Item>) return device_functor(pred);
  else {
    require_predicate<callable, Item>();
    return never_holds{};
  }
}
/// A comparison of an A and a B as it can be called on both sides.
template <class A, class B = A, class Comp>
SWEEP_HD constexpr auto comparison_of(Comp comp) {
  using callable = decltype(device_functor(comp));
  if constexpr (is_asked_of<callable, A, B>) return device_functor(comp);
  else {
    static_assert(is_asked_of<callable, A, B>,
                  "sweep: the comparison cannot be called with two items, or with an item and a value");
    return never_holds{};
  }
}
template <class Eq, class Item>
SWEEP_HD constexpr bool require_equivalence() {
  static_assert(is_asked_of<Eq, Item, Item>,
                "sweep: the equivalence cannot be called with two neighbouring items");
  return is_asked_of<Eq, Item, Item>;
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_last_before_first(char const* call, char const* last,
                                                                           char const* first,
                                                                           std::int64_t n) {
  throw bad_argument(call, last, "lies " + std::to_string(-n) + " items before " + first);
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_null_pointer(char const* call,
                                                                      char const* argument) {
  throw bad_argument(call, argument, "is a null pointer, but the range is not empty");
}

#if defined(__CUDACC__)
/// In a kernel nobody can catch: the call is named, and the kernel ends with an error.
__device__ inline void end_kernel(char const* call, char const* argument, char const* wrong) {
  printf("sweep::%s: %s %s\n", call, argument, wrong);
  __trap();
}
#endif

inline std::string text_of(char const* text) { return text; }
inline std::string text_of(std::int64_t number) { return std::to_string(number); }
template <class... Pieces>
[[noreturn, gnu::cold, gnu::noinline]] void throw_bad_argument(char const* call, char const* argument,
                                                               Pieces... pieces) {
  throw bad_argument(call, argument, (text_of(pieces) + ...));
}
#if defined(__CUDACC__)
__device__ inline void print_text(char const* text) { printf("%s", text); }
__device__ inline void print_text(std::int64_t number) { printf("%lld", static_cast<long long>(number)); }
#endif
/// Ends a call, or in a kernel all of it, because an argument is wrong as the pieces say, texts and numbers.
template <class... Pieces>
SWEEP_HD void refuse_argument(char const* call, char const* argument, Pieces... pieces) {
#if defined(__CUDA_ARCH__)
  (print_text(pieces), ...);
  end_kernel(call, argument, "is refused");
#else
  throw_bad_argument(call, argument, pieces...);
#endif
}

/// How many items a range has, whose ends the call gives these names. Preconditions that cost nothing are
/// checked always.
SWEEP_NO_EXEC_CHECK
template <class It>
SWEEP_HD std::int64_t checked_distance(char const* call, It const& first, It const& last,
                                       char const* last_name = "last", char const* first_name = "first") {
  static_assert(
      std::is_base_of_v<std::random_access_iterator_tag,
                        typename std::iterator_traits<It>::iterator_category> ||
          std::random_access_iterator<It> ||
          requires {
            last - first;
            first + 1;
          },
      "sweep: the input must have random-access iterators");
  auto const n = static_cast<std::int64_t>(last - first);
  if (n < 0) {
#if defined(__CUDA_ARCH__)
    static_cast<void>(first_name);
    end_kernel(call, last_name, "lies before the first");
#else
    throw_last_before_first(call, last_name, first_name, n);
#endif
  }
  return n;
}

/// Whether an iterator is of packed flags, sweep::bits.
template <class It>
concept holds_flag_words = requires(It const& it) {
  { it.words() } -> std::same_as<std::uint32_t const*>;
};

template <class It>
SWEEP_HD void require_pointer(char const* call, char const* argument, It const& it) {
  if constexpr (std::is_pointer_v<It>) {
    if (it == nullptr) {
#if defined(__CUDA_ARCH__)
      end_kernel(call, argument, "is a null pointer, but the range is not empty");
#else
      throw_null_pointer(call, argument);
#endif
    }
  } else if constexpr (holds_flag_words<It>) {
    require_pointer(call, argument, it.words());
  }
}

SWEEP_HD constexpr std::int64_t magnitude(std::int64_t x) { return x < 0 ? -x : x; }
/// The same of any number.
SWEEP_HD constexpr std::uint64_t wide_magnitude(std::int64_t x) {
  auto const bits = static_cast<std::uint64_t>(x);
  return x < 0 ? std::uint64_t{0} - bits : bits;
}

/// What is written must lie in places of its own: each stride reaches beyond all that shorter ones span. No
/// array is as large as 2^63 items.
template <int Rank>
SWEEP_HD void require_places_of_their_own(char const* call, std::int64_t const (&extents)[Rank],
                                          std::int64_t const (&strides)[Rank], char const* argument = "out") {
  constexpr auto most = ~std::uint64_t{0} >> 1;
  bool seen[Rank] = {};
  std::uint64_t span = 0;
  for (int k = 0; k < Rank; ++k) {
    int shortest = -1;
    for (int r = 0; r < Rank; ++r)
      if (!seen[r] && (shortest < 0 || wide_magnitude(strides[r]) < wide_magnitude(strides[shortest])))
        shortest = r;
    seen[shortest] = true;
    if (extents[shortest] <= 1) continue;
    auto const stride = wide_magnitude(strides[shortest]);
    if (stride <= span)
      refuse_argument(call, argument, "has items in the same places: axis ", std::int64_t{shortest},
                      " has a stride of ", strides[shortest], ", shorter axes reach ",
                      static_cast<std::int64_t>(span), " items far");
    auto const steps = static_cast<std::uint64_t>(extents[shortest] - 1);
    if (stride > (most - span) / steps)
      refuse_argument(call, argument, "reaches further than 2^63 items: axis ", std::int64_t{shortest},
                      " has ", extents[shortest], " of them with a stride of ", strides[shortest]);
    span += steps * stride;
  }
}

template <class In, class Out>
SWEEP_HD void require_storage(char const* call, In const& in, Out const& out) {
  require_pointer(call, "first", in);
  require_pointer(call, "out", out);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

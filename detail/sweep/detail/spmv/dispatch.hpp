// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_DISPATCH_HPP
#define SWEEP_DETAIL_SPMV_DISPATCH_HPP

#include <sweep/csr.hpp>
#include <sweep/detail/convert_csr/preconditions.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/spmv/by_scan.hpp>
#include <sweep/detail/spmv/host.hpp>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/detail/spmv/tuning.hpp>
#include <sweep/semiring.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/spmv/device.cuh>
#endif

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// In place of a semiring where a call names none: sums of products.
struct sums_of_products {};

template <class A, class X>
inline constexpr bool has_product = requires(A const& a, X const& x) {
  a* x;
};

/// What products of such entries are summed in: what they are, but narrow floating-point numbers in floats.
template <class A, class X>
SWEEP_HD constexpr auto type_of_sums() {
  static_assert(has_product<A, X>,
                "sweep: entries of the matrix and of the matrix beside it have no product: name a semiring");
  using product = std::decay_t<decltype(std::declval<A const&>() * std::declval<X const&>())>;
  if constexpr (!std::is_arithmetic_v<product> && sizeof(product) <= 2 &&
                std::is_convertible_v<product, float>)
    return std::type_identity<float>{};
  else return std::type_identity<product>{};
}
template <class A, class X, class Semiring>
SWEEP_HD constexpr auto semiring_of(Semiring const& given) {
  if constexpr (std::is_same_v<Semiring, sums_of_products>)
    return semirings::plus_times<typename decltype(type_of_sums<A, X>())::type>();
  else return given;
}

/// From a semiring to a problem, and to where it runs.
SWEEP_NO_EXEC_CHECK
template <class Policy, class A, class X, class Y, class Semiring, class Result>
SWEEP_HD void spmv_over(char const* call, Policy const& given, A const& a, kept_cuts const& kept, X x, Y y,
                        Semiring const& ring, Result const& result_of) {
  using entry = value_of<decltype(a.values)>;
  using V = std::remove_const_t<decltype(ring.zero)>;
  auto const plus = device_functor(ring.plus);
  auto const times = device_functor(ring.times);
  using times_type = std::remove_const_t<decltype(times)>;
  static_assert(makes<V, decltype(plus), V&, V&>(),
                "sweep: the semiring's plus cannot be called with two values of its zero's type, or does not "
                "make another of them");
  static_assert(makes<V, times_type, entry, value_of<X>>(),
                "sweep: the semiring's times cannot be called with an entry of the matrix and one of the "
                "vector, or does not make a value of its zero's type");
  using products = entry_products<V, unwrapped_t<decltype(a.indices)>, unwrapped_t<decltype(a.values)>,
                                  unwrapped_t<X>, times_type>;
  auto const result = result_of(ring.zero);
  using problem_type = spmv_problem<V, unwrapped_t<decltype(a.offsets)>, products, unwrapped_t<Y>,
                                    folding_t<V, std::remove_const_t<decltype(plus)>>,
                                    unwrapped_t<decltype(a.wanted)>, std::remove_const_t<decltype(result)>>;
  auto const target = resolve<spmv_options>(given);
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  auto const callable =
      require_callable<on_host<policy_type>, decltype(ring.plus), decltype(ring.times), decltype(a.offsets),
                       decltype(a.indices), decltype(a.values), X, Y, decltype(a.wanted)>();
  require_matrix(target.policy, call, a);
  if (a.rows == 0) return;
  problem_type const problem{a.rows,
                             a.nonzeros,
                             unwrapped(a.offsets),
                             products{unwrapped(a.indices), unwrapped(a.values), unwrapped(x), times},
                             unwrapped(y),
                             folding<V>(plus),
                             ring.zero,
                             unwrapped(a.wanted),
                             result};
  if (a.nonzeros > 0) require_range(target.policy, call, "x", problem.in.x);
  require_range(target.policy, call, "y", problem.out);
  if constexpr (problem_type::masked) require_range(target.policy, call, "flags", problem.wanted);
  if constexpr (std::is_pointer_v<unwrapped_t<X>> && std::is_pointer_v<unwrapped_t<Y>>)
    if (overlap(problem.in.x, a.columns, problem.out, a.rows))
      refuse_argument(call, "y", "overlaps x, which other rows still read");
  constexpr auto how = spmv_variant<policy_type>;
  if constexpr (needs_entries(how))
    if (a.nonzeros < 0)
      refuse_argument(call, "a", "does not say how many entries it has, which this variant must know");
  if constexpr (callable && runs_with<on_host<policy_type>, V, entry>() && require_becomes<Y, V>()) {
    if constexpr (how == spmv_by::segmented_scan)
      spmv_by_segmented_scan(without_tags(target.policy), call, problem);
    else run_spmv(target.policy, call, problem, kept);
  }
  finish(call, target);
}

/// How a product's results are written, made when the semiring's zero is known.
struct make_as_it_is {
  template <class V>
  SWEEP_HD constexpr as_it_is operator()(V const&) const {
    return {};
  }
};
template <class Alpha, class Beta>
struct make_scaled {
  Alpha alpha;
  Beta beta;
  SWEEP_NO_EXEC_CHECK
  template <class V>
  SWEEP_HD constexpr scaled_by<Alpha, Beta> operator()(V const& zero) const {
    if constexpr (requires { static_cast<bool>(static_cast<V>(beta) == zero); })
      return {alpha, beta, !static_cast<bool>(static_cast<V>(beta) == zero)};
    else return {alpha, beta, true};
  }
};

/// From the public call to its semiring.
SWEEP_NO_EXEC_CHECK
template <class Policy, class A, class X, class Y, class Semiring, class Result>
SWEEP_HD void spmv(char const* call, Policy const& given, planned_matrix<A> const& planned, X x, Y y,
                   Semiring const& by, Result const& result_of) {
  auto const& a = planned.matrix;
  using entry = value_of<decltype(a.values)>;
  if constexpr (!std::is_same_v<Semiring, sums_of_products> || has_product<entry, value_of<X>>)
    spmv_over(call, given, a, planned.cuts, x, y, semiring_of<entry, value_of<X>>(by), result_of);
  else
    static_assert(never<A>,
                  "sweep: entries of the matrix and of the vector have no product: name a semiring");
}

/// The same of a matrix with narrow columns, where they fit.
SWEEP_NO_EXEC_CHECK
template <class Policy, class A, class X, class Y, class Semiring, class Result>
SWEEP_HD void spmv(char const* call, Policy const& given, narrow_matrix<A> const& planned, X x, Y y,
                   Semiring const& by, Result const& result_of) {
  planned_matrix<A> const& as_it_is = planned;
  if (planned.near.low) spmv(call, given, planned.narrowed(), x, y, by, result_of);
  else spmv(call, given, as_it_is, x, y, by, result_of);
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

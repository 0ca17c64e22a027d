// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_HISTOGRAM_DISPATCH_HPP
#define SWEEP_DETAIL_HISTOGRAM_DISPATCH_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/histogram/bins.hpp>
#include <sweep/detail/histogram/host.hpp>
#include <sweep/detail/histogram/problem.hpp>
#include <sweep/detail/histogram/weights.hpp>
#include <sweep/detail/reduce/dispatch.hpp>
#include <sweep/detail/runtime/for_each.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/segmented_scan/validate.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/histogram/device.cuh>
#endif

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// In place of weights where items are counted.
struct unweighted {};

// Which bins: what a public call says of them. Each has
//   bins<X>(call)                   how many there are, for items of type X
//   with_bins(policy, call, x, f)   f(policy, object that finds bins of such items)
//   check(policy, call, in, n)      what .checked() asks

SWEEP_NO_EXEC_CHECK
template <class Count>
SWEEP_HD std::int64_t checked_bins(char const* call, Count count) {
  auto const bins = static_cast<std::int64_t>(count);
  if (bins < 0) refuse_argument(call, "bins", "is negative: ", bins);
  if (bins >= std::int64_t{no_bin})
    refuse_argument(call, "bins", "is ", bins, ", but there may be at most 2^32 - 2");
  return bins;
}

/// i where item i has no bin, or else more than any.
template <class It>
struct item_without_bin {
  It in;
  key_bins bins;
  std::int64_t n;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator()(std::int64_t i) const {
    return bins.bin_of(static_cast<value_of<It>>(in[i])) == no_bin ? i : n;
  }
};

struct keys_as_bins {
  std::int64_t count;

  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD std::int64_t bins(char const* call) const {
    static_assert(std::is_integral_v<X>, "sweep: a histogram with a bin for each key needs keys that are "
                                         "integers; histogram_even and histogram_range take other items");
    return checked_bins(call, count);
  }
  SWEEP_NO_EXEC_CHECK
  template <class X, class Policy, class F>
  SWEEP_HD void with_bins(Policy const& policy, char const*, F f) const {
    f(policy, key_bins{static_cast<std::uint32_t>(count)});
  }
  template <class Policy, class In>
  void check(Policy const& policy, char const* call, In in, std::int64_t n) const {
    auto const bad = fold_of(policy, call, item_without_bin<In>{in, {static_cast<std::uint32_t>(count)}, n},
                             n, n, lesser{});
    if (bad < n)
      throw bad_argument(call, "first",
                         "has the key " + value_at(policy, call, in, bad) + " at index " +
                             std::to_string(bad) + ", but there are " + std::to_string(count) + " bins");
  }
};

/// Whether a Wide, of 64 bits, can be x.
template <class Wide, class X>
SWEEP_HD constexpr bool holds_integer([[maybe_unused]] X x) {
  if constexpr (std::is_unsigned_v<X> && std::is_unsigned_v<Wide>) return true;
  else if constexpr (std::is_unsigned_v<X>) return static_cast<Wide>(x) >= 0;
  else if constexpr (std::is_unsigned_v<Wide>) return x >= 0;
  else return (static_cast<Wide>(x) < 0) == (x < 0);
}

template <class Level>
struct levels_as_bins {
  Level low, high;
  std::int64_t count;

  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD std::int64_t bins(char const* call) const {
    if (!(low < high)) refuse_argument(call, "high", "is not above low");
    return checked_bins(call, count);
  }
  SWEEP_NO_EXEC_CHECK
  template <class X, class Policy, class F>
  SWEEP_HD void with_bins(Policy const& policy, char const* call, F f) const {
    auto const bins = static_cast<std::uint32_t>(count);
    if constexpr (std::is_integral_v<X> && std::is_integral_v<Level>) {
      using wide = wide_integer<X>;
      auto const from = static_cast<wide>(low), to = static_cast<wide>(high);
      if (!holds_integer<wide>(low) || !holds_integer<wide>(high))
        refuse_argument(call, "low or high", "is outside of what integers of the items' width can be");
      if (static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from) > ~std::uint64_t{0} / 2)
        refuse_argument(call, "high", "is 2^63 or more above low");
      f(policy, even_integer_bins<wide>(from, to, bins));
    } else {
      static_assert(std::is_floating_point_v<Level> || std::is_floating_point_v<X>,
                    "sweep: low and high of a histogram of such items must be floating-point numbers");
      using F_type = typename std::conditional_t<
          !std::is_floating_point_v<Level>, std::type_identity<X>,
          std::conditional_t<std::is_floating_point_v<X>, std::common_type<X, Level>,
                             std::type_identity<Level>>>::type;
      auto const from = static_cast<F_type>(low), to = static_cast<F_type>(high);
      f(policy, even_float_bins<F_type>{from, to, static_cast<F_type>(bins) / (to - from), bins});
    }
  }
  template <class Policy, class In>
  void check(Policy const&, char const*, In, std::int64_t) const {}
};

/// e where edge e is less than the one before it, or else more than any.
template <class It>
struct edge_that_falls {
  It edges;
  std::int64_t count;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator()(std::int64_t e) const {
    return e > 0 && edges[e] < edges[e - 1] ? e : count;
  }
};
template <class It, class Edge>
struct copy_edge {
  It edges;
  Edge* to;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t e) const { to[e] = edges[e]; }
};

template <class Edges>
struct edges_as_bins {
  Edges edges;  ///< unwrapped
  std::int64_t count;

  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD std::int64_t bins(char const* call) const {
    return checked_bins(call, count > 0 ? count - 1 : 0);
  }
  SWEEP_NO_EXEC_CHECK
  template <class X, class Policy, class F>
  SWEEP_HD void with_bins(Policy const& policy, char const* call, F f) const {
    using edge = value_of<Edges>;
    if constexpr (std::is_pointer_v<Edges>) f(policy, bins_between<edge>(edges, count));
    else
      with_memory<edge>(policy, call, count, [&](auto const& rest, edge* copies) {
        for_each_index(without_tags(rest), call, count, copy_edge<Edges, edge>{edges, copies});
        f(rest, bins_between<edge>(copies, count));
      });
  }
  template <class Policy, class In>
  void check(Policy const& policy, char const* call, In, std::int64_t) const {
    auto const bad = fold_of(policy, call, edge_that_falls<Edges>{edges, count}, count, count, lesser{});
    if (bad < count) throw bad_argument(call, "edges", "decrease at index " + std::to_string(bad));
  }
};

/// What is owed to the output where it cannot hold the sums while they are made.
template <class Out>
inline constexpr bool holds_sums = [] {
  if constexpr (std::is_pointer_v<Out>) {
    using U = value_of<Out>;
    return std::is_integral_v<U> && !std::is_same_v<U, bool> && (sizeof(U) == 4 || sizeof(U) == 8);
  } else return false;
}();

/// Sums in the output itself, or in memory of the call and then written.
SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class Bins, class Weights, class Out>
SWEEP_HD void add_up(Policy const& policy, char const* call, In in, std::int64_t n, Bins const& bins_of,
                     Weights const& weights, bool is_signed, std::int64_t bins, Out out) {
  if constexpr (holds_sums<Out>) {
    using sum = std::conditional_t<sizeof(value_of<Out>) == 4, std::uint32_t, std::uint64_t>;
    run_histogram(policy, call,
                  histogram_problem<In, Bins, Weights, sum>{in, n, bins_of, weights, bins,
                                                            reinterpret_cast<sum*>(out)});
  } else {
    with_memory<std::uint64_t>(policy, call, bins, [&](auto const& rest, std::uint64_t* sums) {
      run_histogram(rest, call,
                    histogram_problem<In, Bins, Weights, std::uint64_t>{in, n, bins_of, weights, bins, sums});
      for_each_index(without_tags(rest), call, bins, write_sum<Out>{sums, is_signed, out});
    });
  }
}

/// How floating-point weights become integers, found from the largest.
struct choose_fixed_point {
  double const* most;
  std::int64_t n;
  fixed_point* how;
  SWEEP_HD void operator()(std::int64_t) const { *how = fixed_point(*most, n); }
};

SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class Bins, class Weights, class Out>
SWEEP_HD void add_up_in_fixed_point(Policy const& policy, char const* call, In in, std::int64_t n,
                                    Bins const& bins_of, Weights weights, std::int64_t bins, Out out) {
  struct found {
    double most;
    fixed_point how;
  };
  with_memory<found>(policy, call, 1, [&](auto const& after, found* at) {
    with_memory<std::uint64_t>(after, call, 2 * bins, [&](auto const& rest, std::uint64_t* sums) {
      using magnitudes = reader<double, magnitude_of<Weights>>;
      auto* const most = reinterpret_cast<double*>(at);
      auto* const how = reinterpret_cast<fixed_point*>(most + 1);
      run_reduce(without_tags(rest), call,
                 reduce_problem<double, magnitudes, double*, larger, identity>{
                     magnitudes{{weights}}, n, most, 0, {}, {}});
      for_each_index(without_tags(rest), call, 1, choose_fixed_point{most, n, how});
      using fixed = fixed_point_weights<Weights>;
      run_histogram(
          rest, call,
          histogram_problem<In, Bins, fixed, std::uint64_t>{in, n, bins_of, fixed{weights, how}, bins, sums});
      for_each_index(without_tags(rest), call, bins, write_fixed_point<Out>{sums, bins, how, out});
    });
  });
}

/// From the public call to sums.
SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class Weights, class Out, class Which>
SWEEP_HD Out histogram(char const* call, Policy const& given, In first, In last, Weights weights, Out out,
                       Which const& which) {
  using raw = value_of<In>;
  auto const target = resolve<no_options>(given);
  require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, In, Weights, Out, Which>();
  auto const n = checked_distance(call, first, last);
  auto const bins = which.template bins<raw>(call);
  if (bins == 0) return out;
  auto const in = unwrapped(first);
  auto const to = unwrapped(out);
  if (n > 0) require_range(target.policy, call, "first", in);
  require_range(target.policy, call, "counts", to);
  if constexpr (!std::is_same_v<Weights, unweighted>)
    if (n > 0) require_range(target.policy, call, "weights", unwrapped(weights));
  if constexpr (requires { which.edges; }) require_range(target.policy, call, "edges", which.edges);
  if constexpr (is_checked<std::remove_cvref_t<decltype(target.policy)>>)
    which.check(without_tags(target.policy), call, in, n);
  if constexpr (require_becomes<Out, std::int64_t>())
    which.template with_bins<raw>(target.policy, call, [&](auto const& policy, auto const& bins_of) {
      if constexpr (std::is_same_v<Weights, unweighted>) {
        add_up(policy, call, in, n, bins_of, count_ones{}, false, bins, to);
      } else {
        auto const by = unwrapped(weights);
        using by_type = std::remove_const_t<decltype(by)>;
        using weight = value_of<Weights>;
        if constexpr (std::is_integral_v<weight>) {
          constexpr bool narrow = [] {
            if constexpr (holds_sums<std::remove_const_t<decltype(to)>>)
              return sizeof(value_of<std::remove_const_t<decltype(to)>>) == 4;
            else return false;
          }();
          using amount = std::conditional_t<narrow, std::uint32_t, std::uint64_t>;
          add_up(policy, call, in, n, bins_of, integer_weights<by_type, amount>{by}, std::is_signed_v<weight>,
                 bins, to);
        } else {
          static_assert(std::is_convertible_v<weight, double>,
                        "sweep: weights must be integers or floating-point numbers");
          add_up_in_fixed_point(policy, call, in, n, bins_of, by, bins, to);
        }
      }
    });
  finish(call, target);
  return out + static_cast<std::ptrdiff_t>(bins);
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_RANGES_HPP
#define SWEEP_DETAIL_AXES_RANGES_HPP

#include <sweep/detail/axes/host.hpp>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/strided.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/axes/tile/ranges.cuh>
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Many ranges, each with a length and a place of its own, are lines of an array that has none.

/// The only line of its problem.
struct one_line {
  std::int64_t length, in, out;
};

/// What is asked of many ranges: which ones there are, and what each is scanned by.
template <line_result What, class T, class Dir, class Ranges, class Op, class Before>
struct range_problem {
  using range = value_of<Ranges>;
  using in_it = unwrapped_t<decltype(range::first)>;
  using out_it = unwrapped_t<decltype(range::out)>;
  using line = axis_problem<What, T, in_it, out_it, Op, identity, Before, one_line>;
  using value = T;
  static constexpr std::int64_t step = std::is_same_v<Dir, backward_t> ? -1 : 1;

  Ranges ranges;
  std::int64_t count;
  Op op;
  Before before;

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t length(std::int64_t nth) const {
    return static_cast<std::int64_t>(range(ranges[static_cast<difference_of<Ranges>>(nth)]).count);
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD line of(std::int64_t nth) const {
    range const one = ranges[static_cast<difference_of<Ranges>>(nth)];
    return {unwrapped(one.first), unwrapped(one.out), op, {}, before, {one.count, step, step}};
  }
  /// The first item in scan order.
  static SWEEP_HD constexpr std::int64_t begin(std::int64_t length) { return step > 0 ? 0 : length - 1; }
};

SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void scan_range_alone(Problem const& problem, std::int64_t nth) {
  auto const line = problem.of(nth);
  auto const first = Problem::begin(line.grid.length);
  auto sum = line.before_line(line_place{});
  walk_line(line, line_place{first, first, 0}, 0, line.grid.length, sum);
}

template <class Problem>
void run_ranges(seq_policy const&, char const*, Problem const& given) {
  auto const problem = given;
  for (std::int64_t nth = 0; nth < problem.count; ++nth) scan_range_alone(problem, nth);
}

/// Several ranges at a time, since most are short; each by one thread.
template <class... Tags, class Problem>
void run_ranges(host_policy<Tags...> const& policy, char const*, Problem const& given) {
  constexpr std::int64_t together = 8;
  team members(policy.threads());
  members.for_each_tile((given.count + together - 1) / together, [&](std::int64_t tile) {
    auto const problem = given;  // functors may have a state
    auto const end = std::min(given.count, (tile + 1) * together);
    for (auto nth = tile * together; nth < end; ++nth) scan_range_alone(problem, nth);
  });
}

#if defined(__CUDACC__)
template <class Source, class... Tags, class Problem>
void run_ranges(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  launch_ranges(policy.stream(), call, problem);
}
#endif

template <class It>
inline constexpr bool is_scan_range = false;
template <class In, class Out>
inline constexpr bool is_scan_range<scan_range<In, Out>> = true;

template <line_result What, class Dir, class Policy, class Ranges, class Op, class... Init>
void scan_ranges(char const* call, Policy const& given, Ranges first, Ranges last, Op op,
                 Init const&... init) {
  using range = value_of<Ranges>;
  static_assert(is_scan_range<range>, "sweep: the ranges must be sweep::scan_range");
  auto const target = resolve<no_options>(given);
  auto const n = checked_distance(call, first, last);
  if constexpr (is_scan_range<range>) {
    using in_it = decltype(range::first);
    using out_it = decltype(range::out);
    if constexpr (scan_fits<in_it, out_it, Op, identity, Init...>()) {
      using types = accumulation<in_it, out_it, Op, identity, Init...>;
      using T = typename types::value;
      using policy_type = std::remove_cvref_t<decltype(target.policy)>;
      require_reproducible<Policy, folding_t<T, typename types::op>, T>();
      auto const callable = require_callable<on_host<policy_type>, Op, in_it, out_it, Ranges>();
      if (n == 0) return;
      auto const ranges = unwrapped(first);
      require_range(target.policy, call, "first", ranges);
      auto const functor = folding<T>(types::in_order::binary(op, identity{}));
      auto const before = [&] {
        if constexpr (sizeof...(Init) == 0) return nothing_before{};
        else return one_before<T>{static_cast<T>(init)...};
      }();
      using problem =
          range_problem<What, T, Dir, std::remove_const_t<decltype(ranges)>,
                        std::remove_const_t<decltype(functor)>, std::remove_const_t<decltype(before)>>;
      if constexpr (callable && runs_with<on_host<policy_type>, T, value_of<in_it>>())
        run_ranges(target.policy, call, problem{ranges, n, functor, before});
    }
  }
  finish(call, target);
}

/// Ranges by three ranges: where each begins, how long it is, where its results go.
template <class Inputs, class Counts, class Outputs>
struct read_scan_range {
  Inputs inputs;
  Counts counts;
  Outputs outputs;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD scan_range<value_of<Inputs>, value_of<Outputs>> operator()(std::int64_t i) const {
    return {inputs[static_cast<difference_of<Inputs>>(i)],
            static_cast<std::int64_t>(counts[static_cast<difference_of<Counts>>(i)]),
            outputs[static_cast<difference_of<Outputs>>(i)]};
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_DISPATCH_HPP
#define SWEEP_DETAIL_TRIDIAGONAL_DISPATCH_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/for_each.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/tridiagonal/host.hpp>
#include <sweep/detail/tridiagonal/problem.hpp>
#include <sweep/detail/tridiagonal/tuning.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/tridiagonal/device.cuh>
#endif

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Items from the first of a range to behind its last, as the systems need them.
constexpr std::int64_t extent_of(system_layout const& layout, bool of_values) {
  return 1 + (layout.n - 1) * layout.row_stride + (layout.systems - 1) * layout.system_stride +
         (of_values ? (layout.rights - 1) * layout.right_stride : 0);
}

/// Numbers that describe no systems, or such as share items.
inline void require_layout(char const* call, system_layout const& layout) {
  if (layout.n < 0) refuse_argument(call, "n", "is negative: ", layout.n);
  if (layout.systems < 0) refuse_argument(call, "systems", "are a negative number: ", layout.systems);
  if (layout.rights < 0) refuse_argument(call, "right_hand_sides", "are a negative number: ", layout.rights);
  if (layout.n == 0 || layout.solves() == 0) return;
  auto const behind = [](std::int64_t stride, std::int64_t before, std::int64_t count) {
    return count <= 1 || (stride > 0 && stride > before);
  };
  auto const rows = (layout.n - 1) * layout.row_stride, systems = (layout.systems - 1) * layout.system_stride;
  if (layout.row_stride < 1 || (layout.systems > 1 && layout.system_stride < 1) ||
      !(behind(layout.system_stride, rows, layout.systems) || behind(layout.row_stride, systems, layout.n)))
    refuse_argument(call, "system", "has systems that share items: rows are ", layout.row_stride,
                    " items apart, systems ", layout.system_stride);
  if (!behind(layout.right_stride, rows + systems, layout.rights))
    refuse_argument(call, "right_hand_sides", "share items: they are ", layout.right_stride, " items apart");
}

/// Solutions may take the places of other items one for one, not shifted.
template <class In, class Solution>
void require_apart(char const* call, char const* argument, In const& in, std::int64_t in_extent,
                   Solution const& solution, std::int64_t extent, bool may_be_same) {
  if constexpr (std::is_pointer_v<In> && std::is_pointer_v<Solution>) {
    auto const from = static_cast<char const*>(static_cast<void const*>(in)),
               end = from + in_extent * static_cast<std::int64_t>(sizeof(*in));
    auto const to = static_cast<char const*>(static_cast<void const*>(solution)),
               to_end = to + extent * static_cast<std::int64_t>(sizeof(*solution));
    std::less<char const*> const below;
    bool const apart = !below(from, to_end) || !below(to, end);
    if (!apart && !(may_be_same && from == to && sizeof(*in) == sizeof(*solution)))
      refuse_argument(call, argument, "overlaps the solution");
  }
}

/// From the public call to a problem, and to where it runs; first_singular may be null.
template <class Policy, class System>
void solve_systems(char const* call, Policy const& policy, System const& system,
                   std::int64_t* first_singular) {
  auto const& layout = system.layout;
  auto const lower = unwrapped(system.lower);
  auto const diagonal = unwrapped(system.diagonal);
  auto const upper = unwrapped(system.upper);
  auto const right = unwrapped(system.right);
  auto const solution = unwrapped(system.solution);
  using value = written_value<std::remove_const_t<decltype(solution)>, value_of<decltype(system.right)>>;
  static_assert(real_number<value> || complex_number<value>,
                "sweep: tridiagonal systems are of float, double, or complex numbers of these");
  require_layout(call, layout);
  if (layout.n == 0 || layout.solves() == 0) return;
  require_range(policy, call, "lower", lower);
  require_range(policy, call, "diagonal", diagonal);
  require_range(policy, call, "upper", upper);
  require_range(policy, call, "right", right);
  require_range(policy, call, "solution", solution);
  auto const of_coefficients = extent_of(layout, false), of_values = extent_of(layout, true);
  bool const once = layout.rights == 1;
  require_apart(call, "lower", lower, of_coefficients, solution, of_values, once);
  require_apart(call, "diagonal", diagonal, of_coefficients, solution, of_values, once);
  require_apart(call, "upper", upper, of_coefficients, solution, of_values, once);
  require_apart(call, "right", right, of_values, solution, of_values, true);
  if constexpr (real_number<value> || complex_number<value>)
    if constexpr (runs_with<on_host<Policy>, value>()) {
      constexpr auto how = chosen_pivots<Policy>;
      using problem =
          tridiagonal_problem<value, how, std::remove_const_t<decltype(lower)>,
                              std::remove_const_t<decltype(diagonal)>, std::remove_const_t<decltype(upper)>,
                              std::remove_const_t<decltype(right)>, std::remove_const_t<decltype(solution)>>;
      run_tridiagonal(policy, call, problem{lower, diagonal, upper, right, solution, layout, first_singular});
    }
}

/// What a call that never waits says of singular matrices: the row, or -1.
template <class Out>
struct tell_first {
  std::int64_t const* first;
  Out out;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t) const {
    using result = written_value<Out, std::int64_t>;
    out[0] = static_cast<result>(*first == no_singular_row ? -1 : *first);
  }
};
struct begin_first {
  std::int64_t* first;
  SWEEP_HD void operator()(std::int64_t) const { *first = no_singular_row; }
};

/// The same, and what was found goes to a place.
template <class Policy, class System, class Out>
void solve_and_tell(char const* call, Policy const& policy, System const& system, Out out) {
  with_memory_first([&] {
    with_memory<std::int64_t>(policy, call, 1, [&](auto const& rest, std::int64_t* first) {
      for_each_index(without_tags(policy), call, 1, begin_first{first});
      solve_systems(call, rest, system, first);
      for_each_index(without_tags(policy), call, 1, tell_first<Out>{first, out});
    });
  });
}

/// With .checked() a singular matrix ends the call.
template <class Policy, class System>
void solve_checked(char const* call, Policy const& policy, System const& system, std::int64_t& found) {
  auto result = host_result_of<std::int64_t>(policy, call);
  solve_and_tell(call, result.rest(), system, result.pointer());
  found = result.value();
}
template <class System>
void require_regular(char const* call, System const& system, std::int64_t found) {
  if (found >= 0)
    refuse_argument(call, "system", "is singular: system ", found / system.layout.n, ", row ",
                    found % system.layout.n);
}

template <class Policy, class System>
void tridiagonal_solve(char const* call, Policy const& given, System const& system) {
  auto const target = resolve<tridiagonal_options>(given);
  if constexpr (is_checked<std::remove_cvref_t<decltype(target.policy)>>) {
    std::int64_t found = -1;
    solve_checked(call, target.policy, system, found);
    require_regular(call, system, found);
  } else {
    solve_systems(call, target.policy, system, nullptr);
    finish(call, target);
  }
}

/// In place of a row where there is none.
template <class Out>
struct tell_none {
  Out out;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t) const { out[0] = static_cast<written_value<Out, std::int64_t>>(-1); }
};

template <class Policy, class System, class Out>
void tridiagonal_solve_into(char const* call, Policy const& given, System const& system, Out first_singular) {
  auto const target = resolve<tridiagonal_options>(given);
  auto const out = unwrapped(first_singular);
  require_range(target.policy, call, "first_singular", out);
  if constexpr (is_checked<std::remove_cvref_t<decltype(target.policy)>>) {
    std::int64_t found = -1;
    solve_checked(call, target.policy, system, found);
    require_regular(call, system, found);
    for_each_index(without_tags(target.policy), call, 1, tell_none<std::remove_const_t<decltype(out)>>{out});
  } else {
    solve_and_tell(call, target.policy, system, out);
  }
  finish(call, target);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

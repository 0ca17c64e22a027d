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
#include <sweep/detail/segmented_scan/dispatch.hpp>
#include <sweep/detail/segmented_scan/validate.hpp>
#include <sweep/detail/segments/heads.hpp>
#include <sweep/detail/tridiagonal/banded.hpp>
#include <sweep/detail/tridiagonal/call.hpp>
#include <sweep/detail/tridiagonal/host.hpp>
#include <sweep/detail/tridiagonal/problem.hpp>
#include <sweep/detail/tridiagonal/tuning.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/tridiagonal/device.cuh>
#endif

#include <algorithm>
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

/// No memory has as many items, and what counts them, or bytes of blocks of them, does not overflow below.
inline constexpr std::int64_t most_items_of_systems = std::int64_t{1} << 55;

/// Numbers that describe no systems, such as share items, or more than any memory has.
inline void require_layout(char const* call, system_layout const& layout) {
  if (layout.n < 0) refuse_argument(call, "n", "is negative: ", layout.n);
  if (layout.systems < 0) refuse_argument(call, "systems", "are a negative number: ", layout.systems);
  if (layout.rights < 0) refuse_argument(call, "right_hand_sides", "are a negative number: ", layout.rights);
  if (layout.n == 0 || layout.systems == 0 || layout.rights == 0) return;
  auto const share = [&] {
    refuse_argument(call, "system", "has systems that share items: rows are ", layout.row_stride,
                    " items apart, systems ", layout.system_stride);
  };
  if (layout.row_stride < 1 || (layout.systems > 1 && layout.system_stride < 1)) share();
  std::int64_t reach = 0;
  auto const goes_on = [&](std::int64_t count, std::int64_t stride) {
    if (count <= 1) return true;
    if (stride > (most_items_of_systems - reach) / (count - 1)) return false;
    reach += (count - 1) * stride;
    return true;
  };
  if (!goes_on(layout.n, layout.row_stride) || !goes_on(layout.systems, layout.system_stride))
    refuse_argument(call, "system", "reaches further than 2^55 items: ", layout.n, " rows ",
                    layout.row_stride, " apart, ", layout.systems, " systems ", layout.system_stride);
  auto const behind = [](std::int64_t stride, std::int64_t before, std::int64_t count) {
    return count <= 1 || (stride > 0 && stride > before);
  };
  auto const rows = (layout.n - 1) * layout.row_stride, systems = reach - rows;
  if (!(behind(layout.system_stride, rows, layout.systems) || behind(layout.row_stride, systems, layout.n)))
    share();
  if (!behind(layout.right_stride, reach, layout.rights))
    refuse_argument(call, "right_hand_sides", "share items: they are ", layout.right_stride, " items apart");
  if (!goes_on(layout.rights, layout.right_stride))
    refuse_argument(call, "right_hand_sides", "reach further than 2^55 items: ", layout.rights, " of them ",
                    layout.right_stride, " apart");
}

/// Items of a range of coefficients that can be read, of unknowns so many rows `above` or, negative, below:
/// on a ring all. Else what belongs to no unknown need not be there in front of all others and behind them;
/// what stands between systems is there.
struct used_items {
  std::int64_t begin, end;
};
constexpr used_items used_coefficients(system_layout const& layout, std::int64_t above) {
  auto const all = extent_of(layout, false);
  if (layout.cyclic) return {0, all};
  auto const without = std::min(above < 0 ? -above : above, layout.n) * layout.row_stride;
  used_items const used{above < 0 ? without : 0, above > 0 ? all - without : all};
  return used.begin < used.end ? used : used_items{0, 0};
}

/// A range with fewer items than the systems have places in it.
inline void require_size(char const* call, char const* argument, std::int64_t size, std::int64_t places) {
  if (size >= 0 && size < places)
    refuse_argument(call, argument, "has too few items: ", size, ", but the systems have places up to ",
                    places);
}

/// Solutions may take the places of other items one for one, not shifted.
template <class In, class Solution>
void require_apart(char const* call, char const* argument, In const& in, used_items const& used,
                   Solution const& solution, std::int64_t extent, bool may_be_same) {
  if constexpr (std::is_pointer_v<In> && std::is_pointer_v<Solution>) {
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(*in));
    auto const base = static_cast<char const*>(static_cast<void const*>(in)),
               from = base + used.begin * bytes, end = base + used.end * bytes;
    auto const to = static_cast<char const*>(static_cast<void const*>(solution)),
               to_end = to + extent * static_cast<std::int64_t>(sizeof(*solution));
    std::less<char const*> const below;
    bool const apart = !below(from, to_end) || !below(to, end);
    if (!apart && !(may_be_same && base == to && sizeof(*in) == sizeof(*solution)))
      refuse_argument(call, argument, "overlaps the solution");
  }
}
/// Preconditions of coefficients of unknowns so many rows above; where none is used there may be none.
template <class Policy, class In, class Solution>
void require_coefficients(Policy const& policy, char const* call, char const* argument, In const& in,
                          std::int64_t above, Solution const& solution, system_layout const& layout) {
  auto const used = used_coefficients(layout, above);
  if (used.end == 0) return;
  require_range(policy, call, argument, in);
  require_apart(call, argument, in, used, solution, extent_of(layout, true), layout.rights == 1);
}

template <class System>
using options_of_system = std::conditional_t<
    half_bandwidth<System> != 0, banded_options,
    std::conditional_t<has_segments<System>, segmented_tridiagonal_options, tridiagonal_options>>;

/// Preconditions of segments, before anything else is asked of a call: those of .checked() wait.
template <class Policy, class System>
void require_systems(Policy const& policy, char const* call, System const& system) {
  if constexpr (has_segments<System>) {
    auto const& layout = system.layout;
    if (layout.n < 0) refuse_argument(call, "n", "is negative: ", layout.n);
    if (layout.cyclic) refuse_argument(call, "system", "is cyclic: systems by segments are not");
    if (layout.systems != 1 || layout.row_stride != 1)
      refuse_argument(call, "system",
                      "has segments and is a batch besides: its rows are one behind the other");
    require_segments(policy, call, system.segments, layout.n);
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
  static_assert(
      solvable_number<value>,
      "sweep: tridiagonal systems are of float, double, or complex numbers of these, or of blocks of 1 "
      "to 4 such (sweep::small_vector)");
  constexpr bool fits = is_coefficient_of<value, value_of<decltype(system.lower)>>() &&
                        is_coefficient_of<value, value_of<decltype(system.diagonal)>>() &&
                        is_coefficient_of<value, value_of<decltype(system.upper)>>();
  static_assert(
      fits || !solvable_number<value>,
      "sweep: coefficients of blocks are sweep::small_matrix with as many rows as a block has unknowns, "
      "or numbers, which stand for multiples of the identity; those of numbers are numbers");
  require_layout(call, layout);
  if (layout.n == 0 || layout.solves() == 0) return;
  auto const of_values = extent_of(layout, true);
  require_size(call, "lower", system.sizes.lower, used_coefficients(layout, -1).end);
  require_size(call, "diagonal", system.sizes.diagonal, used_coefficients(layout, 0).end);
  require_size(call, "upper", system.sizes.upper, used_coefficients(layout, 1).end);
  require_size(call, "right", system.sizes.right, of_values);
  require_size(call, "solution", system.sizes.solution, of_values);
  require_coefficients(policy, call, "lower", lower, -1, solution, layout);
  require_coefficients(policy, call, "diagonal", diagonal, 0, solution, layout);
  require_coefficients(policy, call, "upper", upper, 1, solution, layout);
  require_range(policy, call, "right", right);
  require_range(policy, call, "solution", solution);
  require_apart(call, "right", right, {0, of_values}, solution, of_values, true);
  if constexpr (solvable_number<value> && fits)
    if constexpr (runs_with<on_host<Policy>, value>()) {
      constexpr auto how = chosen_pivots<Policy>;
      auto const run = [&](auto const& rest, auto cuts) {
        using problem =
            tridiagonal_problem<value, how, std::remove_const_t<decltype(lower)>,
                                std::remove_const_t<decltype(diagonal)>, std::remove_const_t<decltype(upper)>,
                                std::remove_const_t<decltype(right)>, std::remove_const_t<decltype(solution)>,
                                decltype(cuts)>;
        run_tridiagonal(rest, call,
                        problem{lower, diagonal, upper, right, solution, layout, first_singular, cuts});
      };
      if constexpr (has_segments<System>)
        with_head_source(policy, call, system.segments, layout.n, solution,
                         [&](auto const& rest, auto const& source) {
                           run(rest, cuts_at_heads<std::decay_t<decltype(source)>>{source});
                         });
      else run(policy, no_cuts{});
    }
}

/// The same of banded systems.
template <class Policy, class Right, class Solution, class... Bands>
void solve_systems(char const* call, Policy const& policy,
                   banded_system<Right, Solution, Bands...> const& system, std::int64_t* first_singular) {
  constexpr int half = half_bandwidth<banded_system<Right, Solution, Bands...>>;
  auto const& layout = system.layout;
  auto const bands = system.bands.unwrap();
  auto const right = unwrapped(system.right);
  auto const solution = unwrapped(system.solution);
  using value = written_value<std::remove_const_t<decltype(solution)>, value_of<Right>>;
  static_assert(real_number<value> || complex_number<value>,
                "sweep: banded systems are of float, double, or complex numbers of these");
  require_layout(call, layout);
  if (layout.n == 0 || layout.solves() == 0) return;
  auto const of_values = extent_of(layout, true);
  constexpr char const* names[] = {"lower_4", "lower_3", "lower_2", "lower_1", "diagonal",
                                   "upper_1", "upper_2", "upper_3", "upper_4"};
  bands.for_each([&](auto k, auto const&) {
    constexpr int nth = decltype(k)::value, above = nth - half;
    require_size(call, names[4 + above], system.sizes.bands[nth], used_coefficients(layout, above).end);
  });
  require_size(call, "right", system.sizes.right, of_values);
  require_size(call, "solution", system.sizes.solution, of_values);
  bands.for_each([&](auto k, auto const& band) {
    constexpr int above = decltype(k)::value - half;
    require_coefficients(policy, call, names[4 + above], band, above, solution, layout);
  });
  require_range(policy, call, "right", right);
  require_range(policy, call, "solution", solution);
  require_apart(call, "right", right, {0, of_values}, solution, of_values, true);
  if constexpr (real_number<value> || complex_number<value>)
    if constexpr (runs_with<on_host<Policy>, value>()) {
      using problem =
          banded_problem<value, chosen_pivots<Policy>, half, std::remove_const_t<decltype(bands)>,
                         std::remove_const_t<decltype(right)>, std::remove_const_t<decltype(solution)>>;
      auto of_blocks = layout;
      of_blocks.n = (layout.n + half - 1) / half;
      run_tridiagonal(policy, call, problem{bands, right, solution, layout.n, of_blocks, first_singular});
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
/// Which segment a row is of, and which of its rows.
struct row_of_segment {
  std::int64_t segment, row;
};
/// The same by offsets or lengths, by whoever is told to: segments may be empty.
template <class Segments>
struct find_segment {
  Segments from;
  std::int64_t row;
  row_of_segment* to;

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t) const {
    if constexpr (requires { from.offsets; }) {
      std::int64_t low = 0, high = from.count;  // the last segment that begins no later than the row
      while (high - low > 1) {
        auto const middle = low + (high - low) / 2;
        if (static_cast<std::int64_t>(from.offsets[middle]) <= row) low = middle;
        else high = middle;
      }
      *to = {low, row - static_cast<std::int64_t>(from.offsets[low])};
    } else {
      std::int64_t begin = 0, s = 0;
      for (; s + 1 < from.count; ++s) {
        auto const length = static_cast<std::int64_t>(from.lengths[s]);
        if (begin + length > row) break;
        begin += length;
      }
      *to = {s, row - begin};
    }
  }
};
/// What heads up to a row say of it.
template <class Source>
struct count_head {
  Source source;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator()(std::int64_t i) const { return source(i + 1) ? 1 : 0; }
};
template <class Source>
struct place_of_head {
  Source source;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator()(std::int64_t i) const { return source(i + 1) ? i + 1 : 0; }
};
struct later_row {
  SWEEP_HD std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a < b ? b : a; }
};

template <class Policy, class Segments>
row_of_segment place_in_segments(Policy const& policy, char const* call, Segments from, std::int64_t row) {
  if constexpr (requires { head_source_of(from); }) {
    auto const source = head_source_of(from);
    using heads = std::remove_const_t<decltype(source)>;
    auto const segment = fold_of(policy, call, count_head<heads>{source}, row, 0, plus{});
    auto const first = fold_of(policy, call, place_of_head<heads>{source}, row, 0, later_row{});
    return {segment, row - first};
  } else {
    auto result = host_result_of<row_of_segment>(policy, call);
    auto const run = [&](auto segments) {
      for_each_index(result.rest(), call, 1,
                     find_segment<decltype(segments)>{segments, row, result.pointer()});
    };
    if constexpr (requires { from.offsets; })
      run(offset_segments<unwrapped_t<decltype(from.offsets)>>{unwrapped(from.offsets), from.count});
    else run(length_segments<unwrapped_t<decltype(from.lengths)>>{unwrapped(from.lengths), from.count});
    return result.value();
  }
}

template <class Policy, class System>
void require_regular(Policy const& policy, char const* call, System const& system, std::int64_t found) {
  if (found < 0) return;
  if constexpr (has_segments<System>) {
    auto const place = place_in_segments(without_tags(policy), call, system.segments, found);
    refuse_argument(call, "system", "is singular: segment ", place.segment, ", row ", place.row);
  } else {
    refuse_argument(call, "system", "is singular: system ", found / system.layout.n, ", row ",
                    found % system.layout.n);
  }
}

template <class Policy, class System>
void tridiagonal_solve(char const* call, Policy const& given, System const& system) {
  auto const target = resolve<options_of_system<System>>(given);
  require_systems(target.policy, call, system);
  if constexpr (is_checked<std::remove_cvref_t<decltype(target.policy)>>) {
    std::int64_t found = -1;
    solve_checked(call, target.policy, system, found);
    require_regular(target.policy, call, system, found);
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
  auto const target = resolve<options_of_system<System>>(given);
  auto const out = unwrapped(first_singular);
  require_systems(target.policy, call, system);
  require_range(target.policy, call, "first_singular", out);
  if constexpr (is_checked<std::remove_cvref_t<decltype(target.policy)>>) {
    std::int64_t found = -1;
    solve_checked(call, target.policy, system, found);
    require_regular(target.policy, call, system, found);
    for_each_index(without_tags(target.policy), call, 1, tell_none<std::remove_const_t<decltype(out)>>{out});
  } else {
    solve_and_tell(call, target.policy, system, out);
  }
  finish(call, target);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_EXPAND_DISPATCH_HPP
#define SWEEP_DETAIL_EXPAND_DISPATCH_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/expand/host.hpp>
#include <sweep/detail/expand/problem.hpp>
#include <sweep/detail/partition/problem.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/scan/dispatch.hpp>
#include <sweep/detail/segmented_scan/validate.hpp>
#include <sweep/segments.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/expand/device.cuh>
#endif

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

template <class T>
inline constexpr bool is_offsets = false;
template <class It>
inline constexpr bool is_offsets<offset_segments<It>> = true;

/// i where count i is negative, or offset i + 1 less than the one before it; or else more than any.
template <class It>
struct bad_count {
  It counts;
  std::int64_t n;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator()(std::int64_t i) const {
    return static_cast<std::int64_t>(counts[i]) < 0 ? i : n;
  }
};
template <class It>
struct falling_offset {
  given_offsets<It> places;
  std::int64_t n;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator()(std::int64_t i) const { return places.end(i) < places.begin(i) ? i : n; }
};

/// Counts that are a range are there for all items, and an output has the room that it is said to have.
struct has_room {
  template <class Input, class Counts, class Out, std::integral Room, class Total>
  constexpr void operator()(Input const& input, Counts& counts, Out& out, Room const& room,
                            Total& total) const {
    item_for_each<0, 1>{}(input, counts);
    input.require_room("out", out, static_cast<std::int64_t>(room));
    input.require_room("total", total, 1);
  }
};

inline constexpr std::int64_t any_room = largest_sum;

/// From the public call to a problem, and to where it runs. Total: where the number of repetitions goes;
/// counts_name: what the call calls its counts.
SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class Counts, class Out, class Total>
SWEEP_HD void expand_where(Policy const& policy, char const* call, char const* counts_name, In first,
                           std::int64_t n, Counts const& counts, Out out, std::int64_t room, Total total) {
  auto const in = unwrapped(first);
  auto const to = unwrapped(out);
  auto const counted = counts_through(unwrapped(total));
  if (room < 0) refuse_argument(call, "room", "is negative: ", room);
  require_pointer(call, "total", unwrapped(total));
  if (n > 0) {
    require_range(policy, call, "first", in);
    // An output of which the call alone finds how long it is may be empty.
    if (room > 0 && room < any_room) require_range(policy, call, "out", to);
  }
  auto const run = [&](auto const& rest, auto const& places) {
    expand_problem<unwrapped_t<In>, std::decay_t<decltype(places)>, unwrapped_t<Out>,
                   std::remove_const_t<decltype(counted)>> const problem{in, n, places, to, room, counted};
    if constexpr (on_host<Policy>)
      if (problem.written() == any_room)
        refuse_argument(call, counts_name, "repeat more items than 63 bits count");
    if constexpr (require_becomes<Out, value_of<In>>()) run_expand(without_tags(rest), call, problem);
  };
  if constexpr (is_offsets<Counts>) {
    auto const offsets = unwrapped(counts.offsets);
    using offsets_type = std::remove_const_t<decltype(offsets)>;
    if (counts.count != n)
      refuse_argument(call, "offsets", "describe ", counts.count, " segments, but there are ", n, " items");
    if (n > 0) require_range(policy, call, "offsets", offsets);
    given_offsets<offsets_type> const places{offsets};
    if constexpr (is_checked<Policy>)
      if (auto const bad =
              fold_of(without_tags(policy), call, falling_offset<offsets_type>{places, n}, n, n, lesser{});
          bad < n)
        refuse_argument(call, "offsets", "decrease at index ", bad + 1);
    run(policy, places);
  } else {
    auto const by = unwrapped(counts);
    using by_type = std::remove_const_t<decltype(by)>;
    static_assert(std::is_convertible_v<value_of<by_type>, std::int64_t> &&
                      !std::is_floating_point_v<value_of<by_type>>,
                  "sweep: counts must be integers, which say how often each item is repeated");
    if (n > 0) require_range(policy, call, counts_name, by);
    if constexpr (is_checked<Policy>)
      if (auto const bad = fold_of(without_tags(policy), call, bad_count<by_type>{by, n}, n, n, lesser{});
          bad < n)
        refuse_argument(call, counts_name, "are negative at index ", bad, ": ",
                        value_at(without_tags(policy), call, by, bad).c_str());
    if constexpr (runs_in_one_loop<Policy>) run(policy, running_counts<by_type>{by});
    else
      with_memory<std::int64_t>(policy, call, n, [&](auto const& rest, std::int64_t* ends) {
        if (n > 0)
          run_scan(without_tags(rest), call,
                   scan_problem<scan_kind::inclusive, direction::forward, std::int64_t, by_type,
                                std::int64_t*, std::conditional_t<on_host<Policy>, saturating_plus, plus>,
                                no_fewer_than_none<by_type>>{by, ends, {}, {}, {}, {n}});
        run(rest, scanned_counts{ends});
      });
  }
}

SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class Counts, class Out, class Total>
SWEEP_HD void expand_to(char const* call, char const* counts_name, Policy const& given, In first, In last,
                        Counts const& counts, Out out, std::int64_t room, Total total) {
  auto const target = resolve<no_options>(given);
  auto const n = checked_distance(call, first, last);
  expand_where(target.policy, call, counts_name, first, n, counts, out, room, total);
  finish(call, target);
}

/// The number of repetitions is brought to the host. There is no room at a null pointer, which is refused
/// once it is known that there are any.
SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class Counts, class Out>
SWEEP_HD std::int64_t expand_counted(char const* call, char const* counts_name, Policy const& given, In first,
                                     In last, Counts const& counts, Out out) {
  auto const target = resolve<no_options>(given);
  auto const n = checked_distance(call, first, last);
  if (n == 0) return 0;
  auto result = host_result_of<std::int64_t>(target.policy, call);
  auto room = any_room;
  if constexpr (std::is_pointer_v<unwrapped_t<Out>>)
    if (unwrapped(out) == nullptr) room = 0;
  expand_where(result.rest(), call, counts_name, first, n, counts, out, room, result.pointer());
  auto const all = result.value();
  if (all > 0) require_pointer(call, "out", unwrapped(out));
  return all;
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_POLICY_OPTIONS_HPP
#define SWEEP_DETAIL_CORE_POLICY_OPTIONS_HPP

#include <sweep/plan.hpp>
#include <sweep/variant.hpp>

#include <type_traits>

namespace sweep::detail {

template <class>
inline constexpr bool never = false;

/// What a tag decides. A policy carries at most one tag of each.
enum class axis {
  none,
  across_tiles,
  within_tile,
  reduce_by,
  compact_by,
  scan_plan,
  reduce_plan,
  partition_plan
};

constexpr axis axis_for(across_tiles) { return axis::across_tiles; }
constexpr axis axis_for(within_tile) { return axis::within_tile; }
constexpr axis axis_for(reduce_by) { return axis::reduce_by; }
constexpr axis axis_for(compact_by) { return axis::compact_by; }
constexpr axis axis_for(scan_plan) { return axis::scan_plan; }
constexpr axis axis_for(reduce_plan) { return axis::reduce_plan; }
constexpr axis axis_for(partition_plan) { return axis::partition_plan; }

template <class Tag>
inline constexpr axis axis_of = [] {
  if constexpr (requires { axis_for(Tag::value); }) return axis_for(Tag::value);
  else return axis::none;
}();

template <class Tag>
inline constexpr bool is_choice = axis_of<Tag> != axis::none;

template <class Tag, class... Choices>
inline constexpr bool has_axis = ((axis_of<Choices> == axis_of<Tag>) || ...);

/// The value chosen on an axis, or `otherwise`.
template <axis Which, class Value>
constexpr Value chosen_from(Value otherwise) {
  return otherwise;
}
template <axis Which, class Value, class First, class... Rest>
constexpr Value chosen_from(Value otherwise, First, Rest... rest) {
  if constexpr (axis_of<First> == Which) return First::value;
  else return chosen_from<Which>(otherwise, rest...);
}
template <axis Which, auto Otherwise, class... Choices>
inline constexpr auto chosen = chosen_from<Which>(Otherwise, Choices{}...);

template <axis Which, class... Choices>
inline constexpr bool chooses = ((axis_of<Choices> == Which) || ...);

/// Tags and plans that only compactions have.
template <class... Choices>
inline constexpr bool chooses_compaction =
    chooses<axis::compact_by, Choices...> || chooses<axis::partition_plan, Choices...>;

}  // namespace sweep::detail

#endif

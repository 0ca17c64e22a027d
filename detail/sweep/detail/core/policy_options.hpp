// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_POLICY_OPTIONS_HPP
#define SWEEP_DETAIL_CORE_POLICY_OPTIONS_HPP

#include <sweep/plan.hpp>
#include <sweep/variant.hpp>

#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

template <class>
inline constexpr bool never = false;

// A policy carries tags: variants, plans, and whether expensive preconditions are checked. A tag's axis is
// the type of its value; a policy has at most one tag of an axis.

template <class Tag>
concept policy_tag = requires {
  typename Tag::axis;
};

/// The tag that .checked() leaves in a policy.
struct checked_t {
  using axis = checked_t;
};

template <class Axis, class... Tags>
inline constexpr bool has_axis = (std::is_same_v<typename Tags::axis, Axis> || ...);

template <class... Tags>
inline constexpr bool has_checked = has_axis<checked_t, Tags...>;

/// Whether a tag is a plan. Plans are for the device.
template <class Tag>
inline constexpr bool is_plan = false;
template <auto Plan>
inline constexpr bool is_plan<plan_t<Plan>> = true;

/// The value chosen on an axis, or `otherwise`.
template <class Axis>
constexpr Axis chosen_from(Axis otherwise) {
  return otherwise;
}
template <class Axis, class First, class... Rest>
constexpr Axis chosen_from(Axis otherwise, First, Rest... rest) {
  if constexpr (std::is_same_v<typename First::axis, Axis>) return First::value;
  else return chosen_from<Axis>(otherwise, rest...);
}
/// Where nothing is chosen it is the first enumerator, which is the default of every axis of variants.
template <class Axis, class... Tags>
inline constexpr Axis chosen = chosen_from<Axis>(Axis{}, Tags{}...);

struct no_plan {};
template <class Plan>
constexpr no_plan plan_tag_from() {
  return {};
}
template <class Plan, class First, class... Rest>
constexpr auto plan_tag_from(First first, Rest... rest) {
  if constexpr (std::is_same_v<typename First::axis, Plan>) return first;
  else return plan_tag_from<Plan>(rest...);
}
/// The tag of the caller's own plan, or no_plan.
template <class Plan, class... Tags>
using own_plan = decltype(plan_tag_from<Plan>(Tags{}...));

// What an algorithm sees of a policy's tags: those that say a default are left out, so that saying it changes
// nothing.

template <class... Tags>
struct tag_list {
  template <class... More>
  friend constexpr tag_list<Tags..., More...> operator+(tag_list, tag_list<More...>) {
    return {};
  }
};
template <class Tag>
constexpr bool says_default() {
  if constexpr (std::is_enum_v<typename Tag::axis>) return Tag::value == typename Tag::axis{};
  else return false;
}
template <class... Tags>
using without_defaults =
    decltype((tag_list<>{} + ... + std::conditional_t<says_default<Tags>(), tag_list<>, tag_list<Tags>>{}));

template <class Axis, class... Tags>
using without_axis =
    decltype((tag_list<>{} + ... +
              std::conditional_t<std::is_same_v<typename Tags::axis, Axis>, tag_list<>, tag_list<Tags>>{}));

/// Whether a tag is on one of these axes.
template <class Tag, class... Axes>
inline constexpr bool is_on = (std::is_same_v<typename Tag::axis, Axes> || ...);

// The options of an algorithm: a type with require<OnHost, Tags...>(), one readable line where the algorithm
// does not have what a policy carries.

struct no_options {
  template <bool OnHost, class... Tags>
  static constexpr void require() {
    static_assert((is_on<Tags, checked_t> && ...), "sweep: this call has no variants and no plans");
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

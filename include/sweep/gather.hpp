// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_GATHER_HPP
#define SWEEP_GATHER_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/gather/dispatch.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>

#include <cstdint>

/// \file
/// Gathers and scatters: items from, or to, the places that a map says.

/// \defgroup gather Gathers and scatters
/// `#include <sweep/gather.hpp>`: items from, or to, the places that a map of integers says. Arguments stand
/// in Thrust's order.
///
/// - **types**: any random-access iterators; the map's items convert to integers of 64 bits. Items are
///   converted to out's value type.
/// - **maps** lead to places that exist; how many these are no call is told. `.checked()` refuses negative
///   ones.
/// - **waiting**: never, but with `.checked()` for its answer; on the device ordered on the stream, and can
///   be captured in a graph.
/// - **scratch**: none, with `.checked()` less than 64 KiB.
/// - **exceptions** of a predicate or an iterator on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup gather
/// @{

/// Items from where a map says: out[i] = in[map[i]].
///
/// \param policy             where to run: seq, host, device, or a policy of Thrust's
/// \param map_first,map_last n integers, which may be equal
/// \param in                 as many items as the map leads to
/// \param out                n items
/// \return                   out + n
///
/// \par Promises
/// - aliasing: out overlaps neither the map nor what it leads to.
/// - waiting: never, but with .checked(); can be captured in a graph.
/// - determinism: always.
/// - complexity: n reads and n writes; the map is read once, in order.
/// - scratch: none, with .checked() less than 64 KiB.
/// - errors, before anything is written: cuda_error; bad_argument for map_last before map_first, a null
///   pointer, with .checked() a negative index and a pointer that the device cannot reach.
/// - source: one pass of words of the map (docs/moves.md).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Map, detail::iterator_for<Policy> In,
          detail::output_for<Policy> Out>
SWEEP_HD Out gather(Policy const& policy, Map map_first, Map map_last, In in, Out out) {
  auto const n = detail::checked_distance("gather", map_first, map_last, "map_last", "map_first");
  detail::gather<detail::mapped::input>("gather", policy, n, map_first, detail::every_item{}, in, out,
                                        detail::identity{});
  return out + n;
}

/// Items from where a map says, where a predicate holds for the stencil: if pred(stencil[i]) then out[i] =
/// in[map[i]], else out[i] stays. Other promises as gather.
///
/// \param policy             where to run: seq, host, device, or a policy of Thrust's
/// \param map_first,map_last n integers, of which those that are not used may be anything
/// \param stencil            n items, which pred is called on
/// \param in                 as many items as the map leads to
/// \param out                n items
/// \param pred               pred(stencil item): whether the item is written; by default whether it converts
///                           to true
/// \return                   out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> Map, detail::iterator_for<Policy> Stencil,
          detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Pred = detail::identity>
SWEEP_HD Out gather_if(Policy const& policy, Map map_first, Map map_last, Stencil stencil, In in, Out out,
                       Pred pred = {}) {
  auto const n = detail::checked_distance("gather_if", map_first, map_last, "map_last", "map_first");
  detail::gather<detail::mapped::input>("gather_if", policy, n, map_first, stencil, in, out, pred);
  return out + n;
}

/// Items to where a map says: out[map[i]] = x[i].
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items x[i]
/// \param map         n different integers
/// \param out         as many items as the map leads to; those that it does not lead to stay
///
/// \par Promises
/// - order: of two items with one place either is there in the end, on seq the last; on host such a map is a
///   data race.
/// - aliasing: what is written overlaps neither the items nor the map.
/// - waiting: never, but with .checked(); can be captured in a graph.
/// - determinism: always, where the map's integers are different.
/// - complexity: n reads and n writes; items and map are read once, in order.
/// - scratch: none, with .checked() less than 64 KiB.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer, with
///   .checked() a negative index and a pointer that the device cannot reach.
/// - source: one pass of words of items and map (docs/moves.md).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Map,
          detail::output_for<Policy> Out>
SWEEP_HD void scatter(Policy const& policy, In first, In last, Map map, Out out) {
  auto const n = detail::checked_distance("scatter", first, last);
  detail::gather<detail::mapped::output>("scatter", policy, n, map, detail::every_item{}, first, out,
                                         detail::identity{});
}

/// Items to where a map says, where a predicate holds for the stencil: if pred(stencil[i]) then out[map[i]] =
/// x[i]. Other promises as scatter.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items x[i]
/// \param map         n integers, of which those that are used are different, and the others may be anything
/// \param stencil     n items, which pred is called on
/// \param out         as many items as the map leads to; those that it does not lead to stay
/// \param pred        pred(stencil item): whether the item is written; by default whether it converts to true
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Map,
          detail::iterator_for<Policy> Stencil, detail::output_for<Policy> Out,
          detail::function_like Pred = detail::identity>
SWEEP_HD void scatter_if(Policy const& policy, In first, In last, Map map, Stencil stencil, Out out,
                         Pred pred = {}) {
  auto const n = detail::checked_distance("scatter_if", first, last);
  detail::gather<detail::mapped::output>("scatter_if", policy, n, map, stencil, first, out, pred);
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto gather = [](auto const&... all) -> decltype(sweep::gather(all...)) {
  return sweep::gather(all...);
};
inline constexpr auto gather_if = [](auto const&... all) -> decltype(sweep::gather_if(all...)) {
  return sweep::gather_if(all...);
};
inline constexpr auto scatter = [](auto const&... all) -> decltype(sweep::scatter(all...)) {
  return sweep::scatter(all...);
};
inline constexpr auto scatter_if = [](auto const&... all) -> decltype(sweep::scatter_if(all...)) {
  return sweep::scatter_if(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto gather(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<2, 2, 1>("gather", detail::canonical::gather, first, rest...);
}
template <class First, class... Rest>
auto gather_if(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<3, 1>("gather_if", detail::canonical::gather_if, first, rest...);
}
template <class First, class... Rest>
auto scatter(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<2, 1>("scatter", detail::canonical::scatter, first, rest...);
}
template <class First, class... Rest>
auto scatter_if(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<3, 2>("scatter_if", detail::canonical::scatter_if, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_THREE_WAY_PARTITION_HPP
#define SWEEP_THREE_WAY_PARTITION_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/partition/dispatch.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>
#include <sweep/pair.hpp>

/// \file
/// Compactions into three outputs.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup partition
/// @{

/// The ends of three outputs.
template <class Out1, class Out2, class Out3>
struct three_ends {
  Out1 first;   ///< of the first output
  Out2 second;  ///< of the second
  Out3 third;   ///< of the third
};

/// Copies the items that pred1 holds for to the first output, of the others those that pred2 holds for to the
/// second, and the rest to the third.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out1        the items that pred1 holds for; room for all of them, at most n
/// \param out2        the others that pred2 holds for; room for all of them, at most n
/// \param out3        the rest; room for all of them, at most n
/// \param pred1       pred1(x): whether x goes to out1
/// \param pred2       pred2(x): whether x goes to out2; not called where pred1 holds
/// \return            the ends of the three outputs
///
/// \par Promises
/// - order: each output keeps the input's.
/// - aliasing: outputs overlap neither the input nor each other.
/// - waiting: for the counts, which three_way_partition_copy_into does not.
/// - determinism: the same items in the same places, always.
/// - complexity: each item is read, and each predicate called on it at most, once; three_kernel: twice.
/// - scratch: less than 1 % of the input and 64 KiB.
/// - errors: cuda_error; bad_argument for last before first, a null pointer, too little scratch, a plan that
///   the device cannot run, with .checked() a pointer that it cannot reach.
/// - source: a scan of counts (Blelloch 1990), by the look-back of the scans (docs/lookback.md) in one
///   kernel; three_kernel: in three.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out1,
          detail::output_for<Policy> Out2, detail::output_for<Policy> Out3, detail::function_like Pred1,
          detail::function_like Pred2>
SWEEP_HD three_ends<Out1, Out2, Out3> three_way_partition_copy(Policy const& policy, In first, In last,
                                                               Out1 out1, Out2 out2, Out3 out3, Pred1 pred1,
                                                               Pred2 pred2) {
  auto const all = detail::partition_counts<detail::placement::out_of_place>(
      "three_way_partition_copy", policy, first, last, detail::no_stencil{},
      detail::by_two_predicates{detail::device_functor(pred1), detail::device_functor(pred2)},
      detail::part_outputs{out1, out2, out3});
  return {detail::end_of(out1, all, 0), detail::end_of(out2, all, 1),
          detail::end_of_rest(out3, all, first, last)};
}

/// three_way_partition_copy that writes how many items the first two outputs have, and never waits: it can be
/// captured in a graph. Other promises as three_way_partition_copy.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out1        the items that pred1 holds for; room for all of them, at most n
/// \param out2        the others that pred2 holds for; room for all of them, at most n
/// \param out3        the rest; room for all of them, at most n
/// \param counts      two integers: the numbers of items in out1 and out2
/// \param pred1       pred1(x): whether x goes to out1
/// \param pred2       pred2(x): whether x goes to out2; not called where pred1 holds
/// \return            counts + 2
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out1,
          detail::output_for<Policy> Out2, detail::output_for<Policy> Out3, detail::output_for<Policy> Counts,
          detail::function_like Pred1, detail::function_like Pred2>
SWEEP_HD Counts three_way_partition_copy_into(Policy const& policy, In first, In last, Out1 out1, Out2 out2,
                                              Out3 out3, Counts counts, Pred1 pred1, Pred2 pred2) {
  detail::partition_to<detail::placement::out_of_place>(
      "three_way_partition_copy_into", policy, first, last, detail::no_stencil{},
      detail::by_two_predicates{detail::device_functor(pred1), detail::device_functor(pred2)},
      detail::part_outputs{out1, out2, out3}, counts);
  return counts + 2;
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto three_way_partition_copy =
    [](auto const&... all) -> decltype(sweep::three_way_partition_copy(all...)) {
  return sweep::three_way_partition_copy(all...);
};
inline constexpr auto three_way_partition_copy_into =
    [](auto const&... all) -> decltype(sweep::three_way_partition_copy_into(all...)) {
  return sweep::three_way_partition_copy_into(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto three_way_partition_copy(First const& first, Rest&&... rest) {
  return detail::complete_call<3>(detail::canonical::three_way_partition_copy, first, rest...);
}
template <class First, class... Rest>
auto three_way_partition_copy_into(First const& first, Rest&&... rest) {
  return detail::complete_call_into<4, 2>("three_way_partition_copy_into",
                                          detail::canonical::three_way_partition_copy_into, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_DISPATCH_HPP
#define SWEEP_DETAIL_PARTITION_DISPATCH_HPP

#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/zip.hpp>
#include <sweep/detail/partition/host.hpp>
#include <sweep/detail/partition/problem.hpp>
#include <sweep/detail/partition/tuning.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/resolve.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/partition/device.cuh>

#include <cstddef>
#include <cstdint>
#endif

namespace sweep::inline SWEEP_ABI::detail {

/// A call's arguments as a problem: iterators unwrapped, preconditions checked.
template <placement Where, class In, class Tested, class Select, class A, class B, class C, class Count>
auto partition_problem_of(char const* call, In first, std::int64_t n, Tested tested, Select select,
                          part_outputs<A, B, C> outputs, Count count) {
  auto const counts = counts_through(unwrapped(count));
  part_outputs<unwrapped_t<A>, unwrapped_t<B>, unwrapped_t<C>> const to{
      unwrapped(outputs.a), unwrapped(outputs.b), unwrapped(outputs.c)};
  using problem = partition_problem<Where, unwrapped_t<Tested>, Select, unwrapped_t<In>,
                                    std::remove_const_t<decltype(to)>, std::remove_const_t<decltype(counts)>>;
  Select::template require<typename problem::tested_value>();
  problem const all{unwrapped(tested), select, unwrapped(first), to, counts, {n}};
  if (n > 0) {
    require_pointer(call, "first", all.in);
    require_pointer(call, "stencil", all.stencil);
    require_pointer(call, "out", to.a);
    require_pointer(call, "the second output", to.b);
    require_pointer(call, "the third output", to.c);
  }
  require_pointer(call, "count", unwrapped(count));
  return all;
}

// From a public call to where it runs. _to: the counts are written, nobody waits. _counts: they are brought
// to the host, without a kernel where the range is empty.

template <placement Where, class Policy, class In, class Tested, class Select, class Outputs, class Count>
void partition_to(char const* call, Policy const& given, In first, In last, Tested tested, Select select,
                  Outputs outputs, Count count) {
  auto const target = resolve<partition_options>(given);
  require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Select, In, Tested, Outputs>();
  auto const n = checked_distance(call, first, last);
  run_partition(target.policy, call,
                partition_problem_of<Where>(call, first, n, tested, select, outputs, count));
  finish(call, target);
}

template <placement Where, class Policy, class In, class Tested, class Select, class Outputs>
auto partition_counts(char const* call, Policy const& given, In first, In last, Tested tested, Select select,
                      Outputs outputs) {
  using counts = part_counts<Select::parts - 1>;
  auto const target = resolve<partition_options>(given);
  require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Select, In, Tested, Outputs>();
  auto const n = checked_distance(call, first, last);
  if (n == 0) return counts{};
  auto result = host_result_of<counts>(target.policy, call);
  run_partition(result.rest(), call,
                partition_problem_of<Where>(call, first, n, tested, select, outputs, result.pointer()));
  return result.value();
}

/// Both parts in place, the first before the second.
template <class Policy, class In, class Tested, class Select, class Count>
void stable_partition_to(char const* call, Policy const& given, In first, In last, Tested tested,
                         Select select, Count count) {
  auto const target = resolve<partition_options>(given);
  require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Select, In, Tested>();
  auto const n = checked_distance(call, first, last);
  run_stable_partition(
      target.policy, call,
      partition_problem_of<placement::in_place>(call, first, n, tested, select, part_outputs{first}, count));
  finish(call, target);
}

template <class Policy, class In, class Tested, class Select>
auto stable_partition_counts(char const* call, Policy const& given, In first, In last, Tested tested,
                             Select select) {
  using counts = part_counts<Select::parts - 1>;
  auto const target = resolve<partition_options>(given);
  require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Select, In, Tested>();
  auto const n = checked_distance(call, first, last);
  if (n == 0) return counts{};
  auto result = host_result_of<counts>(target.policy, call);
  run_stable_partition(result.rest(), call,
                       partition_problem_of<placement::in_place>(call, first, n, tested, select,
                                                                 part_outputs{first}, result.pointer()));
  return result.value();
}

/// Where an end lies: the count of a part that has one, or what is left of n.
template <class Out, int Counts>
Out end_of(Out out, part_counts<Counts> const& all, int part) {
  return out + static_cast<std::ptrdiff_t>(all.of[part]);
}
template <class Out, int Counts, class In>
Out end_of_rest(Out out, part_counts<Counts> const& all, In first, In last) {
  auto rest = static_cast<std::int64_t>(last - first);
  for (auto const count : all.of) rest -= count;
  return out + static_cast<std::ptrdiff_t>(rest);
}

// Pairs of key and value, of which the keys decide.

template <class Keys, class Values, class KeysOut, class ValuesOut>
void require_pairs(char const* call, Keys first, Keys last, Values values, KeysOut keys_out,
                   ValuesOut values_out) {
  if (last == first) return;
  require_pointer(call, "keys_first", unwrapped(first));
  require_pointer(call, "values_first", unwrapped(values));
  require_pointer(call, "keys_out", unwrapped(keys_out));
  require_pointer(call, "values_out", unwrapped(values_out));
}

template <placement Where, class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Eq,
          class Count>
void unique_pairs_to(char const* call, Policy const& policy, Keys first, Keys last, Values values,
                     KeysOut keys_out, ValuesOut values_out, Count count, Eq eq) {
  require_pairs(call, first, last, values, keys_out, values_out);
  partition_to<Where>(call, policy, zipped(first, values), zipped(last, values + (last - first)), first,
                      first_of_run{device_functor(eq)}, part_outputs{zipped_output(keys_out, values_out)},
                      count);
}

template <placement Where, class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Eq>
std::int64_t unique_pairs(char const* call, Policy const& policy, Keys first, Keys last, Values values,
                          KeysOut keys_out, ValuesOut values_out, Eq eq) {
  require_pairs(call, first, last, values, keys_out, values_out);
  return partition_counts<Where>(call, policy, zipped(first, values), zipped(last, values + (last - first)),
                                 first, first_of_run{device_functor(eq)},
                                 part_outputs{zipped_output(keys_out, values_out)})
      .of[0];
}

/// A flag as a predicate and as a number.
struct is_set {
  template <class Flag>
  SWEEP_HD constexpr bool operator()(Flag const& flag) const {
    return static_cast<bool>(flag);
  }
};
template <class T>
struct set_as_one {
  template <class Flag>
  SWEEP_HD constexpr T operator()(Flag const& flag) const {
    return static_cast<bool>(flag) ? T{1} : T{0};
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_DISPATCH_HPP
#define SWEEP_DETAIL_PARTITION_DISPATCH_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/zip.hpp>
#include <sweep/detail/partition/host.hpp>
#include <sweep/detail/partition/problem.hpp>
#include <sweep/detail/partition/tuning.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/resolve.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/partition/device.cuh>
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// Whether a selector can be called with what is tested.
template <class Select, class In, class Tested>
SWEEP_HD constexpr bool can_select() {
  if constexpr (std::is_same_v<Tested, no_stencil>) return Select::template require<value_of<In>>();
  else return Select::template require<value_of<Tested>>();
}

/// Whether items become what the outputs of parts have; those that stay in their range may be moved.
template <placement Where, class In, class A, class B, class C>
SWEEP_HD constexpr bool parts_take(std::type_identity<part_outputs<A, B, C>>) {
  if constexpr (!require_becomes<A, value_of<In>>()) return false;
  else if constexpr (!require_copies<A, In, Where == placement::out_of_place>()) return false;
  else if constexpr (!std::is_same_v<B, discarded>)
    return parts_take<Where, In>(std::type_identity<part_outputs<B, C>>{});
  else return true;
}

/// A call's arguments as a problem: iterators unwrapped, preconditions checked.
SWEEP_NO_EXEC_CHECK
template <placement Where, class In, class Tested, class Select, class A, class B, class C, class Count>
SWEEP_HD auto partition_problem_of(char const* call, In first, std::int64_t n, Tested tested, Select select,
                                   part_outputs<A, B, C> outputs, Count count) {
  auto const counts = counts_through(unwrapped(count));
  part_outputs<unwrapped_t<A>, unwrapped_t<B>, unwrapped_t<C>> const to{
      unwrapped(outputs.a), unwrapped(outputs.b), unwrapped(outputs.c)};
  using problem = partition_problem<Where, unwrapped_t<Tested>, Select, unwrapped_t<In>,
                                    std::remove_const_t<decltype(to)>, std::remove_const_t<decltype(counts)>>;
  problem const all{unwrapped(tested), select, unwrapped(first), to, counts, {n}};
  if (n > 0) {
    require_pointer(call, "first", all.in);
    require_pointer(call, stencil_name<Select>(), all.stencil);
  }
  require_pointer(call, "count", unwrapped(count));
  return all;
}

// An output of no items may be a null pointer, and before the call nobody knows whether it is one: memory
// stands in for it.

/// Calls f(policy, problem) with an output for every part.
template <int Part = 0, class Policy, class Problem, class F>
void with_all_outputs(Policy const& policy, char const* call, Problem const& problem, F f) {
  if constexpr (Part == Problem::written) {
    f(policy, problem);
  } else {
    auto const& out = problem.outputs.template of<Part>();
    using item = std::remove_pointer_t<std::remove_cvref_t<decltype(out)>>;
    if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(out)>>) {
      if (problem.grid.n > 0 && out == nullptr) {
        if constexpr (std::is_default_constructible_v<item> && !std::is_const_v<item>)
          return with_memory<item>(policy, call, problem.grid.n, [&](auto const& rest, item* instead) {
            auto other = problem;
            if constexpr (Part == 0) other.outputs.a = instead;
            else if constexpr (Part == 1) other.outputs.b = instead;
            else other.outputs.c = instead;
            with_all_outputs<Part + 1>(rest, call, other, f);
          });
        else throw_null_pointer(call, output_name(Problem::written, Part));
      }
    }
    with_all_outputs<Part + 1>(policy, call, problem, f);
  }
}

/// Once it is known how many items each part has.
template <class Outputs, int Counts>
void require_outputs_of(char const* call, Outputs const& outputs, part_counts<Counts> const& all,
                        std::int64_t n) {
  for_each_part<Outputs::count>([&](auto part) {
    auto items = n;
    if constexpr (part < Counts) items = all.of[part];
    else
      for (auto const count : all.of) items -= count;
    if (items > 0) require_pointer(call, output_name(Outputs::count, part), outputs.template of<part>());
  });
}

// From a public call to where it runs. _to: the counts are written, nobody waits. _counts: they are brought
// to the host, without a kernel where the range is empty.

template <placement Where, class Policy, class In, class Tested, class Select, class Outputs, class Count>
void partition_to(char const* call, Policy const& given, In first, In last, Tested tested, Select select,
                  Outputs outputs, Count count) {
  auto const target = resolve<partition_options>(given);
  auto const callable =
      require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Select, In, Tested, Outputs>();
  constexpr bool selects = can_select<Select, In, Tested>();
  auto const n = checked_distance(call, first, last);
  if constexpr (callable && selects &&
                runs_with<on_host<std::remove_cvref_t<decltype(target.policy)>>, int, value_of<In>>() &&
                parts_take<Where, In>(std::type_identity<Outputs>{}))
    with_all_outputs(target.policy, call,
                     partition_problem_of<Where>(call, first, n, tested, select, outputs, count),
                     [&](auto const& rest, auto const& problem) { run_partition(rest, call, problem); });
  finish(call, target);
}

template <placement Where, class Policy, class In, class Tested, class Select, class Outputs>
auto partition_counts(char const* call, Policy const& given, In first, In last, Tested tested, Select select,
                      Outputs outputs) {
  using counts = part_counts<Select::parts - 1>;
  auto const target = resolve<partition_options>(given);
  auto const callable =
      require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Select, In, Tested, Outputs>();
  constexpr bool selects = can_select<Select, In, Tested>();
  auto const n = checked_distance(call, first, last);
  if (n == 0) return counts{};
  auto result = host_result_of<counts>(target.policy, call);
  if constexpr (callable && selects &&
                runs_with<on_host<std::remove_cvref_t<decltype(target.policy)>>, int, value_of<In>>() &&
                parts_take<Where, In>(std::type_identity<Outputs>{})) {
    auto const problem =
        partition_problem_of<Where>(call, first, n, tested, select, outputs, result.pointer());
    with_all_outputs(result.rest(), call, problem,
                     [&](auto const& rest, auto const& whole) { run_partition(rest, call, whole); });
    auto const all = result.value();
    require_outputs_of(call, problem.outputs, all, n);
    return all;
  } else {
    return counts{};
  }
}

// The same in one loop, which a kernel's thread can run. There, an output of no items is a null pointer that
// nobody looks at.

SWEEP_NO_EXEC_CHECK
template <placement Where, class Policy, class In, class Tested, class Select, class Outputs, class Count>
  requires(runs_in_one_loop<Policy>)
SWEEP_HD void partition_to(char const* call, Policy const&, In first, In last, Tested tested, Select select,
                           Outputs outputs, Count count) {
#if defined(__CUDA_ARCH__)
  run_partition(seq_policy{}, call,
                partition_problem_of<Where>(call, first, checked_distance(call, first, last), tested, select,
                                            outputs, count));
#else
  partition_to<Where>(call, loop_on_host{}, first, last, tested, select, outputs, count);
#endif
}
SWEEP_NO_EXEC_CHECK
template <placement Where, class Policy, class In, class Tested, class Select, class Outputs>
  requires(runs_in_one_loop<Policy>)
SWEEP_HD auto partition_counts(char const* call, Policy const&, In first, In last, Tested tested,
                               Select select, Outputs outputs) {
#if defined(__CUDA_ARCH__)
  part_counts<Select::parts - 1> all{};
  auto const n = checked_distance(call, first, last);
  if (n > 0)
    run_partition(seq_policy{}, call,
                  partition_problem_of<Where>(call, first, n, tested, select, outputs, &all));
  return all;
#else
  return partition_counts<Where>(call, loop_on_host{}, first, last, tested, select, outputs);
#endif
}

/// Both parts in place, the first before the second.
SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class Tested, class Select, class Count>
SWEEP_HD void stable_partition_to(char const* call, Policy const& given, In first, In last, Tested tested,
                                  Select select, Count count) {
  auto const target = resolve<partition_options>(given);
  auto const callable =
      require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Select, In, Tested>();
  constexpr bool selects = can_select<Select, In, Tested>();
  auto const n = checked_distance(call, first, last);
  if constexpr (callable && selects)
    run_stable_partition(target.policy, call,
                         partition_problem_of<placement::in_place>(call, first, n, tested, select,
                                                                   part_outputs{first}, count));
  finish(call, target);
}

SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class Tested, class Select>
SWEEP_HD auto stable_partition_counts(char const* call, Policy const& given, In first, In last, Tested tested,
                                      Select select) {
  using counts = part_counts<Select::parts - 1>;
  auto const target = resolve<partition_options>(given);
  auto const callable =
      require_callable<on_host<std::remove_cvref_t<decltype(target.policy)>>, Select, In, Tested>();
  constexpr bool selects = can_select<Select, In, Tested>();
  auto const n = checked_distance(call, first, last);
  if (n == 0) return counts{};
  auto result = host_result_of<counts>(target.policy, call);
  if constexpr (callable && selects)
    run_stable_partition(result.rest(), call,
                         partition_problem_of<placement::in_place>(call, first, n, tested, select,
                                                                   part_outputs{first}, result.pointer()));
  return result.value();
}

/// Where an end lies: the count of a part that has one, or what is left of n.
SWEEP_NO_EXEC_CHECK
template <class Out, int Counts>
SWEEP_HD Out end_of(Out out, part_counts<Counts> const& all, int part) {
  return out + static_cast<std::ptrdiff_t>(all.of[part]);
}
SWEEP_NO_EXEC_CHECK
template <class Out, int Counts, class In>
SWEEP_HD Out end_of_rest(Out out, part_counts<Counts> const& all, In first, In last) {
  auto rest = static_cast<std::int64_t>(last - first);
  for (auto const count : all.of) rest -= count;
  return out + static_cast<std::ptrdiff_t>(rest);
}

// Pairs of key and value, of which the keys decide.

SWEEP_NO_EXEC_CHECK
template <class Keys, class Values, class KeysOut, class ValuesOut>
SWEEP_HD void require_pairs(char const* call, Keys first, Keys last, Values values, KeysOut keys_out,
                            ValuesOut values_out) {
  if (checked_distance(call, first, last, "keys_last", "keys_first") == 0) return;
  require_pointer(call, "keys_first", unwrapped(first));
  require_pointer(call, "values_first", unwrapped(values));
  require_pointer(call, "keys_out", unwrapped(keys_out));
  require_pointer(call, "values_out", unwrapped(values_out));
}

SWEEP_NO_EXEC_CHECK
template <placement Where, class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Eq,
          class Count>
SWEEP_HD void unique_pairs_to(char const* call, Policy const& policy, Keys first, Keys last, Values values,
                              KeysOut keys_out, ValuesOut values_out, Count count, Eq eq) {
  require_pairs(call, first, last, values, keys_out, values_out);
  if constexpr (require_becomes<KeysOut, value_of<Keys>>() && require_becomes<ValuesOut, value_of<Values>>())
    partition_to<Where>(call, policy, keyed(first, values), keyed(last, values + (last - first)), first,
                        first_of_run{device_functor(eq)}, part_outputs{zipped_output(keys_out, values_out)},
                        count);
}

SWEEP_NO_EXEC_CHECK
template <placement Where, class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Eq>
SWEEP_HD std::int64_t unique_pairs(char const* call, Policy const& policy, Keys first, Keys last,
                                   Values values, KeysOut keys_out, ValuesOut values_out, Eq eq) {
  require_pairs(call, first, last, values, keys_out, values_out);
  if constexpr (require_becomes<KeysOut, value_of<Keys>>() && require_becomes<ValuesOut, value_of<Values>>())
    return partition_counts<Where>(call, policy, keyed(first, values), keyed(last, values + (last - first)),
                                   first, first_of_run{device_functor(eq)},
                                   part_outputs{zipped_output(keys_out, values_out)})
        .of[0];
  else return 0;
}

/// A flag as a number.
template <class T>
struct set_as_one {
  template <class Flag>
    requires requires(Flag const& flag) { static_cast<bool>(flag); }
  SWEEP_HD constexpr T operator()(Flag const& flag) const { return static_cast<bool>(flag) ? T{1} : T{0}; }
};

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_DISPATCH_HPP
#define SWEEP_DETAIL_SEGMENTED_REDUCE_DISPATCH_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/partition/dispatch.hpp>
#include <sweep/detail/runtime/for_each.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/scan/dispatch.hpp>
#include <sweep/detail/segmented_reduce/host.hpp>
#include <sweep/detail/segmented_reduce/problem.hpp>
#include <sweep/detail/segmented_reduce/tails.hpp>
#include <sweep/detail/segmented_scan/dispatch.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/segmented_reduce/device.cuh>
#endif

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// The scan that counts segment starts; make_tails(C{}) makes what it writes to, with segments counted in C:
/// 64 bits where the input may be any, else as many as it takes.
SWEEP_NO_EXEC_CHECK
template <class V, size_class Size, class Policy, class In, class Source, class Op, class Unary,
          class MakeTails>
SWEEP_HD void run_counting_scan(Policy const& policy, char const* call, In in, std::int64_t n,
                                Source const& source, Op op, Unary unary, MakeTails make_tails) {
  auto const run = [&](auto counter) {
    using C = decltype(counter);
    auto const tails = make_tails(counter);
    using value = flagged<V, C>;
    using out = writer<value, std::remove_const_t<decltype(tails)>>;
    using heads = segment_heads<Source, V, false, true>;
    run_scan<Size>(policy, call,
                   scan_problem<scan_kind::inclusive, direction::forward, value, In, out, segmented_op<Op>,
                                Unary, heads>{in, out{tails}, {op}, unary, {}, {n}, heads{source}});
  };
  if constexpr (sizeof(V) >= 8 || Size == size_class::small) run(std::int64_t{});
  else if (n <= std::int64_t{0xffffffff}) run(std::uint32_t{});
  else run(std::int64_t{});
}

// Segments by offsets or lengths may be empty, and a scan of items does not see those. So the others are
// listed.

/// Whether segment s has items; one that leads out of the range has none there.
template <class It>
struct has_items {
  It offsets;
  std::int64_t n;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool operator()(std::int64_t s) const {
    auto const begin = static_cast<std::int64_t>(offsets[s]);
    return begin >= 0 && begin < n && begin < static_cast<std::int64_t>(offsets[s + 1]);
  }
};
template <class It>
struct has_length {
  It lengths;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool operator()(std::int64_t s) const { return lengths[s] > 0; }
};
template <class It>
auto what_has_items(offset_segments<It> const& from, std::int64_t n) {
  return has_items<unwrapped_t<It>>{unwrapped(from.offsets), n};
}
template <class It>
auto what_has_items(length_segments<It> const& from, std::int64_t) {
  return has_length<unwrapped_t<It>>{unwrapped(from.lengths)};
}

/// The numbers of segments: 32 bits where the offsets or lengths have no more.
template <class It>
using segment_id = std::conditional_t<sizeof(value_of<It>) <= 4, std::uint32_t, std::int64_t>;
template <class It>
segment_id<It> id_of(offset_segments<It> const&);
template <class It>
segment_id<It> id_of(length_segments<It> const&);

struct own_index {
  SWEEP_HD constexpr std::int64_t operator()(std::int64_t i) const { return i; }
};

/// Whether a segment has items; the result of one that has none is written at once.
template <class Has, class Out, class V>
struct listed_segment {
  Has has;
  Out out;
  V empty;
  SWEEP_NO_EXEC_CHECK
  template <class Id>
  SWEEP_HD bool operator()(Id s) const {
    if (has(static_cast<std::int64_t>(s))) return true;
    out[static_cast<std::int64_t>(s)] = static_cast<written_value<Out, V>>(empty);
    return false;
  }
};

/// Calls f(policy, place), place as segment_tails wants it.
template <class V, class Policy, class Segments, class Out, class F>
void with_listed_segments(Policy const& policy, char const* call, Segments const& segments, std::int64_t n,
                          Out out, V const& empty, F f) {
  using id = decltype(id_of(segments));
  auto const has = what_has_items(segments, n);
  auto const select =
      select_where(listed_segment<std::remove_const_t<decltype(has)>, Out, V>{has, out, empty});
  reader<id, own_index> const first{{}, 0};
  with_memory<std::int64_t>(policy, call, 1, [&](auto const& after_count, std::int64_t* listed) {
    with_memory<id>(after_count, call, segments.count, [&](auto const& rest, id* ids) {
      run_partition(without_tags(rest), call,
                    partition_problem_of<placement::out_of_place>(call, first, segments.count, no_stencil{},
                                                                  select, part_outputs{ids}, listed));
      f(rest, listed_place<id>{ids, listed});
    });
  });
}

/// A device has a way that needs no list (segmented_reduce/device.cuh), where the policy does not say how.
template <class V, class Policy, class... Rest>
std::false_type reduce_by_offsets(Policy const&, char const*, Rest const&...) {
  return {};
}
template <class Segments>
inline constexpr bool has_own_count = requires(Segments const& s) {
  s.count;
};

/// An empty range has no segments.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Count>
SWEEP_HD void count_none(Policy const& policy, char const* call, Count const& count) {
  using out = decltype(count.out);
  if constexpr (on_host<Policy>) {
    if (!only_obtains()) count(0);
  } else if constexpr (std::is_pointer_v<out> && std::is_arithmetic_v<std::remove_pointer_t<out>>) {
    clear_scratch(call, policy.stream(), count.out, sizeof *count.out);
  } else {
    for_each_index(policy, call, 1, count);
  }
}

/// A scan that writes at segment tails. `count` is called with the number of segments, where the notation
/// does not say it itself. Scratch is obtained before results are written, but for what the scan takes
/// itself.
SWEEP_NO_EXEC_CHECK
template <class Dir, class Policy, class In, class Segments, class Out, class Init, class Op, class Unary,
          class Count>
SWEEP_HD void reduce_segments(Policy const& policy, char const* call, In first, std::int64_t n,
                              Segments const& segments, Out out, Init init, Op op, Unary unary, Count count) {
  using types = reduction<In, Op, Unary, Init>;
  using V = typename types::value;
  using functor = folding_t<V, typename types::op>;
  using in_order = std::conditional_t<std::is_same_v<Dir, forward_t>, functor, swapped_op<functor>>;
  auto const in = unwrapped(first);
  auto const to = unwrapped(out);
  using out_type = std::remove_const_t<decltype(to)>;
  if (n > 0) require_pointer(call, "first", in);
  if constexpr (has_own_count<Segments>) {
    if (segments.count > 0) require_pointer(call, "out", to);
  } else {
    if (n > 0) require_pointer(call, "out", to);
    require_pointer(call, "count", count.out);
  }
  require_segments(policy, call, segments, n);
  auto const result = after_init<V, functor>{static_cast<V>(init), folding<V>(device_functor(op))};
  in_order const ordered{folding<V>(device_functor(op))};
  auto const map = device_functor(unary);

  auto const scan = [&](auto const& rest, auto const& source, auto size, auto const& place) {
    run_counting_scan<V, std::decay_t<decltype(size)>::value>(
        rest, call, in, n, source, ordered, map, [&](auto counter) {
          return segment_tails<V, decltype(counter), out_type, std::decay_t<decltype(source)>,
                               std::decay_t<decltype(place)>, no_keys, Count, after_init<V, functor>>{
              to, source, n, place, {}, count, result};
        });
  };
  if constexpr (has_own_count<Segments> && on_host<Policy>) {
    with_offsets(policy, call, segments, [&](auto const& rest, auto offsets) {
      reduce_listed(rest,
                    listed_segments<V, std::remove_const_t<decltype(in)>, decltype(offsets), out_type,
                                    in_order, std::remove_const_t<decltype(map)>, after_init<V, functor>>{
                        in, n, offsets, segments.count, to, ordered, map, result});
    });
  } else if constexpr (has_own_count<Segments>) {
    if (segments.count == 0) return;
    auto const done = reduce_by_offsets<V>(policy, call, in, n, segments, to, ordered, map, result);
    if constexpr (!done) {
      if (n == 0)  // all are empty
        return with_listed_segments<V>(policy, call, segments, n, to, static_cast<V>(init),
                                       [](auto const&, auto const&) {});
      // Results of segments without items are written before the scan's.
      with_memory_first([&] {
        with_heads(policy, call, segments, n, sizeof(value_of<In>),
                   [&](auto const& with_source, auto const& source, auto size) {
                     with_listed_segments<V>(
                         with_source, call, segments, n, to, static_cast<V>(init),
                         [&](auto const& rest, auto const& place) { scan(rest, source, size, place); });
                   });
      });
    }
  } else {
    if (n == 0) return count_none(policy, call, count);
    with_heads(
        policy, call, segments, n, sizeof(value_of<In>),
        [&](auto const& rest, auto const& source, auto size) { scan(rest, source, size, same_place{}); });
  }
}

// From a public call to where it runs. _to: nobody waits. _counted: the number of segments is brought to the
// host.

SWEEP_NO_EXEC_CHECK
template <class Dir, class Policy, class In, class Segments, class Out, class Init, class Op, class Unary,
          class Count>
SWEEP_HD void segmented_reduce_to(char const* call, Policy const& given, In first, In last,
                                  Segments const& segments, Out out, Init init, Op op, Unary unary,
                                  Count count) {
  auto const target = resolve<scan_options>(given);
  auto const n = checked_distance(call, first, last);
  constexpr bool here = on_host<std::remove_cvref_t<decltype(target.policy)>>;
  require_reproducible<Policy, folding_t<initial_value<Init>, decltype(device_functor(op))>,
                       initial_value<Init>>();
  auto const callable = require_callable<here, Op, Unary, In, Out, Segments>();
  if constexpr (callable && runs_with<here, initial_value<Init>, value_of<In>>() &&
                require_becomes<Out, initial_value<Init>>())
    reduce_segments<Dir>(target.policy, call, first, n, segments, out, init, op, unary, count);
  finish(call, target);
}

SWEEP_NO_EXEC_CHECK
template <class Dir, class Policy, class In, class Segments, class Out, class Init, class Op, class Unary>
SWEEP_HD std::int64_t segmented_reduce_counted(char const* call, Policy const& given, In first, In last,
                                               Segments const& segments, Out out, Init init, Op op,
                                               Unary unary) {
  auto const target = resolve<scan_options>(given);
  auto const n = checked_distance(call, first, last);
  if (n == 0) return 0;
  auto result = host_result_of<std::int64_t>(target.policy, call);
  constexpr bool here = on_host<std::remove_cvref_t<decltype(target.policy)>>;
  require_reproducible<Policy, folding_t<initial_value<Init>, decltype(device_functor(op))>,
                       initial_value<Init>>();
  auto const callable = require_callable<here, Op, Unary, In, Out, Segments>();
  if constexpr (callable && runs_with<here, initial_value<Init>, value_of<In>>() &&
                require_becomes<Out, initial_value<Init>>())
    reduce_segments<Dir>(result.rest(), call, first, n, segments, out, init, op, unary,
                         written_count<std::int64_t*>{result.pointer()});
  return result.value();
}

/// The first key and the fold of each run of equal keys.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Keys, class In, class KeysOut, class Out, class Eq, class Op, class Count>
SWEEP_HD void reduce_runs(Policy const& policy, char const* call, Keys keys_first, std::int64_t n, In values,
                          KeysOut keys_out, Out out, Eq equal, Op op, Count count) {
  using functor = decltype(device_functor(op));
  using V = item_accumulator<functor, value_of<In>>;
  static_assert(makes<V, functor, V&, V&>(), "sweep: the operator cannot be called with two values");
  auto const in = unwrapped(values);
  auto const to = unwrapped(out);
  auto const keys = unwrapped(keys_first);
  auto const keys_to = unwrapped(keys_out);
  require_storage(call, in, to);
  require_pointer(call, "keys_first", keys);
  require_pointer(call, "keys_out", keys_to);
  using keys_type = std::remove_const_t<decltype(keys)>;
  using keys_out_type = std::remove_const_t<decltype(keys_to)>;
  using out_type = std::remove_const_t<decltype(to)>;
  auto const ordered = folding<V>(device_functor(op));
  if constexpr (reduces_runs_in_one_pass<Policy>) {
    auto const same = device_functor(equal);
    reduce_runs_in_one_pass(
        policy, call,
        run_fold_problem<V, keys_type, std::remove_const_t<decltype(in)>, keys_out_type, out_type,
                         std::remove_const_t<decltype(same)>, std::remove_const_t<decltype(ordered)>, Count>{
            keys, in, keys_to, to, count, same, ordered, {n}});
  } else {
    with_heads(policy, call, segments::by_key(keys_first, equal), n, sizeof(value_of<In>),
               [&](auto const& rest, auto const& source, auto size) {
                 using tails_keys = copied_keys<keys_type, keys_out_type>;
                 run_counting_scan<V, std::decay_t<decltype(size)>::value>(
                     rest, call, in, n, source, ordered, identity{}, [&](auto counter) {
                       return segment_tails<V, decltype(counter), out_type, std::decay_t<decltype(source)>,
                                            same_place, tails_keys, Count, identity>{
                           to, source, n, {}, {keys, keys_to}, count, {}};
                     });
               });
  }
}

SWEEP_NO_EXEC_CHECK
template <class Policy, class Keys, class In, class KeysOut, class Out, class CountOut, class Eq, class Op>
SWEEP_HD void reduce_by_key_to(char const* call, Policy const& given, Keys keys_first, Keys keys_last,
                               In values, KeysOut keys_out, Out out, CountOut count, Eq equal, Op op) {
  auto const target = resolve<scan_options>(given);
  auto const n = checked_distance(call, keys_first, keys_last, "keys_last", "keys_first");
  constexpr bool here = on_host<std::remove_cvref_t<decltype(target.policy)>>;
  require_reproducible<Policy, folding_t<value_of<In>, decltype(device_functor(op))>, value_of<In>>();
  auto const to = written_count<unwrapped_t<CountOut>>{unwrapped(count)};
  require_pointer(call, "count", to.out);
  auto const callable = require_callable<here, Op, Eq, Keys, In, KeysOut, Out>();
  if constexpr (callable && runs_with<here, value_of<In>, value_of<Keys>>() &&
                require_becomes<KeysOut, value_of<Keys>>() &&
                require_becomes<Out, item_accumulator<decltype(device_functor(op)), value_of<In>>>()) {
    if (n == 0) count_none(target.policy, call, to);
    else reduce_runs(target.policy, call, keys_first, n, values, keys_out, out, equal, op, to);
  }
  finish(call, target);
}

SWEEP_NO_EXEC_CHECK
template <class Policy, class Keys, class In, class KeysOut, class Out, class Eq, class Op>
SWEEP_HD std::int64_t reduce_by_key_counted(char const* call, Policy const& given, Keys keys_first,
                                            Keys keys_last, In values, KeysOut keys_out, Out out, Eq equal,
                                            Op op) {
  auto const target = resolve<scan_options>(given);
  auto const n = checked_distance(call, keys_first, keys_last, "keys_last", "keys_first");
  if (n == 0) return 0;
  auto result = host_result_of<std::int64_t>(target.policy, call);
  constexpr bool here = on_host<std::remove_cvref_t<decltype(target.policy)>>;
  require_reproducible<Policy, folding_t<value_of<In>, decltype(device_functor(op))>, value_of<In>>();
  auto const callable = require_callable<here, Op, Eq, Keys, In, KeysOut, Out>();
  if constexpr (callable && runs_with<here, value_of<In>, value_of<Keys>>() &&
                require_becomes<KeysOut, value_of<Keys>>() &&
                require_becomes<Out, item_accumulator<decltype(device_functor(op)), value_of<In>>>())
    reduce_runs(result.rest(), call, keys_first, n, values, keys_out, out, equal, op,
                written_count<std::int64_t*>{result.pointer()});
  return result.value();
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

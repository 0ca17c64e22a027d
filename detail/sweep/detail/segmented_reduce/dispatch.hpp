// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_DISPATCH_HPP
#define SWEEP_DETAIL_SEGMENTED_REDUCE_DISPATCH_HPP

#include <sweep/detail/core/memory.hpp>
#include <sweep/detail/segmented_reduce/ends.hpp>
#include <sweep/detail/segmented_scan/dispatch.hpp>

#include <type_traits>

namespace sweep::detail {

/// The scan that counts segment starts; make_ends(C{}) makes what it writes to, with segments counted in C.
template <class V, class Policy, class In, class Source, class Op, class Unary, class MakeEnds>
void run_counting_scan(Policy const& policy, char const* call, In in, std::int64_t n, Source const& source,
                       Op op, Unary unary, MakeEnds make_ends) {
  auto const run = [&](auto counter) {
    using C = decltype(counter);
    auto const ends = make_ends(counter);
    using value = flagged<V, C>;
    using out = writer<value, std::remove_const_t<decltype(ends)>>;
    using heads = segment_heads<Source, V, false, true>;
    run_scan(policy, call,
             scan_problem<scan_kind::inclusive, direction::forward, value, In, out, segmented_op<Op>, Unary,
                          heads>{in, out{ends}, {op}, unary, {}, {.n = n}, heads{source}});
  };
  if (n <= std::int64_t{0xffffffff}) run(std::uint32_t{});
  else run(std::int64_t{});
}

/// Whether segment s has items; a description that leads out of the range has none there.
template <class It>
struct has_items {
  It offsets;
  std::int64_t n;
  SWEEP_SIDE_OF_CALLER
  SWEEP_HD std::int64_t operator()(std::int64_t s) const {
    auto const begin = static_cast<std::int64_t>(offsets[s]);
    return begin >= 0 && begin < n && begin < static_cast<std::int64_t>(offsets[s + 1]) ? 1 : 0;
  }
};
template <class It>
struct has_length {
  It lengths;
  SWEEP_SIDE_OF_CALLER
  SWEEP_HD std::int64_t operator()(std::int64_t s) const { return lengths[s] > 0 ? 1 : 0; }
};

template <class It>
auto what_has_items(offset_segments<It> const& from, std::int64_t n) {
  return has_items<unwrapped_t<It>>{unwrapped(from.offsets), n};
}
template <class It>
auto what_has_items(length_segments<It> const& from, std::int64_t) {
  return has_length<unwrapped_t<It>>{unwrapped(from.lengths)};
}

/// Lists the segments that have items, in order, and behind them how many they are; the others have their
/// result at once.
template <class Has, class Id, class Out, class V>
struct list_segment {
  Has has;
  Id* ids;  ///< (count + 1)
  std::int64_t count;
  Out out;
  V empty;
  SWEEP_SIDE_OF_CALLER
  SWEEP_HD void operator()(std::int64_t s, std::int64_t before) const {
    bool const listed = has(s) != 0;
    if (listed) ids[before] = static_cast<Id>(s);
    else out[s] = static_cast<written_value<Out, V>>(empty);
    if (s == count - 1) ids[count] = static_cast<Id>(before + (listed ? 1 : 0));
  }
};

template <class V, class Policy, class Has, class Out>
void list_segments(Policy const& policy, char const* call, std::int64_t count, Has has, std::int64_t* ids,
                   Out out, V const& empty) {
  using in = reader<std::int64_t, Has>;
  using listed = list_segment<Has, std::int64_t, Out, V>;
  using to = writer<std::int64_t, listed>;
  if (count > 0)
    run_scan(policy, call,
             scan_problem<scan_kind::exclusive, direction::forward, std::int64_t, in, to, plus, identity>{
                 in{has}, to{listed{has, ids, count, out, empty}}, {}, {}, {0, true}, {.n = count}});
}

template <class Segments>
inline constexpr bool has_own_count = requires(Segments const& s) {
  s.count;
};

/// segmented_reduce: from a public call to a scan that writes at segment ends. `count` is told how many
/// segments were found, where the notation does not say so itself.
template <class Dir, class Policy, class In, class Segments, class Out, class Init, class Op, class Unary,
          class Count>
void segmented_reduce(char const* call, Policy const& given, In first, In last, Segments const& segments,
                      Out out, Init init, Op op, Unary unary, Count count) {
  auto const target = resolve(given);
  auto const n = checked_distance(call, first, last);
  using callable_op = decltype(callable(op));
  require_unary<Unary, value_of<In>>();
  using X = std::decay_t<std::invoke_result_t<Unary&, value_of<In>>>;
  require_operator<callable_op, Init, X>();
  using V = accumulator<callable_op, Init, X>;
  using in_order = std::conditional_t<std::is_same_v<Dir, forward_t>, callable_op, swapped_op<callable_op>>;
  auto const in = unwrapped(first);
  auto const to = unwrapped(out);
  if (n > 0) require_pointer(call, "first", in);
  require_segments(target.policy, call, segments, n);
  auto const result = after_init<V, callable_op>{static_cast<V>(init), callable(op)};
  in_order const folded{callable(op)};
  using out_type = std::remove_const_t<decltype(to)>;

  auto const reduce = [&](auto const& policy, auto const& place) {
    if (n == 0) return;
    with_heads(policy, call, segments, n, sizeof(value_of<In>), [&](auto const& rest, auto const& source) {
      run_counting_scan<V>(rest, call, in, n, source, folded, unary, [&](auto counter) {
        return segment_ends<V, decltype(counter), out_type, std::decay_t<decltype(source)>,
                            std::decay_t<decltype(place)>, no_keys, Count, after_init<V, callable_op>>{
            to, source, n, place, {}, count, result};
      });
    });
  };
  if constexpr (has_own_count<Segments>) {
    if (segments.count > 0) require_pointer(call, "out", to);
    if (segments.count > 0)
      with_memory<std::int64_t>(
          target.policy, call, segments.count + 1, [&](auto const& policy, std::int64_t* ids) {
            list_segments<V>(without_choices(policy), call, segments.count, what_has_items(segments, n), ids,
                             to, static_cast<V>(init));
            reduce(policy, listed_place<std::int64_t>{ids, segments.count});
          });
  } else {
    if (n > 0) require_pointer(call, "out", to);
    reduce(target.policy, same_place{});
  }
  finish(call, target);
}

/// reduce_by_key: the first key and the fold of each run of equal keys.
template <class Policy, class Keys, class In, class KeysOut, class Out, class Eq, class Op, class Count>
void reduce_by_key(char const* call, Policy const& given, Keys keys_first, Keys keys_last, In values,
                   KeysOut keys_out, Out out, Eq equal, Op op, Count count) {
  auto const target = resolve(given);
  auto const n = checked_distance(call, keys_first, keys_last);
  if (n == 0) return;
  using callable_op = decltype(callable(op));
  require_operator<callable_op, value_of<In>, value_of<In>>();
  using V = accumulator<callable_op, value_of<In>, value_of<In>>;
  auto const in = unwrapped(values);
  auto const to = unwrapped(out);
  auto const keys =
      copied_keys<unwrapped_t<Keys>, unwrapped_t<KeysOut>>{unwrapped(keys_first), unwrapped(keys_out)};
  require_storage(call, in, to);
  require_pointer(call, "keys_first", keys.in);
  require_pointer(call, "keys_out", keys.out);
  with_heads(target.policy, call, segments::by_key(keys_first, equal), n, sizeof(value_of<In>),
             [&](auto const& policy, auto const& source) {
               run_counting_scan<V>(policy, call, in, n, source, callable(op), identity{}, [&](auto counter) {
                 return segment_ends<V, decltype(counter), std::remove_const_t<decltype(to)>,
                                     std::decay_t<decltype(source)>, same_place, std::decay_t<decltype(keys)>,
                                     Count, as_it_is>{to, source, n, {}, keys, count, {}};
               });
             });
  finish(call, target);
}

}  // namespace sweep::detail

#endif

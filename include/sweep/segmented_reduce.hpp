// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SEGMENTED_REDUCE_HPP
#define SWEEP_SEGMENTED_REDUCE_HPP

#include <sweep/detail/segmented_reduce/dispatch.hpp>
#include <sweep/segments.hpp>

#include <utility>

/// \file
/// Segmented reductions: the fold of every segment, all at once, one result a segment.
///
/// Common to all of them:
/// - **segments**: sweep/segments.hpp. By offsets or lengths there is a result for every segment; the result
///   of an empty one is the initial value. By keys, flags or bits there is a result for every segment found.
/// - **order**: the operator must be associative; it need not be commutative, its operands keep their order.
///   `sweep::backward` folds each segment from its last item to its first.
/// - **types**: any random-access iterators; the accumulator is what the operator makes of (initial value,
///   item), decayed. On the device it must be trivially copyable and default constructible.
/// - **aliasing**: outputs overlap nothing else.
/// - **waiting**: a call that returns where its results end waits where that is not known beforehand: by
///   keys, flags or bits. segmented_reduce_into and reduce_by_key_into write the number of results through an
///   iterator, never wait and can be captured in a graph.
/// - **determinism**: the same bits on every run, as for scans.
/// - **complexity**: O(n + segments), whatever their lengths: work is split by items.
/// - **scratch**: as a segmented scan; where segments come as offsets or lengths, 8 bytes a segment and some
///   more for every hundred items.
/// - **errors**: as a segmented scan.
/// - **source**: a segmented scan (Blelloch 1990) that counts segment starts and writes at segment ends; by
///   offsets on sm_90 one that folds alone (docs/segments.md).

namespace sweep {

/// out[s] = init op x[first of s] op ... op x[last of s]. Returns the end of the results.
template <detail::policy Policy, class In, class Segments, class Out, class Init, class Op,
          class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
Out segmented_reduce(Policy const& policy, In first, In last, Segments const& segments, Out out, Init init,
                     Op op, Dir = {}) {
  if constexpr (detail::has_own_count<Segments>) {
    detail::segmented_reduce<Dir>("segmented_reduce", policy, first, last, segments, out, init, op,
                                  detail::identity{}, detail::no_count{});
    return out + segments.count;
  } else {
    if (first == last) return out;
    auto const target = detail::resolve(policy);
    return out +
           detail::value_through<std::int64_t>(target.policy, "segmented_reduce", [&](std::int64_t* count) {
             detail::segmented_reduce<Dir>("segmented_reduce", target.policy, first, last, segments, out,
                                           init, op, detail::identity{},
                                           detail::written_count<std::int64_t*>{count});
           });
  }
}
template <detail::policy Policy, class In, class Segments, class Out, class Init, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Init>)
Out segmented_reduce(Policy const& policy, In first, In last, Segments const& segments, Out out, Init init,
                     Dir dir = {}) {
  return sweep::segmented_reduce(policy, first, last, segments, out, init, detail::plus{}, dir);
}
/// The initial value is a value-initialised item.
template <detail::policy Policy, class In, class Segments, class Out, class Dir = forward_t>
  requires detail::is_direction<Dir> Out segmented_reduce(Policy const& policy, In first, In last,
                                                          Segments const& segments, Out out, Dir dir = {}) {
    return sweep::segmented_reduce(policy, first, last, segments, out, detail::value_of<In>{}, detail::plus{},
                                   dir);
  }

/// The same, and *count = number of segments found, for segments by keys, flags or bits of a range that is
/// not empty. Never waits.
template <detail::policy Policy, class In, class Segments, class Out, class CountOut, class Init, class Op,
          class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
void segmented_reduce_into(Policy const& policy, In first, In last, Segments const& segments, Out out,
                           CountOut count, Init init, Op op, Dir = {}) {
  static_assert(
      !detail::has_own_count<Segments>,
      "sweep: offsets and lengths say how many segments there are; segmented_reduce never waits for them");
  auto const to = detail::unwrapped(count);
  detail::segmented_reduce<Dir>("segmented_reduce_into", policy, first, last, segments, out, init, op,
                                detail::identity{},
                                detail::written_count<std::remove_const_t<decltype(to)>>{to});
}

/// out[s] = init op f(x[first of s]) op ... op f(x[last of s]), for segments by offsets or lengths. Returns
/// the end of the results.
template <detail::policy Policy, class In, class Segments, class Out, class Init, class Op, class F,
          class Dir = forward_t>
  requires detail::has_own_count<Segments> Out segmented_transform_reduce(Policy const& policy, In first,
                                                                          In last, Segments const& segments,
                                                                          Out out, Init init, Op op, F f,
                                                                          Dir = {}) {
    detail::segmented_reduce<Dir>("segmented_transform_reduce", policy, first, last, segments, out, init, op,
                                  f, detail::no_count{});
    return out + segments.count;
  }

/// For each run of equal keys its first key and the fold of its values. Returns the ends of both outputs.
template <detail::policy Policy, class Keys, class In, class KeysOut, class Out,
          class Eq = segments::equal_keys, class Op = detail::plus>
std::pair<KeysOut, Out> reduce_by_key(Policy const& policy, Keys keys_first, Keys keys_last, In values,
                                      KeysOut keys_out, Out out, Eq equal = {}, Op op = {}) {
  if (keys_first == keys_last) return {keys_out, out};
  auto const target = detail::resolve(policy);
  auto const count =
      detail::value_through<std::int64_t>(target.policy, "reduce_by_key", [&](std::int64_t* found) {
        detail::reduce_by_key("reduce_by_key", target.policy, keys_first, keys_last, values, keys_out, out,
                              equal, op, detail::written_count<std::int64_t*>{found});
      });
  return {keys_out + count, out + count};
}

/// The same, and *count = number of runs, of a range that is not empty. Never waits.
template <detail::policy Policy, class Keys, class In, class KeysOut, class Out, class CountOut,
          class Eq = segments::equal_keys, class Op = detail::plus>
void reduce_by_key_into(Policy const& policy, Keys keys_first, Keys keys_last, In values, KeysOut keys_out,
                        Out out, CountOut count, Eq equal = {}, Op op = {}) {
  auto const to = detail::unwrapped(count);
  detail::reduce_by_key("reduce_by_key_into", policy, keys_first, keys_last, values, keys_out, out, equal, op,
                        detail::written_count<std::remove_const_t<decltype(to)>>{to});
}

}  // namespace sweep

#endif

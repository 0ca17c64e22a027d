// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SEGMENTED_SCAN_HPP
#define SWEEP_SEGMENTED_SCAN_HPP

#include <sweep/detail/segmented_scan/dispatch.hpp>
#include <sweep/segments.hpp>

/// \file
/// Segmented scans: a scan of every segment, all at once. Item i of the output is the fold of the items of
/// its segment up to it.
///
/// Common to all of them:
/// - **segments**: sweep/segments.hpp: by_key, by_head_flags, by_head_bits, by_offsets, by_lengths. A set
///   flag marks a segment's first item; item 0 starts a segment whatever its flag says. Offsets or lengths
///   that do not fit the items start segments where they can and never lead outside the ranges.
/// - **order**: the operator must be associative; it need not be commutative, its operands keep their order
///   and it is never asked about items of two segments. `sweep::backward` as the last argument scans each
///   segment from its last item to its first, over the same segments.
/// - **types**: any random-access iterators; the accumulator is what the operator makes of (initial value or
///   item, item), decayed. On the device it must be trivially copyable and default constructible; on `host` a
///   type that is not runs in one loop.
/// - **aliasing**: `out` may be `first`; it may not overlap what describes the segments.
/// - **waiting**: never: on the device the call is ordered on the policy's stream and can be captured in a
///   graph.
/// - **determinism**: the same bits on every run on one architecture with one plan (for one placement of
///   `out` within 16 bytes), on any number of host threads, for every operator; variant::decoupled_lookback
///   promises that only for operators that are exactly associative.
/// - **complexity**: O(n + segments), whatever their lengths: work is split by items. Each item is read once
///   and written once; keys, flags, offsets and lengths are read once and become 1 bit an item in between,
///   head bits are read in place.
/// - **scratch**: as a scan, and n / 8 bytes from the policy's source where heads are not bits already.
/// - **errors**: as a scan, and bad_argument for what describes the segments.
/// - **source**: Blelloch 1990 (the operator on flagged values); Sengupta et al. 2007 (variant::tree);
///   Dotsenko et al. 2008 (packed flags, variant::matrix); the look-back is docs/lookback.md's.

namespace sweep {

/// out[i] = x[h] op ... op x[i], where h is the first item of i's segment. Returns the end of the output.
template <detail::policy Policy, class In, class Segments, class Out, class Dir = forward_t>
  requires detail::is_direction<Dir> Out segmented_inclusive_scan(Policy const& policy, In first, In last,
                                                                  Segments const& segments, Out out,
                                                                  Dir = {}) {
    return detail::segmented_scan<detail::scan_kind::inclusive, Dir>(
        "segmented_inclusive_scan", policy, first, last, segments, out, detail::plus{}, detail::identity{});
  }

/// The same with an operator.
template <detail::policy Policy, class In, class Segments, class Out, class Op, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
Out segmented_inclusive_scan(Policy const& policy, In first, In last, Segments const& segments, Out out,
                             Op op, Dir = {}) {
  return detail::segmented_scan<detail::scan_kind::inclusive, Dir>(
      "segmented_inclusive_scan", policy, first, last, segments, out, op, detail::identity{});
}

/// out[i] = init op x[h] op ... op x[i - 1]; init at the first item of a segment. Returns the end of the
/// output.
template <detail::policy Policy, class In, class Segments, class Out, class Init, class Op,
          class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
Out segmented_exclusive_scan(Policy const& policy, In first, In last, Segments const& segments, Out out,
                             Init init, Op op, Dir = {}) {
  return detail::segmented_scan<detail::scan_kind::exclusive, Dir>(
      "segmented_exclusive_scan", policy, first, last, segments, out, op, detail::identity{}, init);
}

/// The sum of what comes before each item in its segment.
template <detail::policy Policy, class In, class Segments, class Out, class Init, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Init>)
Out segmented_exclusive_scan(Policy const& policy, In first, In last, Segments const& segments, Out out,
                             Init init, Dir dir = {}) {
  return sweep::segmented_exclusive_scan(policy, first, last, segments, out, init, detail::plus{}, dir);
}

/// The initial value is a value-initialised item.
template <detail::policy Policy, class In, class Segments, class Out, class Dir = forward_t>
  requires detail::is_direction<Dir> Out segmented_exclusive_scan(Policy const& policy, In first, In last,
                                                                  Segments const& segments, Out out,
                                                                  Dir dir = {}) {
    return sweep::segmented_exclusive_scan(policy, first, last, segments, out, detail::value_of<In>{},
                                           detail::plus{}, dir);
  }

/// The segmented scan of f(x[0]), f(x[1]), ...: out[i] = f(x[h]) op ... op f(x[i]).
template <detail::policy Policy, class In, class Segments, class Out, class Op, class F,
          class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Out segmented_transform_inclusive_scan(Policy const& policy, In first, In last, Segments const& segments,
                                       Out out, Op op, F f, Dir = {}) {
  return detail::segmented_scan<detail::scan_kind::inclusive, Dir>("segmented_transform_inclusive_scan",
                                                                   policy, first, last, segments, out, op, f);
}

/// out[i] = init op f(x[h]) op ... op f(x[i - 1]); init at the first item of a segment.
template <detail::policy Policy, class In, class Segments, class Out, class Init, class Op, class F,
          class Dir = forward_t>
  requires(detail::is_direction<Dir>)
Out segmented_transform_exclusive_scan(Policy const& policy, In first, In last, Segments const& segments,
                                       Out out, Init init, Op op, F f, Dir = {}) {
  return detail::segmented_scan<detail::scan_kind::exclusive, Dir>(
      "segmented_transform_exclusive_scan", policy, first, last, segments, out, op, f, init);
}

/// Thrust's form: [first, last) are the keys, whose equal neighbours (by `equal`) are a segment.
template <detail::policy Policy, class Keys, class In, class Out, class Eq = segments::equal_keys,
          class Op = detail::plus, class Dir = forward_t>
  requires detail::is_direction<Dir> Out inclusive_scan_by_key(Policy const& policy, Keys first, Keys last,
                                                               In values, Out out, Eq equal = {}, Op op = {},
                                                               Dir = {}) {
    return detail::segmented_scan<detail::scan_kind::inclusive, Dir>(
        "inclusive_scan_by_key", policy, values, values + (last - first), segments::by_key(first, equal), out,
        op, detail::identity{});
  }

/// Thrust's form of the exclusive scan; the initial value is a value-initialised item where none is given.
template <detail::policy Policy, class Keys, class In, class Out, class Init, class Eq = segments::equal_keys,
          class Op = detail::plus, class Dir = forward_t>
  requires detail::is_direction<Dir> Out exclusive_scan_by_key(Policy const& policy, Keys first, Keys last,
                                                               In values, Out out, Init init, Eq equal = {},
                                                               Op op = {}, Dir = {}) {
    return detail::segmented_scan<detail::scan_kind::exclusive, Dir>(
        "exclusive_scan_by_key", policy, values, values + (last - first), segments::by_key(first, equal), out,
        op, detail::identity{}, init);
  }

template <detail::policy Policy, class Keys, class In, class Out>
Out exclusive_scan_by_key(Policy const& policy, Keys first, Keys last, In values, Out out) {
  return sweep::exclusive_scan_by_key(policy, first, last, values, out, detail::value_of<In>{});
}

/// The inclusive scan by key with the operator first, for keys that compare with ==.
template <detail::policy Policy, class Keys, class In, class Out, class Op = detail::plus,
          class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
Out segmented_scan_by_key(Policy const& policy, Keys first, Keys last, In values, Out out, Op op = {},
                          Dir = {}) {
  return detail::segmented_scan<detail::scan_kind::inclusive, Dir>(
      "segmented_scan_by_key", policy, values, values + (last - first), segments::by_key(first), out, op,
      detail::identity{});
}

}  // namespace sweep

#endif

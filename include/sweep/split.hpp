// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SPLIT_HPP
#define SWEEP_SPLIT_HPP

#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/split/dispatch.hpp>

/// \file
/// Splits: in every segment the items of one kind first, then the others, each kind in its order (Blelloch
/// 1990).
///
/// Common to all of them:
/// - **order**: stable on both sides.
/// - **aliasing**: outputs overlap nothing else.
/// - **waiting**: never; on the device the call can be captured in a graph.
/// - **determinism**: always.
/// - **complexity**: O(n + segments); two segmented scans that scatter.
/// - **scratch**: as a segmented scan; split_and_segment needs a byte an item more.
/// - **errors**: as a segmented scan.

namespace sweep {

/// In every segment the items that satisfy the predicate first. Returns the end of the output.
template <detail::policy Policy, class In, class Segments, class Out, class Pred>
Out split(Policy const& policy, In first, In last, Segments const& segments, Out out, Pred pred) {
  auto const target = detail::resolve(policy);
  auto const n = detail::checked_distance("split", first, last);
  if (n == 0) return out;
  auto const in = detail::unwrapped(first);
  auto const to = detail::unwrapped(out);
  detail::require_storage("split", in, to);
  detail::require_segments(target.policy, "split", segments, n);
  detail::split_segments(target.policy, "split", segments, in, n,
                         detail::goes_first<std::remove_const_t<decltype(in)>, Pred>{in, pred}, to,
                         detail::forget_kind{});
  detail::finish("split", target);
  return out + n;
}

/// The same, and the new segments: heads[i] = whether an item of the output starts one. Each segment becomes
/// two, or stays one where all its items are of one kind. Returns the end of the output.
template <detail::policy Policy, class In, class Segments, class Out, class HeadsOut, class Pred>
Out split_and_segment(Policy const& policy, In first, In last, Segments const& segments, Out out,
                      HeadsOut heads, Pred pred) {
  auto const target = detail::resolve(policy);
  auto const n = detail::checked_distance("split_and_segment", first, last);
  if (n == 0) return out;
  auto const in = detail::unwrapped(first);
  auto const to = detail::unwrapped(out);
  auto const heads_to = detail::unwrapped(heads);
  detail::require_storage("split_and_segment", in, to);
  detail::require_pointer("split_and_segment", "heads", heads_to);
  detail::require_segments(target.policy, "split_and_segment", segments, n);
  detail::with_memory<unsigned char>(
      target.policy, "split_and_segment", n, [&](auto const& rest, unsigned char* kinds) {
        detail::split_segments(rest, "split_and_segment", segments, in, n,
                               detail::goes_first<std::remove_const_t<decltype(in)>, Pred>{in, pred}, to,
                               detail::keep_kind{kinds});
        detail::with_heads(
            rest, "split_and_segment", segments, n, sizeof(std::int64_t),
            [&](auto const& last_policy, auto const& source) {
              using write = detail::write_split_head<std::decay_t<decltype(source)>,
                                                     std::remove_const_t<decltype(heads_to)>>;
              detail::for_each_index(last_policy, "split_and_segment", n, write{source, kinds, heads_to});
            });
      });
  detail::finish("split_and_segment", target);
  return out + n;
}

}  // namespace sweep

#endif

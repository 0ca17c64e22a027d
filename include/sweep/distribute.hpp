// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DISTRIBUTE_HPP
#define SWEEP_DISTRIBUTE_HPP

#include <sweep/scan.hpp>
#include <sweep/segmented_scan.hpp>

/// \file
/// Distribution: one item's value for all the items of its segment, or of the range (Sengupta et al. 2007).
/// Scans whose operator keeps its first operand; order, aliasing, waiting, determinism, complexity, scratch
/// and errors are those of scans.

namespace sweep {

namespace detail {
struct keep_first {
  template <class A, class B>
  SWEEP_HD constexpr A operator()(A const& a, B const&) const {
    return a;
  }
};
}  // namespace detail

/// out[i] = the first item of i's segment; backward, its last. Returns the end of the output.
template <detail::policy Policy, class In, class Segments, class Out, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Out>)
Out distribute(Policy const& policy, In first, In last, Segments const& segments, Out out, Dir = {}) {
  return detail::segmented_scan<detail::scan_kind::inclusive, Dir>(
      "distribute", policy, first, last, segments, out, detail::keep_first{}, detail::identity{});
}

/// out[i] = the first item; backward, the last. Returns the end of the output.
template <detail::policy Policy, class In, class Out, class Dir = forward_t>
  requires detail::is_direction<Dir> Out distribute(Policy const& policy, In first, In last, Out out,
                                                    Dir = {}) {
    return detail::scan<detail::scan_kind::inclusive, Dir>("distribute", policy, first, last, out,
                                                           detail::keep_first{}, detail::identity{});
  }

}  // namespace sweep

#endif

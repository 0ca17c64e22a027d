// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TOP_K_SEGMENT_BOUNDS_HPP
#define SWEEP_DETAIL_TOP_K_SEGMENT_BOUNDS_HPP

#include <sweep/detail/convert_segments/dispatch.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/top_k/segmented_problem.hpp>
#include <sweep/segments.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// f(policy, bounds), of any notation.
SWEEP_NO_EXEC_CHECK
template <class Policy, class It, class F>
SWEEP_HD void with_segment_bounds(Policy const& policy, char const*, offset_segments<It> const& segments,
                                  std::int64_t n, F f) {
  auto longest = n;
  if constexpr (std::is_same_v<It, row_offsets>)
    longest = n < segments.offsets.read.length ? n : segments.offsets.read.length;
  f(policy,
    segment_bounds<unwrapped_t<It>>{unwrapped(segments.offsets), segments.count, nullptr, n, longest});
}
SWEEP_NO_EXEC_CHECK
template <class Policy, class It, class F>
SWEEP_HD void with_segment_bounds(Policy const& policy, char const* call, length_segments<It> const& segments,
                                  std::int64_t n, F f) {
  with_memory<std::int64_t>(policy, call, segments.count + 1, [&](auto const& rest, std::int64_t* offsets) {
    write_offsets(call, rest, segments, n, offsets);
    f(rest, segment_bounds<std::int64_t const*>{offsets, segments.count, nullptr, n, n});
  });
}
/// There may be as many as items; how many there are is found where they are.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Segments, class F>
SWEEP_HD void with_segment_bounds(Policy const& policy, char const* call, Segments const& segments,
                                  std::int64_t n, F f) {
  with_memory<std::int64_t>(policy, call, n + 2, [&](auto const& rest, std::int64_t* memory) {
    write_counted_offsets(call, rest, segments, n, memory + 1, memory);
    f(rest, segment_bounds<std::int64_t const*>{memory + 1, n, memory, n, n});
  });
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTS_PRECONDITIONS_HPP
#define SWEEP_DETAIL_SEGMENTS_PRECONDITIONS_HPP

#include <sweep/detail/core/preconditions.hpp>
#include <sweep/segments.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Rows that are not the range.
template <class Segments>
SWEEP_HD void require_rows(char const*, Segments const&, std::int64_t) {}
SWEEP_HD inline void require_rows(char const* call, offset_segments<row_offsets> const& segments,
                                  std::int64_t n) {
  auto const rows = segments.count, length = segments.offsets.read.length;
  if (rows < 0 || length < 0 || (rows > 0 && length > n / rows) || rows * length != n)
    refuse_argument(call, "segments", "are ", rows, " rows of ", length, " items, but the range has ", n);
}

/// Preconditions of segments that cost nothing.
SWEEP_NO_EXEC_CHECK
template <class Segments>
SWEEP_HD void require_cheap(char const* call, Segments const& from, std::int64_t n) {
  auto const require = [call](char const* argument, auto const& it) {
    require_pointer(call, argument, unwrapped(it));
  };
  if constexpr (requires { from.keys; })
    if (n > 0) require("keys", from.keys);
  if constexpr (requires { from.flags; })
    if (n > 0) require("head flags", from.flags);
  if constexpr (requires { from.words; }) {
    if (from.word_count >= 0 && from.word_count < (n + 31) / 32)
      refuse_argument(call, "head bits", "are ", from.word_count, " words, but ", n, " items need ",
                      (n + 31) / 32);
    if (n > 0) require("head bits", from.words);
  }
  if constexpr (requires { from.offsets; }) {
    require_rows(call, from, n);
    if (from.count < 0) refuse_argument(call, "offsets", "are fewer than one");
    require("offsets", from.offsets);
  }
  if constexpr (requires { from.lengths; }) {
    if (from.count < 0) refuse_argument(call, "lengths", "end before they begin");
    if (from.count > 0) require("lengths", from.lengths);
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

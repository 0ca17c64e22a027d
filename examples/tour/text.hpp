// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TOUR_TEXT_HPP
#define SWEEP_TOUR_TEXT_HPP

#include "corpus.hpp"

#include <cstdint>
#include <vector>

namespace tour {

/// What the tour finds out about a text, with scans or, to compare, in plain loops.
struct findings {
  /// Words are what stands between white space of ASCII, whatever its bytes mean. `wc` agrees on ASCII; on
  /// other text it asks the locale.
  std::int64_t lines = 0, words = 0, comments = 0, words_in_comments = 0;
  std::vector<std::int64_t> line_ends;  ///< where each newline stands: the line index
  std::vector<std::int64_t> shorter;    ///< [k]: lines of fewer than k bytes; the last: all lines

  /// Lines of at least `low` and fewer than `high` bytes.
  std::int64_t lines_between(int low, int high) const { return shorter[high] - shorter[low]; }

  bool operator==(findings const&) const = default;
};

/// Line lengths that are told apart; longer ones count as this long.
inline constexpr int longest = 255;

/// In plain loops: the oracle.
findings read_serially(corpus const& text, report const& done);

// With scans and reductions, on the place of that name.
findings read_on_host(corpus const& text, int threads, report const& done);
findings read_on_device(corpus const& text, report const& done);

}  // namespace tour

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_GROUP_GRID_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_GROUP_GRID_CUH

#include <sweep/detail/block/item_parts.cuh>
#include <sweep/detail/block/staged_row.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/packed_value.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// How items reach the lanes that fold them: through a window in shared memory, of the streams that they are
/// made of (block/staged_row.cuh), of elements that are gathered, or of values that their iterator alone can
/// give; or they are computed.
template <class Source, class V>
struct group_shape {
  static constexpr int size = static_cast<int>(sizeof(V)),
                       usual_threads = size <= 1024 ? 128 : 32;                            ///< of a block
  static constexpr std::size_t most_bytes = (std::size_t{40 * 32} << 10) / usual_threads;  ///< of a window
  static constexpr int odd(int groups) { return groups < 1 ? 1 : (groups - 1) | 1; }
  /// Items of which streams have whole 16-byte words.
  static constexpr int stream_unit = items_of_group<Source>(),
                       unit_words = words_of_group<Source, stream_unit>();
  static constexpr bool in_streams =
      Source::streams > 0 && !Source::reads_elsewhere &&
      unit_words * 512 + 16 * Source::streams <=
          static_cast<int>(most_bytes)&&[]<int... K>(std::integer_sequence<int, K...>) {
    return (std::is_default_constructible_v<stream_item<Source, K>> && ...);
  }
  (std::make_integer_sequence<int, Source::streams>{});
  static constexpr bool computed = Source::streams == 0 && !Source::reads_elsewhere;
  /// Elements are copied as words of their alignment, past the registers where those have 4 bytes, so that
  /// all of a window's are on their way at once.
  static constexpr bool gathered = [] {
    if constexpr (gathered_in_memory<Source>) {
      using element = element_of_t<Source>;
      return sizeof(element) <= 64 && std::is_default_constructible_v<element>;
    } else {
      return false;
    }
  }();
  static constexpr bool in_values = !in_streams && !gathered && !computed && sizeof(V) * 32 <= most_bytes;
  using element = std::conditional_t<gathered, element_of_t<Source>, V>;
  static constexpr int element_word = std::min(static_cast<int>(alignof(element)), 16),
                       unit = in_streams ? stream_unit : 1;
  /// Each element is asked for by one lane.
  static constexpr bool in_parts = gathers_in_parts<Source>;
  /// In windows that are of no stream.
  using kept = std::conditional_t<in_parts, item_in_words<element>, element>;
  static constexpr int kept_bytes = static_cast<int>(sizeof(kept));
  /// Elements that a lane asks for at once, an odd number. What neighbours share of the first-level cache is
  /// to stay there meanwhile; those that are no words are in registers on their way.
  static constexpr int gathered_rows = in_parts           ? (kept_bytes <= 4 ? 7 : odd(40 / kept_bytes))
                                       : kept_bytes <= 4  ? 15
                                       : kept_bytes <= 8  ? 7
                                       : kept_bytes <= 24 ? 5
                                                          : odd(128 / kept_bytes);
  /// Of one stream whose items have no power of two of bytes, a lane reads some 20 bytes at any place.
  static constexpr bool reads_anywhere = [] {
    if constexpr (in_streams && Source::streams == 1)
      return unit_words > 1 && sizeof(stream_item<Source, 0>) < 16 &&
             !decltype(std::declval<Source const&>().template stream<0>())::reversed;
    else return false;
  }();
  /// Items that a lane folds at once, and those of a lane in a window. An odd number of 16-byte words keeps
  /// lanes on different banks.
  static constexpr int group = [] {
    if constexpr (reads_anywhere) return 20 / static_cast<int>(sizeof(stream_item<Source, 0>));
    else return in_streams ? unit : gathered || size > 4 ? 1 : 4;
  }();
  static constexpr int lane_groups = in_streams
                                         ? (unit_words == 3 || unit_words == 5 ? 3 : odd(7 / unit_words))
                                     : gathered  ? gathered_rows
                                     : in_values ? odd((size <= 4 ? 64 : 128) / size)
                                                 : 64 / group;
  static constexpr int window_items = 32 * (in_streams ? unit : group) * lane_groups;
  /// Those of a window where there are warps enough: what a lane folds, or asks for, at once.
  static constexpr int narrow_items = std::min(window_items, in_streams  ? 32 * unit
                                                             : gathered  ? kept_bytes <= 8 ? 128 : 64
                                                             : in_values ? 256
                                                                         : 512);
  static constexpr int window_bytes = in_streams ? lane_groups * unit_words * 512 + 128 * Source::streams
                                      : computed || !(gathered || in_values) ? 0
                                                                             : window_items * kept_bytes;
  /// Of a block where segments are long.
  static constexpr int threads = usual_threads == 128 && 8 * window_bytes <= 36 << 10 ? 256 : usual_threads;
  /// Bytes of registers that a value takes. Those of structs of bytes hold less for long, and so do those of
  /// elements that come past them.
  static constexpr int value_bytes = 4 * registers_of<V>,
                       most_bytes_of_six = gathered || alignof(V) < 4 ? 32 : 16;
  static constexpr int blocks = 128 *
                                (value_bytes <= 8 && unit_words <= 3                   ? 8
                                 : value_bytes <= most_bytes_of_six && unit_words <= 7 ? 6
                                 : value_bytes <= 32                                   ? 4
                                                                                       : 2) /
                                threads;
};

/// A reduction's segments among blocks. Those of at least two cells of items are the cells' own.
struct group_grid {
  std::int64_t n, count;           ///< of items and of segments
  int threads;                     ///< of a block
  int width;                       ///< lanes of a warp that fold a segment together
  int rounds;                      ///< segments of a group
  std::int64_t blocks;             ///< that have segments; those before them have cells
  std::int64_t cell_items, cells;  ///< cells: 0 where no segment is as long
};

/// How blocks and lanes share so many items and segments, of which lengths may be all that is known. Part of
/// what fixes the bits, so nothing of the machine's.
template <class Shape>
group_grid group_grid_of(std::int64_t n, std::int64_t count, bool sums_lengths) {
  constexpr std::int64_t blocks_wanted = 4096, most_cells = 4096, most_rounds = 8;
  constexpr int window = Shape::window_items, lane_items = window / 32;
  bool const many = count >= 1 << 17;
  // A lane folds some half of what it has in a window; where latencies do not matter, more.
  int const each_lane = std::max(1, many ? std::min(32, lane_items * 8 / 7) : lane_items * 4 / 7);
  auto const mean = n / count;
  group_grid grid{n, count, Shape::usual_threads, 1, 1, 0, 0, 0};
  // Twice as many lanes of a segment halve the time of its items, and double that of starting all of them:
  // the device starts so many lanes while one of them folds an item.
  constexpr std::int64_t starts_an_item = 1500;
  auto const worth_more = [&](std::int64_t width) { return width * width * count <= starts_an_item * mean; };
  while (grid.width < 32 && (mean > std::int64_t{grid.width} * each_lane || worth_more(grid.width)))
    grid.width *= 2;
  if (mean > window / 4 * 3) grid.threads = Shape::threads;
  auto const groups = std::int64_t{grid.threads / grid.width};
  if (!sums_lengths)
    while (grid.rounds < most_rounds && count > blocks_wanted * groups * grid.rounds) grid.rounds *= 2;
  grid.blocks = (count + groups * grid.rounds - 1) / (groups * grid.rounds);
  grid.cell_items = std::max<std::int64_t>(16 * window, n / most_cells + 1);
  if (n >= 2 * grid.cell_items) grid.cells = (n + grid.cell_items - 1) / grid.cell_items;
  return grid;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_TEAM_GRID_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_TEAM_GRID_CUH

#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/segmented_reduce/tile/group_grid.cuh>
#include <sweep/detail/segmented_reduce/tile/stream_windows.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// How the lanes of a team read items of one stream: by windows where neighbours share their time on the way,
/// or by units of one word straight from memory, which takes less time where that is a second-level cache and
/// lanes tell each other in few instructions.
enum class team_reads { windows, words };

/// How a team of warps folds a segment: by windows that are on their way ahead of it, or straight from memory
/// where neighbours of one stream, made of whole registers, fill so many 16-byte words together.
template <class Source, class V, team_reads Reads = team_reads::windows>
struct team_shape {
  using usual = group_shape<Source, V>;
  static constexpr bool of_stream = usual::in_streams && Source::streams == 1,
                        may_be_by_words =
                            [] {
                              if constexpr (of_stream)
                                return usual::unit_words == 1 && usual::value_bytes <= 8 &&
                                       alignof(stream_item<Source, 0>) == sizeof(stream_item<Source, 0>);
                              else return false;
                            }(),
                        by_words = Reads == team_reads::words,
                        by_units =
                            [] {
                              if constexpr (of_stream)
                                return by_words ||
                                       (usual::unit_words >= 3 && alignof(stream_item<Source, 0>) >= 4);
                              else return false;
                            }(),
                        in_windows = of_stream && !by_units;
  static constexpr int warps = 8;
  /// Windows of a warp, and as many where segments are few. Small ones are two of twice as many rows, so that
  /// lanes fold more for each time that they ask and tell each other.
  static constexpr bool small_windows = [] {
    if constexpr (in_windows) return stream_window_shape<Source>::groups == 3 && usual::unit_words == 1;
    else return false;
  }();
  /// Structs of bytes whose units are three words: windows of three rows, as lanes tell each other in many
  /// instructions.
  static constexpr bool byte_windows = [] {
    if constexpr (in_windows) return stream_window_shape<Source>::of_bytes && usual::unit_words == 3;
    else return false;
  }();
  static constexpr bool two_of_streams =
      usual::in_streams && Source::streams > 1 && 2 * usual::window_bytes <= 10240;
  /// Values of which few blocks run at once: lanes tell each other of more items of a window, which takes
  /// most of their instructions.
  static constexpr bool wide_values = in_windows && sizeof(V) > 16;
  static constexpr auto of_window = [] {
    struct {
      int unit, items, row_items, bytes;
    } window{usual::unit, usual::window_items, usual::narrow_items, usual::window_bytes};
    if constexpr (of_stream) {
      using one = stream_window_shape<Source>;
      window = {one::unit, one::window_items, one::row_items,
                by_units ? 0 : 512 * one::words + 16 * one::words_behind};
    }
    return window;
  }();
  static constexpr std::size_t window_bytes = of_window.bytes;
  /// Values of more than two registers: a third window, of what shared memory three blocks have, makes lanes'
  /// runs longer.
  static constexpr bool longer_runs = in_windows && usual::value_bytes > 8 &&
                                      3 * (3 * warps * window_bytes + (5 << 10)) <= std::size_t{228} << 10;
  /// Lanes tell each other of two windows together, where that is most of what is done.
  static constexpr bool in_pairs = longer_runs && alignof(V) >= 4;
  static constexpr int slots = byte_windows                   ? 6
                               : small_windows || wide_values ? 4
                               : longer_runs                  ? 3
                               : in_windows || two_of_streams ? 2
                                                              : 1,
                       most_slots = in_windows ? std::max(slots, 4) : slots;
  static constexpr std::size_t warp_bytes = slots * window_bytes;
  /// A warp's share of a segment begins with a multiple of the unit, and is so many rows.
  static constexpr int unit = of_window.unit, window_items = of_window.items, row_items = of_window.row_items;
  /// Where a warp's windows begin: at multiples of so many items.
  static constexpr int aligned = [] {
    if constexpr (in_windows) return stream_window_shape<Source>::aligned_items;
    else return unit;
  }();
  /// Of one stream, in so many windows' memory: rows of one window, if it holds so many items, or of two.
  SWEEP_HD static constexpr int rows_of_windows(std::int64_t items, int windows) {
    using one = stream_window_shape<Source>;
    int const all = windows * one::groups, rows = one::rows_in(all);
    return items <= std::int64_t{rows} * row_items ? rows : one::rows_in(all / 2);
  }
  /// Whether the memory of so many holds either.
  SWEEP_HD static constexpr bool have_room(int windows) {
    if constexpr (in_windows) {
      using one = stream_window_shape<Source>;
      auto const words = [](int rows) {
        return rows * 32 * one::unit_words + one::words_behind + one::spare_words(rows);
      };
      int const all = windows * one::groups, room = windows * (32 * one::words + one::words_behind);
      return words(one::rows_in(all)) <= room && 2 * words(one::rows_in(all / 2)) <= room;
    } else {
      return true;
    }
  }
  /// Bytes that are read for an item.
  static constexpr std::int64_t item_bytes = [] {
    std::int64_t bytes = sizeof(typename Source::value_type);
    if constexpr (usual::gathered && Source::streams > 0) bytes += sizeof(stream_item<Source, 0>);
    return bytes;
  }();
  static constexpr bool fits = sizeof(V) <= 64 && (wide_values ? 2 * window_bytes : warp_bytes) <= 10240;
  /// Shares that a warp may have of a segment, in turn with the others of its team: several where neighbours
  /// may be near each other in memory.
  static constexpr int turns = usual::gathered ? 8 : 1;
  /// Whether the warps of a block may be dealt the shares of all its teams: of wide elements that share
  /// sectors, what a warp has between two neighbours is more than caches hold of all warps.
  static constexpr bool deals = usual::gathered && usual::kept_bytes > 16 && usual::kept_bytes % 32 != 0;
  static constexpr int threads = 32 * (warps + 1),  ///< one more warp looks for cut segments
      blocks = usual::gathered && sizeof(V) <= 32                    ? 4
               : two_of_streams && usual::value_bytes <= 8           ? 3
               : !of_stream || usual::unit_words > 7 || byte_windows ? 2
               : by_units                                            ? (usual::value_bytes > 16 ? 3 : 4)
               : sizeof(V) > 16                                      ? 2
               : warps *warp_bytes > 50000 || usual::value_bytes > 8 ? 3
                                                                     : 4;
};

/// A reduction's segments among teams of warps. Those of cut_items, which are two cells at least, are the
/// cells' own.
struct team_grid {
  std::int64_t n, count;            ///< of items and of segments
  int shift;                        ///< units of items begin so many items before multiples of theirs
  int aligned;                      ///< a warp begins with multiples of so many items, less the shift
  int log_team;                     ///< warps of a team
  int slots;                        ///< windows of a warp
  int rounds;                       ///< segments of a team, of one warp where they are several
  std::int64_t blocks, first_cell;  ///< the blocks from this one on have cells
  std::int64_t cell_items, cut_items, cells;  ///< cells: 0 where no segment is as long
  bool lines_ahead = false;  ///< whether the second-level cache fetches lines beside those asked for
  std::int64_t stride = 0;   ///< of a block's segments, where they are no neighbours
  bool from_both_ends = false;
  bool deals = false;  ///< whether single warps' segments are dealt out to all of a block

  /// Where blocks take turns, they have segments from both ends: the longest ones, if lengths rise or fall,
  /// are not the last to be begun with.
  SWEEP_HD unsigned nth_block(unsigned nth) const {
    if (!from_both_ends) return nth;
    return nth % 2 == 0 ? nth / 2 : static_cast<unsigned>(blocks) - 1 - nth / 2;
  }
};

/// What is in the second-level cache when it is read again.
inline constexpr std::int64_t cached_bytes = std::int64_t{64} << 20;
/// Items of so many bytes are read by words, where they may be: tests change the first.
inline std::int64_t fewest_bytes_by_words = std::int64_t{12} << 20;
inline constexpr std::int64_t most_bytes_by_words = std::int64_t{48} << 20;
/// Of less input, or of segments of few rows, to fetch instructions takes longer than windows do; of more,
/// memory does.
inline bool read_by_words(std::int64_t bytes, std::int64_t count) {
  constexpr std::int64_t shortest = 4 << 10;  // bytes of a segment
  return bytes >= fewest_bytes_by_words && bytes <= most_bytes_by_words && bytes / count >= shortest;
}
/// So few blocks have the shared memory for more windows: tests lower it.
inline std::int64_t most_blocks_of_more_windows = 264;
/// So many warps of a large input share its segments; of twice as many short segments they have several each:
/// tests lower it.
inline std::int64_t most_warps_of_teams = 8192;

/// Part of what fixes the bits, so nothing of the machine's. Where items are gathered, neighbours may be near
/// each other, so that a first-level cache serves them if its warps are at few segments at a time. longest:
/// as many items as a segment may have.
template <class Shape, class Source>
team_grid team_grid_of(Source const& source, std::int64_t n, std::int64_t count, std::int64_t longest,
                       bool sums_lengths) {
  constexpr std::int64_t multiprocessors = 132, blocks_wanted = 8 * multiprocessors,
                         blocks_at_once = multiprocessors * Shape::blocks,
                         warps_at_once = blocks_at_once * Shape::warps;
  constexpr bool gathered = Shape::usual::gathered;
  auto const mean = n / count;
  // What fits the windows of all warps that run at the same time takes as long as its latencies: a second
  // turn of blocks would take as long again. Of more, blocks of shorter shares even out better.
  std::int64_t const warps_wanted = n <= 2 * warps_at_once * Shape::window_items
                                        ? std::min(warps_at_once, most_warps_of_teams)
                                        : most_warps_of_teams;
  team_grid grid{n, count, 0, Shape::aligned, 0, Shape::slots, 1, 0, 0, 0, 0, 0};
  if constexpr (Shape::of_stream) {
    auto const stream = source.template stream<0>();
    auto const* const lowest = stream.lowest(0, Shape::aligned);
    int const before = Shape::aligned > Shape::unit ? items_before_line<Shape::unit>(lowest)
                                                    : items_before_vector<Shape::unit>(lowest);
    grid.shift = stream.reversed ? (Shape::aligned - before) % Shape::aligned : before;
  }
  // In a second-level cache latencies count: twice as many warps of a segment halve the time of its items,
  // and double what the device takes to start all of them, the more so where each block adds up lengths. Of
  // more input, and the fewer blocks run at once, two warps have a half each of more than so many windows of
  // one: each block's start is a pause, and there are more of those where segments are shorter than the mean.
  // Of values that take long to tell each other warps have longer halves, where blocks take many turns.
  auto const halved = [&](std::int64_t team) -> std::int64_t {
    if (gathered || longest == mean) return 3;
    if (Shape::of_stream && Shape::blocks <= 2) return 12;
    if (Shape::in_windows && Shape::blocks == 3) return count * team >= 2 * most_warps_of_teams ? 10 : 6;
    return 4;
  };
  bool const balanced = Shape::of_stream && Shape::blocks > 2 && n <= cached_bytes / Shape::item_bytes;
  auto const started = sums_lengths ? 4 * count : count;
  auto const fits_more = [&](std::int64_t team) {
    if (team == Shape::warps) return false;
    bool const has_rows = mean > team * Shape::row_items;
    if (balanced) return has_rows && 2 * team * team * started <= mean * Shape::item_bytes;
    return mean > team * halved(team) * Shape::window_items || (has_rows && count * team * 2 <= warps_wanted);
  };
  while (fits_more(1 << grid.log_team)) ++grid.log_team;
  // Segments of about a window have nothing to deal out.
  grid.deals = Shape::deals && mean > 2 * Shape::window_items;
  // Where blocks take turns anyway, a warp has several segments that fit a window or little more: the next
  // one is on its way meanwhile. Where few blocks run at once, also longer ones, of some windows in all.
  constexpr bool few_at_once = Shape::blocks <= 2;
  if (Shape::in_windows && grid.log_team == 0 && !sums_lengths &&
      mean <= Shape::window_items * (few_at_once ? 16 : 5) / 4) {
    std::int64_t const most = few_at_once ? 8 * Shape::window_items / mean : 32;
    grid.rounds = static_cast<int>(
        std::clamp<std::int64_t>(count / (2 * most_warps_of_teams), 1, std::min<std::int64_t>(most, 32)));
  }
  // Of segments of about a window what lies before the first item would take its room.
  if (grid.rounds > 1) grid.aligned = Shape::unit;
  auto const of_block = std::int64_t{Shape::warps >> grid.log_team} * grid.rounds;
  grid.blocks = (count + of_block - 1) / of_block;
  // Where all blocks run at once, each has segments from all over the range, so that all have about as much
  // to do if lengths rise or fall.
  if (Shape::by_words && !sums_lengths && longest != mean && grid.blocks > 1 && grid.blocks <= blocks_at_once)
    grid.stride = grid.blocks;
  grid.from_both_ends = longest != mean && grid.blocks > blocks_at_once;
  // Where segments are few, and long, blocks without any wait for cells, which take as long as some windows;
  // else what is cut is more work for those. Nobody waits for what is computed: a cell is worth its search
  // from more items on. Cells of few segments run beside them, in one turn where that is not long; where
  // those are more than there are multiprocessors, of segments that are long.
  std::int64_t const windows = Shape::warps * (Shape::usual::computed ? 4 : 1) * Shape::window_items;
  bool const long_ones = mean >= 4 * windows,
             few = gathered ? count <= 32 || (long_ones && grid.blocks <= multiprocessors)
                            : long_ones && grid.blocks <= blocks_at_once / 2,
             beside = few && !gathered;
  std::int64_t const least_cell = windows * (few || gathered ? 2 : 8),
                     least_cut = !few || (beside && grid.blocks > multiprocessors)
                                     ? 16 * windows
                                     : (gathered ? 4 : 8) * windows;
  grid.first_cell = beside ? grid.blocks : 0;
  // As many cells as there are blocks anyway, or as keep the multiprocessors busy; a warp has few windows of
  // a cell, where that is to keep places together.
  std::int64_t const most =
      beside && n <= 4 * least_cell * blocks_at_once
          ? blocks_at_once - grid.blocks
          : std::max((gathered ? 4 : 1) * blocks_wanted, std::min(grid.blocks, 4 * blocks_wanted));
  grid.cell_items = gathered && few ? least_cell : std::max(least_cell, n / most + 1);
  grid.cut_items = std::max(2 * grid.cell_items, least_cut);
  if (longest >= grid.cut_items) grid.cells = (n + grid.cell_items - 1) / grid.cell_items;
  grid.blocks = std::max(grid.blocks, grid.first_cell + grid.cells);
  if (grid.blocks <= most_blocks_of_more_windows) grid.slots = Shape::most_slots;
  return grid;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

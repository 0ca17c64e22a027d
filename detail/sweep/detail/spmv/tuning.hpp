// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_TUNING_HPP
#define SWEEP_DETAIL_SPMV_TUNING_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/variant.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// What a sparse product can be told by its policy: how, on the device.
struct spmv_options {
  template <bool OnHost, class... Tags>
  static constexpr void require() {
    static_assert((is_on<Tags, spmv_by, checked_t> && ...),
                  "sweep: a sparse product has variants of its own (merge_path, row_vector, segmented_scan); "
                  "this policy carries a variant or plan of another algorithm");
    static_assert(!OnHost || !has_axis<spmv_by, Tags...>,
                  "sweep: variants of sparse products are for sweep::device");
  }
};

/// The variant that a policy names.
template <class Policy>
inline constexpr spmv_by spmv_variant = spmv_by::balance;
/// Those that share out entries alone, and must know how many there are.
constexpr bool needs_entries(spmv_by how) {
  return how == spmv_by::row_vector || how == spmv_by::segmented_scan;
}

/// A share of the merge path of rows and entries: its warps work on windows of neighbouring entries, of shape
/// (rows, 32 lanes, row items): a lane has so many neighbours of a row.
struct path_shape {
  int warps, rows, row_items, blocks;
  SWEEP_HD constexpr int threads() const { return 32 * warps; }
  SWEEP_HD constexpr int window_items() const { return 32 * rows * row_items; }
};

/// A row holds for values, and entries read, of at most so many bytes. Lanes that have neighbouring entries
/// ask for as few lines of the vector as there are; columns in 16 bits are asked for four at a time.
struct path_row {
  std::size_t value, entry;
  path_shape shape, narrow;
};

/// The first row that fits wins; found by hand.
// clang-format off
inline constexpr path_row path_table[] = {
    // value <=  entry <=           warps rows items blocks; of columns in 16 bits; measured by
    {4,    8,               {8, 8, 1, 3}, {8, 2, 4, 3}},  // bench/spmv
    {8,    16,              {8, 5, 1, 3}, {8, 4, 1, 3}},  // bench/spmv
    {16,   24,              {8, 2, 1, 2}, {8, 2, 1, 2}},  // untested
    {64,   ~std::size_t{0}, {8, 1, 1, 1}, {8, 1, 1, 1}},  // untested
    {1024, ~std::size_t{0}, {1, 1, 1, 1}, {1, 1, 1, 1}},  // untested
};
// clang-format on

/// The same where lanes have the columns of several vectors: for entries of at most 8 bytes whose sums are
/// written as they are, and where that would take more registers than there are. Of odd row items groups of
/// lanes that work on neighbouring entries have them in different banks; as many entries of a group are on
/// their way at once.
inline constexpr path_shape column_shape{8, 1, 7, 3}, wide_column_shape{8, 1, 5, 3};  // bench/spmv
/// At most so many lanes have the columns of an entry, numbers of so many bytes. Of passes for more columns
/// so many are launched one behind the other, of which none waits for another.
SWEEP_HD constexpr int column_lanes(std::size_t number) { return number == 8 ? 16 : 8; }  // bench/spmv
inline constexpr std::int64_t passes_at_once = 16;
/// One kernel has so many columns as vectors, at most.
inline constexpr std::int64_t vectors_at_once = 64;
/// Whether columns are vectors for one kernel although each reads all entries: of so few products none is
/// waited for long, and nothing is looked for, where others would take so many kernels, one after the other.
/// Part of what fixes the bits.
SWEEP_HD constexpr bool are_few_products(std::int64_t n, std::int64_t columns, std::int64_t kernels,
                                         bool apart) {
  auto const most = apart ? std::int64_t{5} << 19 : std::int64_t{1} << 20;  // of a kernel; bench/spmv
  return columns > 0 && n <= kernels * most / columns;
}

/// Whether making rows of few columns, or of such as are read anyhow, vectors first is less than is saved.
SWEEP_HD constexpr bool are_worth_packing(std::int64_t n) { return n > std::int64_t{1} << 21; }  // bench/spmv

/// Steps of a warp's share of the path: as many as give each of so many warps an equal number of shares, few
/// enough that the last ones to end do not keep a device waiting, and enough to hide where a share begins.
/// Part of what fixes the bits, so nothing of the machine's: a device that works on 3072 warps at once, or on
/// a few more, has equal work for all of them.
SWEEP_HD constexpr std::int64_t path_steps_of_warp(std::int64_t steps, int warps) {
  constexpr std::int64_t least = 128, most = 8192, unit = 16, warps_wanted = 3072, most_blocks = 1 << 16;
  auto const rounds = steps / (warps_wanted * most) + 1;
  auto each = (steps / (warps_wanted * rounds) + unit) / unit * unit;
  if (each < least) each = least;
  auto const needed = steps / (most_blocks * warps) + 1;  // so that tile state is bounded
  return each > needed ? each : needed;
}

/// Shares of a path of so many steps: how many steps each has, how many blocks of so many warps they are.
struct path_division {
  std::int64_t steps_of_warp, blocks;
};
SWEEP_HD constexpr path_division divide_path(std::int64_t steps, int warps) {
  auto const each = path_steps_of_warp(steps, warps);
  return {each, (steps + each * warps - 1) / (each * warps)};
}

/// A tile of whole rows, by a block: its windows are of shape (items, threads), and it has so many rows at
/// most.
struct row_tile_shape {
  int threads, items, blocks, rows;
  SWEEP_HD constexpr int window_items() const { return threads * items; }
  friend SWEEP_HD constexpr bool operator==(row_tile_shape const& a, row_tile_shape const& b) {
    return a.threads == b.threads && a.items == b.items && a.blocks == b.blocks && a.rows == b.rows;
  }
};
/// Holds for values, and entries read, of at most so many bytes: tiles of whole rows, tiles of few products,
/// and cells of entries. Of wide values more of smaller blocks are at work, so that loads of some come while
/// others fold; but where all are at work at once the one with the longest rows is waited for.
struct row_tile_row {
  std::size_t value, entry;
  row_tile_shape shape, few, cells;
};
// clang-format off
inline constexpr row_tile_row row_tile_table[] = {
    // value <=  entry <=     threads items blocks rows; of few; of cells; measured by
    {4,    8,               {256, 8, 6, 1024}, {256, 8, 6, 1024}, {256, 8, 5, 1024}},  // bench/spmv
    {8,    16,              {128, 8, 9, 512},  {256, 8, 4, 1024}, {256, 8, 4, 1024}},  // bench/spmv
    {16,   24,              {256, 4, 3, 512},  {256, 4, 3, 512},  {256, 4, 3, 512}},   // untested
    {64,   ~std::size_t{0}, {64, 4, 3, 128},   {64, 4, 3, 128},   {64, 4, 3, 128}},    // untested
    {1024, ~std::size_t{0}, {32, 1, 1, 64},    {32, 1, 1, 64},    {32, 1, 1, 64}},     // untested
};
// clang-format on

SWEEP_HD constexpr row_tile_row row_tile_row_for(std::size_t value, std::size_t entry) {
  row_tile_row last{};
  for (auto const& row : row_tile_table) {
    last = row;
    if (value <= row.value && entry <= row.entry) break;
  }
  return last;
}

/// A matrix in tiles of so many neighbouring rows, 2^log_width lanes each. Tiles of more than `heavy` entries
/// are cut where ranges begin, of so many entries.
struct row_tiling {
  int rows = 0, log_width = 0, tiles = 0, ranges = 0, heavy = 0;
  int log_every = 0;  ///< one of 2^log_every blocks has a range, the others have tiles, until ranges end
  std::int64_t range = 0;
};
/// Whether products are so few that one tile may be waited for by all others.
SWEEP_HD constexpr bool are_few_for_tiles(std::int64_t n) { return n >= 0 && n <= std::int64_t{1} << 20; }
/// Whether all blocks are at work at once, and a long one is waited for.
SWEEP_HD constexpr bool is_one_wave(std::int64_t n) { return n <= std::int64_t{1} << 19; }
/// Ranges are so few that looking for heavy tiles in them takes hardly any time: of smaller windows there are
/// more, for as many entries. Where all of a matrix is few windows they have one each: hardly anything else
/// is at work while the longest ends.
SWEEP_HD constexpr std::int64_t most_ranges(std::int64_t window) { return window <= 1024 ? 1280 : 640; }
SWEEP_HD constexpr std::int64_t entries_of_range(std::int64_t n, std::int64_t window) {
  constexpr std::int64_t few = std::int64_t{1} << 20;
  auto const least = n <= few ? window : 2 * window, fewest = (n / most_ranges(window) / 32 + 1) * 32;
  return fewest < least ? least : fewest;
}
/// Tiles have as many rows as fill most of a window if all are of one length, or fewer, so that there are
/// blocks enough. Where only the device knows how many entries there are (-1), it finds how long ranges are.
/// Part of what fixes the bits, so nothing of the machine's.
SWEEP_HD constexpr row_tiling divide_rows(std::int64_t count, std::int64_t n, row_tile_shape const& shape,
                                          int columns = 1) {
  constexpr std::int64_t threads_wanted = 1 << 17, unknown_rows = 64;
  std::int64_t const window = shape.window_items(),
                     in_window = n > 0   ? window * 7 / 8 * count / n
                                 : n < 0 ? unknown_rows
                                         : shape.rows,
                     shared = columns * count * shape.threads / threads_wanted + 1;
  auto rows = in_window < shared ? in_window : shared;
  if (rows > shape.rows) rows = shape.rows;
  // Threads that have a row each take whole turns, if more than two.
  if (rows > 2 * shape.threads) rows = rows / shape.threads * shape.threads;
  row_tiling by;
  by.rows = static_cast<int>(rows < 1 ? 1 : rows);
  while (by.log_width < 5 && 2 * by.rows << by.log_width <= shape.threads) ++by.log_width;
  by.tiles = static_cast<int>((count + by.rows - 1) / by.rows);
  by.heavy = static_cast<int>((is_one_wave(columns * n) ? 3 : 2) * window);
  by.range = entries_of_range(columns * n, window);
  if (n > by.heavy) by.ranges = static_cast<int>((n + by.range - 1) / by.range);
  if (n < 0) by.ranges = static_cast<int>(most_ranges(window) + 1);
  // Of very many tiles the first ones are begun between ranges: so blocks do not all load at the same time.
  if (by.ranges > 0 && by.tiles >= 32 * by.ranges)
    while (by.log_every < 10 && std::int64_t{by.ranges} << (by.log_every + 1) <= by.tiles + by.ranges)
      ++by.log_every;
  return by;
}

/// Long rows are cut into cells of neighbouring entries, one a block, where all cells are at work at once: of
/// a window at most, or fewer, so that there are blocks enough. Part of what fixes the bits.
inline constexpr std::int64_t most_cells = 512;
SWEEP_HD constexpr std::int64_t entries_of_cell(std::int64_t n, row_tile_shape const& shape) {
  constexpr std::int64_t fewest = 256, unit = 32;
  std::int64_t const shared = n / fewest / unit * unit, least = shape.threads, most = shape.window_items();
  return shared < least ? least : shared < most ? shared : most;
}
SWEEP_HD constexpr bool fits_cells(std::int64_t n, row_tile_shape const& shape) {
  return n > 0 && n <= most_cells * shape.window_items();
}

/// Whether rows are so long on average that they are cut anywhere: shares of equally many entries take less
/// time than tiles of whole rows then, cells or those of the path. Part of what fixes the bits.
SWEEP_HD constexpr bool are_long_rows(std::int64_t count, std::int64_t n) { return n > 384 * count; }
/// Whether entries of so many bytes are more than a second-level cache holds from one product to the next.
SWEEP_HD constexpr bool are_streamed(std::int64_t n, std::size_t entry) {
  return n > (std::int64_t{1} << 26) / static_cast<std::int64_t>(entry);
}
/// Whether shares of the path take less time than tiles of whole rows although most rows are short for cells:
/// a tile of a few of these is either less than its window or more. Part of what fixes the bits.
SWEEP_HD constexpr bool are_rows_streamed(std::int64_t count, std::int64_t n, std::size_t value,
                                          std::size_t entry) {
  return n > (value <= 4 ? 24 : 96) * count && are_streamed(n, entry);
}
/// Whether where a share begins is likely to be near where it would if rows were of one length.
SWEEP_HD constexpr bool can_be_asked_ahead(std::int64_t count, std::int64_t n, std::size_t entry) {
  return n > 24 * count && are_streamed(n, entry);
}
/// Whether a plan asks how even rows are: those of short ones that are streamed have tiles, unless they are
/// uneven and what a tile reads of the vector may be in a first-level cache; if it is not, as many reads as
/// tiles have on their way take less time. It counts the windows that tiles take: those of even rows are
/// seven eighths full.
SWEEP_HD constexpr bool asks_for_windows(std::int64_t count, std::int64_t n, std::size_t value,
                                         std::size_t entry) {
  return are_streamed(n, entry) && !are_rows_streamed(count, n, value, entry);
}
SWEEP_HD constexpr bool are_uneven(std::int64_t windows, std::int64_t window, std::int64_t n) {
  return windows > n / window * 6 / 5;
}
SWEEP_HD constexpr bool are_near_columns(std::int64_t lowest, std::int64_t highest) {
  return static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest) < 1u << 15;
}
/// Whether the path takes less time than tiles where columns of entries of few bytes are in 16 bits.
SWEEP_HD constexpr bool are_many_narrow(std::int64_t n) { return n > std::int64_t{1} << 22; }

/// Warps of a block in all rows of the table but the last: those for which a plan keeps where shares begin.
inline constexpr int planned_warps = 8;

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_DENSE_ROWS_LAYOUT_CUH
#define SWEEP_DETAIL_AXES_TILE_DENSE_ROWS_LAYOUT_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/arrays_beneath.cuh>
#include <sweep/detail/axes/tile/gapped_strips.cuh>
#include <sweep/detail/axes/tile/rows.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/core/divisors.hpp>
#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/relocatable.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// How a block has some chunks of a few lines in shared memory whose rows are one run in memory
/// (tile/dense_rows.cuh).
template <class Problem>
struct dense_rows_layout {
  using rows = chunks_of_rows<Problem>;
  using arrays = arrays_beneath<Problem>;
  using T = typename Problem::value;
  using U = typename Problem::out_value;
  /// A warp tells of so many lines at a time, and hears of so many windows of tiles: what registers hold.
  static constexpr int told_lines = sizeof(T) <= 4 ? 2 : 1,
                       windows = sizeof(T) <= 8 || arch_here() >= 90 ? 2 : 1;
  using told = line_pack<T, told_lines>;
  static SWEEP_HD constexpr int packs_of(int lines) { return (lines + told_lines - 1) / told_lines; }
  static constexpr int strip = rows::strip, chunk_length = rows::chunk_length, turns = 4;
  /// Of two plain floats a row what chunks_of_rows has is faster.
  static constexpr int least_lines = comes_in_items<Problem> ? 3 : 1, most_lines = rows::few_lines;
  template <class Item>
  static constexpr bool moves = relocatable<Item>&& fills_words<Item>;
  template <int... K>
  static constexpr bool all_move(std::integer_sequence<int, K...>) {
    return (moves<typename arrays::template item<K>> && ...);
  }
  static constexpr bool possible = [] {
    if constexpr (Problem::what == line_result::total || arrays::count == 0 || sizeof(T) > 16 ||
                  !relocatable<T>)
      return false;
    else if constexpr (arrays_of_place<typename Problem::out_place> != 1 || !moves<U> || sizeof(U) < 4)
      return false;
    else if constexpr (!std::is_pointer_v<std::remove_const_t<decltype(Problem::out)>> && !Problem::looks)
      return false;
    else return all_move(std::make_integer_sequence<int, arrays::count>{});
  }();

  /// What waits: the items, or what they will be made of.
  using held =
      typename std::conditional_t<Problem::waits_fetched, std::type_identity<typename Problem::fetched>,
                                  std::type_identity<T>>::type;

  /// Bytes that are copied at a time, where memory lies on a boundary of them: strips are whole ones.
  template <class Item>
  static constexpr int copied = std::min(16, strip* static_cast<int>(sizeof(Item)));
  template <class Item>
  static constexpr auto gaps = [] {
    struct of_lines {
      int of[most_lines + 1];
    } all{};
    for (int lines = 1; lines <= most_lines; ++lines)
      all.of[lines] = gap_of_strips(lines, strip, sizeof(Item), copied<Item>);
    return all;
  }();

  /// Whether results take their items' places in the last array.
  static constexpr bool in_place = [] {
    if constexpr (!possible) return false;
    else return sizeof(typename arrays::template item<arrays::count - 1>) == sizeof(U);
  }();
  /// Where things stand in shared memory, of so many lines.
  struct layout {
    small_divisor by_strip{1}, by_lines{1};
    int bits = 0, each = 1;         ///< chunks of a tile, a power of two
    int cluster_bits = 0;           ///< blocks that tell one total, a power of two
    int totals, before, strips;     ///< bytes before those of chunks, and the folds up to strips in theirs
    int pitch[arrays::count + 1];   ///< items from a strip of all lines to the next, of arrays and of results
    int offset[arrays::count + 2];  ///< bytes before these; and all
    int bytes() const { return offset[arrays::count + 1]; }
  };
  static layout layout_of(int lines, int bits) {
    layout how;
    auto const whole = [](std::size_t bytes) { return static_cast<int>((bytes + 15) / 16 * 16); };
    how.by_strip = small_divisor{strip * lines};
    how.by_lines = small_divisor{lines};
    how.bits = bits;
    how.each = 1 << bits;
    int const units = lines * how.each;
    how.totals = 16;
    how.before = how.totals + whole(units * sizeof(T));
    how.strips = how.before + whole(units * sizeof(T));
    how.offset[0] = how.strips + whole(units * 33 * sizeof(T));
    auto const place = [&]<class Item>(int k, std::type_identity<Item>) {
      how.pitch[k] = strip * lines + gaps<Item>.of[lines];
      how.offset[k + 1] = how.offset[k] + whole(how.each * 32 * how.pitch[k] * sizeof(Item));
    };
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (place(K, std::type_identity<typename arrays::template item<K>>{}), ...);
    }
    (std::make_integer_sequence<int, arrays::count>{});
    if constexpr (in_place) {
      how.pitch[arrays::count] = how.pitch[arrays::count - 1];
      how.offset[arrays::count + 1] = how.offset[arrays::count];
      how.offset[arrays::count] = how.offset[arrays::count - 1];
    } else {
      place(arrays::count, std::type_identity<U>{});
    }
    return how;
  }
  /// Of as many chunks as a tile has room for, but that of so many chunks there are so many tiles.
  static layout layout_of(int lines, int room, std::int64_t chunks, std::int64_t tiles) {
    layout how = layout_of(lines, 0);
    for (int bits = 1; bits <= 4 && chunks >> bits >= tiles; ++bits)
      if (auto const more = layout_of(lines, bits); more.bytes() <= room) how = more;
    return how;
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

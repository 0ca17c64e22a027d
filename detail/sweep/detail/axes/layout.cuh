// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_LAYOUT_CUH
#define SWEEP_DETAIL_AXES_LAYOUT_CUH

#include <sweep/detail/axes/lines.hpp>
#include <sweep/detail/axes/neighbour_rows.hpp>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/chunk_as_it_lies.cuh>
#include <sweep/detail/axes/tile/columns.cuh>
#include <sweep/detail/axes/tile/lines_of_run.cuh>
#include <sweep/detail/axes/tile/marched_columns.cuh>
#include <sweep/detail/axes/tile/planes.cuh>
#include <sweep/detail/axes/tile/rows.cuh>
#include <sweep/detail/axes/tile/short_lines.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/axes/tile/windows.cuh>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// How the lines of a problem lie in memory, which decides the kernel that scans them: questions that the host
// asks before a launch. None of it changes a bit of the results.

/// Neighbouring lines that a thread takes as one, where memory has them side by side: 16 bytes of the widest,
/// and no more than 4, since each item of a strip has a register of its own.
template <class Problem>
inline constexpr int lines_of_pack = [] {
  auto const widest = std::max(
      {sizeof(typename Problem::raw), sizeof(typename Problem::out_value), sizeof(typename Problem::value)});
  bool const in_memory =
      (std::is_pointer_v<decltype(Problem::in)> ||
       is_zip_of_pointers<std::remove_const_t<decltype(Problem::in)>> ||
       is_rows<std::remove_const_t<decltype(Problem::in)>>)&&arrays_of_place<typename Problem::out_place> ==
      1;
  return in_memory && widest <= 8 && (widest & (widest - 1)) == 0
             ? static_cast<int>(std::min<std::size_t>(4, 16 / widest))
             : 1;
}();
/// The same where items of two arrays wait in shared memory, as they were read: 16 bytes of the wider. 1
/// where they do not: those are items of 4 bytes, and others beside them.
template <class Problem>
inline constexpr int lines_of_pack_in_shared = [] {
  using input = std::remove_const_t<decltype(Problem::in)>;
  if constexpr (is_zip_of_pointers<input> && is_free<decltype(Problem::unary)> &&
                Problem::what != line_result::total && sizeof(typename Problem::out_value) == 4 &&
                vectors_in_shared<input, 4, 1, 1>::exist) {
    if constexpr (vectors_in_shared<input, 4, 1, 1>::widest == 16) return 4;
  }
  return 1;
}();
/// As many of them as are 64 bytes of the wider array, and a sector of memory of the narrower.
template <class Problem>
inline constexpr int packs_in_shared = [] {
  using vectors = vectors_in_shared<std::remove_const_t<decltype(Problem::in)>, 4, 1, 1>;
  if constexpr (vectors::exist) return std::max(4, 32 / vectors::narrowest);
  else return 4;
}();
/// Whether lines are known to lie one behind the other, each a run.
template <class Problem>
inline constexpr bool lie_one_by_one = is_run_of_lines<std::remove_const_t<decltype(Problem::out)>>;

/// Whether memory begins on a boundary of its items' size, where items that fill words could be moved as
/// vectors: those whose alignment is less may begin between.
template <class It>
bool on_items(It const& it) {
  if constexpr (is_zip_of_pointers<It>) return on_items(it.first()) && on_items(it.second());
  if constexpr (std::is_pointer_v<It>)
    if constexpr (fills_words<value_of<It>>) return reinterpret_cast<std::uintptr_t>(it) % sizeof(*it) == 0;
  return true;
}
template <class Problem>
bool memory_on_items(Problem const& problem) {
  return on_items(problem.in) && (Problem::what == line_result::total || on_items(problem.out));
}

/// Whether every line, and every item of it, begins on such a boundary of an iterator's memory.
template <int V, class It, class Grid, class Stride>
bool on_boundaries(It const& it, Grid const& grid, Stride stride) {
  if constexpr (is_zip_of_pointers<It>) {
    return on_boundaries<V>(it.first(), grid, stride) && on_boundaries<V>(it.second(), grid, stride);
  } else if constexpr (is_rows<It>) {
    return it.each_array([&](auto items) { return on_boundaries<V>(items, grid, stride); });
  } else if constexpr (std::is_pointer_v<It>) {
    auto const place = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(it) / sizeof(*it));
    bool on = on_items(it) && grid.axes > 0 && grid.across[0].extent % V == 0 &&
              stride(grid.across[0].stride) == 1 && (place + stride(grid.first)) % V == 0;
    for (int r = 1; r < grid.axes; ++r) on = on && stride(grid.across[r].stride) % V == 0;
    return on;
  } else {
    return false;
  }
}
template <int V, class Problem>
bool in_packs(Problem const& problem) {
  auto const& grid = problem.grid;
  return leading(grid.in) % V == 0 &&
         on_boundaries<V>(problem.in, grid, [](auto const& by) { return by.in; }) &&
         (Problem::what == line_result::total ||
          (leading(grid.out) % V == 0 &&
           on_boundaries<V>(problem.out, grid, [](auto const& by) { return by.out; })));
}

/// Whether what lies one behind the other in the first of several arrays is a run: the others' items lie no
/// farther apart than a run's may.
template <class Problem>
bool steps_in_runs(Problem const& problem) {
  auto const& grid = problem.grid;
  return steps_of_run(grid.in) && steps_of_run(grid.across[0].stride.in) &&
         (Problem::what == line_result::total ||
          (steps_of_run(grid.out) && steps_of_run(grid.across[0].stride.out)));
}
/// Whether a few lines are what lies side by side, row after row. Of more than a few, which a block has of
/// one group of such alone, there are many groups, whose chunks do not wait for each other.
template <class Problem>
bool in_rows(Problem const& problem) {
  using tile = chunks_of_rows<Problem>;
  constexpr std::int64_t many_groups = 16;
  auto const& grid = problem.grid;
  // Those that are folded and made of less wait for memory in registers, where there is room for more of
  // them.
  if constexpr (Problem::what == line_result::total && Problem::waits_fetched &&
                fills_words<typename Problem::value> && sizeof(typename Problem::value) == 16)
    return false;
  if (grid.axes == 0 || !memory_on_items(problem)) return false;
  auto const lines = grid.across[0].extent;
  if (!steps_in_runs(problem)) return false;
  if constexpr (constexpr int V = lines_of_pack<Problem>; tile::most_lines > tile::few_lines)
    if (lines > tile::few_lines && (grid.lines < many_groups * lines || in_packs<V>(problem))) return false;
  return lines <= tile::most_lines && leading(grid.across[0].stride.in) == 1 &&
         magnitude(leading(grid.in)) == lines &&
         (Problem::what == line_result::total ||
          (leading(grid.across[0].stride.out) == 1 && leading(grid.out) == leading(grid.in)));
}

/// Whether all that the items of dense rows are made of begins on boundaries of its size.
template <class Problem>
bool arrays_on_items(Problem const& problem) {
  if constexpr (is_rows<std::remove_const_t<decltype(Problem::in)>>)
    return problem.in.each_array([](auto const& items) { return on_items(items); });
  else return on_items(problem.memory());
}

/// Whether what lies side by side, row after row, is no more lines than a block has threads for.
template <class Problem>
bool in_dense_rows(Problem const& problem) {
  auto const& grid = problem.grid;
  if (grid.axes == 0 || !memory_on_items(problem)) return false;
  auto const lines = grid.across[0].extent;
  return lines <= rows_of_block<Problem>::most_lines && leading(grid.across[0].stride.in) == 1 &&
         leading(grid.across[0].stride.out) == 1 && magnitude(leading(grid.in)) == lines &&
         leading(grid.out) == leading(grid.in);
}

/// Windows of so many packs of V lines. They overlap where results of neighbouring lines stand side by side,
/// rows do not begin where sectors do, and a sector is no more than a quarter of a window. In place a block
/// would read what another has written: there they do not.
template <int V, int Lanes, class Problem>
column_windows windows_of(Problem const& problem) {
  auto const& grid = problem.grid;
  if constexpr (Problem::what != line_result::total && std::is_pointer_v<decltype(problem.in)> &&
                windows_overlap<decltype(problem.out)>) {
    constexpr int item = static_cast<int>(sizeof(*problem.out)), results = 32 / item, sector = results / V;
    void const* const in = problem.in;
    void const* const out = problem.out;
    if constexpr ((results & (results - 1)) == 0 && results * item == 32 && sector >= 2 &&
                  4 * sector <= Lanes) {
      bool aligned =
          reinterpret_cast<std::uintptr_t>(problem.out + grid.first.out) % 32 == 0 && grid.out % results == 0;
      for (int r = 1; r < grid.axes; ++r) aligned = aligned && grid.across[r].stride.out % results == 0;
      if (!aligned && in != out && grid.axes > 0 && grid.across[0].stride.out == 1 &&
          grid.across[0].extent > 64) {
        auto const extent = grid.across[0].extent / V, step = std::int64_t{Lanes - sector + 1};
        return {extent, (extent - Lanes + step - 1) / step + 1, grid.lines / V / extent,
                static_cast<int>(step), sector};
      }
    }
  }
  auto const all = grid.lines / V;
  return {all, (all + Lanes - 1) / Lanes, 1, Lanes};
}

/// Where the first item of line 0 lies in memory, counted in items from a boundary of vectors; -1 where lines
/// do not lie along the axis, item by item.
template <class It, class Place>
std::int64_t place_in_vectors(It const& it, Place const& first, Place const& step) {
  if constexpr (is_zip_of_pointers<It>) {
    auto const a = place_in_vectors(it.first(), first, step), b = place_in_vectors(it.second(), first, step);
    return b >= 0 && (a - b) % 16 == 0 ? a : -1;
  }
  if constexpr (std::is_pointer_v<It>) {
    if (magnitude(step) == 1 && fills_words<value_of<It>> && relocatable<value_of<It>> && on_items(it))
      return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(it) / sizeof(*it)) + first +
             (step < 0);
  }
  return -1;
}

/// Whether lines are one run in memory, one behind the other, and short, or such as begin anywhere in a
/// sector of it.
template <class Problem>
bool in_runs(Problem const& problem) {
  constexpr bool total = Problem::what == line_result::total;
  auto const& grid = problem.grid;
  if (!memory_on_items(problem)) return false;
  if (grid.length == 0 || grid.axes != 1 || magnitude(leading(grid.in)) != 1 ||
      leading(grid.across[0].stride.in) != grid.length)
    return false;
  if (!steps_in_runs(problem)) return false;
  if (!total && (leading(grid.in) != leading(grid.out) || leading(grid.across[0].stride.out) != grid.length))
    return false;
  return grid.length <= lines_of_run<Problem>::longest;
}

/// Whether lines that are folded are such runs, and whole windows of memory.
template <class Problem>
bool in_whole_windows(Problem const& problem) {
  constexpr int width = line_window<Problem>::width;
  auto const& grid = problem.grid;
  return Problem::what == line_result::total && in_runs(problem) && grid.length % width == 0 &&
         place_in_vectors(problem.in, grid.first.in, grid.in) % width == 0;
}

/// How many lines lie side by side, row after row, where all their rows are one run in memory, behind those
/// of the lines before; 0 where they do not.
template <class Problem>
std::int64_t rows_in_run(Problem const& problem) {
  auto const& grid = problem.grid;
  if constexpr (arrays_of_place<typename Problem::in_place> == 1 &&
                arrays_of_place<typename Problem::out_place> == 1) {
    if (grid.length == 0 || grid.axes == 0 || grid.axes > 2 || !memory_on_items(problem)) return 0;
    auto const beside = grid.across[0].extent;
    auto const follows = [&](std::int64_t step, auto stride) {
      return magnitude(step) == beside && stride(grid.across[0].stride) == 1 &&
             (grid.axes == 1 || stride(grid.across[1].stride) == beside * grid.length);
    };
    if (follows(grid.in, [](auto const& by) { return by.in; }) &&
        (Problem::what == line_result::total ||
         (grid.in == grid.out && follows(grid.out, [](auto const& by) { return by.out; }))))
      return beside;
  }
  return 0;
}

/// Whether lines that are cut into chunks are runs, or some side by side are one, and short enough: those
/// that are folded have one chunk. How many lie side by side, or 0. Narrow items that are folded, or
/// of lines that are not whole words, go as they lie, a warp a chunk, where these have strips for half of its
/// lanes.
template <class Problem>
std::int64_t in_runs_of_strips(Problem const& problem) {
  using T = typename Problem::value;
  using runs = lines_of_run<Problem>;
  auto const length = problem.grid.length;
  auto const chunks = chunks_of_line<T, Problem::what>(length);
  // A third chunk that is nearly empty costs a warp less here; of 8 bytes a value so does a full one.
  constexpr std::int64_t chunk = chunk_items<T, Problem::what>;
  constexpr int usual = Problem::what == line_result::total ? 1 : 2;
  bool const third = usual == 2 && chunks == runs::most_chunks && in_runs(problem) &&
                     sizeof(T) == sizeof(typename Problem::raw) &&
                     (sizeof(T) == 8 || (sizeof(T) == 4 && length <= 2 * chunk + chunk / 2));
  if (chunks > usual && !third) return 0;
  if (in_runs(problem)) {
    bool const words = Problem::what != line_result::total && length % word_items<T> == 0;
    using lying = chunk_as_it_lies<Problem>;
    return !(lying::possible && lying::narrow) || words || length <= 16 * strip_items<T, Problem::what>;
  }
  constexpr std::int64_t narrow_row = 128;  // bytes
  auto const beside = rows_in_run(problem);
  bool const is_narrow = beside * static_cast<std::int64_t>(sizeof(T)) < narrow_row,
             fits = beside * length * static_cast<std::int64_t>(sizeof(T)) <= runs::bytes;
  return is_narrow && fits ? beside : 0;
}

/// How many lines lie side by side, row after row, where all their rows are one run in memory that a block
/// holds, and rows are narrow, or results begin anywhere in sectors; 0 where they do not. Rows of packs that
/// are folded are sectors.
template <class Problem>
std::int64_t beside_in_runs(Problem const& problem) {
  constexpr bool total = Problem::what == line_result::total;
  constexpr std::int64_t narrow_row = 128, sector = 32, item = sizeof(typename Problem::value);  // bytes
  using runs = lines_of_run<Problem>;
  auto const beside = rows_in_run(problem), all = beside * problem.grid.length;
  if (beside == 0) return 0;
  if constexpr (total && (lines_of_pack < Problem >> 1))
    if (beside * item >= sector && in_packs<lines_of_pack<Problem>>(problem)) return 0;
  // A block's threads are as many as it has lines: of long ones too few to fold at memory's rate.
  constexpr std::int64_t long_line = 1600;
  if (total && problem.grid.length * item > long_line) return 0;
  bool const is_narrow = beside * item < narrow_row,
             cuts_sectors =
                 beside * static_cast<std::int64_t>(sizeof(typename Problem::out_value)) % sector != 0;
  return (is_narrow || (!total && cuts_sectors)) &&
                 all * item <= (is_narrow ? runs::bytes : runs::most_of_rows)
             ? beside
             : 0;
}

/// Whether lines are so short that a thread of its own would wait for few bytes, and side by side in rows.
template <class Problem>
bool in_short_lines(Problem const& problem) {
  using tile = short_lines<Problem>;
  constexpr std::int64_t wide_row = 512;  // bytes
  auto const& grid = problem.grid;
  if constexpr (tile::possible) {
    return grid.length > 0 && grid.length <= tile::longest && grid.axes > 0 && memory_on_items(problem) &&
           grid.across[0].extent * static_cast<std::int64_t>(sizeof(typename tile::T)) >= wide_row &&
           grid.across[0].stride.in == 1 && (tile::total_only || grid.across[0].stride.out == 1);
  }
  return false;
}

/// How lanes stand to the lines of a problem: neighbouring lanes take what lies nearer. Windows begin on
/// boundaries of the output, or of the input where that alone lies along the axis; chunks where lines begin.
template <class Problem>
line_layout layout_of(Problem const& problem, bool in_windows) {
  using T = typename Problem::value;
  constexpr bool total = Problem::what == line_result::total;
  constexpr int V = word_items<T>;
  auto const& grid = problem.grid;
  constexpr std::int64_t far = 1 << 30;
  auto const across_in = grid.axes > 0 ? leading(grid.across[0].stride.in) : far,
             across_out = grid.axes > 0 ? leading(grid.across[0].stride.out) : far;
  line_layout how{magnitude(leading(grid.in)) < magnitude(across_in),
                  !total && magnitude(leading(grid.out)) < magnitude(across_out),
                  false,
                  false,
                  on_items(problem.in),
                  !total && on_items(problem.out)};
  if (!fills_words<T>) return how;
  auto const in = how.in_along ? place_in_vectors(problem.in, grid.first.in, grid.in) : -1;
  auto const out = how.out_along ? place_in_vectors(problem.out, grid.first.out, grid.out) : -1;
  auto const every = [&](auto stride) {
    for (int r = 0; r < grid.axes; ++r)
      if (leading(stride(grid.across[r].stride)) % V != 0) return false;
    return true;
  };
  bool const follows = in_windows && how.out_along;  // the input follows the output's windows
  if (in_windows && !how.out_along) how.in_words = in >= 0;
  else if (follows) {
    // Where the input goes the other way, it is as far before a boundary as the output is behind one.
    int const sign = (leading(grid.in) < 0) == (leading(grid.out) < 0) ? 1 : -1;
    how.in_words = in >= 0 && out >= 0 && (in - sign * out) % V == 0 &&
                   every([&](auto const& by) { return leading(by.in) - sign * leading(by.out); });
  } else how.in_words = in >= 0 && in % V == 0 && every([](auto const& by) { return by.in; });
  how.out_words = out >= 0 && (in_windows || (out % V == 0 && every([](auto const& by) { return by.out; })));
  return how;
}

/// Whether neighbouring columns of planes are vectors in an iterator's memory.
template <int V, class It, class Grid, class Stride>
bool columns_in_vectors(It const& it, Grid const& grid, line_place const& first, Stride stride) {
  if constexpr (std::is_pointer_v<It>) {
    if constexpr (!(fills_words<value_of<It>> && relocatable<value_of<It>>)) return false;
    auto const place = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(it) / sizeof(*it));
    bool on = on_items(it) && (place + stride(first)) % V == 0 && stride(grid.column) == 1 &&
              stride(grid.row) % V == 0 && stride(grid.layer) % V == 0;
    for (int r = 0; r < grid.planes.axes; ++r) on = on && stride(grid.planes.across[r].stride) % V == 0;
    return on;
  } else {
    return false;
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

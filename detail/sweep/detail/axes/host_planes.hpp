// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_HOST_PLANES_HPP
#define SWEEP_DETAIL_AXES_HOST_PLANES_HPP

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Rows of a band, whose chains a processor overlaps, and columns of a block of it, which tests lower.
inline constexpr int rows_of_band = 4;
inline std::int64_t columns_of_block = 256;
/// Whether bands are many, and long enough for threads to follow each other along them.
inline bool bands_follow(plane_grid const& grid) {
  return grid.rows >= 4 * rows_of_band && grid.columns >= 4 * columns_of_block;
}

/// Planes along both axes at once, on host threads: a band of rows after the other, each a block of columns
/// at a time, behind the band above it. Each row and each column is one chain, so that bits are a matter of
/// the items alone.
template <class Problem>
class banded_planes {
  using T = typename Problem::value;
  static constexpr int height = rows_of_band;
  using one_item = std::integral_constant<std::int64_t, 1>;

 public:
  banded_planes(team& members, Problem const& given)
      : members_{members},
        problem_{given},
        bands_{(given.grid.rows + height - 1) / height},
        width_{columns_of_block},
        blocks_{(given.grid.columns + width_ - 1) / width_},
        done_(static_cast<std::size_t>(bands_ * given.grid.planes.lines)) {}

  void run() {
    members_.for_each_tile(bands_ * problem_.grid.planes.lines, [&](std::int64_t tile) {
      auto const& grid = problem_.grid;
      if (grid.column.in == 1 && grid.column.out == 1) band(tile, one_item{}, one_item{});
      else band(tile, grid.column.in, grid.column.out);
    });
  }

 private:
  template <class In, class Out>
  void band(std::int64_t tile, In in, Out out) {
    auto const& grid = problem_.grid;
    auto const plane = tile / bands_, first = tile % bands_ * height;
    auto at = grid.planes.place(plane);
    at.in += first * grid.row.in;
    at.out += first * grid.row.out;
    auto const rows = std::min<std::int64_t>(height, grid.rows - first);
    T sums[height]{};
    for (std::int64_t block = 0; block < blocks_; ++block) {
      if (first > 0) wait_in_team(members_.failed(), [&] { return done(tile - 1).load(acquire) > block; });
      auto const from = block * width_, end = std::min(grid.columns, from + width_);
      if (rows == height) {
        if (first > 0) rows_of_block<height, true>(at, in, out, from, end, sums);
        else rows_of_block<height, false>(at, in, out, from, end, sums);
      } else {
        for (std::int64_t r = 0; r < rows; ++r) {
          line_place const row{at.in + r * grid.row.in, at.out + r * grid.row.out, 0};
          if (first + r > 0) rows_of_block<1, true>(row, in, out, from, end, sums + r);
          else rows_of_block<1, false>(row, in, out, from, end, sums + r);
        }
      }
      done(tile).store(static_cast<std::uint32_t>(block + 1), release);
    }
  }

  /// Columns [from, end) of rows that follow each other; sums: those along each row so far.
  template <int Rows, bool Below, class In, class Out>
  [[gnu::noinline]] void rows_of_block(line_place const& at, In in, Out out, std::int64_t from,
                                       std::int64_t end, T* kept) const {
    auto const problem = problem_;  // a local: nothing that is written can be one of its members
    auto op = problem.op;
    auto const row_in = problem.grid.row.in, row_out = problem.grid.row.out;
    T sums[Rows];
    for (int r = 0; r < Rows; ++r) sums[r] = kept[r];
    for (auto j = from; j < end; ++j) {
      T above{};
      if constexpr (Below) above = static_cast<T>(problem.out[at.out - row_out + j * out]);
      for (int r = 0; r < Rows; ++r) {
        T const x = problem.item(at.in + r * row_in + j * in);
        sums[r] = j > 0 ? static_cast<T>(op(sums[r], x)) : x;
        above = Below || r > 0 ? in_output(op(above, sums[r])) : sums[r];
        problem.put(at.out + r * row_out + j * out, above);
      }
    }
    for (int r = 0; r < Rows; ++r) kept[r] = sums[r];
  }
  /// As it is read again from the output.
  static T in_output(T const& x) { return static_cast<T>(static_cast<typename Problem::out_value>(x)); }

  atomic_ref<std::uint32_t> done(std::int64_t tile) {
    return atomic_ref<std::uint32_t>((*done_)[static_cast<std::size_t>(tile)]);
  }

  team& members_;
  Problem const& problem_;
  std::int64_t bands_, width_, blocks_;
  call_zeros<std::uint32_t> done_;
};

template <class... Tags, class Problem>
bool run_planes(host_policy<Tags...> const& policy, char const*, Problem const& given) {
  if (!bands_follow(given.grid)) return false;
  team members(policy.threads());
  banded_planes<Problem>(members, given).run();
  return true;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

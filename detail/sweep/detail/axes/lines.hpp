// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_LINES_HPP
#define SWEEP_DETAIL_AXES_LINES_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/places.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// An array along an axis is many lines of one length. What a kernel is told of them is where each begins, in
// the input, in the output and among what is given a line (initial values), and how far apart its items are.

inline constexpr int most_axes = 8;

/// n / extent of two that are not negative: in 32 bits where they fit, which costs a device a fraction.
SWEEP_HD constexpr std::int64_t quotient(std::int64_t n, std::int64_t extent) {
  return (n | extent) >> 32 == 0
             ? std::int64_t{static_cast<std::uint32_t>(n) / static_cast<std::uint32_t>(extent)}
             : n / extent;
}

template <class In = std::int64_t, class Out = std::int64_t>
struct place_of_line {
  In in;
  Out out;
  std::int64_t init;
};
using line_place = place_of_line<>;

/// An axis across the lines.
template <class Place>
struct cross_axis {
  std::int64_t extent;
  Place stride;
};

template <class In = std::int64_t, class Out = std::int64_t>
struct grid_of_lines {
  using place_type = place_of_line<In, Out>;
  std::int64_t length = 1, lines = 1;
  In in{1};  ///< strides along the axis
  Out out{1};
  place_type first{};  ///< where line 0 begins
  int axes = 0;        ///< across the lines, the one with the shortest steps first
  cross_axis<place_type> across[most_axes] = {};

  SWEEP_HD constexpr place_type place(std::int64_t line) const {
    place_type at = first;
    for (int r = 0; r < axes; ++r) {
      auto nth = line;
      if (r + 1 < axes) {
        auto const rest = quotient(line, across[r].extent);
        nth = line - rest * across[r].extent;
        line = rest;
      }
      at.in += nth * across[r].stride.in;
      at.out += nth * across[r].stride.out;
      at.init += nth * across[r].stride.init;
    }
    return at;
  }
};

using line_grid = grid_of_lines<>;

/// Planes: many lines along the last axis, side by side along the one before it.
struct plane_grid {
  std::int64_t rows = 1, columns = 1;
  line_place row{0, 0, 0}, column{0, 0, 0};  ///< from one row to the next, from one column to the next
  std::int64_t layers = 1;                   ///< of a volume
  line_place layer{0, 0, 0};                 ///< from one layer to the next
  line_grid planes;                          ///< where each begins, or each volume

  SWEEP_HD constexpr std::int64_t across(int width) const { return (columns + width - 1) / width; }
  SWEEP_HD constexpr std::int64_t down(int height) const { return (rows + height - 1) / height; }
};

/// The fewest axes across the lines that say the same, with the shortest steps first, and none of them
/// backwards in the output, or in the input where that decides: what the layout of memory says about
/// neighbouring lines can be read off the first.
template <class Grid>
constexpr void simplify(Grid& grid, bool by_input = false) {
  // The step that decides, and another where that is none. What is read again and again is far away.
  auto const step_of = [&](auto const& stride) {
    auto const in = leading(stride.in), out = leading(stride.out);
    return by_input ? (in != 0 ? in : out) : (out != 0 ? out : in);
  };
  auto const is_repeated = [&](auto const& stride) { return by_input && leading(stride.in) == 0; };
  int kept = 0;
  for (int r = 0; r < grid.axes; ++r)
    if (grid.across[r].extent != 1) grid.across[kept++] = grid.across[r];
  grid.axes = kept;
  for (int r = 0; r < kept; ++r) {
    auto& axis = grid.across[r];
    if (step_of(axis.stride) >= 0) continue;
    grid.first.in += (axis.extent - 1) * axis.stride.in;
    grid.first.out += (axis.extent - 1) * axis.stride.out;
    grid.first.init += (axis.extent - 1) * axis.stride.init;
    axis.stride = {-1 * axis.stride.in, -1 * axis.stride.out, -axis.stride.init};
  }
  auto const before = [&](auto const& a, auto const& b) {
    if (by_input) {
      if (is_repeated(a.stride) != is_repeated(b.stride)) return is_repeated(b.stride);
      if (leading(a.stride.in) != leading(b.stride.in)) return leading(a.stride.in) < leading(b.stride.in);
    }
    return leading(a.stride.out) != leading(b.stride.out)
               ? leading(a.stride.out) < leading(b.stride.out)
               : magnitude(leading(a.stride.in)) < magnitude(leading(b.stride.in));
  };
  for (int r = 1; r < kept; ++r)
    for (int s = r; s > 0 && before(grid.across[s], grid.across[s - 1]); --s)
      std::swap(grid.across[s], grid.across[s - 1]);
  int merged = 0;
  for (int r = 1; r < kept; ++r) {
    auto& low = grid.across[merged];
    auto const& high = grid.across[r];
    if (low.extent * low.stride.in == high.stride.in && low.extent * low.stride.out == high.stride.out &&
        low.extent * low.stride.init == high.stride.init)
      low.extent *= high.extent;
    else grid.across[++merged] = high;
  }
  if (kept > 0) grid.axes = merged + 1;
  // Lines of one item each may be taken to lie along any axis: along that on which they follow each other.
  if (grid.length == 1 && grid.axes == 1) {
    grid.in = grid.across[0].stride.in;
    grid.out = grid.across[0].stride.out;
  }
}

/// The product of extents, none of which is negative.
template <int Rank>
std::int64_t items_of_extents(char const* call, char const* argument, std::int64_t const (&extents)[Rank]) {
  std::int64_t all = 1;
  bool empty = false, fits = true;
  for (auto const extent : extents) {
    if (extent < 0) throw_bad_argument(call, argument, "has a negative extent, ", extent);
    if (extent == 0) empty = true;
    else fits = !__builtin_mul_overflow(all, extent, &all) && fits;
  }
  if (empty) return 0;
  if (!fits) throw_bad_argument(call, argument, "has more than 2^63 items");
  return all;
}

/// Whether two arrays of these extents have their items in the same places, where they begin in one.
template <class A, class B, int Rank>
constexpr bool same_strides(std::int64_t const (&extents)[Rank], A const (&a)[Rank], B const (&b)[Rank]) {
  bool same = true;
  for (int r = 0; r < Rank; ++r) same = same && (a[r] == b[r] || extents[r] <= 1);
  return same;
}

/// Along axis r the stride of an item's index along `axis`, as if it stood in an array.
constexpr std::int64_t index_stride(int r, int axis) { return r == axis ? 1 : 0; }

/// An axis by its number, which may count from the end.
inline int checked_axis(char const* call, int axis, int rank) {
  if (axis < -rank || axis >= rank)
    throw_bad_argument(call, "axis", "is ", std::int64_t{axis}, ", but the arrays have ", std::int64_t{rank},
                       " axes");
  return axis < 0 ? axis + rank : axis;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

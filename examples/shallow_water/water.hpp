// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_SHALLOW_WATER_WATER_HPP
#define SWEEP_EXAMPLES_SHALLOW_WATER_WATER_HPP

#include <sweep/sweep.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

// Water that moves over ground, after Kass and Miller (1990): the height h of its surface obeys the wave
// equation h_tt = g div(d grad h), where d is the depth. It is kept here as two equations of the first order,
// h_t = -div q and q_t = -g d grad h, where q is what flows from cell to cell. A step is implicit, so that it
// can be long, and its directions alternate: along the rows, then along the columns, q is eliminated, and
// what h changes by is a tridiagonal system for every row, or column. Then the flows follow from the change,
// no cell gives more than it holds, and what one cell gives its neighbour gets: no water is lost.

namespace water {

/// What f says of each index, as a range: coefficients are made where they are read.
template <class F>
struct computed {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::decay_t<decltype(std::declval<F const&>()(std::int64_t{}))>;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = value_type;
  F f;
  std::int64_t at = 0;
  SWEEP_HD value_type operator[](std::ptrdiff_t i) const { return f(at + i); }
  SWEEP_HD value_type operator*() const { return f(at); }
  friend SWEEP_HD computed operator+(computed x, std::ptrdiff_t i) { return {x.f, x.at + i}; }
  friend SWEEP_HD std::ptrdiff_t operator-(computed x, computed y) { return x.at - y.at; }
};
template <class F>
computed<F> compute(F f) {
  return {f};
}
struct itself {
  SWEEP_HD std::int64_t operator()(std::int64_t i) const { return i; }
};

/// Drops on a pool. It is cut into squares of 16 cells; on each of them falls, once in 64 steps on average, a
/// drop some cells wide, in a place drawn from the square and the step.
struct rain {
  double rate = 0;  ///< water on a cell in a step, on average
  std::int64_t step = 0;
  static constexpr int square = 16, radius = 4, seldom = 64;

  static constexpr SWEEP_HD double bump(int x, int y) {
    int const inside = radius * radius - x * x - y * y;
    return inside > 0 ? inside * inside : 0;
  }
  static constexpr SWEEP_HD double total() {
    double sum = 0;
    for (int y = -radius; y <= radius; ++y)
      for (int x = -radius; x <= radius; ++x) sum += bump(x, y);
    return sum;
  }
  SWEEP_HD double operator()(std::int64_t x, std::int64_t y) const {
    auto draw = static_cast<std::uint64_t>(step) * 0x9e3779b97f4a7c15u +
                static_cast<std::uint64_t>((y / square << 32) + x / square);  // then as splitmix64 does
    draw = (draw ^ draw >> 30) * 0xbf58476d1ce4e5b9u;
    draw = (draw ^ draw >> 27) * 0x94d049bb133111ebu;
    draw ^= draw >> 31;
    if (draw % seldom != 0) return 0;
    constexpr int places = square - 2 * radius;
    int const at_x = radius + static_cast<int>(draw / seldom % places),
              at_y = radius + static_cast<int>(draw / seldom / places % places);
    constexpr double scale = square * square * seldom / total();
    return rate * scale * bump(static_cast<int>(x % square) - at_x, static_cast<int>(y % square) - at_y);
  }
};

/// A rectangle of cells, and what moves its water. Heights of ground and surface are of one zero; the surface
/// of a dry cell is its ground.
struct pool {
  std::int64_t width, height;
  double const* ground;
  double const* across;  ///< the higher ground of a cell and the next one of its row; infinity at walls
  double const* down;    ///< of its column; both with a row of infinity before the first row
  double pull;           ///< g dt^2 / dx^2
  double friction;       ///< what part of a flow a step takes from it, from 0 to 1
};

/// Half a step: a pool in one direction. surface has a row of anything before the first row, and one behind
/// the last; flow[i] is what goes from cell i to the next one in a step.
struct stretch {
  pool all;
  double const* surface;
  double const* flow;
  bool along_rows;

  SWEEP_HD std::int64_t by() const { return along_rows ? 1 : all.width; }
  /// What couples a cell with the one behind it: the depth of the water that they share, none where the
  /// higher ground is above both surfaces, and none at walls, which so reflect.
  SWEEP_HD double coupling(std::int64_t i) const {
    double const here = surface[i], there = surface[i + by()], top = here > there ? here : there;
    double const floor = along_rows ? all.across[i] : all.down[i];
    return top > floor ? all.pull * (top - floor) : 0;
  }
  /// What would flow to the cell behind, did the surfaces stay as they are.
  SWEEP_HD double pushed(std::int64_t i, double coupling) const {
    if (coupling == 0) return 0;
    return (1 - all.friction) * flow[i] - coupling * (surface[i + by()] - surface[i]);
  }
};

/// The system of a direction: change[i] + what the change lets flow away = what flows to cell i already.
struct lower_of {
  stretch of;
  SWEEP_HD double operator()(std::int64_t i) const { return -of.coupling(i - of.by()); }
};
struct upper_of {
  stretch of;
  SWEEP_HD double operator()(std::int64_t i) const { return -of.coupling(i); }
};
struct diagonal_of {
  stretch of;
  SWEEP_HD double operator()(std::int64_t i) const { return 1 + of.coupling(i - of.by()) + of.coupling(i); }
};
struct right_of {
  stretch of;
  SWEEP_HD double operator()(std::int64_t i) const {
    auto const before = i - of.by();
    return of.pushed(before, of.coupling(before)) - of.pushed(i, of.coupling(i));
  }
};

/// A cell after half a step.
struct moved {
  double surface, flow;
};
/// Flows, once the change is known, and where they lead. A cell that would give more than it holds gives each
/// of its neighbours less, in proportion.
struct moved_by {
  stretch of;
  double const* change;
  rain drops;

  SWEEP_HD double wanted(std::int64_t i) const {
    double const c = of.coupling(i);
    return c > 0 ? of.pushed(i, c) - c * (change[i + of.by()] - change[i]) : 0;
  }
  SWEEP_HD double share(std::int64_t i, double before, double behind) const {
    double const gives = (behind > 0 ? behind : 0) + (before < 0 ? -before : 0);
    double const has = of.surface[i] - of.all.ground[i];
    return gives > has ? (has > 0 ? has / gives : 0) : 1;
  }
  SWEEP_HD moved operator()(std::int64_t i) const {
    auto const by = of.by();
    double const before = wanted(i - by), behind = wanted(i), own = share(i, before, behind);
    double const in = before > 0 ? before * share(i - by, wanted(i - 2 * by), before) : before * own;
    double const out = behind < 0 ? behind * share(i + by, behind, wanted(i + by)) : behind * own;
    double const fallen = drops.rate > 0 ? drops(i % of.all.width, i / of.all.width) : 0;
    return {of.surface[i] + (in - out) + fallen, out};
  }
};

/// Where cells go: two arrays as one output.
struct two_arrays {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = moved;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  struct reference {
    double *surface, *flow;
    SWEEP_HD void operator=(moved const& cell) const {
      *surface = cell.surface;
      *flow = cell.flow;
    }
  };
  double *surface, *flow;
  SWEEP_HD reference operator*() const { return {surface, flow}; }
  SWEEP_HD reference operator[](std::ptrdiff_t i) const { return {surface + i, flow + i}; }
  friend SWEEP_HD two_arrays operator+(two_arrays x, std::ptrdiff_t i) { return {x.surface + i, x.flow + i}; }
};

/// Half a step: one solve for all rows, or columns, then all cells at once.
template <class Policy>
void half_step(Policy const& policy, stretch const& now, rain const& drops, double* change,
               two_arrays const& after) {
  auto const system =
      sweep::tridiagonal(compute(lower_of{now}), compute(diagonal_of{now}), compute(upper_of{now}),
                         compute(right_of{now}), change, now.along_rows ? now.all.width : now.all.height);
  if (now.along_rows) sweep::tridiagonal_solve(policy, system.batch(now.all.height));
  else sweep::tridiagonal_solve(policy, system.interleaved(now.all.width));
  auto const cells = compute(itself{});
  sweep::gather(policy, cells, cells + now.all.width * now.all.height, compute(moved_by{now, change, drops}),
                after);
}

/// Arrays of a pool: where the water is, how it flows, and room for the next step.
struct arrays {
  double *surface, *across, *down;        ///< the surface; flows along the rows, along the columns
  double *next_surface, *spare, *change;  ///< room
};

/// One step. Works wherever the policy does; on the device it never waits.
template <class Policy>
void step(Policy const& policy, pool const& all, rain const& drops, arrays& a) {
  half_step(policy, {all, a.surface, a.across, true}, drops, a.change, {a.next_surface, a.spare});
  half_step(policy, {all, a.next_surface, a.down, false}, {}, a.change, {a.surface, a.across});
  double* const free = a.down;
  a.down = a.across;
  a.across = a.spare;
  a.spare = free;
}

}  // namespace water

#endif

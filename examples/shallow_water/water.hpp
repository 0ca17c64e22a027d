// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_SHALLOW_WATER_WATER_HPP
#define SWEEP_EXAMPLES_SHALLOW_WATER_WATER_HPP

#include <sweep/sweep.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>

// Water that moves over ground, after Kass and Miller (1990): the height of its surface obeys the wave
// equation h_tt = g div(d grad h), where d is the depth. A step is implicit, so that it can be long: (1 -
// X)(1 - Y) h_next = h + (1 - friction)(h - h_before), where X and Y are the parts of the right side along
// the rows and along the columns. So a step is one tridiagonal solve for every row, and one for every column.
// Both matrices are symmetric and their columns add up to one: no water is lost.

namespace water {

/// What f says of each index, as a range: coefficients are made where they are read.
template <class F>
struct computed {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = double;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = double;
  F f;
  std::int64_t at = 0;
  SWEEP_HD double operator[](std::ptrdiff_t i) const { return f(at + i); }
  SWEEP_HD double operator*() const { return f(at); }
  friend SWEEP_HD computed operator+(computed x, std::ptrdiff_t i) { return {x.f, x.at + i}; }
};
template <class F>
computed<F> compute(F f) {
  return {f};
}

/// A rectangle of cells, and what the next step is made of. Heights of ground and surface are of one zero; a
/// dry cell's surface is not above its ground.
struct pool {
  std::int64_t width, height;
  double const* ground;
  double const* surface;
  double const* before;  ///< the surface a step ago
  double pull;           ///< g dt^2 / dx^2
  double friction;       ///< of a step, from 0 to 1

  /// How deep the water is that two neighbouring cells share: none where the higher ground is above both
  /// surfaces.
  SWEEP_HD double shared(std::int64_t a, std::int64_t b) const {
    double const top = surface[a] > surface[b] ? surface[a] : surface[b];
    double const floor = ground[a] > ground[b] ? ground[a] : ground[b];
    return top > floor ? top - floor : 0;
  }
};

/// What couples a cell with its neighbour before or behind it, `by` cells away; walls reflect.
struct coupling {
  pool all;
  bool along_rows;
  SWEEP_HD double before(std::int64_t i) const {
    auto const by = along_rows ? 1 : all.width;
    bool const at_wall = along_rows ? i % all.width == 0 : i < all.width;
    return at_wall ? 0 : all.pull * all.shared(i - by, i);
  }
  SWEEP_HD double behind(std::int64_t i) const {
    auto const by = along_rows ? 1 : all.width;
    bool const at_wall = along_rows ? i % all.width == all.width - 1 : i >= all.width * (all.height - 1);
    return at_wall ? 0 : all.pull * all.shared(i, i + by);
  }
};
struct lower_of {
  coupling of;
  SWEEP_HD double operator()(std::int64_t i) const { return -of.before(i); }
};
struct upper_of {
  coupling of;
  SWEEP_HD double operator()(std::int64_t i) const { return -of.behind(i); }
};
struct diagonal_of {
  coupling of;
  SWEEP_HD double operator()(std::int64_t i) const { return 1 + of.before(i) + of.behind(i); }
};
/// Where the water would be if nothing pulled.
struct drifted {
  pool all;
  SWEEP_HD double operator()(std::int64_t i) const {
    return all.surface[i] + (1 - all.friction) * (all.surface[i] - all.before[i]);
  }
};

/// One step: `after` becomes the surface that follows. Works wherever the policy does; on the device it never
/// waits.
template <class Policy>
void step(Policy const& policy, pool const& now, double* after) {
  coupling const rows{now, true}, columns{now, false};
  sweep::tridiagonal_solve(policy, sweep::tridiagonal(compute(lower_of{rows}), compute(diagonal_of{rows}),
                                                      compute(upper_of{rows}), compute(drifted{now}), after,
                                                      now.width)
                                       .batch(now.height));
  sweep::tridiagonal_solve(policy,
                           sweep::tridiagonal(compute(lower_of{columns}), compute(diagonal_of{columns}),
                                              compute(upper_of{columns}), after, after, now.height)
                               .interleaved(now.width));
}

}  // namespace water

#endif

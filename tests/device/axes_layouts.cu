// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device scans and reductions of arrays along an axis, however they lie in memory.
#include <support/axes_laws.hpp>
#include <support/device_places.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace sweep_test;

namespace {
/// The last that is not 0.
struct latest_one {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return b != 0 ? b : a;
  }
};
/// Arrays of three axes, in any order in memory, with gaps and turned round, along each: scans to an array
/// that lies alike or dense, and totals.
template <class T>
void laid_out_law(std::int64_t const (&extents)[3], random_source& random) {
  int order[3] = {0, 1, 2};
  std::swap(order[random.between(0, 2)], order[2]);
  std::swap(order[random.between(0, 1)], order[1]);
  std::int64_t strides[3], dense[3] = {extents[1] * extents[2], extents[2], 1}, first = 0, step = 1;
  for (int const r : order) {
    strides[r] = step;
    step = step * extents[r] + random.between(0, 3) * random.between(0, 5);
    if (random.between(0, 2) == 0) {
      first += (extents[r] - 1) * strides[r];
      strides[r] = -strides[r];
    }
  }
  auto const n = extents[0] * extents[1] * extents[2];
  int const axis = static_cast<int>(random.between(0, 2));
  bool const alike = random.between(0, 1) == 0, backward = random.between(0, 1) == 0;
  std::vector<T> x(static_cast<std::size_t>(step)), want(static_cast<std::size_t>(alike ? step : n), T(77)),
      totals(static_cast<std::size_t>(n / extents[axis]), T(5)), sums = totals;
  for (auto& item : x) item = random.between(0, 3) == 0 ? static_cast<T>(random.between(1, 100)) : T{};
  std::int64_t at[3] = {};
  auto const place = [&](std::int64_t const(&by)[3]) {
    return at[0] * by[0] + at[1] * by[1] + at[2] * by[2];
  };
  auto const to_first = alike ? first : 0;
  auto const& to_strides = alike ? strides : dense;
  for (std::int64_t line = 0; line < n / extents[axis]; ++line) {
    auto rest = line;
    for (int r = 2; r >= 0; --r)
      if (r != axis) {
        at[r] = rest % extents[r];
        rest /= extents[r];
      }
    T sum{};
    for (std::int64_t i = 0; i < extents[axis]; ++i) {
      at[axis] = backward ? extents[axis] - 1 - i : i;
      sum = latest_one{}(sum, x[static_cast<std::size_t>(first + place(strides))]);
      want[static_cast<std::size_t>(to_first + place(to_strides))] = sum;
      at[axis] = i;
      auto& total = totals[static_cast<std::size_t>(line)];
      total = latest_one{}(total, x[static_cast<std::size_t>(first + place(strides))]);
      auto& all = sums[static_cast<std::size_t>(line)];
      all = static_cast<T>(all + x[static_cast<std::size_t>(first + place(strides))]);
    }
  }
  device_array<T> const in(x), out(std::vector<T>(want.size(), T(77))), folds(totals.size()),
      added(totals.size());
  auto const array = sweep::strided(static_cast<T const*>(in.begin()) + first, extents, strides);
  auto const results = sweep::strided(out.begin() + to_first, extents, to_strides);
  std::int64_t rest[2];
  for (int r = 0, to = 0; r < 3; ++r)
    if (r != axis) rest[to++] = extents[r];
  auto const along = sweep::along(axis);
  if (backward) sweep::inclusive_scan(sweep::device, array, results, along, latest_one{}, sweep::backward);
  else sweep::inclusive_scan(sweep::device, array, results, along, latest_one{});
  sweep::reduce(sweep::device, array, sweep::strided(folds.begin(), rest), along, T(5), latest_one{});
  sweep::reduce(sweep::device, array, sweep::strided(added.begin(), rest), along, T(5));
  auto const what = std::to_string(extents[0]) + " x " + std::to_string(extents[1]) + " x " +
                    std::to_string(extents[2]) + ", strides " + std::to_string(strides[0]) + ", " +
                    std::to_string(strides[1]) + ", " + std::to_string(strides[2]) + ", axis " +
                    std::to_string(axis) + (alike ? ", alike" : "") + (backward ? ", backward" : "");
  expect_equal(out.read(), want, what + ": scans");
  expect_equal(folds.read(), totals, what + ": totals");
  expect_equal(added.read(), sums, what + ": sums");
}
}  // namespace

TEST_CASE("device axes: arrays in any order in memory, with gaps and turned round") {
  random_source random("axis layouts");
  std::int64_t const many = sanitizing() ? 60 : 700;
  for (int k = 0; k < (sanitizing() ? 14 : 60); ++k) {
    std::int64_t extents[3] = {random.between(1, 90), random.between(1, many), random.between(1, 40)};
    std::swap(extents[random.between(0, 2)], extents[2]);
    laid_out_law<std::uint32_t>(extents, random);
    laid_out_law<std::uint8_t>(extents, random);
    laid_out_law<double>(extents, random);
  }
}

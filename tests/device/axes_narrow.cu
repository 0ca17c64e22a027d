// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device scans and reductions along an axis, of items of one or two bytes.
#include <support/axes_laws.hpp>
#include <support/device_places.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

using namespace sweep_test;

namespace {
/// The last that is not 0.
struct latest {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return b != 0 ? b : a;
  }
};
/// Lines along the axis that lie so many items apart, from any item on, to others or in place.
template <class T, class Op>
void narrow_law(std::int64_t lines, std::int64_t length, std::int64_t gap, bool in_place, bool backward,
                random_source& random, Op op) {
  auto const pitch = length + gap, from = random.between(0, 40), to = in_place ? from : random.between(0, 40);
  auto const places = static_cast<std::size_t>(lines * pitch + 48);
  std::vector<T> x(places);
  for (auto& item : x) item = random.between(0, 2) == 0 ? static_cast<T>(random.between(0, 255)) : T{};
  std::vector<T> want = in_place ? x : std::vector<T>(places, T(77));
  for (std::int64_t line = 0; line < lines; ++line) {
    T sum{};
    for (std::int64_t n = 0; n < length; ++n) {
      auto const k = line * pitch + (backward ? length - 1 - n : n);
      T const next = x[static_cast<std::size_t>(from + k)];
      sum = n == 0 ? next : static_cast<T>(op(sum, next));
      want[static_cast<std::size_t>(to + k)] = sum;
    }
  }
  device_array<T> const in(x), out(std::vector<T>(places, T(77)));
  auto const& written = in_place ? in : out;
  auto const of = [&](auto* begin) {
    return sweep::strided(begin, {lines, length}, {pitch, std::int64_t{1}});
  };
  auto const array = of(static_cast<T const*>(in.begin()) + from);
  auto const results = of(written.begin() + to);
  if (backward) sweep::inclusive_scan(sweep::device, array, results, sweep::along(1), op, sweep::backward);
  else sweep::inclusive_scan(sweep::device, array, results, sweep::along(1), op);
  expect_equal(written.read(), want,
               std::to_string(lines) + " lines of " + std::to_string(length) + ", " + std::to_string(pitch) +
                   " apart, from " + std::to_string(from) + " to " + std::to_string(to) +
                   (backward ? ", backward" : ""));
}
/// Lines side by side in rows that lie so many items apart, in groups, from any item on: their scans, to
/// others or in place, and their totals.
template <class T, class Op>
void narrow_rows_law(std::int64_t groups, std::int64_t length, std::int64_t lines, std::int64_t gap,
                     bool in_place, bool backward, random_source& random, Op op) {
  auto const pitch = lines + gap, all = (groups * length - 1) * pitch + lines, from = random.between(0, 40),
             to = in_place ? from : random.between(0, 40);
  auto const before = random.between(0, 1) == 0;  // a value before each line, and what comes before each item
  T const init = static_cast<T>(random.between(1, 255));
  // No byte behind the last item.
  std::vector<T> x(static_cast<std::size_t>(from + all));
  for (auto& item : x) item = random.between(0, 2) == 0 ? static_cast<T>(random.between(0, 255)) : T{};
  std::vector<T> want = in_place ? x : std::vector<T>(static_cast<std::size_t>(to + all), T(77));
  std::vector<T> totals(static_cast<std::size_t>(groups * lines), init);
  for (std::int64_t g = 0; g < groups; ++g)
    for (std::int64_t n = 0; n < length; ++n)
      for (std::int64_t line = 0; line < lines; ++line) {
        auto const of = [&](std::int64_t nth) { return (g * length + nth) * pitch + line; };
        auto const k = backward ? length - 1 - n : n, last = backward ? k + 1 : k - 1;
        T const next = x[static_cast<std::size_t>(from + of(k))];
        auto& result = want[static_cast<std::size_t>(to + of(k))];
        if (before) {
          result = n == 0 ? init
                          : static_cast<T>(op(want[static_cast<std::size_t>(to + of(last))],
                                              x[static_cast<std::size_t>(from + of(last))]));
        } else {
          result = n == 0 ? next : static_cast<T>(op(want[static_cast<std::size_t>(to + of(last))], next));
        }
        auto& total = totals[static_cast<std::size_t>(g * lines + line)];
        total = static_cast<T>(op(total, x[static_cast<std::size_t>(from + of(n))]));
      }
  device_array<T> const in(x), out(std::vector<T>(want.size(), T(77))), folds(totals.size());
  auto const of = [&](auto* begin) {
    return sweep::strided(begin, {groups, length, lines}, {length * pitch, pitch, std::int64_t{1}});
  };
  auto const array = of(static_cast<T const*>(in.begin()) + from);
  auto const& written = in_place ? in : out;
  auto const results = of(written.begin() + to);
  sweep::reduce(sweep::device, array, sweep::strided(folds.begin(), {groups, lines}), sweep::along(1), init,
                op);
  if (before && backward)
    sweep::exclusive_scan(sweep::device, array, results, sweep::along(1), init, op, sweep::backward);
  else if (before) sweep::exclusive_scan(sweep::device, array, results, sweep::along(1), init, op);
  else if (backward)
    sweep::inclusive_scan(sweep::device, array, results, sweep::along(1), op, sweep::backward);
  else sweep::inclusive_scan(sweep::device, array, results, sweep::along(1), op);
  auto const what = std::to_string(groups) + " groups of " + std::to_string(length) + " rows of " +
                    std::to_string(lines) + ", " + std::to_string(pitch) + " apart, from " +
                    std::to_string(from) + " to " + std::to_string(to) + (backward ? ", backward" : "");
  expect_equal(written.read(), want, what + ": scans");
  expect_equal(folds.read(), totals, what + ": totals");
}
}  // namespace

TEST_CASE("device axes: narrow items of lines side by side, in rows that begin anywhere") {
  random_source random("axis narrow rows");
  // Chains of lines that are many, or short, and chunks of others: whole, and the last of a line; so few
  // lines that each is heard of alone.
  for (std::int64_t const length : {1, 4, 12, 17, 33, 64, 65, 130, 500, 513, 1'100})
    for (bool const backward : {false, true}) {
      auto const groups = random.between(1, 3), gap = random.between(0, 1) * random.between(1, 9),
                 lines = random.between(128, length < 100 ? 1'500 : 700);
      bool const in_place = random.between(0, 2) == 0;
      narrow_rows_law<std::uint8_t>(groups, length, lines, gap, in_place, backward, random, latest{});
      narrow_rows_law<std::uint16_t>(groups, length, lines, gap, in_place, backward, random, halves_then{});
      narrow_rows_law<std::int8_t>(groups, length, lines, gap, in_place, backward, random, std::plus<>{});
    }
  // Rows of less than a warp's words, in groups whose chunks do not wait for each other.
  for (std::int64_t const lines : {33, 47, 64, 65, 111, 127})
    for (bool const backward : {false, true}) {
      auto const gap = random.between(0, 5);
      bool const in_place = random.between(0, 2) == 0;
      narrow_rows_law<std::int8_t>(9, 700, lines, gap, in_place, backward, random, std::plus<>{});
      narrow_rows_law<std::uint8_t>(11, 1'100, lines, gap, in_place, backward, random, latest{});
      narrow_rows_law<std::uint16_t>(10, 600, lines, gap, in_place, backward, random, halves_then{});
    }
  narrow_rows_law<std::uint8_t>(1, 2'500, 1'807, 0, false, false, random, latest{});
  narrow_rows_law<std::uint16_t>(1, 2'500, 1'101, 2, true, true, random, halves_then{});
  // Of so many that blocks have whole lines.
  narrow_rows_law<std::uint8_t>(101, 20, 2'003, 0, false, false, random, latest{});
  narrow_rows_law<std::uint16_t>(51, 18, 2'003, 1, true, true, random, halves_then{});
  if (!sanitizing()) {
    narrow_rows_law<std::uint8_t>(1, 20, (1 << 16) + 5, 0, false, false, random, latest{});
    narrow_rows_law<std::uint8_t>(1, 200, (1 << 16) + 5, 0, true, true, random, latest{});
    narrow_rows_law<std::uint16_t>(3, 40, 40'001, 3, false, true, random, halves_then{});
    narrow_rows_law<std::uint8_t>(1, 1'300, 70'003, 0, false, false, random, latest{});
  }
}

TEST_CASE("device axes: dense rows of narrow integers, however few, as segments in a pipeline") {
  if (!stages_can_run()) return;
  random_source random("rows as segments");
  auto const fewest = sweep::detail::fewest_bytes_as_segments;
  sweep::detail::fewest_bytes_as_segments = 0;
  // Some have several heads in a lane's items, some one in several tiles.
  for (std::int64_t const length :
       {16, 17, 32, 33, 65, 76, 77, 100, 257, 1'000, 4'096, 29'184, 65'535, 65'536, 80'001})
    for (bool const backward : {false, true}) {
      auto const lines = random.between(1, sanitizing() ? 90'000 : 700'000) / length + 1;
      narrow_law<std::int8_t>(lines, length, 0, random.between(0, 2) == 0, backward, random, std::plus<>{});
      narrow_law<std::uint8_t>(lines, length, 0, false, backward, random, latest{});
      narrow_law<std::int16_t>(lines, length, 0, false, backward, random, latest{});
      axis_scan_law<false, given_before::one, std::uint8_t>(on_device, {{lines, length}, 1}, true, false,
                                                            backward, latest{}, random);
    }
  sweep::detail::fewest_bytes_as_segments = fewest;
}

/// By a division, which no compiler makes one with the addition behind it.
struct seventh {
  __host__ __device__ float operator()(std::uint8_t x) const { return static_cast<float>(x) / 7.0f; }
};
TEST_CASE("device axes: totals of narrow items have the same bits side by side and along the axis") {
  random_source random("axis narrow bits");
  for (auto const& [length, lines] : {std::array{60, 301}, std::array{700, 203}, std::array{1'300, 131}}) {
    auto const items = draw_many<std::uint8_t>(static_cast<std::size_t>(length) * lines, random);
    device_array<std::uint8_t> const in(items);
    auto const n = std::int64_t{length}, beside = std::int64_t{lines};
    auto const rows = sweep::strided(static_cast<std::uint8_t const*>(in.begin()), {n, beside});
    std::vector<std::uint8_t> other(items.size());
    for (std::size_t k = 0; k < items.size(); ++k)
      other[k % static_cast<std::size_t>(lines) * static_cast<std::size_t>(length) +
            k / static_cast<std::size_t>(lines)] = items[k];
    device_array<std::uint8_t> const along(other);
    device_array<float> const a(static_cast<std::size_t>(lines)), b(static_cast<std::size_t>(lines));
    sweep::transform_reduce(sweep::device, rows, sweep::strided(a.begin(), {beside}), sweep::along(0), 0.0f,
                            std::plus<>{}, seventh{});
    sweep::transform_reduce(
        sweep::device, sweep::strided(static_cast<std::uint8_t const*>(along.begin()), {beside, n}),
        sweep::strided(b.begin(), {beside}), sweep::along(1), 0.0f, std::plus<>{}, seventh{});
    expect_equal(a.read(), b.read(), std::to_string(length) + " rows of " + std::to_string(lines));
  }
}

TEST_CASE("device axes: narrow items of lines that lie along the axis, wherever they begin") {
  random_source random("axis narrow");
  for (std::int64_t const length :
       {1, 5, 15, 16, 33, 64, 65, 100, 257, 512, 513, 1'000, 1'024, 1'040, 2'049, 5'000, 33'000})
    for (bool const backward : {false, true}) {
      std::int64_t const lines = random.between(1, length < 1'000 ? 60 : 4);
      auto const gap = random.between(0, 1) * random.between(0, 20);
      narrow_law<std::uint8_t>(lines, length, gap, random.between(0, 2) == 0, backward, random, latest{});
      narrow_law<std::int16_t>(lines, length, gap, random.between(0, 2) == 0, backward, random, latest{});
      narrow_law<std::int8_t>(lines, length, gap, false, backward, random, std::plus<>{});
    }
  if (!sanitizing()) {
    narrow_law<std::uint8_t>((1 << 16) + 1, 47, 0, false, false, random, latest{});
    narrow_law<std::uint8_t>((1 << 16) + 1, 129, 0, false, true, random, latest{});
    narrow_law<std::uint8_t>(3, 3'000'001, 0, true, false, random, latest{});
    narrow_law<std::int16_t>(3, 2'000'001, 1, false, true, random, latest{});
  }
}

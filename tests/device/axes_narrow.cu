// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device scans and reductions along an axis, of items of one or two bytes.
#include <support/axes_laws.hpp>
#include <support/device_places.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

using namespace sweep_test;

namespace {
/// An item and where it stands; of two the larger, or the one before.
struct with_place {
  template <class T>
  sweep::pair<T, std::int64_t> operator()(T x, std::int64_t place) const {
    return {x, place};
  }
};
struct earliest_largest {
  using item = sweep::pair<float, std::int64_t>;
  __host__ __device__ item operator()(item const& a, item const& b) const {
    return b.first > a.first ? b : a;
  }
};
/// In the halves of 32 bits, whatever the items.
struct halves_of_words {
  __host__ __device__ std::uint32_t operator()(std::uint32_t x, std::uint32_t y) const {
    return halves_then{}(x, y);
  }
};
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
/// Totals alone, of rows that follow each other, or lie a few items apart, from any item on to the end of
/// memory.
template <class T>
void totals_in_run_law(std::int64_t groups, std::int64_t length, std::int64_t lines, std::int64_t gap,
                       random_source& random) {
  auto const from = random.between(0, 16), pitch = lines + gap;
  std::vector<T> x(static_cast<std::size_t>(from + groups * length * pitch - gap), T{55});
  std::vector<T> totals(static_cast<std::size_t>(groups * lines), T{77});
  for (std::int64_t g = 0; g < groups; ++g)
    for (std::int64_t row = 0; row < length; ++row)
      for (std::int64_t line = 0; line < lines; ++line) {
        T const item = random.between(0, 600) == 0 ? static_cast<T>(random.between(1, 255)) : T{};
        auto& total = totals[static_cast<std::size_t>(g * lines + line)];
        total = latest{}(total, item);
        x[static_cast<std::size_t>(from + (g * length + row) * pitch + line)] = item;
      }
  device_array<T> const in(x), folds(totals.size());
  std::int64_t const extents[] = {groups, length, lines}, strides[] = {length * pitch, pitch, 1};
  sweep::reduce(sweep::device, sweep::strided(static_cast<T const*>(in.begin()) + from, extents, strides),
                sweep::strided(folds.begin(), {groups, lines}), sweep::along(1), T{77}, latest{});
  expect_equal(folds.read(), totals,
               std::to_string(groups) + " groups of " + std::to_string(length) + " rows of " +
                   std::to_string(lines) + " items of " + std::to_string(sizeof(T)) + " bytes, " +
                   std::to_string(pitch) + " apart, from " + std::to_string(from));
}
/// The same of results of 4 bytes: items before which a value stands, which is folded in the results' type.
template <class T, class R, class Op>
void widened_rows_law(std::int64_t groups, std::int64_t length, std::int64_t lines, std::int64_t gap,
                      bool exclusive, bool backward, random_source& random, Op op) {
  auto const pitch = lines + gap, all = (groups * length - 1) * pitch + lines, from = random.between(0, 40),
             to = random.between(0, 40);
  std::vector<T> x(static_cast<std::size_t>(from + all));
  for (auto& item : x) item = static_cast<T>(random.between(0, 1 << 16));
  std::vector<R> want(static_cast<std::size_t>(to + all + 8), R(77));
  R const init = static_cast<R>(random.between(1, 1 << 20));
  for (std::int64_t g = 0; g < groups; ++g)
    for (std::int64_t line = 0; line < lines; ++line) {
      R sum = init;
      for (std::int64_t n = 0; n < length; ++n) {
        auto const k = (g * length + (backward ? length - 1 - n : n)) * pitch + line;
        auto& result = want[static_cast<std::size_t>(to + k)];
        R const item = static_cast<R>(x[static_cast<std::size_t>(from + k)]);
        if (exclusive) result = sum;
        sum = op(sum, item);
        if (!exclusive) result = sum;
      }
    }
  device_array<T> const in(x);
  device_array<R> const out(std::vector<R>(want.size(), R(77)));
  auto const of = [&](auto* begin) {
    return sweep::strided(begin, {groups, length, lines}, {length * pitch, pitch, std::int64_t{1}});
  };
  auto const array = of(static_cast<T const*>(in.begin()) + from);
  auto const results = of(out.begin() + to);
  auto const along = sweep::along(1);
  if (exclusive && backward)
    sweep::exclusive_scan(sweep::device, array, results, along, init, op, sweep::backward);
  else if (exclusive) sweep::exclusive_scan(sweep::device, array, results, along, init, op);
  else if (backward) sweep::inclusive_scan(sweep::device, array, results, along, op, init, sweep::backward);
  else sweep::inclusive_scan(sweep::device, array, results, along, op, init);
  expect_equal(out.read(), want,
               std::to_string(groups) + " groups of " + std::to_string(length) + " rows of " +
                   std::to_string(lines) + ", " + std::to_string(pitch) + " apart, from " +
                   std::to_string(from) + " to " + std::to_string(to) + (backward ? ", backward" : ""));
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

TEST_CASE("device axes: totals of few lines side by side, row after row, brought as they lie") {
  random_source random("rows in a run");
  auto const fewest = sweep::detail::fewest_bytes_of_narrow_rows;
  sweep::detail::fewest_bytes_of_narrow_rows = 0;
  // Chunks of 512 items: whole ones and less, more than a device has room for at once.
  std::int64_t const chunks = sanitizing() ? 17 : 1'100;
  for (std::int64_t const lines : {2, 3, 4, 7, 8, 9, 10, 13, 16, 17, 25, 31, 32})
    for (std::int64_t const groups : {1, 5}) {
      auto const length = 512 * ((chunks + groups - 1) / groups) + random.between(1, 511);
      auto const gap = random.between(0, 1) * lines / 3;
      totals_in_run_law<std::uint8_t>(groups, length, lines, gap, random);
      totals_in_run_law<std::uint16_t>(groups, length, lines, gap, random);
      totals_in_run_law<std::uint32_t>(groups, length, lines, lines / 3 - gap, random);
      totals_in_run_law<std::uint64_t>(groups, length, lines, gap, random);
    }
  sweep::detail::fewest_bytes_of_narrow_rows = fewest;
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

TEST_CASE("device axes: narrow items scanned in a warp's windows, in rows that begin anywhere") {
  random_source random("axis narrow windows");
  auto const fewest = sweep::detail::fewest_narrow_windows;
  sweep::detail::fewest_narrow_windows = 1;
  for (std::int64_t const length : {65, 128, 130, 700, 2'500})
    for (std::int64_t const lines : {193, 256, 257, 402, 450, 701}) {
      auto const groups = random.between(1, 4), gap = random.between(0, 1) * random.between(1, 9);
      if (sanitizing() && length * lines > 100'000) continue;
      bool const in_place = random.between(0, 2) == 0, backward = random.between(0, 1) == 0;
      narrow_rows_law<std::uint8_t>(groups, length, lines, gap, in_place, backward, random, latest{});
      narrow_rows_law<std::uint16_t>(groups, length, lines, gap, in_place, !backward, random, halves_then{});
      narrow_rows_law<std::int8_t>(groups, length, lines, gap, in_place, backward, random, std::plus<>{});
    }
  sweep::detail::fewest_narrow_windows = fewest;
  // Lines that are many, each a chain.
  narrow_rows_law<std::uint8_t>(300, 9, 225, 0, false, false, random, latest{});
  narrow_rows_law<std::uint8_t>(1, 20, (1 << 16) + 5, 0, true, true, random, latest{});
  narrow_rows_law<std::uint16_t>(260, 17, 255, 3, true, true, random, halves_then{});
  narrow_rows_law<std::int8_t>(200, 7, 451, 0, false, false, random, std::plus<>{});
}

TEST_CASE("device axes: narrow items scanned into wider results, in rows that begin anywhere") {
  random_source random("axis widened rows");
  auto const fewest = sweep::detail::fewest_narrow_windows;
  sweep::detail::fewest_narrow_windows = 1;
  // Groups whose chunks do not wait for each other: chains, chunks whole and not, and so many of a line that
  // one hears of a group's last.
  for (std::int64_t const length : {1, 7, 64, 65, 128, 130, 700, 2'500})
    for (std::int64_t const lines : {97, 127, 128, 193, 301, 602}) {
      auto const groups = random.between(1, 3), gap = random.between(0, 1) * random.between(1, 9);
      if (sanitizing() && length * lines > 100'000) continue;
      bool const exclusive = random.between(0, 1) == 0, backward = random.between(0, 1) == 0;
      widened_rows_law<std::uint8_t, std::uint32_t>(groups, length, lines, gap, exclusive, backward, random,
                                                    halves_of_words{});
      widened_rows_law<std::int8_t, std::int32_t>(groups, length, lines, gap, !exclusive, backward, random,
                                                  std::plus<>{});
      widened_rows_law<std::uint16_t, std::uint32_t>(groups, length, lines, gap, exclusive, !backward, random,
                                                     halves_of_words{});
    }
  // Lines that are many, each a chain.
  widened_rows_law<std::uint8_t, std::uint32_t>(1, 20, (1 << 16) + 5, 0, false, false, random,
                                                halves_of_words{});
  widened_rows_law<std::uint16_t, std::uint32_t>(540, 9, 125, 2, true, true, random, halves_of_words{});
  widened_rows_law<std::uint8_t, float>(95, 17, 701, 0, false, true, random, std::plus<>{});
  sweep::detail::fewest_narrow_windows = fewest;
  // Along the axis.
  for (std::int64_t const length : {33, 257, 300, 512, 1'025, 2'049, 33'000}) {
    auto const groups = random.between(1, length < 1'000 ? 60 : 4);
    bool const exclusive = random.between(0, 1) == 0, backward = random.between(0, 1) == 0;
    widened_rows_law<std::uint8_t, std::uint32_t>(groups, length, 1, 0, exclusive, backward, random,
                                                  halves_of_words{});
    widened_rows_law<std::uint16_t, std::uint32_t>(groups, length, 1, 0, !exclusive, backward, random,
                                                   halves_of_words{});
  }
}

TEST_CASE("device axes: narrow items of a few lines side by side, scanned as their rows lie") {
  random_source random("scanned rows");
  // Of one tile a group and of many, whole and not, in as many tiles as a device has blocks for twice.
  for (std::int64_t const lines : {2, 3, 5, 8, 13, 16, 17, 31, 32, 45, 63})
    for (std::int64_t const groups : {1, 9, 300}) {
      if (sanitizing() && groups > 9) continue;
      std::int64_t const tiles = sanitizing() ? (lines == 13 ? 40 : 12) : 600, rows = 256 / lines * 31;
      auto const length =
          std::max((tiles + groups - 1) / groups * rows - random.between(1, rows - 1), 4'000 / lines);
      bool const exclusive = random.between(0, 1) == 0, backward = random.between(0, 1) == 0;
      widened_rows_law<std::uint8_t, std::uint32_t>(groups, length, lines, 0, exclusive, backward, random,
                                                    halves_of_words{});
      widened_rows_law<std::uint16_t, std::uint32_t>(groups, length, lines, 0, !exclusive, backward, random,
                                                     halves_of_words{});
      narrow_rows_law<std::uint8_t>(groups, length, lines, 0, exclusive, backward, random, latest{});
      narrow_rows_law<std::uint16_t>(groups, length, lines, 0, !exclusive, !backward, random, halves_then{});
    }
}

TEST_CASE("device axes: narrow items of a few lines side by side, of groups that share a tile") {
  random_source random("scanned groups");
  for (std::int64_t const lines : {2, 5, 16, 31, 63})
    for (std::int64_t const length : {16, 31, 32, 40, 63, 200, 400}) {
      if (length * lines > 8'000) continue;
      auto const groups = (sanitizing() ? 9 : 300) * std::max<std::int64_t>(8'000 / (length * lines), 1) + 3;
      bool const exclusive = random.between(0, 1) == 0, backward = random.between(0, 1) == 0;
      widened_rows_law<std::uint8_t, std::uint32_t>(groups, length, lines, 0, exclusive, backward, random,
                                                    halves_of_words{});
      narrow_rows_law<std::uint8_t>(groups, length, lines, 0, exclusive, !backward, random, latest{});
      narrow_rows_law<std::uint16_t>(groups, length, lines, 0, !exclusive, backward, random, halves_then{});
    }
}

TEST_CASE("device axes: totals of short lines one behind the other, from any item on") {
  random_source random("axis short runs");
  for (std::int64_t const length : {1, 2, 3, 5, 8, 15, 16, 17, 32, 51, 63, 64})
    for (std::int64_t const lines : {std::int64_t{1}, std::int64_t{33}, random.between(200, 2'000)}) {
      auto const from = random.between(0, 20);
      auto const law = [&]<class T, class R>(T, R init, auto op, auto made) {
        std::vector<T> x(static_cast<std::size_t>(from + lines * length));
        for (auto& item : x) item = static_cast<T>(random.between(0, 255));
        using result = decltype(made(T{}, std::int64_t{}));
        std::vector<result> want;
        for (std::int64_t line = 0; line < lines; ++line) {
          result sum = made(init, -1);
          for (std::int64_t k = 0; k < length; ++k)
            sum = op(sum, made(x[static_cast<std::size_t>(from + line * length + k)], k));
          want.push_back(sum);
        }
        device_array<T> const in(x);
        device_array<result> const out(want.size());
        auto const array = sweep::strided(static_cast<T const*>(in.begin()) + from, {lines, length});
        auto const to = sweep::strided(out.begin(), {lines});
        if constexpr (std::is_same_v<result, R>)
          sweep::reduce(sweep::device, array, to, sweep::along(1), made(init, -1), op);
        else
          sweep::reduce(sweep::device, sweep::with_index(array, sweep::along(1)), to, sweep::along(1),
                        made(init, -1), op);
        expect_equal(out.read(), want,
                     std::to_string(lines) + " lines of " + std::to_string(length) + " from " +
                         std::to_string(from));
      };
      auto const alone = []<class X>(X x, std::int64_t) { return static_cast<std::uint32_t>(x); };
      law(std::uint8_t{}, std::uint32_t{3}, halves_of_words{}, alone);
      law(std::uint16_t{}, std::uint32_t{3}, halves_of_words{}, alone);
      law(float{}, float{-1}, earliest_largest{}, with_place{});
    }
}

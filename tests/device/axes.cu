// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device scans and reductions along an axis.
#include <support/axes_laws.hpp>
#include <support/device_places.hpp>

#include <algorithm>
#include <array>
#include <cstring>

using namespace sweep_test;

namespace {
using map = affine<std::uint32_t>;
int arrays() { return sanitizing() ? 12 : 150; }
std::int64_t most() { return sanitizing() ? 20'000 : 2'000'000; }
}  // namespace

TEST_CASE("device axes: scans of any array, by an operator that does not commute") {
  axis_scan_laws<true, given_before::nothing, map>("inclusive", arrays(), most(), affine_then{}, on_device);
  axis_scan_laws<false, given_before::each, map>("exclusive, each", arrays(), most(), affine_then{},
                                                 on_device);
  axis_scan_laws<false, given_before::one, heisenberg<std::uint64_t>>("exclusive", arrays(), most() / 4,
                                                                      heisenberg_product{}, on_device);
}

TEST_CASE("device axes: few lines side by side, of so many chunks that most blocks wait for others") {
  random_source random("few lines side by side");
  std::int64_t const length = sanitizing() ? 3'000 : 400'003;
  for (std::int64_t const lines : {2, 3, 5, 8})
    for (bool const backward : {false, true})
      axis_scan_law<true, given_before::nothing, map>(on_device, {{3, length, lines}, 1}, true, false,
                                                      backward, affine_then{}, random);
}

TEST_CASE("device axes: few lines whose rows are one run in memory, wherever it begins") {
  random_source random("dense rows");
  // Blocks have one chunk, or several, the last of which are not whole; of one line, and of the most and
  // more.
  for (std::int64_t const lines : {1, 2, 3, 4, 7, 9, 16, 17, 27, 32, 33})
    for (bool const in_place : {false, true})
      for (bool const backward : {false, true}) {
        auto const length = 512 * random.between(2, 9) + random.between(0, 511);
        array_shape const rows{{length, lines}, 0}, groups{{3, length, lines}, 1};
        axis_scan_law<true, given_before::nothing, std::uint32_t>(on_device, rows, true, in_place, backward,
                                                                  std::plus<>{}, random);
        axis_scan_law<true, given_before::nothing, map>(on_device, groups, true, in_place, backward,
                                                        affine_then{}, random);
        axis_scan_law<false, given_before::each, map>(on_device, groups, true, in_place, backward,
                                                      affine_then{}, random);
      }
}

TEST_CASE("device axes: few lines whose rows are one run in memory, of many tiles") {
  random_source random("tiles of dense rows");
  // Of an item a chunk has 512 rows, of a map 256; 32 chunks are a group, of which some are not waited for,
  // and 32 of those a supergroup.
  for (std::int64_t const lines : {1, 3, 5, 7, 15, 31})
    for (bool const backward : {false, true}) {
      auto const length = 512 * random.between(40, sanitizing() ? 70 : 300) + random.between(0, 511);
      axis_scan_law<true, given_before::nothing, std::uint32_t>(on_device, {{length, lines}, 0}, true, false,
                                                                backward, std::plus<>{}, random);
      axis_scan_law<false, given_before::each, map>(on_device, {{length, lines}, 0}, true, false, backward,
                                                    affine_then{}, random);
    }
  // Groups of so many lines that a cluster of blocks tells of them, of which the last ones may have no chunk.
  for (std::int64_t const lines : {9, 15, 16})
    for (bool const backward : {false, true})
      axis_scan_law<true, given_before::each, map>(
          on_device, {{3, 256 * random.between(17, 40) + random.between(0, 255), lines}, 1}, true, backward,
          backward, affine_then{}, random);
  if (!sanitizing())
    for (std::int64_t const lines : {3, 7})
      axis_scan_law<true, given_before::nothing, map>(on_device, {{256 * 2'100 + 77, lines}, 0}, true, false,
                                                      false, affine_then{}, random);
}

TEST_CASE("device axes: few lines of whole vectors, of so many chunks that blocks have several in turn") {
  random_source random("few lines in turns");
  for (std::int64_t const lines : {8, 12, 16, 20, 36})
    for (bool const backward : {false, true}) {
      // A block has two or four chunks, the last of which are not whole.
      auto const length = 512 * random.between(33, 70) + random.between(1, 511);
      axis_scan_law<true, given_before::nothing, std::uint32_t>(on_device, {{length, lines}, 0}, true, false,
                                                                backward, std::plus<>{}, random);
      axis_scan_law<false, given_before::each, std::uint8_t>(on_device, {{length, lines}, 0}, true, false,
                                                             backward, std::plus<>{}, random);
      axis_scan_law<true, given_before::nothing, map>(on_device, {{length / 2, lines}, 0}, true, false,
                                                      backward, affine_then{}, random);
    }
}

TEST_CASE("device axes: reductions along several axes, by an operator that does not commute") {
  axis_reduce_laws<map>("axis reductions", arrays(), most(), affine_then{}, on_device);
}

TEST_CASE("device axes: sums have the same bits whatever the strides") {
  random_source random("axis bits");
  for (int k = 0; k < arrays() / 5; ++k) axis_bits_law(on_device, draw_shape(most() / 10, random), random);
  axis_bits_law(on_device, {{70'000, 33}, 1}, random);
  axis_bits_law(on_device, {{600, 3'000}, 0}, random);
  axis_bits_law(on_device, {{9'000, 7}, 0}, random);
  axis_bits_law(on_device, {{18'000, 20}, 0}, random);
}

TEST_CASE("device axes: lines that are read one way and written the other, from any boundary on") {
  random_source random("axis turned");
  constexpr std::int64_t lines = 70, length = 40, pitch = 44;
  std::vector<float> x(lines * pitch + 8);
  for (auto& item : x) item = static_cast<float>(random.between(-9, 9));
  device_array<float> const in(x), out(std::vector<float>(x.size()));
  for (int from = 40; from < 44; ++from)
    for (int to = 0; to < 4; ++to) {
      sweep::inclusive_scan(
          sweep::device,
          sweep::strided(static_cast<float const*>(in.begin()) + from, {lines, length}, {pitch, -1}),
          sweep::strided(out.begin() + to, {lines, length}, {pitch, 1}), sweep::along(1));
      auto const got = out.read();
      std::vector<float> found, want;
      for (std::int64_t line = 0; line < lines; ++line)
        for (std::int64_t k = 0; k < length; ++k) {
          auto const item = x[static_cast<std::size_t>(line * pitch + from - k)];
          want.push_back(k == 0 ? item : want.back() + item);
          found.push_back(got[static_cast<std::size_t>(line * pitch + to + k)]);
        }
      expect_equal(found, want, "from " + std::to_string(from) + " to " + std::to_string(to));
    }
}

TEST_CASE("device axes: lines of every sort, as many and as few as change the way they are scanned") {
  random_source random("axis lines");
  auto const lines = std::int64_t{sanitizing() ? 100 : 1 << 16};
  for (extents_of_array const& extents : {extents_of_array{lines, 40},
                                          {lines, 70},
                                          {lines - 1, 70},
                                          {37, 2, lines / 64, 3},
                                          {3, 40'000},
                                          {1, 70'000}})
    for (int axis = 0; axis < static_cast<int>(extents.size()); ++axis)
      for (bool const dense : {true, false})
        axis_scan_law<true, given_before::nothing, map>(on_device, {extents, axis}, dense, false, !dense,
                                                        affine_then{}, random);
  // Several to a warp, and as many as are not.
  for (std::int64_t const length : {65, 84, 128, 129, 250, 257})
    for (bool const dense : {true, false})
      axis_scan_law<false, given_before::each, std::uint8_t>(on_device, {{lines / 3, length}, 1}, dense,
                                                             false, !dense, std::plus<>{}, random);
}

TEST_CASE(
    "device axes: a few lines side by side: as many chunks of them as a block takes, of 8 and of 24 bytes") {
  random_source random("axis rows");
  for (std::int64_t lines = 1; lines <= 17; ++lines)
    for (bool const backward : {false, true})
      axis_scan_law<true, given_before::nothing, map>(
          on_device, {{random.between(1, 2), random.between(65, 5'000), lines}, 1}, true, backward, backward,
          affine_then{}, random);
  for (std::int64_t const lines : {2, 7, 8, 9, 13, 16, 17})
    for (bool const backward : {false, true})
      axis_scan_law<false, given_before::one, heisenberg<std::uint64_t>>(
          on_device, {{300 + random.between(0, 300), lines}, 0}, true, backward, backward,
          heisenberg_product{}, random);
}

TEST_CASE(
    "device axes: rows one behind the other, which begin anywhere: a block's, or shared out among blocks") {
  random_source random("axis dense rows");
  for (bool const are_a_block : {true, false}) {  // as many as all multiprocessors have, or some half as many
    std::int64_t const planes = sanitizing() ? (are_a_block ? 6 : 5) : (are_a_block ? 200 : 150);
    for (std::int64_t const lines : {are_a_block ? 129 : 195, 257, are_a_block ? 640 : 641})
      for (bool const backward : {false, true}) {
        extents_of_array const extents{planes, random.between(52, 64), lines};
        axis_scan_law<true, given_before::nothing, map>(on_device, {extents, 1}, true, false, backward,
                                                        affine_then{}, random);
        axis_scan_law<false, given_before::one, std::uint32_t>(on_device, {extents, 1}, true, false, backward,
                                                               std::plus<>{}, random);
      }
  }
}

TEST_CASE("device axes: items whose alignment is less than their size, beginning between boundaries of it") {
  static_assert(alignof(map) == 4 && sizeof(map) == 8);
  random_source random("axis between");
  std::int64_t const many = sanitizing() ? 300 : 66'000;
  for (auto const& extents : std::vector<extents_of_array>{
           {3'000, 7}, {7, 3'000}, {1'000, 64}, {64, 1'000}, {many, 5}, {5, many}, {many, 33}})
    for (int axis = 0; axis < 2; ++axis) {
      auto const n = static_cast<std::size_t>(extents[0] * extents[1]);
      auto const x = draw_many<map>(n, random);
      std::vector<std::uint32_t> words(2 * n + 1);
      std::memcpy(words.data() + 1, x.data(), n * sizeof(map));
      device_array<std::uint32_t> const in(words), out(words.size());
      auto const from =
          sweep::strided(reinterpret_cast<map const*>(in.begin() + 1), {extents[0], extents[1]});
      auto const to = sweep::strided(reinterpret_cast<map*>(out.begin() + 1), {extents[0], extents[1]});
      sweep::inclusive_scan(sweep::device, from, to, sweep::along(axis), affine_then{});
      auto const got = out.read();
      std::vector<map> results(n);
      std::memcpy(results.data(), got.data() + 1, n * sizeof(map));
      expect_equal(results, axis_oracle(true, false, x, extents, axis, affine_then{}, {}),
                   std::to_string(extents[0]) + " x " + std::to_string(extents[1]) + ", axis " +
                       std::to_string(axis));
    }
}

TEST_CASE("device axes: totals of lines side by side, beginning between boundaries of vectors") {
  random_source random("axis totals");
  std::int64_t const rows = 3, lines = (1 << 17) + 4;
  auto const items = draw_many<map>(static_cast<std::size_t>(rows * lines), random);
  auto const in = sweep::strided(items.begin(), {rows, lines});
  device_array<map> const from(items), to(static_cast<std::size_t>(lines) + 1);
  sweep::reduce(sweep::device, sweep::strided(static_cast<map const*>(from.begin()), {rows, lines}),
                sweep::strided(to.begin() + 1, {lines}), sweep::along(0), map{1, 0}, affine_then{});
  std::vector<map> want(static_cast<std::size_t>(lines));
  sweep::reduce(sweep::seq, in, sweep::strided(want.begin(), {lines}), sweep::along(0), map{1, 0},
                affine_then{});
  auto const found = to.read();
  expect_equal(std::vector<map>(found.begin() + 1, found.end()), want, "totals");
}

TEST_CASE("device axes: totals of a few long lines side by side, of wide items and of numbers") {
  random_source random("few long lines");
  std::int64_t const chunks = sanitizing() ? 12 : 700;
  for (std::int64_t const lines : {1, 2, 3, 5, 8, 20, 33})
    for (bool const dense : {true, false}) {
      auto const length = [&](std::int64_t chunk) { return chunk * chunks + random.between(1, chunk); };
      axis_reduce_law<affine<std::uint64_t>>(on_device, {{length(128), lines}, 0}, {0}, dense, affine_then{},
                                             random);
      if (lines > 8) continue;
      axis_reduce_law<std::uint64_t>(on_device, {{length(256), lines}, 0}, {0}, dense, halves_then{}, random);
      axis_reduce_law<std::uint32_t>(on_device, {{length(512), lines}, 0}, {0}, dense, std::plus<>{}, random);
    }
}

/// Lines of so many items, `gap` items apart, the first of them `shift` units behind a boundary of memory.
template <class T, class Unit, class Op>
void totals_along_law(std::int64_t lines, std::int64_t length, std::int64_t gap, int shift, T const& init,
                      Op op, random_source& random) {
  auto const pitch = length + gap, all = lines * pitch - gap;
  auto const items = draw_many<T>(static_cast<std::size_t>(all), random);
  std::vector<Unit> units(static_cast<std::size_t>(all) * sizeof(T) / sizeof(Unit) +
                          static_cast<std::size_t>(shift));
  std::memcpy(units.data() + shift, items.data(), items.size() * sizeof(T));
  device_array<Unit> const from(units);
  device_array<T> const to(static_cast<std::size_t>(lines));
  sweep::reduce(sweep::device,
                sweep::strided(reinterpret_cast<T const*>(from.begin() + shift), {lines, length}, {pitch, 1}),
                sweep::strided(to.begin(), {lines}), sweep::along(1), init, op);
  std::vector<T> want(static_cast<std::size_t>(lines), init);
  for (std::int64_t line = 0; line < lines; ++line)
    for (std::int64_t k = 0; k < length; ++k)
      want[static_cast<std::size_t>(line)] = static_cast<T>(
          op(want[static_cast<std::size_t>(line)], items[static_cast<std::size_t>(line * pitch + k)]));
  expect_equal(to.read(), want,
               std::to_string(lines) + " lines of " + std::to_string(length) + ", shifted by " +
                   std::to_string(shift));
}

TEST_CASE("device axes: totals of lines that lie along the axis, wherever they begin") {
  random_source random("axis totals along");
  sweep::detail::fewest_bytes_that_lie = 0;
  struct shape {
    std::int64_t lines, length;
  };
  std::int64_t const many = sanitizing() ? 300 : 65'600;
  // Of so many lines, and not of 5, a block has more chunks than it holds at once; of 20,000 items or three
  // times as many it has more totals than make a chain.
  std::int64_t const busy = sanitizing() ? 13 : 400;
  for (auto const [lines, length] : {shape{300, 40},
                                     {33, 64},
                                     {many, 70},
                                     {37, 300},
                                     {9, 4'097},
                                     {5, 9'000},
                                     {busy, 5'000},
                                     {busy, 9'000},
                                     {sanitizing() ? 3 : 70, 20'000},
                                     {1, 70'001}})
    for (int const shift : {0, 1, 2, 5}) {
      auto const gap = shift % 2 == 0 ? 0 : random.between(0, 3);
      totals_along_law<map, std::uint32_t>(lines, length, gap, shift, map{1, 0}, affine_then{}, random);
      totals_along_law<std::uint16_t, std::uint16_t>(lines, 5 * length, gap, shift, std::uint16_t{0},
                                                     std::plus<>{}, random);
      totals_along_law<std::uint64_t, std::uint64_t>(lines, length, gap, shift, std::uint64_t{1},
                                                     halves_then{}, random);
      totals_along_law<std::uint16_t, std::uint16_t>(lines, length, gap, shift, std::uint16_t{1},
                                                     halves_then{}, random);
      totals_along_law<std::uint8_t, std::uint8_t>(lines, 3 * length, gap, shift, std::uint8_t{1},
                                                   halves_then{}, random);
    }
}

TEST_CASE("device axes: totals have the same bits wherever a line lies, alone or beside others") {
  random_source random("axis bits of totals");
  // Of so many items, some more than 64 chunks, the totals of a block's lines make a chunk.
  std::int64_t const lines = 70, length = sanitizing() ? 33'000 : 39'001;
  std::vector<float> rows(static_cast<std::size_t>(lines * length)), columns(rows.size());
  for (auto& x : rows) x = draw<float>(random) - 0.3f;
  for (std::int64_t i = 0; i < lines * length; ++i)
    columns[static_cast<std::size_t>(i % length * lines + i / length)] = rows[static_cast<std::size_t>(i)];
  auto const sums = [&](std::vector<float> const& items, std::int64_t count, std::int64_t across,
                        std::int64_t along) {
    device_array<float> const from(items);
    device_array<float> const to(static_cast<std::size_t>(count));
    sweep::reduce(sweep::device, sweep::strided(from.begin(), {count, length}, {across, along}),
                  sweep::strided(to.begin(), {count}), sweep::along(1), 1.f, std::plus<>{});
    return to.read();
  };
  auto const together = sums(rows, lines, length, 1);
  expect(sums(columns, lines, 1, lines) == together, "side by side");
  expect(sums(rows, 1, length, 1)[0] == together[0], "alone");
  // Of fewer lines the totals are folded by the last block, some chunks of those by a warp.
  for (std::int64_t const few : {2, 5, 20, 39}) {
    auto const first = sums(rows, few, length, 1);
    expect(std::equal(first.begin(), first.end(), together.begin()), std::to_string(few) + " of them");
  }
  // Of so few side by side rows are one run in memory.
  for (std::int64_t const few : {2, 3, 7}) {
    std::int64_t const long_line = sanitizing() ? 9'001 : 290'001;
    std::vector<float> run(static_cast<std::size_t>(few * long_line));
    for (auto& x : run) x = draw<float>(random) - 0.3f;
    device_array<float> const from(run);
    device_array<float> const to(static_cast<std::size_t>(few)), alone(1);
    sweep::reduce(sweep::device, sweep::strided(from.begin(), {long_line, few}),
                  sweep::strided(to.begin(), {few}), sweep::along(0), 1.f, std::plus<>{});
    auto const found = to.read();
    for (std::int64_t line = 0; line < few; ++line) {
      sweep::reduce(sweep::device,
                    sweep::strided(from.begin() + line, {std::int64_t{1}, long_line}, {long_line, few}),
                    sweep::strided(alone.begin(), {std::int64_t{1}}), sweep::along(1), 1.f, std::plus<>{});
      expect(alone.read()[0] == found[static_cast<std::size_t>(line)], std::to_string(few) + " in a run");
    }
  }
  // A few side by side, of which a block has all chunks.
  for (std::int64_t const beside : {1, 2, 3, 4, 7})
    for (std::int64_t const part : {513, 1'024, 1'999}) {
      std::int64_t const groups = 3;
      device_array<float> const from(rows);
      device_array<float> const to(static_cast<std::size_t>(groups * beside)), alone(1);
      sweep::reduce(sweep::device, sweep::strided(from.begin(), {groups, part, beside}),
                    sweep::strided(to.begin(), {groups, beside}), sweep::along(1), 1.f, std::plus<>{});
      auto const found = to.read();
      for (std::int64_t nth = 0; nth < groups * beside; ++nth) {
        auto const begin = nth / beside * part * beside + nth % beside;
        sweep::reduce(sweep::device,
                      sweep::strided(from.begin() + begin, {std::int64_t{1}, part}, {part, beside}),
                      sweep::strided(alone.begin(), {std::int64_t{1}}), sweep::along(1), 1.f, std::plus<>{});
        expect(alone.read()[0] == found[static_cast<std::size_t>(nth)],
               std::to_string(part) + " items, " + std::to_string(beside) + " beside each other");
      }
    }
}

namespace {
/// Sums of exact numbers along axis 1 of an array that begins at any of such boundaries, and is one run in
/// memory.
template <class T = float>
void run_law(std::array<std::int64_t, 3> const& extents, bool backward, random_source& random,
             std::int64_t boundary = 1) {
  auto const [groups, length, beside] = extents;
  auto const items = groups * length * beside, from = boundary * random.between(0, 5),
             to = boundary * random.between(0, 5);
  std::vector<T> x(static_cast<std::size_t>(items + from));
  for (auto& item : x) item = static_cast<T>(random.between(-9, 9));
  std::vector<T> want(static_cast<std::size_t>(items + to + 8), T(77));
  auto const at = [&](std::int64_t g, std::int64_t k, std::int64_t b) {
    return (g * length + k) * beside + b;
  };
  for (std::int64_t g = 0; g < groups; ++g)
    for (std::int64_t b = 0; b < beside; ++b) {
      T sum = 0;
      for (std::int64_t n = 0; n < length; ++n) {
        auto const k = at(g, backward ? length - 1 - n : n, b);
        sum += x[static_cast<std::size_t>(from + k)];
        want[static_cast<std::size_t>(to + k)] = sum;
      }
    }
  device_array<T> const in(x), out(std::vector<T>(want.size(), T(77)));
  auto const array = sweep::strided(static_cast<T const*>(in.begin()) + from, {groups, length, beside});
  auto const results = sweep::strided(out.begin() + to, {groups, length, beside});
  if (backward) sweep::inclusive_scan(sweep::device, array, results, sweep::along(1), sweep::backward);
  else sweep::inclusive_scan(sweep::device, array, results, sweep::along(1));
  auto const title = std::to_string(groups) + " x " + std::to_string(length) + " x " +
                     std::to_string(beside) + ", from " + std::to_string(from) + " to " + std::to_string(to);
  expect_equal(out.read(), want, title + (backward ? ", backward" : ""));
}
}  // namespace

TEST_CASE("device axes: lines that are one run in memory, wherever it begins: chains, and strips of chunks") {
  random_source random("axis runs");
  for (std::int64_t const length :
       {1, 2, 7, 8, 16, 29, 32, 64, 65, 96, 129, 160, 257, 512, 513, 700, 1024, 1025, 1536})
    for (bool const backward : {false, true}) run_law({random.between(30, 150), length, 1}, backward, random);
  // So many side by side: narrow rows, and such as cut sectors; a few of many groups are in chunks.
  for (std::int64_t const beside : {2, 3, 8, 17, 20, 31, 33, 100})
    for (bool const backward : {false, true}) {
      run_law({random.between(20, 40), random.between(1, 64), beside}, backward, random);
      run_law({random.between(16, 20), random.between(65, 200), beside}, backward, random);
    }
  // Wide rows that begin between sectors of memory, between vectors or not, of less than a chunk and of
  // several.
  for (std::int64_t const beside : {65, 68, 100, 132})
    for (std::int64_t const length : {66, 130, 600, 1100})
      run_law({2, length, beside}, random.between(0, 1) == 0, random, beside % 4 == 0 ? 4 : 1);
  if (!sanitizing()) {
    run_law({1 << 16, 200, 1}, true, random);
    run_law({(1 << 16) + 1, 129, 1}, false, random);
  }
}

TEST_CASE(
    "device axes: long lines that are one chain each, wherever they begin, in windows that copies bring") {
  random_source random("axis windows");
  auto const shortest = sweep::detail::shortest_chain_of_windows;
  sweep::detail::shortest_chain_of_windows = 0;
  for (std::int64_t const length : {1, 2, 7, 8, 16, 29, 32, 33, 63, 64})
    for (bool const backward : {false, true})
      run_law<double>({random.between(30, 150), length, 1}, backward, random);
  std::int64_t const lines = sanitizing() ? 70 : 1 << 16;
  for (std::int64_t const length : {sanitizing() ? 40 : 70, 64})
    for (bool const dense : {true, false})
      for (bool const backward : {false, true}) {
        axis_scan_law<true, given_before::nothing, map>(on_device, {{lines, length}, 1}, dense, backward,
                                                        !dense, affine_then{}, random);
        axis_scan_law<false, given_before::each, std::uint64_t>(on_device, {{lines, length}, 1}, dense,
                                                                backward, false, halves_then{}, random);
      }
  if (!sanitizing()) {
    run_law<double>({1 << 16, 1'025, 1}, true, random);
    run_law({1 << 16, 1'025, 1}, true, random);
    run_law<double>({(1 << 16) + 1, 129, 1}, false, random);
  }
  sweep::detail::shortest_chain_of_windows = shortest;
}

TEST_CASE("device axes: what is refused") { axis_refusal_laws(on_device); }

TEST_CASE("device axes: captured in a graph and replayed with other inputs") {
  random_source random("axis graph");
  extents_of_array const extents{3, 2'000, 5};
  std::size_t const n = 30'000;
  device_array<map> in(draw_many<map>(n, random));
  device_array<map> const out(n), totals(15);
  own_stream const stream;
  auto const on = sweep::device.on(stream);
  auto const from = sweep::strided(static_cast<map const*>(in.begin()), {3, 2'000, 5});
  captured_graph const graph(stream, [&] {
    sweep::inclusive_scan(on, from, sweep::strided(out.begin(), {3, 2'000, 5}), sweep::along(1),
                          affine_then{});
    sweep::reduce(on, from, sweep::strided(totals.begin(), {3, 5}), sweep::along(1), map{1, 0},
                  affine_then{});
  });
  for (int replay = 0; replay < 3; ++replay) {
    auto const x = draw_many<map>(n, random);
    in.write(x);
    graph.launch(stream);
    stream.wait();
    auto const want = axis_oracle(true, false, x, extents, 1, affine_then{}, {});
    expect_equal(out.read(), want, "scan, replay " + std::to_string(replay));
    std::vector<map> last;
    for (std::size_t line = 0; line < 15; ++line) last.push_back(want[line / 5 * 10'000 + 9'995 + line % 5]);
    expect_equal(totals.read(), last, "reduce, replay " + std::to_string(replay));
  }
}

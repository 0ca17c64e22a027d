// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device segmented scans along an axis, and of running maxima with their indices.
#include <support/axes_segments_laws.hpp>
#include <support/device_places.hpp>

using namespace sweep_test;

namespace {
using map = affine<std::uint32_t>;
int arrays() { return sanitizing() ? 12 : 100; }
std::int64_t most() { return sanitizing() ? 20'000 : 1'000'000; }
}  // namespace

TEST_CASE("device axes: segments of lines by flags, keys and lengths, by an operator that does not commute") {
  using enum line_notation;
  using number = std::uint32_t;
  segments_along_laws<flags, true, number>("by flags", arrays(), most(), packed_then{}, on_device);
  segments_along_laws<keys, false, map>("by keys", arrays(), most(), affine_then{}, on_device);
  segments_along_laws<lengths, true, map>("by lengths", arrays(), most(), affine_then{}, on_device);
  // So many rows of 32 lines that most blocks wait for others.
  random_source random("many rows of segments");
  std::int64_t const rows = sanitizing() ? 2'000 : 200'003;
  for (bool const backward : {false, true}) {
    segments_along_law<flags, true, number>(on_device, {{rows, 32}, 0}, true, false, backward, packed_then{},
                                            random);
    segments_along_law<flags, true, number>(on_device, {{32, rows}, 1}, true, false, backward, packed_then{},
                                            random);
  }
  // So few lines of so many chunks that blocks have several in turn.
  for (std::int64_t const lines : {3, 7, 16, 27, 36})
    segments_along_law<flags, true, number>(on_device, {{256 * random.between(33, 50) + 77, lines}, 0}, true,
                                            false, lines == 36, packed_then{}, random);
  // So many lines side by side that items wait in shared memory.
  segments_along_law<flags, true, number>(on_device, {{2'100, 520}, 0}, true, false, false, packed_then{},
                                          random);
}

TEST_CASE("device axes: running maxima with their indices") {
  running_maximum_laws("running maxima", arrays(), most(), on_device);
  // Few lines side by side, of which blocks have many chunks in turn; the last ones are not whole.
  random_source random("running maxima in turns");
  for (std::int64_t const lines : {3, 7, 24, 40})
    running_maximum_law(on_device, {{128 * random.between(33, 70) + random.between(1, 127), lines}, 0}, true,
                        random);
}

TEST_CASE("device axes: the largest of each line with its index, wherever lines lie and begin") {
  random_source random("largest of lines");
  std::int64_t const many = sanitizing() ? 1'003 : 70'003, far = sanitizing() ? 3'000 : 300'007;
  struct {
    array_shape shape;
    std::int64_t pitch;  ///< of rows
  } const cases[] = {
      {{{many, 7}, 1}, 7},     {{{many, 40}, 1}, 40},   {{{many, 64}, 1}, 64},    {{{many, 61}, 1}, 67},
      {{{many, 100}, 1}, 101}, {{{5, far}, 1}, far},    {{{2, far}, 1}, far + 3}, {{{70, 1'290}, 1}, 1'290},
      {{{far, 1}, 0}, 2},      {{{far, 7}, 0}, 7},      {{{far, 20}, 0}, 20},     {{{513, 33}, 0}, 40},
      {{{1'024, 8}, 0}, 8},    {{{64, many}, 0}, many}, {{{far, 3}, 0}, 3},       {{{far, 8}, 0}, 9},
      {{{999, 5}, 0}, 5},      {{{257, 300}, 0}, 300},
  };
  using item = earlier_largest::item;
  auto const fewest = sweep::detail::fewest_bytes_that_lie;
  for (bool const as_they_lie : {false, true})
    for (auto const& [shape, pitch] : cases) {
      sweep::detail::fewest_bytes_that_lie = as_they_lie ? 0 : fewest;
      auto const rows = shape.extents[0], columns = shape.extents[1], begin = random.between(0, 5);
      auto const lines = shape.axis == 0 ? columns : rows, length = rows * columns / lines;
      std::vector<std::uint32_t> x(static_cast<std::size_t>(begin + rows * pitch));
      for (auto& v : x) v = static_cast<std::uint32_t>(random.between(0, 1'000));
      std::vector<item> want(static_cast<std::size_t>(lines), item{5, -1});
      for (std::int64_t line = 0; line < lines; ++line)
        for (std::int64_t i = 0; i < length; ++i) {
          auto const k = shape.axis == 0 ? i * pitch + line : line * pitch + i;
          auto& found = want[static_cast<std::size_t>(line)];
          found = earlier_largest{}(found, item{x[static_cast<std::size_t>(begin + k)], i});
        }
      device_array<std::uint32_t> const from(x);
      device_array<item> const to(std::vector<item>(want.size()));
      auto const axis = sweep::along(shape.axis);
      auto const in = sweep::strided(static_cast<std::uint32_t const*>(from.begin()) + begin, {rows, columns},
                                     {pitch, std::int64_t{1}});
      sweep::reduce(sweep::device, sweep::with_index(in, axis), sweep::strided(to.begin(), {lines}), axis,
                    item{5, -1}, earlier_largest{});
      expect_equal(to.read(), want,
                   "largest of " + std::to_string(rows) + " x " + std::to_string(columns) + " along " +
                       std::to_string(shape.axis));
    }
  sweep::detail::fewest_bytes_that_lie = fewest;
}

TEST_CASE("device axes: what segmented scans refuse") { segments_along_refusal_laws(on_device); }

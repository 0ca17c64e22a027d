// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device linear recurrences.
#include <support/device_places.hpp>
#include <support/recurrence_laws.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

using namespace sweep_test;

namespace {

/// Lines so long that they pass through a pipeline: where results lie behind boundaries of 16 bytes as items
/// do, where they do not, in place; and such as do not, since they lie in other places than their items: all
/// have the same bits.
template <class T, class... Init>
void long_lines_law(std::int64_t lines, std::int64_t length, std::int64_t gap, random_source& random,
                    Init... init) {
  auto const pitch = length + gap;
  auto const size = static_cast<std::size_t>(lines * pitch);
  std::vector<T> a(size), x(size);
  for (auto& one : a) one = static_cast<T>(random.between(-1000, 1000)) / 1000;
  for (auto& one : x) one = static_cast<T>(random.between(-1000, 1000)) / 777;
  auto const offset = static_cast<std::size_t>(random.between(0, 3));
  guarded<T, device_memory> const by(a, static_cast<std::size_t>(random.between(0, 3)));
  auto const view = [&](T* from, std::int64_t step) {
    return sweep::strided(from, {lines, length}, {step * pitch, step});
  };
  auto const law = [&](auto dir) {
    constexpr bool backward = std::is_same_v<decltype(dir), sweep::backward_t>;
    auto const title =
        std::to_string(lines) + " lines of " + std::to_string(length) + (backward ? ", backward" : "");
    auto const solve = [&](auto const& from, auto const& to, std::int64_t step) {
      sweep::linear_recurrence(sweep::device, view(by.begin(), 1), view(from.begin(), 1),
                               view(to.begin(), step), sweep::along(1), init..., dir);
      expect(to.guards_intact(), title + ": writes nothing else");
      return to.read();
    };
    guarded<T, device_memory> const from(x, offset), same(x, offset), other(x, offset + 1), apart(2 * size);
    auto const got = solve(from, same, 1), shifted = solve(from, other, 1), far_apart = solve(from, apart, 2),
               in_place = solve(from, from, 1);
    std::size_t different = 0, wrong = 0;
    for (std::size_t k = 0; k < size; ++k) {
      auto const i = static_cast<std::int64_t>(k) % pitch;
      different += got[k] != shifted[k] || got[k] != in_place[k];
      if (i >= length) {
        different += got[k] != x[k];
        continue;
      }
      different += got[k] != far_apart[2 * k];
      bool const begins = i == (backward ? length - 1 : 0);
      T before{};
      if (!begins) before = got[backward ? k + 1 : k - 1];
      else ((before = init), ...);
      wrong += !(std::abs(got[k] - (a[k] * before + x[k])) < 1e-4);
    }
    expect(different == 0, title + ": the same bits, and nothing between lines");
    expect(wrong == 0, title + ": a recurrence");
  };
  law(sweep::forward);
  law(sweep::backward);
}

/// A gradient, by solve(where that of the terms goes), which takes it from `from`: of terms and of factors,
/// and in place.
template <class Solve, class U>
void gradient_is(Solve const& solve, guarded<U, device_memory> const& from,
                 guarded<U, device_memory> const& to_terms, guarded<U, device_memory> const& to_factors,
                 std::vector<U> const& of_terms, std::vector<U> const& of_factors, std::string const& title) {
  solve(to_terms);
  expect_equal(to_terms.read(), of_terms, title + ": of terms");
  expect_equal(to_factors.read(), of_factors, title + ": of factors");
  expect(to_terms.guards_intact() && to_factors.guards_intact(), title + ": writes nothing else");
  solve(from);
  expect_equal(from.read(), of_terms, title + ": in place");
}

/// Gradients where all arrays lie alike, dense, rows along the axis one behind the other: on boundaries of
/// vectors or between, from either end, along either axis of (rows, lines) or (lines, rows), against a loop,
/// in integers modulo 2^32. The factor of an item that none follows is not to be seen.
template <bool OneFactor, class... Init>
void alike_gradients_law(std::int64_t rows, std::int64_t lines, int axis, std::size_t offset, bool backward,
                         random_source& random, Init... init) {
  using U = std::uint32_t;
  auto const size = static_cast<std::size_t>(rows * lines);
  auto const a = draw_many<U>(size, random), y = draw_many<U>(size, random), gy = draw_many<U>(size, random);
  auto const one = draw<U>(random);
  std::vector<U> gx(size), ga(size);
  auto const place = [&](std::int64_t row, std::int64_t line) {
    auto const nth = backward ? rows - 1 - row : row;
    return static_cast<std::size_t>(axis == 0 ? nth * lines + line : line * rows + nth);
  };
  for (std::int64_t line = 0; line < lines; ++line)
    for (auto row = rows; row-- > 0;) {
      auto const k = place(row, line);
      gx[k] = gy[k];
      if (row + 1 < rows) gx[k] += (OneFactor ? one : a[place(row + 1, line)]) * gx[place(row + 1, line)];
      U before{};
      ((before = init), ...);
      ga[k] = gx[k] * (row > 0 ? y[place(row - 1, line)] : before);
    }
  guarded<U, device_memory> const by(a, offset), results(y, offset), from(gy, offset), to_a(size, offset),
      to_x(size, offset);
  auto const view = [&](auto const& array) {
    return axis == 0 ? sweep::strided(array.begin(), {rows, lines})
                     : sweep::strided(array.begin(), {lines, rows});
  };
  auto const solve = [&](auto const& factors, auto const& to, auto... dir) {
    sweep::linear_recurrence_gradient(sweep::device, factors, view(results), view(from), view(to_a), view(to),
                                      sweep::along(axis), init..., dir...);
  };
  auto const both_ways = [&](auto const& to) {
    auto const with = [&](auto const& factors) {
      if (backward) solve(factors, to, sweep::backward);
      else solve(factors, to);
    };
    if constexpr (OneFactor) with(one);
    else with(view(by));
  };
  auto const title = std::to_string(rows) + " x " + std::to_string(lines) + ", axis " + std::to_string(axis) +
                     ", at " + std::to_string(offset) + (backward ? ", backward" : "") +
                     (OneFactor ? ", one factor" : "");
  gradient_is(both_ways, from, to_x, to_a, gx, ga, title);
}

/// Gradients where all arrays lie alike, in blocks of rows of lines along the middle one of three axes: with
/// places between rows and between blocks, which are not to be written, axes in any order in memory, from
/// either end of each.
void alike_blocks_law(std::int64_t const (&extents)[3], std::int64_t const (&gaps)[2], bool rows_first,
                      unsigned turned, bool backward, random_source& random) {
  using U = std::uint32_t;
  auto const [blocks, rows, lines] = extents;
  // Neighbours lie across lines, or along them.
  std::int64_t const inner = rows_first ? rows : lines, pitch = inner + gaps[0],
                     block = (rows_first ? lines : rows) * pitch + gaps[1];
  std::int64_t strides[3] = {block, rows_first ? 1 : pitch, rows_first ? pitch : 1}, first = 0;
  for (int r = 0; r < 3; ++r)
    if ((turned >> r & 1) != 0) {
      first += (extents[r] - 1) * strides[r];
      strides[r] = -strides[r];
    }
  auto const size = static_cast<std::size_t>(blocks * block);
  auto const a = draw_many<U>(size, random), y = draw_many<U>(size, random), gy = draw_many<U>(size, random);
  auto gx = gy, ga = a;
  auto const place = [&](std::int64_t b, std::int64_t row, std::int64_t line) {
    auto const nth = backward ? rows - 1 - row : row;
    return static_cast<std::size_t>(first + b * strides[0] + nth * strides[1] + line * strides[2]);
  };
  U const init = 77;
  for (std::int64_t b = 0; b < blocks; ++b)
    for (std::int64_t line = 0; line < lines; ++line)
      for (auto row = rows; row-- > 0;) {
        auto const k = place(b, row, line);
        if (row + 1 < rows) gx[k] += a[place(b, row + 1, line)] * gx[place(b, row + 1, line)];
        ga[k] = gx[k] * (row > 0 ? y[place(b, row - 1, line)] : init);
      }
  guarded<U, device_memory> const by(a), results(y), from(gy), to_a(a), to_x(gy);
  auto const view = [&](auto const& array) {
    return sweep::strided(array.begin() + first, extents, strides);
  };
  auto const solve = [&](auto const& to, auto... dir) {
    sweep::linear_recurrence_gradient(sweep::device, view(by), view(results), view(from), view(to_a),
                                      view(to), sweep::along(1), init, dir...);
  };
  auto const both_ways = [&](auto const& to) {
    if (backward) solve(to, sweep::backward);
    else solve(to);
  };
  auto const title = std::to_string(blocks) + " x " + std::to_string(rows) + " x " + std::to_string(lines) +
                     ", gaps " + std::to_string(gaps[0]) + " and " + std::to_string(gaps[1]) +
                     (rows_first ? ", along" : ", across") + ", turned " + std::to_string(turned) +
                     (backward ? ", backward" : "");
  gradient_is(both_ways, from, to_x, to_a, gx, ga, title);
}

}  // namespace

TEST_CASE("device recurrences: factors of every sort, any array, both directions") {
  int const arrays = sanitizing() ? 12 : 120;
  std::int64_t const most = sanitizing() ? 20'000 : 2'000'000;
  using enum given_before;
  recurrence_laws<factors::an_array, each>("recurrence, factors, init", arrays, most, on_device);
  recurrence_laws<factors::one_value, one>("recurrence, one factor", arrays, most, on_device);
  recurrence_laws<factors::a_line, nothing>("recurrence, factors a line", arrays / 2, most, on_device);
}

TEST_CASE(
    "device recurrences: few lines of whole vectors, of so many chunks that blocks have several in turn") {
  random_source random("recurrences in turns");
  for (std::int64_t const lines : {8, 12, 16, 20, 48})
    for (bool const backward : {false, true})
      recurrence_law<factors::an_array, given_before::each>(
          on_device.for_turn(0), {{256 * random.between(33, 70) + random.between(1, 255), lines}, 0}, true,
          backward, random);
}

TEST_CASE("device recurrences: gradients, any array, both directions") {
  int const arrays = sanitizing() ? 12 : 120;
  std::int64_t const most = sanitizing() ? 20'000 : 1'000'000;
  gradient_laws<factors::an_array, given_before::each>("gradients, factors, init", arrays, most, on_device);
}

TEST_CASE("device recurrences: gradients of arrays that lie alike") {
  random_source random("gradients alike");
  auto const law = [&](std::int64_t rows, std::int64_t lines, int axis = 0) {
    for (std::size_t const offset : {0, 1})
      for (bool const backward : {false, true}) {
        alike_gradients_law<false>(rows, lines, axis, offset, backward, random);
        alike_gradients_law<true>(rows, lines, axis, offset, backward, random, std::uint32_t{77});
      }
  };
  // Of few lines blocks have several chunks in turn, of more a chunk each; short ones are one chain.
  for (std::int64_t const lines : {1, 6, 7, 12, 16, 32, 37}) law(256 * random.between(33, 40) + 17, lines);
  law(700, 600);
  law(1, 10);
  law(40, sanitizing() ? 900 : 70'000);
  // Lines one behind the other: chains, runs of chunks, several lines of a block, and one in blocks.
  law(40, 300, 1);
  law(70, 300, 1);
  law(1'025, 37, 1);
  law(sanitizing() ? 9'000 : 90'001, 3, 1);
  auto const shortest = sweep::detail::shortest_chain_of_windows;
  sweep::detail::shortest_chain_of_windows = 0;
  law(sanitizing() ? 50 : 1'025, sanitizing() ? 150 : 66'000, 1);
  sweep::detail::shortest_chain_of_windows = shortest;
}

TEST_CASE("device recurrences: gradients of arrays that lie alike, in blocks") {
  random_source random("gradients in blocks");
  // Short chains and cut lines, of few lines and of whole vectors, with gaps that are vectors or not.
  std::int64_t const many = sanitizing() ? 40 : 1'500;
  std::int64_t const shapes[][3] = {{3, 20, 8},  {4, 1, 12},   {5, 300, 7},    {2, 1'100, 32},
                                    {1, 90, 64}, {many, 9, 4}, {many, 30, 52}, {2, 9'000, 12}};
  std::int64_t const gaps[][2] = {{0, 0}, {4, 0}, {1, 0}, {3, 30}};
  for (auto const& shape : shapes)
    for (auto const& gap : gaps)
      for (bool const rows_first : {false, true}) {
        auto const turned = static_cast<unsigned>(random.between(0, 7));
        bool const backward = random.between(0, 1) != 0;
        alike_blocks_law(shape, gap, rows_first, turned, backward, random);
        alike_blocks_law(shape, gap, rows_first, 0, !backward, random);
      }
}

TEST_CASE("device recurrences: long lines have the same bits wherever they lie") {
  if (!stages_can_run()) return;  // of one kernel there is nothing to compare
  random_source random("long lines");
  int multiprocessors = 0;
  succeed(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  // Groups of 8192 floats or 4096 doubles, more than a supergroup, and enough for all multiprocessors.
  std::int64_t const groups = std::max(40, 2 * multiprocessors) + (sanitizing() ? 0 : 200);
  long_lines_law<float>(1, 8192 * groups, 0, random);
  long_lines_law<float>(3, 8192 * groups / 3 + random.between(0, 9000), random.between(1, 5), random, 0.625f);
  long_lines_law<double>(2, 4096 * groups / 2 + random.between(0, 5000), random.between(0, 3), random);
}

TEST_CASE("device recurrences: factors narrower than terms") {
  byte_factors_law(on_device, sanitizing() ? 5'000 : 1'000'000);
}

TEST_CASE("device recurrences: what is refused") { recurrence_refusal_laws(on_device); }

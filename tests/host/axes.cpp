// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of scans and reductions along an axis on seq and host.
#include <support/axes_laws.hpp>
#include <support/changed.hpp>
#include <support/host_places.hpp>

#if __has_include(<cuda/std/mdspan>)
#include <cuda/std/mdspan>
#endif

#include <sweep/detail/host/streaming.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace sweep_test;

namespace {
int arrays() { return sanitizing() ? 12 : slowed_down() ? 60 : 120; }
constexpr std::int64_t most = host_items(300'000);
}  // namespace

TEST_CASE("host axes: scans of any array, by an operator that does not commute") {
  using map = affine<std::uint32_t>;
  using matrix = heisenberg<std::uint64_t>;
  on_every_host_place([](auto const& places) {
    axis_scan_laws<true, given_before::nothing, map>("inclusive", arrays(), most, affine_then{}, places);
    axis_scan_laws<true, given_before::one, map>("inclusive, init", arrays(), most, affine_then{}, places);
    axis_scan_laws<false, given_before::one, matrix>("exclusive", arrays(), most, heisenberg_product{},
                                                     places);
    axis_scan_laws<false, given_before::each, map>("exclusive, each", arrays(), most, affine_then{}, places);
  });
}

TEST_CASE("host axes: reductions along several axes, by an operator that does not commute") {
  on_every_host_place([](auto const& places) {
    axis_reduce_laws<affine<std::uint32_t>>("axis reductions", 2 * arrays(), most, affine_then{}, places);
  });
}

TEST_CASE("host axes: sums have the same bits whatever the strides and the number of threads") {
  random_source random("axis bits");
  for (int k = 0; k < arrays() / 4; ++k) {
    auto const shape = draw_shape(most, random);
    axis_bits_law(host_teams{}.for_turn(static_cast<std::size_t>(k)), shape, random);
  }
  std::vector<float> x(100'000), one(x.size()), five(x.size());
  for (auto& v : x) v = draw<float>(random) - 0.3f;
  sweep::inclusive_scan(sweep::host.threads(1), sweep::strided(x.data(), {50'000, 2}),
                        sweep::strided(one.data(), {50'000, 2}), sweep::along(0));
  sweep::inclusive_scan(sweep::host.threads(5), sweep::strided(x.data(), {50'000, 2}),
                        sweep::strided(five.data(), {50'000, 2}), sweep::along(0));
  expect(std::memcmp(one.data(), five.data(), one.size() * sizeof(float)) == 0, "1 thread and 5");
}

TEST_CASE("host axes: few and long lines, in chunks, wherever their items lie") {
  using map = affine<std::uint32_t>;
  array_shape const shapes[] = {{{host_items(100'003)}, 0},    {{1, host_items(70'001)}, 1},
                                {{host_items(30'011), 3}, 0},  {{7, host_items(20'001)}, 1},
                                {{host_items(20'001), 12}, 0}, {{3, host_items(17'000), 5}, 1},
                                {{host_items(16'385), 33}, 0}, {{host_items(16'401), 2, 3}, 0}};
  random_source random("few and long lines");
  host_teams const places{};
  std::size_t turn = 0;
  for (auto const& shape : shapes)
    for (bool const dense : {true, false})
      for (bool const in_place : {true, false}) {
        if (slowed_down() && in_place == dense) continue;
        auto const& at = places.for_turn(turn++);
        bool const backward = random.between(0, 1) == 0;
        axis_scan_law<true, given_before::nothing, map>(at, shape, dense, in_place, backward, affine_then{},
                                                        random);
        axis_scan_law<false, given_before::each, map>(at, shape, dense, in_place, backward, affine_then{},
                                                      random);
        axis_scan_law<true, given_before::one, std::uint32_t>(at, shape, dense, in_place, backward,
                                                              std::plus<>{}, random);
        axis_reduce_law<map>(at, shape, {shape.axis}, dense, affine_then{}, random);
        axis_bits_law(at, shape, random);
      }
}

TEST_CASE("host axes: few and long lines have the same bits by whole lines and by chunks, streamed or not") {
  random_source random("whole lines and chunks");
  for (std::int64_t const lines : {1, 4, 9, 32}) {
    std::int64_t const extents[] = {lines, host_items(18'001)};
    std::vector<float> x(static_cast<std::size_t>(extents[0] * extents[1])), one(x.size()), more(x.size());
    for (auto& v : x) v = draw<float>(random) - 0.3f;
    auto const in = sweep::strided(x.data(), extents);
    auto const scan = [&](int threads, std::vector<float>& to, auto direction) {
      auto const out = sweep::strided(to.data(), extents);
      if (lines % 2 == 0)
        sweep::inclusive_scan(sweep::host.threads(threads), in, out, sweep::along(1), direction);
      else sweep::exclusive_scan(sweep::host.threads(threads), in, out, sweep::along(1), 0.7f, direction);
    };
    auto const law = [&](auto direction) {
      {
        changed const streamed(sweep::detail::streamed_from, std::size_t{1} << 40);
        scan(1, one, direction);
      }
      for (int const threads : {1, 2, 3, 8, 9, 16, 40}) {
        more.assign(x.size(), 7);
        scan(threads, more, direction);
        expect(std::memcmp(one.data(), more.data(), one.size() * sizeof(float)) == 0,
               std::to_string(lines) + " lines on " + std::to_string(threads) + " threads");
      }
    };
    law(sweep::forward);
    law(sweep::backward);
  }
}

TEST_CASE("host axes: every argument form, and what is refused") {
  on_every_host_place([](auto const& places) {
    axis_form_laws(places.for_turn(1));
    axis_refusal_laws(places.for_turn(2));
  });
}

TEST_CASE("host axes: strings, rows that are read again and again, iterators that compute") {
  std::vector<std::string> words{"a", "b", "c", "d", "e", "f"}, got(6);
  sweep::inclusive_scan(sweep::host, sweep::strided(words.data(), {2, 3}), sweep::strided(got.data(), {2, 3}),
                        sweep::along(1), sweep::backward);
  CHECK(got == std::vector<std::string>{"cba", "cb", "c", "fed", "fe", "f"});
  int const row[] = {1, 2, 3};
  std::vector<int> sums(12);
  sweep::inclusive_scan(sweep::strided(row, {4, 3}, {0, 1}), sweep::strided(sums.data(), std::array{4, 3}),
                        sweep::along(0));
  CHECK(sums == std::vector<int>{1, 2, 3, 2, 4, 6, 3, 6, 9, 4, 8, 12});
  sweep::reduce(sweep::strided(sums.begin(), {4, 3}), sweep::strided(sums.data() + 9, {3}), sweep::along(-2),
                0);
  CHECK(sums[9] == 10);
}

TEST_CASE(
    "host axes: values so large that a thread's stack has few of them, extents of several integer types") {
  struct page {
    std::int64_t number;
    char rest[20'000];
  };
  auto const then = [](page const& a, page const& b) { return page{a.number + b.number, {}}; };
  std::size_t const n = 130;
  std::vector<page> const x(3 * n, page{1, {}});
  std::vector<page> y(x.size());
  for (int const axis : {0, 1}) {
    auto const in = sweep::strided(x.data(), {n, 3});
    auto const end = axis == 0 ? static_cast<std::int64_t>(n) : 3;
    sweep::inclusive_scan(sweep::host.threads(3), in, sweep::strided(y.data(), {n, 3}), sweep::along(axis),
                          then);
    CHECK(y.back().number == end);
    sweep::inclusive_scan(sweep::host.threads(3), in, sweep::strided(y.data(), {n, 3}, {1, n}),
                          sweep::along(axis), then);
    CHECK(y.back().number == end);
  }
}

#if __has_include(<cuda/std/mdspan>)
TEST_CASE("host axes: mdspans, with and without a policy") {
  std::vector<float> x{1, 2, 3, 4, 5, 6}, y(6);
  cuda::std::mdspan<float const, cuda::std::dextents<int, 2>> const in(x.data(), 2, 3);
  cuda::std::mdspan<float, cuda::std::dextents<int, 2>, cuda::std::layout_left> const out(y.data(), 2, 3);
  sweep::inclusive_scan(sweep::host, in, out, sweep::along(1));
  CHECK(y == std::vector<float>{1, 4, 3, 9, 6, 15});
  sweep::inclusive_scan(in, out, sweep::along(0), sweep::backward);
  CHECK(y == std::vector<float>{5, 4, 7, 5, 9, 6});
}
#endif

TEST_CASE("host axes: outputs whose strides reach further than numbers do") {
  auto const far = std::int64_t{1} << 62;
  std::vector<int> const x(8, 1);
  std::vector<int> out(8, -1);
  auto const refused = [&](std::vector<std::string> const& words, std::int64_t a, std::int64_t b) {
    auto const to = sweep::strided(out.begin(), {2, 4}, {a, b});
    expect_throw<sweep::bad_argument>(words, [&] {
      sweep::inclusive_scan(sweep::strided(x.begin(), {2, 4}), to, sweep::along(1));
    });
    CHECK(out == std::vector<int>(8, -1));
  };
  refused({"sweep::inclusive_scan: out", "further than 2^63 items: axis 1", "stride of 4611686018427387904"},
          1, far);
  refused({"out", "further than 2^63 items: axis 0"}, std::numeric_limits<std::int64_t>::min(), 1);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of extrema on the device: types, ties, sizes, alignments, plans, graphs.
#include <support/device_places.hpp>
#include <support/extrema_laws.hpp>

#include <sweep/plan.hpp>

using namespace sweep_test;

namespace {

constexpr std::size_t most = 300'000;
/// Few items a step, so that small inputs have many steps and many blocks.
auto const in_small_steps =
    half_at(sweep::device.with(sweep::plan<sweep::reduce_plan{.threads = 64, .rows = 2, .blocks = 8}>),
            "in small steps");

/// The key is the item's value, but for two that stand apart.
struct by_distance_from {
  std::uint32_t low, high;
  SWEEP_TEST_HD bool operator()(std::uint32_t x, std::uint32_t y) const { return rank(x) < rank(y); }
  SWEEP_TEST_HD int rank(std::uint32_t x) const { return x == low ? 0 : x == high ? 2 : 1; }
};

}  // namespace

TEST_CASE("device extrema: values of 1 to 48 bytes, and ties") {
  extrema_laws_of<std::uint8_t>("u8", most, on_device);
  extrema_laws_of<std::uint32_t>("u32", most, in_small_steps);
  extrema_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, in_small_steps);
  extrema_laws_of<motion>("48 bytes", most, on_device);
}

/// Numbers that share a word with their place.
template <class X>
void narrow_extrema_law(std::size_t n, std::size_t offset, random_source& random) {
  auto const all = draw_many<X>(n + offset, random);
  device_array<X> const held(all);
  std::vector<X> const x(all.begin() + static_cast<std::ptrdiff_t>(offset), all.end());
  auto const first = held.begin() + offset, last = first + n;
  auto const title = std::to_string(sizeof(X)) + " bytes, n = " + std::to_string(n);
  auto const both = sweep::minmax_element(sweep::device, first, last);
  expect(both.first - first == std::min_element(x.begin(), x.end()) - x.begin(), title + ", the least");
  expect(both.second - first == std::max_element(x.begin(), x.end()) - x.begin(), title + ", the greatest");
  expect(sweep::min_element(sweep::device, first, last, std::greater<>{}) == both.second,
         title + ", the least where the order goes down");
}

TEST_CASE("device extrema: narrow numbers, signed or not, from any place on") {
  random_source random("narrow extrema");
  for (std::size_t const n : {1, 2, 15, 33, 4'607, 4'608, 36'865, 300'001})
    for (std::size_t const offset : {0, 1, 7}) {
      narrow_extrema_law<std::int8_t>(n, offset, random);
      narrow_extrema_law<std::uint16_t>(n, offset, random);
    }
}

TEST_CASE("device extrema: forms and iterators") {
  for (auto const n : few_sizes()) extrema_form_laws(on_device, n);
}

TEST_CASE("device extrema: floats with negative zeros and infinities") {
  float const infinity = std::numeric_limits<float>::infinity();
  std::vector<float> x(sanitizing() ? 3'000 : 100'000, 0.0f);
  x[70] = -0.0f;
  x[1500] = infinity;
  x[1700] = infinity;
  x[2900] = -infinity;
  device_array<float> const in(x);
  auto const both = sweep::minmax_element(sweep::device, in.begin(), in.end());
  CHECK(both.first - in.begin() == 2900);
  CHECK(both.second - in.begin() == 1500);
  CHECK(sweep::min_element(sweep::device, in.begin(), in.begin() + 1000) == in.begin());
}

TEST_CASE("device extrema: captured in a graph and replayed with other inputs") {
  random_source random("extrema graph");
  std::size_t const n = sanitizing() ? 3'000 : 200'001;
  device_array<std::uint16_t> in(draw_many<std::uint16_t>(n, random));
  device_array<std::int64_t> const out(2);
  own_stream const stream;
  captured_graph const graph(stream, [&] {
    sweep::minmax_element_into(sweep::device.on(stream), in.begin(), in.end(), out.begin());
  });
  for (int replay = 0; replay < 3; ++replay) {
    auto const x = draw_many<std::uint16_t>(n, random);
    in.write(x);
    graph.launch(stream);
    graph.launch(stream);
    stream.wait();
    CHECK(out.read()[0] == std::min_element(x.begin(), x.end()) - x.begin());
    CHECK(out.read()[1] == std::max_element(x.begin(), x.end()) - x.begin());
  }
}

TEST_CASE("device extrema: 2^32 + 3 numbers that are made up") {
  auto const n = sanitizing() ? std::ptrdiff_t{100'003} : (std::ptrdiff_t{1} << 32) + 3;
  // Beyond 2^32 items the numbers repeat, and the first of equal ones is the least.
  auto const low = made_up{0}[77], high = made_up{0}[n / 2];
  auto const both = sweep::minmax_element(sweep::device, made_up{0}, made_up{n}, by_distance_from{low, high});
  CHECK(both.first - made_up{0} == 77);
  auto const greatest = both.second - made_up{0};
  CHECK(made_up{0}[greatest] == high);
  CHECK(greatest <= n / 2);
}

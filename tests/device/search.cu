// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of searches on the device: types, sizes, alignments, early exit, plans, graphs, the caller's scratch.
#include <support/device_places.hpp>
#include <support/search_laws.hpp>

#include <sweep/bounds.hpp>
#include <sweep/count.hpp>
#include <sweep/extrema.hpp>
#include <sweep/plan.hpp>

#include <thrust/functional.h>

using namespace sweep_test;

namespace {

constexpr std::size_t most = 300'000;
/// Pieces of 64 vectors, so that small inputs have many.
auto const in_small_pieces =
    half_at(sweep::device.with(sweep::plan<sweep::find_plan{.threads = 64, .rows = 2, .blocks = 1}>),
            "in small pieces");

struct counts_its_calls {
  unsigned long long* calls;
  std::uint32_t sought;
  __device__ bool operator()(std::uint32_t x) const {
    atomicAdd(calls, 1ull);
    return x == sought;
  }
};

}  // namespace

TEST_CASE("device searches: values of 1 to 48 bytes") {
  search_laws_of<std::uint8_t>("u8", most, on_device);
  search_laws_of<std::uint32_t>("u32", most, in_small_pieces);
  search_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, in_small_pieces);
  search_laws_of<motion>("48 bytes", most, on_device);
}

TEST_CASE("device searches: order and parts") {
  order_laws_of<std::uint8_t>("u8", most, in_small_pieces);
  order_laws_of<std::uint32_t>("u32", most, on_device);
  order_laws_of<motion>("48 bytes", most, in_small_pieces);
}

TEST_CASE("device searches: forms and iterators") {
  for (auto const n : few_sizes()) search_form_laws(on_device, n);
}

TEST_CASE("device searches: every place of a short range, with and without others behind it") {
  std::size_t const n = sanitizing() ? 300 : 4'500;
  std::size_t const step = sanitizing() ? 37 : 1;
  for (std::size_t at = 0; at < n; at += step) {
    std::vector<std::uint32_t> x(n, 0);
    x[at] = 13;
    if (at % 2 == 0) std::fill(x.begin() + static_cast<std::ptrdiff_t>(at), x.end(), 13u);
    device_array<std::uint32_t> const in(x);
    auto const found = sweep::find_if(in_small_pieces.policy, in.begin(), in.end(), is_sought{}) - in.begin();
    expect(found == static_cast<std::ptrdiff_t>(at),
           "found at " + std::to_string(found) + ", is at " + std::to_string(at));
  }
}

TEST_CASE("device searches: short ranges that begin and end anywhere, among what is looked for") {
  std::size_t const room = 128;
  device_array<std::uint8_t> around(room);
  for (std::size_t const first : {32u, 33u, 39u, 47u})
    for (std::size_t const n : {1u, 2u, 15u, 16u, 17u, 31u, 33u, 64u}) {
      auto const last = first + n;
      for (std::size_t const at : {last, last - 1, first}) {
        std::vector<std::uint8_t> x(room, 13);
        std::fill(x.begin() + 32 - 16, x.begin() + static_cast<std::ptrdiff_t>(first), std::uint8_t{200});
        if (first > 32) x[first - 1] = 13;
        std::fill_n(x.begin() + static_cast<std::ptrdiff_t>(first), n, std::uint8_t{1});
        if (at < last) x[at] = 13;
        around.write(x);
        auto const from = around.begin() + first, to = around.begin() + last;
        CHECK(sweep::find_if(on_device.policy, from, to, is_sought{}) == around.begin() + at);
        auto const sorted = at + 1 < last ? at + 1 : last;
        CHECK(sweep::is_sorted_until(in_small_pieces.policy, from, to) == around.begin() + sorted);
      }
    }
}

TEST_CASE("device searches: nothing far behind what is found is looked at") {
  auto const n = sanitizing() ? std::ptrdiff_t{1} << 16 : std::ptrdiff_t{1} << 31;
  device_array<unsigned long long> const calls(std::vector<unsigned long long>{0});
  counts_its_calls const pred{calls.begin(), made_up{0}[1000]};
  auto const found = sweep::find_if(sweep::device, made_up{0}, made_up{n}, pred) - made_up{0};
  CHECK(found == 1000);
  if (!sanitizing()) CHECK(calls.read()[0] < static_cast<unsigned long long>(n) / 16);
}

TEST_CASE("device searches: beyond 2^32 items") {
  auto const n = sanitizing() ? std::ptrdiff_t{100'003} : (std::ptrdiff_t{1} << 32) + 3;
  if (!has_free_memory(static_cast<std::size_t>(n) + (std::size_t{256} << 20))) return;
  device_array<std::uint8_t> const in(static_cast<std::size_t>(n));
  succeed(cudaMemset(in.begin(), 0, static_cast<std::size_t>(n)));
  CHECK(sweep::find(sweep::device, in.begin(), in.end(), 1) == in.end());
  CHECK(sweep::is_sorted(sweep::device, in.begin(), in.end()));
  succeed(cudaMemset(in.end() - 2, 1, 1));
  CHECK(sweep::find(sweep::device, in.begin(), in.end(), 1) == in.end() - 2);
  CHECK(sweep::is_sorted_until(sweep::device, in.begin(), in.end()) == in.end() - 1);
}

TEST_CASE("device searches: lambdas of the device and placeholders, in counts, extrema and bounds too") {
  using U = std::uint32_t;
  random_source random("search lambdas");
  auto x = draw_many<U>(sanitizing() ? 3'000 : 100'001, random);
  for (auto& one : x) one %= 1000;
  auto y = x;
  std::sort(y.begin(), y.end());
  device_array<U> const in(x), sorted(y);
  auto const first = in.begin(), last = in.end();
  auto const& p = sweep::device;
  auto const is_seven = [] __device__(U one) { return one == 7; };
  auto const is_small = [] __device__(U one) { return one < 1000; };
  auto const is_lower = [] __device__(U a, U b) { return a < b; };
  auto const seven = std::find(x.begin(), x.end(), 7u) - x.begin();
  CHECK(sweep::find_if(p, first, last, is_seven) - first == seven);
  CHECK(sweep::all_of(p, first, last, is_small));
  CHECK(!sweep::is_sorted(p, first, last, is_lower));
  CHECK(sweep::count_if(p, first, last, is_seven) == std::count(x.begin(), x.end(), 7u));
  CHECK(sweep::max_element(p, first, last, is_lower) - first ==
        std::max_element(x.begin(), x.end()) - x.begin());
  CHECK(sweep::upper_bound(p, sorted.begin(), sorted.end(), 7u, is_lower) - sorted.begin() ==
        std::upper_bound(y.begin(), y.end(), 7u) - y.begin());
  using thrust::placeholders::_1;
  using thrust::placeholders::_2;
  CHECK(sweep::find_if(p, first, last, _1 == 7u) - first == seven);
  CHECK(sweep::find_if_not(p, first, last, _1 != 7u) - first == seven);
  CHECK(sweep::count_if(p, first, last, _1 == 7u) == std::count(x.begin(), x.end(), 7u));
  CHECK(sweep::min_element(p, first, last, _1 > _2) - first ==
        std::max_element(x.begin(), x.end()) - x.begin());
}

TEST_CASE("device searches: captured in a graph and replayed with other inputs") {
  random_source random("search graph");
  std::size_t const n = sanitizing() ? 3'000 : 200'001;
  device_array<std::uint32_t> in(draw_many<std::uint32_t>(n, random));
  device_array<std::int64_t> const out(2);
  own_stream const stream;
  auto const on = sweep::device.on(stream);
  captured_graph const graph(stream, [&] {
    sweep::find_if_into(on, in.begin(), in.end(), out.begin(), is_sought{});
    sweep::is_sorted_until_into(on, in.begin(), in.end(), out.begin() + 1);
  });
  for (int replay = 0; replay < 4; ++replay) {
    auto const x = sought_from(draw_many<std::uint32_t>(n, random), replay % 2 == 0 ? n / 2 : n);
    in.write(x);
    graph.launch(stream);
    graph.launch(stream);
    stream.wait();
    CHECK(out.read()[0] == std::find_if(x.begin(), x.end(), is_sought{}) - x.begin());
    CHECK(out.read()[1] == std::is_sorted_until(x.begin(), x.end()) - x.begin());
  }
}

TEST_CASE("device searches: the caller's scratch, and what is said where it does not suffice") {
  std::vector<std::uint32_t> x(100'000, 0);
  x[70'000] = 13;
  device_array<std::uint32_t> const in(x);
  device_array<std::int64_t> const out(1);
  device_array<std::byte> const memory(std::size_t{64} << 10);
  auto const few = sweep::device.checked().scratch(std::span(memory.begin(), 16));
  expect_throw<sweep::bad_argument>({"sweep::find_if_into", "scratch", "16 bytes"}, [&] {
    sweep::find_if_into(few, in.begin(), in.end(), out.begin(), is_sought{});
  });
  auto const enough = sweep::device.checked().scratch(std::span(memory.begin(), memory.end()));
  sweep::find_if_into(enough, in.begin(), in.end(), out.begin(), is_sought{});
  CHECK(out.read()[0] == 70'000);
  CHECK(sweep::find_if(enough, in.begin(), in.end(), is_sought{}) == in.begin() + 70'000);
}

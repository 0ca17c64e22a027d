// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device scans of many ranges.
#include <support/device_places.hpp>
#include <support/scan_many_laws.hpp>

using namespace sweep_test;

namespace {
using map = affine<std::uint32_t>;
int calls() { return sanitizing() ? 6 : 100; }
std::int64_t most() { return sanitizing() ? 9'000 : 60'000; }

struct wide {
  std::uint32_t of[24];
};
struct add_wide {
  SWEEP_TEST_HD wide operator()(wide a, wide const& b) const {
    for (int k = 0; k < 24; ++k) a.of[k] += b.of[k];
    return a;
  }
};
}  // namespace

TEST_CASE("device scans of many ranges: of any length, anywhere, by an operator that does not commute") {
  scan_many_laws<true, false, map>("inclusive", calls(), most(), affine_then{}, on_device);
  scan_many_laws<false, true, map>("exclusive", calls(), most(), affine_then{}, on_device);
  scan_many_laws<true, true, heisenberg<std::uint64_t>>("24 bytes", calls() / 2, most(), heisenberg_product{},
                                                        on_device);
}

TEST_CASE("device scans of many ranges: the same bits, and what is refused") {
  random_source random("many bits");
  for (std::int64_t const length : {5, 700, 5'000}) scan_many_bits_law(on_device, length, random);
  scan_many_refusal_laws(on_device);
}

TEST_CASE("device scans of many ranges: captured in a graph, and ranges that are another's when it runs") {
  using range = sweep::scan_range<std::uint32_t const*, std::uint32_t*>;
  random_source random("many graph");
  device_array<std::uint32_t> in(draw_many<std::uint32_t>(1'000, random));
  device_array<std::uint32_t> const out(1'000);
  device_array<range> ranges(std::vector<range>(10));
  own_stream const stream;
  captured_graph const graph(stream, [&] {
    sweep::inclusive_scan_many(sweep::device.on(stream), ranges.begin(), ranges.end(), add{});
  });
  for (int replay = 0; replay < 2; ++replay) {
    auto const x = draw_many<std::uint32_t>(1'000, random);
    in.write(x);
    std::vector<range> given;
    auto want = x;
    for (std::int64_t k = 0; k < 10; ++k) {
      given.push_back({in.begin() + 100 * k, replay == 0 ? 100 : 10 * k, out.begin() + 100 * k});
      for (std::int64_t i = 0; i < 100; ++i) {
        auto const at = static_cast<std::size_t>(100 * k + i);
        want[at] = i < given.back().count ? x[at] + (i > 0 ? want[at - 1] : 0u) : out.read()[at];
      }
    }
    ranges.write(given);
    graph.launch(stream);
    stream.wait();
    expect_equal(out.read(), want, "replay " + std::to_string(replay));
  }
}

TEST_CASE("device scans of many ranges: values of 96 bytes, a thread a range") {
  std::vector<wide> x(200), want(200);
  std::vector<sweep::scan_range<wide*, wide*>> ranges;
  for (std::uint32_t i = 0; i < 200; ++i)
    for (std::uint32_t k = 0; k < 24; ++k) {
      x[i].of[k] = i * 24 + k;
      want[i].of[k] = x[i].of[k] + (i % 50 == 0 ? 0 : want[i - 1].of[k]);
    }
  device_array<wide> const items(x);
  for (int k = 0; k < 4; ++k) ranges.push_back({items.begin() + 50 * k, 50, items.begin() + 50 * k});
  device_array<sweep::scan_range<wide*, wide*>> const given(ranges);
  sweep::inclusive_scan_many(sweep::device, given.begin(), given.end(), add_wide{});
  auto const got = items.read();
  expect(std::memcmp(static_cast<void const*>(got.data()), want.data(), got.size() * sizeof(wide)) == 0,
         "values of 96 bytes");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of bounds on the device: types, sizes, alignments, graphs, more than 2^32 items.
#include <support/bounds_laws.hpp>
#include <support/device_places.hpp>

using namespace sweep_test;

namespace {

constexpr std::size_t most = 300'000;
}  // namespace

TEST_CASE("device bounds: values of 1 to 48 bytes") {
  bounds_laws_of<std::uint8_t>("u8", most, on_device);
  bounds_laws_of<std::uint32_t>("u32", most, on_device);
  bounds_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, on_device);
  bounds_laws_of<motion>("48 bytes", most, on_device);
}

TEST_CASE("device bounds: forms and iterators") {
  for (auto const n : few_sizes()) bounds_form_laws(on_device, n);
}

TEST_CASE("device bounds: as many values as keep every block busy") {
  random_source random("many bounds");
  std::size_t const n = sanitizing() ? 3'000 : 1'000'003, m = sanitizing() ? 5'000 : 3'000'001;
  auto x = draw_many<std::uint32_t>(n, random);
  std::sort(x.begin(), x.end());
  many_bounds_law(on_device, "u32", x, draw_many<std::uint32_t>(m, random), 1);
}

TEST_CASE("device bounds: ranges that a block holds whole, and one item more") {
  random_source random("bounds in short ranges");
  for (std::size_t const n : {1, 2, 3, 4, 31, 32, 33, 1'000, 16'383, 16'384, 32'767, 32'768}) {
    if (sanitizing() && n > 1'000) continue;
    std::size_t const m = sanitizing() ? 3'000 : 1'500'001;
    auto x = draw_many<std::uint32_t>(n, random);
    std::sort(x.begin(), x.end());
    many_bounds_law(on_device, "u32", x, draw_many<std::uint32_t>(m, random), n % 3);
    std::vector<std::uint64_t> const wide(x.begin(), x.end());
    auto const values = draw_many<std::uint32_t>(m, random);
    many_bounds_law(on_device, "u64", wide, std::vector<std::uint64_t>(values.begin(), values.end()), 1);
  }
}

TEST_CASE("device bounds: among 2^40 items") {
  auto const n = std::ptrdiff_t{1} << 40;
  std::vector<std::int64_t> const values{-1, 0, 1, 3, n, 3 * n - 4, 3 * n - 3, 3 * n, std::int64_t{1} << 50};
  std::vector<std::int64_t> want;
  for (auto const value : values) want.push_back(value < 0 ? 0 : std::min<std::int64_t>(n, (value + 2) / 3));
  device_array<std::int64_t> const sought(values);
  sweep::lower_bound(sweep::device, threefold{0}, threefold{n}, sought.begin(), sought.end(), sought.begin());
  expect_equal(sought.read(), want, "bounds");
  CHECK(sweep::upper_bound(sweep::device, threefold{0}, threefold{n}, n) - threefold{0} == n / 3 + 1);
}

TEST_CASE("device bounds: captured in a graph and replayed with other inputs") {
  random_source random("bounds graph");
  std::size_t const n = sanitizing() ? 3'000 : 100'001;
  device_array<std::uint32_t> in(n);
  device_array<std::uint32_t> sought(n);
  device_array<std::int64_t> const out(n), one(1);
  own_stream const stream;
  auto const on = sweep::device.on(stream);
  captured_graph const graph(stream, [&] {
    sweep::lower_bound(on, in.begin(), in.end(), sought.begin(), sought.end(), out.begin());
    sweep::upper_bound_into(on, in.begin(), in.end(), one.begin(), 1u << 31);
  });
  for (int replay = 0; replay < 3; ++replay) {
    auto x = draw_many<std::uint32_t>(n, random);
    auto const values = draw_many<std::uint32_t>(n, random);
    std::sort(x.begin(), x.end());
    in.write(x);
    sought.write(values);
    graph.launch(stream);
    stream.wait();
    std::vector<std::int64_t> want(n);
    for (std::size_t j = 0; j < n; ++j) want[j] = std::lower_bound(x.begin(), x.end(), values[j]) - x.begin();
    expect_equal(out.read(), want, "replay " + std::to_string(replay));
    CHECK(one.read()[0] == std::upper_bound(x.begin(), x.end(), 1u << 31) - x.begin());
  }
}

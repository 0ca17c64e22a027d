// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of counts on the device: types, sizes, alignments, variants, graphs.
#include <support/count_laws.hpp>
#include <support/device_places.hpp>

#include <sweep/variant.hpp>

using namespace sweep_test;

namespace {
constexpr std::size_t most = 300'000;
}

TEST_CASE("device counts: values of 1 to 48 bytes") {
  count_laws_of<std::uint8_t>("u8", most, on_device);
  count_laws_of<std::uint32_t>("u32", most, on_device);
  count_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, on_device);
  count_laws_of<motion>("48 bytes", most, on_device);
}

TEST_CASE("device counts: values and iterators") {
  for (auto const n : few_sizes()) count_form_laws(on_device, n);
}

TEST_CASE("device counts: lambdas of the device, and a variant of reduce") {
  random_source random("count lambdas");
  auto const x = draw_many<std::uint32_t>(sanitizing() ? 3'000 : 200'001, random);
  auto const want = std::count_if(x.begin(), x.end(), [](std::uint32_t one) { return one % 7 < 3; });
  device_array<std::uint32_t> const in(x);
  auto const is_low = [] __device__(std::uint32_t one) -> bool { return one % 7 < 3; };
  CHECK(sweep::count_if(sweep::device, in.begin(), in.end(), is_low) == want);
  CHECK(sweep::count_if(sweep::device.with(sweep::variant::interleaved), in.begin(), in.end(), is_low) ==
        want);
}

TEST_CASE("device counts: captured in a graph and replayed with other inputs") {
  random_source random("count graph");
  std::size_t const n = sanitizing() ? 3'000 : 200'001;
  device_array<std::uint16_t> in(draw_many<std::uint16_t>(n, random));
  device_array<std::int64_t> const out(1);
  own_stream const stream;
  captured_graph const graph(stream, [&] {
    sweep::count_if_into(sweep::device.on(stream), in.begin(), in.end(), out.begin(), one_in{3});
  });
  for (int replay = 0; replay < 3; ++replay) {
    auto const x = draw_many<std::uint16_t>(n, random);
    in.write(x);
    graph.launch(stream);
    stream.wait();
    CHECK(out.read()[0] == std::count_if(x.begin(), x.end(), one_in{3}));
  }
}

TEST_CASE("device counts: 2^32 + 3 numbers that are made up") {
  auto const n = sanitizing() ? std::ptrdiff_t{100'003} : (std::ptrdiff_t{1} << 32) + 3;
  CHECK(sweep::count_if(sweep::device, made_up{0}, made_up{n}, one_in{0}) == n);
}

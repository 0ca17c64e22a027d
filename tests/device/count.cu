// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of counts on the device: types, sizes, alignments, variants, graphs.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/count_laws.hpp>
#include <support/device_places.hpp>

#include <sweep/variant.hpp>

#include <thrust/iterator/permutation_iterator.h>

using namespace sweep_test;

namespace {
constexpr std::size_t most = 300'000;

/// Of items at places that are counted from one in the middle, so that half of them are negative.
template <class X>
void gathered_count_law(std::size_t n, random_source& random) {
  auto const memory = draw_many<X>(2 * n + 1, random);
  std::vector<std::int32_t> places(n);
  std::ptrdiff_t want = 0;
  for (auto& place : places) {
    place = random.between(-static_cast<int>(n), static_cast<int>(n));
    want += one_in{3}(memory[static_cast<std::size_t>(place + static_cast<std::ptrdiff_t>(n))]) ? 1 : 0;
  }
  device_array<X> const in(memory);
  device_array<std::int32_t> const in_places(places);
  auto const first =
      thrust::make_permutation_iterator(in.begin() + static_cast<std::ptrdiff_t>(n), in_places.begin());
  expect(sweep::count_if(sweep::device, first, first + static_cast<std::ptrdiff_t>(n), one_in{3}) == want,
         std::to_string(sizeof(X)) + "-byte items, n = " + std::to_string(n));
}
}  // namespace

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

TEST_CASE("device counts: items that are gathered") {
  random_source random("gathered counts");
  for (std::size_t const n : {1, 129, 4'096, 65'537, 500'003}) {
    if (sanitizing() && n > 100'000) continue;
    gathered_count_law<std::uint16_t>(n, random);
    gathered_count_law<motion>(n, random);
  }
}

TEST_CASE("device counts: 2^32 + 3 numbers that are made up") {
  auto const n = sanitizing() ? std::ptrdiff_t{100'003} : (std::ptrdiff_t{1} << 32) + 3;
  CHECK(sweep::count_if(sweep::device, made_up{0}, made_up{n}, one_in{0}) == n);
}

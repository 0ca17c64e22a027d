// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of gathers and scatters on seq and host.
#include <support/gather_laws.hpp>
#include <support/host_places.hpp>

using namespace sweep_test;

namespace {
constexpr std::size_t most = 100'000;
}

TEST_CASE("host gathers and scatters: types, maps and sizes") {
  on_every_host_place([](auto const& places) {
    gather_laws_of<std::uint8_t, std::int32_t>("u8 by i32", most, places);
    gather_laws_of<std::uint32_t, std::int64_t>("u32 by i64", most, places);
    gather_laws_of<float, std::uint32_t, double>("f32 to f64 by u32", most, places);
    gather_laws_of<motion, std::size_t>("48 bytes by size_t", most, places);
  });
}

TEST_CASE("host gathers and scatters: iterators") {
  on_every_host_place([](auto const& places) {
    for (std::size_t k = 0; k < 4; ++k)
      for (auto const n : few_sizes()) gather_iterator_laws(places.for_turn(k), n);
  });
}

TEST_CASE("host gathers and scatters: strings") {
  std::vector<std::string> const x{"to", "be", "or", "not"};
  std::vector<int> const map{3, 2, 1, 0};
  on_every_host_place([&](auto const& places) {
    std::vector<std::string> y(4), z(4);
    sweep::gather(places.for_turn(2).policy, map.begin(), map.end(), x.begin(), y.begin());
    CHECK(y == std::vector<std::string>{"not", "or", "be", "to"});
    sweep::scatter(places.for_turn(2).policy, y.begin(), y.end(), map.begin(), z.begin());
    CHECK(z == x);
  });
}

TEST_CASE("host gathers and scatters: bad input") {
  gather_error_laws(place{sweep::host, "host"}, sweep::host.checked());
  gather_error_laws(place{sweep::seq, "seq"}, sweep::host.threads(2).checked());
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of multisplits on seq and host.
#include <support/host_places.hpp>
#include <support/multisplit_laws.hpp>

using namespace sweep_test;

namespace {
constexpr std::size_t most = host_items(100'000);
}

TEST_CASE("host multisplits: types, parts and sizes") {
  on_every_host_place([](auto const& places) {
    multisplit_laws_of<std::uint8_t, std::uint64_t>("u8 with u64", most, places);
    multisplit_laws_of<std::uint32_t, std::uint32_t>("u32 with u32", most, places);
    multisplit_laws_of<motion, heisenberg<std::uint8_t>>("48 bytes with 3", most, places);
  });
}

TEST_CASE("host multisplits: splitters, iterators, conversions") {
  on_every_host_place([](auto const& places) {
    for (std::size_t k = 0; k < 4; ++k)
      for (auto const n : few_sizes()) multisplit_form_laws(places.for_turn(k), n);
  });
}

TEST_CASE("host multisplits: strings by their first letter") {
  std::vector<std::string> const x{"to", "be", "or", "not", "two", "bees", ""};
  auto const letter = [](std::string const& s) { return s.empty() ? 26 : s[0] - 'a'; };
  on_every_host_place([&](auto const& places) {
    std::vector<std::string> y(7);
    auto const offsets =
        sweep::multisplit(places.for_turn(2).policy, x.begin(), x.end(), y.begin(), 27, letter);
    CHECK(y == std::vector<std::string>{"be", "bees", "not", "or", "to", "two", ""});
    CHECK(offsets[1] == 0);
    CHECK(offsets[2] == 2);
    CHECK(offsets[26] == 6);
    CHECK(offsets[27] == 7);
  });
}

TEST_CASE("host multisplits: bad input") {
  multisplit_error_laws(place{sweep::host, "host"}, sweep::host.checked());
  multisplit_error_laws(place{sweep::seq, "seq"}, sweep::host.threads(2).checked());
}

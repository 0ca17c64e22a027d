// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of run lengths on seq and host.
#include <support/host_places.hpp>
#include <support/run_length_laws.hpp>

using namespace sweep_test;

namespace {
constexpr std::size_t most = 100'000;
}

TEST_CASE("host run lengths: types, lengths and sizes") {
  on_every_host_place([](auto const& places) {
    run_length_laws_of<std::uint8_t>("u8", most, places);
    run_length_laws_of<std::int32_t, std::int64_t>("i32", most, places);
    run_length_laws_of<double, std::uint32_t>("f64", most, places);
    run_length_laws_of<motion>("48 bytes", most, places);
  });
}

TEST_CASE("host run lengths: neighbours alone are compared") {
  on_every_host_place([](auto const& places) {
    run_length_laws_of<std::int16_t, int>("i16", most, places, neighbours_differ_by_one{});
  });
}

TEST_CASE("host run lengths: iterators") {
  on_every_host_place([](auto const& places) {
    for (std::size_t k = 0; k < 4; ++k)
      for (auto const n : few_sizes())
        run_length_iterator_laws(places.for_turn(k), std::min<std::size_t>(n, 30'000));
  });
}

TEST_CASE("host run lengths: strings") {
  std::vector<std::string> const x{"a", "a", "b", "a", "a", "a"};
  on_every_host_place([&](auto const& places) {
    std::vector<std::string> values(6);
    std::vector<int> lengths(6);
    auto const [values_end, lengths_end] = sweep::run_length_encode(places.for_turn(2).policy, x.begin(),
                                                                    x.end(), values.begin(), lengths.begin());
    values.erase(values_end, values.end());
    lengths.erase(lengths_end, lengths.end());
    CHECK(values == std::vector<std::string>{"a", "b", "a"});
    CHECK(lengths == std::vector<int>{2, 1, 3});
  });
}

TEST_CASE("host run lengths: bad input") {
  on_every_host_place([](auto const& places) { run_length_error_laws(places.for_turn(1)); });
}

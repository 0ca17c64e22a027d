// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of extrema on seq and host.
#include <support/extrema_laws.hpp>
#include <support/host_places.hpp>

#include <memory>

using namespace sweep_test;

namespace {
constexpr std::size_t most = 100'000;
}

TEST_CASE("host extrema: types, ties and sizes") {
  on_every_host_place([](auto const& places) {
    extrema_laws_of<std::uint8_t>("u8", most, places);
    extrema_laws_of<std::uint32_t>("u32", most, places);
    extrema_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, places);
    extrema_laws_of<motion>("48 bytes", most, places);
  });
}

TEST_CASE("host extrema: forms and iterators") {
  on_every_host_place([](auto const& places) {
    for (std::size_t k = 0; k < 4; ++k)
      for (auto const n : few_sizes()) extrema_form_laws(places.for_turn(k), n);
  });
}

TEST_CASE("host extrema: items that cannot be copied") {
  std::vector<std::unique_ptr<int>> x;
  for (int i = 0; i < 1000; ++i) x.push_back(std::make_unique<int>(i * 37 % 1000));
  auto const by_value = [](auto const& a, auto const& b) { return *a < *b; };
  on_every_host_place([&](auto const& places) {
    auto const policy = places.for_turn(2).policy;
    CHECK(**sweep::min_element(policy, x.begin(), x.end(), by_value) == 0);
    auto const both = sweep::minmax_element(policy, x.begin(), x.end(), by_value);
    CHECK(**both.first == 0);
    CHECK(**both.second == 999);
  });
}

TEST_CASE("host extrema: bad input, and nothing") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    std::vector<int> const x(10, 1);
    int* const none = nullptr;
    std::int64_t out[2] = {-7, -7};
    expect_throw<sweep::bad_argument>({"sweep::min_element", "last", "2 items before first"}, [&] {
      (void)sweep::min_element(policy, x.begin() + 5, x.begin() + 3);
    });
    expect_throw<sweep::bad_argument>({"sweep::max_element_into", "out", "null"},
                                      [&] { sweep::max_element_into(policy, x.begin(), x.end(), none); });
    expect_throw<sweep::bad_argument>({"sweep::minmax_element_into", "first", "null"},
                                      [&] { sweep::minmax_element_into(policy, none, none + 3, out); });
    CHECK(out[0] == -7);
    CHECK(sweep::min_element(policy, none, none) == none);
    CHECK(sweep::minmax_element(policy, x.end(), x.end()).second == x.end());
    sweep::minmax_element_into(policy, none, none, out);
    CHECK(out[0] == 0);
    CHECK(out[1] == 0);
  });
}

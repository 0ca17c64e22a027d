// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of counts on seq and host.
#include <support/count_laws.hpp>
#include <support/host_places.hpp>

using namespace sweep_test;

namespace {
constexpr std::size_t most = 100'000;
}

TEST_CASE("host counts: types and sizes") {
  on_every_host_place([](auto const& places) {
    count_laws_of<std::uint8_t>("u8", most, places);
    count_laws_of<std::uint32_t>("u32", most, places);
    count_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, places);
    count_laws_of<motion>("48 bytes", most, places);
  });
}

TEST_CASE("host counts: values, iterators and strings") {
  std::vector<std::string> const words{"a", "rose", "is", "a", "rose", "is", "a", "rose"};
  std::vector<bool> const flags{true, false, true, true};
  on_every_host_place([&](auto const& places) {
    for (std::size_t k = 0; k < 4; ++k)
      for (auto const n : few_sizes()) count_form_laws(places.for_turn(k), n);
    auto const policy = places.for_turn(2).policy;
    CHECK(sweep::count(policy, words.begin(), words.end(), "rose") == 3);
    CHECK(sweep::count(policy, flags.begin(), flags.end(), true) == 3);
    auto const is_short = [](std::string const& word) { return word.size() < 3; };
    CHECK(sweep::count_if(policy, words.rbegin(), words.rend(), is_short) == 5);
  });
}

TEST_CASE("host counts: an exception of the predicate reaches the caller") {
  std::vector<int> const x(100'000, 1);
  on_every_host_place([&](auto const& places) {
    expect_throw<std::runtime_error>({"no more"}, [&] {
      (void)sweep::count_if(places.for_turn(2).policy, x.begin(), x.end(),
                            [](int) -> bool { throw std::runtime_error("no more"); });
    });
  });
}

TEST_CASE("host counts: bad input") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    std::vector<int> const x(10, 1);
    int* const none = nullptr;
    std::int64_t out = -7;
    expect_throw<sweep::bad_argument>({"sweep::count", "last", "2 items before first"},
                                      [&] { (void)sweep::count(policy, x.begin() + 5, x.begin() + 3, 1); });
    expect_throw<sweep::bad_argument>({"sweep::count_into", "out", "null"},
                                      [&] { sweep::count_into(policy, x.begin(), x.end(), none, 1); });
    expect_throw<sweep::bad_argument>({"sweep::count_if_into", "first", "null"},
                                      [&] { sweep::count_if_into(policy, none, none + 3, &out, one_in{0}); });
    CHECK(out == -7);
    CHECK(sweep::count(policy, none, none, 4) == 0);
  });
}

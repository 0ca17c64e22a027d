// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of bounds on seq and host.
#include <support/bounds_laws.hpp>
#include <support/host_places.hpp>

using namespace sweep_test;

namespace {
constexpr std::size_t most = host_items(100'000);
}

TEST_CASE("host bounds: types and sizes") {
  on_every_host_place([](auto const& places) {
    bounds_laws_of<std::uint8_t>("u8", most, places);
    bounds_laws_of<std::uint32_t>("u32", most, places);
    bounds_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, places);
    bounds_laws_of<motion>("48 bytes", most, places);
  });
}

TEST_CASE("host bounds: forms and iterators") {
  on_every_host_place([](auto const& places) {
    for (std::size_t k = 0; k < 4; ++k)
      for (auto const n : few_sizes()) bounds_form_laws(places.for_turn(k), n);
  });
}

TEST_CASE("host bounds: strings, and calls without a policy") {
  std::vector<std::string> const words{"apple", "banana", "cherry", "cherry", "date"};
  std::vector<std::string> const sought{"cherry", "aardvark", "zucchini"};
  std::vector<int> where(3);
  on_every_host_place([&](auto const& places) {
    auto const policy = places.for_turn(2).policy;
    sweep::upper_bound(policy, words.begin(), words.end(), sought.begin(), sought.end(), where.begin());
    CHECK(where == std::vector<int>{4, 0, 5});
    CHECK(sweep::lower_bound(policy, words.begin(), words.end(), "cherry") - words.begin() == 2);
  });
  sweep::lower_bound(words.begin(), words.end(), sought.begin(), sought.end(), where.begin());
  CHECK(where == std::vector<int>{2, 0, 5});
  CHECK(sweep::binary_search(words.begin(), words.end(), "date"));
  CHECK(sweep::partition_point(words, [](std::string const& word) { return word < "c"; }) ==
        words.begin() + 2);
}

TEST_CASE("host bounds: bad input, and nothing") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    std::vector<int> const x(10, 1);
    std::vector<int> out(10, -7);
    int* const none = nullptr;
    expect_throw<sweep::bad_argument>({"sweep::lower_bound", "last", "2 items before first"}, [&] {
      (void)sweep::lower_bound(policy, x.begin() + 5, x.begin() + 3, 1);
    });
    expect_throw<sweep::bad_argument>({"sweep::upper_bound", "values_last", "before values_first"}, [&] {
      sweep::upper_bound(policy, x.begin(), x.end(), x.begin() + 5, x.begin() + 3, out.begin());
    });
    expect_throw<sweep::bad_argument>({"sweep::binary_search", "out", "null"}, [&] {
      sweep::binary_search(policy, x.begin(), x.end(), x.begin(), x.end(), none);
    });
    expect_throw<sweep::bad_argument>({"sweep::partition_point_into", "first", "null"}, [&] {
      sweep::partition_point_into(policy, none, none + 3, out.begin(), [](int) { return true; });
    });
    CHECK(out == std::vector<int>(10, -7));
    CHECK(sweep::lower_bound(policy, none, none, 4) == none);
    CHECK(!sweep::binary_search(policy, none, none, 4));
    sweep::lower_bound(policy, none, none, x.begin(), x.end(), out.begin());
    CHECK(out == std::vector<int>(10, 0));
    CHECK(sweep::lower_bound(policy, x.begin(), x.end(), none, none, none) == none);
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bad input on seq and host: what is said, and that nothing is written.
#include <support/expect.hpp>
#include <support/host_places.hpp>

#include <sweep/scan.hpp>

#include <functional>

using namespace sweep_test;

TEST_CASE("host errors: a range whose end lies before its beginning") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    std::vector<int> const x(10, 1);
    std::vector<int> out(10, -7);
    expect_throw<sweep::bad_argument>({"sweep::inclusive_scan", "last", "3 items before first"}, [&] {
      sweep::inclusive_scan(policy, x.begin() + 5, x.begin() + 2, out.begin());
    });
    expect_throw<std::invalid_argument>({"sweep::exclusive_scan", "last"}, [&] {
      sweep::exclusive_scan(policy, x.begin() + 5, x.begin() + 4, out.begin(), 0);
    });
    expect(out == std::vector<int>(10, -7), "nothing is written");
  });
}

TEST_CASE("host errors: null pointers") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    std::vector<int> x(10, 1);
    int* const none = nullptr;
    expect_throw<sweep::bad_argument>({"sweep::inclusive_scan", "out", "null"},
                                      [&] { sweep::inclusive_scan(policy, x.begin(), x.end(), none); });
    expect_throw<sweep::bad_argument>({"sweep::transform_exclusive_scan", "first", "null"}, [&] {
      sweep::transform_exclusive_scan(policy, none, none + 3, x.begin(), 0, std::plus<>{}, std::negate<>{});
    });
    expect(x == std::vector<int>(10, 1), "nothing is written");
  });
}

TEST_CASE("host errors: an empty range is fine, whatever the pointers") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    int* const none = nullptr;
    CHECK(sweep::inclusive_scan(policy, none, none, none) == nullptr);
    CHECK(sweep::exclusive_scan(policy, none, none, none, 5) == nullptr);
    int out = 3;
    CHECK(sweep::exclusive_scan(policy, none, none, &out, 5, std::plus<>{}, sweep::backward) == &out);
    CHECK(out == 3);
  });
}

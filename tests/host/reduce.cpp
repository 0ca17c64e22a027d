// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of reductions on seq and host.
#include <support/float_products.hpp>
#include <support/host_places.hpp>
#include <support/reduce_laws.hpp>

#include <cstring>
#include <functional>
#include <numeric>

using namespace sweep_test;

namespace {
constexpr std::size_t most = 100'000;
}

TEST_CASE("host reductions: types, operators and sizes") {
  on_every_host_place([](auto const& places) {
    reduce_laws_of_operators<std::uint32_t>("u32", most, places);
    reduce_laws_of<std::uint8_t>("u8", most, add{}, places);
    reduce_laws_of<uint128>("u128", most, add{}, places);
    reduce_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, heisenberg_product{}, places);
    reduce_laws_of<brackets>("brackets", most, brackets_join{}, places);
    reduce_laws_of<heisenberg<std::uint64_t>>("24 bytes", most, heisenberg_product{}, places);
    reduce_laws_of<motion>("48 bytes", most, motion_then{}, places);
  });
}

TEST_CASE("host reductions: every argument form") {
  on_every_host_place([](auto const& places) {
    for (std::size_t k = 0; k < 4; ++k)
      for (auto const n : few_sizes()) reduce_form_laws(places.for_turn(k), n);
  });
}

TEST_CASE("host reductions: strings") {
  std::vector<std::string> const x{"what", " is", " in", " order", " stays", " in", " order"};
  on_every_host_place([&](auto const& places) {
    CHECK(sweep::reduce(places.for_turn(2).policy, x.begin(), x.end(), std::string("> ")) ==
          "> what is in order stays in order");
  });
}

TEST_CASE("host reductions: the same bits on 1 to 16 threads, near the sum in double") {
  std::vector<float> x(1'000'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = random_float(seed() + i) + 0.5f;
  double const want = std::accumulate(x.begin(), x.end(), 0.0);
  auto const first = sweep::reduce(sweep::host.threads(1), x.begin(), x.end());
  expect_near(std::vector{first}, {want}, {want * 1000}, "f32 sum");
  for (int threads = 2; threads <= 16; ++threads) {
    auto const again = sweep::reduce(sweep::host.threads(threads), x.begin(), x.end());
    expect(std::memcmp(&first, &again, sizeof first) == 0, std::to_string(threads) + " threads");
  }
}

TEST_CASE("host reductions: bad input") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    std::vector<int> const x(10, 1);
    int* const none = nullptr;
    int out = -7;
    expect_throw<sweep::bad_argument>({"sweep::reduce", "last", "2 items before first"},
                                      [&] { (void)sweep::reduce(policy, x.begin() + 5, x.begin() + 3); });
    expect_throw<sweep::bad_argument>({"sweep::reduce_into", "out", "null"},
                                      [&] { sweep::reduce_into(policy, x.begin(), x.end(), none); });
    expect_throw<sweep::bad_argument>({"sweep::transform_reduce_into", "first", "null"}, [&] {
      sweep::transform_reduce_into(policy, none, none + 3, &out, 0, std::plus<>{}, std::negate<>{});
    });
    CHECK(out == -7);
    CHECK(sweep::reduce(policy, none, none, 4) == 4);
  });
}

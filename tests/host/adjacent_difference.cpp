// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of differences of neighbours on seq and host.
#include <support/adjacent_difference_laws.hpp>
#include <support/host_places.hpp>

#include <deque>
#include <numeric>

using namespace sweep_test;

namespace {
constexpr std::size_t most = 100'000;
}

TEST_CASE("host adjacent differences: types, operators and sizes") {
  on_every_host_place([](auto const& places) {
    adjacent_difference_laws_of<std::uint8_t>("u8", most, subtract{}, places);
    adjacent_difference_laws_of<std::uint32_t>("u32", most, subtract{}, places);
    adjacent_difference_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, heisenberg_product{}, places);
    adjacent_difference_laws_of<heisenberg<std::uint64_t>>("24 bytes", most, heisenberg_product{}, places);
    adjacent_difference_laws_of<std::uint8_t, std::int64_t>("u8 to i64", most, std::minus<>{}, places);
    adjacent_difference_laws_of<float, double>("f32 to f64", most, std::minus<>{}, places);
  });
}

TEST_CASE("host adjacent differences: every argument form, and iterators") {
  on_every_host_place([](auto const& places) {
    for (std::size_t k = 0; k < 4; ++k)
      for (auto const n : few_sizes()) adjacent_difference_form_laws(places.for_turn(k), n);
  });
}

TEST_CASE("host adjacent differences: strings, in place") {
  std::vector<std::string> const x{"to", "be", "or", "not"};
  auto const join = [](std::string const& a, std::string const& b) { return a + " after " + b; };
  on_every_host_place([&](auto const& places) {
    auto y = x;
    sweep::adjacent_difference(places.for_turn(2).policy, y.begin(), y.end(), y.begin(), join);
    CHECK(y == std::vector<std::string>{"to", "be after to", "or after be", "not after or"});
    y = x;
    sweep::adjacent_difference(places.for_turn(2).policy, y.begin(), y.end(), y.begin(), join,
                               sweep::backward);
    CHECK(y == std::vector<std::string>{"to after be", "be after or", "or after not", "not"});
  });
}

TEST_CASE("host adjacent differences: in place, by iterators that do not say so") {
  random_source random("adjacent_difference, in place");
  auto const x = draw_many<int>(50'001, random);
  std::vector<int> want(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) want[i] = (x[i] & 0xff) - (i > 0 ? x[i - 1] & 0xff : 0);
  on_every_host_place([&](auto const& places) {
    std::vector<int> both(2 * x.size());
    for (std::size_t i = 0; i < x.size(); ++i) both[2 * i] = x[i] & 0xff;
    every_other<int> const in{both.data()};
    sweep::adjacent_difference(places.for_turn(2).policy, in, in + static_cast<std::ptrdiff_t>(x.size()), in);
    for (std::size_t i = 0; i < x.size(); ++i) both[i] = both[2 * i];
    both.resize(x.size());
    expect_equal(both, want, "every other");
    std::deque<int> far(x.begin(), x.end());
    for (int& one : far) one &= 0xff;
    sweep::adjacent_difference(places.for_turn(1).policy, far.cbegin(), far.cend(), far.begin());
    expect_equal(std::vector<int>(far.begin(), far.end()), want, "deque");
  });
}

TEST_CASE("host adjacent differences: what the standard's gives") {
  random_source random("adjacent_difference, std");
  auto const x = draw_many<double>(50'001, random);
  std::vector<double> want(x.size()), got(x.size());
  std::adjacent_difference(x.begin(), x.end(), want.begin());
  on_every_host_place([&](auto const& places) {
    sweep::adjacent_difference(places.for_turn(1).policy, x.begin(), x.end(), got.begin());
    expect_equal(got, want, "f64");
  });
}

TEST_CASE("host adjacent differences: bad input") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    std::vector<int> x(10, 1);
    int* const none = nullptr;
    expect_throw<sweep::bad_argument>({"sweep::adjacent_difference", "last", "2 items before first"}, [&] {
      sweep::adjacent_difference(policy, x.begin() + 5, x.begin() + 3, x.begin());
    });
    expect_throw<sweep::bad_argument>({"sweep::adjacent_difference", "out", "null"},
                                      [&] { sweep::adjacent_difference(policy, x.begin(), x.end(), none); });
    expect_throw<sweep::bad_argument>({"sweep::adjacent_difference", "first", "null"}, [&] {
      sweep::adjacent_difference(policy, none, none + 3, x.begin(), sweep::backward);
    });
    CHECK(x == std::vector<int>(10, 1));
    CHECK(sweep::adjacent_difference(policy, none, none, none) == none);
  });
}

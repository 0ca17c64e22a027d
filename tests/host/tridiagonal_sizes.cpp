// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges that are too short for the systems that they are to hold are refused, and told which.
#include <support/expect.hpp>

#include <sweep/tridiagonal.hpp>

#include <string>
#include <vector>

using namespace sweep_test;

TEST_CASE("host tridiagonal systems: ranges with too few items") {
  std::vector<double> a(12, 1), short_one(11, 1), x(12), y(24);
  auto const refused = [&](std::string const& words, auto const& system) {
    expect_throw<sweep::bad_argument>({"tridiagonal_solve", words},
                                      [&] { sweep::tridiagonal_solve(sweep::host, system); });
    expect_throw<sweep::bad_argument>({"tridiagonal_solve", words},
                                      [&] { sweep::tridiagonal_solve(sweep::seq, system); });
  };
  std::string const few = " has too few items: 11, but the systems have places up to 12";
  refused("lower" + few, sweep::tridiagonal(short_one, 4, 1, a, x, 12));
  refused("diagonal" + few, sweep::tridiagonal(1, short_one, 1, a, x, 12));
  refused("upper" + few, sweep::tridiagonal(0.1, 4, short_one, a, x, 12).cyclic());
  refused("right" + few, sweep::tridiagonal(1, 4, 1, short_one, x, 12));
  refused("solution" + few, sweep::tridiagonal(1, 4, 1, a, short_one, 12));
  refused("right has too few items: 12, but the systems have places up to 24",
          sweep::tridiagonal(1, 4, 1, a, y, 6).batch(2).right_hand_sides(2, 12));
  refused("solution has too few items: 12, but the systems have places up to 16",
          sweep::tridiagonal(1, 4, 1, y, x, 4).interleaved(4));
  sweep::tridiagonal_solve(sweep::host,
                           sweep::tridiagonal(a, 4, short_one, a, x, 12));  // nothing is above the last
  sweep::tridiagonal_solve(sweep::host, sweep::tridiagonal(1, 4, 1, a.begin(), x.begin(), 12));

  expect_throw<sweep::bad_argument>({"banded_solve", "solution" + few}, [&] {
    sweep::banded_solve(sweep::host, sweep::banded(a, short_one, 12, 1, 4, 1));
  });
  std::vector<double> const few_bands(9, 1);
  expect_throw<sweep::bad_argument>({"pentadiagonal_solve", "bands has too few items: 9"}, [&] {
    sweep::pentadiagonal_solve(sweep::host, sweep::pentadiagonal(0, 1, 8, 1, few_bands, a, x, 12));
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges that are too short for the systems that they are to hold are refused, and told which; what systems
// do not use need not be there. And numbers near the ends of their range.
#include <support/expect.hpp>
#include <support/tridiagonal_range_laws.hpp>

#include <sweep/tridiagonal.hpp>

#include <complex>
#include <cstdint>

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

namespace {

/// Bands of so many items, in the first of which a system needs but what is below its last rows.
void banded_sizes(std::int64_t n, std::int64_t systems, bool interleaved, std::int64_t enough) {
  auto const all = static_cast<std::size_t>(n * systems);
  std::vector<double> const right(all, 1), full(all, 1);
  std::vector<double> x(all);
  auto const solve = [&](std::int64_t items) {
    std::vector<double> const upper_2(static_cast<std::size_t>(items), 1);
    auto const one = sweep::pentadiagonal(full, full, 8, full, upper_2, right, x, n);
    sweep::pentadiagonal_solve(sweep::host, interleaved ? one.interleaved(systems) : one.batch(systems));
  };
  solve(enough);
  if (enough > 0)
    expect_throw<sweep::bad_argument>(
        {"pentadiagonal_solve", "bands has too few items: " + std::to_string(enough - 1) +
                                    ", but the systems have places up to " + std::to_string(enough)},
        [&] { solve(enough - 1); });
}

/// Items and nothing around them.
template <class T>
class exact_array {
 public:
  explicit exact_array(std::vector<T> const& items) : items_{items} {}
  T* begin() const { return items_.data(); }
  std::vector<T> const& read() const { return items_; }

 private:
  std::vector<T> mutable items_;
};

}  // namespace

TEST_CASE("host tridiagonal systems: upper ranges need the rows that have something above") {
  std::vector<double> const values(64, 1);
  std::vector<double> x(64);
  // `enough` items are accepted, one fewer is not.
  auto const needs = [&](std::int64_t enough, std::int64_t n, auto const& shaped) {
    auto const solve = [&](std::int64_t items) {
      std::vector<double> const upper(static_cast<std::size_t>(items), 1);
      sweep::tridiagonal_solve(sweep::host, shaped(sweep::tridiagonal(1, 4, upper, values, x, n)));
      sweep::tridiagonal_solve(sweep::seq, shaped(sweep::tridiagonal(1, 4, upper, values, x, n)));
    };
    solve(enough);
    if (enough > 0)
      expect_throw<sweep::bad_argument>(
          {"tridiagonal_solve", "upper has too few items: " + std::to_string(enough - 1) +
                                    ", but the systems have places up to " + std::to_string(enough)},
          [&] { solve(enough - 1); });
  };
  auto const as_it_is = [](auto const& one) { return one; };
  auto const ring = [](auto const& one) { return one.cyclic(); };
  needs(0, 0, as_it_is);
  needs(0, 1, as_it_is);
  needs(1, 2, as_it_is);
  needs(11, 12, as_it_is);
  needs(1, 1, ring);
  needs(12, 12, ring);
  needs(11, 3, [](auto const& one) { return one.batch(4); });
  needs(3, 1, [](auto const& one) { return one.batch(4); });
  needs(17, 3, [](auto const& one) { return one.batch(4, 5); });
  needs(18, 3, [](auto const& one) { return one.batch(4, 5).cyclic(); });
  needs(8, 3, [](auto const& one) { return one.interleaved(4); });
  needs(12, 3, [](auto const& one) { return one.interleaved(4).cyclic(); });
  needs(11, 3, [](auto const& one) { return one.interleaved(4, 7); });
  needs(0, 1, [](auto const& one) { return one.interleaved(4); });
  needs(8, 3, [](auto const& one) { return one.interleaved(4).right_hand_sides(3, 15); });
}

TEST_CASE("host tridiagonal systems: bands need the rows that have something above") {
  banded_sizes(12, 1, false, 10);
  banded_sizes(2, 1, false, 0);
  banded_sizes(3, 4, false, 10);
  banded_sizes(3, 4, true, 4);
  banded_sizes(5, 4, true, 12);
  banded_sizes(2, 4, false, 6);
  banded_sizes(2, 4, true, 0);
}

TEST_CASE("host tridiagonal systems: nothing around coefficients is read") {
  auto const laws = [](auto const& policy) {
    bare_laws<float, exact_array>(policy);
    bare_laws<std::complex<double>, exact_array>(policy);
  };
  laws(sweep::seq);
  laws(sweep::host.threads(3));
}

TEST_CASE("host tridiagonal systems: rows whose products leave the numbers' range") {
  auto const laws = [](auto const& at) {
    large_row_laws<float>(at);
    large_row_laws<std::complex<double>>(at);
  };
  laws(place{sweep::seq, "seq"});
  laws(place{sweep::host.threads(3), "host on 3 threads"});
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges that are too short for the systems that they are to hold are refused, and told which; what systems
// do not use need not be there. And numbers near the ends of their range.
#include <support/expect.hpp>
#include <support/tridiagonal_range_laws.hpp>

#include <sweep/tridiagonal.hpp>

#include <complex>
#include <cstdint>
#include <limits>
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
  // Each band needs the rows that have its unknowns, however short others may be.
  for (int band = 0; band < 5; ++band)
    for (bool const side_by_side : {false, true}) {
      int const without = band > 2 ? band - 2 : 0, enough = 12 - (side_by_side ? 3 : 1) * without;
      auto const solve = [&](int items) {
        std::vector<std::vector<double>> bands(5, std::vector<double>(12, 1));
        bands[2].assign(12, 8);
        bands[static_cast<std::size_t>(band)].resize(static_cast<std::size_t>(items));
        bands[static_cast<std::size_t>(band)].shrink_to_fit();
        auto const one = sweep::pentadiagonal(bands[0], bands[1], bands[2], bands[3], bands[4], a, x, 4);
        sweep::pentadiagonal_solve(sweep::host, side_by_side ? one.interleaved(3) : one.batch(3));
      };
      constexpr char const* names[] = {"lower_2", "lower_1", "diagonal", "upper_1", "upper_2"};
      solve(enough);
      expect_throw<sweep::bad_argument>(
          {"pentadiagonal_solve", std::string(names[band]) +
                                      " has too few items: " + std::to_string(enough - 1) +
                                      ", but the systems have places up to " + std::to_string(enough)},
          [&] { solve(enough - 1); });
    }
}

TEST_CASE("host tridiagonal systems: more items than any memory has") {
  std::vector<double> const a(8, 1), d(8, 4);
  std::vector<double> x(8);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), many = std::int64_t{1} << 33;
  auto const refused = [&](std::string const& words, auto const& system) {
    expect_throw<sweep::bad_argument>({"tridiagonal_solve", words},
                                      [&] { sweep::tridiagonal_solve(sweep::host, system); });
  };
  auto const of = [&](std::int64_t n) {
    return sweep::tridiagonal(a.data(), d.data(), a.data(), a.data(), x.data(), n);
  };
  std::string const further = "further than 2^55 items";
  refused(further, of(most));
  refused(further, of(4).batch(2, most));
  refused(further, of(4).batch(most, 5));
  refused(further, of(most / 2).batch(4));
  refused(further, of(4).interleaved(most));
  refused(further, of(most).interleaved(3));
  refused(further, of(4).right_hand_sides(3, most));
  refused(further, of(4).batch(many).right_hand_sides(many, many * 4));
  refused("share items", of(4).batch(3, std::numeric_limits<std::int64_t>::min()));
  expect_throw<sweep::bad_argument>({"banded_solve", further}, [&] {
    sweep::banded_solve(sweep::host, sweep::banded(a.data(), x.data(), most, 1, 4, 1).batch(2));
  });
}

TEST_CASE("host tridiagonal systems: of one row alone nothing is beside the diagonal") {
  double const d = 4, right = 2;
  double x = 0;
  auto const* const none = static_cast<double const*>(nullptr);
  sweep::tridiagonal_solve(sweep::host, sweep::tridiagonal(none, &d, none, &right, &x, 1));
  CHECK(x == 0.5);
  std::vector<double> const nothing;
  sweep::tridiagonal_solve(sweep::seq, sweep::tridiagonal(nothing, 8, nothing, &right, &x, 1));
  CHECK(x == 0.25);
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
        {"pentadiagonal_solve", "upper_2 has too few items: " + std::to_string(enough - 1) +
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

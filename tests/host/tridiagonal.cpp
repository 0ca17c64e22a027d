// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of tridiagonal systems on seq and host, beside LAPACK where its library is found.
#include <support/host_places.hpp>
#include <support/tridiagonal_isolation_laws.hpp>
#include <support/tridiagonal_laws.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

using namespace sweep_test;

namespace {
constexpr std::size_t most = host_items(300'000);

/// LAPACK's gtsv by its Fortran name, or null.
template <class T>
using gtsv = void (*)(int const*, int const*, T*, T*, T*, T*, int const*, int*);
void* lapack() {
  static void* const library = dlopen("liblapack.so.3", RTLD_NOW);
  return library;
}
template <class T>
gtsv<T> lapack_gtsv(char const* name) {
  return lapack() ? reinterpret_cast<gtsv<T>>(dlsym(lapack(), name)) : nullptr;
}
auto const nobody = [](auto const&...) {};
}  // namespace

TEST_CASE("host tridiagonal systems: batches, strides, right-hand sides, cyclic, in place") {
  on_every_host_place([](auto const& places) {
    batch_laws_of<float>("f32", most, places);
    batch_laws_of<double>("f64", most / 4, places);
    batch_laws_of<std::complex<float>>("complex f32", most / 10, places);
    batch_laws_of<std::complex<double>>("complex f64", most / 10, places);
  });
}

TEST_CASE("host tridiagonal systems: the literature's matrices") {
  on_every_host_place([](auto const& places) {
    matrix_laws_of<float>("f32", places, nobody);
    matrix_laws_of<double>("f64", places, nobody);
    matrix_laws_of<std::complex<float>>("complex f32", places, nobody);
  });
}

TEST_CASE("host tridiagonal systems: no less exact than LAPACK") {
  auto const theirs = lapack_gtsv<float>("sgtsv_");
  if (!theirs) {
    MESSAGE("skipped: there is no liblapack.so.3");
    return;
  }
  struct {
    long double mine = 0, theirs = 0;
  } worst[std::size(all_matrix_kinds)];
  for (int times = 0; times < (slowed_down() ? 1 : 8); ++times)
    matrix_laws_of<float>(
        "beside LAPACK, " + std::to_string(times), place{sweep::seq, "seq"},
        [&](matrix_kind kind, auto const& batch, auto const&, long double backward, long double) {
          if (batch.shape.cyclic) return;
          auto const& m = batch.matrices[0];
          int const n = static_cast<int>(m.size()), one = 1;
          auto dl = m.lower, d = m.diagonal, du = m.upper, x = batch.values[0];
          int info = 0;
          theirs(&n, &one, dl.data() + 1, d.data(), du.data(), x.data(), &n, &info);
          REQUIRE(info == 0);
          auto& here = worst[static_cast<int>(kind)];
          here.mine = std::max(here.mine, backward);
          here.theirs =
              std::max(here.theirs, backward_error(m, batch.values[0], x, false) / unit_of<float>());
        });
  std::printf("backward errors in units of rounding, the largest: Sweep, LAPACK\n");
  for (auto const kind : all_matrix_kinds) {
    auto const& here = worst[static_cast<int>(kind)];
    std::printf("  %-18s %6.2f %6.2f\n", name_of(kind), static_cast<double>(here.mine),
                static_cast<double>(here.theirs));
    expect(here.mine <= 4 * here.theirs + 2, name_of(kind));
  }
}

namespace {
/// The largest coefficient that gtsv's elimination meets over the largest that it is given.
double growth_of(tridiagonal_matrix<float> const& m, bool interchanges) {
  auto const n = m.size();
  float given = 0;
  for (std::size_t i = 0; i < n; ++i)
    given = std::max({given, i > 0 ? std::abs(m.lower[i]) : 0, std::abs(m.diagonal[i]),
                      i + 1 < n ? std::abs(m.upper[i]) : 0});
  float here = m.diagonal[0], next = m.upper[0], largest = given;
  for (std::size_t i = 1; i < n; ++i) {
    float out = m.lower[i], beside = m.diagonal[i], beyond = i + 1 < n ? m.upper[i] : 0, pivot_beyond = 0;
    if (interchanges && std::abs(out) > std::abs(here)) {
      std::swap(out, here);
      std::swap(beside, next);
      std::swap(beyond, pivot_beyond);
    }
    float const factor = out / here;
    here = beside - factor * next;
    next = beyond - factor * pivot_beyond;
    if (!(std::abs(here) <= largest)) largest = std::abs(here);
    if (!(std::abs(next) <= largest)) largest = std::abs(next);
  }
  return static_cast<double>(largest / given);
}
}  // namespace

// The page docs/tridiagonal.md has what this prints with SWEEP_GROWTH=20.
TEST_CASE("host tridiagonal systems: growth, and errors over the sizes, beside LAPACK") {
  auto const theirs = lapack_gtsv<float>("sgtsv_");
  if (!theirs) {
    MESSAGE("skipped: there is no liblapack.so.3");
    return;
  }
  char const* const asked = std::getenv("SWEEP_GROWTH");
  int const most_bits = asked ? std::atoi(asked) : sanitizing() ? 8 : 12;
  random_source random("growth");
  std::printf("growth; largest backward errors, in units of rounding, up to 2^%d rows\n", most_bits);
  std::printf("  %-18s %9s %9s %9s %9s %9s\n", "", "growth", "no pivots", "Sweep", "no pivots", "LAPACK");
  for (auto const kind : all_matrix_kinds) {
    if (kind == matrix_kind::one_sided) continue;  // unknowns grow beyond any float
    double growth[2] = {};
    long double errors[3] = {};
    for (int bits = 4; bits <= most_bits; bits += 4)
      for (int times = bits < 12 ? 16 : 2; times > 0; --times) {
        auto const m = draw_matrix<float>(kind, std::size_t{1} << bits, random);
        auto const b = draw_right<float>(m.size(), random);
        auto x = b;
        auto const note = [&](long double& worst) {
          auto const error = backward_error(m, b, x, false) / unit_of<float>();
          if (!std::isnan(worst) && !(error <= worst)) worst = error;
        };
        auto dl = m.lower, d = m.diagonal, du = m.upper;
        x = b;
        int const n = static_cast<int>(m.size()), one = 1;
        int info = 0;
        theirs(&n, &one, dl.data() + 1, d.data(), du.data(), x.data(), &n, &info);
        if (info != 0) continue;  // singular, as rounding has it
        note(errors[2]);
        auto const solve = [&](auto const& policy) {
          sweep::tridiagonal_solve(policy, sweep::tridiagonal(m.lower, m.diagonal, m.upper, b, x));
        };
        solve(sweep::host);
        note(errors[0]);
        solve(sweep::host.with(sweep::variant::no_pivoting));
        note(errors[1]);
        for (int without = 0; without < 2; ++without) {
          auto const here = growth_of(m, without == 0);
          if (!std::isnan(growth[without]) && !(here <= growth[without])) growth[without] = here;
        }
      }
    std::printf("  %-18s %9.3g %9.2g %9.2f %9.2g %9.2f\n", name_of(kind), growth[0], growth[1],
                static_cast<double>(errors[0]), static_cast<double>(errors[1]),
                static_cast<double>(errors[2]));
    expect(errors[0] <= 4 * errors[2] + 2, std::string(name_of(kind)) + ": errors");
    expect(growth[0] <= 2.01,
           std::string(name_of(kind)) + ": with interchanges no number grows to more than twice");
  }
}

TEST_CASE("host tridiagonal systems: singular matrices") {
  singular_laws<float>("f32", place{sweep::seq, "seq"}, sweep::host.threads(1).checked());
  singular_laws<double>("f64", place{sweep::host.threads(3), "host on 3 threads"},
                        sweep::host.threads(2).checked());
}

TEST_CASE("host tridiagonal systems: each as if it were alone") {
  isolation_laws<float>("f32", place{sweep::seq, "seq"});
  isolation_laws<double>("f64", place{sweep::host.threads(3), "host on 3 threads"});
}

TEST_CASE("host tridiagonal systems: without pivoting") {
  dominant_laws<float>("f32", most,
                       place{sweep::host.threads(3).with(sweep::variant::no_pivoting), "no pivoting"});
}

TEST_CASE("host tridiagonal systems: numbers for coefficients, ranges, no policy") {
  on_every_host_place([](auto const& places) {
    for (std::size_t const n : {1u, 10u, 80'000u}) constant_law(places.for_turn(n), n);
  });
  std::vector<double> const diagonal{2, 2, 2}, right{1, 0, 1};
  std::vector<double> x(3);
  sweep::tridiagonal_solve(sweep::tridiagonal(-1, diagonal, -1, right, x));
  for (double const one : x) CHECK(one == doctest::Approx(1));
  int first = 7;
  sweep::tridiagonal_solve_into(sweep::tridiagonal(-1, diagonal, -1, right, x), &first);
  CHECK(first == -1);
}

TEST_CASE("host tridiagonal systems: bad input") {
  tridiagonal_error_laws(place{sweep::seq, "seq"});
  tridiagonal_error_laws(place{sweep::host, "host"});
}

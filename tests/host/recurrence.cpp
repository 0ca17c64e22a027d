// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of linear recurrences on seq and host.
#include <support/host_places.hpp>
#include <support/recurrence_laws.hpp>

#include <complex>

using namespace sweep_test;

TEST_CASE("host recurrences: factors of every sort, any array, both directions") {
  int const arrays = sanitizing() ? 12 : 100;
  on_every_host_place([&](auto const& places) {
    recurrence_laws<factors::an_array, false>("recurrence, factors", arrays, 300'000, places);
    recurrence_laws<factors::an_array, true>("recurrence, factors, init", arrays, 300'000, places);
    recurrence_laws<factors::one_value, true>("recurrence, one factor", arrays, 300'000, places);
  });
}

TEST_CASE("host recurrences: what is refused") {
  on_every_host_place([](auto const& places) { recurrence_refusal_laws(places.for_turn(1)); });
}

TEST_CASE("host recurrences: complex numbers, in place, no policy") {
  using complex = std::complex<double>;
  std::vector<complex> x(8, 1.0);
  sweep::linear_recurrence(complex(0, 1), sweep::strided(x.data(), {2, 4}), sweep::strided(x.data(), {2, 4}),
                           sweep::along(1));
  std::vector<complex> const line{{1, 0}, {1, 1}, {0, 1}, {0, 0}};
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(x[i] == line[i % 4]);
}

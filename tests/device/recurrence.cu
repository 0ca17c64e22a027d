// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device linear recurrences.
#include <support/device_places.hpp>
#include <support/recurrence_laws.hpp>

using namespace sweep_test;

TEST_CASE("device recurrences: factors of every sort, any array, both directions") {
  int const arrays = sanitizing() ? 12 : 120;
  std::int64_t const most = sanitizing() ? 20'000 : 2'000'000;
  using enum given_before;
  recurrence_laws<factors::an_array, each>("recurrence, factors, init", arrays, most, on_device);
  recurrence_laws<factors::one_value, one>("recurrence, one factor", arrays, most, on_device);
  recurrence_laws<factors::a_line, nothing>("recurrence, factors a line", arrays / 2, most, on_device);
}

TEST_CASE("device recurrences: gradients, any array, both directions") {
  int const arrays = sanitizing() ? 12 : 120;
  std::int64_t const most = sanitizing() ? 20'000 : 1'000'000;
  gradient_laws<factors::an_array, given_before::each>("gradients, factors, init", arrays, most, on_device);
}

TEST_CASE("device recurrences: factors narrower than terms") {
  byte_factors_law(on_device, sanitizing() ? 5'000 : 1'000'000);
}

TEST_CASE("device recurrences: what is refused") { recurrence_refusal_laws(on_device); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sorts of segments on seq and host.
#include <support/host_places.hpp>
#include <support/segmented_sort_laws.hpp>

using namespace sweep_test;

namespace {

std::vector<std::size_t> sizes() {
  if (sanitizing()) return {0, 1, 33, 1025, 5000};
  if (under_address_sanitizer) return {0, 1, 33, 1025, 8193, 12'000};
  return {0, 1, 2, 33, 1025, 8192, 8193, 50'000, 100'003};
}

}  // namespace

TEST_CASE("host segmented sort: layouts and notations") {
  on_every_host_place([](auto const& places) {
    segmented_sort_laws_of<std::uint8_t, false>("u8", sizes(), places);
    segmented_sort_laws_of<std::uint32_t, true>("u32", sizes(), places);
    segmented_sort_laws_of<motion, true>("48 bytes", sizes(), places);
  });
}

TEST_CASE("host segmented sort: forms and iterators") {
  on_every_host_place([](auto const& places) {
    for (std::size_t k = 0; k < 4; ++k)
      for (auto const n : few_sizes()) segmented_sort_form_laws(places.for_turn(k), n);
  });
}

TEST_CASE("host segmented sort: strings, ranges, calls without a policy") {
  std::vector<std::string> const words{"pear", "fig", "apple", "date", "cherry", "banana"};
  std::vector<int> const lengths{2, 0, 4};
  auto const segments = sweep::segments::by_lengths(lengths);
  std::vector<std::string> const want{"fig", "pear", "apple", "banana", "cherry", "date"};
  on_every_host_place([&](auto const& places) {
    auto x = words;
    sweep::segmented_sort(places.for_turn(1).policy, x, segments);
    CHECK(x == want);
  });
  auto x = words;
  std::vector<int> values{0, 1, 2, 3, 4, 5};
  sweep::segmented_sort_by_key(x, values, segments, std::less<>{});
  CHECK(x == want);
  CHECK(values == std::vector<int>{1, 0, 2, 5, 4, 3});
  std::vector<std::string> out(6);
  CHECK(sweep::segmented_sort_copy(words, segments, out.begin()) == out.end());
  CHECK(out == want);
}

TEST_CASE("host segmented sort: plain items that have no default constructor") {
  random_source random("no default constructor");
  on_every_host_place([&](auto const& places) {
    auto const x = draw_of_numbers(3'000, random);
    auto y = x, want = x;
    sweep::segmented_sort(places.for_turn(1).policy, y, sweep::segments::by_rows(30, 100), by_low_byte);
    for (auto row = want.begin(); row != want.end(); row += 100)
      std::stable_sort(row, row + 100, by_low_byte);
    CHECK(y == want);
  });
}

TEST_CASE("host segmented sort: bad input, and nothing") {
  on_every_host_place([](auto const& places) {
    auto const at = places.for_turn(1);
    segmented_sort_error_laws(at, sweep::host.checked());
  });
}

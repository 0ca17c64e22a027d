// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sorts on the device whose keys are so narrow that they are counted, not moved.
#include <support/changed.hpp>
#include <support/device_places.hpp>
#include <support/sort_laws.hpp>

#include <sweep/detail/sort/radix/counted_keys.cuh>

#include <cstdint>
#include <functional>

using namespace sweep_test;

namespace {

constexpr std::size_t most = 100'000;

/// Few items are counted as many are, and moved by few blocks.
struct counting_limits {
  changed<std::int64_t> items{sweep::detail::least_items_to_count, 1},
      chunks{sweep::detail::most_split_chunks, 3};
};

}  // namespace

TEST_CASE("device sorts: keys of 8 and 16 bits alone, counted") {
  counting_limits const limits;
  sort_laws_of<std::int8_t, sorts::keys>("i8", most, on_device, std::greater<>{}, number_greater{});
  sort_laws_of<std::uint16_t, sorts::keys>("u16", most, on_device, std::less<>{}, number_less{});
}

TEST_CASE("device sorts: keys of 8 bits with values, counted") {
  counting_limits const limits;
  sort_laws_of<std::uint8_t, sorts::pairs, std::uint8_t>("u8, u8", most, on_device, std::less<>{},
                                                         number_less{});
  sort_laws_of<std::int8_t, sorts::pairs, motion>("i8, 48 bytes", 30'000, on_device, std::greater<>{},
                                                  number_greater{});
  sort_laws_of<std::int8_t, sorts::indices, int>("i8, indices", most, on_device, std::less<>{},
                                                 number_less{});
}

TEST_CASE("device sorts: some bits of narrow keys, by which keys that differ are equal, are no count") {
  counting_limits const limits;
  random_source random("some bits");
  auto const x = draw_many<std::uint8_t>(sanitizing() ? 5'000 : 50'000, random);
  device_array<std::uint8_t> const keys(x);
  sweep::sort(sweep::device, keys.begin(), keys.end(), sweep::radix_key().bits(2, 5));
  auto const less = [](std::uint8_t a, std::uint8_t b) { return (a >> 2 & 7) < (b >> 2 & 7); };
  expect_equal(keys.read(), taken(x, stable_order(x, less)), "keys");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of segments, distribution and splits on seq and host.
#include <support/host_places.hpp>
#include <support/segments_laws.hpp>

#include <sweep/segmented_reduce.hpp>

using namespace sweep_test;

TEST_CASE("host: every notation of segments from every other") {
  on_every_host_place([](auto const& places) { conversion_laws(places, {0, 1, 31, 32, 33, 1000, 40'000}); });
}
TEST_CASE("host: distribute") {
  on_every_host_place([](auto const& places) { distribute_laws(places, {0, 1, 33, 1000, 40'000}); });
}
TEST_CASE("host: split and split_and_segment") {
  on_every_host_place([](auto const& places) { split_laws(places, {0, 1, 33, 1000, 40'000}); });
}
TEST_CASE("host: segments of no items may be null pointers") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    auto const laws = [&](auto const& segments) {
      int offset = 9, count = 9, *const none = nullptr;
      expect(sweep::segments::to_offsets(policy, segments, 0, &offset) == &offset + 1, "to_offsets");
      expect(offset == 0, "no segment");
      expect(sweep::segmented_inclusive_scan(policy, none, none, segments, none) == none, "scan");
      sweep::segmented_reduce_into(policy, none, none, segments, none, &count, 0, add{});
      expect(count == 0, "segmented_reduce_into");
    };
    laws(sweep::segments::by_key(static_cast<int const*>(nullptr)));
    laws(sweep::segments::by_head_flags(static_cast<bool const*>(nullptr)));
    laws(sweep::segments::by_head_bits(static_cast<std::uint32_t const*>(nullptr)));
  });
}
TEST_CASE("host: offsets and lengths may be arrays") {
  int const x[] = {1, 2, 3, 4, 5}, offsets[] = {0, 2, 2, 5}, lengths[] = {2, 0, 3};
  int sums[3] = {9, 9, 9};
  auto const found = [&](int a, int b, int c) { return sums[0] == a && sums[1] == b && sums[2] == c; };
  sweep::segmented_reduce(sweep::host, x, x + 5, sweep::segments::by_offsets(offsets), sums);
  expect(found(3, 0, 12), "offsets");
  sweep::segmented_reduce(sweep::host, x, x + 5, sweep::segments::by_lengths(lengths), sums, 1);
  expect(found(4, 1, 13), "lengths");
}

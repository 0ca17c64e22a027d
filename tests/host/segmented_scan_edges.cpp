// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys that results are written over, and offsets and lengths that fit nothing, on seq and host.
#include <support/host_places.hpp>
#include <support/overwritten_key_laws.hpp>

#include <sweep/convert_segments.hpp>
#include <sweep/error.hpp>
#include <sweep/segmented_reduce.hpp>

#include <limits>

using namespace sweep_test;

TEST_CASE("host segments: results over the keys") {
  on_every_host_place([](auto const& places) {
    for (std::size_t const n : {1, 2, 33, 1000, 70'000}) overwritten_key_laws(places.for_turn(n), n);
  });
}

TEST_CASE("host segments: lengths whose sum overflows are told") {
  constexpr auto quarter = std::int64_t{1} << 62;
  std::vector<int> x(10, 1);
  auto const checked = [&](std::vector<std::int64_t> const& lengths) {
    sweep::segmented_inclusive_scan(sweep::host.threads(2).checked(), x.begin(), x.end(),
                                    sweep::segments::by_lengths(lengths.begin(), lengths.end()), x.begin());
  };
  expect_throw<sweep::bad_argument>({"lengths", "add up to at least", "10 items"}, [&] {
    checked({quarter, quarter, quarter, quarter, 10});
  });
  expect_throw<sweep::bad_argument>({"lengths", "add up to 11,", "10 items"}, [&] { checked({5, 6}); });
  checked({4, 6});
  CHECK(x == std::vector<int>{1, 2, 3, 4, 1, 2, 3, 4, 5, 6});
}

// What the results are nobody says; that nothing is undefined, the sanitizers do.
TEST_CASE("host segments: unchecked offsets and lengths that fit nothing") {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  on_every_host_place([&](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    std::vector<int> const x(100, 1);
    std::vector<int> out(100);
    std::vector<std::int64_t> const lengths{most, most, most, -5, 7},
        offsets{-9, most, 3, most - 1, 2, -most};
    std::vector<std::int64_t> converted(6);
    auto const by_lengths = sweep::segments::by_lengths(lengths.begin(), lengths.end());
    auto const by_offsets = sweep::segments::by_offsets(offsets.begin(), offsets.end());
    sweep::segmented_inclusive_scan(policy, x.begin(), x.end(), by_lengths, out.begin());
    sweep::segmented_inclusive_scan(policy, x.begin(), x.end(), by_offsets, out.begin());
    sweep::segmented_reduce(policy, x.begin(), x.end(), by_lengths, out.begin());
    sweep::segmented_reduce(policy, x.begin(), x.end(), by_offsets, out.begin());
    sweep::segments::to_offsets(policy, by_lengths, 100, converted.begin());
    CHECK(converted[1] == most);
    sweep::segments::to_lengths(policy, by_offsets, 100, converted.begin());
    sweep::segments::to_head_flags(policy, by_lengths, 100, out.begin());
  });
}

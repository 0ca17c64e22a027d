// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of segmented scans on seq and host: notations, layouts, types, operators, directions.
#include <support/host_places.hpp>
#include <support/notation_width_laws.hpp>
#include <support/segmented_laws.hpp>

#include <functional>
#include <string>

using namespace sweep_test;

namespace {

std::vector<std::size_t> host_sizes(std::size_t bytes) {
  auto const tile = static_cast<std::size_t>(sweep::detail::host_tile_items(bytes));
  std::vector<std::size_t> all{0, 1, 2, 31, 32, 33, 1000, tile - 1, tile, tile + 1, 3 * tile + 5};
  if (!sanitizing()) all.push_back(20 * tile + 7);
  return all;
}

/// The same place with half the forms to compile.
template <class Policy>
place<Policy, host_memory, false> half_of(place<Policy> const& all) {
  return {all.policy, all.name};
}
struct half_host_teams {
  place<sweep::host_policy<>, host_memory, false> for_turn(std::size_t k) const {
    return half_of(host_teams{}.for_turn(k));
  }
};

}  // namespace

TEST_CASE("host segmented scans: sums") {
  on_every_host_place(
      [](auto const& at) { segmented_laws_of<std::uint32_t>("u32 sums", host_sizes(8), add{}, at); });
  segmented_laws_of<std::uint8_t>("u8 sums", host_sizes(8), add{}, half_host_teams{});
  segmented_laws_of<std::uint64_t>("u64 sums", host_sizes(16), add{}, half_host_teams{});
}

TEST_CASE("host segmented scans: operators that do not commute") {
  segmented_laws_of<heisenberg<std::uint32_t>>("heisenberg", host_sizes(16), heisenberg_product{},
                                               half_host_teams{});
  segmented_laws_of<matrix2>("matrices", host_sizes(20), matrix2_product{}, half_host_teams{});
  segmented_laws_of<motion>("motions", host_sizes(56), motion_then{}, half_host_teams{});
}

TEST_CASE("host segmented scans: every variant across tiles") {
  on_every_host_variant(
      [](auto const& at) { segmented_laws_of<std::uint32_t>(at.name, host_sizes(8), add{}, half_of(at)); });
}

TEST_CASE("host segmented scans: flags, keys and offsets of every width") {
  random_source random("notation widths");
  for (std::size_t const n : {1, 33, 5'003})
    on_every_host_place([&](auto const& at) { notation_width_laws(at.for_turn(n), n, random); });
}

TEST_CASE("segmented scans: the definition's example") {
  std::vector<int> const x{1, 7, -4, 2, 2, -1, 5}, flags{1, 0, 1, 1, 0, 0, 0};
  std::vector<int> out(7);
  auto const segments = sweep::segments::by_head_flags(flags.begin());
  sweep::segmented_exclusive_scan(sweep::host, x.begin(), x.end(), segments, out.begin());
  expect_equal(out, {0, 1, 0, 0, 2, 4, 3}, "forward");
  sweep::segmented_exclusive_scan(sweep::host, x.begin(), x.end(), segments, out.begin(), sweep::backward);
  expect_equal(out, {7, 0, 0, 6, 4, 5, 0}, "backward");
}

TEST_CASE("segmented scans: Thrust's names, transforms, and values that live on the heap") {
  std::vector<int> const keys{3, 3, 5, 6, 6, 6, 6}, x{1, 7, -4, 2, 2, -1, 5};
  std::vector<int> out(7);
  sweep::inclusive_scan_by_key(sweep::host, keys.begin(), keys.end(), x.begin(), out.begin());
  expect_equal(out, {1, 8, -4, 2, 4, 3, 8}, "inclusive_scan_by_key");
  sweep::exclusive_scan_by_key(sweep::seq, keys.begin(), keys.end(), x.begin(), out.begin(), 10);
  expect_equal(out, {10, 11, 10, 10, 12, 14, 13}, "exclusive_scan_by_key");
  auto const same_half = [](int a, int b) { return a / 5 == b / 5; };
  sweep::inclusive_scan_by_key(sweep::host, keys.begin(), keys.end(), x.begin(), out.begin(), same_half,
                               [](int a, int b) { return a < b ? b : a; });
  expect_equal(out, {1, 7, -4, 2, 2, 2, 5}, "inclusive_scan_by_key with an equality and an operator");
  sweep::segmented_scan_by_key(sweep::host, keys.begin(), keys.end(), x.begin(), out.begin(), std::plus<>{},
                               sweep::backward);
  expect_equal(out, {8, 7, -4, 8, 6, 4, 5}, "segmented_scan_by_key backward");
  auto const twice = [](int v) { return 2 * v; };
  auto const segments = sweep::segments::by_key(keys.begin());
  sweep::segmented_transform_inclusive_scan(sweep::host, x.begin(), x.end(), segments, out.begin(),
                                            std::plus<>{}, twice);
  expect_equal(out, {2, 16, -8, 4, 8, 6, 16}, "transform inclusive");
  sweep::segmented_transform_exclusive_scan(sweep::host, x.begin(), x.end(), segments, out.begin(), 1,
                                            std::plus<>{}, twice, sweep::backward);
  expect_equal(out, {15, 1, 1, 13, 9, 11, 1}, "transform exclusive backward");

  std::vector<std::string> const words{"a", "b", "c", "d", "e", "f", "g"};
  std::vector<std::string> joined(7);
  sweep::segmented_inclusive_scan(sweep::host, words.begin(), words.end(), segments, joined.begin());
  expect_equal(joined, {"a", "ab", "c", "d", "de", "def", "defg"}, "strings");
}

TEST_CASE("host segmented scans: what is described badly never leads out of the ranges") {
  std::vector<std::uint32_t> const x(1000, 1);
  for (auto const& wrong : {std::vector<std::int64_t>{5, 3, -7, 2000, 999, 1000}, {-1, 1 << 20}, {7}}) {
    guarded<std::uint32_t, host_memory> const out(x.size());
    sweep::segmented_inclusive_scan(sweep::host, x.begin(), x.end(), sweep::segments::by_offsets(wrong),
                                    out.begin());
    sweep::segmented_inclusive_scan(sweep::host, x.begin(), x.end(), sweep::segments::by_lengths(wrong),
                                    out.begin());
    expect(out.guards_intact(), "writes its output only");
  }
}

TEST_CASE("segmented scans: bad descriptions are named") {
  std::vector<int> const x(4, 1);
  std::vector<int> out(4);
  std::vector<int> const none;
  expect_throw<sweep::bad_argument>({"segmented_inclusive_scan", "offsets", "fewer than one"}, [&] {
    sweep::segmented_inclusive_scan(sweep::host, x.begin(), x.end(), sweep::segments::by_offsets(none),
                                    out.begin());
  });
  expect_throw<sweep::bad_argument>({"segmented_inclusive_scan", "head flags", "null"}, [&] {
    sweep::segmented_inclusive_scan(sweep::host, x.begin(), x.end(),
                                    sweep::segments::by_head_flags(static_cast<int const*>(nullptr)),
                                    out.begin());
  });
}

TEST_CASE("segmented scans: what .checked() finds, with index and value") {
  std::vector<int> const x(10, 1);
  std::vector<int> out(10, -1);
  auto const scan = [&](auto const& segments) {
    sweep::segmented_inclusive_scan(sweep::host.checked(), x.begin(), x.end(), segments, out.begin());
  };
  auto const by_offsets = [&](std::vector<int> const& offsets) {
    scan(sweep::segments::by_offsets(offsets));
  };
  auto const by_lengths = [&](std::vector<int> const& lengths) {
    scan(sweep::segments::by_lengths(lengths));
  };
  using sweep::bad_argument;
  expect_throw<bad_argument>({"offsets", "start at 2"}, [&] { by_offsets({2, 5, 10}); });
  expect_throw<bad_argument>({"offsets", "index 2", "4 after 7"}, [&] { by_offsets({0, 7, 4, 10}); });
  expect_throw<bad_argument>({"offsets", "end at 12 (index 2)", "10 items"}, [&] { by_offsets({0, 7, 12}); });
  expect_throw<bad_argument>({"offsets", "end at 9"}, [&] { by_offsets({0, 7, 9}); });
  expect_throw<bad_argument>({"lengths", "negative at index 1: -3"}, [&] { by_lengths({5, -3, 8}); });
  expect_throw<bad_argument>({"lengths", "add up to 11", "10 items"}, [&] { by_lengths({5, 6}); });
  std::vector<std::uint32_t> const none;
  expect_throw<bad_argument>({"head bits", "0 words", "10 items need 1"}, [&] {
    sweep::segmented_inclusive_scan(sweep::host, x.begin(), x.end(),
                                    sweep::segments::by_head_bits(none.begin(), none.end()), out.begin());
  });
  expect_equal(out, std::vector<int>(10, -1), "nothing is written");
  by_offsets({0, 7, 7, 10});
  by_lengths({5, 0, 5});
  expect_equal(out, {1, 2, 3, 4, 5, 1, 2, 3, 4, 5}, "good ones pass");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sorts of segments on the device: keys of one and two bytes, which are counted or go by their
// digits.
#include <support/changed.hpp>
#include <support/device_places.hpp>
#include <support/segmented_sort_windows.hpp>

using namespace sweep_test;

TEST_CASE("device segmented sort: narrow windows whose heads other kernels find") {
  many_windows_laws<std::uint8_t, false>("u8, many windows", on_device);
}

TEST_CASE("device segmented sort: narrow segments longer than a window, and than a block has room for") {
  long_segments_laws<std::uint16_t, true>("u16 and values, long", on_device);
}

TEST_CASE("device segmented sort: known segments, of which some are longer than a block has room for") {
  changed<std::int64_t> const many(sweep::detail::few_known_segments, 1'000);
  random_source random("segmented sort of known segments");
  std::vector<int> lengths(60);
  for (auto& length : lengths) length = static_cast<int>(random.between(0, 2'000));
  if (!racechecking()) lengths[7] = 40'000;
  lengths[0] = 17'000;
  lengths[59] = 4'100;
  std::vector<int> offsets{0};
  for (int const length : lengths) offsets.push_back(offsets.back() + length);
  auto const n = static_cast<std::size_t>(offsets.back());
  auto const x = draw_many<std::uint16_t>(n, random);
  std::vector<int> indices(n);
  for (std::size_t i = 0; i < n; ++i) indices[i] = static_cast<int>(i);
  auto order = indices;
  for (std::size_t s = 0; s < lengths.size(); ++s)
    std::stable_sort(order.begin() + offsets[s], order.begin() + offsets[s + 1], [&](int a, int b) {
      return x[static_cast<std::size_t>(a)] < x[static_cast<std::size_t>(b)];
    });
  device_array<int> const begins(offsets), each(lengths);
  auto const sorts = [&](char const* what, auto const& segments) {
    device_array<std::uint16_t> const keys(x);
    device_array<int> const values(indices);
    sweep::segmented_sort_by_key(sweep::device, keys.begin(), keys.end(), values.begin(), segments);
    expect_equal(values.read(), order, what);
  };
  sorts("offsets", sweep::segments::by_offsets(begins.begin(), begins.end()));
  sorts("lengths", sweep::segments::by_lengths(each.begin(), each.end()));
}

TEST_CASE("device segmented sort: windows that offsets lead to, and a few long segments") {
  windows_are_many const many;
  random_source random("segmented sort of windows by offsets");
  // Segments of 16-bit keys: merged in one kernel, where they are short in the mean, or by one for each pass;
  // or by digits.
  for (int which = 0; which < 3; ++which) {
    changed<std::int64_t> const by_digits(sweep::detail::least_items_of_segment_passes,
                                          which == 2 ? 0 : std::int64_t{1} << 40);
    std::vector<int> offsets{0};
    auto const add = [&](std::uint64_t length) {
      offsets.push_back(offsets.back() + static_cast<int>(length));
    };
    for (int s = 0; s < (which == 0 ? 200 : 9); ++s) add(random.between(0, 60));
    for (int s = 0; s < 3'000; ++s) add(0);  // where most are empty
    add(23'000);
    for (int s = 0; s < 5; ++s) add(random.between(1, 9'000));
    add(racechecking() ? 100 : 15'000);
    auto const n = static_cast<std::size_t>(offsets.back());
    auto const x = draw_many<std::uint16_t>(n, random);
    auto want = x;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      std::sort(want.begin() + offsets[s], want.begin() + offsets[s + 1]);
    device_array<int> const begins(offsets);
    device_array<std::uint16_t> const keys(x), out(n);
    sweep::segmented_sort_copy(sweep::device, keys.begin(), keys.end(),
                               sweep::segments::by_offsets(begins.begin(), begins.end()), out.begin());
    expect_equal(out.read(), want, "by offsets, " + std::to_string(which));
  }
}

TEST_CASE("device segmented sort: segments that a block counts the keys of") {
  random_source random("segmented sort of counted keys");
  std::vector<int> offsets{0};
  auto const add = [&](int length) { offsets.push_back(offsets.back() + length); };
  for (int const length : {4'097, 1, 0, 9'001, 8'192}) add(length);
  if (!racechecking())
    for (int const length : {65'535, 30'003, 65'536, 50'000}) add(length);
  auto const n = static_cast<std::size_t>(offsets.back());
  device_array<int> const begins(offsets);
  auto const segments = sweep::segments::by_offsets(begins.begin(), begins.end());
  // Spread; few different ones; nearly all the same, the least and the greatest among them.
  for (int which = 0; which < 3; ++which)
    for (std::size_t const shift : {std::size_t{0}, std::size_t{3}}) {
      auto x = draw_many<std::int16_t>(n, random);
      for (auto& one : x)
        if (which == 1) one = static_cast<std::int16_t>(one % 5 * 9'000);
        else if (which == 2 && one % 64 != 0) one = static_cast<std::int16_t>(shift == 0 ? -32'768 : 32'767);
      std::greater<> const comp;
      auto want = x;
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
        std::sort(want.begin() + offsets[s], want.begin() + offsets[s + 1], comp);
      auto const around = [&](std::vector<std::int16_t> items, std::size_t before) {
        items.insert(items.begin(), before, std::int16_t{7});
        items.push_back(9);
        return items;
      };
      device_array<std::int16_t> const keys(around(x, shift)), out(around(std::vector<std::int16_t>(n), 5));
      auto const title = "counted, " + std::to_string(which) + ", shift " + std::to_string(shift);
      auto* const first = keys.begin() + shift;
      sweep::segmented_sort_copy(sweep::device, first, keys.end() - 1, segments, out.begin() + 5, comp);
      expect_equal(out.read(), around(want, 5), title + ", a copy");
      sweep::segmented_sort(sweep::device, first, keys.end() - 1, segments, comp);
      expect_equal(keys.read(), around(want, shift), title);
    }
}

TEST_CASE("device segmented sort: segments that a block goes by the digits of") {
  windows_are_many const many;
  changed<int> const whole(sweep::detail::items_of_waiting_blocks, 1 << 17);
  auto const some = sanitizing() ? std::vector<std::size_t>{30'000} : std::vector<std::size_t>{70'001};
  segmented_sort_number_laws_of<std::uint8_t, true>("u8 and values, by digits", some, on_device);
  segmented_sort_number_laws_of<std::int16_t, true>("i16 and values, by digits", some, on_device);
}

TEST_CASE("device segmented sort: segments with values that are listed as offsets say") {
  windows_are_many const many;
  for (int const items : {0, 1 << 17}) {  // by all blocks together; each alone
    changed<int> const of_block(sweep::detail::items_of_waiting_blocks, items);
    listed_segments_law<std::uint8_t>("u8, listed", on_device.for_turn(0));
    if (!racechecking()) listed_segments_law<std::int16_t>("i16, listed", on_device.for_turn(1));
  }
}

TEST_CASE("device segmented sort: a few items between segments that are longer than a window") {
  windows_are_many const many;
  listed_segments_law<std::uint8_t>("u8, between", on_device.for_turn(0),
                                    {3'000, 5, 4'000, 7, 1, 2'500, 9, 2'100});
}

TEST_CASE(
    "device segmented sort: kernels side by side, one call behind the other and in a graph, narrow keys") {
  side_by_side_law<std::uint8_t>("u8", 400);
  if (!racechecking()) side_by_side_law<std::uint16_t>("u16", 400);
  side_by_side_law<std::uint16_t>("u16, few short ones", 2);
}

TEST_CASE("device segmented sort: bytes that are counted") {
  changed<std::int64_t> const least(sweep::detail::least_of_counted_segments, 0),
      items(sweep::detail::least_items_in_counted_segments, 0);
  auto const some = racechecking() ? std::vector<std::size_t>{9000}
                                   : std::vector<std::size_t>{257, 1025, 9000, 30'000, 40'003};
  segmented_sort_number_laws_of<std::uint8_t, false>("u8, counted", some, on_device);
}

TEST_CASE("device segmented sort: bytes that are counted by warps, by a block, and by all blocks") {
  changed<std::int64_t> const items(sweep::detail::least_items_in_counted_segments, 0);
  random_source random("segmented sort of bytes");
  auto const sorts = [&](char const* what, std::vector<int> const& lengths, int different) {
    std::greater<> const comp;
    std::vector<int> offsets{0};
    for (int const length : lengths) offsets.push_back(offsets.back() + length);
    auto const n = offsets.back();
    auto x = draw_many<std::int8_t>(static_cast<std::size_t>(n), random);
    for (auto& one : x) one = static_cast<std::int8_t>(one % different);
    device_array<int> const begins(offsets);
    auto const segments = sweep::segments::by_offsets(begins.begin(), begins.end());
    for (int const shift : {0, 3}) {
      auto shifted = x;
      shifted.insert(shifted.begin(), static_cast<std::size_t>(shift), std::int8_t{7});
      device_array<std::int8_t> const keys(shifted), copy(x.size()), twice(2 * x.size());
      auto const* const first = keys.begin() + shift;
      auto want = x;
      for (std::size_t s = 0; s < lengths.size(); ++s)
        std::sort(want.begin() + offsets[s], want.begin() + offsets[s + 1], comp);
      sweep::segmented_sort_copy(sweep::device, first, keys.end(), segments, copy.begin(), comp);
      expect_equal(copy.read(), want, what);
      auto const apart = strided<std::int8_t*>(twice.begin(), 2);
      sweep::segmented_sort_copy(sweep::device, first, keys.end(), segments, apart, comp);
      auto const all = twice.read();
      std::vector<std::int8_t> copied(want.size());
      for (std::size_t i = 0; i < want.size(); ++i) copied[i] = all[2 * i];
      expect_equal(copied, want, what);
      sweep::segmented_sort(sweep::device, keys.begin() + shift, keys.end(), segments, comp);
      auto const sorted = keys.read();
      expect_equal(std::vector<std::int8_t>(sorted.begin() + shift, sorted.end()), want, what);
    }
  };
  std::vector<int> of_warps(60);
  for (auto& length : of_warps) length = static_cast<int>(random.between(0, 300));
  of_warps[3] = 2'033;
  of_warps[17] = 3'000;
  sorts("by warps", of_warps, 128);
  sorts("by blocks", {2'500, 0, 1, 5'000, 2'048}, 5);
  if (!racechecking()) sorts("by all blocks", {5, 32'768, 32'769, 0, 90, 40'000, 2'000}, 100);
}

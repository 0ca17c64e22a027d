// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sorts of segments on the device: layouts, notations, long segments beside short ones, graphs.
#include <support/changed.hpp>
#include <support/device_places.hpp>
#include <support/segmented_sort_laws.hpp>

using namespace sweep_test;

namespace {

/// Around windows of 4096, 2048, 512 and 384 items, and enough for several passes.
std::vector<std::size_t> sizes() {
  if (racechecking()) return {700, 9000};
  if (sanitizing()) return {0, 1, 33, 1025, 5000, 9000};
  return {0, 1, 2, 33, 256, 257, 383, 385, 1024, 1025, 2048, 2049, 4096, 8193, 30'000, 100'003};
}

/// Sorts the rows of a kernel's threads.
__global__ void sort_in_threads(std::uint32_t* keys, int const* offsets, int rows, int each) {
  int const t = static_cast<int>(threadIdx.x);
  sweep::segmented_sort(sweep::seq, keys + t * each, keys + (t + 1) * each,
                        sweep::segments::by_offsets(offsets, offsets + rows + 1));
}

}  // namespace

TEST_CASE("device segmented sort: layouts and notations") {
  segmented_sort_laws_of<std::uint32_t, false>("u32", sizes(), on_device);
  segmented_sort_laws_of<std::uint32_t, true>("u32 and values", sizes(), on_device);
}

TEST_CASE("device segmented sort: numbers by their bits") {
  segmented_sort_number_laws_of<std::uint32_t, false>("u32", sizes(), on_device);
  segmented_sort_number_laws_of<std::int64_t, true>("i64 and values", sizes(), on_device);
}

TEST_CASE("device segmented sort: windows whose heads other kernels find") {
  changed<std::int64_t> const few(sweep::detail::few_windows_of_multiprocessor, 0),
      known(sweep::detail::most_items_of_known_segments, 0),
      counted(sweep::detail::least_items_in_counted_segments, std::int64_t{1} << 40);
  auto const some = sanitizing() ? std::vector<std::size_t>{1025, 9000}
                                 : std::vector<std::size_t>{1025, 4097, 30'000, 100'003};
  auto const places = racechecking() ? std::vector<std::size_t>{9000} : some;
  segmented_sort_number_laws_of<std::uint32_t, false>("u32, many windows", places, on_device);
  segmented_sort_number_laws_of<std::int64_t, true>("i64 and values, many windows", places, on_device);
  segmented_sort_number_laws_of<std::uint8_t, false>("u8, many windows", places, on_device);
}

TEST_CASE("device segmented sort: segments that are longer than a window, and than a block has room for") {
  changed<std::int64_t> const few(sweep::detail::few_windows_of_multiprocessor, 0),
      known(sweep::detail::most_items_of_known_segments, 0);
  auto const some =
      sanitizing() ? std::vector<std::size_t>{30'000} : std::vector<std::size_t>{30'000, 100'003};
  segmented_sort_number_laws_of<std::uint16_t, true>("u16 and values, long", some, on_device);
  segmented_sort_number_laws_of<std::uint32_t, true>("u32 and values, long", some, on_device);
}

TEST_CASE("device segmented sort: windows whose heads blocks find") {
  changed<std::int64_t> const known(sweep::detail::most_items_of_known_segments, 0);
  auto const some =
      racechecking() ? std::vector<std::size_t>{9000} : std::vector<std::size_t>{1025, 9000, 30'000};
  segmented_sort_number_laws_of<std::uint32_t, false>("u32, few windows", some, on_device);
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
  changed<std::int64_t> const few(sweep::detail::few_windows_of_multiprocessor, 0),
      known(sweep::detail::most_items_of_known_segments, 0);
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
  changed<std::int64_t> const few(sweep::detail::few_windows_of_multiprocessor, 0),
      known(sweep::detail::most_items_of_known_segments, 0);
  changed<int> const whole(sweep::detail::items_of_waiting_blocks, 1 << 17);
  auto const some = sanitizing() ? std::vector<std::size_t>{30'000} : std::vector<std::size_t>{70'001};
  segmented_sort_number_laws_of<std::uint8_t, true>("u8 and values, by digits", some, on_device);
  segmented_sort_number_laws_of<std::int16_t, true>("i16 and values, by digits", some, on_device);
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

TEST_CASE("device segmented sort: rows that are known to fit a block") {
  changed<std::int64_t> const many(sweep::detail::few_known_segments, 1'000);
  random_source random("segmented sort of rows");
  for (int const length : {33, 700, 5'000}) {
    int const rows = 30'000 / length;
    auto x = draw_many<std::uint32_t>(static_cast<std::size_t>(rows * length), random);
    device_array<std::uint32_t> const keys(x);
    sweep::segmented_sort(sweep::device, keys.begin(), keys.end(), sweep::segments::by_rows(rows, length));
    for (int r = 0; r < rows; ++r) std::sort(x.begin() + r * length, x.begin() + (r + 1) * length);
    expect_equal(keys.read(), x, "rows");
  }
}

TEST_CASE("device segmented sort: layouts of known segments") {
  changed<std::int64_t> const many(sweep::detail::few_known_segments, 1'000);
  auto const some = racechecking() ? std::vector<std::size_t>{9000} : std::vector<std::size_t>{1025, 30'000};
  segmented_sort_number_laws_of<std::uint32_t, false>("u32, known", some, on_device);
  segmented_sort_number_laws_of<std::int64_t, true>("i64 and values, known", some, on_device);
}

TEST_CASE("device segmented sort: keys of 48 bytes") {
  std::vector<std::size_t> const few{385, 769, 5000};
  segmented_sort_laws_of<motion, false>("48 bytes", racechecking() ? std::vector<std::size_t>{5000} : few,
                                        on_device);
}

TEST_CASE("device segmented sort: forms and iterators") {
  for (auto const n : few_sizes()) segmented_sort_form_laws(on_device, n);
}

TEST_CASE("device segmented sort: bad input, and the caller's scratch") {
  segmented_sort_error_laws(on_device, sweep::device.checked());
  device_array<int> const keys(std::vector<int>(40'000, 1)), offsets(std::vector<int>{0, 40'000});
  device_array<std::byte> const memory(4096);
  auto const few = sweep::device.scratch(std::span(memory.begin(), memory.end()));
  expect_throw<sweep::bad_argument>({"sweep::segmented_sort:", "scratch", "4096 bytes"}, [&] {
    sweep::segmented_sort(few, keys.begin(), keys.end(),
                          sweep::segments::by_offsets(offsets.begin(), offsets.end()));
  });
}

TEST_CASE("device segmented sort: more segments than items, which crowd") {
  random_source random("segmented sort of crowds");
  int const n = 40'000;
  auto x = draw_many<std::uint32_t>(n, random);
  std::vector<int> offsets{0};  // by thousands in one place, then each some items on
  for (int at = 0; at < n; at += static_cast<int>(random.between(1, 90)))
    offsets.insert(offsets.end(), static_cast<std::size_t>(at < 600 ? 3'000 : random.between(1, 70)), at);
  offsets.push_back(n);
  device_array<std::uint32_t> const keys(x);
  device_array<int> const places(offsets);
  CHECK(offsets.size() > static_cast<std::size_t>(n));  // so that nobody looks them up
  sweep::segmented_sort(sweep::device, keys.begin(), keys.end(),
                        sweep::segments::by_offsets(places.begin(), places.end()));
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::sort(x.begin() + offsets[s], x.begin() + offsets[s + 1]);
  expect_equal(keys.read(), x, "crowds");
}

TEST_CASE("device segmented sort: captured in a graph and replayed with other segments") {
  random_source random("segmented sort graph");
  std::size_t const n = sanitizing() ? 9'000 : 300'001;
  by_low_bits const comp{0xff};
  device_array<std::uint32_t> keys(n), bits((n + 31) / 32);
  own_stream const stream;
  captured_graph const graph(stream, [&] {
    sweep::segmented_sort(sweep::device.on(stream), keys.begin(), keys.end(),
                          sweep::segments::by_head_bits(bits.begin()), comp);
  });
  for (auto const& shape : layouts) {
    auto const x = draw_many<std::uint32_t>(n, random);
    auto const heads = shape.heads(n, random);
    keys.write(x);
    bits.write(notations(heads, random).bits);
    graph.launch(stream);
    stream.wait();
    std::vector<std::uint32_t> want;
    for (auto const i : segments_in_order(x, heads, comp)) want.push_back(x[static_cast<std::size_t>(i)]);
    expect_equal(keys.read(), want, shape.name);
  }
}

TEST_CASE("device segmented sort: threads of a kernel sort rows of their own") {
  random_source random("segmented sort in threads");
  int const each = 100;
  std::vector<int> const offsets{0, 3, 3, 50, 100};
  auto x = draw_many<std::uint32_t>(32 * each, random);
  device_array<std::uint32_t> const keys(x);
  device_array<int> const rows(offsets);
  sort_in_threads<<<1, 32>>>(keys.begin(), rows.begin(), 4, each);
  succeed(cudaGetLastError());
  for (int t = 0; t < 32; ++t)
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      std::sort(x.begin() + t * each + offsets[s], x.begin() + t * each + offsets[s + 1]);
  expect_equal(keys.read(), x, "rows");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sorts of segments on the device: layouts, notations, forms, graphs.
#include <support/changed.hpp>
#include <support/device_places.hpp>
#include <support/segmented_sort_windows.hpp>

using namespace sweep_test;

namespace {

/// Sorts the rows of a kernel's threads.
__global__ void sort_in_threads(std::uint32_t* keys, int const* offsets, int rows, int each) {
  int const t = static_cast<int>(threadIdx.x);
  sweep::segmented_sort(sweep::seq, keys + t * each, keys + (t + 1) * each,
                        sweep::segments::by_offsets(offsets, offsets + rows + 1));
}

}  // namespace

TEST_CASE("device segmented sort: layouts and notations") {
  segmented_sort_laws_of<std::uint32_t, false>("u32", segmented_sort_sizes(), on_device);
  segmented_sort_laws_of<std::uint32_t, true>("u32 and values", segmented_sort_sizes(), on_device);
}

TEST_CASE("device segmented sort: numbers by their bits") {
  segmented_sort_number_laws_of<std::uint32_t, false>("u32", segmented_sort_sizes(), on_device);
}

TEST_CASE("device segmented sort: windows whose heads other kernels find") {
  many_windows_laws<std::uint32_t, false>("u32, many windows", on_device);
}

TEST_CASE("device segmented sort: windows whose heads blocks find") {
  changed<std::int64_t> const known(sweep::detail::most_items_of_known_segments, 0);
  auto const some =
      racechecking() ? std::vector<std::size_t>{9000} : std::vector<std::size_t>{1025, 9000, 30'000};
  segmented_sort_number_laws_of<std::uint32_t, false>("u32, few windows", some, on_device);
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

TEST_CASE("device segmented sort: most segments are empty, and crowd in few windows") {
  random_source random("segmented sort of many empty ones");
  changed<std::int64_t> const none(sweep::detail::few_windows_of_multiprocessor, 0);
  int const n = 60'000, crowd = 25'000;
  auto x = draw_many<std::uint32_t>(n, random);
  for (int const place : {0, 3'000, n - 1'000}) {  // windows whose items each look for a segment of theirs
    std::vector<int> offsets{0};
    for (int k = 0; k < crowd; ++k) offsets.push_back(place + static_cast<int>(random.between(0, 999)));
    for (int at = 0; at < n; at += static_cast<int>(random.between(1, 90))) offsets.push_back(at);
    std::sort(offsets.begin(), offsets.end());
    offsets.push_back(n);
    CHECK(2 * offsets.size() < static_cast<std::size_t>(n));  // so that windows look for theirs
    device_array<std::uint32_t> const keys(x);
    device_array<int> const places(offsets);
    sweep::segmented_sort(sweep::device, keys.begin(), keys.end(),
                          sweep::segments::by_offsets(places.begin(), places.end()));
    auto want = x;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      std::sort(want.begin() + offsets[s], want.begin() + offsets[s + 1]);
    expect_equal(keys.read(), want, "crowds");
  }
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

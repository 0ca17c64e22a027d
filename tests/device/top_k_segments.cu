// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of selections in segments on the device: a warp's, a block's, and those that are sorted.
#include <support/changed.hpp>
#include <support/device_places.hpp>
#include <support/top_k_segment_laws.hpp>

using namespace sweep_test;

namespace {

/// Around 32 items, what a warp has in its registers, and what a block has room for.
std::vector<std::int64_t> lengths() {
  if (sanitizing()) return {1, 33, 1025, 5000};
  return {1, 2, 31, 32, 33, 100, 1000, 1023, 1024, 1025, 3000, 4095, 4096, 4097, 10'000, 40'000};
}

__global__ void select_in_thread(float const* keys, float* out, int rows, int length, int k) {
  sweep::segmented_top_k(sweep::seq, keys, keys + rows * length, sweep::segments::by_rows(rows, length), k,
                         out);
}

}  // namespace

TEST_CASE("device segmented top_k: rows") {
  top_k_row_laws_of<float, tops::keys>("f32", lengths(), {1, 5, 31, 32, 33, 100, 2048, 2049}, on_device,
                                       std::greater<>{}, number_greater{});
}

TEST_CASE("device segmented top_k: rows of wide and of narrow keys") {
  top_k_row_laws_of<double, tops::pairs>("f64", lengths(), {1, 32, 200, 1100}, on_device, std::less<>{},
                                         number_less{});
  top_k_row_laws_of<std::uint8_t, tops::keys>("u8", lengths(), {3, 32, 33}, on_device, std::greater<>{},
                                              number_greater{});
}

TEST_CASE("device segmented top_k: rows of which a warp gathers more than it has room for") {
  changed const least(sweep::detail::least_segments_for_warps, 0);
  auto const long_rows = sanitizing() ? std::vector<std::int64_t>{3000}
                                      : std::vector<std::int64_t>{1025, 1500, 3000, 4096, 6001, 8192};
  for (int turn = 0; turn < (sanitizing() ? 1 : 4); ++turn) {
    top_k_row_laws_of<float, tops::keys>("f32", long_rows, {33, 100, 255, 256}, on_device, std::greater<>{},
                                         number_greater{});
    top_k_row_laws_of<double, tops::pairs>("f64", long_rows, {33, 256}, on_device, std::less<>{},
                                           number_less{});
  }
  // Each row has its greatest items last, so that each look finds many more.
  constexpr std::int64_t rows = 3, length = 5000, k = 200;
  std::vector<float> x(rows * length), want(rows * k);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % length / 3);
  for (std::size_t i = 0; i < want.size(); ++i) want[i] = x[length - 1 - i % k];
  device_array<float> const keys(x);
  device_array<float> out(want.size());
  sweep::segmented_top_k(sweep::device, keys.begin(), keys.end(), sweep::segments::by_rows(rows, length), k,
                         out.begin());
  succeed(cudaDeviceSynchronize());
  expect_equal(out.read(), want, "of rows in order");
}

TEST_CASE("device segmented top_k: layouts and notations") {
  auto const sizes = sanitizing() ? std::vector<std::size_t>{0, 1, 33, 5000}
                                  : std::vector<std::size_t>{0, 1, 2, 33, 1025, 8193, 100'003};
  auto const offsets_and_bits = [](notation how) {
    return how == notation::offsets || how == notation::bits || how == notation::lengths;
  };
  top_k_layout_laws_of<float, tops::keys>("f32", sizes, {1, 7, 32, 50, 300, 3000}, on_device,
                                          std::greater<>{}, number_greater{}, offsets_and_bits);
}

TEST_CASE("device segmented top_k: long rows, by a sample") {
  if (sanitizing()) return;
  top_k_row_laws_of<float, tops::keys>("f32", {100'000, 400'000}, {1, 64, 3000}, on_device, std::greater<>{},
                                       number_greater{});
}

TEST_CASE("device segmented top_k: by a comparison") {
  top_k_row_laws_of<record, tops::pairs>("record", {1, 33, 5000}, {1, 40}, on_device, by_low_bits{},
                                         by_low_bits{});
}

TEST_CASE("device segmented top_k: bad input") { top_k_segment_error_laws(on_device); }

TEST_CASE("device segmented top_k: captured in a graph and replayed with other segments") {
  random_source random("segmented top_k graph");
  std::size_t const n = sanitizing() ? 9'000 : 100'001;
  std::int64_t const k = 5;
  device_array<float> keys(n), out(n * k);
  device_array<std::uint32_t> bits((n + 31) / 32);
  device_array<std::int32_t> indices(n * k);
  own_stream const stream;
  captured_graph const graph(stream, [&] {
    sweep::segmented_top_k_with_indices(sweep::device.on(stream), keys.begin(), keys.end(),
                                        sweep::segments::by_head_bits(bits.begin()), k, out.begin(),
                                        indices.begin());
  });
  for (auto const& shape : layouts) {
    auto const x = draw_keys<float>(key_shape::few, n, random, number_less{});
    auto const heads = shape.heads(n, random);
    std::vector<std::int64_t> offsets;
    for (std::size_t i = 0; i < n; ++i)
      if (i == 0 || heads[i]) offsets.push_back(static_cast<std::int64_t>(i));
    offsets.push_back(static_cast<std::int64_t>(n));
    keys.write(x);
    bits.write(notations(heads, random).bits);
    indices.write(std::vector<std::int32_t>(n * k, -1));
    graph.launch(stream);
    stream.wait();
    auto want = tops_of_segments(x, offsets, k, number_greater{}).index;
    want.resize(n * k, -1);
    expect_equal(indices.read(), want, shape.name);
  }
}

TEST_CASE("device segmented top_k: a thread of a kernel") {
  std::vector<float> const x{1, 5, 3, 2, 2, 9, 4, 4, 4};
  device_array<float> const keys(x), out(6);
  select_in_thread<<<1, 1>>>(keys.begin(), out.begin(), 3, 3, 2);
  succeed(cudaGetLastError());
  expect_equal(out.read(), {5, 3, 9, 2, 4, 4}, "rows");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sorts on the device that are asked for merges, by no order at all, or by a thread of a kernel.
#include <support/device_places.hpp>
#include <support/sort_laws.hpp>

using namespace sweep_test;

namespace {

constexpr std::size_t most = 200'000;
auto const merging = half_at(sweep::device.with(sweep::variant::merge), "device, merge");

/// A sort by each thread of a kernel, of a range of its own.
__global__ void sort_in_threads(std::uint32_t* keys, std::uint32_t* values, std::uint32_t* indices, int each,
                                int threads) {
  int const t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (t >= threads) return;
  auto* const first = keys + t * each;
  sweep::argsort(sweep::seq, first, first + each, indices + t * each);
  sweep::sort_by_key(sweep::seq, first, first + each, values + t * each);
}

}  // namespace

TEST_CASE("device sorts: numbers by merges") {
  sort_laws_of<std::uint32_t, sorts::keys>("u32", most, merging, std::less<>{}, number_less{});
  sort_laws_of<float, sorts::pairs, double>("f32", most, merging, std::greater<>{}, number_greater{});
}

TEST_CASE("device sorts: comparisons that are no order end, and touch nothing else") {
  no_order_laws<false>(on_device);
}

TEST_CASE("device sorts: threads of a kernel sort ranges of their own") {
  random_source random("sorts in threads");
  for (int const each : {0, 1, 2, 17, 200}) {
    int const threads = 70;
    auto const n = static_cast<std::size_t>(each * threads);
    auto const x = draw_keys<std::uint32_t>(key_shape::few, n, random, std::less<>{});
    std::vector<std::uint32_t> serial(n);
    std::iota(serial.begin(), serial.end(), 0u);
    device_array<std::uint32_t> const keys(x), values(serial), indices(n);
    sort_in_threads<<<3, 32>>>(keys.begin(), values.begin(), indices.begin(), each, threads);
    succeed(cudaGetLastError());
    std::vector<std::uint32_t> want(serial);
    for (int t = 0; t < threads; ++t)
      std::stable_sort(want.begin() + t * each, want.begin() + (t + 1) * each,
                       [&](std::uint32_t a, std::uint32_t b) { return x[a] < x[b]; });
    expect_equal(values.read(), want, "values, each " + std::to_string(each));
    auto local = want;
    for (std::size_t i = 0; i < n; ++i)
      local[i] -=
          static_cast<std::uint32_t>(i) / static_cast<std::uint32_t>(each) * static_cast<std::uint32_t>(each);
    expect_equal(indices.read(), local, "indices, each " + std::to_string(each));
  }
}

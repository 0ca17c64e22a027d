// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sorts on the device that are asked for a variant, by no order at all, or by a thread of a kernel.
// Types are few: variants with tiles of their own share the passes that merge these.
#include <support/device_places.hpp>
#include <support/sort_laws.hpp>

using namespace sweep_test;

namespace {

namespace variant = sweep::variant;

constexpr std::size_t most = 200'000;
auto const merging = half_at(sweep::device.with(variant::merge), "device, merge");
auto const splitting = half_at(sweep::device.with(variant::radix_merge), "device, radix_merge");
auto const by_pivots = half_at(sweep::device.with(variant::quicksort), "device, quicksort");
auto const by_network = half_at(sweep::device.with(variant::bitonic), "device, bitonic");
auto const by_sample = half_at(sweep::device.with(variant::sample), "device, sample");
auto const by_bits = half_at(sweep::device.with(variant::split_radix), "device, split_radix");
auto const by_bits_matrix =
    half_at(sweep::device.with(variant::split_radix).with(variant::reduce_then_scan).with(variant::matrix),
            "device, split_radix, matrix");

/// So few under racecheck: each level of pivots takes several kernels, of a good part of a second each.
constexpr std::size_t few_by_pivots = 100;
/// Items that a block of the variant bitonic sorts.
constexpr std::size_t block_items = 4096;

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

TEST_CASE("device sorts: numbers by blocks that split, and merges") {
  sort_laws_of<std::uint32_t, sorts::keys>("u32", most, splitting, std::less<>{}, number_less{});
  sort_laws_of<float, sorts::pairs, double>("f32", most, splitting, std::greater<>{}, number_greater{});
}

TEST_CASE("device sorts: numbers by quicksort") {
  auto const largest = racechecking() ? few_by_pivots : most;
  sort_laws_of<std::uint32_t, sorts::keys>("u32", largest, by_pivots, std::less<>{}, number_less{});
  sort_laws_of<float, sorts::pairs, double>("f32", largest, by_pivots, std::greater<>{}, number_greater{});
}

TEST_CASE("device sorts: the Dutch flag by quicksort") {
  random_source random("Dutch flag");
  for (auto n : few_sort_sizes()) {
    if (racechecking()) n = std::min(n, few_by_pivots);
    std::vector<std::uint32_t> flag(n);
    for (auto& one : flag) one = static_cast<std::uint32_t>(random() % 3);
    sort_law<sorts::keys, int>(by_pivots, "any flag", flag, 1, std::less<>{}, number_less{}, random);
    std::sort(flag.begin(), flag.end(), std::greater<>{});
    sort_law<sorts::keys, int>(by_pivots, "blue, white, red", flag, 0, std::less<>{}, number_less{}, random);
  }
}

TEST_CASE("device sorts: numbers by a bitonic network, as many as fit a block") {
  sort_laws_of<std::uint32_t, sorts::keys>("u32", block_items, by_network, std::less<>{}, number_less{});
  sort_laws_of<float, sorts::pairs, double>("f32", block_items, by_network, std::greater<>{},
                                            number_greater{});
  random_source random("bitonic, too many");
  auto const x = draw_keys<std::uint32_t>(key_shape::uniform, block_items + 1, random, std::less<>{});
  device_array<std::uint32_t> const keys(x);
  expect_throw<sweep::bad_argument>(
      {"sweep::sort:", "last", "4097 items behind first", "variant::bitonic", "4096"},
      [&] { sweep::sort(by_network.policy, keys.begin(), keys.end()); });
  expect_equal(keys.read(), x, "nothing is written");
}

TEST_CASE("device sorts: by samples") {
  sort_laws_of<record, sorts::pairs>("record", most, by_sample, by_low_bits{}, by_low_bits{});
  sort_laws_of<std::int64_t, sorts::indices, int>("i64", most, by_sample, std::greater<>{}, number_greater{});
  sort_laws_of<wide_record, sorts::keys>("wide record", 20'000, by_sample, by_key_downwards{},
                                         by_key_downwards{});
}

TEST_CASE("device sorts: enumerate and split for each bit, by several scans") {
  std::size_t const most = racechecking() ? 70 : sanitizing() ? 700 : 20'000;  // hundreds of kernels a sort
  sort_laws_of<std::uint32_t, sorts::keys>("u32", most, by_bits, std::less<>{}, number_less{});
  sort_laws_of<std::int64_t, sorts::pairs, std::uint8_t>("i64, u8", most, by_bits_matrix, std::greater<>{},
                                                         number_greater{});
}

TEST_CASE("device sorts: by samples, captured in a graph and replayed with other inputs") {
  random_source random("sample graph");
  std::size_t const n = sanitizing() ? 5'000 : 100'001;
  device_array<std::uint32_t> serial(n);
  device_array<record> keys(n);
  own_stream const stream;
  captured_graph const graph(stream, [&] {
    sweep::sort_by_key(by_sample.policy.on(stream), keys.begin(), keys.end(), serial.begin(), by_low_bits{});
  });
  for (auto const shape : {key_shape::uniform, key_shape::equal, key_shape::few}) {
    auto const x = draw_keys<record>(shape, n, random, by_low_bits{});
    auto const order = stable_order(x, by_low_bits{});
    std::vector<std::uint32_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0u);
    keys.write(x);
    serial.write(numbers);
    graph.launch(stream);
    stream.wait();
    expect_equal(keys.read(), taken(x, order), "keys");
    expect_equal(serial.read(), taken(numbers, order), "values");
  }
}

TEST_CASE("device sorts: comparisons that are no order end, and touch nothing else") {
  no_order_laws<false>(on_device);
  no_order_laws<false>(by_pivots, racechecking() ? few_by_pivots : 30'000);
  no_order_laws<false>(by_sample);
  random_source random("no order by a network");
  for (auto const which : some_cases(4, random)) {
    auto const kind = static_cast<std::uint32_t>(which);
    auto x = draw_keys<std::uint32_t>(key_shape::uniform, 3'001, random, std::less<>{});
    decltype(by_network)::array<std::uint32_t> const keys(x, 1);
    sweep::sort(by_network.policy, keys.begin(), keys.end(), no_order{kind});
    auto y = keys.read();
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    expect_equal(y, x, "the same items");
    expect(keys.guards_intact(), "writes the range only");
  }
}

TEST_CASE("device sorts: threads of a kernel sort ranges of their own") {
  random_source random("sorts in threads");
  for (int const each : {0, 1, 2, 17, racechecking() ? 40 : 200}) {
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

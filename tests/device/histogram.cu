// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of histograms on the device: bins, weights, keys that come often, small devices, graphs, errors.
#include <support/device_places.hpp>
#include <support/histogram_laws.hpp>

#include <sweep/detail/runtime/launch.cuh>

namespace sweep_test {

/// Item i is i % 1000: an input without memory.
struct remainders {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::uint32_t;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = std::uint32_t;
  std::int64_t at;
  __host__ __device__ std::uint32_t operator[](std::ptrdiff_t i) const {
    return static_cast<std::uint32_t>((at + i) % 1000);
  }
  __host__ __device__ std::uint32_t operator*() const { return (*this)[0]; }
  friend __host__ __device__ remainders operator+(remainders a, std::ptrdiff_t i) { return {a.at + i}; }
  friend __host__ __device__ std::ptrdiff_t operator-(remainders a, remainders b) { return a.at - b.at; }
};

}  // namespace sweep_test

using namespace sweep_test;

namespace {

constexpr std::size_t most = 300'000;

/// Shared memory as small as on other devices, and back.
class less_shared_memory {
 public:
  explicit less_shared_memory(std::size_t bytes) { sweep::detail::most_shared_bytes = bytes; }
  less_shared_memory(less_shared_memory const&) = delete;
  less_shared_memory& operator=(less_shared_memory const&) = delete;
  ~less_shared_memory() { sweep::detail::most_shared_bytes = ~std::size_t{0}; }
};

}  // namespace

TEST_CASE("device histograms: a bin for each key, counted and weighted") {
  key_histogram_laws_of<std::uint8_t, std::int32_t, std::int16_t>("u8", most, on_device);
  key_histogram_laws_of<std::int32_t, std::uint64_t, std::uint32_t>("i32", most, on_device);
  key_histogram_laws_of<std::uint64_t, std::uint32_t, std::int64_t>("u64", most, on_device);
  key_histogram_laws_of<std::uint16_t, std::uint16_t, std::int32_t>("u16, counts of 16 bits", most,
                                                                    on_device);
}

TEST_CASE("device histograms: every way to keep a block's sums, and every spread of keys") {
  random_source random("histograms, ways and spreads");
  std::size_t const n = sanitizing() ? 6'000 : 3'000'003;
  for (auto const how : all_spreads)
    for (std::int64_t const bins : {1, 256, 5000, 50'000, 100'000, 1'000'000}) {
      auto const what = "u32, spread " + std::to_string(static_cast<int>(how));
      auto const x = draw_keys<std::uint32_t>(n, bins, how, random);
      key_histogram_law<std::uint32_t, std::uint32_t, std::uint32_t>(on_device, what, x, bins, 1, random);
      less_shared_memory const of_48_kib(48 * 1024);
      key_histogram_law<std::uint32_t, std::uint64_t, std::int64_t>(on_device, what + ", 48 KiB", x, bins, 2,
                                                                    random);
    }
}

TEST_CASE("device histograms: equal bins, and bins between edges") {
  even_and_range_laws(on_device, few_sizes());
  if (!sanitizing()) even_and_range_laws(on_device, {2'000'001});
}

TEST_CASE("device histograms: the largest, smallest and equal weights") {
  for (std::size_t const n : {1, 2, 3, 1000, 1 << 16})
    if (!sanitizing() || n <= 1000) extreme_weight_laws(on_device, n);
}

TEST_CASE("device histograms: iterators") {
  for (auto const n : few_sizes()) histogram_iterator_laws(on_device, n);
}

TEST_CASE("device histograms: bad input, and the caller's scratch") {
  histogram_error_laws(on_device, sweep::device.checked());
  device_array<int> const x(std::vector<int>(1000, 1));
  device_array<double> const counts(std::vector<double>(100, 7));
  device_array<std::byte> const memory(4096);
  auto const few = sweep::device.scratch(std::span(memory.begin(), 8));
  expect_throw<sweep::bad_argument>({"sweep::histogram:", "scratch", "8 bytes"},
                                    [&] { sweep::histogram(few, x.begin(), x.end(), counts.begin(), 100); });
  expect_equal(counts.read(), std::vector<double>(100, 7), "nothing is written");
  auto const enough = sweep::device.scratch(std::span(memory.begin(), memory.end()));
  sweep::weighted_histogram(enough, x.begin(), x.end(), x.begin(), counts.begin(), 100);
  CHECK(counts.read()[1] == 1000);
}

TEST_CASE("device histograms: captured in a graph and replayed with other inputs") {
  random_source random("histogram graph");
  std::size_t const n = sanitizing() ? 3'000 : 200'001;
  device_array<std::uint32_t> in(draw_keys<std::uint32_t>(n, 300, spread::uniform, random));
  device_array<float> by(draw_many<float>(n, random));
  device_array<int> const counts(300);
  device_array<double> const sums(300);
  own_stream const stream;
  auto const on = sweep::device.on(stream);
  captured_graph const graph(stream, [&] {
    sweep::histogram(on, in.begin(), in.end(), counts.begin(), 300);
    sweep::weighted_histogram(on, in.begin(), in.end(), by.begin(), sums.begin(), 300);
  });
  for (auto const how : all_spreads) {
    auto const x = draw_keys<std::uint32_t>(n, 300, how, random);
    auto const weights = draw_many<float>(n, random);
    in.write(x);
    by.write(weights);
    graph.launch(stream);
    stream.wait();
    auto const title = "spread " + std::to_string(static_cast<int>(how));
    expect_equal(counts.read(),
                 histogram_oracle<int>(
                     x, 300, [](std::uint32_t k) { return std::int64_t{k}; }, [](std::size_t) { return 1; }),
                 title);
    std::vector<double> same(300);
    sweep::weighted_histogram(sweep::seq, x.begin(), x.end(), weights.begin(), same.begin(), 300);
    expect_equal(sums.read(), same, title + ", weighted: the same bits as on seq");
  }
}

TEST_CASE("device histograms: 2^33 + 3 items that are made up") {
  auto const n = sanitizing() ? std::int64_t{100'003} : (std::int64_t{1} << 33) + 3;
  device_array<std::int64_t> const counts(1000);
  sweep::histogram(sweep::device, remainders{0}, remainders{n}, counts.begin(), 1000);
  auto const got = counts.read();
  std::vector<std::int64_t> want(1000);
  for (std::int64_t k = 0; k < 1000; ++k) want[static_cast<std::size_t>(k)] = (n - k + 999) / 1000;
  expect_equal(got, want, "2^33 + 3");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of expansion and run-length decoding on the device: counts of every kind, room, graphs, errors.
#include <support/device_places.hpp>
#include <support/expand_laws.hpp>

namespace sweep_test {

/// Item i is i: an input without memory.
struct own_numbers {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::int64_t;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = std::int64_t;
  std::int64_t at;
  __host__ __device__ std::int64_t operator[](std::ptrdiff_t i) const { return at + i; }
  __host__ __device__ std::int64_t operator*() const { return (*this)[0]; }
  friend __host__ __device__ own_numbers operator+(own_numbers a, std::ptrdiff_t i) { return {a.at + i}; }
  friend __host__ __device__ std::ptrdiff_t operator-(own_numbers a, own_numbers b) { return a.at - b.at; }
};

}  // namespace sweep_test

using namespace sweep_test;

namespace {

constexpr std::size_t most = 100'000;

/// Item `dense` stands at [dense, n - (items - 1 - dense)), the others once.
__global__ void count_wrong_bytes(std::uint8_t const* got, std::int64_t n, std::int64_t items,
                                  std::int64_t dense, unsigned long long* wrong) {
  for (auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    auto const behind = n - (items - 1 - dense);
    auto const want = i < dense ? i : i < behind ? dense : dense + 1 + (i - behind);
    if (got[i] != static_cast<std::uint8_t>(want)) atomicAdd(wrong, 1ull);
  }
}

}  // namespace

TEST_CASE("device expansion: types of 1 to 48 bytes, counts and sizes") {
  expand_laws_of<std::uint8_t, std::uint16_t>("u8", most, 60'000, on_device);
  expand_laws_of<std::int32_t, std::int32_t>("i32", most, 200'000, on_device);
  expand_laws_of<float, std::int64_t, double>("f32 to f64", most, 1'000'000, on_device);
  expand_laws_of<heisenberg<std::uint8_t>, std::uint32_t>("3 bytes", most, 20'000, on_device);
  expand_laws_of<motion, std::uint32_t>("48 bytes", 20'000, 20'000, on_device);
}

TEST_CASE("device expansion: a million items that hold nothing, between two that hold something") {
  random_source random("expand, gaps");
  std::size_t const n = sanitizing() ? 50'000 : 1'000'000;
  std::vector<int> counts(n, 0);
  counts[0] = 10;
  counts[n / 2] = 5;
  counts[n - 1] = 5000;
  auto const x = draw_many<std::uint32_t>(n, random);
  expand_law<std::uint32_t>(on_device, "gaps", x, counts, 3, random);
}

TEST_CASE("device expansion: decoding undoes encoding") {
  for (auto const n : few_sizes()) run_length_decode_laws(on_device, n);
}

TEST_CASE("device expansion: bad input, and the caller's scratch") {
  expand_error_laws(on_device, sweep::device.checked());
  device_array<int> const x(std::vector<int>(1000, 2)), out(2000), total(1);
  device_array<std::byte> const memory(1 << 17);
  auto const few = sweep::device.scratch(std::span(memory.begin(), 512));
  expect_throw<sweep::bad_argument>({"sweep::expand_into:", "scratch", "512 bytes"}, [&] {
    sweep::expand_into(few, x.begin(), x.end(), x.begin(), out.begin(), 2000, total.begin());
  });
  auto const enough = sweep::device.checked().scratch(std::span(memory.begin(), memory.end()));
  sweep::expand_into(enough, x.begin(), x.end(), x.begin(), out.begin(), 2000, total.begin());
  expect_equal(out.read(), std::vector<int>(2000, 2), "the caller's scratch");
}

TEST_CASE("device expansion: captured in a graph and replayed with other inputs") {
  random_source random("expand graph");
  std::size_t const n = sanitizing() ? 3'000 : 50'001;
  std::int64_t const room = 7 * static_cast<std::int64_t>(n);
  device_array<float> in(draw_many<float>(n, random));
  device_array<int> counts(draw_counts<int>(n, repeats::some, 0, random)), total(1);
  device_array<float> const out(static_cast<std::size_t>(room));
  own_stream const stream;
  captured_graph const graph(stream, [&] {
    sweep::expand_into(sweep::device.on(stream), in.begin(), in.end(), counts.begin(), out.begin(), room,
                       total.begin());
  });
  for (auto const how : all_repeats) {
    auto const x = draw_many<float>(n, random);
    auto const by = draw_counts<int>(n, how, sanitizing() ? 3'000 : 50'000, random);
    in.write(x);
    counts.write(by);
    graph.launch(stream);
    stream.wait();
    auto const want = expand_oracle<float>(x, by);
    auto got = out.read();
    got.resize(want.size());
    expect_equal(got, want, "replay with counts of kind " + std::to_string(static_cast<int>(how)));
    expect_equal(total.read(), {static_cast<int>(want.size())}, "the total");
  }
}

TEST_CASE("device expansion: 2^32 + 3 repetitions, nearly all of one item") {
  auto const n = sanitizing() ? std::int64_t{100'003} : (std::int64_t{1} << 32) + 3;
  if (!has_free_memory(static_cast<std::size_t>(n) + (std::size_t{256} << 20))) return;
  std::int64_t const items = 10'000, dense = 3'333;
  std::vector<std::int64_t> counts(items, 1);
  counts[dense] = n - (items - 1);
  device_array<std::int64_t> const by(counts);
  device_array<std::uint8_t> const out(static_cast<std::size_t>(n));
  device_array<unsigned long long> const wrong(std::vector<unsigned long long>{0});
  CHECK(sweep::expand(sweep::device, own_numbers{0}, own_numbers{items}, by.begin(), out.begin()) ==
        out.end());
  count_wrong_bytes<<<4096, 256>>>(out.begin(), n, items, dense, wrong.begin());
  succeed(cudaGetLastError());
  CHECK(wrong.read()[0] == 0);
}

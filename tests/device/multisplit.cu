// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of multisplits on the device: types of 1 to 80 bytes, parts, alignments, iterators, graphs, errors.
#include <support/changed.hpp>
#include <support/device_places.hpp>
#include <support/multisplit_laws.hpp>

namespace sweep_test {

/// More than goes through shared memory.
struct wide_item {
  std::uint32_t a, b, more[18];
  friend bool operator==(wide_item const&, wide_item const&) = default;
};
template <>
inline wide_item draw<wide_item>(random_source& random) {
  wide_item x{};
  x.a = static_cast<std::uint32_t>(random());
  x.b = static_cast<std::uint32_t>(random());
  for (auto& one : x.more) one = static_cast<std::uint32_t>(random());
  return x;
}

/// Item i is i.
struct counted_items {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::uint64_t;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = std::uint64_t;
  std::ptrdiff_t at;
  __host__ __device__ std::uint64_t operator[](std::ptrdiff_t i) const {
    return static_cast<std::uint64_t>(at + i);
  }
  __host__ __device__ std::uint64_t operator*() const { return (*this)[0]; }
  friend __host__ __device__ counted_items operator+(counted_items a, std::ptrdiff_t i) { return {a.at + i}; }
  friend __host__ __device__ std::ptrdiff_t operator-(counted_items a, counted_items b) {
    return a.at - b.at;
  }
};
struct remainder_of_5 {
  __host__ __device__ int operator()(std::uint64_t i) const { return static_cast<int>(i % 5); }
};

}  // namespace sweep_test

using namespace sweep_test;

namespace {

constexpr std::size_t most = 300'000;

/// Part p has i with i % 5 == p, in order; their low bytes.
__global__ void count_wrong_parts(std::uint8_t const* got, std::int64_t n, unsigned long long* wrong) {
  auto const i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::int64_t part = 0, begin = 0; part < 5; ++part) {
    auto const count = (n - part + 4) / 5;
    for (auto k = i; k < count; k += std::int64_t{gridDim.x} * blockDim.x)
      if (got[begin + k] != static_cast<std::uint8_t>(5 * k + part)) atomicAdd(wrong, 1ull);
    begin += count;
  }
}

}  // namespace

TEST_CASE("device multisplits: types of 1 to 80 bytes, parts and sizes") {
  multisplit_laws_of<std::uint8_t, std::uint64_t>("u8 with u64", most, on_device);
  multisplit_laws_of<std::uint32_t, std::uint32_t>("u32 with u32", most, on_device);
  multisplit_laws_of<motion, heisenberg<std::uint8_t>>("48 bytes with 3", most, on_device);
  multisplit_laws_of<std::uint16_t, wide_item>("u16 with 80 bytes", 20'000, on_device);
}

TEST_CASE("device multisplits: by a grid of few resident blocks") {
  changed const blocks_of_grid(sweep::detail::most_split_grid_blocks, 3);
  multisplit_laws_of<std::uint8_t, std::uint64_t>("u8 with u64, grid", 40'000, on_device);
  multisplit_laws_of<std::uint32_t, std::uint32_t>("u32 with u32, grid", 40'000, on_device);
}

TEST_CASE("device multisplits: chunks of many tiles, whatever the spread") {
  random_source random("multisplit spreads");
  for (std::int64_t const chunks : {1, 5}) {
    changed const no_grid(sweep::detail::most_split_grid_blocks, 0);
    changed const of_many_tiles(sweep::detail::most_split_chunks, chunks);
    std::size_t const n = sanitizing() ? 20'003 : 200'003;
    auto const x = draw_many<std::uint32_t>(n, random);
    auto const narrow = draw_many<std::uint8_t>(n, random);
    std::vector<parting> partings(std::begin(all_partings), std::end(all_partings));
    while (racechecking() && partings.size() > 1)
      partings.erase(partings.begin() + random.between(0, std::ssize(partings) - 1));
    for (auto const how : partings)
      for (std::int64_t const parts : {5, 11, 64, 256, 40'000}) {
        auto const offset = static_cast<std::size_t>(random.between(0, 9));
        multisplit_law<std::uint32_t, std::uint32_t>(on_device, "u32 with u32", x, parts, how, offset,
                                                     random);
        multisplit_law<std::uint8_t, std::uint64_t>(on_device, "u8 with u64", narrow, parts, how, offset,
                                                    random);
      }
  }
}

TEST_CASE("device multisplits: splitters, iterators, conversions") {
  for (auto const n : few_sizes()) multisplit_form_laws(on_device, n);
}

TEST_CASE("device multisplits: bad input") { multisplit_error_laws(on_device, sweep::device.checked()); }

TEST_CASE("device multisplits: captured in a graph and replayed with other inputs") {
  random_source random("multisplit graph");
  std::size_t const n = sanitizing() ? 3'000 : 200'001;
  device_array<std::uint32_t> in(draw_many<std::uint32_t>(n, random));
  device_array<std::uint32_t> const by(draw_many<std::uint32_t>(n, random)), out(n), to(n);
  device_array<std::int64_t> const offsets(1001);
  chosen_part const part{1000, parting::uniform};
  own_stream const stream;
  captured_graph const graph(stream, [&] {
    sweep::multisplit_by_key_into(sweep::device.on(stream), in.begin(), in.end(), by.begin(), out.begin(),
                                  to.begin(), offsets.begin(), 1000, part);
  });
  for (int replay = 0; replay < 3; ++replay) {
    auto const x = draw_many<std::uint32_t>(n, random);
    in.write(x);
    graph.launch(stream);
    stream.wait();
    multisplit_oracle<std::uint32_t> const want(x, 1000, part);
    auto const title = "replay " + std::to_string(replay);
    expect_equal(out.read(), want.moved<std::uint32_t>(x), title);
    expect_equal(to.read(), want.moved<std::uint32_t>(by.read()), title + ", values");
    expect_equal(offsets.read(), want.offsets, title + ", offsets");
  }
}

TEST_CASE("device multisplits: 2^32 + 3 items that are made up") {
  auto const n = sanitizing() ? std::ptrdiff_t{100'003} : (std::ptrdiff_t{1} << 32) + 3;
  if (!has_free_memory(static_cast<std::size_t>(n) + (std::size_t{256} << 20))) return;
  device_array<std::uint8_t> const out(static_cast<std::size_t>(n));
  device_array<unsigned long long> const wrong(std::vector<unsigned long long>{0});
  auto const offsets =
      sweep::multisplit(sweep::device, counted_items{0}, counted_items{n}, out.begin(), 5, remainder_of_5{});
  count_wrong_parts<<<4096, 256>>>(out.begin(), n, wrong.begin());
  succeed(cudaGetLastError());
  CHECK(wrong.read()[0] == 0);
  CHECK(offsets.back() == n);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of gathers and scatters on the device: types, maps, sizes, alignments, iterators, graphs, errors.
#include <support/device_places.hpp>
#include <support/gather_laws.hpp>

namespace sweep_test {

struct scrambled {
  __host__ __device__ std::uint64_t operator()(std::uint64_t i) const { return i * 0x9e3779b97f4a7c15u; }
};

/// An input that is made up: item i is scrambled(i).
struct made_up_items {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::uint64_t;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = std::uint64_t;
  std::ptrdiff_t at;
  __host__ __device__ std::uint64_t operator[](std::ptrdiff_t i) const {
    return scrambled{}(static_cast<std::uint64_t>(at + i));
  }
  __host__ __device__ std::uint64_t operator*() const { return (*this)[0]; }
  friend __host__ __device__ made_up_items operator+(made_up_items a, std::ptrdiff_t i) { return {a.at + i}; }
  friend __host__ __device__ std::ptrdiff_t operator-(made_up_items a, made_up_items b) {
    return a.at - b.at;
  }
};

}  // namespace sweep_test

using namespace sweep_test;

namespace {

constexpr std::size_t most = 300'000;

__global__ void count_wrong_low_bytes(std::uint8_t const* got, std::int64_t n, unsigned long long* wrong) {
  for (auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x)
    if (got[i] != static_cast<std::uint8_t>(scrambled{}(static_cast<std::uint64_t>(n - 1 - i))))
      atomicAdd(wrong, 1ull);
}

}  // namespace

TEST_CASE("device gathers and scatters: types of 1 to 48 bytes, and maps") {
  gather_laws_of<std::uint8_t, std::int32_t>("u8 by i32", most, on_device);
  gather_laws_of<std::uint32_t, std::int64_t>("u32 by i64", most, on_device);
  gather_laws_of<heisenberg<std::uint8_t>, std::uint32_t>("3 bytes by u32", most, on_device);
  gather_laws_of<float, std::int32_t, double>("f32 to f64 by i32", most, on_device);
  gather_laws_of<motion, std::size_t>("48 bytes by size_t", most, on_device);
}

TEST_CASE("device gathers and scatters: iterators") {
  for (auto const n : few_sizes()) gather_iterator_laws(on_device, n);
}

TEST_CASE("device gathers and scatters: bad input") {
  gather_error_laws(on_device, sweep::device.checked());
  std::vector<int> const host_map(10, 0);
  device_array<int> const x(10);
  if (int pageable = 0;
      cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0) == cudaSuccess && pageable == 0)
    expect_throw<sweep::bad_argument>({"sweep::gather:", "map", "host memory"}, [&] {
      sweep::gather(sweep::device.checked(), host_map.data(), host_map.data() + 10, x.begin(), x.begin());
    });
}

TEST_CASE("device gathers and scatters: captured in a graph and replayed with other inputs") {
  random_source random("gather graph");
  std::size_t const n = sanitizing() ? 3'000 : 200'001;
  device_array<double> in(draw_many<double>(n, random));
  device_array<int> map(draw_distinct<int>(n, n, random));
  device_array<double> const out(n), back(n);
  own_stream const stream;
  auto const on = sweep::device.on(stream);
  captured_graph const graph(stream, [&] {
    sweep::gather(on, map.begin(), map.end(), in.begin(), out.begin());
    sweep::scatter(on, out.begin(), out.end(), map.begin(), back.begin());
  });
  for (int replay = 0; replay < 3; ++replay) {
    auto const x = draw_many<double>(n, random);
    auto const at = draw_distinct<int>(n, n, random);
    in.write(x);
    map.write(at);
    graph.launch(stream);
    stream.wait();
    std::vector<double> want(n);
    for (std::size_t i = 0; i < n; ++i) want[i] = x[static_cast<std::size_t>(at[i])];
    expect_equal(out.read(), want, "replay " + std::to_string(replay));
    expect_equal(back.read(), x, "replay " + std::to_string(replay) + ", and back");
  }
}

TEST_CASE("device gathers: 2^32 + 3 items that are made up") {
  auto const n = sanitizing() ? std::ptrdiff_t{100'003} : (std::ptrdiff_t{1} << 32) + 3;
  if (!has_free_memory(static_cast<std::size_t>(n) + (std::size_t{256} << 20))) return;
  device_array<std::uint8_t> const out(static_cast<std::size_t>(n));
  device_array<unsigned long long> const wrong(std::vector<unsigned long long>{0});
  sweep::gather(sweep::device, backwards{n - 1}, backwards{-1}, made_up_items{0}, out.begin());
  count_wrong_low_bytes<<<4096, 256>>>(out.begin(), n, wrong.begin());
  succeed(cudaGetLastError());
  CHECK(wrong.read()[0] == 0);
}

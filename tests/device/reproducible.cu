// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bitwise reproducibility: a thousand runs beside a stream that loads the GPU give one bit pattern. And sums
// of random numbers, which are near those in double.
#include <support/device_places.hpp>
#include <support/expect.hpp>
#include <support/float_products.hpp>
#include <support/oracle.hpp>
#include <support/values.hpp>

#include <sweep/scan.hpp>

#include <set>

using namespace sweep_test;

namespace {

struct float_at {
  std::uint64_t from;
  __device__ float operator()(std::uint64_t i) const { return random_float(from + i); }
};
struct step_at {
  std::uint64_t from;
  __device__ recurrence operator()(std::uint64_t i) const { return random_step(from + i); }
};

template <class T, class Make>
__global__ void fill(T* out, std::uint64_t n, Make make) {
  for (auto i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * blockDim.x)
    out[i] = make(i);
}

/// One number for an array of 4-byte words that changes with every bit and every place.
__global__ void fingerprint(std::uint32_t const* words, std::uint64_t n, unsigned long long* print) {
  unsigned long long sum = 0;
  for (auto i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    auto z = (i << 32 ^ words[i]) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 29) * 0xbf58476d1ce4e5b9u;
    sum += z ^ z >> 32;
  }
  atomicAdd(print, sum);
}

/// Keeps some multiprocessors busy for a while that differs from block to block and from call to call.
__global__ void disturb(std::uint32_t call, float* memory) {
  auto const start = clock64();
  auto const length = 2'000 + static_cast<long long>(scrambled(call * 4096ull + blockIdx.x) % 60'000);
  float x = memory[threadIdx.x];
  while (clock64() - start < length) x = x * 1.0001f + 0.5f;
  memory[threadIdx.x + blockIdx.x % 8 * blockDim.x] = x;
}

template <class T, class Make, class Op>
void one_bit_pattern(std::string const& what, Make make, Op op) {
  std::size_t const n = sanitizing() ? 60'000 : std::size_t{1} << 26, runs = sanitizing() ? 4 : 1000;
  device_array<T> const in(n), out(n);
  device_array<unsigned long long> const prints(std::vector<unsigned long long>(runs, 0));
  device_array<float> const busy(std::vector<float>(8 * 256, 1.0f));
  fill<<<1024, 256>>>(in.begin(), n, make);
  succeed(cudaGetLastError());
  succeed(cudaDeviceSynchronize());
  own_stream const stream, load;
  for (std::size_t run = 0; run < runs; ++run) {
    disturb<<<64 + scrambled(run) % 512, 256, 0, load>>>(static_cast<std::uint32_t>(run), busy.begin());
    sweep::inclusive_scan(sweep::device.on(stream), in.begin(), in.end(), out.begin(), op);
    fingerprint<<<1024, 256, 0, stream>>>(reinterpret_cast<std::uint32_t const*>(out.begin()),
                                          n * sizeof(T) / 4, prints.begin() + run);
    if (run % 64 == 63) {  // enough is queued
      stream.wait();
      load.wait();
    }
  }
  succeed(cudaGetLastError());
  auto const seen = prints.read();
  std::set<unsigned long long> const patterns(seen.begin(), seen.end());
  expect(patterns.size() == 1, what + ": " + std::to_string(patterns.size()) + " bit patterns in " +
                                   std::to_string(runs) + " runs");
  expect(*patterns.begin() != 0, what + ": there is a pattern");
}

}  // namespace

TEST_CASE("device reproducibility: a thousand float sums beside a loaded GPU") {
  one_bit_pattern<float>("sum", float_at{seed()}, add{});
}
TEST_CASE("device reproducibility: a thousand float recurrences, which do not commute, beside a loaded GPU") {
  one_bit_pattern<recurrence>("recurrence", step_at{seed()}, recurrence_then{});
}

TEST_CASE(
    "device reproducibility: random f32 sums are near those in double, with the same bits on every run") {
  random_source random("near");
  auto const x = draw_many<float>(sanitizing() ? 20'000 : 3'000'000, random);
  std::vector<double> const wide(x.begin(), x.end());
  auto const want = scan_oracle<double>(true, false, wide, add{}, std::nullopt);
  device_array<float> const in(x), out(x.size());
  sweep::inclusive_scan(sweep::device, in.begin(), in.end(), out.begin(), add{});
  auto const got = out.read();
  expect_near(got, want, want, "f32 sums");
  for (int run = 0; run < 3; ++run) {
    sweep::inclusive_scan(sweep::device, in.begin(), in.end(), out.begin(), add{});
    expect(out.read() == got, "the same bits again");
  }
}

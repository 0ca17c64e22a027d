// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device_support.cuh"

#include <sweep/axes.hpp>
#include <sweep/policy.hpp>

#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

/// bench_axes: scans and reductions along every axis of an array, against the copy of as many bytes. CUB has
/// no axis; where lines lie along the last one its scan by key, with a line's number for a key, and its
/// segmented reduction, with multiples for offsets, do the same.

namespace bench {

void add_calls_along_axes();  // axes_calls.cu

namespace {

struct array_case {
  std::string name;
  std::int64_t extents[3];
  std::int64_t items() const { return extents[0] * extents[1] * extents[2]; }
  std::int64_t lines(int axis) const { return items() / extents[axis]; }
};

struct line_of {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t i) const { return i / length; }
};
struct start_of {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t line) const { return line * length; }
};

/// Results against their neighbours', which is all that there is to a sum of exact numbers.
template <class T, class R>
__global__ void count_wrong(T const* in, R const* out, std::int64_t n, std::int64_t length, std::int64_t step,
                            bool backward, bool inclusive, unsigned long long* wrong) {
  for (auto i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    auto const nth = i / step % length;
    bool const first = backward ? nth == length - 1 : nth == 0;
    auto const before = backward ? i + step : i - step;
    R want = first ? R{} : out[before];
    if (inclusive) want = want + static_cast<R>(in[i]);
    else if (!first) want = want + static_cast<R>(in[before]);
    if (!(out[i] == want)) atomicAdd(wrong, 1ull);
  }
}

enum class how { forward, backward, exclusive };

template <class T, class R, class Item>
void compare_scan(benchmark::State& state, std::string const& name, array_case const& array, int axis,
                  Item item, how what) {
  auto const n = array.items(), length = array.extents[axis];
  auto* const in = memory().input.get<T>(n);
  auto* const out = memory().output.get<R>(n);
  auto* const wrong = memory().peer_output.get<unsigned long long>(1);
  auto const bytes = static_cast<double>(n) * (sizeof(T) + sizeof(R));
  fill(in, n, item, seed());
  auto const run = [=](std::int64_t) {
    auto const from = sweep::strided(static_cast<T const*>(in), array.extents);
    auto const to = sweep::strided(out, array.extents);
    auto const on = sweep::device.on(stream());
    if (what == how::forward) sweep::inclusive_scan(on, from, to, sweep::along(axis));
    else if (what == how::backward) sweep::inclusive_scan(on, from, to, sweep::along(axis), sweep::backward);
    else sweep::exclusive_scan(on, from, to, sweep::along(axis), R{});
  };
  memory().output.poison(static_cast<std::size_t>(n) * sizeof(R));
  run(0);
  std::int64_t step = 1;
  for (int r = axis + 1; r < 3; ++r) step *= array.extents[r];
  check(cudaMemsetAsync(wrong, 0, sizeof *wrong, stream()), "cudaMemsetAsync");
  count_wrong<<<2048, 256, 0, stream()>>>(in, out, n, length, step, what == how::backward,
                                          what != how::exclusive, wrong);
  unsigned long long found = 1;
  check(cudaMemcpyAsync(&found, wrong, sizeof found, cudaMemcpyDeviceToHost, stream()), "cudaMemcpyAsync");
  wait();
  if (found != 0) return fail(state, name, std::to_string(found) + " wrong results");

  std::vector<contender> contenders{{"sweep", run}};
  if (step == 1 && what == how::forward && std::is_same_v<T, R>) {
    auto const keys =
        thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), line_of{length});
    std::size_t size = 0;
    auto const peer = [=](void* scratch, std::size_t& scratch_bytes) {
      check(cub::DeviceScan::InclusiveSumByKey(scratch, scratch_bytes, keys, in, out, n,
                                               cuda::std::equal_to<>{}, stream()),
            "cub::DeviceScan::InclusiveSumByKey");
    };
    peer(nullptr, size);
    auto* const scratch = memory().scratch.get<std::byte>(static_cast<std::int64_t>(size));
    contenders.push_back({cccl_peer("cub by key"), [=](std::int64_t) {
                            auto bytes_of_scratch = size;
                            peer(scratch, bytes_of_scratch);
                          }});
  }
  contender copy = copy_of(bytes);
  if constexpr (sizeof(T) == sizeof(R)) copy = {"copy", [=](std::int64_t) { copy_bytes(out, in, bytes); }};
  compare(state, {.name = name, .items = n, .min_bytes = bytes, .copy = copy, .contenders = contenders});
}

template <class T, class Item>
void compare_reduce(benchmark::State& state, std::string const& name, array_case const& array, int axis,
                    Item item) {
  auto const n = array.items(), length = array.extents[axis], lines = array.lines(axis);
  auto* const in = memory().input.get<T>(n);
  auto* const out = memory().output.get<T>(std::max(lines, n / 2 + 1));
  auto* const expected = memory().peer_output.get<T>(lines);
  auto const bytes = static_cast<double>(n + lines) * sizeof(T);
  fill(in, n, item, seed());
  auto const run = [=](std::int64_t) {
    std::int64_t left[2];
    for (int r = 0, to = 0; r < 3; ++r)
      if (r != axis) left[to++] = array.extents[r];
    sweep::reduce(sweep::device.on(stream()), sweep::strided(static_cast<T const*>(in), array.extents),
                  sweep::strided(out, left), sweep::along(axis));
  };
  std::vector<contender> contenders{{"sweep", run}};
  if (axis == 2) {
    auto const starts =
        thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), start_of{length});
    std::size_t size = 0;
    auto const peer = [=](void* scratch, std::size_t& scratch_bytes) {
      check(cub::DeviceSegmentedReduce::Sum(scratch, scratch_bytes, in, expected, lines, starts, starts + 1,
                                            stream()),
            "cub::DeviceSegmentedReduce::Sum");
    };
    peer(nullptr, size);
    auto* const scratch = memory().scratch.get<std::byte>(static_cast<std::int64_t>(size) + 1);
    contenders.push_back({cccl_peer("cub segmented"), [=](std::int64_t) {
                            auto bytes_of_scratch = size;
                            peer(scratch, bytes_of_scratch);
                          }});
    memory().output.poison(static_cast<std::size_t>(lines) * sizeof(T));
    run(0);
    contenders.back().run(0);
    wait();
    if (auto const why = differences(out, expected, lines); !why.empty()) return fail(state, name, why);
  }
  auto const half = static_cast<double>(n) * sizeof(T);
  contender const copy{"copy", [=](std::int64_t) { copy_bytes(out, in, half); }};
  compare(state, {.name = name, .items = n, .min_bytes = bytes, .copy = copy, .contenders = contenders});
}

/// The arrays of one million to half a billion items, and axes 0 and 1 of those that have two are axes 1
/// and 2.
std::vector<array_case> arrays() {
  return {{"2^20x32", {1, power(20), 32}},      {"32x2^20", {1, 32, power(20)}},
          {"8192x8192", {1, 8192, 8192}},       {"64x2^20", {1, 64, power(20)}},
          {"256x1024x256", {256, 1024, 256}},   {"2^14x3x2^12", {power(14), 3, power(12)}},
          {"1000x1001x257", {1000, 1001, 257}}, {"7x2^24", {1, 7, power(24)}},
          {"2^24x7", {1, power(24), 7}},        {"4096x64x1024", {4096, 64, 1024}},
          {"64x1024", {1, 64, 1024}},           {"1024x64", {1, 1024, 64}}};
}

template <class Add>
void for_each_axis(std::vector<array_case> const& all, Add add) {
  for (auto const& array : all)
    for (int axis = array.extents[0] == 1 ? 1 : 0; axis < 3; ++axis)
      add(array, axis, array.name + " axis " + std::to_string(array.extents[0] == 1 ? axis - 1 : axis));
}

template <class T, class R, class Item>
void add_scans(std::string const& prefix, how what, Item item, std::vector<array_case> const& all) {
  for_each_axis(all, [&](array_case const& array, int axis, std::string const& detail) {
    add_case(case_name(prefix + "/" + detail, array.items()),
             [=](benchmark::State& state, std::string const& name) {
               compare_scan<T, R>(state, name, array, axis, item, what);
             });
  });
}

void add_cases() {
  using elements::random_sign;
  std::vector<array_case> const few{
      {"2^20x32", {1, power(20), 32}}, {"8192x8192", {1, 8192, 8192}}, {"1000x1001x129", {1000, 1001, 129}}};
  add_scans<float, float>("axes/sum/f32", how::forward, random_sign{}, arrays());
  add_scans<float, float>("axes/sum backward/f32", how::backward, random_sign{}, few);
  add_scans<float, float>("axes/exclusive sum/f32", how::exclusive, random_sign{}, few);
  add_scans<double, double>("axes/sum/f64", how::forward, random_sign{}, few);
  add_scans<std::uint8_t, std::uint32_t>("axes/sum/u8 to u32", how::forward,
                                         elements::random_small<std::uint8_t>{}, few);
  for_each_axis(arrays(), [](array_case const& array, int axis, std::string const& detail) {
    add_case(case_name("axes/reduce/f32/" + detail, array.items()),
             [=](benchmark::State& state, std::string const& name) {
               compare_reduce<float>(state, name, array, axis, random_sign{});
             });
  });
  add_calls_along_axes();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }

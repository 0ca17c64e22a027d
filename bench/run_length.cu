// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device_support.cuh"

#include <sweep/policy.hpp>
#include <sweep/run_length.hpp>

#include <cub/device/device_run_length_encode.cuh>

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>

/// bench_run_length: run lengths against CUB's, and decoding against what Thrust's users write: a scan, a
/// search for every item, a gather. The minimum is one read of the input and one write of the results.

namespace bench {
namespace {

/// Runs of so many items, cut anew every 4096 items; 1: every item is a run.
template <class T>
struct run_item {
  std::int64_t each;
  __host__ __device__ T operator()(std::uint64_t input_seed, std::int64_t i) const {
    auto const block = i >> 12;
    auto const late = static_cast<std::int64_t>(elements::random_bits(input_seed, block) %
                                                static_cast<std::uint64_t>(each));
    return static_cast<T>((i + late) / each + block);
  }
};

struct length_buffers {
  buffer ours, peers, places;
};
length_buffers& lengths_memory() {
  static length_buffers value;
  return value;
}

template <class T>
void compare_encode(benchmark::State& state, std::string const& name, std::int64_t n, std::int64_t each) {
  auto* const in = memory().input.get<T>(n);
  auto* const values = memory().output.get<T>(n);
  auto* const expected = memory().peer_output.get<T>(n);
  auto* const lengths = lengths_memory().ours.get<int>(n);
  auto* const expected_lengths = lengths_memory().peers.get<int>(n);
  fill(in, n, run_item<T>{each}, seed());
  auto const mine = [=](std::int64_t) {
    sweep::run_length_encode_into(sweep::device.on(stream()), in, in + n, values, lengths, counts());
  };
  auto const cub_encode = [=](void* scratch, std::size_t& bytes) {
    check(cub::DeviceRunLengthEncode::Encode(scratch, bytes, in, expected, expected_lengths, counts() + 1, n,
                                             stream()),
          "cub::DeviceRunLengthEncode::Encode");
  };
  std::size_t scratch_bytes = 0;
  cub_encode(nullptr, scratch_bytes);
  auto* const scratch = memory().scratch.get<std::byte>(static_cast<std::int64_t>(scratch_bytes));
  auto const peer = [=](std::int64_t) {
    auto bytes = scratch_bytes;
    cub_encode(scratch, bytes);
  };
  memory().output.poison(n * static_cast<std::int64_t>(sizeof(T)));
  lengths_memory().ours.poison(n * 4);
  mine(0);
  peer(0);
  auto const runs = count_of(0);
  if (runs != count_of(1)) return fail(state, name, "another number of runs");
  if (auto const why = differences(values, expected, runs); !why.empty())
    return fail(state, name, "values against CUB: " + why);
  if (auto const why = differences(lengths, expected_lengths, runs); !why.empty())
    return fail(state, name, "lengths against CUB: " + why);
  auto const bytes = static_cast<double>(n) * sizeof(T) + static_cast<double>(runs) * (sizeof(T) + 4);
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = copy_of(bytes),
                  .contenders = {{"sweep", mine}, {cccl_peer("cub"), peer}}});
}

/// n items out of n / each runs; or out of so many ones and one run of all the rest.
void compare_decode(benchmark::State& state, std::string const& name, std::int64_t n, std::int64_t each,
                    bool one_dense) {
  auto const runs = one_dense ? std::int64_t{1} << 16 : n / each;
  auto* const values = memory().input.get<float>(runs);
  auto* const lengths = lengths_memory().ours.get<int>(runs);
  auto* const ends = lengths_memory().peers.get<int>(runs);
  auto* const places = lengths_memory().places.get<int>(n);
  auto* const out = memory().output.get<float>(n);
  auto* const expected = memory().peer_output.get<float>(n);
  fill(values, runs, elements::random_item<float>{}, seed());
  fill(
      lengths, runs,
      [=] __host__ __device__(std::uint64_t, std::int64_t i) {
        if (one_dense) return i == runs / 3 ? static_cast<int>(n - (runs - 1)) : 1;
        if (i == runs - 1)
          return static_cast<int>(n - each * i - (each > 1 ? i % 2 : 0));  // all of them are n
        // one more and one less in turn
        return static_cast<int>(each == 1 ? 1 : each + (i % 2 == 0 ? 1 : -1));
      },
      seed());
  auto const mine = [=](std::int64_t) {
    sweep::run_length_decode_into(sweep::device.on(stream()), values, values + runs, lengths, out, n,
                                  counts());
  };
  auto const peer = [=](std::int64_t) {
    auto const policy = thrust::cuda::par_nosync.on(stream());
    thrust::inclusive_scan(policy, lengths, lengths + runs, ends);
    thrust::upper_bound(policy, ends, ends + runs, thrust::counting_iterator<int>(0),
                        thrust::counting_iterator<int>(static_cast<int>(n)), places);
    thrust::gather(policy, places, places + n, values, expected);
  };
  memory().output.poison(n * 4);
  mine(0);
  peer(0);
  if (count_of(0) != n) return fail(state, name, "another number of items");
  if (auto const why = differences(out, expected, n); !why.empty())
    return fail(state, name, "against Thrust: " + why);
  auto const bytes = static_cast<double>(runs) * 8 + static_cast<double>(n) * 4;
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = {"copy", [=](std::int64_t) { copy_bytes(out, expected, bytes); }},
                  .contenders = {{"sweep", mine}, {cccl_peer("thrust"), peer}}});
}

template <class T>
void add_encode(std::string const& type) {
  for (std::int64_t const each : {1, 8, 1000})
    for (int const k : {16, 20, 24, 28})
      add_case(case_name("run_length/encode/" + type + "/mean_" + std::to_string(each), power(k)),
               [=](benchmark::State& state, std::string const& name) {
                 compare_encode<T>(state, name, power(k), each);
               });
}

void add_cases() {
  add_encode<std::uint32_t>("u32");
  add_encode<std::uint8_t>("u8");
  add_encode<std::uint64_t>("u64");
  for (std::int64_t const each : {1, 8, 1000})
    for (int const k : {16, 20, 24, 28})
      add_case(case_name("run_length/decode/f32/mean_" + std::to_string(each), power(k)),
               [=](benchmark::State& state, std::string const& name) {
                 compare_decode(state, name, power(k), each, false);
               });
  for (int const k : {20, 28})
    add_case(case_name("run_length/decode/f32/one_dense", power(k)),
             [=](benchmark::State& state, std::string const& name) {
               compare_decode(state, name, power(k), 1, true);
             });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "segments.cuh"

#include <sweep/segmented_reduce.hpp>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/std/functional>

/// bench_segmented_reduce: sums of segments by offsets and by key against CUB. The minimum is one read of the
/// items and of what describes the segments, and one write of the results.

namespace bench {
namespace {

auto policy() { return sweep::device.on(stream()); }

struct case_data {
  float* in;
  float *out, *expected;
  std::int32_t const *offsets, *keys;
  std::int64_t n, count;
};

case_data prepare(std::int64_t n, head_at heads) {
  auto& all = segments_of();
  all.make(n, heads);
  auto* const in = memory().input.get<float>(2 * n);
  fill(in, n, elements::random_item<float>{}, seed());
  return {in,
          memory().output.get<float>(2 * n),
          memory().peer_output.get<float>(2 * n),
          all.offsets.get<std::int32_t>(0),
          all.keys.get<std::int32_t>(0),
          n,
          all.count};
}

/// Any order of evaluation is exact within a segment whose heights are known: sums are differences of
/// heights.
struct height_difference {
  std::int32_t const* offsets;
  __device__ float operator()(std::uint64_t input_seed, std::int64_t s) const {
    return elements::random_item<float>{}.sum(input_seed, offsets[s], offsets[s + 1] - 1);
  }
};

void compare_offsets(benchmark::State& state, std::string const& name, std::int64_t n, head_at heads) {
  auto const c = prepare(n, heads);
  auto const segments = sweep::segments::by_offsets(c.offsets, c.offsets + c.count + 1);
  auto const ours = [=](std::int64_t) {
    sweep::segmented_reduce(policy(), c.in, c.in + c.n, segments, c.out, 0.0f);
  };
  std::size_t bytes = 0;
  auto const peer = [=](void* scratch, std::size_t& size) {
    check(cub::DeviceSegmentedReduce::Sum(scratch, size, c.in, c.expected, c.count, c.offsets, c.offsets + 1,
                                          stream()),
          "cub::DeviceSegmentedReduce::Sum");
  };
  peer(nullptr, bytes);
  auto* const scratch = memory().scratch.get<std::byte>(static_cast<std::int64_t>(bytes));
  memory().output.poison(c.count * 4);
  ours(0);
  fill(c.expected, c.count, height_difference{c.offsets}, seed());
  wait();
  if (auto const why = differences(c.out, c.expected, c.count); !why.empty())
    return fail(state, name, "against what is known: " + why);
  auto const least = static_cast<double>(n) * 4 + static_cast<double>(c.count) * 8 + 4;
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = least,
                  .copy = {"copy", [=](std::int64_t) { copy_bytes(c.out, c.in, least); }},
                  .contenders = {{"sweep", ours}, {cccl_peer("cub"), [=](std::int64_t) {
                                                     auto size = bytes;
                                                     peer(scratch, size);
                                                   }}}});
}

void compare_keys(benchmark::State& state, std::string const& name, std::int64_t n, head_at heads) {
  auto const c = prepare(n, heads);
  auto* const keys_out = reinterpret_cast<std::int32_t*>(c.out + n);
  auto* const peer_keys = reinterpret_cast<std::int32_t*>(c.expected + n);
  auto* const counts = memory().verdict.get<std::int64_t>(4);
  auto const ours = [=](std::int64_t) {
    sweep::reduce_by_key_into(policy(), c.keys, c.keys + n, c.in, keys_out, c.out, counts + 2);
  };
  std::size_t bytes = 0;
  auto const peer = [=](void* scratch, std::size_t& size) {
    check(cub::DeviceReduce::ReduceByKey(scratch, size, c.keys, peer_keys, c.in, c.expected, counts + 3,
                                         cuda::std::plus<>{}, n, stream()),
          "cub::DeviceReduce::ReduceByKey");
  };
  peer(nullptr, bytes);
  auto* const scratch = memory().scratch.get<std::byte>(static_cast<std::int64_t>(bytes));
  memory().output.poison(c.count * 4);
  ours(0);
  auto size = bytes;
  peer(scratch, size);
  wait();
  if (auto const why = differences(c.out, c.expected, c.count); !why.empty())
    return fail(state, name, "against CUB: " + why);
  if (auto const why = differences(keys_out, peer_keys, c.count); !why.empty())
    return fail(state, name, "keys against CUB: " + why);
  auto const least = static_cast<double>(n) * 8 + static_cast<double>(c.count) * 8;
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = least,
                  .copy = {"copy", [=](std::int64_t) { copy_bytes(c.out, c.in, std::min(least, 16.0 * n)); }},
                  .contenders = {{"sweep", ours}, {cccl_peer("cub"), [=](std::int64_t) {
                                                     auto room = bytes;
                                                     peer(scratch, room);
                                                   }}}});
}

void add_cases() {
  for (auto const& layout : layouts)
    add_case(case_name(std::string("segmented_reduce/sum/f32/offsets_") + layout.name, power(26)),
             [=](benchmark::State& state, std::string const& name) {
               compare_offsets(state, name, power(26), head_at{layout.mean});
             });
  for (auto const& layout : layouts)
    add_case(case_name(std::string("segmented_reduce/sum/f32/keys_") + layout.name, power(26)),
             [=](benchmark::State& state, std::string const& name) {
               compare_keys(state, name, power(26), head_at{layout.mean});
             });
  add_case(case_name("segmented_reduce/sum/f32/offsets_mean_128", power(16)),
           [](benchmark::State& state, std::string const& name) {
             compare_offsets(state, name, power(16), head_at{128});
           });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }

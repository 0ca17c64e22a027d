// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device_support.cuh"
#include "segments.cuh"

#include <sweep/policy.hpp>
#include <sweep/segmented_sort.hpp>

#include <cub/device/device_segmented_sort.cuh>

/// bench_segmented_sort: sorts of segments by offsets against CUB's segmented sort and the copy's rate.

namespace bench {
namespace {

void compare_segmented_sorts(benchmark::State& state, std::string const& name, std::int64_t n,
                             head_at const& heads) {
  using T = std::uint32_t;
  auto* const in = memory().input.get<T>(n);
  auto* const out = memory().output.get<T>(n);
  auto* const expected = memory().peer_output.get<T>(n);
  fill(
      in, n,
      [] __host__ __device__(std::uint64_t input_seed, std::int64_t i) {
        return static_cast<T>(elements::random_bits(input_seed, i) >> 32);
      },
      seed());
  auto& all = segments_of();
  all.make(n, heads);
  auto const* const offsets = all.offsets.get<std::int32_t>(0);
  auto const count = all.count;
  auto const bytes = static_cast<double>(n) * 2 * sizeof(T);
  auto const mine = [=](std::int64_t) {
    sweep::segmented_sort_copy(sweep::device.on(stream()), in, in + n,
                               sweep::segments::by_offsets(offsets, offsets + count + 1), out, std::less<>{});
  };
  auto const cub_sort = [=](void* scratch, std::size_t& size) {
    check(cub::DeviceSegmentedSort::StableSortKeys(scratch, size, in, expected, n, count, offsets,
                                                   offsets + 1, stream()),
          "cub::DeviceSegmentedSort::StableSortKeys");
  };
  auto const peer = with_scratch(cub_sort);
  mine(0);
  peer(0);
  wait();
  if (auto const why = differences(out, expected, n); !why.empty())
    return fail(state, name, "against CUB: " + why);
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = {"copy", [=](std::int64_t) { copy_bytes(out, in, bytes); }},
                  .contenders = {{"sweep", mine}, {cccl_peer("cub"), peer}}});
}

void add_cases() {
  struct kind {
    char const* name;
    head_at heads;
    int k;
  };
  kind const kinds[] = {{"length_1000", {0, 1000, 0}, 28}, {"length_4", {0, 4, 0}, 26},
                        {"power_law", {-1}, 27},           {"10_segments", {0, std::int64_t{1} << 22, 0}, 25},
                        {"mean_128", {128}, 20},           {"mean_4096", {4096}, 24}};
  for (auto const& one : kinds)
    add_case(case_name(std::string("segmented_sort/keys/u32/") + one.name, power(one.k)),
             [=](benchmark::State& state, std::string const& name) {
               compare_segmented_sorts(state, name, power(one.k), one.heads);
             });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }

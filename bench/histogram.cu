// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device_support.cuh"

#include <sweep/histogram.hpp>
#include <sweep/policy.hpp>

#include <cub/device/device_histogram.cuh>

/// bench_histogram: histograms against CUB's and the copy's rate. The minimum is one read of the items.

namespace bench {
namespace {

enum class spread { uniform, one_value, power_law };
std::string name_of(spread how) {
  return how == spread::uniform ? "uniform" : how == spread::one_value ? "one_value" : "power_law";
}

/// A random number of [0, 1), of which few take most; times `levels`.
template <class T>
struct spread_item {
  spread how;
  double levels;
  __host__ __device__ T operator()(std::uint64_t input_seed, std::int64_t i) const {
    auto const u = static_cast<double>(elements::random_bits(input_seed, i) >> 11) * 0x1p-53;
    auto const at = how == spread::uniform     ? u * levels
                    : how == spread::one_value ? 0.37 * levels
                                               : ::exp(::log(levels) * u) - 1;
    return static_cast<T>(at < levels ? at : 0);
  }
};

enum class by { even, edges, key };

template <by By, class T>
void compare_histograms(benchmark::State& state, std::string const& name, std::int64_t n, int bins,
                        double levels, spread how) {
  static buffer edge_memory;
  auto* const in = memory().input.get<T>(n);
  auto* const counts = memory().output.get<int>(bins);
  auto* const expected = memory().peer_output.get<int>(bins);
  auto* const edges = edge_memory.get<T>(bins + 1);
  fill(in, n, spread_item<T>{how, levels}, seed());
  fill(
      edges, bins + 1,
      [=] __host__ __device__(std::uint64_t, std::int64_t i) { return static_cast<T>(levels * i / bins); },
      seed());
  // Levels of bytes and the like are integers, so that 256 is one.
  using level = std::conditional_t<std::is_integral_v<T>, int, T>;
  auto const high = static_cast<level>(levels);
  auto const mine = [=](std::int64_t) {
    auto const policy = sweep::device.on(stream());
    if constexpr (By == by::even) sweep::histogram_even(policy, in, in + n, counts, bins, level{0}, high);
    else if constexpr (By == by::edges)
      sweep::histogram_range(policy, in, in + n, counts, edges, edges + bins + 1);
    else sweep::histogram(policy, in, in + n, counts, bins);
  };
  auto const cub_histogram = [=](void* scratch, std::size_t& bytes) {
    if constexpr (By == by::edges)
      check(cub::DeviceHistogram::HistogramRange(scratch, bytes, in, expected, bins + 1, edges, n, stream()),
            "cub::DeviceHistogram::HistogramRange");
    else
      check(cub::DeviceHistogram::HistogramEven(scratch, bytes, in, expected, bins + 1, level{0}, high, n,
                                                stream()),
            "cub::DeviceHistogram::HistogramEven");
  };
  std::size_t scratch_bytes = 0;
  cub_histogram(nullptr, scratch_bytes);
  auto* const scratch = memory().scratch.get<std::byte>(static_cast<std::int64_t>(scratch_bytes));
  auto const peer = [=](std::int64_t) {
    auto bytes = scratch_bytes;
    cub_histogram(scratch, bytes);
  };
  memory().output.poison(bins * 4);
  mine(0);
  peer(0);
  wait();
  if (auto const why = differences(counts, expected, bins); !why.empty())
    return fail(state, name, "against CUB: " + why);
  auto const bytes = static_cast<double>(n) * sizeof(T);
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = {"copy",
                           [=](std::int64_t) {
                             copy_bytes(in, in + n / 2, bytes);  // half is read, half written
                           }},
                  .contenders = {{"sweep", mine}, {cccl_peer("cub"), peer}}});
}

template <by By, class T>
void add(std::string const& what, int bins, double levels,
         std::vector<int> const& powers = {16, 20, 24, 28}) {
  for (auto const how : {spread::uniform, spread::one_value, spread::power_law})
    for (int const k : powers)
      add_case(
          case_name("histogram/" + what + "/" + std::to_string(bins) + "_bins_" + name_of(how), power(k)),
          [=](benchmark::State& state, std::string const& name) {
            compare_histograms<By, T>(state, name, power(k), bins, levels, how);
          });
}

void add_cases() {
  add<by::even, std::uint8_t>("even/u8", 256, 256);
  for (int const bins : {256, 4096, 65536}) add<by::key, std::uint32_t>("key/u32", bins, bins);
  add<by::key, std::uint32_t>("key/u32", 1 << 20, 1 << 20, {24, 28});
  add<by::even, std::uint32_t>("even/u32", 1000, 1e9, {20, 28});
  for (int const bins : {256, 4096}) add<by::even, float>("even/f32", bins, 1024);
  for (int const bins : {256, 4096}) add<by::edges, float>("range/f32", bins, 1000, {20, 28});
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }

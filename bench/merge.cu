// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device_support.cuh"
#include "sorted_items.cuh"

#include <sweep/merge.hpp>
#include <sweep/policy.hpp>

#include <thrust/execution_policy.h>
#include <thrust/merge.h>

#if __has_include(<cub/device/device_merge.cuh>)
#include <cub/device/device_merge.cuh>
#define SWEEP_BENCH_HAS_MERGE 1
#else
#define SWEEP_BENCH_HAS_MERGE 0
#endif

#include <type_traits>

/// bench_merge: merges of two ranges against CUB, Thrust and the copy's rate. The minimum is one read and one
/// write of everything.

namespace bench {
namespace {

/// How the ranges meet: items of both in any order, all of the second first, or all equal.
enum class meeting { mixed, second_first, equal };
char const* name_of(meeting how) {
  constexpr char const* names[] = {"mixed", "second_first", "all_equal"};
  return names[static_cast<int>(how)];
}

/// Sorted: one in every part of all numbers, or of their upper half, of n parts.
template <class T>
struct one_in_every_part {
  std::int64_t n;
  meeting how;
  bool upper;
  __host__ __device__ T operator()(std::uint64_t input_seed, std::int64_t i) const {
    auto const part = ~std::uint64_t{0} / static_cast<std::uint64_t>(n);
    auto at = static_cast<std::uint64_t>(i) * part + elements::random_bits(input_seed, i) % part;
    if (how == meeting::second_first) at = at / 2 + (upper ? std::uint64_t{1} << 63 : 0);
    if (how == meeting::equal) at = 0;
    if constexpr (std::is_same_v<T, entry>) return {at, static_cast<std::uint64_t>(i)};
    else return static_cast<T>(at >> (64 - 8 * sizeof(T)));
  }
};

template <class T, class V>
void compare_merges(benchmark::State& state, std::string const& name, std::int64_t n, meeting how) {
  constexpr bool has_values = !std::is_same_v<V, none>;
  constexpr std::int64_t value_bytes = has_values ? sizeof(V) : 0;
  auto const half = n / 2;
  auto* const in = memory().input.get<T>(n);
  auto* const other = in + half;
  auto* const out = memory().output.get<T>(n);
  auto* const expected = memory().peer_output.get<T>(n);
  auto const moved = numbered_values<V>(n);
  V *const values = moved.in, *const values_out = moved.out, *const values_peer = moved.peer;
  fill(in, half, one_in_every_part<T>{half, how, true}, seed());
  fill(other, n - half, one_in_every_part<T>{n - half, how, false}, seed() + 1);
  auto const mine = [=](std::int64_t) {
    auto const policy = sweep::device.on(stream());
    if constexpr (has_values)
      sweep::merge_by_key(policy, in, other, other, in + n, values, values + half, out, values_out,
                          earlier{});
    else sweep::merge(policy, in, other, other, in + n, out, earlier{});
  };
  auto const thrusts = [=](std::int64_t) {
    auto const policy = thrust::cuda::par_nosync.on(stream());
    if constexpr (has_values)
      thrust::merge_by_key(policy, in, other, other, in + n, values, values + half, expected, values_peer,
                           earlier{});
    else thrust::merge(policy, in, other, other, in + n, expected, earlier{});
  };
  memory().output.poison(n * static_cast<std::int64_t>(sizeof(T)));
  mine(0);
  thrusts(0);
  wait();
  if (auto const why = differences(out, expected, n); !why.empty())
    return fail(state, name, "against Thrust: " + why);
  if constexpr (has_values)
    if (auto const why = differences(values_out, values_peer, n); !why.empty())
      return fail(state, name, "values, against Thrust: " + why);
  std::vector<contender> all{{"sweep", mine}, {cccl_peer("thrust"), thrusts}};
#if SWEEP_BENCH_HAS_MERGE
  auto const cubs = [=](void* scratch, std::size_t& bytes) {
    if constexpr (has_values)
      check(cub::DeviceMerge::MergePairs(scratch, bytes, in, values, half, other, values + half, n - half,
                                         expected, values_peer, earlier{}, stream()),
            "cub::DeviceMerge::MergePairs");
    else
      check(cub::DeviceMerge::MergeKeys(scratch, bytes, in, half, other, n - half, expected, earlier{},
                                        stream()),
            "cub::DeviceMerge::MergeKeys");
  };
  all.push_back({cccl_peer("cub"), with_scratch(cubs)});
#endif
  auto const key_bytes = static_cast<double>(n) * sizeof(T);
  auto const bytes = 2 * static_cast<double>(n) * (sizeof(T) + value_bytes);
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = {"copy",
                           [=](std::int64_t) {
                             copy_bytes(out, in, 2 * key_bytes);
                             if constexpr (has_values) copy_bytes(values_out, values, bytes - 2 * key_bytes);
                           }},
                  .contenders = all});
}

template <class T, class V = none>
void add(std::string const& what, std::vector<int> const& powers, std::vector<meeting> const& meetings) {
  for (auto const how : meetings)
    for (int const k : powers)
      add_case(case_name("merge/" + what + "/" + name_of(how), power(k)),
               [=](benchmark::State& state, std::string const& name) {
                 compare_merges<T, V>(state, name, power(k), how);
               });
}

void add_cases() {
  using enum meeting;
  add<std::uint32_t>("keys/u32", {16, 20, 24, 28}, {mixed});
  add<std::uint32_t>("keys/u32", {28}, {second_first, equal});
  add<std::uint8_t>("keys/u8", {28}, {mixed});
  add<std::uint64_t>("keys/u64", {27}, {mixed});
  add<entry>("keys/16_bytes", {26}, {mixed});
  add<std::uint32_t, std::uint32_t>("pairs/u32_u32", {16, 28}, {mixed});
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }

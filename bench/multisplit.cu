// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device_support.cuh"
#include "sorted_items.cuh"

#include <sweep/multisplit.hpp>
#include <sweep/policy.hpp>

#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <type_traits>

/// bench_multisplit: multisplits against the copy, one digit of CUB's radix sort, and CUB's partition into
/// three parts. The minimum is one read and one write of everything; keys are read once more.

namespace bench {
namespace {

/// Low bits of a key.
struct low_bits {
  int bits;
  __host__ __device__ std::uint32_t operator()(std::uint32_t x) const { return x & ((1u << bits) - 1); }
};
struct is_low_part {
  __host__ __device__ bool operator()(std::uint32_t x) const { return x % 4 == 0; }
};
struct is_high_part {
  __host__ __device__ bool operator()(std::uint32_t x) const { return x % 4 == 1; }
};

enum class spread { uniform, one_part, few_parts };
char const* name_of(spread how) {
  constexpr char const* names[] = {"uniform", "one_part", "few_parts"};
  return names[static_cast<int>(how)];
}

struct spread_key {
  spread how;
  __host__ __device__ std::uint32_t operator()(std::uint64_t input_seed, std::int64_t i) const {
    auto const bits = static_cast<std::uint32_t>(elements::random_bits(input_seed, i));
    return how == spread::uniform ? bits : how == spread::one_part ? bits & ~255u | 37 : bits & ~250u;
  }
};

template <class V>
void compare_multisplits(benchmark::State& state, std::string const& name, std::int64_t n, int bits,
                         spread how) {
  static buffer offset_memory;
  constexpr bool has_values = !std::is_same_v<V, none>;
  auto* const in = memory().input.get<std::uint32_t>(n);
  auto* const out = memory().output.get<std::uint32_t>(n);
  auto* const expected = memory().peer_output.get<std::uint32_t>(n);
  auto* const offsets = offset_memory.get<std::int64_t>((1 << bits) + 1);
  auto const moved = numbered_values<V>(n);
  V *const values = moved.in, *const values_out = moved.out, *const values_peer = moved.peer;
  fill(in, n, spread_key{how}, seed());
  auto const mine = [=](std::int64_t) {
    auto const policy = sweep::device.on(stream());
    if constexpr (has_values)
      sweep::multisplit_by_key_into(policy, in, in + n, values, out, values_out, offsets, 1 << bits,
                                    low_bits{bits});
    else sweep::multisplit_into(policy, in, in + n, out, offsets, 1 << bits, low_bits{bits});
  };
  // One digit: CUB makes as many passes as 8 bits fit in.
  auto const cub_digit = [=](void* scratch, std::size_t& bytes) {
    if constexpr (has_values)
      check(cub::DeviceRadixSort::SortPairs(scratch, bytes, in, expected, values, values_peer, n, 0, bits,
                                            stream()),
            "cub::DeviceRadixSort::SortPairs");
    else
      check(cub::DeviceRadixSort::SortKeys(scratch, bytes, in, expected, n, 0, bits, stream()),
            "cub::DeviceRadixSort::SortKeys");
  };
  auto const peer = with_scratch(cub_digit);
  memory().output.poison(n * 4);
  mine(0);
  peer(0);
  wait();
  if (auto const why = differences(out, expected, n); !why.empty())
    return fail(state, name, "against CUB: " + why);
  if constexpr (has_values)
    if (auto const why = differences(values_out, values_peer, n); !why.empty())
      return fail(state, name, "values, against CUB: " + why);
  auto const bytes = 2.0 * static_cast<double>(n) * (4 + (has_values ? sizeof(V) : 0));
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = {"copy",
                           [=](std::int64_t) {
                             copy_bytes(out, in, static_cast<double>(n) * 8);
                             if constexpr (has_values)
                               copy_bytes(values_out, values, 2.0 * static_cast<double>(n) * sizeof(V));
                           }},
                  .contenders = {{"sweep", mine}, {cccl_peer("cub"), peer}}});
}

/// Into three parts, as many as CUB's partition makes, which leaves them in three outputs.
void compare_with_partition(benchmark::State& state, std::string const& name, std::int64_t n) {
  static buffer offset_memory, second_memory, third_memory;
  auto* const in = memory().input.get<std::uint32_t>(n);
  auto* const out = memory().output.get<std::uint32_t>(n);
  auto* const first = memory().peer_output.get<std::uint32_t>(n);
  auto* const second = second_memory.get<std::uint32_t>(n);
  auto* const third = third_memory.get<std::uint32_t>(n);
  auto* const offsets = offset_memory.get<std::int64_t>(8);
  fill(in, n, spread_key{spread::uniform}, seed());
  auto const mine = [=](std::int64_t) {
    sweep::multisplit_into(sweep::device.on(stream()), in, in + n, out, offsets, 3,
                           [] __host__ __device__(std::uint32_t x) {
                             return x % 4 == 0 ? 0 : x % 4 == 1 ? 1 : 2;
                           });
  };
  auto const cub_partition = [=](void* scratch, std::size_t& bytes) {
    check(cub::DevicePartition::If(scratch, bytes, in, first, second, third, offsets + 4, n, is_low_part{},
                                   is_high_part{}, stream()),
          "cub::DevicePartition::If");
  };
  auto const peer = with_scratch(cub_partition);
  mine(0);
  peer(0);
  wait();
  auto const bytes = 8.0 * static_cast<double>(n);
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = {"copy", [=](std::int64_t) { copy_bytes(out, in, bytes); }},
                  .contenders = {{"sweep", mine}, {cccl_peer("cub_partition"), peer}}});
}

template <class V>
void add(std::string const& what, int bits, spread how, std::vector<int> const& powers) {
  for (int const k : powers)
    add_case(case_name("multisplit/" + what + "/" + std::to_string(1 << bits) + "_parts_" + name_of(how),
                       power(k)),
             [=](benchmark::State& state, std::string const& name) {
               compare_multisplits<V>(state, name, power(k), bits, how);
             });
}

void add_cases() {
  for (int const bits : {3, 6, 8}) {
    add<none>("keys/u32", bits, spread::uniform, {13, 16, 20, 24, 28});
    add<std::uint32_t>("by_key/u32_u32", bits, spread::uniform, {13, 16, 20, 24, 28});
  }
  for (auto const how : {spread::one_part, spread::few_parts}) {
    add<none>("keys/u32", 8, how, {28});
    add<std::uint32_t>("by_key/u32_u32", 8, how, {28});
  }
  add<std::uint64_t>("by_key/u32_u64", 8, spread::uniform, {27});
  add<none>("keys/u32", 12, spread::uniform, {20, 28});
  add<std::uint32_t>("by_key/u32_u32", 16, spread::uniform, {20, 28});
  for (int const k : {20, 28})
    add_case(case_name("multisplit/keys/u32/3_parts", power(k)),
             [=](benchmark::State& state, std::string const& name) {
               compare_with_partition(state, name, power(k));
             });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }

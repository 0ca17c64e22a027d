// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device_support.cuh"
#include "sorted_items.cuh"

#include <sweep/policy.hpp>
#include <sweep/sort.hpp>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <type_traits>

/// bench_sort: sorts against CUB's radix and merge sorts, and the copy's rate. The minimum is one read and
/// one write of everything; a sort of many digits cannot reach it.

namespace bench {
namespace {

enum class spread { uniform, half_entropy, fifth_entropy, sorted, reversed, equal, sixteen };
char const* name_of(spread how) {
  constexpr char const* names[] = {"uniform",  "entropy_0.5", "entropy_0.2", "sorted",
                                   "reversed", "all_equal",   "16_distinct"};
  return names[static_cast<int>(how)];
}

/// Random bits with as much entropy as their kind says, by ands of several.
template <class T>
struct spread_key {
  spread how;
  std::int64_t n;
  __host__ __device__ T operator()(std::uint64_t input_seed, std::int64_t i) const {
    auto bits = elements::random_bits(input_seed, i);
    auto const ands = how == spread::half_entropy ? 2 : how == spread::fifth_entropy ? 4 : 0;
    for (int k = 1; k <= ands; ++k)
      bits &= elements::random_bits(input_seed, i, static_cast<std::uint64_t>(k));
    auto const place = static_cast<double>(i) / static_cast<double>(n);
    if (how == spread::sorted) bits = static_cast<std::uint64_t>(place * 0x1p63);
    if (how == spread::reversed) bits = static_cast<std::uint64_t>((1 - place) * 0x1p63);
    if (how == spread::equal) bits = 0x5555555555555555;
    if (how == spread::sixteen) bits = (bits & 15) * 0x0f0f0f0f0f0f0f0f;
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-53);
    else if constexpr (std::is_same_v<T, entry>) return {bits, static_cast<std::uint64_t>(i)};
    else if constexpr (std::is_same_v<T, text>) return text::of(bits, static_cast<std::uint64_t>(i));
    else return static_cast<T>(bits >> (64 - 8 * (sizeof(T) < 8 ? sizeof(T) : 8)));
  }
};

enum class by { radix, comparison };

template <by By, class T, class V>
void compare_sorts(benchmark::State& state, std::string const& name, std::int64_t n, spread how) {
  constexpr bool has_values = !std::is_same_v<V, none>;
  constexpr std::int64_t value_bytes = has_values ? sizeof(V) : 0;
  auto* const in = memory().input.get<T>(n);
  auto* const out = memory().output.get<T>(n);
  auto* const expected = memory().peer_output.get<T>(n);
  auto const moved = numbered_values<V>(n);
  V *const values = moved.in, *const values_out = moved.out, *const values_peer = moved.peer;
  fill(in, n, spread_key<T>{how, n}, seed());
  auto const mine = [=](std::int64_t) {
    auto const policy = sweep::device.on(stream());
    using order = std::conditional_t<By == by::radix, std::less<>, earlier>;
    if constexpr (has_values) sweep::sort_by_key_copy(policy, in, in + n, values, out, values_out, order{});
    else sweep::sort_copy(policy, in, in + n, out, order{});
  };
  auto const cub_sort = [=](void* scratch, std::size_t& bytes) {
    constexpr int end = static_cast<int>(sizeof(T)) * 8;
    if constexpr (By == by::radix && has_values)
      check(cub::DeviceRadixSort::SortPairs(scratch, bytes, in, expected, values, values_peer, n, 0, end,
                                            stream()),
            "cub::DeviceRadixSort::SortPairs");
    else if constexpr (By == by::radix)
      check(cub::DeviceRadixSort::SortKeys(scratch, bytes, in, expected, n, 0, end, stream()),
            "cub::DeviceRadixSort::SortKeys");
    else if constexpr (has_values)
      check(cub::DeviceMergeSort::SortPairsCopy(scratch, bytes, in, values, expected, values_peer, n,
                                                earlier{}, stream()),
            "cub::DeviceMergeSort::SortPairsCopy");
    else
      check(cub::DeviceMergeSort::SortKeysCopy(scratch, bytes, in, expected, n, earlier{}, stream()),
            "cub::DeviceMergeSort::SortKeysCopy");
  };
  auto const peer = with_scratch(cub_sort);
  memory().output.poison(n * static_cast<std::int64_t>(sizeof(T)));
  mine(0);
  peer(0);
  wait();
  if (auto const why = differences(out, expected, n); !why.empty())
    return fail(state, name, "against CUB: " + why);
  if constexpr (has_values)
    if (auto const why = differences(values_out, values_peer, n); !why.empty())
      return fail(state, name, "values, against CUB: " + why);
  auto const bytes = 2 * static_cast<double>(n) * (sizeof(T) + value_bytes);
  auto const key_bytes = static_cast<double>(n) * sizeof(T);
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = {"copy",
                           [=](std::int64_t) {
                             copy_bytes(out, in, 2 * key_bytes);
                             if constexpr (has_values) copy_bytes(values_out, values, bytes - 2 * key_bytes);
                           }},
                  .contenders = {{"sweep", mine}, {cccl_peer("cub"), peer}}});
}

template <by By, class T, class V = none>
void add(std::string const& what, std::vector<int> const& powers, std::vector<spread> const& spreads) {
  for (auto const how : spreads)
    for (int const k : powers)
      add_case(case_name("sort/" + what + "/" + name_of(how), power(k)),
               [=](benchmark::State& state, std::string const& name) {
                 compare_sorts<By, T, V>(state, name, power(k), how);
               });
}

__extension__ using i128 = __int128;

void add_cases() {
  using enum spread;
  std::vector<spread> const all{uniform, half_entropy, fifth_entropy, sorted, reversed, equal, sixteen},
      some{uniform, fifth_entropy, sorted};
  std::vector<int> const small{10, 12, 14, 16, 17, 18, 20, 22};
  add<by::radix, std::uint32_t>("keys/u32", {24, 28}, all);
  add<by::radix, std::uint32_t>("keys/u32", small, {uniform});
  add<by::radix, std::uint64_t>("keys/u64", {16, 20, 24, 27}, some);
  add<by::radix, std::uint8_t>("keys/u8", {16, 28}, some);
  add<by::radix, std::uint16_t>("keys/u16", {16, 28}, some);
  add<by::radix, float>("keys/f32", {16, 28}, some);
  add<by::radix, double>("keys/f64", {16, 27}, some);
  add<by::radix, i128>("keys/i128", {16, 26}, {uniform});
  add<by::radix, std::uint32_t, std::uint32_t>("pairs/u32_u32", {16, 20, 24, 28}, some);
  add<by::radix, std::uint64_t, std::uint32_t>("pairs/u64_u32", {20, 27}, {uniform});
  add<by::comparison, std::uint32_t>("comparison/u32", {16, 20, 24, 28}, some);
  add<by::comparison, entry>("comparison/16_bytes", {16, 20, 26}, some);
  add<by::comparison, text>("comparison/strings_of_16_bytes", {16, 20, 26}, some);
  add<by::comparison, std::uint32_t, std::uint32_t>("comparison_pairs/u32_u32", {20, 28}, {uniform});
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }

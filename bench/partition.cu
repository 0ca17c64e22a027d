// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device_support.cuh"

#include <sweep/copy_if.hpp>
#include <sweep/partition.hpp>
#include <sweep/policy.hpp>

#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

/// bench_partition: compactions against CUB and the copy's rate. The minimum is one read of the items and one
/// write of those that are kept; where flags decide, one read of the flags, too, and of the kept items alone.

namespace bench {
namespace {

template <class T, class Pred>
auto cub_select(T const* in, T* out, std::int64_t n, Pred pred) {
  return with_scratch([=](void* scratch, std::size_t& bytes) {
    check(cub::DeviceSelect::If(scratch, bytes, in, out, counts() + 1, n, pred, stream()),
          "cub::DeviceSelect::If");
  });
}

/// `kept` of ours at `out` against CUB's selection.
template <class T, class Pred>
std::string wrong_selection(T const* in, T const* out, std::int64_t kept, std::int64_t n, Pred pred) {
  auto* const expected = memory().peer_output.get<T>(n);
  cub_select(in, expected, n, pred)(0);
  if (auto const want = count_of(1); want != kept)
    return std::to_string(kept) + " items are kept instead of " + std::to_string(want);
  return differences(out, expected, kept);
}

template <class T>
void compare_copy_if(benchmark::State& state, std::string const& name, std::int64_t n, float share) {
  auto* const in = memory().input.get<T>(n);
  auto* const out = memory().output.get<T>(n);
  fill(in, n, elements::random_high_bits<T>{}, seed());
  elements::below const pred{share};
  auto const ours = [=](std::int64_t) {
    sweep::copy_if_into(sweep::device.on(stream()), in, in + n, out, counts(), pred);
  };
  memory().output.poison(n * static_cast<std::int64_t>(sizeof(T)));
  ours(0);
  auto const kept = count_of(0);
  if (auto const why = wrong_selection(in, out, kept, n, pred); !why.empty()) return fail(state, name, why);
  auto const bytes = static_cast<double>(n + kept) * sizeof(T);
  auto* const peer_out = memory().peer_output.get<T>(n);
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = {"copy", [=](std::int64_t) { copy_bytes(out, in, bytes); }},
                  .contenders = {{"sweep", ours}, {cccl_peer("cub"), cub_select(in, peer_out, n, pred)}}});
}

/// Flags of one byte.
template <class T>
void compare_pack(benchmark::State& state, std::string const& name, std::int64_t n, float share) {
  auto* const in = memory().input.get<T>(n);
  auto* const out = memory().output.get<T>(n);
  static buffer flag_memory;
  auto* const flags = flag_memory.get<std::uint8_t>(n);
  fill(in, n, elements::random_high_bits<T>{}, seed());
  fill(
      flags, n,
      [share] __host__ __device__(std::uint64_t input_seed, std::int64_t i) {
        return static_cast<std::uint8_t>(
            elements::below{share}(elements::random_high_bits<std::uint32_t>{}(input_seed + 1, i)));
      },
      seed());
  auto const ours = [=](std::int64_t) {
    sweep::pack_into(sweep::device.on(stream()), in, in + n, flags, out, counts());
  };
  auto const flagged = [=](T* to) {
    return with_scratch([=](void* scratch, std::size_t& size) {
      check(cub::DeviceSelect::Flagged(scratch, size, in, flags, to, counts() + 1, n, stream()),
            "cub::DeviceSelect::Flagged");
    });
  };
  auto* const peer_out = memory().peer_output.get<T>(n);
  auto const peer = flagged(peer_out);
  memory().output.poison(n * static_cast<std::int64_t>(sizeof(T)));
  ours(0);
  peer(0);
  auto const kept = count_of(0);
  if (kept != count_of(1)) return fail(state, name, "another number of items is kept");
  if (auto const why = differences(out, peer_out, kept); !why.empty()) return fail(state, name, why);
  auto const bytes = static_cast<double>(2 * kept) * sizeof(T) + static_cast<double>(n);
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = {"copy", [=](std::int64_t) { copy_bytes(out, in, bytes); }},
                  .contenders = {{"sweep", ours}, {cccl_peer("cub"), peer}}});
}

/// CUB's partition turns the order of what it rejects; ours is compared with two selections.
template <class T>
void compare_partition(benchmark::State& state, std::string const& name, std::int64_t n, float share) {
  auto* const in = memory().input.get<T>(n);
  auto* const out = memory().output.get<T>(2 * n);
  fill(in, n, elements::random_high_bits<T>{}, seed());
  elements::below const pred{share};
  auto const ours = [=](std::int64_t) {
    sweep::stable_partition_copy_into(sweep::device.on(stream()), in, in + n, out, out + n, counts(), pred);
  };
  memory().output.poison(2 * n * static_cast<std::int64_t>(sizeof(T)));
  ours(0);
  auto const kept = count_of(0);
  if (auto const why = wrong_selection(in, out, kept, n, pred); !why.empty()) return fail(state, name, why);
  if (auto const why = wrong_selection(in, out + n, n - kept, n, elements::not_below{pred}); !why.empty())
    return fail(state, name, "rejected: " + why);
  auto const bytes = static_cast<double>(2 * n) * sizeof(T);
  auto* const peer_out = memory().peer_output.get<T>(n);
  auto const peer = with_scratch([=](void* scratch, std::size_t& size) {
    check(cub::DevicePartition::If(scratch, size, in, peer_out, counts() + 1, n, pred, stream()),
          "cub::DevicePartition::If");
  });
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = {"copy", [=](std::int64_t) { copy_bytes(out, in, bytes); }},
                  .contenders = {{"sweep", ours}, {cccl_peer("cub"), peer}}});
}

/// family/algorithm/type/share/2^k
template <class Run>
void add_sizes(std::string const& prefix, Run run, std::vector<int> const& powers = {16, 20, 24, 28}) {
  for (int const k : powers)
    add_case(case_name(prefix, power(k)),
             [=](benchmark::State& state, std::string const& name) { run(state, name, power(k)); });
}

std::string percent(float share) { return std::to_string(static_cast<int>(share * 100 + 0.5f)) + "_percent"; }

template <class T>
void add_copy_if(std::string const& type, float share) {
  add_sizes("partition/copy_if/" + type + "/" + percent(share),
            [=](benchmark::State& state, std::string const& name, std::int64_t n) {
              compare_copy_if<T>(state, name, n, share);
            });
}
template <class T>
void add_partition(std::string const& type, float share) {
  add_sizes("partition/stable_partition_copy/" + type + "/" + percent(share),
            [=](benchmark::State& state, std::string const& name, std::int64_t n) {
              compare_partition<T>(state, name, n, share);
            });
}

void add_cases() {
  for (float const share : {0.01f, 0.5f, 0.99f}) add_copy_if<std::uint32_t>("u32", share);
  add_copy_if<std::uint8_t>("u8", 0.5f);
  add_copy_if<std::uint16_t>("u16", 0.5f);
  add_copy_if<std::uint64_t>("u64", 0.5f);
  add_copy_if<elements::vec4>("vec4_f32", 0.5f);
  for (float const share : {0.01f, 0.5f})
    add_sizes("partition/pack/u32/" + percent(share),
              [=](benchmark::State& state, std::string const& name, std::int64_t n) {
                compare_pack<std::uint32_t>(state, name, n, share);
              });
  add_partition<std::uint32_t>("u32", 0.5f);
  add_partition<std::uint8_t>("u8", 0.5f);
  add_partition<std::uint16_t>("u16", 0.5f);
  add_partition<std::uint64_t>("u64", 0.5f);
  add_partition<elements::vec4>("vec4_f32", 0.5f);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }

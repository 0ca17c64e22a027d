// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "papers_cases.cuh"

#include "sorted_items.cuh"

#include <sweep/sort.hpp>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

/// Sorts by every variant: of 32-bit integers from 2^10 on, among them the 4M of Sengupta 2007, of structs by
/// a comparison, and Dotsenko's experiment of 2008, the sort of one bit a pass over several scans.

namespace bench {
namespace {

namespace variant = sweep::variant;

struct random_key {
  __host__ __device__ std::uint32_t operator()(std::uint64_t input_seed, std::int64_t i) const {
    return static_cast<std::uint32_t>(elements::random_bits(input_seed, i) >> 32);
  }
};
struct random_entry {
  __host__ __device__ entry operator()(std::uint64_t input_seed, std::int64_t i) const {
    return {elements::random_bits(input_seed, i), static_cast<std::uint64_t>(i)};
  }
};
/// All equal, so that neighbours stay neighbours in every pass; or the numbers in order, which each pass
/// pulls apart.
struct equal_key {
  __host__ __device__ std::uint32_t operator()(std::uint64_t, std::int64_t) const { return 0x55555555; }
};
struct own_index {
  __host__ __device__ std::uint32_t operator()(std::uint64_t, std::int64_t i) const {
    return static_cast<std::uint32_t>(i);
  }
};

/// What a sort by these tags is in a comparison.
template <class T, class Order, class... Tags>
contender sorted_by(std::string name, T const* in, T* out, std::int64_t n, Order order, Tags... tags) {
  return {std::move(name),
          [=](std::int64_t) {
            auto const with = [](auto self, auto policy, auto first, auto... rest) {
              if constexpr (sizeof...(rest) == 0) return policy.with(first);
              else return self(self, policy.with(first), rest...);
            };
            auto const policy = sweep::device.on(stream());
            if constexpr (sizeof...(tags) == 0) sweep::sort_copy(policy, in, in + n, out, order);
            else sweep::sort_copy(with(with, policy, tags...), in, in + n, out, order);
          },
          true};
}

/// All contenders against the peer, which comes last; then their times.
template <class T>
void compare_sorts(benchmark::State& state, std::string const& name, std::int64_t n,
                   std::vector<contender> contenders, contender const& peer) {
  auto const bytes = 2 * static_cast<double>(n) * sizeof(T);
  auto* const in = memory().input.get<T>(n);
  auto* const out = memory().output.get<T>(n);
  auto* const expected = memory().peer_output.get<T>(n);
  peer.run(0);
  for (auto const& who : contenders) {
    if (!who.ours) continue;
    memory().output.poison(n * static_cast<std::int64_t>(sizeof(T)));
    who.run(0);
    wait();
    if (auto const why = differences(out, expected, n); !why.empty())
      return fail(state, name, who.name + " against CUB: " + why);
  }
  contenders.front().ours = false;
  contenders.push_back(peer);
  compare(state, {name, n, bytes, {"copy", [=](std::int64_t) { copy_bytes(out, in, bytes); }}, contenders});
}

contender cub_radix_sort(std::uint32_t const* in, std::uint32_t* out, std::int64_t n) {
  return {cccl_peer("cub"), with_scratch([=](void* scratch, std::size_t& bytes) {
            check(cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, n, 0, 32, stream()),
                  "cub::DeviceRadixSort::SortKeys");
          })};
}

void compare_integers(benchmark::State& state, std::string const& name, std::int64_t n) {
  auto* const in = memory().input.get<std::uint32_t>(n);
  auto* const out = memory().output.get<std::uint32_t>(n);
  auto* const expected = memory().peer_output.get<std::uint32_t>(n);
  fill(in, n, random_key{}, seed());
  wait();
  std::less<> const order;
  std::vector<contender> contenders{
      sorted_by("sweep", in, out, n, order),
      sorted_by("radix", in, out, n, order, variant::radix),
      sorted_by("radix_msd", in, out, n, order, variant::radix_msd),
      sorted_by("sample", in, out, n, order, variant::sample),
      sorted_by("merge", in, out, n, order, variant::merge),
      sorted_by("split_radix", in, out, n, order, variant::split_radix),
      sorted_by("radix_merge", in, out, n, order, variant::radix_merge),
      sorted_by("quicksort", in, out, n, order, variant::quicksort),
  };
  if (n <= 4096) contenders.push_back(sorted_by("bitonic", in, out, n, order, variant::bitonic));
  compare_sorts<std::uint32_t>(state, name, n, contenders, cub_radix_sort(in, expected, n));
}

/// The standard library's sort, of a copy in the host's memory by one thread, beside the default.
void compare_with_serial(benchmark::State& state, std::string const& name, std::int64_t n) {
  auto* const in = memory().input.get<std::uint32_t>(n);
  auto* const out = memory().output.get<std::uint32_t>(n);
  fill(in, n, random_key{}, seed());
  std::vector<std::uint32_t> given(static_cast<std::size_t>(n));
  wait();
  check(cudaMemcpy(given.data(), in, given.size() * 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
  auto const bytes = 8 * static_cast<double>(n);
  auto const mine = sorted_by("sweep", in, out, n, std::less<>{});
  stopwatch watch;
  std::vector<double> copies, ours, serial;
  for (auto _ : state) {
    copies.push_back(watch.us(calls_for(bytes), [=](std::int64_t) { copy_bytes(out, in, bytes); }));
    ours.push_back(watch.us(calls_for(bytes), mine.run));
    auto sorted = given;
    auto const start = std::chrono::steady_clock::now();
    std::sort(sorted.begin(), sorted.end());
    std::chrono::duration<double, std::micro> const took = std::chrono::steady_clock::now() - start;
    serial.push_back(took.count());
    state.SetIterationTime(ours.back() * 1e-6);
  }
  report(state, name, n, bytes, median(copies), ceiling(),
         {{"sweep", median(ours)}, {"std::sort", median(serial)}});
}

void compare_structs(benchmark::State& state, std::string const& name, std::int64_t n) {
  auto* const in = memory().input.get<entry>(n);
  auto* const out = memory().output.get<entry>(n);
  auto* const expected = memory().peer_output.get<entry>(n);
  fill(in, n, random_entry{}, seed());
  compare_sorts<entry>(
      state, name, n,
      {sorted_by("sweep", in, out, n, earlier{}), sorted_by("sample", in, out, n, earlier{}, variant::sample),
       sorted_by("quicksort", in, out, n, earlier{}, variant::quicksort)},
      {cccl_peer("cub"), with_scratch([=](void* scratch, std::size_t& bytes) {
         check(cub::DeviceMergeSort::SortKeysCopy(scratch, bytes, in, expected, n, earlier{}, stream()),
               "cub::DeviceMergeSort::SortKeysCopy");
       })});
}

/// Dotsenko 2008, section 5.3.
template <class Key>
void compare_scans_of_splits(benchmark::State& state, std::string const& name, std::int64_t n, Key key) {
  auto* const in = memory().input.get<std::uint32_t>(n);
  auto* const out = memory().output.get<std::uint32_t>(n);
  auto* const expected = memory().peer_output.get<std::uint32_t>(n);
  fill(in, n, key, seed());
  std::less<> const order;
  auto const by = [=](std::string const& called, auto... tags) {
    return sorted_by(called, in, out, n, order, variant::split_radix, tags...);
  };
  compare_sorts<std::uint32_t>(state, name, n,
                               {sorted_by("sweep", in, out, n, order), by("ordered_lookback"),
                                by("matrix", variant::reduce_then_scan, variant::matrix),
                                by("tree", variant::scan_then_propagate, variant::blelloch),
                                by("tree_padded", variant::scan_then_propagate, variant::blelloch_padded),
                                by("hillis_steele", variant::scan_then_propagate, variant::hillis_steele),
                                by("chained", variant::chained),
                                by("reduce_then_scan", variant::reduce_then_scan)},
                               cub_radix_sort(in, expected, n));
}

}  // namespace

void add_sorts() {
  for (int const k : {10, 12, 14, 16, 17, 18, 20, 22, 24, 26, 28})
    add_case(
        case_name("papers/sort/u32/uniform", power(k)),
        [=](benchmark::State& state, std::string const& name) { compare_integers(state, name, power(k)); },
        paper_rounds);
  add_case(
      case_name("papers/sort_serial/u32/uniform", power(22)),
      [](benchmark::State& state, std::string const& name) { compare_with_serial(state, name, power(22)); },
      paper_rounds);
  for (int const k : {12, 16, 20, 24, 26})
    add_case(
        case_name("papers/sort/16_bytes/comparison", power(k)),
        [=](benchmark::State& state, std::string const& name) { compare_structs(state, name, power(k)); },
        paper_rounds);
  for (int const k : {16, 20, 22, 24}) {
    add_case(
        case_name("papers/split_radix/u32/best", power(k)),
        [=](benchmark::State& state, std::string const& name) {
          compare_scans_of_splits(state, name, power(k), equal_key{});
        },
        paper_rounds);
    add_case(
        case_name("papers/split_radix/u32/worst", power(k)),
        [=](benchmark::State& state, std::string const& name) {
          compare_scans_of_splits(state, name, power(k), own_index{});
        },
        paper_rounds);
  }
}

}  // namespace bench

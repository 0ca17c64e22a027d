// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cub_find.cuh"
#include "device_support.cuh"

#include <sweep/count.hpp>
#include <sweep/extrema.hpp>
#include <sweep/is_sorted.hpp>
#include <sweep/policy.hpp>
#include <sweep/reduce.hpp>
#include <sweep/search.hpp>

#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/sort.h>

/// bench_search: counts, extrema, inner products and searches against CUB, Thrust and the copy's rate. The
/// minimum is one read of the items, up to what is found. What Thrust has alone returns a value and waits;
/// such cases are called `returned`, and Sweep returns the value there too.

namespace bench {
namespace {

auto policy() { return sweep::device.on(stream()); }
auto thrusts() { return thrust::cuda::par_nosync.on(stream()); }

/// The results of ours and of a peer: each one integer.
struct verdicts {
  std::int64_t* mine = memory().verdict.get<std::int64_t>(4);
  std::int64_t* peers = mine + 1;
};

/// Compares what both have written, and their rates. Peer is a call of CUB's, or nothing.
template <class Mine, class Peer>
void compare_written(benchmark::State& state, std::string const& name, std::int64_t n, double bytes,
                     void const* in, Mine mine, Peer peer) {
  auto* const out = memory().output.get<std::byte>(static_cast<std::int64_t>(bytes));
  verdicts const at;
  check(cudaMemsetAsync(at.mine, 0xa5, 2 * sizeof(std::int64_t), stream()), "cudaMemsetAsync");
  std::size_t scratch_bytes = 0;
  peer(nullptr, scratch_bytes, at.peers);
  auto* const scratch = memory().scratch.get<std::byte>(static_cast<std::int64_t>(scratch_bytes));
  mine(at.mine);
  peer(scratch, scratch_bytes, at.peers);
  wait();
  if (value_of(at.mine) != value_of(at.peers))
    return fail(state, name,
                "against CUB: " + std::to_string(value_of(at.mine)) + ", not " +
                    std::to_string(value_of(at.peers)));
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = {"copy", [=](std::int64_t) { copy_bytes(out, in, bytes); }},
                  .contenders = {{"sweep", [=](std::int64_t) { mine(at.mine); }},
                                 {cccl_peer("cub"), [=](std::int64_t) {
                                    auto size = scratch_bytes;
                                    peer(scratch, size, at.peers);
                                  }}}});
}

/// Compares what both return, and their rates.
template <class Mine, class Peer>
void compare_returned(benchmark::State& state, std::string const& name, std::int64_t n, double bytes,
                      void const* in, Mine mine, Peer peer) {
  auto* const out = memory().output.get<std::byte>(static_cast<std::int64_t>(bytes));
  if (!(mine() == peer())) return fail(state, name, "another result than Thrust's");
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = {"copy", [=](std::int64_t) { copy_bytes(out, in, bytes); }},
                  .contenders = {{"sweep", [=](std::int64_t) { static_cast<void>(mine()); }},
                                 {cccl_peer("thrust"), [=](std::int64_t) { static_cast<void>(peer()); }}}});
}

template <class T, class Item>
T* filled(std::int64_t n, Item item, std::uint64_t input_seed = seed()) {
  auto* const in = memory().input.get<T>(n);
  fill(in, n, item, input_seed);
  return in;
}

// ---- Counts
// ------------------------------------------------------------------------------------------------

template <class T>
struct is_positive {
  __host__ __device__ bool operator()(T x) const { return T{0} < x; }
};
template <class T>
struct one_if_positive {
  __host__ __device__ std::int64_t operator()(T x) const { return T{0} < x ? 1 : 0; }
};

template <class T, class Item>
void add_counts(std::string const& type, Item item, std::vector<int> const& powers) {
  for (int const k : powers) {
    auto const n = power(k);
    auto const bytes = static_cast<double>(n) * sizeof(T);
    add_case(case_name("count/count_if/" + type + "/written", n), [=](auto& state, auto const& name) {
      auto* const in = filled<T>(n, item);
      compare_written(
          state, name, n, bytes, in,
          [=](std::int64_t* out) { sweep::count_if_into(policy(), in, in + n, out, is_positive<T>{}); },
          [=](void* scratch, std::size_t& size, std::int64_t* out) {
            check(cub::DeviceReduce::TransformReduce(scratch, size, in, out, n, cuda::std::plus<>{},
                                                     one_if_positive<T>{}, std::int64_t{0}, stream()),
                  "cub::DeviceReduce::TransformReduce");
          });
    });
    add_case(case_name("count/count_if/" + type + "/returned", n), [=](auto& state, auto const& name) {
      auto* const in = filled<T>(n, item);
      compare_returned(
          state, name, n, bytes, in, [=] { return sweep::count_if(policy(), in, in + n, is_positive<T>{}); },
          [=] { return std::int64_t{thrust::count_if(thrusts(), in, in + n, is_positive<T>{})}; });
    });
  }
}

// ---- Extrema
// -----------------------------------------------------------------------------------------------

template <class T, class Item>
void add_extrema(std::string const& type, Item item, std::vector<int> const& powers) {
  for (int const k : powers) {
    auto const n = power(k);
    auto const bytes = static_cast<double>(n) * sizeof(T);
    add_case(case_name("extrema/min_element/" + type + "/written", n), [=](auto& state, auto const& name) {
      auto* const in = filled<T>(n, item);
      auto* const least = memory().peer_output.get<T>(1);
      compare_written(
          state, name, n, bytes, in,
          [=](std::int64_t* out) { sweep::min_element_into(policy(), in, in + n, out); },
          [=](void* scratch, std::size_t& size, std::int64_t* out) {
            check(cub::DeviceReduce::ArgMin(scratch, size, in, least, out, n, stream()),
                  "cub::DeviceReduce::ArgMin");
          });
    });
    add_case(case_name("extrema/max_element/" + type + "/returned", n), [=](auto& state, auto const& name) {
      auto* const in = filled<T>(n, item);
      compare_returned(
          state, name, n, bytes, in, [=] { return sweep::max_element(policy(), in, in + n); },
          [=] { return thrust::max_element(thrusts(), in, in + n); });
    });
    add_case(case_name("extrema/minmax_element/" + type + "/returned", n),
             [=](auto& state, auto const& name) {
               auto* const in = filled<T>(n, item);
               compare_returned(
                   state, name, n, bytes, in,
                   [=] {
                     auto const both = sweep::minmax_element(policy(), in, in + n);
                     return both.second - both.first;
                   },
                   [=] {
                     auto const both = thrust::minmax_element(thrusts(), in, in + n);
                     return both.second - both.first;
                   });
             });
  }
}

// ---- Inner products
// ----------------------------------------------------------------------------------------

void add_inner_products(std::vector<int> const& powers) {
  for (int const k : powers) {
    auto const n = power(k);
    auto const bytes = 2.0 * static_cast<double>(n) * sizeof(float);
    add_case(case_name("reduce/inner_product/f32/returned", n), [=](auto& state, auto const& name) {
      auto* const in = filled<float>(n, elements::random_sign{});
      auto* const other = memory().peer_output.get<float>(n);
      fill(other, n, elements::random_sign{}, seed() + 1);
      compare_returned(
          state, name, n, bytes, in, [=] { return sweep::inner_product(policy(), in, in + n, other, 0.0f); },
          [=] { return thrust::inner_product(thrusts(), in, in + n, other, 0.0f); });
    });
  }
}

// ---- Searches
// ----------------------------------------------------------------------------------------------

/// Zeros, and one 1.
struct marked {
  std::int64_t at;
  __host__ __device__ std::uint32_t operator()(std::uint64_t, std::int64_t i) const {
    return i == at ? 1 : 0;
  }
};
struct is_one {
  __host__ __device__ bool operator()(std::uint32_t x) const { return x == 1; }
};
struct rising {
  __host__ __device__ std::uint32_t operator()(std::uint64_t, std::int64_t i) const {
    return static_cast<std::uint32_t>(i / 3);
  }
};

void add_searches(std::vector<int> const& powers) {
  using T = std::uint32_t;
  for (int const k : powers)
    for (bool const early : {false, true}) {
      auto const n = power(k), at = early ? n / 100 : n;
      auto const bytes = static_cast<double>(at) * sizeof(T);
      std::string const where = early ? "at_1_percent" : "nowhere";
#if SWEEP_BENCH_HAS_FIND
      add_case(case_name("search/find_if/u32/" + where + "_written", n), [=](auto& state, auto const& name) {
        auto* const in = filled<T>(n, marked{at});
        compare_written(
            state, name, n, bytes, in,
            [=](std::int64_t* out) { sweep::find_if_into(policy(), in, in + n, out, is_one{}); },
            [=](void* scratch, std::size_t& size, std::int64_t* out) {
              check(cub::DeviceFind::FindIf(scratch, size, in, out, is_one{}, n, stream()),
                    "cub::DeviceFind::FindIf");
            });
      });
#endif
      add_case(case_name("search/find_if/u32/" + where + "_returned", n), [=](auto& state, auto const& name) {
        auto* const in = filled<T>(n, marked{at});
        compare_returned(
            state, name, n, bytes, in, [=] { return sweep::find_if(policy(), in, in + n, is_one{}); },
            [=] { return thrust::find_if(thrusts(), in, in + n, is_one{}); });
      });
    }
  for (int const k : powers)
    add_case(case_name("search/is_sorted/u32/sorted", power(k)), [=](auto& state, auto const& name) {
      auto const n = power(k);
      auto* const in = filled<T>(n, rising{});
      compare_returned(
          state, name, n, static_cast<double>(n) * sizeof(T), in,
          [=] { return sweep::is_sorted(policy(), in, in + n); },
          [=] { return thrust::is_sorted(thrusts(), in, in + n); });
    });
}

void add_cases() {
  using elements::random_item;
  using elements::random_small;
  std::vector<int> const powers{16, 20, 24, 28};
  add_counts<float>("f32", random_item<float>{}, powers);
  add_counts<std::uint8_t>("u8", random_small<std::uint8_t>{}, {20, 28});
  add_extrema<float>("f32", random_item<float>{}, powers);
  add_extrema<std::int64_t>("i64", random_small<std::int64_t>{}, {20, 28});
  add_extrema<std::uint8_t>("u8", random_small<std::uint8_t>{}, {20, 28});
  add_inner_products(powers);
  add_searches(powers);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }

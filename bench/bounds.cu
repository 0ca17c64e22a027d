// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cub_find.cuh"
#include "device_support.cuh"

#include <sweep/bounds.hpp>
#include <sweep/policy.hpp>

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>

/// bench_bounds: lower bounds of many values against CUB, Thrust and the copy's rate. The minimum is one read
/// of the values and one write of the bounds, as if the sorted range were free.

namespace bench {
namespace {

/// Sorted: one in every part of all unsigned numbers, of n parts.
template <class T>
struct one_in_every_part {
  std::int64_t n;
  __host__ __device__ T operator()(std::uint64_t seed, std::int64_t i) const {
    auto const part = ~std::uint64_t{0} / static_cast<std::uint64_t>(n);
    auto const at = static_cast<std::uint64_t>(i) * part + elements::random_bits(seed, i) % part;
    return static_cast<T>(at >> (64 - 8 * sizeof(T)));
  }
};
template <class T>
struct anywhere {
  __host__ __device__ T operator()(std::uint64_t seed, std::int64_t i) const {
    return static_cast<T>(elements::random_bits(seed, i) >> (64 - 8 * sizeof(T)));
  }
};

template <class T, class Values>
void compare_bounds(benchmark::State& state, std::string const& name, std::int64_t n, std::int64_t m,
                    Values draw) {
  auto* const in = memory().input.get<T>(n + m);
  auto* const values = in + n;
  auto* const out = memory().output.get<std::int64_t>(m);
  auto* const expected = memory().peer_output.get<std::int64_t>(m);
  fill(in, n, one_in_every_part<T>{n}, seed());
  fill(values, m, draw, seed() + 1);
  auto const mine = [=] {
    sweep::lower_bound(sweep::device.on(stream()), in, in + n, values, values + m, out);
  };
  auto const thrusts = [=] {
    thrust::lower_bound(thrust::cuda::par_nosync.on(stream()), in, in + n, values, values + m, expected);
  };
  auto const bytes = static_cast<double>(m) * (sizeof(T) + sizeof(std::int64_t));
  memory().output.poison(m * static_cast<std::int64_t>(sizeof(std::int64_t)));
  mine();
  thrusts();
  wait();
  if (auto const why = differences(out, expected, m); !why.empty())
    return fail(state, name, "against Thrust: " + why);
  std::vector<contender> all{{"sweep", [=](std::int64_t) { mine(); }},
                             {cccl_peer("thrust"), [=](std::int64_t) { thrusts(); }}};
#if SWEEP_BENCH_HAS_FIND
  auto const cubs = [=](void* scratch, std::size_t& size) {
    check(
        cub::DeviceFind::LowerBound(scratch, size, in, n, values, m, expected, cuda::std::less<>{}, stream()),
        "cub::DeviceFind::LowerBound");
  };
  std::size_t scratch_bytes = 0;
  cubs(nullptr, scratch_bytes);
  auto* const scratch = memory().scratch.get<std::byte>(static_cast<std::int64_t>(scratch_bytes));
  all.push_back({cccl_peer("cub"), [=](std::int64_t) {
                   auto size = scratch_bytes;
                   cubs(scratch, size);
                 }});
#endif
  auto* const copied = memory().verdict.get<std::byte>(static_cast<std::int64_t>(bytes));
  compare(state, {.name = name,
                  .items = m,
                  .min_bytes = bytes,
                  .copy = {"copy", [=](std::int64_t) { copy_bytes(copied, out, bytes); }},
                  .contenders = all});
}

template <class T>
void add(std::string const& type, std::vector<int> const& sizes, int values) {
  for (int const k : sizes) {
    auto const n = power(k), m = power(std::min(k, values));
    auto const prefix = "bounds/lower_bound/" + type + "/";
    add_case(case_name(prefix + "any_values", n),
             [=](auto& state, auto const& name) { compare_bounds<T>(state, name, n, m, anywhere<T>{}); });
    add_case(case_name(prefix + "sorted_values", n), [=](auto& state, auto const& name) {
      compare_bounds<T>(state, name, n, m, one_in_every_part<T>{m});
    });
  }
}

void add_cases() {
  add<std::uint32_t>("u32", {16, 20, 24, 28}, 24);
  add<std::uint64_t>("u64", {20, 24}, 24);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }

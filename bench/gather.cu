// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device_support.cuh"

#include <sweep/gather.hpp>
#include <sweep/policy.hpp>

#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/scatter.h>

/// bench_gather: gathers and scatters against Thrust's and the copy's rate. The minimum is one read of the
/// map and of the items, and one write of the results: a random map takes more, for memory moves in sectors.

namespace bench {
namespace {

/// i, or where a permutation of 2^k places leads from there.
template <class M>
struct map_item {
  bool shuffled;
  int bits;
  __host__ __device__ M operator()(std::uint64_t, std::int64_t i) const {
    auto at = static_cast<std::uint64_t>(i);
    auto const mask = (std::uint64_t{1} << bits) - 1;
    for (int round = 0; shuffled && round < 3; ++round) {
      at = at * 0x9e3779b97f4a7c15u + 0x5851f42d4c957f2du & mask;
      at ^= at >> bits / 2;
    }
    return static_cast<M>(at);
  }
};

enum class form { gather, scatter };

template <form Form, class T, class M>
void compare_moves(benchmark::State& state, std::string const& name, int bits, bool shuffled) {
  auto const n = power(bits);
  static buffer map_memory;
  auto* const map = map_memory.get<M>(n);
  auto* const in = memory().input.get<T>(n);
  auto* const out = memory().output.get<T>(n);
  auto* const expected = memory().peer_output.get<T>(n);
  fill(map, n, map_item<M>{shuffled, bits}, seed());
  fill(in, n, elements::random_item<T>{}, seed());
  auto const mine = [=](std::int64_t) {
    auto const policy = sweep::device.on(stream());
    if constexpr (Form == form::gather) sweep::gather(policy, map, map + n, in, out);
    else sweep::scatter(policy, in, in + n, map, out);
  };
  auto const peer = [=](std::int64_t) {
    auto const policy = thrust::cuda::par_nosync.on(stream());
    if constexpr (Form == form::gather) thrust::gather(policy, map, map + n, in, expected);
    else thrust::scatter(policy, in, in + n, map, expected);
  };
  memory().output.poison(n * static_cast<std::int64_t>(sizeof(T)));
  mine(0);
  peer(0);
  wait();
  if (auto const why = differences(out, expected, n); !why.empty())
    return fail(state, name, "against Thrust: " + why);
  auto const bytes = static_cast<double>(n) * (2 * sizeof(T) + sizeof(M));
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = copy_of(bytes),
                  .contenders = {{"sweep", mine}, {cccl_peer("thrust"), peer}}});
}

template <form Form, class T, class M>
void add(std::string const& what) {
  for (bool const shuffled : {false, true})
    for (int const k : {16, 20, 24, 28})
      add_case(case_name("gather/" + what + (shuffled ? "/random" : "/in_order"), power(k)),
               [=](benchmark::State& state, std::string const& name) {
                 compare_moves<Form, T, M>(state, name, k, shuffled);
               });
}

void add_cases() {
  add<form::gather, float, std::int32_t>("gather/f32_by_i32");
  add<form::gather, double, std::int64_t>("gather/f64_by_i64");
  add<form::gather, elements::vec4, std::int32_t>("gather/vec4_f32_by_i32");
  add<form::scatter, float, std::int32_t>("scatter/f32_by_i32");
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }

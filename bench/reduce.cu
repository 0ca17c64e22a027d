// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device_support.cuh"

#include <sweep/policy.hpp>
#include <sweep/reduce.hpp>

#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>

/// bench_reduce: reductions against CUB and the copy's rate, and the lecture's ladder of variants. The
/// minimum is one read of the items.

namespace bench {
namespace {

using plus = cuda::std::plus<>;

struct maximum_f32 {
  __host__ __device__ float operator()(float x, float y) const { return x < y ? y : x; }
};

/// The result's own precision: 64-bit for 8-bit items, so that the sum is the sum.
template <class T, class R, class Op, class Item, class Policy>
void compare_reduce(benchmark::State& state, std::string const& name, std::int64_t n, Op op, R init,
                    Item item, Policy policy) {
  auto* const in = memory().input.get<T>(n);
  auto* const out = memory().output.get<R>(n);  // big enough for the copy of as many bytes, too
  auto* const expected = memory().peer_output.get<R>(1);
  auto const bytes = static_cast<double>(n) * sizeof(T);
  fill(in, n, item, seed());
  std::size_t scratch_bytes = 0;
  auto const peer = [=](void* scratch, std::size_t& size) {
    check(cub::DeviceReduce::Reduce(scratch, size, in, expected, n, op, init, stream()),
          "cub::DeviceReduce::Reduce");
  };
  peer(nullptr, scratch_bytes);
  auto* const scratch = memory().scratch.get<std::byte>(static_cast<std::int64_t>(scratch_bytes));

  memory().output.poison(sizeof(R));
  memory().peer_output.poison(sizeof(R));
  sweep::reduce_into(policy(), in, in + n, out, init, op);
  peer(scratch, scratch_bytes);
  wait();
  if constexpr (requires { item.sum(seed(), 0, n - 1); } &&
                !std::is_same_v<Op, maximum_f32>) {  // CUB's sum of floats may round
    auto const known = static_cast<R>(item.sum(seed(), 0, n - 1));
    check(cudaMemcpyAsync(expected, &known, sizeof known, cudaMemcpyHostToDevice, stream()),
          "cudaMemcpyAsync");
    wait();
  }
  if (auto const why = differences(out, expected, 1); !why.empty())
    return fail(state, name, "against what is known: " + why);

  compare(state,
          {.name = name,
           .items = n,
           .min_bytes = bytes,
           .copy = {"copy", [=](std::int64_t) { copy_bytes(out, in, bytes); }},
           .contenders = {
               {"sweep", [=](std::int64_t) { sweep::reduce_into(policy(), in, in + n, out, init, op); }},
               {cccl_peer("cub"), [=](std::int64_t) {
                  auto size = scratch_bytes;
                  peer(scratch, size);
                }}}});
}

template <class T, class R, class Op, class Item>
void add_reduce(std::string const& prefix, Op op, R init, Item item, std::vector<int> const& powers) {
  for (int const k : powers)
    add_case(case_name(prefix, power(k)), [=](benchmark::State& state, std::string const& name) {
      compare_reduce<T>(state, name, power(k), op, init, item, [] { return sweep::device.on(stream()); });
    });
}

/// The lecture's ladder, at a size that the variants with one atomic per item finish soon.
template <class Tag>
void add_rung(std::string const& variant, Tag tag) {
  for (int const k : {20, 24})
    add_case(
        case_name("reduce/sum/f32/" + variant, power(k)),
        [=](benchmark::State& state, std::string const& name) {
          compare_reduce<float>(state, name, power(k), plus{}, 0.0f, elements::random_sign{},
                                [tag] { return sweep::device.on(stream()).with(tag); });
        },
        7);
}

void add_cases() {
  using elements::random_item;
  add_reduce<float>("reduce/sum/f32/default", plus{}, 0.0f, random_item<float>{}, {16, 20, 24, 28});
  add_reduce<double>("reduce/sum/f64/default", plus{}, 0.0, random_item<double, 40>{}, {16, 20, 24, 28});
  add_reduce<std::uint8_t>("reduce/sum/u8/default", plus{}, std::int64_t{0},
                           elements::random_small<std::uint8_t>{}, {16, 20, 24, 28});
  add_reduce<float>("reduce/max/f32/custom_operator", maximum_f32{}, -1e30f, random_item<float>{}, {24, 28});
  add_reduce<elements::vec4>("reduce/sum/vec4_f32/custom_operator", elements::add_vec4{}, elements::vec4{},
                             random_item<elements::vec4>{}, {24, 28});
  namespace variant = sweep::variant;
  add_rung("atomic", variant::atomic);
  add_rung("shared_atomic", variant::shared_atomic);
  add_rung("interleaved", variant::interleaved);
  add_rung("sequential_addressing", variant::sequential_addressing);
  add_rung("warp_shuffle", variant::warp_shuffle);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }

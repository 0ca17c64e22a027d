// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device_support.cuh"

#include <sweep/adjacent_difference.hpp>
#include <sweep/policy.hpp>

#include <cub/device/device_adjacent_difference.cuh>
#include <cuda/std/functional>

/// bench_adjacent_difference: differences of neighbours against CUB and the copy's rate. The minimum is one
/// read of the items and one write of the results.

namespace bench {
namespace {

using minus = cuda::std::minus<>;

struct subtract_vec4 {
  __host__ __device__ elements::vec4 operator()(elements::vec4 a, elements::vec4 b) const {
    return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
  }
};
struct subtract_matrix {
  __host__ __device__ elements::unitriangular3 operator()(elements::unitriangular3 a,
                                                          elements::unitriangular3 b) const {
    return {a.u - b.u, a.v - b.v, a.w - b.w};
  }
};

enum class form { forward, backward, in_place };

template <form Form, class T, class Op, class Item>
void compare_differences(benchmark::State& state, std::string const& name, std::int64_t n, Op op, Item item) {
  auto* const in = memory().input.get<T>(n);
  auto* const out = memory().output.get<T>(n);
  auto* const expected = memory().peer_output.get<T>(n);
  auto const one_way = static_cast<double>(n) * sizeof(T);
  fill(in, n, item, seed());
  auto const mine = [=] {
    auto const policy = sweep::device.on(stream());
    if constexpr (Form == form::forward) sweep::adjacent_difference(policy, in, in + n, out, op);
    else if constexpr (Form == form::backward)
      sweep::adjacent_difference(policy, in, in + n, out, op, sweep::backward);
    else sweep::adjacent_difference(policy, out, out + n, out, op);
  };
  using cub::DeviceAdjacentDifference;
  auto const peer = [=](void* scratch, std::size_t& size) {
    if constexpr (Form == form::forward)
      check(DeviceAdjacentDifference::SubtractLeftCopy(scratch, size, in, expected, n, op, stream()),
            "cub::DeviceAdjacentDifference::SubtractLeftCopy");
    else if constexpr (Form == form::backward)
      check(DeviceAdjacentDifference::SubtractRightCopy(scratch, size, in, expected, n, op, stream()),
            "cub::DeviceAdjacentDifference::SubtractRightCopy");
    else
      check(DeviceAdjacentDifference::SubtractLeft(scratch, size, expected, n, op, stream()),
            "cub::DeviceAdjacentDifference::SubtractLeft");
  };
  std::size_t scratch_bytes = 0;
  peer(nullptr, scratch_bytes);
  auto* const scratch = memory().scratch.get<std::byte>(static_cast<std::int64_t>(scratch_bytes));

  auto const all = static_cast<std::size_t>(n) * sizeof(T);
  memory().output.poison(all);
  memory().peer_output.poison(all);
  if constexpr (Form == form::in_place)
    for (T* const to : {out, expected})
      check(cudaMemcpyAsync(to, in, all, cudaMemcpyDeviceToDevice, stream()), "cudaMemcpyAsync");
  mine();
  peer(scratch, scratch_bytes);
  wait();
  if (auto const why = differences(out, expected, n); !why.empty())
    return fail(state, name, "against CUB: " + why);

  compare(state,
          {.name = name,
           .items = n,
           .min_bytes = 2 * one_way,
           .copy = {"copy", [=](std::int64_t) { copy_bytes(out, in, 2 * one_way); }},
           .contenders = {{"sweep", [=](std::int64_t) { mine(); }}, {cccl_peer("cub"), [=](std::int64_t) {
                                                                       auto size = scratch_bytes;
                                                                       peer(scratch, size);
                                                                     }}}});
}

template <form Form, class T, class Op, class Item>
void add(std::string const& prefix, Op op, Item item, std::vector<int> const& powers) {
  for (int const k : powers)
    add_case(case_name(prefix, power(k)), [=](benchmark::State& state, std::string const& name) {
      compare_differences<Form, T>(state, name, power(k), op, item);
    });
}

void add_cases() {
  using elements::random_item;
  add<form::forward, float>("adjacent_difference/minus/f32/forward", minus{}, random_item<float>{},
                            {16, 20, 24, 28});
  add<form::backward, float>("adjacent_difference/minus/f32/backward", minus{}, random_item<float>{}, {28});
  add<form::in_place, std::uint32_t>("adjacent_difference/minus/u32/in_place", minus{},
                                     elements::random_small<std::uint32_t>{}, {16, 20, 24, 28});
  add<form::forward, double>("adjacent_difference/minus/f64/forward", minus{}, random_item<double, 40>{},
                             {24, 28});
  add<form::forward, std::uint8_t>("adjacent_difference/minus/u8/forward", minus{},
                                   elements::random_small<std::uint8_t>{}, {24, 28});
  add<form::forward, elements::unitriangular3>("adjacent_difference/custom_operator/12_bytes/forward",
                                               subtract_matrix{}, random_item<elements::unitriangular3>{},
                                               {24, 28});
  add<form::forward, elements::vec4>("adjacent_difference/custom_operator/vec4_f32/forward", subtract_vec4{},
                                     random_item<elements::vec4>{}, {24, 28});
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::main_with_device(argc, argv, bench::add_cases); }

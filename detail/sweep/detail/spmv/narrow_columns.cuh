// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_NARROW_COLUMNS_CUH
#define SWEEP_DETAIL_SPMV_NARROW_COLUMNS_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/detail/warp/shuffle.cuh>
#include <sweep/device.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// A group of columns for each warp. Shape of a group, in memory order: (32 lanes, U columns).
template <class Group>
struct narrow_columns_job {
  static constexpr int threads = 256, blocks = 1, warps = threads / 32, U = near_group / 32;
  Group group;

  __device__ void operator()() const {
    auto const number = std::int64_t{blockIdx.x} * warps + threadIdx.x / 32, first = number * near_group;
    int const lane = static_cast<int>(threadIdx.x % 32);
    if (first >= group.n) return;
    auto const at = first + lane * U;
    std::int64_t columns[U];
    if (first + near_group <= group.n) {
      value_of<decltype(group.indices)> some[U];
      load_neighbours<access::streaming>(group.indices, at, some);
#pragma unroll
      for (int u = 0; u < U; ++u) columns[u] = static_cast<std::int64_t>(some[u]);
    } else {
#pragma unroll
      for (int u = 0; u < U; ++u)
        columns[u] = static_cast<std::int64_t>(group.indices[at + u < group.n ? at + u : group.n - 1]);
    }
    auto lowest = columns[0], highest = columns[0];
#pragma unroll
    for (int u = 1; u < U; ++u) {
      lowest = min(lowest, columns[u]);
      highest = max(highest, columns[u]);
    }
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      lowest = min(lowest, warp_shfl_xor(lowest, by));
      highest = max(highest, warp_shfl_xor(highest, by));
    }
    bool const fits = fits_narrow(lowest, highest);
    if (lane == 0) {
      group.least[number] = static_cast<std::remove_cvref_t<decltype(group.least[0])>>(lowest);
      if (!fits) atomicExch(group.wide, 1);
    }
    if (!fits) return;
#pragma unroll
    for (int u = 0; u < U; ++u)
      if (at + u < group.n) group.low[at + u] = static_cast<std::uint16_t>(columns[u] - lowest);
  }
};

template <class Source, class Group>
void narrow_groups(device_policy<Source> const& policy, char const* call, std::int64_t groups,
                   Group const& group) {
  using job = narrow_columns_job<Group>;
  launch_job(call, policy.stream(), (groups + job::warps - 1) / job::warps, job::threads, job{group});
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_EXPAND_DEVICE_CUH
#define SWEEP_DETAIL_EXPAND_DEVICE_CUH

#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/expand/problem.hpp>
#include <sweep/detail/expand/tile.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/device.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// How much is written is known on the device alone: blocks stay, and take tile after tile until none is
/// left.
template <class Problem>
struct expand_job {
  static constexpr int threads = 256, blocks = 4;
  using tile = expand_tile<Problem, threads / 32>;
  Problem problem;
  int shift;

  __device__ void operator()() const {
    __shared__ typename tile::shared memory;
    tiling const grid{problem.written(), tile::places, shift};
    if (blockIdx.x == 0 && threadIdx.x == 0) problem.put_total();
    if (grid.n == 0) return;
    tile one(problem, memory);
    constexpr int most_at_once = 8;
    auto const tiles = grid.tiles(), blocks_here = std::int64_t{gridDim.x};
    auto const each = max(std::int64_t{1}, min(std::int64_t{most_at_once}, tiles / blocks_here));
    for (auto first = blockIdx.x * each; first < tiles; first += blocks_here * each) {
      std::int64_t from = -1;
      for (auto nth = first; nth < min(first + each, tiles); ++nth) from = one.write(grid.window(nth), from);
    }
  }
};

template <class Source, class... Tags, class Problem>
void run_expand(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  using job = expand_job<Problem>;
  int shift = 0;
  if constexpr (Problem::out_contiguous) shift = items_before_vector<Problem::vector_items>(problem.out);
  auto const blocks = problem.count == 0
                          ? 1
                          : blocks_for(problem.room, job::tile::places, multiprocessors(call) * job::blocks);
  launch_job(call, policy.stream(), blocks, job::threads, job{problem, shift});
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

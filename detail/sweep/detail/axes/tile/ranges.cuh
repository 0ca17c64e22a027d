// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_RANGES_CUH
#define SWEEP_DETAIL_AXES_TILE_RANGES_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/ask_ahead.cuh>
#include <sweep/detail/axes/tile/chunks.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// A block for 8 ranges. A warp takes one of up to 8 chunks, a chunk after another; then all warps take the
/// longer ones of the block, a chunk each at a time. Which of the two, and the brackets, are a matter of the
/// range's length alone.
template <class Problem>
struct scan_ranges_job {
  using T = typename Problem::value;
  using line = typename Problem::line;
  using chunk = chunk_in_shared<line>;
  static constexpr int warps = 8, threads = 32 * warps, blocks = sizeof(T) <= 4 ? 4 : 2;
  static constexpr int items = chunk::items;
  static constexpr std::int64_t most_alone = std::int64_t{8} * items;
  struct shared {
    alignas(16) uninitialized<T, warps * chunk::pitch> items;
    uninitialized<T, warps> totals;
  };
  Problem problem;

  __device__ void operator()() const {
    __shared__ shared memory;
    int const warp = static_cast<int>(threadIdx.x) / 32;
    auto const first = std::int64_t{blockIdx.x} * warps;
    auto const nth = first + warp;
    auto const length = nth < problem.count ? problem.length(nth) : 0;
    if (length > 0 && length <= most_alone) scan_alone(memory, warp, nth);
    if (!__syncthreads_or(length > most_alone)) return;
    for (int k = 0; k < warps && first + k < problem.count; ++k)
      if (problem.length(first + k) > most_alone) scan_together(memory, warp, first + k);
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  /// Items of a chunk that begins so far from the start of its range.
  __device__ static int items_at(line const& of, std::int64_t at) {
    return static_cast<int>(min(of.grid.length - at, std::int64_t{items}));
  }

  __device__ void scan_alone(shared& memory, int warp, std::int64_t nth) const {
    auto const of = problem.of(nth);
    auto op = of.op;
    auto const begin = Problem::begin(of.grid.length);
    chunk const piece{of, __builtin_addressof(memory.items[warp * chunk::pitch]), lane()};
    auto before = of.before_line(line_place{});
    for (std::int64_t at = 0; at < of.grid.length; at += items) {
      int const count = items_at(of, at);
      piece.load(begin + at * of.grid.in, count, line_layout{});
      if (auto const next = at + items; next < of.grid.length && lane() == 0)
        ask_ahead(of.in, begin + next * of.grid.in, of.grid.in, items_at(of, next));
      __syncwarp();
      T const sum = piece.scan_strips(count, op);
      T const total = warp_shfl(sum, chunk::strips_of(count) - 1);
      piece.finish(begin + at * of.grid.out, count, line_layout{}, before, warp_shfl_up(sum, 1), op);
      before = {combine(before, total, op), true};
      __syncwarp();
    }
  }

  __device__ void scan_together(shared& memory, int warp, std::int64_t nth) const {
    auto const of = problem.of(nth);
    auto op = of.op;
    auto const begin = Problem::begin(of.grid.length);
    chunk const piece{of, __builtin_addressof(memory.items[warp * chunk::pitch]), lane()};
    auto before = of.before_line(line_place{});
    for (std::int64_t round = 0; round < of.grid.length; round += std::int64_t{warps} * items) {
      auto const left = (of.grid.length - round + items - 1) / items;
      int const chunks = static_cast<int>(min(left, std::int64_t{warps}));
      auto const at = round + warp * items;
      int const count = warp < chunks ? items_at(of, at) : 0;
      T sum{};
      if (warp < chunks) {
        piece.load(begin + at * of.grid.in, count, line_layout{});
        __syncwarp();
        sum = piece.scan_strips(count, op);
        if (lane() == chunk::strips_of(count) - 1) put_bytes(memory.totals[warp], sum);
      }
      __syncthreads();
      auto own = before;
      for (int w = 0; w < chunks; ++w) {
        if (w == warp) own = before;
        before = {combine(before, memory.totals[w], op), true};
      }
      if (warp < chunks)
        piece.finish(begin + at * of.grid.out, count, line_layout{}, own, warp_shfl_up(sum, 1), op);
      __syncthreads();
    }
  }
};

/// A thread for a range, of values that are too wide for chunks.
template <class Problem>
struct walk_ranges_job {
  static constexpr int threads = 128, blocks = 2;
  Problem problem;

  __device__ void operator()() const {
    auto const nth = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (nth >= problem.count) return;
    auto const of = problem.of(nth);
    auto const first = Problem::begin(of.grid.length);
    auto sum = of.before_line(line_place{});
    walk_line(of, line_place{first, first, 0}, 0, of.grid.length, sum);
  }
};

template <class Problem>
void launch_ranges(cudaStream_t stream, char const* call, Problem const& problem) {
  auto const launch = [&]<class Job>(Job const& job, std::int64_t each) {
    launch_job(call, stream, (problem.count + each - 1) / each, Job::threads, job);
  };
  if constexpr (sizeof(typename Problem::value) <= widest_in_chunks)
    launch(scan_ranges_job<Problem>{problem}, scan_ranges_job<Problem>::warps);
  else launch(walk_ranges_job<Problem>{problem}, walk_ranges_job<Problem>::threads);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

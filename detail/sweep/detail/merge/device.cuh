// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MERGE_DEVICE_CUH
#define SWEEP_DETAIL_MERGE_DEVICE_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/merge/problem.hpp>
#include <sweep/detail/merge/tile.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/scratch.cuh>
#include <sweep/detail/warp/search.cuh>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// The results of a merge in tiles, of which the first may begin before the first result, so that all others
/// begin where lines of the output do.
struct merge_grid {
  std::int64_t n;
  int items, shift;
  SWEEP_HD std::int64_t tiles() const { return (n + shift + items - 1) / items; }
  /// The diagonal where a tile begins, and the one before ends.
  SWEEP_HD std::int64_t begin(std::int64_t tile) const {
    auto const d = tile * items - shift;
    return d < 0 ? 0 : d < n ? d : n;
  }
};

/// Where the merge path crosses the diagonals of all tiles: for each, 2^log_lanes lanes look. What a search
/// takes is its reads, of which each waits for the one before: more lanes make those fewer, but read more all
/// together, which counts where the tiles are many. Then a block finds where the path crosses the first of
/// its diagonals and the last, by a warp each. Between these the straight line from the one to the other is a
/// guess, which of ranges that are drawn alike is good to a thousandth of its length; elsewhere no more than
/// the items between are looked at.
template <class Keys1, class Keys2, class Comp>
struct merge_cuts_job {
  static constexpr int threads = 128, blocks = 8;
  merge_problem<Keys1, Keys2, unvalued, unvalued, unvalued, unvalued, Comp> problem;
  merge_grid grid;
  std::int64_t* cuts;
  int log_lanes;

  /// Four lanes guess.
  static constexpr int log_guessing = 2, tiles_of_guesses = threads >> log_guessing;
  /// How far from a guess they look first: four times as far as random keys stray, and half of that.
  static constexpr int far = 512, near = 64;
  static int log_lanes_for(std::int64_t tiles) {
    return tiles <= 2048 ? 4 : tiles <= 4096 ? 3 : log_guessing;
  }
  static std::int64_t blocks_for(std::int64_t tiles, int log_lanes) {
    return ((tiles << log_lanes) + threads - (log_lanes == log_guessing)) / threads;
  }

  __device__ void operator()() const {
    auto const mine = problem;
    if (log_lanes == log_guessing) return guess(mine);
    auto const tile = min((std::int64_t{blockIdx.x} * threads + threadIdx.x) >> log_lanes, grid.tiles());
    auto const d = grid.begin(tile);
    auto const cut = group_find_first(d > mine.n2 ? d - mine.n2 : 0, d < mine.n1 ? d : mine.n1, log_lanes,
                                      [&](std::int64_t i) { return mine.second_first(i, d - 1 - i); });
    if ((threadIdx.x & ((1u << log_lanes) - 1)) == 0) cuts[tile] = cut;
  }

 private:
  template <class Problem>
  __device__ void guess(Problem const& mine) const {
    __shared__ std::int64_t ends[2];
    auto const all = grid.tiles(), first = std::int64_t{blockIdx.x} * tiles_of_guesses,
               last = min(first + tiles_of_guesses, all),  // whose cut the next block finds, too
        begin = grid.begin(first), end = grid.begin(last);
    if (int const warp = static_cast<int>(threadIdx.x / 32); warp < 2) {
      auto const d = warp == 0 ? begin : end;
      auto const cut = warp_find_first(d > mine.n2 ? d - mine.n2 : 0, d < mine.n1 ? d : mine.n1,
                                       [&](std::int64_t i) { return mine.second_first(i, d - 1 - i); });
      if (threadIdx.x % 32 == 0) ends[warp] = cut;
    }
    __syncthreads();
    // Of an order that is none the ends need not lie as they should.
    auto const i = ends[0], next = max(ends[1], i), tile = min(first + (threadIdx.x >> log_guessing), last),
               d = grid.begin(tile), low = max(i, d - (end - next)),
               high = max(min(next, d - (begin - i)), low);
    auto const part = static_cast<float>(d - begin) / static_cast<float>(max(end - begin, std::int64_t{1}));
    auto const cut =
        four_lanes_find_first(low, high, i + static_cast<std::int64_t>(part * static_cast<float>(next - i)),
                              near, far, [&](std::int64_t k) { return mine.second_first(k, d - 1 - k); });
    if (threadIdx.x % (1 << log_guessing) == 0) cuts[tile] = cut;
    if (threadIdx.x == 0 && last == all) cuts[all] = next;
  }
};

/// A tile for each block, which finds its cuts itself where nobody has.
template <class Problem>
struct merge_job {
  using shape = merge_shape<Problem>;
  static constexpr int threads = shape::threads, blocks = shape::blocks;
  Problem problem;
  merge_grid grid;
  std::int64_t const* cuts;

  __device__ void operator()() const {
    __shared__ typename merge_tile<Problem>::shared smem;
    auto const mine = problem;  // a copy: functors may have a state
    auto const tile = std::int64_t{blockIdx.x}, d = grid.begin(tile), end = grid.begin(tile + 1);
    merge_tile<Problem> work(mine, smem);
    work.make(d, cuts ? work.part(d, end, cuts[tile], cuts[tile + 1]) : work.find(d, end));
  }
};

/// Tiles that a device works on at once find their cuts themselves, which takes a few reads one after the
/// other. Of more, these would be as many bytes as the items.
template <class Problem>
std::int64_t merge_tiles_with_own_cuts(char const* call) {
  return std::max<std::int64_t>(512, std::int64_t{merge_shape<Problem>::blocks} * multiprocessors(call));
}

template <class Source, class... Tags, class Problem>
void run_merge(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  static_assert(
      relocatable<typename Problem::key1> && relocatable<typename Problem::key2> &&
          std::is_default_constructible_v<typename Problem::key1> &&
          std::is_default_constructible_v<typename Problem::key2>,
      "sweep: on the device the keys of a merge must be trivially copyable and default constructible");
  constexpr int line = 128;
  merge_grid grid{problem.n(), merge_shape<Problem>::items, 0};
  if constexpr (std::is_pointer_v<decltype(problem.keys_out)>) {
    constexpr auto size = sizeof(*problem.keys_out);
    if (auto const behind = reinterpret_cast<std::uintptr_t>(problem.keys_out) % line;
        line % size == 0 && behind % size == 0)
      grid.shift = static_cast<int>(behind / size);
  }
  auto const tiles = grid.tiles();
  auto const start = [&](std::int64_t const* cuts) {
    launch_job(call, policy.stream(), tiles, merge_job<Problem>::threads,
               merge_job<Problem>{problem, grid, cuts});
  };
  if (tiles <= merge_tiles_with_own_cuts<Problem>(call)) return start(nullptr);
  scratch<Source> const memory(policy.scratch_source(), call, policy.stream(),
                               static_cast<std::size_t>(tiles + 1) * sizeof(std::int64_t));
  auto* const cuts = static_cast<std::int64_t*>(memory.memory());
  using cuts_job = merge_cuts_job<decltype(problem.keys1), decltype(problem.keys2), decltype(problem.comp)>;
  int const log_lanes = cuts_job::log_lanes_for(tiles);
  launch_job(call, policy.stream(), cuts_job::blocks_for(tiles, log_lanes), cuts_job::threads,
             cuts_job{{problem.keys1, problem.n1, problem.keys2, problem.n2, {}, {}, {}, {}, problem.comp},
                      grid,
                      cuts,
                      log_lanes});
  start(cuts);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

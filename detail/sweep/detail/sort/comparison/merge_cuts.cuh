// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_COMPARISON_MERGE_CUTS_CUH
#define SWEEP_DETAIL_SORT_COMPARISON_MERGE_CUTS_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/sort/comparison/run_groups.cuh>
#include <sweep/detail/warp/search.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// Where the tiles of a pass begin in the runs that it merges.

/// Narrows a range, of which something is true up to a place and of nothing behind it, to where that place
/// may be: it is looked for around where it is expected, by steps that grow.
template <class True>
__device__ void narrow_around(True is, std::int64_t& low, std::int64_t& high, std::int64_t expected,
                              std::int64_t step) {
  auto const first = low, last = high - 1;
  auto before = max(expected - step, first), behind = min(expected + step, last);
  bool const some = is(first), all = is(last);
  bool starts = is(before), goes_on = is(behind);
  if (!some) high = first;
  if (all) low = high;
  if (!some || all) return;
#pragma unroll 1
  while (true) {
    if (starts) low = before + 1;
    else high = before;
    if (goes_on) low = behind + 1;
    else if (starts) high = behind;
    if (starts && !goes_on) return;
    step *= 4;
    before = max(expected - step, first);
    behind = min(expected + step, last);
    starts = is(before);
    goes_on = is(behind);
  }
}

/// Of about the first `rank` results of a group's merge, how many are of each run: found by 2^log_lanes lanes
/// for each, so for several cuts by a warp. A key of the longest run, as far as it is left, is looked for in
/// all others; where it stands among all tells whether it is before the cut or behind it, and what else is;
/// or that it is near enough. An order that is none gives some numbers.
template <int Ways, class Key, class Order, class Group>
__device__ std::int64_t find_cut_by_ranks(Order const& order, Key const* keys, Group const& group,
                                          std::int64_t rank, int near, int log_lanes) {
  int const own = static_cast<int>(threadIdx.x) >> log_lanes & (Ways - 1);
  auto const begin = group.begin_of(own), items = group.end_of(own) - begin;
  std::int64_t low = 0, high = min(rank + near, items);
  auto const of = [&](std::int64_t x, int run) {
    return static_cast<std::int64_t>(
        __shfl_sync(~0u, static_cast<long long>(x), run << log_lanes, Ways << log_lanes));
  };
  auto const sum = [&](std::int64_t x) {
#pragma unroll
    for (int by = 1; by < Ways; by *= 2) x += warp_shfl_xor(x, by << log_lanes);
    return x;
  };
  Key const* const run = keys + begin;
#pragma unroll 1
  for (int turn = 1;; ++turn) {
    auto const length = high - low, left = sum(length), wants = rank - sum(low);
    if (wants >= left) low = high;
    if (wants <= 0 || wants >= left) high = low;
    bool const looks = high > low;
    if (!__any_sync(~0u, looks)) return low;
    int longest = own;
    auto most = length;
#pragma unroll
    for (int by = 1; by < Ways; by *= 2) {
      auto const other = warp_shfl_xor(most, by << log_lanes);
      int const lane = __shfl_xor_sync(~0u, longest, by << log_lanes);
      if (other > most || (other == most && lane < longest)) {
        most = other;
        longest = lane;
      }
    }
    // Where the cut is to be expected in runs that are alike; now and then in the middle, if they are not.
    bool const halves = turn % 4 == 0, is_own = own == longest;
    float const share = halves ? .5f : static_cast<float>(wants) / static_cast<float>(left);
    auto const expected = [&](std::int64_t count) {
      auto const at = static_cast<std::int64_t>(share * static_cast<float>(count));
      return at < count ? at : count - 1;
    };
    auto const at = of(low, longest) + (most == left && !halves ? wants : expected(most));
    // Where the key would stand in each run, and behind those that are like it in its own.
    Key x;
    auto from = low, to = low;
    auto const before_it = [&](std::int64_t i) {
      return own <= longest ? !order(x, run[i]) : order(run[i], x);
    };
    if (looks) {
      put_bytes(x, keys[group.begin_of(longest) + at]);
      from = is_own ? at + 1 : low;
      to = high;
      auto const about = 1.5f * sqrtf(share * (1 - share) * static_cast<float>(length));
      if (from < to)
        narrow_around(before_it, from, to, is_own ? from : low + expected(length),
                      is_own ? 1 : static_cast<std::int64_t>(about) + 1);
    }
    auto behind = group_find_first(from, to, log_lanes, [&](std::int64_t i) { return !before_it(i); }),
         first = is_own && looks ? at : behind;
    // Where there are some, they are looked for everywhere: the cut may be among them, and is known then.
    bool const has_like = of(behind - first, longest) > 1;
    if (__any_sync(~0u, has_like)) {
      bool const looks_before = own <= longest;
      auto const others = [&](std::int64_t i) { return looks_before ? order(run[i], x) : !order(x, run[i]); };
      from = looks_before ? low : behind;
      to = looks_before ? first : high;
      if (!has_like) to = from;
      if (to > from) narrow_around(others, from, to, looks_before ? to - 1 : from, 32);
      auto const end = group_find_first(from, to, log_lanes, [&](std::int64_t i) { return !others(i); });
      if (has_like) (looks_before ? first : behind) = end;
    }
    auto const like = behind - first, before = sum(first);
    auto like_up_to = like;  // in the runs up to this one
#pragma unroll
    for (int by = 1; by < Ways; by *= 2) {
      auto const other = warp_shfl_up(like_up_to, by << log_lanes);
      if (own >= by) like_up_to += other;
    }
    auto const all = before + of(like_up_to, Ways - 1);
    auto const is_near = [&](std::int64_t number) { return number >= rank - near && number <= rank + near; };
    if (is_near(before)) low = high = first;
    else if (is_near(all)) low = high = behind;
    else if (looks && rank < before) high = first;
    else if (looks && rank > all) low = behind;
    else if (looks) {
      auto const own_like = rank - before - (like_up_to - like);
      low = high = first + (own_like < 0 ? 0 : own_like < like ? own_like : like);
    }
  }
}

/// Where the tiles of a pass begin in the runs of their groups.
template <class Key, class Value, class Order, class Shape, class Groups>
struct merge_cuts_of_runs_job {
  static constexpr int threads = 128, blocks = 8, ways = Shape::ways;
  merge_buffers<Key, Value> buffers;
  Groups groups;
  std::int64_t tiles;
  std::int64_t* cuts;
  int log_lanes;  ///< of a run
  Order order;

  /// What a search takes is its reads, of which each waits for the one before: more lanes make those fewer,
  /// but read more all together, which counts where the tiles are many.
  static int log_lanes_for(std::int64_t tiles) { return tiles <= few_merged_tiles ? 2 : 0; }
  std::int64_t tiles_of_block() const { return threads / ways >> log_lanes; }

  __device__ void operator()() const {
    if constexpr (Groups::sparse)
      if (groups.nobody_takes_part()) return;
    find(std::int64_t{blockIdx.x} * threads + threadIdx.x);
  }
  /// By the lanes of a warp, which are neighbours of all threads.
  __device__ void find(std::int64_t thread) const {
    auto const mine = order;
    auto const tile = (thread >> log_lanes) / ways;
    auto const group = tile < tiles ? groups.group_of_tile(tile) : run_group{};
    auto const cut = find_cut_by_ranks<ways>(
        mine, static_cast<Key const*>(buffers.keys_at(group.passes)), group,
        group.exists() ? (tile - group.first_tile) * group.tile_items : 0, group.near, log_lanes);
    if (group.exists()) cuts[thread >> log_lanes] = cut;
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

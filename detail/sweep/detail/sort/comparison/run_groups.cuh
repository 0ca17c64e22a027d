// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_COMPARISON_RUN_GROUPS_CUH
#define SWEEP_DETAIL_SORT_COMPARISON_RUN_GROUPS_CUH

#include <sweep/detail/core/config.hpp>

#include <algorithm>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// What the passes of a merge sort merge, and from where to where.

/// Runs that a pass merges: run k has those items of the group that are of `length` ones from
/// origin + k * length on. Which of two buffers they are in says the number of passes that are to come.
struct run_group {
  std::int64_t begin, end, origin, length;
  std::int64_t first_tile;
  int passes, tile_items, near;  ///< tiles have so many results, and begin so many sooner or later at most

  SWEEP_HD bool exists() const { return end > 0; }
  SWEEP_HD std::int64_t begin_of(int k) const { return in_group(origin + k * length); }
  SWEEP_HD std::int64_t end_of(int k) const { return in_group(origin + (k + 1) * length); }
  SWEEP_HD bool has_tile(std::int64_t tile) const {
    return tile >= first_tile && (tile - first_tile) * tile_items < end - begin;
  }

 private:
  SWEEP_HD std::int64_t in_group(std::int64_t at) const { return at < begin ? begin : at < end ? at : end; }
};

/// So few tiles that a device works on them at once find where they begin themselves: tests change it.
inline std::int64_t merged_tiles_with_own_cuts = 300;
/// Whether a pass has a kernel that finds where its tiles begin. Sparse passes have none, in most calls, and
/// each kernel takes time to end, too.
template <class Groups>
bool finds_cuts_before(std::int64_t merged) {
  return merged > (Groups::sparse ? 2 : 1) * merged_tiles_with_own_cuts;
}

/// So few tiles, for each of which one waits, are found by more lanes and less exactly.
inline constexpr std::int64_t few_merged_tiles = 4096;

/// Groups of so many runs, of equal length, of n items.
template <class Shape>
struct runs_of_all {
  using shape = Shape;
  static constexpr bool sparse = false;
  std::int64_t n, length, group_tiles, tiles;
  int ways, passes, tile_items, near;

  runs_of_all(std::int64_t items, std::int64_t run_length, int group_runs, int to_come)
      : n{items}, length{run_length}, ways{group_runs}, passes{to_come}, near{0} {
    place_tiles();
    if (!finds_cuts_before<runs_of_all>(tiles)) return;
    near = n <= few_merged_tiles * Shape::merged_items ? std::min(64, Shape::merged_items / 16)
                                                       : Shape::near_items;
    place_tiles();
  }
  __device__ run_group group_of_tile(std::int64_t tile) const {
    auto const number = tile / group_tiles, begin = number * ways * length, end = begin + ways * length;
    return {begin, end < n ? end : n, begin, length, number * group_tiles, passes, tile_items, near};
  }

 private:
  void place_tiles() {
    tile_items = Shape::merged_items - 2 * near;
    auto const group_items = ways * length;
    auto const tiles_of = [&](std::int64_t some) { return (some + tile_items - 1) / tile_items; };
    group_tiles = tiles_of(group_items);
    tiles = n / group_items * group_tiles + tiles_of(n % group_items);
  }
};

/// Two buffers: keys and values are in the second where an odd number of passes is to come.
template <class Key, class Value>
struct merge_buffers {
  Key* keys[2];  ///< the first may be null, where nobody asks for keys
  Value* values[2];
  // By a choice: what is given to a kernel has no addresses.
  SWEEP_HD Key* keys_at(int passes) const { return passes % 2 == 0 ? keys[0] : keys[1]; }
  SWEEP_HD Value* values_at(int passes) const { return passes % 2 == 0 ? values[0] : values[1]; }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

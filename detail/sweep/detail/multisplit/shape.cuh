// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MULTISPLIT_SHAPE_CUH
#define SWEEP_DETAIL_MULTISPLIT_SHAPE_CUH

#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/problem.hpp>

#include <cstddef>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Bytes of an item that goes through shared memory; 0 of a wider one, which goes straight to its place.
template <class Item>
inline constexpr int split_staged_bytes = sizeof(Item) <= 64 ? static_cast<int>(sizeof(Item)) : 0;
template <>
inline constexpr int split_staged_bytes<keys_alone> = 0;

/// The numbers of a block that moves items of these types. A tile is (warps, rows, 32 lanes). Where there is
/// room for it a block is a multiprocessor's: what it has of a bin is longer, and there are fewer tiles, each
/// of which costs its barriers.
template <class Key, class Value, bool Large>
struct split_shape {
  static constexpr bool has_values = !std::is_same_v<Value, keys_alone>;
  static constexpr int key_bytes = split_staged_bytes<Key>, value_bytes = split_staged_bytes<Value>,
                       widest = std::max(std::max(key_bytes, value_bytes), 1);
  static constexpr int threads = widest > 32   ? 256
                                 : widest > 16 ? 512
                                 : !has_values ? 384
                                 : Large       ? 1024
                                               : 512,
                       warps = threads / 32,
                       blocks = 1024 / threads > 1 ? 2 : 1;  // of a multiprocessor
  /// Bytes of a thread's items, of which registers hold this many.
  static constexpr int item_bytes = threads == 384 ? 112
                                    : has_values   ? 80
                                                   : 88,
                       most_rows = threads == 384 ? (widest < 4 ? 20 : 22)
                                   : has_values   ? (widest < 4 ? 10 : 15)
                                                  : (widest < 4 ? 13 : 16),
                       rows = std::min(std::max(item_bytes / std::max(widest, 4), 1), most_rows);
  static constexpr int tile_items = threads * rows;

  /// Items of the widest type that fill a sector of 32 bytes: what a block writes of a bin begins and ends at
  /// such, but for the ends of its chunk. 1 where items fill no whole ones.
  static constexpr int sector_items = [] {
    auto const fills = [](int bytes) { return bytes == 0 || (bytes <= 32 && (bytes & (bytes - 1)) == 0); };
    return fills(key_bytes) && fills(value_bytes) ? 32 / widest : 1;
  }();
  /// Sectors that the bins' items can take, among them those begun before and those not filled.
  static constexpr int most_sectors =
      sector_items > 1 ? tile_items / sector_items + 2 * parts_of_pass : tile_items;
  static constexpr int carried = sector_items > 1 ? parts_of_pass* sector_items : 0;

  // Shared memory.
  static constexpr std::size_t counters_at = 0, counters_bytes = std::size_t{warps} * parts_of_pass * 4;
  static constexpr std::size_t places_at = counters_at + counters_bytes, places_bytes = parts_of_pass * 16;
  static constexpr std::size_t held_at = places_at + places_bytes, held_bytes = 2 * parts_of_pass;
  static constexpr std::size_t ends_at = held_at + held_bytes, ends_bytes = 64;
  static constexpr std::size_t sums_at = ends_at + ends_bytes, sums_bytes = 128;
  static constexpr std::size_t keys_at = sums_at + sums_bytes,
                               keys_bytes = (std::size_t{carried} * key_bytes + 15) / 16 * 16;
  static constexpr std::size_t values_at = keys_at + keys_bytes,
                               values_bytes = (std::size_t{carried} * value_bytes + 15) / 16 * 16;
  static constexpr std::size_t items_at = values_at + values_bytes,
                               items_bytes =
                                   (std::size_t{most_sectors} * sector_items * widest + 15) / 16 * 16;
  static constexpr std::size_t bins_at = items_at + items_bytes,
                               bytes = bins_at + (std::size_t{most_sectors} + 15) / 16 * 16;
  static_assert(bytes <= shared_bytes_of(Large ? 80 : 86), "every device has so much");
};
/// Whether devices of an architecture have room for large blocks, and items are worth them: keys alone are
/// moved sooner by two blocks, one of which ranks while the other writes.
template <class Value>
constexpr bool has_large_splits(int arch) {
  return !std::is_same_v<Value, keys_alone> && shared_bytes_of(arch) >= shared_bytes_of(80);
}
/// What the host knows of a shape.
struct split_numbers {
  int threads, tile_items, blocks;
  std::size_t bytes;
  constexpr int resident() const {
    return blocks > 1 && 2 * (bytes + 1024) <= std::size_t{227} * 1024 ? 2 : 1;
  }
  template <class Shape>
  static constexpr split_numbers of() {
    return {Shape::threads, Shape::tile_items, Shape::blocks, Shape::bytes};
  }
};
template <class Key, class Value>
constexpr split_numbers split_numbers_of(int arch) {
  return has_large_splits<Value>(arch) ? split_numbers::of<split_shape<Key, Value, true>>()
                                       : split_numbers::of<split_shape<Key, Value, false>>();
}
template <class Key, class Value>
using split_shape_here = split_shape<Key, Value, has_large_splits<Value>(arch_here())>;
/// What a pass moves of a key: nothing, where its keys say no more than what bins values are of.
template <class Pass>
using split_moved_key = std::conditional_t<Pass::moves_keys, typename Pass::key, keys_alone>;

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

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
/// of which costs its barriers. What it writes of a bin are whole sectors of 32 bytes of the wider items, and
/// Joined times as many.
template <class Key, class Value, bool Large, int Joined, bool FewBins>
struct split_shape_of {
  static constexpr int bins = FewBins ? 1 << few_bits_of_pass : parts_of_pass;
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
                                   : has_values   ? (FewBins && widest < 2 ? 13 : 15)
                                                  : (widest < 4 ? 13 : 16),
                       rows = std::min(std::max(item_bytes / std::max(widest, 4), 1), most_rows);
  static constexpr int tile_items = threads * rows;

  /// What a block writes of a bin begins and ends at multiples of so many items, but for the ends of its
  /// chunk. 1 where items fill no whole sectors.
  static constexpr int sector_items = [] {
    auto const fills = [](int bytes) { return bytes == 0 || (bytes <= 32 && (bytes & (bytes - 1)) == 0); };
    return fills(key_bytes) && fills(value_bytes) ? Joined * (32 / widest) : 1;
  }();
  /// Sectors that the bins' items can take, among them those begun before and those not filled.
  static constexpr int most_sectors = sector_items > 1 ? tile_items / sector_items + 2 * bins : tile_items;
  static constexpr int carried = sector_items > 1 ? bins* sector_items : 0;

  // Shared memory.
  static constexpr std::size_t counters_at = 0, counters_bytes = std::size_t{warps} * bins * 4;
  static constexpr std::size_t places_at = counters_at + counters_bytes, places_bytes = bins * 16;
  static constexpr std::size_t held_at = places_at + places_bytes, held_bytes = 2 * bins;
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
};
/// Whether a block that may have so much shared memory is large: where there is room for it, and items are
/// worth it. Keys alone, and items of few bins, are moved sooner by two blocks, one of which ranks while the
/// other writes; where bins are many, their counters take as much of shared memory's time as there is.
template <class Value>
constexpr bool has_large_splits(std::size_t room) {
  return !std::is_same_v<Value, keys_alone> && room >= shared_bytes_of(80);
}
/// Where a block may have so much shared memory. Two sectors of the wider items together are whole ones of
/// items half as wide, too; where that is more than 8 items, those that wait for others cost what is gained.
template <class Key, class Value, std::size_t Room, bool FewBins>
struct split_shape_in {
  static constexpr bool large = !FewBins && has_large_splits<Value>(Room);
  using single = split_shape_of<Key, Value, large, 1, FewBins>;
  using joined = split_shape_of<Key, Value, large, 2, FewBins>;
  static constexpr bool joins = single::key_bytes != single::value_bytes && single::key_bytes > 0 &&
                                single::value_bytes > 0 && single::sector_items > 1 &&
                                joined::sector_items <= 8 && joined::bytes <= Room;
  using type = std::conditional_t<large && joins, joined, single>;
  static_assert(type::bytes <= Room, "every device has so much");
};
template <class Key, class Value, std::size_t Room, bool FewBins>
using split_shape = typename split_shape_in<Key, Value, Room, FewBins>::type;

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
template <class Key, class Value, bool FewBins = false>
constexpr split_numbers split_numbers_of(int arch) {
  auto const with = [&]<int Arch>() {
    return split_numbers::of<split_shape<Key, Value, shared_bytes_of(Arch), FewBins>>();
  };
  auto const room = shared_bytes_of(arch);
  return room >= shared_bytes_of(90)   ? with.template operator()<90>()
         : room >= shared_bytes_of(80) ? with.template operator()<80>()
                                       : with.template operator()<86>();
}
template <class Key, class Value, bool FewBins = false>
using split_shape_here = split_shape<Key, Value, shared_bytes_of(arch_here()), FewBins>;
/// What a pass moves of a key: nothing, where its keys say no more than what bins values are of.
template <class Pass>
using split_moved_key = std::conditional_t<Pass::moves_keys, typename Pass::key, keys_alone>;

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

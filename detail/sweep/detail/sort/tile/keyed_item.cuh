// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_TILE_KEYED_ITEM_CUH
#define SWEEP_DETAIL_SORT_TILE_KEYED_ITEM_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/tile/merge_sort_tile.cuh>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Keys with narrow values beside them, as a block sorts or merges them by a comparison: in memory each have
// their own range, and in shared memory and registers a key and its value are one item, which moves as a key
// alone does. So no place is looked up before a key, and values are read and written side by side.

/// Its alignment lets one instruction load it, where one can.
template <class Key, class Value>
struct keyed_fields {
  Key key;
  Value value;
};
template <class Key, class Value>
inline constexpr std::size_t keyed_alignment = std::has_single_bit(sizeof(keyed_fields<Key, Value>))
                                                   ? sizeof(keyed_fields<Key, Value>)
                                                   : alignof(keyed_fields<Key, Value>);
template <class Key, class Value>
struct alignas(keyed_alignment<Key, Value>) keyed_item {
  Key key;
  Value value;
};
template <class Item>
inline constexpr bool is_keyed_item = false;
template <class Key, class Value>
inline constexpr bool is_keyed_item<keyed_item<Key, Value>> = true;

/// Whether values move with their keys, and not after them: both in two registers.
inline constexpr std::size_t most_keyed_bytes = 8;
template <class Key, class Value>
inline constexpr bool moves_with_key =
    !std::is_same_v<Value, absent_value> && std::is_trivially_copyable_v<Key> &&
    std::is_trivially_copyable_v<Value> && fits_registers<Key> && fits_registers<Value> &&
    sizeof(keyed_fields<Key, Value>) <= most_keyed_bytes;

/// What a block that sorts a range moves: a key, beside which places of values may be known, or a keyed item.
template <class Key, class Value>
using range_item = std::conditional_t<moves_with_key<Key, Value>, keyed_item<Key, Value>, Key>;
template <class Item, class Value>
inline constexpr bool has_places = !is_keyed_item<Item> && !std::is_same_v<Value, absent_value>;
/// The tiles of a range. Keyed items of 8 bytes have larger blocks, so that 2^22 of them, and 2^25 and 2^28,
/// are merged in a pass less.
template <class Key, class Value, class Item = range_item<Key, Value>>
using range_shape =
    merge_sort_shape<Item, has_places<Item, Value>, is_keyed_item<Item> && (sizeof(Item) > 4) ? 384 : 0>;

/// Both ranges as one of keyed items.
template <class Item, class Keys, class Values>
struct keyed_range {
  Keys const& keys;
  Values const& values;
  using key = decltype(Item::key);
  using value = decltype(Item::value);
  template <class It, class T>
  static constexpr bool copies =
      std::is_pointer_v<It>&& std::is_same_v<std::remove_cv_t<std::remove_pointer_t<It>>, T> &&
      (sizeof(T) == 4 || sizeof(T) == 8) && alignof(T) == sizeof(T);
  static constexpr bool stages = copies<Keys, key> && copies<Values, value>;

  __device__ Item operator[](std::int64_t i) const {
    Item x;
    x.key = static_cast<key>(keys[i]);
    x.value = static_cast<value>(values[i]);
    return x;
  }
  /// Starts to bring `count` from `first` on, by some threads, of which this is number t: they do not wait
  /// for what they have asked for.
  __device__ void stage(Item* to, std::int64_t first, int count, int t, int threads) const requires(stages) {
#pragma unroll 4
    for (int i = t; i < count; i += threads) {
      copy_async<sizeof(key)>(&to[i].key, keys + (first + i));
      copy_async<sizeof(value)>(&to[i].value, values + (first + i));
    }
  }
};

/// An order of keys, of keyed items.
template <class Item, class Order>
struct keyed_order {
  Order const& keys;
  __device__ bool operator()(Item const& a, Item const& b) const { return keys(a.key, b.key); }
};

/// Both ranges, or that of keys: what a tile has its items from.
template <class Item, class Keys, class Values>
using tile_range = std::conditional_t<is_keyed_item<Item>, keyed_range<Item, Keys, Values>, Keys const&>;
template <class Item, class Keys, class Values>
__device__ tile_range<Item, Keys, Values> items_of_tile(Keys const& keys, Values const& values) {
  if constexpr (is_keyed_item<Item>) return {keys, values};
  else return keys;
}
/// And their order.
template <class Item, class Order>
using tile_order = std::conditional_t<is_keyed_item<Item>, keyed_order<Item, Order>, Order const&>;
template <class Item, class Order>
__device__ tile_order<Item, Order> order_of_tile(Order const& order) {
  if constexpr (is_keyed_item<Item>) return {order};
  else return order;
}
template <class Value, class Order, class Shape>
using merge_tile_of = merge_sort_tile<typename Shape::item, has_places<typename Shape::item, Value>,
                                      std::remove_cvref_t<tile_order<typename Shape::item, Order>>, Shape>;

/// Writes the items of a tile from one on, a thread some of them; keys where somebody asks for them.
template <int Threads, class Tile, class Key, class Value>
__device__ void put_items_of_tile(Tile const& tile, int count, Key* keys, Value* values) {
  int const t0 = static_cast<int>(threadIdx.x);
  if (keys) {
#pragma unroll 4
    for (int t = t0; t < count; t += Threads) keys[t] = tile.result(t).key;
  }
#pragma unroll 4
  for (int t = t0; t < count; t += Threads) values[t] = tile.result(t).value;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

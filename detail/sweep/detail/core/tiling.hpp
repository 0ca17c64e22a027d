// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_TILING_HPP
#define SWEEP_DETAIL_CORE_TILING_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/variant.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

enum class direction { forward, backward };

/// A direction as an argument says it.
template <class T>
inline constexpr bool is_direction = std::is_same_v<T, forward_t> || std::is_same_v<T, backward_t>;
template <class Dir>
inline constexpr direction direction_of =
    std::is_same_v<Dir, forward_t> ? direction::forward : direction::backward;
constexpr direction turned(direction towards) {
  return towards == direction::forward ? direction::backward : direction::forward;
}

/// What is written for item i: the fold up to and with it, or up to but without it.
enum class scan_kind { inclusive, exclusive };

/// What a pass over the tiles leaves behind.
enum class writes { totals, results };

/// The part of the data that one tile covers. Places in a tile count in scan order, 0 first; the first and
/// the last tile in memory may be partly outside the data.
struct tile_window {
  std::int64_t base;           ///< index of the tile's lowest item in memory, which may be outside the data
  int valid_begin, valid_end;  ///< places [valid_begin, valid_end) of the tile exist

  SWEEP_HD constexpr int count() const { return valid_end - valid_begin; }
  /// Whether all places of a tile of so many items exist.
  SWEEP_HD constexpr bool whole(int tile_items) const { return valid_begin == 0 && valid_end == tile_items; }
  SWEEP_HD constexpr bool contains(int place) const { return place >= valid_begin && place < valid_end; }
  /// Whether any of the places [from, to) exist.
  SWEEP_HD constexpr bool overlaps(int from, int to) const {
    return (from > valid_begin ? from : valid_begin) < (to < valid_end ? to : valid_end);
  }
};

/// n items cut into tiles of equal size, counted in scan order. The grid starts `shift` items before the
/// data, so that vectors of items fall on 16-byte boundaries: the first and the last tile in memory may be
/// partly outside the data.
struct tiling {
  std::int64_t n = 0;
  int tile_items = 1;
  int shift = 0;
  direction towards = direction::forward;

  SWEEP_HD constexpr std::int64_t tiles() const { return (n + shift + tile_items - 1) / tile_items; }

  /// Where an item stands in scan order, counted from the first place of tile 0.
  SWEEP_HD constexpr std::int64_t place(std::int64_t index) const {
    return towards == direction::forward ? index + shift : tiles() * tile_items - 1 - (index + shift);
  }
  /// The first place of a tile that exists.
  SWEEP_HD constexpr std::int64_t tile_start(std::int64_t tile) const {
    return tile * tile_items + (tile == 0 ? window(0).valid_begin : 0);
  }

  SWEEP_HD constexpr tile_window window(std::int64_t tile) const {
    auto const nth = towards == direction::forward ? tile : tiles() - 1 - tile;  // in memory order
    auto const first = nth * tile_items - shift;
    int const below = first < 0 ? static_cast<int>(-first) : 0;
    int const above = first + tile_items > n ? static_cast<int>(first + tile_items - n) : 0;
    return towards == direction::forward ? tile_window{first, below, tile_items - above}
                                         : tile_window{first, above, tile_items - below};
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

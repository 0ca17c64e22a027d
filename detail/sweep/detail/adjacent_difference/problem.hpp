// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_ADJACENT_DIFFERENCE_PROBLEM_HPP
#define SWEEP_DETAIL_ADJACENT_DIFFERENCE_PROBLEM_HPP

#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/callable.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/tiling.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Everything that was asked for, with its types complete. The neighbour of an item is the one before it in
/// memory, or the one behind it where the call is backward.
template <direction Towards, class In, class Out, class Op>
struct adjacent_difference_problem {
  static constexpr bool backward = Towards == direction::backward;
  static constexpr bool in_contiguous = std::is_pointer_v<In> && relocatable<value_of<In>>;
  static constexpr bool out_contiguous = std::is_pointer_v<Out> && relocatable<value_of<Out>>;
  using raw = value_of<In>;
  using out_value = written_value<Out, result_or<raw, Op, raw, raw>>;

  /// Items per word: as many as the wider contiguous side moves in 16 bytes.
  static constexpr int vector_items = [] {
    int items = 16;
    if constexpr (in_contiguous) items = std::min(items, items_per_16_bytes(sizeof(raw)));
    if constexpr (out_contiguous) items = std::min(items, items_per_16_bytes(sizeof(out_value)));
    return in_contiguous || out_contiguous ? items : std::min(items, 4);
  }();

  /// Whether results may take the places of the items, as far as types can say.
  static constexpr bool may_be_in_place = [] {
    if constexpr (std::is_pointer_v<In> && std::is_pointer_v<Out>) return sizeof(raw) == sizeof(out_value);
    else return std::is_same_v<In, Out> || tell_their_place<In, Out>;
  }();
  bool in_place() const {
    if constexpr (may_be_in_place) return may_be_same_place(in, out);
    else return false;
  }

  /// The item that has no neighbour, and is written as it is.
  SWEEP_HD std::int64_t lone() const { return backward ? grid.n - 1 : 0; }
  /// The one neighbour of a tile's items that is not in the tile, or what would be it where the data ends.
  SWEEP_HD std::int64_t neighbour_of_tile(std::int64_t tile) const {
    return backward ? (tile + 1) * grid.tile_items - grid.shift : tile * grid.tile_items - grid.shift - 1;
  }

  SWEEP_HD out_value of_lone(raw const& x) const { return static_cast<out_value>(x); }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD out_value of(raw const& x, raw const& neighbour) const {
    return static_cast<out_value>(op(x, neighbour));
  }

  In in;
  Out out;
  mutable Op op;              ///< a caller's function need not be const
  tiling grid;                ///< in memory order, for either direction
  raw const* kept = nullptr;  ///< in place: the neighbours of the tiles, which other tiles overwrite
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

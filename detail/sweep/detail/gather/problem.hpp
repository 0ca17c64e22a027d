// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_GATHER_PROBLEM_HPP
#define SWEEP_DETAIL_GATHER_PROBLEM_HPP

#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/tiling.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Which side the map is for: out[i] = in[map[i]], or out[map[i]] = in[i].
enum class mapped { input, output };

/// In place of a stencil where every item is moved.
struct every_item {};

/// Everything that was asked for, with its types complete. Item i of the map, and of the stencil, belongs to
/// move i; so does item i of the output of a gather, and of the input of a scatter.
template <mapped Side, class Map, class Stencil, class In, class Out, class Pred>
struct gather_problem {
  static constexpr bool gathers = Side == mapped::input;
  static constexpr bool has_stencil = !std::is_same_v<Stencil, every_item>;
  using raw = value_of<In>;
  using index = value_of<Map>;
  using out_value = written_value<Out, raw>;
  /// What is read or written in order beside the map.
  using in_order = std::conditional_t<gathers, Out, In>;

  template <class It>
  static constexpr bool contiguous = [] {
    if constexpr (std::is_pointer_v<It>) return relocatable<value_of<It>>;
    else return false;
  }();
  /// A gather's results are made in registers where they can leave them as words.
  static constexpr bool out_by_words =
      gathers && !has_stencil && contiguous<Out> && std::is_default_constructible_v<out_value>;

  /// Moves of a thread in one step: as many as the widest contiguous side moves in 16 bytes.
  static constexpr int vector_items = [] {
    int items = 16;
    bool any = false;
    auto const take_in = [&](bool is_contiguous, std::size_t bytes) {
      if (!is_contiguous) return;
      items = std::min(items, items_per_16_bytes(bytes));
      any = true;
    };
    take_in(contiguous<Map>, sizeof(index));
    if constexpr (gathers) take_in(out_by_words, sizeof(out_value));
    else take_in(contiguous<In>, sizeof(raw));
    return any ? items : 4;
  }();

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool moves(std::int64_t i) const {
    if constexpr (has_stencil) return static_cast<bool>(pred(stencil[i]));
    else return true;
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void move(std::int64_t i, index at) const {
    auto const j = static_cast<std::int64_t>(at);
    if constexpr (gathers) out[i] = static_cast<out_value>(in[j]);
    else out[j] = static_cast<out_value>(in[i]);
  }
  /// The two halves of a move.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD raw item(std::int64_t i, index at) const {
    if constexpr (gathers) return in[static_cast<std::int64_t>(at)];
    else return in[i];
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put(std::int64_t i, index at, raw const& x) const {
    out[gathers ? i : static_cast<std::int64_t>(at)] = static_cast<out_value>(x);
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void move_if(std::int64_t i) const {
    if (moves(i)) move(i, map[i]);
  }

  Map map;
  Stencil stencil;
  In in;
  Out out;
  mutable Pred pred;  ///< a caller's function need not be const
  tiling grid;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_PROBLEM_HPP
#define SWEEP_DETAIL_SCAN_PROBLEM_HPP

#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/core/vector.hpp>
#include <sweep/detail/lookback/slots.hpp>

#include <algorithm>
#include <type_traits>

namespace sweep::detail {

/// Everything a scan was asked for, with its types settled. What blocks and agents are written against.
template <scan_kind Kind, direction Towards, class T, class In, class Out, class Op, class Unary>
struct scan_problem {
  static constexpr scan_kind kind = Kind;
  static constexpr direction towards = Towards;
  static constexpr bool in_contiguous = std::is_pointer_v<In> && std::is_trivially_copyable_v<value_of<In>>;
  static constexpr bool out_contiguous =
      std::is_pointer_v<Out> && std::is_trivially_copyable_v<value_of<Out>>;
  using value = T;
  using raw = value_of<In>;
  using out_value = written_value<Out, T>;

  /// Items per word: as many as the wider contiguous side moves in 16 bytes.
  static constexpr int word_items = [] {
    int items = 16;
    if constexpr (in_contiguous) items = std::min(items, items_per_16_bytes(sizeof(raw)));
    if constexpr (out_contiguous) items = std::min(items, items_per_16_bytes(sizeof(out_value)));
    return in_contiguous || out_contiguous ? items : std::min(items, 4);
  }();

  constexpr scan_problem without_init() const {
    auto same = *this;
    same.init = {};
    return same;
  }
  template <class Other>
  constexpr auto writing_to(Other other) const {
    return scan_problem<Kind, Towards, T, In, Other, Op, Unary>{in, other, op, unary, init, grid};
  }

  In in;
  Out out;
  Op op;
  mutable Unary unary;  ///< a caller's function need not be const
  maybe<T> init;
  tiling grid;
};

}  // namespace sweep::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_PROBLEM_HPP
#define SWEEP_DETAIL_SCAN_PROBLEM_HPP

#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/segments/no_heads.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Everything a scan was asked for, with its types complete. What tiles and agents are written against.
template <scan_kind Kind, direction Towards, class T, class In, class Out, class Op, class Unary,
          class Heads = no_heads>
struct scan_problem {
  static constexpr scan_kind kind = Kind;
  static constexpr direction towards = Towards;
  static constexpr bool in_contiguous = std::is_pointer_v<In> && relocatable<value_of<In>>;
  static constexpr bool out_contiguous = std::is_pointer_v<Out> && relocatable<value_of<Out>>;
  using value = T;
  using raw = value_of<In>;
  using out_value = typename Heads::template written<Out, T>;
  using heads_type = Heads;
  /// Whether results are written where segments start and end only.
  static constexpr bool writes_at_tails = requires(Out const& to) { to.write.writes_at_tails; };
  using mask = typename Heads::mask;

  /// What lies beneath the input and the output (core/item_source.hpp). Results that only the output's
  /// iterator can write stand side by side before it does.
  using source = source_of_t<In>;
  static constexpr bool staged_for_iterator = !writes_at_tails && sink_of_t<Out>::written_by_iterator;
  using sink =
      std::conditional_t<writes_at_tails, discarding_sink,
                         std::conditional_t<staged_for_iterator, memory_sink<out_value>, sink_of_t<Out>>>;
  static SWEEP_HD constexpr sink sink_under(Out const& out) {
    if constexpr (writes_at_tails) return {};
    else if constexpr (staged_for_iterator) return {nullptr};
    else return sink_of(out);
  }

  /// Whether items are made of neighbours in memory alone, and whether results go to neighbours in memory.
  static constexpr bool reads_side_by_side =
      !in_contiguous && source::streams > 0 && !source::reads_elsewhere;
  static constexpr bool writes_streams = sink::streams > 0 && !staged_for_iterator;

  /// Items of a vector: as many as fill 16 bytes of the wider of input and output, where these are
  /// contiguous; of items that fill whole 16 bytes only together, not more than 96 bytes, and not more than
  /// 24 registers hold one by one. Items that are read elsewhere, one by one, travel in fours: each waits in
  /// a register of its own, beside where it is read.
  static constexpr int vector_items = [] {
    int items = 16;
    if constexpr (in_contiguous) items = std::min(items, items_per_16_bytes(sizeof(raw)));
    if constexpr (out_contiguous) items = std::min(items, items_per_16_bytes(sizeof(out_value)));
    if constexpr (!in_contiguous && (!out_contiguous || source::reads_elsewhere)) items = std::min(items, 4);
    if constexpr (in_contiguous || out_contiguous) {
      constexpr int widest = static_cast<int>(std::max(sizeof(raw), sizeof(out_value)));
      while (items > 1 && (items * widest > 96 || items * ((widest + 3) / 4) > 24)) items /= 2;
    }
    return items;
  }();

  constexpr scan_problem without_init() const {
    auto same = *this;
    same.init = {};
    return same;
  }
  template <class Other>
  constexpr auto writing_to(Other other) const {
    return scan_problem<Kind, Towards, T, In, Other, Op, Unary, Heads>{in,   other, op,   unary,
                                                                       init, grid,  heads};
  }

  /// Which of the items [lowest, lowest + count) in memory, all of which exist, start a segment.
  SWEEP_HD mask heads_at(std::int64_t lowest, int count) const {
    return heads.template at<Towards>(lowest, count, grid.n);
  }
  /// What the operator sees of an item, the k-th of those that the mask speaks of.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD T item(raw const& x, mask m, int k) const { return heads.template item<T>(op, unary(x), m, k); }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD T item(std::int64_t i) const { return item(in[i], heads_at(i, 1), 0); }
  /// What an exclusive scan writes for an item with `sum` before it.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD T before(T const& sum, mask m, int k) const { return heads.template before<T>(sum, m, k); }

  /// out[i] = result, in memory where perhaps no value stands yet: results may go to scratch.
  SWEEP_NO_EXEC_CHECK
  template <class Result>
  SWEEP_HD void put(std::int64_t i, Result const& result) const {
    if constexpr (out_contiguous) put_bytes(out[i], static_cast<out_value>(result));
    else out[i] = static_cast<out_value>(result);
  }

  In in;
  Out out;
  mutable Op op;
  mutable Unary unary;  ///< a caller's function need not be const
  optional<T> init;
  tiling grid;
  Heads heads{};
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

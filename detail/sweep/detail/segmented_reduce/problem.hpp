// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_PROBLEM_HPP
#define SWEEP_DETAIL_SEGMENTED_REDUCE_PROBLEM_HPP

#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/packed_value.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/segments/flagged.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A reduction of segments by offsets, with its types complete: segment s has items
/// [offsets[s], offsets[s + 1]).
template <class V, class In, class Offsets, class Out, class Op, class Unary, class Result>
struct segmented_reduce_problem {
  using value = V;
  using raw = value_of<In>;
  static constexpr int vector_items = items_per_16_bytes(sizeof(raw));

  In in;
  Offsets offsets;
  std::int64_t count;  ///< of segments
  Out out;
  Op op;
  mutable Unary unary;  ///< a caller's function need not be const
  Result result;
  /// Of each chunk, how many segments end before it; made by the kernel before.
  std::int64_t const* segments_before;
  tiling grid;

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put(std::int64_t s, V const& fold) const {
    out[s] = static_cast<written_value<Out, V>>(result(fold));
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put_empty(std::int64_t s) const { out[s] = static_cast<written_value<Out, V>>(result.init); }
};

/// Whether a policy reduces runs of keys in one pass (segmented_reduce/device.cuh), not by a segmented scan.
template <class Policy>
inline constexpr bool reduces_runs_in_one_pass = false;

/// A reduction of runs of equal keys, with its types complete: what run_length/tile/warp_runs.cuh is written
/// against.
template <class V, class Keys, class In, class KeysOut, class Out, class Eq, class Op, class Count>
struct run_fold_problem {
  using key = value_of<Keys>;
  using value = V;
  /// What tiles tell each other of the last run, and with how many have begun.
  static constexpr bool packs = spreads_in_registers<V>;
  using told = std::conditional_t<packs, packed_value<V>, V>;
  using state = flagged<told, std::int64_t>;
  static constexpr bool folds = true;
  /// Keys that cannot be moved about as bytes are asked for and copied where they are.
  static constexpr bool stages_keys =
      relocatable<key> && std::is_default_constructible_v<key> && sizeof(key) <= 64;
  /// Items of memory as they lie there; what iterators make is converted at once.
  using staged = typename decltype([] {
    if constexpr (std::is_pointer_v<In> && relocatable<value_of<In>> &&
                  std::is_default_constructible_v<value_of<In>>)
      return std::type_identity<value_of<In>>{};
    else return std::type_identity<V>{};
  }())::type;

  using source = source_of_t<In>;
  SWEEP_HD source items() const { return source_of(in); }

  Keys keys;
  In in;
  KeysOut keys_out;
  Out out;
  Count count;
  mutable Eq equal;  ///< a caller's function need not be const
  mutable Op op;
  tiling grid;

  using told_op = std::conditional_t<packs, packed_op<V, Op>, Op>;
  SWEEP_HD segmented_op<told_op> joining() const {
    if constexpr (packs) return {{op}};
    else return {op};
  }
  SWEEP_NO_EXEC_CHECK
  template <class X, class Y>
  SWEEP_HD bool starts_run(X const& left, Y const& x) const {
    return !static_cast<bool>(equal(left, x));
  }
  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD void put_key(std::int64_t run, X const& x) const {
    keys_out[run] = static_cast<written_value<KeysOut, X>>(x);
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put(std::int64_t run, V const& fold) const {
    out[run] = static_cast<written_value<Out, V>>(fold);
  }
  /// When all items have been seen.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void finish(state const& all) const {
    put(all.heads - 1, static_cast<V>(all.value));
    count(all.heads);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

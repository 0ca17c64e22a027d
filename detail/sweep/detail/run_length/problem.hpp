// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUN_LENGTH_PROBLEM_HPP
#define SWEEP_DETAIL_RUN_LENGTH_PROBLEM_HPP

#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/tile_state.hpp>
#include <sweep/detail/partition/problem.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// What the items up to some place hold.
struct runs_so_far {
  std::int64_t heads;      ///< runs that have begun
  std::int64_t last_head;  ///< 1 + where the last of them began; 0 where there is none
};
/// Those of neighbouring stretches: places grow.
struct later_runs {
  SWEEP_HD runs_so_far operator()(runs_so_far const& a, runs_so_far const& b) const {
    return {a.heads + b.heads, b.last_head > 0 ? b.last_head : a.last_head};
  }
};

/// Everything that was asked for, with its types complete. The length of a run is written where the next run
/// begins, or at the end: all that a tile needs of the tiles before it is how many runs they have, and where
/// the last of those began.
template <class Keys, class KeysOut, class Lengths, class Count, class Eq>
struct run_length_problem {
  using key = value_of<Keys>;
  using state = runs_so_far;
  static constexpr bool folds = false, stages_keys = sizeof(key) <= 64;
  // What is folded: nothing.
  struct no_items {
    using value_type = unsigned char;
    static constexpr int streams = 0;
    template <int>
    SWEEP_HD memory_source<value_type> stream() const {
      return {nullptr};
    }
  };
  using source = no_items;
  using staged = unsigned char;
  using value = unsigned char;
  SWEEP_HD source items() const { return {}; }

  SWEEP_HD static later_runs joining() { return {}; }
  SWEEP_NO_EXEC_CHECK
  template <class X, class Y>
  SWEEP_HD bool starts_run(X const& left, Y const& x) const {
    return !static_cast<bool>(eq(left, x));
  }
  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD void put_key(std::int64_t run, X const& x) const {
    keys_out[run] = static_cast<written_value<KeysOut, X>>(x);
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put_length(std::int64_t run, std::int64_t length) const {
    out[run] = static_cast<written_value<Lengths, std::int64_t>>(length);
  }
  /// The run that is open where the next one begins.
  SWEEP_HD void close_run(runs_so_far const& before, std::int64_t next) const {
    if (before.heads > 0) put_length(before.heads - 1, next - (before.last_head - 1));
  }
  /// When all items have been seen.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void finish(runs_so_far const& all) const {
    close_run(all, grid.n);
    if constexpr (std::is_same_v<Count, integers>) count.put(0, all.heads);
    else *count = static_cast<written_value<Count, std::int64_t>>(all.heads);
  }

  Keys keys;
  KeysOut keys_out;
  Lengths out;
  Count count;
  mutable Eq eq;  ///< a caller's function need not be const
  tiling grid;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

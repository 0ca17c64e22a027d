// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_EXPAND_PROBLEM_HPP
#define SWEEP_DETAIL_EXPAND_PROBLEM_HPP

#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/partition/problem.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Where an item's repetitions stand, without room for them being asked: [begin(i), end(i)).

/// Known from the scan of counts.
struct scanned_counts {
  std::int64_t const* ends;
  SWEEP_HD std::int64_t begin(std::int64_t i) const { return i > 0 ? ends[i - 1] : 0; }
  SWEEP_HD std::int64_t end(std::int64_t i) const { return ends[i]; }
};
/// Given by offsets.
template <class It>
struct given_offsets {
  It offsets;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t begin(std::int64_t i) const {
    return static_cast<std::int64_t>(offsets[i]) - static_cast<std::int64_t>(offsets[0]);
  }
  SWEEP_HD std::int64_t end(std::int64_t i) const { return begin(i + 1); }
};

/// Added up as they are asked for: one loop asks for neighbours. A sum that 64 bits do not hold is the
/// largest that they do, from which there is no way back but from the first item.
template <class It>
struct running_counts {
  It counts;
  mutable std::int64_t item = 0, first = 0;  ///< where the repetitions of the item asked for last begin
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t begin(std::int64_t i) const {
    if (item > i && first == largest_sum) item = first = 0;
    for (; item < i; ++item) first = saturating_plus{}(first, count(item));
    for (; item > i; --item) first -= count(item - 1);
    return first;
  }
  SWEEP_HD std::int64_t end(std::int64_t i) const { return begin(i + 1); }

 private:
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t count(std::int64_t i) const {
    auto const c = static_cast<std::int64_t>(counts[i]);
    return c > 0 ? c : 0;
  }
};

/// A count as it is taken: what is negative repeats nothing.
template <class It>
struct no_fewer_than_none {
  SWEEP_HD std::int64_t operator()(value_of<It> const& count) const {
    auto const c = static_cast<std::int64_t>(count);
    return c > 0 ? c : 0;
  }
};

/// Everything that was asked for, with its types complete.
template <class In, class Places, class Out, class Total>
struct expand_problem {
  using raw = value_of<In>;
  using out_value = written_value<Out, raw>;
  static constexpr bool out_contiguous = [] {
    if constexpr (std::is_pointer_v<Out>)
      return relocatable<out_value> && std::is_default_constructible_v<out_value>;
    else return false;
  }();
  /// Items of a word of 16 bytes; of items that fill such words only together, not more than 64 bytes.
  static constexpr int vector_items = [] {
    int items = out_contiguous ? items_per_16_bytes(sizeof(out_value)) : 4;
    while (items > 1 && static_cast<std::size_t>(items) * sizeof(out_value) > 64) items /= 2;
    return items;
  }();

  SWEEP_HD std::int64_t all() const { return count > 0 ? places.end(count - 1) : 0; }
  SWEEP_HD std::int64_t written() const { return all() < room ? all() : room; }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD out_value item(std::int64_t i) const { return static_cast<out_value>(in[i]); }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put(std::int64_t at, out_value const& x) const { out[at] = x; }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put_total() const {
    if constexpr (std::is_same_v<Total, integers>) total.put(0, all());
    else *total = static_cast<written_value<Total, std::int64_t>>(all());
  }

  In in;
  std::int64_t count;  ///< of items
  Places places;
  Out out;
  std::int64_t room;
  Total total;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

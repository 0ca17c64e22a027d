// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TAILS_HPP
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TAILS_HPP

#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/segments/flagged.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// A segmented reduction is a segmented scan that counts segment starts and writes at segment ends only: what
// is written, and where, is an output iterator's business.

/// The second operand first: what makes a forward scan of a backward reduction.
template <class Op>
struct swapped_op {
  Op op;
  SWEEP_NO_EXEC_CHECK
  template <class A, class B>
  SWEEP_HD constexpr auto operator()(A const& a, B const& b) {
    return op(b, a);
  }
};

/// Where the result of segment number `rank` of those that have items goes: -1 where a bad description makes
/// more segments than it lists.
struct same_place {
  SWEEP_HD std::int64_t operator()(std::int64_t rank) const { return rank; }
};
template <class Id>
struct listed_place {
  Id const* ids;               ///< of those that have items
  std::int64_t const* listed;  ///< how many they are
  SWEEP_HD std::int64_t operator()(std::int64_t rank) const {
    return rank < *listed ? static_cast<std::int64_t>(ids[rank]) : -1;
  }
};

/// What is done at a segment's first item, and what at the end of all.
struct no_keys {
  SWEEP_HD void operator()(std::int64_t, std::int64_t) const {}
};
template <class In, class Out>
struct copied_keys {
  In in;
  Out out;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t rank, std::int64_t i) const { out[rank] = in[i]; }
};
struct no_count {
  SWEEP_HD void operator()(std::int64_t) const {}
};
template <class Out>
struct written_count {
  Out out;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t count) const {
    *out = static_cast<written_value<Out, std::int64_t>>(count);
  }
};

/// The result of a segment where there is an initial value.
template <class V, class Op>
struct after_init {
  V init;
  mutable Op op;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD V operator()(V const& fold) const { return static_cast<V>(op(init, fold)); }
};

/// out[place(k)] = result(fold of the k-th segment), written where the segment ends. C counts segments.
template <class V, class C, class Out, class Source, class Place, class Keys, class Count, class Result>
struct segment_tails {
  static constexpr bool writes_at_tails = true;
  using value = flagged<V, C>;
  Out out;
  Source source;
  std::int64_t n;
  Place place;
  Keys keys;
  Count count;
  Result result;

  static constexpr bool has_keys = !std::is_same_v<Keys, no_keys>;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put(std::int64_t rank, V const& fold) const {
    auto const to = place(rank);
    if (to >= 0) out[to] = static_cast<written_value<Out, V>>(result(fold));
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void start(std::int64_t i, value const& sum) const {
    keys(static_cast<std::int64_t>(sum.heads) - 1, i);
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void end(std::int64_t i, value const& sum) const {
    put(static_cast<std::int64_t>(sum.heads) - 1, sum.value);
    if (i + 1 == n) count(static_cast<std::int64_t>(sum.heads));
  }
  /// Where nobody has looked ahead.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t i, value const& sum) const {
    if constexpr (has_keys)
      if (i == 0 || source(i)) start(i, sum);
    if (i + 1 == n || source(i + 1)) end(i, sum);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

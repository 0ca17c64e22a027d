// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_ENDS_HPP
#define SWEEP_DETAIL_SEGMENTED_REDUCE_ENDS_HPP

#include <sweep/detail/segmented_scan/flagged.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace sweep::detail {

// A segmented reduction is a segmented scan that counts segment starts and writes at segment ends only. What is
// written where is an output iterator's business: these are as much of one as a scan needs.

template <class Value>
struct writer_base {
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;
};

/// The second operand first: what makes a forward scan of a backward reduction.
template <class Op>
struct swapped_op {
  Op op;
  SWEEP_SIDE_OF_CALLER
  template <class A, class B>
  SWEEP_HD constexpr auto operator()(A const& a, B const& b) {
    return op(b, a);
  }
};

/// Segment number `rank` of those that have items is written to place(rank).
struct same_place {
  SWEEP_HD std::int64_t operator()(std::int64_t rank) const { return rank; }
};
template <class Id>
struct listed_place {
  Id const* ids;
  SWEEP_HD std::int64_t operator()(std::int64_t rank) const { return static_cast<std::int64_t>(ids[rank]); }
};

/// What else is done at a segment's first item, and once at the end: nothing.
struct no_keys {
  SWEEP_HD void operator()(std::int64_t, std::int64_t) const {}
};
/// The key of a segment's first item is kept.
template <class In, class Out>
struct copy_key {
  In in;
  Out out;
  SWEEP_SIDE_OF_CALLER
  SWEEP_HD void operator()(std::int64_t rank, std::int64_t i) const { out[rank] = in[i]; }
};
struct no_count {
  SWEEP_HD void operator()(std::int64_t) const {}
};
template <class Out>
struct write_count {
  Out out;
  SWEEP_SIDE_OF_CALLER
  SWEEP_HD void operator()(std::int64_t count) const {
    *out = static_cast<written_value<Out, std::int64_t>>(count);
  }
};

/// out[place(k)] = finish(fold of segment k), where a segment ends.
template <class V, class Out, class Source, class Place, class Keys, class Count, class Finish>
struct segment_ends : writer_base<flagged<V, std::int64_t>> {
  Out out;
  Source source;
  std::int64_t n;
  Place place;
  Keys keys;
  Count count;
  mutable Finish finish;

  struct reference {
    segment_ends const* to;
    std::int64_t i;
    SWEEP_SIDE_OF_CALLER
    SWEEP_HD void operator=(flagged<V, std::int64_t> const& sum) const {
      auto const& [base, out, source, n, place, keys, count, finish] = *to;
      (void)base;
    }
  };
};

}  // namespace sweep::detail

#endif

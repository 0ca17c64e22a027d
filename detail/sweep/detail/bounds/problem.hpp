// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BOUNDS_PROBLEM_HPP
#define SWEEP_DETAIL_BOUNDS_PROBLEM_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// A bound is the number of items before it: those of a sorted range that before(x, value) holds for, which
// all stand in front.

template <class Comp>
struct before_lower_bound {
  mutable Comp comp;  ///< the caller's function need not be const
  SWEEP_NO_EXEC_CHECK
  template <class X, class T>
  SWEEP_HD bool operator()(X const& x, T const& value) const {
    return static_cast<bool>(comp(x, value));
  }
};

template <class Comp>
struct before_upper_bound {
  mutable Comp comp;
  SWEEP_NO_EXEC_CHECK
  template <class X, class T>
  SWEEP_HD bool operator()(X const& x, T const& value) const {
    return !static_cast<bool>(comp(value, x));
  }
};

/// Of a partitioned range, where no value is asked for.
struct no_value {};
template <class Pred>
struct before_partition_point {
  mutable Pred pred;
  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD bool operator()(X const& x, no_value) const {
    return static_cast<bool>(pred(x));
  }
};

// What a call says of a bound.

struct says_index {
  using type = std::int64_t;
  template <class In, class T>
  SWEEP_HD std::int64_t operator()(In const&, std::int64_t, std::int64_t bound, T const&) const {
    return bound;
  }
};

/// Whether an item is equivalent to the value, whose lower bound this is.
template <class Comp>
struct says_found {
  using type = bool;
  mutable Comp comp;
  SWEEP_NO_EXEC_CHECK
  template <class In, class T>
  SWEEP_HD bool operator()(In const& in, std::int64_t n, std::int64_t bound, T const& value) const {
    return bound < n && !static_cast<bool>(comp(value, in[bound]));
  }
};

/// One bound. The value is one that the caller has.
template <class In, class T, class Out, class Before, class Says>
struct bound_problem {
  In in;
  std::int64_t n;
  T value;
  Out out;
  Before before;
  Says says;

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool stands_before(std::int64_t i) const { return before(in[i], value); }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void write(std::int64_t bound) const {
    *out = static_cast<written_value<Out, typename Says::type>>(says(in, n, bound, value));
  }
};

/// A bound for each of m values.
template <class In, class Values, class Out, class Before, class Says>
struct bounds_problem {
  using raw = value_of<In>;
  using value = value_of<Values>;

  In in;
  std::int64_t n;
  Values values;
  std::int64_t m;
  Out out;
  Before before;
  Says says;

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool stands_before(std::int64_t i, value const& x) const { return before(in[i], x); }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void write(std::int64_t j, std::int64_t bound, value const& x) const {
    out[j] = static_cast<written_value<Out, typename Says::type>>(says(in, n, bound, x));
  }
};

/// How many of the first items of [low, low + length) `before` holds for, and low.
template <class Before>
SWEEP_HD std::int64_t bound_in(std::int64_t low, std::int64_t length, Before before) {
  while (length > 0) {
    auto const half = length / 2;
    if (before(low + half)) {
      low += half + 1;
      length -= half + 1;
    } else {
      length = half;
    }
  }
  return low;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

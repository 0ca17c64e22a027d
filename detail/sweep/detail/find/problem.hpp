// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_FIND_PROBLEM_HPP
#define SWEEP_DETAIL_FIND_PROBLEM_HPP

#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// What is looked for: an item that a test holds for, or an item and the one before it. Each is called as
// test(x) or test(left, x).

template <class Pred>
struct holds_for_item {
  static constexpr bool of_neighbours = false;
  mutable Pred pred;  ///< the caller's function need not be const
  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD bool operator()(X const& x) const {
    return static_cast<bool>(pred(x));
  }
};

/// An item that goes before its left neighbour: where a sorted range ends.
template <class Comp>
struct goes_before_left {
  static constexpr bool of_neighbours = true;
  mutable Comp comp;
  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD bool operator()(X const& left, X const& x) const {
    return static_cast<bool>(comp(x, left));
  }
};

/// An item that pred holds for behind one that it does not hold for: where a partition ends.
template <class Pred>
struct holds_behind_other {
  static constexpr bool of_neighbours = true;
  mutable Pred pred;
  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD bool operator()(X const& left, X const& x) const {
    return static_cast<bool>(pred(x)) && !static_cast<bool>(pred(left));
  }
};

/// An index at which two ranges differ.
template <class In1, class In2, class Eq>
struct differs_at {
  static constexpr bool of_neighbours = false;
  In1 in1;
  In2 in2;
  mutable Eq eq;
  SWEEP_NO_EXEC_CHECK
  template <class Index>
  SWEEP_HD bool operator()(Index i) const {
    return !static_cast<bool>(eq(in1[i], in2[i]));
  }
};

/// The smaller of two indices: what blocks fold.
struct smaller_index {
  SWEEP_HD std::int64_t operator()(std::int64_t a, std::int64_t b) const { return b < a ? b : a; }
};

/// Everything a search was asked for, with its types complete. The result is the index of the first item that
/// the test holds for, n where there is none.
template <class In, class Out, class Test>
struct find_problem {
  static constexpr bool in_contiguous =
      std::is_pointer_v<In> && relocatable<value_of<In>> && std::is_default_constructible_v<value_of<In>>;
  static constexpr bool of_neighbours = Test::of_neighbours;
  using value = std::int64_t;
  using raw = value_of<In>;
  static constexpr int vector_items = in_contiguous ? items_per_16_bytes(sizeof(raw)) : 1;

  In in;
  std::int64_t n;
  Out out;
  Test test;
  std::int64_t init = n;
  smaller_index op{};
  int shift = 0;  ///< items before the data at which rows begin, so that these fall on lines of memory

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool holds(std::int64_t i) const {
    if constexpr (of_neighbours) return i > 0 && test(in[i - 1], in[i]);
    else return test(in[i]);
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void write(std::int64_t index) const { *out = index; }
};

/// Writes what a call says of the index: the index itself, or whether there is one.
enum class answer { index, found, not_found };

template <answer What, class Out>
struct write_answer {
  Out out;
  std::int64_t n;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t, std::int64_t index) const {
    if constexpr (What == answer::index) *out = static_cast<written_value<Out, std::int64_t>>(index);
    else *out = static_cast<written_value<Out, bool>>((index < n) == (What == answer::found));
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

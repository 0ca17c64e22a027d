// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_HOST_IN_PLACE_HPP
#define SWEEP_DETAIL_SORT_HOST_IN_PLACE_HPP

// A stable sort by one thread that has no memory but its own variables: a kernel's.

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/sort/problem.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Runs of a few items by insertion, then merges by rotations: O(n log(n)^2) moves.
template <class Problem>
class in_place_sort {
  using key = typename Problem::key_out;
  using value = typename Problem::value_out;

 public:
  SWEEP_HD explicit in_place_sort(Problem const& problem) : problem_{problem} {}

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()() const {
    constexpr std::int64_t few = 16;
    auto const n = problem_.n;
    for (std::int64_t first = 0; first < n; first += few) insert(first, first + few < n ? first + few : n);
    for (auto run = few; run < n; run *= 2)
      for (std::int64_t first = 0; first + run < n; first += 2 * run)
        merge(first, first + run, first + 2 * run < n ? first + 2 * run : n);
  }

 private:
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD key key_at(std::int64_t i) const { return problem_.keys_out[i]; }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool before(std::int64_t i, std::int64_t j) const { return problem_.order(key_at(i), key_at(j)); }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void swap(std::int64_t i, std::int64_t j) const {
    key const x = key_at(i);
    problem_.keys_out[i] = key_at(j);
    problem_.keys_out[j] = x;
    if constexpr (Problem::has_values) {
      value const y = problem_.values_out[i];
      problem_.values_out[i] = static_cast<value>(problem_.values_out[j]);
      problem_.values_out[j] = y;
    }
  }

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void insert(std::int64_t first, std::int64_t end) const {
    for (auto i = first + 1; i < end; ++i)
      for (auto to = i; to > first && before(to, to - 1); --to) swap(to, to - 1);
  }
  SWEEP_HD void reverse(std::int64_t first, std::int64_t end) const {
    for (; first + 1 < end; ++first) swap(first, --end);
  }
  /// [middle, end) before [first, middle).
  SWEEP_HD void rotate(std::int64_t first, std::int64_t middle, std::int64_t end) const {
    if (first == middle || middle == end) return;
    reverse(first, middle);
    reverse(middle, end);
    reverse(first, end);
  }

  /// Sorted [first, middle) and [middle, end) become one. The longer is cut in its middle and the other one
  /// where that belongs, which leaves two such tasks: the larger waits, and so each that waits is half as
  /// large as the one that waits longer.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void merge(std::int64_t first, std::int64_t middle, std::int64_t end) const {
    struct task {
      std::int64_t first, middle, end;
    };
    task waiting[64];
    int count = 0;
    for (;;) {
      while (first < middle && middle < end) {
        if (!before(middle, middle - 1)) break;  // nothing is out of order
        if (end - first == 2) {
          swap(first, middle);
          break;
        }
        std::int64_t cut1 = 0, cut2 = 0;
        if (middle - first >= end - middle) {
          cut1 = first + (middle - first) / 2;
          cut2 = bound(middle, end, cut1, false);
        } else {
          cut2 = middle + (end - middle) / 2;
          cut1 = bound(first, middle, cut2, true);
        }
        rotate(cut1, middle, cut2);
        auto const joint = cut1 + (cut2 - middle);
        task const left{first, cut1, joint}, right{joint, cut2, end};
        bool const larger_left = left.end - left.first > right.end - right.first;
        waiting[count++] = larger_left ? left : right;
        auto const next = larger_left ? right : left;
        first = next.first, middle = next.middle, end = next.end;
      }
      if (count == 0) return;
      --count;
      first = waiting[count].first, middle = waiting[count].middle, end = waiting[count].end;
    }
  }

  /// The first item of a sorted range that item `of` goes before; or, if not `behind`, that does not go
  /// before it.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t bound(std::int64_t low, std::int64_t high, std::int64_t of, bool behind) const {
    while (low < high) {
      auto const at = low + (high - low) / 2;
      if (behind ? !before(of, at) : before(at, of)) low = at + 1;
      else high = at;
    }
    return low;
  }

  Problem const& problem_;
};

/// Sorts by one thread without memory, in the output.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void sort_without_memory(Problem const& problem) {
  if constexpr (!Problem::keeps_keys) {  // the values are indices
    using keys = decltype(problem.keys_in);
    using values = decltype(problem.values_out);
    using comparison = comparison_order<compare_at<keys, typename Problem::order_type>>;
    for (std::int64_t i = 0; i < problem.n; ++i) problem.put_value(i, problem.values_in[i]);
    sort_problem<values, no_values, values, no_values, comparison> const of_indices{
        problem.call,
        problem.values_out,
        {},
        problem.values_out,
        {},
        problem.n,
        {{problem.keys_in, problem.order}}};
    in_place_sort{of_indices}();
  } else {
    if (!problem.keys_in_place())
      for (std::int64_t i = 0; i < problem.n; ++i)
        problem.put_key(i, static_cast<typename Problem::key>(problem.keys_in[i]));
    if constexpr (Problem::has_values)
      if (!problem.values_in_place())
        for (std::int64_t i = 0; i < problem.n; ++i)
          problem.put_value(i, static_cast<typename Problem::value>(problem.values_in[i]));
    in_place_sort{problem}();
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

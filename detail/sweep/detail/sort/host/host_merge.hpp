// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_HOST_HOST_MERGE_HPP
#define SWEEP_DETAIL_SORT_HOST_HOST_MERGE_HPP

// Merge sorts on threads: blocks are sorted by a thread each, which merges from both ends at once, without a
// branch that depends on items; then all threads merge two blocks, each a part of the result.

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/sort/host/items.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Merges of sorted items, and sorts made of them. A comparison that is no strict weak order gives some order
/// of the same items.
template <class Items, class Before>
struct host_merge {
  using item = typename Items::type;
  static constexpr std::int64_t few = 4;

  static bool goes_before(Before const& before, item const& a, item const& b) {
    return before(Items::key(a), Items::key(b));
  }

  /// [a, a_end) and [b, b_end), of which a's come first where equivalent, to `to`, from the front.
  static void merge_forward(Before const& given, item const* a, item const* a_end, item const* b,
                            item const* b_end, item* to) {
    held_in_loop<Before> before = given;
    while (a != a_end && b != b_end) {
      bool const second = goes_before(before, *b, *a);
      put_bytes(*to++, *(second ? b : a));
      b += second;
      a += !second;
    }
    copy_items(to, a, a_end - a);
    copy_items(to + (a_end - a), b, b_end - b);
  }

  /// The same from both ends at once, which are two chains of operations for one.
  static void merge(Before const& given, item const* a, std::int64_t a_size, item const* b,
                    std::int64_t b_size, item* to) {
    held_in_loop<Before> before = given;
    if (a_size == 0 || b_size == 0 || !goes_before(before, *b, a[a_size - 1])) {  // nothing is out of order
      copy_items(to, a, a_size);
      copy_items(to + a_size, b, b_size);
      return;
    }
    // As many steps as neither side can run out in.
    auto const steps = std::min(std::min(a_size, b_size), (a_size + b_size) / 2);
    item const *left_a = a, *left_b = b, *right_a = a + a_size, *right_b = b + b_size;
    item *left = to, *right = to + a_size + b_size;
    for (std::int64_t s = 0; s < steps; ++s) {
      bool const second = goes_before(before, *left_b, *left_a);
      put_bytes(*left++, *(second ? left_b : left_a));
      left_b += second;
      left_a += !second;
      bool const first = goes_before(before, right_b[-1], right_a[-1]);
      put_bytes(*--right, *((first ? right_a : right_b) - 1));
      right_a -= first;
      right_b -= !first;
    }
    if (left_a > right_a || left_b > right_b)  // the comparison contradicts itself
      return merge_forward(before, a, a + a_size, b, b + b_size, to);
    merge_forward(before, left_a, right_a, left_b, right_b, left);
  }

  /// One of two numbers, without a branch that a compiler may make of a choice.
  static int either(bool second, int a, int b) { return a ^ ((a ^ b) & -static_cast<int>(second)); }

  /// Four items sorted to another place: pairs, their least and greatest, and the two between.
  static void sort_four(Before const& before, item const* x, item* to) {
    bool const first = goes_before(before, x[1], x[0]), second = goes_before(before, x[3], x[2]);
    int const a = first, b = 1 - first, c = 2 + second, d = 3 - second;
    bool const leads = goes_before(before, x[c], x[a]), ends = goes_before(before, x[d], x[b]);
    int const left = either(leads, either(ends, b, c), a), right = either(ends, either(leads, c, b), d);
    bool const crossed = goes_before(before, x[right], x[left]);
    put_bytes(to[0], x[either(leads, a, c)]);
    put_bytes(to[1], x[either(crossed, left, right)]);
    put_bytes(to[2], x[either(crossed, right, left)]);
    put_bytes(to[3], x[either(ends, d, b)]);
  }

  /// n items at `at` sorted to `to`, another place, or where they are; either way the other place is written
  /// too.
  static void sort(Before const& before, item* at, item* to, std::int64_t n, bool stays) {
    if (n <= few) {
      if (n < 4) {
        insert_in_order<Items>(at, n, before);
        if (!stays) copy_items(to, at, n);
        return;
      }
      sort_four(before, at, to);
      if (stays) copy_items(at, to, 4);
      return;
    }
    auto const half = (n / 2 + 3) / 4 * 4;  // so that all but the last few are fours
    sort(before, at, to, half, !stays);
    sort(before, at + half, to + half, n - half, !stays);
    item const* const from = stays ? to : at;
    merge(before, from, half, from + half, n - half, stays ? at : to);
  }

  /// How many of the first `place` results of a merge are a's.
  static std::int64_t taken_from_first(Before const& before, item const* a, std::int64_t a_size,
                                       item const* b, std::int64_t b_size, std::int64_t place) {
    auto low = std::max<std::int64_t>(0, place - b_size), high = std::min(place, a_size);
    while (low < high) {
      auto const middle = low + (high - low) / 2;
      if (goes_before(before, b[place - 1 - middle], a[middle])) high = middle;
      else low = middle + 1;
    }
    return low;
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

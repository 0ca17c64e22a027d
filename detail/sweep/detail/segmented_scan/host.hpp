// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_SCAN_HOST_HPP
#define SWEEP_DETAIL_SEGMENTED_SCAN_HOST_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/scan/dispatch.hpp>
#include <sweep/detail/segments/heads.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// Where segments start, by offsets. Whoever asks goes on from where it asked last, and so each copy
/// remembers how many offsets it has passed. Offsets that decrease lead nowhere outside the range.
template <class It>
struct offset_source {
  static constexpr bool packed_heads = false;
  It offsets;
  std::int64_t count;               ///< of segments, and so of starts
  mutable std::int64_t passed = 0;  ///< offsets that are no more than what was asked last

  SWEEP_HD bool operator()(std::int64_t i) const {
    pass(i);
    return passed > 0 && at(passed - 1) == i;
  }
  SWEEP_HD std::int64_t next_head(std::int64_t i, std::int64_t end) const {
    pass(i);
    if (passed == count) return end;
    auto const head = at(passed);
    return head > i && head < end ? head : end;
  }
  SWEEP_HD std::int64_t last_head(std::int64_t i, std::int64_t begin) const {
    pass(i);
    auto const head = passed > 0 ? at(passed - 1) : begin - 1;
    return head >= begin && head <= i ? head : begin - 1;
  }

 private:
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t at(std::int64_t s) const { return static_cast<std::int64_t>(offsets[s]); }
  SWEEP_HD void pass(std::int64_t i) const {
    auto next = passed;
    if (next < count && at(next) <= i) ++next;  // mostly that one
    bool const there = (next == 0 || at(next - 1) <= i) && (next == count || at(next) > i);
    passed = there ? next : found(offsets, count, next, i);
  }
  /// The same from offset `near` on. Not inlined and given values, so that a loop around it keeps its own in
  /// registers.
  SWEEP_NO_EXEC_CHECK
  [[gnu::noinline]] SWEEP_HD static std::int64_t found(It given, std::int64_t all, std::int64_t near,
                                                       std::int64_t i) {
    auto const stands_before = [&](std::int64_t s) { return static_cast<std::int64_t>(given[s]) <= i; };
    for (int steps = 0; steps < 8; ++steps) {
      if (near > 0 && !stands_before(near - 1)) --near;
      else if (near < all && stands_before(near)) ++near;
      else return near;
    }
    // Farther away: in steps that grow, until the place lies between two of them.
    std::int64_t low = near, high = near;
    if (near < all && stands_before(near)) {
      for (std::int64_t step = 8;; step *= 2) {
        high = low + step < all ? low + step : all;
        if (high == all || !stands_before(high)) break;
        low = high;
      }
    } else {
      for (std::int64_t step = 8;; step *= 2) {
        low = high > step ? high - step : 0;
        if (low == 0 || stands_before(low)) break;
        high = low;
      }
    }
    while (low < high) {
      auto const middle = low + (high - low) / 2;
      if (stands_before(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
};

/// Offsets made of lengths as they are asked for: one loop asks for neighbours.
template <class It>
struct running_offsets {
  It lengths;
  mutable std::int64_t segment = 0, begin = 0;  ///< that were asked for last
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator[](std::int64_t s) const {
    wrapping_plus add;
    for (; segment < s; ++segment) begin = add(begin, static_cast<std::int64_t>(lengths[segment]));
    for (; segment > s; --segment) begin = add(begin, -static_cast<std::int64_t>(lengths[segment - 1]));
    return begin;
  }
};

/// Calls f(policy, offsets) with where each segment begins.
SWEEP_NO_EXEC_CHECK
template <class Policy, class It, class F>
SWEEP_HD void with_offsets(Policy const& policy, char const*, offset_segments<It> const& from, F f) {
  f(policy, unwrapped(from.offsets));
}
SWEEP_NO_EXEC_CHECK
template <class It, class F>
SWEEP_HD void with_offsets(seq_policy const& policy, char const*, length_segments<It> const& from, F f) {
  f(policy, running_offsets<unwrapped_t<It>>{unwrapped(from.lengths)});
}
template <class... Tags, class It, class F>
void with_offsets(host_policy<Tags...> const& policy, char const* call, length_segments<It> const& from,
                  F f) {
  with_memory<std::int64_t>(policy, call, from.count + 1, [&](auto const& rest, std::int64_t* offsets) {
    auto const lengths = unwrapped(from.lengths);
    using lengths_type = std::remove_const_t<decltype(lengths)>;
    if (!only_obtains()) offsets[0] = 0;
    if (from.count > 0)
      run_scan(
          without_tags(rest), call,
          scan_problem<scan_kind::inclusive, direction::forward, std::int64_t, lengths_type, std::int64_t*,
                       wrapping_plus, identity>{lengths, offsets + 1, {}, {}, {}, {from.count}});
    f(rest, static_cast<std::int64_t const*>(offsets));
  });
}

/// Calls f(policy, source, size) where source answers whether an item starts a segment, and size says what
/// sizes of input f can be called with. Keys that results may take the places of are kept first.
SWEEP_NO_EXEC_CHECK
template <bool InTiles = false, class Policy, class Segments, class F>
requires on_host<Policy> SWEEP_HD void with_heads(Policy const& policy, [[maybe_unused]] char const* call,
                                                  Segments const& from, std::int64_t n, std::int64_t, F f,
                                                  [[maybe_unused]] bool overwritten = false) {
  if constexpr (may_be_overwritten<Segments>) {
    if (overwritten) {
      auto const keys = unwrapped(from.keys);
      using key = value_of<std::remove_const_t<decltype(keys)>>;
      return with_memory<key>(policy, call, n, [&](auto const& rest, key* kept) {
        if (!only_obtains())
          for (std::int64_t i = 0; i < n; ++i) kept[i] = keys[i];
        auto source = head_source_of(from);
        source.keys = kept;
        f(rest, source, any_size{});
      });
    }
  }
  if constexpr (requires { head_source_of(from); }) {
    f(policy, head_source_of(from), any_size{});
  } else {
    with_offsets(policy, call, from, [&](auto const& rest, auto offsets) {
      f(rest, offset_source<decltype(offsets)>{offsets, from.count}, any_size{});
    });
  }
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

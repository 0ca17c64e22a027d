// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_HOST_HPP
#define SWEEP_DETAIL_SEGMENTED_REDUCE_HOST_HPP

#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/strands.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/host/tile_size.hpp>
#include <sweep/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A reduction of segments by offsets, with its types complete: segment s has items [offsets[s], offsets[s +
/// 1]) of those in the range.
template <class V, class In, class Offsets, class Out, class Op, class Unary, class Result>
struct listed_segments {
  using value = V;
  static constexpr std::size_t item_bytes = sizeof(value_of<In>);

  In in;
  std::int64_t n;
  Offsets offsets;
  std::int64_t count;  ///< of segments
  Out out;
  mutable Op op;
  mutable Unary unary;  ///< a caller's function need not be const
  Result result;

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t offset(std::int64_t s) const {
    auto const at = static_cast<std::int64_t>(offsets[s]);
    return static_cast<std::uint64_t>(at) <= static_cast<std::uint64_t>(n) ? at : at < 0 ? 0 : n;
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD V item(std::int64_t i) const { return static_cast<V>(unary(in[i])); }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void add(V& sum, std::int64_t from, std::int64_t to) const {
    for (auto i = from; i < to; ++i) sum = static_cast<V>(op(sum, item(i)));
  }
  /// The fold of items [first, end), of which there are some, one after the other.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD V fold(std::int64_t first, std::int64_t end) const {
    V sum = item(first);
    add(sum, first + 1, end);
    return sum;
  }
  /// Whether a segment's result is asked for.
  SWEEP_HD static constexpr bool wants(std::int64_t) { return true; }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put(std::int64_t s, V const& fold) const {
    out[s] = static_cast<written_value<Out, V>>(result(fold));
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put_empty(std::int64_t s) const { out[s] = static_cast<written_value<Out, V>>(result.init); }
};

/// One segment after the other: the meaning of a segmented reduction. Any thread can run it, in a kernel too.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void reduce_listed(seq_policy const&, Problem const& given) {
  if (only_obtains()) return;
  auto const problem = given;
  for (std::int64_t s = 0; s < problem.count; ++s) {
    if (!problem.wants(s)) continue;
    auto const first = problem.offset(s), end = problem.offset(s + 1);
    if (first < end) {
      problem.put(s, problem.fold(first, end));
    } else {
      problem.put_empty(s);
    }
  }
}

/// Items and segments together are cut into equal shares, so that neither long segments nor many empty ones
/// keep one member busy: a segment belongs to the share that it starts in. Those much longer than a tile are
/// folded afterwards, by all members together. Where brackets stand depends on a segment's length alone.
template <class... Tags, class Problem>
void reduce_listed(host_policy<Tags...> const& policy, Problem const& problem) {
  using V = typename Problem::value;
  if constexpr (!relocatable<V> || !std::is_default_constructible_v<V>) {
    reduce_listed(seq, problem);  // such values cannot be left for others
  } else {
    std::int64_t const each = host_tile_items(Problem::item_bytes), longest = 16 * each;
    bool const may_be_long = problem.n > longest;
    call_array<std::int64_t> const of_long(
        static_cast<std::size_t>(may_be_long ? problem.n / longest + 1 : 0));
    call_array<V> const of_tiles(static_cast<std::size_t>(may_be_long ? problem.n / each + 1 : 0));
    auto* const long_ones = of_long->data();
    auto* const totals = of_tiles->data();
    std::int64_t found = 0;
    team members(policy.threads());
    // Where a share begins is searched for, far apart in memory: shares are large, but so many that members
    // are done at the same time.
    auto const steps = problem.n + problem.count;
    auto const share = std::max(each, std::min(steps / (16 * members.threads()), 64 * each));
    auto const shares = (steps + share - 1) / share;
    auto const first_of = [&](std::int64_t nth) {
      std::int64_t low = 0, high = problem.count;
      while (low < high) {
        auto const middle = low + (high - low) / 2;
        if (problem.offset(middle) + middle < nth * share) low = middle + 1;
        else high = middle;
      }
      return low;
    };
    members.for_each_tile(shares, [&](std::int64_t nth) {
      auto const mine = problem;  // a copy: functors may have a state
      auto s = first_of(nth);
      auto const last = nth + 1 < shares ? first_of(nth + 1) : mine.count;
      for (auto first = s < last ? mine.offset(s) : 0; s < last; ++s) {
        auto const end = mine.offset(s + 1);
        if (!mine.wants(s)) {
          // left alone
        } else if (static_cast<std::uint64_t>(end - first) - 1 < short_fold - 1) {  // some, and few
          mine.put(s, mine.fold(first, end));
        } else if (first >= end) {
          mine.put_empty(s);
        } else if (end - first <= longest) {
          mine.put(s, fold_in_strands<V>(first, end, mine));
        } else {
          auto const at = atomic_ref<std::int64_t>(found).fetch_add(1, relaxed);
          if (at <= mine.n / longest) long_ones[at] = s;  // offsets that decrease may find more
        }
        first = end;
      }
    });
    for (std::int64_t k = 0; k < std::min(found, problem.n / longest + 1); ++k) {
      auto const first = problem.offset(long_ones[k]), end = problem.offset(long_ones[k] + 1);
      auto const parts = (end - first + each - 1) / each;
      members.for_each_tile(parts, [&](std::int64_t part) {
        auto const mine = problem;
        auto const from = first + part * each;
        totals[part] = fold_in_strands<V>(from, std::min(end, from + each), mine);
      });
      auto const mine = problem;
      V sum = totals[0];
      for (std::int64_t part = 1; part < parts; ++part) sum = static_cast<V>(mine.op(sum, totals[part]));
      mine.put(long_ones[k], sum);
    }
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

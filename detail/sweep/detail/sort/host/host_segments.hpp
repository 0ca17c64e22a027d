// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_HOST_HOST_SEGMENTS_HPP
#define SWEEP_DETAIL_SORT_HOST_HOST_SEGMENTS_HPP

// Sorts of segments on threads: a thread sorts the segments that begin in its tile, and all of them together
// those that are long.

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/sort/host/host.hpp>
#include <sweep/detail/sort/host/host_merge.hpp>
#include <sweep/detail/sort/host/in_place.hpp>
#include <sweep/detail/sort/host/items.hpp>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// Sorts items in memory, segment by segment.
template <class Items, class Before>
class host_segment_sort {
 public:
  using item = typename Items::type;
  using merges = host_merge<Items, Before>;

  host_segment_sort(team& members, Before const& before, item* at, item* spare, std::int64_t n)
      : members_{members}, before_{before}, at_{at}, spare_{spare}, n_{n} {}

  template <class Source>
  void operator()(Source const& source) {
    members_.for_each_tile((n_ + sort_tile - 1) / sort_tile, [&](std::int64_t tile) {
      auto const own_source = source;  // copies: what is asked may have a state
      auto const before = before_;
      auto const is_head = [&](std::int64_t i) { return i == 0 || own_source(i); };
      auto first = tile * sort_tile;
      auto const end = std::min(n_, first + sort_tile);
      while (first < end && !is_head(first)) ++first;
      while (first < end) {
        auto next = first + 1;
        while (next < n_ && !is_head(next)) ++next;
        if (next - first > most_alone) remember(first, next);
        else merges::sort(before, at_ + first, spare_ + first, next - first, true);
        first = next;
      }
    });
    for (auto const& [first, end] : long_ones_) sort_together(first, end);
  }

 private:
  static constexpr std::int64_t most_alone = 4 * sort_tile;

  void remember(std::int64_t first, std::int64_t end) {
    std::lock_guard const lock(mutex_);
    long_ones_.push_back({first, end});
  }

  /// Blocks by a thread each, then merges, of which each makes its part of the results.
  void sort_together(std::int64_t first, std::int64_t end) {
    auto const n = end - first;
    item *at = at_ + first, *spare = spare_ + first;
    auto const whole_tile = [&](std::int64_t tile) { return std::min(n, tile * sort_tile); };
    auto const tiles = (n + sort_tile - 1) / sort_tile;
    members_.for_each_tile(tiles, [&](std::int64_t tile) {
      auto const before = before_;
      auto const from = whole_tile(tile);
      merges::sort(before, at + from, spare + from, whole_tile(tile + 1) - from, true);
    });
    for (auto length = sort_tile; length < n; length *= 2) {
      members_.for_each_tile(tiles, [&](std::int64_t tile) {
        auto const before = before_;
        auto const from = whole_tile(tile), base = from / (2 * length) * (2 * length),
                   middle = std::min(n, base + length), top = std::min(n, base + 2 * length), d = from - base,
                   next = whole_tile(tile + 1) - base;
        auto const cut = [&](std::int64_t place) {
          return merges::taken_from_first(before, at + base, middle - base, at + middle, top - middle, place);
        };
        // In an order that is none cuts may be anywhere.
        auto const i = cut(d), j = std::min(std::max(cut(next), i), i + (next - d));
        merges::merge_forward(before, at + base + i, at + base + j, at + middle + (d - i),
                              at + middle + (next - j), spare + from);
      });
      std::swap(at, spare);
    }
    if (at != at_ + first) copy_items(at_ + first, at, n);
  }

  team& members_;
  Before const& before_;
  item *at_, *spare_;
  std::int64_t n_;
  std::mutex mutex_;
  std::vector<std::pair<std::int64_t, std::int64_t>> long_ones_;
};

/// Sorts the segments of a problem by so many threads. Nothing is written before all is sorted.
template <class Problem, class Source>
void sort_segments_on_threads(Problem const& problem, Source const& source, int threads) {
  auto const n = problem.n;
  team members(threads);
  auto const for_all = [&](auto f) {
    members.for_each_tile((n + sort_tile - 1) / sort_tile, [&](std::int64_t tile) {
      auto const mine = problem;  // a copy: iterators may have a state
      for (auto i = tile * sort_tile; i < std::min(n, (tile + 1) * sort_tile); ++i) f(mine, i);
    });
  };
  if constexpr (moves_items<Problem>) {
    using items = sort_items<typename Problem::key, typename Problem::value>;
    using item = typename items::type;
    call_array<item> const room(2 * static_cast<std::size_t>(n));
    if (only_obtains()) return;
    auto* const at = (*room).data();
    for_all([&](Problem const& mine, std::int64_t i) { put_bytes(at[i], items::read(mine, i)); });
    host_segment_sort<items, typename Problem::order_type>(members, problem.order, at, at + n, n)(source);
    for_all([&](Problem const& mine, std::int64_t i) { items::put(mine, i, at[i]); });
  } else {
    using keys = decltype(problem.keys_in);
    using comparison = compare_at<keys, typename Problem::order_type>;
    call_array<std::int64_t> const indices(2 * static_cast<std::size_t>(n));
    auto* const at = (*indices).data();
    if (!only_obtains()) {
      for (std::int64_t i = 0; i < n; ++i) at[i] = i;
      comparison const before{problem.keys_in, problem.order};
      host_segment_sort<sort_items<std::int64_t, absent_value>, comparison>(members, before, at, at + n,
                                                                            n)(source);
    }
    if constexpr (Problem::has_values)
      move_by_indices(members, problem.values_in, problem.values_out, n, at, problem.values_in_place());
    move_by_indices(members, problem.keys_in, problem.keys_out, n, at, problem.keys_in_place());
  }
}

/// One thread: in a kernel each segment where it stands.
SWEEP_NO_EXEC_CHECK
template <class Problem, class Source>
SWEEP_HD void sort_segments_by_heads(seq_policy const&, Problem const& problem, Source const& source) {
#if defined(__CUDA_ARCH__)
  for (std::int64_t first = 0, end = 0; first < problem.n; first = end) {
    end = first + 1;
    while (end < problem.n && !source(end)) ++end;
    auto part = problem;
    part.keys_in = problem.keys_in + first;
    part.keys_out = problem.keys_out + first;
    if constexpr (Problem::has_values) {
      part.values_in = problem.values_in + first;
      part.values_out = problem.values_out + first;
    }
    part.n = end - first;
    sort_without_memory(part);
  }
#else
  sort_segments_on_threads(problem, source, 1);
#endif
}
template <class... Tags, class Problem, class Source>
void sort_segments_by_heads(host_policy<Tags...> const& policy, Problem const& problem,
                            Source const& source) {
  sort_segments_on_threads(problem, source, policy.threads());
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

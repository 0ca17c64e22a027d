// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TOP_K_HOST_SEGMENTS_HPP
#define SWEEP_DETAIL_TOP_K_HOST_SEGMENTS_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/top_k/host.hpp>
#include <sweep/detail/top_k/segment_bounds.hpp>
#include <sweep/policy.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// A range from one of its items on.
template <class Keys>
struct keys_from {
  using value_type = value_of<Keys>;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = decltype(std::declval<Keys const&>()[0]);
  using iterator_category = std::random_access_iterator_tag;
  Keys keys;
  std::int64_t begin;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD decltype(auto) operator[](std::int64_t i) const { return keys[begin + i]; }
};

/// One segment as a selection of its own.
template <class Problem>
struct selection_in_segment {
  Problem const& all;
  std::int64_t s;
  keys_from<std::remove_cvref_t<decltype(Problem::keys_in)>> keys_in;
  typename Problem::order_type order;
  std::int64_t n, k;

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD selection_in_segment(Problem const& problem, std::int64_t segment, segment_range at)
      : all{problem},
        s{segment},
        keys_in{problem.keys_in, at.begin},
        order{problem.order},
        n{at.size()},
        k{problem.k < at.size() ? problem.k : at.size()} {}
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put(std::int64_t j, std::int64_t i) const { all.put(s, j, keys_in.begin, i); }
};

/// A thread for each segment, with a heap.
template <class Problem, class Bounds>
void segmented_top_k_on_threads(Problem const& problem, Bounds const& bounds, int threads) {
  using in_segment = selection_in_segment<Problem>;
  using items =
      numbered_items<std::remove_cvref_t<decltype(in_segment::keys_in)>, typename Problem::order_type>;
  using item = typename items::item;
  team members(threads);
  auto const heap_items = std::min(problem.k, bounds.longest);
  auto const most_members = std::int64_t{members.members_for(bounds.most, problem.n / sort_tile)};
  call_array<item> const room(static_cast<std::size_t>(most_members * heap_items));
  if (only_obtains()) return;
  auto const count = bounds.count();
  auto const each = std::max<std::int64_t>(1, count * sort_tile / std::max<std::int64_t>(problem.n, 1));
  auto const tiles = (count + each - 1) / each;
  members.for_each_tile(
      tiles, members.members_for(tiles, problem.n / sort_tile), [](int member) { return member; },
      [&](std::int64_t tile, int member) {
        auto const mine = problem;  // copies: iterators may have a state
        auto const where = bounds;
        auto* const heap = room->data() + member * heap_items;
        for (auto s = tile * each; s < std::min(count, (tile + 1) * each); ++s) {
          in_segment const one(mine, s, where(s));
          if (one.k == 0) continue;
          items const before(one.keys_in, one.order);
          keep_in_heap(before, heap, one.k, 0, one.n, [&](std::int64_t i) { return before.at(i); });
          std::sort_heap(heap, heap + one.k, before);
          for (std::int64_t j = 0; j < one.k; ++j) one.put(j, heap[j].at);
        }
      });
}

SWEEP_NO_EXEC_CHECK
template <class Problem, class Segments>
SWEEP_HD void run_segmented_top_k(seq_policy const& policy, Problem const& problem,
                                  Segments const& segments) {
#if defined(__CUDA_ARCH__)
  with_segment_bounds(policy, problem.call, segments, problem.n, [&](auto const&, auto const& bounds) {
    for (std::int64_t s = 0; s < bounds.count(); ++s) {
      selection_in_segment<Problem> const one(problem, s, bounds(s));
      top_k_without_memory(one);
    }
  });
#else
  with_memory_first([&] {
    with_segment_bounds(policy, problem.call, segments, problem.n, [&](auto const&, auto const& bounds) {
      segmented_top_k_on_threads(problem, bounds, 1);
    });
  });
#endif
}
template <class... Tags, class Problem, class Segments>
void run_segmented_top_k(host_policy<Tags...> const& policy, Problem const& problem,
                         Segments const& segments) {
  with_memory_first([&] {
    with_segment_bounds(without_tags(policy), problem.call, segments, problem.n,
                        [&](auto const&, auto const& bounds) {
                          segmented_top_k_on_threads(problem, bounds, policy.threads());
                        });
  });
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

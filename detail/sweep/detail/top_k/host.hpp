// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TOP_K_HOST_HPP
#define SWEEP_DETAIL_TOP_K_HOST_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/sort/host/host.hpp>
#include <sweep/detail/top_k/problem.hpp>
#include <sweep/policy.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// An item of a range and where it stands: with its key beside the index, if that is small.
template <class Keys, class Order>
class numbered_items {
  using key = value_of<Keys>;
  static constexpr bool holds_keys =
      relocatable<key> && std::is_default_constructible_v<key> && sizeof(key) <= 16;
  struct with_key {
    key own;
    std::int64_t at;
  };
  struct index_alone {
    std::int64_t at;
  };

 public:
  using item = std::conditional_t<holds_keys, with_key, index_alone>;

  numbered_items(Keys const& keys, Order const& order) : keys_{keys}, order_{order} {}

  item at(std::int64_t i) const {
    if constexpr (holds_keys) return {static_cast<key>(keys_[i]), i};
    else return {i};
  }
  /// Whether a goes before b, whatever their indices.
  bool goes_before(item const& a, item const& b) const {
    if constexpr (holds_keys) return order_(a.own, b.own);
    else return order_(keys_[a.at], keys_[b.at]);
  }
  /// Whether a stands before b; indices decide where the order does not.
  bool operator()(item const& a, item const& b) const {
    return goes_before(a, b) || (a.at < b.at && !goes_before(b, a));
  }

 private:
  Keys keys_;  // copies: iterators and functions may have a state
  Order order_;
};

/// The first `size` of get(first), ..., get(end - 1), of which there are as many, in a heap whose top is the
/// last of them.
template <class Items, class Get>
void keep_in_heap(Items const& before, typename Items::item* heap, std::int64_t size, std::int64_t first,
                  std::int64_t end, Get get) {
  for (std::int64_t j = 0; j < size; ++j) heap[j] = get(first++);
  std::make_heap(heap, heap + size, before);
  for (; first < end; ++first) {
    auto const x = get(first);
    if (!before(x, heap[0])) continue;
    std::pop_heap(heap, heap + size, before);
    heap[size - 1] = x;
    std::push_heap(heap, heap + size, before);
  }
}

/// A sort takes no longer where more than one of so many items are asked for.
inline constexpr std::int64_t items_a_result = 64;

/// Each part of the input keeps its first k items in a heap whose top is the last of them; then one heap
/// takes them all.
template <class Problem>
void top_k_by_heaps(Problem const& problem, int threads) {
  using items = numbered_items<std::remove_cvref_t<decltype(problem.keys_in)>, typename Problem::order_type>;
  using item = typename items::item;
  auto const n = problem.n, k = problem.k;
  team members(threads);
  auto const parts = std::int64_t{std::max(1, members.members_for(n / sort_tile))};
  auto const room_of_part = std::min(k, (n + parts - 1) / parts);
  call_array<item> const room(static_cast<std::size_t>(parts * room_of_part));
  if (only_obtains()) return;
  auto* const all = room->data();
  auto const size_of = [&](std::int64_t part) {
    return std::min(k, n * (part + 1) / parts - n * part / parts);
  };
  members.for_each_share(parts, [&](std::int64_t part) {
    items const before(problem.keys_in, problem.order);
    auto* const heap = all + part * room_of_part;
    keep_in_heap(before, heap, size_of(part), n * part / parts, n * (part + 1) / parts,
                 [&](std::int64_t i) { return before.at(i); });
  });
  std::int64_t count = size_of(0);
  for (std::int64_t part = 1; part < parts; ++part) {
    auto const* const from = all + part * room_of_part;
    std::copy(from, from + size_of(part), all + count);
    count += size_of(part);
  }
  items const before(problem.keys_in, problem.order);
  keep_in_heap(before, all, k, 0, count, [&](std::int64_t j) { return all[j]; });
  std::sort_heap(all, all + k, before);
  auto const mine = problem;  // a copy: iterators may have a state
  for (std::int64_t j = 0; j < k; ++j) mine.put(j, all[j].at);
}

template <class Policy, class Problem>
void top_k_on_threads(Policy const& policy, Problem const& problem, int threads) {
  if (problem.k > problem.n / items_a_result) run_sort(policy, as_sort(problem));
  else top_k_by_heaps(problem, threads);
}

/// One thread without memory: each result is the first item behind the one before it.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void top_k_without_memory(Problem const& problem) {
  std::int64_t last = -1;
  for (std::int64_t j = 0; j < problem.k; ++j) {
    std::int64_t best = -1;
    for (std::int64_t i = 0; i < problem.n; ++i) {
      if (i == last || (last >= 0 && !stands_before(problem.keys_in, problem.order, last, i))) continue;
      if (best < 0 || stands_before(problem.keys_in, problem.order, i, best)) best = i;
    }
    if (best < 0) return;  // an order that is none
    problem.put(j, best);
    last = best;
  }
}

SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void run_top_k(seq_policy const& policy, Problem const& problem) {
#if defined(__CUDA_ARCH__)
  (void)policy;
  top_k_without_memory(problem);
#else
  top_k_on_threads(policy, problem, 1);
#endif
}
template <class... Tags, class Problem>
void run_top_k(host_policy<Tags...> const& policy, Problem const& problem) {
  top_k_on_threads(policy, problem, policy.threads());
}

/// Where the item stands that a sort would put at place `nth`. What is left to look at is split by one of it,
/// drawn anywhere, until that is the one.
template <class Problem>
std::int64_t nth_index_on_host(Problem const& problem) {
  using items = numbered_items<std::remove_cvref_t<decltype(problem.keys)>, typename Problem::order_type>;
  using item = typename items::item;
  auto const n = problem.n;
  call_array<item> const room(2 * static_cast<std::size_t>(n));
  if (only_obtains()) return 0;
  auto *from = room->data(), *to = from + n;
  items const before(problem.keys, problem.order);
  for (std::int64_t i = 0; i < n; ++i) from[i] = before.at(i);
  std::uint64_t drawn = 0x9e3779b97f4a7c15u;
  for (auto left = n, nth = problem.nth;;) {
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    item const pivot = from[static_cast<std::int64_t>((drawn >> 33) % static_cast<std::uint64_t>(left))];
    std::int64_t less = 0, more = left;
    for (std::int64_t j = 0; j < left; ++j) {
      if (from[j].at == pivot.at) continue;
      if (before(from[j], pivot)) to[less++] = from[j];
      else to[--more] = from[j];
    }
    if (nth == less) return pivot.at;
    auto* const spare = from;
    if (nth < less) {
      from = to;
      left = less;
    } else {
      from = to + more;
      left -= more;
      nth -= less + 1;
    }
    to = spare;
  }
}

/// The indices in their new order, by which each item is moved once; until then nothing has been written.
template <class Problem>
void nth_on_threads(Problem const& problem, int threads) {
  with_memory_first([&] {
    auto const n = problem.n;
    call_array<std::int64_t> const indices(static_cast<std::size_t>(n));
    auto* const order = indices->data();
    auto const at = nth_index_on_host(problem);
    if (!only_obtains()) {
      std::int64_t front = 0, back = problem.nth + 1;
      order[problem.nth] = at;
      for (std::int64_t i = 0; i < n; ++i) {
        if (i == at) continue;
        bool const first = stands_before(problem.keys, problem.order, i, at);
        // Of an order that is none there may be more on one side than it has room for.
        if ((first && front < problem.nth) || back == n) order[front++] = i;
        else order[back++] = i;
      }
    }
    team members(threads);
    move_by_indices(members, problem.keys, problem.keys, n, order, true);
  });
}

/// One thread without memory: the n-th is found by counting what stands before items between two bounds, and
/// each item that stands before it is brought behind the last such.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void nth_without_memory(Problem const& problem) {
  using key = typename Problem::key;
  auto const& keys = problem.keys;
  auto const n = problem.n;
  std::int64_t low = -1, high = -1, at = -1;
  for (std::int64_t tries = 0; tries < n; ++tries) {
    std::int64_t before = 0;
    for (at = 0; at < n; ++at)
      if ((low < 0 || stands_before(keys, problem.order, low, at)) &&
          (high < 0 || stands_before(keys, problem.order, at, high)))
        break;
    if (at == n) return;  // an order that is none
    for (std::int64_t i = 0; i < n; ++i)
      if (i != at && stands_before(keys, problem.order, i, at)) ++before;
    if (before == problem.nth) break;
    (before < problem.nth ? low : high) = at;
  }
  key const pivot = keys[at];
  std::int64_t front = 0;
  auto const bring = [&](std::int64_t from, std::int64_t to) {
    key const x = keys[from];
    for (auto i = from; i > to; --i) keys[i] = static_cast<key>(keys[i - 1]);
    keys[to] = x;
  };
  auto nth_is = at;
  for (std::int64_t i = 0; i < n; ++i) {
    if (i == at) continue;
    key const x = keys[i];
    if (!(problem.order(x, pivot) || (i < at && !problem.order(pivot, x)))) continue;
    if (nth_is < i) ++nth_is;  // where the n-th is after this
    bring(i, front++);
  }
  if (nth_is > front) bring(nth_is, front);
}

SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void run_nth(seq_policy const&, Problem const& problem) {
#if defined(__CUDA_ARCH__)
  nth_without_memory(problem);
#else
  nth_on_threads(problem, 1);
#endif
}
template <class... Tags, class Problem>
void run_nth(host_policy<Tags...> const& policy, Problem const& problem) {
  nth_on_threads(problem, policy.threads());
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

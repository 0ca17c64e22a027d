// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SPLIT_RADIX_CUH
#define SWEEP_DETAIL_SORT_SPLIT_RADIX_CUH

#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/for_each.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/scratch_pieces.hpp>
#include <sweep/detail/scan/device.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

// The radix sort of one bit a pass: a scan enumerates the keys whose bit is 0, and says thereby where these
// go, and behind them the others (Blelloch 1990). The scan has the policy's variants, as in the experiment of
// Dotsenko 2008. Passes are made in memory of the call; the output is written at the end.

/// A sort's items in memory of the call.
template <class Problem>
struct items_of_call {
  typename Problem::key* keys;
  typename Problem::value* values;
};
template <class Problem>
struct take_items {
  Problem problem;
  items_of_call<Problem> to;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t i) const {
    put_bytes(to.keys[i], static_cast<typename Problem::key>(problem.keys_in[i]));
    if constexpr (Problem::has_values)
      put_bytes(to.values[i], static_cast<typename Problem::value>(problem.values_in[i]));
  }
};
template <class Problem>
struct put_items {
  Problem problem;
  items_of_call<Problem> from;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t i) const {
    problem.put_key(i, from.keys[i]);
    if constexpr (Problem::has_values) problem.put_value(i, from.values[i]);
  }
};

/// 1 where a bit of a key is 0, else 0.
template <class Key, class Order>
struct bit_is_zero {
  Key const* keys;
  Order order;
  int bit;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator()(std::int64_t i) const {
    return (order.word_of(keys[i]) >> bit & 1) == 0 ? 1 : 0;
  }
};

/// Moves each item to its side of a split.
template <class Problem>
struct move_to_side {
  bit_is_zero<typename Problem::key, typename Problem::order_type> is_zero;
  items_of_call<Problem> from, to;
  std::int64_t const* zeros_before;
  std::int64_t n;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t i) const {
    auto const before = zeros_before[i];
    auto const place = is_zero(i) != 0 ? before : zeros_before[n - 1] + is_zero(n - 1) + i - before;
    put_bytes(to.keys[place], from.keys[i]);
    if constexpr (Problem::has_values) put_bytes(to.values[place], from.values[i]);
  }
};

/// There are items.
template <class Source, class... Tags, class Problem>
void run_split_radix_sort(device_policy<Source, Tags...> const& policy, Problem const& problem) {
  using key = typename Problem::key;
  using value = typename Problem::value;
  auto const n = problem.n;
  auto const* const call = problem.call;
  auto const value_count = Problem::has_values ? n : 0;
  auto const bytes =
      2 * bytes_of_piece<key>(n) + 2 * bytes_of_piece<value>(value_count) + bytes_of_piece<std::int64_t>(n);
  with_memory<std::byte>(
      policy, call, static_cast<std::int64_t>(bytes), [&](auto const& rest, std::byte* memory) {
        scratch_pieces pieces(memory);
        auto const items = [&] {
          auto* const keys = pieces.take<key>(n);
          return items_of_call<Problem>{keys, pieces.take<value>(value_count)};
        };
        auto from = items(), to = items();
        auto* const zeros_before = pieces.take<std::int64_t>(n);
        for_each_index(rest, call, n, take_items<Problem>{problem, from});
        for (int bit = problem.order.begin; bit < problem.order.end; ++bit) {
          bit_is_zero<key, typename Problem::order_type> const is_zero{from.keys, problem.order, bit};
          using zeros = reader<std::int64_t, std::remove_const_t<decltype(is_zero)>>;
          run_scan(rest, call,
                   scan_problem<scan_kind::exclusive, direction::forward, std::int64_t, zeros, std::int64_t*,
                                folding_t<std::int64_t, plus>, identity>{
                       zeros{is_zero}, zeros_before, {}, {}, {0, true}, {n, 1, 0, direction::forward}});
          for_each_index(rest, call, n, move_to_side<Problem>{is_zero, from, to, zeros_before, n});
          std::swap(from, to);
        }
        for_each_index(rest, call, n, put_items<Problem>{problem, from});
      });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

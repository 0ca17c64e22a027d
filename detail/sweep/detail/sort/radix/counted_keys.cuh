// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_COUNTED_KEYS_CUH
#define SWEEP_DETAIL_SORT_RADIX_COUNTED_KEYS_CUH

#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/expand/device.cuh>
#include <sweep/detail/expand/problem.hpp>
#include <sweep/detail/histogram/device.cuh>
#include <sweep/detail/histogram/problem.hpp>
#include <sweep/detail/histogram/weights.hpp>
#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/multisplit/device.cuh>
#include <sweep/detail/multisplit/problem.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/scan/device.cuh>
#include <sweep/detail/scan/problem.hpp>
#include <sweep/detail/sort/key_bins.hpp>
#include <sweep/detail/sort/load_and_store.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/device.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// A counting sort (key_bins.hpp). Keys alone, of up to 16 bits: one read of all keys, and one write. Values
// of keys of 8 bits are moved by one pass, which looks at keys and leaves them.

/// Of so many keys of 8 bits and more all are counted, of wider ones of twice as many: what is done for each
/// bin is small beside them. Tests lower it.
inline std::int64_t least_items_to_count = std::int64_t{5} << 19;
template <class Problem>
bool counts_keys(Problem const& problem) {
  using order_type = typename Problem::order_type;
  return problem.n >= least_items_to_count * (order_type::bits > 8 ? 2 : 1) &&
         takes_whole_keys(problem.order);
}

/// Writes the keys of bins, of which bin i ends where ends[i] says; behind them is memory for one number
/// more.
template <class Policy, class Problem>
void write_counted_keys(Policy const& policy, Problem const& problem, std::int64_t* ends) {
  using order_type = typename Problem::order_type;
  using keys_of_bins = reader<typename Problem::key, key_of_bin<order_type>>;
  using keys_out = std::remove_cv_t<decltype(problem.keys_out)>;
  constexpr auto bins = bins_of_keys<order_type>::count;
  run_expand(policy, problem.call,
             expand_problem<keys_of_bins, scanned_counts, keys_out, std::int64_t*>{
                 {}, bins, {ends}, problem.keys_out, problem.n, ends + bins});
}

/// Keys alone.
template <class Policy, class Problem>
void count_and_write(Policy const& policy, Problem const& problem) {
  using bins_type = bins_of_keys<typename Problem::order_type>;
  using keys_in = std::remove_cv_t<decltype(problem.keys_in)>;
  constexpr auto bins = bins_type::count;
  with_memory<std::uint64_t>(
      policy, problem.call, 2 * bins + 1, [&](auto const& rest, std::uint64_t* counts) {
        auto* const ends = reinterpret_cast<std::int64_t*>(counts + bins);
        run_histogram(rest, problem.call,
                      histogram_problem<keys_in, bins_type, count_ones, std::uint64_t>{
                          problem.keys_in, problem.n, {problem.order}, {}, bins, counts});
        run_scan(rest, problem.call,
                 scan_problem<scan_kind::inclusive, direction::forward, std::int64_t, std::uint64_t const*,
                              std::int64_t*, plus, identity>{counts, ends, {}, {}, {}, {bins}});
        write_counted_keys(rest, problem, ends);
      });
}

/// Moves values to where their keys are to be, and says where each key ends.
template <class Keys, class Values, class Out, class Value, class Order>
struct values_pass {
  using key = typename Order::key;
  using value = Value;
  static constexpr bool has_values = true, moves_keys = false, few_bins = false, chooses_ends = false,
                        any_order = false, bins_are_digits = true, tells_next = false;
  static constexpr int vector_items = split_vector_items<Keys>,
                       bins = static_cast<int>(bins_of_keys<Order>::count), bits = Order::bits;
  struct next_bins {};

  Keys keys;
  Values values;
  Out values_out;
  std::int64_t n;
  bins_of_keys<Order> bins_of;
  std::int64_t* ends;
  keys_alone keys_out{};

  __device__ sees_nothing observer() const { return {}; }
  __device__ unsigned bin_of(key const& x) const { return bins_of.bin_of(x); }
  __device__ void tell_begin(int t, std::int64_t begin) const {
    if (blockIdx.x != 0 || t >= bins) return;
    if (t > 0) ends[t - 1] = begin;
    else ends[bins - 1] = n;
  }
};

template <class Policy, class Problem>
void move_values_and_write(Policy const& policy, Problem const& problem) {
  using value = moved_value<Problem>;
  using keys_in = std::remove_cv_t<decltype(problem.keys_in)>;
  using values_in = std::remove_cv_t<decltype(problem.values_in)>;
  using pass_type = values_pass<keys_in, values_in, value*, value, typename Problem::order_type>;
  using move_job = split_move_job<pass_type>;
  constexpr bool writes_values = passes_reach<std::remove_cv_t<decltype(problem.values_out)>, value>;
  auto const call = problem.call;
  auto const n = problem.n;
  bool const by_memory = !writes_values || problem.values_in_place();
  auto const block = move_job::numbers(facts_of<move_job>(call).arch);
  auto const chunks = split_chunks(call, n, block, block.resident());
  auto const words = words_of(chunks) + pass_type::bins + 1;
  with_memory<std::uint64_t>(policy, call, words, [&](auto const& after, std::uint64_t* counts) {
    with_memory<value>(after, call, by_memory ? n : 0, [&](auto const& rest, value* between) {
      auto* const ends = reinterpret_cast<std::int64_t*>(counts + words_of(chunks));
      auto* to = between;
      if constexpr (writes_values)
        if (!by_memory) to = problem.values_out;
      launch_split(call, rest.stream(),
                   pass_type{problem.keys_in, problem.values_in, to, n, {problem.order}, ends},
                   counts_at(counts, chunks));
      if (by_memory) {
        using store_job = radix_store_job<Problem, value>;
        launch_job(call, rest.stream(), blocks_for(n, 256 * 4, std::int64_t{multiprocessors(call)} * 8),
                   store_job::threads, store_job{problem, nullptr, between});
      }
      if constexpr (Problem::keeps_keys) write_counted_keys(rest, problem, ends);
    });
  });
}

template <class Source, class... Tags, class Problem>
void run_counting_sort(device_policy<Source, Tags...> const& policy, Problem const& problem) {
  if constexpr (Problem::has_values) move_values_and_write(without_tags(policy), problem);
  else count_and_write(without_tags(policy), problem);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

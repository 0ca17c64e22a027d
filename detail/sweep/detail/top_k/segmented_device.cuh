// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TOP_K_SEGMENTED_DEVICE_CUH
#define SWEEP_DETAIL_TOP_K_SEGMENTED_DEVICE_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/sort/device.cuh>
#include <sweep/detail/top_k/device.cuh>
#include <sweep/detail/top_k/segment_gather.cuh>
#include <sweep/detail/top_k/segment_select.cuh>
#include <sweep/device.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Segments of more items, on an average, are a block's, or that of more threads.
inline constexpr std::int64_t most_items_for_warp = 1 << 15, most_items_for_short_block = 1 << 13;
/// Where there are fewer segments of more items than a warp sees at once, a block each is faster: tests lower
/// the number.
inline std::int64_t least_segments_for_warps = 1024;
inline constexpr std::int64_t most_items_of_look = 1024;

/// Sorts what stands for the items, segment by segment, and takes the first of each.
template <class Policy, class Problem, class Segments, class Bounds, class Source, class Order>
void top_k_of_sorted_segments(Policy const& policy, Problem const& problem, Segments const& segments,
                              Bounds const& bounds, Source const& source, Order const& order,
                              int index_bits) {
  using list_job = list_items_job<Source>;
  using item = typename list_job::item;
  using put_job = put_sorted_segments_job<Problem, Bounds, item>;
  auto const* const call = problem.call;
  auto const n = problem.n;
  with_memory<item>(policy, call, n, [&](auto const& rest, item* items) {
    launch_job(call, rest.stream(), (n + list_job::threads - 1) / list_job::threads, list_job::threads,
               list_job{source, n, items});
    with_head_source(rest, call, segments, n, items, [&](auto const& others, auto const& heads) {
      run_windows_sort(
          others,
          sort_problem<item const*, no_values, item*, no_values, Order>{call, items, {}, items, {}, n, order},
          heads);
    });
    launch_job(call, rest.stream(), blocks_for(bounds.most, 8, std::int64_t{multiprocessors(call)} * 8),
               put_job::threads, put_job{problem, bounds, items, index_bits});
  });
}

template <class Scratch, class... Tags, class Problem, class Segments>
void run_segmented_top_k(device_policy<Scratch, Tags...> const& given, Problem const& problem,
                         Segments const& segments) {
  using order = typename Problem::order_type;
  auto const* const call = problem.call;
  auto const n = problem.n;
  with_segment_bounds(without_tags(given), call, segments, n, [&](auto const& policy, auto const& bounds) {
    using bounds_type = std::remove_cvref_t<decltype(bounds)>;
    if (bounds.most == 0) return;
    if constexpr (selects_by_numbers<order>) {
      using small = std::conditional_t<(order::bits <= 32), std::uint64_t, uint128_word>;
      using warp_job = warp_top_k_job<Problem, bounds_type, small>;
      using short_job = block_top_k_job<Problem, bounds_type, small, true>;
      using long_job = block_top_k_job<Problem, bounds_type, small, false>;
      auto const blocks = std::int64_t{multiprocessors(call)};
      int const index_bits = bits_to_count(bounds.longest);
      if (index_bits <= 32 || sizeof(small) > 8) {
        constexpr int warps = warp_job::threads / 32;
        auto const mean = n / bounds.most;
        bool const all_count = problem.order.begin == 0 && problem.order.end == order::bits;
        if (problem.k <= 32 && all_count && mean <= most_items_for_warp)
          return launch_job(call, policy.stream(),
                            blocks_for(bounds.most, warps, blocks * warp_job::blocks * 64), warp_job::threads,
                            warp_job{problem, bounds, index_bits});
        auto const in_blocks = [&](auto job, std::int64_t most) {
          using job_type = decltype(job);
          launch_job(call, policy.stream(), blocks_for(bounds.most, 1, blocks * most), job_type::threads,
                     job);
        };
        auto const bits = counting_bits<order>::of(problem.order);
        using gather_job = gathering_top_k_job<Problem, bounds_type, small>;
        if (problem.k <= gather_job::most_k && mean <= most_items_for_short_block &&
            (bounds.most >= least_segments_for_warps || mean <= most_items_of_look))
          return launch_job(
              call, policy.stream(),
              blocks_for(bounds.most, gather_job::threads / 32, blocks * gather_job::blocks * 64),
              gather_job::threads, gather_job{problem, bounds, bits, index_bits});
        if (problem.k <= short_job::selection_type::most_k / 2 && mean <= most_items_for_short_block)
          return in_blocks(short_job{problem, bounds, bits, index_bits}, 256);
        if (problem.k <= long_job::selection_type::most_k)
          return in_blocks(long_job{problem, bounds, bits, index_bits}, 64);
      }
      with_number<order>(n, [&](auto number) {
        using number_type = decltype(number);
        using keys = std::remove_cvref_t<decltype(problem.keys_in)>;
        int const all_bits = bits_to_count(n);
        top_k_of_sorted_segments(policy, problem, segments, bounds,
                                 numbered_keys<keys, order, number_type>{
                                     problem.keys_in, counting_bits<order>::of(problem.order), n, all_bits},
                                 radix_order<number_type>{}, all_bits);
      });
    } else {
      using at = compare_at<std::remove_cvref_t<decltype(problem.keys_in)>, order>;
      top_k_of_sorted_segments(policy, problem, segments, bounds, every_index{},
                               comparison_order<at>{{problem.keys_in, problem.order}}, 63);
    }
  });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

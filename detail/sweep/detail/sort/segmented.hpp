// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTED_HPP
#define SWEEP_DETAIL_SORT_SEGMENTED_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/segmented_scan/dispatch.hpp>
#include <sweep/detail/segmented_scan/validate.hpp>
#include <sweep/detail/segments/heads.hpp>
#include <sweep/detail/sort/dispatch.hpp>
#include <sweep/detail/sort/host/host_segments.hpp>
#include <sweep/detail/sort/problem.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/segments/head_bits.cuh>
#include <sweep/detail/sort/segments/counted_known_segments.cuh>
#include <sweep/detail/sort/segments/few_segments.cuh>
#include <sweep/detail/sort/segments/few_windows.cuh>
#include <sweep/detail/sort/segments/few_windows_sort.cuh>
#include <sweep/detail/sort/segments/known_segments.cuh>
#include <sweep/detail/sort/segments/windows_sort.cuh>
#endif

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

SWEEP_NO_EXEC_CHECK
template <class Policy, class Segments, class Problem>
requires on_host<Policy> SWEEP_HD void run_segmented_sort(Policy const& policy, Segments const& segments,
                                                          Problem const& problem) {
  with_head_source(
      policy, problem.call, segments, problem.n, problem.keys_out,
      [&](auto const& rest, auto const& source) { sort_segments_by_heads(rest, problem, source); });
}
#if defined(__CUDACC__)
/// Whether segments were known, and neither short nor many, so that they have been sorted by a block each.
template <class Policy, class Problem, class Segments>
bool sort_known_segments(Policy const& policy, Problem const& problem, Segments const& segments) {
  [[maybe_unused]] auto const sort = [&](auto const& source, std::int64_t longest) {
    using source_type = std::remove_cvref_t<decltype(source)>;
    using job = known_segments_job<Problem, source_type>;
    using whole_job = typename job::whole_job;
    if constexpr (!whole_job::possible) {
      return false;
    } else {
      auto const* const call = problem.call;
      auto const n = problem.n, mean = n / source.count;
      bool const alone = longest <= job::most_items,
                 fit = alone ? facts_of<whole_job>(call).fits : facts_of<job>(call).fits;
      // Of more items that are bytes long segments are counted. What fits a block and no window has a block
      // each in any way.
      using value = typename riding_value<Problem>::type;
      using order = typename Problem::order_type;
      auto const most = counts_long_segments<value, order>
                            ? std::min(most_items_of_any_length, most_items_of_known_segments)
                            : most_items_of_known_segments;
      bool const has_blocks =
          alone && n <= most_items_of_rows && 2 * mean > segment_window<typename Problem::key, value, order>;
      auto const least =
          source.count <= multiprocessors(call) ? least_of_few_known_segments : least_of_known_segments;
      auto const most_of_multiprocessor = 8 * mean <= job::most_items
                                              ? std::max(few_known_segments, few_short_known_segments)
                                              : few_known_segments;
      if (!fit || mean < least ||
          (!has_blocks && (n > most || source.count > most_of_multiprocessor * multiprocessors(call))))
        return false;
      if (!alone && (2 * mean > job::most_items || !device_attribute(call, cudaDevAttrCooperativeLaunch)))
        return false;
      run_few_windows_sort(
          policy, problem,
          known_segments<source_type>{source, alone ? static_cast<int>(n) : job::most_of_part});
      return true;
    }
  };
  if constexpr (!sorts_windows_by_radix<typename Problem::key, typename Problem::order_type>) {
    return false;
  } else if constexpr (requires { segments.count; }) {
    if (segments.count <= 0) return false;
    if constexpr (requires { segments.offsets; }) {
      auto const offsets = unwrapped(segments.offsets);
      using offsets_type = std::remove_const_t<decltype(offsets)>;
      auto longest = problem.n;
      if constexpr (std::is_same_v<offsets_type, row_offsets>) longest = std::min(longest, offsets[1]);
      return sort(marked_offset_source<offsets_type>{offsets, segments.count}, longest);
    } else if constexpr (requires { segments.lengths; }) {
      if (segments.count > few_lengths) return false;
      auto const lengths = unwrapped(segments.lengths);
      return sort(
          marked_length_source<std::remove_const_t<decltype(lengths)>>{lengths, nullptr, segments.count},
          problem.n);
    } else {
      return false;
    }
  } else {
    return false;
  }
}

/// Whether items were so few that they have been sorted in few windows.
template <class Policy, class Problem, class Segments>
bool sort_few_windows(Policy const& policy, Problem const& problem, Segments const& segments) {
  using key = typename Problem::key;
  using value = typename riding_value<Problem>::type;
  using order = typename Problem::order_type;
  constexpr std::int64_t window = segment_window<key, value, order>;
  auto const* const call = problem.call;
  constexpr int of_bytes = counts_long_segments<value, order> ? 2 : 1;
  if (problem.n > multiprocessors(call) * few_windows_of_multiprocessor / of_bytes * window ||
      !device_attribute(call, cudaDevAttrCooperativeLaunch))
    return false;
  std::int64_t count = 0;  // unknown
  if constexpr (requires { segments.count; }) count = segments.count;
  auto const mean = count > 0 ? problem.n / count : 0;
  constexpr bool by_radix = sorts_windows_by_radix<key, order>;
  if (problem.n > most_items_of_any_length && (!by_radix || count == 0 || 2 * mean > window)) return false;
  // Where some may be longer than a window, which rows are not, a block each is sooner than merges of values.
  if constexpr (Problem::has_values && requires { segments.offsets; })
    if constexpr (!std::is_same_v<std::remove_const_t<decltype(unwrapped(segments.offsets))>, row_offsets>)
      if (problem.n > most_items_of_any_length && 4 * mean > window) return false;
  int const each = few_window_items(call, problem.n, mean, window);
  if (counts_long_segments<value, order> && problem.n > segment_block<key, value, order> && 2 * mean > window)
    return false;
  auto const sort = [&](auto const& rest, auto const& source) {
    run_few_windows_sort(rest, problem, few_heads<std::remove_cvref_t<decltype(source)>>{source, each});
  };
  if constexpr (requires { segments.offsets; }) {
    auto const offsets = unwrapped(segments.offsets);
    sort(policy, marked_offset_source<std::remove_const_t<decltype(offsets)>>{offsets, segments.count});
  } else {
    if constexpr (requires { segments.lengths; })
      if (segments.count <= few_lengths) {
        auto const lengths = unwrapped(segments.lengths);
        sort(policy,
             marked_length_source<std::remove_const_t<decltype(lengths)>>{lengths, nullptr, segments.count});
        return true;
      }
    with_head_source(policy, call, segments, problem.n, problem.keys_out, sort);
  }
  return true;
}

/// Where segments have fewer items in the mean, most may crowd in few windows: each offset is looked at once,
/// to mark its item, and no window looks for its own.
inline constexpr std::int64_t least_mean_of_windows = 2;

template <class Scratch, class... Tags, class Segments, class Problem>
void run_segmented_sort(device_policy<Scratch, Tags...> const& policy, Segments const& segments,
                        Problem const& problem) {
  if constexpr (sorts_on_device<Problem>())
    if (!sort_few_segments(policy, problem, segments) && !sort_counted_segments(policy, problem, segments) &&
        !sort_known_segments(policy, problem, segments) && !sort_few_windows(policy, problem, segments))
      with_memory_first([&] {  // windows are sorted before parts of what is longer, which take memory too
        if constexpr (sorts_windows_by_radix<typename Problem::key, typename Problem::order_type> &&
                      requires { segments.offsets; })
          if (segments.count * least_mean_of_windows <= problem.n) {
            auto const offsets = unwrapped(segments.offsets);
            using heads = offset_heads<std::remove_const_t<decltype(offsets)>>;
            return with_memory<std::uint32_t>(
                policy, problem.call, (problem.n + 31) / 32, [&](auto const& rest, std::uint32_t* words) {
                  run_windows_sort(rest, problem, heads{offsets, segments.count, words});
                });
          }
        with_head_source(
            policy, problem.call, segments, problem.n, problem.keys_out,
            [&](auto const& rest, auto const& source) { run_windows_sort(rest, problem, source); });
      });
}
#endif

/// From the public call to a problem, and to where it runs.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Keys, class Values, class Segments, class KeysOut, class ValuesOut, class Comp>
SWEEP_HD void sort_segments(char const* call, Policy const& given, Keys first, Keys last, Values values,
                            Segments const& segments, KeysOut keys_out, ValuesOut values_out,
                            Comp given_comp) {
  using keys_type = decltype(unwrapped_input(first));
  using key = value_of<keys_type>;
  auto const comp = comparison_of<key>(given_comp);
  using orders = order_of<key, std::remove_const_t<decltype(comp)>>;
  auto const target = resolve<no_options>(given);
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  auto const callable =
      require_callable<on_host<policy_type>, Comp, Keys, Values, KeysOut, ValuesOut, Segments>();
  auto const n = checked_distance(call, first, last);
  if (n == 0) return;
  auto const problem =
      sort_problem_of(target.policy, call, first, values, keys_out, values_out, n, orders::make(comp));
  using problem_type = std::remove_const_t<decltype(problem)>;
  require_values(target.policy, call, "values_out", problem.values_out);
  require_segments(target.policy, call, segments, n);
  if constexpr (callable && sort_fits<problem_type>()) run_segmented_sort(target.policy, segments, problem);
  finish(call, target);
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

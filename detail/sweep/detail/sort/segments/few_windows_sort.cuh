// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_FEW_WINDOWS_SORT_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_FEW_WINDOWS_SORT_CUH

#include <sweep/detail/runtime/scratch.cuh>
#include <sweep/detail/runtime/scratch_pieces.hpp>
#include <sweep/detail/sort/comparison/merge_memory.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/segments/block_segments.cuh>
#include <sweep/detail/sort/segments/few_windows.cuh>
#include <sweep/detail/sort/segments/known_segments.cuh>
#include <sweep/detail/sort/segments/segment_heads.cuh>
#include <sweep/detail/sort/segments/segment_windows.cuh>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Sorts each segment of few items, whose blocks find the heads themselves (few_heads), or have a known
/// segment each (known_segments). What is longer than a window or a block is merged.
template <class Source, class... Tags, class Problem, class Heads>
void run_few_windows_sort(device_policy<Source, Tags...> const& policy, Problem const& problem,
                          Heads const& heads) {
  using key = typename Problem::key;
  using order = typename Problem::order_type;
  using memory_type = merge_memory<Problem>;
  using value = typename memory_type::value;
  using shape = merge_sort_shape<key, Problem::has_values>;
  using segments = typename groups_of_segments<Problem, Heads, shape, 0>::type;
  constexpr int most_of_block = segment_block<key, value, order>;
  auto const n = problem.n;
  if (n == 0) return;
  auto const* const call = problem.call;
  auto const stream = policy.stream();
  std::int64_t const length = heads.window, windows = (n + length - 1) / length;
  segments groups{};
  auto& found = groups.heads;
  found.n = n;
  found.windows = windows;
  found.items = static_cast<int>(length);
  found.most_whole = length;
  if constexpr (are_known_segments<Heads>)
    found.most_apart = known_segments_job<Problem, decltype(heads.source)>::most_items;
  else if (n <= most_of_block) found.most_whole = n;  // a block has room for any segment of its window
  bool const merges = !found.all_are_whole();

  memory_type own(problem, merges, merges && segments::passes_of(windows) > 1);
  std::size_t const bytes = own.bytes() + (merges ? 4 * bytes_of_piece<std::int64_t>(windows) : 0);
  scratch<Source> const memory(policy.scratch_source(), call, stream, bytes);
  scratch_pieces pieces(memory.memory());
  own.take(pieces);
  if (merges)
    for (auto* const of_windows : {&found.first, &found.last, &found.before, &found.next})
      *of_windows = pieces.take<std::int64_t>(windows);

  auto const rest = rest_of(policy, memory, bytes);
  if constexpr (are_known_segments<Heads>) {
    with_riding_values(problem, [&](auto values) {
      sort_by_known_segments<known_segments_job<Problem, decltype(heads.source)>>(
          rest, call, problem.keys_in, values, heads.source, groups, own.buffers, problem.order);
    });
  } else {
    auto const sort_own = [&] {
      sort_windows(stream, problem, windows,
                   own_windows<decltype(heads.source), segments, most_of_block>{heads.source, found},
                   own.buffers);
    };
    if (merges) merge_few_windows(rest, call, groups, own.buffers, problem.order, sort_own);
    else sort_own();
  }
  own.write(stream);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

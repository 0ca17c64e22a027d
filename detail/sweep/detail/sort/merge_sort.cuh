// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_MERGE_SORT_CUH
#define SWEEP_DETAIL_SORT_MERGE_SORT_CUH

#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/scratch.cuh>
#include <sweep/detail/sort/block_segments.cuh>
#include <sweep/detail/sort/count_block_segments.cuh>
#include <sweep/detail/sort/few_windows.cuh>
#include <sweep/detail/sort/find_windows.cuh>
#include <sweep/detail/sort/known_segments.cuh>
#include <sweep/detail/sort/merge_passes.cuh>
#include <sweep/detail/sort/merge_segments.cuh>
#include <sweep/detail/sort/network_windows.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/sample_grid.cuh>
#include <sweep/detail/sort/segment_passes.cuh>
#include <sweep/detail/sort/segment_windows.cuh>
#include <sweep/detail/sort/short_windows.cuh>
#include <sweep/detail/sort/tile/merge_sort_tile.cuh>
#include <sweep/detail/sort/tile/places_tile.cuh>
#include <sweep/device.cuh>
#include <sweep/variant.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// In place of where segments begin.
struct no_segments {};
/// In place of a grid's plan.
struct no_grid {
  static constexpr std::int64_t blocks = 0;
  static constexpr std::int64_t told_bytes() { return 0; }
};

/// Who sorts tiles.
template <sort_by How, class Key, bool HasValues, class Order>
struct tile_sorter {
  using type = places_tile<How, Key, Order>;
};
template <class Key, bool HasValues, class Order>
struct tile_sorter<sort_by::merge, Key, HasValues, Order> {
  using type = merge_sort_tile<Key, HasValues, Order>;
};

/// Who sorts segments that are longer than a window: a block each, or one for each part, or all by their
/// digits.
template <template <class...> class Job, class Problem>
using long_segments_job =
    Job<std::remove_cvref_t<decltype(Problem::keys_in)>,
        std::conditional_t<riding_value<Problem>::is_index, index_itself,
                           std::remove_cvref_t<decltype(Problem::values_in)>>,
        typename Problem::key, typename riding_value<Problem>::type, typename Problem::order_type>;

/// Who sorts windows of short segments.
template <bool ByNetworks, class Keys, class Values, class Heads, class Key, class Value, class Order>
using short_windows_job_of =
    std::conditional_t<ByNetworks, sort_network_windows_job<Keys, Values, Heads, Key, Value, Order>,
                       sort_short_windows_job<Keys, Values, Heads, Key, Value, Order>>;

/// Sorts a range; or each of its segments, whose first items' bits are set. Tiles of the range are sorted as
/// the variant says, and merged.
template <sort_by How = sort_by::merge, class Source, class... Tags, class Problem, class Heads = no_segments>
void run_merge_sort(device_policy<Source, Tags...> const& policy, Problem const& problem,
                    Heads const& heads = {}) {
  using key = typename Problem::key;
  using order = typename Problem::order_type;
  static_assert(relocatable<key> && std::is_default_constructible_v<key>,
                "sweep: on the device keys must be trivially copyable and default constructible");
  constexpr bool segmented = !std::is_same_v<Heads, no_segments>;
  using riding = riding_value<Problem>;
  using value = typename riding::type;
  using shape = merge_sort_shape<key, Problem::has_values>;
  using tile = typename tile_sorter<How, key, Problem::has_values, order>::type;
  constexpr int window = segment_window<key, value, order>;
  constexpr bool keys_stay = std::is_same_v<decltype(problem.keys_out), key*>,
                 values_stay = !Problem::has_values || std::is_same_v<decltype(problem.values_out), value*>;
  auto const n = problem.n;
  if (n == 0) return;
  auto const* const call = problem.call;
  auto const stream = policy.stream();
  // Few windows are as long as they are to be, one of all items at most.
  constexpr bool in_few = are_few_heads<Heads>;
  using segments = typename groups_of_segments<Problem, Heads, shape, in_few ? 0 : window>::type;
  constexpr bool can_be_grid = !segmented && How == sort_by::merge && sizeof(key) <= 16;
  using counted_values =
      std::conditional_t<riding::is_index, index_itself, std::remove_cvref_t<decltype(problem.values_in)>>;
  using grid_job =
      sample_grid_job<std::remove_cvref_t<decltype(problem.keys_in)>, counted_values, key, value, order>;
  std::conditional_t<can_be_grid, sample_grid_plan<grid_job, key, value, order>, no_grid> grid;
  if constexpr (can_be_grid) grid = {call, n};
  std::int64_t first_length = grid.blocks > 0 ? n : tile::shape::items;
  if constexpr (in_few) first_length = heads.window;
  else if constexpr (segmented) first_length = window;
  std::int64_t const tiles = (n + first_length - 1) / first_length;
  if constexpr (How == sort_by::bitonic)
    if (tiles > 1)
      refuse_argument(call, Problem::has_values && Problem::keeps_keys ? "keys_last" : "last", "is ", n,
                      " items behind first, but variant::bitonic sorts what fits a block: ", first_length,
                      " of these at most");
  int passes = 0, doublings = 0;
  for (auto runs = std::int64_t{1}; runs < tiles; runs *= shape::ways) ++passes;
  for (auto runs = std::int64_t{1}; runs < tiles; runs *= 2) ++doublings;
  if (segmented && passes > 0 && tiles < 3) passes = 1;
  bool counts_long = false;
  if constexpr (segmented && !in_few && counts_long_segments<value, order>)
    counts_long = tiles > 1 && problem.order.end - problem.order.begin == order::bits;
  if (counts_long) passes = 0;
  // Of so few items a block has room for any segment that begins in its window.
  std::int64_t most_whole = first_length;
  if constexpr (in_few && !are_known_segments<Heads>)
    if (n <= segment_block<key, value, order>) most_whole = n;
  if (most_whole >= n) passes = 0;
  // Segments that are longer than a window are sorted by a block, if it has room for them, and items are many
  // enough to keep all blocks busy or such segments may be many; others by digits, or parts of them are
  // merged.
  std::int64_t most_of_block = 0, most_counted = 0, most_apart = 0, counted_ones = 0, long_ones = 0,
               long_rows = 0, long_grid = 0;
  constexpr bool moves_long = segmented && !in_few && sorts_windows_by_radix<key, order> &&
                              moves_long_segments<value, order>,
                 merges_long = segmented && !in_few && !(moves_long && Problem::has_values);
  std::int64_t mean = 0;  // unknown
  if constexpr (are_offset_heads<Heads>) mean = n / std::max<std::int64_t>(heads.count, 1);
  bool few_are_long = mean > 0 && 4 * mean <= window;
  bool by_digits = moves_long && !merges_long;
  if constexpr (segmented && !in_few && sorts_windows_by_radix<key, order>) {
    using job = long_segments_job<sort_block_segments_job, Problem>;
    // Keys alone are merged sooner, unless many are in segments that fit no block.
    if constexpr (moves_long)
      by_digits = by_digits || n >= least_items_of_segment_passes ||
                  (4 * n >= least_items_of_segment_passes && mean > job::most_items);
    if constexpr (job::possible && job::most_items > window)
      if (!counts_long && (by_digits || n > most_items_of_known_segments || 4 * mean > window) &&
          facts_of<job>(call).fits)
        most_apart = most_of_block = job::most_items;
    if constexpr (counts_block_segments<value, order>) {
      using count_job = long_segments_job<count_block_segments_job, Problem>;
      if (count_job::is_worthwhile(mean) && problem.order.end - problem.order.begin == order::bits &&
          facts_of<count_job>(call).fits) {
        most_of_block = std::min<std::int64_t>(most_of_block, count_job::least_items);
        most_apart = most_counted = count_job::most_items;
        few_are_long = true;
        counted_ones = n / (std::max<std::int64_t>(most_of_block, window) + 1);
      }
    }
  }
  if (mean > 0 && 4 * mean <= most_of_block) few_are_long = true;
  if constexpr (are_known_segments<Heads>)
    most_apart = known_segments_job<Problem, decltype(heads.source)>::most_items;
  if constexpr (moves_long)
    if (passes > 0 && by_digits) {
      using job = long_segments_job<segment_passes_job, Problem>;
      auto const [arch, fits] = facts_of<job>(call);
      auto const bytes = job::dynamic_bytes(arch);
      if (!fits) throw_plan_too_large(call, bytes);
      auto const threads = job::numbers(arch).threads;
      long_grid = 1;  // a device whose blocks cannot be promised to run at the same time has one of them
      if (device_attribute(call, cudaDevAttrCooperativeLaunch))
        long_grid =
            blocks_for(n, job::least_of_part,
                       std::int64_t{multiprocessors(call)} * resident_blocks<job>(call, threads, bytes));
      long_ones = n / (std::max<std::int64_t>(std::max(most_of_block, most_counted), window) + 1);
      long_rows = job::rows(long_ones, long_grid);
      most_apart = n;
    }

  // Segments that are in no window but for a few of them are listed as they are, and so are those that a
  // block has room for where parts of all others are as long as that.
  constexpr bool may_list_known = segmented && sorts_windows_by_radix<key, order> && are_offset_heads<Heads>;
  bool lists_known = false, sorts_parts = false;
  if constexpr (may_list_known) {
    bool const lists = most_counted == 0 && heads.count > 0 && mean > window &&
                       heads.count <= list_known_segments_job<decltype(heads.offsets)>::most_segments;
    lists_known = lists && long_grid > 0;
    sorts_parts = merges_long && lists && long_grid == 0 && most_of_block > 0;
  }

  // Scratch: buffers, where the tiles of the first pass begin, which has most of them, and windows.
  constexpr bool own_keys = !keys_stay && Problem::keeps_keys;
  auto const rounded = [](std::int64_t bytes) { return (static_cast<std::size_t>(bytes) + 255) / 256 * 256; };
  bool const last_is_own = !keys_stay && (Problem::keeps_keys || passes > 1 || grid.blocks > 0);
  int const others = passes > 0 || grid.blocks > 1 ? 1 : 0, key_buffers = (last_is_own ? 1 : 0) + others,
            value_buffers = Problem::has_values ? (values_stay ? 0 : 1) + others : 0;
  bool keeps = false;
  if constexpr (riding::is_index) keeps = problem.values_may_be_in_place();
  // Passes merge as many runs as are left over those that are to come, and so have nearly as many tiles.
  auto const group_runs = [&](int to_come, int left) { return 1 << ((left + to_come - 1) / to_come); };
  std::int64_t cuts_count = 0;
  segments of_segments{};
  if constexpr (segmented) {
    of_segments.heads.n = n;
    of_segments.heads.windows = tiles;
    of_segments.heads.items = static_cast<int>(first_length);
    of_segments.heads.most_whole = most_whole;
    of_segments.heads.most_apart = most_apart;
    if (passes > 0 && !in_few && !by_digits && finds_cuts_before<segments>(n / shape::tile_items))
      cuts_count = shape::ways * of_segments.tiles();
  }
  if (passes > 0 && !segmented) {
    runs_of_all<shape> const first(n, first_length, group_runs(passes, doublings), passes);
    if (finds_cuts_before<runs_of_all<shape>>(first.tiles)) cuts_count = shape::ways * first.tiles;
  }
  constexpr auto word = static_cast<std::int64_t>(sizeof(std::int64_t));
  auto const key_bytes = rounded(n * static_cast<std::int64_t>(sizeof(key))),
             value_bytes = rounded(n * static_cast<std::int64_t>(sizeof(value))),
             kept_bytes = keeps ? rounded(n * static_cast<std::int64_t>(sizeof(typename Problem::value))) : 0,
             cuts_bytes = rounded(cuts_count * word),
             counts_bytes = rounded(counts_long ? tiles * counted_words * std::int64_t{sizeof(unsigned)} : 0),
             windows_bytes = rounded(
                 !segmented ? 0
                 : in_few   ? (most_whole < n ? 4 * tiles * word : 0)
                            : (4 * tiles + 8) * word +
                                (tiles + 1) * std::int64_t{sizeof(window_items) + sizeof(int)} +
                                (tiles + counted_ones + 2 * long_ones) * std::int64_t{sizeof(long_segment)} +
                                long_rows * parts_of_pass * word);
  std::size_t const all_bytes = static_cast<std::size_t>(key_buffers) * key_bytes +
                                static_cast<std::size_t>(value_buffers) * value_bytes + kept_bytes +
                                cuts_bytes + counts_bytes + windows_bytes + rounded(grid.told_bytes());
  scratch<Source> const memory(policy.scratch_source(), call, stream, all_bytes);
  auto* next = static_cast<std::byte*>(memory.memory());
  auto const take = [&](std::size_t bytes) { return std::exchange(next, next + bytes); };
  merge_buffers<key, value> buffers{};
  if constexpr (keys_stay) buffers.keys[0] = problem.keys_out;
  else if (last_is_own) buffers.keys[0] = reinterpret_cast<key*>(take(key_bytes));
  if (others > 0) buffers.keys[1] = reinterpret_cast<key*>(take(key_bytes));
  if constexpr (Problem::has_values) {
    if constexpr (values_stay) buffers.values[0] = problem.values_out;
    else buffers.values[0] = reinterpret_cast<value*>(take(value_bytes));
    if (others > 0) buffers.values[1] = reinterpret_cast<value*>(take(value_bytes));
  }
  typename Problem::value* kept = nullptr;
  if (keeps) kept = reinterpret_cast<typename Problem::value*>(take(kept_bytes));
  auto* const cuts = reinterpret_cast<std::int64_t*>(take(cuts_bytes));
  [[maybe_unused]] auto* const counts = reinterpret_cast<unsigned*>(take(counts_bytes));
  [[maybe_unused]] auto* const windows = reinterpret_cast<std::int64_t*>(take(windows_bytes));

  auto const with_values = [&](auto f) {
    if constexpr (riding::is_index) f(index_itself{});
    else f(problem.values_in);
  };
  if constexpr (segmented) {
    auto& found = of_segments.heads;
    found.first = windows;
    found.last = windows + tiles;
    found.before = windows + 2 * tiles;
    found.next = windows + 3 * tiles;
    auto const sort_windows = [&](auto const& of_blocks) {
      using windows_type = std::remove_cvref_t<decltype(of_blocks)>;
      with_values([&](auto values) {
        using keys_type = decltype(problem.keys_in);
        if constexpr (sorts_windows_by_radix<key, order>) {
          using job = sort_radix_windows_job<keys_type, decltype(values), windows_type, key, value, order>;
          if (!facts_of<job>(call).fits) throw_plan_too_large(call, job::bytes);
          launch_job(call, stream, tiles, job::threads,
                     job{problem.keys_in, values, of_blocks, buffers, problem.order}, job::bytes);
        } else {
          using job = sort_windows_job<keys_type, decltype(values), windows_type, key, value, order>;
          launch_job(call, stream, tiles, job::threads,
                     job{problem.keys_in, values, of_blocks, buffers, problem.order});
        }
      });
    };
    if constexpr (in_few) {
      if constexpr (are_known_segments<Heads>) {
        with_values([&](auto values) {
          sort_by_known_segments<known_segments_job<Problem, decltype(heads.source)>>(
              rest_of(policy, memory, all_bytes), call, problem.keys_in, values, heads.source, of_segments,
              buffers, problem.order);
        });
      } else {
        constexpr int most = segment_block<key, value, order>;
        auto const sort_own = [&] {
          sort_windows(own_windows<decltype(heads.source), segments, most>{heads.source, found});
        };
        if (!found.all_are_whole())
          merge_few_windows(rest_of(policy, memory, all_bytes), call, of_segments, buffers, problem.order,
                            sort_own);
        else sort_own();
      }
    } else {
      found.counts = counts_long ? counts : nullptr;
      found.widest = windows + 4 * tiles;
      auto* at = windows + 4 * tiles + 1;
      auto const take_words = [&](std::int64_t words) { return std::exchange(at, at + words); };
      listed_windows list{nullptr, reinterpret_cast<unsigned*>(take_words(1)), tiles};
      segment_list of_blocks{nullptr, reinterpret_cast<unsigned*>(take_words(1))},
          counted{nullptr, reinterpret_cast<unsigned*>(take_words(1))},
          by_passes{nullptr, reinterpret_cast<unsigned*>(take_words(2))};
      auto* const differing = reinterpret_cast<std::uint32_t*>(take_words(2));
      found.most = reinterpret_cast<int*>(take_words((tiles + 1) / 2));
      list.items =
          reinterpret_cast<window_items*>(take_words(tiles * std::int64_t{sizeof(window_items)} / word));
      constexpr auto segment_words = std::int64_t{sizeof(long_segment)} / word;
      of_blocks.items = reinterpret_cast<long_segment*>(take_words(tiles * segment_words));
      counted.items = reinterpret_cast<long_segment*>(take_words(counted_ones * segment_words));
      by_passes.items = reinterpret_cast<long_segment*>(take_words(long_ones * segment_words));
      if constexpr (may_list_known) {
        auto const list_known = [&](segment_list const& others) {
          using job = list_known_segments_job<decltype(heads.offsets)>;
          launch_job(call, stream, (heads.count + job::warps - 1) / job::warps, job::threads,
                     job{heads.offsets, heads.count, n, most_of_block, of_blocks, others, differing});
        };
        if constexpr (merges_long)
          if (sorts_parts) {
            using job = long_segments_job<sort_segment_parts_job, Problem>;
            using parts = typename job::groups;
            parts groups{found, 1, 0};
            auto& of_parts = groups.heads;
            of_parts.windows = list.windows = (n + job::window - 1) / job::window;
            of_parts.items = job::window;
            of_parts.most_whole = of_parts.most_apart = most_of_block;
            clear_counts(call, stream, of_parts);
            list_known({nullptr, by_passes.counts});
            find_windows(call, stream, heads,
                         windows_to_list<parts>{of_parts, list, counted, counted, counted, 0, 0, 0},
                         differing);
            with_values([&](auto values) {
              launch_job(call, stream, multiprocessors(call), job::threads,
                         job{problem.keys_in, values, of_blocks, buffers, of_parts, problem.order},
                         job::bytes);
            });
            merge_by_passes(call, stream, groups, buffers, cuts, problem.order);
          }
        if (lists_known) list_known(by_passes);
      }
      constexpr bool by_networks = sorts_by_networks<key, value, order>,
                     sorts_short = by_networks || ranks_short_segments<key, value>;
      int most_of_short = !sorts_short ? 0 : by_networks ? most_of_network : most_of_short_segment;
      if (mean > 4 * most_of_short) most_of_short = 0;  // hardly a window has such segments alone
      // Keys are made of their words again.
      if constexpr (by_networks)
        if (!networks_have_numbers<value, order> && problem.order.end - problem.order.begin < order::bits)
          most_of_short = 0;
      bool const has_windows = !lists_known && !sorts_parts, goes_by_digits = passes > 0 && by_digits,
                 has_blocks = most_of_block > 0 && !sorts_parts;
      // What takes a block longest begins first, and the rest beside it.
      int in_row = (goes_by_digits ? 1 : 0) + (counted_ones > 0 ? 1 : 0) + (has_blocks ? 1 : 0) +
                   (has_windows ? (most_of_short > 0 ? 2 : 1) : 0);
      bool is_first = true;
      auto const next_in_row = [&] {
        --in_row;
        return kernel_in_row{std::exchange(is_first, false), in_row == 0};
      };
      if (has_windows) {
        if constexpr (are_offset_heads<Heads>) clear_counts(call, stream, found);
        find_windows(call, stream, heads,
                     windows_to_list<segments>{found, list, of_blocks, counted, by_passes, most_of_block,
                                               most_counted, most_of_short},
                     differing);
      }
      if constexpr (moves_long)
        if (goes_by_digits)
          with_values([&](auto values) {
            using job = long_segments_job<segment_passes_job, Problem>;
            auto* const begins = take_words(long_ones + 1);
            auto* const totals = reinterpret_cast<std::uint64_t*>(take_words(long_ones * parts_of_pass));
            auto* const table = reinterpret_cast<std::uint64_t*>(at);
            sort_by_segment_passes(rest_of(policy, memory, all_bytes), call, long_grid,
                                   job{problem.keys_in,
                                       values,
                                       {},
                                       {},
                                       false,
                                       by_passes,
                                       begins,
                                       table,
                                       totals,
                                       differing,
                                       problem.order,
                                       {},
                                       {},
                                       0,
                                       0,
                                       next_in_row()},
                                   buffers);
          });
      if constexpr (counts_block_segments<value, order>)
        if (counted_ones > 0) {
          using job = long_segments_job<count_block_segments_job, Problem>;
          auto const arch = facts_of<job>(call).arch;
          launch_job(
              call, stream, std::min<std::int64_t>(counted_ones, multiprocessors(call)), job::threads,
              job{problem.keys_in, counted, buffers.keys[0], problem.order, job::room(arch), next_in_row()},
              job::dynamic_bytes(arch));
        }
      if constexpr (sorts_windows_by_radix<key, order>) {
        using job = long_segments_job<sort_block_segments_job, Problem>;
        if constexpr (job::possible && job::most_items > window)
          if (has_blocks)
            with_values([&](auto values) {
              launch_job(call, stream, std::min<std::int64_t>(tiles, multiprocessors(call)), job::threads,
                         job{problem.keys_in, values, of_blocks, buffers.keys[0], buffers.values[0],
                             problem.order, next_in_row()},
                         job::bytes);
            });
      }
      if (has_windows) {
        auto const bits = bits_of(heads);
        using bits_type = std::remove_const_t<decltype(bits)>;
        found_windows<bits_type> listed{found, list, bits, {}};
        if constexpr (sorts_short)
          if (most_of_short > 0)
            with_values([&](auto values) {
              using job = short_windows_job_of<by_networks, decltype(problem.keys_in), decltype(values),
                                               found_windows<bits_type>, key, value, order>;
              if (!facts_of<job>(call).fits) throw_plan_too_large(call, job::bytes);
              listed.place = next_in_row();
              launch_job(
                  call, stream, tiles, job::threads,
                  job{problem.keys_in, values, listed, buffers.keys[0], buffers.values[0], problem.order},
                  job::bytes);
            });
        listed.place = next_in_row();
        sort_windows(listed);
      }
      if constexpr (counts_long_segments<value, order>) {
        using job = write_counted_job<key, order>;
        if (counts_long) launch_job(call, stream, tiles, job::threads, job{found, buffers.keys[0]});
      }
      if constexpr (merges_long)
        if (passes > 0 && !by_digits && !sorts_parts) {
          if (few_are_long) {
            merge_segments(rest_of(policy, memory, all_bytes), call, of_segments, passes, buffers, cuts,
                           problem.order);
          } else {
            merge_by_passes(call, stream, of_segments, buffers, cuts, problem.order);
          }
        }
    }
  } else {
    // What nobody asks for is not written by the last pass.
    auto const of_pass = [&](int to_come) {
      auto some = buffers;
      if (!Problem::keeps_keys && to_come <= 1) some.keys[0] = nullptr;
      return some;
    };
    if constexpr (can_be_grid)
      if (grid.blocks > 0)
        with_values([&](auto values) {
          grid.launch(rest_of(policy, memory, all_bytes), call, problem.keys_in, values, buffers,
                      take(rounded(grid.told_bytes())), n, problem.order);
        });
    if (grid.blocks == 0)
      with_values([&](auto values) {
        using job = sort_tiles_job<tile, decltype(problem.keys_in), decltype(values), key, value, order>;
        auto const to = of_pass(passes + 1);
        launch_job(call, stream, tiles, job::threads,
                   job{problem.keys_in, values,
                       Problem::keeps_keys || passes > 0 ? to.keys[passes % 2] : nullptr,
                       to.values[passes % 2], n, problem.order});
      });
    auto length = first_length;
    for (int to_come = passes; to_come > 0; --to_come) {
      runs_of_all<shape> const groups(n, length, group_runs(to_come, doublings), to_come);
      launch_merge_pass<shape>(call, stream, groups, groups.tiles, groups.tiles, groups.tiles,
                               of_pass(to_come), cuts, problem.order);
      for (int ways = groups.ways; ways > 1; ways /= 2) --doublings;
      length *= groups.ways;
    }
  }
  if constexpr (own_keys || !values_stay) {
    using job = write_sorted_job<Problem, key, value>;
    for (bool const keep : {true, false})
      if (keep == false || keeps)
        launch_job(call, stream, (n + job::threads - 1) / job::threads, job::threads,
                   job{problem, own_keys ? buffers.keys[0] : nullptr,
                       values_stay ? nullptr : buffers.values[0], kept, keep});
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

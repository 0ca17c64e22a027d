// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_WINDOWS_SORT_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_WINDOWS_SORT_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/scratch.cuh>
#include <sweep/detail/runtime/scratch_pieces.hpp>
#include <sweep/detail/sort/comparison/merge_memory.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/segments/block_segments.cuh>
#include <sweep/detail/sort/segments/count_block_segments.cuh>
#include <sweep/detail/sort/segments/find_windows.cuh>
#include <sweep/detail/sort/segments/known_segments.cuh>
#include <sweep/detail/sort/segments/merge_segments.cuh>
#include <sweep/detail/sort/segments/network_windows.cuh>
#include <sweep/detail/sort/segments/segment_passes.cuh>
#include <sweep/detail/sort/segments/segment_windows.cuh>
#include <sweep/detail/sort/segments/short_windows.cuh>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

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

/// Sorts segments that heads, or offsets as heads, tell of. One kernel or two find what segments there are in
/// every window of so many items, and list the windows and what is longer than one; then each kind has a
/// kernel of its own, which runs beside the others: the longest segments go by their digits, those that are
/// shorter are counted or have a block each, and windows of short ones are sorted by fewer threads. Where
/// digits do not serve, windows are sorted and merged.
template <class Problem, class Heads>
class windows_sort {
  using key = typename Problem::key;
  using order = typename Problem::order_type;
  using memory_type = merge_memory<Problem>;
  using value = typename memory_type::value;
  using shape = merge_sort_shape<key, Problem::has_values>;
  static constexpr int window = segment_window<key, value, order>;
  using segments = runs_of_segments<shape, window>;
  static constexpr bool by_radix = sorts_windows_by_radix<key, order>;
  static constexpr bool may_move_long = by_radix && moves_long_segments<value, order>,
                        may_merge_long = !(may_move_long && Problem::has_values),
                        may_count_long = counts_long_segments<value, order>,
                        may_count_in_blocks = by_radix && counts_block_segments<value, order>,
                        may_list_known = by_radix && are_offset_heads<Heads>;
  template <template <class...> class Job>
  using job_of = long_segments_job<Job, Problem>;

 public:
  windows_sort(Problem const& problem, Heads const& heads)
      : problem_{problem}, heads_{heads}, n_{problem.n}, windows_{(problem.n + window - 1) / window} {
    decide_merges();
    decide_blocks();
    decide_digits();
    decide_lists();
  }

  template <class Source, class... Tags>
  void run(device_policy<Source, Tags...> const& policy) {
    memory_type own(problem_, passes_ > 0, passes_ > 1);
    bool const finds_cuts = passes_ > 0 && !by_digits_ && finds_cuts_before<segments>(n_ / shape::tile_items);
    auto const groups = groups_of_windows();
    std::int64_t const cuts_count = finds_cuts ? shape::ways * groups.tiles() : 0,
                       counts_count = counts_long_ ? windows_ * counted_words : 0;
    std::size_t const bytes = own.bytes() + bytes_of_piece<std::int64_t>(cuts_count) +
                              bytes_of_piece<unsigned>(counts_count) +
                              bytes_of_piece<std::int64_t>(words_of_lists());
    scratch<Source> const memory(policy.scratch_source(), problem_.call, policy.stream(), bytes);
    scratch_pieces pieces(memory.memory());
    own.take(pieces);
    auto* const cuts = pieces.take<std::int64_t>(cuts_count);
    auto* const counts = pieces.take<unsigned>(counts_count);
    lists all = lists_in(pieces.take<std::int64_t>(words_of_lists()), groups);
    if (counts_long_) all.found().counts = counts;

    auto const rest = rest_of(policy, memory, bytes);
    list_known_segments(rest, all, own, cuts);
    sort_kinds(rest, all, own);
    write_counted(rest, all, own);
    merge_long(rest, all, own, cuts);
    own.write(policy.stream());
  }

 private:
  /// What is found, and its lists: words of memory, of which those that are counted up lie together.
  struct lists {
    segments groups;
    listed_windows windows;
    segment_list of_blocks, counted, by_passes;
    std::uint32_t* differing;
    std::int64_t *begins, *totals, *table;  ///< of the segments that go by digits
    window_heads& found() { return groups.heads; }
  };

  // Decisions, before anything runs, by how many items there are and, where it is known, segments.

  void decide_merges() {
    passes_ = segments::passes_of(windows_);
    if constexpr (may_count_long)
      counts_long_ = windows_ > 1 && problem_.order.end - problem_.order.begin == order::bits;
    if (counts_long_) passes_ = 0;
    if constexpr (are_offset_heads<Heads>) mean_ = n_ / std::max<std::int64_t>(heads_.count, 1);
    few_are_long_ = mean_ > 0 && 4 * mean_ <= window;
    by_digits_ = may_move_long && !may_merge_long;
  }
  /// Segments that are longer than a window are sorted by a block, if it has room for them, and items are
  /// many enough to keep all blocks busy or such segments may be many; others by digits, or parts of them are
  /// merged. Keys alone are merged sooner, unless many are in segments that fit no block.
  void decide_blocks() {
    if constexpr (by_radix) {
      using job = job_of<sort_block_segments_job>;
      if constexpr (may_move_long)
        by_digits_ = by_digits_ || n_ >= least_items_of_segment_passes ||
                     (4 * n_ >= least_items_of_segment_passes && mean_ > job::most_items);
      if constexpr (job::possible && job::most_items > window)
        if (!counts_long_ && (by_digits_ || n_ > most_items_of_known_segments || 4 * mean_ > window) &&
            facts_of<job>(problem_.call).fits)
          most_apart_ = most_of_block_ = job::most_items;
    }
    if constexpr (may_count_in_blocks) {
      using job = job_of<count_block_segments_job>;
      if (job::is_worthwhile(mean_) && problem_.order.end - problem_.order.begin == order::bits &&
          facts_of<job>(problem_.call).fits) {
        most_of_block_ = std::min<std::int64_t>(most_of_block_, job::least_items);
        most_apart_ = most_counted_ = job::most_items;
        few_are_long_ = true;
        counted_ones_ = n_ / (std::max<std::int64_t>(most_of_block_, window) + 1);
      }
    }
    if (mean_ > 0 && 4 * mean_ <= most_of_block_) few_are_long_ = true;
  }
  void decide_digits() {
    if constexpr (may_move_long)
      if (passes_ > 0 && by_digits_) {
        using job = job_of<segment_passes_job>;
        auto const* const call = problem_.call;
        auto const [arch, fits] = facts_of<job>(call);
        auto const bytes = job::dynamic_bytes(arch);
        if (!fits) throw_plan_too_large(call, bytes);
        auto const threads = job::numbers(arch).threads;
        long_grid_ = 1;  // a device whose blocks cannot be promised to run at the same time has one of them
        if (device_attribute(call, cudaDevAttrCooperativeLaunch))
          long_grid_ =
              blocks_for(n_, job::least_of_part,
                         std::int64_t{multiprocessors(call)} * resident_blocks<job>(call, threads, bytes));
        long_ones_ = n_ / (std::max<std::int64_t>(std::max(most_of_block_, most_counted_), window) + 1);
        long_rows_ = job::rows(long_ones_, long_grid_);
        most_apart_ = n_;
      }
  }
  /// Segments that are in no window but for a few of them are listed as they are, and so are those that a
  /// block has room for where parts of all others are as long as that.
  void decide_lists() {
    if constexpr (may_list_known) {
      bool const lists = most_counted_ == 0 && heads_.count > 0 && mean_ > window &&
                         heads_.count <= list_known_segments_job<decltype(heads_.offsets)>::most_segments;
      lists_known_ = lists && long_grid_ > 0;
      sorts_parts_ = may_merge_long && lists && long_grid_ == 0 && most_of_block_ > 0;
    }
  }

  segments groups_of_windows() const {
    segments groups{};
    groups.heads.n = n_;
    groups.heads.windows = windows_;
    groups.heads.items = window;
    groups.heads.most_whole = window;
    groups.heads.most_apart = most_apart_;
    return groups;
  }
  static constexpr auto word = static_cast<std::int64_t>(sizeof(std::int64_t)),
                        words_of_item = static_cast<std::int64_t>(sizeof(window_items)) / word,
                        words_of_segment = static_cast<std::int64_t>(sizeof(long_segment)) / word;
  std::int64_t words_of_lists() const {
    return 4 * windows_ + 8 + (windows_ + 1) / 2 + windows_ * words_of_item +
           (windows_ + counted_ones_ + long_ones_) * words_of_segment + long_ones_ + 1 +
           long_rows_ * parts_of_pass;
  }
  lists lists_in(std::int64_t* at, segments const& groups) const {
    auto const take = [&](std::int64_t words) { return std::exchange(at, at + words); };
    auto const take_count = [&](std::int64_t words) { return reinterpret_cast<unsigned*>(take(words)); };
    auto const take_segments = [&](std::int64_t count) {
      return reinterpret_cast<long_segment*>(take(count * words_of_segment));
    };
    lists all{};
    all.groups = groups;
    auto& found = all.found();
    for (auto* const of_windows : {&found.first, &found.last, &found.before, &found.next})
      *of_windows = take(windows_);
    found.widest = take(1);
    all.windows = {nullptr, take_count(1), windows_};
    all.of_blocks.counts = take_count(1);
    all.counted.counts = take_count(1);
    all.by_passes.counts = take_count(2);
    all.differing = reinterpret_cast<std::uint32_t*>(take(2));
    found.most = reinterpret_cast<int*>(take((windows_ + 1) / 2));
    all.windows.items = reinterpret_cast<window_items*>(take(windows_ * words_of_item));
    all.of_blocks.items = take_segments(windows_);
    all.counted.items = take_segments(counted_ones_);
    all.by_passes.items = take_segments(long_ones_);
    all.begins = take(long_ones_ + 1);
    all.totals = take(long_ones_ * parts_of_pass);
    all.table = take((long_rows_ - long_ones_) * parts_of_pass);
    return all;
  }

  // Steps.

  /// Lists segments that offsets tell of. Where longer ones are merged, parts of them that a block has room
  /// for are sorted, and merged.
  template <class Rest>
  void list_known_segments(Rest const& rest, lists const& all, memory_type const& own,
                           std::int64_t* cuts) const {
    if constexpr (may_list_known) {
      auto const stream = rest.stream();
      auto const* const call = problem_.call;
      auto const list = [&](segment_list const& others) {
        using job = list_known_segments_job<decltype(heads_.offsets)>;
        launch_job(
            call, stream, (heads_.count + job::warps - 1) / job::warps, job::threads,
            job{heads_.offsets, heads_.count, n_, most_of_block_, all.of_blocks, others, all.differing});
      };
      if (lists_known_) list(all.by_passes);
      if constexpr (may_merge_long)
        if (sorts_parts_) {
          using job = job_of<sort_segment_parts_job>;
          using parts = typename job::groups;
          parts groups{all.groups.heads, 1, 0};
          auto& of_parts = groups.heads;
          auto windows = all.windows;
          of_parts.windows = windows.windows = (n_ + job::window - 1) / job::window;
          of_parts.items = job::window;
          of_parts.most_whole = of_parts.most_apart = most_of_block_;
          clear_counts(call, stream, of_parts);
          list({nullptr, all.by_passes.counts});
          find_windows(
              call, stream, heads_,
              windows_to_list<parts>{of_parts, windows, all.counted, all.counted, all.counted, 0, 0, 0},
              all.differing);
          with_riding_values(problem_, [&](auto values) {
            launch_job(call, stream, multiprocessors(call), job::threads,
                       job{problem_.keys_in, values, all.of_blocks, own.buffers, of_parts, problem_.order},
                       job::bytes);
          });
          merge_by_passes(call, stream, groups, own.buffers, cuts, problem_.order);
        }
    }
  }

  /// Kernels of a call, each beside the one before.
  class row {
   public:
    explicit row(int kernels) : left_{kernels} {}
    kernel_in_row next() {
      --left_;
      return {std::exchange(is_first_, false), left_ == 0};
    }

   private:
    int left_;
    bool is_first_ = true;
  };
  /// Finds windows, and sorts segments of each kind: what takes a block longest begins first, and the rest
  /// beside it.
  template <class Rest>
  void sort_kinds(Rest const& rest, lists const& all, memory_type const& own) const {
    int const most_of_short = most_items_of_short();
    bool const has_windows = !lists_known_ && !sorts_parts_, goes_by_digits = passes_ > 0 && by_digits_,
               has_counted = counted_ones_ > 0, has_blocks = most_of_block_ > 0 && !sorts_parts_;
    row kernels((goes_by_digits ? 1 : 0) + (has_counted ? 1 : 0) + (has_blocks ? 1 : 0) +
                (has_windows ? (most_of_short > 0 ? 2 : 1) : 0));
    if (has_windows) {
      if constexpr (are_offset_heads<Heads>) clear_counts(problem_.call, rest.stream(), all.groups.heads);
      find_windows(problem_.call, rest.stream(), heads_,
                   windows_to_list<segments>{all.groups.heads, all.windows, all.of_blocks, all.counted,
                                             all.by_passes, most_of_block_, most_counted_, most_of_short},
                   all.differing);
    }
    if (goes_by_digits) sort_by_digits(rest, all, own, kernels);
    if (has_counted) count_in_blocks(rest, all, own, kernels);
    if (has_blocks) sort_in_blocks(rest, all, own, kernels);
    if (has_windows) sort_listed_windows(rest, all, own, kernels, most_of_short);
  }
  static constexpr bool by_networks = sorts_by_networks<key, value, order>,
                        sorts_short = by_networks || ranks_short_segments<key, value>;
  /// Items of segments that make a window one of short ones, or 0 where hardly a window has such alone.
  int most_items_of_short() const {
    constexpr int most = !sorts_short ? 0 : by_networks ? most_of_network : most_of_short_segment;
    if (mean_ > 4 * most) return 0;
    // Keys are made of their words again.
    if constexpr (by_networks)
      if (!networks_have_numbers<value, order> && problem_.order.end - problem_.order.begin < order::bits)
        return 0;
    return most;
  }
  template <class Rest>
  void sort_by_digits(Rest const& rest, lists const& all, memory_type const& own, row& kernels) const {
    if constexpr (may_move_long)
      with_riding_values(problem_, [&](auto values) {
        using job = job_of<segment_passes_job>;
        auto* const totals = reinterpret_cast<std::uint64_t*>(all.totals);
        auto* const table = reinterpret_cast<std::uint64_t*>(all.table);
        sort_by_segment_passes(rest, problem_.call, long_grid_,
                               job{problem_.keys_in,
                                   values,
                                   {},
                                   {},
                                   false,
                                   all.by_passes,
                                   all.begins,
                                   table,
                                   totals,
                                   all.differing,
                                   problem_.order,
                                   {},
                                   {},
                                   0,
                                   0,
                                   kernels.next()},
                               own.buffers);
      });
  }
  template <class Rest>
  void count_in_blocks(Rest const& rest, lists const& all, memory_type const& own, row& kernels) const {
    if constexpr (may_count_in_blocks) {
      using job = job_of<count_block_segments_job>;
      auto const arch = facts_of<job>(problem_.call).arch;
      launch_job(problem_.call, rest.stream(),
                 std::min<std::int64_t>(counted_ones_, multiprocessors(problem_.call)), job::threads,
                 job{problem_.keys_in, all.counted, own.buffers.keys[0], problem_.order, job::room(arch),
                     kernels.next()},
                 job::dynamic_bytes(arch));
    }
  }
  template <class Rest>
  void sort_in_blocks(Rest const& rest, lists const& all, memory_type const& own, row& kernels) const {
    if constexpr (by_radix) {
      using job = job_of<sort_block_segments_job>;
      if constexpr (job::possible && job::most_items > window)
        with_riding_values(problem_, [&](auto values) {
          launch_job(problem_.call, rest.stream(),
                     std::min<std::int64_t>(windows_, multiprocessors(problem_.call)), job::threads,
                     job{problem_.keys_in, values, all.of_blocks, own.buffers.keys[0], own.buffers.values[0],
                         problem_.order, kernels.next()},
                     job::bytes);
        });
    }
  }
  template <class Rest>
  void sort_listed_windows(Rest const& rest, lists const& all, memory_type const& own, row& kernels,
                           int most_of_short) const {
    auto const bits = bits_of(heads_);
    using bits_type = std::remove_const_t<decltype(bits)>;
    found_windows<bits_type> listed{all.groups.heads, all.windows, bits, {}};
    if constexpr (sorts_short)
      if (most_of_short > 0)
        with_riding_values(problem_, [&](auto values) {
          using job = short_windows_job_of<by_networks, std::remove_cvref_t<decltype(problem_.keys_in)>,
                                           decltype(values), found_windows<bits_type>, key, value, order>;
          if (!facts_of<job>(problem_.call).fits) throw_plan_too_large(problem_.call, job::bytes);
          listed.place = kernels.next();
          launch_job(problem_.call, rest.stream(), windows_, job::threads,
                     job{problem_.keys_in, values, listed, own.buffers.keys[0], own.buffers.values[0],
                         problem_.order},
                     job::bytes);
        });
    listed.place = kernels.next();
    sort_windows(rest.stream(), problem_, windows_, listed, own.buffers);
  }
  /// Long segments whose words have been counted are written anew.
  template <class Rest>
  void write_counted(Rest const& rest, lists const& all, memory_type const& own) const {
    if constexpr (may_count_long) {
      using job = write_counted_job<key, order>;
      if (counts_long_)
        launch_job(problem_.call, rest.stream(), windows_, job::threads,
                   job{all.groups.heads, own.buffers.keys[0]});
    }
  }
  template <class Rest>
  void merge_long(Rest const& rest, lists const& all, memory_type const& own, std::int64_t* cuts) const {
    if constexpr (may_merge_long)
      if (passes_ > 0 && !by_digits_ && !sorts_parts_) {
        if (few_are_long_)
          merge_segments(rest, problem_.call, all.groups, passes_, own.buffers, cuts, problem_.order);
        else merge_by_passes(problem_.call, rest.stream(), all.groups, own.buffers, cuts, problem_.order);
      }
  }

  Problem const& problem_;
  Heads const& heads_;
  std::int64_t n_, windows_;
  std::int64_t mean_ = 0;  ///< items of a segment; 0 where nobody knows
  int passes_ = 0;         ///< that merge the windows of the longest segment there can be
  bool few_are_long_ = false, counts_long_ = false, by_digits_ = false;
  bool lists_known_ = false, sorts_parts_ = false;
  std::int64_t most_of_block_ = 0, most_counted_ = 0, most_apart_ = 0;  ///< items of a segment
  std::int64_t counted_ones_ = 0, long_ones_ = 0;                       ///< segments there can be
  std::int64_t long_rows_ = 0, long_grid_ = 0;
};

/// Sorts segments that heads, or offsets as heads, tell of.
template <class Source, class... Tags, class Problem, class Heads>
void run_windows_sort(device_policy<Source, Tags...> const& policy, Problem const& problem,
                      Heads const& heads) {
  if (problem.n > 0) windows_sort<Problem, Heads>(problem, heads).run(policy);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_RADIX_CUH
#define SWEEP_DETAIL_SORT_RADIX_RADIX_CUH

#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/multisplit/device.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/scratch_pieces.hpp>
#include <sweep/detail/sort/key_bins.hpp>
#include <sweep/detail/sort/load_and_store.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix/block_radix.cuh>
#include <sweep/detail/sort/radix/count_ahead.cuh>
#include <sweep/detail/sort/radix/counted_keys.cuh>
#include <sweep/detail/sort/radix/frequent_keys.cuh>
#include <sweep/detail/sort/radix/large_groups.cuh>
#include <sweep/detail/sort/radix/radix_code.cuh>
#include <sweep/detail/sort/radix/radix_finish.cuh>
#include <sweep/detail/sort/radix/radix_grid.cuh>
#include <sweep/detail/sort/radix/radix_pass.cuh>
#include <sweep/detail/sort/radix/radix_sample.cuh>
#include <sweep/detail/sort/radix/resident_passes.cuh>
#include <sweep/device.cuh>
#include <sweep/variant.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// A radix sort by the least significant digit first: a multisplit for every digit of up to 8 bits, all of
// them in one kernel (resident_passes.cuh). While the first is counted, the bits in which keys differ are
// found: a digit in which they do not is passed over.
//
// Large inputs of wide words take a shorter way where it can be gone (radix_code.cuh). Where a sample of the
// keys speaks against it, or many groups turn out large, all passes are made; all that is found out on the
// device. variant::radix is all passes at any size, variant::radix_msd the shorter way at all that it can
// be.

/// The shorter way is for as many items, or more; where there are many digits, for fewer, and of narrow
/// floating-point numbers alone, whose codes take longest to find, for more. Tests lower the number.
inline std::int64_t least_items_to_finish = std::int64_t{1} << 21;

/// In more than one block.
template <sort_by How, class Problem>
class radix_passes {
  using key = typename Problem::key;
  using value = moved_value<Problem>;
  using order = typename Problem::order_type;
  static constexpr bool has_values = Problem::has_values;
  template <class It, class T>
  static constexpr bool reach = passes_reach<std::remove_cvref_t<It>, T>;
  static constexpr bool reads_keys = reach<decltype(Problem::keys_in), key>,
                        writes_keys = reach<decltype(Problem::keys_out), key>,
                        reads_values = !has_values || reach<decltype(Problem::values_in), value>,
                        writes_values = !has_values || reach<decltype(Problem::values_out), value>;

  // The shorter way looks at the highest bits, all of which count then. Its first pass may leave keys that
  // are their words in any order: all of their bits count, as where a code is of fractions.
  //
  // Floating-point numbers of 32 bits have few that are different: alone they need not be told apart, with
  // values they must, and go it by frequent words only. By name all go it that can.
  using finish_job = radix_finish_job<key, value, order>;
  using sample_job = radix_sample_job<key, value, order>;
  static constexpr bool may_count_ahead = has_values;  // keys alone may be set apart first
  using drawing_job =
      std::conditional_t<may_count_ahead, radix_sample_and_count_job<key, value, order>, sample_job>;
  static constexpr bool by_name = How == sort_by::radix_msd,
                        by_words_alone = !by_name && order::has_exponent && has_values && order::bits <= 32;
  static constexpr int few_bits = by_name ? 8 : by_words_alone && !has_frequent_words<key, value> ? 32 : 24;
  static constexpr bool can_finish =
      How != sort_by::radix && order::bits > few_bits &&finish_job::block_job::possible,
                        any_order = !has_values && order::is_exact;
  using passes_job = radix_passes_job<key, value, order, can_finish>;
  static constexpr bool has_words = passes_job::has_words,
                        has_frequent = has_frequent_keys<key, value, order>;
  using words_type = frequent_words<typename order::word>;

 public:
  radix_passes(Problem const& problem, radix_digits const& digits)
      : problem_{problem}, call_{problem.call}, n_{problem.n}, digits_{digits} {
    auto const [arch, fits] = facts_of<passes_job>(call_);
    block_ = passes_job::numbers(arch);
    block_bytes_ = passes_job::dynamic_bytes(arch);
    if (!fits) throw_plan_too_large(call_, block_bytes_);
    // A device whose blocks cannot be promised to run at the same time has one of them.
    together_ = device_attribute(call_, cudaDevAttrCooperativeLaunch) != 0;
    chunks_ = together_ ? split_chunks(call_, n_, block_,
                                       resident_blocks<passes_job>(call_, block_.threads, block_bytes_))
                        : split_counts{nullptr, nullptr, 1, n_};
    // What is between words has a range of windows each.
    auto const length = finish_job::window_items(n_);
    int const of_range = finish_job::windows_of_range(n_);
    windows_ = {nullptr,
                nullptr,
                length,
                std::max(n_ / length + 1, std::int64_t{has_words ? parts_of_pass * of_range : 0}),
                finish_job::most_of_group,
                of_range};
    decide_to_finish();
  }

  template <class Source, class... Tags>
  void run(device_policy<Source, Tags...> const& policy) {
    with_memory<std::byte>(
        policy, call_, static_cast<std::int64_t>(bytes()), [&](auto const& rest, std::byte* memory) {
          take(memory);
          auto const stream = rest.stream();
          auto const copying_blocks = blocks_for(n_, 256 * 4, std::int64_t{multiprocessors(call_)} * 8);
          if constexpr (!reads_keys || !reads_values) {
            using job = radix_load_job<Problem, loaded>;
            launch_job(call_, stream, copying_blocks, job::threads, job{problem_, to_load_, values_to_load_});
          }
          clear_scratch(call_, stream, differing_, words_of_differing);
          look_at_sample(stream);
          pass(rest);
          if constexpr (can_finish)
            if (finishes_)
              launch_job(call_, stream, (windows_.count + windows_.of_range - 1) / windows_.of_range,
                         finish_job::threads,
                         finish_job{key_memory_, value_memory_, problem_.order, digits_, windows_},
                         finish_job::bytes);
          if constexpr (!writes_keys || !writes_values) {
            radix_store_job<Problem, value> store{problem_, nullptr, nullptr};
            if constexpr (!writes_keys) store.keys = key_memory_.last;
            if constexpr (!writes_values) store.values = value_memory_.last;
            launch_job(call_, stream, copying_blocks, store.threads, store);
          }
        });
  }

 private:
  using loaded = std::conditional_t<has_values, value, char>;

  /// Whether the shorter way is tried. To finish takes more than one block; codes of parts have 32 bits.
  void decide_to_finish() {
    most_digits_ = by_words_alone ? 0
                                  : std::min(order::has_exponent ? 4 : passes_job::most_of_shorter,
                                             digits_.count - (by_name ? 1 : 2));
    auto const least = std::max<std::int64_t>(sample_job::keys_of_sample,
                                              by_name             ? 0
                                              : digits_.count > 5 ? least_items_to_finish / 4
                                              : (order::has_exponent && !has_values) || by_words_alone
                                                  ? least_items_to_finish * 8
                                                  : least_items_to_finish);
    if constexpr (can_finish)
      finishes_ = digits_.width == 8 && digits_.end - digits_.begin == 8 * digits_.count &&
                  digits_.end == order::bits && (!(any_order || order::has_exponent) || digits_.begin == 0) &&
                  (by_words_alone || most_digits_ >= 1) && n_ >= least && n_ < std::int64_t{1} << 32 &&
                  facts_of<drawing_job>(call_).fits && facts_of<finish_job>(call_).fits;
  }

  // Memory, in the order in which it is taken. What is of the shorter way has none where that is not tried.
  static constexpr int words_of_differing = 64;
  std::int64_t if_finishing(std::int64_t items) const { return finishes_ ? items : 0; }
  std::int64_t told_count() const {
    return passes_job::pass_type::tells_next && digits_.count > 1 ? n_ + 16 : 0;
  }
  std::size_t bytes() const {
    return bytes_of_piece<std::uint32_t>(words_of_differing) +
           bytes_of_piece<std::uint64_t>(words_of(chunks_)) + bytes_of_piece<unsigned char>(told_count()) +
           (writes_keys ? 1 : 2) * bytes_of_piece<key>(n_) +
           (!has_values     ? 0
            : writes_values ? 1
                            : 2) *
               bytes_of_piece<value>(n_) +
           bytes_of_piece<window_bound>(if_finishing(windows_.count + 1)) +
           bytes_of_piece<large_group>(if_finishing(most_large_groups)) +
           bytes_of_piece<sampled_parts>(if_finishing(order::has_exponent ? 1 : 0)) +
           bytes_of_piece<words_type>(if_finishing(has_words ? 1 : 0)) +
           bytes_of_piece<frequent_keys<key>>(if_finishing(has_frequent ? 1 : 0));
  }
  void take(std::byte* memory) {
    scratch_pieces pieces(memory);
    digits_.differing = differing_ = pieces.take<std::uint32_t>(words_of_differing);
    counts_ = counts_at(pieces.take<std::uint64_t>(words_of(chunks_)), chunks_);
    told_ = pieces.take<unsigned char>(told_count());
    key_memory_.between = pieces.take<key>(n_);
    if constexpr (writes_keys) key_memory_.last = problem_.keys_out;
    else key_memory_.last = pieces.take<key>(n_);
    if constexpr (reads_keys) key_memory_.first = problem_.keys_in;
    else key_memory_.first = to_load_ = key_memory_.last;
    in_place_ = key_memory_.first == key_memory_.last;
    if constexpr (has_values) {
      value_memory_.between = pieces.take<value>(n_);
      if constexpr (writes_values) value_memory_.last = problem_.values_out;
      else value_memory_.last = pieces.take<value>(n_);
      if constexpr (reads_values) value_memory_.first = problem_.values_in;
      else value_memory_.first = values_to_load_ = value_memory_.last;
      in_place_ = in_place_ || value_memory_.first == value_memory_.last;
    }
    if (!finishes_) return;
    static_assert(sizeof(radix_shorter) <= 11 * sizeof(*differing_), "behind it is the sample's ticket");
    digits_.shorter = shorter_ = reinterpret_cast<radix_shorter*>(differing_ + 4);
    code_ = reinterpret_cast<radix_code<order>*>(differing_ + 16);
    windows_.bounds = pieces.take<window_bound>(windows_.count + 1);
    windows_.large = pieces.take<large_group>(most_large_groups);
    if constexpr (order::has_exponent) parts_ = pieces.take<sampled_parts>(1);
    if constexpr (has_words) {
      auto* const words = pieces.take<words_type>(1);
      if (digits_.begin == 0) words_ = words;
    }
    if constexpr (has_frequent) frequent_ = pieces.take<frequent_keys<key>>(1);
  }

  /// Whether the shorter way can be gone, and how.
  void look_at_sample(cudaStream_t stream) const {
    if constexpr (can_finish)
      if (finishes_) {
        // Passes by all digits of fewer words take less time than to sort groups of frequent ones apart.
        auto const with_frequent = order::bits > 32 ? (order::has_exponent ? least_items_to_finish * 2 : 0)
                                                    : least_items_to_finish * (order::has_exponent ? 16 : 8);
        auto const drawing = sample_job::grid(n_);
        sample_job const sample{key_memory_.first,
                                key_memory_.between,
                                differing_ + 15,
                                problem_.order,
                                digits_,
                                shorter_,
                                code_,
                                parts_,
                                n_,
                                windows_.most_of_group,
                                with_frequent,
                                most_digits_,
                                frequent_,
                                least_items_to_finish * 16,
                                words_,
                                in_place_,
                                static_cast<int>(drawing)};
        if constexpr (may_count_ahead)
          launch_job(call_, stream, drawing + (counts_ahead() ? chunks_.chunks : 0), drawing_job::threads,
                     drawing_job{sample, counts_, differing_}, drawing_job::bytes);
        else launch_job(call_, stream, drawing, drawing_job::threads, sample, drawing_job::bytes);
      }
  }
  /// Whether the first digit is counted beside that.
  bool counts_ahead() const {
    return may_count_ahead && finishes_ &&
           n_ * static_cast<std::int64_t>(sizeof(key)) <= most_bytes_counted_ahead;
  }
  template <class Rest>
  void pass(Rest const& rest) const {
    using source = std::remove_cvref_t<decltype(rest.scratch_source())>;
    launch_state<source> state(rest.scratch_source(), call_, rest.stream(), 0);
    launch_job(call_, rest.stream(), chunks_.chunks, block_.threads,
               passes_job{key_memory_, value_memory_, n_, problem_.order, digits_, in_place_, differing_,
                          told_, counts_, state.tickets(), shorter_, code_, parts_, windows_, frequent_,
                          words_, counts_ahead()},
               block_bytes_, together_ ? blocks_are::resident : blocks_are::independent);
    state.launched(chunks_.chunks * passes_job::most_meetings(digits_.count));
  }

  Problem const& problem_;
  char const* call_;
  std::int64_t n_;
  radix_digits digits_;
  split_numbers block_;
  std::size_t block_bytes_;
  bool together_, finishes_ = false;
  split_counts chunks_;
  radix_windows windows_;
  int most_digits_;

  std::uint32_t* differing_ = nullptr;  ///< and the state of the shorter way
  radix_memory<key> key_memory_{};
  radix_memory<value> value_memory_{};
  key* to_load_ = nullptr;
  loaded* values_to_load_ = nullptr;
  bool in_place_ = false;
  split_counts counts_{};
  unsigned char* told_ = nullptr;
  radix_shorter* shorter_ = nullptr;
  radix_code<order>* code_ = nullptr;
  sampled_parts* parts_ = nullptr;
  frequent_keys<key>* frequent_ = nullptr;
  words_type* words_ = nullptr;
};

/// Items that one block sorts, at most, where a grid of blocks could: tests lower it.
inline std::int64_t most_items_of_block = std::int64_t{1} << 20;

/// Whether items were so few that one kernel has sorted them.
template <sort_by How, class Source, class... Tags, class Problem>
bool sort_in_one_kernel(device_policy<Source, Tags...> const& policy, Problem const& problem,
                        radix_digits digits) {
  using block_job = radix_block_job<Problem>;
  using grid_job = radix_grid_job<Problem>;
  // One block sorts fewer as fast; not floating-point numbers, whose words are seldom spread.
  constexpr auto least_of_grid =
      std::min<std::int64_t>(block_job::most_items, is_radix_float<typename Problem::key> ? 4096 : 8192) + 1;
  if constexpr (How == sort_by::order && grid_job::possible)
    if (problem.n >= std::min(least_of_grid, most_items_of_block + 1) &&
        run_radix_grid(policy, problem, digits))
      return true;
  if constexpr (How != sort_by::radix && block_job::possible)
    if (problem.n <= block_job::most_items && facts_of<block_job>(problem.call).fits) {
      launch_job(problem.call, policy.stream(), 1, block_job::threads, block_job{problem, digits},
                 block_job::bytes);
      return true;
    }
  return false;
}

/// There are items.
template <sort_by How, class Source, class... Tags, class Problem>
void run_radix_sort(device_policy<Source, Tags...> const& policy, Problem const& problem) {
  auto const digits = radix_digits::of_bits(problem.order.begin, problem.order.end);
  if constexpr (How == sort_by::order && has_counted_keys < Problem, Problem::has_values ? 8 : 16 >)
    if (counts_keys(problem)) return run_counting_sort(policy, problem);
  if (!sort_in_one_kernel<How>(policy, problem, digits))
    radix_passes<How, Problem>(problem, digits).run(policy);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

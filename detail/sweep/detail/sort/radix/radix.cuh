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
#include <sweep/detail/sort/key_bins.hpp>
#include <sweep/detail/sort/load_and_store.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix/block_radix.cuh>
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
template <sort_by How, class Source, class... Tags, class Problem>
void run_radix_passes(device_policy<Source, Tags...> const& policy, Problem const& problem,
                      radix_digits digits) {
  using key = typename Problem::key;
  constexpr bool has_values = Problem::has_values;
  using keys_in = std::remove_cvref_t<decltype(problem.keys_in)>;
  using values_in = std::remove_cvref_t<decltype(problem.values_in)>;
  using keys_out = std::remove_cvref_t<decltype(problem.keys_out)>;
  using values_out = std::remove_cvref_t<decltype(problem.values_out)>;
  using value = moved_value<Problem>;
  constexpr bool reads_keys = passes_reach<keys_in, key>, writes_keys = passes_reach<keys_out, key>,
                 reads_values = !has_values || passes_reach<values_in, value>,
                 writes_values = !has_values || passes_reach<values_out, value>;
  auto const call = problem.call;
  auto const stream = policy.stream();
  auto const n = problem.n;
  auto const aligned = [](std::int64_t bytes) { return (bytes + 255) / 256 * 256; };
  auto const key_bytes = aligned(n * std::int64_t{sizeof(key)}),
             value_bytes = has_values ? aligned(n * std::int64_t{sizeof(value)}) : 0;
  // The shorter way looks at the highest bits, all of which count then. Its first pass may leave keys that
  // are their words in any order: all of their bits count, as where a code is of fractions.
  using order_type = typename Problem::order_type;
  using finish_job = radix_finish_job<key, value, order_type>;
  using sample_job = radix_sample_job<key, value, order_type>;
  // Floating-point numbers of 32 bits have few that are different: alone they need not be told apart, with
  // values they must, and go it by frequent words only. By name all go it that can.
  constexpr bool by_name = How == sort_by::radix_msd, by_words_alone = !by_name && order_type::has_exponent &&
                                                                       has_values && order_type::bits <= 32;
  constexpr int few_bits = by_name ? 8 : by_words_alone && !has_frequent_words<key, value> ? 32 : 24;
  constexpr bool can_finish =
                     How != sort_by::radix && order_type::bits > few_bits && finish_job::block_job::possible,
                 any_order = !has_values && order_type::is_exact;
  using passes_job = radix_passes_job<key, value, order_type, can_finish>;
  auto const [arch, fits] = facts_of<passes_job>(call);
  auto const block = passes_job::numbers(arch);
  auto const block_bytes = passes_job::dynamic_bytes(arch);
  if (!fits) throw_plan_too_large(call, block_bytes);
  // A device whose blocks cannot be promised to run at the same time has one of them.
  bool const together = device_attribute(call, cudaDevAttrCooperativeLaunch) != 0;
  auto const chunks =
      together ? split_chunks(call, n, block, resident_blocks<passes_job>(call, block.threads, block_bytes))
               : split_counts{nullptr, nullptr, 1, n};
  auto const word_bytes = aligned(words_of(chunks) * 8);
  constexpr bool has_words = passes_job::has_words;
  int const of_range = finish_job::windows_of_range(n);
  // What is between words has a range of windows each.
  auto const window_length = finish_job::window_items(n),
             window_count =
                 std::max(n / window_length + 1, std::int64_t{has_words ? parts_of_pass * of_range : 0});
  // To finish takes more than one; codes of parts have 32 bits.
  int const most_digits = by_words_alone
                              ? 0
                              : std::min(order_type::has_exponent ? 4 : passes_job::most_of_shorter,
                                         digits.count - (by_name ? 1 : 2));
  auto const least = std::max<std::int64_t>(sample_job::keys_of_sample,
                                            by_name            ? 0
                                            : digits.count > 5 ? least_items_to_finish / 4
                                            : (order_type::has_exponent && !has_values) || by_words_alone
                                                ? least_items_to_finish * 8
                                                : least_items_to_finish);
  bool finishes = false;
  if constexpr (can_finish)
    finishes = digits.width == 8 && digits.end - digits.begin == 8 * digits.count &&
               digits.end == order_type::bits &&
               (!(any_order || order_type::has_exponent) || digits.begin == 0) &&
               (by_words_alone || most_digits >= 1) && n >= least && n < std::int64_t{1} << 32 &&
               facts_of<sample_job>(call).fits && facts_of<finish_job>(call).fits;
  auto const window_bytes = finishes ? aligned((window_count + 1) * std::int64_t{sizeof(window_bound)}) : 0;
  constexpr auto large_bytes = static_cast<std::int64_t>(most_large_groups * sizeof(large_group));
  constexpr auto parts_bytes = static_cast<std::int64_t>(sizeof(sampled_parts));
  constexpr bool has_frequent = has_frequent_keys<key, value, order_type>;
  auto const frequent_bytes =
      finishes && has_frequent ? aligned(static_cast<std::int64_t>(sizeof(frequent_keys<key>))) : 0;
  using words_type = frequent_words<typename order_type::word>;
  auto const words_bytes = finishes && has_words ? aligned(static_cast<std::int64_t>(sizeof(words_type))) : 0;
  auto const told_bytes = passes_job::pass_type::tells_next && digits.count > 1 ? aligned(n + 16) : 0;
  auto const bytes = 256 + word_bytes + told_bytes + (finishes ? window_bytes + large_bytes : 0) +
                     (finishes && order_type::has_exponent ? parts_bytes : 0) + frequent_bytes + words_bytes +
                     (writes_keys ? 1 : 2) * key_bytes + (writes_values ? 1 : 2) * value_bytes;
  with_memory<std::byte>(policy, call, bytes, [&](auto const& rest, std::byte* at) {
    auto const take = [&](std::int64_t some) {
      auto* const taken = at;
      at += some;
      return taken;
    };
    auto* const differing = reinterpret_cast<std::uint32_t*>(take(256));
    auto const counts = counts_at(reinterpret_cast<std::uint64_t*>(take(word_bytes)), chunks);
    auto* const told = reinterpret_cast<unsigned char*>(take(told_bytes));
    radix_memory<key> key_memory{};
    radix_memory<value> value_memory{};
    bool in_place = false;
    key_memory.between = reinterpret_cast<key*>(take(key_bytes));
    if constexpr (writes_keys) key_memory.last = problem.keys_out;
    else key_memory.last = reinterpret_cast<key*>(take(key_bytes));
    [[maybe_unused]] key* to_load = nullptr;
    if constexpr (reads_keys) key_memory.first = problem.keys_in;
    else key_memory.first = to_load = key_memory.last;
    if (key_memory.first == key_memory.last) in_place = true;
    using loaded = std::conditional_t<has_values, value, char>;
    [[maybe_unused]] loaded* values_to_load = nullptr;
    if constexpr (has_values) {
      value_memory.between = reinterpret_cast<value*>(take(value_bytes));
      if constexpr (writes_values) value_memory.last = problem.values_out;
      else value_memory.last = reinterpret_cast<value*>(take(value_bytes));
      if constexpr (reads_values) value_memory.first = problem.values_in;
      else value_memory.first = values_to_load = value_memory.last;
      if (value_memory.first == value_memory.last) in_place = true;
    }
    auto const copying_blocks = blocks_for(n, 256 * 4, std::int64_t{multiprocessors(call)} * 8);
    if constexpr (!reads_keys || !reads_values)
      launch_job(call, stream, copying_blocks, radix_load_job<Problem, loaded>::threads,
                 radix_load_job<Problem, loaded>{problem, to_load, values_to_load});
    digits.differing = differing;
    clear_scratch(call, stream, differing, 64);
    radix_shorter* shorter = nullptr;
    radix_code<order_type>* code = nullptr;
    sampled_parts* parts = nullptr;
    frequent_keys<key>* frequent = nullptr;
    words_type* words = nullptr;
    radix_windows windows{nullptr, nullptr, window_length, window_count, finish_job::most_of_group, of_range};
    if constexpr (can_finish)
      if (finishes) {
        digits.shorter = shorter = reinterpret_cast<radix_shorter*>(differing + 4);
        windows.bounds = reinterpret_cast<window_bound*>(take(window_bytes));
        windows.large = reinterpret_cast<large_group*>(take(large_bytes));
        static_assert(sizeof(radix_shorter) <= 11 * sizeof(*differing), "behind it is the sample's ticket");
        code = reinterpret_cast<radix_code<order_type>*>(differing + 16);
        if constexpr (order_type::has_exponent) parts = reinterpret_cast<sampled_parts*>(take(parts_bytes));
        if (has_words && digits.begin == 0) words = reinterpret_cast<words_type*>(take(words_bytes));
        if constexpr (has_frequent) frequent = reinterpret_cast<frequent_keys<key>*>(take(frequent_bytes));
        // Passes by all digits of fewer words take less time than to sort groups of frequent ones apart.
        auto const with_frequent = order_type::bits > 32
                                       ? (order_type::has_exponent ? least_items_to_finish * 2 : 0)
                                       : least_items_to_finish * (order_type::has_exponent ? 16 : 8);
        launch_job(call, stream, sample_job::grid(n), sample_job::threads,
                   sample_job{key_memory.first, key_memory.between, differing + 15, problem.order, digits,
                              shorter, code, parts, n, windows.most_of_group, with_frequent, most_digits,
                              frequent, least_items_to_finish * 16, words, in_place},
                   sample_job::bytes);
      }
    {
      using scratch_type = std::remove_cvref_t<decltype(rest.scratch_source())>;
      launch_state<scratch_type> state(rest.scratch_source(), call, stream, 0);
      launch_job(call, stream, chunks.chunks, block.threads,
                 passes_job{key_memory, value_memory, n, problem.order, digits, in_place, differing, told,
                            counts, state.tickets(), shorter, code, parts, windows, frequent, words},
                 block_bytes, together ? blocks_are::resident : blocks_are::independent);
      state.launched(chunks.chunks * passes_job::most_meetings(digits.count));
    }
    if constexpr (can_finish)
      if (finishes) {
        launch_job(call, stream, (window_count + of_range - 1) / of_range, finish_job::threads,
                   finish_job{key_memory, value_memory, problem.order, digits, windows},
                   finish_job::block_job::bytes);
      }
    if constexpr (!writes_keys || !writes_values) {
      radix_store_job<Problem, value> store{problem, nullptr, nullptr};
      if constexpr (!writes_keys) store.keys = key_memory.last;
      if constexpr (!writes_values) store.values = value_memory.last;
      launch_job(call, stream, copying_blocks, store.threads, store);
    }
  });
}

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
  if (!sort_in_one_kernel<How>(policy, problem, digits)) run_radix_passes<How>(policy, problem, digits);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

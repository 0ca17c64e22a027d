// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_CUH
#define SWEEP_DETAIL_SORT_RADIX_CUH

#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/multisplit/device.cuh>
#include <sweep/detail/multisplit/tile.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/sort/block_radix.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix_pass.cuh>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// A radix sort by the least significant digit first: a multisplit for every digit of up to 8 bits. While the
// first is counted, the bits in which keys differ are found, on the device: a digit in which they do not is
// passed over by its kernels. So which of two memories the items are in before a pass is known there alone.
//
// Large inputs of wide words take a shorter way where it can be gone: passes by the last two digits bring
// items that have these in common together, and blocks finish each such group in shared memory. Where a digit
// comes too often or a group is too large for that, found out on the device while counting, all passes are
// made.

/// Reads keys and values that are not memory which passes can read.
template <class Problem, class Value>
struct radix_load_job {
  static constexpr int threads = 256, blocks = 1;
  Problem problem;
  typename Problem::key* keys;  ///< or null
  Value* values;                ///< or null

  __device__ void operator()() const {
    auto const step = std::int64_t{gridDim.x} * threads;
    auto const t = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (keys)
      for (auto i = t; i < problem.n; i += step)
        put_bytes(keys[i], static_cast<typename Problem::key>(problem.keys_in[i]));
    if constexpr (Problem::has_values)
      if (values)
        for (auto i = t; i < problem.n; i += step)
          put_bytes(values[i],
                    static_cast<Value>(static_cast<typename Problem::value>(problem.values_in[i])));
  }
};

/// Brings items to where they are to be, if they are not there.
template <class Problem, class Value>
struct radix_store_job {
  static constexpr int threads = 256, blocks = 1;
  using key = typename Problem::key;
  Problem problem;
  radix_memory<key> key_memory;
  radix_memory<Value> value_memory;
  radix_digits digits;
  bool in_place;

  __device__ void operator()() const {
    unsigned const active = digits.count > 0 ? digits.active() : 0;
    auto const way = way_of(digits, active);
    int const passes = __popc(active);
    auto const is_in = way == radix_way::finished         ? side::last
                       : way == radix_way::all_behind_one ? (passes % 2 == 1 ? side::last : side::between)
                       : passes == 0                      ? side::first
                       : in_place && passes % 2 == 1      ? side::between
                                                          : side::last;
    if constexpr (Problem::keeps_keys) store(key_memory, is_in, problem.keys_out);
    if constexpr (Problem::has_values) store(value_memory, is_in, problem.values_out);
  }

 private:
  enum class side { first, between, last };
  template <class T, class Out>
  __device__ void store(radix_memory<T> const& memory, side is_in, Out const& out) const {
    T const* from = is_in == side::first     ? memory.first
                    : is_in == side::between ? memory.between
                                             : memory.last;
    if constexpr (std::is_pointer_v<Out>)
      if (static_cast<void const*>(from) == static_cast<void const*>(out)) return;
    auto const step = std::int64_t{gridDim.x} * threads;
#pragma unroll 4
    for (auto i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < problem.n; i += step)
      out[i] = static_cast<written_value<Out, T>>(from[i]);
  }
};

/// The shorter way is for as many items and digits, or more: tests lower it.
inline std::int64_t least_items_to_finish = std::int64_t{1} << 23;
inline int least_digits_to_finish = 5;

/// Whether passes can read or write a range as it is: memory of items of this type.
template <class It, class T>
inline constexpr bool is_memory_of = [] {
  if constexpr (std::is_pointer_v<It>) return std::is_same_v<value_of<It>, T> && relocatable<T>;
  else return false;
}();

/// In more than one block. `Value` is what values are moved as: what they are written as, unless they are
/// read from memory.
template <class Source, class... Tags, class Problem>
void run_radix_passes(device_policy<Source, Tags...> const& policy, Problem const& problem,
                      radix_digits digits) {
  using key = typename Problem::key;
  constexpr bool has_values = Problem::has_values;
  using keys_in = std::remove_cvref_t<decltype(problem.keys_in)>;
  using values_in = std::remove_cvref_t<decltype(problem.values_in)>;
  using keys_out = std::remove_cvref_t<decltype(problem.keys_out)>;
  using values_out = std::remove_cvref_t<decltype(problem.values_out)>;
  using value = std::conditional_t<
      has_values,
      std::conditional_t<is_memory_of<values_in, typename Problem::value> ||
                             !(relocatable<typename Problem::value_out> &&
                               std::is_default_constructible_v<typename Problem::value_out>),
                         typename Problem::value, typename Problem::value_out>,
      keys_alone>;
  constexpr bool reads_keys = is_memory_of<keys_in, key>, writes_keys = is_memory_of<keys_out, key>,
                 reads_values = !has_values || is_memory_of<values_in, value>,
                 writes_values = !has_values || is_memory_of<values_out, value>;
  using pass_type = radix_pass<key, value, typename Problem::order_type>;
  using shape = typename split_move_job<pass_type>::shape;

  auto const call = problem.call;
  auto const stream = policy.stream();
  auto const n = problem.n;
  auto const aligned = [](std::int64_t bytes) { return (bytes + 255) / 256 * 256; };
  auto const chunks = split_chunks(call, n, shape::tile_items, shape::bytes);
  auto const key_bytes = aligned(n * std::int64_t{sizeof(key)}),
             value_bytes = has_values ? aligned(n * std::int64_t{sizeof(value)}) : 0,
             ahead_bytes = std::int64_t{digits.count} * chunks.chunks * parts_of_pass * 4;
  // Few chunks of a tile each are counted once; then each pass counts for the next.
  bool const counts_ahead = shape::key_bytes > 0 && chunks.chunks <= split_counts::most_ahead &&
                            chunks.chunk_items == shape::tile_items;
  // The shorter way, if groups can be small enough.
  using finish_job = radix_finish_job<key, value, typename Problem::order_type>;
  constexpr bool can_finish = Problem::order_type::bits > 32 && finish_job::block_job::possible;
  constexpr auto groups = std::int64_t{parts_of_pass} * parts_of_pass;
  auto const windows = n / finish_job::window_items + 1;
  bool const finishes = can_finish && !counts_ahead && digits.width == 8 &&
                        digits.end - digits.begin == 8 * digits.count &&
                        digits.count >= least_digits_to_finish && n >= least_items_to_finish &&
                        n / groups <= finish_job::most_of_group * 29 / 32;
  auto const word_bytes = aligned(counts_ahead ? ahead_bytes : words_of(chunks) * 8),
             finish_bytes = finishes ? word_bytes + groups * 8 + aligned((windows + 1) * 4) : 0;
  auto const bytes = 256 + word_bytes + finish_bytes + (writes_keys ? 1 : 2) * key_bytes +
                     (writes_values ? 1 : 2) * value_bytes;
  with_memory<std::byte>(policy, call, bytes, [&](auto const&, std::byte* at) {
    auto const take = [&](std::int64_t some) {
      auto* const taken = at;
      at += some;
      return taken;
    };
    auto* const differing = reinterpret_cast<std::uint32_t*>(take(256));
    auto* const words = take(word_bytes);
    auto counts = chunks;
    if (counts_ahead) counts.ahead = reinterpret_cast<std::uint32_t*>(words);
    else counts = counts_at(reinterpret_cast<std::uint64_t*>(words), chunks);
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
    clear_scratch(call, stream, differing, counts_ahead ? 256 + static_cast<std::size_t>(ahead_bytes) : 32);
    auto const pass_of = [&](int d) {
      pass_type pass{key_memory, value_memory, n, problem.order, digits};
      pass.digit = d;
      pass.bits = digits.bits_of(d);
      pass.bins = 1 << pass.bits;
      pass.shift = digits.begin_of(d);
      pass.in_place = in_place;
      return pass;
    };
    if constexpr (can_finish)
      if (finishes) {
        auto* const too_many = differing + 4;
        digits.too_many = too_many;
        auto second_counts = counts_at(reinterpret_cast<std::uint64_t*>(take(word_bytes)), chunks);
        second_counts.first_totals = counts.totals;
        second_counts.pairs = reinterpret_cast<std::uint64_t*>(take(groups * 8));
        auto* const window_begins = reinterpret_cast<std::uint32_t*>(take(aligned((windows + 1) * 4)));
        clear_scratch(call, stream, second_counts.pairs, groups * 8);
        auto first = pass_of(digits.count - 2), second = pass_of(digits.count - 1);
        first.shorter = 1;
        second.shorter = 2;
        auto counting = first;
        counting.differing = differing;
        // More than this of one digit, and its groups would not be small.
        auto const most_of_digit = static_cast<std::uint64_t>(n / 16);
        launch_split(call, stream, counting, first, counts,
                     split_rows_job{counts, first.bins, 0, {}, too_many, most_of_digit});
        launch_split(call, stream, second, second, second_counts,
                     split_rows_job{second_counts,
                                    second.bins,
                                    groups,
                                    {},
                                    too_many,
                                    static_cast<std::uint64_t>(finish_job::most_of_group)});
        launch_job(call, stream, radix_windows_job::grid(), radix_windows_job::threads,
                   radix_windows_job{second_counts.pairs, window_begins, n, finish_job::window_items, windows,
                                     digits});
        if (!facts_of<finish_job>(call).fits) throw_plan_too_large(call, finish_job::block_job::bytes);
        launch_job(call, stream, windows, finish_job::threads,
                   finish_job{key_memory.last, value_memory, problem.order, digits, window_begins},
                   finish_job::block_job::bytes);
      }
    for (int d = 0; d < digits.count; ++d) {
      auto const pass = pass_of(d);
      auto counting = pass;
      if (d == 0 && !finishes) counting.differing = differing;
      if (!counts_ahead) {
        launch_split(call, stream, counting, pass, counts,
                     split_rows_job{counts, pass.bins, 0, digits.condition_of(d)});
        continue;
      }
      if (d == 0)
        launch_job(call, stream, counts.chunks, split_count_job<pass_type>::threads,
                   split_count_job<pass_type>{counting, counts});
      launch_counted_split(call, stream, pass, counts);
    }
    using store = radix_store_job<Problem, value>;
    launch_job(call, stream, copying_blocks, store::threads,
               store{problem, key_memory, value_memory, digits, in_place});
  });
}

/// There are items.
template <class Source, class... Tags, class Problem>
void run_radix_sort(device_policy<Source, Tags...> const& policy, Problem const& problem) {
  auto const digits = radix_digits::of_bits(problem.order.begin, problem.order.end);
  using block_job = radix_block_job<Problem>;
  if constexpr (block_job::possible)
    if (problem.n <= block_job::most_items && facts_of<block_job>(problem.call).fits)
      return launch_job(problem.call, policy.stream(), 1, block_job::threads, block_job{problem, digits},
                        block_job::bytes);
  run_radix_passes(policy, problem, digits);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

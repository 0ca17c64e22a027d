// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MULTISPLIT_DEVICE_CUH
#define SWEEP_DETAIL_MULTISPLIT_DEVICE_CUH

#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/multisplit/grid.cuh>
#include <sweep/detail/multisplit/problem.hpp>
#include <sweep/detail/multisplit/small.cuh>
#include <sweep/detail/multisplit/tile.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// A pass tells up to 256 bins apart, in three kernels: chunks are counted, counts become places, chunks are
// moved. Each block has one chunk in both kernels, so no block waits for another. A pass is a value that says
// what is moved:
//   key, value                     types; keys_alone is no value
//   keys, values                   where they are read
//   keys_out, values_out           where they go
//   moves_keys                     whether keys go anywhere
//   few_bins, chooses_ends         whether bins are 64 or fewer, and these four are chosen late
//   may_have_few                   whether bins may be as few, so that it is moved as such
//   tells_next                     whether it may write what bin each key has in the pass behind it, which
//                                  then need not read keys to count
//   next_bins next                 what is known of that pass, and where to write: told, or null
//   next_bin_of(next, key)         a bin of it
//   any_order                      whether items of one bin may change places
//   bins_are_digits                whether bin_of may be asked of any bits, and takes few instructions
//   n, bins, bits                  how many items; bins, and the bits of their numbers
//   observer()                     take(key) sees all keys while they are counted
//   bin_of(key)                    0 to bins - 1
//   tell_begin(t, begin)           where bin t begins, by thread t of every moving block

/// Where nothing else is seen of keys.
struct sees_nothing {
  template <class Key>
  __device__ void take(Key const&) const {}
};

/// Items of 16 bytes where neighbours are read together.
template <class In>
inline constexpr int split_vector_items = [] {
  if constexpr (std::is_pointer_v<In>)
    return relocatable<value_of<In>> ? std::min(16, items_per_16_bytes(sizeof(value_of<In>))) : 1;
  else return 1;
}();

/// A multisplit's pass: by the low or the high byte of parts.
template <class Problem>
struct multisplit_pass : Problem {
  using key = typename Problem::key;
  using value = typename Problem::value;
  static constexpr bool moves_keys = true, few_bins = false, may_have_few = true, chooses_ends = false,
                        any_order = false, bins_are_digits = false, tells_next = false;
  static constexpr int vector_items = split_vector_items<decltype(Problem::keys)>;
  struct next_bins {};

  int bins, bits;
  unsigned byte;                               ///< of parts' numbers: 0 the lowest, 1 the one above
  bool tells;                                  ///< whether this pass writes the offsets
  std::uint64_t const* part_begins = nullptr;  ///< of every part in its bin, where there are more than bins

  __device__ sees_nothing observer() const { return {}; }
  __device__ unsigned bin_of(key const& x) const {
    return __byte_perm(static_cast<unsigned>(this->part_of(x)), 0, 0x4440 | byte);
  }
  __device__ void tell_begin(int t, std::int64_t begin) const {
    if (!tells) return;
    if (blockIdx.x == 0 && t == 0) this->write_offset(this->parts, this->n);
    if (t >= bins) return;
    if (!part_begins) {
      if (blockIdx.x == 0) this->write_offset(t, begin);
      return;
    }
#pragma unroll 1
    for (unsigned low = blockIdx.x; low < parts_of_pass; low += gridDim.x)
      if (auto const part = t * parts_of_pass + static_cast<std::int64_t>(low); part < this->parts)
        this->write_offset(part, begin + static_cast<std::int64_t>(part_begins[part]));
  }
};

/// The same of few bins.
template <class Pass>
struct few_bins_pass : Pass {
  static constexpr bool few_bins = true;
};

/// A block moves the items [at, end) of a chunk, which have been counted.
template <class Pass>
__device__ void move_split_items(Pass const& from, split_counts const& counts, std::int64_t chunk,
                                 std::int64_t at, std::int64_t end, unsigned char* memory) {
  split_tiles<Pass> tiles(from, memory);
  unsigned const t = thread_here();
  bool const has_bin = t < static_cast<unsigned>(from.bins);  // both are asked for at once
  auto const total = has_bin ? counts.totals[t] : 0,
             before = has_bin ? counts.table[t * counts.chunks + chunk] : 0;
  auto const begin = static_cast<std::int64_t>(sum_before(total, tiles.sums()));
  from.tell_begin(static_cast<int>(t), begin);
  tiles.begin_at(begin + static_cast<std::int64_t>(before));
  tiles(at, end);
}
template <class Pass>
__device__ void move_split_chunk(Pass const& from, split_counts const& counts, std::int64_t chunk,
                                 unsigned char* memory) {
  auto const at = chunk * counts.chunk_items;
  move_split_items(from, counts, chunk, at, min(from.n, at + counts.chunk_items), memory);
}

template <class Pass>
struct split_move_job {
  using shape = split_shape_here<split_moved_key<Pass>, typename Pass::value, Pass::few_bins>;
  static constexpr int threads = shape::threads, blocks = shape::blocks;
  static constexpr split_numbers numbers(int arch) {
    return split_numbers_of<split_moved_key<Pass>, typename Pass::value, Pass::few_bins>(arch);
  }
  static constexpr std::size_t dynamic_bytes(int arch) { return numbers(arch).bytes; }

  Pass pass;
  split_counts counts;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    move_split_chunk(pass, counts, std::int64_t{blockIdx.x}, memory);
  }
};

/// Chunks at most: tests lower it, so that few items make chunks of many tiles.
inline std::int64_t most_split_chunks = std::int64_t{1} << 20;

/// Chunks, as many as blocks run at once, so many of a multiprocessor, or fewer: none has more than a tile
/// where there are few items, nor fewer than 1,024.
inline split_counts split_chunks(char const* call, std::int64_t n, split_numbers const& block,
                                 std::int64_t resident) {
  auto const blocks = std::int64_t{multiprocessors(call)};
  bool const few = n <= std::min(blocks, most_split_chunks) * block.tile_items;
  auto const most = std::min(most_split_chunks, few ? blocks : blocks * resident),
             unit = std::int64_t{std::max(1024, block.threads)},
             each = ((n + most - 1) / most + unit - 1) / unit * unit;
  split_counts counts;
  counts.chunk_items = few ? std::min<std::int64_t>(each, block.tile_items) : each;
  counts.chunks = (n + counts.chunk_items - 1) / counts.chunk_items;
  return counts;
}
inline std::int64_t words_of(split_counts const& counts) { return (counts.chunks + 1) * parts_of_pass; }
inline split_counts counts_at(std::uint64_t* words, split_counts counts) {
  counts.totals = words;
  counts.table = words + parts_of_pass;
  return counts;
}

/// f(pass), as it is to be moved.
template <class Pass, class F>
auto with_bins(Pass const& pass, F f) {
  if constexpr (requires { Pass::may_have_few; })
    if (pass.bits <= few_bits_of_pass) return f(few_bins_pass<Pass>{pass});
  return f(pass);
}
template <class Pass>
split_counts split_chunks_of(char const* call, Pass const& pass) {
  return with_bins(pass, [&](auto const& own) {
    using job = split_move_job<std::remove_cvref_t<decltype(own)>>;
    auto const block = job::numbers(facts_of<job>(call).arch);
    return split_chunks(call, own.n, block, block.resident());
  });
}

/// One pass, of chunks as it is to be moved by.
template <class Pass>
void launch_split(char const* call, cudaStream_t stream, Pass const& given, split_counts const& counts) {
  with_bins(given, [&](auto const& pass) {
    using pass_type = std::remove_cvref_t<decltype(pass)>;
    using move_job = split_move_job<pass_type>;
    auto const [arch, fits] = facts_of<move_job>(call);
    auto const block = move_job::numbers(arch);
    if (!fits) throw_plan_too_large(call, block.bytes);
    using count_job = split_count_job<pass_type>;
    launch_job(call, stream, counts.chunks, count_threads_beside(block.threads), count_job{pass, counts});
    launch_job(call, stream, split_places_job::grid(pass.bins), split_places_job::threads,
               split_places_job{counts, pass.bins});
    launch_job(call, stream, counts.chunks, block.threads, move_job{pass, counts}, block.bytes);
  });
}
SWEEP_HD constexpr int bits_for(std::int64_t bins) {
  int bits = 0;
  while ((std::int64_t{1} << bits) < bins) ++bits;
  return bits;
}

/// Pointers read as const ones, so that what was written by one pass is read by the same kernel.
template <class In>
auto read_only(In const& in) {
  if constexpr (std::is_pointer_v<In>) return static_cast<value_of<In> const*>(in);
  else return in;
}

/// There are items.
template <class Source, class... Tags, class Given>
void run_multisplit(device_policy<Source, Tags...> const& policy, char const* call, Given const& given) {
  using key = typename Given::key;
  using value = typename Given::value;
  static_assert(relocatable<key> && std::is_default_constructible_v<key> && relocatable<value> &&
                    std::is_default_constructible_v<value>,
                "sweep: on the device items must be trivially copyable and default constructible");
  auto const n = given.n, parts = given.parts;
  auto const stream = policy.stream();

  auto const with = [&](auto const& keys, auto const& values, auto* keys_out, auto* values_out) {
    using bucket = decltype(given.bucket_of);
    using offsets = std::remove_const_t<decltype(given.offsets)>;
    return multisplit_problem<std::remove_cvref_t<decltype(keys)>, std::remove_cvref_t<decltype(values)>,
                              std::remove_cvref_t<decltype(*keys_out)>,
                              std::remove_cvref_t<decltype(*values_out)>, offsets, bucket>{
        keys, values, *keys_out, *values_out, given.offsets, n, parts, given.bucket_of};
  };
  auto const keys = read_only(given.keys);
  auto const values = read_only(given.values);
  auto const bins = static_cast<int>(std::min<std::int64_t>(parts, parts_of_pass));
  if (parts <= parts_of_pass) {
    using pass_type = multisplit_pass<decltype(with(keys, values, &given.keys_out, &given.values_out))>;
    pass_type const pass{with(keys, values, &given.keys_out, &given.values_out), bins, bits_for(bins), 0,
                         true};
    using small_job = split_small_job<pass_type>;
    if (n <= small_job::most_items && facts_of<small_job>(call).fits)
      return launch_job(call, stream, 1, small_job::threads_for(n), small_job{pass},
                        sizeof(typename small_job::shared));
    if constexpr (split_grid_job<pass_type>::possible)
      if (splits_in_grid<pass_type>(call, n)) return run_split_grid(policy, call, pass);
    auto const chunks = split_chunks_of(call, pass);
    with_memory<std::uint64_t>(policy, call, words_of(chunks), [&](auto const&, std::uint64_t* words) {
      launch_split(call, stream, pass, counts_at(words, chunks));
    });
    return;
  }
  // By the low byte of the part into memory of the call, then by the high one.
  auto const high_bins = static_cast<int>((parts - 1) / parts_of_pass + 1);
  auto const pairs = std::int64_t{parts_of_pass} * high_bins;
  with_memory<key>(policy, call, n, [&](auto const& after_keys, key* between) {
    with_memory<value>(after_keys, call, Given::has_values ? n : 0, [&](auto const& after, value* beside) {
      auto const between_values = [&] {
        if constexpr (Given::has_values) return beside;
        else return keys_alone{};
      }();
      auto const first_problem = with(keys, values, &between, &between_values);
      using first_pass = multisplit_pass<std::remove_const_t<decltype(first_problem)>>;
      first_pass const first{first_problem, bins, 8, 0, false};
      auto const second_problem =
          with(read_only(between), read_only(between_values), &given.keys_out, &given.values_out);
      using second_pass = multisplit_pass<std::remove_const_t<decltype(second_problem)>>;
      second_pass second{second_problem, high_bins, bits_for(high_bins), 1, false};
      if constexpr (split_grid_job<first_pass>::possible)
        if (splits_in_grid<first_pass>(call, n) && splits_in_grid<second_pass>(call, n))
          return with_memory<unsigned>(after, call, pairs, [&](auto const& rest, unsigned* counters) {
            auto const count = static_cast<int>(pairs);
            run_split_grid(rest, call, first, {part_counters::cleared, counters, count});
            run_split_grid(rest, call, second, {part_counters::counted, counters, count});
          });
      auto const chunks = split_chunks_of(call, first), second_chunks = split_chunks_of(call, second);
      auto const both = words_of(chunks) + words_of(second_chunks);
      with_memory<std::uint64_t>(after, call, both + pairs, [&](auto const&, std::uint64_t* words) {
        auto second_counts = counts_at(words + words_of(chunks), second_chunks);
        second_counts.first_totals = words;
        second_counts.pairs = words + both;
        second.tells = true;
        second.part_begins = second_counts.pairs;
        auto first_counts = counts_at(words, chunks);
        first_counts.later_pairs = second_counts.pairs;
        first_counts.later_count = pairs;
        launch_split(call, stream, first, first_counts);
        launch_split(call, stream, second, second_counts);
      });
    });
  });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

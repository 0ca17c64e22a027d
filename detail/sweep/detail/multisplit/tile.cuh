// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MULTISPLIT_TILE_CUH
#define SWEEP_DETAIL_MULTISPLIT_TILE_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/multisplit/problem.hpp>
#include <sweep/detail/multisplit/ranks.cuh>
#include <sweep/detail/multisplit/shape.cuh>
#include <sweep/detail/multisplit/tile_writer.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A block moves a chunk of the items to their parts, tile by tile. It ranks a tile's items, puts them into
/// shared memory in the order of their bins, and writes them from there. What a chunk has of a bin goes to
/// one run of places in the output, so the block keeps the last items of a bin, which fill no sector, until
/// the next tile brings more: sectors are written once and whole, and memory need not read what it has of
/// them. A bin's items begin in shared memory where they do in a sector, so that whole vectors are written.
/// Where what the chunk has of bin t goes is known before its items are ranked.
template <class Pass>
class split_tiles : split_tile_writer<Pass> {
  using writer = split_tile_writer<Pass>;
  using key = typename Pass::key;
  using value = typename Pass::value;
  using shape = split_shape_here<split_moved_key<Pass>, value, Pass::few_bins>;
  static constexpr int R = shape::rows, S = shape::sector_items, threads = shape::threads,
                       warps = shape::warps, tile_items = shape::tile_items, bins = shape::bins;
  static constexpr bool has_values = shape::has_values, keys_tell = writer::keys_tell;

 public:
  /// `memory` is that of the block.
  __device__ split_tiles(Pass const& pass, unsigned char* memory)
      : writer(pass, memory),
        counters_{reinterpret_cast<unsigned*>(memory + shape::counters_at) + warp() * bins},
        held_{memory + shape::held_at} {
    clear_counters<bins>(counters_);
    if (thread() < bins) held_[bins + thread()] = 0;
    __syncwarp();
  }

  /// Memory for sum_before.
  __device__ std::uint64_t* sums() const {
    return reinterpret_cast<std::uint64_t*>(memory_ + shape::sums_at);
  }
  /// Thread t knows where what the chunk has of bin t goes.
  __device__ void begin_at(std::int64_t place) {
    if (thread() < bins) segments_[thread()] = {place, 0, 0};
  }
  /// Moves the items from at to end, of which there are some.
  __device__ void operator()(std::int64_t at, std::int64_t end) {
    if constexpr (Pass::chooses_ends)
      if (thread() == 0) ends().chunk_end = end;
    int count = static_cast<int>(min(end - at, std::int64_t{tile_items}));
    key keys[R];
    load(from().keys, at, count, keys);
#pragma unroll 1
    while (true) {
      unsigned places[R];  // a bin and a rank, then a place
      if (count == tile_items) {
        if constexpr (Pass::few_bins) {
          if (pass_.bits <= 2) rank<2, row_set::all, rank_by::ballots>(keys, count, places);
          else if (pass_.bits <= 3) rank<3, row_set::all, rank_by::ballots>(keys, count, places);
          else if (pass_.bits <= 4) rank<4, row_set::all, rank_by::ballots>(keys, count, places);
          else rank<few_bits_of_pass, row_set::all, rank_by::ballots>(keys, count, places);
        } else {
          rank_all(keys, count, places, bins_of_row(pass_.bin_of(keys[0])));
        }
      } else if (items_of_warp(count) % 32 == 0) {
        rank<8, row_set::whole, rank_by::ballots>(keys, count, places);
      } else {
        rank<8, row_set::ragged, rank_by::ballots>(keys, count, places);
      }
      writer::await_reads();
      __syncthreads();
      auto const next = at + count;
      if constexpr (Pass::chooses_ends) end = ends().chunk_end;
      int const next_count = static_cast<int>(min(end - next, std::int64_t{tile_items}));
      place_bins(next_count == 0);
      __syncthreads();
      value values[R];
      move<true>(from().keys, from().keys_out, keys, shape::keys_at, at, places, count, [&] {
        if constexpr (has_values) load(from().values, at, count, values);
        else load(from().keys, next, next_count, keys);
      });
      if constexpr (has_values) {
        writer::await_reads();
        if constexpr (shape::key_bytes > 0 || shape::value_bytes == 0) __syncthreads();
        move<false>(from().values, from().values_out, values, shape::values_at, at, places, count,
                    [&] { load(from().keys, next, next_count, keys); });
      }
      if (next_count == 0) {
        writer::await_writes();
        return;
      }
      at = next;
      count = next_count;
    }
  }

 private:
  using writer::alignment_, writer::bins_, writer::ends, writer::from, writer::memory_, writer::pass_,
      writer::segments_;

  template <class Item>
  __device__ Item* items() const {
    return reinterpret_cast<Item*>(memory_ + shape::items_at);
  }

  __device__ static int thread() { return static_cast<int>(threadIdx.x); }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }
  /// Rows of a tile of so many items, of which a warp has neighbours.
  __device__ static int rows_of(int count) {
    return count == tile_items ? R : (count + threads - 1) / threads;
  }
  /// Where in a tile this lane's item of row 0 is; that of row r is 32 r behind.
  __device__ static int first_item(int count) {
    return warp() * (32 * rows_of(count)) + static_cast<int>(threadIdx.x % 32);
  }
  /// This lane has an item in row r where 32 r is less than this.
  __device__ static int items_left(int count) { return min(count - first_item(count), 32 * rows_of(count)); }
  /// How many items this warp has.
  __device__ static int items_of_warp(int count) {
    return max(min(count - warp() * (32 * rows_of(count)), 32 * rows_of(count)), 0);
  }
  template <class It, class Item>
  __device__ void load(It const& from, std::int64_t at, int count, Item (&items)[R]) const {
    if constexpr (split_staged_bytes < Item >> 0 || std::is_same_v<Item, key>) {
      int const first = first_item(count), rows = rows_of(count);
      if (count == tile_items) {
#pragma unroll
        for (int r = 0; r < R; ++r) put_bytes(items[r], static_cast<Item>(from[at + first + 32 * r]));
      } else {  // something for those that do not exist: what is not written would be kept in registers
#pragma unroll
        for (int r = 0; r < R; ++r)
          if (r < rows) put_bytes(items[r], static_cast<Item>(from[at + min(first + 32 * r, count - 1)]));
          else put_bytes(items[r], Item{});
      }
    }
  }

  /// Which rows a warp has: all; some, in which each lane has an item; or some, and one where few have.
  enum class row_set { all, whole, ragged };
  /// As is the soonest where rows have so many bins.
  __device__ void rank_all(key const (&keys)[R], int count, unsigned (&places)[R], int in_row) {
    if constexpr (Pass::any_order)
      if (in_row >= many_bins_of_row) return rank<8, row_set::all, rank_by::atomics>(keys, count, places);
    if (in_row <= few_bins_of_row) rank<8, row_set::all, rank_by::matches>(keys, count, places);
    else rank<8, row_set::all, rank_by::ballots>(keys, count, places);
  }
  template <int Bits, row_set Rows, rank_by How>
  __device__ void rank(key const (&keys)[R], int count, unsigned (&places)[R]) {
    static_assert(R * 32 <= 1024, "ranks are below 2^10");
    auto const counters = static_cast<unsigned>(__cvta_generic_to_shared(counters_));
    int const left = items_left(count), items = Rows == row_set::all ? R * 32 : items_of_warp(count);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (Rows != row_set::all && r * 32 >= items) {
        places[r] = ranked(counters, 0);  // of nobody
        continue;
      }
      bool const has_item = Rows != row_set::ragged || r * 32 < left;
      unsigned const bin = has_item ? pass_.bin_of(keys[r]) : 0;
      unsigned const counter = counter_of(counters, bin);
      if constexpr (How == rank_by::atomics) places[r] = ranked(counter, add_if(true, counter, 1));
      else
        places[r] = ranked(counter, rank_in_warp<Bits, Rows != row_set::ragged, How == rank_by::matches>(
                                        bin, has_item, counter));
    }
  }

  /// Thread t finds where bin t begins in shared memory, and what of it is written now.
  __device__ void place_bins(bool last) {
    int const t = thread();
    auto* const counters = reinterpret_cast<unsigned*>(memory_ + shape::counters_at);
    int const added = t < bins ? static_cast<int>(items_of_bin<warps, bins>(counters, t)) : 0;
    // Where bin t goes on in the output, and what of it the tile before has left.
    std::int64_t next = 0;
    int held = 0;
    if (t < bins) {
      next = segments_[t].to_output + segments_[t].end;
      if constexpr (S > 1) held = held_[bins + t];
    }
    // Of numbers without a sign, what a power of two divides takes one instruction.
    unsigned const lead = (static_cast<unsigned>(next) + static_cast<unsigned>(alignment_)) % S,
                   all = static_cast<unsigned>(held + added),
                   sectors = all > 0 ? (lead + all + S - 1) / S : 0,
                   first = sum_before<unsigned>(sectors, reinterpret_cast<unsigned*>(sums()));
    if (t >= bins) return;
    auto const begin = static_cast<int>(first * S + lead),
               written = static_cast<int>(last || S == 1 ? all : max((lead + all) / S * S, lead) - lead);
    segments_[t] = {next - begin, begin, begin + written};
    if constexpr (S > 1) {
      held_[t] = static_cast<unsigned char>(held);
      held_[bins + t] = static_cast<unsigned char>(all - static_cast<unsigned>(written));
    }
    if constexpr (S > 1) {
      if (!keys_tell && sectors > 0)
        bins_[first] = static_cast<unsigned char>(t);  // others by their first items
      // The sector that the tile before has begun; what is not of it is overwritten.
      if constexpr (shape::key_bytes > 0)
        if (held > 0) copy_sector<key>(items<key>() + first * S, held_items<key>(shape::keys_at) + t * S);
    }
    place_bin<warps, bins>(counters, t, static_cast<unsigned>(begin + held));
  }

  template <class Item>
  __device__ Item* held_items(std::size_t at) const {
    return reinterpret_cast<Item*>(memory_ + at);
  }
  template <class Item>
  __device__ static void copy_sector(Item* to, Item const* from) {
    constexpr int bytes = S * static_cast<int>(sizeof(Item)), width = bytes < 16 ? bytes : 16,
                  words = bytes / width, at_once = words < 2 ? words : 2;
    using W = typename vector_type<width>::type;
#pragma unroll 1
    for (int begin = 0; begin < words; begin += at_once) {
      W some[at_once];
#pragma unroll
      for (int w = 0; w < at_once; ++w) some[w] = reinterpret_cast<W const*>(from)[begin + w];
#pragma unroll
      for (int w = 0; w < at_once; ++w) reinterpret_cast<W*>(to)[begin + w] = some[w];
    }
  }

  /// A tile's keys, or values: into shared memory, with what is held of the tile before; then to the output.
  /// `behind` starts the loads of what comes next.
  template <bool OfKeys, class Item, class In, class Out, class Behind>
  __device__ void move(In const& in, Out const& out, Item const (&items)[R], std::size_t held_at,
                       std::int64_t at, unsigned (&places)[R], int count, Behind behind) {
    int const t = thread();
    int const first_of_lane = first_item(count), left = items_left(count);
    auto const mine = [&](int r) { return r * 32 < left; };
    if constexpr (OfKeys) {
      auto const counters = static_cast<unsigned>(__cvta_generic_to_shared(counters_));
      // What a store follows is not read before it is made: some are read together.
      constexpr int at_once = keys_tell ? 1 : 4;
      [[maybe_unused]] bool const asks_bins = writer::asks_bins();
#pragma unroll
      for (int begin = 0; begin < R; begin += at_once) {
        unsigned found[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k)
          if (begin + k < R) found[k] = place_of_ranked(places[begin + k]);
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          int const r = begin + k;
          if (r >= R) break;
          unsigned const counter = counter_of_ranked(places[r]);
          places[r] = found[k];
          if constexpr (!keys_tell)
            if (asks_bins && mine(r) && places[r] % S == 0)  // a sector's first item says whose it is
              bins_[places[r] / S] = static_cast<unsigned char>((counter - counters) / 4);
        }
      }
      __syncwarp();
      clear_counters<bins>(counters_);
    }
    if constexpr (OfKeys && !Pass::moves_keys) {
      behind();
    } else if constexpr (split_staged_bytes<Item> == 0) {
      if constexpr (OfKeys) __syncthreads();
#pragma unroll
      for (int r = 0; r < R; ++r)
        if (mine(r))
          out[segments_[bins_[places[r] / S]].to_output + static_cast<int>(places[r])] =
              static_cast<written_value<Out, Item>>(static_cast<Item>(in[at + first_of_lane + 32 * r]));
      behind();
    } else {
      auto* const staged = this->template items<Item>();
      if (count == tile_items) {
#pragma unroll
        for (int r = 0; r < R; ++r) put_bytes(staged[places[r]], items[r]);
      } else {
#pragma unroll
        for (int r = 0; r < R; ++r)
          if (mine(r)) put_bytes(staged[places[r]], items[r]);
      }
      if constexpr (S > 1 && !OfKeys)
        if (t < bins) {
          int const begin = segments_[t].begin;
          auto const* const from = held_items<Item>(held_at) + t * S + begin % S;
#pragma unroll 1
          for (int i = 0; i < held_[t]; ++i) put_bytes(staged[begin + i], from[i]);
        }
      behind();
      writer::show_staged();
      __syncthreads();
      writer::template write<OfKeys>(out, staged);
      if constexpr (S > 1)
        if (t < bins && held_[bins + t] > 0)
          copy_sector<Item>(held_items<Item>(held_at) + t * S, staged + segments_[t].end / S * S);
    }
  }

  unsigned* counters_;
  unsigned char* held_;  ///< how many items of a bin are held: by the tile before, and by this one
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

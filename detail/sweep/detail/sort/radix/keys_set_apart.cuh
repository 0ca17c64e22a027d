// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_KEYS_SET_APART_CUH
#define SWEEP_DETAIL_SORT_RADIX_KEYS_SET_APART_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/ranks.cuh>
#include <sweep/detail/runtime/grid_barrier.cuh>
#include <sweep/detail/sort/radix/frequent_keys.cuh>
#include <sweep/detail/sort/radix/radix_pass.cuh>
#include <sweep/detail/sort/radix/radix_sample.cuh>
#include <sweep/detail/warp/search.cuh>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Frequent keys are counted and written by the blocks of a launch that all run at the same time, each of
/// which has a chunk. `Sampled` keys have been drawn before.
template <class Key, class Order, int Threads, unsigned Sampled>
struct keys_set_apart {
  using table = frequent_keys<Key>;
  using more = more_keys<Key>;
  static constexpr int warps = Threads / 32;

  radix_memory<Key> memory;
  std::int64_t n, chunk_items;
  Order order;
  table* frequent;
  unsigned char* told;    ///< memory of a byte for each key
  unsigned char* shared;  ///< of the block

  /// Counts the keys of the table, and leaves others in the memory between, where a block's chunk begins: so
  /// many. In vain where others may be equal and not the same. `looks` at more keys before.
  __device__ unsigned count(grid_barrier& grid, bool looks) const {
    constexpr int rows = 32 / static_cast<int>(sizeof(Key)) * 2, line = table::line;
    auto* const counters = reinterpret_cast<unsigned*>(keys_here() + table::slots);
    unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    auto* const waiting = reinterpret_cast<Key*>(counters + table::slots) + warp * (2 * line);
    __shared__ unsigned kept;
    if (threadIdx.x == 0) kept = 0;
    read_table();
    if (looks) {
      look_at_more(grid);
      read_table();
    }
#pragma unroll 1
    for (int s = static_cast<int>(threadIdx.x); s < table::slots; s += Threads) counters[s] = 0;
    __syncthreads();
    auto const begin = blockIdx.x * chunk_items, end = min(n, begin + chunk_items);
    Key const* const from = memory.first;
    Key* const to = memory.between + begin;
    bool in_vain = false;
    unsigned seen = 0;  // of others, by this warp
    auto const leave = [&](unsigned first, unsigned count) {
      __syncwarp();
      unsigned place = lane == 0 ? atomicAdd(&kept, count) : 0;
      place = __shfl_sync(~0u, place, 0);
#pragma unroll
      for (unsigned i = lane; i < line; i += 32)
        if (i < count) put_bytes(to[place + i], waiting[first + i]);
      __syncwarp();
    };
#pragma unroll 1
    for (auto at = begin + warp * (32 * rows); at < end; at += warps * 32 * rows) {
      Key keys[rows];
      int const left = static_cast<int>(min(end - at, std::int64_t{32 * rows}));
#pragma unroll
      for (int r = 0; r < rows; ++r)
        put_bytes(keys[r], from[at + min(r * 32 + static_cast<int>(lane), left - 1)]);
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        auto const bits = table::bits_of(keys[r]);
        unsigned const bucket = table::bucket_of(bits);
        auto const [first, second] = buckets()[bucket];
        bool const here = r * 32 + static_cast<int>(lane) < left, found = first == bits || second == bits;
        if (here && found) atomicAdd(counters + 2 * bucket + (first == bits ? 0 : 1), 1u);
        unsigned const others = __ballot_sync(~0u, here && !found);
        if (others == 0) continue;
        in_vain = in_vain || !table::is_alone(keys[r]);
        if (here && !found) put_bytes(waiting[(seen + __popc(others & lanes_below())) % (2 * line)], keys[r]);
        unsigned const before = seen;
        seen += __popc(others);
        if (((before ^ seen) & line) != 0) leave(before & line, line);
      }
    }
    __syncthreads();  // full lines are before all others
    leave(seen & line, seen % line);
    if (in_vain) atomicOr(&frequent->in_vain, 1u);
    __syncthreads();
    unsigned const own = kept;
#pragma unroll 1
    for (int s = static_cast<int>(threadIdx.x); s < table::slots; s += Threads)
      if (counters[s] != 0) atomicAdd(frequent->counts + s, counters[s]);
    if (threadIdx.x == 0) {
      if (own != 0) atomicAdd(&frequent->others, own);
      else if (begin == 0) put_bytes(to[0], from[0]);  // others are compared with what is first
    }
    grid.meet();
    return own;
  }
  /// When others are in order, in the memory between: all keys into the last one.
  __device__ void put_back(grid_barrier& grid, std::int64_t all_others) const {
    using word = typename Order::word;
    constexpr int slots = table::slots;
    Key const* const others = memory.between;
    auto* const list = reinterpret_cast<word*>(shared);
    auto* const list_counts = reinterpret_cast<unsigned*>(list + slots);
    __shared__ unsigned size;
    if (threadIdx.x == 0) size = 0;
    grid.meet();
#pragma unroll 1
    for (int s = static_cast<int>(threadIdx.x); s < slots; s += Threads)
      if (auto const count = frequent->counts[s]; count != 0) {
        unsigned const at = atomicAdd(&size, 1u);
        list[at] = order.word_of(frequent->keys[s]);
        list_counts[at] = count;
      }
    __syncthreads();
    // A warp finds where a key is: behind those of the table that are less, and others.
    unsigned const lane = threadIdx.x % 32;
    int const count_of_list = static_cast<int>(size);
#pragma unroll 1
    for (auto s = static_cast<int>(blockIdx.x * warps + threadIdx.x / 32); s < slots;
         s += static_cast<int>(gridDim.x) * warps) {
      auto const count = frequent->counts[s];
      if (count == 0) continue;
      auto const own = order.word_of(frequent->keys[s]);
      unsigned before = 0, rank = 0;
#pragma unroll 4
      for (int i = static_cast<int>(lane); i < count_of_list; i += 32)
        if (list[i] < own) {
          before += list_counts[i];
          ++rank;
        }
      before = __reduce_add_sync(~0u, before);
      rank = __reduce_add_sync(~0u, rank);
      auto const less =
          warp_find_first(0, all_others, [&](std::int64_t i) { return order.word_of(others[i]) >= own; });
      if (lane == 0) {
        frequent->begins[rank] = before + static_cast<std::uint32_t>(less);
        frequent->order[rank] = {frequent->keys[s], count, before + count};
      }
    }
    grid.meet();
    auto* const begins = reinterpret_cast<std::uint32_t*>(shared);
    for (int i = static_cast<int>(threadIdx.x); i < count_of_list; i += Threads)
      begins[i] = frequent->begins[i];
    __syncthreads();
    constexpr int piece = 2048, rows = 8;
    auto const begin = blockIdx.x * chunk_items, end = min(n, begin + chunk_items);
    Key* const to = memory.last;
    // Rows begin on lines of memory.
    auto const behind_line =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) / sizeof(Key) % 32);
    auto const put = [&](std::int64_t from, std::int64_t until, auto key_at) {
#pragma unroll 1
      for (auto i = from - (from + behind_line) % 32 + lane; i < until; i += 32 * rows) {
        Key keys[rows];
#pragma unroll
        for (int r = 0; r < rows; ++r) put_bytes(keys[r], key_at(max(from, min(i + 32 * r, until - 1))));
#pragma unroll
        for (int r = 0; r < rows; ++r)
          if (i + 32 * r >= from && i + 32 * r < until) put_bytes(to[i + 32 * r], keys[r]);
      }
    };
#pragma unroll 1
    for (auto at = begin + threadIdx.x / 32 * piece; at < end; at += warps * piece) {
      auto i = at;
      auto const until = min(at + piece, end);
      int next = 0;  // of the table's, the first that begins behind it
      for (int high = count_of_list; next < high;) {
        int const middle = (next + high) / 2;
        if (begins[middle] <= i) next = middle + 1;
        else high = middle;
      }
      while (i < until) {
        std::int64_t less = 0;
        if (next > 0) {
          auto const own = frequent->order[next - 1];
          auto const last = min(std::int64_t{begins[next - 1]} + own.count, until);
          if (i < last) {
            put(i, last, [&](std::int64_t) { return own.key; });
            i = last;
          }
          less = own.through;
        }
        auto const last = next < count_of_list ? min(std::int64_t{begins[next]}, until) : until;
        if (i < last) put(i, last, [&](std::int64_t k) { return others[k - less]; });
        i = max(i, last);
        ++next;
      }
    }
  }

 private:
  __device__ auto* keys_here() const { return reinterpret_cast<typename table::bits_type*>(shared); }
  __device__ auto const* buckets() const { return reinterpret_cast<typename table::bucket const*>(shared); }
  __device__ void read_table() const {
#pragma unroll 4
    for (int s = static_cast<int>(threadIdx.x); s < table::slots; s += Threads)
      keys_here()[s] = table::bits_of(frequent->keys[s]);
    __syncthreads();
  }
  /// f(key, its number) of the keys that a thread draws, but for those that the table has.
  template <class F>
  __device__ void for_each_drawn(F f) const {
#pragma unroll
    for (int r = 0; r < more::each; ++r) {
      unsigned const which = (r * gridDim.x + blockIdx.x) * Threads + threadIdx.x;
      auto const x = drawn_key(which);
      auto const bits = table::bits_of(x);
      auto const [first, second] = buckets()[table::bucket_of(bits)];
      if (first != bits && second != bits && table::is_alone(x)) f(x, which);
    }
  }
  __device__ Key drawn_key(unsigned which) const { return memory.first[drawn_place(Sampled + which, n)]; }
  /// All blocks draw keys: those that are there often enough get slots that the sample has not needed.
  __device__ void look_at_more(grid_barrier& grid) const {
    more const found(told, n);
    auto const t = blockIdx.x * Threads + threadIdx.x, all = gridDim.x * Threads;
#pragma unroll 1
    for (auto i = std::int64_t{t}; i < more::bytes_of(found.count_bits) / 16; i += all)
      reinterpret_cast<uint4*>(found.chosen)[i] = uint4{0, 0, 0, 0};
    grid.meet();
    for_each_drawn([&](Key const& x, unsigned) { atomicAdd(found.count_of(x), 1u); });
    grid.meet();
#pragma unroll 1
    for (int slot = 0; slot < 2; ++slot) {
      for_each_drawn([&](Key const& x, unsigned which) {
        unsigned const count = *found.count_of(x);
        if (count < more::least_seen) return;
        auto const bits = table::bits_of(x);
        auto* const own = found.chosen + 2 * table::bucket_of(bits);
        if (slot != 0 && table::bits_of(drawn_key(static_cast<unsigned>(own[0]))) == bits) return;
        atomicMax(own + slot, static_cast<unsigned long long>(count) << 32 | which);
      });
      grid.meet();
    }
#pragma unroll 1
    for (auto b = t; b < table::slots / 2; b += all) {
      auto const most = found.chosen[2 * b], next = found.chosen[2 * b + 1];
      auto const [first, second] = buckets()[b];
      if (most == 0) continue;
      auto const key = drawn_key(static_cast<unsigned>(most));
      if (table::bucket_of(first) != b) {  // none of the sample
        frequent->keys[2 * b] = key;
        frequent->keys[2 * b + 1] = next != 0 ? drawn_key(static_cast<unsigned>(next)) : key;
      } else if (second == first) {
        frequent->keys[2 * b + 1] = key;
      }
    }
    grid.meet();
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

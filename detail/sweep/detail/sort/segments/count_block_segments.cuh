// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_COUNT_BLOCK_SEGMENTS_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_COUNT_BLOCK_SEGMENTS_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/multisplit/device.cuh>
#include <sweep/detail/sort/key_bins.hpp>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/segments/segment_heads.cuh>
#include <sweep/detail/sort/tile/block_bins.cuh>
#include <sweep/detail/sort/tile/marked_places.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Segments of keys of up to 16 bits, and nothing else: a block has a counter for each key in its shared
// memory. How many there are of each says what is in order, so that memory is read and written once.

/// Whether that can be, where all bits of keys count.
template <class Value, class Order>
inline constexpr bool counts_block_segments = [] {
  if constexpr (Order::is_radix)
    return Order::is_exact && Order::bits > 8 && Order::bits <= 16 && std::is_same_v<Value, absent_value>;
  else return false;
}();

/// Blocks that each take the next segment until there is none.
template <class Keys, class Values, class Key, class Value, class Order>
struct count_block_segments_job {
  using bins_type = bins_of_keys<Order>;
  static constexpr int threads = 1024, blocks = 1, warps = threads / 32;
  static constexpr bool waits_itself = true;
  /// Counters are halves of words.
  static constexpr int bins = 1 << 16, most_items = bins - 1;
  /// Of fewer items a block sorts a segment sooner in its registers: all counters are looked at.
  static constexpr int least_items = 1 << 13;
  /// Whether some may be so long, and few are longer, of so many items in the mean.
  static constexpr bool is_worthwhile(std::int64_t mean) {
    return mean > least_items / 8 && mean <= most_items / 3;
  }
  static constexpr std::size_t counters_bytes = bins * 2;
  /// Bins of a lane side by side, and rows of these that a warp has.
  static constexpr int of_lane = 8, rows = bins / (threads * of_lane);
  /// Keys in order are put together here, as many at a time as there is room for.
  static constexpr std::size_t staged_bytes(int arch) {
    return std::size_t{1024} * (shared_bytes_of(arch) >= shared_bytes_of(90) ? 96 : 32);
  }
  static constexpr std::size_t dynamic_bytes(int arch) { return counters_bytes + staged_bytes(arch); }
  static constexpr int room(int arch) { return static_cast<int>(staged_bytes(arch) / 2) - V; }
  /// Keys of a vector of the output.
  static constexpr int V = 8;

  Keys keys;
  segment_list list;
  Key* keys_to;
  Order order;
  int staged_room;  ///< for so many keys
  kernel_in_row place;

  __device__ void operator()() const {
    __shared__ unsigned taken;
    runs_in_row const turn(place);
    unsigned const count = list.counts[0];
    while (true) {
      if (threadIdx.x == 0) taken = atomicAdd(list.counts + 1, 1u);
      __syncthreads();
      if (taken >= count) return;
      auto const& next = list.items[taken];
      sort(next.begin, static_cast<int>(next.end - next.begin));
    }
  }

 private:
  __device__ static unsigned* counters() {
    extern __shared__ __align__(128) unsigned char memory[];
    return reinterpret_cast<unsigned*>(memory);
  }
  __device__ static std::uint16_t* staged() { return reinterpret_cast<std::uint16_t*>(counters()) + bins; }
  __device__ static int lane() { return static_cast<int>(threadIdx.x % 32); }
  __device__ static int warp() { return static_cast<int>(threadIdx.x / 32); }
  __device__ static uint4 row_of_warp(int r) {
    return reinterpret_cast<uint4 const*>(counters())[(warp() * rows + r) * 32 + lane()];
  }

  __device__ static void clear() {
#pragma unroll
    for (int r = 0; r < rows; ++r)
      reinterpret_cast<uint4*>(counters())[r * threads + static_cast<int>(threadIdx.x)] = uint4{};
  }
  __device__ static void add(unsigned bin, unsigned count) {
    atomicAdd(counters() + bin / 2, count << bin % 2 * 16);
  }
  /// Neighbours that are alike are counted together.
  __device__ void count(std::int64_t begin, std::int64_t end) const {
    bins_type const of{order};
    look_at_items<threads, split_vector_items<Keys>>(
        keys, begin, end, [&]<class Item, int W>(item_vector<Item, W> const& x, std::int64_t) {
          unsigned bin = of.bin_of(x.item(0)), some = 1;
#pragma unroll
          for (int w = 1; w < W; ++w) {
            unsigned const next = of.bin_of(x.item(w));
            if (next != bin) add(bin, some);
            some = next != bin ? 1 : some + 1;
            bin = next;
          }
          add(bin, some);
        });
  }

  __device__ void sort(std::int64_t begin, int items) const {
    __shared__ warp_slots<warps> slots;
    clear();
    __syncthreads();
    count(begin, begin + items);
    __syncthreads();
    unsigned both = 0;  // halves do not run over, as all items do not
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      auto const some = row_of_warp(r);
      both += some.x + some.y + some.z + some.w;
    }
    auto const of_warp = static_cast<int>(__reduce_add_sync(~0u, (both & 0xffff) + (both >> 16)));
    slots.put(static_cast<unsigned>(of_warp));
    __syncthreads();
    auto const first = static_cast<int>(slots.sum_before_warp());
    int const pieces = (items + staged_room - 1) / staged_room, each = (items + pieces - 1) / pieces;
#pragma unroll 1
    for (int from = 0; from < items; from += each) {
      int const end = min(from + each, items);
      auto* const to = keys_to + (begin + from);
      int const lead = static_cast<int>(reinterpret_cast<std::uintptr_t>(to) / sizeof(Key) % V),
                places = lead + (end - from), groups = (places + V - 1) / V;
      auto* const vectors = reinterpret_cast<uint4*>(staged());
#pragma unroll 1
      for (int g = static_cast<int>(threadIdx.x); g < groups; g += threads) vectors[g] = uint4{};
      // A warp has as many vectors of the output as a power of two says.
      int log_places = 8;
      while (places > warps << log_places) ++log_places;
      __syncthreads();
      if (first < end && first + of_warp > from) mark(first - from + lead, lead, places, log_places);
      __syncthreads();
      write(to - lead, lead, places, log_places);
      __syncthreads();
    }
  }

  /// Marks the first key of each of the warp's bins, which begin at a place; and what of a bin is the first
  /// of the piece, or of what a warp writes.
  __device__ static void mark(int at, int begin, int end, int log_places) {
#pragma unroll 1
    for (int r = 0; r < rows; ++r) {
      auto const some = row_of_warp(r);
      unsigned const words[] = {some.x, some.y, some.z, some.w}, both = some.x + some.y + some.z + some.w;
      int const own = static_cast<int>((both & 0xffff) + (both >> 16));
      int through = own;
#pragma unroll
      for (int by = 1; by < 32; by *= 2) {
        int const left = __shfl_up_sync(~0u, through, by);
        if (lane() >= by) through += left;
      }
      int place = at + through - own;
      at += __shfl_sync(~0u, through, 31);
      if (own == 0) continue;
      int const bin = ((warp() * rows + r) * 32 + lane()) * of_lane;
      if (place >= begin && place + own <= end && place >> log_places == (place + own - 1) >> log_places) {
#pragma unroll
        for (int k = 0; k < of_lane; ++k) {
          unsigned const count = words[k / 2] >> k % 2 * 16 & 0xffff;
          if (count > 0) staged()[place] = static_cast<std::uint16_t>(bin + k);
          place += static_cast<int>(count);
        }
      } else {
#pragma unroll
        for (int k = 0; k < of_lane; ++k) {
          int const behind = place + static_cast<int>(words[k / 2] >> k % 2 * 16 & 0xffff),
                    stop = min(behind, end);
#pragma unroll 1
          for (place = max(place, begin); place < stop; place = ((place >> log_places) + 1) << log_places)
            staged()[place] = static_cast<std::uint16_t>(bin + k);
          place = behind;
        }
      }
    }
  }

  /// Keys are the greatest marks up to them: of each warp the places that begin at a multiple of its share.
  __device__ void write(Key* to, int begin, int end, int log_places) const {
    auto const* const vectors = reinterpret_cast<uint4 const*>(staged());
    int const from = warp() << log_places, stop = min(from + (1 << log_places), end);
    unsigned before = 0;
#pragma unroll 1
    for (int first = from; first < stop; first += 32 * V) {
      int const place = first + lane() * V;
      uint4 const marks = place < stop ? vectors[place / V] : uint4{};
      Key some[V];
      each_bin_of_places<std::uint16_t>(marks, before,
                                        [&](int i, unsigned bin) { some[i] = key_of_bin<Order>{}(bin); });
      if (place >= begin && place + V <= end) {
        item_vector<Key, V> row;
        row.pack(some);
        store_vectors<access::streaming>(to + place, row);
      } else {
#pragma unroll
        for (int i = 0; i < V; ++i)
          if (place + i >= begin && place + i < end) to[place + i] = some[i];
      }
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

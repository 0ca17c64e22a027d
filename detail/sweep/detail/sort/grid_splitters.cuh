// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_GRID_SPLITTERS_CUH
#define SWEEP_DETAIL_SORT_GRID_SPLITTERS_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/multisplit/ranks.cuh>
#include <sweep/detail/sort/tile/merge_sort_tile.cuh>
#include <sweep/version.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// The tile of a block of a grid, most of whose threads may have no items.
template <class Key, bool HasValues, int Threads, int Each>
struct grid_tile_shape {
  static constexpr int size = static_cast<int>(sizeof(Key));
  static constexpr bool moves_keys = !HasValues, keys_in_registers = true, many_idle = true;
  static constexpr int threads = Threads, each = Each, items = threads * each, ways = 1, keys_behind = 0;
};

/// Bins of keys by an order: each block of a grid sorts the same keys from everywhere, and every so many of
/// these is a splitter. Keys that are more than one splitter have a bin of their own, in which all keys are
/// alike, however many they are.
template <class Key, class Order, int Threads>
class grid_splitters {
 public:
  static constexpr int bins = parts_of_pass, levels = 8, most_samples = 4096, few_samples = 1024;
  using shape = grid_tile_shape<Key, false, Threads, most_samples / Threads | 1>;
  using tile_type = merge_sort_tile<Key, false, Order, shape>;
  struct shared {
    alignas(16) unsigned char tree[bins * sizeof(Key)];  ///< from 1 on; those behind k are 2 k and 2 k + 1
  };

  __device__ grid_splitters(shared& smem, Order const& order) : smem_{smem}, order_{order} {}

  /// More keys of a sample make bins more alike, and take some time.
  SWEEP_HD static constexpr int samples_of(int n) { return n > 1 << 18 ? most_samples : few_samples; }

  /// Looks for keys of n. They are there behind the next barrier.
  template <class KeyAt>
  static __device__ void look(typename tile_type::shared& room, int n, KeyAt key_at) {
    int const samples = samples_of(n);
#pragma unroll
    for (int r = 0; r < most_samples / Threads; ++r)
      if (int const i = static_cast<int>(threadIdx.x) + r * Threads; i < samples)
        put_bytes(reinterpret_cast<Key*>(room.room)[i], key_at(sample_at(i, n, samples)));
  }
  /// Splitters, and which bins have keys that are alike, for all threads.
  __device__ void grow(typename tile_type::shared& room, int n, unsigned char* alike) const {
    int const t = static_cast<int>(threadIdx.x), samples = samples_of(n);
    tile_type tile(room, order_);
    __syncthreads();
    tile.sort(0, samples);
    auto const nth = [&](int s) -> Key const& { return tile.result(s * (samples / bins) - 1); };  // from 1 on
    if (t < bins) {
      if (t > 0) {
        int const level = 31 - __clz(t);
        put_bytes(reinterpret_cast<Key*>(smem_.tree)[t],
                  nth((2 * (t - (1 << level)) + 1) << (levels - 1 - level)));
      }
      alike[t] = t > 0 && t + 1 < bins && !order_(nth(t), nth(t + 1)) ? 1 : 0;
    }
    __syncthreads();
  }

  /// As many as splitters go before a key; of a key that is like the next two, the bin of these.
  __device__ unsigned bin_of(Key const& x, unsigned char const* alike) const {
    int node = 1;
#pragma unroll
    for (int level = 0; level < levels; ++level) node = 2 * node + (order_(splitter(node), x) ? 1 : 0);
    auto const before = static_cast<unsigned>(node - bins), next = before + 1;
    // The last that the key was not behind is the next.
    if (next < bins && alike[next] != 0 && !order_(x, splitter(node >> __ffs(~node)))) return next;
    return before;
  }

 private:
  __device__ Key const& splitter(int node) const { return reinterpret_cast<Key const*>(smem_.tree)[node]; }
  /// From equal parts of all, somewhere in each.
  static __device__ int sample_at(int i, int n, int samples) {
    auto const all = static_cast<unsigned>(n), some = static_cast<unsigned>(samples), part = all / some,
               at = static_cast<unsigned>(i);
    unsigned mixed = (at + 1) * 0x9e3779b1u;
    mixed = (mixed ^ mixed >> 15) * 0x85ebca6bu;
    return static_cast<int>(min(at * part + at * (all % some) / some + __umulhi(mixed, part + 1), all - 1));
  }

  shared& smem_;
  Order const& order_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

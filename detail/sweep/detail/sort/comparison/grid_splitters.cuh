// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_COMPARISON_GRID_SPLITTERS_CUH
#define SWEEP_DETAIL_SORT_COMPARISON_GRID_SPLITTERS_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/ranks.cuh>
#include <sweep/detail/sort/tile/merge_sort_tile.cuh>
#include <sweep/version.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// What the blocks of a grid tell each other of a sample.
template <class Key>
struct sampled_keys {
  Key* parts;  ///< each in order
  Key* tree;   ///< splitters, from 1 on: those behind k are 2 k and 2 k + 1
};

/// Bins of keys by an order. Every so many keys of a sample from everywhere is a splitter. Keys that are more
/// than one splitter have a bin of their own, in which all keys are alike, however many they are. The sample
/// is sorted by all blocks of a grid: each sorts parts of it, and then ranks its share of all keys among all
/// parts.
template <class Key, class Order, int Threads>
class grid_splitters {
 public:
  static constexpr int bins = parts_of_pass, levels = 8;
  static_assert(Threads >= bins);
  /// Of a part, in which each key is compared with all others, and is looked for with those of all others.
  static constexpr int few_samples = 1024, few_of_part = 32, many_of_part = 128;
  /// As many as there is room for.
  static constexpr int most_samples = sizeof(Key) <= 4 ? 16384 : sizeof(Key) <= 8 ? 8192 : 4096;
  static constexpr std::size_t room_bytes = most_samples * sizeof(Key);
  struct shared {
    alignas(16) unsigned char tree[bins * sizeof(Key)];
    int ranks[Threads];
  };

  __device__ grid_splitters(shared& smem, int samples, Order const& order)
      : smem_{smem}, samples_{samples}, order_{order} {}

  /// More keys of a sample make bins more alike, and take some time.
  static constexpr int samples_of(std::int64_t n) {
    return n > 1 << 20 ? std::min(8192, most_samples) : n > 1 << 18 ? 4096 : few_samples;
  }

  /// Sorts the block's parts of a sample of n keys: all are there when blocks have met.
  template <class KeyAt>
  __device__ void sort_parts(unsigned char* room, int n, KeyAt key_at,
                             sampled_keys<Key> const& sampled) const {
    if (samples_ <= few_samples) sort_parts_of<few_of_part>(room, n, key_at, sampled);
    else sort_parts_of<many_of_part>(room, n, key_at, sampled);
  }
  /// Finds the splitters among the block's share of the sample: all are there when blocks have met again.
  __device__ void find(unsigned char* room, int n, sampled_keys<Key> const& sampled) const {
    if (samples_ <= few_samples) find_among<few_of_part>(room, n, sampled);
    else find_among<many_of_part>(room, n, sampled);
  }
  /// Splitters, and which bins have keys that are alike, for all threads.
  __device__ void learn(sampled_keys<Key> const& sampled, unsigned char* alike) const {
    int const t = static_cast<int>(threadIdx.x);
    if (t < bins) copy_key(reinterpret_cast<Key*>(smem_.tree)[t], sampled.tree[t]);
    __syncthreads();
    if (t < bins)
      alike[t] = t > 0 && t + 1 < bins && !order_(splitter(node_of(t)), splitter(node_of(t + 1))) ? 1 : 0;
    __syncthreads();
  }

  /// As many as splitters go before a key; of a key that is like the next two, the bin of these. Of several
  /// keys at once, since each step waits for the one before.
  template <int Count>
  __device__ void find_bins(Key const* x, unsigned char const* alike, unsigned (&found)[Count]) const {
    int node[Count];
#pragma unroll
    for (int k = 0; k < Count; ++k) node[k] = 1;
#pragma unroll(fits_registers <Key> ? levels : 1)
    for (int level = 0; level < levels; ++level)
#pragma unroll
      for (int k = 0; k < Count; ++k) node[k] = 2 * node[k] + (order_(splitter(node[k]), x[k]) ? 1 : 0);
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      auto const before = static_cast<unsigned>(node[k] - bins), next = min(before + 1, bins - 1u);
      // The last that the key was not behind is the next. The last bin's keys are not known to be alike.
      found[k] = alike[next] != 0 && !order_(x[k], splitter(node[k] >> __ffs(~node[k]))) ? next : before;
    }
  }

 private:
  /// Comparisons side by side, where these are short.
  static constexpr int at_once = !fits_registers<Key> ? 1
                                 : sizeof(Key) <= 8   ? 8
                                                      : 2,
                       searches = !fits_registers<Key> ? 1
                                  : sizeof(Key) <= 8   ? 4
                                                       : 2;

  template <int PartKeys, class KeyAt>
  __device__ void sort_parts_of(unsigned char* room, int n, KeyAt key_at,
                                sampled_keys<Key> const& sampled) const {
    constexpr int others = PartKeys * PartKeys / Threads;  // that a thread looks at
    auto* const keys = reinterpret_cast<Key*>(room);
    int const samples = samples_, parts = samples / PartKeys, t = static_cast<int>(threadIdx.x),
              own = t % PartKeys, first = t / PartKeys * others;
#pragma unroll 1
    for (int part = static_cast<int>(blockIdx.x); part < parts; part += static_cast<int>(gridDim.x)) {
      if (t < PartKeys) {
        copy_key(keys[t], key_at(sample_at(t * parts + part, n, samples)));
        smem_.ranks[t] = 0;
      }
      __syncthreads();
      int before = 0;
#pragma unroll(at_once)
      for (int other = first; other < first + others; ++other)
        before += goes_before(keys[other], keys[own], other < own) ? 1 : 0;
      atomicAdd(smem_.ranks + own, before);
      // Whatever an order says, everywhere is some key.
      Key* const to = sampled.parts + part * PartKeys;
      if (t < PartKeys) copy_key(to[t], keys[t]);
      if (part == 0 && t < bins) copy_key(sampled.tree[t], keys[t % PartKeys]);
      __syncthreads();
      if (t < PartKeys) copy_key(to[min(smem_.ranks[t], PartKeys - 1)], keys[t]);
      __syncthreads();
    }
  }
  template <int PartKeys>
  __device__ void find_among(unsigned char* room, int n, sampled_keys<Key> const& sampled) const {
    int const t = static_cast<int>(threadIdx.x), samples = samples_, parts = samples / PartKeys,
              all_blocks = static_cast<int>(gridDim.x), block = static_cast<int>(blockIdx.x),
              mine = (samples - block + all_blocks - 1) / all_blocks, each = samples / bins;
    auto const* const from = reinterpret_cast<uint4 const*>(sampled.parts);
#pragma unroll 4
    for (int i = t; i < samples * static_cast<int>(sizeof(Key)) / 16; i += Threads)
      reinterpret_cast<uint4*>(room)[i] = from[i];
    auto const* const keys = reinterpret_cast<Key const*>(room);
#pragma unroll 1
    for (int first = 0; first < mine; first += Threads) {
      int const some = min(mine - first, Threads);
      smem_.ranks[t] = 0;
      __syncthreads();
      // Neighbouring lanes look for different keys in one part: at first at the same places.
#pragma unroll(at_once < 4 ? 1 : 4)
      for (int q = t; q < some * parts; q += Threads) {
        int const part = q / some, own = q - part * some, at = block + (first + own) * all_blocks;
        Key const& x = keys[at];
        auto const* const in = keys + part * PartKeys;
        bool const wins = part < at / PartKeys;
        int before = 0;
#pragma unroll(at_once < 4 ? 1 : 7)
        for (int step = PartKeys / 2; step > 0; step /= 2)
          if (goes_before(in[before + step - 1], x, wins)) before += step;
        if (goes_before(in[before], x, wins)) ++before;
        atomicAdd(smem_.ranks + own, part == at / PartKeys ? at % PartKeys : before);
      }
      __syncthreads();
      if (t < some) {
        int const rank = smem_.ranks[t] + 1, nth = rank / each;
        if (rank % each == 0 && nth < bins)
          copy_key(sampled.tree[node_of(nth)], keys[block + (first + t) * all_blocks]);
      }
      __syncthreads();
    }
  }

  __device__ Key const& splitter(int node) const { return reinterpret_cast<Key const*>(smem_.tree)[node]; }
  /// Where the tree has the n-th splitter, from 1 on.
  static __device__ int node_of(int nth) {
    int const below = __ffs(nth) - 1;
    return (1 << (levels - 1 - below)) + (nth >> (below + 1));
  }
  /// Whether y goes before x, which it does among equivalent ones if it wins.
  __device__ bool goes_before(Key const& y, Key const& x, bool wins) const {
    return wins ? !order_(x, y) : order_(y, x);
  }
  /// From equal parts of all, somewhere in each.
  static __device__ int sample_at(int i, int n, int samples) {
    auto const all = static_cast<unsigned>(n), some = static_cast<unsigned>(samples), part = all / some,
               at = static_cast<unsigned>(i);
    unsigned mixed = (at + 1) * 0x9e3779b1u;
    mixed = (mixed ^ mixed >> 15) * 0x85ebca6bu;
    return static_cast<int>(min(at * part + at * (all % some) / some + __umulhi(mixed, part + 1), all - 1));
  }

  shared& smem_;
  int samples_;
  Order const& order_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

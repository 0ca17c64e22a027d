// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MULTISPLIT_GRID_COUNTS_CUH
#define SWEEP_DETAIL_MULTISPLIT_GRID_COUNTS_CUH

#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/multisplit/ranks.cuh>
#include <sweep/version.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// What a block tells in one pass: a word for bins b and b + 128, each count with a bit that says it is
/// there.
struct told_counts {
  std::uint32_t words[parts_of_pass / 2];
};

/// How the blocks of a grid that all run at the same time split their items into up to 256 bins, stably: each
/// counts its own, tells all others how many it has of each bin, and learns where they go. Who needs a count
/// waits for that alone. No block has 2^15 items.
template <int Threads>
class grid_counts {
 public:
  static constexpr int warps = Threads / 32;
  struct shared {
    unsigned counters[warps * parts_of_pass];
    placed_bins<Threads> own;
    unsigned before[parts_of_pass], total[parts_of_pass], moves[parts_of_pass], begins[parts_of_pass + 1];
    unsigned char alike[parts_of_pass];  ///< whether a bin's items are, and so are in order as they come
    int part[2];                         ///< where the block's part of all places begins and ends
  };

  __device__ explicit grid_counts(shared& smem) : smem_{smem} {}

  /// Before blocks meet for the first time: nothing is told yet in so many passes.
  static __device__ void clear(told_counts* passes, int count) {
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < static_cast<unsigned>(count) * (parts_of_pass / 2); i += Threads)
      passes[i / (parts_of_pass / 2) * gridDim.x + blockIdx.x].words[i % (parts_of_pass / 2)] = 0;
  }

  /// A pass begins, for each warp by itself.
  __device__ void begin() const {
    clear_counters(own_counters());
    if (threadIdx.x < parts_of_pass) smem_.before[threadIdx.x] = smem_.total[threadIdx.x] = 0;
    __syncwarp();
  }
  /// The rank of an item among those of its warp and bin so far. All lanes call, and say whether all of them
  /// have one.
  template <bool Whole = false>
  __device__ unsigned rank(unsigned bin, bool has_item) const {
    return rank_in_warp<8, Whole>(bin, has_item, counter_of_bin(bin));
  }
  /// Tells counts, when all items have ranks. Places follow behind the next barrier.
  __device__ void tell(told_counts* pass) const {
    smem_.own.place(smem_.counters, [&] {
      constexpr int words = parts_of_pass / 2;
      if (int const t = static_cast<int>(threadIdx.x); t < words)
        atomic_ref<std::uint32_t>(pass[blockIdx.x].words[t])
            .store(smem_.own.items_of(t) | smem_.own.items_of(t + words) << 16 | is_told, relaxed);
    });
  }
  /// The place of an item in the block, where neighbours go to neighbouring places.
  __device__ unsigned place_of(unsigned bin, unsigned rank) const {
    return read_counter(counter_of_bin(bin)) + rank;
  }
  /// Learns where bins begin, and where the block's items of each go: `moves` from their places in the block.
  /// Parts of all places are `each` long, but for bins, which are not cut where items are not alike. It ends
  /// with a barrier.
  __device__ void learn(told_counts* pass, int each) const {
    int const t = static_cast<int>(threadIdx.x);
    add_told(pass);
    __syncthreads();
    unsigned const total = t < parts_of_pass ? smem_.total[t] : 0,
                   begin = sum_before<unsigned>(total, smem_.own.sums);
    if (t < parts_of_pass) {
      smem_.moves[t] = begin + smem_.before[t] - smem_.own.begins[t];
      smem_.begins[t] = begin;
      if (t == parts_of_pass - 1) smem_.begins[parts_of_pass] = begin + total;
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        auto const place = static_cast<unsigned>(each) * (blockIdx.x + static_cast<unsigned>(side));
        bool const last = t == parts_of_pass - 1 && place >= begin + total;
        if (last || (place >= begin && place < begin + total))
          smem_.part[side] = static_cast<int>(last                            ? begin + total
                                              : smem_.alike[t] != 0           ? place
                                              : 2 * place < 2 * begin + total ? begin
                                                                              : begin + total);
      }
    }
    __syncthreads();
  }

  __device__ int part_begin() const { return smem_.part[0]; }
  __device__ int part_end() const { return smem_.part[1]; }
  /// Whether no bin is too large.
  __device__ bool bins_fit(int most) const {
    bool too_many = false;
    if (int const t = static_cast<int>(threadIdx.x); t < parts_of_pass)
      too_many = smem_.alike[t] == 0 && begin_of(t + 1) - begin_of(t) > most;
    return __syncthreads_or(too_many ? 1 : 0) == 0;
  }
  /// f(begin, count) for a block's part, as many neighbouring bins as fit at once; or more, of one bin where
  /// items are alike.
  template <class F>
  __device__ void for_each_turn(int most, F f) const {
    // What is left is in shared memory, where it takes no registers.
#pragma unroll 1
    while (part_begin() < part_end()) {
      int const t = static_cast<int>(threadIdx.x), begin = part_begin(), end = part_end();
      __syncthreads();
      if (t == 0) smem_.part[0] = end - begin <= most ? end : begin;
      __syncthreads();
      if (end - begin > most && t < parts_of_pass)
        if (int const first = begin_of(t), last = begin_of(t + 1);
            last > begin && (last - begin <= most || (first <= begin && smem_.alike[t] != 0)))
          atomicMax(&smem_.part[0], min(last, end));
      __syncthreads();
      f(begin, part_begin() - begin);
      __syncthreads();
    }
  }

 private:
  static constexpr std::uint32_t is_told = 0x80008000u;

  __device__ int begin_of(int bin) const { return static_cast<int>(smem_.begins[bin]); }
  __device__ unsigned* own_counters() const { return smem_.counters + threadIdx.x / 32 * parts_of_pass; }
  __device__ unsigned counter_of_bin(unsigned bin) const {
    return counter_of(static_cast<unsigned>(__cvta_generic_to_shared(own_counters())), bin);
  }
  __device__ static std::uint32_t told_word(std::uint32_t* at) {
    return atomic_ref<std::uint32_t>(*at).load(relaxed);
  }
  /// Adds counts of all blocks and of those before this one, as soon as they are told: a thread a word, of
  /// some rows at once.
  __device__ void add_told(told_counts* told) const {
    constexpr int words = parts_of_pass / 2, with = Threads / words, at_once = 132 / with;
    int const word = static_cast<int>(threadIdx.x) % words, all_blocks = static_cast<int>(gridDim.x),
              own = static_cast<int>(blockIdx.x);
    unsigned before[2] = {}, all[2] = {};
#pragma unroll 1
    for (int b = static_cast<int>(threadIdx.x) / words; b < all_blocks; b += with * at_once) {
      unsigned two[at_once];
      auto* const at = told[b].words + word;
      int const rows = (all_blocks - b + with - 1) / with, ahead = (own - b + with - 1) / with;
#pragma unroll 1
      while (true) {
        unsigned there = is_told;
#pragma unroll
        for (int k = 0; k < at_once; ++k) two[k] = k < rows ? told_word(at + k * with * words) : is_told;
#pragma unroll
        for (int k = 0; k < at_once; ++k) there &= two[k];
        if (__all_sync(~0u, there == is_told)) break;
        // Whoever waits should not be in the way of those who are waited for: one word of each row.
        for (int row = b + static_cast<int>(threadIdx.x) % 32 * with;
             row < min(b + at_once * with, all_blocks); row += 32 * with)
          while (told_word(told[row].words) == 0) {}
        __syncwarp();
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          unsigned const count = two[k] >> 16 * half & 0x7fff;
          all[half] += count;
          if (k < ahead) before[half] += count;
        }
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      atomicAdd(smem_.before + word + words * half, before[half]);
      atomicAdd(smem_.total + word + words * half, all[half]);
    }
  }

  shared& smem_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

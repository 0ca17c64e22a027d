// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MULTISPLIT_RANKS_CUH
#define SWEEP_DETAIL_MULTISPLIT_RANKS_CUH

#include <sweep/detail/multisplit/problem.hpp>
#include <sweep/version.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// How a block ranks items of up to 256 bins, stably. A warp's items are rows of 32 neighbours, row after row.
// Each warp counts for itself: (warps, 256) counters in shared memory. Lanes of a row that have the same bin
// find each other by a ballot for each bit, so that it takes the same time whatever the bins are.

/// All lanes, as nvcc does not know.
__device__ inline unsigned all_lanes() {
  unsigned all;
  asm("{\n .reg .b32 below, others;\n mov.u32 below, %%lanemask_lt;\n mov.u32 others, %%lanemask_ge;\n"
      " or.b32 %0, below, others;\n}"
      : "=r"(all));
  return all;
}
/// The lanes whose bit `b` of `bin` is this lane's. By hand: nvcc takes seven instructions for it, not three.
/// What bounds a row is bitwise instructions, which are issued every other cycle: so the complement may be a
/// multiplication by -1 and an addition of it, which another unit makes, and which take a register.
template <int b, bool Multiplies>
__device__ unsigned lanes_with_bit_of(unsigned bin) {
  unsigned lanes;
  if constexpr (Multiplies)
    asm("{\n .reg .pred one;\n .reg .b32 bit;\n and.b32 bit, %1, %2;\n setp.ne.u32 one, bit, 0;\n"
        " vote.sync.ballot.b32 %0, one, 0xffffffff;\n @!one mad.lo.u32 %0, %0, %3, %3;\n}"
        : "=r"(lanes)
        : "r"(bin), "n"(1 << b), "r"(all_lanes()));
  else
    asm("{\n .reg .pred one;\n .reg .b32 bit;\n and.b32 bit, %1, %2;\n setp.ne.u32 one, bit, 0;\n"
        " vote.sync.ballot.b32 %0, one, 0xffffffff;\n @!one not.b32 %0, %0;\n}"
        : "=r"(lanes)
        : "r"(bin), "n"(1 << b));
  return lanes;
}
/// The lanes of `among` whose bins have the same low bits as this lane's.
template <int Bits, bool Multiplies = false>
__device__ unsigned lanes_with_equal(unsigned bin, unsigned among) {
  if constexpr (Bits == 0) {
    return among;
  } else {
    if constexpr (Bits % 2 != 0)
      return lanes_with_equal<Bits - 1, Multiplies>(bin, among) &
             lanes_with_bit_of<Bits - 1, Multiplies>(bin);
    else {
      unsigned same;  // of three, in one instruction
      asm("lop3.b32 %0, %1, %2, %3, 0x80;"
          : "=r"(same)
          : "r"(lanes_with_equal<Bits - 2, Multiplies>(bin, among)),
            "r"(lanes_with_bit_of<Bits - 2, Multiplies>(bin)),
            "r"(lanes_with_bit_of<Bits - 1, Multiplies>(bin)));
      return same;
    }
  }
}

__device__ inline unsigned lanes_below() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

// A warp's counters as addresses of shared memory, in 32 bits.
__device__ inline unsigned counter_of(unsigned counters, unsigned bin) { return counters + bin * 4; }
__device__ inline unsigned read_counter(unsigned counter) {
  unsigned value;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(counter) : "memory");
  return value;
}
__device__ inline void write_counter(unsigned counter, unsigned value) {
  asm volatile("st.shared.u32 [%0], %1;" : : "r"(counter), "r"(value) : "memory");
}
/// What a counter was before it is added to, in the lanes that add; without a branch.
__device__ inline unsigned add_if(bool adds, unsigned counter, unsigned count) {
  unsigned before;
  asm volatile(
      "{\n .reg .pred p;\n setp.ne.u32 p, %1, 0;\n mov.u32 %0, 0;\n @p atom.shared.add.u32 %0, [%2], %3;\n}"
      : "=r"(before)
      : "r"(static_cast<unsigned>(adds)), "r"(counter), "r"(count)
      : "memory");
  return before;
}

/// How the lanes of a bin find each other: by a ballot for each bit; by one instruction, which takes its time
/// for each of the bins, and so is sooner where they are few; or not at all, by atomic additions, which take
/// theirs for each lane of a bin, where bins are many and items of one may change places.
enum class rank_by { ballots, matches, atomics };
inline constexpr int few_bins_of_row = 8, many_bins_of_row = 20;
/// How many bins the lanes of a row have.
__device__ inline int bins_of_row(unsigned bin) {
  unsigned const same = lanes_with_equal<8>(bin, ~0u);
  return __popc(__ballot_sync(~0u, (same & lanes_below()) == 0));
}

/// The rank of this lane's item among those of its warp and bin so far, which the bin's counter then has.
/// Lanes that have no item say so; all lanes call. Where all have one, each reads the counter, and all of a
/// bin write the same; or else the last of a bin's adds, without more registers.
template <int Bits, bool Whole, bool FewBins = false>
__device__ unsigned rank_in_warp(unsigned bin, bool has_item, unsigned counter) {
  unsigned const among = Whole ? ~0u : __ballot_sync(~0u, has_item);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr bool multiplies = Whole;
#else
  constexpr bool multiplies = false;  // there passes over pairs have no register for it
#endif
  unsigned const same =
      FewBins ? __match_any_sync(~0u, bin) & among : lanes_with_equal<Bits, multiplies>(bin, among);
  auto const before = [&] { return static_cast<unsigned>(__popc(same & lanes_below())); };
  if constexpr (Whole) {
    unsigned const first = read_counter(counter);
    __syncwarp();
    write_counter(counter, first + static_cast<unsigned>(__popc(same)));
    __syncwarp();
    return first + before();
  } else {
    // Where no lane has an item of this bin nobody is the last, and nobody asks.
    unsigned const last = 31u - static_cast<unsigned>(__clz(static_cast<int>(same))),
                   first = add_if(threadIdx.x % 32 == last && has_item, counter,
                                  static_cast<unsigned>(__popc(same)));
    return __shfl_sync(~0u, first, static_cast<int>(last)) + before();
  }
}

/// A rank below 2^10 with a counter, whose address is below 2^18: until the counter has the place of rank 0.
__device__ inline unsigned ranked(unsigned counter, unsigned rank) { return (rank << 18) + counter; }
__device__ inline unsigned counter_of_ranked(unsigned both) { return both & ((1u << 18) - 1); }
__device__ inline unsigned place_of_ranked(unsigned both) {
  return read_counter(counter_of_ranked(both)) + (both >> 18);
}

/// Zeros in a warp's own counters.
template <int Bins = parts_of_pass>
__device__ void clear_counters(unsigned* counters) {
  int lane = static_cast<int>(threadIdx.x % 32);
  asm volatile("" : "+r"(lane));  // where a lane's counters are is not kept from one tile to the next
#pragma unroll
  for (int i = 0; i < Bins / 128; ++i) reinterpret_cast<uint4*>(counters)[i * 32 + lane] = uint4{0, 0, 0, 0};
  if constexpr (Bins < 128)
    if (lane < Bins / 4) reinterpret_cast<uint4*>(counters)[lane] = uint4{0, 0, 0, 0};
}

/// The sum of the values of the threads before, among the block's first 256; all threads call. `sums` are
/// nine, and the last of them becomes the sum of all.
template <class T>
__device__ T sum_before(T value, T* sums) {
  int const t = static_cast<int>(threadIdx.x), lane = t % 32, warp = t / 32;
  constexpr int warps = parts_of_pass / 32;
  T sum = value;
  if (t < parts_of_pass) {
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      T const left = __shfl_up_sync(~0u, sum, by);
      if (lane >= by) sum += left;
    }
    if (lane == 31) sums[warp] = sum;
  }
  __syncthreads();
  T before = sum - value;
  if constexpr (sizeof(T) == 4) {
    before += __reduce_add_sync(~0u, lane < min(warp, warps - 1) ? sums[lane] : 0);
  } else {
#pragma unroll
    for (int w = 0; w < warps - 1; ++w)
      if (w < warp) before += sums[w];
  }
  if (t == parts_of_pass - 1) sums[warps] = before + value;
  return before;
}

/// How many of the warps' counters of a bin a thread asks for at once.
template <int Warps>
inline constexpr int counters_at_once = Warps % 8 == 0 ? 8 : Warps;
/// The items of a bin in all of the block's warps.
template <int Warps, int Bins = parts_of_pass>
__device__ unsigned items_of_bin(unsigned const* counters, int bin) {
  unsigned sum = 0;
#pragma unroll counters_at_once < Warps>
  for (int w = 0; w < Warps; ++w) sum += counters[w * Bins + bin];
  return sum;
}
/// Counters become the places of each warp's first item of a bin, which begins at a place.
template <int Warps, int Bins = parts_of_pass>
__device__ void place_bin(unsigned* counters, int bin, unsigned first) {
  constexpr int at_once = counters_at_once<Warps>;
  static_assert(Warps % at_once == 0);
#pragma unroll 1
  for (int begin = 0; begin < Warps; begin += at_once) {
    auto* const own = counters + begin * Bins + bin;
    unsigned count[at_once];
#pragma unroll
    for (int w = 0; w < at_once; ++w) count[w] = own[w * Bins];
#pragma unroll
    for (int w = 0; w < at_once; ++w) {
      own[w * Bins] = first;
      first += count[w];
    }
  }
}

/// The places of a block's bins, found by all of its threads: each bin has one in each group, for some of the
/// warps. In shared memory.
template <int Threads>
struct placed_bins {
  static constexpr int groups = Threads / parts_of_pass, warps_of_group = parts_of_pass / 32;
  static_assert(Threads % parts_of_pass == 0);
  unsigned of_group[groups][parts_of_pass], begins[parts_of_pass], sums[16];

  /// The items of a bin, once they are counted.
  __device__ unsigned items_of(int bin) const {
    unsigned all = 0;
#pragma unroll
    for (int g = 0; g < groups; ++g) all += of_group[g][bin];
    return all;
  }
  /// Counters become the places of each warp's first items of a bin, for all threads behind the next barrier,
  /// and bins begin where begins[] says. Between, when all are counted, what else is to be done. It begins
  /// with a barrier.
  template <class WhenCounted>
  __device__ void place(unsigned* counters, WhenCounted when_counted) {
    int const t = static_cast<int>(threadIdx.x), bin = t % parts_of_pass, group = t / parts_of_pass;
    auto* const own = counters + group * warps_of_group * parts_of_pass + bin;
    __syncthreads();
    unsigned sum = 0;
#pragma unroll
    for (int w = 0; w < warps_of_group; ++w) sum += own[w * parts_of_pass];
    of_group[group][bin] = sum;
    __syncthreads();
    when_counted();
    unsigned place = 0;
#pragma unroll
    for (int g = 0; g < groups; ++g)
      if (g < group) place += of_group[g][bin];
    unsigned const begin = sum_before<unsigned>(t < parts_of_pass ? items_of(bin) : 0, sums);
    if (t < parts_of_pass) begins[t] = begin;
    __syncthreads();
    place += begins[bin];
#pragma unroll 4
    for (int w = 0; w < warps_of_group; ++w) {
      unsigned const count = own[w * parts_of_pass];
      own[w * parts_of_pass] = place;
      place += count;
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

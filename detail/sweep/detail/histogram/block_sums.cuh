// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_HISTOGRAM_BLOCK_SUMS_CUH
#define SWEEP_DETAIL_HISTOGRAM_BLOCK_SUMS_CUH

#include <sweep/version.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// A block's sums, in its shared memory until it ends. Each has clear(), add(slot, amount) and
// flush(place_of), which adds slot s to *place_of(s), or nowhere where that is null; words of 32 bits are
// what shared memory adds at once. Those that add to a slot's place before the end know it: sums[s].

/// Modulo 2^32, or 2^64 where Sum is as wide.
__device__ inline void add_globally(std::uint32_t* sum, std::uint64_t amount) {
  atomicAdd(sum, static_cast<std::uint32_t>(amount));
}
__device__ inline void add_globally(std::uint64_t* sum, std::uint64_t amount) {
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(amount));
}

/// Adds to a word, or to one and another behind it that takes the carries.
__device__ inline void add_in_block(std::uint32_t* low, std::uint32_t*, std::uint32_t amount) {
  atomicAdd(low, amount);
}
__device__ inline void add_in_block(std::uint32_t* low, std::uint32_t* high, std::uint64_t amount) {
  auto const of_low = static_cast<std::uint32_t>(amount);
  auto const before = atomicAdd(low, of_low);
  auto const of_high = static_cast<std::uint32_t>(amount >> 32) + (before + of_low < of_low);
  if (of_high != 0) atomicAdd(high, of_high);
}

/// Every slot has a word, in a power of two of copies, at most one a lane: lanes that meet in a slot meet in
/// fewer words and banks, and with a copy for each lane nowhere. Shape: (low and high words, slots, copies),
/// and behind them one of each copy for what has no slot: in the last banks, since in the first ones are
/// those of slot 0, which has the most where items are skewed.
template <class Amount, class Sum>
class copied_sums {
  static constexpr int halves = sizeof(Amount) / 4, banks = 32;

 public:
  static constexpr int most_copies = banks;
  static std::size_t bytes(std::int64_t slots, int copies) {
    return static_cast<std::size_t>(slots * copies) * sizeof(Amount) + banks * 4;
  }
  __device__ copied_sums(void* memory, std::int64_t slots, int copies)
      : words_{static_cast<std::uint32_t*>(memory)},
        slots_{static_cast<int>(slots)},
        copies_{copies},
        mine_{words_ + (static_cast<int>(threadIdx.x) & (copies - 1))},
        mine_at_{static_cast<std::uint32_t>(__cvta_generic_to_shared(mine_))},
        copy_bytes_{static_cast<std::uint32_t>(copies) * 4},
        none_{static_cast<std::uint32_t>(halves * slots_ + banks / copies - 1)} {}

  __device__ void clear() const {
    for (int i = static_cast<int>(threadIdx.x); i < halves * slots_ * copies_ + banks;
         i += static_cast<int>(blockDim.x))
      words_[i] = 0;
  }
  __device__ void add(std::uint32_t slot, Amount amount) const {
    auto* const at = mine_ + slot * static_cast<std::uint32_t>(copies_);
    add_in_block(at, at + copies_ * slots_, amount);
  }
  /// A slot that there is not has a word behind the others, so that no branch is made of it. By hand: nvcc
  /// finds the address of shared memory anew each time.
  __device__ void add_one(std::uint32_t slot) const {
    asm volatile("red.shared.add.u32 [%0], 1;" : : "r"(mine_at_ + min(slot, none_) * copy_bytes_) : "memory");
  }
  template <class PlaceOf>
  __device__ void flush(PlaceOf place_of) const {
    for (int s = static_cast<int>(threadIdx.x); s < slots_; s += static_cast<int>(blockDim.x)) {
      Amount sum = 0;
      for (int c = 0; c < copies_; ++c) {
        auto const* const at = words_ + s * copies_ + ((c + s) & (copies_ - 1));  // lanes in different banks
        sum += at[0];
        if constexpr (halves == 2) sum += static_cast<Amount>(at[copies_ * slots_]) << 32;
      }
      if (sum != 0)
        if (auto* const at = place_of(s)) add_globally(at, sum);
    }
  }

 private:
  std::uint32_t* words_;
  int slots_, copies_;
  std::uint32_t* mine_;
  std::uint32_t mine_at_, copy_bytes_, none_;  ///< none_: in whose place those are counted that have no slot
};

/// Counts of 16 bits, two in a word, for twice as many slots. Whoever takes one to its upper half takes that
/// half away, and adds it globally: until then 1024 threads may add a count of at most 32 each, or a lane for
/// others as much as they would, so a count never reaches its neighbour.
template <class Sum>
class packed_counts {
  static constexpr std::uint32_t upper_half = 0x8000;

 public:
  static std::size_t bytes(std::int64_t slots) { return static_cast<std::size_t>(slots + 1) / 2 * 4; }
  __device__ packed_counts(void* memory, Sum* sums, std::int64_t slots)
      : words_{static_cast<std::uint32_t*>(memory)}, sums_{sums}, slots_{static_cast<int>(slots)} {}

  __device__ void clear() const {
    for (int i = static_cast<int>(threadIdx.x); i < (slots_ + 1) / 2; i += static_cast<int>(blockDim.x))
      words_[i] = 0;
  }
  __device__ void add(std::uint32_t slot, std::uint32_t amount) const {
    int const shift = slot % 2 * 16;
    auto* const word = words_ + slot / 2;
    auto const before = atomicAdd(word, amount << shift) >> shift & 0xffff;
    if (before < upper_half && before + amount >= upper_half) {
      atomicSub(word, upper_half << shift);
      add_globally(sums_ + slot, upper_half);
    }
  }
  template <class PlaceOf>
  __device__ void flush(PlaceOf) const {
    for (int s = static_cast<int>(threadIdx.x); s < slots_; s += static_cast<int>(blockDim.x))
      if (auto const count = words_[s / 2] >> s % 2 * 16 & 0xffff; count != 0) add_globally(sums_ + s, count);
  }

 private:
  std::uint32_t* words_;
  Sum* sums_;
  int slots_;
};

/// A few slots' sums: those that come first, so most likely those that come often. The others are added
/// globally.
template <class Amount, class Sum>
class cached_sums {
  static constexpr int places = 2048;
  static constexpr std::uint32_t free = 0xffffffff;

 public:
  static constexpr std::size_t bytes = places * (4 + sizeof(Amount));
  __device__ cached_sums(void* memory, Sum* sums)
      : slot_of_{static_cast<std::uint32_t*>(memory)}, words_{slot_of_ + places}, sums_{sums} {}

  __device__ void clear() const {
    for (int i = static_cast<int>(threadIdx.x); i < places; i += static_cast<int>(blockDim.x)) {
      slot_of_[i] = free;
      words_[i] = 0;
      if constexpr (sizeof(Amount) == 8) words_[places + i] = 0;
    }
  }
  __device__ void add(std::uint32_t slot, Amount amount) const {
    auto const place = slot % places;
    auto held = *static_cast<std::uint32_t const volatile*>(slot_of_ + place);
    if (held == free) {
      held = atomicCAS(slot_of_ + place, free, slot);
      if (held == free) held = slot;
    }
    if (held == slot) add_in_block(words_ + place, words_ + places + place, amount);
    else add_globally(sums_ + slot, amount);
  }
  template <class PlaceOf>
  __device__ void flush(PlaceOf) const {
    for (int i = static_cast<int>(threadIdx.x); i < places; i += static_cast<int>(blockDim.x)) {
      Amount sum = words_[i];
      if constexpr (sizeof(Amount) == 8) sum += static_cast<Amount>(words_[places + i]) << 32;
      if (sum != 0) add_globally(sums_ + slot_of_[i], sum);
    }
  }

 private:
  std::uint32_t* slot_of_;
  std::uint32_t* words_;
  Sum* sums_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

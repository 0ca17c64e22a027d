// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TOP_K_NUMBERED_CUH
#define SWEEP_DETAIL_TOP_K_NUMBERED_CUH

#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/radix_word.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/version.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// What is selected from are integers, no two of which are equal: the bits of a key's word that count, and
// below them the item's index. So the k least of them are one set, whatever order they come in, and in their
// order equivalent keys stand by index.

/// How many bits the least integer of so many values has.
SWEEP_HD constexpr int bits_to_count(std::int64_t values) {
  int bits = 0;
  while (bits < 63 && values > std::int64_t{1} << bits) ++bits;
  return bits;
}
/// How many bits of an order's words count.
template <class Order>
SWEEP_HD int bits_that_count(Order const& order) {
  return order.end > order.begin ? order.end - order.begin : 0;
}

/// One more than the highest bit that is set.
template <class N>
__device__ int bit_length(N x) {
  if constexpr (sizeof(N) > 8) {
    auto const high = static_cast<unsigned long long>(x >> 64);
    return high != 0 ? 128 - __clzll(static_cast<long long>(high))
                     : 64 - __clzll(static_cast<long long>(static_cast<unsigned long long>(x)));
  } else {
    return 64 - __clzll(static_cast<long long>(x));
  }
}
/// So many ones from the lowest bit on.
template <class N>
__device__ N low_ones(int bits) {
  return bits == 0 ? N{0} : static_cast<N>(static_cast<N>(~N{0}) >> (static_cast<int>(sizeof(N)) * 8 - bits));
}

/// Which of `size` items is drawn as number i of a sample: as if by chance.
__device__ inline std::int64_t drawn_place(int i, std::int64_t size) {
  auto x = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return static_cast<std::int64_t>(__umul64hi(x ^ x >> 31, static_cast<unsigned long long>(size)));
}

/// The bits of words that count, at the bottom, as rank_of has them, without asking whether there are any.
template <class Order>
struct counting_bits {
  using key = typename Order::key;
  using word = typename Order::word;
  Order order;
  int begin;
  word mask;

  static counting_bits of(Order const& order) {
    int const bits = bits_that_count(order);
    return {order, bits > 0 ? order.begin : 0,
            bits > 0 ? static_cast<word>(static_cast<word>(~word{0}) >>
                                         (static_cast<int>(sizeof(word)) * 8 - bits))
                     : word{0}};
  }
  __device__ word operator()(key const& x) const {
    return static_cast<word>(static_cast<word>(order.word_of(x) >> begin) & mask);
  }
};

/// Items of a range as such integers.
template <class Keys, class Order, class Number>
struct numbered_keys {
  using key = value_of<Keys>;
  using number = Number;
  using word = typename Order::word;
  Keys keys;
  counting_bits<Order> bits;
  std::int64_t n;
  int index_bits;

  __device__ Number at(std::int64_t i) const {
    return static_cast<Number>(static_cast<Number>(bits(static_cast<key>(keys[i]))) << index_bits |
                               static_cast<Number>(i));
  }
};

/// A warp's numbers on their way to a place in memory that many warps write to: 32 of them leave together.
/// Nobody knows in which order they come there.
template <class Number>
class warp_outbox {
 public:
  struct shared {
    Number waiting[64];
  };
  /// `count` is how many numbers have come to `to`, where there is room for so many.
  __device__ warp_outbox(shared& smem, Number* to, unsigned long long* count, std::int64_t room)
      : smem_{smem}, to_{to}, count_{count}, room_{room} {}

  /// All lanes call; those put that want to.
  __device__ void put(bool wants, Number x) {
    unsigned const those = __ballot_sync(~0u, wants);
    if (those == 0) return;
    unsigned const before = __popc(those & ((1u << threadIdx.x % 32) - 1));
    if (wants) smem_.waiting[waits_ + static_cast<int>(before)] = x;
    waits_ += __popc(those);
    __syncwarp();
    if (waits_ >= 32) {
      send(32);
      Number const rest = smem_.waiting[32 + threadIdx.x % 32];
      __syncwarp();
      smem_.waiting[threadIdx.x % 32] = rest;
      waits_ -= 32;
      __syncwarp();
    }
  }
  /// The last ones.
  __device__ void send_all() {
    if (waits_ > 0) send(waits_);
    waits_ = 0;
  }

 private:
  __device__ void send(int count) {
    int const lane = static_cast<int>(threadIdx.x % 32);
    unsigned long long at = 0;
    if (lane == 0) at = atomicAdd(count_, static_cast<unsigned long long>(count));
    at = __shfl_sync(~0u, at, 0) + static_cast<unsigned long long>(lane);
    if (lane < count && at < static_cast<unsigned long long>(room_)) to_[at] = smem_.waiting[lane];
    __syncwarp();
  }

  shared& smem_;
  Number* to_;
  unsigned long long* count_;
  std::int64_t room_;
  int waits_ = 0;
};

/// Where a place lies among counted bins.
struct found_bin {
  int bin;
  unsigned long long before, in;
};

/// The bin that holds item number `nth` of all that are counted, by a block of `Threads`, each of which has
/// `Bins / Threads` neighbouring ones. There are more items than that. All threads get it.
template <int Threads, int Bins>
struct block_bin_search {
  static constexpr int each = Bins / Threads, warps = Threads / 32;
  static_assert(each * Threads == Bins && warps <= 32);
  struct shared {
    unsigned long long of_warp[warps];
    found_bin found;
  };

  template <class Count>
  static __device__ found_bin find(shared& smem, Count const* counts, unsigned long long nth) {
    int const t = static_cast<int>(threadIdx.x), lane = t % 32;
    unsigned long long own[each], sum = 0;
#pragma unroll
    for (int i = 0; i < each; ++i) sum += own[i] = counts[t * each + i];
    auto through = sum;
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      auto const left = __shfl_up_sync(~0u, through, by);
      if (lane >= by) through += left;
    }
    if (lane == 31) smem.of_warp[t / 32] = through;
    __syncthreads();
    auto before = lane < t / 32 ? smem.of_warp[lane] : 0;
#pragma unroll
    for (int by = 16; by > 0; by /= 2) before += __shfl_xor_sync(~0u, before, by);
    before += through - sum;
#pragma unroll
    for (int i = 0; i < each; ++i) {
      if (before <= nth && nth - before < own[i]) smem.found = {t * each + i, before, own[i]};
      before += own[i];
    }
    __syncthreads();
    auto const found = smem.found;
    __syncthreads();
    return found;
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

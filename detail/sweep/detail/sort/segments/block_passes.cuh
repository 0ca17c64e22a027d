// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_BLOCK_PASSES_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_BLOCK_PASSES_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/multisplit/ranks.cuh>
#include <sweep/detail/multisplit/tile.cuh>
#include <sweep/detail/sort/load_and_store.cuh>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix/radix_pass.cuh>
#include <sweep/detail/sort/segments/segment_heads.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// By all threads of a block: items that passes have left elsewhere are brought to where they are to be.
template <int Threads, class T>
__device__ void bring(radix_memory<T> const& memory, radix_side side, std::int64_t begin, std::int64_t end) {
  T const* const from = memory.of(side);
  T* const to = memory.last;
  if (from == to) return;
#pragma unroll 4
  for (auto i = begin + threadIdx.x; i < end; i += Threads) put_bytes(to[i], from[i]);
}

/// A block goes by the digits of each of its segments alone, from one memory into the other: it waits for no
/// other block, and what a pass reads the one before has left in the cache. It takes the next segment until
/// there is none.
template <class Keys, class Values, class Key, class Value, class Order>
struct block_passes {
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>;
  using moved = std::conditional_t<has_values, Value, keys_alone>;
  using shape = split_shape_here<Key, moved>;
  using pass_type = radix_pass<Key, moved, Order>;
  using counting = split_counting<pass_type, shape::threads>;
  static constexpr int threads = shape::threads;
  static constexpr bool reads_keys = passes_reach<Keys, Key>,
                        reads_values = !has_values || passes_reach<Values, Value>;

  Keys keys;
  Values values;
  radix_memory<Key> key_memory;
  radix_memory<moved> value_memory;
  bool in_place;
  segment_list list;
  Order order;
  radix_digits digits;

  __device__ __forceinline__ void operator()() const {
    while (true) {
      __syncthreads();  // all have read what was before
      if (threadIdx.x == 0) own().taken = atomicAdd(list.counts + 1, 1u);
      if (threadIdx.x < 4) own().differing[threadIdx.x] = 0;
      __syncthreads();
      if (own().taken >= list.counts[0]) return;
      sort();
    }
  }

 private:
  /// What takes no registers while items are moved.
  struct own_state {
    unsigned taken;
    int digit;
    std::uint32_t differing[4];
  };
  __device__ static own_state& own() {
    __shared__ own_state state;
    return state;
  }
  __device__ static unsigned char* memory() {
    extern __shared__ __align__(128) unsigned char bytes[];
    return bytes;
  }
  __device__ radix_digits own_digits() const {
    auto mine = digits;
    mine.differing = own().differing;
    return mine;
  }
  __device__ long_segment segment() const { return list.items[own().taken]; }
  __device__ pass_type pass_of(int d, radix_route const& route) const {
    auto const [begin, end] = segment();
    int const bits = digits.bits_of(d);
    pass_type pass{
        {end - begin, order, 1 << bits, bits}, digits.begin_of(d), d == 0 ? own().differing : nullptr};
    pass.go(key_memory, value_memory, route);
    pass.keys += begin;
    pass.keys_out += begin;
    if constexpr (has_values) {
      pass.values += begin;
      pass.values_out += begin;
    }
    return pass;
  }
  /// Thread t receives how many items are of bin t.
  __device__ std::uint64_t count(pass_type const& pass, bool finds_differing) const {
    auto* const counters = reinterpret_cast<unsigned*>(memory());
    if (!finds_differing) {
      sees_nothing seen;
      return counting::count(pass, seen, 0, pass.n, counters);
    }
    auto seen = pass.observer();
    auto const sum = counting::count(pass, seen, 0, pass.n, counters);
    seen.tell();
    __syncthreads();
    return sum;
  }
  __device__ void sort() const {
    if constexpr (!reads_keys || !reads_values) {
      auto const [begin, end] = segment();
      for (auto i = begin + threadIdx.x; i < end; i += threads) {
        if constexpr (!reads_keys) put_bytes(key_memory.last[i], static_cast<Key>(keys[i]));
        if constexpr (!reads_values) put_bytes(value_memory.last[i], static_cast<Value>(values[i]));
      }
      __syncthreads();
    }
    int d = 0;
    asm volatile("" : "+r"(d));  // or the loop is made twice, once for the first digit
#pragma unroll 1
    while (d < digits.count) {
      radix_route route{};
      if (d > 0) {
        auto const active = own_digits().active();
        if (active >> d == 0) break;
        d += __ffs(static_cast<int>(active >> d)) - 1;
        route = radix_route::of(own_digits(), active, d, in_place);
      }
      auto const some = count(pass_of(d, route), d == 0);
      auto const active = own_digits().active();
      if ((active >> d & 1u) != 0) {
        __syncthreads();  // all have read which digit was before
        if (threadIdx.x == 0) own().digit = d;
        move(pass_of(d, radix_route::of(own_digits(), active, d, in_place)), some);
        __syncthreads();
        d = own().digit;
      }
      ++d;
    }
    auto const side = radix_route::at_end(own_digits(), own_digits().active(), in_place);
    if (side == radix_side::last) return;
    auto const [begin, end] = segment();
    bring<threads>(key_memory, side, begin, end);
    if constexpr (has_values) bring<threads>(value_memory, side, begin, end);
  }
  __device__ static void move(pass_type const& pass, std::uint64_t some) {
    split_tiles<pass_type> tiles(pass, memory());
    tiles.begin_at(static_cast<std::int64_t>(sum_before(some, tiles.sums())));
    tiles(0, pass.n);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

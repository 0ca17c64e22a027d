// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_RESIDENT_ITEMS_CUH
#define SWEEP_DETAIL_SORT_RADIX_RESIDENT_ITEMS_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/multisplit/count.cuh>
#include <sweep/detail/multisplit/device.cuh>
#include <sweep/detail/sort/radix/radix_pass.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// What resident blocks move, pass by pass, and which chunk of it is a block's.
template <class Key, class Value, bool HasOthers>
struct resident_items {
  /// What goes by digits: all items, those of groups that no block has room for, or those that are not set
  /// apart. In shared memory, where it takes no registers.
  struct digit_items {
    radix_memory<Key> keys;
    radix_memory<Value> values;
    std::int64_t n, chunk_items;
    bool in_place;
  };
  __device__ static digit_items& items() {
    __shared__ digit_items own;
    return own;
  }
  /// Of keys that are not set apart each block has some of a chunk at first, up to the items' n.
  struct other_keys {
    std::int64_t all;
    bool are_of_chunks;
  };
  __device__ static other_keys& others() {
    __shared__ other_keys some;
    return some;
  }

  __device__ static void choose_items(digit_items const& some) {
    if (threadIdx.x == 0) items() = some;
    if constexpr (HasOthers)
      if (threadIdx.x == 0) others() = {some.n, false};
    __syncthreads();
  }

  /// Which chunk is the block's. What follows from that is found anew in every pass: kept from one to the
  /// next, the places of a thread's first items would take as many registers as items.
  __device__ static std::int64_t own_chunk() {
    std::int64_t chunk = blockIdx.x;
    asm volatile("" : "+l"(chunk));
    return chunk;
  }
  __device__ static std::int64_t chunk_begin() { return own_chunk() * items().chunk_items; }
  __device__ static std::int64_t chunk_end(std::int64_t begin) {
    return min(items().n, begin + items().chunk_items);
  }
  /// A block's chunk to the last memory, if it is not there.
  template <int Threads, class T>
  __device__ static void bring(radix_memory<T> const& memory, radix_side side) {
    T const* const from = memory.of(side);
    T* const to = memory.last;
    if (from == to) return;
    auto const begin = chunk_begin();
    look_at_items<Threads, split_vector_items<T const*>>(
        from, begin, chunk_end(begin), [&]<int W>(item_vector<T, W> const& x, std::int64_t i) {
          if (vector_aligned<W>(to, i)) return store_vectors<access::cached>(to + i, x);
#pragma unroll
          for (int w = 0; w < W; ++w) put_bytes(to[i + w], x.item(w));
        });
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

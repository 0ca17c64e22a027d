// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TOP_K_WARP_ROWS_CUH
#define SWEEP_DETAIL_TOP_K_WARP_ROWS_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// How a warp reads 32 R neighbouring keys, R a lane at once: in vectors where they are memory.
template <class Keys, int R>
struct warp_rows {
  using key = value_of<Keys>;
  static constexpr bool is_memory = std::is_pointer_v<Keys> && relocatable<key>;
  static constexpr int V =
      is_memory && sizeof(key) <= 16 ? std::min(R / 2, items_per_16_bytes(sizeof(key))) : 1;

  /// Where a lane's key r is.
  static __device__ int place(int r) { return (r / V * 32 + static_cast<int>(threadIdx.x % 32)) * V + r % V; }

  /// What `of` makes of each key from `first` on.
  template <class Held, class Of>
  static __device__ void load(Keys const& keys, std::int64_t first, Held (&w)[R], Of const& of) {
    if constexpr (V > 1) {
      if (vector_aligned<V>(keys, first)) {
        item_vector<key, V> vectors[R / V];
#pragma unroll
        for (int g = 0; g < R / V; ++g) load_vectors<access::cached>(keys + first + place(g * V), vectors[g]);
#pragma unroll
        for (int g = 0; g < R / V; ++g) {
          key x[V];
          vectors[g].unpack_each(x);
#pragma unroll
          for (int v = 0; v < V; ++v) w[g * V + v] = of(x[v]);
        }
        return;
      }
    }
#pragma unroll
    for (int r = 0; r < R; ++r) w[r] = of(static_cast<key>(keys[first + place(r)]));
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

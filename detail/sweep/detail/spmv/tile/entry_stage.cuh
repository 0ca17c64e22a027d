// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_TILE_ENTRY_STAGE_CUH
#define SWEEP_DETAIL_SPMV_TILE_ENTRY_STAGE_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/spmv/problem.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// What a warp reads of a window of neighbouring entries, in its share of shared memory. Entries are read
// once, so that the second-level cache keeps the vector before them. A window is 32 x U entries and begins on
// a multiple of `stage_unit` entries, which have whole 16-byte words in any stream.

inline constexpr int stage_unit = 16;

/// Items of memory; other iterators are asked when a lane needs their items.
template <class It, int U>
class entry_stage {
  using item = std::remove_const_t<value_of<It>>;
  static constexpr int window = 32 * U;
  static constexpr bool staged = std::is_pointer_v<It> && relocatable<item> && sizeof(item) <= 16 &&
                                 window * sizeof(item) % 16 == 0 && std::is_default_constructible_v<item>;
  struct nothing {};

 public:
  struct shared {
    alignas(16) std::conditional_t<staged, uninitialized<item, staged ? window : 1>, nothing> items;
  };

  /// Items [base, base + window) of n are on their way.
  static __device__ void fill(shared& smem, It const& from, std::int64_t base, std::int64_t n) {
    if constexpr (staged) {
      constexpr int words = window * static_cast<int>(sizeof(item)) / 16;
      int const lane = static_cast<int>(threadIdx.x % 32);
      if (base + window <= n && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
        auto const* const at = reinterpret_cast<uint4 const*>(from + base) + lane;
        auto* const to = reinterpret_cast<uint4*>(smem.items.bytes) + lane;
#pragma unroll
        for (int w = 0; w < words / 32; ++w) copy_16_bytes_async_passing(to + w * 32, at + w * 32);
        if (words % 32 != 0 && lane < words % 32)
          copy_16_bytes_async_passing(to + words / 32 * 32, at + words / 32 * 32);
      } else {
#pragma unroll
        for (int i = 0; i < U; ++i)
          if (base + i * 32 + lane < n) put_bytes(smem.items[i * 32 + lane], from[base + i * 32 + lane]);
      }
    }
  }
  /// Item number p of the window.
  static __device__ item at(shared const& smem, It const& from, std::int64_t base, int p) {
    if constexpr (staged) return smem.items[p];
    else return static_cast<item>(from[base + p]);
  }
};

/// Columns in 16 bits, and the least of each group that the window has some of.
template <class Index, int U>
class entry_stage<near_columns<Index>, U> {
  static constexpr int groups = 32 * U / near_group + 2;
  using low_stage = entry_stage<std::uint16_t const*, U>;
  static_assert(groups <= 32 && near_group % stage_unit == 0);

 public:
  struct shared {
    typename low_stage::shared low;
    alignas(16) uninitialized<Index, groups> least;
  };
  static __device__ void fill(shared& smem, near_columns<Index> const& from, std::int64_t base,
                              std::int64_t n) {
    low_stage::fill(smem.low, from.low, base, n);
    int const lane = static_cast<int>(threadIdx.x % 32);
    if (auto const group = base / near_group + lane; lane < groups && group < near_groups(n)) {
      if constexpr (sizeof(Index) == 4 || sizeof(Index) == 8)
        copy_async<static_cast<int>(sizeof(Index))>(&smem.least[lane], from.least + group);
      else smem.least[lane] = from.least[group];
    }
  }
  static __device__ Index at(shared const& smem, near_columns<Index> const& from, std::int64_t base, int p) {
    return static_cast<Index>(smem.least[(static_cast<int>(base % near_group) + p) / near_group] +
                              static_cast<Index>(low_stage::at(smem.low, from.low, base, p)));
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

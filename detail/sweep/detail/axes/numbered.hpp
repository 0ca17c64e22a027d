// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_NUMBERED_HPP
#define SWEEP_DETAIL_AXES_NUMBERED_HPP

#include <sweep/detail/axes/lines.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/standard.hpp>

#include <bit>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Room for the axes of arrays.
template <int Rank>
inline constexpr int axes_of_places = Rank <= 4 ? 4 : most_axes;

/// Several arrays of the same extents, whatever the strides of each, under one number k an item: where each
/// of them has item k. An index along an axis is one more such array, whose stride is 1 along that axis and
/// 0 along the others. A thread finds an item without a loop; there are two sizes, so that arrays of few axes
/// share kernels.
template <int Arrays, int Axes>
struct side_by_side {
  struct axis {
    std::int64_t extent, stride[Arrays];
    std::uint64_t inverse;  ///< 2^(63 + bits) / extent, rounded up: by it k / extent is exact below 2^63
    int bits;               ///< of extent - 1

    /// Without a branch, so that a thread that wants several items asks for all of them at once.
    SWEEP_HD constexpr std::int64_t quotient(std::int64_t k) const {
#if defined(__CUDA_ARCH__)
      return static_cast<std::int64_t>(__umul64hi(static_cast<std::uint64_t>(k), inverse) >> (bits - 1));
#else
      return k / extent;
#endif
    }
    constexpr void invert() {
      bits = 1;
      inverse = 0;
      if (extent < 2) return;  // of nothing
      bits = 64 - std::countl_zero(static_cast<std::uint64_t>(extent - 1));
      __extension__ using wide = unsigned __int128;
      auto const divisor = static_cast<wide>(extent);
      inverse = static_cast<std::uint64_t>(((wide{1} << (63 + bits)) + divisor - 1) / divisor);
    }
  };
  int axes = 0;
  axis across[Axes] = {};  ///< first the one along which k goes up by 1

  SWEEP_HD constexpr void find(std::int64_t k, std::int64_t (&at)[Arrays]) const {
    for (int a = 0; a < Arrays; ++a) at[a] = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int r = 0; r < Axes; ++r)
      if (r < axes) take(r, k, at);
  }

 private:
  SWEEP_HD constexpr void take(int r, std::int64_t& k, std::int64_t (&at)[Arrays]) const {
    auto nth = k;
    if (r + 1 < axes) {
      auto const rest = across[r].quotient(k);
      nth = k - rest * across[r].extent;
      k = rest;
    }
    for (int a = 0; a < Arrays; ++a) at[a] += nth * across[r].stride[a];
  }
};

/// Numbers for the items of arrays, in the order in which an array of strides `order` has its items in
/// memory.
template <int Arrays, int Rank>
constexpr side_by_side<Arrays, axes_of_places<Rank>> numbered(std::int64_t const (&extents)[Rank],
                                                              std::int64_t const (&order)[Rank],
                                                              std::int64_t const (&strides)[Arrays][Rank]) {
  side_by_side<Arrays, axes_of_places<Rank>> all;
  bool seen[Rank] = {};
  for (int k = 0; k < Rank; ++k) {
    int next = -1;
    for (int r = Rank - 1; r >= 0; --r)
      if (!seen[r] && (next < 0 || magnitude(order[r]) < magnitude(order[next]))) next = r;
    seen[next] = true;
    if (extents[next] == 1) continue;
    bool continues = all.axes > 0;
    for (int a = 0; a < Arrays && continues; ++a) {
      auto const& last = all.across[all.axes - 1];
      continues = strides[a][next] == last.stride[a] * last.extent;
    }
    if (continues) {
      all.across[all.axes - 1].extent *= extents[next];
      continue;
    }
    auto& axis = all.across[all.axes++];
    axis.extent = extents[next];
    for (int a = 0; a < Arrays; ++a) axis.stride[a] = strides[a][next];
  }
  for (int r = 0; r < all.axes; ++r) all.across[r].invert();
  return all;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

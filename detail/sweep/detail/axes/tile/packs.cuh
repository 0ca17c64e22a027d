// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_PACKS_CUH
#define SWEEP_DETAIL_AXES_TILE_PACKS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/core/optional.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// What stands before V neighbouring lines.
template <int V, class Problem>
__device__ optional<line_pack<typename Problem::value, V>> before_pack(Problem const& problem,
                                                                       std::int64_t line) {
  optional<line_pack<typename Problem::value, V>> before{};
#pragma unroll
  for (int v = 0; v < V; ++v) {
    auto const one = problem.before_line(problem.grid.place(line + v));
    before.value.of[v] = one.value;
    before.present = one.present;
  }
  return before;
}

/// How warps share out lines, a lane a line. A sector of memory that is written in two pieces costs more than
/// two whole ones. Where rows begin anywhere in a sector, windows of 32 lines overlap by a sector: lanes fold
/// some lines that other warps write, and each warp writes whole sectors.
struct column_windows {
  std::int64_t extent;   ///< neighbouring lines of a row
  std::int64_t windows;  ///< of a row
  int step = 32;         ///< lines that each window adds
  int sector = 1;        ///< results in a sector, a power of two, where windows keep to such

  struct lane {
    std::int64_t line;
    int nth, step, sector;
    bool exists, is_first, is_last;

    /// Whether this lane writes a result that stands so many places behind a boundary.
    template <class Out, class Place>
    __device__ bool writes(Out const& out, Place const& at) const {
      if constexpr (std::is_pointer_v<Out>) {
        if (sector > 1) {
          auto const place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(out + at) / sizeof(*out));
          int const skipped = static_cast<int>((static_cast<unsigned>(nth) - place) & (sector - 1u));
          return exists && (nth >= skipped || is_first) && (nth < skipped + step || is_last);
        }
      }
      return exists;
    }
  };
  __device__ lane of(std::int64_t window) const {
    int const nth = static_cast<int>(threadIdx.x) % 32;
    auto const row = window / windows, of_row = window % windows;
    auto const column = of_row * step + nth;
    return {row * extent + min(column, extent - 1),
            nth,
            step,
            sector,
            column < extent,
            of_row == 0,
            of_row == windows - 1};
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

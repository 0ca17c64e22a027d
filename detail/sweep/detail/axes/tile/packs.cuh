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

/// Whether windows of these results may overlap. Of two results a sector is not worth the registers.
template <class Out>
inline constexpr bool windows_overlap = false;
template <class Result>
inline constexpr bool windows_overlap<Result*> = sizeof(Result) < 16;

/// How lines, or packs of some, are shared out to windows of as many lanes. A sector of memory that is
/// written in two pieces costs more than two whole ones. Where rows begin anywhere in a sector, windows
/// overlap: lanes fold some lines that others write, and a sector is written by the window that has its first
/// line for its own.
struct column_windows {
  std::int64_t extent;   ///< neighbours of a row
  std::int64_t windows;  ///< of a row
  std::int64_t rows;
  int step;        ///< lanes of a window that are its own
  int sector = 1;  ///< results in a sector, a power of two, where windows overlap

  SWEEP_HD std::int64_t count() const { return rows * windows; }

  struct lane {
    std::int64_t first;  ///< line, or pack, of the window
    int there;           ///< of the window's lanes, those that have one
    bool exists;         ///< whether this one does
    int nth;             ///< counted from the first sector that the window writes
    unsigned writers;    ///< sectors begin in so many lanes from there on
    int sector;

    /// That of a lane of the window, or of the last one that has one.
    __device__ std::int64_t of(int lane) const { return first + min(lane, there - 1); }

    /// Whether this lane writes its pack of V results.
    template <int V = 1, class Out, class Place>
    __device__ bool writes(Out const& out, Place const& at) const {
      if constexpr (windows_overlap<Out>) {
        auto const place =
            static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(out + at) / (V * sizeof(*out)));
        return static_cast<unsigned>(nth - static_cast<int>(place & (sector - 1u))) < writers;
      }
      return exists;
    }
  };
  __device__ lane of(std::int64_t window, int nth) const {
    auto const row = window < windows ? 0 : window / windows, of_row = window - row * windows,
               column = of_row * step;
    int const there = static_cast<int>(min(extent - column, std::int64_t{32}));
    bool const exists = nth < there;
    constexpr int any = 32;  // the first window of a row and the last one write all that there is
    int const low = of_row == 0 ? -any : 0, high = of_row == windows - 1 ? any : step;
    return {row * extent + column,
            there,
            exists,
            nth - low,
            exists ? static_cast<unsigned>(high - low) : 0u,
            sector};
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_PATH_CUTS_CUH
#define SWEEP_DETAIL_SPMV_PATH_CUTS_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/detail/spmv/tuning.hpp>
#include <sweep/device.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// Where shares of a matrix's path begin, and how even its rows are: what plans find out.

/// What of a matrix makes its path.
template <class Offsets>
struct path_rows {
  std::int64_t count, n;
  Offsets offsets;
};

/// Where the path has made d steps, when `row` is the first whose end lies there or behind; a row ends with
/// its last entry, wherever its own step lies. If few of that row's entries are left, the place is behind
/// them: short rows are never cut, and nobody waits for a part of one.
template <class Rows>
__device__ path_place place_on_path(Rows const& problem, std::int64_t n, std::int64_t d, std::int64_t row) {
  constexpr std::int64_t few = 32;
  if (d == 0) return {0, 0};  // behind no row's end
  auto const entry = min(max(d - row, std::int64_t{0}), n);
  if (row < problem.count) {
    auto const end = static_cast<std::int64_t>(problem.offsets[row + 1]);
    if (end >= entry && end <= min(entry + few, n)) return {row + 1, end};
  }
  return {row, entry};
}
/// Whether a row's end lies d steps or more along the path.
template <class Rows>
__device__ bool ends_behind(Rows const& problem, std::int64_t row, std::int64_t d) {
  return static_cast<std::int64_t>(problem.offsets[row + 1]) + row >= d;
}

/// Where the shares of all warps begin, one a thread, which looks at three places at a time. What stands
/// behind where the last one ends is cleared, for a count.
template <class Offsets>
struct path_cuts_job {
  static constexpr int threads = 128, blocks = 8;
  path_rows<Offsets> rows;
  std::int64_t steps_of_warp, shares;
  path_place* cuts;

  __device__ void operator()() const {
    let_next_kernel_start();
    auto const share = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (share > shares) return;
    auto const d = min(share * steps_of_warp, rows.count + rows.n);
    std::int64_t low = 0, high = rows.count;
    while (low < high) {
      auto const quarter = (high - low) / 4, a = low + quarter, b = a + quarter, c = b + quarter;
      bool const at_a = ends_behind(rows, a, d), at_b = ends_behind(rows, b, d),
                 at_c = ends_behind(rows, c, d);
      high = at_a ? a : at_b ? b : at_c ? c : high;
      low = !at_a ? (!at_b ? (!at_c ? c + 1 : b + 1) : a + 1) : low;
    }
    cuts[share] = place_on_path(rows, rows.n, d, low);
    if (share == shares) cuts[share + 1] = {0, 0};
  }
};

/// How many windows tiles of rows take, of a matrix whose offsets and columns may be any: a tile for each
/// thread. One whose columns lie far apart, as some of them say, counts as if its windows were full. The
/// count was cleared before.
template <class Offsets, class Indices>
struct tile_windows_job {
  static constexpr int threads = 256, blocks = 1;
  path_rows<Offsets> rows;
  Indices indices;
  std::int64_t rows_of_tile, window;
  std::int64_t* windows;

  __device__ void operator()() const {
    auto const row = (std::int64_t{blockIdx.x} * threads + threadIdx.x) * rows_of_tile;
    int some = 0;
    if (row < rows.count) {
      auto const place = [&](std::int64_t r) {
        return min(max(static_cast<std::int64_t>(rows.offsets[r]), std::int64_t{0}), rows.n);
      };
      auto const from = place(row), entries = place(min(row + rows_of_tile, rows.count)) - from;
      if (entries > 0)
        some = static_cast<int>(
            min((are_near(from, entries) ? entries + window - 1 : entries) / window, std::int64_t{1} << 20));
    }
    some = __reduce_add_sync(~0u, some);
    if (threadIdx.x % 32 == 0 && some > 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(windows), static_cast<unsigned long long>(some));
  }

 private:
  __device__ bool are_near(std::int64_t from, std::int64_t entries) const {
    constexpr int looks = 8;
    std::int64_t columns[looks];
#pragma unroll
    for (int i = 0; i < looks; ++i)
      columns[i] = static_cast<std::int64_t>(indices[from + (entries - 1) * i / (looks - 1)]);
    auto lowest = columns[0], highest = columns[0];
#pragma unroll
    for (int i = 1; i < looks; ++i) {
      lowest = min(lowest, columns[i]);
      highest = max(highest, columns[i]);
    }
    return are_near_columns(lowest, highest);
  }
};

/// Where shares + 1 shares begin.
template <class Source, class Offsets>
void find_path_cuts(device_policy<Source> const& policy, char const* call, path_rows<Offsets> const& rows,
                    std::int64_t steps_of_warp, std::int64_t shares, path_place* cuts) {
  using cuts_job = path_cuts_job<Offsets>;
  launch_job(call, policy.stream(), shares / cuts_job::threads + 1, cuts_job::threads,
             cuts_job{rows, steps_of_warp, shares, cuts});
}

/// Counts the windows of a matrix's tiles.
template <class Source, class Offsets, class Indices>
void count_tile_windows(device_policy<Source> const& policy, char const* call, path_rows<Offsets> const& rows,
                        Indices indices, row_tile_shape const& shape, std::int64_t* windows) {
  using job = tile_windows_job<Offsets, Indices>;
  auto const by = divide_rows(rows.count, rows.n, shape);
  launch_job(call, policy.stream(), (by.tiles + job::threads - 1) / job::threads, job::threads,
             job{rows, indices, by.rows, shape.window_items(), windows});
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SDDMM_DEVICE_CUH
#define SWEEP_DETAIL_SDDMM_DEVICE_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/sddmm/problem.hpp>
#include <sweep/detail/warp/search.cuh>
#include <sweep/detail/warp/shuffle.cuh>
#include <sweep/device.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Warps with 32 entries each. Shape of a warp's work: (turns, groups of lanes); a group folds one entry's
/// products in rounds of (group's lanes, U neighbours), and then the lanes' folds, in their order.
template <class Problem>
struct sddmm_job {
  using V = typename Problem::value;
  static constexpr int threads = 256, blocks = 1, warps = threads / 32, U = sizeof(V) <= 8 ? 4 : 1;
  using x_item = value_of<decltype(Problem::x)>;
  using y_item = value_of<decltype(Problem::y)>;
  Problem problem;
  int group;  ///< lanes that fold an entry together, a power of two

  __device__ void operator()() const {
    auto const mine = problem;
    int const lane = static_cast<int>(threadIdx.x % 32), place = lane & (group - 1);
    auto const first = (std::int64_t{blockIdx.x} * warps + threadIdx.x / 32) * 32;
    if (first >= mine.n) return;
    auto const last = min(first + 31, mine.n - 1);
    // The rows that the warp's entries are in lie between those of the first and the last.
    auto const row_at = [&](std::int64_t k) {
      return warp_find_first(0, mine.rows, [&](std::int64_t r) { return !mine.ends_before(r, k); });
    };
    auto const low = row_at(first), high = row_at(last);
    auto const own = min(first + lane, last);
    auto const row = mine.row_of(own, low, high);
    auto const column = static_cast<std::int64_t>(mine.indices[own]);
    for (int turn = 0; turn < group; ++turn) {
      int const which = turn * (32 / group) + lane / group;
      auto const r = warp_shfl(row, which), c = warp_shfl(column, which);
      V const sum = fold_products(mine, r, c, place);
      if (place == 0 && first + which <= last) mine.put(first + which, r, sum);
    }
  }

 private:
  /// In the first lane of a group. All lanes of a warp make as many rounds.
  __device__ V fold_products(Problem const& mine, std::int64_t row, std::int64_t column, int place) const {
    V sum = mine.zero;
    bool const vectors = U > 1 && mine.x_step == 1 && mine.y_step == 1;
    for (std::int64_t base = 0; base < mine.depth; base += group * U) {
      auto const at = base + place * U;
      V some = mine.zero;
      if (vectors && at + U <= mine.depth) {
        x_item x[U];
        y_item y[U];
        load_neighbours<access::cached>(mine.x, row * mine.x_row + at, x);
        load_neighbours<access::cached>(mine.y, column * mine.y_column + at, y);
#pragma unroll
        for (int u = 0; u < U; ++u) {
          V const next = static_cast<V>(mine.times(x[u], y[u]));
          put_bytes(some, u == 0 ? next : mine.fold(some, next));
        }
      } else {
#pragma unroll
        for (int u = 0; u < U; ++u)
          if (at + u < mine.depth) {
            V const next = mine.product(row, column, at + u);
            put_bytes(some, u == 0 ? next : mine.fold(some, next));
          }
      }
      auto const left = (mine.depth - base + U - 1) / U;
      int const have = left < group ? static_cast<int>(left) : group;
      for (int by = 1; by < group; by *= 2) {
        V const other = warp_shfl_down(some, by);
        if ((place & (2 * by - 1)) == 0 && place + by < have) put_bytes(some, mine.fold(some, other));
      }
      put_bytes(sum, base == 0 ? some : mine.fold(sum, some));
    }
    return sum;
  }
};

template <class Source, class... Tags, class Problem>
void run_sddmm(device_policy<Source, Tags...> const& policy, char const* call, Problem const& problem) {
  using job = sddmm_job<Problem>;
  int group = 1;  // as many lanes as one round of a short product keeps busy
  while (group < 32 && group * job::U < problem.depth) group *= 2;
  constexpr std::int64_t entries = job::warps * 32;
  launch_job(call, policy.stream(), (problem.n + entries - 1) / entries, job::threads, job{problem, group});
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

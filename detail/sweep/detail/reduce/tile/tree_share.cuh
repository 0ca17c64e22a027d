// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_TILE_TREE_SHARE_CUH
#define SWEEP_DETAIL_REDUCE_TILE_TREE_SHARE_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/plan.hpp>
#include <sweep/variant.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// A block's share by the shared-memory trees of the lecture: one item per thread at a time.
template <class Problem, reduce_by How, reduce_plan P>
  requires(How == reduce_by::interleaved || How == reduce_by::sequential_addressing)
class tree_share {
  using T = typename Problem::value;
  static constexpr int threads = P.threads;
  static_assert((threads & (threads - 1)) == 0,
                "sweep: the tree variants of reduce need a power of two of threads");

 public:
  struct shared {
    uninitialized<T, threads> items;
  };

  struct input {};
  static input input_of(Problem const&) { return {}; }
  static std::int64_t blocks(Problem const& problem, input) {
    return std::max<std::int64_t>(
        1, std::min<std::int64_t>(P.most_blocks, (problem.n + 4 * threads - 1) / (4 * threads)));
  }

  __device__ tree_share(Problem& problem, input, shared& smem) : problem_{problem}, at_{smem.items.data()} {}

  static __device__ std::int64_t shares(Problem const& problem, std::int64_t of) {
    auto const each = items_of_share(problem, of);
    return each == 0 ? 0 : (problem.n + each - 1) / each;
  }

  __device__ optional<T> reduce(std::int64_t block, std::int64_t of) {
    int const t = static_cast<int>(threadIdx.x);
    auto const each = items_of_share(problem_, of), end = min(problem_.n, (block + 1) * each);
    optional<T> sum{};
    for (auto first = block * each; first < end; first += threads) {
      int const count = static_cast<int>(min(end - first, std::int64_t{threads}));
      if (t < count) put_bytes(at_[slot(t)], problem_.item(first + t));
      __syncthreads();
      reduce_tile(t, count);
      if (t == 0) sum = {combine(sum, at_[0], problem_.op), true};
      __syncthreads();
    }
    return sum;
  }

 private:
  static __device__ std::int64_t items_of_share(Problem const& problem, std::int64_t of) {
    return (problem.n + of * threads - 1) / (of * threads) * threads;
  }
  /// Halving strides join slots t and t + s: with items stored bit-reversed those are neighbours, so order is
  /// kept.
  static __device__ int slot(int i) {
    if constexpr (How == reduce_by::sequential_addressing)
      return static_cast<int>(__brev(static_cast<unsigned>(i)) >> (32 - log2_threads));
    else return i;
  }
  static constexpr int log2_threads = [] {
    int log = 0;
    while (1 << log < threads) ++log;
    return log;
  }();

  __device__ void reduce_tile(int t, int count) {
    if constexpr (How == reduce_by::interleaved) {
      for (int s = 1; s < count; s *= 2) {
        if (t % (2 * s) == 0 && t + s < count) at_[t] = problem_.op(at_[t], at_[t + s]);
        __syncthreads();
      }
    } else {
      for (int s = threads / 2; s > 0; s /= 2) {
        if (t < s && slot(t + s) < count) at_[t] = problem_.op(at_[t], at_[t + s]);
        __syncthreads();
      }
    }
  }

  Problem& problem_;
  T* at_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

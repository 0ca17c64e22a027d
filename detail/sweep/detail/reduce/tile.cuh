// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_TILE_CUH
#define SWEEP_DETAIL_REDUCE_TILE_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/warp/reduce.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>
#include <sweep/plan.hpp>
#include <sweep/variant.hpp>

namespace sweep::detail {

// How one block folds its share of the input: neighbouring items, so that the shares in block order keep
// operand order.
//   share(block, of)       the fold of the block's share, valid in thread 0; absent where the share is empty
//   shares(problem, of)    how many shares are not empty: the first so many

template <class Problem, reduce_by How, reduce_plan P>
class reduce_tile;

/// Each warp folds neighbouring rows of (32 lanes, V items), R of them in flight.
template <class Problem, reduce_plan P>
class reduce_tile<Problem, reduce_by::warp_shuffle, P> {
  using T = typename Problem::value;
  using Raw = typename Problem::raw;
  static constexpr int V = Problem::vector_items, R = P.rows, row_items = 32 * V, warps = P.threads / 32;
  static_assert((R & (R - 1)) == 0 && R <= 32, "sweep: a plan of reduce needs a power of two of rows");

 public:
  struct shared {
    alignas(T) unsigned char sums[warps * sizeof(T)];
  };

  __device__ reduce_tile(Problem& problem, shared& smem)
      : problem_{problem},
        sums_{reinterpret_cast<T*>(smem.sums)},
        lane_{static_cast<int>(threadIdx.x % 32)} {}

  static __device__ std::int64_t shares(Problem const& problem, std::int64_t of) {
    auto const each = rows_of_warp(problem, of) * warps;
    return each == 0 ? 0 : (rows(problem) + each - 1) / each;
  }

  __device__ optional<T> share(std::int64_t block, std::int64_t of) {
    int const warp = static_cast<int>(threadIdx.x / 32);
    auto const each = rows_of_warp(problem_, of), all = rows(problem_);
    auto const first = min(all, (block * warps + warp) * each), end = min(all, first + each);
    optional<T> sum{};  // of this warp, in lane 0
    bool by_vectors = false;
    if constexpr (Problem::in_contiguous) by_vectors = vector_aligned<V>(problem_.in, -problem_.shift);
    auto row = first;
    for (; row < end && !whole(row); ++row) add(sum, fold_part(row));
    if constexpr (Problem::in_contiguous)
      if (by_vectors) {
        for (; row + R <= end && whole(row + R - 1); row += R) fold_words<R>(row, sum);
        for (; row < end && whole(row); ++row) fold_words<1>(row, sum);
      }
    for (; row < end; ++row) add(sum, fold_part(row));

    if (lane_ == 0 && first < end) sums_[warp] = sum.value;
    __syncthreads();
    if (warp > 0) return {};
    auto const mine =
        min(std::int64_t{warps},
            each == 0 ? 0 : (max(std::int64_t{0}, all - block * warps * each) + each - 1) / each);
    int const count = static_cast<int>(mine);
    T const share = lane_ < count ? sums_[lane_] : T{};
    return {warp_reduce_right(share, count, problem_.op), count > 0};
  }

 private:
  static __device__ std::int64_t rows(Problem const& problem) {
    return problem.n == 0 ? 0 : (problem.n + problem.shift + row_items - 1) / row_items;
  }
  static __device__ std::int64_t rows_of_warp(Problem const& problem, std::int64_t of) {
    return (rows(problem) + of * warps * R - 1) / (of * warps * R) * R;
  }
  /// Where a lane's vector of a row begins.
  __device__ std::int64_t word(std::int64_t row) const {
    return row * row_items - problem_.shift + lane_ * V;
  }
  __device__ bool whole(std::int64_t row) const {
    return row * row_items >= problem_.shift && (row + 1) * row_items - problem_.shift <= problem_.n;
  }
  __device__ void add(optional<T>& sum, T const& next) {
    if (lane_ == 0) sum = {combine(sum, next, problem_.op), true};
  }

  template <int Rows>
  __device__ void fold_words(std::int64_t row, optional<T>& sum) {
    item_vector<Raw, V> items[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) load_vectors<P.load>(problem_.in + word(row + r), items[r]);
    T parts[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      Raw raw[V];
      items[r].unpack(raw);
      T x = static_cast<T>(problem_.unary(raw[0]));
#pragma unroll
      for (int v = 1; v < V; ++v) x = problem_.op(x, static_cast<T>(problem_.unary(raw[v])));
      parts[r] = x;
    }
    add(sum, warp_reduce_rows(parts, problem_.op));
  }

  /// A row of any alignment, whose items need not all exist; they are neighbours.
  __device__ T fold_part(std::int64_t row) {
    auto const from = max(std::int64_t{0}, word(row)), to = min(problem_.n, word(row) + V);
    T x{};
    for (auto i = from; i < to; ++i)
      x = i > from ? static_cast<T>(problem_.op(x, problem_.item(i))) : problem_.item(i);
    auto const have = __ballot_sync(~0u, from < to);
    warp_scan_some(x, have, problem_.op);
    return warp_shfl(x, 31);
  }

  Problem& problem_;
  T* sums_;
  int lane_;
};

/// The shared-memory trees of the lecture: a tile of one item per thread at a time.
template <class Problem, reduce_by How, reduce_plan P>
  requires(How == reduce_by::interleaved || How == reduce_by::sequential_addressing)
class reduce_tile<Problem, How, P> {
  using T = typename Problem::value;
  static constexpr int threads = P.threads;
  static_assert((threads & (threads - 1)) == 0,
                "sweep: the tree variants of reduce need a power of two of threads");

 public:
  struct shared {
    alignas(T) unsigned char items[threads * sizeof(T)];
  };

  __device__ reduce_tile(Problem& problem, shared& smem)
      : problem_{problem}, at_{reinterpret_cast<T*>(smem.items)} {}

  static __device__ std::int64_t shares(Problem const& problem, std::int64_t of) {
    auto const each = items_of_share(problem, of);
    return each == 0 ? 0 : (problem.n + each - 1) / each;
  }

  __device__ optional<T> share(std::int64_t block, std::int64_t of) {
    int const t = static_cast<int>(threadIdx.x);
    auto const each = items_of_share(problem_, of), end = min(problem_.n, (block + 1) * each);
    optional<T> sum{};
    for (auto first = block * each; first < end; first += threads) {
      int const count = static_cast<int>(min(end - first, std::int64_t{threads}));
      if (t < count) at_[slot(t)] = problem_.item(first + t);
      __syncthreads();
      fold(t, count);
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

  __device__ void fold(int t, int count) {
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

/// A value that many threads join by compare-and-swap: at most 8 bytes, in the low bytes of a word.
template <class T>
class joined_cell {
  static_assert(sizeof(T) <= 8, "sweep: the atomic variants of reduce need values of at most 8 bytes");
  using word = std::conditional_t<(sizeof(T) <= 4), std::uint32_t, std::uint64_t>;

 public:
  __device__ explicit joined_cell(std::uint64_t* at) : at_{*reinterpret_cast<word*>(at)} {}

  __device__ void set(T const& value) { atomic_ref<word>(at_).store(bits(value), relaxed); }
  __device__ T get() const { return value(atomic_ref<word>(at_).load(relaxed)); }

  template <class Op>
  __device__ void join(T const& x, Op& op) {
    if constexpr (adds<Op> && std::is_arithmetic_v<T> && sizeof(T) >= 4) {
      atomic_ref<T>(reinterpret_cast<T&>(at_)).fetch_add(x, relaxed);
    } else {
      auto seen = atomic_ref<word>(at_).load(relaxed);
      while (!atomic_ref<word>(at_).compare_exchange_weak(seen, bits(static_cast<T>(op(value(seen), x))),
                                                          relaxed)) {}
    }
  }

 private:
  static __device__ word bits(T const& value) {
    word w = 0;
    memcpy(&w, &value, sizeof(T));
    return w;
  }
  static __device__ T value(word const& w) {
    T t;
    memcpy(static_cast<void*>(&t), &w, sizeof(T));
    return t;
  }
  word& at_;
};

}  // namespace sweep::detail

#endif

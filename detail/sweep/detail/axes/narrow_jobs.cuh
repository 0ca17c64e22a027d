// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_NARROW_JOBS_CUH
#define SWEEP_DETAIL_AXES_NARROW_JOBS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/fold_totals.cuh>
#include <sweep/detail/axes/tile/folded_lines.cuh>
#include <sweep/detail/axes/tile/narrow_windows.cuh>
#include <sweep/detail/axes/tile/scanned_rows.cuh>
#include <sweep/detail/axes/tile/scanned_word_chunks.cuh>
#include <sweep/detail/axes/tile/scanned_words.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/axes/tile/words_across.cuh>
#include <sweep/detail/core/plan_table.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// Jobs of narrow items of lines that lie side by side, in rows that begin anywhere in memory.

/// A thread for the lines of a word, which are folded.
template <class Problem, int Batch>
struct march_words_job {
  static constexpr int threads = 128, blocks = Batch > 16 ? 5 : 8;
  Problem problem;
  words_of_rows<Problem> words;
  bytes_of_array array;

  __device__ void operator()() const {
    auto const nth = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (nth < words.count) march_word<Batch>(problem, array, words.line(nth));
  }
};

/// A block for the lines of some words of a row, which are scanned.
template <class Problem>
struct scan_words_job {
  using tile = scanned_words<Problem>;
  static constexpr int threads = tile::most_threads, blocks = 3;
  static constexpr std::size_t dynamic_bytes(int) { return tile::shared_bytes(threads); }
  Problem problem;
  typename tile::windows windows;
  bytes_of_array array;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    tile::run(problem, reinterpret_cast<typename tile::U*>(memory), windows, array, blockIdx.x);
  }
};

/// A block for a chunk of a window of 32 words of lines, which are folded.
template <class Problem>
struct split_words_job {
  using tile = chunk_of_words<Problem>;
  static constexpr int threads = 32 * tile::most_warps, blocks = 3;
  static int threads_for(decltype(Problem::grid) const& grid) { return 32 * tile::warps_of(grid.length); }
  Problem problem;
  chunk_order order;
  words_of_rows<Problem> words;
  bytes_of_array array;
  std::int64_t windows;

  __device__ void operator()() const {
    __shared__ typename tile::shared memory;
    auto const chunk = quotient(std::int64_t{blockIdx.x}, windows);
    tile::run(problem, memory, words, array, blockIdx.x - chunk * windows, chunk, order);
    fold_totals_if_last(problem, order);
  }
};

/// A block for some rows of a window of words of lines, which are scanned.
template <class Problem>
struct scan_word_chunks_job {
  using tile = scanned_word_chunks<Problem>;
  static constexpr int threads = tile::threads, blocks = 4;
  static constexpr std::size_t dynamic_bytes(int) { return sizeof(typename tile::shared); }
  Problem problem;
  chunk_order order;
  typename tile::windows windows;
  bytes_of_array array;
  std::int64_t chunks;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto const claimed = order.claim(), chunk = quotient(claimed, windows.count);
    tile::run(problem, *reinterpret_cast<typename tile::shared*>(memory), windows, array,
              claimed - chunk * windows.count, chunk, chunks, order);
  }
};

/// A block for some rows of a warp's window of lines.
template <class Problem>
struct scan_narrow_chunks_job {
  using tile = narrow_chunks<Problem>;
  static constexpr int threads = tile::threads, blocks = (arch_here() < 90 ? 768 : 1024) / threads;
  Problem problem;
  chunk_order order;
  typename tile::window::windows windows;
  bytes_of_array array;
  std::int64_t chunks;

  __device__ void operator()() const {
    __shared__ typename tile::shared memory;
    auto const claimed = order.claim(), chunk = quotient(claimed, windows.count);
    tile::run(problem, memory, windows, array, claimed - chunk * windows.count, chunk, chunks, order);
  }
};

/// A block for some rows of all lines that lie side by side, one run in memory.
template <class Problem>
struct scan_rows_job {
  using tile = scanned_rows<Problem>;
  static constexpr int threads = tile::threads, blocks = arch_here() < 90 ? 3 : 4;
  static constexpr std::size_t dynamic_bytes(int) { return sizeof(typename tile::shared); }
  Problem problem;
  chunk_order order;
  typename tile::layout how;
  std::int64_t across;  ///< blocks of all groups

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto const claimed = order.claim(), chunk = quotient(claimed, across);
    tile::run(problem, *reinterpret_cast<typename tile::shared*>(memory), how,
              (claimed - chunk * across) * how.groups, chunk, order);
  }
};

/// A warp for a window of lines.
template <class Problem>
struct scan_narrow_chains_job {
  using tile = narrow_chains<Problem>;
  static constexpr int warps = 4, threads = 32 * warps, blocks = 7;
  Problem problem;
  typename tile::window::windows windows;
  bytes_of_array array;

  __device__ void operator()() const {
    auto const nth = std::int64_t{blockIdx.x} * warps + threadIdx.x / 32;
    if (nth < windows.count) tile::run(problem, windows, array, nth);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

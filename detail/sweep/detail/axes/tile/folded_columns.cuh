// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_FOLDED_COLUMNS_CUH
#define SWEEP_DETAIL_AXES_TILE_FOLDED_COLUMNS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/divisors.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/warp/shuffle.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// An item of memory as it is, and as a word where it is one.
template <class Problem, bool Word>
struct item_of_memory {
  using raw = typename Problem::in_memory;
  std::conditional_t<Word, item_vector<raw, 1>, raw> item;
  __device__ void load(Problem const& problem, typename Problem::in_place const& at) {
    if constexpr (Word) load_vectors<access::streaming>(problem.in + at, item);
    else put_bytes(item, problem.in[at]);
  }
  __device__ line_pack<typename Problem::value, 1> values(Problem const& problem,
                                                          typename Problem::in_place const&) const {
    if constexpr (Word) return {{problem.of(item.item(0))}};
    else return {{problem.of(item)}};
  }
};

/// Some chunks of some neighbouring lines that are folded by a block: of items that are made of less, of
/// items of 16 bytes, and of others where narrow rows lie one behind the other. As many lanes as `width` have
/// lines side by side, each so many neighbouring strips of a chunk as it may have on their way at once. The
/// brackets are those of a scan by a warp that has a strip a lane: a tree over 32 strips, of which the first
/// are missing where the chunk has fewer. Little of it goes through shared memory.
template <class Problem>
struct folded_columns {
  using T = typename Problem::value;
  using told = T;
  using raw = typename Problem::in_memory;
  static constexpr int size = static_cast<int>(sizeof(raw));
  static constexpr bool of_words = !Problem::waits_fetched && Problem::of_memory && relocatable<raw> &&
                                   size == 16 && sizeof(T) == 16,
                        only_in_run = !Problem::waits_fetched && Problem::of_memory && relocatable<raw> &&
                                      size <= 8 && (size & (size - 1)) == 0 && alignof(raw) == size &&
                                      sizeof(T) <= (size <= 2 ? 8 : 16),
                        possible = Problem::what == line_result::total &&
                                   (Problem::waits_fetched || of_words || only_in_run);
  using item =
      typename std::conditional_t<Problem::waits_fetched, std::type_identity<item_as_fetched<Problem>>,
                                  std::type_identity<item_of_memory<Problem, of_words>>>::type;
  static constexpr int strip = strip_items<T, line_result::total>, chunk_length = 32 * strip;
  /// Strips of a lane: 128 bytes of what is fetched, and no more than 32 items in registers.
  static constexpr int at_once = [] {
    int strips = 1;
    while (strips < 8 && (only_in_run || 2 * strips * strip <= 32) &&
           2 * strips * strip * static_cast<int>(sizeof(item)) <= 128)
      strips *= 2;
    return strips;
  }();
  static constexpr int parts = 32 / at_once, threads = 128;
  static constexpr int widest = std::min(32, threads / parts), lane_items = at_once * strip,
                       warps_of_chunk = std::max(1, widest / at_once);  ///< at most
  struct shared {
    uninitialized<T, threads> totals;
  };
  // Narrow rows that lie one behind the other are brought as they lie, by way of shared memory, where lanes
  // of different parts would read few neighbours each. Behind what a part has of all lines a lane's items'
  // worth of places is left out, so that parts meet in few banks, and a word of 16 bytes may have both the
  // last items of a part and the first of the next.
  static SWEEP_HD constexpr int gap(int width) { return width * size < 16 ? 16 / size : width; }
  template <class Grid>
  static bool lie_in_run(Grid const& grid) {
    constexpr std::int64_t few_bytes = 32;
    if constexpr (Problem::of_memory && !of_words) {
      if (grid.axes == 0 || leading(grid.across[0].stride.in) != 1) return false;
      auto const lines = grid.across[0].extent, pitch = leading(grid.in);
      if (!only_in_run)
        return grid.axes == 1 && pitch == lines && lines * size <= few_bytes && lines <= widest;
      // What lies between rows is brought with them. Wider ones lanes read as well from memory.
      constexpr std::int64_t wide_row = 64;
      return lines <= widest && pitch >= lines && 3 * pitch <= 4 * lines && lines * size < wide_row;
    }
    return false;
  }
  /// Whether items that are words begin at boundaries of such, and are neighbours.
  static bool lie_in_words(Problem const& problem) {
    if constexpr (of_words)
      return problem.grid.axes > 0 && problem.grid.across[0].stride.in == 1 &&
             reinterpret_cast<std::uintptr_t>(problem.in) % size == 0;
    return true;
  }
  template <class Grid>
  static std::size_t shared_bytes(Grid const& grid) {
    if (!lie_in_run(grid)) return 0;
    int const lanes = width(grid.across[0].extent), units = threads / lanes,
              pitch = static_cast<int>(leading(grid.in));
    return static_cast<std::size_t>(units * (lane_items * pitch + gap(lanes)) * size) + 32;
  }

  /// Lanes across a row, no more than it needs.
  static int width(std::int64_t lines) {
    int lanes = widest;
    while (lanes > 4 && lanes / 2 >= lines) lanes /= 2;
    return lanes;
  }
  static std::int64_t windows(std::int64_t lines) { return (lines + width(lines) - 1) / width(lines); }
  /// Chunks of a block.
  static SWEEP_HD constexpr int chunks(int width) { return threads / (parts * width); }

  /// `run` is room for the rows of a run.
  template <bool InRun>
  static __device__ void run(Problem const& problem, shared& memory, [[maybe_unused]] raw* run, int width,
                             std::int64_t window, std::int64_t first_chunk, chunk_order const& order) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    int const thread = static_cast<int>(threadIdx.x), unit = thread / width, part = unit % parts;
    auto const chunk = first_chunk + unit / parts;
    // Of rows in a run those of a window are all lines that lie side by side.
    int const beside = InRun ? static_cast<int>(grid.across[0].extent) : width;
    [[maybe_unused]] int const pitch = static_cast<int>(leading(grid.in));
    auto const own = window * beside + thread % width, line = min(own, grid.lines - 1);
    auto const first = chunk * chunk_length;
    int const count =
        static_cast<int>(min(grid.length - first, std::int64_t{chunk_length}));  // may be negative
    int const missing = 32 - (count + strip - 1) / strip, begin = (part * at_once - missing) * strip;
    auto const from = grid.place(line).in + (first + begin) * grid.in;
    bool const there = thread % width < beside && own < grid.lines && count > 0;
    bool const has_items = there && begin + lane_items > 0;
    T sum{};
    if constexpr (InRun) {
      auto const low =
          leading(grid.place(window * beside).in) + first_chunk * chunk_length * leading(grid.in);
      int const shift = bring(problem, run, low, beside, pitch, width, first_chunk * chunk_length);
      auto const* const of_line = run + shift + thread % width;
      if (count == chunk_length) {
        auto const* const items = of_line + unit * (lane_items * pitch + gap(width));
        if (there)
          sum = fold<true, strip>(problem, from, begin, count, op,
                                  [&](int k, item& x) { put_bytes(x.item, items[k * pitch]); });
      } else if (has_items) {  // strips begin elsewhere
        int const row = unit / parts * chunk_length + begin;
        sum = fold<false, strip>(problem, from, begin, count, op, [&](int k, item& x) {
          put_bytes(x.item, of_line[(row + k) * pitch + (row + k) / lane_items * gap(width)]);
        });
      }
    } else if (has_items) {
      auto const load = [&](int k, item& x) { x.load(problem, from + k * problem.grid.in); };
      sum = begin >= 0 && begin + lane_items <= count
                ? fold<true, lane_items>(problem, from, begin, count, op, load)
                : fold<false, lane_items>(problem, from, begin, count, op, load);
    }
    // The parts that a warp has of a chunk, then the warps'. Of two halves the left one may be missing.
    auto const reached = [&](int last_part) { return (last_part + 1) * at_once > missing; };
    int const in_warp = min(parts, 32 / width);
#pragma unroll 1
    for (int by = 1; by < in_warp; by *= 2) {
      T const right = warp_shfl_down(sum, by * width);
      put_bytes(sum, reached(part + by - 1) ? static_cast<T>(op(sum, right)) : right);
    }
    if (in_warp < parts) {
      int const own_warp = thread / 32, lacking = warps_of_chunk - parts / in_warp;
      if (part % in_warp == 0) put_bytes(memory.totals[own_warp * width + thread % width], sum);
      __syncthreads();
      if (part > 0 || !there) return;
      optional<T> of_warps[warps_of_chunk];
#pragma unroll
      for (int w = 0; w < warps_of_chunk; ++w)
        if (w >= lacking && reached((w - lacking + 1) * in_warp - 1)) {
          put_bytes(of_warps[w].value, memory.totals[(own_warp + w - lacking) * width + thread % width]);
          of_warps[w].present = true;
        }
      put_bytes(sum, fold_tree(of_warps, op));
    }
    if (part == 0 && there) leave_total(problem, order, chunk, line, sum);
  }

 private:
  /// Rows of the block's chunks, from this one on: so many places behind the beginning of the memory, as far
  /// from a boundary of words as they lie.
  static __device__ int bring(Problem const& problem, raw* to, std::int64_t low, int lines, int pitch,
                              int width, std::int64_t row) {
    constexpr bool by_copies = size >= 4 && size <= 16 && (size & (size - 1)) == 0 && alignof(raw) == size,
                   by_words = size <= 16 && (size & (size - 1)) == 0 && alignof(raw) == size;
    auto const& grid = problem.grid;
    int const rows = static_cast<int>(min(grid.length - row, std::int64_t{chunks(width) * chunk_length})),
              items = (rows - 1) * pitch + lines, thread = static_cast<int>(threadIdx.x);
    small_divisor const of_part{lane_items * pitch};
    auto const* const from = problem.memory() + low;
    auto const bring_one = [&](int i, int shift) {
      auto* const place = to + shift + i + of_part.quotient(i) * gap(width);
      if constexpr (by_copies) copy_async<size>(place, from + i);
      else put_bytes(*place, from[i]);
    };
    int shift = 0;
    if constexpr (by_words) {
      constexpr int V = 16 / size;
      shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) / size % V);
      int const begin = min((V - shift) % V, items), end = begin + (items - begin) / V * V;
      if (thread < begin) bring_one(thread, shift);
      if (begin == 0) {  // parts end where words do
#pragma unroll 4
        for (int i = V * thread; i < end; i += V * threads)
          copy_async<16>(to + shift + i + of_part.quotient(i) * gap(width), from + i);
      } else {
#pragma unroll 1
        for (int i = begin + V * thread; i < end; i += V * threads) {
          int const part = of_part.quotient(i), next = of_part.quotient(i + V - 1);
          copy_async<16>(to + shift + i + part * gap(width), from + i);
          if (next > part) copy_async<16>(to + shift + i + next * gap(width), from + i);
        }
      }
      if (end + thread < items) bring_one(end + thread, shift);
    } else {
#pragma unroll 4
      for (int i = thread; i < items; i += threads) bring_one(i, 0);
    }
    if constexpr (by_copies || by_words) await_async_copies();
    __syncthreads();
    return shift;
  }
  /// Of a chunk of `count` items a lane's, from item `begin` on, those that there are, so many of which are
  /// asked for at once. Strips are folded as soon as they are neighbours in the tree, so that few wait.
  template <bool Whole, int Some, class Op, class Load>
  static __device__ T fold(Problem const& problem, typename Problem::in_place const& from, int begin,
                           int count, Op& op, Load const& load) {
    auto const exists = [&](int k) { return Whole || (begin + k >= 0 && begin + k < count); };
    optional<T> waiting[at_once];  // at place s those of the strips up to s
    item x[Some];
#pragma unroll
    for (int s = 0; s < at_once; ++s) {
      if (s * strip % Some == 0)
#pragma unroll
        for (int k = 0; k < Some; ++k)
          if (exists(s * strip + k)) load(s * strip + k, x[k]);
      optional<T> sum{};
#pragma unroll
      for (int k = s * strip; k < (s + 1) * strip; ++k)
        if (exists(k)) {
          T const made = x[k % Some].values(problem, from + k * problem.grid.in).of[0];
          sum = {(Whole ? k % strip > 0 : sum.present) ? static_cast<T>(op(sum.value, made)) : made, true};
        }
#pragma unroll
      for (int by = 1; (s & by) != 0; by *= 2)
        if (Whole || waiting[s - by].present)
          sum = {static_cast<T>(op(waiting[s - by].value, sum.value)), true};
      waiting[s] = sum;
    }
    return waiting[at_once - 1].value;
  }
  /// The fold of N neighbours, a power of two, of which the first may be missing.
  template <int N, class Op>
  static __device__ T fold_tree(optional<T> (&x)[N], Op& op) {
    // The right one of two has their total.
#pragma unroll
    for (int by = 1; by < N; by *= 2)
#pragma unroll
      for (int s = 2 * by - 1; s < N; s += 2 * by)
        if (x[s - by].present) x[s] = {static_cast<T>(op(x[s - by].value, x[s].value)), true};
    return x[N - 1].value;
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

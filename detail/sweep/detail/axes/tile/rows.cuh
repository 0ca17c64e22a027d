// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_ROWS_CUH
#define SWEEP_DETAIL_AXES_TILE_ROWS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/contiguous.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/optional.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Some chunks of a few lines whose items lie side by side, row after row, by a block: memory is moved as it
/// lies, in vectors, and each warp scans the chunk of a line in shared memory, a lane a strip.
template <class Problem>
struct chunks_of_rows {
  using T = typename Problem::value;
  static constexpr int pack_lines = sizeof(T) <= 4 ? 4 : sizeof(T) <= 8 ? 2 : 1;
  using pack = line_pack<T, pack_lines>;
  using told = pack;
  /// Few warps, each of which scans several chunks of lines: as many blocks as shared memory holds tiles for
  /// are on their way while each waits for what comes before it. A warp looks back for one pack of lines.
  static constexpr int strip = strip_items<T, Problem::what>, chunk_length = 32 * strip, turns = 4,
                       most_chunks = sizeof(T) <= 4 ? 8 : 4;  ///< of a block
  static constexpr int few_lines = 16;  ///< of which four warps speak for all; else eight do
  static constexpr int most_lines = comes_in_items<Problem> ? 31 : few_lines,
                       most_warps = most_lines > few_lines ? 8 : 4, threads = 32 * most_warps;
  /// Items that are left out behind a strip of all lines: a register's worth.
  static constexpr int gap = sizeof(T) < 4 && 4 % sizeof(T) == 0 ? static_cast<int>(4 / sizeof(T)) : 1;
  struct shared {
    uninitialized<T, most_warps * turns> totals, before;
    alignas(16) alignas(T) unsigned char items[1];  ///< and as many as there are
  };
  static SWEEP_HD constexpr std::int64_t packs_of(std::int64_t lines) {
    return (lines + pack_lines - 1) / pack_lines;
  }
  static SWEEP_HD constexpr int warps_of(int lines) { return lines > few_lines ? most_warps : 4; }
  /// Of scans a power of two: a warp publishes the totals of all of them, of a pack of lines, and then looks
  /// back once.
  static SWEEP_HD constexpr int chunks_of_block(int lines) {
    if (sizeof(T) > 16) return 1;
    int const warps = warps_of(lines), all = turns * warps / lines;
    if (Problem::what == line_result::total) return all;
    int several = 1;
    while (several < most_chunks && 2 * several <= all) several *= 2;
    return several;
  }

  static SWEEP_HD constexpr std::size_t shared_bytes(int lines) {
    return sizeof(shared) +
           static_cast<std::size_t>(chunks_of_block(lines) * 32 * (strip * lines + gap)) * sizeof(T);
  }
  static constexpr std::size_t most_bytes = [] {
    std::size_t most = 0;
    for (int lines = 1; lines <= most_lines; ++lines) most = std::max(most, shared_bytes(lines));
    return most;
  }();

  Problem const& problem;
  shared& memory;
  chunk_order const& order;
  std::int64_t line0, first_chunk;
  int lines, chunks;  ///< of this block
  typename decltype(Problem::grid)::place_type at = problem.grid.place(line0);
  bool backward = leading(problem.grid.in) < 0;
  int rows = static_cast<int>(
      min(problem.grid.length - first_chunk * chunk_length, std::int64_t{chunks} * chunk_length));
  int strips = (rows + strip - 1) / strip, items = rows * lines;
  // A strip of all lines is one run in memory. In shared memory a gap is left between runs, so that lanes,
  // which have strips of one line, meet in few banks. Backward the last strip, which may lack rows,
  // lies first.
  int run_items = strip * lines, pitch = run_items + gap, lacking = backward ? strips * run_items - items : 0;
  small_divisor run_length{run_items};
  T* staged = reinterpret_cast<T*>(memory.items);
  int warps = static_cast<int>(blockDim.x) / 32;

  static __device__ void run(Problem const& problem, shared& memory, std::int64_t group, int lines,
                             std::int64_t first_chunk, chunk_order const& order) {
    int const chunks =
        static_cast<int>(min(order.chunks - first_chunk, std::int64_t{chunks_of_block(lines)}));
    chunks_of_rows{problem, memory, order, group * lines, first_chunk, lines, chunks}.run();
  }

  /// A warp speaks for a pack of lines at a time; where lines are missing the last one stands in.
  template <class Units>
  static __device__ void tell(Problem const& problem, chunk_order const& order, std::int64_t line0, int lines,
                              std::int64_t first_chunk, int chunks, Units const& totals, Units& befores,
                              int warp, int warps) {
    auto op = problem.op;
    each_of_pack<decltype(op), pack_lines> ops{op};
    int const packs = static_cast<int>(packs_of(lines));
#pragma unroll 1
    for (int nth = warp; nth < packs; nth += warps) {
      auto const line = [&](int v) { return min(nth * pack_lines + v, lines - 1); };
      optional<pack> before{};
#pragma unroll
      for (int v = 0; v < pack_lines; ++v) {
        auto const one = problem.before_line(problem.grid.place(line0 + line(v)));
        before.value.of[v] = one.value;
        before.present = one.present;
      }
      auto const total = [&](int c) {
        pack all;
#pragma unroll
        for (int v = 0; v < pack_lines; ++v) put_bytes(all.of[v], totals[c * lines + line(v)]);
        return first_chunk + c == 0 ? combine(before, all, ops) : all;
      };
      auto const found = [&](int c, optional<pack> const& left) {
        if (threadIdx.x % 32 == 0) {
          bool const begins = first_chunk + c == 0;
#pragma unroll
          for (int v = 0; v < pack_lines; ++v) {
            T x = left.value.of[v];
            if (begins) x = before.value.of[v];
            put_bytes(befores[c * lines + line(v)], x);
          }
        }
      };
      if (order.chunks > 1)
        order.template state_of<pack>(line0 / lines * packs + nth)
            .template publish_several_and_look_back<most_chunks>(pack_lanes{}, first_chunk, chunks, total,
                                                                 ops, found);
      else found(0, {});
    }
  }

 private:
  __device__ void run() const {
    auto op = problem.op;
    load();
    __syncthreads();

    int const lane = static_cast<int>(threadIdx.x) % 32, warp = warp_of_block();
    int const units = lines * chunks, step = backward ? -lines : lines;
    T left[turns];
#pragma unroll
    for (int turn = 0; turn < turns; ++turn)
      if (int const unit = warp + turn * warps; unit < units) {
        int const chunk = unit / lines, line = unit - chunk * lines, s = 32 * chunk + lane;
        int const mine = min(strip, rows - strip * s);  // may be negative
        optional<T> total{};
        int const where = start_of(s, line);
        if (mine == strip) {
          T x[strip];
#pragma unroll
          for (int k = 0; k < strip; ++k) put_bytes(x[k], staged[where + k * step]);
          total = {x[0], true};
#pragma unroll
          for (int k = 1; k < strip; ++k) total.value = op(total.value, x[k]);
        } else {
          for (int k = 0; k < mine; ++k) {
            T x;
            put_bytes(x, staged[where + k * step]);
            total = {combine(total, x, op), true};
          }
        }
        int const of_chunk = min(32, strips - 32 * chunk);
        T const sum = warp_scan_first(total.value, of_chunk, op);
        left[turn] = warp_shfl_up(sum, 1);
        if (lane == of_chunk - 1) {
          if (Problem::what == line_result::total && !has_whole_lines())
            leave_total(problem, order, first_chunk + chunk, line0 + line, sum);
          else put_bytes(memory.totals[unit], sum);
        }
      }
    if constexpr (Problem::what == line_result::total) {
      if (has_whole_lines()) fold_lines();
    } else {
      __syncthreads();
      tell();
      __syncthreads();
#pragma unroll
      for (int turn = 0; turn < turns; ++turn)
        if (int const unit = warp + turn * warps; unit < units) {
          int const chunk = unit / lines, line = unit - chunk * lines, s = 32 * chunk + lane;
          int const mine = min(strip, rows - strip * s);
          optional<T> sum{};
          put_bytes(sum.value, memory.before[unit]);
          sum.present = !std::is_same_v<decltype(problem.before), nothing_before> || first_chunk + chunk > 0;
          if (lane > 0) sum = {combine(sum, left[turn], op), true};
          int const where = start_of(s, line);
          if (mine == strip) {
            T x[strip];
#pragma unroll
            for (int k = 0; k < strip; ++k) put_bytes(x[k], staged[where + k * step]);
#pragma unroll
            for (int k = 0; k < strip; ++k)
              put_bytes(staged[where + k * step], next_of_line<Problem::what>(sum, x[k], op));
          } else {
            for (int k = 0; k < mine; ++k) {
              T x;
              put_bytes(x, staged[where + k * step]);
              put_bytes(staged[where + k * step], next_of_line<Problem::what>(sum, x, op));
            }
          }
        }
      __syncthreads();
      store();
    }
  }

  /// Whether the block has all chunks of lines that are folded: of one the total is the result.
  __device__ bool has_whole_lines() const { return order.totals == nullptr && order.chunks > 1; }
  /// Their totals are a chain, a thread a line.
  __device__ void fold_lines() const {
    static_assert(turns * most_warps <= length_of_one_chain);
    auto op = problem.op;
    __syncthreads();
    int const line = static_cast<int>(threadIdx.x);
    if (line >= lines) return;
    auto const to = problem.grid.place(line0 + line);
    auto sum = problem.before_line(to);
    for (int c = 0; c < chunks; ++c) {
      T total;
      put_bytes(total, memory.totals[c * lines + line]);
      sum = {combine(sum, total, op), true};
    }
    problem.put(to.out, sum.value);
  }

  /// Where item i of the block stands in shared memory, counted as they lie in memory.
  struct places_of_runs {
    T* memory;
    int lacking;
    small_divisor run_length;
    __device__ T& operator()(int i) const {
      int const k = i + lacking;
      return memory[k + gap * run_length.quotient(k)];
    }
    /// Neighbours that stay such begin at boundaries of four bytes.
    static constexpr bool in_fours = gap > 1;
    template <int V>
    __device__ bool keeps(int skipped) const {
      return strip % V == 0 && (lacking - skipped) % V == 0;
    }
  };
  __device__ places_of_runs places() const { return {staged, lacking, run_length}; }
  /// The same of the first item of a line's strip.
  __device__ int start_of(int s, int line) const {
    return backward ? (strips - 1 - s) * pitch + (strip - 1) * lines + line : s * pitch + line;
  }
  /// The first of the block's items as they lie in memory: the row, counted in scan order.
  __device__ std::int64_t lowest_row() const {
    return first_chunk * chunk_length + (backward ? rows - 1 : 0);
  }

  template <class Place>
  __device__ places_of_run<Place> rows_from(Place const& first, Place const& row, Place const& line) const {
    return {first + lowest_row() * row, line, backward ? -1 * row : row, lines};
  }
  __device__ void load() const {
    auto const from = rows_from(at.in, problem.grid.in, problem.grid.across[0].stride.in);
    if constexpr (most_lines > few_lines)
      if (lines > few_lines) return load_run_by_items(32 * warps, problem, from, items, places());
    load_run<128>(32 * warps, problem, from, items, places());
  }
  __device__ void store() const {
    store_run(32 * warps, problem, rows_from(at.out, problem.grid.out, problem.grid.across[0].stride.out),
              items, places());
  }

  __device__ void tell() const {
    tell(problem, order, line0, lines, first_chunk, chunks, memory.totals, memory.before, warp_of_block(),
         warps);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

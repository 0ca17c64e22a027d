// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_WINDOW_OF_COLUMNS_CUH
#define SWEEP_DETAIL_AXES_TILE_WINDOW_OF_COLUMNS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/packs.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/warp/shuffle.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// One chunk of 32 neighbouring lines, by a block, a lane a line: a warp has some of the chunk's strips,
/// whose items wait in shared memory. Of fewer strips than a chunk's there are as many warps as have some.
template <class Problem>
struct chunk_of_window {
  using T = typename Problem::value;
  static constexpr int pack_lines = sizeof(T) <= 4 ? 4 : sizeof(T) <= 8 ? 2 : 1;
  using pack = line_pack<T, pack_lines>;
  using told = pack;
  static constexpr bool total_only = Problem::what == line_result::total,
                        overlaps = windows_overlap<decltype(Problem::out)>;
  static constexpr int turns = 4, most_warps = 32 / turns, threads = 32 * most_warps,
                       strip = strip_items<T, Problem::what>, chunk_length = 32 * strip;
  static constexpr int packs = 32 / pack_lines, chunks = 1, lines_of_lane = 1, lanes = 32;
  /// Of a warp's strips, that pass through registers together: one where items are in several arrays, each
  /// of which takes registers for where they are.
  static constexpr int strip_bytes = strip *
                                     static_cast<int>(std::max(sizeof(T), sizeof(typename Problem::raw))),
                       at_once = arrays_of_place<typename Problem::in_place> > 1 || Problem::looks
                                     ? 1
                                     : std::max(1, std::min(turns, 128 / strip_bytes));
  struct shared {
    uninitialized<T, 32 * 33> totals;  ///< (strips, lines), then what comes before each strip
    /// And as many as there are, (strip of a warp, item, thread).
    alignas(16) alignas(T) unsigned char items[16];
  };
  static int warps_of(std::int64_t length) {
    auto const strips = (std::min(length, std::int64_t{chunk_length}) + strip - 1) / strip;
    return static_cast<int>((strips + turns - 1) / turns);
  }
  static constexpr std::size_t shared_bytes(int warps) {
    return sizeof(shared) +
           (total_only ? 0 : static_cast<std::size_t>(turns * strip * 32 * warps) * sizeof(T));
  }

  static __device__ void run(Problem const& problem, shared& memory, column_windows const& windows,
                             std::int64_t window, std::int64_t chunk, chunk_order const& order) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    int const lane = static_cast<int>(threadIdx.x) % 32, warp = warp_of_block(),
              warps = static_cast<int>(blockDim.x) / 32, pitch = 32 * warps;
    auto const first = chunk * chunk_length;
    int const of_chunk = static_cast<int>(min(grid.length - first, std::int64_t{chunk_length}));
    int const strips = (of_chunk + strip - 1) / strip;
    auto const column = windows.of(window, lane);
    auto const at = grid.place(column.of(lane));
    auto const first_of = [&](int turn) { return (warp + turn * warps) * strip; };
    auto const count_of = [&](int turn) { return min(of_chunk - first_of(turn), strip); };  // may be negative
    auto const from = at.in + first * grid.in;
    T* const items = reinterpret_cast<T*>(memory.items) + threadIdx.x;
    auto const waiting = [&](int turn, int k) -> T& { return items[(turn * strip + k) * pitch]; };
    auto const leave = [&](int turn, T const& total) {
      put_bytes(memory.totals[(warp + turn * warps) * 33 + lane], total);
    };
#pragma unroll 1
    for (int turn0 = 0; turn0 < turns; turn0 += at_once) {
      T x[at_once][strip];
      bool const whole = count_of(turn0 + at_once - 1) == strip;
      auto const each = [&](auto work) {
#pragma unroll
        for (int t = 0; t < at_once; ++t) work(turn0 + t, x[t]);
      };
      if (whole) {
        each([&](int turn, T(&own)[strip]) {
          auto item = from + first_of(turn) * grid.in;
#pragma unroll
          for (int k = 0; k < strip; ++k, item += grid.in) put_bytes(own[k], problem.item(item));
        });
      } else {
        each([&](int turn, T(&own)[strip]) {
          int const count = count_of(turn);
          auto item = from + first_of(turn) * grid.in;
#pragma unroll
          for (int k = 0; k < strip; ++k, item += grid.in)
            if (k < count) put_bytes(own[k], problem.item(item));
        });
      }
      each([&](int turn, T(&own)[strip]) {
        int const count = whole ? strip : count_of(turn);
        if (count <= 0) return;
        T total = own[0];
#pragma unroll
        for (int k = 1; k < strip; ++k)
          if (k < count) total = op(total, own[k]);
        leave(turn, total);
        if constexpr (!total_only)
#pragma unroll
          for (int k = 0; k < strip; ++k) put_bytes(waiting(turn, k), own[k]);
      });
    }
    __syncthreads();
    for (int p = warp; p < packs; p += warps) tell(problem, memory, windows, window, p, strips, chunk, order);
    if constexpr (!total_only) {
      __syncthreads();
#pragma unroll 1
      for (int turn = 0; turn < turns; ++turn) {
        // A lane that writes none of its results has none: so nothing is looked at in a branch.
        int const count = overlaps || column.exists ? count_of(turn) : 0, s = warp + turn * warps;
        optional<T> sum{};
        put_bytes(sum.value, memory.totals[s * 33 + lane]);
        sum.present = !std::is_same_v<decltype(problem.before), nothing_before> || chunk > 0 || s > 0;
        auto to = at.out + (first + first_of(turn)) * grid.out;
        auto const put = [&](T const& x, auto const& seen) {
          T const result = next_of_line<Problem::what>(sum, x, op);
          if (!overlaps || column.writes(problem.out, to)) {
            if constexpr (Problem::looks) problem.put(to, result, seen);
            else store_pack(problem, to, line_pack<T, 1>{{result}});
          }
          to += grid.out;
        };
        if (count == strip) {
          constexpr int part = Problem::looks && strip > 4 ? 4 : strip;
#pragma unroll
          for (int k0 = 0; k0 < strip; k0 += part) {
            T x[part];
            decltype(problem.look(to)) seen[part];
            if constexpr (Problem::looks)
#pragma unroll
              for (int k = 0; k < part; ++k) seen[k] = problem.look(to + k * grid.out);
#pragma unroll
            for (int k = 0; k < part; ++k) put_bytes(x[k], waiting(turn, k0 + k));
#pragma unroll
            for (int k = 0; k < part; ++k) put(x[k], seen[k]);
          }
        } else {
          for (int k = 0; k < count; ++k) {
            T x;
            put_bytes(x, waiting(turn, k));
            put(x, problem.look(to));
          }
        }
      }
    }
  }

 private:
  /// A warp speaks for a pack of the window's lines, lane l for their strips l.
  static __device__ void tell(Problem const& problem, shared& memory, column_windows const& windows,
                              std::int64_t window, int p, int strips, std::int64_t chunk,
                              chunk_order const& order) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    each_of_pack<decltype(op), pack_lines> ops{op};
    int const lane = static_cast<int>(threadIdx.x) % 32;
    auto const own = windows.of(window, p * pack_lines);
    if (!own.exists) return;
    pack total{};
    if (lane < strips)
#pragma unroll
      for (int v = 0; v < pack_lines; ++v)
        put_bytes(total.of[v], memory.totals[lane * 33 + p * pack_lines + v]);
    pack const sum = warp_scan_first(total, strips, ops);
    auto const line = [&](int v) { return own.of(p * pack_lines + v); };
    if constexpr (Problem::what == line_result::total) {
      if (lane == strips - 1)
#pragma unroll
        for (int v = 0; v < pack_lines; ++v)
          if (p * pack_lines + v < own.there) leave_total(problem, order, chunk, line(v), sum.of[v]);
    } else {
      optional<pack> before{};
#pragma unroll
      for (int v = 0; v < pack_lines; ++v) {
        auto const one = problem.before_line(grid.place(line(v)));
        before.value.of[v] = one.value;
        before.present = one.present;
      }
      if (order.chunks > 1) {
        pack const all = warp_shfl(sum, strips - 1);
        auto const found = order.template state_of<pack>(window * packs + p)
                               .publish_and_look_back(pack_lanes{}, chunk,
                                                      chunk == 0 ? combine(before, all, ops) : all, ops);
        if (chunk > 0) before = {warp_shfl(found.value, 0), true};
      }
      pack const left = warp_shfl_up(sum, 1);
      pack const mine = lane == 0 ? before.value : combine(before, left, ops);
#pragma unroll
      for (int v = 0; v < pack_lines; ++v)
        put_bytes(memory.totals[lane * 33 + p * pack_lines + v], mine.of[v]);
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_GATHERED_LINES_CUH
#define SWEEP_DETAIL_AXES_TILE_GATHERED_LINES_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/arrays_beneath.cuh>
#include <sweep/detail/axes/tile/lines_of_run.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/core/divisors.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Short lines along the axis, wherever each of them lies, by a block: items of all of them go to shared
/// memory, neighbouring threads' from neighbouring places of a line, a thread walks along a line there, and
/// results leave as items came.
template <class Problem>
struct gathered_lines {
  using T = typename Problem::value;
  using in_place = typename Problem::in_place;
  using out_place = typename Problem::out_place;
  static constexpr bool totals = Problem::what == line_result::total,
                        possible = sizeof(T) <= (totals ? 16 : 8);
  static constexpr int threads = 128, room = 24 << 10,
                       batch = sizeof(T) <= 4   ? 8
                               : sizeof(T) <= 8 ? 4
                                                : 2;  ///< items of a thread at once
  static constexpr std::int64_t longest = 96;
  struct shared {
    in_place in[threads];  ///< where lines begin
    out_place out[threads];
    alignas(16) unsigned char items[room];
  };

  /// From a line to the next, an odd number of words or of items, so that threads meet in few banks.
  static SWEEP_HD constexpr int pitch(int length) { return length | 1; }
  /// Of a block: warps of them.
  static SWEEP_HD constexpr int lines(int length) {
    int const fit = room / (pitch(length) * static_cast<int>(sizeof(T)));
    return fit > threads ? threads : fit / 32 * 32;
  }
  /// Whether lines are so short, and so many that all multiprocessors have some. Those that are whole windows
  /// of words are as fast as such.
  static bool are_worth(Problem const& problem, line_layout const& how, std::int64_t multiprocessors) {
    auto const& grid = problem.grid;
    bool const along = how.in_along && (totals || how.out_along),
               whole_windows = grid.length % 32 == 0 && how.in_words && (totals || how.out_words);
    return along && !whole_windows && grid.length > 1 && grid.length <= longest &&
           lines(static_cast<int>(grid.length)) > 0 && grid.lines >= threads * multiprocessors;
  }

  static __device__ void run(Problem const& problem, shared& memory, std::int64_t line0) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    int const length = static_cast<int>(grid.length), of_block = lines(length), apart = pitch(length),
              thread = static_cast<int>(threadIdx.x);
    int const here = static_cast<int>(min(grid.lines - line0, std::int64_t{of_block}));
    T* const items = reinterpret_cast<T*>(memory.items);
    if (thread < here) {
      auto const at = grid.place(line0 + thread);
      memory.in[thread] = at.in;
      memory.out[thread] = at.out;
    }
    __syncthreads();
    // work(line, item of it) of every so many items of the block, counted line by line.
    small_divisor const by_length(length);
    int const lines_of_step = by_length.quotient(threads), rest_of_step = threads - lines_of_step * length;
    struct position {
      int line, item;
    };
    auto const next = [&](position& p) {
      p.line += lines_of_step;
      p.item += rest_of_step;
      if (p.item >= length) {
        p.item -= length;
        ++p.line;
      }
    };
    int const first_line = by_length.quotient(thread);
    position const begin{first_line, thread - first_line * length};
    auto const from = [&](position const& p) { return memory.in[p.line] + p.item * grid.in; };
    constexpr bool in_halves = comes_in_halves<Problem>, copied = in_halves || [] {
      if constexpr (std::is_pointer_v<decltype(Problem::in)>)
        return is_free<decltype(Problem::unary)> && std::is_same_v<T, typename Problem::raw> &&
               alignof(T) == sizeof(T) && (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
      else return false;
    }();
    if constexpr (copied) {
      auto p = begin;
#pragma unroll 4
      for (int i = thread; i < here * length; i += threads, next(p)) {
        if constexpr (in_halves) copy_halves(items + p.line * apart + p.item, problem, from(p));
        else copy_async<static_cast<int>(sizeof(T))>(items + p.line * apart + p.item, problem.in + from(p));
      }
      await_async_copies();
    } else {
      auto p = begin;
#pragma unroll 1
      for (int i = thread; i < here * length;) {
        T x[batch];
        int to[batch];
#pragma unroll
        for (int k = 0; k < batch; ++k, i += threads, next(p)) {
          to[k] = -1;
          if (i < here * length) {
            to[k] = p.line * apart + p.item;
            put_bytes(x[k], problem.item(from(p)));
          }
        }
#pragma unroll
        for (int k = 0; k < batch; ++k)
          if (to[k] >= 0) put_bytes(items[to[k]], x[k]);
      }
    }
    __syncthreads();
    if (thread < here) {
      auto const at = grid.place(line0 + thread);
      auto sum = problem.before_line(at);
      chain_in_shared<Problem::what, 1>(items + thread * apart, 1, length, sum, op);
      if constexpr (totals) problem.put(at.out, sum.value);
    }
    if constexpr (!totals) {
      __syncthreads();
      auto const to = [&](position const& p) { return memory.out[p.line] + p.item * grid.out; };
      auto p = begin;
      if constexpr (Problem::looks) {
        constexpr int together = 4;
#pragma unroll 1
        for (int i = thread; i < here * length;) {
          decltype(problem.look(to(p))) seen[together];
          position own[together];
          int count = 0;
#pragma unroll
          for (int k = 0; k < together; ++k) {
            bool const exists = i < here * length;
            own[k] = exists ? p : begin;  // not in a branch
            count += exists;
            seen[k] = problem.look(to(own[k]));
            i += threads;
            next(p);
          }
#pragma unroll
          for (int k = 0; k < together; ++k)
            if (k < count) problem.put(to(own[k]), items[own[k].line * apart + own[k].item], seen[k]);
        }
      } else {
#pragma unroll 4
        for (int i = thread; i < here * length; i += threads, next(p))
          problem.put(to(p), items[p.line * apart + p.item]);
      }
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

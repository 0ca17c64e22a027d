// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_CHUNKS_CUH
#define SWEEP_DETAIL_AXES_TILE_CHUNKS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/ask_ahead.cuh>
#include <sweep/detail/axes/tile/chunk_as_it_lies.cuh>
#include <sweep/detail/axes/tile/chunk_in_shared.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/axes/tile/windows.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/warp/reduce.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Up to 32 chunks of lines that lie along the axis, by a block: those of several lines, or a group of those
/// of one. A warp has a chunk at a time, whose 32 strips pass through shared memory. Of a line that is folded
/// a block may have twice as many: as chunks do not wait for each other its warps have some of them at once,
/// and more blocks are on their way.
template <class Problem>
struct chunks_of_lines {
  using T = typename Problem::value;
  using told = T;
  using chunk = chunk_in_shared<Problem>;
  using lying = chunk_as_it_lies<Problem>;
  static constexpr int items = chunk::items;
  static constexpr int bytes = std::max(chunk::pitch * static_cast<int>(sizeof(T)),
                                        lying::possible ? lying::bytes : 0);  ///< of a chunk
  /// Where items are in several arrays there are fewer warps, which have more registers; of pairs from two
  /// arrays of words so that three groups are on their way at a time, not two.
  static constexpr bool pairs_of_words =
      is_zip_of_pointers<std::remove_const_t<decltype(Problem::in)>> && sizeof(T) == 8;
  static constexpr bool composed =
      pairs_of_words || Problem::looks ||
      arrays_of_place<typename Problem::in_place> + arrays_of_place<typename Problem::out_place> > 2;
  static constexpr bool folds = Problem::what == line_result::total;
  static constexpr bool folds_lying = folds && lying::possible;
  /// Chunks of a block; where it has whole lines, those of a line: totals of no more are one chain or chunk.
  static constexpr int most_chunks = 32,
                       most_totals =
                           folds ? std::clamp(items, 2 * most_chunks, 4 * most_chunks) : most_chunks;
  static constexpr int warps = composed || folds ? 8 : 16, threads = 32 * warps;
  static constexpr int turns = folds ? 2 : most_chunks / warps, at_once = turns * warps;
  /// Items that are less as they were fetched wait in registers, a lane's strips of them.
  static constexpr bool as_fetched =
      !folds && Problem::waits_fetched && turns * chunk::strip * sizeof(typename Problem::fetched) <= 64;
  /// Chunks in shared memory. Of those that are folded as they lie a warp has as many under way as four
  /// blocks have room for, which is more than memory needs.
  static constexpr int pieces = folds_lying       ? warps * std::clamp((40 << 10) / (warps * bytes), 2, 4)
                                : lying::possible ? most_chunks
                                : as_fetched      ? warps
                                                  : at_once;
  static constexpr bool scans_lying = lying::possible && !folds;
  static constexpr bool shares =
      chunk::may_share && !(lying::possible && lying::narrow) && !composed;  ///< whether lines may
  /// Of whole lines: those that are folded as they lie pass through shared memory in turn.
  /// Of several turns of blocks, which have so many bytes, the last ones are not to run alone for long.
  static constexpr int most_together = folds_lying ? 4 * most_chunks : most_chunks, of_waves = 128 << 10,
                       most_in_waves = folds_lying ? std::clamp(of_waves / (32 * lying::strip_bytes),
                                                                2 * warps, 2 * most_chunks)
                                                   : most_chunks;
  static constexpr int most_lines = shares ? 4 * most_chunks : most_together;
  /// What says where a warp is. Of those, which have wide values, shuffles are many; else to say that it is
  /// the same in all lanes costs a block's start more than it saves.
  template <class X>
  static __device__ X of_warp(X const& x) {
    if constexpr (composed) return same_in_warp(x);
    else return x;
  }
  /// Items that are narrower than their results are few bytes a warp, of which it would wait for one chunk's
  /// after another: those of a block that comes later are asked for long before. Others would be in the way
  /// of results.
  static constexpr bool asks_ahead = !folds &&
                                     std::is_pointer_v<std::remove_const_t<decltype(Problem::in)>> &&
                                     sizeof(typename Problem::raw) < sizeof(typename Problem::out_value);
  /// Supergroups before its own whose prefixes a block does not wait for: it has registers for the totals of
  /// so many's groups. Where there are no more than two in all, less code is worth more.
  static constexpr int near_supers = sizeof(T) <= 8 && !may_ignore_left<T> ? 1 : 0;
  static constexpr std::int64_t few_chunks = 2 * most_chunks * most_chunks;
  using line_place = typename decltype(Problem::grid)::place_type;
  struct shared {
    alignas(16) alignas(T) unsigned char items[pieces * bytes];
    uninitialized<T, std::max({most_totals, most_together, most_lines})> totals;
    uninitialized<T> above;
    line_place places[most_lines];  ///< of the block's lines
    typename lying::place lying_places[folds_lying ? most_together : 1];
  };

  Problem const& problem;
  shared& memory;
  line_layout how;
  std::int64_t line0, chunk0;  ///< the first of each
  int lines, chunks;           ///< of this block: one of the two is 1 where a line has more than a group
  int lane = static_cast<int>(threadIdx.x) % 32, warp = of_warp(static_cast<int>(threadIdx.x) / 32);
  int lane_bits = lane_bits_of(problem.grid.length);  ///< of the lanes of a line
  /// Whether chunks stand in shared memory as they lie in memory: those of lines that are not whole words, or
  /// not whole chunks.
  bool lie = as_in_memory();
  __device__ bool as_in_memory() const {
    if constexpr (scans_lying) {
      auto const step = problem.grid.in;
      return (step == 1 || step == -1) && step == problem.grid.out &&
             !(how.in_words && how.out_words && problem.grid.length % items == 0);
    }
    return false;
  }
  /// A warp's turns, counted from the block's first: of narrow items, whose strips take all registers, line
  /// and chunk share one.
  int lines_of_turns[turns], chunks_of_turns[scans_lying ? 1 : turns];
  __device__ int line_of(int turn) const {
    return scans_lying ? lines_of_turns[turn] >> 16 : lines_of_turns[turn];
  }
  __device__ int chunk_of(int turn) const {
    if constexpr (scans_lying) return lines_of_turns[turn] & 0xffff;
    else return chunks_of_turns[turn];
  }

  /// Lines that are one chunk may share a warp.
  static SWEEP_HD constexpr int lane_bits_of(std::int64_t length) {
    return shares ? chunk::lane_bits_of(length) : 5;
  }

  /// Whether the lines of a reduction are folded as they lie: those that share warps are not. Of items of a
  /// register or more that takes longer to begin, so small inputs do only where blocks have whole long lines.
  template <class Grid>
  static bool lines_lie([[maybe_unused]] Grid const& grid) {
    if constexpr (folds_lying) {
      if (leading(grid.in) != 1 || lane_bits_of(grid.length) < 5) return false;
      constexpr std::int64_t long_line = 64 << 10;
      auto const line_bytes = grid.length * static_cast<std::int64_t>(sizeof(typename lying::raw));
      return lying::narrow || grid.lines * line_bytes >= fewest_bytes_that_lie ||
             (line_bytes >= long_line && chunks_of_line<T, Problem::what>(grid.length) <= most_totals);
    }
    return false;
  }

  /// Asks for the items of chunks that another block will have, from `chunk` on, a thread a line.
  static __device__ void ask(Problem const& problem, std::int64_t line, int lines, std::int64_t chunk,
                             int chunks) {
    auto const& grid = problem.grid;
    auto const nth = line + threadIdx.x;
    if (static_cast<int>(threadIdx.x) >= lines || nth >= grid.lines) return;
    auto const first = chunk * items;
    ask_ahead(problem.in, grid.place(nth).in + first * grid.in, grid.in,
              min(grid.length - first, std::int64_t{chunks} * items));
  }

  /// `meanwhile` is called when the block has its items.
  template <class Work>
  __device__ void run(chunk_order const& order, Work const& meanwhile) {
    auto op = problem.op;
    if constexpr (folds_lying)
      if (how.lie) return fold_as_they_lie(order, lines * chunks, op);
    int const all = ((lines * chunks << lane_bits) + 31) / 32;  // turns: of 32 lanes
    // Found once, by a thread a line: it takes divisions, and their code.
    if (int const nth = static_cast<int>(threadIdx.x); nth < lines)
      memory.places[nth] = problem.grid.place(line0 + nth);
    __syncthreads();
    if constexpr (Problem::what == line_result::total) {
#pragma unroll 1
      for (int from = 0; from < all; from += at_once) {
        load_chunks(from, all);
#pragma unroll
        for (int turn = 0; turn < turns; ++turn)
          if (int const nth = warp + turn * warps; from + nth < all) fold_chunk(order, from, nth, turn, op);
        __syncwarp();
      }
      if (order.totals == nullptr) {
        __syncthreads();
        fold_lines(op);
      }
    } else {
      waiting strips[turns];
      if constexpr (as_fetched) fetch_chunks(strips, all);
      else load_chunks(0, all);
      meanwhile();
      T left[turns];
#pragma unroll
      for (int turn = 0; turn < turns; ++turn)
        if (int const nth = warp + turn * warps; nth < all)
          left[turn] = scans_lying && lie ? scan_strips<true>(nth, turn, strips[turn], op)
                                          : scan_strips<false>(nth, turn, strips[turn], op);
      __syncthreads();
      if (order.chunks > most_chunks) {
        if (warp == 0) {
          T const own = lane < chunks ? memory.totals[lane] : memory.totals[0];
          T const total = warp_reduce_right(own, chunks, op);
          auto const state = order.template state_of<T>(line0);
          auto const group = chunk0 / most_chunks;
          auto const found = [&] {
            if constexpr (near_supers > 0)
              if (order.chunks > few_chunks)
                return state.template publish_group_and_ask_at_once<near_supers>(warp_lanes{}, group, total,
                                                                                 op);
            return state.publish_group_and_look_back(warp_lanes{}, group, total, op);
          }();
          if (lane == 0 && found.present) put_bytes(memory.above.value(), found.value);
        }
        __syncthreads();
      }
#pragma unroll
      for (int turn = 0; turn < turns; ++turn)
        if (int const nth = warp + turn * warps; nth < all) {
          if (scans_lying && lie) finish<true>(nth, turn, strips[turn], left[turn], op);
          else finish<false>(nth, turn, strips[turn], left[turn], op);
        }
    }
  }

 private:
  /// Which of the block's chunks a number is.
  __device__ void find_chunk(int nth, int& line, int& chunk) const {
    line = lines == 1    ? 0
           : chunks == 1 ? nth << (5 - lane_bits)
                         : static_cast<int>(static_cast<unsigned>(nth) / static_cast<unsigned>(chunks));
    chunk = chunks == 1 ? 0 : nth - line * chunks;
  }
  __device__ void find_turn(int turn, int from) {
    int const nth = from + warp + turn * warps;
    if constexpr (scans_lying) {
      int line = 0, chunk = 0;
      find_chunk(nth, line, chunk);
      lines_of_turns[turn] = line << 16 | chunk;
    } else {
      find_chunk(nth, lines_of_turns[turn], chunks_of_turns[turn]);
    }
  }
  /// Totals of chunks whose items are neighbours in memory. A warp's next ones are on their way meanwhile.
  template <class Op>
  __device__ void fold_as_they_lie(chunk_order const& order, int all, Op& op) const {
    constexpr int together = lying::together, under_way = pieces / warps;
    int const pieces_of_line = (chunks + together - 1) / together, all_pieces = lines * pieces_of_line;
    int line = 0, chunk_of_line = 0;
    if (int const nth = static_cast<int>(threadIdx.x); nth < all) {
      find_chunk(nth, line, chunk_of_line);
      if (chunk_of_line == 0) memory.places[line] = problem.grid.place(line0 + line);
    }
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < all && chunk_of_line % together == 0) {
      auto const first = (chunk0 + chunk_of_line) * items;
      auto const begin = reinterpret_cast<std::uintptr_t>(problem.memory() + leading(memory.places[line].in));
      constexpr auto size = sizeof(typename lying::raw);
      int const most = together == 1 ? items : min(together, chunks - chunk_of_line) * items;
      auto& place = memory.lying_places[together == 1 ? static_cast<int>(threadIdx.x)
                                                      : line * pieces_of_line + chunk_of_line / together];
      place = {begin + static_cast<std::uintptr_t>(first) * size, begin,
               begin + static_cast<std::uintptr_t>(problem.grid.length) * size,
               static_cast<int>(min(problem.grid.length - first, std::int64_t{most}))};
      if constexpr (Problem::makes_of_memory) place.item = memory.places[line].in + first * problem.grid.in;
    }
    __syncthreads();
    auto const piece = [&](int nth) {
      return lying{memory.items + nth % pieces * bytes, memory.lying_places[nth], lane};
    };
    auto const ask = [&](int nth) {
      if (nth < all_pieces) piece(nth).ask();
      end_first_async_copies();
    };
#pragma unroll 1
    for (int k = 0; k < under_way - 1; ++k) ask(warp + k * warps);
#pragma unroll 1
    for (int nth = warp; nth < all_pieces; nth += warps) {
      ask(nth + (under_way - 1) * warps);
      await_async_copies_but<under_way - 1>();
      __syncwarp();
      int const first = nth * together - nth / pieces_of_line * (pieces_of_line * together - chunks);
      piece(nth).fold_each(problem, op, [&](int c, T const& x) { put_bytes(memory.totals[first + c], x); });
      __syncwarp();
    }
    __syncthreads();
    if (order.totals == nullptr) fold_lines(op);
    else if (int const nth = static_cast<int>(threadIdx.x); nth < all)
      leave_total(problem, order, chunk0 + chunk_of_line, line0 + line, memory.totals[nth]);
  }
  /// What a lane has of a chunk.
  struct chunk_place {
    line_place at;       ///< of the line
    int line;            ///< of the block's
    std::int64_t first;  ///< item of the line
    int count;
  };
  __device__ chunk_place place(int turn) const {
    int const line = line_of(turn) + (lane >> lane_bits);
    auto const first = (chunk0 + chunk_of(turn)) * items;
    int const count = static_cast<int>(min(problem.grid.length - first, std::int64_t{items}));
    return {memory.places[min(line, lines - 1)], line, first, line < lines ? count : 0};
  }
  __device__ chunk of(int nth) const {
    return {problem, reinterpret_cast<T*>(memory.items + (as_fetched ? warp : nth) * bytes), lane, lane_bits};
  }
  /// The same where chunks are as they lie in memory.
  __device__ typename lying::place where_it_lies(chunk_place const& here) const {
    constexpr auto size = sizeof(*problem.in);
    auto const begin = lowest_of(problem.in, here.at.in, problem.grid.length);
    return {begin + lowest_item(here) * size, begin,
            begin + static_cast<std::uintptr_t>(problem.grid.length) * size, here.count};
  }
  __device__ std::uintptr_t where_results_lie(chunk_place const& here) const {
    return lowest_of(problem.out, here.at.out, problem.grid.length) +
           lowest_item(here) * sizeof(*problem.out);
  }
  template <class It>
  __device__ std::uintptr_t lowest_of(It const& it, std::int64_t line, std::int64_t length) const {
    return reinterpret_cast<std::uintptr_t>(it + line - (problem.grid.in < 0 ? length - 1 : 0));
  }
  __device__ std::uintptr_t lowest_item(chunk_place const& here) const {
    return static_cast<std::uintptr_t>(problem.grid.in < 0 ? problem.grid.length - here.first - here.count
                                                           : here.first);
  }
  __device__ lying as_it_lies(int nth, typename lying::place const& at) const {
    return {memory.items + nth * bytes, at, lane, problem.grid.in < 0};
  }
  struct in_shared_memory {};
  struct fetched_strip {
    typename Problem::fetched of[chunk::strip];
  };
  using waiting = std::conditional_t<as_fetched, fetched_strip, in_shared_memory>;
  __device__ auto first_of(chunk_place const& here) const {
    return here.at.in + here.first * problem.grid.in;
  }
  __device__ void load(int nth, int turn) const {
    if (lane_bits < 5)
      return of(nth).template load_places<chunk::part>(how, in_line(nth, turn), [&](int p) {
        return place_of(nth, turn, p).in + of(nth).of_place(p).item * problem.grid.in;
      });
    auto const here = place(turn);
    if constexpr (scans_lying)
      if (lie) return as_it_lies(nth, where_it_lies(here)).ask();
    of(nth).load(here.at.in + here.first * problem.grid.in, here.count, how);
  }
  // Where several lines share a chunk: whether a place in shared memory is one's, and which line's.
  __device__ auto in_line(int nth, int turn) const {
    return [this, piece = of(nth), left = lines - line_of(turn)](int p) {
      auto const at = piece.of_place(p);
      return at.line < left && at.item < problem.grid.length;
    };
  }
  __device__ line_place const& place_of(int nth, int turn, int p) const {
    return memory.places[min(line_of(turn) + of(nth).of_place(p).line, lines - 1)];
  }

  /// The block's chunks from this one on are in shared memory, as many as it holds, each before its warp.
  __device__ void load_chunks(int from, int all) {
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) find_turn(turn, from);
    if constexpr (pairs_of_words && !comes_in_halves<Problem>)
      if (lane_bits == 5 && how.in_items && lines == 1 && all == turns * warps &&
          (chunk0 + chunks) * items <= problem.grid.length)
        return load_whole_chunks();
#pragma unroll
    for (int turn = 0; turn < turns; ++turn)
      if (int const nth = warp + turn * warps; from + nth < all) load(nth, turn);
    if constexpr (scans_lying || comes_in_halves<Problem>) await_async_copies();
    __syncwarp();
  }
  /// Those of two turns wait for memory together.
  __device__ void load_whole_chunks() const {
    static_assert(turns % 2 == 0);
#pragma unroll
    for (int turn = 0; turn < turns; turn += 2) {
      T x[2][chunk::strip];
#pragma unroll
      for (int t = 0; t < 2; ++t) of(warp + (turn + t) * warps).ask(first_of(place(turn + t)), items, x[t]);
#pragma unroll
      for (int t = 0; t < 2; ++t) of(warp + (turn + t) * warps).put(x[t], items);
    }
    __syncwarp();
  }

  /// A warp's chunks, which wait for memory together.
  __device__ void fetch_chunks(waiting (&strips)[turns], int all) {
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) find_turn(turn, 0);
#pragma unroll
    for (int turn = 0; turn < turns; ++turn)
      if (int const nth = warp + turn * warps; nth < all) {
        auto const here = place(turn);
        of(nth).fetch(first_of(here), here.count, strips[turn].of);
      }
#pragma unroll
    for (int turn = 0; turn < turns; ++turn)
      if (int const nth = warp + turn * warps; nth < all) of(nth).turn_to_strip(strips[turn].of);
  }
  template <bool Lie>
  __device__ void get_strip(int nth, chunk_place const& here, waiting const& strip,
                            T (&x)[chunk::strip]) const {
    if constexpr (scans_lying && Lie) as_it_lies(nth, where_it_lies(here)).get_strip(problem, x);
    else if constexpr (as_fetched) of(nth).make_strip(strip.of, first_of(here), x);
    else of(nth).get_strip(x);
  }

  /// Leaves a chunk's total.
  template <class Op>
  __device__ void fold_chunk(chunk_order const& order, int from, int nth, int turn, Op& op) const {
    auto const here = place(turn);
    T const sum = of(nth).scan_strips(here.count, op);
    if (of(nth).lane_of_line() != chunk::strips_of(here.count) - 1) return;
    if (order.totals == nullptr) put_bytes(memory.totals[lane_bits < 5 ? here.line : from + nth], sum);
    else leave_total(problem, order, chunk0 + chunk_of(turn), line0 + line_of(turn), sum);
  }
  /// Leaves a chunk's total, after what stands before the line where the chunk is its first; gives what comes
  /// before the lane's strip in the chunk.
  template <bool Lie, class Op>
  __device__ T scan_strips(int nth, int turn, waiting const& strip, Op& op) const {
    auto const here = place(turn);
    T x[chunk::strip];
    get_strip<Lie>(nth, here, strip, x);
    T const sum = chunk::scan_strips(x, here.count, of(nth).lane_of_line(), op, 1 << lane_bits);
    if (lane_bits == 5 && lane == chunk::strips_of(here.count) - 1) {
      auto const before = problem.before_line(here.at);
      put_bytes(memory.totals[nth], here.first == 0 ? combine(before, sum, op) : sum);
    }
    return warp_shfl_up(sum, 1);
  }

  /// Whole lines of a reduction: their chunks' totals in a chain, a thread a line; where those are more than
  /// make a chain, as the items of a chunk, a warp a line.
  template <class Op>
  __device__ void fold_lines(Op& op) const {
    if constexpr (most_totals > length_of_one_chain && !(folds_lying && lying::any_brackets))
      if (chunks > length_of_one_chain) {
#pragma unroll 1
        for (int nth = warp; nth < lines; nth += warps) fold_totals(nth, op);
        return;
      }
    if (int const nth = static_cast<int>(threadIdx.x); nth < lines) {
      auto const at = memory.places[nth];
      auto sum = problem.before_line(at);
#pragma unroll 4
      for (int c = 0; c < chunks; ++c) sum = {combine(sum, memory.totals[nth * chunks + c], op), true};
      problem.put(at.out, sum.value);
    }
  }

  template <class Op>
  __device__ void fold_totals(int nth, Op& op) const {
    constexpr int strip = strip_items<T, Problem::what>;
    int const first = lane * strip, strips = (chunks + strip - 1) / strip;
    optional<T> own{};
#pragma unroll
    for (int k = 0; k < strip; ++k)
      if (first + k < chunks) own = {combine(own, memory.totals[nth * chunks + first + k], op), true};
    T const sum = warp_scan_first(own.value, strips, op);
    if (lane != strips - 1) return;
    auto const at = memory.places[nth];
    problem.put(at.out, combine(problem.before_line(at), sum, op));
  }

  /// What comes before a chunk: what stands before the line; else what comes before the group, and the totals
  /// of the chunks before it in the group.
  template <class Op>
  __device__ optional<T> before_chunk(int nth, int turn, chunk_place const& here, Op& op) const {
    if (here.first == 0) return problem.before_line(here.at);
    int const before = chunk_of(turn);
    optional<T> above{};
    if (chunk0 > 0) {
      put_bytes(above.value, memory.above.value());
      above.present = true;
    }
    if (before == 0) return above;
    T const one = memory.totals[nth - before + min(lane, before - 1)];
    T const folded = warp_shfl(warp_reduce_right(one, before, op), 0);
    return {combine(above, folded, op), true};
  }

  template <bool Lie, class Op>
  __device__ void finish(int nth, int turn, waiting const& strip, T const& left, Op& op) const {
    auto const here = place(turn);
    auto const before = before_chunk(nth, turn, here, op);
    T x[chunk::strip];
    get_strip<Lie>(nth, here, strip, x);
    if constexpr (as_fetched) __syncwarp();  // the results of the turn before have left shared memory
    of(nth).make_results(x, here.count, before, left, op);
    if constexpr (scans_lying && Lie) {
      typename lying::place const at{0, 0, 0, here.count};  // of the items nothing else matters any more
      auto const to = where_results_lie(here);
      __syncwarp();  // all strips have been taken
      as_it_lies(nth, at).put_strip(x, to);
      __syncwarp();
      return as_it_lies(nth, at).write(to);
    }
    of(nth).put_strip(x);
    __syncwarp();
    if (lane_bits == 5) return of(nth).write(here.at.out + here.first * problem.grid.out, here.count, how);
    of(nth).template store_places<chunk::strip>(how, here.at.out, 0, in_line(nth, turn), [&](int p) {
      return place_of(nth, turn, p).out + of(nth).of_place(p).item * problem.grid.out;
    });
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

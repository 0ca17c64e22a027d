// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_CHUNKS_CUH
#define SWEEP_DETAIL_AXES_TILE_CHUNKS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/axes/tile/windows.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/staged_row.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/warp/reduce.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A chunk of a line on its way through a warp's piece of shared memory: as its items lie in memory, a lane
/// taking neighbours of its neighbours', and by strips, a lane's being 64 bytes of neighbours.
template <class Problem>
struct chunk_in_shared {
  using T = typename Problem::value;
  static constexpr int strip = strip_items<T>, items = chunk_items<T>, V = word_items<T>;
  static constexpr int pitch = skewed<T>(items);
  static constexpr int words = fills_words<T> ? strip / V : 1;  ///< of a lane, as they lie in memory

  Problem const& problem;
  T* memory;
  int lane;

  /// `from` on; in whole words where memory has them.
  __device__ void load(typename Problem::in_place const& from, int count, bool in_words) const {
    if (in_words && count == items) {
      T x[words][V];
#pragma unroll
      for (int k = 0; k < words; ++k)
        load_word(problem, neighbour(from, problem.grid.in, V * (32 * k + lane)), x[k]);
#pragma unroll
      for (int k = 0; k < words; ++k) put_word(memory + skewed<T>(V * (32 * k + lane)), x[k]);
    } else {
      T x[strip];
      auto at = from + lane * problem.grid.in;
      auto const step = 32 * problem.grid.in;
      if (count == items) {
#pragma unroll
        for (int k = 0; k < strip; ++k, at += step) x[k] = problem.item(at);
      } else {
#pragma unroll
        for (int k = 0; k < strip; ++k, at += step)
          if (32 * k + lane < count) x[k] = problem.item(at);
      }
#pragma unroll
      for (int k = 0; k < strip; ++k)
        if (32 * k + lane < count) put_bytes(memory[skewed<T>(32 * k + lane)], x[k]);
    }
  }

  /// The place k items along a line whose neighbours are neighbours in memory.
  template <class Place>
  static __device__ Place neighbour(Place const& at, Place const& step, int k) {
    if constexpr (arrays_of_place<Place> == 1) return at + (step < 0 ? -k : k);
    else return at + k * step;
  }

  /// A lane's strip. What a last chunk lacks is not looked at.
  __device__ void get_strip(T (&x)[strip]) const {
    if constexpr (fills_words<T>) {
#pragma unroll
      for (int k = 0; k < strip / V; ++k) {
        T word[V];
        get_word(memory + skewed<T>(strip * lane + V * k), word);
#pragma unroll
        for (int v = 0; v < V; ++v) x[V * k + v] = word[v];
      }
    } else {
#pragma unroll
      for (int k = 0; k < strip; ++k) put_bytes(x[k], memory[skewed<T>(strip * lane + k)]);
    }
  }
  __device__ void put_strip(T const (&x)[strip]) const {
    if constexpr (fills_words<T>) {
#pragma unroll
      for (int k = 0; k < strip / V; ++k) {
        T word[V];
#pragma unroll
        for (int v = 0; v < V; ++v) word[v] = x[V * k + v];
        put_word(memory + skewed<T>(strip * lane + V * k), word);
      }
    } else {
#pragma unroll
      for (int k = 0; k < strip; ++k) put_bytes(memory[skewed<T>(strip * lane + k)], x[k]);
    }
  }

  /// The fold of all strips up to a lane's, with it, of a chunk of so many items.
  template <class Op>
  __device__ T scan_strips(int count, Op& op) const {
    T x[strip];
    get_strip(x);
    return scan_strips(x, count, lane, op);
  }
  template <class Op>
  static __device__ T scan_strips(T const (&x)[strip], int count, int lane, Op& op) {
    T total = x[0];
    if (count == items) {
#pragma unroll
      for (int k = 1; k < strip; ++k) total = op(total, x[k]);
      return warp_scan_first(total, 32, op);
    }
    int const mine = min(strip, count - strip * lane);  // may be negative
#pragma unroll
    for (int k = 1; k < strip; ++k)
      if (k < mine) total = op(total, x[k]);
    return warp_scan_first(total, strips_of(count), op);
  }
  static __device__ int strips_of(int count) { return (count + strip - 1) / strip; }

  /// Writes the results of a chunk, `sum` being what comes before it, and `left` before the lane's strip in
  /// it.
  template <class Op>
  __device__ void finish(typename Problem::out_place const& out, int count, bool out_words, optional<T> sum,
                         T const& left, Op& op) const {
    int const mine = min(strip, count - strip * lane);
    if (lane > 0) sum = {combine(sum, left, op), true};
    T x[strip];
    get_strip(x);
    if (count == items) {
#pragma unroll
      for (int k = 0; k < strip; ++k) x[k] = next_of_line<Problem::what>(sum, x[k], op);
    } else {
#pragma unroll
      for (int k = 0; k < strip; ++k)
        if (k < mine) x[k] = next_of_line<Problem::what>(sum, x[k], op);
    }
    put_strip(x);
    __syncwarp();
    if (out_words && count == items) {
#pragma unroll
      for (int k = 0; k < words; ++k) {
        T word[V];
        get_word(memory + skewed<T>(V * (32 * k + lane)), word);
        store_word(problem, neighbour(out, problem.grid.out, V * (32 * k + lane)), word);
      }
    } else {  // stores begin on boundaries of 32 results
      int const shift = places_before_boundary(problem.out, out, problem.grid.out);
      constexpr int part = strip < 4 ? strip : 4;
      auto at = out + (lane - shift) * problem.grid.out;
      auto const step = 32 * problem.grid.out;
      for (int first = 0; first <= strip; first += part) {
        decltype(problem.look(out)) seen[part];
        typename Problem::out_place to[part];
#pragma unroll
        for (int k = 0; k < part; ++k, at += step) {
          int const p = 32 * (first + k) + lane - shift;
          to[k] = p >= 0 && p < count ? at : out;  // so that nothing is looked at in a branch
          seen[k] = problem.look(to[k]);
        }
#pragma unroll
        for (int k = 0; k < part; ++k)
          if (int const p = 32 * (first + k) + lane - shift; p >= 0 && p < count)
            problem.put(to[k], memory[skewed<T>(p)], seen[k]);
      }
    }
  }
};

/// A chunk of a line of narrow items that is folded, in 16-byte words as they lie in memory, wherever it
/// begins there: lanes bring them by asynchronous copies, and shift them as they take their strips. Items of
/// a register or more take less time one by one.
template <class Problem>
struct chunk_as_it_lies {
  using T = typename Problem::value;
  using raw = typename Problem::raw;
  static constexpr bool possible = Problem::what == line_result::total && sizeof(raw) < 4 &&
                                   std::is_pointer_v<decltype(Problem::in)> && relocatable<raw> &&
                                   fills_words<raw>;
  static constexpr int strip = strip_items<T>, items = chunk_items<T>,
                       strip_bytes = strip * static_cast<int>(sizeof(raw)),
                       strip_words = (strip_bytes + 15) / 16, most_words = 2 * strip_bytes + 2;
  static constexpr int bytes = 16 * (most_words + most_words / 8);

  /// Where a chunk lies in memory: its first byte, and the bytes of its line.
  struct place {
    std::uintptr_t first, from, to;
    int count;  ///< of items
  };

  unsigned char* memory;
  place const& at;
  int lane;

  /// Word w of the chunk's: one is left out behind every 128 bytes, so that strips lie on different banks.
  __device__ unsigned char* word(int w) const { return memory + 16 * (w + w / 8); }
  __device__ int shift() const { return static_cast<int>(at.first % 16); }

  /// Its items are on their way. Of a word that lies partly outside of the line no byte is touched there.
  __device__ void ask() const {
    auto const aligned = at.first - static_cast<unsigned>(shift());
    int const words = (shift() + at.count * static_cast<int>(sizeof(raw)) + 15) / 16;
    if (aligned >= at.from && aligned + 16 * static_cast<unsigned>(words) <= at.to) {
      constexpr int whole = 2 * strip_bytes;  // words of a whole chunk: 32 of them lie 36 apart
      auto* const to = word(lane);
      auto const* const from = reinterpret_cast<uint4 const*>(aligned) + lane;
      if (at.count == items) {
#pragma unroll
        for (int k = 0; k < whole; k += 32)
          if (whole % 32 == 0 || lane + k < whole) copy_16_bytes_async(to + 18 * k, from + k);
        if (lane + whole < words) copy_16_bytes_async(to + 18 * whole, from + whole);
      } else {
        for (int k = 0; lane + k < words; k += 32) copy_16_bytes_async(to + 18 * k, from + k);
      }
      return;
    }
    for (int w = lane; w < words; w += 32)
      if (auto const one = aligned + 16 * static_cast<unsigned>(w); one >= at.from && one + 16 <= at.to)
        copy_16_bytes_async(word(w), reinterpret_cast<void const*>(one));
    bool const begins_before = aligned < at.from;
    if (begins_before) ask_bytes(aligned, 0);
    if (aligned + 16 * static_cast<unsigned>(words) > at.to && !(begins_before && words == 1))
      ask_bytes(aligned, words - 1);
  }
  /// Of word w, which lies partly in the line, those bytes that do.
  __device__ void ask_bytes(std::uintptr_t aligned, int w) const {
    auto const byte = aligned + 16 * static_cast<unsigned>(w) + static_cast<unsigned>(lane);
    if (lane < 16 && byte >= at.from && byte < at.to)
      word(w)[lane] = *reinterpret_cast<unsigned char const*>(byte);
  }
  /// A lane's strip. What a last chunk lacks is not looked at.
  __device__ void get_strip(Problem const& problem, T (&x)[strip]) const {
    item_vector<raw, strip> vector;
    constexpr int registers = item_vector<raw, strip>::words;
    unsigned found[registers + 4];
    int const first = lane * strip_bytes + shift(), shifted = first % 16;
    auto const* const own = word(first / 16);  // of whole words a strip has those up to a gap, or to the next
    auto const take = [&](int w, unsigned char const* from) {
      auto const four = *reinterpret_cast<uint4 const*>(from);
      unsigned const each[4]{four.x, four.y, four.z, four.w};
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (4 * w + k < registers + 4) found[4 * w + k] = each[k];
    };
#pragma unroll
    for (int w = 0; w < strip_words; ++w) take(w, own + 16 * w);
    if (shifted == 0) {
#pragma unroll
      for (int w = 0; w < registers; ++w) vector.word[w] = found[w];
    } else {
      take(strip_words, word(first / 16 + strip_words));
      shift_words<alignof(raw)>(found, shifted, vector.word);
    }
    raw of[strip];
    vector.unpack_numbers(of);
#pragma unroll
    for (int k = 0; k < strip; ++k) put_bytes(x[k], problem.of(of[k]));
  }
};

/// Up to 32 chunks of lines that lie along the axis, by a block: those of several lines, or a group of those
/// of one. A warp has a chunk at a time, whose 32 strips pass through shared memory.
template <class Problem>
struct chunks_of_lines {
  using T = typename Problem::value;
  using told = T;
  using chunk = chunk_in_shared<Problem>;
  using lying = chunk_as_it_lies<Problem>;
  static constexpr int items = chunk::items;
  static constexpr int bytes = std::max(chunk::pitch * static_cast<int>(sizeof(T)),
                                        lying::possible ? lying::bytes : 0);  ///< of a chunk
  /// Where items are in several arrays there are fewer warps, which have more registers.
  static constexpr bool composed =
      arrays_of_place<typename Problem::in_place> + arrays_of_place<typename Problem::out_place> > 2;
  /// So too where words are brought as they lie: more blocks have their chunks on their way.
  static constexpr bool few_warps = composed || lying::possible;
  static constexpr int most_chunks = 32, warps = few_warps ? 8 : 16, threads = 32 * warps;
  static constexpr int turns = most_chunks / warps;
  /// What says where a warp is. Of those, which have wide values, shuffles are many; else to say that it is
  /// the same in all lanes costs a block's start more than it saves.
  template <class X>
  static __device__ X of_warp(X const& x) {
    if constexpr (composed) return same_in_warp(x);
    else return x;
  }
  using line_place = typename decltype(Problem::grid)::place_type;
  struct shared {
    alignas(16) alignas(T) unsigned char items[most_chunks * bytes];
    uninitialized<T, most_chunks> totals;
    uninitialized<T> above;
    line_place places[most_chunks];  ///< of the block's lines
    typename lying::place lying_places[lying::possible ? most_chunks : 1];
  };

  Problem const& problem;
  shared& memory;
  line_layout how;
  std::int64_t line0, chunk0;  ///< the first of each
  int lines, chunks;           ///< of this block: one of the two is 1 where a line has more than a group
  int lane = static_cast<int>(threadIdx.x) % 32, warp = of_warp(static_cast<int>(threadIdx.x) / 32);
  int line_of[turns], chunk_of[turns];  ///< of a warp's turns, counted from the block's first

  __device__ void run(chunk_order const& order) {
    auto op = problem.op;
    int const all = lines * chunks;
    if constexpr (lying::possible)
      if (problem.grid.in == 1) return fold_as_they_lie(order, all, op);
    // Found once, by a thread a line: it takes divisions, and their code.
    if (int const nth = static_cast<int>(threadIdx.x); nth < lines)
      memory.places[nth] = problem.grid.place(line0 + nth);
    __syncthreads();
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) find_chunk(warp + turn * warps, line_of[turn], chunk_of[turn]);
#pragma unroll
    for (int turn = 0; turn < turns; ++turn)
      if (int const nth = warp + turn * warps; nth < all) load(nth, turn);
    __syncwarp();
    T left[turns];
#pragma unroll
    for (int turn = 0; turn < turns; ++turn)
      if (int const nth = warp + turn * warps; nth < all) left[turn] = scan_strips(order, nth, turn, op);
    if constexpr (Problem::what == line_result::total) {
      if (order.totals == nullptr) {
        __syncthreads();
        fold_lines(op);
      }
    } else {
      __syncthreads();
      if (order.chunks > most_chunks) {
        if (warp == 0) {
          T const own = lane < chunks ? memory.totals[lane] : memory.totals[0];
          T const total = warp_reduce_right(own, chunks, op);
          auto const found = order.template state_of<T>(line0).publish_group_and_look_back(
              warp_lanes{}, chunk0 / most_chunks, total, op);
          if (lane == 0 && found.present) put_bytes(memory.above.value(), found.value);
        }
        __syncthreads();
      }
#pragma unroll
      for (int turn = 0; turn < turns; ++turn)
        if (int const nth = warp + turn * warps; nth < all) finish(nth, turn, left[turn], op);
    }
  }

 private:
  /// Which of the block's chunks a number is.
  __device__ void find_chunk(int nth, int& line, int& chunk) const {
    line = lines == 1 ? 0 : static_cast<int>(static_cast<unsigned>(nth) / static_cast<unsigned>(chunks));
    chunk = nth - line * chunks;
  }
  /// Totals of chunks whose items are neighbours in memory. They wait for memory together, and are folded one
  /// after the other.
  template <class Op>
  __device__ void fold_as_they_lie(chunk_order const& order, int all, Op& op) const {
    int line = 0, chunk_of_line = 0;
    if (int const nth = static_cast<int>(threadIdx.x); nth < all) {
      find_chunk(nth, line, chunk_of_line);
      if (chunk_of_line == 0) memory.places[line] = problem.grid.place(line0 + line);
    }
    __syncthreads();
    if (int const nth = static_cast<int>(threadIdx.x); nth < all) {
      auto const first = (chunk0 + chunk_of_line) * items;
      auto const begin = reinterpret_cast<std::uintptr_t>(problem.in + memory.places[line].in);
      constexpr auto size = sizeof(*problem.in);
      memory.lying_places[nth] = {begin + static_cast<std::uintptr_t>(first) * size, begin,
                                  begin + static_cast<std::uintptr_t>(problem.grid.length) * size,
                                  static_cast<int>(min(problem.grid.length - first, std::int64_t{items}))};
    }
    __syncthreads();
    auto const piece = [&](int nth) {
      return lying{memory.items + nth * bytes, memory.lying_places[nth], lane};
    };
#pragma unroll 1
    for (int nth = warp; nth < all; nth += warps) piece(nth).ask();
    await_async_copies();
    __syncwarp();
#pragma unroll 1
    for (int nth = warp; nth < all; nth += warps) {
      T x[chunk::strip];
      piece(nth).get_strip(problem, x);
      T total = x[0];
      int const count = memory.lying_places[nth].count;
      if (count == items) {  // the brackets of a scan, for lane 0
#pragma unroll
        for (int k = 1; k < chunk::strip; ++k) total = op(total, x[k]);
#pragma unroll
        for (int by = 1; by < 32; by *= 2) total = op(total, warp_shfl_down(total, by));
        if (lane == 0) put_bytes(memory.totals[nth], total);
      } else {
        total = chunk::scan_strips(x, count, lane, op);
        if (lane == chunk::strips_of(count) - 1) put_bytes(memory.totals[nth], total);
      }
    }
    __syncthreads();
    if (order.totals == nullptr) fold_lines(op);
    else if (int const nth = static_cast<int>(threadIdx.x); nth < all)
      leave_total(problem, order, chunk0 + chunk_of_line, line0 + line, memory.totals[nth]);
  }
  struct chunk_place {
    line_place at;       ///< of the line
    std::int64_t first;  ///< item of the line
    int count;
  };
  __device__ chunk_place place(int turn) const {
    auto const first = (chunk0 + chunk_of[turn]) * items;
    int const count = static_cast<int>(min(problem.grid.length - first, std::int64_t{items}));
    return {memory.places[line_of[turn]], first, count};
  }
  __device__ chunk of(int nth) const {
    return {problem, reinterpret_cast<T*>(memory.items + nth * bytes), lane};
  }
  __device__ void load(int nth, int turn) const {
    auto const [at, first, count] = place(turn);
    of(nth).load(at.in + first * problem.grid.in, count, how.in_words);
  }

  /// Leaves a chunk's total, after what stands before the line where the chunk is its first; gives what comes
  /// before the lane's strip in the chunk.
  template <class Op>
  __device__ T scan_strips(chunk_order const& order, int nth, int turn, Op& op) const {
    auto const [at, first, count] = place(turn);
    T const sum = of(nth).scan_strips(count, op);
    if (lane == chunk::strips_of(count) - 1) {
      if constexpr (Problem::what == line_result::total) {
        if (order.totals == nullptr) put_bytes(memory.totals[nth], sum);
        else leave_total(problem, order, chunk0 + chunk_of[turn], line0 + line_of[turn], sum);
      } else {
        auto const before = problem.before_line(at);
        put_bytes(memory.totals[nth], first == 0 ? combine(before, sum, op) : sum);
      }
    }
    return warp_shfl_up(sum, 1);
  }

  /// Whole lines of a reduction: their chunks' totals in a chain, a thread a line.
  template <class Op>
  __device__ void fold_lines(Op& op) const {
    if (int const nth = static_cast<int>(threadIdx.x); nth < lines) {
      auto const at = memory.places[nth];
      auto sum = problem.before_line(at);
      for (int c = 0; c < chunks; ++c) sum = {combine(sum, memory.totals[nth * chunks + c], op), true};
      problem.put(at.out, sum.value);
    }
  }

  /// What comes before a chunk: what stands before the line; else what comes before the group, and the totals
  /// of the chunks before it in the group.
  template <class Op>
  __device__ optional<T> before_chunk(int nth, int turn, chunk_place const& here, Op& op) const {
    if (here.first == 0) return problem.before_line(here.at);
    int const before = chunk_of[turn];
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

  template <class Op>
  __device__ void finish(int nth, int turn, T const& left, Op& op) const {
    auto const here = place(turn);
    of(nth).finish(here.at.out + here.first * problem.grid.out, here.count, how.out_words,
                   before_chunk(nth, turn, here, op), left, op);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_CHUNK_IN_SHARED_CUH
#define SWEEP_DETAIL_AXES_TILE_CHUNK_IN_SHARED_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/arrays_beneath.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/axes/tile/windows.cuh>
#include <sweep/detail/core/optional.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A chunk of a line on its way through a warp's piece of shared memory: as its items lie in memory, a lane
/// taking neighbours of its neighbours', and by strips, a lane's being 64 bytes of neighbours. Where whole
/// lines have few strips it is a chunk of as many neighbouring lines as have room, 2^lane_bits strips apart.
template <class Problem>
struct chunk_in_shared {
  using T = typename Problem::value;
  static constexpr int strip = strip_items<T, Problem::what>, items = chunk_items<T, Problem::what>,
                       V = word_items<T>;
  static constexpr int pitch = skewed<T>(items);
  static constexpr int part = strip < 4 ? strip : 4;            ///< of a lane's places that are moved at once
  static constexpr int words = fills_words<T> ? strip / V : 1;  ///< of a lane, as they lie in memory

  Problem const& problem;
  T* memory;
  int lane, lane_bits = 5;  ///< of the lanes of a line

  /// Lines of a power of two of lanes, where they are more than one chain.
  static constexpr bool may_share = length_of_one_chain < 16 * strip;
  static SWEEP_HD constexpr int lane_bits_of(std::int64_t length) {
    return !may_share || length > 16 * strip ? 5 : length > 8 * strip ? 4 : 3;
  }
  __device__ int lane_of_line() const { return lane & ((1 << lane_bits) - 1); }
  /// Which of the lines, and which item of it, place p of shared memory is.
  struct line_and_item {
    int line, item;
  };
  __device__ line_and_item of_place(int p) const {
    int const line = p / strip >> lane_bits;
    return {line, p - (line * strip << lane_bits)};
  }

  /// Items that are halves of two arrays come one by one: words of both would be half as long.
  static constexpr bool loads_words = !is_zip_of_pointers<std::remove_const_t<decltype(Problem::in)>>;
  /// `from` on; in whole words where memory has them.
  __device__ void load(typename Problem::in_place const& from, int count, line_layout const& how) const {
    if (loads_words && how.in_words && count == items) {
      T x[words][V];
#pragma unroll
      for (int k = 0; k < words; ++k)
        load_word(problem, neighbour(from, problem.grid.in, V * (32 * k + lane)), x[k]);
#pragma unroll
      for (int k = 0; k < words; ++k) put_word(memory + skewed<T>(V * (32 * k + lane)), x[k]);
    } else if constexpr (comes_in_halves<Problem>) {
      copy(from, count);
    } else if (how.in_items) {
      T x[strip];
      ask(from, count, x);
      put(x, count);
    } else {
      load_places(
          how, [&](int p) { return p < count; },
          [next = from + lane * problem.grid.in, step = 32 * problem.grid.in](int) mutable {
            auto const here = next;
            next += step;
            return here;
          });
    }
  }
  /// The same by asynchronous copies of what they are made of.
  __device__ void copy(typename Problem::in_place const& from, int count) const {
    auto at = from + lane * problem.grid.in;
    auto const step = 32 * problem.grid.in;
#pragma unroll
    for (int k = 0; k < strip; ++k, at += step)
      if (32 * k + lane < count) copy_halves(memory + skewed<T>(32 * k + lane), problem, at);
  }
  /// The same in two steps, item by item, each lane its neighbours' neighbours.
  __device__ void ask(typename Problem::in_place const& from, int count, T (&x)[strip]) const {
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
  }
  __device__ void put(T const (&x)[strip], int count) const {
#pragma unroll
    for (int k = 0; k < strip; ++k)
      if (32 * k + lane < count) put_one(memory + skewed<T>(32 * k + lane), x[k]);
  }
  /// Those places that hold an item, which is at(p); a lane asks for so many at once.
  template <int Batch = strip, class Holds, class At>
  __device__ void load_places(line_layout const& how, Holds holds, At at) const {
    by_whole_items<std::remove_const_t<decltype(problem.in)>>(how.in_items, [&](auto whole) {
#pragma unroll 1
      for (int first = 0; first < strip; first += Batch) {
        T x[Batch];
#pragma unroll
        for (int k = 0; k < Batch; ++k) {
          int const p = 32 * (first + k) + lane;
          auto const from = at(p);
          if (holds(p)) x[k] = item_of<decltype(whole)::value>(problem, from);
        }
#pragma unroll
        for (int k = 0; k < Batch; ++k)
          if (int const p = 32 * (first + k) + lane; holds(p)) put_one(memory + skewed<T>(p), x[k]);
      }
    });
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

  /// Items on their way as they are fetched: each lane its neighbours' neighbours.
  using fetched = typename Problem::fetched;
  __device__ void fetch(typename Problem::in_place const& from, int count, fetched (&x)[strip]) const {
    auto at = from + lane * problem.grid.in;
    auto const step = 32 * problem.grid.in;
    if (count == items) {
#pragma unroll
      for (int k = 0; k < strip; ++k, at += step) put_bytes(x[k], problem.fetch(at));
    } else {
#pragma unroll
      for (int k = 0; k < strip; ++k, at += step)
        if (32 * k + lane < count) put_bytes(x[k], problem.fetch(at));
    }
  }
  /// These become a lane's strip.
  __device__ void turn_to_strip(fetched (&x)[strip]) const {
    auto* const room = reinterpret_cast<fetched*>(memory);
    static_assert(skewed<fetched>(items) * sizeof(fetched) <= pitch * sizeof(T));
    __syncwarp();
#pragma unroll
    for (int k = 0; k < strip; ++k) put_one(room + skewed<fetched>(32 * k + lane), x[k]);
    __syncwarp();
    if constexpr (constexpr int of_word = word_items<fetched>; strip % of_word == 0) {
#pragma unroll
      for (int k = 0; k < strip; k += of_word) {
        fetched word[of_word];
        get_word(room + skewed<fetched>(strip * lane + k), word);
#pragma unroll
        for (int v = 0; v < of_word; ++v) x[k + v] = word[v];
      }
    } else {
#pragma unroll
      for (int k = 0; k < strip; ++k) put_bytes(x[k], room[skewed<fetched>(strip * lane + k)]);
    }
  }
  /// The values of a lane's strip of a chunk that begins there.
  __device__ void make_strip(fetched const (&from)[strip], typename Problem::in_place const& first,
                             T (&x)[strip]) const {
    auto const at = first + strip * lane * problem.grid.in;
#pragma unroll
    for (int k = 0; k < strip; ++k) put_bytes(x[k], problem.made(from[k], at + k * problem.grid.in));
  }

  /// The fold of all strips up to a lane's, with it, of a chunk of so many items, or of a line's.
  template <class Op>
  __device__ T scan_strips(int count, Op& op) const {
    T x[strip];
    get_strip(x);
    return scan_strips(x, count, lane_of_line(), op, 1 << lane_bits);
  }
  template <class Op>
  static __device__ T scan_strips(T const (&x)[strip], int count, int lane, Op& op, int lanes = 32) {
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
    return warp_scan_first(total, strips_of(count), op, lanes);
  }
  static __device__ int strips_of(int count) { return (count + strip - 1) / strip; }

  /// The results of a chunk, `sum` being what comes before it, and `left` before the lane's strip in it,
  /// which is `x`.
  template <class Op>
  __device__ void make_results(T (&x)[strip], int count, optional<T> sum, T const& left, Op& op) const {
    int const mine = min(strip, count - strip * lane_of_line());
    if (lane_of_line() > 0) sum = {combine(sum, left, op), true};
    if (count == items) {
#pragma unroll
      for (int k = 0; k < strip; ++k) x[k] = next_of_line<Problem::what>(sum, x[k], op);
    } else {
#pragma unroll
      for (int k = 0; k < strip; ++k)
        if (k < mine) x[k] = next_of_line<Problem::what>(sum, x[k], op);
    }
  }
  template <class Op>
  __device__ void finish(typename Problem::out_place const& out, int count, line_layout const& how,
                         optional<T> const& sum, T const& left, Op& op) const {
    T x[strip];
    get_strip(x);
    make_results(x, count, sum, left, op);
    put_strip(x);
    __syncwarp();
    write(out, count, how);
  }
  /// Writes results, `out` on.
  __device__ void write(typename Problem::out_place const& out, int count, line_layout const& how) const {
    if (how.out_words && count == items) {
#pragma unroll
      for (int k = 0; k < words; ++k) {
        T word[V];
        get_word(memory + skewed<T>(V * (32 * k + lane)), word);
        store_word(problem, neighbour(out, problem.grid.out, V * (32 * k + lane)), word);
      }
    } else {  // stores begin on boundaries of 32 results
      int const shift = places_before_boundary(problem.out, out, problem.grid.out);
      store_places<strip + 1>(
          how, out, shift, [&](int p) { return p >= 0 && p < count; },
          [next = out + (lane - shift) * problem.grid.out, step = 32 * problem.grid.out](int) mutable {
            auto const here = next;
            next += step;
            return here;
          });
    }
  }
  /// Results of so many turns of places, of which the first lies `shift` places before the first: those that
  /// hold one, to at(p).
  template <int Turns, class Holds, class At>
  __device__ void store_places(line_layout const& how, typename Problem::out_place const& some, int shift,
                               Holds holds, At at) const {
    by_whole_items<std::remove_const_t<decltype(problem.out)>>(how.out_items, [&](auto whole) {
      // Few results of which each is wide leave shared memory all at once; so is asked at once for what is
      // looked at before them, where one place tells where all of that lies.
      constexpr bool few = Turns <= 9, leave_at_once = few && !Problem::looks,
                     at_once = few && arrays_of_place<typename Problem::out_place> == 1;
      constexpr int batch = leave_at_once || at_once ? Turns : part;
#pragma unroll(Turns > strip ? Turns : 1)
      for (int first = 0; first < Turns; first += batch) {
        decltype(problem.look(some)) seen[batch];
        typename Problem::out_place to[batch];
        T x[batch];
#pragma unroll
        for (int k = 0; k < batch; ++k) {
          int const p = 32 * (first + k) + lane - shift;
          auto const here = at(p);
          to[k] = holds(p) ? here : some;  // so that nothing is looked at in a branch
          seen[k] = problem.look(to[k]);
          if constexpr (leave_at_once) put_bytes(x[k], get_one(memory + skewed<T>(holds(p) ? p : 0)));
        }
#pragma unroll
        for (int k = 0; k < batch; ++k)
          if (int const p = 32 * (first + k) + lane - shift; holds(p)) {
            if constexpr (!leave_at_once) put_bytes(x[k], get_one(memory + skewed<T>(p)));
            put_result<decltype(whole)::value>(problem, to[k], x[k], seen[k]);
          }
      }
    });
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_CONTIGUOUS_CUH
#define SWEEP_DETAIL_AXES_TILE_CONTIGUOUS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/arrays_beneath.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/shifted_vectors.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/divisors.hpp>
#include <sweep/detail/core/relocatable.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// What lies in memory as one run passes through shared memory as it lies, in vectors, wherever it begins.

/// Neighbours in memory that are moved at once: as many as are 16 bytes, they or their values.
template <class It, class Item, class T>
inline constexpr int neighbours_of_run = [] {
  if (!std::is_pointer_v<It> || !relocatable<Item> || !fills_words<Item>) return 1;
  int items = static_cast<int>(16 / sizeof(Item));
  while (items > 1 && items * sizeof(T) > 16) items /= 2;
  return items;
}();
/// How many items before item `at` a boundary of V of them lies.
template <int V, class It, class Place>
__device__ int behind_boundary(It const& it, Place const& at) {
  if constexpr (V > 1) return static_cast<int>(reinterpret_cast<std::uintptr_t>(it + at) / sizeof(*it) % V);
  else return 0;
}

/// Where item i of a run stands in shared memory, so that words of 16 bytes stay whole if item 0 stands
/// `shift` places behind the first word's boundary. Lanes have a line each, or each one of a row of them:
/// where these would begin in few banks, some places are left out behind each, or behind 128 bytes of them.
template <class T>
struct lines_apart {
  T* memory;
  int shift, gap;
  small_divisor group;
  __device__ T& operator()(int i) const { return memory[i + shift + gap * group.quotient(i + shift)]; }

  /// Items of lines that lie together until places are left out, and those places.
  struct layout {
    int group, gap;
  };
  static SWEEP_HD constexpr layout of(int length) {
    constexpr int together = 128, size = static_cast<int>(sizeof(T));
    int const bytes = length * size, lines = bytes < together ? (together + bytes - 1) / bytes : 1;
    bool const apart = bytes % (!fills_words<T> || size > 8 ? 64 : 32) == 0;
    return {lines * length, apart ? word_items<T> : 0};
  }
  /// Of lines whose strips lanes have: as skewed<T>() says.
  static SWEEP_HD constexpr layout of_strips() {
    return {fills_words<T> ? 8 * word_items<T> : 32, word_items<T>};
  }
};
template <int V, class Place, class T>
inline constexpr bool moves_words = false;
template <int V, class T>
inline constexpr bool moves_words<V, lines_apart<T>, T> = fills_words<T>&& word_items<T> == V;

/// Whether V neighbours of a run from a boundary on, so many places before item 0, are neighbours in shared
/// memory, too.
template <int V, class Place>
__device__ bool neighbours_stay(Place const& place, int skipped) {
  if constexpr (requires { place.template keeps<V>(skipped); }) return place.template keeps<V>(skipped);
  else return false;
}

/// V neighbours in shared memory: in words of four bytes, where these are known to begin there.
template <bool InFours, int V, class T>
__device__ void put_neighbours(T* to, T const (&x)[V]) {
  if constexpr (InFours) {
    item_vector<T, V> vector;
    vector.pack(x);
#pragma unroll
    for (int w = 0; w < vector.words; ++w) reinterpret_cast<unsigned*>(to)[w] = vector.word[w];
  } else {
#pragma unroll
    for (int v = 0; v < V; ++v) put_bytes(to[v], x[v]);
  }
}
template <bool InFours, int V, class T>
__device__ void get_neighbours(T const* from, T (&x)[V]) {
  if constexpr (InFours) {
    item_vector<T, V> vector;
#pragma unroll
    for (int w = 0; w < vector.words; ++w) vector.word[w] = reinterpret_cast<unsigned const*>(from)[w];
    vector.unpack(x);
  } else {
#pragma unroll
    for (int v = 0; v < V; ++v) put_bytes(x[v], from[v]);
  }
}
template <class Place, int V, class T>
inline constexpr bool stays_in_fours = [] {
  if constexpr (requires { Place::in_fours; }) return Place::in_fours && V * sizeof(T) % 4 == 0;
  else return false;
}();

/// sum + a b, in the one instruction that there is for it: where one of them is widened outside of a loop the
/// compiler takes five.
__device__ inline std::int64_t plus_product(std::int64_t sum, int a, int b) {
  asm("mad.wide.s32 %0, %1, %2, %0;" : "+l"(sum) : "r"(a), "r"(b));
  return sum;
}

/// Where the items of a run are: one behind the other in memory; of several arrays each where lines and rows
/// say, of which the first array has `inner` one behind the other.
template <class Place>
struct places_of_run {
  static constexpr int arrays = arrays_of_place<Place>;
  Place first;
  small_divisor inner;
  int step[arrays], far[arrays];  ///< from one to the next of `inner`, and from there on

  __device__ places_of_run(Place const& from, [[maybe_unused]] Place const& next,
                           [[maybe_unused]] Place const& behind, int of_inner)
      : first{from}, inner{of_inner} {
    if constexpr (arrays > 1)
#pragma unroll
      for (int n = 0; n < arrays; ++n) {
        step[n] = static_cast<int>(next.at[n]);
        far[n] = static_cast<int>(behind.at[n]);
      }
  }
  __device__ Place operator()(int i) const {
    if constexpr (arrays == 1) {
      return first + i;
    } else {
      int const nth = inner.quotient(i), rest = i - nth * static_cast<int>(inner.divisor);
      Place at = first;
#pragma unroll
      for (int n = 0; n < arrays; ++n)
        at.at[n] = plus_product(plus_product(at.at[n], nth, far[n]), rest, step[n]);
      return at;
    }
  }
};
/// Whether places so far apart may be told so.
template <class Place>
bool steps_of_run([[maybe_unused]] Place const& step) {
  if constexpr (constexpr int arrays = arrays_of_place<Place>; arrays > 1)
    for (auto const of_array : step.at)
      if (static_cast<int>(of_array) != of_array || static_cast<int>(-of_array) != -of_array) return false;
  return true;
}

/// Items of a run on their way, by a block: at most so many vectors a thread, of which it asks for all at
/// once and puts them down later.
template <int Vectors, class Problem>
struct run_ahead {
  using T = typename Problem::value;
  static constexpr int V = neighbours_of_run<decltype(Problem::in), typename Problem::raw, T>;
  int step;  ///< from one of a thread's vectors to the next
  pack_as_read<V, Problem> x[Vectors];

  /// Items from `begin` on: item i is at where(i).
  template <class Where>
  __device__ void ask(Problem const& problem, Where const& where, int begin, int count) {
    if (begin >= 0 && begin + (Vectors - 1) * step + V <= count) {
#pragma unroll
      for (int k = 0; k < Vectors; ++k) x[k].load(problem, where(begin + k * step));
    } else {
#pragma unroll
      for (int k = 0; k < Vectors; ++k)
        if (int const i = begin + k * step; i >= 0 && i + V <= count) x[k].load(problem, where(i));
    }
  }
  /// To place(i).
  template <class Place>
  __device__ void put(Problem const& problem, int begin, int count, int skipped, Place const& place) const {
    bool const stay = neighbours_stay<V>(place, skipped);
#pragma unroll
    for (int k = 0; k < Vectors; ++k)
      if (int const i = begin + k * step; i >= 0 && i + V <= count)
        put_vector(i, x[k].values(problem), skipped, stay, place);
  }
  /// What is before the first whole vector and behind the last.
  template <class Where, class Place>
  static __device__ void move_ends(Problem const& problem, Where const& where, int count, int skipped,
                                   Place const& place) {
    if constexpr (V > 1) {
      int const thread = static_cast<int>(threadIdx.x), head = min(skipped == 0 ? 0 : V - skipped, count),
                tail = count - (count - head) % V;
      if (thread < head) put_bytes(place(thread), problem.item(where(thread)));
      if (tail + thread < count) put_bytes(place(tail + thread), problem.item(where(tail + thread)));
    }
  }

 private:
  template <class Place>
  static __device__ void put_vector(int i, line_pack<T, V> const& x, int skipped, bool stay,
                                    Place const& place) {
    if constexpr (moves_words<V, Place, T>)
      if (place.shift == skipped) return put_word(__builtin_addressof(place(i)), x.of);
    if (stay) {
      put_neighbours<stays_in_fours<Place, V, T>>(__builtin_addressof(place(i)), x.of);
    } else {
#pragma unroll
      for (int v = 0; v < V; ++v) put_bytes(place(i + v), x.of[v]);
    }
  }
};
/// Whether items of a run are values, and words of memory words in shared memory: asynchronous copies bring
/// them.
template <class Problem, class Place>
inline constexpr bool comes_in_words = [] {
  using T = typename Problem::value;
  return std::is_pointer_v<decltype(Problem::in)> && std::is_same_v<typename Problem::raw, T> &&
         is_free<decltype(Problem::unary)> &&
         moves_words<neighbours_of_run<decltype(Problem::in), T, T>, Place, T>;
}();
/// Whether single items may be brought so, where words would not stay whole.
template <class Problem>
inline constexpr bool comes_in_items = [] {
  using T = typename Problem::value;
  return std::is_pointer_v<decltype(Problem::in)> && std::is_same_v<typename Problem::raw, T> &&
         is_free<decltype(Problem::unary)> && relocatable<T> && sizeof(T) == 4 && alignof(T) == 4;
}();
/// Items [0, count) of a run, by a block: item i, which is at where(i), to place(i). What no asynchronous
/// copies bring passes through registers: a thread has so many bytes of values on their way.
template <int Bytes = 64, class Problem, class Where, class Place>
__device__ void load_run(int threads, Problem const& problem, Where const& where, int count,
                         Place const& place) {
  using T = typename Problem::value;
  constexpr int V = neighbours_of_run<decltype(problem.in), typename Problem::raw, T>;
  // Where the items of several arrays are takes registers.
  constexpr int arrays = arrays_of_place<typename Problem::in_place>, most = arrays > 1 ? 4 : 8,
                fit = static_cast<int>(Bytes / (V * sizeof(T))),
                batch = fit < 1      ? 1
                        : fit > most ? most
                                     : fit;
  // Of maps whose results are all that is written that takes longer than by way of registers.
  constexpr bool in_halves = comes_in_halves<Problem> && Problem::looks;
  int const skipped = behind_boundary<V>(problem.in, where(0)),
            first = V * static_cast<int>(threadIdx.x) - skipped;
  if constexpr (comes_in_words<Problem, Place>) {
    auto const* const from = problem.in + where(0);
#pragma unroll 4
    for (int i = first; i + V <= count; i += V * threads)
      if (i >= 0) copy_16_bytes_async(&place(i), from + i);
  } else if constexpr (in_halves) {
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < count; i += threads)
      copy_halves(&place(i), problem, where(i));
  } else {
    for (int begin = first; begin < count; begin += batch * V * threads) {
      run_ahead<batch, Problem> some{V * threads, {}};
      some.ask(problem, where, begin, count);
      some.put(problem, begin, count, skipped, place);
    }
  }
  run_ahead<batch, Problem>::move_ends(problem, where, count, skipped, place);
  if constexpr (comes_in_words<Problem, Place> || in_halves) await_async_copies();
}

/// The same by an asynchronous copy for each item.
template <class Problem, class Where, class Place>
__device__ void load_run_by_items(int threads, Problem const& problem, Where const& where, int count,
                                  Place const& place) {
  auto const* const from = problem.in + where(0);
#pragma unroll 8
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) copy_async<4>(&place(i), from + i);
  await_async_copies();
}

/// Items from i on, where words do not begin with them, out of the two that they stand in.
template <class T>
__device__ void get_shifted_word(lines_apart<T> const& place, int i, T (&x)[word_items<T>]) {
  constexpr int V = word_items<T>;
  int const behind = (i + place.shift) % V;
  unsigned found[8];
#pragma unroll
  for (int w = 0; w < 2; ++w) {
    auto const four = *reinterpret_cast<uint4 const*>(&place(i - behind + w * V));
    found[4 * w] = four.x;
    found[4 * w + 1] = four.y;
    found[4 * w + 2] = four.z;
    found[4 * w + 3] = four.w;
  }
  item_vector<T, V> vector;
  shift_words<alignof(T)>(found, behind * static_cast<int>(sizeof(T)), vector.word);
  vector.unpack(x);
}

/// The results at place(i), to items [0, count) of a run.
template <class Problem, class Where, class Place>
__device__ void store_run(int threads, Problem const& problem, Where const& where, int count, Place place) {
  using T = typename Problem::value;
  if constexpr (Problem::looks) {
    constexpr int batch = arrays_of_place<typename Problem::out_place> == 1 ? 8 : 4;
    for (int begin = static_cast<int>(threadIdx.x); begin < count; begin += batch * threads) {
      decltype(problem.look(where(0))) seen[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k)  // not in a branch
        seen[k] = problem.look(where(min(begin + k * threads, count - 1)));
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (int const i = begin + k * threads; i < count) problem.put(where(i), place(i), seen[k]);
    }
    return;
  }
  constexpr int V = neighbours_of_run<decltype(problem.out), typename Problem::out_value, T>;
  int const skipped = behind_boundary<V>(problem.out, where(0));
  bool const stay = neighbours_stay<V>(place, skipped);
#pragma unroll 4
  for (int begin = V * static_cast<int>(threadIdx.x) - skipped; begin < count; begin += V * threads) {
    if (begin >= 0 && begin + V <= count) {
      line_pack<T, V> x;
      bool words = false;
      if constexpr (moves_words<V, Place, T>) {
        words = place.shift == skipped;
        if (words) get_word(__builtin_addressof(place(begin)), x.of);
      }
      // Of narrow items the words that they stand in are less work than each of them.
      if constexpr (moves_words<V, Place, T> && sizeof(T) < 4)
        if (!words) {
          get_shifted_word(place, begin, x.of);
          words = true;
        }
      if (stay) {
        get_neighbours<stays_in_fours<Place, V, T>>(__builtin_addressof(place(begin)), x.of);
      } else if (!words) {
#pragma unroll
        for (int v = 0; v < V; ++v) put_bytes(x.of[v], place(begin + v));
      }
      store_pack<V>(problem, where(begin), x);
    } else {
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (begin + v >= 0 && begin + v < count) problem.put(where(begin + v), place(begin + v));
    }
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

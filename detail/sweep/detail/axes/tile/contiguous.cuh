// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_CONTIGUOUS_CUH
#define SWEEP_DETAIL_AXES_TILE_CONTIGUOUS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/core/optional.hpp>

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
/// `shift` places behind the first word's boundary. Words are left out between them where lines, of which
/// each lane has one, would begin in few banks; the others are better off without, since so many words a line
/// may make the step from one to the next a full turn.
template <class T>
struct skewed_run {
  T* memory;
  int shift;
  bool apart;
  __device__ T& operator()(int i) const { return memory[apart ? skewed<T>(i + shift) : i + shift]; }

  static __device__ bool should_be_apart(int length) {
    return !fills_words<T> || length * static_cast<int>(sizeof(T)) % (sizeof(T) > 8 ? 64 : 32) == 0;
  }
};
template <int V, class Place, class T>
inline constexpr bool moves_words = false;
template <int V, class T>
inline constexpr bool moves_words<V, skewed_run<T>, T> = fills_words<T>&& word_items<T> == V;

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

/// n / divisor of what is less than 2^16, by a multiplication.
struct small_divisor {
  unsigned divisor, inverse;
  explicit __device__ small_divisor(int by)
      : divisor{static_cast<unsigned>(by)}, inverse{~0u / static_cast<unsigned>(by) + 1} {}
  __device__ int quotient(int n) const {
    return divisor == 1 ? n : static_cast<int>(__umulhi(static_cast<unsigned>(n), inverse));
  }
};

/// Where the items of a run are: one behind the other in memory; of several arrays each where lines and rows
/// say, of which the first array has `inner` one behind the other.
template <class Place>
struct places_of_run {
  Place first, step, far;  ///< from one to the next of `inner`, and from there on
  small_divisor inner;
  __device__ Place operator()(int i) const {
    if constexpr (arrays_of_place<Place> == 1) {
      return first + i;
    } else {
      int const nth = inner.quotient(i);
      return first + (i - nth * static_cast<int>(inner.divisor)) * step + nth * far;
    }
  }
};

/// Items of a run on their way, by a block: at most so many vectors a thread, of which it asks for all at
/// once and puts them down later.
template <int Threads, int Vectors, class Problem>
struct run_ahead {
  using T = typename Problem::value;
  static constexpr int V = neighbours_of_run<decltype(Problem::in), typename Problem::raw, T>,
                       step = V * Threads;
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
      if (place.shift == skipped) return put_word(&place(i), x.of);
    if (stay) {
      put_neighbours<stays_in_fours<Place, V, T>>(&place(i), x.of);
    } else {
#pragma unroll
      for (int v = 0; v < V; ++v) put_bytes(place(i + v), x.of[v]);
    }
  }
};
/// Items [0, count) of a run, by a block: item i, which is at where(i), to place(i). A thread has so many
/// bytes of values on their way.
template <int Threads, int Bytes = 64, class Problem, class Where, class Place>
__device__ void load_run(Problem const& problem, Where const& where, int count, Place const& place) {
  using T = typename Problem::value;
  constexpr int V = neighbours_of_run<decltype(problem.in), typename Problem::raw, T>;
  constexpr int fit = static_cast<int>(Bytes / (V * sizeof(T))), batch = fit < 1 ? 1 : fit > 8 ? 8 : fit;
  int const skipped = behind_boundary<V>(problem.in, where(0));
  for (int begin = V * static_cast<int>(threadIdx.x) - skipped; begin < count; begin += V * Threads * batch) {
    run_ahead<Threads, batch, Problem> some;
    some.ask(problem, where, begin, count);
    some.put(problem, begin, count, skipped, place);
  }
  run_ahead<Threads, batch, Problem>::move_ends(problem, where, count, skipped, place);
}

/// The results at place(i), to items [0, count) of a run.
template <int Threads, class Problem, class Where, class Place>
__device__ void store_run(Problem const& problem, Where const& where, int count, Place place) {
  using T = typename Problem::value;
  if constexpr (Problem::looks) {
    constexpr int batch = 4;
    for (int begin = static_cast<int>(threadIdx.x); begin < count; begin += batch * Threads) {
      decltype(problem.look(where(0))) seen[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (int const i = begin + k * Threads; i < count) seen[k] = problem.look(where(i));
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (int const i = begin + k * Threads; i < count) problem.put(where(i), place(i), seen[k]);
    }
    return;
  }
  constexpr int V = neighbours_of_run<decltype(problem.out), typename Problem::out_value, T>;
  int const skipped = behind_boundary<V>(problem.out, where(0));
  bool const stay = neighbours_stay<V>(place, skipped);
#pragma unroll 4
  for (int begin = V * static_cast<int>(threadIdx.x) - skipped; begin < count; begin += V * Threads) {
    if (begin >= 0 && begin + V <= count) {
      line_pack<T, V> x;
      bool words = false;
      if constexpr (moves_words<V, Place, T>) {
        words = place.shift == skipped;
        if (words) get_word(&place(begin), x.of);
      }
      if (stay) {
        get_neighbours<stays_in_fours<Place, V, T>>(&place(begin), x.of);
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

/// Whole lines that are one run in memory, by a block: memory is moved as it lies, and threads scan lines in
/// shared memory, each one at a time. Lines lie one behind the other, or so many side by side, row after row.
template <class Problem>
struct lines_of_run {
  using T = typename Problem::value;
  static constexpr int threads = 128, bytes = 24 << 10, fewest = 16;
  static constexpr int longest = static_cast<int>(2048 / sizeof(T));  ///< a line's items, where it is one run

  static SWEEP_HD constexpr int lines(std::int64_t length, std::int64_t beside) {
    auto const fit = bytes / (length * std::int64_t{sizeof(T)});
    auto const together = beside > 1 ? beside : fit < threads ? fewest : threads;
    return static_cast<int>((fit < together ? together : fit) / together * together);
  }
  static SWEEP_HD constexpr std::size_t shared_bytes(std::int64_t length, std::int64_t beside) {
    return (static_cast<std::size_t>(
                skewed<T>(lines(length, beside) * static_cast<int>(length) + word_items<T>)) +
            1) *
           sizeof(T);
  }

  static __device__ void run(Problem const& problem, T* memory, std::int64_t line0, int lines, int beside) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    int const length = static_cast<int>(grid.length), count = lines * length;
    auto const at = grid.place(line0);
    bool const backward = leading(grid.in) < 0;
    constexpr int V = neighbours_of_run<decltype(problem.in), typename Problem::raw, T>;
    // As they lie in memory: backward the last item of a line first.
    auto const along = [&](auto const& first, auto const& step, auto const& across) {
      using place = std::remove_cvref_t<decltype(step)>;
      return places_of_run<place>{backward ? first + (length - 1) * step : first, backward ? -1 * step : step,
                                  across, small_divisor(length)};
    };
    auto const from = along(at.in, grid.in, grid.across[0].stride.in);
    skewed_run<T> const place{
        memory, moves_words<V, skewed_run<T>, T> ? behind_boundary<V>(problem.in, from.first) : 0,
        beside > 1 || skewed_run<T>::should_be_apart(length)};
    load_run<threads>(problem, from, count, place);
    __syncthreads();
    auto const scan_lines = [&]<bool OneByOne>(std::bool_constant<OneByOne>) {
      int const together = OneByOne ? 1 : beside;
      small_divisor const side_by_side(together);
      for (int line = static_cast<int>(threadIdx.x); line < lines; line += threads) {
        auto const own = grid.place(line0 + line);
        auto sum = problem.before_line(own);
        int const row = OneByOne ? line : side_by_side.quotient(line),
                  lowest = row * length * together + line - row * together;
        auto const where = [&](int k) -> T& {
          return place(lowest + (backward ? length - 1 - k : k) * together);
        };
        auto const scan = [&]<int count>(int begin, std::integral_constant<int, count>) {
          T x[count];
#pragma unroll
          for (int k = 0; k < count; ++k) put_bytes(x[k], get_one(&where(begin + k)));
#pragma unroll
          for (int k = 0; k < count; ++k) {
            x[k] = next_of_line<Problem::what>(sum, x[k], op);
            if constexpr (Problem::what != line_result::total) put_one(&where(begin + k), x[k]);
          }
        };
        int begin = 0;
        for (; begin + 8 <= length; begin += 8) scan(begin, std::integral_constant<int, 8>{});
        if (begin + 4 <= length) {
          scan(begin, std::integral_constant<int, 4>{});
          begin += 4;
        }
        for (; begin < length; ++begin) scan(begin, std::integral_constant<int, 1>{});
        if constexpr (Problem::what == line_result::total) problem.put(own.out, sum.value);
      }
    };
    if (beside == 1) scan_lines(std::true_type{});
    else scan_lines(std::false_type{});
    if constexpr (Problem::what != line_result::total) {
      __syncthreads();
      store_run<threads>(problem, along(at.out, grid.out, grid.across[0].stride.out), count, place);
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

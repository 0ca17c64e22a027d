// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_CONTIGUOUS_CUH
#define SWEEP_DETAIL_AXES_TILE_CONTIGUOUS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/core/optional.hpp>

#include <algorithm>
#include <cstddef>
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

/// n / divisor of what is less than 2^16, by a multiplication.
struct small_divisor {
  unsigned divisor, inverse;
  explicit __device__ small_divisor(int by)
      : divisor{static_cast<unsigned>(by)}, inverse{~0u / static_cast<unsigned>(by) + 1} {}
  __device__ int quotient(int n) const {
    return divisor == 1 ? n : static_cast<int>(__umulhi(static_cast<unsigned>(n), inverse));
  }
};

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
      if (place.shift == skipped) return put_word(&place(i), x.of);
    if (stay) {
      put_neighbours<stays_in_fours<Place, V, T>>(&place(i), x.of);
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
  constexpr int fit = static_cast<int>(Bytes / (V * sizeof(T))), batch = fit < 1 ? 1 : fit > 8 ? 8 : fit;
  int const skipped = behind_boundary<V>(problem.in, where(0)),
            first = V * static_cast<int>(threadIdx.x) - skipped;
  if constexpr (comes_in_words<Problem, Place>) {
    auto const* const from = problem.in + where(0);
#pragma unroll 4
    for (int i = first; i + V <= count; i += V * threads)
      if (i >= 0) copy_16_bytes_async(&place(i), from + i);
  } else {
    for (int begin = first; begin < count; begin += batch * V * threads) {
      run_ahead<batch, Problem> some{V * threads, {}};
      some.ask(problem, where, begin, count);
      some.put(problem, begin, count, skipped, place);
    }
  }
  run_ahead<batch, Problem>::move_ends(problem, where, count, skipped, place);
  if constexpr (comes_in_words<Problem, Place>) await_async_copies();
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

/// The results at place(i), to items [0, count) of a run.
template <class Problem, class Where, class Place>
__device__ void store_run(int threads, Problem const& problem, Where const& where, int count, Place place) {
  using T = typename Problem::value;
  if constexpr (Problem::looks) {
    constexpr int batch = 4;
    for (int begin = static_cast<int>(threadIdx.x); begin < count; begin += batch * threads) {
      decltype(problem.look(where(0))) seen[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (int const i = begin + k * threads; i < count) seen[k] = problem.look(where(i));
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

/// Neighbours of a line, `units` of N items each, that stand `step` items apart in shared memory: a chain by
/// one thread, who asks for some of them while it folds those before. N of more than one are a word.
template <line_result What, int N, class T, class Op>
__device__ void chain_in_shared(T* at, int step, int units, optional<T>& sum, Op& op) {
  constexpr int most = sizeof(T) <= 4 ? 8 : sizeof(T) <= 16 ? 4 : 2, batch = most > N ? most / N : 1;
  struct unit {
    T of[N];
  };
  auto const get = [](T const* from, unit& x) {
    if constexpr (N > 1) get_word(from, x.of);
    else put_bytes(x.of[0], get_one(from));
  };
  auto const fold = [&](T* to, unit& x) {
    if (N > 1 && step < 0) turn_round(x.of);
#pragma unroll
    for (int v = 0; v < N; ++v) x.of[v] = next_of_line<What>(sum, x.of[v], op);
    if constexpr (What != line_result::total) {
      if (N > 1 && step < 0) turn_round(x.of);
      if constexpr (N > 1) put_word(to, x.of);
      else put_one(to, x.of[0]);
    }
  };
  if (units > batch) {
    unit x[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) get(at + k * step, x[k]);
    fold(at, x[0]);
    sum.present = true;  // which need not be asked again
#pragma unroll
    for (int k = 1; k < batch; ++k) fold(at + k * step, x[k]);
    at += batch * step;
    units -= batch;
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (k < units) get(at + k * step, x[k]);
#pragma unroll 2
    for (; units >= batch; units -= batch) {
      T* const next = at + batch * step;
      unit ahead[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (k < units - batch) get(next + k * step, ahead[k]);
#pragma unroll
      for (int k = 0; k < batch; ++k) fold(at + k * step, x[k]);
      at = next;
#pragma unroll
      for (int k = 0; k < batch; ++k) x[k] = ahead[k];
    }
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (k < units) fold(at + k * step, x[k]);
    return;
  }
#pragma unroll 1
  for (; units > 0; --units, at += step) {
    unit x;
    get(at, x);
    fold(at, x);
  }
}

/// Whole lines that are one run in memory, by a block: memory is moved as it lies, and threads scan lines in
/// shared memory, each one at a time. Lines lie one behind the other, or so many side by side, row after row.
/// Of lines that are cut into chunks, of which each has one or two, threads have strips.
template <class Problem>
struct lines_of_run {
  using T = typename Problem::value;
  using apart = lines_apart<T>;
  static constexpr int threads = 128, warps = threads / 32, bytes = 24 << 10, most_of_rows = 2 * bytes,
                       most_chunks = 2;
  static constexpr int longest = static_cast<int>(6144 / sizeof(T));  ///< a line's items, where it is one run
  static constexpr std::size_t most_bytes = most_of_rows + 1024;

  std::int64_t length;
  int beside, chunks;  ///< lines side by side; a line's chunks, 0 of one that is one chain

  SWEEP_HD constexpr typename apart::layout how() const {
    return chunks > 0 ? apart::of_strips() : apart::of(static_cast<int>(length * beside));
  }
  /// Of a block.
  constexpr int lines() const {
    constexpr int room = bytes / static_cast<int>(sizeof(T)) - word_items<T>;
    auto const rows = room * how().group / (how().group + how().gap) / (length * beside) * beside;
    auto const together = beside > 1 ? beside : rows < 32 ? 1 : rows < threads ? 32 : threads;
    return static_cast<int>(rows < together ? together : rows / together * together);
  }
  /// Of lines in chunks that a block's warps have at once.
  constexpr int lines_of_turn() const {
    constexpr int strip = strip_items<T, Problem::what>;
    return warps * std::max(1, 32 / static_cast<int>((length + strip - 1) / strip));
  }
  constexpr std::size_t shared_bytes(int of_block) const {
    return static_cast<std::size_t>(places(of_block) + (chunks > 1 ? of_block : 0)) * sizeof(T);
  }

  __device__ void run(Problem const& problem, T* memory, std::int64_t line0, int of_block) const {
    auto const& grid = problem.grid;
    int const items = static_cast<int>(length), count = of_block * items;
    auto const at = grid.place(line0);
    bool const backward = leading(grid.in) < 0;
    constexpr int V = neighbours_of_run<decltype(problem.in), typename Problem::raw, T>;
    // As they lie in memory: backward the last item of a line first.
    auto const along = [&](auto const& first, auto const& step, auto const& across) {
      using place = std::remove_cvref_t<decltype(step)>;
      return places_of_run<place>{backward ? first + (items - 1) * step : first, backward ? -1 * step : step,
                                  across, small_divisor(items)};
    };
    auto const from = along(at.in, grid.in, grid.across[0].stride.in);
    apart const place{memory, moves_words<V, apart, T> ? behind_boundary<V>(problem.in, from.first) : 0,
                      how().gap, small_divisor(how().group)};
    load_run<sizeof(typename Problem::raw) < sizeof(T) ? 128 : 64>(threads, problem, from, count, place);
    __syncthreads();
    if (chunks > 0) {
#pragma unroll 1
      for (int c = 0; c < chunks; ++c) {
        if (c > 0) __syncthreads();
        scan_chunk(problem, place, memory + places(of_block), line0, of_block, c, backward);
      }
    } else if (items == 1) {  // nothing to walk along
      for (int line = static_cast<int>(threadIdx.x); line < of_block; line += threads) {
        auto op = problem.op;
        auto const own = grid.place(line0 + line);
        auto sum = problem.before_line(own);
        T const result = next_of_line<Problem::what>(sum, get_one(&place(line)), op);
        if constexpr (Problem::what == line_result::total) problem.put(own.out, sum.value);
        else put_one(&place(line), result);
      }
    } else {
      small_divisor const side_by_side(beside);
      for (int line = static_cast<int>(threadIdx.x); line < of_block; line += threads)
        walk(problem, place, line0 + line, line, items, side_by_side, backward);
    }
    if constexpr (Problem::what != line_result::total) {
      __syncthreads();
      store_run(threads, problem, along(at.out, grid.out, grid.across[0].stride.out), count, place);
    }
  }

 private:
  SWEEP_HD constexpr int places(int of_block) const {
    int const items = of_block * static_cast<int>(length) + word_items<T>;
    return items + items / how().group * how().gap + 1;
  }

  /// A chunk of each line: its strips are neighbouring lanes', of as many lines as a warp has room for.
  __device__ void scan_chunk(Problem const& problem, apart const& place, T* totals, std::int64_t line0,
                             int of_block, int chunk, bool backward) const {
    auto op = problem.op;
    constexpr int strip = strip_items<T, Problem::what>, V = word_items<T>;
    int const items = static_cast<int>(length), first = chunk * 32 * strip,
              count = min(items - first, 32 * strip), strips = (count + strip - 1) / strip;
    int const lane = static_cast<int>(threadIdx.x % 32), nth = lane / strips, s = lane - nth * strips,
              at_once = 32 / strips;
    bool const in_words = V > 1 && strip % V == 0 && place.shift == 0 && items % V == 0;
    bool const is_last = first + count == items;
#pragma unroll 1
    for (int from = static_cast<int>(threadIdx.x / 32) * at_once; from < of_block; from += warps * at_once) {
      bool const exists = nth < at_once && from + nth < of_block;
      int const line = exists ? from + nth : 0, mine = exists ? min(strip, count - s * strip) : 0,
                begin = line * items + (backward ? items - first - s * strip : first + s * strip);
      // Items [k, k + N) of the strip, in the order of the scan.
      T x[strip];
      auto const each = [&]<int N>(std::integral_constant<int, N>, auto work) {
        int const low = begin + place.shift - (backward ? N : 0), step = backward ? -N : N;
#pragma unroll
        for (int k = 0; k < strip; k += N)
          if (k < mine) work(place.memory + skewed<T>(low + k / N * step), x + k);
      };
      constexpr std::integral_constant<int, V> words{};
      constexpr std::integral_constant<int, 1> single{};
      if (in_words)
        each(words, [&](T const* at, T* to) {
          T word[V];
          get_word(at, word);
          if (backward) turn_round(word);
#pragma unroll
          for (int v = 0; v < V; ++v)
            if (v < strip) to[v] = word[v];
        });
      else each(single, [](T const* at, T* to) { put_bytes(*to, get_one(at)); });
      T sum = x[0];
#pragma unroll
      for (int k = 1; k < strip; ++k)
        if (k < mine) sum = op(sum, x[k]);
#pragma unroll
      for (int by = 1; by < 32; by *= 2) {
        if (by >= strips) break;
        T const left = warp_shfl_up(sum, by);
        if (s >= by && exists) sum = op(left, sum);
      }
      T const left = warp_shfl_up(sum, 1);
      if (!exists) continue;
      auto const own = problem.grid.place(line0 + line);
      optional<T> before{};
      if (chunk == 0) before = problem.before_line(own);
      else {
        put_bytes(before.value, totals[line]);
        before.present = true;
      }
      if (s == strips - 1) {
        T const total = combine(before, sum, op);
        if (!is_last) put_bytes(totals[line], total);
        else if constexpr (Problem::what == line_result::total) problem.put(own.out, total);
      }
      if constexpr (Problem::what != line_result::total) {
        if (s > 0) before = {combine(before, left, op), true};
#pragma unroll
        for (int k = 0; k < strip; ++k)
          if (k < mine) x[k] = next_of_line<Problem::what>(before, x[k], op);
        if (in_words)
          each(words, [&](T* at, T const* from_strip) {
            T word[V];
#pragma unroll
            for (int v = 0; v < V; ++v)
              if (v < strip) word[v] = from_strip[v];
            if (backward) turn_round(word);
            put_word(at, word);
          });
        else each(single, [](T* at, T const* one) { put_one(at, *one); });
      }
    }
  }

  __device__ void walk(Problem const& problem, apart const& place, std::int64_t line, int nth, int items,
                       small_divisor const& side_by_side, bool backward) const {
    auto op = problem.op;
    auto const own = problem.grid.place(line);
    auto sum = problem.before_line(own);
    int const row = side_by_side.quotient(nth), lowest = row * items * beside + nth - row * beside;
    constexpr int V = word_items<T>;
    bool in_words = false;
    if constexpr (V > 1) {
      in_words = beside == 1 && place.shift == 0 && items % V == 0;
      if (in_words)
        chain_in_shared<Problem::what, V>(&place(lowest) + (backward ? items - V : 0), backward ? -V : V,
                                          items / V, sum, op);
    }
    if (!in_words) {
      int const groups = place.gap > 0 ? place.group.quotient(lowest + place.shift) : 0;
      T* low = place.memory + lowest + place.shift + place.gap * groups;
      int left = items, behind = 0;
      // Where a line begins between words, places may be left out behind some of its items.
      if (place.gap > 0 && place.shift > 0) {
        int const end = (groups + 1) * static_cast<int>(place.group.divisor) - lowest - place.shift;
        behind = max(items - side_by_side.quotient(end + beside - 1), 0);
        left -= behind;
        if (backward && behind > 0) {
          low += left * beside + place.gap;
          int const first = behind;
          behind = left;
          left = first;
        }
      }
#pragma unroll 1
      while (true) {
        chain_in_shared<Problem::what, 1>(backward ? low + (left - 1) * beside : low,
                                          backward ? -beside : beside, left, sum, op);
        if (behind == 0) break;
        low += backward ? -behind * beside - place.gap : left * beside + place.gap;
        left = behind;
        behind = 0;
      }
    }
    if constexpr (Problem::what == line_result::total) problem.put(own.out, sum.value);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_STRIPS_CUH
#define SWEEP_DETAIL_AXES_TILE_STRIPS_CUH

#include <sweep/detail/axes/neighbour_rows.hpp>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/zip.hpp>
#include <sweep/detail/lookback/tile_state.hpp>
#include <sweep/detail/lookback/warp_lanes.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Whether items fill words of 16 bytes.
template <class T>
inline constexpr bool fills_words = sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0;

/// Items of V neighbouring lines, of which each is folded with its own.
template <class T, int V>
struct line_pack {
  T of[V];
};
template <class T, int V>
inline constexpr bool relocatable<line_pack<T, V>> = relocatable<T>;
template <class T, int V>
inline constexpr bool words_in_pairs<line_pack<T, V>> = true;

template <class Op, int V>
struct each_of_pack {
  Op& op;
  template <class T>
  __device__ line_pack<T, V> operator()(line_pack<T, V> const& a, line_pack<T, V> const& b) const {
    line_pack<T, V> folded;
#pragma unroll
    for (int v = 0; v < V; ++v) folded.of[v] = op(a.of[v], b.of[v]);
    return folded;
  }
};

/// The place v items further in memory: of several arrays only the place itself is known.
template <int V, class Place>
__device__ Place neighbour_of(Place const& at, int v) {
  if constexpr (arrays_of_place<Place> == 1) {
    return at + v;
  } else {
    static_assert(V == 1);
    return at;
  }
}

/// V neighbours in memory that are vectors there: of a pointer, or of two that are read side by side.
template <class It, int V>
struct vectors_of {
  static constexpr bool exist = false;
};
template <class T, int V>
struct vectors_of<T*, V> {
  using item = std::remove_cv_t<T>;
  static constexpr bool exist = relocatable<item> && fills_words<item>;
  item_vector<item, V> items;
  __device__ void load(T* from, std::int64_t at) { load_vectors<access::streaming>(from + at, items); }
  __device__ void unpack(item (&x)[V]) const { items.unpack_each(x); }
};
template <class A, class B, int V>
struct vectors_of<zip_input<A*, B*>, V> {
  using first_vectors = vectors_of<A*, V>;
  using second_vectors = vectors_of<B*, V>;
  static constexpr bool exist = first_vectors::exist && second_vectors::exist;
  first_vectors first;
  second_vectors second;
  __device__ void load(zip_input<A*, B*> const& from, std::int64_t at) {
    first.load(from.first(), at);
    second.load(from.second(), at);
  }
  __device__ void unpack(item_pair<std::remove_cv_t<A>, std::remove_cv_t<B>> (&x)[V]) const {
    std::remove_cv_t<A> a[V];
    std::remove_cv_t<B> b[V];
    first.unpack(a);
    second.unpack(b);
#pragma unroll
    for (int v = 0; v < V; ++v) x[v] = {a[v], b[v]};
  }
};

/// Such vectors in shared memory, each in a place of its thread's own, so many at a time: asynchronous copies
/// bring them, and nobody but their thread waits for them.
template <class It, int V, int Count, int Threads>
struct vectors_in_shared {
  static constexpr bool exist = false;
};
template <class T, int V, int Count, int Threads>
struct vectors_in_shared<T*, V, Count, Threads> {
  using vectors = vectors_of<T*, V>;
  static constexpr int bytes = V * static_cast<int>(sizeof(T)), narrowest = bytes, widest = bytes;
  static constexpr bool exist = vectors::exist && bytes >= 4 && bytes <= 16;
  alignas(16) unsigned char at[Count][Threads][bytes];
  __device__ void ask(int i, T* from, std::int64_t place) {
    if constexpr (bytes == 16) copy_16_bytes_async_alone(at[i][threadIdx.x % Threads], from + place);
    else copy_async<bytes>(at[i][threadIdx.x % Threads], from + place);
  }
  __device__ vectors get(int i) const {
    vectors x;
    load_shared(at[i][threadIdx.x % Threads], x.items);
    return x;
  }
};
template <class A, class B, int V, int Count, int Threads>
struct vectors_in_shared<zip_input<A*, B*>, V, Count, Threads> {
  using of_first = vectors_in_shared<A*, V, Count, Threads>;
  using of_second = vectors_in_shared<B*, V, Count, Threads>;
  static constexpr bool exist = of_first::exist && of_second::exist;
  static constexpr int narrowest = std::min(of_first::narrowest, of_second::narrowest),
                       widest = std::max(of_first::widest, of_second::widest);  ///< bytes of vectors
  of_first first;
  of_second second;
  __device__ void ask(int i, zip_input<A*, B*> const& from, std::int64_t place) {
    first.ask(i, from.first(), place);
    second.ask(i, from.second(), place);
  }
  __device__ vectors_of<zip_input<A*, B*>, V> get(int i) const { return {first.get(i), second.get(i)}; }
};

/// Items of V neighbours as they are in memory, and what they are then. V of more than one begin on a
/// boundary of V. Whoever wants several loads them all first, and without a branch between them where he can:
/// what is loaded in a branch and looked at there is waited for there.
template <int V, class Problem>
struct pack_as_read {
  using raw = typename Problem::raw;
  using vectors = vectors_of<std::remove_const_t<decltype(Problem::in)>, V>;
  static constexpr bool in_words = V > 1 && vectors::exist;
  struct each {
    raw of[V];
  };
  std::conditional_t<in_words, vectors, each> items;

  __device__ void load(Problem const& problem, typename Problem::in_place const& at) {
    if constexpr (in_words) {
      items.load(problem.in, at);
    } else {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        if constexpr (relocatable<raw>)
          put_bytes(items.of[v], static_cast<raw>(at_of(problem, neighbour_of<V>(at, v))));
        else items.of[v] = at_of(problem, neighbour_of<V>(at, v));
      }
    }
  }
  __device__ line_pack<typename Problem::value, V> values(Problem const& problem) const {
    line_pack<typename Problem::value, V> x;
    if constexpr (in_words) {
      raw read[V];
      items.unpack(read);
#pragma unroll
      for (int v = 0; v < V; ++v) x.of[v] = problem.of(read[v]);
    } else {
#pragma unroll
      for (int v = 0; v < V; ++v) x.of[v] = problem.of(items.of[v]);
    }
    return x;
  }

 private:
  static __device__ decltype(auto) at_of(Problem const& problem, typename Problem::in_place const& at) {
    return problem.in[static_cast<
        typename std::iterator_traits<std::remove_cvref_t<decltype(problem.in)>>::difference_type>(at)];
  }
};
/// One item as it was fetched, of an input that makes its items of what it reads and of where they are.
template <class Problem>
struct item_as_fetched {
  typename Problem::fetched item;
  __device__ void load(Problem const& problem, typename Problem::in_place const& at) {
    put_bytes(item, problem.fetch(at));
  }
  __device__ line_pack<typename Problem::value, 1> values(Problem const& problem,
                                                          typename Problem::in_place const& at) const {
    return {{problem.made(item, at)}};
  }
};
template <int V, class Problem>
__device__ void store_pack(Problem const& problem, typename Problem::out_place const& at,
                           line_pack<typename Problem::value, V> const& x) {
  using U = typename Problem::out_value;
  constexpr bool words = std::is_pointer_v<decltype(problem.out)> && relocatable<U> && fills_words<U>,
                 always = words && (V > 1 || alignof(U) == sizeof(U));
  bool stored = always;
  if constexpr (words && !always) stored = vector_aligned<1>(problem.out, at);
  if constexpr (words)
    if (stored) {
      U items[V];
#pragma unroll
      for (int v = 0; v < V; ++v) items[v] = static_cast<U>(x.of[v]);
      item_vector<U, V> vector;
      vector.pack(items);
      store_vectors<access::streaming>(problem.out + at, vector);
    }
  if constexpr (!always)
    if (!stored)
#pragma unroll
      for (int v = 0; v < V; ++v) problem.put(neighbour_of<V>(at, v), x.of[v]);
}

/// Inclusive scan in lane order of the first `count` lanes, or of those of each group of fewer than a warp's,
/// a power of two; nothing is asked of the others.
template <class T, class Op>
__device__ T warp_scan_first(T value, int count, Op& op, int group = 32) {
  int const lane = static_cast<int>(threadIdx.x) & (group - 1);
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    if (by >= (group < 32 ? group : count)) break;
    T const left = warp_shfl_up(value, by);
    if (lane >= by && lane < count) value = op(left, value);
  }
  return value;
}

/// The fold of N neighbours in each of 32 / N lanes, in the first of these, in the brackets of a scan by a
/// warp that has one in each lane: then fewer steps go by shuffles. N is a power of two.
template <int N, class T, class Op>
__device__ T fold_by_neighbours(T (&x)[N], Op& op) {
#pragma unroll
  for (int by = 1; by < N; by *= 2)
#pragma unroll
    for (int s = 0; s < N; s += 2 * by) x[s] = op(x[s], x[s + by]);
#pragma unroll
  for (int by = 1; by < 32 / N; by *= 2) x[0] = op(x[0], warp_shfl_down(x[0], by));
  return x[0];
}

/// Lanes that look back for a pack of lines. Totals of packs are wide, and many warps of a block wait for
/// some: they ask for those of groups and not of all their tiles, and not without a pause.
struct patient_warp : device_warp {
  __device__ void pause() const { __nanosleep(100); }
};
struct pack_lanes : collective_lanes<patient_warp> {
  static constexpr int near_groups = 0;
};

/// What the chunks of all lines need to speak to each other.
struct chunk_order {
  std::int64_t chunks;              ///< of a line
  std::int64_t words_of_state = 0;  ///< of a line's chunks, or of a pack's
  std::uint64_t* words = nullptr;
  std::uint32_t stamp = 0;
  ticket_counter tickets{};  ///< none where nobody waits for another
  void* totals = nullptr;    ///< of a reduction's chunks, (chunks, lines); none where blocks have whole lines
  ticket_counter arrivals{};  ///< of those blocks, where the last one folds them

  template <class T>
  __device__ tile_state<T, across_tiles::ordered_lookback> state_of(std::int64_t nth) const {
    return {words + nth * words_of_state, chunks, stamp};
  }
  /// The number of a block, by which it is known what it works on: those that others wait for come first.
  __device__ std::int64_t claim() const {
    __shared__ std::int64_t claimed;
    if (threadIdx.x == 0) claimed = tickets.at ? tickets.draw() : blockIdx.x;
    __syncthreads();
    return claimed;
  }
};

/// Leaves the total of a reduction's chunk: as the line's result where it is the only one.
template <class Problem, class T>
__device__ void leave_total(Problem const& problem, chunk_order const& order, std::int64_t chunk,
                            std::int64_t line, T const& total) {
  if (order.totals == nullptr) {
    auto op = problem.op;
    auto const at = problem.grid.place(line);
    problem.put(at.out, combine(problem.before_line(at), total, op));
  } else {
    put_item(static_cast<T*>(order.totals), chunk * problem.grid.lines + line, total);
  }
}

// Lines that lie along the axis pass through shared memory, in words of 16 bytes where items fill such.

template <class T>
inline constexpr int word_items = fills_words<T> ? static_cast<int>(16 / sizeof(T)) : 1;

/// Where item k of a run in shared memory stands: behind every 128 bytes a word is left out, so that lanes
/// whose items lie a power of two apart meet in few banks.
template <class T>
SWEEP_HD constexpr int skewed(int k) {
  auto const nth = static_cast<unsigned>(k);
  return static_cast<int>(fills_words<T> ? nth + nth / (8 * word_items<T>)*word_items<T> : nth + nth / 32);
}

template <class T>
__device__ void get_word(T const* from, T (&x)[word_items<T>]) {
  if constexpr (fills_words<T>) {
    item_vector<T, word_items<T>> vector;
    load_shared(reinterpret_cast<unsigned char const*>(from), vector);
    vector.unpack(x);
  } else {
    put_bytes(x[0], *from);
  }
}
template <class T>
__device__ void put_word(T* to, T const (&x)[word_items<T>]) {
  if constexpr (fills_words<T>) {
    item_vector<T, word_items<T>> vector;
    vector.pack(x);
    uint4 word;
    memcpy(&word, vector.word, sizeof(word));
    *reinterpret_cast<uint4*>(to) = word;
  } else {
    put_bytes(*to, x[0]);
  }
}

/// V neighbours in shared memory.
template <int V, class T>
__device__ line_pack<T, V> get_pack(T const* from) {
  line_pack<T, V> x;
  if constexpr (fills_words<T> && word_items<T> == V) {
    get_word(from, x.of);
  } else {
#pragma unroll
    for (int v = 0; v < V; ++v) put_bytes(x.of[v], from[v]);
  }
  return x;
}
template <class T, int V>
__device__ void put_pack(T* to, line_pack<T, V> const& x) {
  if constexpr (fills_words<T> && word_items<T> == V) {
    put_word(to, x.of);
  } else {
#pragma unroll
    for (int v = 0; v < V; ++v) put_bytes(to[v], x.of[v]);
  }
}

/// Whether packs of V items go from memory to shared memory as they are.
template <int V, class Problem>
inline constexpr bool copies_packs =
    std::is_same_v<typename Problem::raw, typename Problem::value>&&
            std::is_same_v<decltype(Problem::unary), identity>&& pack_as_read<V, Problem>::in_words&& V *
        sizeof(typename Problem::value) >=
    4;

// Items that fill words but are aligned less, such as pairs of numbers: one of them is moved as the word it
// is, where it is known to stand on a boundary of its size, and not in parts.

template <class T>
inline constexpr bool has_parts = relocatable<T>&& fills_words<T> && alignof(T) < sizeof(T);

/// Calls work(whether an iterator's items are moved as words), a constant: they can be where `on_boundaries`.
template <class It, class Work>
__device__ void by_whole_items(bool on_boundaries, Work work) {
  if constexpr (std::is_pointer_v<It>)
    if constexpr (has_parts<value_of<It>>)
      if (on_boundaries) return work(std::true_type{});
  work(std::false_type{});
}
template <class T>
__device__ item_vector<T, 1> as_word(T const& x) {
  T const only[1] = {x};
  item_vector<T, 1> word;
  word.pack(only);
  return word;
}
/// By plain loads and stores, which the compiler may move among those of shared memory.
template <bool Whole, class Problem>
__device__ typename Problem::value item_of(Problem const& problem, typename Problem::in_place const& at) {
  if constexpr (Whole) {
    using raw = typename Problem::raw;
    auto const read = *reinterpret_cast<typename vector_type<sizeof(raw)>::type const*>(problem.in + at);
    item_vector<raw, 1> word;
    memcpy(word.word, &read, sizeof(read));
    return problem.of(word.item(0));
  } else {
    return problem.item(at);
  }
}
template <bool Whole, class Problem, class Seen>
__device__ void put_result(Problem const& problem, typename Problem::out_place const& at,
                           typename Problem::value const& x, Seen const& seen) {
  if constexpr (Whole) {
    typename vector_type<sizeof(typename Problem::out_value)>::type word;
    memcpy(&word, as_word(static_cast<typename Problem::out_value>(x)).word, sizeof(word));
    *reinterpret_cast<decltype(word)*>(problem.out + at) = word;
  } else {
    problem.put(at, x, seen);
  }
}
/// The same in shared memory, in a run that begins on a boundary of 16 bytes.
template <class T>
__device__ T get_one(T const* from) {
  if constexpr (has_parts<T>) {
    item_vector<T, 1> word;
    load_shared(reinterpret_cast<unsigned char const*>(from), word);
    return word.item(0);
  } else {
    T x;
    put_bytes(x, *from);
    return x;
  }
}
template <class T>
__device__ void put_one(T* to, T const& x) {
  if constexpr (has_parts<T>) {
    typename vector_type<sizeof(T)>::type word;
    memcpy(&word, as_word(x).word, sizeof(word));
    *reinterpret_cast<decltype(word)*>(to) = word;
  } else {
    put_bytes(*to, x);
  }
}

template <class T, int V>
__device__ void turn_round(T (&x)[V]) {
#pragma unroll
  for (int v = 0; v < V / 2; ++v) {
    T const other = x[v];
    x[v] = x[V - 1 - v];
    x[V - 1 - v] = other;
  }
}

/// As many neighbours in memory as are one word in shared memory, where they are vectors in memory, too.
template <class Problem>
__device__ void load_ascending(Problem const& problem, typename Problem::in_place const& at,
                               typename Problem::value (&x)[word_items<typename Problem::value>]) {
  constexpr int V = word_items<typename Problem::value>;
  using vectors = vectors_of<std::remove_const_t<decltype(Problem::in)>, V>;
  if constexpr (vectors::exist) {
    vectors vector;
    vector.load(problem.in, at);
    typename Problem::raw items[V];
    vector.unpack(items);
#pragma unroll
    for (int v = 0; v < V; ++v) x[v] = problem.of(items[v]);
  }
}
template <class Problem>
__device__ void store_ascending(Problem const& problem, typename Problem::out_place const& at,
                                typename Problem::value const (&x)[word_items<typename Problem::value>]) {
  constexpr int V = word_items<typename Problem::value>;
  using U = typename Problem::out_value;
  if constexpr (std::is_pointer_v<decltype(problem.out)> && relocatable<U>) {
    U items[V];
#pragma unroll
    for (int v = 0; v < V; ++v) items[v] = static_cast<U>(x[v]);
    item_vector<U, V> vector;
    vector.pack(items);
    store_vectors<access::streaming>(problem.out + at, vector);
  }
}
/// The same of neighbours of a line, of which `at` is the first in scan order.
template <class Problem>
__device__ void load_word(Problem const& problem, typename Problem::in_place const& at,
                          typename Problem::value (&x)[word_items<typename Problem::value>]) {
  if constexpr (arrays_of_place<typename Problem::in_place> == 1) {
    bool const backward = problem.grid.in < 0;
    load_ascending(problem, at - (backward ? word_items<typename Problem::value> - 1 : 0), x);
    if (backward) turn_round(x);
  }
}
template <class Problem>
__device__ void store_word(Problem const& problem, typename Problem::out_place const& at,
                           typename Problem::value (&x)[word_items<typename Problem::value>]) {
  if constexpr (arrays_of_place<typename Problem::out_place> == 1) {
    bool const backward = problem.grid.out < 0;
    if (backward) turn_round(x);
    store_ascending(problem, at - (backward ? word_items<typename Problem::value> - 1 : 0), x);
  }
}

template <class It>
inline constexpr bool is_zip_of_pointers = false;
template <class A, class B>
inline constexpr bool is_zip_of_pointers<zip_input<A*, B*>> = true;

/// How many results before \p first a boundary of 32 of them lies in memory; where results go `step` by step,
/// 1 or -1. What keeps to such boundaries moves whole sectors. 0 where there are none.
template <class It, class Place>
__device__ int places_before_boundary(It const& it, Place const& first, Place const& step) {
  if constexpr (is_zip_of_pointers<It>) return places_before_boundary(it.first(), first, step);
  if constexpr (is_run_of_lines<It>) return places_before_boundary(it.first_array(), first, step);
  if constexpr (std::is_pointer_v<It>) {
    if (step != 1 && step != -1) return 0;
    auto const place = static_cast<int>((reinterpret_cast<std::uintptr_t>(it + first) / sizeof(*it)) % 32);
    return step > 0 ? place : 31 - place;
  } else {
    return 0;
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

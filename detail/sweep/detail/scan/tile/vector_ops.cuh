// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_VECTOR_OPS_CUH
#define SWEEP_DETAIL_SCAN_TILE_VECTOR_OPS_CUH

#include <sweep/detail/block/item_parts.cuh>
#include <sweep/detail/block/shifted_vectors.cuh>
#include <sweep/detail/block/stream_vectors.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/plan.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// What a lane does with a vector, V items that travel together: unpack it, fold it, stash it while the tile
/// waits for what comes before it, and make its results.
template <class Problem, scan_plan P>
struct vector_ops {
  using T = typename Problem::value;
  using Raw = typename Problem::raw;
  using U = typename Problem::out_value;
  static constexpr int V = Problem::vector_items;
  static constexpr bool backward = Problem::towards == direction::backward;
  static constexpr bool inclusive = Problem::kind == scan_kind::inclusive;

  // Narrow items wait in their own type beside what comes before them (packed). Others wait converted with
  // that prefix folded in, which takes one register less per vector and one operation less per item.
  // Segmented ones wait packed, as their heads do.
  static constexpr bool packed =
      Problem::heads_type::segmented || sizeof(Raw) * V + sizeof(T) < sizeof(T) * V;
  using items = item_vector<Raw, V>;
  using mask = typename Problem::mask;  ///< of the vector's items in memory order
  struct packed_vector {
    items raw;
    mask heads;
    T before;
  };
  struct reduced_vector {
    T xs[V];  ///< inclusive: the prefix folded into xs[0]; exclusive: the prefix, then items 0 to V - 2
  };
  using stashed = std::conditional_t<packed, packed_vector, reduced_vector>;

  /// Whether items are, or are made of, neighbours in memory, and perhaps of others that these lead to; and
  /// whether some of the neighbours are narrow: then vectors that begin between boundaries are shifted.
  static constexpr bool reads_streams = Problem::source::streams > 0,
                        shifts = has_narrow_streams<typename Problem::source>;

  /// The items in scan order, as the operator sees them.
  static __device__ void unpack(Problem const& problem, items const& word, mask heads, T (&xs)[V]) {
    Raw raw[V];
    word.unpack(raw);
#pragma unroll
    for (int v = 0; v < V; ++v) xs[v] = problem.item(raw[in_memory(v)], heads, in_memory(v));
  }
  /// Where item v in scan order stands in memory.
  static __device__ constexpr int in_memory(int v) { return backward ? V - 1 - v : v; }

  template <class Op>
  static __device__ T fold(T const (&xs)[V], Op& op) {
    T sum = xs[0];
#pragma unroll
    for (int v = 1; v < V; ++v) sum = op(sum, xs[v]);
    return sum;
  }

  /// The same of a vector as it lies in memory; bytes are summed four at a time.
  template <class Op>
  static __device__ T fold(Problem const& problem, items const& word, mask heads, Op& op) {
    constexpr bool bytes = std::is_integral_v<Raw> && sizeof(Raw) == 1 && std::is_same_v<T, int> &&
                           adds<Op, T> && std::is_same_v<decltype(Problem::unary), identity>;
    if constexpr (bytes && V % 4 == 0) {
      int sum = 0;
#pragma unroll
      for (int w = 0; w < items::words; ++w) {
        if constexpr (std::is_signed_v<Raw>) sum = __dp4a(static_cast<int>(word.word[w]), 0x01010101, sum);
        else sum = static_cast<int>(__dp4a(word.word[w], 0x01010101u, static_cast<unsigned>(sum)));
      }
      return sum;
    } else {
      T xs[V];
      unpack(problem, word, heads, xs);
      return fold(xs, op);
    }
  }

  template <class Op>
  static __device__ stashed stash(items const& word, mask heads, T const (&xs)[V], optional<T> const& before,
                                  Op& op) {
    stashed k;
    if constexpr (packed) {
      k.raw = word;
      k.heads = heads;
      k.before = before.value;
    } else if constexpr (inclusive) {
      k.xs[0] = combine(before, xs[0], op);
#pragma unroll
      for (int v = 1; v < V; ++v) k.xs[v] = xs[v];
    } else {  // item v stands one place to the right, where it is needed
      k.xs[0] = before.value;
#pragma unroll
      for (int v = 1; v < V; ++v) k.xs[v] = xs[v - 1];
    }
    return k;
  }

  /// The results of a vector that was stashed with (or, where !has_stashed, without) something before it;
  /// `before` comes before even that.
  template <class Op>
  static __device__ void finish(Problem const& problem, stashed& k, bool has_stashed,
                                optional<T> const& before, T (&results)[V], Op& op) {
    if constexpr (packed) {
      k.raw.keep_packed();
      T xs[V];
      unpack(problem, k.raw, k.heads, xs);
      bool const has = has_stashed || before.present;
      T sum = !has_stashed ? before.value : combine(before, k.before, op);
#pragma unroll
      for (int v = 0; v < V; ++v) {
        if constexpr (!inclusive) results[v] = problem.before(sum, k.heads, in_memory(v));
        sum = v > 0 || has ? static_cast<T>(op(sum, xs[v])) : xs[v];
        if constexpr (inclusive) results[v] = sum;
      }
    } else {
      bool const has_first = inclusive || has_stashed;
      results[0] = !has_first ? before.value : combine(before, k.xs[0], op);
      bool const has = has_first || before.present;
#pragma unroll
      for (int v = 1; v < V; ++v)
        results[v] = v > 1 || has ? static_cast<T>(op(results[v - 1], k.xs[v])) : k.xs[v];
    }
  }

  /// Whether vectors can be loaded whole, where `tile` is the lowest index of a tile.
  static __device__ bool can_load_vectors(Problem const& problem, std::int64_t tile) {
    if constexpr (reads_streams) return streams_aligned<V>(source_of(problem.in), tile);
    else return false;
  }
  // R vectors, all of their loads in flight: those of the items from place(r) on of a tile whose lowest index
  // is `tile`, counted as they lie in memory. They exist, unless they are shifted and items lie there alone.

  /// Where they can be loaded whole.
  template <int R, class Place>
  static __device__ void load_whole(Problem const& problem, std::int64_t tile, Place place,
                                    items (&rows)[R]) {
    load_by(problem, tile, place, rows, [&](auto const& from, auto& streams) {
#pragma unroll
      for (int r = 0; r < R; ++r) load_streams<P.load, V>(from, tile + place(r), streams[r]);
    });
  }
  template <words_around Around = words_around::may_end, int R, class Place>
  static __device__ void load_shifted(Problem const& problem, std::int64_t tile, Place place,
                                      items (&rows)[R]) {
    load_by(problem, tile, place, rows, [&](auto const& from, auto& streams) {
      load_streams_anywhere<V, Around>(from, problem.grid.n, tile, problem.grid.tile_items, place, streams);
    });
  }
  /// One item after the other.
  template <int R, class Place>
  static __device__ void load_each(Problem const& problem, std::int64_t tile, Place place, items (&rows)[R]) {
    if constexpr (has_natural_places<typename Problem::source>) {
      auto const from = source_of(problem.in);
      if (lies_at_natural_places(from))
        return gather_parts(from, tile, place, rows, [&](int r, int v, auto k) -> decltype(auto) {
          return *from.template stream<decltype(k)::value>().lowest(tile + place(r) + v, 1);
        });
    }
    Raw raw[R][V];
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
      for (int v = 0; v < V; ++v) put_bytes(raw[r][v], static_cast<Raw>(problem.in[tile + place(r) + v]));
#pragma unroll
    for (int r = 0; r < R; ++r) rows[r].pack(raw[r]);
  }

  /// Writes results in scan order; `lowest` is the index of the one that is first in memory.
  static __device__ void store(Problem const& problem, std::int64_t lowest, T const (&results)[V],
                               bool by_vectors) {
    if constexpr (Problem::writes_streams) {
      if (by_vectors) {
        U stored[V];
#pragma unroll
        for (int v = 0; v < V; ++v) put_bytes(stored[in_memory(v)], static_cast<U>(results[v]));
        return store_streams<P.store>(Problem::sink_under(problem.out), lowest, stored);
      }
    }
#pragma unroll
    for (int v = 0; v < V; ++v) problem.put(lowest + in_memory(v), results[v]);
  }

  static __device__ bool can_store_vectors(Problem const& problem, std::int64_t tile) {
    if constexpr (Problem::out_contiguous) return vector_aligned<V>(problem.out, tile);
    else if constexpr (Problem::writes_streams)
      return streams_aligned<V>(Problem::sink_under(problem.out), tile);
    else return false;
  }

 private:
  /// Loads what vectors are made of, and makes them.
  template <int R, class Place, class Load>
  static __device__ void load_by(Problem const& problem, std::int64_t tile, Place place, items (&rows)[R],
                                 Load load) {
    if constexpr (reads_streams) {
      auto const from = source_of(problem.in);
      stream_rows<typename Problem::source, V> streams[R];
      load(from, streams);
      if constexpr (Problem::in_contiguous) {
#pragma unroll
        for (int r = 0; r < R; ++r) rows[r] = streams[r].template of<0>();
      } else {  // what is read elsewhere is asked for before the first of it is looked at
        if constexpr (has_natural_places<typename Problem::source>)
          if (lies_at_natural_places(from))
            return gather_parts(from, tile, place, rows, [&](int r, int v, auto k) {
              constexpr int K = decltype(k)::value;
              return streams[r].template of<K>().item(stream_reversed<typename Problem::source, K> ? V - 1 - v
                                                                                                   : v);
            });
        Raw raw[R][V];
#pragma unroll
        for (int r = 0; r < R; ++r) make_items(from, tile + place(r), streams[r], raw[r]);
#pragma unroll
        for (int r = 0; r < R; ++r) rows[r].pack(raw[r]);
      }
    }
  }
  /// Items whose elements are few parts, where they lie; read(r, v, k) gives what stream k has for item v of
  /// row r. All parts are asked for before the first is looked at.
  template <int R, class Place, class Read>
  static __device__ void gather_parts(typename Problem::source const& from, std::int64_t tile, Place place,
                                      items (&rows)[R], Read read) {
    parts_at_natural_places<typename Problem::source> parts[R][V];
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
      for (int v = 0; v < V; ++v)
        parts[r][v].ask(
            from.element_of(tile + place(r) + v, [&](auto k) -> decltype(auto) { return read(r, v, k); }));
#pragma unroll
    for (int r = 0; r < R; ++r) {
      Raw raw[V];
#pragma unroll
      for (int v = 0; v < V; ++v)
        put_bytes(raw[v], static_cast<Raw>(from.made_of(parts[r][v].joined().item(0))));
      rows[r].pack(raw);
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

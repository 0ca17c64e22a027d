// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_STREAM_VECTORS_CUH
#define SWEEP_DETAIL_BLOCK_STREAM_VECTORS_CUH

#include <sweep/detail/block/shifted_vectors.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/plan.hpp>

#include <cstdint>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

// Neighbours in every stream of a source or a sink (core/item_source.hpp), a lane's share of each.

/// What a lane has of each stream of a source: of items of type X a Kept::of<X>.
template <int K, class X>
struct part_of_stream {
  X kept;
};
template <class Source, class Kept, class Streams = std::make_integer_sequence<int, Source::streams>>
struct parts_of_streams;
template <class Source, class Kept, int... K>
struct parts_of_streams<Source, Kept, std::integer_sequence<int, K...>>
    : part_of_stream<K, typename Kept::template of<stream_value<Source, K>>>... {
  template <int At>
  using part = part_of_stream<At, typename Kept::template of<stream_value<Source, At>>>;
  template <int At>
  __device__ auto& of() {
    return static_cast<part<At>&>(*this).kept;
  }
  template <int At>
  __device__ auto const& of() const {
    return static_cast<part<At> const&>(*this).kept;
  }
};
template <int L>
struct kept_as_row {
  template <class Item>
  using of = item_vector<Item, L>;
};
template <int N>
struct kept_as_singles {
  template <class Item>
  using of = uninitialized<Item, N>;
};
/// L items of every stream, as they lie in memory.
template <class Source, int L>
using stream_rows = parts_of_streams<Source, kept_as_row<L>>;
/// N single items of every stream, each in registers of its own.
template <class Source, int N>
using single_items = parts_of_streams<Source, kept_as_singles<N>>;

/// work(stream_number<K>) for each.
template <int Count, class Work>
__device__ void for_each_stream(Work work) {
  [&]<int... K>(std::integer_sequence<int, K...>) { (work(stream_number<K>{}), ...); }
  (std::make_integer_sequence<int, Count>{});
}

/// Whether the V items from this one on are a vector in every stream.
template <int V, class Streams>
__device__ bool streams_aligned(Streams const& of, std::int64_t index) {
  bool all = true;
  for_each_stream<Streams::streams>([&](auto k) {
    all = all && vector_aligned<V>(of.template stream<decltype(k)::value>().lowest(index, V), 0);
  });
  return all;
}

/// Loads those, where they are.
template <access How, int V, class Source, class Rows>
__device__ void load_streams(Source const& from, std::int64_t index, Rows& row) {
  for_each_stream<Source::streams>([&](auto k) {
    constexpr int K = decltype(k)::value;
    load_vectors<How>(from.template stream<K>().lowest(index, V), row.template of<K>());
  });
}
/// Whether items of a stream may begin within words, so that few are vectors as they lie.
template <class Source>
inline constexpr bool has_narrow_streams = []<int... K>(std::integer_sequence<int, K...>) {
  return (is_narrow<stream_value<Source, K>> || ...);
}
(std::make_integer_sequence<int, Source::streams>{});

/// Loads V items of every stream, R times, wherever they begin: those from place(r) on of `span` items that
/// begin with item `base` of n. The V exist.
template <int V, words_around Around, int R, class Source, class Place, class Rows>
__device__ void load_streams_anywhere(Source const& from, std::int64_t n, std::int64_t base, int span,
                                      Place place, Rows (&rows)[R]) {
  for_each_stream<Source::streams>([&](auto k) {
    constexpr int K = decltype(k)::value;
    using item = stream_value<Source, K>;
    auto const memory = from.template stream<K>();
    if constexpr (is_narrow<item>) {
      constexpr bool reversed = stream_reversed<Source, K>;
      load_shifted_vectors<R, V, Around>(
          memory.lowest(0, n), n, reversed ? n - base - span : base, span,
          [&](int r) { return reversed ? span - V - place(r) : place(r); },
          [&](int r) -> auto& { return rows[r].template of<K>(); });
    } else {
#pragma unroll
      for (int r = 0; r < R; ++r) {
        auto const* const lowest = memory.lowest(base + place(r), V);
        item items[V];
#pragma unroll
        for (int v = 0; v < V; ++v) put_bytes(items[v], lowest[v]);
        rows[r].template of<K>().pack(items);
      }
    }
  });
}
/// The items that they make.
template <int V, class Source, class Rows, class Item>
__device__ void make_items(Source const& from, std::int64_t index, Rows const& row, Item (&items)[V]) {
#pragma unroll
  for (int v = 0; v < V; ++v)
    put_bytes(items[v], from.item(index + v, [&](auto k) {
      constexpr int K = decltype(k)::value;
      return row.template of<K>().item(stream_reversed<Source, K> ? V - 1 - v : v);
    }));
}

/// Stores V results, from this index on, as a vector in every stream of a sink.
template <access How, int V, class Sink, class Result>
__device__ void store_streams(Sink const& to, std::int64_t index, Result const (&results)[V]) {
  for_each_stream<Sink::streams>([&](auto k) {
    constexpr int K = decltype(k)::value;
    auto const memory = to.template stream<K>();
    using item = stream_value<Sink, K>;
    item parts[V];
#pragma unroll
    for (int v = 0; v < V; ++v)
      put_bytes(parts[stream_reversed<Sink, K> ? V - 1 - v : v],
                static_cast<item>(Sink::template part<K>(results[v])));
    item_vector<item, V> word;
    word.pack(parts);
    store_vectors<How>(memory.lowest(index, V), word);
  });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

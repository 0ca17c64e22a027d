// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUN_LENGTH_TILE_STAGED_STREAMS_CUH
#define SWEEP_DETAIL_RUN_LENGTH_TILE_STAGED_STREAMS_CUH

#include <sweep/detail/block/bulk_copy.cuh>
#include <sweep/detail/block/pipeline.cuh>
#include <sweep/detail/block/stage_items.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/packed_value.hpp>
#include <sweep/detail/core/relocatable.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// Room for so many items of each stream of a source.
template <class Source, int N, int K = 0>
struct stream_rooms {
  staged_items<stream_value<Source, K>, N> here;
  stream_rooms<Source, N, K + 1> others;

  template <int Which>
  __device__ auto& of() {
    if constexpr (Which == K) return here;
    else return others.template of<Which>();
  }
};
template <class Source, int N, int K>
  requires(K == Source::streams)
struct stream_rooms<Source, N, K> {
  template <int>
  __device__ void of();
};
/// Where an item lies in the room of each stream, in bytes.
template <class Source>
struct stream_places {
  int at[Source::streams > 0 ? Source::streams : 1];
};

/// N neighbours of each stream of a source in a lane's registers: as items, those of many narrow members as
/// the words that hold them, of which each is taken when it is looked at.
template <class Source, int N, int K = 0>
class lane_neighbours {
  using item = stream_value<Source, K>;
  static constexpr bool in_words = spreads_in_registers<item> || !std::is_default_constructible_v<item>;
  struct items_alone {
    item of[N];
  };

 public:
  /// From the lowest place in shared memory of each on.
  template <class Lowest>
  __device__ void load(Lowest lowest) {
    item_vector<item, N> words;
    load_staged(reinterpret_cast<unsigned char const*>(lowest(stream_number<K>{})), words);
    if constexpr (in_words) {
      words.keep_packed();
      here_ = words;
    } else {
      words.unpack_each(here_.of);
    }
    others_.load(lowest);
  }
  template <int Which>
  __device__ auto at(int v) const {
    if constexpr (Which != K) {
      return others_.template at<Which>(v);
    } else {
      int const n = stream_reversed<Source, K> ? N - 1 - v : v;
      if constexpr (in_words) return here_.item(n);
      else return here_.of[n];
    }
  }

 private:
  std::conditional_t<in_words, item_vector<item, N>, items_alone> here_;
  lane_neighbours<Source, N, K + 1> others_;
};
template <class Source, int N, int K>
  requires(K == Source::streams)
class lane_neighbours<Source, N, K> {
 public:
  template <class Lowest>
  __device__ void load(Lowest) {}
};

/// Whether items are neighbours in memory, either way round.
template <class Source>
inline constexpr bool is_memory_source = false;
template <class T, bool Reversed>
inline constexpr bool is_memory_source<memory_source<T, Reversed>> = true;

/// What a source's items are made of, a tile's share of it in shared memory. Bulk copies bring whole 16 bytes
/// around that, wherever it begins; where those would be somebody else's, it is read as it is.
template <class Source>
class staged_streams {
 public:
  using value_type = typename Source::value_type;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __device__ explicit staged_streams(Source const& source) : source_{source} {}

  /// Whether bulk copies of items [first, first + count) bring nothing that n items do not own.
  __device__ bool owns(std::int64_t first, std::int64_t count, std::int64_t n) const {
    bool own = true;
    for_each([&](auto k, auto const&) {
      constexpr std::int64_t size = sizeof(item<decltype(k)::value>), most = (15 + size - 1) / size;
      own = own && first >= most && n - (first + count) >= most;
    });
    return own;
  }
  __device__ void prefetch(std::int64_t first, int count) const {
    for_each([&](auto, auto const& stream) {
      auto const some = window_of(stream.lowest(first, count), count);
      bulk_prefetch(some.from, some.bytes);
    });
  }
  /// Where item `first` lies, of a load of [first - left, first + count), and of how many bytes that is.
  __device__ unsigned place(std::int64_t first, int left, int count, stream_places<Source>& to) const {
    unsigned bytes = 0;
    for_each([&](auto k, auto const& stream) {
      constexpr bool reversed = stream_reversed<Source, decltype(k)::value>;
      auto const some = window_of(stream.lowest(first - left, left + count), left + count);
      to.at[decltype(k)::value] =
          16 + some.shift +
          (reversed ? count - 1 : left) * static_cast<int>(sizeof(item<decltype(k)::value>));
      bytes += some.bytes;
    });
    return bytes;
  }
  template <class Rooms>
  __device__ void load(std::int64_t first, int left, int count, Rooms& rooms, stage_barrier& landed) const {
    for_each([&](auto k, auto const& stream) {
      auto const some = window_of(stream.lowest(first - left, left + count), left + count);
      bulk_load(rooms.template of<decltype(k)::value>().room + 16, some.from, some.bytes, landed);
    });
  }
  /// The same by a warp, one by one: items [first, first + count), which lie from `offset` on.
  template <class Rooms>
  __device__ void fill(std::int64_t first, int count, Rooms& rooms, stream_places<Source> const& places,
                       int offset) const {
    for_each([&](auto k, auto const& stream) {
      constexpr bool reversed = stream_reversed<Source, decltype(k)::value>;
      auto* const some = lying<decltype(k)::value>(rooms, places, offset);
      for (int i = static_cast<int>(threadIdx.x % 32); i < count; i += 32)
        put_bytes(some[reversed ? -i : i], stream.first[reversed ? -(first + i) : first + i]);
    });
  }

  /// Where stream K has an item so many behind the first.
  template <int K, class Rooms>
  static __device__ auto* lying(Rooms& rooms, stream_places<Source> const& places, int offset) {
    auto* const first = reinterpret_cast<item<K>*>(rooms.template of<K>().room + places.at[K]);
    return stream_reversed<Source, K> ? first - offset : first + offset;
  }
  /// Item i of the range, so many behind the first.
  template <class Rooms>
  __device__ decltype(auto) one(std::int64_t i, Rooms& rooms, stream_places<Source> const& places,
                                int offset) const {
    return source_.item(i, [&](auto k) -> decltype(auto) {
      if constexpr (Source::streams > 0) return *lying<decltype(k)::value>(rooms, places, offset);
    });
  }
  /// What V neighbours from item i on are made of, which lie so many behind the first.
  template <int V, class Rooms>
  __device__ auto neighbours(Rooms& rooms, stream_places<Source> const& places, int offset) const {
    lane_neighbours<Source, V> found;
    found.load([&](auto k) {
      constexpr int stream = decltype(k)::value;
      return lying<stream>(rooms, places, stream_reversed<Source, stream> ? offset + V - 1 : offset);
    });
    return found;
  }
  /// Item i of the range, number v of some neighbours.
  template <int V>
  __device__ value_type made(std::int64_t i, lane_neighbours<Source, V> const& of, int v) const {
    return source_.item(i, [&](auto k) {
      if constexpr (Source::streams > 0) return of.template at<decltype(k)::value>(v);
    });
  }
  /// V neighbours from item i on, which lie so many behind the first; those of [begin, end) that there are.
  template <int V, class Rooms>
  __device__ void load_neighbours(std::int64_t i, Rooms& rooms, stream_places<Source> const& places,
                                  int offset, int begin, int end, value_type (&values)[V]) const {
    if constexpr (is_memory_source<Source>) {
      auto const found = neighbours<V>(rooms, places, offset);
#pragma unroll
      for (int v = 0; v < V; ++v) put_bytes(values[v], found.template at<0>(v));
    } else {
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (v >= begin && v < end)
          put_bytes(values[v], static_cast<value_type>(one(i + v, rooms, places, offset + v)));
    }
  }

 private:
  template <int K>
  using item = stream_value<Source, K>;

  /// The whole 16 bytes around some neighbours in memory, and where those begin in them.
  struct window {
    unsigned char const* from;
    unsigned bytes;
    int shift;
  };
  template <class Item>
  static __device__ window window_of(Item const* lowest, int count) {
    auto const begin = reinterpret_cast<std::uintptr_t>(lowest), from = begin / 16 * 16,
               end = (reinterpret_cast<std::uintptr_t>(lowest + count) + 15) / 16 * 16;
    return {reinterpret_cast<unsigned char const*>(from), static_cast<unsigned>(end - from),
            static_cast<int>(begin - from)};
  }

  /// f(number of a stream, stream)
  template <int K = 0, class F>
  __device__ void for_each(F f) const {
    if constexpr (K < Source::streams) {
      f(stream_number<K>{}, source_.template stream<K>());
      for_each<K + 1>(f);
    }
  }

  Source source_;
#endif
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

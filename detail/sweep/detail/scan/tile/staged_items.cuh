// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_STAGED_ITEMS_CUH
#define SWEEP_DETAIL_SCAN_TILE_STAGED_ITEMS_CUH

#include <sweep/detail/block/bulk_copy.cuh>
#include <sweep/detail/block/item_parts.cuh>
#include <sweep/detail/block/pipeline.cuh>
#include <sweep/detail/block/window.cuh>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/scan/tile/pipeline_size.cuh>
#include <sweep/detail/scan/tuning.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// A pipeline's tile in shared memory: what is loaded, made and stored. Shape, in scan order:
/// (C chunks, 32 lanes, L items). A tile has a window of each stream of the input (core/item_source.hpp), a
/// chunk one for the results of each sink, unless these take the places of its items (Shape.in_place).
template <class Problem, scan_plan P, scan_shape Shape>
class scan_staged_items {
 protected:
  using T = typename Problem::value;
  using U = typename Problem::out_value;
  using mask = typename Problem::mask;
  using raw = typename Problem::raw;
  // What reads other memory too is made once, coalesced, and stands beside its streams: lanes see that alone.
  using beneath = typename Problem::source;
  static constexpr bool makes = beneath::reads_elsewhere;
  using source = std::conditional_t<makes, memory_source<raw>, beneath>;
  using sink = typename Problem::sink;

 public:
  static constexpr bool backward = Problem::towards == direction::backward;
  static constexpr bool inclusive = Problem::kind == scan_kind::inclusive;
  static constexpr int L = scan_lane_items(P, Shape), C = chunks_of(P), chunk_items = 32 * L,
                       tile_items = C * chunk_items;
  static constexpr bool segmented = Problem::heads_type::segmented;
  static constexpr bool in_place = Shape.in_place, has_own_before = keeps_before(Shape);
  static constexpr int streams = source::streams;
  using rows = stream_rows<source, L>;
  /// Whether lanes write results one by one; narrow ones fill words together, of whole lanes alone.
  static constexpr bool wide_results = []<int... K>(std::integer_sequence<int, K...>) {
    return ((natural_width<stream_value<sink, K>> >= 4) && ...);
  }
  (std::make_integer_sequence<int, sink::streams>{});

  template <int K>
  using stream_item = stream_value<source, K>;
  template <int K>
  using sink_item = stream_value<sink, K>;
  /// Where the window of a stream stands, of so many items each; that of the number of streams: where they
  /// end.
  template <class Streams, int K, int Items>
  static SWEEP_HD constexpr int offset_of() {
    if constexpr (K == 0) return 0;
    else
      return offset_of<Streams, K - 1, Items>() +
             window_pitch(Items * static_cast<int>(sizeof(stream_value<Streams, K - 1>)));
  }
  static constexpr int loaded_bytes = offset_of<beneath, beneath::streams, tile_items>(),
                       made_bytes = makes ? window_pitch(tile_items * static_cast<int>(sizeof(raw))) : 0,
                       results_bytes = offset_of<sink, sink::streams, chunk_items>();

  struct no_heads_window {};
  struct heads_window {
    alignas(16) unsigned words[window_bytes(C * chunk_items) / 4];
    int shift;  ///< where the bit of the tile's lowest item stands
  };
  struct first_head {
    int place;  ///< of the tile, in memory order
  };
  static constexpr bool fixed_length = Problem::heads_type::fixed_length;
  struct stage {
    alignas(128) unsigned char items[loaded_bytes + made_bytes > 0 ? loaded_bytes + made_bytes : 1];
    alignas(T) unsigned char lanes[C * 32 * sizeof(T)];  ///< what comes before a lane in its chunk
    alignas(T) unsigned char chunks[C * sizeof(T)];      ///< totals, then what comes before a chunk
    std::int64_t tile;
    /// What comes before the tile, where chunks have what comes before them in it.
    alignas(has_own_before ? alignof(T) : 1) unsigned char before[has_own_before ? sizeof(T) : 1];
    bool has_before, chunk_has_before[has_own_before ? 1 : C];
    bool has_heads;  ///< bulk loads have brought them
    std::conditional_t<fixed_length, first_head, std::conditional_t<segmented, heads_window, no_heads_window>>
        heads;
  };
  struct results {
    alignas(128) unsigned char chunks[results_bytes > 0 && !in_place ? C * results_bytes : 1];
  };

  __device__ scan_staged_items(Problem const& problem, results& to)
      : problem_{problem},
        beneath_{source_of(problem.in)},
        sink_{Problem::sink_under(problem.out)},
        results_{to},
        lane_{static_cast<int>(threadIdx.x % 32)} {}

  __device__ Problem const& problem() const { return problem_; }
  __device__ int lane() const { return lane_; }

  // Where things are.

  /// Where a place of the tile stands among its indices.
  __device__ static int offset(int place) { return backward ? tile_items - 1 - place : place; }
  /// The lowest index of `count` places.
  __device__ static std::int64_t lowest(tile_window const& window, int place, int count) {
    return window.base + (backward ? tile_items - place - count : place);
  }
  /// Whether a stream lies in memory in the order of the scan.
  template <bool Reversed>
  static constexpr bool ascends = Reversed == backward;
  /// Of `count` neighbours, the p-th in scan order counted in memory.
  template <bool Reversed>
  static __device__ constexpr int in_memory(int p, int count) {
    return ascends<Reversed> ? p : count - 1 - p;
  }

  /// The window of neighbouring places of a stream or a sink: its part that exists, and the whole range.
  struct places_window {
    staged_window at;
    std::uintptr_t first;  ///< of the places, whether they exist or not
    byte_range there, all;
  };
  template <class Memory>
  __device__ places_window window_of(Memory const& memory, unsigned char* region, std::int64_t lowest_index,
                                     int count) const {
    auto const here = byte_range::of(memory.lowest(lowest_index, count), count);
    auto const all = byte_range::of(memory.lowest(0, problem_.grid.n), problem_.grid.n);
    return {{region, here.from}, here.from, here.within(all), all};
  }
  template <int K>
  __device__ places_window loaded_window(stage& at, tile_window const& window) const {
    return window_of(beneath_.template stream<K>(), at.items + offset_of<beneath, K, tile_items>(),
                     window.base, tile_items);
  }
  /// What the lanes read.
  template <int K>
  __device__ places_window stream_window(stage& at, tile_window const& window) const {
    if constexpr (makes) return window_of(source{nullptr}, at.items + loaded_bytes, window.base, tile_items);
    else return loaded_window<K>(at, window);
  }
  template <int K>
  __device__ places_window sink_window(stage& at, tile_window const& window, int chunk) const {
    auto const index = lowest(window, chunk * chunk_items, chunk_items);
    auto const memory = sink_.template stream<K>();
    if constexpr (in_place) {
      auto found = window_of(memory, results_.chunks, index, chunk_items);
      found.at = {chunk_at(at, window, chunk), found.first, exactly};
      return found;
    } else {
      return window_of(memory, results_.chunks + chunk * results_bytes + offset_of<sink, K, chunk_items>(),
                       index, chunk_items);
    }
  }
  /// Where a chunk's items of stream 0 begin.
  __device__ unsigned char* chunk_at(stage& at, tile_window const& window, int chunk) const {
    auto const from = stream_window<0>(at, window);
    int const m = ascends<stream_reversed<source, 0>> ? chunk : C - 1 - chunk;
    return from.at.at(from.first) + m * chunk_items * static_cast<int>(sizeof(stream_item<0>));
  }
  __device__ auto reading() const {
    if constexpr (makes) return source{nullptr};
    else return beneath_;
  }

  // Loads.

  /// Starts them, by one thread; the bytes that they will bring.
  __device__ unsigned load(stage& at, tile_window const& window, stage_barrier& landed) const {
    unsigned bytes = 0;
    for_each_stream<beneath::streams>([&](auto k) {
      auto const from = loaded_window<decltype(k)::value>(at, window);
      bytes += from.at.load(from.there, from.all, landed);
    });
    return bytes;
  }
  __device__ void prefetch(tile_window const& window) const {
    for_each_stream<beneath::streams>([&](auto k) {
      auto const memory = beneath_.template stream<decltype(k)::value>();
      auto const words = byte_range::of(memory.lowest(window.base, tile_items), tile_items)
                             .within(byte_range::of(memory.lowest(0, problem_.grid.n), problem_.grid.n))
                             .words_inside();
      if (!words.empty()) bulk_prefetch(reinterpret_cast<void const*>(words.from), words.bytes());
    });
  }
  /// What they cannot bring of a chunk: ends, heads, items that are made.
  __device__ void complete(stage& at, tile_window const& window, int chunk) const {
    bool wrote = false;
    if (window.base == 0 || window.base + tile_items + 16 > problem_.grid.n)  // else loads bring all
      for_each_stream<beneath::streams>([&](auto k) {
        constexpr int K = decltype(k)::value;
        auto const memory = beneath_.template stream<K>();
        auto const from = loaded_window<K>(at, window);
        auto const part = byte_range::of(
            memory.lowest(lowest(window, chunk * chunk_items, chunk_items), chunk_items), chunk_items);
        wrote |= from.at.template load_ends<stream_value<beneath, K>>(from.there, from.all, part, lane_);
      });
    if constexpr (makes) {
      if (wrote) __syncwarp();
      make_items(at, window, chunk);
      wrote = true;
    }
    if constexpr (segmented && !fixed_length)
      if (!at.has_heads) {
        fill_heads(at, window, chunk);
        wrote = true;
      }
    if (wrote) __syncwarp();
  }

  // Heads.

  // Of segments of one length nothing is read: heads are counted from the tile's first one.

  /// Finds that, by one thread.
  __device__ void find_first_head(stage& at, tile_window const& window) const {
    auto const& source = problem_.heads.source;
    at.heads.place = static_cast<int>(
        min(source.to_head(window.base + (backward ? 1 : 0)), static_cast<std::int64_t>(source.far)));
  }
  /// Calls work(k) for each of `count` items from this one on in memory, the k-th, that is a head.
  template <class Work>
  __device__ void for_each_head(stage const& at, int lowest, int count, Work work) const {
    auto const& source = problem_.heads.source;
    static_assert(tile_items + L < std::remove_cvref_t<decltype(source)>::far);
    auto const step = static_cast<int>(source.step.divisor);
#pragma unroll 1
    for (int k = source.to_head(lowest, at.heads.place); k < count; k += step) work(k);
  }

  /// The heads of so many items, at most 32, from this one on in memory.
  __device__ mask heads(stage const& at, int lowest, int count) const {
    if constexpr (fixed_length) {
      unsigned found = 0;
      for_each_head(at, lowest, count, [&](int k) { found |= 1u << k; });
      return found;
    } else if constexpr (segmented) {
      int const bit = at.heads.shift + lowest;
      auto const* const words = at.heads.words + bit / 32;
      unsigned const next = bit % 32 + count > 32 ? words[1] : 0u;  // else it may be another warp's to fill
      return __funnelshift_r(words[0], next, static_cast<unsigned>(bit));
    } else {
      return {};
    }
  }

  /// The heads of a lane's items, in memory order. Place 0 of tile 0 starts a segment whatever its bit says.
  struct lane_heads {
    static constexpr int words = segmented ? (L + 31) / 32 : 1;
    unsigned bits[words]{};
    /// Which of the bits of a word are the lane's.
    static __device__ constexpr unsigned valid(int w) {
      return L - 32 * w >= 32 ? ~0u : (1u << (L - 32 * w)) - 1;
    }
    __device__ int count() const {
      int all = 0;
#pragma unroll
      for (int w = 0; w < words; ++w) all += __popc(bits[w] & valid(w));
      return all;
    }
    /// Of the lane's item v in scan order, with the bit that is its own: for Problem::item.
    __device__ mask word_of(int v) const {
      if constexpr (segmented) return bits[bit_of(v) / 32];
      else return {};
    }
    static __device__ constexpr int bit_of(int v) { return backward ? L - 1 - v : v; }
    /// Whether a segment begins with item v; false where values tell it themselves.
    __device__ bool begins(int v) const {
      if constexpr (segmented && may_ignore_left<T>)
        return (bits[bit_of(v) / 32] & 1u << bit_of(v) % 32) != 0;
      else return false;
    }
    __device__ bool begins_any() const {
      unsigned any = 0;
#pragma unroll
      for (int w = 0; w < words; ++w) any |= bits[w] & valid(w);
      return any != 0;
    }
  };
  __device__ lane_heads heads_of_lane(stage const& at, int place, int ahead = 0) const {
    lane_heads found;
    if constexpr (fixed_length) {
      for_each_head(at, (backward ? offset(place + L - 1) : place) + ahead, L, [&](int k) {
#pragma unroll
        for (int w = 0; w < lane_heads::words; ++w)
          if (k / 32 == w) found.bits[w] |= 1u << k % 32;
      });
    } else if constexpr (segmented) {
      int const lowest = (backward ? offset(place + L - 1) : place) + ahead;
      auto const bit = static_cast<unsigned>(at.heads.shift + lowest);
      auto const* const from = at.heads.words + bit / 32;
      unsigned low = from[0];
#pragma unroll
      for (int w = 0; w < lane_heads::words; ++w) {
        int const left = L - 32 * w;
        // Else it may be another warp's to fill.
        bool const more = left > 32 || static_cast<int>(bit % 32) + left > 32;
        unsigned const high = more ? from[w + 1] : 0u;
        found.bits[w] = __funnelshift_r(low, high, bit);
        low = high;
      }
    }
    if constexpr (segmented) {
      constexpr int first = lane_heads::bit_of(0);
      if (place == 0 && at.tile == 0 && ahead == 0) found.bits[first / 32] |= 1u << (first % 32);
    }
    return found;
  }

  /// Stores a chunk's results, by a warp.
  __device__ void store(stage& at, tile_window const& window, int chunk) const {
    fence_before_bulk();
    __syncwarp();
    for_each_stream<sink::streams>([&](auto k) {
      constexpr int K = decltype(k)::value;
      auto const to = sink_window<K>(at, window, chunk);
      if constexpr (Problem::staged_for_iterator) {
        auto const index = lowest(window, chunk * chunk_items, chunk_items);
        for (int i = lane_; i < chunk_items; i += 32)  // coalesced, item by item
          if (index + i >= 0 && index + i < problem_.grid.n)
            problem_.put(index + i, read_item<sink_item<K>>(to.at.at(to.first) +
                                                            i * static_cast<int>(sizeof(sink_item<K>))));
      } else {
        if (in_place && !to.at.has_words()) to.at.template store_items<sink_item<K>>(to.there, lane_);
        else to.at.template store<sink_item<K>>(to.there, lane_);
      }
    });
  }

 private:
  /// By a warp, coalesced, with many reads under way.
  __device__ void make_items(stage& at, tile_window const& window, int chunk) const {
    int const first = backward ? tile_items - (chunk + 1) * chunk_items : chunk * chunk_items;
    if constexpr (natural_width<raw> >= 4 || sizeof(raw) > 8) make_words(at, window, first);
    else make_narrow(at, window, first);
    fence_before_bulk();
  }
  /// A chunk's items from an offset on, of whole words or wide.
  __device__ void make_words(stage& at, tile_window const& window, int lowest_offset) const {
    constexpr int batch = sizeof(raw) <= 4 ? 16 : sizeof(raw) <= 8 ? 8 : 4;
    auto const made = stream_window<0>(at, window);
    for (int start = lane_; start < chunk_items; start += 32 * batch) {
      uninitialized<raw> x[batch];
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        int const i = lowest_offset + start + 32 * b;
        if (start + 32 * b < chunk_items && window.base + i < problem_.grid.n)
          put_bytes(x[b].value(), beneath_.item(window.base + i, [&](auto k) {
            constexpr int K = decltype(k)::value;
            using item = stream_value<beneath, K>;
            auto const from = loaded_window<K>(at, window);
            int const m = stream_reversed<beneath, K> ? tile_items - 1 - i : i;
            return read_item<item>(from.at.at(from.first) + m * static_cast<int>(sizeof(item)));
          }));
      }
#pragma unroll
      for (int b = 0; b < batch; ++b)
        if (int const i = start + 32 * b; i < chunk_items)
          write_item(made.at.at(made.first) + (lowest_offset + i) * static_cast<int>(sizeof(raw)),
                     x[b].value());
    }
  }
  /// A narrower item on its way, whole or in parts of its element.
  struct whole_item {
    uninitialized<raw> x;
    template <class Read>
    __device__ void ask(beneath const& from, std::int64_t i, Read const& read) {
      put_bytes(x.value(), from.item(i, read));
    }
    __device__ raw const& item(beneath const&) const { return x.value(); }
  };
  template <class Parts>
  struct item_of_parts {
    Parts parts;
    template <class Read>
    __device__ void ask(beneath const& from, std::int64_t i, Read const& read) {
      parts.ask(from.element_of(i, read));
    }
    __device__ raw item(beneath const& from) const {
      return static_cast<raw>(from.made_of(parts.joined().item(0)));
    }
  };
  __device__ void make_narrow(stage& at, tile_window const& window, int first) const {
    bool const whole = window.base + first + chunk_items <= problem_.grid.n;
    if constexpr (has_natural_places<beneath>)
      if (whole && lies_at_natural_places(beneath_))
        return make_narrow<item_of_parts<parts_at_natural_places<beneath>>, true>(at, window, first);
    if constexpr (gathers_in_parts<beneath>)
      if (whole && sizeof(element_of_t<beneath>) > 2)  // of two bytes each is a part
        return make_narrow<item_of_parts<item_parts<element_of_t<beneath>>>, true>(at, window, first);
    if (whole) make_narrow<whole_item, true>(at, window, first);
    else make_narrow<whole_item, false>(at, window, first);
  }
  /// Of items that are narrower. Each would come into its register under a predicate, and there are seven of
  /// those: so a whole chunk needs hardly any, and what the streams hold for a batch is read before the first
  /// of its items is asked for, so that all are on their way at once.
  template <class Asked, bool Whole>
  __device__ void make_narrow(stage& at, tile_window const& window, int first) const {
    constexpr int most = !Whole             ? 4
                         : sizeof(raw) <= 4 ? 16
                                            : 8,
                  batches = (L + most - 1) / most, batch = (L + batches - 1) / batches,
                  in_all = L - batch * (batches - 1);  // so many of any batch exist
    unsigned char* from[beneath::streams + 1];         // there may be none
    for_each_stream<beneath::streams>([&](auto k) {
      constexpr int K = decltype(k)::value;
      auto const loaded = loaded_window<K>(at, window);
      from[K] = loaded.at.at(loaded.first);
    });
    auto const made = stream_window<0>(at, window);
    auto* const to = made.at.at(made.first);
#pragma unroll 1
    for (int row = 0; row < L; row += batch) {
      auto const offset = [&](int b) { return first + (row + b) * 32 + lane_; };
      auto const there = [&](int b) {
        return (b < in_all || row + b < L) && (Whole || window.base + offset(b) < problem_.grid.n);
      };
      single_items<beneath, batch> found;
      for_each_stream<beneath::streams>([&](auto k) {
        constexpr int K = decltype(k)::value;
        using item = stream_value<beneath, K>;
#pragma unroll
        for (int b = 0; b < batch; ++b)
          if (there(b)) {
            int const m = stream_reversed<beneath, K> ? tile_items - 1 - offset(b) : offset(b);
            put_bytes(found.template of<K>()[b],
                      read_item<item>(from[K] + m * static_cast<int>(sizeof(item))));
          }
      });
      Asked x[batch];
#pragma unroll
      for (int b = 0; b < batch; ++b)
        if (there(b))
          x[b].ask(beneath_, window.base + offset(b),
                   [&](auto k) { return found.template of<decltype(k)::value>()[b]; });
#pragma unroll
      for (int b = 0; b < batch; ++b)
        if (there(b)) write_item(to + offset(b) * static_cast<int>(sizeof(raw)), raw(x[b].item(beneath_)));
    }
  }

  /// By ballot.
  __device__ void fill_heads(stage& at, tile_window const& window, int chunk) const {
    if constexpr (segmented) {
      int const first = backward ? offset((chunk + 1) * chunk_items - 1) : chunk * chunk_items;
      for (int i = lane_; i < chunk_items; i += 32) {  // in memory order
        auto const index = window.base + first + i;
        bool const there = index >= 0 && index < problem_.grid.n;
        unsigned const word = __ballot_sync(~0u, there && (problem_.heads_at(index, 1) & 1u) != 0);
        if (lane_ == 0) at.heads.words[(first + i) / 32] = word;
      }
      if constexpr (Problem::heads_type::needs_next_head) {
        auto const next = window.base + tile_items;
        if (chunk == C - 1 && lane_ == 0)
          at.heads.words[tile_items / 32] = next < problem_.grid.n ? problem_.heads_at(next, 1) & 1u : 0u;
      }
      fence_before_bulk();
    }
  }

 protected:
  Problem const& problem_;
  beneath beneath_;
  sink sink_;
  results& results_;
  int lane_;
};

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

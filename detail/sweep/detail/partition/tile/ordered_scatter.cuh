// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TILE_ORDERED_SCATTER_CUH
#define SWEEP_DETAIL_PARTITION_TILE_ORDERED_SCATTER_CUH

#include <sweep/detail/block/shared_window.cuh>
#include <sweep/detail/block/store_contiguous.cuh>
#include <sweep/detail/partition/tile/chunk_loader.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Rows that are put in order at once.
template <class Problem>
SWEEP_HD constexpr int ordered_rows(int rows) {
  int const at_once = moved_at_once<Problem>;
  int some = rows;
  while (some > at_once &&
         (rows % some != 0 || some % at_once != 0 || some * 32 * bytes_in_order < Problem >> 2048))
    --some;
  return some;
}
/// Shared memory that a warp needs for it: each part's pieces begin where their place in memory lies in 16
/// bytes.
template <class Problem>
SWEEP_HD constexpr int ordered_bytes(int rows) {
  return orders_in_shared_memory<Problem> ? ordered_rows<Problem>(rows) * 32 * bytes_in_order<Problem> +
                                                32 * Problem::written * (moves_halves<Problem> ? 2 : 1)
                                          : 0;
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// In two phases: the items of each part are put in order in shared memory, then written side by side. Halves
/// of pairs that are whole words go straight to their places in the first.
template <class Problem, partition_plan P>
class ordered_scatter : chunk_loader<Problem, P> {
  using base = chunk_loader<Problem, P>;
  using typename base::buffer, typename base::given, typename base::items, typename base::kept,
      typename base::loaded_value, typename base::raw, typename base::stage, typename base::tested,
      typename base::values;
  using base::R, base::V, base::chunk_items, base::counted, base::halves, base::marked, base::written;
  using base::lane_, base::made, base::problem_, base::put_to;
  static constexpr int together = ordered_rows<Problem>(R), pieces = halves ? 2 : 1;
  using narrow = typename vector_type<V == 1 ? 1 : static_cast<int>(sizeof(raw))>::type;

 public:
  /// `ordered`: this warp's shared memory.
  __device__ ordered_scatter(Problem const& problem, unsigned char* ordered)
      : base{problem}, ordered_{ordered} {}

  template <class Drained>
  __device__ void run(stage& at, buffer& in, int chunk, Drained const& drained) const {
    auto const window = problem_.grid.window(at.tile);
    if (window.whole(stage::tile_items)) scatter<true>(at, in, window, chunk, drained);
    else scatter<false>(at, in, window, chunk, drained);
  }

 private:
  template <bool Whole, class Drained>
  __device__ void scatter(stage& at, buffer& in, tile_window const& window, int chunk,
                          Drained const& drained) const {
    kept words;
    base::take(at, in, window, chunk, words);
    drained();
    int const start = chunk * chunk_items;
    if constexpr (V > 1 && !given::is_items) {
#pragma unroll
      for (int j = 0; j < R / V; ++j) make_vector(window.base + start + (j * 32 + lane_) * V, words[j]);
    }
    auto const places = base::template chunk_places<Whole>(at, window, chunk);
    if constexpr (written < Problem::parts && V > 1)
      if (few(at, chunk)) return scatter_few(at, chunk, words, places);
    // How many of the chunk's items exist before a place.
    auto const exist_before = [&](int place) {
      return Whole ? place - start : max(0, min(place, window.valid_end) - max(start, window.valid_begin));
    };
#pragma unroll
    for (int row = 0; row < R; row += together) {
      // Of each part, in these rows; a region is where the first goes.
      int begin[written], count[written], region[written][pieces];
      int from = exist_before(start + row * 32), to = exist_before(start + (row + together) * 32);
      int room = 0;
      for_each_part<Problem::parts>([&](auto k) {
        int begins = from, ends = to;
        if constexpr (k < counted) {
          begins = at.before[k][chunk][row * 32 / marked];
          ends =
              row + together < R ? at.before[k][chunk][(row + together) * 32 / marked] : at.totals[k][chunk];
          from -= begins;
          to -= ends;
        }
        if constexpr (k < written) {
          begin[k] = begins;
          count[k] = ends - begins;
          for_each_part<pieces>([&](auto c) {
            if constexpr (!goes_straight<Problem, c>) {
              int const lowest = room + address_in_16<c>(places.template of<k>(), begins, count[k]);
              room = (lowest + count[k] * static_cast<int>(sizeof(piece<c>)) + 15) / 16 * 16;
              region[k][c] = lowest + below_first<c>(k, count[k]);
            }
          });
        }
      });
      __syncwarp();  // the rows before these have been written
      if constexpr (V > 1) {
#pragma unroll
        for (int j = 0; j < together / V; ++j)
          order_vector<Whole>(at, window, chunk, row + j * V, words[row / V + j], begin, region,
                              exist_before);
      } else {
        order_rows<Whole>(at, window, chunk, row, words, places, begin, region);
      }
      __syncwarp();
      for_each_part<written>([&](auto k) {
        for_each_part<pieces>([&](auto c) {
          if constexpr (!goes_straight<Problem, c>)
            write<c>(places.template of<k>(), begin[k], count[k], region[k][c] - below_first<c>(k, count[k]));
        });
      });
    }
  }

  /// The items from `index` on, in place of what they are made of.
  __device__ void make_vector(std::int64_t index, items& word) const {
    loaded_value loaded[V];
    word.unpack_each(loaded);
    raw values[V];
#pragma unroll
    for (int v = 0; v < V; ++v) put_bytes(values[v], made(index + v, loaded[v]));
    item_vector<raw, V> vector;
    vector.pack(values);
#pragma unroll
    for (int w = 0; w < items::words; ++w) word.word[w] = vector.word[w];
  }

  /// Where few of a chunk's items are wanted, each is stored by itself, found by its bit.
  static __device__ bool few(stage const& at, int chunk) {
    int wanted = 0;
#pragma unroll
    for (int k = 0; k < written; ++k) wanted += at.totals[k][chunk];
    return wanted * 16 <= chunk_items;
  }
  template <class Places>
  __device__ void scatter_few(stage const& at, int chunk, kept const& words, Places const& places) const {
#pragma unroll
    for (int j = 0; j < R / V; ++j) {
      for_each_part<written>([&](auto k) {
        auto const mine = marks_of(at, k, chunk, j * V);
        unsigned left = mine.which & ((1u << V) - 1);
        int next = mine.before;
        for (; left != 0; left &= left - 1)
          put_to(places.template of<k>(), next++, item_of(words[j], __ffs(static_cast<int>(left)) - 1));
      });
    }
  }
  /// Item v of a lane's vector in registers, where v is not known when compiling.
  static __device__ raw item_of(items const& word, int v) {
    constexpr int each = 4 / static_cast<int>(sizeof(raw));
    unsigned found = 0;
#pragma unroll
    for (int w = 0; w < items::words; ++w) found |= word.word[w] & (v / each == w ? ~0u : 0u);
    found >>= v % each * 8 * static_cast<int>(sizeof(raw));
    raw item;
    memcpy(static_cast<void*>(&item), &found, sizeof(raw));
    return item;
  }

  /// What is written as piece number C.
  template <int C>
  using piece = std::conditional_t<
      !halves, raw,
      std::conditional_t<C == 0, typename halves_of<raw>::first, typename halves_of<raw>::second>>;
  /// Where pieces number C go.
  template <int C, class Out>
  static __device__ auto through(Out const& out) {
    if constexpr (!halves) return out;
    else if constexpr (C == 0) return base::place_in(out.out.first(), out.by);
    else return base::place_in(out.out.second(), out.by);
  }
  template <int C, class Out>
  static __device__ int address_in_16(Out const& out, int at, int count) {
    auto const to = through<C>(out);
    if constexpr (is_memory_of<std::remove_const_t<decltype(to)>, piece<C>>)
      return static_cast<int>(reinterpret_cast<std::uintptr_t>(lowest_in(to, at, count)) % 16);
    else return 0;
  }
  /// Whether pieces number C of part k are written the other way round.
  template <int C>
  static __device__ constexpr bool turned(int k) {
    if constexpr (!halves) {
      return Problem::writes_reversed(k);
    } else {
      using both = decltype(std::declval<Problem const&>().outputs.a);
      using half = std::conditional_t<C == 0, decltype(std::declval<both>().first()),
                                      decltype(std::declval<both>().second())>;
      return std::is_same_v<std::remove_cvref_t<half>, reversed_items<piece<C>>>;
    }
  }
  /// Bytes from one to the next, and those of a part's below its first.
  template <int C>
  static __device__ constexpr int step(int k) {
    constexpr int size = static_cast<int>(sizeof(piece<C>));
    return turned<C>(k) ? -size : size;
  }
  template <int C>
  static __device__ constexpr int below_first(int k, int count) {
    return turned<C>(k) ? (count - 1) * static_cast<int>(sizeof(piece<C>)) : 0;
  }

  /// Which of a lane's V items of the rows from `row` on belong to part k, and how many items of that part
  /// come before them in the chunk.
  struct marks {
    unsigned which;
    int before;
  };
  __device__ marks marks_of(stage const& at, int k, int chunk, int row) const {
    int const group = row * 32 / marked + lane_ * V / marked, shift = lane_ * V % marked;
    unsigned const mask = at.masks[k][chunk][group];
    int const before = at.before[k][chunk][group];
    if constexpr (marked == V) return {mask, before};
    else return {mask >> shift, before + __popc(mask & ((1u << shift) - 1))};
  }

  /// Puts a lane's V items of the rows from `row` on into the regions of their parts.
  template <bool Whole, class Before>
  __device__ void order_vector(stage const& at, tile_window const& window, int chunk, int row,
                               items const& word, int const (&begin)[written],
                               int const (&region)[written][1], Before const& exist_before) const {
    int const place = chunk * chunk_items + row * 32 + lane_ * V;
    unsigned which[Problem::parts];
    int next[Problem::parts];  // counted from the chunk's first
    which[counted] = Whole ? ~0u : existing_items(window, place);
    next[counted] = exist_before(place);
#pragma unroll
    for (int k = 0; k < counted; ++k) {
      auto const mine = marks_of(at, k, chunk, row);
      which[k] = mine.which;
      next[k] = mine.before;
      which[counted] &= ~which[k];
      next[counted] -= next[k];
    }
    unsigned char* to[written];
#pragma unroll
    for (int k = 0; k < written; ++k) to[k] = ordered_ + region[k][0] + (next[k] - begin[k]) * step<0>(k);
    items apart = word;
    apart.keep_packed();
#pragma unroll
    for (int v = 0; v < V; ++v) {
      auto const item = static_cast<narrow>(apart.low(v));
#pragma unroll
      for (int k = 0; k < written; ++k)
        if (which[k] >> v & 1u) {
          *reinterpret_cast<narrow*>(to[k]) = item;
          to[k] += step<0>(k);
        }
    }
  }

  /// Puts the items of some rows, one a lane, into the regions of their parts, or straight to their places.
  template <bool Whole, class Places>
  __device__ void order_rows(stage const& at, tile_window const& window, int chunk, int row,
                             kept const& words, Places const& places, int const (&begin)[written],
                             int const (&region)[written][pieces]) const {
    constexpr bool as_loaded = halves ? tested::is_items && values::is_items : given::is_items;
    // Masks and counts come some rows at a time: behind a store to shared memory each would be waited for.
    constexpr int some = together % 2 == 0 ? 2 : 1;
    using masks_of_rows = typename vector_type<4 * some>::type;
    using counts_of_rows = typename vector_type<2 * some>::type;
    int const start = chunk * chunk_items, first = Whole ? start : max(start, window.valid_begin);
    unsigned const lower = (1u << lane_) - 1;
#pragma unroll
    for (int next = 0; next < together; next += some) {
      masks_of_rows masks[counted];
      counts_of_rows before[counted];
#pragma unroll
      for (int k = 0; k < counted; ++k) {
        masks[k] = *reinterpret_cast<masks_of_rows const*>(&at.masks[k][chunk][row + next]);
        before[k] = *reinterpret_cast<counts_of_rows const*>(&at.before[k][chunk][row + next]);
      }
#pragma unroll
      for (int r = 0; r < some; ++r) {
        int const place = start + (row + next + r) * 32 + lane_;
        bool const there = Whole || window.contains(place);
        int part = counted, at_side[Problem::parts];
        at_side[counted] = place - first;
#pragma unroll
        for (int k = 0; k < counted; ++k) {
          unsigned mask[some];
          unsigned short count[some];
          memcpy(mask, &masks[k], sizeof mask);
          memcpy(count, &before[k], sizeof count);
          at_side[k] = count[r] + __popc(mask[r] & lower);
          at_side[counted] -= at_side[k];
          if (mask[r] >> lane_ & 1u) part = k;
        }
        bool const wanted = there && part < written;
        if constexpr (!as_loaded)
          if (!wanted) continue;
        for_each_part<pieces>([&](auto c) {
          auto const one = base::template piece_of<c>(window.base + place, words[row + next + r]);
          if constexpr (goes_straight<Problem, c>) {
            piece<c> x[1];
            one.unpack(x);
            for_each_part<written>([&](auto k) {
              if (wanted && part == k) put_to(through<c>(places.template of<k>()), at_side[k], x[0]);
            });
          } else {
            int to = 0;
#pragma unroll
            for (int k = 0; k < written; ++k)
              if (part == k) to = region[k][c] + (at_side[k] - begin[k]) * step<c>(k);
            store_in_window(ordered_ + to, one, wanted);
          }
        });
      }
    }
  }

  /// Writes one piece of one part of what has been put in order, from its lowest byte on.
  template <int C, class Out>
  __device__ void write(Out const& out, int begin, int count, int lowest) const {
    auto const to = through<C>(out);
    if constexpr (is_memory_of<std::remove_const_t<decltype(to)>, piece<C>>) {
      store_contiguous_aligned(reinterpret_cast<unsigned char*>(lowest_in(to, begin, count)),
                               ordered_ + lowest, count * static_cast<int>(sizeof(piece<C>)), lane_,
                               contiguous_unit<piece<C>>{});
    } else {
      auto const* const from = reinterpret_cast<piece<C> const*>(ordered_ + lowest);
      for (int i = lane_; i < count; i += 32) put_to(to, begin + i, from[i]);
    }
  }

  unsigned char* ordered_;
};

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

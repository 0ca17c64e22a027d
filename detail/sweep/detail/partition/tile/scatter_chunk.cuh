// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TILE_SCATTER_CHUNK_CUH
#define SWEEP_DETAIL_PARTITION_TILE_SCATTER_CHUNK_CUH

#include <sweep/detail/block/store_contiguous.cuh>
#include <sweep/detail/partition/tile/part_writer.cuh>
#include <sweep/detail/partition/tile/stage.cuh>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Rows that are put in order at once.
template <class Problem>
SWEEP_HD constexpr int ordered_rows(int rows) {
  int const at_once = items_at_once(sizeof(typename Problem::raw));
  int some = rows;
  while (some > at_once && (rows % some != 0 || some % at_once != 0 ||
                            static_cast<std::size_t>(some) * 32 * sizeof(typename Problem::raw) > 2048))
    --some;
  return some;
}
/// Shared memory that a warp needs for it: each part begins where its place in memory lies in 16 bytes.
template <class Problem>
SWEEP_HD constexpr int ordered_bytes(int rows) {
  return orders_in_shared_memory<Problem>
             ? ordered_rows<Problem>(rows) * 32 * static_cast<int>(sizeof(typename Problem::raw)) +
                   32 * Problem::written
             : 0;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

template <class Problem, partition_plan P>
class scatter_chunk : part_writer<Problem> {
  using writer = part_writer<Problem>;
  using writer::places_from, writer::problem_, writer::put_to;
  using stage = partition_stage<Problem, P>;
  using buffer = typename stage::buffer;
  using raw = typename Problem::raw;
  using counts = typename stage::counts;
  static constexpr int size = static_cast<int>(sizeof(typename Problem::in_beneath::value));
  static constexpr int R = stage::R, V = orders_in_shared_memory<Problem> ? items_at_once(sizeof(raw)) : 1,
                       marked = stage::marked, together = ordered_rows<Problem>(R), counted = stage::counted,
                       written = Problem::written, chunk_items = stage::chunk_items;
  using given = typename Problem::in_beneath;
  using loaded_value = typename given::value;
  using items = item_vector<loaded_value, V>;
  static_assert(R % V == 0, "sweep: rows of narrow items come in words of 16 bytes");
  using narrow =
      typename vector_type<orders_in_shared_memory<Problem> ? static_cast<int>(sizeof(raw)) : 1>::type;

 public:
  /// `ordered`: this warp's shared memory.
  __device__ scatter_chunk(Problem const& problem, unsigned char* ordered)
      : writer{problem}, ordered_{ordered}, lane_{static_cast<int>(threadIdx.x % 32)} {}

  template <class Drained>
  __device__ void run(stage& at, buffer& in, int chunk, Drained const& drained) const {
    auto const window = problem_.grid.window(at.tile);
    bool const whole = window.whole(stage::tile_items);
    if constexpr (orders_in_shared_memory<Problem>) {
      if (whole) scatter_in_order<true>(at, in, window, chunk, drained);
      else scatter_in_order<false>(at, in, window, chunk, drained);
    } else {
      if constexpr (few_items<Problem, P>::possible) {
        few_items<Problem, P> const few(at, chunk, lane_);
        if (int const most = few.most(); most <= few.most_kept)
          return scatter_few_direct(at, in, window, chunk, few, most, drained);
      }
      if constexpr (keeps_keys) {
        if (whole) scatter_keyed<true>(at, in, window, chunk, drained);
        else scatter_keyed<false>(at, in, window, chunk, drained);
      } else if (!whole) scatter_direct<false, false>(at, in, window, chunk, drained);
      else if (aligned()) scatter_direct<true, true>(at, in, window, chunk, drained);
      else scatter_direct<true, false>(at, in, window, chunk, drained);
    }
  }

 private:
  // Items wait in registers until the look-back warp has learned what comes before them: all of a chunk where
  // they are in a buffer that others wait for, else as many rows as there are registers for.
  static constexpr int kept_rows = [] {
    if (Problem::tests_items || loads_items<Problem> || items::words == 1 || R * items::words <= 32) return R;
    int rows = R;
    while (rows > 1 && (R % rows != 0 || rows * items::words > 16)) --rows;
    return rows;
  }();
  using kept = items[kept_rows / V];
  /// Keys come from the buffer, as long as it is there; of pairs too wide to be kept the keys alone are.
  /// Values that are computed are made with what lies beneath the keys.
  static constexpr bool keyed =
                            is_keyed_input<std::remove_cvref_t<decltype(Problem::in)>> && !given::contiguous,
                        keeps_keys = keyed && kept_rows < R;
  static constexpr auto values_beneath() {
    if constexpr (keyed)
      return std::type_identity<beneath<std::remove_cvref_t<decltype(problem_.in.second())>>>{};
    else return std::type_identity<given>{};
  }
  using values = typename decltype(values_beneath())::type;  ///< of pairs
  static constexpr bool reads_ahead = keyed && values::contiguous &&
                                      alignof(typename values::value) == sizeof(typename values::value) &&
                                      sizeof(typename values::value) <= 8;

  /// From the buffer, where the items are in it.
  __device__ void take(buffer& in, tile_window const& window, int chunk, kept& words) const {
    int const place = chunk * chunk_items + lane_ * V;
    auto const* from = in.tested() + place * size;
    if constexpr (loads_items<Problem>) {
      from = items_beside<Problem>(problem_, in, window).at(place);
      if (reinterpret_cast<std::uintptr_t>(from) % 16 != 0) {
#pragma unroll
        for (int j = 0; j < R / V; ++j) read_window(from + j * 32 * V * size, words[j]);
        return;
      }
    }
#pragma unroll
    for (int j = 0; j < R / V; ++j) load_shared(from + j * 32 * V * size, words[j]);
  }
  /// Else from global memory, those that are wanted.
  template <bool Whole, bool Aligned>
  __device__ void take_wanted(stage& at, buffer& in, tile_window const& window, int chunk, int row,
                              kept& words) const {
    auto const wanted = [&](int r) {
      if constexpr (written == Problem::parts) {
        return existing_items(window, chunk * chunk_items + (row + r) * 32);
      } else {
        unsigned all = 0;
#pragma unroll
        for (int k = 0; k < written; ++k) all |= at.masks[k][chunk][row + r];
        return all;
      }
    };
    if constexpr (reads_ahead) {
      // All values are on their way before one of them is looked at. Of narrow ones nearly all sectors hold
      // some that are wanted: without a question asked, no load waits for another.
      using value = typename values::value;
      using word = typename vector_type<static_cast<int>(sizeof(value))>::type;
      constexpr bool ask = !Whole || sizeof(value) > 2;
      auto const& from = problem_.in.second();
      auto const first = window.base + chunk * chunk_items + row * 32 + lane_;
      auto const* memory = reinterpret_cast<word const*>(values::pointer(from) + first);
      if constexpr (sizeof(value) <= 4) {
        asm("" : "+l"(memory));  // one address, not as many as there are rows
        __builtin_assume(__isGlobal(memory));
      }
      word found[kept_rows]{};
      auto const each = [&](auto work) {
#pragma unroll
        for (int r = 0; r < kept_rows; ++r)
          if (!ask || (wanted(r) >> lane_ & 1u)) work(r);
      };
      each([&](int r) { found[r] = memory[r * 32]; });
      each([&](int r) {
        value x;
        memcpy(static_cast<void*>(&x), &found[r], sizeof(value));
        loaded_value const pair[1] = {
            {tested_at(problem_, in, window, chunk * chunk_items + (row + r) * 32 + lane_),
             values::item(from, first + r * 32, x)}};
        words[r].pack(pair);
        words[r].keep_packed();
      });
    } else {
#pragma unroll
      for (int r = 0; r < kept_rows; ++r) {
        // Defined in any case: ptxas would keep what may stand in them from one turn of the loop to the next.
        if constexpr (kept_rows < R) words[r] = {};
        if (wanted(r) >> lane_ & 1u)
          take_item<Aligned>(in, window, chunk * chunk_items + (row + r) * 32 + lane_, words[r]);
      }
    }
  }

  /// Of a pair's value what lies beneath it.
  template <class Word>
  __device__ void take_value(std::int64_t index, Word& word) const {
    auto const& from = problem_.in.second();
    typename values::value x[1];
    if constexpr (values::contiguous) put_bytes(x[0], values::pointer(from)[index]);
    else put_bytes(x[0], static_cast<typename values::value>(from[index]));
    word.pack(x);
  }
  template <bool Aligned>
  __device__ void take_item(buffer& in, tile_window const& window, int place, items& word) const {
    auto const index = window.base + place;
    if constexpr (given::contiguous && Aligned) {
      load_vectors<access::streaming>(given::pointer(problem_.in) + index, word);
    } else {
      loaded_value x[1];
      if constexpr (keyed)
        put_bytes(x[0], loaded_value{tested_at(problem_, in, window, place), problem_.in.second()[index]});
      else if constexpr (given::contiguous) put_bytes(x[0], given::pointer(problem_.in)[index]);
      else put_bytes(x[0], static_cast<loaded_value>(problem_.in[index]));
      word.pack(x);
    }
  }
  /// The item itself.
  __device__ raw made(std::int64_t index, loaded_value const& x) const {
    return given::item(problem_.in, index, x);
  }

  // Direct scatter: from registers to memory.

  /// Width of the accesses that can move an item, and whether the addresses of input and outputs allow it.
  __device__ bool aligned() const {
    bool all = true;
    if constexpr (given::contiguous)
      all = reinterpret_cast<std::uintptr_t>(given::pointer(problem_.in)) %
                vector_width(sizeof(loaded_value)) ==
            0;
    for_each_part<written>([&](auto part) {
      auto const& out = problem_.outputs.template of<part>();
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(out)>, raw*>)
        all = all && reinterpret_cast<std::uintptr_t>(out) % vector_width(sizeof(raw)) == 0;
    });
    return all;
  }
  /// Item `index` of the range to its place.
  template <bool Aligned, class Out>
  __device__ void put_item(Out const& out, int at, std::int64_t index, items const& word) const {
    loaded_value x[1];
    if constexpr (std::is_same_v<Out, raw*> && Aligned) {
      if constexpr (given::is_items) {
        store_vectors<access::cached>(out + at, word);
      } else {
        word.unpack(x);
        raw const value[1] = {made(index, x[0])};
        item_vector<raw, 1> item;
        item.pack(value);
        store_vectors<access::cached>(out + at, item);
      }
    } else {
      word.unpack(x);
      put_to(out, at, made(index, x[0]));
    }
  }

  template <bool Whole, bool Aligned, class Drained>
  __device__ void scatter_direct(stage& at, buffer& in, tile_window const& window, int chunk,
                                 Drained const& drained) const {
    kept words;
    if constexpr (Problem::tests_items) take(in, window, chunk, words);
    else take_wanted<Whole, Aligned>(at, in, window, chunk, 0, words);
    drained();
    auto const put = [&](auto const& out, int to, std::int64_t index, int r) {
      put_item<Aligned>(out, to, index, words[r]);
    };
    scatter_rows<Whole, kept_rows>(at, window, chunk, 0, put);
#pragma unroll 1
    for (int row = kept_rows; row < R; row += kept_rows) {
      take_wanted<Whole, Aligned>(at, in, window, chunk, row, words);
      scatter_rows<Whole, kept_rows>(at, window, chunk, row, put);
    }
  }

  /// Values as wide as that come from memory some rows at a time, and meet their keys on the way.
  template <bool Whole, class Drained>
  __device__ void scatter_keyed(stage& at, buffer& in, tile_window const& window, int chunk,
                                Drained const& drained) const {
    static_assert(written <= counted, "the last part has no masks of its own");
    auto const& from = problem_.in.second();
    using value = typename values::value;
    constexpr int rows = [] {
      int some = R;
      while (some > 1 && (R % some != 0 || some * static_cast<int>(sizeof(value)) > 64)) --some;
      return some;
    }();
    int const start = chunk * chunk_items;
    auto const wanted = [&](int row) {
      unsigned all = 0;
#pragma unroll
      for (int k = 0; k < written; ++k) all |= at.masks[k][chunk][row];
      return (all >> lane_ & 1u) != 0;
    };
    item_vector<value, 1> words[rows];
    auto const take_values = [&](int row) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        words[r] = {};
        if (wanted(row + r)) take_value(window.base + start + (row + r) * 32 + lane_, words[r]);
      }
    };
    typename Problem::tested_value keys[R];
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (int const place = start + r * 32 + lane_; Whole || window.contains(place))
        put_bytes(keys[r], tested_at(problem_, in, window, place));
    take_values(0);
    drained();
#pragma unroll
    for (int row = 0; row < R; row += rows) {
      if (row > 0) take_values(row);
      scatter_rows<Whole, rows>(
          at, window, chunk, row, [&](auto const& out, int to, std::int64_t index, int r) {
            value x[1];
            words[r].unpack(x);
            put_to(out, to, loaded_value{keys[row + r], values::item(from, index, x[0])});
          });
    }
  }

  /// So many rows from this one on: put(output, place in it, index, row of these).
  template <bool Whole, int Rows, class Put>
  __device__ void scatter_rows(stage const& at, tile_window const& window, int chunk, int row,
                               Put const& put) const {
    int const start = chunk * chunk_items, first = Whole ? start : max(start, window.valid_begin);
    auto const places = places_from(at.before_chunk[chunk], window.base + first);
    unsigned const lower = (1u << lane_) - 1;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      int const place = start + (row + r) * 32 + lane_;
      bool const there = Whole || window.contains(place);
      int part = counted, others = place - first, at_side[counted];
#pragma unroll
      for (int k = 0; k < counted; ++k) {
        unsigned const mask = at.masks[k][chunk][row + r];
        at_side[k] = at.before[k][chunk][row + r] + __popc(mask & lower);
        others -= at_side[k];
        if (mask >> lane_ & 1u) part = k;
      }
      if (!there || part >= written) continue;
      for_each_part<written>([&](auto k) {
        if (part != k) return;
        int const to = k < counted ? at_side[k < counted ? k : 0] : others;
        put(places.template of<k>(), to, window.base + place, r);
      });
    }
  }

  /// Where few items are wanted, a lane brings its own to their places.
  template <class Drained>
  __device__ void scatter_few_direct(stage& at, buffer& in, tile_window const& window, int chunk,
                                     few_items<Problem, P> const& few, int most,
                                     Drained const& drained) const {
    constexpr int K = few_items<Problem, P>::most_kept;
    int const start = chunk * chunk_items;
    items words[K]{};  // all defined here: ptxas would keep what may stand in them through the whole loop of
                       // tiles
    auto left = few.wanted();
#pragma unroll
    for (int i = 0; i < K; ++i) {
      if (i >= most) break;
      if (left != 0) {
        int const place = start + lane_ * R + few.lowest(left);
        if constexpr (Problem::tests_items) {
          load_shared(in.tested() + place * size, words[i]);
        } else {
          take_item<false>(in, window, place, words[i]);
        }
      }
      left &= left - 1;
    }
    drained();
    auto const places = places_from(at.before_chunk[chunk], window.base + max(start, window.valid_begin));
    int next[written];
#pragma unroll
    for (int k = 0; k < written; ++k) next[k] = few.before(k);
    left = few.wanted();
#pragma unroll
    for (int i = 0; i < K; ++i) {
      if (i >= most) break;
      auto const bit = left & (~left + 1);
      left ^= bit;
      auto const index = window.base + start + lane_ * R + few.lowest(bit);
      for_each_part<written>([&](auto k) {
        if ((few.mask(k) & bit) != 0) put_item<false>(places.template of<k>(), next[k]++, index, words[i]);
      });
    }
  }

  // Two-phase scatter: the items of each part are put in order in shared memory, then written side by side.

  template <bool Whole, class Drained>
  __device__ void scatter_in_order(stage& at, buffer& in, tile_window const& window, int chunk,
                                   Drained const& drained) const {
    kept words;
    take(in, window, chunk, words);
    drained();
    int const start = chunk * chunk_items;
    if constexpr (!given::is_items) {
#pragma unroll
      for (int j = 0; j < R / V; ++j) make_vector(window.base + start + (j * 32 + lane_) * V, words[j]);
    }
    auto const places =
        places_from(at.before_chunk[chunk], window.base + (Whole ? start : max(start, window.valid_begin)));
    if constexpr (written < Problem::parts)
      if (few(at, chunk)) return scatter_few(at, chunk, words, places);
    // How many of the chunk's items exist before a place.
    auto const exist_before = [&](int place) {
      return Whole ? place - start : max(0, min(place, window.valid_end) - max(start, window.valid_begin));
    };
#pragma unroll
    for (int row = 0; row < R; row += together) {
      int begin[written], count[written], region[written];  // of each part, in these rows
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
          region[k] = room + address_in_16(places.template of<k>(), begins);
          room = (region[k] + count[k] * static_cast<int>(sizeof(raw)) + 15) / 16 * 16;
        }
      });
      __syncwarp();  // the rows before these have been written
#pragma unroll
      for (int j = 0; j < together / V; ++j)
        order_vector<Whole>(at, window, chunk, row + j * V, words[row / V + j], begin, region, exist_before);
      __syncwarp();
      for_each_part<written>([&](auto k) { write(places.template of<k>(), begin[k], count[k], region[k]); });
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

  template <class Out>
  static __device__ int address_in_16(Out const& out, int at) {
    if constexpr (std::is_same_v<Out, raw*>)
      return static_cast<int>(reinterpret_cast<std::uintptr_t>(out + at) % 16);
    else return 0;
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
                               items const& word, int const (&begin)[written], int const (&region)[written],
                               Before const& exist_before) const {
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
    for (int k = 0; k < written; ++k)
      to[k] = ordered_ + region[k] + (next[k] - begin[k]) * static_cast<int>(sizeof(raw));
    items apart = word;
    apart.keep_packed();
#pragma unroll
    for (int v = 0; v < V; ++v) {
      auto const item = static_cast<narrow>(apart.low(v));
#pragma unroll
      for (int k = 0; k < written; ++k)
        if (which[k] >> v & 1u) {
          *reinterpret_cast<narrow*>(to[k]) = item;
          to[k] += sizeof(raw);
        }
    }
  }

  /// Writes one part of what has been put in order.
  template <class Out>
  __device__ void write(Out const& out, int begin, int count, int region) const {
    if constexpr (std::is_same_v<Out, raw*>) {
      store_contiguous_aligned(reinterpret_cast<unsigned char*>(out + begin), ordered_ + region,
                               count * static_cast<int>(sizeof(raw)), lane_, contiguous_unit<raw>{});
    } else {
      for (int i = lane_; i < count; i += 32)
        put_to(out, begin + i, reinterpret_cast<raw const*>(ordered_ + region)[i]);
    }
  }

  unsigned char* ordered_;
  int lane_;
};

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

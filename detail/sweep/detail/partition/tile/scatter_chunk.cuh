// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TILE_SCATTER_CHUNK_CUH
#define SWEEP_DETAIL_PARTITION_TILE_SCATTER_CHUNK_CUH

#include <sweep/detail/block/shared_window.cuh>
#include <sweep/detail/block/store_contiguous.cuh>
#include <sweep/detail/partition/tile/part_writer.cuh>
#include <sweep/detail/partition/tile/stage.cuh>

#include <cstddef>
#include <cstdint>

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

/// A pair's halves close together in registers of 4 bytes, the second first.
template <class A, class B>
struct packed_halves {
  static constexpr int before = static_cast<int>(sizeof(B)), whole = before / 4, shift = before % 4 * 8,
                       words = (before + static_cast<int>(sizeof(A)) + 3) / 4;
  unsigned word[words];

  __device__ void pack(item_vector<A, 1> const& a, item_vector<B, 1> const& b) {
    constexpr int of_a = item_vector<A, 1>::words, of_b = item_vector<B, 1>::words;
#pragma unroll
    for (int w = 0; w < words; ++w) word[w] = w < of_b ? b.word[w] : 0;
    if constexpr (shift > 0) word[whole] &= (1u << shift) - 1;
#pragma unroll
    for (int w = whole; w < words; ++w) {
      unsigned const low = w > whole ? a.word[w - whole - 1] : 0,
                     high = w - whole < of_a ? a.word[w - whole] : 0;
      word[w] |= __funnelshift_l(low, high, shift);
    }
  }
  __device__ item_vector<A, 1> first() const {
    item_vector<A, 1> a;
#pragma unroll
    for (int w = 0; w < item_vector<A, 1>::words; ++w)
      a.word[w] = __funnelshift_r(word[whole + w], whole + w + 1 < words ? word[whole + w + 1] : 0, shift);
    return a;
  }
  __device__ item_vector<B, 1> second() const {
    item_vector<B, 1> b;
#pragma unroll
    for (int w = 0; w < item_vector<B, 1>::words; ++w) b.word[w] = word[w];
    return b;
  }
};

template <class Problem, partition_plan P>
class scatter_chunk : part_writer<Problem> {
  using writer = part_writer<Problem>;
  using writer::places_from, writer::problem_, writer::put_to;
  using stage = partition_stage<Problem, P>;
  using buffer = typename stage::buffer;
  using raw = typename Problem::raw;
  using counts = typename stage::counts;
  static constexpr int size = static_cast<int>(sizeof(typename Problem::in_beneath::value));
  static constexpr int R = stage::R, V = moved_at_once<Problem>, marked = stage::marked,
                       together = ordered_rows<Problem>(R), counted = stage::counted,
                       written = Problem::written, chunk_items = stage::chunk_items;
  static constexpr bool halves = moves_halves<Problem>;
  static constexpr int pieces = halves ? 2 : 1;
  using given = typename Problem::in_beneath;
  using loaded_value = typename given::value;
  using tested = typename Problem::tested_beneath;
  using values = typename beside<Problem>::loaded;  ///< of pairs
  using items = std::conditional_t<halves, packed_halves<typename tested::value, typename values::value>,
                                   item_vector<loaded_value, V>>;
  static_assert(R % V == 0, "sweep: rows of narrow items come in words of 16 bytes");
  using narrow = typename vector_type<V == 1 ? 1 : static_cast<int>(sizeof(raw))>::type;

 public:
  /// `ordered`: this warp's shared memory.
  __device__ scatter_chunk(Problem const& problem, unsigned char* ordered)
      : writer{problem}, ordered_{ordered}, lane_{static_cast<int>(threadIdx.x % 32)} {}

  template <class Drained>
  __device__ void run(stage& at, buffer& in, int chunk, Drained const& drained) const {
    auto const window = problem_.grid.window(at.tile);
    bool const whole = window.whole(stage::tile_items);
    if constexpr (few_items<Problem, P>::possible && V == 1) {
      few_items<Problem, P> const few(at, chunk, lane_);
      if (int const most = few.most(); most <= few.most_kept)
        return scatter_few_direct(at, in, window, chunk, few, most, drained);
    }
    if constexpr (orders_in_shared_memory<Problem>) {
      if (whole) scatter_in_order<true>(at, in, window, chunk, drained);
      else scatter_in_order<false>(at, in, window, chunk, drained);
    } else if constexpr (keeps_keys) {
      if (whole) scatter_keyed<true>(at, in, window, chunk, drained);
      else scatter_keyed<false>(at, in, window, chunk, drained);
    } else if (!whole) {
      scatter_direct<false, false>(at, in, window, chunk, drained);
    } else if (!halves && aligned()) {
      scatter_direct<true, true>(at, in, window, chunk, drained);
    } else {
      scatter_direct<true, false>(at, in, window, chunk, drained);
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
  static constexpr bool keyed = beside<Problem>::keyed && !given::contiguous,
                        keeps_keys = keyed && kept_rows < R;

  /// From the buffer.
  __device__ void take(stage const& at, buffer& in, tile_window const& window, int chunk, kept& words) const {
    int const place = chunk * chunk_items + lane_ * V;
    if constexpr (V > 1) {
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
    } else if (loads_items<Problem> && !at.items_loaded) {
      take_wanted<false, false>(at, in, window, chunk, 0, words);
    } else {
#pragma unroll
      for (int r = 0; r < R; ++r) take_loaded(in, window, place + r * 32, words[r]);
    }
  }
  /// One item.
  __device__ void take_loaded(buffer& in, tile_window const& window, int place, items& word) const {
    if constexpr (loads_items<Problem>) {
      item_vector<typename values::value, 1> value;
      load_window(items_beside<Problem>(problem_, in, window).at(place), value);
      keep_with_key(in, place, value, word);
    } else if constexpr (is_made_of_bytes(sizeof(loaded_value))) {
      load_window(in.tested() + place * size, word);
    } else {
      load_shared(in.tested() + place * size, word);
    }
  }
  __device__ void keep_with_key(buffer& in, int place, item_vector<typename values::value, 1> const& value,
                                items& word) const {
    if constexpr (halves) {
      item_vector<typename tested::value, 1> key;
      load_window(in.tested() + place * static_cast<int>(sizeof(typename tested::value)), key);
      word.pack(key, value);
    } else {
      word = value;
    }
  }
  /// From global memory, those that are wanted.
  template <bool Whole, bool Aligned>
  __device__ void take_wanted(stage const& at, buffer& in, tile_window const& window, int chunk, int row,
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
#pragma unroll
    for (int r = 0; r < kept_rows; ++r) {
      // Defined in any case: ptxas would keep what may stand in them from one turn of the loop to the next.
      if constexpr (kept_rows < R || loads_items<Problem>) words[r] = {};
      if (wanted(r) >> lane_ & 1u)
        take_item<Aligned>(in, window, chunk * chunk_items + (row + r) * 32 + lane_, words[r]);
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
    if constexpr (halves) {
      item_vector<typename values::value, 1> value;
      take_value(index, value);
      keep_with_key(in, place, value, word);
    } else if constexpr (given::contiguous && Aligned) {
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
  /// Piece number C of an item.
  template <int C>
  __device__ auto piece_of(std::int64_t index, items const& word) const {
    auto const piece = [&](auto const& loaded, auto beneath, auto const& from) {
      using under = decltype(beneath);
      if constexpr (under::is_items) {
        return loaded;
      } else {
        typename under::value x[1];
        loaded.unpack(x);
        std::remove_cvref_t<decltype(under::item(from, index, x[0]))> const one[1] = {
            under::item(from, index, x[0])};
        item_vector<std::remove_cvref_t<decltype(one[0])>, 1> made;
        made.pack(one);
        return made;
      }
    };
    if constexpr (!halves) return piece(word, given{}, problem_.in);
    else if constexpr (C == 0) return piece(word.first(), tested{}, problem_.tested());
    else return piece(word.second(), values{}, problem_.in.second());
  }
  __device__ raw item_of_pieces(std::int64_t index, items const& word) const {
    if constexpr (halves) {
      typename halves_of<raw>::first a[1];
      typename halves_of<raw>::second b[1];
      piece_of<0>(index, word).unpack(a);
      piece_of<1>(index, word).unpack(b);
      return {a[0], b[0]};
    } else {
      loaded_value x[1];
      word.unpack(x);
      return made(index, x[0]);
    }
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
    if constexpr (std::is_same_v<Out, raw*> && Aligned)
      store_vectors<access::cached>(out + at, piece_of<0>(index, word));
    else put_to(out, at, item_of_pieces(index, word));
  }

  template <bool Whole, bool Aligned, class Drained>
  __device__ void scatter_direct(stage& at, buffer& in, tile_window const& window, int chunk,
                                 Drained const& drained) const {
    kept words;
    if constexpr (Problem::tests_items || loads_items<Problem>) take(at, in, window, chunk, words);
    else take_wanted<Whole, Aligned>(at, in, window, chunk, 0, words);
    drained();
    auto const places = chunk_places<Whole>(at, window, chunk);
    auto const put = [&](int part, auto const& to, std::int64_t index, int r) {
      for_each_part<written>([&](auto k) {
        if (part == k) put_item<Aligned>(places.template of<k>(), to(k), index, words[r]);
      });
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
    auto const places = chunk_places<Whole>(at, window, chunk);
#pragma unroll
    for (int row = 0; row < R; row += rows) {
      if (row > 0) take_values(row);
      scatter_rows<Whole, rows>(at, window, chunk, row,
                                [&](int part, auto const& to, std::int64_t index, int r) {
                                  value x[1];
                                  words[r].unpack(x);
                                  for_each_part<written>([&](auto k) {
                                    if (part == k)
                                      put_to(places.template of<k>(), to(k),
                                             loaded_value{keys[row + r], values::item(from, index, x[0])});
                                  });
                                });
    }
  }

  /// Where the items of each part begin, of those of a chunk.
  template <bool Whole>
  __device__ auto chunk_places(stage const& at, tile_window const& window, int chunk) const {
    int const start = chunk * chunk_items;
    return places_from(at.before_chunk[chunk],
                       window.base + (Whole ? start : max(start, window.valid_begin)));
  }
  /// So many rows from this one on: put(part, to, index, row of these) for each item of a part that is
  /// written, where to(k) is how many of part k come before the item in the chunk.
  template <bool Whole, int Rows, class Put>
  __device__ void scatter_rows(stage const& at, tile_window const& window, int chunk, int row,
                               Put const& put) const {
    int const start = chunk * chunk_items, first = Whole ? start : max(start, window.valid_begin);
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
      put(
          part, [&](auto k) { return k < counted ? at_side[k < counted ? k : 0] : others; },
          window.base + place, r);
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
        if (Problem::tests_items || (loads_items<Problem> && at.items_loaded))
          take_loaded(in, window, place, words[i]);
        else take_item<false>(in, window, place, words[i]);
      }
      left &= left - 1;
    }
    drained();
    auto const places = chunk_places<false>(at, window, chunk);
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
    take(at, in, window, chunk, words);
    drained();
    int const start = chunk * chunk_items;
    if constexpr (V > 1 && !given::is_items) {
#pragma unroll
      for (int j = 0; j < R / V; ++j) make_vector(window.base + start + (j * 32 + lane_) * V, words[j]);
    }
    auto const places = chunk_places<Whole>(at, window, chunk);
    if constexpr (written < Problem::parts && V > 1)
      if (few(at, chunk)) return scatter_few(at, chunk, words, places);
    // How many of the chunk's items exist before a place.
    auto const exist_before = [&](int place) {
      return Whole ? place - start : max(0, min(place, window.valid_end) - max(start, window.valid_begin));
    };
#pragma unroll
    for (int row = 0; row < R; row += together) {
      int begin[written], count[written], region[written][pieces];  // of each part, in these rows
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
            region[k][c] = room + address_in_16<c>(places.template of<k>(), begins);
            room = (region[k][c] + count[k] * static_cast<int>(sizeof(piece<c>)) + 15) / 16 * 16;
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
        order_rows<Whole>(at, window, chunk, row, words, begin, region);
      }
      __syncwarp();
      for_each_part<written>([&](auto k) {
        for_each_part<pieces>(
            [&](auto c) { write<c>(places.template of<k>(), begin[k], count[k], region[k][c]); });
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
  /// Calls f(iterator, by): pieces number C are written through the iterator, `by` items further.
  template <int C, class Out, class F>
  static __device__ auto through(Out const& out, F const& f) {
    if constexpr (std::is_pointer_v<Out>) return f(out, std::int64_t{0});
    else if constexpr (!halves) return f(out.out, out.by);
    else if constexpr (C == 0) return f(out.out.first(), out.by);
    else return f(out.out.second(), out.by);
  }
  template <int C, class Out>
  static __device__ int address_in_16(Out const& out, int at) {
    return through<C>(out, [&](auto const& to, std::int64_t by) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(to)>, piece<C>*>)
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(to + by + at) % 16);
      else return 0;
    });
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
    for (int k = 0; k < written; ++k)
      to[k] = ordered_ + region[k][0] + (next[k] - begin[k]) * static_cast<int>(sizeof(raw));
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

  /// Puts the items of some rows, one a lane, into the regions of their parts.
  template <bool Whole>
  __device__ void order_rows(stage const& at, tile_window const& window, int chunk, int row,
                             kept const& words, int const (&begin)[written],
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
          int to = 0;
#pragma unroll
          for (int k = 0; k < written; ++k)
            if (part == k) to = region[k][c] + (at_side[k] - begin[k]) * static_cast<int>(sizeof(piece<c>));
          store_in_window(ordered_ + to, piece_of<c>(window.base + place, words[row + next + r]), wanted);
        });
      }
    }
  }

  /// Writes one piece of one part of what has been put in order.
  template <int C, class Out>
  __device__ void write(Out const& out, int begin, int count, int region) const {
    through<C>(out, [&](auto const& to, std::int64_t by) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(to)>, piece<C>*>) {
        store_contiguous_aligned(reinterpret_cast<unsigned char*>(to + by + begin), ordered_ + region,
                                 count * static_cast<int>(sizeof(piece<C>)), lane_,
                                 contiguous_unit<piece<C>>{});
      } else {
        auto const* const from = reinterpret_cast<piece<C> const*>(ordered_ + region);
        for (int i = lane_; i < count; i += 32) Problem::put_to(to, by + begin + i, from[i]);
      }
    });
  }

  unsigned char* ordered_;
  int lane_;
};

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

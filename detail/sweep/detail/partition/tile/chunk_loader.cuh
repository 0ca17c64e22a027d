// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TILE_CHUNK_LOADER_CUH
#define SWEEP_DETAIL_PARTITION_TILE_CHUNK_LOADER_CUH

#include <sweep/detail/block/shared_window.cuh>
#include <sweep/detail/partition/tile/part_writer.cuh>
#include <sweep/detail/partition/tile/stage.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

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

/// A chunk's items in a warp's registers: loaded from the buffer of a stage or from memory, made of what lies
/// beneath them, a pair as one piece or two. Shape of a chunk: (R rows, 32 lanes), or (R / V, 32 lanes, V
/// items) of narrow ones.
template <class Problem, partition_plan P>
class chunk_loader : protected part_writer<Problem> {
  using writer = part_writer<Problem>;

 protected:
  using writer::places_from, writer::problem_, writer::put_to;
  using stage = partition_stage<Problem, P>;
  using buffer = typename stage::buffer;
  using raw = typename Problem::raw;
  using counts = typename stage::counts;
  static constexpr int size = static_cast<int>(sizeof(typename Problem::in_beneath::value));
  static constexpr int R = stage::R, V = moved_at_once<Problem>, marked = stage::marked,
                       counted = stage::counted, written = Problem::written, chunk_items = stage::chunk_items;
  static constexpr bool halves = moves_halves<Problem>;
  using given = typename Problem::in_beneath;
  using loaded_value = typename given::value;
  using tested = typename Problem::tested_beneath;
  using values = typename beside<Problem>::loaded;  ///< of pairs
  using gathered = value_of<typename beside<Problem>::iterator>;
  using items = std::conditional_t<halves, packed_halves<typename tested::value, typename values::value>,
                                   item_vector<loaded_value, V>>;
  static_assert(R % V == 0, "sweep: rows of narrow items come in words of 16 bytes");

  __device__ explicit chunk_loader(Problem const& problem)
      : writer{problem}, lane_{static_cast<int>(threadIdx.x % 32)} {}

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
      constexpr int next = (given::reversed ? -32 : 32) * V * size;  // bytes from vector to vector
      auto const* from = in.tested(place, V);
      if constexpr (loads_items<Problem>) from = items_beside<Problem>(problem_, in, window).at(place, V);
      if (loads_items<Problem> && reinterpret_cast<std::uintptr_t>(from) % 16 != 0) {
#pragma unroll
        for (int j = 0; j < R / V; ++j) read_window(from + j * next, words[j]);
      } else {
#pragma unroll
        for (int j = 0; j < R / V; ++j) load_shared(from + j * next, words[j]);
      }
      if constexpr (given::reversed) {
#pragma unroll
        for (int j = 0; j < R / V; ++j) words[j].turn();
      }
    } else if (loads_items<Problem> && !at.items_loaded) {
      take_wanted<false>(at, in, window, chunk, 0, words);
    } else if constexpr (gathers_beside<Problem>) {
      take_gathered(at, in, window, chunk, words);
    } else {
#pragma unroll
      for (int r = 0; r < R; ++r) take_loaded(in, window, place + r * 32, words[r]);
    }
  }
  /// One item.
  __device__ void take_loaded(buffer& in, tile_window const& window, int place, items& word) const {
    if constexpr (gathers_beside<Problem>) {
      gathered found;
      gather(items_beside<Problem>(problem_, in, window).at(place), window.base + place, found);
      keep_gathered(in, window, place, found, word);
    } else if constexpr (loads_items<Problem>) {
      item_vector<typename values::value, 1> value;
      load_window(items_beside<Problem>(problem_, in, window).at(place), value);
      keep_with_key(in, place, value, word);
    } else if constexpr (is_made_of_bytes(sizeof(loaded_value))) {
      load_window(in.tested(place), word);
    } else {
      load_shared(in.tested(place), word);
    }
  }
  __device__ void keep_with_key(buffer& in, int place, item_vector<typename values::value, 1> const& value,
                                items& word) const {
    if constexpr (halves) {
      item_vector<typename tested::value, 1> key;
      load_window(in.tested(place), key);
      word.pack(key, value);
    } else {
      word = value;
    }
  }
  /// Whether this lane's item of a row is wanted.
  __device__ bool wanted(stage const& at, tile_window const& window, int chunk, int row) const {
    unsigned all = 0;
    if constexpr (written == Problem::parts) {
      all = existing_items(window, chunk * chunk_items + row * 32);
    } else {
#pragma unroll
      for (int k = 0; k < written; ++k) all |= at.masks[k][chunk][row];
    }
    return (all >> lane_ & 1u) != 0;
  }
  /// Those that are wanted of items that are read elsewhere: all of them are asked for, and then they meet
  /// their keys. Until then nothing is made of them: what is done for wanted ones alone takes a predicate
  /// each, and with these taken the next would be asked for only when the first are there.
  __device__ void take_gathered(stage const& at, buffer& in, tile_window const& window, int chunk,
                                kept& words) const {
    using streamed = typename beside<Problem>::streamed;
    constexpr int next = (streamed::reversed ? -32 : 32) * static_cast<int>(sizeof(typename streamed::value));
    gathered found[R]{};
    int const first = chunk * chunk_items + lane_;
    auto const* const places = items_beside<Problem>(problem_, in, window).at(first);
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (wanted(at, window, chunk, r)) gather(places + r * next, window.base + first + r * 32, found[r]);
#pragma unroll
    for (int r = 0; r < R; ++r) keep_gathered(in, window, first + r * 32, found[r], words[r]);
  }
  /// Item `index` of those that are read elsewhere, whose place lies at p in the buffer.
  __device__ void gather(unsigned char const* p, std::int64_t index, gathered& found) const {
    using streamed = typename beside<Problem>::streamed;
    typename streamed::value at[1];
    load_from_window(p, at);
    put_bytes(found, streamed::item(beside<Problem>::of(problem_.in), index, at[0]));
  }
  __device__ void keep_gathered(buffer& in, tile_window const& window, int place, gathered const& found,
                                items& word) const {
    loaded_value x[1];
    if constexpr (keyed) put_bytes(x[0], loaded_value{tested_at(problem_, in, window, place), found});
    else put_bytes(x[0], found);
    word.pack(x);
  }
  /// From global memory, those that are wanted.
  template <bool Aligned>
  __device__ void take_wanted(stage const& at, buffer& in, tile_window const& window, int chunk, int row,
                              kept& words) const {
    // Defined in any case: ptxas would keep what may stand in them from one turn of the loop to the next.
    auto const define = [&](int r) {
      if constexpr (kept_rows < R || loads_items<Problem>) words[r] = {};
    };
#pragma unroll
    for (int r = 0; r < kept_rows; ++r) {
      define(r);
      if (wanted(at, window, chunk, row + r))
        take_item<Aligned>(in, window, chunk * chunk_items + (row + r) * 32 + lane_, words[r]);
    }
  }

  /// Of a pair's value what lies beneath it.
  template <class Word>
  __device__ void take_value(std::int64_t index, Word& word) const {
    auto const& from = problem_.in.second();
    typename values::value x[1];
    if constexpr (values::contiguous) put_bytes(x[0], *values::pointer(from, index));
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
      load_vectors<access::streaming>(given::pointer(problem_.in, index), word);
    } else {
      loaded_value x[1];
      if constexpr (keyed)
        put_bytes(x[0], loaded_value{tested_at(problem_, in, window, place), problem_.in.second()[index]});
      else if constexpr (given::contiguous) put_bytes(x[0], *given::pointer(problem_.in, index));
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

  /// Where the items of each part begin, of those of a chunk.
  template <bool Whole>
  __device__ auto chunk_places(stage const& at, tile_window const& window, int chunk) const {
    int const start = chunk * chunk_items;
    return places_from(at.before_chunk[chunk],
                       window.base + (Whole ? start : max(start, window.valid_begin)));
  }
  int lane_;
};

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

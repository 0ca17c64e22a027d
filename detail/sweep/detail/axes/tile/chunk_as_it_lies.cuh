// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_CHUNK_AS_IT_LIES_CUH
#define SWEEP_DETAIL_AXES_TILE_CHUNK_AS_IT_LIES_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/staged_row.cuh>
#include <sweep/detail/core/relocatable.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// From how many bytes on inputs of items of a register or more are folded as they lie: tests lower it.
inline std::int64_t fewest_bytes_that_lie = std::int64_t{32} << 20;

/// Whether an iterator's items are neighbours in memory, several of them in a register.
template <class It, class Item>
inline constexpr bool are_narrow = std::is_pointer_v<It>&& relocatable<Item>&& fills_words<Item> &&
                                   sizeof(Item) < 4;

/// A chunk of a line, in 16-byte words as its items lie in memory, wherever it begins there: lanes bring them
/// by asynchronous copies, and shift them as they take their strips. So do results leave, shifted to where
/// they lie. Where results leave, items of a register or more take less time one by one.
template <class Problem>
struct chunk_as_it_lies {
  using T = typename Problem::value;
  using raw = typename Problem::in_memory;
  using U = typename Problem::out_value;
  static constexpr bool folds = Problem::what == line_result::total,
                        any_brackets = folds && of_integers<T>;  ///< whether no total tells them
  /// Chunks that lie together: of items that are made of less as many as make a lane's strips 64 bytes.
  static constexpr int together =
      folds && Problem::makes_of_memory
          ? std::max(1, 64 / (strip_items<T, Problem::what> * static_cast<int>(sizeof(raw))))
          : 1;
  static constexpr int strip = together * strip_items<T, Problem::what>,  ///< a lane's items
      items = together * chunk_items<T, Problem::what>;
  template <class Item>
  static constexpr int bytes_of_strip = static_cast<int>(sizeof(Item)) * strip;
  static constexpr bool narrow = are_narrow<decltype(Problem::in), raw>;
  static constexpr bool possible = [] {
    if constexpr (folds)
      return narrow || (Problem::of_memory && relocatable<raw> && fills_words<raw> && sizeof(raw) >= 4 &&
                        bytes_of_strip<raw> >= 32 && bytes_of_strip<raw> <= 64);
    else
      return narrow && (sizeof(T) < 4 || (sizeof(T) == 4 && sizeof(raw) == 1)) &&
             are_narrow<decltype(Problem::out), U>;
  }();
  static constexpr int strip_bytes = bytes_of_strip<raw>, strip_words = (strip_bytes + 15) / 16,
                       widest_strip = folds ? strip_bytes : std::max(strip_bytes, bytes_of_strip<U>);
  /// Backward the last strip of a chunk that is not whole begins before it.
  static constexpr int lead = folds ? 0 : (widest_strip + 15) / 16, most_words = lead + 2 * widest_strip + 2;
  static constexpr int bytes = 16 * (most_words + most_words / 8);

  using item_place =
      std::conditional_t<folds && Problem::makes_of_memory, typename Problem::in_place, nothing_seen>;
  /// Where a chunk lies in memory: its first byte, and the bytes of its line.
  struct place {
    std::uintptr_t first, from, to;
    int count;        ///< of items
    item_place item;  ///< the first one's, where they are made of where they are
  };

  unsigned char* memory;
  place const& at;
  int lane;
  bool backward = false;

  /// Word w of the chunk's: one is left out behind every 128 bytes, so that strips lie on different banks.
  __device__ unsigned char* word(int w) const { return memory + 16 * (w + lead + (w + lead) / 8); }
  __device__ int shift() const { return static_cast<int>(at.first % 16); }
  /// How far a lane's strip lies behind the boundary before the chunk's first item, which lies so far behind.
  template <class Item>
  __device__ int strip_at(int shifted) const {
    int const nth = backward ? at.count - strip * (lane + 1) : strip * lane;
    return shifted + nth * static_cast<int>(sizeof(Item));
  }
  /// Of strips that have no items, which no one looks at, the last place before the chunk.
  template <class Item>
  static __device__ int in_room(int begin) {
    return folds ? begin : max(begin, (begin & 15) - bytes_of_strip<Item>);
  }

  /// Its items are on their way. Of a word that lies partly outside of the line no byte is touched there.
  __device__ void ask() const {
    auto const aligned = at.first - static_cast<unsigned>(shift());
    int const words = (shift() + at.count * static_cast<int>(sizeof(raw)) + 15) / 16;
    if (aligned >= at.from && aligned + 16 * static_cast<unsigned>(words) <= at.to) {
      // Of a chunk that is folded line by line of memory, of which no two requests ask for the same.
      constexpr int whole = 2 * strip_bytes;  // words of a whole chunk: 32 of them lie 36 apart
      int const first = lane - (folds && whole > 32 ? static_cast<int>(aligned % 128 / 16) : 0);
      auto* const to = word(first + 32) - 16 * 36;
      auto const* const from = reinterpret_cast<uint4 const*>(aligned) + first;
      if (at.count == items && whole % 32 == 0) {
        // Of blocks of 256 bytes that are its neighbours', too, it asks for its own part alone.
        int const edge = folds && whole > 32 ? static_cast<int>(aligned % 256 / 16) : 0,
                  inner = edge == 0 ? 0 : 16 - edge;
        if (first >= 0) copy_16_bytes_async(to, from, first >= inner);
#pragma unroll
        for (int k = 32; k < whole; k += 32)
          copy_16_bytes_async(to + 18 * k, from + k, k + 32 < whole || first + k < whole - edge);
        if (first + whole < words) copy_16_bytes_async(to + 18 * whole, from + whole, edge == 0);
      } else {
        for (int k = 0; first + k < words; k += 32)
          if (first + k >= 0) copy_16_bytes_async(to + 18 * k, from + k);
      }
      return;
    }
    for (int w = lane; w < words; w += 32)
      if (auto const one = aligned + 16 * static_cast<unsigned>(w); one >= at.from && one + 16 <= at.to)
        copy_16_bytes_async(word(w), reinterpret_cast<void const*>(one));
    bool const begins_before = aligned < at.from;
    if (begins_before) ask_bytes(aligned, 0);
    if (aligned + 16 * static_cast<unsigned>(words) > at.to && !(begins_before && words == 1))
      ask_bytes(aligned, words - 1);
  }
  /// Of word w, which lies partly in the line, those bytes that do.
  __device__ void ask_bytes(std::uintptr_t aligned, int w) const {
    auto const byte = aligned + 16 * static_cast<unsigned>(w) + static_cast<unsigned>(lane);
    if (lane < 16 && byte >= at.from && byte < at.to)
      word(w)[lane] = *reinterpret_cast<unsigned char const*>(byte);
  }
  /// A lane's strip. What a last chunk lacks is not looked at.
  __device__ void get_strip(Problem const& problem, T (&x)[strip]) const {
    raw of[strip];
    get_items(of);
#pragma unroll
    for (int k = 0; k < strip; ++k) put_bytes(x[k], problem.of(of[k]));
  }
  /// The same as its items lie in memory.
  __device__ void get_items(raw (&of)[strip]) const {
    item_vector<raw, strip> vector;
    constexpr int registers = item_vector<raw, strip>::words;
    unsigned found[registers + 4];
    int const first = in_room<raw>(strip_at<raw>(shift())), shifted = first & 15;
    auto const* const own = word(first >> 4);
    auto const take = [&](int w, unsigned char const* from) {
      auto const four = *reinterpret_cast<uint4 const*>(from);
      unsigned const each[4]{four.x, four.y, four.z, four.w};
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (4 * w + k < registers + 4) found[4 * w + k] = each[k];
    };
#pragma unroll
    for (int w = 0; w < strip_words; ++w)  // of those that are folded no gap lies between a strip's
      take(w, folds ? own + 16 * w : word((first >> 4) + w));
    if (alignof(raw) >= 16 || shifted == 0) {
#pragma unroll
      for (int w = 0; w < registers; ++w) vector.word[w] = found[w];
    } else {
      take(strip_words, word((first >> 4) + strip_words));
      shift_words<alignof(raw)>(found, shifted, vector.word);
    }
    turn_words_round(vector);
    vector.unpack_numbers(of);
  }

  /// leave(c, the total of chunk c), by a lane that has it.
  template <class Op, class Leave>
  __device__ void fold_each(Problem const& problem, Op& op, Leave const& leave) const {
    if constexpr (!Problem::makes_of_memory) {
      T total;
      if (lane == fold(problem, total, op)) leave(0, total);
    } else {
      raw x[strip];
      get_items(x);
      constexpr int each = strip / together, lanes = 32 / together, of_chunk = 32 * each;
      T sum[together];
      auto const fold_strips = [&](int count) {
        auto next = at.item + strip * lane * problem.grid.in;
#pragma unroll
        for (int k = 0; k < strip; ++k, next += problem.grid.in)
          if (k % each == 0) sum[k / each] = problem.of_read(x[k], next);
          else if (k < count) sum[k / each] = op(sum[k / each], problem.of_read(x[k], next));
      };
      if (at.count == items) {
        fold_strips(strip);
        T const total = fold_by_neighbours(sum, op);
        if (lane % lanes == 0) leave(lane / lanes, total);
        return;
      }
      fold_strips(at.count - strip * lane);
#pragma unroll
      for (int c = 0; c < together; ++c) {
        T own{};
#pragma unroll
        for (int s = 0; s < together; ++s) {
          T const other = warp_shfl(sum[s], lanes * c + lane / together);
          if (lane % together == s) own = other;
        }
        int const strips = (min(at.count - c * of_chunk, of_chunk) + each - 1) / each;
        if (strips <= 0) return;
        own = warp_scan_first(own, strips, op);
        if (lane == strips - 1) leave(c, own);
      }
    }
  }

 private:
  /// Its total, in one of the lanes: returns which.
  template <class Op>
  __device__ int fold(Problem const& problem, T& total, Op& op) const {
    T x[strip];
    get_strip(problem, x);
    if (at.count == items) {
      total = x[0];
#pragma unroll
      for (int k = 1; k < strip; ++k) total = op(total, x[k]);
#pragma unroll
      for (int by = 1; by < 32; by *= 2) total = op(total, warp_shfl_down(total, by));  // a scan's brackets
      return 0;
    }
    int const mine = at.count - strip * lane, strips = (at.count + strip - 1) / strip;
    total = x[0];
#pragma unroll
    for (int k = 1; k < strip; ++k)
      if (k < mine) total = op(total, x[k]);
    total = warp_scan_first(total, strips, op);
    return strips - 1;
  }

 public:
  /// Backward neighbours in memory are neighbours in a line the other way: several in a register at once.
  template <class Item>
  __device__ void turn_words_round(item_vector<Item, strip>& items) const {
    if constexpr (!folds)
      if (backward) {
        constexpr int registers = item_vector<Item, strip>::words;
        unsigned turned[registers];
#pragma unroll
        for (int w = 0; w < registers; ++w)
          turned[w] = __byte_perm(items.word[registers - 1 - w], 0, sizeof(Item) == 1 ? 0x0123 : 0x1032);
#pragma unroll
        for (int w = 0; w < registers; ++w) items.word[w] = turned[w];
      }
  }

  /// A lane's results, in place of the chunk's items: as far behind a boundary as they lie in memory from
  /// `to` on, the lowest. Those of the last word that a lane's neighbour has begun are in its first.
  __device__ void put_strip(T const (&x)[strip], std::uintptr_t to) const {
    item_vector<U, strip> row;
#pragma unroll
    for (int k = 0; k < strip; ++k) row.template put<true>(k, static_cast<U>(x[k]));
    turn_words_round(row);
    constexpr int registers = item_vector<U, strip>::words, words = registers / 4;
    int const begin = strip_at<U>(static_cast<int>(to % 16)), shifted = begin & 15;
    if (shifted != 0) {
      unsigned found[registers + 4];
      int const neighbour = (backward ? lane + 1 : lane - 1) & 31;
#pragma unroll
      for (int w = 0; w < 4; ++w) found[w] = __shfl_sync(~0u, row.word[registers - 4 + w], neighbour);
#pragma unroll
      for (int w = 0; w < registers; ++w) found[4 + w] = row.word[w];
      shift_words<alignof(U)>(found, 16 - shifted, row.word);
    }
    auto const put = [&](int w, int at) {
      *reinterpret_cast<uint4*>(word(at)) =
          uint4{row.word[4 * w], row.word[4 * w + 1], row.word[4 * w + 2], row.word[4 * w + 3]};
    };
    int const end = begin + bytes_of_strip<U>;
    if (end > static_cast<int>(to % 16)) {  // backward a strip may have no items
#pragma unroll
      for (int w = 0; w < words; ++w) put(w, (begin >> 4) + w);
    }
    if (shifted != 0 && lane == (backward ? 31 : 0)) put(0, (begin >> 4) + 32 * words);
  }
  /// They leave.
  __device__ void write(std::uintptr_t to) const {
    constexpr int whole = 2 * bytes_of_strip<U>;  // words of a whole chunk
    int const shifted = static_cast<int>(to % 16), end = shifted + at.count * static_cast<int>(sizeof(U));
    auto const aligned = to - static_cast<unsigned>(shifted);
    auto const* const from = word(lane);
    auto const move = [&](int k) {
      if (int const first = 16 * (lane + k); first >= shifted && first + 16 <= end)
        __stcs(reinterpret_cast<uint4*>(aligned) + lane + k, *reinterpret_cast<uint4 const*>(from + 18 * k));
    };
#pragma unroll
    for (int k = 0; k < whole; k += 32) move(k);
    // What others have some of, by a half of the warp each.
    int const edge = lane < 16 ? 0 : end / 16, byte = 16 * edge + lane % 16;
    if ((edge == 0 ? shifted > 0 || end < 16 : end % 16 != 0) && byte >= shifted && byte < end)
      reinterpret_cast<unsigned char*>(aligned)[byte] = word(edge)[lane % 16];
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

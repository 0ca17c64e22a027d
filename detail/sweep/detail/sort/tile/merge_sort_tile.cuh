// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_TILE_MERGE_SORT_TILE_CUH
#define SWEEP_DETAIL_SORT_TILE_MERGE_SORT_TILE_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/stage_items.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/merge_path.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Whether registers hold keys: of what has many narrow parts, as letters, each would take one.
template <class Key>
inline constexpr bool fits_registers = sizeof(Key) <= 16 && sizeof(Key) / alignof(Key) <= 4;

/// Copies a key, one of many narrow parts by words where it lies at their boundaries, as its type need not
/// promise.
template <class Key>
__device__ void copy_key(Key& to, Key const& from) {
  constexpr int size = static_cast<int>(sizeof(Key)), width = size % 16 == 0  ? 16
                                                              : size % 8 == 0 ? 8
                                                              : size % 4 == 0 ? 4
                                                                              : 1;
  if constexpr (!fits_registers<Key> && alignof(Key) < 4 && width > 1) {
    using word = typename vector_type<width>::type;
    auto* const words = reinterpret_cast<word*>(&to);
    auto const* const from_words = reinterpret_cast<word const*>(&from);
    if ((reinterpret_cast<std::uintptr_t>(words) | reinterpret_cast<std::uintptr_t>(from_words)) % width ==
        0) {
#pragma unroll
      for (int w = 0; w < size / width; ++w) words[w] = from_words[w];
      return;
    }
  }
  put_bytes(to, from);
}

/// How many items a block sorts or merges. Alone, narrow keys move through shared memory; where there are
/// values, or keys are wide, keys stay where they came and their places move. An odd number a thread, so that
/// the lanes of a warp, which write theirs one behind the other, meet in no bank of shared memory. Who asks
/// for 1,024 threads has a large block of not many items more, for fewer another one of 23 a thread.
template <class Key, bool HasValues, int Threads = 0>
struct merge_sort_shape {
  using item = Key;
  static constexpr int size = static_cast<int>(sizeof(Key));
  static constexpr bool keys_in_registers = fits_registers<Key>, moves_keys = !HasValues && keys_in_registers;
  static constexpr bool large = Threads >= 1024, own = Threads > 0 && !large;
  static constexpr int threads = Threads > 0   ? Threads
                                 : size <= 128 ? 256
                                 : size <= 512 ? 64
                                               : 32,
                       each = large        ? (size <= 4   ? (moves_keys ? 9 : 5)
                                              : size <= 8 ? (moves_keys ? 5 : 3)
                                                          : 1)
                              : own        ? 23
                              : size <= 4  ? (moves_keys ? 33 : 17)
                              : size <= 8  ? (moves_keys ? 21 : 11)
                              : size <= 16 ? (moves_keys ? 9 : 7)
                              : size <= 48 ? 3
                                           : 1,
                       items = threads * each;
  static constexpr bool many_idle = false;  ///< not worth looking for threads that have no items
  /// Of a multiprocessor, those that sort and those that merge: what registers allow.
  static constexpr int sort_blocks = own                       ? 2
                                     : moves_keys && size <= 4 ? 4
                                     : size <= 8               ? 3
                                     : size <= 48              ? 4
                                                               : 5,
                       merge_blocks = own         ? 2
                                      : size <= 8 ? (moves_keys ? (size <= 4 ? 5 : 3) : 5)
                                                  : 4;
  static_assert(
      size <= 1024,
      "sweep: on the device keys that are sorted by a comparison have at most 1 KiB: sort the indices of "
      "wider ones");

  /// A thread that follows a path reads on behind the ends of both ranges, where these are keys, whichever.
  static constexpr int keys_behind = keys_in_registers ? each : 0;

  /// Runs that one pass merges at most, and the items of a tile of it: pairs of runs begin with a thread's
  /// own results, and two threads have none, so that whoever reads on behind the last result finds keys.
  static constexpr int ways = size <= 16 ? 8 : 4;
  static constexpr int merged_items = [] {
    int const room = (keys_in_registers ? threads - 2 : threads) * each - ways / 2 * (each - 1);
    return room >= 128 ? room / 32 * 32 : room;
  }();
  /// Where tiles are many they begin so many results sooner or later than asked for, at most: a cut that need
  /// not be exact is soon found.
  static constexpr int near_items = merged_items / 128, tile_items = merged_items - 2 * near_items;

  /// Segments: a block sorts those that begin among so many items and are not longer, and so has room for
  /// them.
  static constexpr int window = items / 32 * 16;
  static_assert(window >= 1 && each < 64);
};

/// A thread block that sorts items or merges runs of them, in shared memory. Thread t has results
/// [t * each, (t + 1) * each) of each round, or as many times fewer, finds where they begin on a merge path
/// and follows it. A place is where a key lies in shared memory, in bytes.
template <class Key, bool HasValues, class Order, class Shape = merge_sort_shape<Key, HasValues>>
class merge_sort_tile {
 public:
  using shape = Shape;
  using item = Key;

 private:
  static constexpr int threads = shape::threads, each = shape::each, size = shape::size;
  static constexpr bool moves_keys = shape::moves_keys;
  static constexpr int align = alignof(Key) > 16 ? static_cast<int>(alignof(Key)) : 16;

 public:
  struct shared {
    // As many pieces of neighbours as there are runs, and keys that may be read behind.
    static constexpr int bytes =
        staged_bytes(shape::items * size) + (shape::ways - 1) * (staged_bytes(0) + 16) +
        shape::ways / 2 * shape::keys_behind * size + (align > 16 ? (shape::ways + 1) * align : 0);
    static_assert(moves_keys || bytes < 0x10000, "places have 16 bits");
    alignas(16) alignas(Key) unsigned char room[bytes];
    unsigned short places[moves_keys ? 1 : shape::items];
    // Of runs that are merged: the place of the first key, or the number of the first result; and how many.
    int first[shape::ways], count[shape::ways];
  };

  __device__ merge_sort_tile(shared& smem, Order const& order) : smem_{smem}, order_{order} {}

  /// Starts to bring `count` keys into the room. Returns the first one's place.
  template <class It>
  __device__ int fetch(It const& keys, std::int64_t first, int count) const {
    return static_cast<int>(stage_items<threads, Key>(smem_.room, keys, first, count) - smem_.room);
  }
  /// The same of run k, by some warps each, after place_runs. Behind it are keys like `any`.
  template <class It>
  __device__ void fetch_run(int k, int t, int with, It const& keys, std::int64_t first,
                            Key const& any) const {
    int const at = smem_.first[k], count = smem_.count[k];
    stage_items_by<Key>(smem_.room + at - place_in_bytes(keys, first), keys, first, count, t, with);
    if constexpr (shape::keys_in_registers)
      for (int p = t; p < (k % 2 == 0 ? 1 : shape::keys_behind); p += with)
        put_bytes(reinterpret_cast<Key*>(smem_.room + at)[count + p], any);
  }
  /// Bytes that a run takes, and where its first key lies in them.
  static __device__ int bytes_of(int k, int count) {
    int const bytes = staged_bytes(count * size) + (k % 2 != 0 ? shape::keys_behind * size : 0);
    return (bytes + align - 1) / align * align;
  }
  template <class It>
  static __device__ int place_in_bytes(It const& keys, std::int64_t first) {
    if constexpr (std::is_same_v<It, Key const*>)
      return 16 + static_cast<int>(reinterpret_cast<std::uintptr_t>(keys + first) % 16);
    else return 16;
  }

  /// Sorts `count` keys from a place on. Threads that have none wait for the others.
  __device__ void sort(int first, int count) {
    int const t = static_cast<int>(threadIdx.x), from = t * each;
    bool const has_some = !shape::many_idle || from < count;
    sort_own(first + from * size, min(each, count - from), has_some);
#pragma unroll 1
    for (int pair = 2; pair / 2 * each < count; pair *= 2) {  // threads that make two runs one
      int const half = pair / 2 * each, base = t / pair * pair * each, n1 = max(0, min(count - base, half)),
                n2 = max(0, min(count - base - half, half));
      await_others(pair);
      if (has_some) follow_results<false>(base, n1, base + half, n2, from - base);
      await_others(pair);
      if (has_some) put_results();
    }
    __syncthreads();
  }

  /// The same of segments, whose first items are heads.
  template <class Heads>
  __device__ void sort_segments(int first, int count, Heads const& heads) {
    int const t = static_cast<int>(threadIdx.x), from = t * each;
    sort_own(first + from * size, min(each, count - from), true, bits_of_own(heads, from));
#pragma unroll 1
    for (int pair = 2; pair / 2 * each < count; pair *= 2) {
      // Of the segment that lies on both sides of the middle both sides are sorted.
      int const half = pair / 2 * each, base = t / pair * pair * each, middle = base + half;
      int begin = 0, end = 0;
      if (middle < count && !heads.is_head(middle)) {
        begin = max(heads.last_before(middle), base);
        end = min(min(heads.next_behind(middle), base + 2 * half), count);
      }
      int const start = max(from, begin), left = min(from + each, end) - start;
      await_others(pair);
      if (left > 0) follow_results<false>(begin, middle - begin, middle, end - middle, start - begin);
      await_others(pair);
      put_results(start, left);
    }
    __syncthreads();
  }

  /// Merges the runs of keys that lie in the room, smem.count of each from place smem.first on.
  __device__ void merge(int ways) {
    merge_round<true>(ways);
#pragma unroll 1
    for (int runs = ways / 2; runs > 1; runs /= 2) merge_round<false>(runs);
  }

  /// Item t of the results.
  __device__ Key const& result(int t) const {
    if constexpr (moves_keys) return key_at(t * size);
    else return key_at(place(t));
  }
  __device__ int place(int t) const { return smem_.places[t]; }

 private:
  __device__ Key const& key_at(int at) const { return *reinterpret_cast<Key const*>(smem_.room + at); }

  /// What other threads of the pair write has been written, or read.
  static __device__ void await_others(int pair) {
    if (pair <= 32) __syncwarp();
    else __syncthreads();
  }

  // Runs of keys as they came: a position is a place. Later, where only places move: a number of one of
  // these.

  template <bool Direct>
  struct reader {
    merge_sort_tile const& tile;
    static constexpr int step = Direct ? size : 1;
    __device__ int place(int at) const {
      if constexpr (Direct) return at;
      else return tile.smem_.places[at];
    }
  };

  /// The next `each` of the merge of runs of so many at a and b, from diagonal d on, into registers, and
  /// behind the last of both anything. No key is asked about that is none, whatever the order says: behind
  /// the ends there are keys, or, where other threads may be writing there, the last is looked at again.
  template <bool Direct, bool KeysBehind>
  __device__ void follow(reader<Direct> const& from, int a, int n1, int b, int n2, int d) {
    constexpr int step = reader<Direct>::step;
    constexpr bool ends = !KeysBehind;
    if (!(shape::keys_in_registers && KeysBehind) && n1 + n2 == 0) return;
    int const diagonal = min(d, n1 + n2), opposite = b + (diagonal - 1) * step;
    int const steps = merge_path(n1, n2, diagonal, [&](int i, int) {
      return order_(key_at(from.place(opposite - i * step)), key_at(from.place(a + i * step)));
    });
    int end1 = a + n1 * step, end2 = b + n2 * step;
    a += steps * step;
    b += (diagonal - steps) * step;
    if constexpr (shape::keys_in_registers) {
      // The second run, which may be empty, lies behind the first.
      int const last = (n2 > 0 ? end2 : end1) - step;
      int place1 = from.place(ends ? min(a, last) : a), place2 = from.place(ends ? min(b, last) : b);
      Key x, y;
      put_bytes(x, key_at(place1));
      put_bytes(y, key_at(place2));
      // Where no lane comes to an end of its runs nobody looks for one. Few tiles wait for the code longer.
      // The two loops are not one template: of that the compiler makes code that is up to a tenth longer.
      if (!shape::many_idle &&
          __all_sync(__activemask(), end1 - a >= each * step && end2 - b >= each * step)) {
#pragma unroll
        for (int e = 0; e < each; ++e) {
          bool const second = order_(y, x);
          if constexpr (moves_keys) put_bytes(keys_[e], select_registers(second, y, x));
          else places_[e] = second ? place2 : place1;
          if (e == each - 1) break;
          int const place = from.place((second ? b : a) + step);
          Key next;
          put_bytes(next, key_at(place));
          if (second) b += step;
          else a += step;
          if constexpr (!moves_keys) {
            place1 = second ? place1 : place;
            place2 = second ? place : place2;
          }
          put_bytes(x, select_registers(second, x, next));
          put_bytes(y, select_registers(second, next, y));
        }
        return;
      }
#pragma unroll
      for (int e = 0; e < each; ++e) {
        bool const before = order_(y, x), second = a >= end1 || (b < end2 && before);
        if constexpr (moves_keys) put_bytes(keys_[e], select_registers(second, y, x));
        else places_[e] = second ? place2 : place1;
        int const ahead = (second ? b : a) + step, place = from.place(ends ? min(ahead, last) : ahead);
        Key next;
        put_bytes(next, key_at(place));
        if (second) b += step;
        else a += step;
        if constexpr (!moves_keys) {
          place1 = second ? place1 : place;
          place2 = second ? place : place2;
        }
        put_bytes(x, select_registers(second, x, next));
        put_bytes(y, select_registers(second, next, y));
      }
    } else {
      if (n1 == 0) a = end1 = end2;  // as if behind the last of the other
      if (n2 == 0) b = end2 = end1;
      int const last1 = end1 - step, last2 = end2 - step;
      int place1 = from.place(min(a, last1)), place2 = from.place(min(b, last2));
#pragma unroll
      for (int e = 0; e < each; ++e) {
        bool const second = b < end2 && (a >= end1 || order_(key_at(place2), key_at(place1)));
        places_[e] = second ? place2 : place1;
        if (second) place2 = from.place(min(b += step, last2));
        else place1 = from.place(min(a += step, last1));
      }
    }
  }
  /// The same of results of an earlier round, which begin with numbers.
  template <bool KeysBehind>
  __device__ void follow_results(int a, int n1, int b, int n2, int d) {
    if constexpr (moves_keys) follow<true, KeysBehind>(reader<true>{*this}, a * size, n1, b * size, n2, d);
    else follow<false, KeysBehind>(reader<false>{*this}, a, n1, b, n2, d);
  }

  __device__ void put_results() {
    int const from = static_cast<int>(threadIdx.x) * each;
#pragma unroll
    for (int e = 0; e < each; ++e) { put_result(from, e); }
  }
  __device__ void put_results(int from, int count) {
#pragma unroll
    for (int e = 0; e < each; ++e) {
      if (e >= count) break;
      put_result(from, e);
    }
  }
  __device__ void put_result(int from, int e) {
    if constexpr (moves_keys) put_bytes(reinterpret_cast<Key*>(smem_.room)[from + e], keys_[e]);
    else smem_.places[from + e] = static_cast<unsigned short>(places_[e]);
  }

  /// A bit for each of a thread's own keys.
  using own_bits = std::conditional_t<(each > 31), unsigned long long, unsigned>;
  template <class Heads>
  static __device__ own_bits bits_of_own(Heads const& heads, int from) {
    own_bits bits = heads.bits(from);
    if constexpr (each > 31) bits |= own_bits{heads.bits(from + 32)} << 32;
    return bits;
  }

  /// A thread's own keys, side by side from a place on: neighbours change places until all are in order. A
  /// key whose bit is set never goes before its neighbour.
  __device__ void sort_own(int first, int count, bool has_some, own_bits stays = 0) {
    if (has_some) {
      if constexpr (shape::keys_in_registers) {
#pragma unroll
        for (int e = 0; e < each; ++e) { put_bytes(keys_[e], key_at(first + e * size)); }
      }
      if constexpr (!moves_keys) {
#pragma unroll
        for (int e = 0; e < each; ++e) places_[e] = first + e * size;
      }
      int const all = each;
      if (count >= all && stays == 0) exchange<true>(stays);
      else exchange<false>(count >= all ? stays : stays | ~own_bits{0} << max(count, 0));
    }
    if constexpr (moves_keys) __syncthreads();  // all have theirs
    if (has_some) put_results();
  }
  template <bool Whole>
  __device__ void exchange(own_bits stays) {
#pragma unroll 1
    for (int round = 0; round < each; round += 2) {
#pragma unroll
      for (int e = 0; e + 1 < each; e += 2) { exchange_at<Whole>(e, stays); }
#pragma unroll
      for (int e = 1; e + 1 < each; e += 2) { exchange_at<Whole>(e, stays); }
    }
  }
  template <bool Whole>
  __device__ void exchange_at(int e, own_bits stays) {
    if (!Whole && (stays >> (e + 1) & 1) != 0) return;
    if constexpr (shape::keys_in_registers) {
      bool const turned = order_(keys_[e + 1], keys_[e]);
      Key const left = select_registers(turned, keys_[e + 1], keys_[e]);
      put_bytes(keys_[e + 1], select_registers(turned, keys_[e], keys_[e + 1]));
      put_bytes(keys_[e], left);
      if constexpr (!moves_keys) exchange_places(turned, e);
    } else {
      exchange_places(order_(key_at(places_[e + 1]), key_at(places_[e])), e);
    }
  }
  __device__ void exchange_places(bool turned, int e) {
    int const left = turned ? places_[e + 1] : places_[e];
    places_[e + 1] = turned ? places_[e] : places_[e + 1];
    places_[e] = left;
  }

  /// Makes pairs of runs one, each with the first results of a thread. A round reads keys as they came, or
  /// results of the one before.
  template <bool Direct>
  __device__ void merge_round(int runs) {
    auto const room_of = [&](int pair) {
      int const items = smem_.count[2 * pair] + smem_.count[2 * pair + 1];
      return (items + each - 1) / each * each;
    };
    int const own = static_cast<int>(threadIdx.x) * each;
    int pair = 0, from = 0;
    for (int behind = room_of(0); own >= behind && pair + 1 < runs / 2; behind += room_of(pair)) {
      from = behind;
      ++pair;
    }
    int const a = smem_.first[2 * pair], n1 = smem_.count[2 * pair], b = smem_.first[2 * pair + 1],
              n2 = smem_.count[2 * pair + 1];
    if constexpr (Direct) follow<true, true>(reader<true>{*this}, a, n1, b, n2, own - from);
    else follow_results<true>(a, n1, b, n2, own - from);
    __syncthreads();
    if (threadIdx.x == 0)
      for (int q = 0, number = 0; q < runs / 2; ++q) {
        int const behind = number + room_of(q);
        smem_.count[q] = smem_.count[2 * q] + smem_.count[2 * q + 1];
        smem_.first[q] = number;
        number = behind;
      }
    put_results();
    __syncthreads();
  }

  shared& smem_;
  Order const& order_;
  Key keys_[shape::keys_in_registers ? each : 1];
  int places_[moves_keys ? 1 : each];
};

/// Where segments begin among so many items in shared memory.
template <int Items>
struct sorted_heads {
  static constexpr int words = (Items + 31) / 32;
  unsigned word[words + 1];
  unsigned short last[words], next[words];  ///< head before and behind each word's items

  /// Bits from an item on.
  __device__ unsigned bits(int at) const {
    return __funnelshift_r(word[at / 32], word[at / 32 + 1], static_cast<unsigned>(at % 32));
  }
  __device__ bool is_head(int at) const { return (word[at / 32] >> at % 32 & 1u) != 0; }
  /// The head at or before an item, the first of all being one; and the next behind it, or far behind.
  __device__ int last_before(int at) const {
    unsigned const here = word[at / 32] & ~0u >> (31 - at % 32);
    return here != 0 ? at / 32 * 32 + 31 - __clz(static_cast<int>(here)) : last[at / 32];
  }
  __device__ int next_behind(int at) const {
    unsigned const here = at % 32 == 31 ? 0 : word[at / 32] & ~0u << (at % 32 + 1);
    return here != 0 ? at / 32 * 32 + __ffs(static_cast<int>(here)) - 1 : next[at / 32];
  }

  /// By all threads, when the words are there.
  __device__ void link() {
    constexpr int far = 0xffff, share = (words + 31) / 32;
    int const lane = static_cast<int>(threadIdx.x % 32);
    if (threadIdx.x < 32) {
      int before = 0, behind = far;
      for (int w = lane * share; w < min((lane + 1) * share, words); ++w)
        if (word[w] != 0) {
          before = w * 32 + 31 - __clz(static_cast<int>(word[w]));
          behind = min(behind, w * 32 + __ffs(static_cast<int>(word[w])) - 1);
        }
#pragma unroll
      for (int by = 1; by < 32; by *= 2) {
        int const left = __shfl_up_sync(~0u, before, by), right = __shfl_down_sync(~0u, behind, by);
        if (lane >= by) before = max(before, left);
        if (lane + by < 32) behind = min(behind, right);
      }
      before = __shfl_up_sync(~0u, before, 1);
      behind = __shfl_down_sync(~0u, behind, 1);
      if (lane == 0) before = 0;
      if (lane == 31) behind = far;
      for (int w = lane * share; w < min((lane + 1) * share, words); ++w) {
        last[w] = static_cast<unsigned short>(before);
        if (word[w] != 0) before = w * 32 + 31 - __clz(static_cast<int>(word[w]));
      }
      for (int w = min((lane + 1) * share, words) - 1; w >= lane * share; --w) {
        next[w] = static_cast<unsigned short>(behind);
        if (word[w] != 0) behind = w * 32 + __ffs(static_cast<int>(word[w])) - 1;
      }
    }
    __syncthreads();
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

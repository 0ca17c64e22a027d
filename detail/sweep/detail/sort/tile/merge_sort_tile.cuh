// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_TILE_MERGE_SORT_TILE_CUH
#define SWEEP_DETAIL_SORT_TILE_MERGE_SORT_TILE_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/stage_items.cuh>
#include <sweep/detail/core/merge_path.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// How many items a block sorts or merges. Alone, narrow keys move through shared memory; where there are
/// values, or keys are wide, keys stay where they came and their places move. An odd number a thread, so that
/// the lanes of a warp, which write theirs one behind the other, meet in no bank of shared memory.
template <class Key, bool HasValues>
struct merge_sort_shape {
  static constexpr int size = static_cast<int>(sizeof(Key));
  static constexpr bool moves_keys = !HasValues && size <= 16, keys_in_registers = size <= 16;
  static constexpr int threads = moves_keys    ? 512
                                 : size <= 128 ? 256
                                 : size <= 512 ? 64
                                               : 32,
                       each = size <= 4    ? 17
                              : size <= 8  ? 11
                              : size <= 16 ? (moves_keys ? 5 : 7)
                              : size <= 48 ? 3
                                           : 1,
                       blocks = moves_keys    ? 3
                                : size <= 16  ? 4
                                : size <= 128 ? 5
                                              : 8,
                       items = threads * each;
  static_assert(
      size <= 1024,
      "sweep: on the device keys that are sorted by a comparison have at most 1 KiB: sort the indices of "
      "wider ones");

  /// Runs that one pass merges. A run's items at equal distances are its samples; a tile has as many samples
  /// of all runs together, and so as many items as these and one distance more of each run, at most.
  static constexpr int ways = 4, tile_samples = items >= 1024 ? 16 : 4;
  /// Pairs of runs begin with a thread's own results.
  static constexpr int most_items = items - ways / 2 * (each - 1),
                       distance = most_items / (tile_samples + ways);
  static_assert(distance >= 1);
};

/// A thread block that sorts items or merges runs of them, in shared memory. Thread t has results
/// [t * each, (t + 1) * each) of each round, finds where they begin on a merge path and follows it. A place
/// is where a key lies in shared memory, in bytes.
template <class Key, bool HasValues, class Order>
class merge_sort_tile {
  using shape = merge_sort_shape<Key, HasValues>;
  static constexpr int threads = shape::threads, each = shape::each, size = shape::size;
  static constexpr bool moves_keys = shape::moves_keys;
  static constexpr int align = alignof(Key) > 16 ? static_cast<int>(alignof(Key)) : 16;

 public:
  struct shared {
    // Up to four pieces of neighbours, and what the last thread may read beyond.
    static constexpr int bytes = staged_bytes((shape::items + each) * size) +
                                 (shape::ways - 1) * (staged_bytes(0) + 16) +
                                 (align > 16 ? (shape::ways + 1) * align : 0);
    static_assert(bytes < 0x10000, "places have 16 bits");
    alignas(16) alignas(Key) unsigned char room[bytes];
    unsigned short places[moves_keys ? 1 : shape::items];
  };

  __device__ merge_sort_tile(shared& smem, Order const& order) : smem_{smem}, order_{order} {}

  /// Starts to bring `count` keys into the room, from so many bytes on. Returns the first one's place.
  template <class It>
  __device__ int fetch(int behind, It const& keys, std::int64_t first, int count) const {
    behind = (behind + align - 1) / align * align;
    return static_cast<int>(stage_items<threads, Key>(smem_.room + behind, keys, first, count) - smem_.room);
  }
  static __device__ int bytes_of(int count) { return staged_bytes(count * size); }

  /// Sorts `count` keys from a place on.
  __device__ void sort(int first, int count) {
    int const t = static_cast<int>(threadIdx.x), from = t * each;
    sort_own(first + from * size, min(each, count - from));
#pragma unroll 1
    for (int pair = 2; pair <= threads; pair *= 2) {  // threads that make two runs one
      int const half = pair / 2 * each, base = t / pair * pair * each, n1 = max(0, min(count - base, half)),
                n2 = max(0, min(count - base - half, half));
      await_others(pair);
      follow_later(base, n1, base + half, n2, from - base, base + 2 * half - 1);
      await_others(pair);
      put_results();
    }
    __syncthreads();
  }

  /// Merges runs of keys that lie in the room: so many from each place on.
  template <int Runs>
  __device__ void merge(int const (&first)[Runs], int const (&count)[Runs]) {
    int from[Runs / 2], total[Runs / 2];
    pair_up(count, from, total);
    int const q = pair_of_thread(from), d = static_cast<int>(threadIdx.x) * each - pick(from, q);
    int const a = pick_even(first, q), n1 = pick_even(count, q), b = pick_odd(first, q),
              n2 = pick_odd(count, q);
    follow(reader<true>{*this}, a, n1, b, n2, d, shared::bytes);
    __syncthreads();
    put_results();
    merge_results(from, total);
    __syncthreads();
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

  /// The next `each` of the merge of runs of so many at a and b, from diagonal d on, into registers. Behind
  /// the last of them anything may be read, up to position `last`, and is not looked at: all places that a
  /// thread writes are some.
  template <bool Direct>
  __device__ void follow(reader<Direct> const& from, int a, int n1, int b, int n2, int d, int last) {
    constexpr int step = reader<Direct>::step;
    int const end1 = a + n1 * step, end2 = b + n2 * step, diagonal = min(d, n1 + n2);
    int const steps = merge_path(n1, n2, diagonal, [&](int i, int j) {
      return order_(key_at(from.place(b + j * step)), key_at(from.place(a + i * step)));
    });
    a += steps * step;
    b += (diagonal - steps) * step;
    auto const place_at = [&](int at) { return from.place(min(at, last)); };
    int place1 = place_at(a), place2 = place_at(b);
    if constexpr (shape::keys_in_registers) {
      Key x, y;
      put_bytes(x, key_at(place1));
      put_bytes(y, key_at(place2));
#pragma unroll
      for (int e = 0; e < each; ++e) {
        bool const second = b < end2 && (a >= end1 || order_(y, x));
        if constexpr (moves_keys) put_bytes(keys_[e], select_registers(second, y, x));
        else places_[e] = second ? place2 : place1;
        int const ahead = (second ? b : a) + step, place = place_at(ahead);
        Key next;
        put_bytes(next, key_at(place));
        a = second ? a : ahead;
        b = second ? ahead : b;
        if constexpr (!moves_keys) {
          place1 = second ? place1 : place;
          place2 = second ? place : place2;
        }
        put_bytes(x, select_registers(second, x, next));
        put_bytes(y, select_registers(second, next, y));
      }
    } else {
#pragma unroll
      for (int e = 0; e < each; ++e) {
        bool const second = b < end2 && (a >= end1 || order_(key_at(place2), key_at(place1)));
        places_[e] = second ? place2 : place1;
        if (second) place2 = place_at(b += step);
        else place1 = place_at(a += step);
      }
    }
  }
  /// The same of results of an earlier round, which begin with numbers.
  __device__ void follow_later(int a, int n1, int b, int n2, int d, int last) {
    if constexpr (moves_keys) follow(reader<true>{*this}, a * size, n1, b * size, n2, d, last * size);
    else follow(reader<false>{*this}, a, n1, b, n2, d, last);
  }

  __device__ void put_results() {
    int const from = static_cast<int>(threadIdx.x) * each;
#pragma unroll
    for (int e = 0; e < each; ++e)
      if constexpr (moves_keys) put_bytes(reinterpret_cast<Key*>(smem_.room)[from + e], keys_[e]);
      else smem_.places[from + e] = static_cast<unsigned short>(places_[e]);
  }

  /// A thread's own keys, side by side from a place on: neighbours change places until all are in order.
  __device__ void sort_own(int first, int count) {
    if constexpr (shape::keys_in_registers) {
#pragma unroll
      for (int e = 0; e < each; ++e) put_bytes(keys_[e], key_at(first + e * size));
    }
    if constexpr (!moves_keys) {
#pragma unroll
      for (int e = 0; e < each; ++e) places_[e] = first + e * size;
    }
    if (count >= each) exchange<true>(count);
    else exchange<false>(count);
    if constexpr (moves_keys) __syncthreads();  // all have theirs
    put_results();
  }
  template <bool Whole>
  __device__ void exchange(int count) {
#pragma unroll 1
    for (int round = 0; round < each; round += 2) {
#pragma unroll
      for (int e = 0; e + 1 < each; e += 2) exchange_at<Whole>(e, count);
#pragma unroll
      for (int e = 1; e + 1 < each; e += 2) exchange_at<Whole>(e, count);
    }
  }
  template <bool Whole>
  __device__ void exchange_at(int e, int count) {
    if (!Whole && e + 1 >= count) return;
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

  // Pairs of runs, whose results begin with those of a thread: pair q has results [from[q], from[q] +
  // total[q]).

  template <int Runs>
  static __device__ void pair_up(int const (&count)[Runs], int (&from)[Runs / 2], int (&total)[Runs / 2]) {
    int begin = 0;
#pragma unroll
    for (int q = 0; q < Runs / 2; ++q) {
      from[q] = begin;
      total[q] = count[2 * q] + count[2 * q + 1];
      begin += (total[q] + each - 1) / each * each;
    }
  }
  template <int Pairs>
  static __device__ int pair_of_thread(int const (&from)[Pairs]) {
    int pair = 0;
#pragma unroll
    for (int q = 1; q < Pairs; ++q)
      if (static_cast<int>(threadIdx.x) * each >= from[q]) pair = q;
    return pair;
  }
  template <int N, int Step = 1, int Offset = 0>
  static __device__ int pick(int const (&all)[N], int q) {
    int one = all[Offset];
#pragma unroll
    for (int k = 1; k * Step + Offset < N; ++k) one = q == k ? all[k * Step + Offset] : one;
    return one;
  }
  template <int N>
  static __device__ int pick_even(int const (&all)[N], int q) {
    return pick<N, 2, 0>(all, q);
  }
  template <int N>
  static __device__ int pick_odd(int const (&all)[N], int q) {
    return pick<N, 2, 1>(all, q);
  }

  /// Merges the results of a round, which begin with these numbers, until they are one run.
  template <int Runs>
  __device__ void merge_results(int const (&first)[Runs], int const (&count)[Runs]) {
    if constexpr (Runs > 1) {
      int from[Runs / 2], total[Runs / 2];
      pair_up(count, from, total);
      int const q = pair_of_thread(from), d = static_cast<int>(threadIdx.x) * each - pick(from, q);
      int const a = pick_even(first, q), n1 = pick_even(count, q), b = pick_odd(first, q),
                n2 = pick_odd(count, q);
      __syncthreads();
      follow_later(a, n1, b, n2, d, shape::items - 1);
      __syncthreads();
      put_results();
      merge_results(from, total);
    }
  }

  shared& smem_;
  Order const& order_;
  Key keys_[shape::keys_in_registers ? each : 1];
  int places_[moves_keys ? 1 : each];
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

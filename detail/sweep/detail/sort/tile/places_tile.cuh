// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_TILE_PLACES_TILE_CUH
#define SWEEP_DETAIL_SORT_TILE_PLACES_TILE_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/variant.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// How the textbooks sort in a block: by splits for each bit, by quicksort of all segments at once, and by a
// network of exchanges. Keys stay where they came into shared memory, of any width; their numbers move.

/// How many items such a block sorts: a power of two, as many as fit. Quicksort takes fewer, since it may
/// split off one key a round.
template <sort_by How, class Key>
struct places_shape {
  static constexpr bool has_segments = How == sort_by::quicksort;
  static constexpr int size = 1;  ///< a place is a number
  static constexpr int items = [] {
    int some = has_segments ? 1024 : 4096;
    while (some * (static_cast<int>(sizeof(Key)) + (has_segments ? 6 : 2)) > 40 * 1024) some /= 2;
    return some;
  }();
  static constexpr int threads = items < 256 ? items : 256, each = items / threads, sort_blocks = 1;
  static_assert(threads % 32 == 0, "the widest keys are those of merges");
};

/// Enumerate: which places of a block are marked, and how many marked ones are before each.
template <int Threads, int Each>
class marked_places {
  static constexpr int words = Threads / 32 * Each, share = (words + 31) / 32;

 public:
  /// All threads mark their places, t + e * Threads; barriers follow.
  __device__ void mark(bool const (&marked)[Each]) {
    int const t = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int e = 0; e < Each; ++e) {
      unsigned const word = __ballot_sync(~0u, marked[e]);
      if (t % 32 == 0) marks_[e * (Threads / 32) + t / 32] = word;
    }
    if (t == 0) marks_[words] = 0;
    __syncthreads();
    if (t < 32) {
      unsigned own = 0;
      for (int w = t * share; w < min((t + 1) * share, words); ++w)
        own += static_cast<unsigned>(__popc(marks_[w]));
      unsigned before = own;
#pragma unroll
      for (int by = 1; by < 32; by *= 2) {
        unsigned const left = __shfl_up_sync(~0u, before, by);
        if (t >= by) before += left;
      }
      before -= own;
      for (int w = t * share; w < min((t + 1) * share, words); ++w) {
        before_[w] = before;
        before += static_cast<unsigned>(__popc(marks_[w]));
      }
      if (t == 31) before_[words] = before;
    }
    __syncthreads();
  }
  __device__ int before(int place) const {
    return static_cast<int>(before_[place / 32] +
                            static_cast<unsigned>(__popc(marks_[place / 32] & ((1u << place % 32) - 1))));
  }
  __device__ int all() const { return static_cast<int>(before_[words]); }

 private:
  unsigned marks_[words + 1], before_[words + 1];
};

/// A thread block that sorts keys, stably, by moving their numbers. Thread t has places t + e * threads.
template <sort_by How, class Key, class Order>
class places_tile {
 public:
  using shape = places_shape<How, Key>;
  using item = Key;

 private:
  static constexpr int threads = shape::threads, each = shape::each;
  struct segment {
    unsigned short begin, end;
  };

 public:
  struct shared {
    uninitialized<Key, shape::items> keys;
    unsigned short numbers[shape::items];
    segment segments[shape::has_segments ? shape::items : 1];
    marked_places<threads, each> marked;
  };

  __device__ places_tile(shared& smem, Order const& order) : smem_{smem}, order_{order} {}

  /// Brings `count` keys into shared memory; the place of the first is 0.
  template <class It>
  __device__ int fetch(It const& keys, std::int64_t first, int count) const {
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < count; i += threads)
      put_bytes(smem_.keys[i], static_cast<Key>(keys[first + i]));
    return 0;
  }
  /// Behind a barrier. One more follows.
  __device__ void sort(int, int count) const {
    for_each_place(shape::items, [&](int, int i) { smem_.numbers[i] = static_cast<unsigned short>(i); });
    __syncthreads();
    if constexpr (How == sort_by::radix_merge) split_by_bits(count);
    else if constexpr (How == sort_by::quicksort) split_by_pivots(count);
    else exchange(count);
  }
  /// Item t of the results, and which key it is.
  __device__ Key const& result(int t) const { return smem_.keys[place(t)]; }
  __device__ int place(int t) const { return smem_.numbers[t]; }

 private:
  /// f(e, i) for places i < count of this thread.
  template <class F>
  __device__ void for_each_place(int count, F f) const {
#pragma unroll
    for (int e = 0; e < each; ++e)
      if (int const i = static_cast<int>(threadIdx.x) + e * threads; i < count) f(e, i);
  }

  /// For each bit, the lowest first, keys that have 0 there before those that have 1.
  __device__ void split_by_bits(int count) const {
#pragma unroll 1
    for (int bit = order_.begin; bit < order_.end; ++bit) {
      bool zero[each] = {};
      unsigned short number[each];
      for_each_place(count, [&](int e, int i) {
        number[e] = smem_.numbers[i];
        zero[e] = (order_.word_of(smem_.keys[number[e]]) >> bit & 1) == 0;
      });
      smem_.marked.mark(zero);
      for_each_place(count, [&](int e, int i) {
        int const zeros = smem_.marked.before(i);
        smem_.numbers[zero[e] ? zeros : smem_.marked.all() + i - zeros] = number[e];
      });
      __syncthreads();
    }
  }

  /// All segments side by side, at first one: those items that are greater than a segment's first go behind
  /// the others, in the next round those that are not less, and so in turn. It ends when all is in order; or
  /// when neither has split any segment, as it may be in an order that is none.
  __device__ void split_by_pivots(int count) const {
    for_each_place(count, [&](int, int i) { smem_.segments[i] = {0, static_cast<unsigned short>(count)}; });
    __syncthreads();
#pragma unroll 1
    for (int round = 0, idle = 0; idle < 2 && !in_order(count); ++round) {
      bool left[each] = {};
      unsigned short number[each];
      segment of[each];
      for_each_place(count, [&](int e, int i) {
        number[e] = smem_.numbers[i];
        of[e] = smem_.segments[i];
        Key const &x = smem_.keys[number[e]], &pivot = smem_.keys[smem_.numbers[of[e].begin]];
        left[e] = round % 2 == 0 ? !order_(pivot, x) : order_(x, pivot);
      });
      smem_.marked.mark(left);
      bool splits = false;
      for_each_place(count, [&](int e, int i) {
        auto const& marked = smem_.marked;
        int const begin = of[e].begin, end = of[e].end, first = marked.before(begin),
                  middle = begin + marked.before(end) - first, lefts = marked.before(i) - first,
                  to = left[e] ? begin + lefts : middle + (i - begin) - lefts;
        splits = splits || (middle > begin && middle < end);
        smem_.numbers[to] = number[e];
        smem_.segments[to] = {static_cast<unsigned short>(left[e] ? begin : middle),
                              static_cast<unsigned short>(left[e] ? middle : end)};
      });
      idle = __syncthreads_or(splits ? 1 : 0) != 0 ? 0 : idle + 1;
    }
  }
  __device__ bool in_order(int count) const {
    bool wrong = false;
    for_each_place(count - 1, [&](int, int i) { wrong = wrong || order_(result(i + 1), result(i)); });
    return __syncthreads_or(wrong ? 1 : 0) == 0;
  }

  /// A bitonic network, for as many places as there are up to the next power of two. Equal keys are compared
  /// by their numbers; behind the last key are none, greater than all.
  __device__ void exchange(int count) const {
    int places = 2;
    while (places < count) places *= 2;
    auto const goes_before = [&](int a, int b) {
      if (a >= count || b >= count) return a < b;
      Key const &x = smem_.keys[a], &y = smem_.keys[b];
      return order_(x, y) || (!order_(y, x) && a < b);
    };
#pragma unroll 1
    for (int run = 2; run <= places; run *= 2)
#pragma unroll 1
      for (int apart = run / 2; apart > 0; apart /= 2) {
        for (int pair = static_cast<int>(threadIdx.x); pair < places / 2; pair += threads) {
          int const i = pair / apart * 2 * apart + pair % apart;
          auto &low = smem_.numbers[i], &high = smem_.numbers[i + apart];
          bool const ascends = (i & run) == 0, turned = goes_before(high, low);
          if (turned == ascends) {
            auto const kept = low;
            low = high;
            high = kept;
          }
        }
        __syncthreads();
      }
  }

  shared& smem_;
  Order const& order_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_TILE_PRODUCT_WINDOW_CUH
#define SWEEP_DETAIL_SPMV_TILE_PRODUCT_WINDOW_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/detail/spmv/tuning.hpp>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// The products of a window of neighbouring entries, which a thread block has in shared memory: how they come
/// there, and how the lanes of a row fold what it has of them. Shape of a window: (U, threads).
template <class Problem, row_tile_shape S>
class product_window : protected product_types<Problem> {
  using types = product_types<Problem>;

 protected:
  using typename types::V, typename types::products, typename types::index, typename types::entry_value,
      typename types::vector_value, typename types::offset;
  using place =
      std::conditional_t<std::is_signed_v<offset> && sizeof(offset) <= 4, std::int32_t, std::int64_t>;
  static constexpr int U = S.items, threads = S.threads, window = S.window_items();
  /// Products stand so many side by side, then one place is free: rows of 16 or 32 begin in different banks.
  static constexpr int unit = sizeof(V) <= 8 ? 128 / static_cast<int>(sizeof(V)) : window;
  static_assert(threads % unit == 0 || unit == window);
  using memory = uninitialized<V, window + window / unit>;

  __device__ product_window(Problem const& problem, std::int64_t n, memory& folds)
      : problem_{problem}, folds_{folds}, n_{static_cast<place>(n)} {}

  /// Where a row begins; offsets that are none lead nowhere.
  __device__ place offset_of(std::int64_t row) const {
    return max(min(static_cast<place>(problem_.offsets[row]), n_), place{0});
  }

  /// What N entries a thread lead to.
  template <int N>
  struct loads {
    index columns[N];
    entry_value values[N];
    vector_value x[N];
  };
  /// So many of a thread's entries of `count` from `base` on. Those behind are the last one again: without
  /// branches no load waits for another.
  template <int N>
  __device__ void load(place base, int count, int each, loads<N>& some) const {
    auto const at = [&](int u) {
      return static_cast<unsigned>(min(u * threads + static_cast<int>(threadIdx.x), count - 1));
    };
    auto const indices = from_place<index>(problem_.in.indices, base);
    auto const entries = from_place<entry_value>(problem_.in.values, base);
#pragma unroll
    for (int u = 0; u < N; ++u)
      if (u < each) put_bytes(some.columns[u], indices(at(u)));
#pragma unroll
    for (int u = 0; u < N; ++u)
      if (u < each) put_bytes(some.values[u], entries(at(u)));
  }
  template <int N>
  __device__ void gather(int each, loads<N>& some) const {
#pragma unroll
    for (int u = 0; u < N; ++u)
      if (u < each)
        put_bytes(some.x[u],
                  static_cast<vector_value>(problem_.in.x[static_cast<std::int64_t>(some.columns[u])]));
  }
  /// Their products, into shared memory.
  template <int N>
  __device__ void multiply(int each, loads<N> const& some) const {
    int const first = bank_of(static_cast<int>(threadIdx.x));
#pragma unroll
    for (int u = 0; u < N; ++u)
      if (u < each)
        put_bytes(folds_[first + bank_of(u * threads)],
                  static_cast<V>(problem_.in.times(some.values[u], some.x[u])));
  }
  static __device__ constexpr int bank_of(int p) {
    return p + static_cast<int>(static_cast<unsigned>(p) / static_cast<unsigned>(unit));
  }
  __device__ V const& product(int i) const { return folds_[bank_of(i)]; }
  /// Items from a place on, each read once: of memory, one addition for each address.
  template <class Item, class It>
  static __device__ auto from_place(It const& items, place base) {
    if constexpr (std::is_pointer_v<It> && relocatable<Item>) {
      auto first = items + base;
      asm("" : "+l"(first));  // kept: it would be computed anew for each
      __builtin_assume(__isGlobal(first));
      return [first](unsigned i) {
        item_vector<Item, 1> one;
        load_vectors<access::streaming>(first + i, one);
        Item some[1];
        one.unpack_each(some);
        return some[0];
      };
    } else if constexpr (is_near_columns<It>) {
      auto const low = from_place<std::uint16_t>(items.low, base);
      auto const* const least = items.least + base / near_group;
      auto const nth = static_cast<unsigned>(base) % near_group;
      return [low, least, nth](unsigned i) {
        return static_cast<Item>(least[(nth + i) / near_group] + static_cast<Item>(low(i)));
      };
    } else {
      return [&items, base](unsigned i) {
        return static_cast<Item>(items[static_cast<std::int64_t>(base) + i]);
      };
    }
  }

  /// Items [low, high) of each row, for its first lane. What is long for a row's lanes alone, if these are
  /// not the warp's, is folded then, by as many lanes each as all such rows of a warp leave.
  template <class Item>
  __device__ V fold_long_or_short(int low, int high, int log_width, Item const& item) const {
    bool const is_long = log_width < 5 && high - low > most_of_lane << log_width;
    int const begin = is_long ? high : low;
    V sum = log_width == 0 ? fold_alone(begin, high, item) : fold_items(begin, high, log_width, item);
    unsigned const longs = __ballot_sync(~0u, is_long && (lane() & ((1 << log_width) - 1)) == 0);
    if (longs == 0) return sum;
    int const log = __clz(__popc(longs) - 1) - 27, who = nth_bit(longs, lane() >> log);
    int const first = __shfl_sync(~0u, low, who & 31), last = __shfl_sync(~0u, high, who & 31);
    V const some = fold_items(first, who < 32 ? last : first, log, item);
    V const mine = warp_shfl(some, __popc(longs & ((1u << lane()) - 1)) << log & 31);
    if (is_long) put_bytes(sum, mine);
    return sum;
  }
  /// Where bit number n of those that are set stands; 32 if there is none.
  static __device__ int nth_bit(unsigned bits, int n) {
    int at = 0;
#pragma unroll
    for (int some = 16; some > 0; some /= 2)
      if (int const before = __popc(bits >> at & ((1u << some) - 1)); n >= before) {
        n -= before;
        at += some;
      }
    return n > 0 || (bits >> at & 1u) == 0 ? 32 : at;
  }
  /// Items [low, high) by one lane: of short rows, whose ends take no fewer instructions than their items.
  template <class Item>
  __device__ V fold_alone(int low, int high, Item const& item) const {
    V sum = problem_.zero;
    if (low < high) put_bytes(sum, item(low));
#pragma unroll 1
    for (int i = low + 1; i < high; ++i) put_bytes(sum, fold(sum, item(i)));
    return sum;
  }
  /// Items [low, high), by 2^log neighbouring lanes; for the first of them.
  template <class Item>
  __device__ V fold_items(int low, int high, int log, Item const& item) const {
    int const width = 1 << log, nth = lane() & (width - 1), each = (high - low + width - 1) >> log,
              first = min(low + nth * each, high), last = min(first + each, high);
    V sum = problem_.zero;
    if (first < last) put_bytes(sum, item(first));
#pragma unroll 4
    for (int i = first + 1; i < last; ++i) put_bytes(sum, fold(sum, item(i)));
#pragma unroll 1
    for (int by = 1; by < width; by *= 2) {
      V const right = warp_shfl_down(sum, by);
      if ((nth & (2 * by - 1)) == 0 && low + (nth + by) * each < high) put_bytes(sum, fold(sum, right));
    }
    return sum;
  }

  __device__ V fold(V const& a, V const& b) const { return static_cast<V>(problem_.op(a, b)); }
  static __device__ int lane() { return static_cast<int>(threadIdx.x % 32); }

  Problem const& problem_;
  memory& folds_;
  place n_;

 private:
  /// Products that a lane folds alone, at most, where more lanes could.
  static constexpr int most_of_lane = 16;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TOP_K_SEGMENT_SELECT_CUH
#define SWEEP_DETAIL_TOP_K_SEGMENT_SELECT_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/top_k/block_select.cuh>
#include <sweep/detail/top_k/numbered.cuh>
#include <sweep/detail/top_k/segmented_problem.hpp>
#include <sweep/detail/top_k/warp_rows.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

// What lanes of a warp hold, one each, brought in order by comparing with lanes at distances that are powers
// of two (Batcher 1968).

/// Whether a lane keeps the lesser of two in a step over `by` lanes, of a sequence that ascends where
/// `lane & size` is 0.
__device__ inline bool keeps_lesser(int size, int by) {
  int const lane = static_cast<int>(threadIdx.x % 32);
  return ((lane & size) == 0) == ((lane & by) == 0);
}
template <class N>
__device__ N lesser_or_greater(N a, N b, bool lesser) {
  return (a < b) == lesser ? a : b;
}
/// In ascending order, of what ascends and then descends.
template <class N>
__device__ N warp_merge(N x) {
#pragma unroll
  for (int by = 16; by > 0; by /= 2) x = lesser_or_greater(x, warp_shfl_xor(x, by), keeps_lesser(32, by));
  return x;
}
template <class N>
__device__ N warp_sort(N x) {
#pragma unroll
  for (int size = 2; size < 32; size *= 2)
#pragma unroll
    for (int by = size / 2; by > 0; by /= 2)
      x = lesser_or_greater(x, warp_shfl_xor(x, by), keeps_lesser(size, by));
  return warp_merge(x);
}
/// The 32 least of two times 32, each ascending.
template <class N>
__device__ N warp_least(N a, N b) {
  N const turned = warp_shfl_xor(b, 31);
  return warp_merge(turned < a ? turned : a);
}

/// A warp that keeps the k <= 32 least numbers of those it is shown, in order, a lane each.
template <class Number>
class warp_selection {
 public:
  struct shared {
    Number waiting[64];
  };
  __device__ warp_selection(shared& smem, int k)
      : smem_{smem}, k_{k}, limit_{static_cast<Number>(~Number{0})}, best_{limit_} {}
  /// What the k-th is known not to be greater than.
  __device__ void set_limit(Number limit) { limit_ = limit; }

  /// All lanes call, and show a number each, or none. What is greater than the limit is none of the k.
  __device__ void show(bool exists, Number x) {
    bool const wanted = exists && x <= limit_;
    unsigned const those = __ballot_sync(~0u, wanted);
    if (those == 0) return;
    int const lane = static_cast<int>(threadIdx.x % 32);
    if (wanted) smem_.waiting[waits_ + __popc(those & ((1u << lane) - 1))] = x;
    waits_ += __popc(those);
    __syncwarp();
    if (waits_ < 32) return;
    join(smem_.waiting[lane]);
    if (lane < waits_ - 32) smem_.waiting[lane] = smem_.waiting[32 + lane];
    waits_ -= 32;
    __syncwarp();
  }
  __device__ Number limit() const { return limit_; }
  /// Number l in lane l; where there are fewer, all ones.
  __device__ Number finish() {
    int const lane = static_cast<int>(threadIdx.x % 32);
    if (waits_ > 0) join(lane < waits_ ? smem_.waiting[lane] : static_cast<Number>(~Number{0}));
    __syncwarp();
    return best_;
  }

 private:
  __device__ void join(Number x) {
    __syncwarp();
    x = warp_sort(x);
    best_ = joined_ ? warp_least(best_, x) : x;
    joined_ = true;
    Number const last = warp_shfl(best_, k_ - 1);
    if (last < limit_) limit_ = last;
  }

  shared& smem_;
  int k_, waits_ = 0;
  bool joined_ = false;
  Number limit_, best_;
};

/// How a warp looks at many keys to find the few that may be among the first k, all of whose bits count: by
/// their words; or floating-point numbers as they are, which costs a third. A key that has no place among
/// numbers may be one of the first.
template <class Order>
struct quick_look {
  using value = std::conditional_t<(sizeof(typename Order::word) > 4), typename Order::word, std::uint32_t>;
  static constexpr value last = static_cast<value>(~value{0});
  static __device__ value of(Order const& order, typename Order::key const& x) { return order.word_of(x); }
  static __device__ value of_word(typename Order::word w) { return w; }
  static __device__ typename Order::word word_of(Order const&, value x) {
    return static_cast<typename Order::word>(x);
  }
  static __device__ value first(value a, value b) { return b < a ? b : a; }
  static __device__ bool may_be(value x, value limit) { return x <= limit; }
};
template <class Key, bool Descending>
  requires(std::is_floating_point_v<Key>)
struct quick_look<radix_order<Key, identity, Descending>> {
  using order = radix_order<Key, identity, Descending>;
  using word = typename order::word;
  using value = Key;
  static constexpr value last =
      Descending ? -std::numeric_limits<Key>::infinity() : std::numeric_limits<Key>::infinity();
  static __device__ value of(order const&, Key const& x) { return x; }
  static __device__ value of_word(word w) {
    constexpr word sign = word{1} << (sizeof(word) * 8 - 1);
    if (Descending) w = ~w;
    w = (w & sign) != 0 ? w ^ sign : ~w;
    Key x;
    memcpy(&x, &w, sizeof x);
    return x;
  }
  static __device__ word word_of(order const& by, value x) { return by.word_of(x); }
  static __device__ value first(value a, value b) { return Descending ? fmax(a, b) : fmin(a, b); }
  static __device__ bool may_be(value x, value limit) { return Descending ? !(x < limit) : !(x > limit); }
};

/// A warp for each segment, for k <= 32, of orders all of whose bits count: 32 items a lane at once in
/// registers. Of the first of them lanes find the least of each half of their own; the k-th of those 64 is no
/// less than the k-th of all, so that few items have to be brought in order.
template <class Problem, class Bounds, class Number>
struct warp_top_k_job {
  using key = typename Problem::key;
  using order = typename Problem::order_type;
  using look = quick_look<order>;
  using held = typename look::value;
  using keys_type = std::remove_cvref_t<decltype(Problem::keys_in)>;
  using selection_type = warp_selection<Number>;
  static constexpr int threads = 256, blocks = sizeof(Number) > 8 ? 2 : 4;
  static constexpr int R = sizeof(held) > 4 ? 16 : 32, few = 8;
  using rows_type = warp_rows<keys_type, R>;
  Problem problem;
  Bounds bounds;
  int index_bits;

  __device__ void operator()() const {
    __shared__ typename selection_type::shared waiting[threads / 32];
    int const warp = static_cast<int>(threadIdx.x / 32);
    auto const own = problem;
    auto const where = bounds;
    auto const count = where.count();
    auto const warps = std::int64_t{gridDim.x} * (threads / 32);
    for (auto s = std::int64_t{blockIdx.x} * (threads / 32) + warp; s < count; s += warps)
      select(own, where(s), s, waiting[warp]);
  }

 private:
  __device__ void select(Problem const& own, segment_range at, std::int64_t s,
                         typename selection_type::shared& smem) const {
    int const lane = static_cast<int>(threadIdx.x % 32), k = static_cast<int>(own.k);
    auto const size = at.size();
    if (size == 0) return;
    selection_type chosen(smem, k);
    int step = 0;
#pragma unroll 1
    for (std::int64_t from = 0; from < size; from += step) {
      // A bit for each item that may be one of the k: few, which are read again.
      auto const first = at.begin + from;
      int const left = static_cast<int>(min(size - from, std::int64_t{32 * R}));
      bool const whole = left == 32 * R;
      unsigned may = 0;
      if (whole) {
        held w[R];
        rows_type::load(own.keys_in, first, w, [&](key const& x) { return look::of(own.order, x); });
        may = those_that_may(chosen, own.order, w, from == 0, k);
      } else {
        held w[few];
#pragma unroll
        for (int r = 0; r < few; ++r) {
          w[r] = look::last;
          if (r * 32 >= left) continue;
          auto const x = look_at(own, first + min(r * 32 + lane, left - 1));
          if (r * 32 + lane < left) w[r] = x;
        }
        may = those_that_may(chosen, own.order, w, from == 0, k);
      }
      step = whole ? 32 * R : 32 * few;
#pragma unroll 1
      while (__any_sync(~0u, may != 0)) {
        int const r = __ffs(static_cast<int>(may)) - 1;
        int const i = may == 0 ? left : whole ? rows_type::place(r) : r * 32 + lane;
        may &= may - 1;
        bool const exists = i < left;
        Number x = 0;
        if (exists)
          x = static_cast<Number>(
              static_cast<Number>(own.order.word_of(static_cast<key>(own.keys_in[first + i]))) << index_bits |
              static_cast<Number>(from + i));
        chosen.show(exists, x);
      }
    }
    auto const number = chosen.finish();
    if (lane < k && lane < size)
      own.put(s, lane, at.begin, static_cast<std::int64_t>(number & low_ones<Number>(index_bits)));
  }
  static __device__ held look_at(Problem const& own, std::int64_t i) {
    return look::of(own.order, static_cast<key>(own.keys_in[i]));
  }
  /// Which of a lane's items may be among the k; of a segment's first ones, by a limit that they give.
  template <int Rows>
  __device__ unsigned those_that_may(selection_type& chosen, order const& by, held const (&w)[Rows],
                                     bool is_first, int k) const {
    if (is_first) chosen.set_limit(limit_of(by, w, k));
    auto const limit = look::of_word(static_cast<typename order::word>(chosen.limit() >> index_bits));
    unsigned may = 0;
#pragma unroll
    for (int r = 0; r < Rows; ++r)
      if (look::may_be(w[r], limit)) may |= 1u << r;
    return may;
  }
  /// What the k-th is not greater than: the k-th of the first of 64 groups. What stands for a group without
  /// items is no limit.
  template <int Rows>
  __device__ Number limit_of(order const& by, held const (&w)[Rows], int k) const {
    // Of long words the highest 32 bits.
    constexpr int skip = order::bits > 32 ? order::bits - 32 : 0;
    held low = look::last, high = look::last;
#pragma unroll
    for (int r = 0; r < Rows / 2; ++r) low = look::first(low, w[r]);
#pragma unroll
    for (int r = Rows / 2; r < Rows; ++r) high = look::first(high, w[r]);
    auto const head = [&](held x) {
      return warp_sort(static_cast<std::uint32_t>(look::word_of(by, x) >> skip));
    };
    auto const kth = warp_shfl(warp_least(head(low), head(high)), k - 1);
    if (kth == static_cast<std::uint32_t>(look::word_of(by, look::last) >> skip))
      return static_cast<Number>(~Number{0});
    return static_cast<Number>((static_cast<Number>(kth) << skip | low_ones<Number>(skip)) << index_bits |
                               low_ones<Number>(index_bits));
  }
};

/// A block for each segment: of few threads for short ones.
template <class Problem, class Bounds, class Number, bool IsShort>
struct block_top_k_job {
  using key = typename Problem::key;
  using order = typename Problem::order_type;
  static constexpr int threads = IsShort ? 128 : 512,
                       blocks = (IsShort ? 8 : 2) / (sizeof(Number) > 8 ? 2 : 1);
  using selection_type = block_selection<Number, threads, IsShort ? 8 : 12,
                                         (IsShort ? 16384 : 32768) / static_cast<int>(sizeof(Number))>;
  Problem problem;
  Bounds bounds;
  counting_bits<order> bits;
  int index_bits;

  __device__ void operator()() const {
    __shared__ typename selection_type::shared smem;
    auto const own = problem;
    auto const where = bounds;
    auto const count = where.count();
    for (auto s = std::int64_t{blockIdx.x}; s < count; s += gridDim.x) {
      auto const at = where(s);
      if (at.size() == 0) continue;
      selection_type::run(
          smem,
          [&](std::int64_t i) {
            auto const w = bits(static_cast<key>(own.keys_in[at.begin + i]));
            return static_cast<Number>(static_cast<Number>(w) << index_bits | static_cast<Number>(i));
          },
          at.size(), min(own.k, at.size()), 0, bits_that_count(bits.order) + index_bits,
          [&](int j, Number x) {
            own.put(s, j, at.begin, static_cast<std::int64_t>(x & low_ones<Number>(index_bits)));
          });
    }
  }
};

/// All items of a range, as what is sorted in place of them.
template <class Source>
struct list_items_job {
  static constexpr int threads = 256, blocks = 1;
  using item = decltype(std::declval<Source const&>().at(0));
  Source source;
  std::int64_t n;
  item* items;
  __device__ void operator()() const {
    auto const own = source;
    auto const i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (i < n) items[i] = own.at(i);
  }
};
struct every_index {
  __device__ std::int64_t at(std::int64_t i) const { return i; }
};

/// The first items of each segment become results, once all are sorted: a warp for each.
template <class Problem, class Bounds, class Item>
struct put_sorted_segments_job {
  static constexpr int threads = 256, blocks = 1;
  Problem problem;
  Bounds bounds;
  Item const* sorted;  ///< with an item's index in its lowest bits
  int index_bits;

  __device__ void operator()() const {
    auto const own = problem;
    auto const where = bounds;
    auto const count = where.count();
    auto const warps = std::int64_t{gridDim.x} * (threads / 32);
    for (auto s = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / 32; s < count; s += warps) {
      auto const at = where(s);
      auto const k = min(own.k, at.size());
      for (auto j = std::int64_t{threadIdx.x % 32}; j < k; j += 32) {
        using bits = std::make_unsigned_t<std::int64_t>;
        auto const index = static_cast<bits>(sorted[at.begin + j]) & low_ones<bits>(index_bits);
        own.put(s, j, at.begin, static_cast<std::int64_t>(index) - at.begin);
      }
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

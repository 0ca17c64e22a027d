// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_TILE_BLOCK_RADIX_SORT_CUH
#define SWEEP_DETAIL_SORT_TILE_BLOCK_RADIX_SORT_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/ranks.cuh>
#include <sweep/detail/sort/radix/radix_pass.cuh>
#include <sweep/detail/sort/tile/block_bins.cuh>
#include <sweep/detail/sort/tile/block_rows.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A thread block that sorts keys by their bits, stably: from registers, where each warp has rows of 32
/// neighbours one behind the other, into shared memory. Keys that are spread are split into bins and ranked
/// in these, others sorted digit by digit. Segments are sorted side by side: bins belong to one, and the last
/// digits are those of its place.
template <class Key, class Value, class Order, class Heads, int Threads, int Rows, bool HasValues>
class block_radix_sort : block_rows<Threads, Rows> {
  using block_rows<Threads, Rows>::rows, block_rows<Threads, Rows>::first, block_rows<Threads, Rows>::left;
  using word = typename Order::word;
  static constexpr int warps = Threads / 32, word_bits = static_cast<int>(sizeof(word)) * 8;
  static constexpr bool segmented = !std::is_base_of_v<one_range, Heads>,
                        in_loop = std::is_base_of_v<one_range_of_many, Heads>,
                        refines = std::is_same_v<Heads, one_range_of_groups>;
  // As many as keys, or somewhat fewer; a segment has as many as it has keys.
  static constexpr int bins_for_all = power_of_two_for(Threads * Rows);
  using bins =
      block_bins<Threads, segmented || bins_for_all == Threads * Rows ? bins_for_all : bins_for_all / 2>;
  // Where many keys are in some bins, these are taken together by fours, and get as many bins as they have
  // keys.
  using inner_bins = block_inner_bins<bins, Rows>;
  struct nothing {};
  /// Whether items with equal words may be told apart.
  static constexpr bool has_numbers = HasValues || !Order::is_exact;
  /// Whether registers are left for more than one way to rank rows, and for keys that agree in their highest
  /// digits to be compared: a grid's block holds more.
  static constexpr bool ranks_whole = refines || (!segmented && !in_loop),
                        compares_alike = ranks_whole && (refines || Threads > 512);
  /// Where as many keys are in each bin, digits take as long. Segments have digits of their places, too.
  static constexpr unsigned most_in_bin = segmented ? 40 : 24;
  /// Where a thread has one item, and its segment no more, it is compared with all of these: bins take
  /// longer.
  static constexpr int most_in_short_segment = word_bits <= 64 ? 144 : 64;
  static constexpr int words_at_once = 4;  // that are asked for together then
  static constexpr std::size_t item_bytes = HasValues && sizeof(Value) > sizeof(Key) ? sizeof(Value)
                                                                                     : sizeof(Key);

 public:
  static constexpr int most_items = Threads * Rows;

  struct counted_digits {
    unsigned counters[warps * parts_of_pass];
    placed_bins<Threads> places;
  };
  struct shared {
    union {
      typename bins::shared bin;
      std::conditional_t<refines, typename inner_bins::all::shared, nothing> inner;
      counted_digits digit;
      word words[Threads + words_at_once];  ///< of keys that are compared with all of their segments'
    };
    warp_slots<warps> slots[2];
    unsigned sums[4];  ///< bits of keys
    std::conditional_t<refines, typename inner_bins::begins, nothing> begins;
    alignas(16) unsigned char staged[most_items * item_bytes];
    std::uint16_t numbers[has_numbers || segmented ? most_items : 1];
    std::uint16_t bin_of[segmented ? most_items : 1];  ///< of staged keys

    __device__ Key* keys() { return reinterpret_cast<Key*>(staged); }
  };

  __device__ block_radix_sort(shared& smem, Order const& order, radix_digits const& digits,
                              Heads const& heads, int n)
      : block_rows<Threads, Rows>{n}, smem_{smem}, order_{order}, digits_{digits}, heads_{heads}, n_{n} {}
  using block_rows<Threads, Rows>::for_each_item;

  /// Keys are in order in shared memory, for all threads, and so are their numbers where there are values.
  __device__ void operator()(Key (&keys)[Rows]) const {
    if (!sort_by_bins(keys)) sort_by_digits(keys);
  }

  /// Brings values to where their keys are; keys are no longer there. All are read before one is put, and
  /// what else must happen before that does.
  template <class Get, class Put, class Before>
  __device__ void move_values(Get get, Put put, Before before_put) const {
    std::uint16_t from[Rows];
    for_each_row([&](int r, int i) { from[r] = smem_.numbers[i]; }, [&](int r) { from[r] = 0; });
    auto* const values = reinterpret_cast<Value*>(smem_.staged);
    __syncthreads();
    for_each_item([&](int, int i) { put_bytes(values[i], get(i)); });
    __syncthreads();
    before_put();
    for_each_item([&](int r, int i) { put(i, values[from[r]]); });
  }
  template <class Get, class Put>
  __device__ void move_values(Get get, Put put) const {
    move_values(get, put, [] {});
  }

 private:
  template <class F, class None>
  __device__ void for_each_row(F f, None none) const {
    if constexpr (in_loop) for_each_item(f, none);
    else for_each_item(f);
  }
  __device__ word word_of(Key const& x) const { return order_.word_of(x); }
  __device__ word mask() const {
    if (digits_.end <= digits_.begin) return 0;
    auto const above = word_bits - (digits_.end - digits_.begin);
    return static_cast<word>(static_cast<word>(static_cast<word>(~word{0}) >> above) << digits_.begin);
  }
  /// The bits of a word that count: all, where there are no numbers.
  __device__ static word counting(word x, word mask) {
    if constexpr (has_numbers) return static_cast<word>(x & mask);
    else return x;
  }
  /// Each staged key finds its place among those that are no further apart than a range of them says. Equal
  /// ones stay in the order of their numbers, or where they have none, of their places.
  template <bool HasNumbers, class RangeOf>
  __device__ void rank_in_ranges(Key (&keys)[Rows], word mask, RangeOf range_of) const {
    unsigned places[Rows];  // and numbers, in the upper half
    if constexpr (in_loop)
#pragma unroll
      for (int r = 0; r < Rows; ++r) places[r] = 0;
    for_each_item([&](int r, int p) {
      put_bytes(keys[r], smem_.keys()[p]);
      auto const own = counting(word_of(keys[r]), mask);
      auto const [begin, end] = range_of(r, p, own);
      unsigned const number = HasNumbers ? smem_.numbers[p] : static_cast<unsigned>(p);
      auto const count = [&](unsigned& to, int other) {
        count_if_before(to, counting(word_of(smem_.keys()[other]), mask),
                        HasNumbers ? smem_.numbers[other] : static_cast<unsigned>(other), own, number);
      };
      auto to = static_cast<unsigned>(begin);
#pragma unroll 1
      for (int other = begin; other < end; other += 2) {
        count(to, other);
        if (other + 1 < end) count(to, other + 1);
      }
      places[r] = HasNumbers ? to | number << 16 : to;
    });
    __syncthreads();
    for_each_item([&](int r, int p) {
      auto const to = static_cast<int>(places[r] & 0xffff);
      if (!HasNumbers && to == p) return;
      put_bytes(smem_.keys()[to], keys[r]);
      if constexpr (HasNumbers) smem_.numbers[to] = static_cast<std::uint16_t>(places[r] >> 16);
    });
    __syncthreads();
  }

  /// Whether all keys of a bin are the same bits, and so stand in any order: where a bin is one word, and no
  /// word of several keys is among the block's.
  template <class By>
  __device__ bool bins_are_alike(By const& by) const {
    if constexpr (segmented || HasValues || !Order::words_are_keys) {
      return false;
    } else {
      if (by.shift != 0 || by.skip != 0 || digits_.end - digits_.begin < Order::bits) return false;
      bool alike = true;
      order_.for_each_word_of_several(
          [&](word several) { alike = alike && by.head(several) - by.least > by.range; });
      return alike;
    }
  }
  /// Whether keys with equal words may stand in any order: but for words of several keys they are the same
  /// bits.
  static constexpr bool alike_are_in_order =
      !segmented && !HasValues && (Order::is_exact || Order::words_are_keys);
  /// Whether keys in bins are in order, since those of a bin have one word.
  template <class By>
  __device__ bool each_bin_is_a_word(By const& by) const {
    bool one = true;
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < n_; i += Threads) {
      auto const own = word_of(smem_.keys()[i]);
      int const first_of_bin = bins::range_of(smem_.bin, by.of(own)).begin;
      one = one && word_of(smem_.keys()[first_of_bin]) == own;
      order_.for_each_word_of_several([&](word several) { one = one && own != several; });
    }
    return __syncthreads_and(one ? 1 : 0) != 0;
  }
  __device__ bool counts_in_part() const { return !has_numbers && digits_.end - digits_.begin < Order::bits; }
  /// Whether keys, of which a thread has one, were compared with all of their segments', since none of these
  /// is long, and so are in order.
  __device__ bool sort_short_segments(Key (&keys)[Rows]) const {
    bool const exists = left > 0;
    word own{};
    places_range segment{};
    if (exists) {
      segment = heads_.segment_in_row(first / 32);
      smem_.words[first] = own = counting(word_of(keys[0]), mask());
    }
    if (__syncthreads_and(segment.end - segment.begin <= most_in_short_segment ? 1 : 0) == 0) return false;
    if (exists) {
      auto to = static_cast<unsigned>(segment.begin);
#pragma unroll 1
      for (int other = segment.begin; other < segment.end; other += words_at_once) {
        word its[words_at_once];
#pragma unroll
        for (int k = 0; k < words_at_once; ++k) its[k] = smem_.words[other + k];
#pragma unroll
        for (int k = 0; k < words_at_once; ++k)
          if (other + k < segment.end)
            count_if_before(to, its[k], static_cast<unsigned>(other + k), own, static_cast<unsigned>(first));
      }
      put_bytes(smem_.keys()[to], keys[0]);
      if constexpr (HasValues) smem_.numbers[to] = static_cast<std::uint16_t>(first);
    }
    __syncthreads();
    return true;
  }
  __device__ bool sort_by_bins(Key (&keys)[Rows]) const {
    if ((digits_.count <= 1 && !segmented) || counts_in_part()) return false;
    if constexpr (segmented)
      if (heads_.are_few && rows == 1 && sort_short_segments(keys)) return true;
    bins::clear(smem_.bin);
    bins_of_words<word, !has_numbers> by{mask()};
    if constexpr (by.wide) by.skip = max(digits_.end - 32, 0);
#pragma unroll 1
    while (true) {
      unsigned least = ~0u, most = 0;
      for_each_item([&](int r, int) {
        if constexpr (by.wide && in_loop) forget(keys[r]);
        unsigned const head = by.head(word_of(keys[r]));
        least = min(least, head);
        most = max(most, head);
      });
      smem_.slots[0].put(__reduce_min_sync(~0u, least));
      smem_.slots[1].put(__reduce_max_sync(~0u, most));
      __syncthreads();
      by.least = smem_.slots[0].smallest();
      by.range = smem_.slots[1].largest() - by.least;
      if (!by.wide || by.range >= bins::bins || by.skip == 0) break;
      // The highest bits are alike: those from the highest on in which words differ.
      int const skip = max(highest_bit(static_cast<word>(differing(keys) & by.mask)) - 31, 0);
      if (skip >= by.skip) break;
      by.skip = skip;
    }
    if constexpr (segmented) by.stretch();
    else by.cut(bins::bits);
    auto const bin_of = [&](int r, word x) {
      if constexpr (segmented) {
        auto const segment = heads_.segment_in_row(first / 32 + r);
        return static_cast<unsigned>(segment.begin) +
               __umulhi(by.fraction(x), static_cast<unsigned>(segment.end - segment.begin));
      } else {
        return by.of(x);
      }
    };

    bool const alike = bins_are_alike(by);

    std::uint16_t found[segmented ? Rows : 1];
    for_each_item([&](int r, int) {
      unsigned const bin = bin_of(r, word_of(keys[r]));
      if constexpr (segmented) found[r] = static_cast<std::uint16_t>(bin);
      bins::count(smem_.bin, bin);
    });
    __syncthreads();
    bool const few_in_bins = bins::place(smem_.bin, smem_.slots[0], most_in_bin);
    // Where many are in a bin they may all be one word.
    if (!few_in_bins && !alike && !alike_are_in_order)
      return sort_by_inner_bins(keys, by, [&](int bin) { return smem_.bin.ends[bins::bins_from + bin]; });
    for_each_item([&](int r, int i) {
      int place;
      if constexpr (segmented) smem_.bin_of[place = bins::take_place(smem_.bin, found[r])] = found[r];
      else place = bins::take_place(smem_.bin, bin_of(r, word_of(keys[r])));
      put_bytes(smem_.keys()[place], keys[r]);
      if constexpr (has_numbers) smem_.numbers[place] = static_cast<std::uint16_t>(i);
    });
    __syncthreads();
    if (alike) return true;
    if constexpr (alike_are_in_order)
      if (!few_in_bins)
        return each_bin_is_a_word(by) || sort_by_inner_bins(keys, by, [&](int bin) {
                 return smem_.bin.ends[bins::bins_from - 1 + bin];
               });
    rank_in_ranges<has_numbers>(keys, by.mask, [&](int r, int p, word x) {
      if constexpr (segmented) return bins::range_of(smem_.bin, smem_.bin_of[p]);
      else return bins::range_of(smem_.bin, bin_of(r, x));
    });
    return true;
  }

  /// Keys of skewed words, counted in bins, each of which begins where begin_of says: bins by bits below
  /// those that tell bins apart, as many as a bin has keys. Whether no such bin has too many.
  template <class By, class BeginOf>
  __device__ bool sort_by_inner_bins(Key (&keys)[Rows], By const& by, BeginOf begin_of) const {
    if constexpr (!refines) {
      return false;
    } else {
      if (!inner_bins::begin(smem_.begins, begin_of, n_)) return false;
      inner_bins::all::clear(smem_.inner);
      __syncthreads();
      auto const inner_bin_of = [&](word x) {
        return inner_bins::of(smem_.begins, by.head(x) - by.least, static_cast<unsigned>(by.shift));
      };
      for_each_item([&](int r, int) {
        if constexpr (by.wide) forget(keys[r]);
        inner_bins::all::count(smem_.inner, inner_bin_of(word_of(keys[r])));
      });
      __syncthreads();
      if (!inner_bins::all::place(smem_.inner, smem_.slots[0], inner_bins::most_in_bin)) return false;
      for_each_item([&](int r, int i) {
        int const place = inner_bins::all::take_place(smem_.inner, inner_bin_of(word_of(keys[r])));
        put_bytes(smem_.keys()[place], keys[r]);
        if constexpr (has_numbers) smem_.numbers[place] = static_cast<std::uint16_t>(i);
      });
      __syncthreads();
      rank_in_ranges<has_numbers>(keys, by.mask, [&](int, int, word x) {
        return inner_bins::all::range_of(smem_.inner, inner_bin_of(x));
      });
      return true;
    }
  }
  /// Keys with equal digits stay in order, as rows are.
  __device__ void sort_by_digits(Key (&keys)[Rows]) const {
    constexpr bool moves_numbers = HasValues || segmented;
    int const t = static_cast<int>(threadIdx.x);
    auto* const counters = smem_.digit.counters + t / 32 * parts_of_pass;
    auto const own_counters = static_cast<unsigned>(__cvta_generic_to_shared(counters));
    // Ranks below 2^10 with numbers behind them, or two ranks.
    unsigned ranks[moves_numbers ? Rows : (Rows + 1) / 2] = {};
    auto const number_of = [&](int r) { return ranks[r] & 0xffff; };
    auto const differ = differing(keys);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      bool const exists = r * 32 < left;
      if constexpr (moves_numbers) ranks[r] = exists ? static_cast<unsigned>(first + r * 32) : 0;
      if (!exists) put_bytes(keys[r], smem_.keys()[0]);  // the block's first, as all have seen it
    }

    // Few keys are told apart by few of many bits: the highest digits come first. Those that agree in these
    // are compared, and all digits come only if too many do.
    int const enough = segmented ? word_bits : 2 * (32 - __clz(n_)) + 6;
    unsigned active = 0, todo = 0;
#pragma unroll 1
    for (int d = digits_.count - 1, found = 0; d >= 0; --d) {
      auto const bits =
          static_cast<unsigned>(differ >> digits_.begin_of(d)) & ((1u << digits_.bits_of(d)) - 1);
      if (bits == 0) continue;
      active |= 1u << d;
      if (found < enough) todo |= 1u << d;
      found += __popc(bits);
    }
    // Behind the digits of words the two of where a segment begins.
    int const places_begin = digits_.count;
    if constexpr (segmented) active = todo |= 3u << places_begin;
    // All digits, and from which bit on keys are in order behind those to do, where these are not all. In no
    // registers, since these are few.
    if (t == 0) {
      smem_.sums[0] = active;
      smem_.sums[1] =
          todo == active ? ~0u : static_cast<unsigned>(digits_.begin_of(__ffs(static_cast<int>(todo)) - 1));
    }
    if (active == 0) {
      __syncthreads();
      for_each_item([&](int r, int i) {
        put_bytes(smem_.keys()[i], keys[r]);
        if constexpr (moves_numbers) smem_.numbers[i] = static_cast<std::uint16_t>(i);
      });
      __syncthreads();
      return;
    }
#pragma unroll 1
    while (true) {
      // What rows there are is found anew: kept from one pass to the next it would take as many registers as
      // keys.
      auto own = *this;
      asm volatile("" : "+r"(own.left));
      int const d = __ffs(static_cast<int>(todo)) - 1;
      todo &= todo - 1;
      bool const of_place = segmented && d >= places_begin;
      int const shift = of_place ? (d - places_begin) * 8 : digits_.begin_of(d);
      unsigned const mask = of_place ? 255 : (1u << digits_.bits_of(d)) - 1;
      clear_counters(counters);
      __syncwarp();
      auto const counter_of_row = [&](int r) {
        if constexpr (segmented)
          if (of_place)
            return counter_of(
                own_counters,
                static_cast<unsigned>(heads_.segment_of(static_cast<int>(number_of(r))).begin) >> shift &
                    mask);
        return counter_of(own_counters, static_cast<unsigned>(word_of(keys[r]) >> shift) & mask);
      };
      auto const rank_rows = [&]<bool Whole>(std::bool_constant<Whole>) {
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
          if (r >= rows) break;
          unsigned const counter = counter_of_row(r),
                         rank =
                             rank_in_warp<8, Whole>((counter - own_counters) / 4, r * 32 < own.left, counter);
          if constexpr (moves_numbers) ranks[r] = number_of(r) | rank << 16;
          else ranks[r / 2] = r % 2 == 0 ? rank : ranks[r / 2] | rank << 16;
        }
      };
      if (ranks_whole && __all_sync(~0u, own.left > (rows - 1) * 32 ? 1 : 0))
        rank_rows(std::bool_constant<ranks_whole>{});
      else rank_rows(std::false_type{});
      smem_.digit.places.place(smem_.digit.counters, [] {});
      __syncthreads();
      own.for_each_item([&](int r, int) {
        unsigned const rank = moves_numbers ? ranks[r] >> 16
                              : r % 2 == 0  ? ranks[r / 2] & 0xffff
                                            : ranks[r / 2] >> 16,
                       place = read_counter(counter_of_row(r)) + rank;
        put_bytes(smem_.keys()[place], keys[r]);
        if constexpr (moves_numbers) smem_.numbers[place] = static_cast<std::uint16_t>(number_of(r));
      });
      __syncthreads();
      if (todo == 0) {
        auto const from = static_cast<int>(smem_.sums[1]);
        if (from < 0 || in_order() || order_alike(keys, from)) return;
        todo = smem_.sums[0];
        if (t == 0) smem_.sums[1] = ~0u;
      }
      own.for_each_item([&](int r, int i) {
        put_bytes(keys[r], smem_.keys()[i]);
        if constexpr (moves_numbers) ranks[r] = smem_.numbers[i];
      });
    }
  }

  /// Keys that are in the order of their bits from one on find their places among those that agree in these,
  /// if nowhere are so many that digits take as long. Whether they did.
  __device__ bool order_alike(Key (&keys)[Rows], int from) const {
    if (!compares_alike || counts_in_part()) return false;
    auto const counts = mask();
    auto const head = [&](int i) {
      return static_cast<word>(counting(word_of(smem_.keys()[i]), counts) >> from);
    };
    constexpr int most = static_cast<int>(most_in_bin);
    bool many = false;
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x) + most; i < n_; i += Threads)
      many = many || head(i) == head(i - most);
    if (__syncthreads_or(many ? 1 : 0) != 0) return false;
    rank_in_ranges<HasValues>(keys, counts, [&](int, int p, word x) {
      auto const own = static_cast<word>(x >> from);
      places_range alike{p, p + 1};
      while (alike.begin > 0 && head(alike.begin - 1) == own) --alike.begin;
      while (alike.end < n_ && head(alike.end) == own) ++alike.end;
      return alike;
    });
    return true;
  }
  /// Whether the keys in shared memory are in the order of all digits.
  __device__ bool in_order() const {
    auto const counts = mask();
    auto const rank = [&](int i) { return static_cast<word>(word_of(smem_.keys()[i]) & counts); };
    bool wrong = false;
    for (int i = static_cast<int>(threadIdx.x) + 1; i < n_; i += Threads)
      wrong = wrong || rank(i) < rank(i - 1);
    return __syncthreads_or(wrong ? 1 : 0) == 0;
  }

  /// The bits in which the block's words differ, but for the sign below it. It begins and ends with barriers.
  __device__ word differing(Key const (&keys)[Rows]) const {
    constexpr int parts = (word_bits + 31) / 32;
    if (threadIdx.x == 0) put_bytes(smem_.keys()[0], keys[0]);
    if (threadIdx.x < parts) smem_.sums[threadIdx.x] = 0;
    __syncthreads();
    auto const first = order_.alike_word_of_many(word_of(smem_.keys()[0]));
    word differ = 0;
    for_each_item([&](int r, int) {
      differ =
          static_cast<word>(differ | static_cast<word>(order_.alike_word_of_many(word_of(keys[r])) ^ first));
    });
#pragma unroll
    for (int p = 0; p < parts; ++p) {
      auto const mine = __reduce_or_sync(~0u, static_cast<unsigned>(differ >> (32 * p) % word_bits));
      if (threadIdx.x % 32 == 0 && mine != 0) atomicOr(smem_.sums + p, mine);
    }
    __syncthreads();
    word all = 0;
#pragma unroll
    for (int p = parts - 1; p >= 0; --p) {
      if constexpr (parts > 1) all = static_cast<word>(all << 32);
      all = static_cast<word>(all | static_cast<word>(smem_.sums[p]));
    }
    __syncthreads();
    return all;
  }
  shared& smem_;
  Order const& order_;
  radix_digits const& digits_;
  Heads heads_;
  int n_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

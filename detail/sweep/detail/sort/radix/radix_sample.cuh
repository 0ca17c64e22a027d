// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_RADIX_SAMPLE_CUH
#define SWEEP_DETAIL_SORT_RADIX_RADIX_SAMPLE_CUH

#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/sort/radix/drawn_place.hpp>
#include <sweep/detail/sort/radix/frequent_keys.cuh>
#include <sweep/detail/sort/radix/frequent_words.cuh>
#include <sweep/detail/sort/radix/large_groups.cuh>
#include <sweep/detail/sort/radix/radix_code.cuh>
#include <sweep/detail/sort/radix/radix_pass.cuh>
#include <sweep/detail/sort/radix/radix_range.cuh>
#include <sweep/detail/sort/radix/sample_in_bins.cuh>
#include <sweep/detail/sort/radix/split_words.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Blocks draw keys from everywhere, and the last of them looks at the sample, for a code, and for how
/// many digits of it make groups small: from how often two of these keys are in one group follows how many
/// items a group has, seen from an item. At equal distances those of sorted keys would never meet in a group.
/// Where many keys of the sample are alike these are to be set apart.
template <class Key, class Value, class Order>
struct radix_sample_job {
  using word = typename Order::word;
  using code_type = radix_code<Order>;
  static constexpr int threads = 1024, blocks = 1, each = 8, keys_of_sample = threads * each;
  /// Where one block asked for all keys, it would wait longest for these. What others draw is only looked at
  /// where most keys are of few words.
  static constexpr int most_blocks = has_frequent_words<Key, Value> ? each + 56 : each;
  static std::int64_t grid(std::int64_t n) { return std::min<std::int64_t>(most_blocks, n / threads); }
  static constexpr int word_bits = static_cast<int>(sizeof(word)) * 8;
  static constexpr int most_frequent =
      keys_of_sample / 8;                    ///< keys of frequent groups that are not looked at
  static constexpr int most_by_chance = 16;  ///< keys that only seem to be of such
  static constexpr int bins = 1 << 16;
  static constexpr bool has_frequent = has_frequent_keys<Key, Value, Order>;
  static constexpr int least_of_word = frequent_words<word>::least_of_word(keys_of_sample),
                       least_of_all_words = frequent_words<word>::least_of_all(keys_of_sample);
  static constexpr std::size_t parts_bytes = Order::has_exponent ? sizeof(code_part) * code_parts : 0,
                               bytes = bins * 2 + parts_bytes +
                                       (has_frequent ? frequent_keys<Key>::slots * sizeof(unsigned) : 0);
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }

  Key const* keys;
  Key* drawn;             ///< memory for all that blocks draw, first of which is the sample
  std::uint32_t* ticket;  ///< zero
  Order order;
  radix_digits digits;
  radix_shorter* shorter;
  code_type* found;
  sampled_parts* found_parts;  ///< of numbers with an exponent, or null
  std::int64_t n, most_of_group, least_with_frequent;
  int most_digits;                 ///< of a code; none where frequent words alone are looked for
  frequent_keys<Key>* set_apart;   ///< or null
  std::int64_t unit_bytes;         ///< of keys, a pass over which takes 45 us
  frequent_words<word>* by_words;  ///< or null
  bool words_in_place;             ///< whether items are to be where they are
  int drawing;                     ///< blocks

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto* const counters = reinterpret_cast<unsigned*>(memory);  // two of 16 bits
    __shared__ unsigned sums[4];
    int const t = static_cast<int>(threadIdx.x);
    if (!draw()) return;
    if (most_digits == 0) {
      choose_words(counters, true);
      return;
    }
    word words[each];
#pragma unroll
    for (int k = 0; k < each; ++k) words[k] = order.word_of(drawn[k * threads + t]);
    __shared__ code_type code;  // more than registers are left
    int const top = radix_range<Order, threads, each>::find(words, digits, code, sums);
    __shared__ set_apart_by apart;
    if constexpr (has_frequent) {
      // To set keys apart takes the time of a pass, and some 45 us, as does a pass of 2^23 narrow keys.
      auto const units =
          static_cast<float>(n) * static_cast<float>(sizeof(Key)) / static_cast<float>(unit_bytes);
      float const by_digits = Order::has_exponent || top == 0 ? static_cast<float>(digits.count)
                                                              : static_cast<float>(top) / 8,
                  repeated = static_cast<float>(count_repeated(words, counters, sums[3])) / keys_of_sample,
                  less = by_digits * repeated, left = by_digits - less;
      bool const pays = less >= 1.15f + 1 / units;
      if (t == 0)
        apart = !pays ? set_apart_by::nothing
                : left * units > 4 && n >= more_keys<Key>::bytes_of(more_keys<Key>::least_count_bits)
                    ? set_apart_by::more_keys
                    : set_apart_by::sample;
      // Others by digits take less time than all in groups.
      if (top == 0 || (pays && left <= 2)) {
        __syncthreads();
        choose_frequent(counters, apart);
        return;
      }
    }
    if (top == 0) return;
    // Zeros that have a group to themselves are not looked at, nor are groups that are frequent.
    __shared__ unsigned char frequent[threads];
    frequent[t] = 0;
    auto const counts = [&](int k) {
      bool const common = (frequent[threadIdx.x] >> k & 1) != 0;
      if constexpr (Order::has_exponent) return !common && (!code.zeros || words[k] != code_type::zero);
      else return !common;
    };
    int counted = keys_of_sample;
    if constexpr (Order::has_exponent) {
      counted = count_marked(sums[3], [&] {
        unsigned marks = 0;
#pragma unroll
        for (int k = 0; k < each; ++k) marks |= counts(k) ? 1u << k : 0;
        return marks;
      }());
      static_assert(threads == code_parts);
      __syncthreads();
      counters[t] = 0;
      __syncthreads();
#pragma unroll
      for (int k = 0; k < each; ++k)
        if (counts(k)) atomicAdd(counters + code.part_of(words[k]), 1u);
      __syncthreads();
      found_parts->words[t] = counters[t];
      auto* const parts = reinterpret_cast<code_part*>(memory + std::size_t{bins} * 2);
      if (t == 0) code.parts = parts;
      share_codes<threads>(counters, parts);
      found_parts->parts[t] = parts[t];
    }
    // What is seldom asked for is in no registers, of which too few are left.
    __shared__ float all_counted, of_largest;
    // As many of the sample are hardly ever in a group that is small; nor, where that is fewer, alike.
    if (t == 0) {
      all_counted = static_cast<float>(counted);
      of_largest = static_cast<float>(most_of_group) * keys_of_sample / static_cast<float>(n);
    }
    __syncthreads();
    auto const most_together = static_cast<unsigned>(of_largest + 4 * sqrtf(of_largest)) + 4;
    auto const least_of_frequent = min(most_together, max(4u, static_cast<unsigned>(2 * of_largest)));
    // To look at each digit more takes some us, which few keys do not make up for.
    __shared__ bool looks_on;
    if (t == 0) looks_on = n * static_cast<std::int64_t>(sizeof(Key)) >= 2 * unit_bytes;
    // Groups of 1, 2, 3, ... digits are looked at in turn. Where most keys are in frequent groups of two, as
    // many digits as there may be are next, since each turn takes as long: if groups of those are too large,
    // those of fewer digits are, and the search is over; else it goes on with three.
    int const last = min(most_digits, top / 8);
    bool ends_well = true;
    int most_of_words = keys_of_sample;  // that are often there
    __shared__ sample_in_bins::shared seen;
#pragma unroll 1
    for (int d = 1; d <= last; ++d) {
      if (d != 2 && (n >> 8 * d) > most_of_group) continue;  // not even if groups were all of one size
      __syncthreads();
      frequent[t] = 0;
      if (t == 0) {
        if constexpr (Order::has_exponent) code.digit = 32 - 8 * d;
        else code.shift = digits.begin + top - 8 * d;
      }
      packed_bins own;
      count_in_bins(counters, counts, own, [&](int k) {
        auto const group = code.of(words[k]);
        return static_cast<unsigned>(d <= 2 ? group % bins : mixed_word(static_cast<word>(group)) >> 16);
      });
      // All that is asked of the bins, at once: of all keys, and of those whose bins are not frequent.
      sample_in_bins mine;
      unsigned marks = 0;
#pragma unroll
      for (int k = 0; k < each; ++k)
        if (counts(k))
          if (mine.see(keys_of_bin(counters, own.of(k)), least_of_frequent)) marks |= 1u << k;
      frequent[t] = static_cast<unsigned char>(marks);
      mine.share(seen);
      // How many items a group has, seen from an item. Groups of parts are of nearly one size, where zeros
      // leave enough parts; others only where they have no more than that, and else some are larger.
      auto const even = static_cast<float>(n >> 8 * d), pairs = all_counted * (keys_of_sample - 1),
                 by_chance = d <= 2 ? 0 : pairs / bins;
      auto const are_few = [&](unsigned others) {
        float const mean =
            max(0.0f, static_cast<float>(others) - by_chance) * (static_cast<float>(n) / pairs);
        float spread = mean <= 1.2f * even ? 1 : 2;
        if constexpr (Order::has_exponent) spread = code.zeros ? 2 : 1.15f;
        // However few pairs a sample has by chance, groups are no smaller than those of one size, of which
        // some have more items.
        float const least = even * all_counted / keys_of_sample;
        return max(spread * mean, least + 4 * sqrtf(least)) <= static_cast<float>(most_of_group);
      };
      // Behind this of the others alone, where the frequent ones are left out.
      bool leaves_out = false, few = are_few(seen.all.others), too_frequent = false;
      bool const knows_words = !Order::has_exponent && d == 2 && least_of_frequent <= least_of_word;
      if (knows_words) most_of_words = 0;
      if (int const keys_of_them = static_cast<int>(seen.frequent); keys_of_them > 0) {
        if (knows_words) most_of_words = keys_of_them;
        auto const keys_of_nearly =
            static_cast<float>(seen.nearly);  // those that the sample could have missed
        too_frequent = keys_of_them > (n >= least_with_frequent ? most_frequent
                                       : least_of_frequent < 6  ? most_by_chance
                                                                : 0);
        leaves_out = !too_frequent;
        if (leaves_out) few = are_few(seen.rest.others);
        // Few items take more time where groups that no block has room for are of several words.
        too_frequent = too_frequent || (!looks_on && !bins_are_alike(words, counters, own, [&](int k) {
                         return (frequent[threadIdx.x] >> k & 1) != 0;
                       }));
        // Where a group may be large and seldom in the sample, there are more the less a group has, as its
        // square: those that are too large may be more than are listed.
        if (keys_of_nearly > most_by_chance && keys_of_nearly * static_cast<float>(least_of_frequent) >
                                                   most_large_groups * of_largest * of_largest)
          few = false;
        if (d == 2 && last > 3) ends_well = 2 * static_cast<float>(keys_of_them) <= all_counted;
      }
      auto const& others = leaves_out ? seen.rest : seen.all;
      bool const alike = d == 2 && !few && others.missed <= 0 &&
                         bins_are_alike(words, counters, own, [](int) { return true; });
      bool small = few && others.most < most_together && !too_frequent;
      // Numbers with an exponent that are wide and alone are asked so too, of two digits where parts have not
      // made groups of about one size: with values more passes cost more than blocks that sort by digits.
      constexpr bool asks_numbers =
          Order::has_exponent && sizeof(word) > 4 && std::is_same_v<Value, keys_alone>;
      __shared__ int most_skewed;
      bool may_be_skewed = d >= 3 && (asks_numbers || (!Order::has_exponent && top >= 8 * (d + 1)));
      {
        float const together = max(0.0f, static_cast<float>(others.others) - by_chance);
        if constexpr (asks_numbers)
          may_be_skewed = may_be_skewed || (d == 2 && together * (static_cast<float>(n) / pairs) > 2 * even);
        if (t == 0) most_skewed = static_cast<int>(together / (asks_numbers ? 64 : 32)) + 4;
      }
      if (small && may_be_skewed)
        small = keys_together(words, counters, sums[3], counts, code, asks_numbers && d == 4 ? 0 : 1) <=
                most_skewed;
      if (!ends_well && d == last) {  // looked at out of turn
        if (!small) break;
        ends_well = true;
        d = 2;
        continue;
      }
      if (small || alike) {
        // Groups of two digits that are of one word each take less time than to draw others.
        if (alike && choose_words(counters, top > 48)) return;
        if (t == 0) {
          *found = code;
          shorter->digits = static_cast<unsigned>(d);
          shorter->alike = alike ? radix_shorter::of_groups : radix_shorter::none;
          bool alone = alike;  // zeros are to be
          if constexpr (Order::has_exponent) alone = alone || code.zeros;
          shorter->most_outside =
              static_cast<unsigned long long>(alone ? most_of_group : max(most_of_group, n / 64));
        }
        return;
      }
      if constexpr (sizeof(word) <= 8)  // of wider ones each pass takes longer
        if (too_frequent && d >= 2 && !looks_on) break;
      if (!ends_well && d == 2) d = last - 1;  // the last one out of turn
    }
    if constexpr (has_frequent) choose_frequent(counters, apart);
    else if (most_of_words >= least_of_all_words) choose_words(counters, top > 16);
  }

 private:
  /// Whether items are so many that to bring others together takes less time than passes by digits.
  __device__ bool are_many() const {
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(Key) + sizeof(Value));
    return n * bytes >= unit_bytes + unit_bytes / 4;
  }
  /// Whether most keys are of few words, each of which is often there: these are what items are split by,
  /// and, if it `draws`, some of the other words where these are few enough.
  __device__ bool choose_words(unsigned* counters, bool draws) const {
    if constexpr (!has_frequent_words<Key, Value>) {
      return false;
    } else {
      using table = frequent_words<word>;
      using choice_type = split_words<word, threads>;
      if (!by_words) return false;
      __shared__ word found[table::most_frequent + 1];
      __shared__ unsigned count, all;
      __shared__ typename choice_type::shared smem;
      choice_type const choice(smem);
      int const t = static_cast<int>(threadIdx.x);
      if (t == 0) count = all = 0;
      count_drawn(counters);
      // The first to see that a bin has so many lists its word. Seldom a bin is of two words.
      for_each_drawn([&](int, Key const& key) {
        auto const x = order.word_of(key);
        unsigned const bin = bin_of_word(x), seen = 0x8000u << bin % 2 * 16,
                       keys_of_it = keys_of_marked_bin(counters, bin);
        if ((keys_of_it & 0x7fff) < table::least_of_word(keys_of_sample)) return;
        if ((atomicOr(counters + bin / 2, seen) & seen) != 0) return;
        found[atomicAdd(&count, 1u)] = x;
        atomicAdd(&all, keys_of_it & 0x7fff);
      });
      __syncthreads();
      if (all < table::least_of_all(keys_of_sample)) return false;
      int const frequent = static_cast<int>(count), others = keys_of_sample - static_cast<int>(all);
      choice.order_frequent(found, frequent);
      int some = 0;
      if (others != 0 && draws) {
        auto const share = static_cast<float>(others) / keys_of_sample;
        some = choice.choose(frequent, share, static_cast<float>(most_of_group) / static_cast<float>(n),
                             reinterpret_cast<word*>(counters), drawing - each,
                             [&](int k) { return order.word_of(drawn[keys_of_sample + k]); });
        static_assert(choice_type::most_others * sizeof(word) <= bins * 2);
      }
      if (some == 0) {
        // Where items stay in place a copy of all follows.
        if ((others != 0 || words_in_place) && !are_many()) return false;
        choice.choose(frequent);
      }
      choice.put(*by_words, some == 0 ? frequent : some);
      if (t == 0) {
        shorter->digits = words_in_place ? 1 : 2;  // one pass, but into the last memory where that is free
        shorter->alike = radix_shorter::of_frequent_words;
      }
      return true;
    }
  }
  /// Whether this is the last block, and all keys are drawn.
  __device__ bool draw() const {
    int const k = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
    put_bytes(drawn[k], keys[drawn_place(static_cast<unsigned>(k), n)]);
    __syncthreads();
    bool last = false;
    if (threadIdx.x == 0)
      last =
          atomic_ref<std::uint32_t>(*ticket).fetch_add(1, acq_rel) + 1 == static_cast<std::uint32_t>(drawing);
    return __syncthreads_or(last ? 1 : 0) != 0;
  }
  /// How many bits are set in the marks of all threads, which call. `sum` has been read before.
  __device__ static int count_marked(unsigned& sum, unsigned marks) {
    __syncthreads();
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    auto const of_warp = __reduce_add_sync(~0u, __popc(marks));
    if (threadIdx.x % 32 == 0 && of_warp != 0) atomicAdd(&sum, of_warp);
    __syncthreads();
    return static_cast<int>(sum);
  }
  /// The bins of a thread's keys, of which each takes half a register.
  struct packed_bins {
    unsigned two[each / 2] = {};
    __device__ unsigned of(int k) const { return two[k / 2] >> k % 2 * 16 & 0xffff; }
    __device__ void put(int k, unsigned bin) { two[k / 2] |= bin << k % 2 * 16; }
  };
  /// Counters of bins, two of 16 bits in each, become how many keys of the sample that count are in each:
  /// bin_of(k) is that of the thread's key k, and is kept.
  template <class Counts, class BinOf>
  __device__ static void count_in_bins(unsigned* counters, Counts counts, packed_bins& own, BinOf bin_of) {
    __syncthreads();  // all have read what was found before
    for (int i = static_cast<int>(threadIdx.x); i < bins / 8; i += threads)
      reinterpret_cast<uint4*>(counters)[i] = uint4{0, 0, 0, 0};
    __syncthreads();
#pragma unroll
    for (int k = 0; k < each; ++k)
      if (counts(k)) {
        unsigned const bin = bin_of(k);
        own.put(k, bin);
        atomicAdd(counters + bin / 2, 1u << bin % 2 * 16);
      }
    __syncthreads();
  }
  __device__ static unsigned keys_of_bin(unsigned const* counters, unsigned bin) {
    return counters[bin / 2] >> bin % 2 * 16 & 0xffff;
  }
  /// The same where others are marking bins.
  __device__ static unsigned keys_of_marked_bin(unsigned* counters, unsigned bin) {
    scoped_atomic_ref<unsigned, cuda::thread_scope_block> const both(counters[bin / 2]);
    return both.load(relaxed) >> bin % 2 * 16 & 0xffff;
  }
  /// How many keys are in one group with another word of a group's, by so many digits more: where words are
  /// skewed within groups too, as those that are ands of others, many are, and blocks would sort digit by
  /// digit.
  template <class Counts>
  __device__ int keys_together(word const (&words)[each], unsigned* counters, unsigned& sum, Counts counts,
                               code_type const& code, int more) const {
    auto* const one_of_bin = reinterpret_cast<std::uint16_t*>(counters);
    auto const group_of = [&](word w) { return code.at_digit(-more).of(w); };
    packed_bins own;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < each; ++k)
      if (counts(k)) {
        own.put(k, mixed_word(static_cast<word>(group_of(words[k]))) >> 16);
        one_of_bin[own.of(k)] = static_cast<std::uint16_t>(k * threads + static_cast<int>(threadIdx.x));
      }
    __syncthreads();
    unsigned found = 0;
    constexpr int at_once = sizeof(word) > 8 ? 2 : 4;  // as many as registers are left for
#pragma unroll
    for (int some = 0; some < each; some += at_once) {
      word others[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        others[k] = order.word_of(drawn[one_of_bin[own.of(some + k)] % keys_of_sample]);
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (static_cast<word>((others[k] ^ words[some + k]) >> digits.begin) != 0 && counts(some + k) &&
            group_of(others[k]) == group_of(words[some + k]))
          found |= 1u << (some + k);
    }
    return count_marked(sum, found);
  }
  /// How many keys of the sample it has three times or more; none where some may be equal and not the same.
  __device__ int count_repeated(word const (&words)[each], unsigned* counters, unsigned& sum) const {
    packed_bins own;
    count_in_bins(
        counters, [](int) { return true; }, own, [&](int k) { return bin_of_word(words[k]); });
    bool alone = true;
    if constexpr (!Order::is_exact)
#pragma unroll
      for (int k = 0; k < each; ++k)
        alone = alone && frequent_keys<Key>::is_alone(drawn[k * threads + static_cast<int>(threadIdx.x)]);
    if (__syncthreads_and(alone ? 1 : 0) == 0) return 0;
    unsigned found = 0;
#pragma unroll
    for (int k = 0; k < each; ++k)
      if (keys_of_bin(counters, own.of(k)) >= 3) found |= 1u << k;
    return count_marked(sum, found);
  }
  /// Those that are the most frequent of their bucket.
  __device__ void choose_frequent(unsigned* counters, set_apart_by const& by) const {
    using table = frequent_keys<Key>;
    if (by == set_apart_by::nothing) return;
    __shared__ unsigned any;
    auto* const chosen = reinterpret_cast<unsigned*>(reinterpret_cast<unsigned char*>(counters) +
                                                     std::size_t{bins} * 2 + parts_bytes);
    int const t = static_cast<int>(threadIdx.x);
    for (int s = t; s < table::slots; s += threads) chosen[s] = 0;
    if (t == 0) any = 0;
    count_drawn(counters);
#pragma unroll 1
    for (int slot = 0; slot < 2; ++slot) {
      __syncthreads();
      for_each_drawn([&](int k, Key const& x) {
        auto const alike = keys_of_bin(counters, bin_of_word(order.word_of(x)));
        if (alike < 3) return;
        auto* const own = chosen + 2 * table::bucket_of(table::bits_of(x));
        if (slot != 0 && table::bits_of(drawn[own[0] % keys_of_sample]) == table::bits_of(x)) return;
        atomicMax(own + slot, alike * keys_of_sample + static_cast<unsigned>(k * threads) + threadIdx.x);
      });
    }
    __syncthreads();
    for (int s = t; s < table::slots; s += threads)
      if (chosen[s] != 0) atomicMax(&any, chosen[s]);
    __syncthreads();
    if (any == 0) return;
    for (int s = t; s < table::slots; s += threads) {
      auto const which = chosen[s] != 0 ? chosen[s] : chosen[s & ~1] != 0 ? chosen[s & ~1] : any;
      put_bytes(set_apart->keys[s], drawn[which % keys_of_sample]);
      set_apart->counts[s] = 0;
    }
    if (t == 0) {
      set_apart->others = set_apart->in_vain = 0;
      shorter->frequent = static_cast<std::uint32_t>(by);
    }
  }
  __device__ static unsigned bin_of_word(word w) { return mixed_word(w) >> 16; }
  template <class F>
  __device__ void for_each_drawn(F f) const {
#pragma unroll 2
    for (int k = 0; k < each; ++k) f(k, drawn[k * threads + static_cast<int>(threadIdx.x)]);
  }
  __device__ void count_drawn(unsigned* counters) const {
    packed_bins own;
    count_in_bins(
        counters, [](int) { return true; }, own,
        [&](int k) {
          return bin_of_word(order.word_of(drawn[k * threads + static_cast<int>(threadIdx.x)]));
        });
  }
  /// Whether those of some keys of the sample that are in one bin are all alike.
  template <class IsOne>
  __device__ static bool bins_are_alike(word const (&words)[each], unsigned* counters, packed_bins const& own,
                                        IsOne is_one) {
    auto* const one_of_bin = reinterpret_cast<std::uint16_t*>(counters);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < each; ++k)
      if (is_one(k)) one_of_bin[own.of(k)] = static_cast<std::uint16_t>(mixed_word(words[k]) >> 16);
    __syncthreads();
    bool differ = false;
#pragma unroll
    for (int k = 0; k < each; ++k)
      differ = differ || (is_one(k) && one_of_bin[own.of(k)] != mixed_word(words[k]) >> 16);
    return __syncthreads_or(differ ? 1 : 0) == 0;
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

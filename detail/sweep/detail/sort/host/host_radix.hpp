// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_HOST_HOST_RADIX_HPP
#define SWEEP_DETAIL_SORT_HOST_HOST_RADIX_HPP

// Radix sorts on threads. Items are split by their highest digit into buckets that a core's cache holds;
// those are sorted by as many lower digits, the lowest first, as leave few items equal, and these few by what
// is left.

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/streaming.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/sort/host/items.hpp>
#include <sweep/detail/sort/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// What a core keeps in its nearest caches: a bucket and as much room beside it.
inline constexpr std::size_t sort_cache_bytes = std::size_t{1} << 19;
/// As many items are sorted without memory of the heap.
inline constexpr int sort_few = 64;

/// How many bits a word has from its highest 1 on.
template <class Word>
int bit_width_of(Word x) {
  int width = 0;
  for (; x != 0; x = static_cast<Word>(x >> 1)) ++width;
  return width;
}

/// Splits and sorts one array of items with another one beside it; Emit takes what is sorted.
template <class Items, class Order, class Emit>
class host_radix {
 public:
  using item = typename Items::type;
  using word = typename Order::word;
  static constexpr int digit_bits = 8, digits = 1 << digit_bits;

  host_radix(Order const& order, Emit const& emit, team& members, int parts, std::int64_t* counts)
      : order_{order}, emit_{emit}, members_{members}, parts_{parts}, counts_{counts} {}

  /// The items that source gives, split by the highest of their lowest `bits` bits into `to`, and then
  /// sorted. Results are those from place `place` on.
  template <class Source>
  void split(Source const& source, item* to, item* spare, std::int64_t n, int bits, std::int64_t place) {
    int const shift = std::max(0, bits - digit_bits);
    members_.for_each_tile(parts_, [&](std::int64_t part) {
      std::int64_t mine[digits]{};
      held_in_loop<Order> own = order_;
      for (auto i = n * part / parts_; i < n * (part + 1) / parts_; ++i)
        ++mine[digit(own, Items::key_of(source, i), shift)];
      std::copy(mine, mine + digits, counts_ + part * digits);
    });
    std::int64_t begins[digits + 1];
    std::int64_t sum = 0;
    for (int d = 0; d < digits; ++d) {
      begins[d] = sum;
      for (int part = 0; part < parts_; ++part) {
        auto& count = counts_[part * digits + d];
        sum += std::exchange(count, sum);
      }
    }
    begins[digits] = n;
    members_.for_each_tile(parts_, [&](std::int64_t part) {
      std::int64_t at[digits];
      std::copy(counts_ + part * digits, counts_ + (part + 1) * digits, at);
      held_in_loop<Order> own = order_;
      scatter(own, source, n * part / parts_, n * (part + 1) / parts_, to, at, shift);
    });
    // What would keep one thread busy while others wait is split by all of them.
    auto const large = std::max<std::int64_t>(static_cast<std::int64_t>(sort_cache_bytes / sizeof(item)),
                                              n / (2 * std::max(1, parts_ / 4)));
    if (shift > 0 && parts_ > 1)
      for (int d = 0; d < digits; ++d)
        if (auto const size = begins[d + 1] - begins[d]; size > large)
          split(items_at<Items>{to + begins[d]}, spare + begins[d], to + begins[d], size, shift,
                place + begins[d]);
    members_.for_each_tile(digits, [&](std::int64_t d) {
      auto const size = begins[d + 1] - begins[d];
      if (size > 0 && !(shift > 0 && parts_ > 1 && size > large))
        sort(order_, to + begins[d], spare + begins[d], size, shift, place + begins[d]);
    });
  }

  /// Items sorted by their lowest bits, and given away.
  void sort(Order const& given, item* at, item* spare, std::int64_t n, int bits, std::int64_t place) const {
    held_in_loop<Order> own = given;
    while (bits > digit_bits && static_cast<std::size_t>(n) * sizeof(item) > sort_cache_bytes) {
      std::int64_t begins[digits + 1]{};
      int const shift = bits - digit_bits;
      for (std::int64_t i = 0; i < n; ++i) ++begins[digit(own, Items::key(at[i]), shift) + 1];
      std::int64_t most = 0;
      for (int d = 0; d < digits; ++d) {
        most = std::max(most, begins[d + 1]);
        begins[d + 1] += begins[d];
      }
      if (most == n) {  // one digit is no split
        bits = shift;
        continue;
      }
      std::int64_t ends[digits];
      std::copy(begins, begins + digits, ends);
      scatter(own, items_at<Items>{at}, 0, n, spare, ends, shift);
      for (int d = 0; d < digits; ++d)
        if (auto const size = begins[d + 1] - begins[d]; size > 0)
          sort(own, spare + begins[d], at + begins[d], size, shift, place + begins[d]);
      return;
    }
    emit_(arranged(own, at, spare, n, bits), place, n);
  }

  /// Items sorted by their lowest bits: where they are then, of two places.
  item* arranged(Order const& given, item* at, item* spare, std::int64_t n, int bits) const {
    held_in_loop<Order> own = given;
    if (n <= 1 || bits <= 0) return at;
    if (n <= sort_few / 2) {
      insert_in_order<Items>(at, n, own);
      return at;
    }
    // Digits that make all items different where they are random; the first bits of a floating-point number,
    // its exponent, are not.
    constexpr int most = 4, spare_bits = Order::is_exact ? 3 : 9;
    int passes = std::min(most, (bit_width_of(static_cast<std::uint64_t>(n)) + spare_bits + digit_bits - 1) /
                                    digit_bits);
    int const first = std::max(0, bits - passes * digit_bits);
    passes = (bits - first + digit_bits - 1) / digit_bits;
    std::int64_t counts[most][digits];
    for (int p = 0; p < passes; ++p) std::fill(counts[p], counts[p] + digits, 0);
    for (std::int64_t i = 0; i < n; ++i) {
      auto w = static_cast<word>(own.rank_of(Items::key(at[i])) >> first);
      for (int p = 0; p < passes; ++p, w = static_cast<word>(shifted(w, digit_bits)))
        ++counts[p][static_cast<std::size_t>(w & (digits - 1))];
    }
    for (int p = 0; p < passes; ++p) {
      int const shift = first + p * digit_bits;
      if (counts[p][digit(own, Items::key(at[0]), shift)] == n) continue;
      std::int64_t sum = 0;
      for (auto& count : counts[p]) sum += std::exchange(count, sum);
      for (std::int64_t i = 0; i < n; ++i)
        put_bytes(spare[counts[p][digit(own, Items::key(at[i]), shift)]++], at[i]);
      std::swap(at, spare);
    }
    if (first > 0)
      for (std::int64_t i = 0; i < n;) {  // runs of items that are still equal
        auto const w = static_cast<word>(own.rank_of(Items::key(at[i])) >> first);
        auto end = i + 1;
        while (end < n && static_cast<word>(own.rank_of(Items::key(at[end])) >> first) == w) ++end;
        if (auto const size = end - i; size > 1) {
          auto* const sorted = arranged(own, at + i, spare + i, size, first);
          if (sorted != at + i) copy_items(at + i, sorted, size);
        }
        i = end;
      }
    return at;
  }

 private:
  static word shifted(word w, int by) {
    if constexpr (sizeof(word) * 8 > digit_bits) return static_cast<word>(w >> by);
    else return by >= digit_bits ? word{0} : static_cast<word>(w >> by);
  }
  static std::size_t digit(Order const& own, typename Order::key const& x, int shift) {
    return static_cast<std::size_t>(own.rank_of(x) >> shift & (digits - 1));
  }

  template <class Source>
  static void scatter(Order const& given, Source const& source, std::int64_t first, std::int64_t end,
                      item* to, std::int64_t (&at)[digits], int shift) {
    held_in_loop<Order> own = given;
    for (auto i = first; i < end; ++i) {
      auto const x = source(i);
      put_bytes(to[at[digit(own, Items::key(x), shift)]++], x);
    }
  }

  Order const& order_;
  Emit const& emit_;
  team& members_;
  int parts_;
  std::int64_t* counts_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

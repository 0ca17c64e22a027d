// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_KEY_BINS_HPP
#define SWEEP_DETAIL_SORT_KEY_BINS_HPP

#include <sweep/detail/core/config.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// What a counting sort counts: integers that are equal cannot be told apart where all of their bits count.
// Where so few are different, they are counted and written anew, and none is moved.

/// A bin for each key.
template <class Order>
struct bins_of_keys {
  static constexpr std::int64_t count = std::int64_t{1} << Order::bits;
  Order order;

  SWEEP_HD std::uint32_t bin_of(typename Order::key const& x) const {
    return static_cast<std::uint32_t>(order.word_of(x)) & static_cast<std::uint32_t>(count - 1);
  }
  template <int V>
  SWEEP_HD void bins_of(typename Order::key const (&x)[V], std::uint32_t (&bin)[V]) const {
    for (int v = 0; v < V; ++v) bin[v] = bin_of(x[v]);
  }
};
/// The key of a bin.
template <class Order>
struct key_of_bin {
  using key = typename Order::key;
  SWEEP_HD key operator()(std::int64_t bin) const {
    // Where an order descends, what is above the bits of a word is turned over, too.
    constexpr auto above = static_cast<std::uint32_t>(-bins_of_keys<Order>::count);
    return Order::key_of(
        static_cast<typename Order::word>(static_cast<std::uint32_t>(bin) | (Order::descending ? above : 0)));
  }
};

/// Whether keys of a problem can be counted, of up to so many bits.
template <class Problem, int Bits = 16>
inline constexpr bool has_counted_keys = [] {
  if constexpr (Problem::order_type::is_radix)
    return Problem::order_type::is_exact && Problem::order_type::bits <= Bits;
  else return false;
}();
/// Whether all bits of keys count.
template <class Order>
bool takes_whole_keys(Order const& order) {
  return order.begin == 0 && order.end == Order::bits;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

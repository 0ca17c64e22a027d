// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_PROBLEM_HPP
#define SWEEP_DETAIL_SORT_PROBLEM_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/radix_word.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/radix_key.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// In place of iterators over values where there are none, and of what such a value is.
struct absent_value {};
struct no_values {};

/// What values are read as, and written as.
template <class In, class Out>
struct sorted_values {
  using in = value_of<In>;
  using out = written_value<Out, in>;
};
template <class Out>
struct sorted_values<no_values, Out> {
  using in = absent_value;
  using out = absent_value;
};

/// In place of an output that nobody reads.
struct unwritten {
  using value_type = void;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;
  struct reference {
    template <class T>
    SWEEP_HD void operator=(T const&) const {}
  };
  SWEEP_HD reference operator[](std::int64_t) const { return {}; }
  SWEEP_HD constexpr discarding_sink sinks() const { return {}; }
};

/// One of the NaNs, which all have one word.
template <class Key>
inline constexpr Key not_a_number = std::numeric_limits<Key>::quiet_NaN();

/// An order by the bits [begin, end) of an unsigned word that is made of a key. word_of turns the word over
/// where the order descends; no bit above `bits` may be asked for.
template <class Key, class Projection = identity, bool Descending = false>
struct radix_order {
  using key = Key;
  using value = radix_value<projected_t<Projection, Key>>;
  using word = typename value::word;
  static constexpr int bits = value::bits;
  static constexpr bool is_radix = true, descending = Descending;
  /// Whether nothing of a caller's is called.
  static constexpr bool is_plain = std::is_same_v<Projection, identity>;
  using number = std::remove_cvref_t<projected_t<Projection, Key>>;
  /// Whether the highest bits are those of an exponent, in which few words differ.
  static constexpr bool has_exponent = std::is_floating_point_v<number>;
  static constexpr bool has_sign = is_signed_number<number>;
  /// Whether a key is its word but for a turned sign: the order of keys is known from equal words alone, and
  /// keys may be made of their words again.
  static constexpr bool is_exact = is_plain && (std::is_integral_v<Key> || is_int128<Key>);
  /// Whether a word is one key, but for a few words, which f(word) is called with.
  static constexpr bool words_are_keys = is_plain && std::is_floating_point_v<Key>;
  template <class F>
  SWEEP_HD void for_each_word_of_several(F f) const {
    if constexpr (std::is_floating_point_v<Key>) {
      f(word_of(Key{0}));                  // -0.0, too
      f(word_of(Key{not_a_number<Key>}));  // all of these
    }
  }

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD word word_of(Key const& x) const {
    auto const w = value::of(projected(projection, x));
    return static_cast<word>(Descending ? ~w : w);
  }
  /// The key of a word.
  SWEEP_HD static Key key_of(word w) requires(is_exact) {
    auto const number = static_cast<Key>(static_cast<word>(Descending ? ~w : w));
    return static_cast<Key>(value::of(number));  // a sign is turned twice
  }
  /// A word as it is looked at for digits in which all keys are alike. Below a sign that counts, the bits of
  /// one of the signs are turned over, so that small integers of both are alike in their high digits, and
  /// short fractions in their low ones: the digit of the sign parts the two.
  SWEEP_HD word alike_word(word w) const {
    if constexpr (has_sign) {
      constexpr auto below = static_cast<word>((word{1} << (bits - 1)) - 1);
      auto all = static_cast<word>(0 - static_cast<word>(w >> (bits - 1)));  // the sign, in each bit
      if constexpr (sizeof(word) <= 8 && bits == static_cast<int>(sizeof(word)) * 8)
        all = static_cast<word>(static_cast<std::make_signed_t<word>>(w) >> (bits - 1));
      if (end == bits) w = static_cast<word>(w ^ static_cast<word>(~all & below));
    }
    return w;
  }
  /// The same in a block that holds many keys: doubles leave it no registers for that.
  SWEEP_HD word alike_word_of_many(word w) const { return has_exponent && bits > 32 ? w : alike_word(w); }
  /// The bits that count, at the bottom of a word.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD word rank_of(Key const& x) const {
    if (begin >= end) return 0;
    return static_cast<word>(word_of(x) >> begin &
                             static_cast<word>(static_cast<word>(~word{0}) >>
                                               (static_cast<int>(sizeof(word)) * 8 - (end - begin))));
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool operator()(Key const& a, Key const& b) const { return rank_of(a) < rank_of(b); }

  [[no_unique_address]] mutable Projection projection{};
  int begin = 0, end = bits;
};

/// An order by a caller's comparison.
template <class Comp>
struct comparison_order {
  static constexpr bool is_radix = false;
  mutable Comp comp;  ///< a caller's function need not be const
  SWEEP_NO_EXEC_CHECK
  template <class A, class B>
  SWEEP_HD bool operator()(A const& a, B const& b) const {
    return static_cast<bool>(comp(a, b));
  }
};

/// What compares the items that two indices stand for.
template <class Keys, class Order>
struct compare_at {
  Keys keys;
  Order order;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool operator()(std::int64_t a, std::int64_t b) const { return order(keys[a], keys[b]); }
};

/// The order of keys that a comparison means, which has passed through device_functor: of numbers by < or >,
/// and by radix_key, one by bits.
template <class Key, class Comp>
struct order_of {
  static constexpr bool ascends =
      is_radix_number<Key> && (std::is_same_v<Comp, less> || std::is_same_v<Comp, typed<Key, less>>);
  static constexpr bool descends =
      is_radix_number<Key> && (std::is_same_v<Comp, greater> || std::is_same_v<Comp, typed<Key, greater>>);
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD static auto make(Comp const& comp) {
    if constexpr (ascends) return radix_order<Key>{};
    else if constexpr (descends) return radix_order<Key, identity, true>{};
    else return comparison_order<Comp>{comp};
  }
};
template <class Key, class Projection, bool Descending>
  requires(makes_radix_value<Projection, Key>())
struct order_of<Key, radix_order_by<Projection, Descending>> {
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD static auto make(radix_order_by<Projection, Descending> const& comp) {
    using order = radix_order<Key, Projection, Descending>;
    int const begin = comp.begin_bit() < order::bits ? comp.begin_bit() : order::bits,
              end = comp.end_bit() < order::bits ? comp.end_bit() : order::bits;
    return order{comp.projection(), begin, end};
  }
};

/// Whether a call has keys and values, and not items, or items whose indices are wanted.
template <class Values, class KeysOut>
inline constexpr bool is_by_key = !std::is_same_v<Values, no_values> && !std::is_same_v<KeysOut, unwritten>;

/// Everything that was asked for, with its types complete and iterators unwrapped: keys_in[i] and
/// values_in[i], 0 <= i < n, to keys_out and values_out, in the order's order; equivalent ones stay in
/// theirs. An output is at the place of its input, or overlaps nothing.
template <class KeysIn, class ValuesIn, class KeysOut, class ValuesOut, class Order>
struct sort_problem {
  using key = value_of<KeysIn>;
  using key_out = written_value<KeysOut, key>;
  static constexpr bool has_values = !std::is_same_v<ValuesIn, no_values>;
  static constexpr bool keeps_keys = !std::is_same_v<KeysOut, unwritten>;
  using value = typename sorted_values<ValuesIn, ValuesOut>::in;
  using value_out = typename sorted_values<ValuesIn, ValuesOut>::out;
  using order_type = Order;

  template <class It>
  static constexpr bool contiguous = [] {
    if constexpr (std::is_pointer_v<It>) return relocatable<value_of<It>>;
    else return false;
  }();

  SWEEP_HD bool keys_in_place() const { return is_same_place(keys_in, keys_out); }
  SWEEP_HD bool values_in_place() const {
    if constexpr (has_values) return is_same_place(values_in, values_out);
    else return false;
  }
  SWEEP_HD bool values_may_be_in_place() const {
    if constexpr (has_values) return may_be_same_place(values_in, values_out);
    else return false;
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put_key(std::int64_t i, key const& x) const {
    if constexpr (keeps_keys) keys_out[i] = static_cast<key_out>(x);
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put_value(std::int64_t i, value const& x) const {
    if constexpr (has_values) values_out[i] = static_cast<value_out>(x);
  }

  char const* call;
  KeysIn keys_in;
  ValuesIn values_in;
  KeysOut keys_out;
  ValuesOut values_out;
  std::int64_t n;
  Order order;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

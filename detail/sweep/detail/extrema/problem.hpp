// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_EXTREMA_PROBLEM_HPP
#define SWEEP_DETAIL_EXTREMA_PROBLEM_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/result_place.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

enum class extreme { lowest, highest, both };

/// Whether b is strictly more extreme than a.
SWEEP_NO_EXEC_CHECK
template <extreme Which, class Comp, class A, class B>
SWEEP_HD bool surpasses(B const& b, A const& a, Comp& comp) {
  if constexpr (Which == extreme::lowest) return static_cast<bool>(comp(b, a));
  else return static_cast<bool>(comp(a, b));
}

// On the device an extremum is carried as a value and its place, which is negative where there is none. The
// functions below are both operators of the reduction: of items to extrema, and of two extrema.

template <class X>
struct extremum {
  X value{};
  std::int64_t at = -1;
};

template <class X>
inline constexpr bool relocatable<extremum<X>> = relocatable<X>;
template <class X>
inline constexpr bool of_integers<extremum<X>> = of_integers<X>;

/// A narrow number with its place below it as one word, whose least is the extremum and of equal ones the
/// first.
template <bool Least, class X>
struct placed_number {
  static constexpr int above = 32 - 8 * static_cast<int>(sizeof(X));
  static constexpr std::uint32_t turned = (Least ? 0 : ~0u << above) ^ (std::is_signed_v<X> ? 1u << 31 : 0);
  static SWEEP_HD std::uint32_t of(X const& x, int place) {
    return static_cast<std::uint32_t>(x) << above ^ (turned | static_cast<std::uint32_t>(place));
  }
  static SWEEP_HD X number(std::uint32_t key) { return static_cast<X>((key ^ turned) >> above); }
};
template <class Comp, class X>
inline constexpr bool goes_up = std::is_same_v<Comp, less> || std::is_same_v<Comp, typed<X, less>>;
template <class Comp, class X>
inline constexpr bool goes_down = std::is_same_v<Comp, greater> || std::is_same_v<Comp, typed<X, greater>>;

template <extreme Which, class X, class Comp>
struct find_extremum {
  using takes_index = void;
  using value = extremum<X>;
  using placed = placed_number<(Which == extreme::lowest) == goes_up<Comp, X>, X>;
  static constexpr int keys =
      std::is_integral_v<X> && sizeof(X) <= 2 && (goes_up<Comp, X> || goes_down<Comp, X>) ? 1 : 0;
  mutable Comp comp;

  template <int>
  SWEEP_HD std::uint32_t key(X const& x, int place) const {
    return placed::of(x, place);
  }
  SWEEP_HD value of_keys(std::uint32_t const* least, std::int64_t first) const {
    return {placed::number(*least), first + (*least & 0xffff)};
  }

  SWEEP_HD value operator()(X const& x, std::int64_t i) const { return {x, i}; }
  /// The place is kept as a number of a few bits while it is a neighbour's.
  template <int V>
  SWEEP_HD value fold(X const (&x)[V], std::int64_t i) const {
    X best = x[0];
    int place = 0;
    for (int v = 1; v < V; ++v)
      if (surpasses<Which>(x[v], best, comp)) {
        best = x[v];
        place = v;
      }
    return {best, i + place};
  }

  /// What is kept of a lane's items of a row, whose places there have 32 bits and are told by the last of
  /// all.
  struct in_row {
    X value{};
    int place = 0;
  };
  template <int V>
  SWEEP_HD in_row fold_in_row(X const (&x)[V], int first) const {
    in_row best{x[0], 0};
    for (int v = 1; v < V; ++v) {
      bool const next = surpasses<Which>(x[v], best.value, comp);
      best.value = next ? x[v] : best.value;
      best.place = next ? v : best.place;
    }
    best.place += first;
    return best;
  }
  SWEEP_HD in_row join_in_row(in_row const& a, in_row const& b) const {
    bool const second = surpasses<Which>(b.value, a.value, comp);
    return {second ? b.value : a.value, second ? b.place : a.place};
  }
  SWEEP_HD value of_row(in_row const& best, std::int64_t first) const {
    return {best.value, first + best.place};
  }

  /// On a host's thread, of integers of up to 32 bits in their own order: the extremum of items [first, first
  /// + count), in blocks of which each is one in vectors; only in the one that has it first its place is
  /// looked for.
  static constexpr bool in_blocks =
      std::is_integral_v<X> && sizeof(X) <= 4 && (goes_up<Comp, X> || goes_down<Comp, X>);
  template <class In>
  value fold_run(In const& in, std::int64_t first, std::int64_t count) const {
    constexpr bool least = (Which == extreme::lowest) == goes_up<Comp, X>;
    constexpr std::int64_t block = 256;
    value best{static_cast<X>(in[first]), first};
    for (auto const end = first + count; first < end; first += block) {
      X x = static_cast<X>(in[first]);
      auto const behind = first + block < end ? first + block : end;
      for (auto i = first + 1; i < behind; ++i) {
        X const y = static_cast<X>(in[i]);
        x = (least ? y < x : x < y) ? y : x;
      }
      if (least ? x < best.value : best.value < x) best = {x, first};
    }
    while (static_cast<X>(in[best.at]) != best.value) ++best.at;
    return best;
  }

  /// b stands behind a, which wins a tie.
  SWEEP_HD value operator()(value const& a, value const& b) const {
    value best = a;
    if (a.at < 0 || surpasses<Which>(b.value, a.value, comp)) best = b;
    return best;
  }
};

/// Both at once.
template <class X>
struct extrema {
  extremum<X> lowest, highest;
};

template <class X>
inline constexpr bool relocatable<extrema<X>> = relocatable<X>;
template <class X>
inline constexpr bool of_integers<extrema<X>> = of_integers<X>;

template <class X, class Comp>
struct find_extrema {
  using takes_index = void;
  using value = extrema<X>;
  find_extremum<extreme::lowest, X, Comp> lowest;
  find_extremum<extreme::highest, X, Comp> highest;
  static constexpr int keys = 2 * find_extremum<extreme::lowest, X, Comp>::keys;

  template <int K>
  SWEEP_HD std::uint32_t key(X const& x, int place) const {
    if constexpr (K == 0) return lowest.template key<0>(x, place);
    else return highest.template key<0>(x, place);
  }
  SWEEP_HD value of_keys(std::uint32_t const* least, std::int64_t first) const {
    return {lowest.of_keys(least, first), highest.of_keys(least + 1, first)};
  }

  struct in_row {
    typename find_extremum<extreme::lowest, X, Comp>::in_row low;
    typename find_extremum<extreme::highest, X, Comp>::in_row high;
  };
  template <int V>
  SWEEP_HD in_row fold_in_row(X const (&x)[V], int first) const {
    return {lowest.fold_in_row(x, first), highest.fold_in_row(x, first)};
  }
  SWEEP_HD in_row join_in_row(in_row const& a, in_row const& b) const {
    return {lowest.join_in_row(a.low, b.low), highest.join_in_row(a.high, b.high)};
  }
  SWEEP_HD value of_row(in_row const& best, std::int64_t first) const {
    return {lowest.of_row(best.low, first), highest.of_row(best.high, first)};
  }

  static constexpr bool in_blocks = find_extremum<extreme::lowest, X, Comp>::in_blocks;
  template <class In>
  value fold_run(In const& in, std::int64_t first, std::int64_t count) const {
    return {lowest.fold_run(in, first, count), highest.fold_run(in, first, count)};
  }

  SWEEP_HD value operator()(X const& x, std::int64_t i) const { return {{x, i}, {x, i}}; }
  template <int V>
  SWEEP_HD value fold(X const (&x)[V], std::int64_t i) const {
    return {lowest.fold(x, i), highest.fold(x, i)};
  }
  SWEEP_HD value operator()(value const& a, value const& b) const {
    return {lowest(a.lowest, b.lowest), highest(a.highest, b.highest)};
  }
};

// On the host, where items are large or of a type of their own, it is carried as a place alone: none is
// copied.

struct place_of_one {
  std::int64_t at = -1;
};

template <extreme Which, class In, class Comp>
struct find_place {
  using value = place_of_one;
  In in;
  mutable Comp comp;

  SWEEP_HD value operator()(std::int64_t i) const { return {i}; }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD value operator()(value a, value b) const {
    return a.at < 0 || surpasses<Which>(in[b.at], in[a.at], comp) ? b : a;
  }
};

struct places_of_both {
  place_of_one lowest, highest;
};

template <class In, class Comp>
struct find_places {
  using value = places_of_both;
  find_place<extreme::lowest, In, Comp> lowest;
  find_place<extreme::highest, In, Comp> highest;

  SWEEP_HD value operator()(std::int64_t i) const { return {{i}, {i}}; }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD value operator()(value a, value b) const {
    return {lowest(a.lowest, b.lowest), highest(a.highest, b.highest)};
  }
};

/// Writes where a result stands, the lowest before the highest; n where there are no items.
template <class Out>
struct write_places {
  Out out;
  std::int64_t n;

  template <class Found>
  SWEEP_HD void operator()(std::int64_t, Found const& found) const {
    if constexpr (std::is_same_v<Out, result_place<place_of_one>>) *out = place_of_one{place(found.at)};
    else if constexpr (std::is_same_v<Out, result_place<places_of_both>>)
      *out = places_of_both{{place(found.lowest.at)}, {place(found.highest.at)}};
    else if constexpr (requires { found.at; }) write(0, found.at);
    else {
      write(0, found.lowest.at);
      write(1, found.highest.at);
    }
  }

 private:
  SWEEP_HD std::int64_t place(std::int64_t at) const { return at < 0 ? n : at; }
  SWEEP_HD void write(int i, std::int64_t at) const {
    out[i] = static_cast<written_value<Out, std::int64_t>>(place(at));
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

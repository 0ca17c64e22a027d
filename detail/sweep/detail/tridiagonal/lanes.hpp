// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_LANES_HPP
#define SWEEP_DETAIL_TRIDIAGONAL_LANES_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/tridiagonal/chunk.hpp>
#include <sweep/detail/tridiagonal/scalar.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Real numbers side by side in the CPU's vectors, one of each system or chunk that a host thread works on at
// a time. They have what scalar.hpp has of single ones, so that chunk.hpp's eliminations are done in all
// lanes at once; where that chooses between two ways, each lane has its own.

#define SWEEP_DETAIL_VECTOR [[gnu::vector_size(SWEEP_ABI_VECTORS)]]
template <class Real>
struct vector_of;
template <>
struct vector_of<float> {
  using numbers SWEEP_DETAIL_VECTOR = float;
  using bits SWEEP_DETAIL_VECTOR = std::int32_t;
  using word = std::int32_t;
  static constexpr word exponent = 0x7f800000, most = 0x7f000000, but_sign = 0x7fffffff;
};
template <>
struct vector_of<double> {
  using numbers SWEEP_DETAIL_VECTOR = double;
  using bits SWEEP_DETAIL_VECTOR = std::int64_t;
  using word = std::int64_t;
  static constexpr word exponent = std::int64_t{0x7ff0} << 48, most = std::int64_t{0x7fe0} << 48,
                        but_sign = std::numeric_limits<std::int64_t>::max();
};
#undef SWEEP_DETAIL_VECTOR
#define SWEEP_DETAIL_LANES [[gnu::always_inline]] friend

/// One vector. nvcc lets no type with a vector in it into a function that a GPU could run too: there it is an
/// array.
template <class Real, class Item>
struct kept_vector {
  using vector = std::conditional_t<std::is_same_v<Item, Real>, typename vector_of<Real>::numbers,
                                    typename vector_of<Real>::bits>;
#if defined(__CUDACC__)
  alignas(vector) Item items[sizeof(vector) / sizeof(Item)];
  static kept_vector of(vector const& all) {
    kept_vector kept;
    std::memcpy(kept.items, &all, sizeof all);
    return kept;
  }
  vector get() const {
    vector all;
    std::memcpy(&all, items, sizeof all);
    return all;
  }
#else
  vector all;
  static kept_vector of(vector const& all) { return {all}; }
  vector get() const { return all; }
#endif
};

/// As many vectors, a power of two, as halves.
template <class Real, int Vectors>
struct lane_mask {
  lane_mask<Real, Vectors / 2> low, high;
  SWEEP_DETAIL_LANES lane_mask operator&(lane_mask const& a, lane_mask const& b) {
    return {a.low & b.low, a.high & b.high};
  }
};
template <class Real>
struct lane_mask<Real, 1> {
  using bits = typename vector_of<Real>::bits;
  kept_vector<Real, typename vector_of<Real>::word> kept;

  static lane_mask of(bits const& all) { return {decltype(kept)::of(all)}; }
  bits get() const { return kept.get(); }
  SWEEP_DETAIL_LANES lane_mask operator&(lane_mask const& a, lane_mask const& b) {
    return of(a.get() & b.get());
  }
};

template <class Real, int Vectors>
struct lanes {
  using real = Real;
  using mask = lane_mask<Real, Vectors>;
  using half = lanes<Real, Vectors / 2>;
  static constexpr int count = 2 * half::count;
  half low, high;

  SWEEP_HD static lanes all_of(Real x) { return {half::all_of(x), half::all_of(x)}; }
  SWEEP_DETAIL_LANES lanes operator+(lanes const& a, lanes const& b) {
    return {a.low + b.low, a.high + b.high};
  }
  SWEEP_DETAIL_LANES lanes operator-(lanes const& a, lanes const& b) {
    return {a.low - b.low, a.high - b.high};
  }
  SWEEP_DETAIL_LANES lanes operator*(lanes const& a, lanes const& b) {
    return {a.low * b.low, a.high * b.high};
  }
  SWEEP_DETAIL_LANES mask operator==(lanes const& a, lanes const& b) {
    return {a.low == b.low, a.high == b.high};
  }
  SWEEP_DETAIL_LANES mask operator>(lanes const& a, lanes const& b) {
    return {a.low > b.low, a.high > b.high};
  }
  SWEEP_DETAIL_LANES lanes magnitude(lanes const& x) { return {magnitude(x.low), magnitude(x.high)}; }
  SWEEP_DETAIL_LANES lanes reciprocal(lanes const& x) { return {reciprocal(x.low), reciprocal(x.high)}; }
  SWEEP_DETAIL_LANES lanes scale_of(lanes const& x) { return {scale_of(x.low), scale_of(x.high)}; }
  SWEEP_DETAIL_LANES lanes picked(mask const& first, lanes const& a, lanes const& b) {
    return {picked(first.low, a.low, b.low), picked(first.high, a.high, b.high)};
  }
  SWEEP_DETAIL_LANES void swap_if(mask const& swapped, lanes& a, lanes& b) {
    swap_if(swapped.low, a.low, b.low);
    swap_if(swapped.high, a.high, b.high);
  }
};
template <class Real>
struct lanes<Real, 1> {
  using real = Real;
  using mask = lane_mask<Real, 1>;
  using vector = vector_of<Real>;
  using numbers = typename vector::numbers;
  using bits = typename vector::bits;
  static constexpr int count = static_cast<int>(sizeof(numbers) / sizeof(Real));
  kept_vector<Real, Real> kept;

  SWEEP_HD static lanes all_of(Real x) {
    Real items[count];
    for (Real& item : items) item = x;
    lanes all;
    memcpy(&all, items, sizeof all);
    return all;
  }
  static lanes of(numbers const& all) { return {decltype(kept)::of(all)}; }
  static lanes of_bits(bits const& all) { return of((numbers)all); }
  numbers get() const { return kept.get(); }
  bits get_bits() const { return (bits)get(); }
  SWEEP_DETAIL_LANES lanes operator+(lanes const& a, lanes const& b) { return of(a.get() + b.get()); }
  SWEEP_DETAIL_LANES lanes operator-(lanes const& a, lanes const& b) { return of(a.get() - b.get()); }
  SWEEP_DETAIL_LANES lanes operator*(lanes const& a, lanes const& b) { return of(a.get() * b.get()); }
  SWEEP_DETAIL_LANES mask operator==(lanes const& a, lanes const& b) { return mask::of(a.get() == b.get()); }
  SWEEP_DETAIL_LANES mask operator>(lanes const& a, lanes const& b) { return mask::of(a.get() > b.get()); }
  SWEEP_DETAIL_LANES lanes magnitude(lanes const& x) { return of_bits(x.get_bits() & vector::but_sign); }
  SWEEP_DETAIL_LANES lanes reciprocal(lanes const& x) { return of(Real{1} / x.get()); }
  SWEEP_DETAIL_LANES lanes scale_of(lanes const& x) {
    numbers const least = all_of(std::numeric_limits<Real>::min()).get();
    numbers const turned = of_bits(vector::most - (x.get_bits() & vector::exponent)).get();
    numbers const scale = turned < least ? least : turned;
    return of(x.get() == Real{0} ? all_of(1).get() : scale);
  }
  SWEEP_DETAIL_LANES lanes picked(mask const& first, lanes const& a, lanes const& b) {
    return of(first.get() ? a.get() : b.get());
  }
  SWEEP_DETAIL_LANES void swap_if(mask const& swapped, lanes& a, lanes& b) {
    bits const other = (a.get_bits() ^ b.get_bits()) & swapped.get();
    a = of_bits(a.get_bits() ^ other);
    b = of_bits(b.get_bits() ^ other);
  }
};

#undef SWEEP_DETAIL_LANES

/// A line of memory has the numbers of all lanes.
template <class Real>
using line_of_lanes = lanes<Real, 64 / static_cast<int>(sizeof(typename vector_of<Real>::numbers))>;
template <class Real, int Vectors>
inline constexpr bool is_lanes<lanes<Real, Vectors>> = true;

template <class Real, int Vectors>
lanes<Real, Vectors> lanes_at(Real const* x) {
  lanes<Real, Vectors> all;
  std::memcpy(&all, x, sizeof all);
  return all;
}
template <class Real, int Vectors>
void put_lanes(lanes<Real, Vectors> const& all, Real* x) {
  std::memcpy(x, &all, sizeof all);
}
template <class Real, int Vectors>
Real lane_of(lanes<Real, Vectors> const& all, int lane) {
  Real x[lanes<Real, Vectors>::count];
  put_lanes(all, x);
  return x[lane];
}
inline bool lane_of(bool all, int) { return all; }
template <class Real, int Vectors>
bool lane_of(lane_mask<Real, Vectors> const& all, int lane) {
  typename vector_of<Real>::word x[lanes<Real, Vectors>::count];
  std::memcpy(x, &all, sizeof all);
  return x[lane] != 0;
}
inline bool in_all_lanes(bool all) { return all; }
template <class Real, int Vectors>
bool in_all_lanes(lane_mask<Real, Vectors> const& all) {
  std::uint64_t x[sizeof all / 8], both = ~std::uint64_t{0};
  std::memcpy(x, &all, sizeof all);
  for (auto const word : x) both &= word;
  return ~both == 0;
}

template <class Real, int Vectors>
lanes<Real, Vectors> larger_of(lanes<Real, Vectors> const& a, lanes<Real, Vectors> const& b) {
  return picked(b > a, b, a);
}
template <class Real, int Vectors>
lanes<Real, Vectors> smaller_of(lanes<Real, Vectors> const& a, lanes<Real, Vectors> const& b) {
  return picked(a > b, b, a);
}
template <class Real, int Vectors>
lanes<Real, Vectors> scale_of_largest(lanes<Real, Vectors> const& a, lanes<Real, Vectors> const& b,
                                      lanes<Real, Vectors> const& c, lanes<Real, Vectors> const& d) {
  return scale_of(larger_of(larger_of(a, b), larger_of(c, d)));
}
template <class Real, int Vectors>
lane_mask<Real, Vectors> is_finite(lanes<Real, Vectors> const& x) {
  return x - x == lanes<Real, Vectors>{};
}
template <class Real, int Vectors>
lanes<Real, Vectors> inverse_or_zero(lanes<Real, Vectors> const& pivot, lanes<Real, Vectors> const& inverse) {
  lanes<Real, Vectors> const zero{};
  return picked(pivot == zero, zero, inverse);
}
template <class Real, int Vectors>
lanes<Real, Vectors> less_product(lanes<Real, Vectors> const& x, lanes<Real, Vectors> const& a,
                                  lanes<Real, Vectors> const& b) {
  return picked(a == lanes<Real, Vectors>{}, x, x - a * b);
}
/// singular(j, lane) of all lanes where x is zero.
template <class Real, int Vectors, class Index, class Singular>
void tell_if_zero(lanes<Real, Vectors> const& x, Index j, Singular const& singular) {
  for (int lane = 0; lane < lanes<Real, Vectors>::count; ++lane)
    if (lane_of(x, lane) == 0) singular(j, lane);
}

/// What an elimination in lanes keeps, and where its solutions go, as a store of one lane.
template <class Store>
struct lane_store {
  using real = typename Store::number::real;
  Store const* all;
  int lane;

  kept_row<real> kept(std::int64_t j) const {
    auto const& row = all->kept(j);
    return {lane_of(row.next, lane), lane_of(row.beyond, lane), lane_of(row.value, lane)};
  }
  void solve(std::int64_t j, real x) const { all->solve(j, lane, x); }
};

template <class S, class Store, class Index, class Singular>
  requires is_lanes<S>
void tell_zero_pivots(S const& smallest, Store const& store, Index first, Index end,
                      Singular const& singular) {
  for (int lane = 0; lane < S::count; ++lane)
    tell_zero_pivots<typename S::real>(lane_of(smallest, lane), lane_store<Store>{&store, lane}, first, end,
                                       [&](Index j) { singular(j, lane); });
}

/// Some rows at a time in all lanes; from where not all are finite on each lane goes its own way.
template <class Real, int Vectors, class Store, class Index, class Regular>
void solve_back(Store const& store, Index first, Index end, state<lanes<Real, Vectors>> const& behind,
                Regular const& regular) {
  using number = lanes<Real, Vectors>;
  number next = behind.below, beyond = behind.above;
  if (in_all_lanes(regular))
    while (end > first) {
      Index const begin = std::max(first, (end - 1) / store.depth * store.depth);
      number x = next, x_beyond = beyond;
      for (Index j = end - 1; j >= begin; --j) {
        kept_row<number> const row = store.kept(j);
        number const here = row.value - row.beyond * x_beyond - row.next * x;
        store.put(j, here);
        x_beyond = x;
        x = here;
      }
      if (!in_all_lanes(is_finite(x))) break;
      store.write(begin, end);
      next = x;
      beyond = x_beyond;
      end = begin;
    }
  if (end == first) return;
  for (int lane = 0; lane < number::count; ++lane)
    solve_back(lane_store<Store>{&store, lane}, first, end,
               state<Real>{lane_of(next, lane), lane_of(beyond, lane)}, lane_of(regular, lane));
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

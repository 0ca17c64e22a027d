// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_PLACES_HPP
#define SWEEP_DETAIL_CORE_PLACES_HPP

#include <sweep/detail/core/config.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Where an item is in N arrays that are gone through side by side, each with strides of its own. An item's
/// index along an axis is one more such array, whose stride is 1 along that axis and 0 along the others.
template <int N>
struct places {
  std::int64_t at[N];

  friend SWEEP_HD constexpr places operator+(places const& x, places const& y) {
    places sum{};
    for (int n = 0; n < N; ++n) sum.at[n] = x.at[n] + y.at[n];
    return sum;
  }
  friend SWEEP_HD constexpr places operator-(places const& x, places const& y) {
    places difference{};
    for (int n = 0; n < N; ++n) difference.at[n] = x.at[n] - y.at[n];
    return difference;
  }
  friend SWEEP_HD constexpr places operator*(std::int64_t times, places const& x) {
    places product{};
    for (int n = 0; n < N; ++n) product.at[n] = times * x.at[n];
    return product;
  }
  SWEEP_HD constexpr places& operator+=(places const& x) { return *this = *this + x; }
  friend SWEEP_HD constexpr bool operator==(places const& x, places const& y) {
    for (int n = 0; n < N; ++n)
      if (x.at[n] != y.at[n]) return false;
    return true;
  }
};

template <class Place>
inline constexpr bool is_places = false;
template <int N>
inline constexpr bool is_places<places<N>> = true;

template <class It>
struct place_of_item {
  using type = std::int64_t;
};
template <class It>
  requires(is_places<typename It::difference_type>)
struct place_of_item<It> {
  using type = typename It::difference_type;
};
/// What says where an item is: a number; of arrays side by side one number each.
template <class It>
using place_in = typename place_of_item<std::remove_cvref_t<It>>::type;

template <class Place>
inline constexpr int arrays_of_place = 1;
template <int N>
inline constexpr int arrays_of_place<places<N>> = N;

/// The place in the first of the arrays: by it is judged how memory lies.
SWEEP_HD constexpr std::int64_t leading(std::int64_t at) { return at; }
template <int N>
SWEEP_HD constexpr std::int64_t leading(places<N> const& at) {
  return at.at[0];
}

/// Places in several arrays, or groups of such, as one.
template <class... Part>
SWEEP_HD constexpr auto joined_places(Part const&... parts) {
  places<(arrays_of_place<Part> + ...)> all{};
  int n = 0;
  auto const put = [&](auto const& part) {
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(part)>>) all.at[n++] = part;
    else
      for (auto const one : part.at) all.at[n++] = one;
  };
  (put(parts), ...);
  return all;
}
/// The places in Count of the arrays, from First on.
template <int First, int Count, int N>
SWEEP_HD constexpr auto part_of(places<N> const& at) {
  if constexpr (Count == 1) {
    return at.at[First];
  } else {
    places<Count> part{};
    for (int n = 0; n < Count; ++n) part.at[n] = at.at[First + n];
    return part;
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

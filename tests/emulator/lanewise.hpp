// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that compute lane by lane: a function of values becomes a handler for the lanes of a warp.
#ifndef SWEEP_TESTS_EMULATOR_LANEWISE_HPP
#define SWEEP_TESTS_EMULATOR_LANEWISE_HPP

#include "machine.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

namespace emulator {

using table = std::unordered_map<std::string, shape>;

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using u128 = unsigned __int128;
using s128 = __int128;

// ---- Half precision ----
inline float float_of_bits(u32 x) { return std::bit_cast<float>(x); }
/// Rounded to nearest even, from what double holds.
inline u16 half_bits(double x) {
  auto const all = std::bit_cast<u64>(x);
  auto const sign = static_cast<u16>(all >> 48 & 0x8000);
  if (std::isnan(x)) return 0x7fff;
  double const size = std::fabs(x);
  if (size == 0) return sign;
  if (size >= 65520.0) return static_cast<u16>(sign | 0x7c00);
  int exponent = 0;
  std::frexp(size, &exponent);
  int const unit = std::max(exponent - 11, -24);  // of the last place
  auto const places = static_cast<u32>(std::nearbyint(std::ldexp(size, -unit)));
  if (unit == -24) return static_cast<u16>(sign | places);
  return static_cast<u16>(sign | (static_cast<u32>(unit + 24) * 1024 + places));
}
inline float half_value(u16 h) {
  u32 const exponent = h >> 10 & 31, places = h & 1023, sign = u32{h} >> 15 << 31;
  if (exponent == 31) return float_of_bits(sign | 0x7f800000 | places << 13);
  float const size = exponent == 0 ? static_cast<float>(places) * 0x1p-24f
                                   : float_of_bits((exponent + 112) << 23 | places << 13);
  return sign ? -size : size;
}
inline u16 brain_bits(double x) {
  if (std::isnan(x)) return 0x7fff;
  // To odd in float first, so that the second rounding is the only one.
  auto f = static_cast<float>(x);
  auto bits = std::bit_cast<u32>(f);
  if (std::isfinite(f) && static_cast<double>(f) != x) {
    if (std::fabs(static_cast<double>(f)) > std::fabs(x)) --bits;
    bits |= 1;
  }
  if (std::isinf(f)) return static_cast<u16>(bits >> 16);
  return static_cast<u16>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
inline float brain_value(u16 b) { return float_of_bits(u32{b} << 16); }

struct half {
  u16 bits;
  half() = default;
  half(double x) : bits{half_bits(x)} {}
  operator double() const { return static_cast<double>(half_value(bits)); }
};
struct brain {
  u16 bits;
  brain() = default;
  brain(double x) : bits{brain_bits(x)} {}
  operator double() const { return static_cast<double>(brain_value(bits)); }
};

// ---- Types as PTX names them ----
template <class T>
constexpr type type_of() {
  if constexpr (std::is_same_v<T, bool>) return {kind::predicate, 4};
  else if constexpr (std::is_same_v<T, half>) return {kind::real, 2};
  else if constexpr (std::is_same_v<T, brain>) return {kind::brain, 2};
  else if constexpr (std::is_floating_point_v<T>) return {kind::real, sizeof(T)};
  else return {std::is_signed_v<T> ? kind::integer : kind::natural, sizeof(T)};
}

template <class T>
struct source {
  T const* from;
  source(warp& w, operand o) : from{w.at<T>(o)} {}
  T operator[](unsigned l) const { return from[l]; }
};
template <>
struct source<bool> {
  lanes from;
  source(warp& w, operand o) : from{w.predicate(o)} {}
  bool operator[](unsigned l) const { return from >> l & 1; }
};

template <class F, class D, class... S, std::size_t... I>
[[gnu::always_inline]] inline void each_lane(warp& w, instruction const& i, lanes m,
                                             std::index_sequence<I...>) {
  std::tuple<source<S>...> const s{source<S>(w, i.operands[I + 1])...};
  if constexpr (std::is_same_v<D, bool>) {
    lanes result = 0;
    for (unsigned l = 0; l < warp_size; ++l) result |= lanes{F{}(std::get<I>(s)[l]...)} << l;
    auto& d = w.predicate(i.operands[0]);
    d = (d & ~m) | (result & m);
  } else {
    D* const d = w.at<D>(i.operands[0]);
    if (m == every_lane) {
#pragma GCC ivdep
      for (unsigned l = 0; l < warp_size; ++l) d[l] = static_cast<D>(F{}(std::get<I>(s)[l]...));
    } else {
      for (; m; m &= m - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(m));
        d[l] = static_cast<D>(F{}(std::get<I>(s)[l]...));
      }
    }
  }
}

template <class F, class D, class... S>
void lanewise(warp& w, instruction const& i, lanes m) {
  each_lane<F, D, S...>(w, i, m, std::index_sequence_for<S...>{});
}

/// D: the result; S: the operands after it.
template <class D, class... S, class F>
void define(table& t, std::string const& name, F) {
  t[name] = {lanewise<F, D, S...>, type_of<D>(), {type_of<S>()...}, 0};
}

}  // namespace emulator

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between numbers of every kind.
#include "lanewise.hpp"

#include <algorithm>
#include <cfenv>
#include <limits>

namespace emulator {
namespace {

/// The option of a conversion: how it rounds, whether to an integral value, whether it saturates.
enum : std::uint8_t { nearest, toward_zero, down, up, directions = 3, integral = 4, saturating = 8 };

double rounded(double x, unsigned direction) {
  switch (direction) {
  case nearest:
    return std::nearbyint(x);
  case toward_zero:
    return std::trunc(x);
  case down:
    return std::floor(x);
  default:
    return std::ceil(x);
  }
}

/// To integers conversions clamp, and NaN is 0 (for 64 bits its highest bit alone).
template <class D>
D clamped(double x) {
  if (std::isnan(x)) return sizeof(D) < 8 ? D{0} : static_cast<D>(u64{1} << 63);
  constexpr auto least = static_cast<double>(std::numeric_limits<D>::min());
  constexpr double beyond = static_cast<double>(std::numeric_limits<D>::max() / 2 + 1) * 2;
  if (x < least) return std::numeric_limits<D>::min();
  if (x >= beyond) return std::numeric_limits<D>::max();
  return static_cast<D>(x);
}

/// Integers to floating point, and wider to narrower.
template <class D, class S>
D narrowed(S x, unsigned direction) {
  if constexpr (std::is_same_v<D, half> || std::is_same_v<D, brain>) {
    return D(static_cast<double>(x));
  } else {
    if (direction == nearest) return static_cast<D>(x);
    std::fesetround(direction == toward_zero ? FE_TOWARDZERO : direction == down ? FE_DOWNWARD : FE_UPWARD);
    S const volatile hidden = x;
    D const volatile result = static_cast<D>(hidden);
    std::fesetround(FE_TONEAREST);
    return result;
  }
}

template <class D, class S>
D converted(S x, unsigned option) {
  constexpr bool from_real = !std::is_integral_v<S>, to_real = !std::is_integral_v<D>;
  if constexpr (!from_real && !to_real) {
    return std::in_range<D>(x) ? static_cast<D>(x)
           : x < 0             ? std::numeric_limits<D>::min()
                               : std::numeric_limits<D>::max();
  } else if constexpr (!to_real) {
    return clamped<D>(rounded(static_cast<double>(x), option & directions));
  } else if constexpr (from_real) {
    auto const wide = static_cast<double>(x);
    if (option & saturating) return static_cast<D>(wide > 0 ? std::min(wide, 1.0) : 0.0);
    if (option & integral) return static_cast<D>(rounded(wide, option & directions));
    if constexpr (std::is_same_v<D, S>) return x;
    else return narrowed<D>(wide, option & directions);
  } else {
    return narrowed<D>(x, option & directions);
  }
}

template <class D, class S>
void convert(warp& w, instruction const& i, lanes m) {
  D* const d = w.at<D>(i.operands[0]);
  S const* const s = w.at<S>(i.operands[1]);
  for (; m; m &= m - 1) {
    auto const l = static_cast<unsigned>(std::countr_zero(m));
    d[l] = converted<D>(s[l], i.option);
  }
}

template <class D, class S>
void define_conversion(table& t, std::string const& to, std::string const& from) {
  constexpr bool from_real = !std::is_integral_v<S>, to_real = !std::is_integral_v<D>;
  auto const name = "." + to + "." + from;
  auto const one = [&](std::string const& how, unsigned option) {
    t["cvt" + how + name] = {convert<D, S>, type_of<D>(), {type_of<S>()}, static_cast<std::uint8_t>(option)};
  };
  one(".sat", saturating);
  if constexpr (!from_real && !to_real) {
    define<D, S>(t, "cvt" + name, [](S x) { return static_cast<D>(x); });
    return;
  }
  if constexpr (from_real && to_real) one("", nearest);
  for (auto const& [letter, direction] :
       {std::pair{"n", nearest}, {"z", toward_zero}, {"m", down}, {"p", up}}) {
    if constexpr (from_real) one(std::string(".r") + letter + "i", direction | integral);
    if constexpr (to_real) one(std::string(".r") + letter, direction);
  }
}

template <class D>
void define_conversions_to(table& t, std::string const& to) {
  define_conversion<D, u8>(t, to, "u8");
  define_conversion<D, s8>(t, to, "s8");
  define_conversion<D, u16>(t, to, "u16");
  define_conversion<D, s16>(t, to, "s16");
  define_conversion<D, u32>(t, to, "u32");
  define_conversion<D, s32>(t, to, "s32");
  define_conversion<D, u64>(t, to, "u64");
  define_conversion<D, s64>(t, to, "s64");
  define_conversion<D, half>(t, to, "f16");
  define_conversion<D, brain>(t, to, "bf16");
  define_conversion<D, float>(t, to, "f32");
  define_conversion<D, double>(t, to, "f64");
}

template <class T>
void define_pair_of(table& t, std::string const& name) {
  define<u32, float, float>(t, "cvt.rn." + name + ".f32", [](float a, float b) {
    return u32{T(static_cast<double>(a)).bits} << 16 | T(static_cast<double>(b)).bits;
  });
}

}  // namespace

void define_conversions(table& t) {
  define_conversions_to<u8>(t, "u8");
  define_conversions_to<s8>(t, "s8");
  define_conversions_to<u16>(t, "u16");
  define_conversions_to<s16>(t, "s16");
  define_conversions_to<u32>(t, "u32");
  define_conversions_to<s32>(t, "s32");
  define_conversions_to<u64>(t, "u64");
  define_conversions_to<s64>(t, "s64");
  define_conversions_to<half>(t, "f16");
  define_conversions_to<brain>(t, "bf16");
  define_conversions_to<float>(t, "f32");
  define_conversions_to<double>(t, "f64");
  define_pair_of<half>(t, "f16x2");
  define_pair_of<brain>(t, "bf16x2");
}

}  // namespace emulator

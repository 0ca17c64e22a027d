// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions on floating-point numbers.
#include "lanewise.hpp"

#include <algorithm>
#include <limits>

namespace emulator {
namespace {

template <class T>
bool is_nan(T x) {
  return std::isnan(static_cast<double>(x));
}

/// A number rather than NaN, and -0 before +0.
template <class T>
T lesser(T a, T b, bool less) {
  if (is_nan(a)) return is_nan(b) ? static_cast<T>(std::numeric_limits<double>::quiet_NaN()) : b;
  if (is_nan(b)) return a;
  auto const x = static_cast<double>(a), y = static_cast<double>(b);
  if (x == y) return (std::signbit(x) == less) ? a : b;
  return ((x < y) == less) ? a : b;
}

template <class T>
using wide = std::conditional_t<std::is_same_v<T, double>, double,
                                std::conditional_t<std::is_same_v<T, float>, float, double>>;

template <class T>
void define_reals(table& t, std::string const& name) {
  using W = wide<T>;  // in which one operation on T is exact or rounds as T does
  auto const dot = "." + name;
  define<T, T, T>(t, "add" + dot, [](T a, T b) { return static_cast<T>(W(a) + W(b)); });
  define<T, T, T>(t, "sub" + dot, [](T a, T b) { return static_cast<T>(W(a) - W(b)); });
  define<T, T, T>(t, "mul" + dot, [](T a, T b) { return static_cast<T>(W(a) * W(b)); });
  define<T, T, T, T>(t, "fma" + dot,
                     [](T a, T b, T c) { return static_cast<T>(std::fma(W(a), W(b), W(c))); });
  t["mad" + dot] = t["fma" + dot];
  define<T, T, T>(t, "div" + dot, [](T a, T b) { return static_cast<T>(W(a) / W(b)); });
  define<T, T>(t, "rcp" + dot, [](T a) { return static_cast<T>(W(1) / W(a)); });
  define<T, T>(t, "sqrt" + dot, [](T a) { return static_cast<T>(std::sqrt(W(a))); });
  define<T, T>(t, "rsqrt" + dot, [](T a) { return static_cast<T>(W(1) / std::sqrt(W(a))); });
  define<T, T>(t, "ex2" + dot, [](T a) { return static_cast<T>(std::exp2(W(a))); });
  define<T, T>(t, "lg2" + dot, [](T a) { return static_cast<T>(std::log2(W(a))); });
  define<T, T>(t, "sin" + dot, [](T a) { return static_cast<T>(std::sin(W(a))); });
  define<T, T>(t, "cos" + dot, [](T a) { return static_cast<T>(std::cos(W(a))); });
  define<T, T>(t, "tanh" + dot, [](T a) { return static_cast<T>(std::tanh(W(a))); });
  define<T, T, T>(t, "min" + dot, [](T a, T b) { return lesser(a, b, true); });
  define<T, T, T>(t, "max" + dot, [](T a, T b) { return lesser(a, b, false); });
  define<T, T, T>(t, "min.NaN" + dot, [](T a, T b) {
    return is_nan(a) || is_nan(b) ? static_cast<T>(std::numeric_limits<double>::quiet_NaN())
                                  : lesser(a, b, true);
  });
  define<T, T, T>(t, "max.NaN" + dot, [](T a, T b) {
    return is_nan(a) || is_nan(b) ? static_cast<T>(std::numeric_limits<double>::quiet_NaN())
                                  : lesser(a, b, false);
  });
  define<T, T, T>(t, "copysign" + dot, [](T a, T b) { return static_cast<T>(std::copysign(W(b), W(a))); });
  using U = std::conditional_t<sizeof(T) == 8, u64, std::conditional_t<sizeof(T) == 4, u32, u16>>;
  constexpr U sign = U{1} << (8 * sizeof(T) - 1);
  define<U, U>(t, "neg" + dot, [](U a) { return a ^ sign; });
  define<U, U>(t, "abs" + dot, [](U a) { return a & ~sign; });
  define<U, U>(t, "mov" + dot, [](U a) { return a; });
  define<U, U, U, bool>(t, "selp" + dot, [](U a, U b, bool p) { return p ? a : b; });
  for (auto const* const op : {"neg", "abs", "mov", "selp"}) {  // immediate operands are numbers nevertheless
    auto& s = t[op + dot];
    s.result = type_of<T>();
    for (auto& one : s.sources)
      if (one.meaning != kind::predicate) one = type_of<T>();
  }
  auto const comparison = [&](std::string const& op, auto ordered, auto unordered) {
    define<bool, T, T>(t, "setp." + op + dot, ordered);
    define<bool, T, T>(t, "setp." + op + "u" + dot, unordered);
  };
  comparison(
      "eq", [](T a, T b) { return W(a) == W(b); }, [](T a, T b) { return !(W(a) < W(b) || W(a) > W(b)); });
  comparison(
      "ne", [](T a, T b) { return W(a) < W(b) || W(a) > W(b); }, [](T a, T b) { return W(a) != W(b); });
  comparison(
      "lt", [](T a, T b) { return W(a) < W(b); }, [](T a, T b) { return !(W(a) >= W(b)); });
  comparison(
      "le", [](T a, T b) { return W(a) <= W(b); }, [](T a, T b) { return !(W(a) > W(b)); });
  comparison(
      "gt", [](T a, T b) { return W(a) > W(b); }, [](T a, T b) { return !(W(a) <= W(b)); });
  comparison(
      "ge", [](T a, T b) { return W(a) >= W(b); }, [](T a, T b) { return !(W(a) < W(b)); });
  define<bool, T, T>(t, "setp.num" + dot, [](T a, T b) { return !is_nan(a) && !is_nan(b); });
  define<bool, T, T>(t, "setp.nan" + dot, [](T a, T b) { return is_nan(a) || is_nan(b); });
  define<bool, T>(t, "testp.finite" + dot, [](T a) { return std::isfinite(W(a)); });
  define<bool, T>(t, "testp.infinite" + dot, [](T a) { return std::isinf(W(a)); });
  define<bool, T>(t, "testp.notanumber" + dot, [](T a) { return is_nan(a); });
  define<bool, T>(t, "testp.number" + dot, [](T a) { return !is_nan(a); });
}

/// Two numbers in one register.
template <class T>
void define_pairs(table& t, std::string const& name) {
  auto const both = [&]<class F>(std::string const& op, F) {
    define<u32, u32, u32>(t, op + "." + name, [](u32 a, u32 b) {
      u32 d = 0;
      for (unsigned k = 0; k < 32; k += 16)
        d |= u32{T(F{}(double(std::bit_cast<T>(static_cast<u16>(a >> k))),
                       double(std::bit_cast<T>(static_cast<u16>(b >> k)))))
                     .bits}
             << k;
      return d;
    });
  };
  both("add", [](double a, double b) { return a + b; });
  both("sub", [](double a, double b) { return a - b; });
  both("mul", [](double a, double b) { return a * b; });
  both("min", [](double a, double b) { return lesser(a, b, true); });
  both("max", [](double a, double b) { return lesser(a, b, false); });
}

}  // namespace

void define_floats(table& t) {
  define_reals<float>(t, "f32");
  define_reals<double>(t, "f64");
  define_reals<half>(t, "f16");
  define_reals<brain>(t, "bf16");
  define_pairs<half>(t, "f16x2");
  define_pairs<brain>(t, "bf16x2");
}

}  // namespace emulator

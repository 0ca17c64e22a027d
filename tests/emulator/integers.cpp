// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions on integers, bits and predicates.
#include "lanewise.hpp"

#include <algorithm>
#include <tuple>

namespace emulator {
namespace {

template <class T>
using unsigned_of = std::make_unsigned_t<T>;

template <class T>
struct wider;
template <>
struct wider<u16> {
  using type = u32;
};
template <>
struct wider<s16> {
  using type = s32;
};
template <>
struct wider<u32> {
  using type = u64;
};
template <>
struct wider<s32> {
  using type = s64;
};
template <>
struct wider<u64> {
  using type = u128;
};
template <>
struct wider<s64> {
  using type = s128;
};
template <class T>
using wider_of = typename wider<T>::type;

template <class T>
T wrap_add(T a, T b) {
  return static_cast<T>(static_cast<u64>(a) + static_cast<u64>(b));
}
template <class T>
T wrap_mul(T a, T b) {
  return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
}
template <class T>
T high(T a, T b) {
  return static_cast<T>(static_cast<wider_of<T>>(a) * static_cast<wider_of<T>>(b) >> (8 * sizeof(T)));
}
template <class T>
T wide_product_part(T a, T b) {
  return static_cast<T>(a * b);
}

u32 reversed(u32 x) {
  u32 y = 0;
  for (unsigned k = 0; k < 32; ++k) y |= (x >> k & 1) << (31 - k);
  return y;
}

template <class T>
u32 highest_bit(T x) {
  if constexpr (std::is_signed_v<T>) {
    if (x < 0) x = ~x;
  }
  return x == 0 ? ~u32{0}
                : static_cast<u32>(8 * sizeof(T) - 1) -
                      static_cast<u32>(std::countl_zero(static_cast<unsigned_of<T>>(x)));
}

template <class T>
void define_integers(table& t, std::string const& name) {
  using U = unsigned_of<T>;
  constexpr auto bits = static_cast<u32>(8 * sizeof(T));
  auto const dot = "." + name;
  define<T, T, T>(t, "add" + dot, [](T a, T b) { return wrap_add(a, b); });
  define<T, T, T>(t, "sub" + dot,
                  [](T a, T b) { return static_cast<T>(static_cast<u64>(a) - static_cast<u64>(b)); });
  define<T, T, T>(t, "mul.lo" + dot, [](T a, T b) { return wrap_mul(a, b); });
  define<T, T, T, T>(t, "mad.lo" + dot, [](T a, T b, T c) { return wrap_add(wrap_mul(a, b), c); });
  define<T, T, T>(t, "mul.hi" + dot, [](T a, T b) { return high(a, b); });
  define<T, T, T, T>(t, "mad.hi" + dot, [](T a, T b, T c) { return wrap_add(high(a, b), c); });
  if constexpr (sizeof(T) < 8) {
    using W = wider_of<T>;
    define<W, T, T>(t, "mul.wide" + dot,
                    [](T a, T b) { return static_cast<W>(static_cast<W>(a) * static_cast<W>(b)); });
    define<W, T, T, W>(t, "mad.wide" + dot, [](T a, T b, W c) {
      return wrap_add(static_cast<W>(static_cast<W>(a) * static_cast<W>(b)), c);
    });
  }
  define<T, T, T>(t, "div" + dot, [](T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return static_cast<T>(U{0} - static_cast<U>(a));
    }
    return static_cast<T>(a / b);
  });
  define<T, T, T>(t, "rem" + dot, [](T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return T{0};
    }
    return static_cast<T>(a % b);
  });
  define<T, T, T>(t, "min" + dot, [](T a, T b) { return std::min(a, b); });
  define<T, T, T>(t, "max" + dot, [](T a, T b) { return std::max(a, b); });
  define<T, T>(t, "abs" + dot, [](T a) { return a < 0 ? static_cast<T>(U{0} - static_cast<U>(a)) : a; });
  define<T, T>(t, "neg" + dot, [](T a) { return static_cast<T>(U{0} - static_cast<U>(a)); });
  define<T, T, u32>(t, "shr" + dot, [](T a, u32 n) {
    if (n >= bits) return static_cast<T>(a < 0 ? -1 : 0);
    return static_cast<T>(a >> n);
  });
  define<T, T, T, bool>(t, "selp" + dot, [](T a, T b, bool p) { return p ? a : b; });
  define<T, T, T, s32>(t, "slct" + dot + ".s32", [](T a, T b, s32 c) { return c >= 0 ? a : b; });
  define<T, T>(t, "mov" + dot, [](T a) { return a; });
  define<bool, T, T>(t, "setp.eq" + dot, [](T a, T b) { return a == b; });
  define<bool, T, T>(t, "setp.ne" + dot, [](T a, T b) { return a != b; });
  define<bool, T, T>(t, "setp.lt" + dot, [](T a, T b) { return a < b; });
  define<bool, T, T>(t, "setp.le" + dot, [](T a, T b) { return a <= b; });
  define<bool, T, T>(t, "setp.gt" + dot, [](T a, T b) { return a > b; });
  define<bool, T, T>(t, "setp.ge" + dot, [](T a, T b) { return a >= b; });
  t["setp.lo" + dot] = t["setp.lt" + dot];
  t["setp.ls" + dot] = t["setp.le" + dot];
  t["setp.hi" + dot] = t["setp.gt" + dot];
  t["setp.hs" + dot] = t["setp.ge" + dot];
  if constexpr (sizeof(T) >= 4) {
    define<u32, T>(t, "bfind" + dot, [](T a) { return highest_bit(a); });
    define<u32, T>(t, "bfind.shiftamt" + dot, [](T a) {
      auto const b = highest_bit(a);
      return b == ~u32{0} ? b : bits - 1 - b;
    });
    define<T, T, u32, u32>(t, "bfe" + dot, [](T a, u32 at, u32 n) {
      at &= 255;
      n &= 255;
      bool const sign =
          std::is_signed_v<T> && n > 0 && (static_cast<U>(a) >> std::min({at + n - 1, bits - 1}) & 1);
      U r = at < bits ? static_cast<U>(static_cast<U>(a) >> at) : U{0};
      if (n < bits) {
        U const mask = (U{1} << n) - 1;
        auto const there = at < bits ? std::min(n, bits - at) : 0;  // beyond the top the sign goes on
        U const held = there < bits ? (U{1} << there) - 1 : ~U{0};
        r = (r & held) | (sign ? ~held : U{0});
        r = sign ? (r | ~mask) : (r & mask);
      } else if (sign && at > 0) {
        r |= at < bits ? ~U{0} << (bits - at) : ~U{0};
      }
      return static_cast<T>(r);
    });
  }
}

template <class T>
void define_bits(table& t, std::string const& name) {
  constexpr auto bits = static_cast<u32>(8 * sizeof(T));
  auto const dot = "." + name;
  define<T, T, T>(t, "and" + dot, [](T a, T b) { return static_cast<T>(a & b); });
  define<T, T, T>(t, "or" + dot, [](T a, T b) { return static_cast<T>(a | b); });
  define<T, T, T>(t, "xor" + dot, [](T a, T b) { return static_cast<T>(a ^ b); });
  define<T, T>(t, "not" + dot, [](T a) { return static_cast<T>(~a); });
  define<T, T>(t, "cnot" + dot, [](T a) { return static_cast<T>(a == 0); });
  define<T, T, u32>(t, "shl" + dot, [](T a, u32 n) { return n >= bits ? T{0} : static_cast<T>(a << n); });
  if constexpr (sizeof(T) >= 4) {
    define<u32, T>(t, "popc" + dot, [](T a) { return static_cast<u32>(std::popcount(a)); });
    define<u32, T>(t, "clz" + dot, [](T a) { return static_cast<u32>(std::countl_zero(a)); });
    define<T, T, T, u32, u32>(t, "bfi" + dot, [](T a, T b, u32 at, u32 n) {
      at &= 255;
      n &= 255;
      if (at >= bits) return b;
      T const mask = static_cast<T>((n >= bits ? ~T{0} : (T{1} << n) - 1) << at);
      return static_cast<T>((b & ~mask) | (a << at & mask));
    });
  }
}

// ---- Carries, of which each lane has one ----
template <class T, bool In, bool Out, bool Minus>
void carried(warp& w, instruction const& i, lanes m) {
  T *const d = w.at<T>(i.operands[0]), *const a = w.at<T>(i.operands[1]), *const b = w.at<T>(i.operands[2]);
  for (; m; m &= m - 1) {
    auto const l = static_cast<unsigned>(std::countr_zero(m));
    T const carry = In ? static_cast<T>(w.carry >> l & 1) : T{0};
    u128 const sum = Minus ? u128{a[l]} - b[l] - carry : u128{a[l]} + b[l] + carry;
    d[l] = static_cast<T>(sum);
    if (Out) w.carry = (w.carry & ~(1u << l)) | static_cast<lanes>(sum >> (8 * sizeof(T)) & 1) << l;
  }
}
template <class T>
void define_carried(table& t, std::string const& name) {
  std::vector<type> const two{type_of<T>(), type_of<T>()};
  t["add.cc." + name] = {carried<T, false, true, false>, type_of<T>(), two};
  t["addc." + name] = {carried<T, true, false, false>, type_of<T>(), two};
  t["addc.cc." + name] = {carried<T, true, true, false>, type_of<T>(), two};
  t["sub.cc." + name] = {carried<T, false, true, true>, type_of<T>(), two};
  t["subc." + name] = {carried<T, true, false, true>, type_of<T>(), two};
  t["subc.cc." + name] = {carried<T, true, true, true>, type_of<T>(), two};
}

u32 permuted(u32 a, u32 b, u32 selector) {
  u64 const both = u64{b} << 32 | a;
  u32 d = 0;
  for (unsigned k = 0; k < 4; ++k) {
    u32 const s = selector >> (4 * k) & 15;
    auto byte = static_cast<u32>(both >> (8 * (s & 7)) & 255);
    if (s & 8) byte = byte & 128 ? 255 : 0;
    d |= byte << (8 * k);
  }
  return d;
}

// Predicates are words of bits, and need no loop.
template <class F>
void on_predicates(warp& w, instruction const& i, lanes m) {
  lanes const a = w.predicate(i.operands[1]);
  lanes const b = i.operands[2] == no_operand ? 0 : w.predicate(i.operands[2]);
  lanes& d = w.predicate(i.operands[0]);
  d = (d & ~m) | (F{}(a, b) & m);
}
template <class F>
void define_predicates(table& t, std::string const& name, F, unsigned count) {
  t[name] = {on_predicates<F>, type_of<bool>(), std::vector<type>(count, type_of<bool>())};
}

table made() {
  table t;
  define_integers<u16>(t, "u16");
  define_integers<s16>(t, "s16");
  define_integers<u32>(t, "u32");
  define_integers<s32>(t, "s32");
  define_integers<u64>(t, "u64");
  define_integers<s64>(t, "s64");
  define_bits<u16>(t, "b16");
  define_bits<u32>(t, "b32");
  define_bits<u64>(t, "b64");
  define_carried<u32>(t, "32");
  define_carried<u64>(t, "64");
  for (auto const* const bytes : {"16", "32", "64"}) {
    for (auto const* const op : {"mov", "selp", "shr", "setp.eq", "setp.ne"})
      t[std::string(op) + ".b" + bytes] = t[std::string(op) + ".u" + bytes];
    for (auto const* const op : {"add.cc", "addc", "addc.cc", "sub.cc", "subc", "subc.cc"})
      for (auto const* const sign : {".u", ".s"})
        if (t.contains(std::string(op) + "." + bytes))
          t[std::string(op) + sign + bytes] = t[std::string(op) + "." + bytes];
  }
  define<u32, u32>(t, "brev.b32", [](u32 a) { return reversed(a); });
  define<u64, u64>(t, "brev.b64", [](u64 a) {
    return u64{reversed(static_cast<u32>(a))} << 32 | reversed(static_cast<u32>(a >> 32));
  });
  define<u32, u32, u32, u32, u32>(t, "lop3.b32", [](u32 a, u32 b, u32 c, u32 f) {
    u32 r = 0;
    for (u32 k = 0; k < 8; ++k)
      r |= (f >> k & 1 ? ~u32{0} : 0) & (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return r;
  });
  define<u32, u32, u32, u32>(t, "prmt.b32", [](u32 a, u32 b, u32 c) { return permuted(a, b, c); });
  define<u32, u32, u32, u32>(t, "shf.l.wrap.b32", [](u32 a, u32 b, u32 n) {
    return static_cast<u32>((u64{b} << 32 | a) << (n & 31) >> 32);
  });
  define<u32, u32, u32, u32>(t, "shf.r.wrap.b32", [](u32 a, u32 b, u32 n) {
    return static_cast<u32>((u64{b} << 32 | a) >> (n & 31));
  });
  define<u32, u32, u32, u32>(t, "shf.l.clamp.b32", [](u32 a, u32 b, u32 n) {
    return static_cast<u32>((u64{b} << 32 | a) << std::min(n, 32u) >> 32);
  });
  define<u32, u32, u32, u32>(t, "shf.r.clamp.b32", [](u32 a, u32 b, u32 n) {
    return static_cast<u32>((u64{b} << 32 | a) >> std::min(n, 32u));
  });
  define<u32, u32, u32>(t, "bmsk.clamp.b32", [](u32 at, u32 n) {
    u64 const ones = n >= 32 ? ~u32{0} : (u64{1} << n) - 1;
    return at >= 32 ? 0u : static_cast<u32>(ones << at);
  });
  define<u32, u32, u32>(t, "szext.clamp.u32",
                        [](u32 a, u32 n) { return n >= 32 ? a : a & static_cast<u32>((u64{1} << n) - 1); });
  define<u32, u32, u32, u32>(t, "dp4a.u32.u32", [](u32 a, u32 b, u32 c) {
    for (unsigned k = 0; k < 32; k += 8) c += (a >> k & 255) * (b >> k & 255);
    return c;
  });
  define<s32, u32, u32, s32>(t, "dp4a.s32.s32", [](u32 a, u32 b, s32 c) {
    for (unsigned k = 0; k < 32; k += 8) c += static_cast<s8>(a >> k) * static_cast<s8>(b >> k);
    return c;
  });
  define<u32, u32, u32, u32>(t, "sad.u32", [](u32 a, u32 b, u32 c) { return c + (a < b ? b - a : a - b); });
  define_predicates(
      t, "mov.pred", [](lanes a, lanes) { return a; }, 1);
  define_predicates(
      t, "not.pred", [](lanes a, lanes) { return ~a; }, 1);
  define_predicates(
      t, "and.pred", [](lanes a, lanes b) { return a & b; }, 2);
  define_predicates(
      t, "or.pred", [](lanes a, lanes b) { return a | b; }, 2);
  define_predicates(
      t, "xor.pred", [](lanes a, lanes b) { return a ^ b; }, 2);
  define_floats(t);
  define_conversions(t);
  return t;
}

}  // namespace

table const& arithmetic() {
  static table const t = made();
  return t;
}

}  // namespace emulator

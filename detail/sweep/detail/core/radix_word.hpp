// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_RADIX_WORD_HPP
#define SWEEP_DETAIL_CORE_RADIX_WORD_HPP

// Numbers, and tuples of them, as unsigned integers in the same order: what a radix sort takes digits of.

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

// CUDA's 16-bit floating-point types, by forward declarations.
struct __half;
struct __nv_bfloat16;

namespace sweep::inline SWEEP_ABI::detail {

__extension__ using uint128_word = unsigned __int128;
__extension__ using int128_word = __int128;

/// The narrowest unsigned integer of so many bits.
template <int Bits>
using radix_word = std::conditional_t<
    (Bits <= 8), std::uint8_t,
    std::conditional_t<(Bits <= 16), std::uint16_t,
                       std::conditional_t<(Bits <= 32), std::uint32_t,
                                          std::conditional_t<(Bits <= 64), std::uint64_t, uint128_word>>>>;

template <class T>
inline constexpr bool is_int128 = std::is_same_v<T, int128_word> || std::is_same_v<T, uint128_word>;
template <class T>
inline constexpr bool is_half = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;
template <class T>
inline constexpr bool is_radix_float = std::is_same_v<T, float> || std::is_same_v<T, double> || is_half<T>;

/// Numbers that have a sign.
template <class T>
inline constexpr bool is_signed_number = is_radix_float<T> || std::is_same_v<T, int128_word> ||
                                         (std::is_integral_v<T> && std::is_signed_v<T>);

/// Types whose order by < is that of a word: integers, bool, characters, floating-point numbers, pointers.
template <class T>
inline constexpr bool is_radix_number = std::is_integral_v<T> || is_int128<T> || is_radix_float<T> ||
                                        (std::is_pointer_v<T> && std::is_object_v<std::remove_pointer_t<T>>);

/// Bits of a floating-point number whose magnitude is as large as this are no number.
template <class T>
SWEEP_HD constexpr auto bits_of_infinity() {
  if constexpr (std::is_same_v<T, double>) return std::uint64_t{0x7FF0000000000000};
  else if constexpr (std::is_same_v<T, float>) return std::uint32_t{0x7F800000};
  else if constexpr (std::is_same_v<T, __half>) return std::uint16_t{0x7C00};
  else return std::uint16_t{0x7F80};
}

/// The word of a number, and how many of its bits there are: all others are 0.
template <class T>
struct radix_number {
  static constexpr int bits = std::is_same_v<T, bool> ? 1 : static_cast<int>(sizeof(T)) * 8;
  using word = radix_word<bits>;

  SWEEP_HD static word of(T const& x) {
    constexpr word sign = static_cast<word>(word{1} << (bits - 1));
    if constexpr (is_radix_float<T>) {
      static_assert(sizeof(T) == sizeof(word));
#if defined(__CUDA_ARCH__)
      if constexpr (std::is_same_v<T, float>) {
        float same;  // but -0.0 is 0.0; subnormal numbers stay, whatever the compiler was told of others
        asm("add.rn.f32 %0, %1, 0f00000000;" : "=f"(same) : "f"(x));
        word const all = __float_as_uint(same);
        word const turned = all ^ (static_cast<word>(static_cast<int>(all) >> 31) | sign);
        return __isnanf(same) ? ~word{0} : turned;
      } else
#endif
      {
        word all;
        memcpy(&all, &x, sizeof(word));
        // No branches: a kernel's thread makes words of many numbers side by side. NaN is behind all numbers.
        auto const magnitude = static_cast<word>(all & static_cast<word>(~sign));
        auto const turned = static_cast<word>((all & sign) != 0 ? ~all : all | sign);
        auto const number = all == sign ? sign : turned;  // -0.0 == 0.0
        return magnitude > bits_of_infinity<T>() ? static_cast<word>(~word{0}) : number;
      }
    } else if constexpr (std::is_pointer_v<T>) {
      return static_cast<word>(reinterpret_cast<std::uintptr_t>(x));
    } else if constexpr (std::is_same_v<T, bool>) {
      return x ? 1 : 0;
    } else {
      constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
      return static_cast<word>(static_cast<word>(x) ^ (is_signed ? sign : word{0}));
    }
  }
};

/// What a word can be made of: a number, an enumerator, or a pair or tuple of them, the first of which counts
/// most. A word of anything else is none: bits are 0.
template <class T>
struct radix_value {
  static constexpr int bits = 0;
};
template <class T>
  requires(is_radix_number<T>)
struct radix_value<T> : radix_number<T> {};
template <class T>
  requires(std::is_enum_v<T>)
struct radix_value<T> : radix_number<std::underlying_type_t<T>> {
  using number = radix_number<std::underlying_type_t<T>>;
  SWEEP_HD static typename number::word of(T const& x) {
    return number::of(static_cast<std::underlying_type_t<T>>(x));
  }
};

/// Words side by side.
template <class... Parts>
struct radix_parts {
  static constexpr int sum = (radix_value<Parts>::bits + ... + 0);
  static constexpr bool all = ((radix_value<Parts>::bits > 0) && ...) && sum <= 128;
  static constexpr int bits = all ? sum : 0;
  using word = radix_word<all ? sum : 8>;
};
template <class Word>
SWEEP_HD constexpr Word joined_words(Word so_far) {
  return so_far;
}
SWEEP_NO_EXEC_CHECK
template <class Word, class Part, class... Parts>
SWEEP_HD Word joined_words(Word so_far, Part const& part, Parts const&... parts) {
  constexpr int bits = radix_value<Part>::bits;
  if constexpr (bits < static_cast<int>(sizeof(Word)) * 8) so_far = static_cast<Word>(so_far << bits);
  else so_far = 0;
  return joined_words<Word>(static_cast<Word>(so_far | static_cast<Word>(radix_value<Part>::of(part))),
                            parts...);
}
template <class Pair, class A, class B>
struct radix_pair : radix_parts<A, B> {
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD static auto of(Pair const& x) {
    return joined_words<typename radix_parts<A, B>::word>(0, x.first, x.second);
  }
};
template <class Tuple, class... Parts>
struct radix_tuple : radix_parts<Parts...> {
  using word = typename radix_parts<Parts...>::word;
  SWEEP_NO_EXEC_CHECK
  template <std::size_t... K>
  SWEEP_HD static word of_parts(Tuple const& x, std::index_sequence<K...>) {
    using std::get;
    return joined_words<word>(0, get<K>(x)...);
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD static word of(Tuple const& x) { return of_parts(x, std::index_sequence_for<Parts...>{}); }
};
template <class A, class B>
struct radix_value<std::pair<A, B>> : radix_pair<std::pair<A, B>, A, B> {};
template <class... Parts>
struct radix_value<std::tuple<Parts...>> : radix_tuple<std::tuple<Parts...>, Parts...> {};
#if SWEEP_HAS_LIBCUDACXX_TUPLES
template <class A, class B>
struct radix_value<cuda::std::pair<A, B>> : radix_pair<cuda::std::pair<A, B>, A, B> {};
template <class... Parts>
struct radix_value<cuda::std::tuple<Parts...>> : radix_tuple<cuda::std::tuple<Parts...>, Parts...> {};
#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

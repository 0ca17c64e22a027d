// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_HOST_PREFIX_SUMS_HPP
#define SWEEP_DETAIL_HOST_PREFIX_SUMS_HPP

// Running sums of integers in vectors of 16 bytes. A loop that adds item by item takes a step each; in a
// vector all its items are added in as many as their number has bits, and narrow ones before they are made
// wide.

#include <sweep/detail/core/standard.hpp>
#include <sweep/version.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__) && defined(__GNUC__)
#include <emmintrin.h>
#define SWEEP_HAS_LANE_SUMS 1
#else
#define SWEEP_HAS_LANE_SUMS 0
#endif

namespace sweep::inline SWEEP_ABI::detail {

/// Whether running sums of items of type In, made in T and written as Out, are made in lanes: of 8 bytes a
/// vector has too few.
template <class In, class T, class Out>
inline constexpr bool sums_in_lanes = [] {
  if constexpr (std::is_integral_v<In> && std::is_integral_v<T> && std::is_integral_v<Out>)
    return SWEEP_HAS_LANE_SUMS == 1 && sizeof(In) <= sizeof(T) && sizeof(T) == sizeof(Out) &&
           sizeof(T) <= 4 && !std::is_same_v<T, bool> && !std::is_same_v<Out, bool>;
  else return false;
}();

#if SWEEP_HAS_LANE_SUMS
/// Vectors of 16 bytes whose lanes are integers of so many.
template <std::size_t Bytes>
struct integer_lanes {
  static __m128i sum(__m128i a, __m128i b) {
    if constexpr (Bytes == 1) return _mm_add_epi8(a, b);
    else if constexpr (Bytes == 2) return _mm_add_epi16(a, b);
    else return _mm_add_epi32(a, b);
  }
  static __m128i difference(__m128i a, __m128i b) {
    if constexpr (Bytes == 1) return _mm_sub_epi8(a, b);
    else if constexpr (Bytes == 2) return _mm_sub_epi16(a, b);
    else return _mm_sub_epi32(a, b);
  }
  /// Each lane's with those of the lanes before it.
  static __m128i running(__m128i x) {
    if constexpr (Bytes == 1) x = sum(x, _mm_slli_si128(x, 1));
    if constexpr (Bytes <= 2) x = sum(x, _mm_slli_si128(x, 2));
    x = sum(x, _mm_slli_si128(x, 4));
    return sum(x, _mm_slli_si128(x, 8));
  }
  /// The last lane's in all of them.
  static __m128i last(__m128i x) {
    if constexpr (Bytes == 1) x = _mm_unpackhi_epi8(x, x);
    if constexpr (Bytes <= 2) x = _mm_shufflehi_epi16(x, 0xff);
    return _mm_shuffle_epi32(x, 0xff);
  }
  static __m128i all(std::uint32_t x) {
    if constexpr (Bytes == 1) return _mm_set1_epi8(static_cast<char>(x));
    else if constexpr (Bytes == 2) return _mm_set1_epi16(static_cast<short>(x));
    else return _mm_set1_epi32(static_cast<int>(x));
  }
  /// The lanes as twice as wide ones: the first half of them, and the second.
  template <bool Signed>
  static void widen(__m128i x, __m128i& first, __m128i& second) {
    auto const zero = _mm_setzero_si128();
    if constexpr (Bytes == 1) {
      auto const above = Signed ? _mm_cmpgt_epi8(zero, x) : zero;
      first = _mm_unpacklo_epi8(x, above);
      second = _mm_unpackhi_epi8(x, above);
    } else {
      auto const above = Signed ? _mm_cmpgt_epi16(zero, x) : zero;
      first = _mm_unpacklo_epi16(x, above);
      second = _mm_unpackhi_epi16(x, above);
    }
  }
};

/// out[i] = before + in[0] + ... + in[i], or without in[i]. Gives the sum of all. Streamed results go past
/// the caches (host/streaming.hpp). What lies so many items ahead is fetched meanwhile, or nothing.
template <class T, bool Inclusive, bool Streams, class In, class Out>
T put_running_sums(In const* in, std::int64_t count, T before, Out* out, std::int64_t ahead) {
  using wide = integer_lanes<sizeof(T)>;
  using narrow = integer_lanes<sizeof(In)>;
  constexpr bool is_signed = std::is_signed_v<In>;
  constexpr int items = 16 / static_cast<int>(sizeof(In));           // of a vector that is read
  constexpr int vectors = static_cast<int>(sizeof(T) / sizeof(In));  // that it makes
  using bits = std::make_unsigned_t<T>;
  auto sum = static_cast<bits>(before);
  std::int64_t i = 0;
  auto const one_by_one = [&](std::int64_t end) {
    for (; i < end; ++i) {
      auto const with = static_cast<bits>(sum + static_cast<bits>(in[i]));
      out[i] = static_cast<Out>(Inclusive ? with : sum);
      sum = with;
    }
  };
  if constexpr (Streams)  // whole vectors of memory
    one_by_one(std::min(
        count, static_cast<std::int64_t>((0 - reinterpret_cast<std::uintptr_t>(out)) % 16 / sizeof(Out))));
  auto carry = wide::all(static_cast<std::uint32_t>(sum));
  for (; i + items <= count; i += items) {
    if (ahead != 0) __builtin_prefetch(in + i + ahead);
    __m128i x, made[vectors], alone[vectors];
    std::memcpy(&x, in + i, 16);
    // Running sums of some items, where there is no carry into the next: twice as wide as these.
    if constexpr (vectors == 1) {
      alone[0] = x;
      made[0] = narrow::running(x);
    } else {
      __m128i halves[2], sums[2];
      narrow::template widen<is_signed>(x, halves[0], halves[1]);
      for (int h = 0; h < 2; ++h) sums[h] = integer_lanes<2 * sizeof(In)>::running(halves[h]);
      for (int h = 0; h < 2; ++h) {
        if constexpr (vectors == 2) {
          made[h] = sums[h];
          alone[h] = halves[h];
        } else {
          integer_lanes<2>::widen<is_signed>(sums[h], made[2 * h], made[2 * h + 1]);
          integer_lanes<2>::widen<is_signed>(halves[h], alone[2 * h], alone[2 * h + 1]);
        }
      }
    }
    constexpr int chained = vectors < 4 ? 1 : 2;  // vectors of which the second goes on with the first's sums
    for (int v = 0; v < vectors; v += chained) {
      for (int k = v; k < v + chained; ++k) made[k] = wide::sum(made[k], carry);
      carry = wide::last(made[v + chained - 1]);
    }
    for (int v = 0; v < vectors; ++v) {
      auto const result = Inclusive ? made[v] : wide::difference(made[v], alone[v]);
      auto* const to = reinterpret_cast<__m128i*>(out + i + v * (items / vectors));
      if constexpr (Streams) _mm_stream_si128(to, result);
      else _mm_storeu_si128(to, result);
    }
  }
  sum = static_cast<bits>(_mm_cvtsi128_si32(carry));
  one_by_one(count);
  return static_cast<T>(sum);
}
#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_ITEMS_CUH
#define SWEEP_BENCH_LAW_ITEMS_CUH

#include "elements.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/tuple.h>

#include <cstdint>
#include <type_traits>

/// What the cases of the law of speed are made of: items of 1 to 32 bytes, operators cheap and dear,
/// predicates.
namespace law {

/// A struct of so many bytes that adds byte by byte.
template <int Bytes>
struct blob {
  std::uint8_t of[Bytes];
  friend __host__ __device__ bool operator==(blob const& a, blob const& b) {
    for (int i = 0; i < Bytes; ++i)
      if (a.of[i] != b.of[i]) return false;
    return true;
  }
  friend __host__ __device__ bool operator!=(blob const& a, blob const& b) { return !(a == b); }
  friend __host__ __device__ blob operator+(blob a, blob const& b) {
    for (int i = 0; i < Bytes; ++i) a.of[i] = static_cast<std::uint8_t>(a.of[i] + b.of[i]);
    return a;
  }
};

/// Words that add one by one: 12, 20, 24, 32 bytes.
template <class Word, int Words>
struct block_of {
  Word of[Words];
  friend __host__ __device__ bool operator==(block_of const& a, block_of const& b) {
    for (int i = 0; i < Words; ++i)
      if (a.of[i] != b.of[i]) return false;
    return true;
  }
  friend __host__ __device__ bool operator!=(block_of const& a, block_of const& b) { return !(a == b); }
  friend __host__ __device__ block_of operator+(block_of a, block_of const& b) {
    for (int i = 0; i < Words; ++i) a.of[i] += b.of[i];
    return a;
  }
};

/// x -> a x + b over integers, one after the other.
template <class T>
struct affine {
  T a, b;
  friend __host__ __device__ bool operator==(affine x, affine y) { return x.a == y.a && x.b == y.b; }
  friend __host__ __device__ bool operator!=(affine x, affine y) { return !(x == y); }
};
template <class T>
inline constexpr bool is_affine = false;
template <class T>
inline constexpr bool is_affine<affine<T>> = true;
struct then {
  template <class T>
  __host__ __device__ affine<T> operator()(affine<T> x, affine<T> y) const {
    return {static_cast<T>(y.a * x.a), static_cast<T>(y.a * x.b + y.b)};
  }
};

/// 2x2 matrices over 32-bit integers: a dear operator.
struct mat2 {
  std::uint32_t a, b, c, d;
  friend __host__ __device__ bool operator==(mat2 x, mat2 y) {
    return x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d;
  }
  friend __host__ __device__ bool operator!=(mat2 x, mat2 y) { return !(x == y); }
};
struct mat2_product {
  __host__ __device__ mat2 operator()(mat2 x, mat2 y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
};

/// For reductions, whose peer wants an operator that commutes: dual numbers, and polynomials modulo x^4 - 1.
struct commuting_product {
  template <class T>
  __host__ __device__ affine<T> operator()(affine<T> x, affine<T> y) const {
    return {static_cast<T>(x.a * y.a), static_cast<T>(x.a * y.b + x.b * y.a)};
  }
  __host__ __device__ mat2 operator()(mat2 x, mat2 y) const {
    return {x.a * y.a + x.b * y.d + x.c * y.c + x.d * y.b, x.a * y.b + x.b * y.a + x.c * y.d + x.d * y.c,
            x.a * y.c + x.b * y.b + x.c * y.a + x.d * y.d, x.a * y.d + x.b * y.c + x.c * y.b + x.d * y.a};
  }
};

/// Adds values, narrower ones in the wider type.
struct plus {
  template <class A, class B>
  __host__ __device__ auto operator()(A const& a, B const& b) const {
    if constexpr (std::is_same_v<A, B> || (std::is_integral_v<A> && std::is_integral_v<B>)) return a + b;
    else if constexpr (sizeof(A) >= sizeof(B)) return a + static_cast<A>(b);
    else return static_cast<B>(a) + b;
  }
};
struct larger {
  template <class T>
  __host__ __device__ T operator()(T const& a, T const& b) const {
    return b > a ? b : a;
  }
};
/// Adds tuples member by member.
struct plus_each {
  template <class T>
  __host__ __device__ thrust::tuple<T, T> operator()(thrust::tuple<T, T> const& a,
                                                     thrust::tuple<T, T> const& b) const {
    return {static_cast<T>(thrust::get<0>(a) + thrust::get<0>(b)),
            static_cast<T>(thrust::get<1>(a) + thrust::get<1>(b))};
  }
  template <class T>
  __host__ __device__ thrust::tuple<T, T, T> operator()(thrust::tuple<T, T, T> const& a,
                                                        thrust::tuple<T, T, T> const& b) const {
    return {static_cast<T>(thrust::get<0>(a) + thrust::get<0>(b)),
            static_cast<T>(thrust::get<1>(a) + thrust::get<1>(b)),
            static_cast<T>(thrust::get<2>(a) + thrust::get<2>(b))};
  }
};
/// The larger value, and of equal ones the first, with its index.
struct first_largest {
  template <class T, class I>
  __host__ __device__ thrust::tuple<T, I> operator()(thrust::tuple<T, I> const& a,
                                                     thrust::tuple<T, I> const& b) const {
    return thrust::get<0>(b) > thrust::get<0>(a) ||
                   (thrust::get<0>(b) == thrust::get<0>(a) && thrust::get<1>(b) < thrust::get<1>(a))
               ? b
               : a;
  }
};
/// For transform iterators.
template <class To>
struct doubled {
  template <class From>
  __host__ __device__ To operator()(From const& x) const {
    return static_cast<To>(static_cast<To>(x) + static_cast<To>(x));
  }
};
template <class To>
struct converted {
  template <class From>
  __host__ __device__ To operator()(From const& x) const {
    if constexpr (std::is_integral_v<From> && !std::is_integral_v<To>)
      return static_cast<To>(static_cast<float>(static_cast<int>(x & 1) * 2 - 1));  // sums stay exact
    else return static_cast<To>(x);
  }
};
/// Whether the bits of an item say that it is selected, with the probability that `below` stands for.
struct selected {
  std::uint32_t below;
  static selected with(double density) { return {static_cast<std::uint32_t>(density * 4294967295.0)}; }
  template <class T>
  __host__ __device__ bool operator()(T const& x) const {
    std::uint32_t hash = 2166136261u;
    auto const* bytes = reinterpret_cast<unsigned char const*>(&x);
    for (int i = 0; i < static_cast<int>(sizeof(T)) && i < 8; ++i) hash = (hash ^ bytes[i]) * 16777619u;
    hash ^= hash >> 15;
    return hash * 2654435761u < below;
  }
};

/// Item i of a random input. Sums of floating-point items are exact, whatever their order: every second item
/// takes back the one before it, and of those that a permutation draws in between, few and small enough, sums
/// stay within the type's digits (256 for bfloat16).
template <class T>
__host__ __device__ T random_item(std::uint64_t seed, std::int64_t i) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(elements::random_bits(seed, i));
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, __half> ||
                       std::is_same_v<T, __nv_bfloat16>) {
    constexpr unsigned most = std::is_same_v<T, __nv_bfloat16> ? 1 : 3;
    auto const k =
        static_cast<int>(elements::random_bits(seed, i / 2) % (2 * most + 1)) - static_cast<int>(most);
    return static_cast<T>(static_cast<float>(i % 2 == 0 ? k : -k));
  } else {
    T x;
    auto* bytes = reinterpret_cast<unsigned char*>(&x);
    for (int b = 0; b < static_cast<int>(sizeof(T)); b += 8) {
      auto const bits = elements::random_bits(seed, i, static_cast<std::uint64_t>(b / 8));
      for (int k = 0; k < 8 && b + k < static_cast<int>(sizeof(T)); ++k)
        bytes[b + k] = static_cast<unsigned char>(bits >> (8 * k));
    }
    return x;
  }
}
template <class T>
struct drawn_item {
  __host__ __device__ T operator()(std::uint64_t seed, std::int64_t i) const {
    return random_item<T>(seed, i);
  }
};
struct drawn_flag {
  std::uint64_t below;  // of 2^32
  __host__ __device__ std::uint8_t operator()(std::uint64_t seed, std::int64_t i) const {
    return (elements::random_bits(seed, i) >> 32) < below;
  }
};
/// Keys in runs of `mean` items, more or less: the number of an item's run. By a power law the means vary
/// from one stretch of 65,536 items to the next.
template <class K>
struct drawn_key {
  double mean;
  bool power_law;
  __host__ __device__ K operator()(std::uint64_t seed, std::int64_t i) const {
    double m = mean;
    if (power_law) m = mean * (1 << (elements::random_bits(seed, i / 65536, 3) % 8)) / 16.0;
    if (m < 1) m = 1;
    auto const run = static_cast<std::int64_t>(static_cast<double>(i) / m);
    auto const begin = static_cast<double>(run) * m;
    auto const cut = static_cast<double>(elements::random_bits(seed, run, 1) >> 40) / 16777216.0 * m;
    return static_cast<K>(2 * run + (static_cast<double>(i) - begin >= cut ? 1 : 0));
  }
};

}  // namespace law

#endif

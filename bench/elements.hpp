// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_ELEMENTS_HPP
#define SWEEP_BENCH_ELEMENTS_HPP

#include <cstdint>
#include <type_traits>

/// Elements and operators that real scans use and that no library tunes for, with random inputs whose scans
/// are exact: every partial result is an integer that the element represents, so that any two correct
/// implementations agree to the last bit whatever their order of evaluation. Shared by benchmarks and tests.

#if defined(__CUDACC__)
#define SWEEP_ELEMENT_FN __host__ __device__ constexpr
#else
#define SWEEP_ELEMENT_FN constexpr
#endif

namespace elements {

/// One step of the linear recurrence y <- a y + b.
struct affine {
  float a;
  float b;
  friend SWEEP_ELEMENT_FN bool operator==(affine x, affine y) { return x.a == y.a && x.b == y.b; }
};

/// First x, then y. Associative, not commutative.
struct compose_affine {
  SWEEP_ELEMENT_FN affine operator()(affine x, affine y) const { return {y.a * x.a, y.a * x.b + y.b}; }
};

/// [[1, u], [0, 1]]: its product adds the corners.
struct unitriangular2 {
  float u;
  friend SWEEP_ELEMENT_FN bool operator==(unitriangular2 x, unitriangular2 y) { return x.u == y.u; }
};

/// [[1, u, w], [0, 1, v], [0, 0, 1]]: 12 bytes, not a power of two, and its product does not commute.
struct unitriangular3 {
  float u;
  float v;
  float w;
  friend SWEEP_ELEMENT_FN bool operator==(unitriangular3 x, unitriangular3 y) {
    return x.u == y.u && x.v == y.v && x.w == y.w;
  }
};

struct matrix_product {
  SWEEP_ELEMENT_FN unitriangular2 operator()(unitriangular2 x, unitriangular2 y) const { return {x.u + y.u}; }
  SWEEP_ELEMENT_FN unitriangular3 operator()(unitriangular3 x, unitriangular3 y) const {
    return {x.u + y.u, x.v + y.v, x.w + y.w + x.u * y.v};
  }
};

/// Unmatched closing and opening brackets of a text, the monoid of bracket matching.
struct bicyclic {
  std::uint32_t closing;
  std::uint32_t opening;
  friend SWEEP_ELEMENT_FN bool operator==(bicyclic x, bicyclic y) {
    return x.closing == y.closing && x.opening == y.opening;
  }
};

/// Concatenation: openings of x meet closings of y. Associative, not commutative, no inverses.
struct concatenate_brackets {
  SWEEP_ELEMENT_FN bicyclic operator()(bicyclic x, bicyclic y) const {
    auto const matched = x.opening < y.closing ? x.opening : y.closing;
    return {x.closing + y.closing - matched, x.opening + y.opening - matched};
  }
};

/// 16 bytes with a 16-byte alignment.
struct alignas(16) vec4 {
  float x;
  float y;
  float z;
  float w;
  friend SWEEP_ELEMENT_FN bool operator==(vec4 p, vec4 q) {
    return p.x == q.x && p.y == q.y && p.z == q.z && p.w == q.w;
  }
};

struct add_vec4 {
  SWEEP_ELEMENT_FN vec4 operator()(vec4 p, vec4 q) const {
    return {p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w};
  }
};

/// A counter-based random number: stateless, so item i can be made by any thread.
SWEEP_ELEMENT_FN std::uint64_t random_bits(std::uint64_t seed, std::int64_t i, std::uint64_t channel = 0) {
  std::uint64_t z = seed + 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(i) * 8 + channel + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// A random height with `bits` bits; -1, before the first item, has height 0.
SWEEP_ELEMENT_FN std::int64_t height(std::uint64_t seed, std::int64_t i, int bits,
                                     std::uint64_t channel = 0) {
  return i < 0 ? 0 : static_cast<std::int64_t>(random_bits(seed, i, channel) >> (64 - bits));
}

/// The step from height i - 1 to height i: the sum over any range is a difference of two heights.
SWEEP_ELEMENT_FN std::int64_t step(std::uint64_t seed, std::int64_t i, int bits, std::uint64_t channel = 0) {
  return height(seed, i, bits, channel) - height(seed, i - 1, bits, channel);
}

/// Item i of the random input of type T. Specialised here for the elements above; arithmetic types give the
/// number of bits.
template <class T, int Bits = 20>
struct random_item {
  SWEEP_ELEMENT_FN T operator()(std::uint64_t seed, std::int64_t i) const {
    return static_cast<T>(step(seed, i, Bits));
  }
  /// The sum of items first to last.
  SWEEP_ELEMENT_FN T sum(std::uint64_t seed, std::int64_t first, std::int64_t last) const {
    return static_cast<T>(height(seed, last, Bits) - height(seed, first - 1, Bits));
  }
};

/// -1, 0 or 1: the sum of any 2^24 of them is exact in a float, in any order.
struct random_sign {
  SWEEP_ELEMENT_FN float operator()(std::uint64_t seed, std::int64_t i) const {
    return static_cast<float>(static_cast<int>(random_bits(seed, i) % 3) - 1);
  }
};

/// Small positive integers for unsigned types: sums of 2^28 of them stay below 2^31.
template <class T>
struct random_small {
  SWEEP_ELEMENT_FN T operator()(std::uint64_t seed, std::int64_t i) const {
    return static_cast<T>(random_bits(seed, i) >> 61);
  }
};

/// a is 1 or -1 and b small: the composition's b is a random walk, below 2^24 for 2^28 items in either
/// direction.
template <>
struct random_item<affine> {
  SWEEP_ELEMENT_FN affine operator()(std::uint64_t seed, std::int64_t i) const {
    auto const bits = random_bits(seed, i);
    return {bits >> 63 != 0 ? -1.0f : 1.0f, static_cast<float>(static_cast<std::int64_t>(bits & 15) - 8)};
  }
};

template <>
struct random_item<unitriangular2> {
  SWEEP_ELEMENT_FN unitriangular2 operator()(std::uint64_t seed, std::int64_t i) const {
    return {static_cast<float>(step(seed, i, 20))};
  }
};

/// The inverse of one random matrix times the next: products over ranges stay small forward, a random walk
/// backward.
template <>
struct random_item<unitriangular3> {
  SWEEP_ELEMENT_FN unitriangular3 operator()(std::uint64_t seed, std::int64_t i) const {
    auto const du = step(seed, i, 4, 0);
    auto const dv = step(seed, i, 4, 1);
    auto const dw = step(seed, i, 12, 2);
    return {static_cast<float>(du), static_cast<float>(dv),
            static_cast<float>(dw - height(seed, i - 1, 4, 0) * dv)};
  }
};

template <>
struct random_item<bicyclic> {
  SWEEP_ELEMENT_FN bicyclic operator()(std::uint64_t seed, std::int64_t i) const {
    return {static_cast<std::uint32_t>(random_bits(seed, i, 0) >> 61),
            static_cast<std::uint32_t>(random_bits(seed, i, 1) >> 61)};
  }
};

template <>
struct random_item<vec4> {
  SWEEP_ELEMENT_FN vec4 operator()(std::uint64_t seed, std::int64_t i) const {
    return {static_cast<float>(step(seed, i, 20, 0)), static_cast<float>(step(seed, i, 20, 1)),
            static_cast<float>(step(seed, i, 20, 2)), static_cast<float>(step(seed, i, 20, 3))};
  }
  SWEEP_ELEMENT_FN vec4 sum(std::uint64_t seed, std::int64_t first, std::int64_t last) const {
    float of[4] = {};
    for (int c = 0; c < 4; ++c)
      of[c] = static_cast<float>(height(seed, last, 20, static_cast<std::uint64_t>(c)) -
                                 height(seed, first - 1, 20, static_cast<std::uint64_t>(c)));
    return {of[0], of[1], of[2], of[3]};
  }
};

/// Items whose high bits are random and unrelated to those of their neighbours.
template <class T>
struct random_high_bits {
  SWEEP_ELEMENT_FN T operator()(std::uint64_t input_seed, std::int64_t i) const {
    auto const bits = random_bits(input_seed, i);
    if constexpr (std::is_same_v<T, vec4>) {
      auto const x = static_cast<float>(bits >> 40);
      return {x * 0x1p-24f, x, 1, 2};
    } else {
      return static_cast<T>(bits >> (64 - 8 * sizeof(T)));
    }
  }
};

/// Holds for a share of them.
struct below {
  float share;
  template <class T>
  SWEEP_ELEMENT_FN bool operator()(T const& x) const {
    if constexpr (std::is_same_v<T, vec4>) return x.x < share;
    else return x < static_cast<T>(static_cast<double>(share) * static_cast<double>(static_cast<T>(~T{0})));
  }
};
struct not_below {
  below of;
  template <class T>
  SWEEP_ELEMENT_FN bool operator()(T const& x) const {
    return !of(x);
  }
};

}  // namespace elements

#endif

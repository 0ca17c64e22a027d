// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_VALUES_HPP
#define SWEEP_TESTS_SUPPORT_VALUES_HPP

#include <support/random.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#if defined(__CUDACC__)
#define SWEEP_TEST_HD __host__ __device__
#else
#define SWEEP_TEST_HD
#endif

// Values of many sizes whose operators are exact, so that any wrong bracket, order, loss or repetition shows
// as a difference. None of the products is commutative, and none loses what it has taken in: random items are
// invertible.
namespace sweep_test {

__extension__ using uint128 = unsigned __int128;

/// Maps x -> m x + a of so many numbers at a time, which are composed in order and exactly.
template <class Unit, int Count>
struct affine_maps {
  Unit m, a[Count - 1];
  friend SWEEP_TEST_HD bool operator==(affine_maps const& x, affine_maps const& y) {
    bool equal = x.m == y.m;
    for (int k = 0; k < Count - 1; ++k) equal = equal && x.a[k] == y.a[k];
    return equal;
  }
};
struct then_affine_maps {
  template <class Unit, int Count>
  SWEEP_TEST_HD affine_maps<Unit, Count> operator()(affine_maps<Unit, Count> const& f,
                                                    affine_maps<Unit, Count> const& g) const {
    affine_maps<Unit, Count> both;
    both.m = static_cast<Unit>(g.m * f.m);
    for (int k = 0; k < Count - 1; ++k) both.a[k] = static_cast<Unit>(g.m * f.a[k] + g.a[k]);
    return both;
  }
};
/// Upper unitriangular 3 x 3 matrices over the integers modulo 2^bits: 3, 6, 12 or 24 bytes.
template <class U>
struct heisenberg {
  U a, b, c;
  friend bool operator==(heisenberg const&, heisenberg const&) = default;
};
struct heisenberg_product {
  template <class U>
  SWEEP_TEST_HD heisenberg<U> operator()(heisenberg<U> const& x, heisenberg<U> const& y) const {
    auto const cross = static_cast<std::uint64_t>(x.a) * y.b;
    return {static_cast<U>(x.a + y.a), static_cast<U>(x.b + y.b),
            static_cast<U>(x.c + y.c + static_cast<U>(cross))};
  }
};

/// 2 x 2 matrices modulo the prime 65521: 16 bytes.
struct matrix2 {
  std::uint32_t m[4];
  friend bool operator==(matrix2 const&, matrix2 const&) = default;
};
struct matrix2_product {
  SWEEP_TEST_HD matrix2 operator()(matrix2 const& x, matrix2 const& y) const {
    auto const entry = [&](int r, int c) {
      return static_cast<std::uint32_t>(
          (std::uint64_t{x.m[2 * r]} * y.m[c] + std::uint64_t{x.m[2 * r + 1]} * y.m[2 + c]) % 65521);
    };
    return {{entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)}};
  }
};

/// Plain bytes that are made of a number alone: there is none by default.
struct of_number {
  std::uint32_t a;
  explicit of_number(std::uint32_t x) : a{x} {}
  friend bool operator==(of_number const&, of_number const&) = default;
};
inline std::vector<of_number> draw_of_numbers(std::size_t n, random_source& random) {
  std::vector<of_number> x;
  for (std::size_t i = 0; i < n; ++i) x.emplace_back(static_cast<std::uint32_t>(random()));
  return x;
}
/// An order of them in which many are equivalent.
inline constexpr auto by_low_byte = [](of_number const& x, of_number const& y) {
  return x.a % 256 < y.a % 256;
};

/// Maps x -> a x + b modulo 2^bits, the left one applied first.
template <class U>
struct affine {
  U a, b;
  friend bool operator==(affine const&, affine const&) = default;
};
struct affine_then {
  template <class U>
  SWEEP_TEST_HD affine<U> operator()(affine<U> const& x, affine<U> const& y) const {
    return {static_cast<U>(std::uint64_t{x.a} * y.a), static_cast<U>(std::uint64_t{x.b} * y.a + y.b)};
  }
};

/// Maps of the plane, v -> M v + t modulo 2^64, the left one applied first: 48 bytes.
struct motion {
  std::uint64_t m[4], t[2];
  friend bool operator==(motion const&, motion const&) = default;
};
struct motion_then {
  SWEEP_TEST_HD motion operator()(motion const& x, motion const& y) const {
    motion r{};
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) r.m[2 * i + j] = y.m[2 * i] * x.m[j] + y.m[2 * i + 1] * x.m[2 + j];
      r.t[i] = y.m[2 * i] * x.t[0] + y.m[2 * i + 1] * x.t[1] + y.t[i];
    }
    return r;
  }
};

/// The bicyclic monoid: what is left of a run of brackets, )...) and (...(, once pairs are cancelled.
struct brackets {
  std::uint32_t closing, opening;
  friend bool operator==(brackets const&, brackets const&) = default;
};
struct brackets_join {
  SWEEP_TEST_HD brackets operator()(brackets const& x, brackets const& y) const {
    auto const paired = x.opening < y.closing ? x.opening : y.closing;
    return {x.closing + y.closing - paired, y.opening + x.opening - paired};
  }
};

/// Operators on unsigned integers, chosen at run time: one kernel serves them all, and an operator has a
/// state. All are computed and one is kept, by masks: compilers multiply loops by the cases of a switch.
enum class operation { plus, maximum, multiply_modulo, first_set, last };
inline constexpr operation all_operations[] = {
    operation::plus, operation::maximum, operation::multiply_modulo, operation::first_set, operation::last};
template <class U>
class chosen_operator {
 public:
  static constexpr std::uint64_t modulus = sizeof(U) == 1 ? 251 : 65521;

  explicit chosen_operator(operation what) { keep_[static_cast<int>(what)] = static_cast<U>(~U{0}); }

  SWEEP_TEST_HD U operator()(U const& x, U const& y) const {
    auto const product = static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y) % modulus;
    return static_cast<U>((static_cast<U>(x + y) & keep_[0]) | ((x < y ? y : x) & keep_[1]) |
                          (static_cast<U>(product) & keep_[2]) | ((x != 0 ? x : y) & keep_[3]) |
                          (y & keep_[4]));
  }

 private:
  U keep_[5]{};
};

struct add {
  template <class T>
  SWEEP_TEST_HD T operator()(T const& x, T const& y) const {
    return static_cast<T>(x + y);
  }
};

// ---- Random values
// -------------------------------------------------------------------------------------------------

template <class T>
T draw(random_source& random) {
  auto const bits = random();
  if constexpr (std::is_same_v<T, uint128>) return static_cast<T>(bits) << 64 | random();
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-53);
  else if constexpr (std::is_signed_v<T>)
    return static_cast<T>(random.between(-100, 100));  // sums do not overflow
  else if constexpr (std::is_unsigned_v<T>) return static_cast<T>(bits);
  else if constexpr (std::is_same_v<T, brackets>)
    return {static_cast<std::uint32_t>(bits % 3), static_cast<std::uint32_t>(bits / 3 % 3)};
  else if constexpr (std::is_same_v<T, matrix2>) {
    auto const x = static_cast<std::uint32_t>(bits % 65521),
               y = static_cast<std::uint32_t>((bits >> 32) % 65521);
    return {{static_cast<std::uint32_t>((1 + std::uint64_t{x} * y) % 65521), x, y, 1}};  // determinant 1
  } else if constexpr (std::is_same_v<T, motion>) {
    auto const y = random();
    return {{1 + bits * y, bits, y, 1}, {random(), random()}};  // determinant 1
  } else if constexpr (requires(T t) { t.c; }) {
    using U = decltype(T::a);
    return {static_cast<U>(bits), static_cast<U>(random()), static_cast<U>(random())};
  } else {
    using U = decltype(T::a);
    return {static_cast<U>(bits | 1), static_cast<U>(random())};  // odd: invertible
  }
}

template <class T>
std::vector<T> draw_many(std::size_t n, random_source& random) {
  std::vector<T> all(n);
  for (auto& x : all) x = draw<T>(random);
  return all;
}

/// Items that suit an operator: residues for the product, mostly zeros where the first set one is asked for.
template <class U>
std::vector<U> draw_for(operation what, std::size_t n, random_source& random) {
  auto all = draw_many<U>(n, random);
  if (what == operation::multiply_modulo)
    for (auto& x : all)
      x = static_cast<U>(1 + static_cast<std::uint64_t>(x) % (chosen_operator<U>::modulus - 1));
  if (what == operation::first_set)
    for (auto& x : all)
      if (random() % 1024 != 0) x = 0;
  return all;
}

/// Steps of a walk that stays within [-50, 50]: the sum of any run of them is a small integer, exact in every
/// floating point type, so that sums can be compared bit by bit whatever their brackets.
template <class T>
std::vector<T> draw_walk(std::size_t n, random_source& random) {
  std::vector<T> steps(n);
  std::int64_t at = 0;
  for (auto& step : steps) {
    auto const next = random.between(-50, 50);
    step = static_cast<T>(static_cast<float>(next - at));
    at = next;
  }
  return steps;
}

}  // namespace sweep_test

#endif

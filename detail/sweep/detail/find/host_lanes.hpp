// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_FIND_HOST_LANES_HPP
#define SWEEP_DETAIL_FIND_HOST_LANES_HPP

// Numbers that are compared with ==, a line of memory at a time: whether any of them is what is looked for
// is asked in vectors of 16 bytes, and only then which one.

#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/values.hpp>
#include <sweep/detail/find/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

template <class X>
constexpr auto number_of_lane() {
  if constexpr (std::is_same_v<X, float> || std::is_same_v<X, double>) return X{};
  else if constexpr (!std::is_integral_v<X>) return;
  else if constexpr (sizeof(X) == 1) return std::int8_t{};
  else if constexpr (sizeof(X) == 2) return std::int16_t{};
  else if constexpr (sizeof(X) == 4) return std::int32_t{};
  else if constexpr (sizeof(X) == 8) return std::int64_t{};
}
/// What a number is compared as, or void.
template <class X>
using lane_number = decltype(number_of_lane<X>());

template <class Number>
struct lanes_of {
  using type [[gnu::vector_size(16)]] = Number;
};

inline constexpr int compared_bytes = 64;

/// Whether differ(k) has a bit set for any of the vectors k of a line.
template <class Differ>
bool any_lane(Differ differ) {
  auto const found = (differ(0) | differ(1)) | (differ(2) | differ(3));
  std::uint64_t words[2];
  static_assert(sizeof found == sizeof words && 4 * sizeof words == compared_bytes);
  std::memcpy(words, &found, sizeof words);
  return (words[0] | words[1]) != 0;
}
template <class X>
auto vector_at(X const* from, int k) {
  typename lanes_of<lane_number<X>>::type x;
  std::memcpy(&x, reinterpret_cast<std::byte const*>(from) + k * static_cast<int>(sizeof x), sizeof x);
  return x;
}

/// Whether a test compares numbers in memory with ==, with a given one or with each other, so that it may be
/// asked of items behind the first that it holds for. Then so many at a time are asked at once, where
/// hold(test, in, first, count) says whether it holds for any; of fewer where it takes them, too.
template <class In, class Test>
struct compared_numbers {
  static constexpr bool found = false;
};
template <class X>
  requires(!std::is_void_v<lane_number<std::remove_const_t<X>>>)
struct compared_numbers<X*, holds_for_item<equal_to_value<std::remove_const_t<X>>>> {
  static constexpr bool found = true, takes_fewer = false;
  static constexpr int items = compared_bytes / static_cast<int>(sizeof(X));
  template <class Test>
  static bool hold(Test const& test, X const* in, std::int64_t first, std::int64_t) {
    auto const value = static_cast<lane_number<std::remove_const_t<X>>>(test.pred.value);
    return any_lane([&](int k) { return vector_at(in + first, k) == value; });
  }
};
template <class In, class A, class B, class Eq>
  requires(std::is_same_v<std::remove_const_t<A>, std::remove_const_t<B>> &&
           !std::is_void_v<lane_number<std::remove_const_t<A>>> &&
           (std::is_same_v<Eq, equal_to> || std::is_same_v<Eq, typed<std::remove_const_t<A>, equal_to>>))
struct compared_numbers<In, differs_at<A*, B*, Eq>> {
  static constexpr bool found = true, takes_fewer = std::is_integral_v<A>;
  static constexpr int items = (takes_fewer ? 16 : 1) * compared_bytes / static_cast<int>(sizeof(A));
  template <class Test>
  static bool hold(Test const& test, In const& indices, std::int64_t first, std::int64_t count) {
    auto const at = indices[first];
    if constexpr (takes_fewer)
      return std::memcmp(test.in1 + at, test.in2 + at, static_cast<std::size_t>(count) * sizeof(A)) != 0;
    else return any_lane([&](int k) { return vector_at(test.in1 + at, k) != vector_at(test.in2 + at, k); });
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

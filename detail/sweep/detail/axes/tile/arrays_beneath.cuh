// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_ARRAYS_BENEATH_CUH
#define SWEEP_DETAIL_AXES_TILE_ARRAYS_BENEATH_CUH

#include <sweep/detail/axes/neighbour_rows.hpp>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/zip.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// The arrays that a problem's items are made of, which lie alike: what item `at` is made of is at
/// from<K>(at) in each, and made_of() makes it of that. Neighbours' stand side by side in all of them if
/// in_run; else in all but the first, where those of a row do.
template <class Problem, class In = std::remove_const_t<decltype(Problem::in)>>
struct arrays_beneath {
  static constexpr int count = 0;
};
template <class Problem>
  requires std::is_pointer_v<decltype(Problem::in)>
struct arrays_beneath<Problem, std::remove_const_t<decltype(Problem::in)>> {
  using in = std::remove_const_t<decltype(Problem::in)>;
  static constexpr int count = 1;
  static constexpr bool in_run = true;
  template <int>
  using item = value_of<in>;
  template <int>
  static __device__ auto const* from(Problem const& problem, std::int64_t at) {
    return problem.in + at;
  }
  template <class Read, class Place>
  static __device__ auto made_of(Problem const& problem, Read const& read, Place const&) {
    return problem.of(read(std::integral_constant<int, 0>{}));
  }
};
/// An item is made of one of each of two arrays.
template <class Problem, class A, class B>
struct two_arrays_beneath {
  static constexpr int count = 2;
  template <int K>
  using item = std::remove_cv_t<std::conditional_t<K == 0, A, B>>;
  template <class Read, class Place>
  static __device__ auto made_of(Problem const& problem, Read const& read, Place const&) {
    return problem.of(typename Problem::raw{read(std::integral_constant<int, 0>{}),
                                            read(std::integral_constant<int, 1>{})});
  }
};
template <class Problem, class A, class B>
struct arrays_beneath<Problem, zip_input<A*, B*>> : two_arrays_beneath<Problem, A, B> {
  static constexpr bool in_run = true;
  template <int K>
  static __device__ auto const* from(Problem const& problem, std::int64_t at) {
    if constexpr (K == 0) return problem.in.first() + at;
    else return problem.in.second() + at;
  }
};
template <class Problem, class A, class B, class Step>
struct arrays_beneath<Problem, row_before_beside<A, B, Step>> : two_arrays_beneath<Problem, A, B> {
  static constexpr bool in_run = false;
  template <int K>
  static __device__ auto const* from(Problem const& problem, std::int64_t at) {
    if constexpr (K == 0) return problem.in.behind + problem.in.step.from(at);
    else return problem.in.items + at;
  }
};
template <class Problem>
requires Problem::makes_of_memory struct arrays_beneath<Problem, std::remove_const_t<decltype(Problem::in)>> {
  static constexpr int count = 1;
  static constexpr bool in_run = true;
  template <int>
  using item = typename Problem::fetched;
  template <int>
  static __device__ auto const* from(Problem const& problem, std::int64_t at) {
    return problem.memory() + at;
  }
  template <class Read, class Place>
  static __device__ auto made_of(Problem const& problem, Read const& read, Place const& place) {
    return problem.made(read(std::integral_constant<int, 0>{}), place);
  }
};

/// Whether what an item is made of, side by side, is the item: asynchronous copies bring its halves to their
/// places in shared memory.
template <class Problem>
inline constexpr bool comes_in_halves = [] {
  using arrays = arrays_beneath<Problem>;
  if constexpr (arrays::count == 2) {
    using first = typename arrays::template item<0>;
    using second = typename arrays::template item<1>;
    constexpr auto copied = [](std::size_t size, std::size_t align) {
      return size == align && (size == 4 || size == 8 || size == 16);
    };
    return keeps_bytes<decltype(Problem::unary), typename Problem::raw> &&
           sizeof(typename Problem::value) == sizeof(first) + sizeof(second) &&
           copied(sizeof(first), alignof(first)) && copied(sizeof(second), alignof(second));
  } else {
    return false;
  }
}();
/// Those of item `at`.
template <class Problem>
__device__ void copy_halves(typename Problem::value* to, Problem const& problem, std::int64_t at) {
  using arrays = arrays_beneath<Problem>;
  constexpr int size = sizeof(typename arrays::template item<0>);
  auto* const bytes = reinterpret_cast<unsigned char*>(to);
  copy_async<size>(bytes, arrays::template from<0>(problem, at));
  copy_async<sizeof(typename arrays::template item<1>)>(bytes + size, arrays::template from<1>(problem, at));
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

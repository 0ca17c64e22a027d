// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_RELOCATABLE_HPP
#define SWEEP_DETAIL_CORE_RELOCATABLE_HPP

// Which values a device may move about as bytes, through registers, shared memory and tile state.

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/standard.hpp>

#include <complex>
#include <cstddef>
#include <cstring>
#include <tuple>
#include <type_traits>

#if __has_include(<thrust/detail/config/config.h>)
#include <thrust/detail/config/config.h>
THRUST_NAMESPACE_BEGIN
template <typename T>
struct proclaim_trivially_relocatable;
THRUST_NAMESPACE_END
#define SWEEP_HAS_THRUST_RELOCATION 1
#else
#define SWEEP_HAS_THRUST_RELOCATION 0
#endif
#if __has_include(<cuda/std/__fwd/pair.h>) && __has_include(<cuda/std/__fwd/tuple.h>)
#include <cuda/std/__fwd/pair.h>
#include <cuda/std/__fwd/tuple.h>
#define SWEEP_HAS_LIBCUDACXX_TUPLES 1
#else
#define SWEEP_HAS_LIBCUDACXX_TUPLES 0
#endif

namespace sweep::inline SWEEP_ABI::detail {

template <class T>
constexpr bool is_proclaimed_relocatable() {
#if SWEEP_HAS_THRUST_RELOCATION  // incomplete where nobody has included Thrust's header
  if constexpr (requires { thrust::proclaim_trivially_relocatable<T>::value; })
    return thrust::proclaim_trivially_relocatable<T>::value;
#endif
  return false;
}

/// Whether a T is its bytes: trivially copyable, or but for its assignment; or what
/// THRUST_PROCLAIM_TRIVIALLY_RELOCATABLE says to be, and owns nothing; and pairs and tuples of such. What can
/// be moved alone is called trivially copyable, too, and has no copies.
template <class T>
inline constexpr bool relocatable = std::is_copy_constructible_v<T> &&
                                    (std::is_trivially_copyable_v<T> ||
                                     (std::is_trivially_destructible_v<T> &&
                                      (std::is_trivially_copy_constructible_v<T> ||
                                       is_proclaimed_relocatable<T>())));
/// Whether a T that is its bytes is assigned as such: one with a const member is not, or one whose assignment
/// does more.
template <class T>
inline constexpr bool assigned_as_bytes = std::is_trivially_copyable_v<T>&& std::is_copy_assignable_v<T>;
template <class A, class B>
inline constexpr bool relocatable<std::pair<A, B>> = relocatable<A>&& relocatable<B>;
template <class... Ts>
inline constexpr bool relocatable<std::tuple<Ts...>> = (relocatable<Ts> && ...);
#if SWEEP_HAS_LIBCUDACXX_TUPLES
template <class A, class B>
inline constexpr bool relocatable<cuda::std::pair<A, B>> = relocatable<A>&& relocatable<B>;
template <class... Ts>
inline constexpr bool relocatable<cuda::std::tuple<Ts...>> = (relocatable<Ts> && ...);
#endif

/// Copies a value to memory where no value need stand yet, as assigning may ask for.
template <class T>
SWEEP_HD void put_bytes(T& to, T const& x) {
  if constexpr (assigned_as_bytes<T>) {
    to = x;
  } else {
#if defined(__CUDA_ARCH__)  // nvcc would store single bytes
    using word = std::conditional_t<
        alignof(T) % 8 == 0, unsigned long long,
        std::conditional_t<alignof(T) % 4 == 0, unsigned,
                           std::conditional_t<alignof(T) % 2 == 0, unsigned short, unsigned char>>>;
    constexpr int count = static_cast<int>(sizeof(T) / sizeof(word));
    word words[count];
    memcpy(words, static_cast<void const*>(&x), sizeof(T));
#pragma unroll
    for (int w = 0; w < count; ++w) reinterpret_cast<word*>(&to)[w] = words[w];
#else
    std::memcpy(static_cast<void*>(&to), static_cast<void const*>(&x), sizeof(T));
#endif
  }
}

// The standard library's own values have functions of the host alone, unless nvcc is told otherwise.

#if defined(__CUDACC_RELAXED_CONSTEXPR__)
inline constexpr bool has_host_only_values = false;
#else
inline constexpr bool has_host_only_values = true;
#endif
template <class T>
inline constexpr bool is_std_complex = false;
template <class T>
inline constexpr bool is_std_complex<std::complex<T>> = has_host_only_values;
template <class T>
inline constexpr bool is_std_pair = false;
template <class A, class B>
inline constexpr bool is_std_pair<std::pair<A, B>> = has_host_only_values;
template <class T>
inline constexpr bool is_std_tuple = false;
template <class... Ts>
inline constexpr bool is_std_tuple<std::tuple<Ts...>> = has_host_only_values;

/// Whether the device can fold and move values of these types, and keep those of the first; one readable line
/// where it cannot. A call that asks compiles nothing else then.
template <class Kept, class... Read>
constexpr bool usable_on_device() {
  constexpr bool is_complex = is_std_complex<Kept> || (is_std_complex<Read> || ...);
  constexpr bool is_pair = is_std_pair<Kept> || (is_std_pair<Read> || ...);
  constexpr bool is_tuple = is_std_tuple<Kept> || (is_std_tuple<Read> || ...);
  constexpr bool is_kept = relocatable<Kept> && std::is_default_constructible_v<Kept>;
  static_assert(
      !is_complex,
      "sweep: std::complex computes on the host alone: on the device use cuda::std::complex, of the same "
      "layout, or compile with --expt-relaxed-constexpr");
  static_assert(
      !is_pair,
      "sweep: std::pair is assigned on the host alone: on the device use cuda::std::pair, or compile with "
      "--expt-relaxed-constexpr");
  static_assert(
      !is_tuple,
      "sweep: std::tuple is read on the host alone: on the device use cuda::std::tuple, or compile with "
      "--expt-relaxed-constexpr");
  static_assert(is_complex || is_pair || is_tuple || is_kept,
                "sweep: on the device the accumulator must be trivially copyable, or proclaimed trivially "
                "relocatable, and default constructible");
  return !is_complex && !is_pair && !is_tuple && is_kept;
}

/// The same for a call, which may run on the host.
template <bool OnHost, class Kept, class... Read>
constexpr bool runs_with() {
  if constexpr (OnHost) return true;
  else return usable_on_device<Kept, Read...>();
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

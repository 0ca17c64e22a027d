// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_ITERATOR_HPP
#define SWEEP_DETAIL_CORE_ITERATOR_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// Thrust's iterators are known by forward declarations, which cost nothing to compile and need none of its
// headers but the one with its namespaces; <thrust/detail/config.h> brings NVTX as well.
#if __has_include(<thrust/detail/config/config.h>)
#include <thrust/detail/config/config.h>
THRUST_NAMESPACE_BEGIN
namespace detail {
template <class Pointer>
class normal_iterator;
}
template <class Elements, class Indices>
class permutation_iterator;
template <class Iterators>
class zip_iterator;
template <class System>
class discard_iterator;
template <class Function, class Iterator, class Reference, class Value>
class transform_iterator;
template <class Value, class Incrementable, class System>
class constant_iterator;
THRUST_NAMESPACE_END
#if __has_include(<cuda/std/__fwd/iterator.h>)  // where Thrust's reverse_iterator is libcu++'s
#include <cuda/std/__fwd/iterator.h>
namespace sweep::inline SWEEP_ABI::detail {
template <class It>
using thrust_reverse_iterator = cuda::std::reverse_iterator<It>;
}
#else
THRUST_NAMESPACE_BEGIN
template <class Iterator>
class reverse_iterator;
THRUST_NAMESPACE_END
namespace sweep::inline SWEEP_ABI::detail {
template <class It>
using thrust_reverse_iterator = thrust::reverse_iterator<It>;
}
#endif
#define SWEEP_HAS_THRUST 1
#else
#define SWEEP_HAS_THRUST 0
#endif
#if defined(_CCCL_BEGIN_NAMESPACE_CUDA)  // libcu++ has iterators of its own
_CCCL_BEGIN_NAMESPACE_CUDA
template <class Value, class Index>
class constant_iterator;
_CCCL_END_NAMESPACE_CUDA
#define SWEEP_HAS_CUDA_ITERATORS 1
#else
#define SWEEP_HAS_CUDA_ITERATORS 0
#endif

namespace sweep::inline SWEEP_ABI::detail {

/// An iterator's value type; void where it only takes what it is given. Of one whose differences are wider
/// than any integer, as those of std::views::iota over 64 bits, iterator_traits know none.
template <class It>
struct value_type_of {
  using type = typename std::iterator_traits<It>::value_type;
};
template <class It>
  requires(std::is_void_v<typename std::iterator_traits<It>::value_type>&& requires {
    typename std::iter_value_t<It>;
  })
struct value_type_of<It> {
  using type = std::iter_value_t<It>;
};
template <class It>
using value_of = typename value_type_of<It>::type;

struct unheard_of {};
/// Whether a value type keeps what it is given. That of an iterator that discards is void, or made of
/// anything; a tuple with such a part would be made of another tuple as if that were the part.
template <class V>
inline constexpr bool keeps_values =
    !std::is_void_v<V> && !std::conjunction_v<std::is_empty<V>, std::is_constructible<V, unheard_of>>;
template <template <class...> class Tuple, class... Parts>
  requires(std::tuple_size<Tuple<Parts...>>::value == sizeof...(Parts))
inline constexpr bool keeps_values<Tuple<Parts...>> = (keeps_values<Parts> && ...);

/// The type written through an output iterator: its value type, or else the scan's own.
template <class It, class Otherwise>
using written_value = std::conditional_t<keeps_values<value_of<It>>, value_of<It>, Otherwise>;

template <class It>
inline constexpr bool is_reverse = false;
template <class It>
inline constexpr bool is_reverse<std::reverse_iterator<It>> = true;
/// Thrust's pointers, device_ptr and pointer<T, system, ...>, by what Thrust itself knows them by. Vectors in
/// universal or pinned memory, or with an allocator made of a memory resource, have iterators over such.
template <class It>
concept wraps_raw_pointer = requires(It const& it) {
  requires std::is_pointer_v<typename It::raw_pointer>;
  requires std::is_same_v < std::remove_cvref_t<decltype(it.get())>,
  typename It::raw_pointer > ;
};
template <class It>
inline constexpr bool is_thrust_contiguous = wraps_raw_pointer<It>;
#if SWEEP_HAS_THRUST
template <class It>
inline constexpr bool is_reverse<thrust_reverse_iterator<It>> = true;
template <class P>
inline constexpr bool is_thrust_contiguous<thrust::detail::normal_iterator<P>> = true;
#endif

/// Contiguous memory read from its end, on both sides: what std::reverse_iterator is on the host alone.
template <class T>
class reversed_items {
 public:
  using value_type = std::remove_cv_t<T>;
  using reference = T&;
  using pointer = T*;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;

  SWEEP_HD constexpr explicit reversed_items(T* end) : end_{end} {}
  SWEEP_HD constexpr T* end() const { return end_; }
  SWEEP_HD constexpr T& operator[](difference_type i) const { return end_[-1 - i]; }
  friend SWEEP_HD constexpr reversed_items operator+(reversed_items x, difference_type n) {
    return reversed_items(x.end_ - n);
  }
  friend SWEEP_HD constexpr difference_type operator-(reversed_items x, reversed_items y) {
    return y.end_ - x.end_;
  }

 private:
  T* end_;
};

template <class It>
inline constexpr bool is_reversed_items = false;
template <class T>
inline constexpr bool is_reversed_items<reversed_items<T>> = true;

template <class It>
SWEEP_HD constexpr auto unwrapped(It it);

/// The pointer behind the last item in memory, or behind any other reversed iterator's base.
SWEEP_NO_EXEC_CHECK
template <class It>
SWEEP_HD constexpr auto base_pointer(It it) {
  return unwrapped(it.base());
}
template <class It>
inline constexpr bool is_reversed_contiguous = false;
template <class It>
  requires is_reverse<It>
inline constexpr bool is_reversed_contiguous<It> =
    std::is_pointer_v<decltype(base_pointer(std::declval<It>()))>;

/// Contiguous iterators become pointers, so that wide loads apply; all others stay what they are.
SWEEP_NO_EXEC_CHECK
template <class It>
SWEEP_HD constexpr auto unwrapped(It it) {
  if constexpr (std::is_pointer_v<It>) return it;
  else if constexpr (is_thrust_contiguous<It>) {
    if constexpr (wraps_raw_pointer<It>) return it.get();
    else return unwrapped(it.base());
  } else if constexpr (is_reversed_contiguous<It>) return reversed_items(base_pointer(it));
  else if constexpr (std::contiguous_iterator<It>) return std::to_address(it);
  else return it;
}

template <class It>
using unwrapped_t = decltype(unwrapped(std::declval<It>()));

/// Whether iterators say themselves that they stand at the same place.
template <class In, class Out>
inline constexpr bool tell_their_place = requires(In const& in, Out const& out) {
  static_cast<bool>(in == out);
};
/// Whether two iterators, which stand for an input and an output of some items, stand at the same place.
/// Those that do not say it do where their first items do or, if these have no place, where nothing is
/// between them.
SWEEP_NO_EXEC_CHECK
template <class In, class Out>
SWEEP_HD bool is_same_place(In const& in, Out const& out) {
  if constexpr (std::is_pointer_v<In> && std::is_pointer_v<Out>)
    return static_cast<void const*>(in) == static_cast<void const*>(out);
  else if constexpr (is_reversed_items<In> && std::is_same_v<In, Out>) return in.end() == out.end();
  else if constexpr (tell_their_place<In, Out>) return static_cast<bool>(in == out);
  else if constexpr (std::is_lvalue_reference_v<decltype(in[0])> &&
                     std::is_lvalue_reference_v<decltype(out[0])>)
    return static_cast<void const*>(__builtin_addressof(in[0])) ==
           static_cast<void const*>(__builtin_addressof(out[0]));
  else if constexpr (std::is_same_v<In, Out>) return out - in == 0;
  else return false;
}
/// The same before any item may be asked for, on the host of a device: perhaps, where iterators of one type
/// do not say it.
SWEEP_NO_EXEC_CHECK
template <class In, class Out>
SWEEP_HD bool may_be_same_place(In const& in, Out const& out) {
  constexpr bool is_told = (std::is_pointer_v<In> && std::is_pointer_v<Out>) || tell_their_place<In, Out> ||
                           (is_reversed_items<In> && std::is_same_v<In, Out>);
  if constexpr (is_told) return is_same_place(in, out);
  else return std::is_same_v<In, Out>;
}

/// Whether two ranges of memory have a byte in common.
template <class A, class B>
SWEEP_HD bool overlap(A const* a, std::int64_t n, B const* b, std::int64_t m) {
  auto const from_a = reinterpret_cast<std::uintptr_t>(a), from_b = reinterpret_cast<std::uintptr_t>(b);
  return n > 0 && m > 0 && from_a < from_b + static_cast<std::uintptr_t>(m) * sizeof(B) &&
         from_b < from_a + static_cast<std::uintptr_t>(n) * sizeof(A);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

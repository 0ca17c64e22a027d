// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_ITEM_SOURCE_HPP
#define SWEEP_DETAIL_CORE_ITEM_SOURCE_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

// What lies beneath an iterator. An input that makes its items of neighbours in contiguous memory (transform,
// zip, reverse, permutation, ...) is taken apart into the pointers to these, its streams, and into what makes
// an item of theirs. So memory is read as if it were there alone, in vectors or by bulk copies, and the items
// are made where they are needed. source_of(it) gives a source, which has
//   value_type              of the items
//   streams                 how many there are; 0 where items are computed alone
//   stream<K>()             the K-th: a memory_source
//   reads_elsewhere         whether making an item reads other memory too, whose loads are best coalesced
//   item<First>(i, read)    item i of the range, made of read(stream_number<First + K>{}), which gives what
//                           stream K holds at i
// Where the other memory holds one element for each item, the source is gathered_in_memory, and has
//   element_of(i, read)     where that of item i stands
//   elements_at()           where one of them would, of which others are whole elements away
//   made_of(element)        the item
// An iterator of which nothing is known is an opaque_source, with no streams, that reads elsewhere.

template <int K>
using stream_number = std::integral_constant<int, K>;

/// Neighbours in memory, the only source with a stream of its own. Item i is first[i], or where it is
/// reversed first[-i].
template <class T, bool Reversed = false>
struct memory_source {
  using value_type = T;
  static constexpr int streams = 1;
  static constexpr bool reads_elsewhere = false, reversed = Reversed;
  T const* first;

  template <int>
  SWEEP_HD constexpr memory_source stream() const {
    return *this;
  }
  template <int First = 0, class Read>
  SWEEP_HD decltype(auto) item(std::int64_t, Read const& read) const {
    return read(stream_number<First>{});
  }
  /// The lowest in memory of the items [i, i + count).
  SWEEP_HD constexpr T const* lowest(std::int64_t i, std::int64_t count) const {
    return reversed ? first - (i + count - 1) : first + i;
  }
};

/// Items that only the iterator itself can give; Elsewhere unless it computes them from their index.
template <class It, bool Elsewhere>
struct opaque_source {
  using value_type = value_of<It>;
  static constexpr int streams = 0;
  static constexpr bool reads_elsewhere = Elsewhere;
  It it;

  template <int>
  SWEEP_HD constexpr memory_source<value_type> stream() const {  // there is none to ask for
    return {nullptr};
  }

  SWEEP_NO_EXEC_CHECK
  template <int = 0, class Read>
  SWEEP_HD value_type item(std::int64_t i, Read const&) const {
    return static_cast<value_type>(it[static_cast<typename std::iterator_traits<It>::difference_type>(i)]);
  }
};

/// What stands elsewhere in memory, one for each item of a source; void where it does not say where.
template <class Source>
struct element_elsewhere {
  using type = void;
};
template <class Source>
using element_of_t = typename element_elsewhere<Source>::type;
template <class Source>
inline constexpr bool gathered_in_memory = !std::is_void_v<element_of_t<Source>>;

/// A function of another source's items.
template <class Value, class F, class Source>
struct transform_source {
  using value_type = Value;
  static constexpr int streams = Source::streams;
  static constexpr bool reads_elsewhere = Source::reads_elsewhere;
  mutable F f;  ///< a caller's function need not be const
  Source from;

  template <int K>
  SWEEP_HD constexpr auto stream() const {
    return from.template stream<K>();
  }
  SWEEP_NO_EXEC_CHECK
  template <int First = 0, class Read>
  SWEEP_HD value_type item(std::int64_t i, Read const& read) const {
    typename Source::value_type const x = from.template item<First>(i, read);
    return static_cast<value_type>(f(x));
  }
  SWEEP_NO_EXEC_CHECK
  template <class Read>
  requires gathered_in_memory<Source> SWEEP_HD auto element_of(std::int64_t i, Read const& read) const {
    return from.element_of(i, read);
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD auto elements_at() const requires gathered_in_memory<Source> { return from.elements_at(); }
  SWEEP_NO_EXEC_CHECK
  template <class Element>
    requires gathered_in_memory<Source> SWEEP_HD value_type made_of(Element const& element)
  const {
    typename Source::value_type const x = from.made_of(element);
    return static_cast<value_type>(f(x));
  }
};

template <class Value, class F, class Source>
struct element_elsewhere<transform_source<Value, F, Source>> : element_elsewhere<Source> {};

/// Items of several sources side by side; Value is made of one of each.
template <class Value, class... Sources>
struct zip_source;
template <class Value, class Only>
struct zip_source<Value, Only> {
  using value_type = Value;
  static constexpr int streams = Only::streams;
  static constexpr bool reads_elsewhere = Only::reads_elsewhere;
  Only only;

  template <int K>
  SWEEP_HD constexpr auto stream() const {
    return only.template stream<K>();
  }
  SWEEP_NO_EXEC_CHECK
  template <int First = 0, class Read, class... Before>
  SWEEP_HD value_type item(std::int64_t i, Read const& read, Before const&... before) const {
    return value_type{before..., only.template item<First>(i, read)};
  }
};
template <class Value, class One, class... Others>
struct zip_source<Value, One, Others...> {
  using value_type = Value;
  using rest = zip_source<Value, Others...>;
  static constexpr int streams = One::streams + rest::streams;
  static constexpr bool reads_elsewhere = One::reads_elsewhere || rest::reads_elsewhere;
  One one;
  rest others;

  template <int K>
  SWEEP_HD constexpr auto stream() const {
    if constexpr (K < One::streams) return one.template stream<K>();
    else return others.template stream<K - One::streams>();
  }
  SWEEP_NO_EXEC_CHECK
  template <int First = 0, class Read, class... Before>
  SWEEP_HD value_type item(std::int64_t i, Read const& read, Before const&... before) const {
    typename One::value_type const x = one.template item<First>(i, read);
    return others.template item<First + One::streams>(i, read, before..., x);
  }
};

/// An index as an iterator: Thrust's permutation_iterator over it, which any other can be converted to, has
/// the elements in their own order.
template <class Indices>
class own_order {
 public:
  using value_type = value_of<Indices>;
  using reference = value_type;
  using pointer = void;
  using difference_type = typename std::iterator_traits<Indices>::difference_type;
  using iterator_category = typename std::iterator_traits<Indices>::iterator_category;

  own_order() = default;
  SWEEP_HD constexpr own_order(Indices const&) {}
  SWEEP_HD constexpr reference operator*() const { return static_cast<value_type>(at_); }
  SWEEP_HD constexpr own_order& operator+=(difference_type n) {
    at_ += n;
    return *this;
  }
  friend SWEEP_HD constexpr own_order operator+(own_order x, difference_type n) { return x += n; }

 private:
  difference_type at_ = 0;
};

#if SWEEP_HAS_THRUST
/// The elements from the first one on, which is then known when this is compiled: where it is kept with them
/// an index costs an addition in 64 bits.
SWEEP_NO_EXEC_CHECK
template <class Elements, class Indices>
SWEEP_HD constexpr auto from_first(
    thrust::permutation_iterator<Elements, own_order<Indices>> const& elements) {
  return thrust::permutation_iterator<Elements, own_order<own_order<Indices>>>(elements);
}
#endif

/// Elements of a range, in memory or not, at the indices that another source gives.
template <class Elements, bool InMemory, class Source>
struct permutation_source {
  using value_type = value_of<Elements>;
  static constexpr int streams = Source::streams;
  static constexpr bool reads_elsewhere = true;
  Elements elements;
  Source indices;

  template <int K>
  SWEEP_HD constexpr auto stream() const {
    return indices.template stream<K>();
  }
  SWEEP_NO_EXEC_CHECK
  template <int First = 0, class Read>
  SWEEP_HD value_type item(std::int64_t i, Read const& read) const {
    return static_cast<value_type>(from_first(elements)[indices.template item<First>(i, read)]);
  }
  SWEEP_NO_EXEC_CHECK
  template <class Read>
  requires InMemory SWEEP_HD auto element_of(std::int64_t i, Read const& read) const {
    return unwrapped(&from_first(elements)[indices.template item<0>(i, read)]);
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD auto elements_at() const requires InMemory { return unwrapped(&elements[0]); }
  SWEEP_NO_EXEC_CHECK
  template <class Element>
    requires InMemory SWEEP_HD value_type made_of(Element const& element)
  const { return static_cast<value_type>(element); }
};
template <class Elements, class Source>
struct element_elsewhere<permutation_source<Elements, true, Source>> {
  using type = value_of<Elements>;
};

template <class It>
inline constexpr bool is_thrust_permutation = false;
template <class It>
inline constexpr bool is_thrust_zip = false;
template <class It>
inline constexpr bool is_thrust_transform = false;
template <class It>
inline constexpr bool is_thrust_discard = false;
#if SWEEP_HAS_THRUST
template <class Iterators>
inline constexpr bool is_thrust_zip<thrust::zip_iterator<Iterators>> = true;
template <class System>
inline constexpr bool is_thrust_discard<thrust::discard_iterator<System>> = true;
template <class Function, class... Rest>
inline constexpr bool is_thrust_transform<thrust::transform_iterator<Function, Rest...>> = true;
template <class Elements, class Indices>
inline constexpr bool is_thrust_permutation<thrust::permutation_iterator<Elements, Indices>> = true;
#endif

/// Whether all items of an iterator are one value: those of a constant, in any order, and what is made of
/// such alone.
template <class It>
inline constexpr bool gives_one_value = false;
template <class It>
  requires is_reverse<It>
inline constexpr bool gives_one_value<It> =
    gives_one_value<std::remove_cvref_t<decltype(std::declval<It const&>().base())>>;
#if SWEEP_HAS_THRUST
template <class Value, class... Rest>
inline constexpr bool gives_one_value<thrust::constant_iterator<Value, Rest...>> = true;
template <class Function, class It, class... Rest>
inline constexpr bool gives_one_value<thrust::transform_iterator<Function, It, Rest...>> =
    gives_one_value<It>;
template <template <class...> class Tuple, class... Its>
inline constexpr bool gives_one_value<thrust::zip_iterator<Tuple<Its...>>> = (gives_one_value<Its> && ...);
#endif
#if SWEEP_HAS_CUDA_ITERATORS
template <class Value, class Index>
inline constexpr bool gives_one_value<cuda::constant_iterator<Value, Index>> = true;
#endif

/// Whether an iterator computes its items from a number alone (counting, constant, ...), by its shape.
template <class It>
constexpr bool computes_from_number() {
  if constexpr (std::is_arithmetic_v<It> || gives_one_value<It>) return true;
  else if constexpr (std::is_pointer_v<It> || requires(It const& it) { it.functor(); }) return false;
  else if constexpr (requires(It const& it) { it.base(); })
    return computes_from_number<std::remove_cvref_t<decltype(std::declval<It const&>().base())>>();
  else if constexpr (requires(It const& it) { it.__get_value(); })  // cuda::counting_iterator
    return computes_from_number<std::remove_cvref_t<decltype(std::declval<It const&>().__get_value())>>();
  else return false;
}

template <class It>
SWEEP_HD constexpr auto source_of(It const& it);

template <class Value, class One, class... Others>
SWEEP_HD constexpr auto zipped_sources(One const& one, Others const&... others) {
  if constexpr (sizeof...(Others) == 0) {
    return zip_source<Value, One>{one};
  } else {
    return zip_source<Value, One, Others...>{one, zipped_sources<Value>(others...)};
  }
}
template <class Value, template <class...> class Tuple, class... Its, std::size_t... K>
SWEEP_HD constexpr auto zipped_sources_of(Tuple<Its...> const& its, std::index_sequence<K...>) {
  return zipped_sources<Value>(source_of(get<K>(its))...);
}
template <class Value, template <class...> class Tuple, class... Its>
SWEEP_HD constexpr auto zipped_sources_of(Tuple<Its...> const& its) {
  return zipped_sources_of<Value>(its, std::index_sequence_for<Its...>{});
}

#if SWEEP_HAS_THRUST
template <class Elements, class Indices>
SWEEP_HD constexpr auto permuted_source(thrust::permutation_iterator<Elements, Indices> const& it) {
  using elements = thrust::permutation_iterator<Elements, own_order<Indices>>;
  using memory = unwrapped_t<Elements>;
  constexpr bool in_memory =
      (std::is_pointer_v<memory> || is_reversed_items<memory>)&&relocatable<value_of<Elements>>;
  auto const indices = source_of(it.base());
  return permutation_source<elements, in_memory, std::remove_const_t<decltype(indices)>>{elements(it),
                                                                                         indices};
}
#endif

SWEEP_NO_EXEC_CHECK
template <class It>
SWEEP_HD constexpr auto source_of(It const& given) {
  auto const it = unwrapped(given);
  using I = std::remove_const_t<decltype(it)>;
  using value = value_of<I>;
  if constexpr (std::is_pointer_v<I> && relocatable<value>) {
    return memory_source<value>{it};
  } else if constexpr (is_reversed_items<I> && relocatable<value>) {
    return memory_source<value, true>{it.end() - 1};
  } else if constexpr (requires { it.taken_apart(); }) {  // an iterator of this library that says so itself
    return it.taken_apart();
  } else if constexpr (is_thrust_zip<I>) {
    return zipped_sources_of<value>(it.get_iterator_tuple());
  } else if constexpr (is_thrust_permutation<I>) {
    return permuted_source(it);
  } else if constexpr (computes_from_number<I>()) {
    return opaque_source<I, false>{it};
  } else if constexpr (is_thrust_transform<I>) {
    auto const from = source_of(it.base());
    return transform_source<value, std::remove_cvref_t<decltype(it.functor())>,
                            std::remove_const_t<decltype(from)>>{it.functor(), from};
  } else {
    return opaque_source<I, true>{it};
  }
}
template <class It>
using source_of_t = decltype(source_of(std::declval<It const&>()));
/// The items of stream K.
template <class Source, int K>
using stream_value = typename decltype(std::declval<Source const&>().template stream<K>())::value_type;
template <class Source, int K>
inline constexpr bool stream_reversed =
    decltype(std::declval<Source const&>().template stream<K>())::reversed;

// The same for an output: sink_of(out) gives a sink, which has
//   streams                 pointers to contiguous memory that all results go to; 0 where nobody keeps them
//   written_by_iterator     whether only the iterator itself can write a result, and there are no streams
//   stream<K>()             the K-th: a memory_sink
//   part<K>(result)         what goes there of a result, which has the type that is written through the
//   iterator

/// Part K of a pair or a tuple.
template <int K, class X>
SWEEP_HD constexpr decltype(auto) part_of(X const& x) {
  if constexpr (requires {
                  x.first;
                  x.second;
                }) {
    static_assert(K < 2);
    if constexpr (K == 0) return (x.first);
    else return (x.second);
  } else {
    return get<K>(x);
  }
}

template <class T, bool Reversed = false>
struct memory_sink {
  using value_type = T;
  static constexpr int streams = 1;
  static constexpr bool written_by_iterator = false, reversed = Reversed;
  T* first;

  template <int>
  SWEEP_HD constexpr memory_sink stream() const {
    return *this;
  }
  template <int, class Result>
  static SWEEP_HD constexpr T part(Result const& x) {
    return static_cast<T>(x);
  }
  /// The lowest in memory of the items [i, i + count).
  SWEEP_HD constexpr T* lowest(std::int64_t i, std::int64_t count) const {
    return reversed ? first - (i + count - 1) : first + i;
  }
};

/// Results that nobody keeps, or that only the iterator can write.
template <bool ByIterator>
struct pathless_sink {
  static constexpr int streams = 0;
  static constexpr bool written_by_iterator = ByIterator;
  template <int>
  SWEEP_HD constexpr memory_sink<char> stream() const {  // there is none to ask for
    return {nullptr};
  }
  template <int, class Result>
  static SWEEP_HD constexpr char part(Result const&) {
    return 0;
  }
};
using discarding_sink = pathless_sink<false>;
using opaque_sink = pathless_sink<true>;

/// Results side by side, each part into a sink of its own. At counts the parts before these.
template <int At, class... Sinks>
struct zip_sink : discarding_sink {};
template <int At, class One, class... Others>
struct zip_sink<At, One, Others...> {
  using rest = zip_sink<At + 1, Others...>;
  static constexpr int streams = One::streams + rest::streams;
  static constexpr bool written_by_iterator = One::written_by_iterator || rest::written_by_iterator;
  One one;
  rest others;

  template <int K>
  SWEEP_HD constexpr auto stream() const {
    if constexpr (K < One::streams) return one.template stream<K>();
    else return others.template stream<K - One::streams>();
  }
  template <int K, class Result>
  static SWEEP_HD constexpr auto part(Result const& x) {
    if constexpr (K < One::streams) return One::template part<K>(part_of<At>(x));
    else return rest::template part<K - One::streams>(x);
  }
};

template <int At = 0>
SWEEP_HD constexpr zip_sink<At> zipped_sinks() {
  return {};
}
template <int At = 0, class One, class... Others>
SWEEP_HD constexpr auto zipped_sinks(One const& one, Others const&... others) {
  return zip_sink<At, One, Others...>{one, zipped_sinks<At + 1>(others...)};
}
template <class It>
SWEEP_HD constexpr auto sink_of(It const& it);
template <template <class...> class Tuple, class... Its, std::size_t... K>
SWEEP_HD constexpr auto zipped_sinks_of(Tuple<Its...> const& its, std::index_sequence<K...>) {
  return zipped_sinks(sink_of(get<K>(its))...);
}
template <template <class...> class Tuple, class... Its>
SWEEP_HD constexpr auto zipped_sinks_of(Tuple<Its...> const& its) {
  return zipped_sinks_of(its, std::index_sequence_for<Its...>{});
}

SWEEP_NO_EXEC_CHECK
template <class It>
SWEEP_HD constexpr auto sink_of(It const& given) {
  auto const it = unwrapped(given);
  using I = std::remove_const_t<decltype(it)>;
  if constexpr (std::is_pointer_v<I>) {
    if constexpr (relocatable<value_of<I>>) return memory_sink<value_of<I>>{it};
    else return opaque_sink{};
  } else if constexpr (is_reversed_items<I>) {
    if constexpr (relocatable<value_of<I>>) return memory_sink<value_of<I>, true>{it.end() - 1};
    else return opaque_sink{};
  } else if constexpr (is_thrust_discard<I>) {
    return discarding_sink{};
  } else if constexpr (requires { it.sinks(); }) {  // an output of this library that says so itself
    return it.sinks();
  } else if constexpr (is_thrust_zip<I>) {
    return zipped_sinks_of(it.get_iterator_tuple());
  } else {
    return opaque_sink{};
  }
}
template <class It>
using sink_of_t = decltype(sink_of(std::declval<It const&>()));

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

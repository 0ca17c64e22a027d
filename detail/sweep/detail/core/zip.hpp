// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_ZIP_HPP
#define SWEEP_DETAIL_CORE_ZIP_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

template <class A, class B>
struct item_pair {
  A first;
  B second;
};

template <class A, class B>
inline constexpr bool relocatable<item_pair<A, B>> = relocatable<A>&& relocatable<B>;

/// Two ranges read side by side: as much of an iterator as an input needs.
template <class It1, class It2>
class zip_input {
 public:
  using value_type = item_pair<value_of<It1>, value_of<It2>>;
  using reference = value_type;
  using pointer = void;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;

  zip_input() = default;
  SWEEP_HD zip_input(It1 a, It2 b) : a_{a}, b_{b} {}
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD value_type operator[](difference_type i) const { return {a_[i], b_[i]}; }
  SWEEP_HD value_type operator*() const { return (*this)[0]; }
  friend SWEEP_HD difference_type operator-(zip_input const& x, zip_input const& y) { return x.a_ - y.a_; }
  SWEEP_HD It1 const& first() const { return a_; }
  SWEEP_HD It2 const& second() const { return b_; }
  template <class Visit>
  void for_each_range(Visit visit) const {
    visit(a_);
    visit(b_);
  }
  SWEEP_HD constexpr auto taken_apart() const {
    return zipped_sources<value_type>(source_of(a_), source_of(b_));
  }
  friend SWEEP_HD zip_input operator+(zip_input const& x, difference_type i) { return {x.a_ + i, x.b_ + i}; }

 private:
  It1 a_{};
  It2 b_{};
};

template <class It1, class It2>
inline constexpr bool gives_one_value<zip_input<It1, It2>> = gives_one_value<It1>&& gives_one_value<It2>;

SWEEP_NO_EXEC_CHECK
template <class It1, class It2>
SWEEP_HD auto zipped(It1 a, It2 b) {
  return zip_input<unwrapped_t<It1>, unwrapped_t<It2>>(unwrapped(a), unwrapped(b));
}

/// Two ranges written side by side, a pair's halves each into its own.
template <class It1, class It2>
class zip_output {
 public:
  using value_type = void;
  using pointer = void;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;
  struct reference {
    It1 a;
    It2 b;
    difference_type i;
    SWEEP_NO_EXEC_CHECK
    template <class Pair>
    SWEEP_HD void operator=(Pair const& pair) const {
      a[i] = pair.first;
      b[i] = pair.second;
    }
  };

  SWEEP_HD zip_output(It1 a, It2 b) : a_{a}, b_{b} {}
  SWEEP_HD reference operator[](difference_type i) const { return {a_, b_, i}; }
  SWEEP_HD constexpr auto sinks() const { return zipped_sinks(sink_of(a_), sink_of(b_)); }
  SWEEP_HD It1 const& first() const { return a_; }
  SWEEP_HD It2 const& second() const { return b_; }

  template <class Visit>
  void for_each_range(Visit visit) const {
    visit(a_);
    visit(b_);
  }

 private:
  It1 a_;
  It2 b_;
};

SWEEP_NO_EXEC_CHECK
template <class It1, class It2>
SWEEP_HD auto zipped_output(It1 a, It2 b) {
  return zip_output<unwrapped_t<It1>, unwrapped_t<It2>>(unwrapped(a), unwrapped(b));
}

/// A binary function as a unary one on pairs.
template <class F>
struct apply_pair {
  mutable F f;  ///< the caller's function need not be const
  SWEEP_NO_EXEC_CHECK
  template <class Pair>
  SWEEP_HD auto operator()(Pair const& pair) const {
    return f(pair.first, pair.second);
  }
};
template <class F>
apply_pair(F) -> apply_pair<F>;

/// Whether (x, init) after (first, last) are a second range and a value: x an iterator, not a value or a
/// function.
template <class X, class In, class Init>
inline constexpr bool is_range_start = requires(X x) {
  *x;
  x + 1;
  x[0];
}
&&!std::is_same_v<X, value_of<In>>;

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

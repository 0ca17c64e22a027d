// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_ITERATORS_HPP
#define SWEEP_TESTS_SUPPORT_ITERATORS_HPP

#include <support/values.hpp>

#include <compare>
#include <cstddef>
#include <iterator>

namespace sweep_test {

/// Every stride-th item of another iterator: a user's own random-access iterator, written by hand.
template <class It>
class strided {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = typename std::iterator_traits<It>::value_type;
  using difference_type = std::ptrdiff_t;
  using pointer = typename std::iterator_traits<It>::pointer;
  using reference = typename std::iterator_traits<It>::reference;

  strided() = default;
  SWEEP_TEST_HD strided(It at, difference_type stride) : at_{at}, stride_{stride} {}

  SWEEP_TEST_HD reference operator*() const { return *at_; }
  SWEEP_TEST_HD reference operator[](difference_type i) const { return at_[i * stride_]; }
  SWEEP_TEST_HD strided& operator+=(difference_type i) {
    at_ += i * stride_;
    return *this;
  }
  SWEEP_TEST_HD strided& operator-=(difference_type i) { return *this += -i; }
  SWEEP_TEST_HD strided& operator++() { return *this += 1; }
  SWEEP_TEST_HD strided& operator--() { return *this -= 1; }
  SWEEP_TEST_HD strided operator++(int) {
    auto const before = *this;
    *this += 1;
    return before;
  }
  SWEEP_TEST_HD strided operator--(int) {
    auto const before = *this;
    *this -= 1;
    return before;
  }
  friend SWEEP_TEST_HD strided operator+(strided it, difference_type i) { return it += i; }
  friend SWEEP_TEST_HD strided operator+(difference_type i, strided it) { return it += i; }
  friend SWEEP_TEST_HD strided operator-(strided it, difference_type i) { return it -= i; }
  friend SWEEP_TEST_HD difference_type operator-(strided const& a, strided const& b) {
    return (a.at_ - b.at_) / a.stride_;
  }
  friend SWEEP_TEST_HD bool operator==(strided const& a, strided const& b) { return a.at_ == b.at_; }
  friend SWEEP_TEST_HD auto operator<=>(strided const& a, strided const& b) {
    return a - b <=> difference_type{0};
  }

 private:
  It at_{};
  difference_type stride_ = 1;
};
static_assert(std::random_access_iterator<strided<int*>>);

/// Every other item, by an iterator that cannot be compared.
template <class T>
struct every_other {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;
  T* at;
  T& operator*() const { return *at; }
  T& operator[](std::ptrdiff_t i) const { return at[2 * i]; }
  friend every_other operator+(every_other a, std::ptrdiff_t i) { return {a.at + 2 * i}; }
  friend std::ptrdiff_t operator-(every_other a, every_other b) { return (a.at - b.at) / 2; }
};

}  // namespace sweep_test

#endif

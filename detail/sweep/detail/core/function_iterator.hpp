// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_FUNCTION_ITERATOR_HPP
#define SWEEP_DETAIL_CORE_FUNCTION_ITERATOR_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// As much of an output iterator as an algorithm needs: assigning x to item i calls write(i, x).
template <class Value, class Write>
struct writer {
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;
  struct reference {
    Write const* write;
    std::int64_t i;
    SWEEP_NO_EXEC_CHECK
    SWEEP_HD void operator=(Value const& x) const { (*write)(i, x); }
  };

  Write write;
  SWEEP_HD reference operator[](std::int64_t i) const { return {&write, i}; }
  SWEEP_HD reference operator*() const { return {&write, 0}; }
};

/// A range whose item i is read(i).
template <class Value, class Read>
struct reader {
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Value;
  using iterator_category = std::random_access_iterator_tag;

  Read read;
  std::int64_t at = 0;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD Value operator[](std::int64_t i) const { return static_cast<Value>(read(at + i)); }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD Value operator*() const { return static_cast<Value>(read(at)); }
  friend SWEEP_HD reader operator+(reader const& x, std::int64_t i) { return {x.read, x.at + i}; }
  friend SWEEP_HD std::int64_t operator-(reader const& a, reader const& b) { return a.at - b.at; }
  friend SWEEP_HD bool operator==(reader const& a, reader const& b) { return a.at == b.at; }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_WRITER_HPP
#define SWEEP_DETAIL_CORE_WRITER_HPP

#include <sweep/detail/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace sweep::detail {

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
    SWEEP_SIDE_OF_CALLER
    SWEEP_HD void operator=(Value const& x) const { (*write)(i, x); }
  };

  Write write;
  SWEEP_HD reference operator[](std::int64_t i) const { return {&write, i}; }
};

/// As much of an input iterator as an algorithm needs: item i is read(i).
template <class Value, class Read>
struct reader {
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Value;
  using iterator_category = std::random_access_iterator_tag;

  Read read;
  SWEEP_SIDE_OF_CALLER
  SWEEP_HD Value operator[](std::int64_t i) const { return read(i); }
};

}  // namespace sweep::detail

#endif

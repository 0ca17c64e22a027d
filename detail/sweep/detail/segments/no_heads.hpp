// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTS_NO_HEADS_HPP
#define SWEEP_DETAIL_SEGMENTS_NO_HEADS_HPP

#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/tiling.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// A span of whole, aligned 16-byte words in global memory that holds some bits.
struct bits_span {
  void const* from = nullptr;
  unsigned bytes = 0;  ///< 0: not all of it is the caller's memory
  int shift = 0;       ///< where the first of the bits stands in it
};

/// Where segments start: nowhere, in a plain scan. What a segmented one has instead is in segments/heads.hpp.
struct no_heads {
  struct mask {};
  static constexpr bool segmented = false, packed_heads = false, needs_next_head = false,
                        marked_in_tiles = false, fixed_length = false;
  template <class Out, class T>
  using written = written_value<Out, T>;

  template <direction>
  SWEEP_HD mask at(std::int64_t, int, std::int64_t) const {
    return {};
  }
  SWEEP_NO_EXEC_CHECK
  template <class T, class Op, class X>
  static SWEEP_HD T item(Op&, X const& x, mask, int) {
    return static_cast<T>(x);
  }
  SWEEP_NO_EXEC_CHECK
  template <class T>
  static SWEEP_HD T before(T const& sum, mask, int) {
    return sum;
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

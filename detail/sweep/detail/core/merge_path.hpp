// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_MERGE_PATH_HPP
#define SWEEP_DETAIL_CORE_MERGE_PATH_HPP

#include <sweep/detail/core/config.hpp>

#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// The merge path of two sorted ranges is the order in which a merge takes their items: of equivalent ones
// those of the first range come first. Where it has made d steps it stands on diagonal d, behind i items of
// the first range and d - i of the second; so any part of a merge can be made without the others. An order
// that is none gives a path all the same, whose parts need not fit together.

/// How many of the first d items of a merge of n1 and n2 are of the first range: the first i for which
/// second_first(i, d - 1 - i), that item d - 1 - i of the second range stands before item i of the first.
SWEEP_NO_EXEC_CHECK
template <class Index, class SecondFirst>
SWEEP_HD Index merge_path(Index n1, Index n2, Index d, SecondFirst second_first) {
  Index low = d > n2 ? d - n2 : 0, high = d < n1 ? d : n1;
  while (low < high) {
    auto const middle = static_cast<Index>(static_cast<std::make_unsigned_t<Index>>(low + high) / 2);
    if (second_first(middle, d - 1 - middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/// How many items of the first range lie on a path between diagonals d and d + length, where i items of it
/// come before the one and `next` before the other; never more than the path is long, in whatever order.
template <class Index>
SWEEP_HD constexpr Index path_between(Index i, Index next, Index length) {
  auto const count = next > i ? next - i : Index{0};
  return count < length ? count : length;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

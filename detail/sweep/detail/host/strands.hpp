// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_HOST_STRANDS_HPP
#define SWEEP_DETAIL_HOST_STRANDS_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/tile_size.hpp>

namespace sweep::inline SWEEP_ABI::detail {

/// item(0) op item(1) op ... op item(count - 1), count > 0, in strands of equal length that advance together,
/// so that a processor has independent chains of operations to overlap. totals: (host_strands), written where
/// a strand has items; what is left over of the division comes last.
template <class T, class Item, class Op>
T reduce_in_strands(int count, Item item, Op& op, T* totals) {
  constexpr int strands = host_strands;
  int const length = count / strands;
  T total{};
  if (length > 0) {
    T sums[strands];  // a local: nothing that is written may be one of the operands
    for (int s = 0; s < strands; ++s) sums[s] = item(s * length);
    for (int i = 1; i < length; ++i)
      for (int s = 0; s < strands; ++s) sums[s] = op(sums[s], item(s * length + i));
    total = sums[0];
    for (int s = 1; s < strands; ++s) total = op(total, sums[s]);
    std::copy(sums, sums + strands, totals);
  }
  for (int i = strands * length; i < count; ++i) total = i > 0 ? static_cast<T>(op(total, item(i))) : item(i);
  return total;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_PACKED_VALUE_HPP
#define SWEEP_DETAIL_CORE_PACKED_VALUE_HPP

#include <sweep/detail/core/config.hpp>

#include <cstdint>
#include <cstring>

namespace sweep::inline SWEEP_ABI::detail {

/// Registers of 4 bytes that a value takes while its members are worked on.
template <class V>
inline constexpr int registers_of = static_cast<int>(sizeof(V) / (alignof(V) < 4 ? alignof(V) : 4));
/// Whether those are more than the words that it fills: a struct of bytes, or of halves of words.
template <class V>
inline constexpr bool spreads_in_registers = registers_of<V> > static_cast<int>((sizeof(V) + 3) / 4);

/// A value in the words that it fills, so that it takes no more registers while it waits.
template <class V>
struct packed_value {
  std::uint32_t word[(sizeof(V) + 3) / 4];

  packed_value() = default;
  SWEEP_HD explicit packed_value(V const& x) : word{} {
    memcpy(word, static_cast<void const*>(&x), sizeof(V));
  }
  SWEEP_HD explicit operator V() const {
    V x;
    memcpy(static_cast<void*>(&x), word, sizeof(V));
    return x;
  }
};
template <class V, class Op>
struct packed_op {
  Op op;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD packed_value<V> operator()(packed_value<V> const& a, packed_value<V> const& b) {
    return packed_value<V>(static_cast<V>(op(static_cast<V>(a), static_cast<V>(b))));
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_PROBLEM_HPP
#define SWEEP_DETAIL_REDUCE_PROBLEM_HPP

#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/lookback/slots.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Everything a reduction was asked for, with its types complete.
template <class T, class In, class Out, class Op, class Unary>
struct reduce_problem {
  static constexpr bool in_contiguous = std::is_pointer_v<In> && std::is_trivially_copyable_v<value_of<In>>;
  using value = T;
  using raw = value_of<In>;
  static constexpr int vector_items = in_contiguous ? items_per_16_bytes(sizeof(raw)) : 4;

  In in;
  std::int64_t n;
  Out out;
  T init;
  Op op;
  mutable Unary unary;  ///< a caller's function need not be const
  int shift = 0;  ///< items before the data at which rows begin, so that vectors fall on 16-byte boundaries

  SWEEP_HD T item(std::int64_t i) const { return static_cast<T>(unary(in[i])); }
  SWEEP_HD void write(T const& result) const { *out = static_cast<written_value<Out, T>>(result); }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

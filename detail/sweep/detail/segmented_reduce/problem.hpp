// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_PROBLEM_HPP
#define SWEEP_DETAIL_SEGMENTED_REDUCE_PROBLEM_HPP

#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/segments/flagged.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Whether segments by offsets were reduced in stages: where that is compiled, not every device has the way.
enum class in_stages { not_compiled, not_there, done };

/// A reduction of segments by offsets, with its types complete: segment s has items
/// [offsets[s], offsets[s + 1]).
template <class V, class In, class Offsets, class Out, class Op, class Unary, class Result>
struct segmented_reduce_problem {
  using value = V;
  using raw = value_of<In>;
  static constexpr int vector_items = items_per_16_bytes(sizeof(raw));

  In in;
  Offsets offsets;
  std::int64_t count;  ///< of segments
  Out out;
  Op op;
  mutable Unary unary;  ///< a caller's function need not be const
  Result result;
  /// Of each chunk, how many segments end before it; made by the kernel before.
  std::int64_t const* segments_before;
  tiling grid;

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put(std::int64_t s, V const& fold) const {
    out[s] = static_cast<written_value<Out, V>>(result(fold));
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put_empty(std::int64_t s) const { out[s] = static_cast<written_value<Out, V>>(result.init); }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_NEAR_COLUMNS_HPP
#define SWEEP_DETAIL_SPMV_NEAR_COLUMNS_HPP

#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/for_each.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/segmented_scan/validate.hpp>
#include <sweep/detail/spmv/problem.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/spmv/narrow_columns.cuh>
#endif

#include <cstdint>
#include <limits>
#include <string>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// One group of columns: the least, and the others less that. Says in `wide` where one does not fit.
template <class Indices, class Index>
struct narrow_group {
  Indices indices;
  std::int64_t n;
  std::uint16_t* low;
  Index* least;
  std::int32_t* wide;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t group) const {
    auto const first = group * near_group, end = first + near_group < n ? first + near_group : n;
    auto lowest = static_cast<std::int64_t>(indices[first]), highest = lowest;
    for (auto k = first + 1; k < end; ++k) {
      auto const column = static_cast<std::int64_t>(indices[k]);
      if (column < lowest) lowest = column;
      if (column > highest) highest = column;
    }
    least[group] = static_cast<Index>(lowest);
    if (!fits_narrow(lowest, highest)) return atomic_ref<std::int32_t>(*wide).store(1, relaxed);
    for (auto k = first; k < end; ++k)
      low[k] = static_cast<std::uint16_t>(static_cast<std::int64_t>(indices[k]) - lowest);
  }
};
struct clear_flag {
  std::int32_t* flag;
  SWEEP_HD void operator()(std::int64_t) const { *flag = 0; }
};

template <class Policy, class Group>
  requires(on_host<Policy>)
void narrow_groups(Policy const& policy, char const* call, std::int64_t groups, Group const& group) {
  for_each_index(policy, call, groups, group);
}

/// Whether all groups of a matrix's columns fit, which are made narrow now. The call waits for that.
template <class Policy, class Indices, class Index>
bool make_near_columns(Policy const& policy, char const* call, Indices indices, std::int64_t n,
                       std::uint16_t* low, Index* least, std::int32_t* wide) {
  if (n == 0) return false;
  for_each_index(policy, call, 1, clear_flag{wide});
  narrow_groups(policy, call, near_groups(n), narrow_group<Indices, Index>{indices, n, low, least, wide});
  return value_at(policy, call, static_cast<std::int32_t const*>(wide), 0) == "0";
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_SCAN_DISTRIBUTE_HPP
#define SWEEP_DETAIL_SEGMENTED_SCAN_DISTRIBUTE_HPP

#include <sweep/detail/core/config.hpp>

namespace sweep::inline SWEEP_ABI::detail {

/// The operator of a scan that hands its first item on.
struct keep_first {
  template <class A, class B>
  SWEEP_HD constexpr A operator()(A const& a, B const&) const {
    return a;
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

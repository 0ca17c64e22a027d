// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_REACHABLE_HPP
#define SWEEP_DETAIL_RUNTIME_REACHABLE_HPP

#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/runtime/resolve.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/runtime/device.cuh>
#endif

#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Every pointer that a range is made of: not null, and with .checked() one that the device can reach.
SWEEP_NO_EXEC_CHECK
template <class Policy, class It>
SWEEP_HD void require_range(Policy const& policy, char const* call, char const* argument, It const& it) {
  require_pointer(call, argument, it);
  if constexpr (requires { it.for_each_range([](auto const&) {}); })
    it.for_each_range([&](auto const& part) { require_range(policy, call, argument, part); });
#if defined(__CUDACC__)
  if constexpr (!on_host<Policy> && is_checked<Policy>) {
    if constexpr (std::is_pointer_v<It>) require_reachable(call, argument, it);
    else if constexpr (holds_flag_words<It>) require_reachable(call, argument, it.words());
  }
#endif
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

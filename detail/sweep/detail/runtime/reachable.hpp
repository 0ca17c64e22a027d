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

/// A caller's memory that a call hides in an iterator of its own: what can be said of a pointer.
template <class Policy, class It>
void require_memory(Policy const&, char const* call, char const* argument, It const& it) {
  require_pointer(call, argument, it);
#if defined(__CUDACC__)
  if constexpr (!on_host<Policy> && is_checked<Policy> && std::is_pointer_v<It>)
    require_reachable(call, argument, it);
#endif
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

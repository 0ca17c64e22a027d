// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_FOR_EACH_HPP
#define SWEEP_DETAIL_RUNTIME_FOR_EACH_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/policy.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/runtime/for_each.cuh>
#endif

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// f(i) for i in [first, end). Not inlined: g++ 12 believes that a whole tile is written wherever it knows n,
/// and warns of an overflow.
template <class F>
[[gnu::noinline]] void call_with_indices(F f, std::int64_t first, std::int64_t end) {
  SWEEP_STEPS_AT_ONCE
  for (auto i = first; i < end; ++i) f(i);
}

/// f(i) for i in [0, n), in any order and side by side.
SWEEP_NO_EXEC_CHECK
template <class F>
SWEEP_HD void for_each_index(seq_policy const&, char const*, std::int64_t n, F f) {
  if (only_obtains()) return;
  for (std::int64_t i = 0; i < n; ++i) f(i);
}

template <class... Tags, class F>
void for_each_index(host_policy<Tags...> const& policy, char const*, std::int64_t n, F f) {
  constexpr std::int64_t each = 1 << 14;
  team members(policy.threads());
  members.for_each_tile((n + each - 1) / each, [&](std::int64_t tile) {
    call_with_indices(f, tile * each, std::min(n, (tile + 1) * each));
  });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

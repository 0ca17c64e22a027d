// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_HOST_HPP
#define SWEEP_DETAIL_SPMV_HOST_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/segmented_reduce/host.hpp>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/policy.hpp>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// Rows are segments of the products: one loop on seq, rows and entries in equal shares on threads.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Problem>
  requires(on_host<Policy>)
SWEEP_HD void run_spmv(Policy const& policy, char const*, Problem const& given, kept_cuts const&) {
  auto problem = given;
  if (problem.n < 0) problem.n = static_cast<std::int64_t>(problem.offsets[problem.count]);
  reduce_listed(policy, problem);
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

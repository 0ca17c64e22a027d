// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: plans are for sweep::device
#include <sweep/policy.hpp>

#if defined(SWEEP_TEST_FIXED)
auto const policy = sweep::host;
#else
auto const policy = sweep::host.with(sweep::plan<sweep::partition_plan{}>);
#endif

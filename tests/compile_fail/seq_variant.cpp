// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: seq is one plain loop
#include <sweep/policy.hpp>

#if defined(SWEEP_TEST_FIXED)
auto const policy = sweep::seq;
#else
auto const policy = sweep::seq.with(sweep::variant::chained);
#endif

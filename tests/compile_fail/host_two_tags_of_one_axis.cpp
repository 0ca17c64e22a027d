// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: this policy has a choice on that axis already
#include <sweep/policy.hpp>

#if defined(SWEEP_TEST_FIXED)
auto const policy = sweep::host.threads(2).with(sweep::variant::chained);
#else
auto const policy =
    sweep::host.threads(2).with(sweep::variant::chained).with(sweep::variant::reduce_then_scan);
#endif

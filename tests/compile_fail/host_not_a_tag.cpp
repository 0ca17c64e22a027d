// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: with\(\) takes a tag of sweep::variant
#include <sweep/policy.hpp>

#if defined(SWEEP_TEST_FIXED)
auto const policy = sweep::host.with(sweep::variant::decoupled_lookback);
#else
auto const policy = sweep::host.with(42);
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: variants within a tile are for sweep::device
#include <sweep/policy.hpp>

#if defined(SWEEP_TEST_FIXED)
auto const policy = sweep::host.with(sweep::variant::chained);
#else
auto const policy = sweep::host.with(sweep::variant::blelloch);
#endif

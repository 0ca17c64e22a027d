// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: this policy has a choice on that axis already
#include <sweep/policy.hpp>

#if defined(SWEEP_TEST_FIXED)
auto const policy = sweep::device.with(sweep::variant::blelloch).with(sweep::variant::chained);
#else
auto const policy = sweep::device.with(sweep::variant::blelloch).with(sweep::variant::matrix);
#endif

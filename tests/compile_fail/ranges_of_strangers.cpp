// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the ranges must be sweep::scan_range
#include <sweep/pair.hpp>
#include <sweep/scan_many.hpp>

#if defined(SWEEP_TEST_FIXED)
using range = sweep::scan_range<int const*, int*>;
#else
using range = sweep::pair<int const*, int*>;
#endif

void scanned(range const* ranges) { sweep::inclusive_scan_many(sweep::seq, ranges, ranges + 10); }

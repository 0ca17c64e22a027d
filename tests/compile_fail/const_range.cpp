// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: an output cannot be written
#include <sweep/unique.hpp>

#include <vector>

#if defined(SWEEP_TEST_FIXED)
using items = std::vector<int>;
#else
using items = std::vector<int> const;
#endif

void unique(items& x) { sweep::unique(x); }

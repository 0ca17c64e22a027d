// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: an output cannot be written
#include <sweep/sort.hpp>

#include <vector>

#if defined(SWEEP_TEST_FIXED)
using items = std::vector<int>;
#else
using items = std::vector<int> const;
#endif

void sorted(items& keys, std::vector<float>& values) { sweep::sort_by_key(keys, values); }

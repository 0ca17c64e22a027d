// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the input must have random-access iterators
#include <sweep/reduce.hpp>

#include <list>
#include <vector>

#if defined(SWEEP_TEST_FIXED)
using items = std::vector<int>;
#else
using items = std::list<int>;
#endif

int reduced(items const& from) { return sweep::reduce(sweep::seq, from.begin(), from.end()); }

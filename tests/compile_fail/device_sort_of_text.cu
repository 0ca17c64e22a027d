// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: on the device keys and values must be trivially copyable
#include <sweep/sort.hpp>

#include <string>

#if defined(SWEEP_TEST_FIXED)
using text = char const*;
#else
using text = std::string;
#endif

void sorted(int* first, int* last, text* names) { sweep::sort_by_key(sweep::device, first, last, names); }

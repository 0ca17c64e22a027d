// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: items cannot be assigned, and so not written
#include <sweep/sort.hpp>

#if defined(SWEEP_TEST_FIXED)
#define SWEEP_TEST_CONST
#else
#define SWEEP_TEST_CONST const
#endif

struct entry {
  int SWEEP_TEST_CONST key;
  int value;
  friend bool operator<(entry const& a, entry const& b) { return a.key < b.key; }
};

void sort(entry* first, entry* last) { sweep::sort(sweep::host, first, last); }

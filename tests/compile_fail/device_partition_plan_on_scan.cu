// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a scan or a segmented reduction has variants across tiles and within a tile, and a scan_plan
#include <sweep/scan.hpp>

int* scanned(int* first, int* last) {
#if defined(SWEEP_TEST_FIXED)
  return sweep::inclusive_scan(sweep::device.with(sweep::plan<sweep::scan_plan{}>), first, last, first);
#else
  return sweep::inclusive_scan(sweep::device.with(sweep::plan<sweep::partition_plan{}>), first, last, first);
#endif
}

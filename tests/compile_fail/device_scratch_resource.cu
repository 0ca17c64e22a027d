// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: a scratch resource needs allocate
#include <sweep/scan.hpp>

struct resource {
#if defined(SWEEP_TEST_FIXED)
  void* allocate(cudaStream_t, std::size_t, std::size_t) { return nullptr; }
  void deallocate(cudaStream_t, void*, std::size_t, std::size_t) {}
#endif
};

int* scanned(resource& from, int* first, int* last) {
  return sweep::inclusive_scan(sweep::device.scratch(from).with(sweep::variant::hillis_steele), first, last,
                               first);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: what a scan folds in must have a default constructor
#include <sweep/scan.hpp>

#include <vector>

struct length {
  double metres;
#if defined(SWEEP_TEST_FIXED)
  length() = default;
#endif
  explicit length(double x) : metres{x} {}
  friend length operator+(length a, length b) { return length(a.metres + b.metres); }
};

void along(std::vector<length> const& steps, std::vector<length>& places) {
  sweep::inclusive_scan(sweep::seq, steps, places);
}

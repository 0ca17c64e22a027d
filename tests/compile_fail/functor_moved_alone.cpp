// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: functions and values are copied, and one of these cannot be
#include <sweep/reduce.hpp>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

struct scaled_plus {
  std::unique_ptr<int> scale;
  int operator()(int a, int b) const { return a + b * *scale; }
};

int sum(std::vector<int> const& x, scaled_plus op) {
#if defined(SWEEP_TEST_FIXED)
  return sweep::reduce(sweep::host, x.begin(), x.end(), 0, std::ref(op));
#else
  return sweep::reduce(sweep::host, x.begin(), x.end(), 0, std::move(op));
#endif
}

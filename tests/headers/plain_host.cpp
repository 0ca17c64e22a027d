// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host side needs a C++20 compiler and nothing else.
#if __has_include(<cuda/atomic>)
#error "libcu++ is on the include path: this test proves nothing"
#endif
#include <sweep/sweep.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<int> const ones(100'000, 1);
  std::vector<int> counts(ones.size());
  sweep::inclusive_scan(sweep::host.threads(4), ones.begin(), ones.end(), counts.begin());
  for (int i = 0; auto const count : counts) {
    if (count != ++i) {
      std::printf("item %d is %d\n", i - 1, count);
      return 1;
    }
  }
  if (int const sum = sweep::reduce(sweep::host.threads(4), ones.begin(), ones.end()); sum != 100'000) {
    std::printf("the sum is %d\n", sum);
    return 1;
  }
}

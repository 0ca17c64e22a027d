// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: radix_key's projection makes of a key no number
#include <sweep/sort.hpp>

#include <string>
#include <vector>

struct person {
  std::string name;
  int age;
};

void sorted(std::vector<person>& people) {
#if defined(SWEEP_TEST_FIXED)
  sweep::sort(sweep::host, people, sweep::radix_key(&person::age));
#else
  sweep::sort(sweep::host, people, sweep::radix_key(&person::name));
#endif
}

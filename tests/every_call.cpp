// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <every_call.hpp>

void every_call(sweep_test::floats f, sweep_test::triples t, sweep_test::helpers h, std::int64_t n) {
  sweep_test::every_call(sweep::host, f, t, h, n);
}

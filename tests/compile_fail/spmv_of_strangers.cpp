// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: entries of the matrix and of the vector have no product
#include <sweep/spmv.hpp>

struct weight {
  float value;
};
struct weigh {
  float operator()(weight w, float x) const { return w.value * x; }
};

void product(int const* offsets, int const* columns, weight const* values, float const* x, float* y) {
  sweep::csr_view const a(100, 100, 500, offsets, columns, values);
#if defined(SWEEP_TEST_FIXED)
  sweep::spmv(sweep::host, a, x, y, sweep::semiring{std::plus<>{}, weigh{}, 0.0f});
#else
  sweep::spmv(sweep::host, a, x, y);
#endif
}

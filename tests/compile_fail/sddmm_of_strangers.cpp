// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: the semiring's times cannot be called with items of the two dense matrices
#include <sweep/sddmm.hpp>

struct weight {
  float value;
};
struct weigh {
  float operator()(weight w, float x) const { return w.value * x; }
};
struct compare {
  float operator()(weight a, weight b) const { return a.value * b.value; }
};

void sample(int const* offsets, int const* columns, weight const* x, float* out) {
  sweep::csr_view const a(100, 100, 500, offsets, columns, offsets);
  auto const q = sweep::strided(x, {100, 8}), k = sweep::strided(x, {8, 100}, {1, 8});
#if defined(SWEEP_TEST_FIXED)
  sweep::sddmm(sweep::host, a, q, k, out, sweep::semiring{std::plus<>{}, compare{}, 0.0f});
#else
  sweep::sddmm(sweep::host, a, q, k, out, sweep::semiring{std::plus<>{}, weigh{}, 0.0f});
#endif
}

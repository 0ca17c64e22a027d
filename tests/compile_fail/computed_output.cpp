// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: an output cannot be written
#include <sweep/bits.hpp>
#include <sweep/copy_if.hpp>

void packed(int const* first, int const* last, bool const* flags, int* out, std::uint32_t const* words) {
#if defined(SWEEP_TEST_FIXED)
  (void)words;
  sweep::pack(sweep::host, first, last, flags, out);
#else
  (void)out;
  sweep::pack(sweep::host, first, last, flags, sweep::bits(words));
#endif
}

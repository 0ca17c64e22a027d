// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_UNITS_UNITS_HPP
#define SWEEP_TESTS_UNITS_UNITS_HPP

// Translation units of one program that are compiled in different ways. Each has the same functions, in a
// namespace that SWEEP_TEST_UNIT names.

#include <cstdint>

#define SWEEP_TEST_DECLARE_UNIT(name)                                                                        \
  namespace name {                                                                                           \
  /* Scans n ones into out, time after time, on the unit's default stream or host */                         \
  bool scan_ones(std::uint32_t const* ones, std::uint32_t* out, std::int64_t n);                             \
  /* Where the unit's own inline variables and functions keep what they keep */                              \
  void const* kept();                                                                                        \
  }

SWEEP_TEST_DECLARE_UNIT(plain)
SWEEP_TEST_DECLARE_UNIT(other)          // per-thread default stream; no OpenMP
SWEEP_TEST_DECLARE_UNIT(other_version)  // of the library

#endif

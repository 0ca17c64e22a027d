// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <units/units.hpp>

#include <sweep/version.hpp>

#if defined(SWEEP_TEST_OTHER_VERSION)
#undef SWEEP_VERSION
#define SWEEP_VERSION 99999
#endif

#include <sweep/reduce.hpp>
#include <sweep/release_kept.cuh>
#include <sweep/scan.hpp>

namespace SWEEP_TEST_UNIT {

bool scan_ones(std::uint32_t const* ones, std::uint32_t* out, std::int64_t n) {
  for (int i = 0; i < 20; ++i) sweep::inclusive_scan(sweep::device, ones, ones + n, out);
  return sweep::reduce(sweep::device, ones, ones + n) == static_cast<std::uint32_t>(n);
}

void const* kept() { return &sweep::detail::all_kept::instance(); }

}  // namespace SWEEP_TEST_UNIT

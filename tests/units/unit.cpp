// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <units/units.hpp>

#include <sweep/version.hpp>

#if defined(SWEEP_TEST_OTHER_VERSION)
#undef SWEEP_VERSION
#define SWEEP_VERSION 99999
#endif

#include <sweep/reduce.hpp>
#include <sweep/scan.hpp>

namespace SWEEP_TEST_UNIT {

bool scan_ones(std::uint32_t const* ones, std::uint32_t* out, std::int64_t n) {
  auto const policy = sweep::host.threads(3);
  for (int i = 0; i < 20; ++i) sweep::inclusive_scan(policy, ones, ones + n, out);
  return sweep::reduce(policy, ones, ones + n) == static_cast<std::uint32_t>(n);
}

void const* kept() { return &sweep::detail::most_threads; }

}  // namespace SWEEP_TEST_UNIT

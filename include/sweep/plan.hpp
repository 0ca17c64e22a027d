// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_PLAN_HPP
#define SWEEP_PLAN_HPP

#include <sweep/variant.hpp>

namespace sweep {

/// How a tile's items travel between memory and registers.
enum class access {
  cached,     ///< in all caches
  l2,         ///< in the second-level cache only
  streaming,  ///< marked as touched once, so that they leave the caches first
};

/// The tuned numbers of a scan on the device.
struct scan_plan {
  int threads = 512;  ///< per block at most, of which one warp leads; small inputs are run with fewer, always whole warps
  int rows = 8;       ///< 16-byte rows per thread: a warp's tile is rows x 32 lanes x items per 16 bytes
  int blocks = 1;     ///< resident blocks per multiprocessor that registers are budgeted for
  access load = access::cached;
  access store = access::cached;

  friend constexpr bool operator==(scan_plan const&, scan_plan const&) = default;
};

/// The tuned numbers of a reduction.
struct reduce_plan {
  int threads = 512;  ///< per block
  int rows = 4;       ///< 16-byte rows per thread and step
  int blocks = 2;     ///< blocks per multiprocessor
  access load = access::cached;

  friend constexpr bool operator==(reduce_plan const&, reduce_plan const&) = default;
};

/// Tag type of a plan of the user's own.
template <auto Plan>
struct plan_t {
  static constexpr auto value = Plan;
};

/// A plan of the user's own, in place of the tuning table's: `policy.with(sweep::plan<sweep::scan_plan{.threads = 256}>)`.
template <auto Plan>
inline constexpr plan_t<Plan> plan{};

}  // namespace sweep

#endif

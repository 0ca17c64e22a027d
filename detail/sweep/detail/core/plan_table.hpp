// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_PLAN_TABLE_HPP
#define SWEEP_DETAIL_CORE_PLAN_TABLE_HPP

#include <sweep/detail/core/config.hpp>

#include <cstddef>

namespace sweep::inline SWEEP_ABI::detail {

// Tuning is data: a table has a row for each kind of input, and what a row may depend on is a column of it.
// The first row that fits wins, and its plan is taken as it stands.

/// Compute capability times ten; a row holds from its architecture on, until an earlier row says otherwise.
enum class arch : int { any = 0, sm_80 = 80, sm_90 = 90 };

/// The architecture that this code is being compiled for; the newest on the host, where nobody asks.
constexpr int arch_here() {
#if defined(__CUDA_ARCH__)
  return __CUDA_ARCH__ / 10;
#else
  return 1000;
#endif
}

/// Shared memory that a block may have (CUDA C++ Programming Guide, technical specifications).
constexpr std::size_t shared_bytes_of(int arch) {
  std::size_t const kib = arch == 80 || arch == 87 ? 163 : arch < 90 || arch == 120 || arch == 121 ? 99 : 227;
  return kib * 1024;
}
/// Multiprocessors among which tiles are shared out: those of the architecture's large chip, whatever the one
/// at hand has, since how a range is cut is part of what fixes the bits of results.
constexpr int multiprocessors_of(int arch) { return arch < 90 ? 108 : 132; }
/// One of each kind, for what is proved when compiling.
inline constexpr int known_archs[] = {80, 86, 90, 100, 120};
/// Which of them is of the kind of an architecture.
constexpr int kind_of(int arch) {
  return arch == 80 || arch == 87 ? 0 : arch < 90 ? 1 : arch < 100 ? 2 : arch == 120 || arch == 121 ? 4 : 3;
}

/// Whether a block may have bytes_of(arch) of shared memory on each of them.
template <class Bytes>
constexpr bool fits_known_archs(Bytes bytes_of) {
  for (int const arch : known_archs)
    if (bytes_of(arch) > shared_bytes_of(arch)) return false;
  return true;
}

/// Small inputs take short code and few items a thread, for latency counts.
enum class size_class { any, small, large };

/// The plan of the first row that fits(row). There must be one: the last row of a table fits everything.
template <class Row, std::size_t Rows, class Fits>
constexpr auto pick(Row const (&table)[Rows], Fits fits) {
  for (auto const& row : table)
    if (fits(row)) return row.plan;
  return table[Rows - 1].plan;
}

/// Vectors that a thread has of a plan's rows of 16 bytes, where items fill whole vectors only together and
/// so make longer ones. An odd number stays odd: the lanes of a warp then read different banks of shared
/// memory.
SWEEP_HD constexpr int vector_rows(int rows, std::size_t vector_bytes, bool odd = false) {
  int const bytes = vector_bytes > 16 ? static_cast<int>(vector_bytes) : 16;
  int const whole = rows * 16 / bytes > 1 ? rows * 16 / bytes : 1;
  return odd && whole % 2 == 0 ? whole - 1 : whole;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

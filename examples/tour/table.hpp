// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TOUR_TABLE_HPP
#define SWEEP_TOUR_TABLE_HPP

#include <functional>
#include <string>

namespace tour {

/// One scan variant on one policy.
struct row {
  std::string policy, across, within;
  double gb_per_s = 0;  ///< of 8 bytes an item
  double of_copy = 0;   ///< copy's time over the scan's
  bool right = false;   ///< all results are the serial loop's
};

/// Called before a variant runs (with its name alone) and after it has.
using begin_row = std::function<void(row const&)>;
using end_row = std::function<void(row const&)>;

// Every variant that a place has; and how many they are.
inline constexpr int rows_on_host = 6, rows_on_device = 30;
void table_on_host(int threads, begin_row const& begin, end_row const& end);
void table_on_device(begin_row const& begin, end_row const& end);

/// Whether many runs give one bit pattern: floating-point sums, with 1 to 16 threads on the host.
bool reproducible_on_host();
bool reproducible_on_device();

/// The GPU's name, empty where there is none.
std::string gpu_name();

}  // namespace tour

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_variants.hpp"

namespace tour {

void run_pass_variants(trial<device_place>& all, begin_row const& begin, end_row const& end) {
  run_with_every_tile_scan(all, variant::reduce_then_scan, "reduce_then_scan", begin, end);
  run_with_every_tile_scan(all, variant::scan_then_propagate, "scan_then_propagate", begin, end);
}

}  // namespace tour

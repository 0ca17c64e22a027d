// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_variants.hpp"

namespace tour {

void run_lookback_variants(trial<device_place>& all, begin_row const& begin, end_row const& end) {
  run_with_every_tile_scan(all, variant::ordered_lookback, "ordered_lookback", begin, end);
  run_with_every_tile_scan(all, variant::decoupled_lookback, "decoupled_lookback", begin, end);
  run_with_every_tile_scan(all, variant::chained, "chained", begin, end);
}

}  // namespace tour

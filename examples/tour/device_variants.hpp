// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TOUR_DEVICE_VARIANTS_HPP
#define SWEEP_TOUR_DEVICE_VARIANTS_HPP

#include "variants.hpp"

namespace tour {

// Sixty kernels, so two translation units.
void run_lookback_variants(trial<device_place>& all, begin_row const& begin, end_row const& end);  // one pass
void run_pass_variants(trial<device_place>& all, begin_row const& begin,
                       end_row const& end);  // two and three passes

/// One way across tiles with every way within a tile.
template <class Across>
void run_with_every_tile_scan(trial<device_place>& all, Across across, char const* name,
                              begin_row const& begin, end_row const& end) {
  auto const pair = [&](auto within) {
    row const r{"device", name, within.name};
    begin(r);
    end(all.run(sweep::device.with(across).with(within.tag), r));
  };
  std::apply([&](auto... within) { (pair(within), ...); }, within_variants);
}

}  // namespace tour

#endif

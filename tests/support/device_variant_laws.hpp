// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_DEVICE_VARIANT_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_DEVICE_VARIANT_LAWS_HPP

#include <support/device_places.hpp>
#include <support/scan_laws.hpp>

#include <sweep/variant.hpp>

namespace sweep_test {

/// law(policy, name) with every variant across tiles beside one within a tile.
template <class Within, class Law>
void with_every_variant_across(Within within, std::string const& name, Law law) {
  using namespace sweep::variant;
  auto const policy = sweep::device.with(within);
  law(policy.with(ordered_lookback), "ordered_lookback, " + name);
  law(policy.with(decoupled_lookback), "decoupled_lookback, " + name);
  law(policy.with(chained), "chained, " + name);
  law(policy.with(reduce_then_scan), "reduce_then_scan, " + name);
  law(policy.with(scan_then_propagate), "scan_then_propagate, " + name);
}

/// One form of a scan in one direction by all pairs of variants.
template <class X, class Op, class Dir>
void variant_laws(form f, Op op, Dir direction) {
  auto const law = [&](auto const& policy, std::string const& name) {
    random_source random("variants");
    for (std::size_t const n : {1, 33, 1023, 1024, 1025, 100'003}) {
      if (sanitizing() && n > 5000) continue;
      auto const x = draw_many<X>(n, random);
      auto const init = draw<X>(random);
      // Of a place with half the forms, these are the ones that the direction has.
      scan_law<X>(f, half_at(policy, name.c_str()), "variants", x, op, init, direction, n % 4, n % 3);
    }
  };
  using namespace sweep::variant;
  with_every_variant_across(warp_shuffle, "warp_shuffle", law);
  with_every_variant_across(hillis_steele, "hillis_steele", law);
  with_every_variant_across(blelloch, "blelloch", law);
  with_every_variant_across(blelloch_padded, "blelloch_padded", law);
  with_every_variant_across(brent_kung, "brent_kung", law);
  with_every_variant_across(matrix, "matrix", law);
}

}  // namespace sweep_test

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_DEVICE_VARIANT_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_DEVICE_VARIANT_LAWS_HPP

#include <support/device_places.hpp>
#include <support/scan_laws.hpp>

#include <sweep/variant.hpp>

namespace sweep_test {

/// One form of a scan in one direction.
template <class X, class Policy, class Op, class Dir>
void variant_law(Policy const& policy, std::string const& name, form f, Op op, Dir direction) {
  random_source random("variants");
  for (std::size_t const n : {1, 33, 1023, 1024, 1025, 100'003}) {
    if (sanitizing() && n > 5000) continue;
    auto const x = draw_many<X>(n, random);
    auto const init = draw<X>(random);
    // Of a place with half the forms, these are the ones that the direction has.
    scan_law<X>(f, half_at(policy, name.c_str()), "variants", x, op, init, direction, n % 4, n % 3);
  }
}

/// A form, a direction, a type and its product; four of them.
template <std::size_t Case, class Policy>
void variant_case(Policy const& policy, std::string const& name) {
  if constexpr (Case % 4 == 0)
    variant_law<std::uint8_t>(policy, name + ", u8", form::inclusive, add{}, sweep::forward);
  else if constexpr (Case % 4 == 1)
    variant_law<affine<std::uint16_t>>(policy, name + ", affine maps of 4 bytes", form::exclusive,
                                       affine_then{}, sweep::backward);
  else if constexpr (Case % 4 == 2)
    variant_law<matrix2>(policy, name + ", 2x2 matrices of 16 bytes", form::exclusive, matrix2_product{},
                         sweep::backward);
  else
    variant_law<heisenberg<std::uint64_t>>(policy, name + ", products of 24 bytes", form::inclusive_with_init,
                                           heisenberg_product{}, sweep::forward);
}

/// Every variant across tiles beside one within a tile: all pairs of variants are met, each by one of the
/// cases, and every case meets every variant on either axis, for `Within` counts the variants within a tile.
/// A plan would do nothing to variants that scan in shared memory.
template <std::size_t Within, class Policy>
void variant_laws(Policy const& within, std::string const& name) {
  using namespace sweep::variant;
  variant_case<Within>(within.with(ordered_lookback), "ordered_lookback, " + name);
  variant_case<Within + 1>(within.with(decoupled_lookback), "decoupled_lookback, " + name);
  variant_case<Within + 2>(within.with(chained), "chained, " + name);
  variant_case<Within + 3>(within.with(reduce_then_scan), "reduce_then_scan, " + name);
  variant_case<Within + 4>(within.with(scan_then_propagate), "scan_then_propagate, " + name);
}

}  // namespace sweep_test

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TUNING_HPP
#define SWEEP_DETAIL_SCAN_TUNING_HPP

#include <sweep/detail/core/tuned.hpp>
#include <sweep/plan.hpp>

namespace sweep::detail {

/// Rows in registers, by the widest of item, result and accumulator. The first row that fits wins.
inline constexpr row<scan_plan> scan_table[] = {
    // since      <= bytes  threads rows blocks load             store            measured by
    {arch::sm_90,    8, {512, 11, 2, access::cached, access::cached}},  // bench/scan
    {arch::sm_90,   16, {512, 6, 2, access::cached, access::cached}},   // bench/scan
    {arch::any,      8, {512, 8, 2, access::cached, access::cached}},   // untested
    {arch::any,     16, {256, 6, 2, access::cached, access::cached}},   // untested
    {arch::any,     64, {128, 4, 2, access::cached, access::cached}},   // untested
    {arch::any,    256, {64, 1, 2, access::cached, access::cached}},    // untested
};

}  // namespace sweep::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_TUNING_HPP
#define SWEEP_DETAIL_REDUCE_TUNING_HPP

#include <sweep/detail/core/plan_table.hpp>
#include <sweep/plan.hpp>

namespace sweep::detail {

/// Rows in flight, by the wider of item and accumulator. The first row that fits wins.
inline constexpr row<reduce_plan> reduce_table[] = {
    // since     <= bytes  threads rows blocks load           measured by
    {arch::sm_90, 8, {256, 8, 4, access::cached}},   // bench/reduce
    {arch::sm_90, 16, {256, 4, 4, access::cached}},  // untested
    {arch::any, 16, {512, 4, 2, access::cached}},    // untested
    {arch::any, 256, {128, 1, 2, access::cached}},   // untested
};

}  // namespace sweep::detail

#endif

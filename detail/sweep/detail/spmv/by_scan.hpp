// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_BY_SCAN_HPP
#define SWEEP_DETAIL_SPMV_BY_SCAN_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/for_each.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/segmented_reduce/tails.hpp>
#include <sweep/detail/segmented_scan/dispatch.hpp>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/segments.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// A sparse product of the library's own scans: the oldest on such machines.

/// An entry's product, and no row's begin.
template <class Problem>
struct make_product {
  Problem problem;
  typename Problem::value* products;
  std::uint8_t* flags;
  SWEEP_HD void operator()(std::int64_t k) const {
    put_bytes(products[k], problem.item(k));
    flags[k] = 0;
  }
};
template <class Problem>
struct flag_row {
  Problem problem;
  std::uint8_t* flags;
  SWEEP_HD void operator()(std::int64_t row) const {
    auto const begin = problem.offset(row);
    if (begin < problem.offset(row + 1)) flags[begin] = 1;
  }
};
template <class Problem>
struct gather_row {
  Problem problem;
  typename Problem::value const* sums;
  SWEEP_HD void operator()(std::int64_t row) const {
    auto const begin = problem.offset(row);
    if (begin < problem.offset(row + 1)) problem.put(row, sums[begin]);
    else problem.put_empty(row);
  }
};

/// Four steps (Sengupta, Harris, Zhang and Owens 2007, section 4.3): products of all entries; a flag where a
/// row begins; a backward segmented scan of the products, which leaves a row's sum where it begins; the sums,
/// gathered.
template <class Policy, class Problem>
void spmv_by_segmented_scan(Policy const& policy, char const* call, Problem const& problem) {
  using V = typename Problem::value;
  with_memory_first([&] {
    with_memory<V>(policy, call, problem.n, [&](auto const& with_products, V* products) {
      with_memory<std::uint8_t>(with_products, call, problem.n, [&](auto const& rest, std::uint8_t* flags) {
        for_each_index(rest, call, problem.n, make_product<Problem>{problem, products, flags});
        for_each_index(rest, call, problem.count, flag_row<Problem>{problem, flags});
        segmented_scan<scan_kind::inclusive, backward_t>(
            call, rest, products, products + problem.n, segments::by_head_flags(flags), products,
            swapped_op<decltype(problem.op)>{problem.op}, identity{});
        for_each_index(rest, call, problem.count, gather_row<Problem>{problem, products});
      });
    });
  });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

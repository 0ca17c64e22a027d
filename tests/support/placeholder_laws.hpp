// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_PLACEHOLDER_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_PLACEHOLDER_LAWS_HPP

#include <support/expect.hpp>

#include <sweep/adjacent_difference.hpp>
#include <sweep/copy_if.hpp>
#include <sweep/reduce.hpp>
#include <sweep/remove.hpp>
#include <sweep/scan.hpp>
#include <sweep/segmented_scan.hpp>
#include <sweep/unique.hpp>

#include <thrust/functional.h>

#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace sweep_test {

/// Thrust's placeholders as every kind of function that calls take, for any place.
template <class Place>
void placeholder_laws(Place const& at) {
  using thrust::placeholders::_1;
  using thrust::placeholders::_2;
  auto const& p = at.policy;
  auto const title = std::string(at.name) + ": ";
  typename Place::template array<int> const in({1, 2, 3, 4, 5, 6}), out(6), keys({10, 11, 20, 21, 22, 30});
  auto const first = in.begin(), last = in.end();
  auto const written = [&](int* end, std::vector<int> const& want, char const* what) {
    auto got = out.read();
    got.resize(static_cast<std::size_t>(end - out.begin()));
    expect_equal(got, want, title + what);
  };
  expect(sweep::reduce(p, first, last, 0, _1 + _2) == 21, title + "reduce");
  expect(sweep::transform_reduce(p, first, last, 0, std::plus<>{}, _1 * 2) == 42,
         title + "transform_reduce, the standard's order");
  expect(sweep::transform_reduce(p, first, last, _1 * 2, 0, _1 + _2) == 42,
         title + "transform_reduce, Thrust's order");
  expect(sweep::transform_reduce(p, first, last, first, 0, std::plus<>{}, _1 * _2) == 91,
         title + "transform_reduce of two ranges");
  written(sweep::inclusive_scan(p, first, last, out.begin(), _1 + _2), {1, 3, 6, 10, 15, 21},
          "inclusive_scan");
  written(sweep::inclusive_scan(p, first, last, out.begin(), 1, _1 + _2), {2, 4, 7, 11, 16, 22},
          "inclusive_scan from 1, Thrust's order");
  written(sweep::transform_inclusive_scan(p, first, last, out.begin(), -_1, _1 + _2),
          {-1, -3, -6, -10, -15, -21}, "transform_inclusive_scan, Thrust's order");
  written(sweep::transform_exclusive_scan(p, first, last, out.begin(), 0, _1 + _2, -_1),
          {0, -1, -3, -6, -10, -15}, "transform_exclusive_scan, the standard's order");
  written(sweep::copy_if(p, first, last, out.begin(), _1 > 3), {4, 5, 6}, "copy_if");
  written(sweep::remove_copy_if(p, first, last, out.begin(), _1 % 2 == 0), {1, 3, 5}, "remove_copy_if");
  written(sweep::unique_copy(p, keys.begin(), keys.end(), out.begin(), _1 / 10 == _2 / 10), {10, 20, 30},
          "unique_copy");
  written(sweep::adjacent_difference(p, first, last, out.begin(), _1 * _2), {1, 2, 6, 12, 20, 30},
          "adjacent_difference");
  written(sweep::inclusive_scan_by_key(p, keys.begin(), keys.end(), first, out.begin(), _1 / 10 == _2 / 10,
                                       _1 + _2),
          {1, 3, 3, 7, 12, 6}, "inclusive_scan_by_key");
}

}  // namespace sweep_test

#endif

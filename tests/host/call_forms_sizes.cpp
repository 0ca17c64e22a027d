// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges that have fewer items than the input are refused, where there is one for each of the input's.
#include <support/expect.hpp>

#include <sweep/adjacent_difference.hpp>
#include <sweep/multisplit.hpp>
#include <sweep/scan.hpp>
#include <sweep/segmented_scan.hpp>
#include <sweep/segmented_sort.hpp>
#include <sweep/sort.hpp>

#include <functional>
#include <string>
#include <vector>

using namespace sweep_test;

TEST_CASE("host calls of ranges: those with fewer items than the input") {
  std::vector<int> x{3, 1, 2, 5}, out(4), few(2), offsets{0, 4};
  auto const refused = [&](std::string const& call, auto f) {
    expect_throw<sweep::bad_argument>(
        {"sweep::" + call + ":", "a range behind the input has 2 items, fewer than the input's 4"}, f);
  };
  auto const segments = sweep::segments::by_offsets(offsets);
  auto const odd = [](int i) { return i % 2; };
  refused("argsort", [&] { sweep::argsort(x, few); });
  refused("argsort", [&] { sweep::argsort(sweep::seq, x.begin(), x.end(), few); });
  refused("sort_copy", [&] { sweep::sort_copy(sweep::host, x, few, std::greater<>{}); });
  refused("sort_by_key", [&] { sweep::sort_by_key(x, few); });
  refused("stable_sort_by_key", [&] { sweep::stable_sort_by_key(sweep::host, x, few); });
  refused("sort_by_key_copy", [&] { sweep::sort_by_key_copy(sweep::host, x, out, out, few); });
  refused("inclusive_scan", [&] { sweep::inclusive_scan(x, few); });
  refused("exclusive_scan", [&] { sweep::exclusive_scan(sweep::host, x, few, 7); });
  refused("transform_inclusive_scan", [&] { sweep::transform_inclusive_scan(x, few, std::plus<>{}, odd); });
  refused("segmented_inclusive_scan", [&] { sweep::segmented_inclusive_scan(x, segments, few); });
  refused("inclusive_scan_by_key", [&] { sweep::inclusive_scan_by_key(x, few, out); });
  refused("adjacent_difference", [&] { sweep::adjacent_difference(x, few); });
  refused("multisplit", [&] { (void)sweep::multisplit(x, few, 2, odd); });
  refused("segmented_sort_copy", [&] { sweep::segmented_sort_copy(x, segments, few); });
  refused("segmented_sort_by_key", [&] { sweep::segmented_sort_by_key(sweep::host, x, few, segments); });
  int pair[2]{}, four[4]{3, 1, 2, 5};
  refused("inclusive_scan", [&] { sweep::inclusive_scan(x, pair); });
  refused("inclusive_scan", [&] { sweep::inclusive_scan(sweep::seq, x.begin(), x.cend(), pair); });
  refused("sort_by_key", [&] { sweep::sort_by_key(four, four + 4, few); });
  refused("inclusive_scan", [&] { sweep::inclusive_scan(x.begin(), x.cend(), few); });
  refused("exclusive_scan", [&] { sweep::exclusive_scan(sweep::host, x.cbegin(), x.end(), pair, 7); });
  CHECK(x == std::vector<int>{3, 1, 2, 5});
  CHECK(pair[0] == 0);
  std::vector<int> more(9, -1);
  sweep::inclusive_scan(x, more);
  CHECK(more == std::vector<int>{3, 4, 6, 11, -1, -1, -1, -1, -1});
}

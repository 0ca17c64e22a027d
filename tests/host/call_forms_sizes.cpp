// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges that have fewer items than the input are refused, where there is one for each of the input's.
#include <support/expect.hpp>

#include <sweep/adjacent_difference.hpp>
#include <sweep/copy_if.hpp>
#include <sweep/equal.hpp>
#include <sweep/expand.hpp>
#include <sweep/gather.hpp>
#include <sweep/histogram.hpp>
#include <sweep/multisplit.hpp>
#include <sweep/recurrence.hpp>
#include <sweep/reduce.hpp>
#include <sweep/run_length.hpp>
#include <sweep/scan.hpp>
#include <sweep/segmented_reduce.hpp>
#include <sweep/segmented_scan.hpp>
#include <sweep/segmented_sort.hpp>
#include <sweep/sort.hpp>
#include <sweep/split.hpp>
#include <sweep/top_k.hpp>
#include <sweep/unique.hpp>

#include <functional>
#include <string>
#include <vector>

using namespace sweep_test;

TEST_CASE("host calls of ranges: those with fewer items than the input") {
  std::vector<int> x{3, 1, 2, 5}, out(4), few(2), offsets{0, 4};
  auto const refused = [&](std::string const& call, auto f) {
    expect_throw<sweep::bad_argument>(
        {"sweep::" + call + ":", "a range behind the input has 2 items, but 4 are needed"}, f);
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
  refused("gather", [&] { sweep::gather(x, std::vector<int>(9), few); });
  refused("scatter", [&] { sweep::scatter(x, few, out); });
  refused("gather_if", [&] { sweep::gather_if(x, few, std::vector<int>(9), out); });
  refused("equal", [&] { (void)sweep::equal(x, few); });
  refused("mismatch", [&] { sweep::mismatch(sweep::seq, x, few); });
  refused("inner_product", [&] { sweep::inner_product(x, few, 0); });
  refused("reduce_by_key", [&] { sweep::reduce_by_key(x, few, out, out); });
  refused("unique_by_key", [&] { sweep::unique_by_key(x, few); });
  refused("expand", [&] { sweep::expand(x, few, out); });
  refused("linear_recurrence", [&] { sweep::linear_recurrence(1.5, x, few); });
  refused("linear_recurrence", [&] { sweep::linear_recurrence(sweep::seq, few, x, out); });
  refused("run_length_decode", [&] { sweep::run_length_decode(x, few, out); });
  refused("weighted_histogram", [&] { sweep::weighted_histogram(x, few, out, 4); });
  refused("weighted_histogram_range", [&] { sweep::weighted_histogram_range(x, few, out, offsets); });
  refused("transform_reduce", [&] { sweep::transform_reduce(sweep::host, x, few, 0); });
  refused("pack", [&] { sweep::pack(x, few, out); });
  refused("split", [&] { sweep::split(x, segments, few, odd); });
  refused("top_k", [&] { sweep::top_k(x, 7, few); });
  refused("top_k_by_key", [&] { sweep::top_k_by_key(x, few, 1, out, out); });
  expect_throw<sweep::bad_argument>({"sweep::arg_top_k:", "has 2 items, but 3 are needed"},
                                    [&] { sweep::arg_top_k(sweep::host, x, 3, few); });
  sweep::top_k(x, 2, few);
  CHECK(few == std::vector<int>{5, 3});
  sweep::gather(few, std::vector<int>(9, 1), out);
  out.assign(4, 0);
  few.assign(2, 0);
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

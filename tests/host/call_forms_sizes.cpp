// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges that have fewer items than the input are refused, where there is one for each of the input's.
#include <support/expect.hpp>

#include <sweep/adjacent_difference.hpp>
#include <sweep/bounds.hpp>
#include <sweep/convert_segments.hpp>
#include <sweep/copy_if.hpp>
#include <sweep/count.hpp>
#include <sweep/equal.hpp>
#include <sweep/expand.hpp>
#include <sweep/extrema.hpp>
#include <sweep/gather.hpp>
#include <sweep/histogram.hpp>
#include <sweep/is_sorted.hpp>
#include <sweep/merge.hpp>
#include <sweep/multisplit.hpp>
#include <sweep/partition.hpp>
#include <sweep/recurrence.hpp>
#include <sweep/reduce.hpp>
#include <sweep/remove.hpp>
#include <sweep/run_length.hpp>
#include <sweep/scan.hpp>
#include <sweep/search.hpp>
#include <sweep/segmented_reduce.hpp>
#include <sweep/segmented_scan.hpp>
#include <sweep/segmented_sort.hpp>
#include <sweep/segmented_top_k.hpp>
#include <sweep/segments.hpp>
#include <sweep/sort.hpp>
#include <sweep/split.hpp>
#include <sweep/three_way_partition.hpp>
#include <sweep/top_k.hpp>
#include <sweep/unique.hpp>

#include <cstdint>
#include <functional>
#include <limits>
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
  refused("enumerate", [&] { sweep::enumerate(x, few); });
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

TEST_CASE("host calls of ranges: outputs with fewer places than the call asks for") {
  std::vector<int> const x{1, 2, 3, 5}, y{0, 2, 4}, weights(4, 1), edges{0, 2, 4, 6};
  std::vector<int> few(2, -7), enough(9, -7);
  std::vector<std::uint32_t> words;
  int pair[2]{-7, -7};
  auto const refused = [&](std::string const& call, std::string const& argument, std::string const& numbers,
                           auto f) {
    expect_throw<sweep::bad_argument>({"sweep::" + call + ": " + argument + " has " + numbers, "needed"}, f);
    CHECK(few == std::vector<int>(2, -7));
    CHECK(enough == std::vector<int>(9, -7));
    CHECK(pair[0] == -7);
  };
  auto const parity = [](int i) { return i % 2; };
  auto const of3 = "2 items, but 3", of4 = "2 items, but 4", of7 = "2 items, but 7";

  refused("histogram", "counts", of3, [&] { sweep::histogram(x, few, 3); });
  refused("histogram", "counts", of3, [&] { sweep::histogram(sweep::seq, x.begin(), x.end(), few, 3u); });
  refused("histogram", "counts", of3, [&] { sweep::histogram(sweep::host, x, pair, std::uint64_t{3}); });
  refused("histogram_even", "counts", of4, [&] { sweep::histogram_even(x, few, 4, 0, 8); });
  refused("histogram_range", "counts", of3, [&] { sweep::histogram_range(x, few, edges); });
  refused("histogram_range", "counts", of3,
          [&] { sweep::histogram_range(sweep::seq, x, few, edges.begin(), edges.end()); });
  refused("weighted_histogram", "counts", of3, [&] { sweep::weighted_histogram(x, weights, few, 3); });
  refused("weighted_histogram", "weights", of4, [&] { sweep::weighted_histogram(x, few, enough, 3); });
  refused("weighted_histogram_even", "counts", of4,
          [&] { sweep::weighted_histogram_even(x, weights, few, 4, 0, 8); });
  refused("weighted_histogram_range", "counts", of3,
          [&] { sweep::weighted_histogram_range(sweep::host, x, weights, few, edges); });
  refused("weighted_histogram_range", "weights", of4,
          [&] { sweep::weighted_histogram_range(x, few, enough, edges); });

  refused("lower_bound", "out", of3, [&] { sweep::lower_bound(x, y, few); });
  refused("upper_bound", "out", of3, [&] { sweep::upper_bound(sweep::seq, x, y.begin(), y.end(), few); });
  refused("binary_search", "out", of3,
          [&] { sweep::binary_search(sweep::host, x.begin(), x.end(), y, pair, std::less<>{}); });

  refused("merge", "out", of7, [&] { sweep::merge(x, y, few); });
  refused("merge", "out", of7,
          [&] { sweep::merge(sweep::host, x, y.begin(), y.end(), pair, std::less<>{}); });
  refused("merge_by_key", "values1", of4, [&] { sweep::merge_by_key(x, y, few, y, enough, enough); });
  refused("merge_by_key", "values2", of3, [&] { sweep::merge_by_key(x, y, x, few, enough, enough); });
  refused("merge_by_key", "keys_out", of7, [&] { sweep::merge_by_key(x, y, x, y, few, enough); });
  refused("merge_by_key", "values_out", of7,
          [&] { sweep::merge_by_key(sweep::seq, x, y, x, y, enough, few); });

  refused("multisplit_into", "out", of4, [&] { sweep::multisplit_into(x, few, enough, 2, parity); });
  refused("multisplit_into", "offsets", of3, [&] { sweep::multisplit_into(x, enough, few, 2, parity); });
  refused("multisplit_by_key_into", "offsets", of3,
          [&] { sweep::multisplit_by_key_into(sweep::host, x, x, enough, enough, few, 2, parity); });
  refused("multisplit_by_key_into", "values_out", of4,
          [&] { sweep::multisplit_by_key_into(x, x, enough, few, enough, 2, parity); });

  std::vector<int> const offsets{0, 1, 2, 4};
  auto const three = sweep::segments::by_offsets(offsets);
  refused("segmented_reduce", "out", of3, [&] { sweep::segmented_reduce(x, three, few); });
  refused("segmented_transform_reduce", "out", of3,
          [&] { sweep::segmented_transform_reduce(x, three, few, 0, std::plus<>{}, parity); });
  refused("segments::to_head_flags", "flags", of4, [&] { sweep::segments::to_head_flags(three, 4, few); });
  refused("segments::to_head_bits", "words", "0 items, but 1",
          [&] { sweep::segments::to_head_bits(sweep::seq, three, 4, words); });
  refused("segments::to_offsets", "offsets", of4,
          [&] { sweep::segments::to_offsets(sweep::host, three, 4, few); });
  refused("segments::to_lengths", "lengths", of3, [&] { sweep::segments::to_lengths(three, 4, few); });

  refused("segmented_top_k", "out", "2 items, but 6", [&] { sweep::segmented_top_k(x, three, 2, few); });
  refused("segmented_arg_top_k", "out", of3,
          [&] { sweep::segmented_arg_top_k(sweep::host, x, three, 1u, few); });
  refused("segmented_top_k_by_key", "values_out", of3,
          [&] { sweep::segmented_top_k_by_key(x, x, three, 1, enough, few); });
  refused("segmented_top_k_by_key", "values_first", of4,
          [&] { sweep::segmented_top_k_by_key(x, few, three, 1, enough, enough); });
  refused("segmented_top_k_with_indices", "indices_out", of3,
          [&] { sweep::segmented_top_k_with_indices(x, three, 1, enough, few); });

  refused("expand_into", "out", of4, [&] { sweep::expand_into(x, weights, few, 4, enough); });
  refused("run_length_decode_into", "out", of3,
          [&] { sweep::run_length_decode_into(sweep::seq, x, weights, few, 3, enough); });

  // What is long enough is written, what has no length is taken as it is, and a value is no range of values.
  sweep::histogram(x, few, 2);
  CHECK(few == std::vector<int>{0, 1});
  sweep::lower_bound(x, y, enough.begin());
  CHECK(std::vector<int>(enough.begin(), enough.begin() + 4) == std::vector<int>{0, 1, 3, -7});
  std::vector<std::string> const texts{"ab", "cd"};
  CHECK(sweep::lower_bound(texts, std::string("cd")) == texts.begin() + 1);
  std::vector<int> six(6, -1);
  sweep::segmented_top_k(x, three, 2, six);
  CHECK(six == std::vector<int>{1, -1, 2, -1, 5, 3});
}

TEST_CASE("host calls that write a result: outputs with no place for it") {
  std::vector<int> const x{3, 1, 2, 5};
  std::vector<int> y{3, 1, 2, 5}, out(4, -1), rest(4, -1), others(4, -1), stencil(4), none, nothing, one(1);
  std::vector<int> result;
  auto const odd = [](int i) { return i % 2 != 0; };
  auto const refused = [&](std::string const& call, auto f) {
    expect_throw<sweep::bad_argument>(
        {"sweep::" + call + ": the output of the result", "has 0 items, but 1 is needed"}, f);
  };
  refused("reduce_into", [&] { sweep::reduce_into(x, result, 0); });
  refused("reduce_into", [&] { sweep::reduce_into(none, result, 0); });
  refused("reduce_into", [&] { sweep::reduce_into(sweep::seq, x.begin(), x.end(), result, 0); });
  refused("transform_reduce_into",
          [&] { sweep::transform_reduce_into(sweep::host, x, result, 0, std::plus<>{}, odd); });
  refused("inner_product_into", [&] { sweep::inner_product_into(x, x, result, 0); });
  refused("count_into", [&] { sweep::count_into(x, result, 1); });
  refused("count_if_into", [&] { sweep::count_if_into(x, result, odd); });
  refused("find_into", [&] { sweep::find_into(x, result, 1); });
  refused("any_of_into", [&] { sweep::any_of_into(x, result, odd); });
  refused("max_element_into", [&] { sweep::max_element_into(x, result); });
  refused("is_sorted_into", [&] { sweep::is_sorted_into(x, result); });
  refused("lower_bound_into", [&] { sweep::lower_bound_into(x, result, 3); });
  refused("equal_into", [&] { sweep::equal_into(x, x, result); });
  refused("mismatch_into", [&] { sweep::mismatch_into(sweep::seq, x, x, result); });
  refused("copy_if_into", [&] { sweep::copy_if_into(x, out, result, odd); });
  refused("copy_if_into", [&] { sweep::copy_if_into(x, stencil, out.begin(), result, odd); });
  refused("pack_into", [&] { sweep::pack_into(x, stencil, out, result); });
  refused("remove_copy_into", [&] { sweep::remove_copy_into(x, out, result, 1); });
  refused("remove_into", [&] { sweep::remove_into(y, result, 1); });
  refused("partition_copy_into", [&] { sweep::partition_copy_into(x, out, rest, result, odd); });
  refused("stable_partition_into", [&] { sweep::stable_partition_into(y, result, odd); });
  refused("stable_partition_into", [&] { sweep::stable_partition_into(y, stencil, result, odd); });
  refused("unique_copy_into", [&] { sweep::unique_copy_into(x, out, result); });
  refused("unique_into", [&] { sweep::unique_into(y, result); });
  refused("unique_count_into", [&] { sweep::unique_count_into(x, result); });
  refused("unique_by_key_into", [&] { sweep::unique_by_key_into(y, out, result); });
  refused("run_length_encode_into", [&] { sweep::run_length_encode_into(x, out, rest, result); });
  expect_throw<sweep::bad_argument>({"sweep::minmax_element_into:", "has 1 items, but 2 are needed"},
                                    [&] { sweep::minmax_element_into(x, one); });
  expect_throw<sweep::bad_argument>(
      {"sweep::three_way_partition_copy_into:", "has 1 items, but 2 are needed"},
      [&] { sweep::three_way_partition_copy_into(x, out, rest, others, one, odd, odd); });
  expect_throw<sweep::bad_argument>({"sweep::expand_into: total", "has 0 items, but 1 is needed"},
                                    [&] { sweep::expand_into(x, stencil, out, 4, result); });
  CHECK(y == x);
  CHECK(out == std::vector<int>(4, -1));
  CHECK(rest == out);
  CHECK(others == out);

  // Of no items there is no output to have room, but a result of them; and iterators say nothing.
  sweep::copy_if_into(none, nothing, one, odd);
  CHECK(one[0] == 0);
  sweep::partition_copy_into(none, nothing, nothing, one, odd);
  CHECK(one[0] == 0);
  sweep::copy_if_into(none, nothing, one.begin(), odd);
  sweep::reduce_into(x, one, 0);
  CHECK(one[0] == 11);
  sweep::copy_if_into(x, out, one.data(), odd);
  CHECK(one[0] == 3);
}

TEST_CASE("selections in segments: more results than there are") {
  std::vector<int> const x{1, 3, 2};
  std::vector<int> out(3, -1);
  auto const all = std::numeric_limits<std::size_t>::max();
  sweep::segmented_top_k(x, sweep::segments::by_rows(1, 3), all, out);
  CHECK(out == std::vector<int>{3, 2, 1});
  auto const refused = [&](auto f) {
    out.assign(3, -1);
    expect_throw<sweep::bad_argument>(
        {"sweep::segmented_top_k: k is 9223372036854775807", "more than 64 bits count"}, f);
    CHECK(out == std::vector<int>(3, -1));
  };
  std::vector<int> const lengths{1, 2};
  refused([&] { sweep::segmented_top_k(x, sweep::segments::by_lengths(lengths), all, out.begin()); });
  refused(
      [&] { sweep::segmented_top_k(sweep::seq, x, sweep::segments::by_key(x.begin()), all, out.begin()); });
}

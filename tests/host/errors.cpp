// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bad input on seq and host: what is said, and that nothing is written.
#include <support/expect.hpp>
#include <support/host_places.hpp>

#include <sweep/sweep.hpp>

#include <functional>
#include <string>
#include <vector>

using namespace sweep_test;

TEST_CASE("host errors: a range whose end lies before its beginning") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    std::vector<int> const x(10, 1);
    std::vector<int> out(10, -7);
    expect_throw<sweep::bad_argument>({"sweep::inclusive_scan", "last", "3 items before first"}, [&] {
      sweep::inclusive_scan(policy, x.begin() + 5, x.begin() + 2, out.begin());
    });
    expect_throw<std::invalid_argument>({"sweep::exclusive_scan", "last"}, [&] {
      sweep::exclusive_scan(policy, x.begin() + 5, x.begin() + 4, out.begin(), 0);
    });
    expect(out == std::vector<int>(10, -7), "nothing is written");
  });
}

TEST_CASE("host errors: null pointers") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    std::vector<int> x(10, 1);
    int* const none = nullptr;
    expect_throw<sweep::bad_argument>({"sweep::inclusive_scan", "out", "null"},
                                      [&] { sweep::inclusive_scan(policy, x.begin(), x.end(), none); });
    expect_throw<sweep::bad_argument>({"sweep::transform_exclusive_scan", "first", "null"}, [&] {
      sweep::transform_exclusive_scan(policy, none, none + 3, x.begin(), 0, std::plus<>{}, std::negate<>{});
    });
    sweep::bits const no_words(nullptr);
    expect_throw<sweep::bad_argument>({"sweep::pack", "flags", "null"},
                                      [&] { sweep::pack(policy, x.begin(), x.end(), no_words, x.begin()); });
    expect_throw<sweep::bad_argument>({"sweep::enumerate", "first", "null"},
                                      [&] { sweep::enumerate(policy, no_words, no_words + 10, x.begin()); });
    expect_throw<sweep::bad_argument>({"sweep::count", "first", "null"}, [&] {
      static_cast<void>(sweep::count(policy, no_words, no_words + 10, true));
    });
    expect(x == std::vector<int>(10, 1), "nothing is written");
  });
}

TEST_CASE("host errors: an empty range is fine, whatever the pointers") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    int* const none = nullptr;
    CHECK(sweep::inclusive_scan(policy, none, none, none) == nullptr);
    CHECK(sweep::exclusive_scan(policy, none, none, none, 5) == nullptr);
    int out = 3;
    CHECK(sweep::exclusive_scan(policy, none, none, &out, 5, std::plus<>{}, sweep::backward) == &out);
    CHECK(out == 3);
  });
}

TEST_CASE("host errors: what is wrong has the name that the call gives it") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    std::vector<int> x(10, 1), y(10, -7), z(10, -7);
    int *const first = x.data(), *const last = first + 10, *const out = y.data(), *const other = z.data();
    int* const none = nullptr;
    auto const odd = [](int i) { return i % 2 != 0; };
    auto const refused = [](std::vector<std::string> const& words, auto f) {
      expect_throw<sweep::bad_argument>(words, f);
    };
    refused({"sweep::inner_product:", "first2", "null"},
            [&] { sweep::inner_product(policy, first, last, none, 0); });
    refused({"sweep::transform_reduce:", "first1", "null"},
            [&] { sweep::transform_reduce(policy, none, none + 3, first, 0); });
    refused({"sweep::inner_product_into:", "last1", "10 items before first1"},
            [&] { sweep::inner_product_into(policy, last, first, first, out, 0); });
    refused({"sweep::equal:", "last1", "10 items before first1"},
            [&] { sweep::equal(policy, last, first, first); });
    refused({"sweep::sort_by_key:", "keys_last", "10 items before keys_first"},
            [&] { sweep::sort_by_key(policy, last, first, out); });
    refused({"sweep::argsort:", "last", "10 items before first"},
            [&] { sweep::argsort(policy, last, first, out); });
    refused({"sweep::argsort:", " first is a null"}, [&] { sweep::argsort(policy, none, none + 3, out); });
    refused({"sweep::top_k_by_key:", "keys_last", "10 items before keys_first"},
            [&] { sweep::top_k_by_key(policy, last, first, first, 2, out, other); });
    refused({"sweep::unique_by_key:", "keys_last", "10 items before keys_first"},
            [&] { sweep::unique_by_key(policy, last, first, out); });
    refused({"sweep::reduce_by_key:", "keys_last", "10 items before keys_first"},
            [&] { sweep::reduce_by_key(policy, last, first, first, out, other); });
    refused({"sweep::multisplit_by_key_into:", "keys_last", "10 items before keys_first"},
            [&] { sweep::multisplit_by_key_into(policy, last, first, first, out, out, other, 2, odd); });
    refused({"sweep::merge:", "last1", "10 items before first1"},
            [&] { sweep::merge(policy, last, first, first, first, out); });
    refused({"sweep::gather:", "map_last", "10 items before map_first"},
            [&] { sweep::gather(policy, last, first, first, out); });
    refused({"sweep::histogram_range:", "edges_last", "10 items before edges_first"},
            [&] { sweep::histogram_range(policy, first, last, out, last, first); });
    refused({"sweep::linear_recurrence_gradient:", "gy_last", "10 items before gy_first"},
            [&] { sweep::linear_recurrence_gradient(policy, 2, first, last, first, out, other); });
    refused({"sweep::stable_partition_copy:", "out_true", "null"},
            [&] { sweep::stable_partition_copy(policy, first, last, none, out, odd); });
    refused({"sweep::stable_partition_copy_into:", "count", "null"},
            [&] { sweep::stable_partition_copy_into(policy, first, last, out, other, none, odd); });
    refused({"sweep::three_way_partition_copy:", "out3", "null"}, [&] {
      sweep::three_way_partition_copy(
          policy, first, last, out, other, none, [](int) { return false; }, [](int) { return false; });
    });
    refused({"sweep::segmented_reduce:", "segments", "-1 rows of -10 items"}, [&] {
      sweep::segmented_reduce(policy, first, last, sweep::segments::by_rows(-1, -10), out, 0, std::plus<>{});
    });
    refused({"sweep::segments::to_head_flags:", "n", "negative: -3"},
            [&] { sweep::segments::to_head_flags(policy, sweep::segments::by_head_flags(first), -3, out); });
    refused({"sweep::segments::to_offsets:", "n", "negative: -3"},
            [&] { sweep::segments::to_offsets(policy, sweep::segments::by_head_flags(first), -3, out); });
    refused({"sweep::segments::to_lengths:", "n", "negative: -3"},
            [&] { sweep::segments::to_lengths(policy, sweep::segments::by_head_flags(first), -3, out); });
    expect(y == std::vector<int>(10, -7) && z == y, "nothing is written");
  });
}

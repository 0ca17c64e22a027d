// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms of calls on the host: no policy, ranges, views, ends of another type.
#include <support/call_form_laws.hpp>
#include <support/host_places.hpp>

#include <array>
#include <functional>
#include <list>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#if __has_include(<cuda/std/utility>)
#include <cuda/std/tuple>
#include <cuda/std/utility>
#endif

using namespace sweep_test;

namespace {

struct vectors {
  template <class T>
  using of = std::vector<T>;
  template <class T>
  static std::vector<T> read(std::vector<T> const& from) {
    return from;
  }
};

/// Ends where an item is 0, and cannot say before how far that is.
struct until_zero {
  friend bool operator==(int const* it, until_zero) { return *it == 0; }
};

[[maybe_unused]] std::vector<int> wanted_squares() { return {0, 1, 5, 14, 30, 55, 91, 140}; }

}  // namespace

TEST_CASE("host call forms: every form does what the canonical one does") {
  for (std::size_t const n : {0, 1, 3, 1000}) {
    call_form_laws<true>(vectors{}, sweep::host.threads(3), n);
    call_form_laws<false>(vectors{}, sweep::seq, n);
  }
}

// Views of libstdc++ do not compile with clang below 16.
#if !defined(__clang__) || __clang_major__ >= 16
TEST_CASE("host call forms: views are inputs and outputs") {
  auto const squares =
      std::views::iota(0) | std::views::transform([](int i) { return i * i; }) | std::views::take(8);
  std::vector<int> got(8);
  auto const same = [&](auto end) {
    CHECK(end - got.begin() == 8);
    CHECK(got == wanted_squares());
    std::fill(got.begin(), got.end(), -1);
  };
  same(sweep::inclusive_scan(squares, got));
  same(sweep::inclusive_scan(sweep::seq, squares, got));
  same(sweep::inclusive_scan(sweep::host.threads(3), squares.begin(), squares.end(), got));
  int factor = 1;  // a view that has no begin() while it is const
  same(sweep::inclusive_scan(std::views::iota(0, 8) |
                                 std::views::transform([factor](int i) mutable { return factor * i * i; }),
                             got));
  sweep::inclusive_scan(sweep::host, std::span(got).first(3), std::span(got).subspan(3, 3));
  CHECK(got == std::vector{-1, -1, -1, -1, -2, -3, -1, -1});
  std::vector<int> const counted{1, 2, 3, 4, 5, 6, 7, 8};
  sweep::exclusive_scan(counted | std::views::reverse, got | std::views::reverse);
  CHECK(got == std::vector{35, 33, 30, 26, 21, 15, 8, 0});
  CHECK(sweep::reduce(counted | std::views::drop(2), 10) == 43);
  CHECK(sweep::reduce(sweep::host, counted | std::views::take(3)) == 6);
  CHECK(sweep::transform_reduce(counted, std::views::iota(1), 0) == 204);
}
#endif

TEST_CASE("host call forms: sentinels") {
  int const text[] = {3, 1, 4, 1, 5, 0, 9};
  CHECK(sweep::reduce(static_cast<int const*>(text), until_zero{}) == 14);
  CHECK(sweep::reduce(sweep::host, static_cast<int const*>(text), until_zero{}, 100) == 114);
  auto const counted = std::counted_iterator(static_cast<int const*>(text), 3);
  CHECK(sweep::reduce(counted, std::default_sentinel) == 8);
}

TEST_CASE("host call forms: an array is the input, or the begin of one with its end behind it") {
  int x[4] = {1, 2, 3, 4}, y[4] = {};
  CHECK(sweep::inclusive_scan(x, y) == y + 4);
  CHECK(y[3] == 10);
  CHECK(sweep::exclusive_scan(sweep::seq, x, y, 5, sweep::backward) == y + 4);
  CHECK(y[0] == 14);
  int const fixed[] = {3, 1, 3};
  CHECK(sweep::reduce(fixed) == 7);
  CHECK(sweep::count(sweep::host, fixed, 3) == 2);
  sweep::sort(y);
  CHECK(y[3] == 14);
  CHECK(sweep::inclusive_scan(x, x + 4, y) == y + 4);
  CHECK(y[3] == 10);
  CHECK(sweep::inclusive_scan(sweep::seq, x, x + 2, y) == y + 2);
  CHECK(y[1] == 3);
  int runs[] = {1, 1, 2};
  CHECK(sweep::unique(runs, runs + 3) == runs + 2);
}

TEST_CASE("host call forms: a range among values is a value") {
  using pair_of = std::array<int, 2>;
  auto const join = [](pair_of const& a, pair_of const& b) { return pair_of{a[0] + b[0], a[1] + b[1]}; };
  std::vector<pair_of> const x{{1, 10}, {2, 20}, {3, 30}};
  std::vector<pair_of> got(3);
  sweep::exclusive_scan(x, got, pair_of{5, 5}, join);
  CHECK(got == std::vector<pair_of>{{5, 5}, {6, 15}, {8, 35}});
  CHECK(sweep::reduce(x, pair_of{1, 1}, join) == pair_of{7, 61});
  CHECK(sweep::transform_reduce(x, pair_of{1, 1}, join, [](pair_of const& p) { return p; }) ==
        pair_of{7, 61});
  std::vector<std::string> const words{"a", "b", "c"};
  CHECK(sweep::reduce(sweep::host, words, std::string("<")) == "<abc");
  std::string_view const second = "b";  // no string becomes of it, but strings are compared with it
  CHECK(sweep::lower_bound(words, second) == words.begin() + 1);
  CHECK(sweep::find(sweep::seq, words, second) == words.begin() + 1);
  CHECK(sweep::count(words, second) == 1);
}

TEST_CASE("host call forms: recurrences and scans of many ranges take ranges") {
  std::vector<double> const a{2, 3, 4}, x{1, 1, 1};
  std::vector<double> y(3), ga(3), gx(3);
  CHECK(sweep::linear_recurrence(a, x, y) == y.end());
  CHECK(y == std::vector<double>{1, 4, 17});
  CHECK(sweep::linear_recurrence(sweep::seq, 2, x, y.begin(), 1.0, sweep::backward) == y.end());
  CHECK(y == std::vector<double>{15, 7, 3});
  sweep::linear_recurrence(sweep::host, a, x, y);
  CHECK(sweep::linear_recurrence_gradient(a, y, x, ga, gx) == gx.end());
  CHECK(gx == std::vector<double>{16, 5, 1});
  CHECK(ga == std::vector<double>{0, 5, 4});
  sweep::linear_recurrence_gradient(sweep::seq, a.begin(), y, x, ga, gx, 1.0);
  CHECK(ga == std::vector<double>{16, 5, 4});
  std::vector<int> const lengths{1, 2};
  sweep::segmented_linear_recurrence(a, x, sweep::segments::by_lengths(lengths), y);
  CHECK(y == std::vector<double>{1, 1, 5});
  sweep::segmented_linear_recurrence(sweep::seq, 2, x, sweep::segments::by_lengths(lengths), y,
                                     sweep::backward);
  CHECK(y == std::vector<double>{1, 3, 1});
  std::vector<sweep::scan_range<double const*, double*>> const ranges{{x.data(), 3, y.data()}};
  CHECK(sweep::inclusive_scan_many(ranges) == ranges.end());
  CHECK(y == std::vector<double>{1, 2, 3});
  sweep::exclusive_scan_many(sweep::seq, ranges, 5.0);
  CHECK(y == std::vector<double>{5, 6, 7});
}

TEST_CASE("host call forms: segments are objects, whatever they are called with") {
  std::vector<int> const x{1, 2, 3, 4, 5, 6};
  std::vector<int> const offsets{0, 2, 2, 6};
  std::vector<int> got(6), sums(3);
  auto segments = sweep::segments::by_offsets(offsets);  // not const
  sweep::segmented_inclusive_scan(x, segments, got);
  CHECK(got == std::vector{1, 3, 3, 7, 12, 18});
  sweep::segmented_inclusive_scan(sweep::host, x.begin(), x.end(), segments, got.begin(), sweep::backward);
  CHECK(got == std::vector{3, 2, 18, 15, 11, 6});
  CHECK(sweep::segmented_reduce(x, sweep::segments::by_offsets(offsets), sums) == sums.end());
  CHECK(sums == std::vector{3, 0, 18});
  sweep::segmented_exclusive_scan(sweep::seq, x, segments, got, 100, std::plus<>{});
  CHECK(got == std::vector{100, 101, 100, 103, 107, 112});
  std::vector<std::uint8_t> flags(6);
  sweep::segments::to_head_flags(segments, 6, flags);
  CHECK(flags == std::vector<std::uint8_t>{1, 0, 1, 0, 0, 0});
  std::vector<std::int64_t> lengths(3);
  CHECK(sweep::segments::to_lengths(sweep::seq, segments, std::size_t{6}, lengths) == lengths.end());
  CHECK(lengths == std::vector<std::int64_t>{2, 0, 4});
  sweep::split(x, segments, got, is_even{});
  CHECK(got == std::vector{2, 1, 4, 6, 3, 5});
  int count = 0;
  CHECK(sweep::segmented_reduce(x, sweep::segments::by_head_flags(flags.begin()), sums) == sums.begin() + 2);
  sweep::segmented_reduce_into(x, sweep::segments::by_head_flags(flags.begin()), sums, &count, 0,
                               std::plus<>{});
  CHECK(count == 2);
}

TEST_CASE("host call forms: counts are written in every form") {
  std::vector<int> const x{1, 2, 3, 4, 6, 6};
  std::vector<int> got(6), rest(6), count(2);
  CHECK(sweep::copy_if_into(x, got, count, is_even{}) == count.begin() + 1);
  CHECK(count[0] == 4);
  sweep::copy_if_into(sweep::host, x, x, got, count.begin(), is_even{});
  CHECK(count[0] == 4);
  sweep::unique_copy_into(x, got, &count[1]);
  CHECK(count[1] == 5);
  sweep::partition_copy_into(x, got, rest, count, is_even{});
  CHECK(rest[1] == 3);
  sweep::three_way_partition_copy_into(x, got, rest, got, count, is_even{}, [](int v) { return v == 1; });
  CHECK(count == std::vector{4, 1});
  sweep::reduce_into(x, std::span(got).last(1));
  CHECK(got[5] == 22);
  sweep::reduce_by_key_into(x, x, got, rest, count);
  CHECK(count[0] == 5);
  CHECK(rest[4] == 12);
  auto own = got;
  sweep::unique_into(own, count);
  sweep::remove_if_into(own, count, is_even{});
  sweep::stable_partition_into(sweep::host, own, count, is_even{});
}

TEST_CASE("host call forms: searches, bounds, counts and histograms take ranges") {
  std::vector<int> sorted{1, 2, 2, 3, 5, 8};
  std::vector<int> const needles{2, 4, 9};
  std::vector<int> places(3), found(6);
  CHECK(sweep::lower_bound(sorted, needles, places) == places.end());
  CHECK(places == std::vector{1, 4, 6});
  CHECK(sweep::upper_bound(sweep::host, sorted, needles, places) == places.end());
  CHECK(places == std::vector{3, 4, 6});
  CHECK(sweep::lower_bound(sorted.begin(), sorted.cend(), 3) == sorted.begin() + 3);
  CHECK(sweep::lower_bound(sorted, 3) == sorted.begin() + 3);
  std::vector<int>::iterator const it = sweep::max_element(sorted);  // of a range that is not const
  CHECK(*it == 8);
  CHECK(*sweep::find_if(sorted, is_even{}) == 2);
  CHECK(sweep::count(sorted, 2) == 2);
  CHECK(sweep::count_if(sweep::seq, sorted, is_even{}) == 3);
  CHECK(sweep::inner_product(sorted, sorted, 0) == 1 + 4 + 4 + 9 + 25 + 64);
  CHECK(sweep::is_sorted(sorted));
  std::vector<int> bins(3);
  sweep::histogram_even(sorted, bins, 3, 0, 9);
  CHECK(bins == std::vector{3, 2, 1});
  std::vector<int> const edges{0, 2, 4, 9};
  sweep::histogram_range(sweep::host, sorted, bins, edges);
  CHECK(bins == std::vector{1, 3, 2});
  std::vector<int> const map{5, 0, 1};
  sweep::gather(map, sorted, places);
  CHECK(places == std::vector{8, 1, 2});
  std::vector<std::string> const words{"a", "b", "d"};
  CHECK(sweep::lower_bound(words, std::string("c")) == words.begin() + 2);
}

TEST_CASE("host call forms: functions that look at items where they stand") {
  auto const less = [](auto& a, auto& b) { return a < b; };
  auto const same = [](auto& a, auto& b) { return a == b; };
  auto const even = [](auto& a) { return a % 2 == 0; };
  std::vector<int> const x{5, 2, 2, 8, 3, 1};
  std::vector<int> const sorted{1, 2, 2, 3, 5, 8};
  auto const with = [&](auto const& policy) {
    auto y = x;
    sweep::sort(policy, y, less);
    CHECK(y == sorted);
    std::vector<int> got(6);
    sweep::top_k(policy, x, 2, got, less);
    CHECK(got[1] == 2);
    CHECK(*sweep::max_element(policy, x, less) == 8);
    CHECK(sweep::lower_bound(policy, sorted, 3, less) == sorted.begin() + 3);
    CHECK(sweep::is_sorted_until(policy, x, less) == x.begin() + 1);
    CHECK(sweep::count_if(policy, x, even) == 3);
    CHECK(sweep::copy_if(policy, x, got, even) == got.begin() + 3);
    CHECK(sweep::find_if(policy, x, even) == x.begin() + 1);
    CHECK(sweep::unique_copy(policy, x, got, same) == got.begin() + 5);
    CHECK(sweep::equal(policy, x, x, same));
  };
  with(sweep::seq);
  with(sweep::host.threads(2));
}

TEST_CASE("host call forms: no two threads write the words of a vector<bool>") {
  using packed = std::vector<bool>;
  auto const chosen = []<class... It>(It...) { return sweep::detail::policy_of<It...>(); };
  using chosen_for_packed = decltype(chosen(std::vector<int>().begin(), packed().begin()));
  static_assert(std::is_same_v<chosen_for_packed, sweep::seq_policy>);
  static_assert(std::is_same_v<decltype(chosen(packed().rbegin())), sweep::seq_policy>);
  static_assert(std::is_same_v<decltype(chosen(packed().cbegin())), sweep::host_policy<>>);
  static_assert(sweep::detail::need_one_writer<sweep::host_policy<>, packed::iterator>);
  static_assert(!sweep::detail::need_one_writer<sweep::host_policy<>, packed::const_iterator, int*>);
  random_source random("vector<bool>");
  packed x(100'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = random() % 3 != 0;
  auto const ones = std::count(x.begin(), x.end(), true);
  packed got(x.size());
  CHECK(sweep::copy_if(x, got, [](bool one) { return one; }) == got.begin() + ones);
  CHECK(std::count(got.begin(), got.end(), true) == ones);
  for (int turn = 0; turn < 5; ++turn) {  // though several threads are asked for
    packed differences(x.size()), want(x.size());
    std::adjacent_difference(x.begin(), x.end(), want.begin(), std::bit_xor<>{});
    sweep::adjacent_difference(sweep::host, x.begin(), x.end(), differences.begin(), std::bit_xor<>{});
    CHECK(differences == want);
    sweep::inclusive_scan(sweep::host.threads(4), differences, got, std::bit_xor<>{});
    CHECK(got == x);
  }
  sweep::sort(sweep::host, x.begin(), x.end());
  CHECK(std::is_sorted(x.begin(), x.end()));
  CHECK(std::count(x.begin(), x.end(), true) == ones);
}

TEST_CASE("host call forms: a returned pair is read in every way") {
  std::vector<int> const keys{1, 1, 2}, x{10, 20, 30};
  std::vector<int> keys_out(3);
  std::vector<long> sums(3);
  using key_it = std::vector<int>::iterator;
  using sum_it = std::vector<long>::iterator;
  auto const run = [&] { return sweep::reduce_by_key(keys, x, keys_out, sums); };
  auto const key_end = keys_out.begin() + 2;
  auto const sum_end = sums.begin() + 2;
  auto [keys_1, sums_1] = run();
  CHECK((keys_1 == key_end && sums_1 == sum_end));
  auto ends = run();
  auto& [keys_2, sums_2] = ends;
  CHECK((&keys_2 == &ends.first && &sums_2 == &ends.second));
  CHECK((std::get<0>(ends) == key_end && std::get<1>(run()) == sum_end));
  std::get<0>(ends) = keys_out.begin();
  CHECK(ends.first == keys_out.begin());
  key_it keys_3;
  sum_it sums_3;
  std::tie(keys_3, sums_3) = run();
  CHECK((keys_3 == key_end && sums_3 == sum_end));
  std::tie(std::ignore, sums_3) = static_cast<std::pair<key_it, sum_it>>(run());
  std::pair<key_it, sum_it> const standard = run();
  CHECK((standard.first == key_end && standard.second == sum_end));
  std::pair<std::vector<int>::const_iterator, std::vector<long>::const_iterator> const converted = run();
  CHECK(converted.second == sum_end);
  CHECK((run() == standard && standard == run() && run() == run()));
#if __has_include(<cuda/std/utility>)
  CHECK((cuda::std::get<0>(run()) == key_end && cuda::std::get<1>(run()) == sum_end));
  cuda::std::pair<key_it, sum_it> const of_cuda = run();
  CHECK((of_cuda.first == key_end && of_cuda.second == sum_end));
  cuda::std::tie(keys_3, sums_3) = run();
  CHECK((keys_3 == key_end && sums_3 == sum_end));
#endif
  CHECK(std::tuple_size_v<decltype(ends)> == 2);
}

TEST_CASE("host call forms: a function of one item may be a pointer to a member") {
  struct row {
    int x;
    int doubled() const { return 2 * x; }
    bool is_odd() const noexcept { return x % 2 != 0; }
  };
  std::vector<row> rows(10), out(10);
  for (int i = 0; i < 10; ++i) rows[static_cast<std::size_t>(i)].x = i;
  std::vector<int> sums(10);
  on_every_host_place([&](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    sweep::transform_inclusive_scan(policy, rows, sums, std::plus<>{}, &row::x);
    CHECK(sums[9] == 45);
    sweep::transform_inclusive_scan(policy, rows, sums, &row::doubled, std::plus<>{});  // Thrust's order
    CHECK(sums[9] == 90);
    sweep::transform_exclusive_scan(policy, rows, sums, 5, std::plus<>{}, &row::x);
    CHECK((sums[0] == 5 && sums[9] == 41));
    CHECK(sweep::transform_reduce(policy, rows, 0, std::plus<>{}, &row::doubled) == 90);
    sweep::segmented_transform_reduce(policy, rows, sweep::segments::by_rows(2, 5), sums, 0, std::plus<>{},
                                      &row::x);
    CHECK((sums[0] == 10 && sums[1] == 35));
    CHECK(sweep::count_if(policy, rows, &row::is_odd) == 5);
    CHECK(sweep::find_if(policy, rows, &row::x) - rows.begin() == 1);
    CHECK(sweep::copy_if(policy, rows, out, &row::is_odd) - out.begin() == 5);
    CHECK(out[4].x == 9);
    auto const offsets = sweep::multisplit(policy, rows, out, 2, &row::is_odd);
    CHECK((offsets[1] == 5 && out[0].x == 0 && out[5].x == 1));
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of searches on seq and host.
#include <support/host_places.hpp>
#include <support/search_laws.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <string>
#include <vector>

using namespace sweep_test;

namespace {
constexpr std::size_t most = host_items(100'000);
}

TEST_CASE("host searches: types, sizes and positions") {
  on_every_host_place([](auto const& places) {
    search_laws_of<std::uint8_t>("u8", most, places);
    search_laws_of<std::uint32_t>("u32", most, places);
    search_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, places);
    search_laws_of<motion>("48 bytes", most, places);
  });
}

/// Numbers that are compared with == are looked through by lines of memory: one in each place of several
/// lines, and what equals a number whose bits are others.
template <class T>
static void number_laws(char const* type) {
  on_every_host_place([&](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    std::size_t const n = 3 * 64 / sizeof(T) + 3;
    auto const x = std::make_unique<T[]>(n), y = std::make_unique<T[]>(n);
    std::fill_n(x.get(), n, T(1));
    for (std::size_t first : {std::size_t{0}, std::size_t{1}})
      for (std::size_t at = first; at <= n; ++at) {
        std::fill_n(y.get(), n, T(1));
        if (at < n) y[at] = T(0);
        if (at + 2 < n) y[at + 2] = T(0);
        auto const begin = y.get() + first, end = y.get() + n, other = x.get() + first;
        std::string const what = std::string(type) + ", place " + std::to_string(at);
        CHECK_MESSAGE(sweep::find(policy, begin, end, T(0)) == y.get() + at, what);
        auto const places_of = sweep::mismatch(policy, begin, end, other);
        CHECK_MESSAGE(places_of.first == y.get() + at, what);
        CHECK_MESSAGE(sweep::equal(policy, begin, end, other) == (at == n), what);
        CHECK_MESSAGE(sweep::equal(policy, begin, end, begin), what);
      }
  });
}
TEST_CASE("host searches: numbers in lines of memory") {
  number_laws<bool>("bool");
  number_laws<char>("char");
  number_laws<std::int16_t>("i16");
  number_laws<std::uint32_t>("u32");
  number_laws<std::int64_t>("i64");
  number_laws<float>("f32");
  number_laws<double>("f64");
  number_laws<long double>("long double");
  std::vector<float> x(100, -0.0f), zeros(100, 0.0f);
  CHECK(sweep::equal(sweep::seq, x.begin(), x.end(), zeros.begin()));
  CHECK(sweep::find(sweep::seq, x.begin() + 9, x.end(), 0.0f) == x.begin() + 9);
  x[77] = std::numeric_limits<float>::quiet_NaN();
  CHECK(sweep::find(sweep::seq, x.begin(), x.end(), x[77]) == x.end());
  CHECK(sweep::mismatch(sweep::seq, x.begin(), x.end(), x.begin()).first == x.begin() + 77);
}

TEST_CASE("host searches: order and parts") {
  on_every_host_place([](auto const& places) {
    order_laws_of<std::uint8_t>("u8", most, places);
    order_laws_of<std::uint32_t>("u32", most, places);
    order_laws_of<motion>("48 bytes", most, places);
  });
}

TEST_CASE("host searches: forms and iterators") {
  on_every_host_place([](auto const& places) {
    for (std::size_t k = 0; k < 4; ++k)
      for (auto const n : few_sizes()) search_form_laws(places.for_turn(k), n);
  });
}

TEST_CASE("host searches: strings, bits and what cannot be copied") {
  std::vector<std::string> const words{"a", "rose", "is", "a", "rose", "is", "a", "rose"};
  std::vector<bool> const flags{true, true, false, true};
  std::vector<std::unique_ptr<int>> pointers(1000);
  pointers[700] = std::make_unique<int>(3);
  on_every_host_place([&](auto const& places) {
    auto const policy = places.for_turn(2).policy;
    CHECK(sweep::find(policy, words.begin(), words.end(), "is") - words.begin() == 2);
    CHECK(sweep::find(policy, words.rbegin(), words.rend(), "is") - words.rbegin() == 2);
    CHECK(sweep::find(policy, flags.begin(), flags.end(), false) - flags.begin() == 2);
    CHECK(sweep::is_sorted_until(policy, words.begin(), words.end()) - words.begin() == 2);
    CHECK(sweep::mismatch(policy, words.begin(), words.begin() + 5, words.begin() + 3).first ==
          words.begin() + 5);
    auto const is_set = [](std::unique_ptr<int> const& p) { return p != nullptr; };
    CHECK(sweep::find_if(policy, pointers.begin(), pointers.end(), is_set) - pointers.begin() == 700);
    CHECK(sweep::equal(policy, pointers.begin(), pointers.begin() + 700, pointers.begin() + 1) == false);
    CHECK(sweep::equal(policy, pointers.begin(), pointers.begin() + 300, pointers.begin() + 1));
  });
}

TEST_CASE("host searches: nothing far behind what is found is looked at") {
  std::size_t const n = 4'000'000, at = 20'000;
  std::vector<std::uint32_t> x(n, 0);
  x[at] = 1;
  std::atomic<std::size_t> calls = 0;
  auto const is_one = [&](std::uint32_t one) {
    calls.fetch_add(1, std::memory_order_relaxed);
    return one == 1;
  };
  CHECK(sweep::find_if(sweep::seq, x.begin(), x.end(), is_one) - x.begin() == std::ptrdiff_t{at});
  CHECK(calls == at + 1);
  for (int const threads : {1, 2, 4}) {
    calls = 0;
    CHECK(sweep::any_of(sweep::host.threads(threads), x.begin(), x.end(), is_one));
    // A thread may be kept from running while the others go on, but not for most of the range.
    CHECK(calls < n / 2);
  }
}

TEST_CASE("host searches: without a policy, and whole ranges") {
  std::vector<int> const x{1, 2, 3, 5, 4}, y{1, 2, 3, 5, 5};
  auto const is_even = [](int one) { return one % 2 == 0; };
  std::int64_t index = -1;
  CHECK(sweep::find(x.begin(), x.end(), 3) - x.begin() == 2);
  CHECK(sweep::find_if(x, is_even) - x.begin() == 1);
  CHECK(sweep::any_of(sweep::seq, x, is_even));
  CHECK(!sweep::all_of(x.begin(), x.cend(), is_even));
  CHECK(sweep::is_sorted_until(x) - x.begin() == 4);
  CHECK(sweep::mismatch(x, y).second == y.begin() + 4);
  CHECK(sweep::equal(sweep::host, x, y.begin(), [](int a, int b) { return a / 2 == b / 2; }));
  sweep::find_into(x, &index, 5);
  CHECK(index == 3);
}

TEST_CASE("host searches: an exception of the predicate reaches the caller") {
  std::vector<int> const x(100'000, 1);
  on_every_host_place([&](auto const& places) {
    expect_throw<std::runtime_error>({"no more"}, [&] {
      (void)sweep::all_of(places.for_turn(2).policy, x.begin(), x.end(),
                          [](int) -> bool { throw std::runtime_error("no more"); });
    });
  });
}

TEST_CASE("host searches: bad input, and nothing") {
  on_every_host_place([](auto const& places) {
    auto const policy = places.for_turn(1).policy;
    std::vector<int> const x(10, 1);
    int* const none = nullptr;
    bool answers[2] = {true, false};
    expect_throw<sweep::bad_argument>({"sweep::find", "last", "2 items before first"},
                                      [&] { (void)sweep::find(policy, x.begin() + 5, x.begin() + 3, 1); });
    expect_throw<sweep::bad_argument>({"sweep::find_into", "out", "null"},
                                      [&] { sweep::find_into(policy, x.begin(), x.end(), none, 1); });
    expect_throw<sweep::bad_argument>({"sweep::is_sorted", "first", "null"},
                                      [&] { (void)sweep::is_sorted(policy, none, none + 3); });
    expect_throw<sweep::bad_argument>({"sweep::equal", "first2", "null"},
                                      [&] { (void)sweep::equal(policy, x.begin(), x.end(), none); });
    CHECK(sweep::find(policy, none, none, 4) == none);
    CHECK(sweep::is_sorted(policy, none, none));
    CHECK(sweep::equal(policy, none, none, none));
    sweep::any_of_into(policy, none, none, answers, is_sought{});
    sweep::all_of_into(policy, none, none, answers + 1, is_sought{});
    CHECK(!answers[0]);
    CHECK(answers[1]);
  });
}

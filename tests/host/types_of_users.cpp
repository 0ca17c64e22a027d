// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items of types whose copies, assignments or operators are not what a number's are.
#include <sweep/sweep.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace {

/// Its bytes are all of it, and the language calls it trivially copyable; yet it has no copies.
struct moved_alone {
  int x = 0;
  moved_alone() = default;
  explicit moved_alone(int of) : x(of) {}
  moved_alone(moved_alone&&) = default;
  moved_alone& operator=(moved_alone&&) = default;
  friend bool operator<(moved_alone const& a, moved_alone const& b) { return a.x < b.x; }
  friend bool operator==(moved_alone const& a, moved_alone const& b) { return a.x == b.x; }
};
static_assert(std::is_trivially_copyable_v<moved_alone> && !std::is_copy_constructible_v<moved_alone>);

std::vector<moved_alone> drawn(int n) {
  std::vector<moved_alone> items;
  for (int i = 0; i < n; ++i) items.emplace_back(i * 7919 % n / 3);
  return items;
}

/// Its address and its comma are its own.
struct with_operators {
  int x = 0;
  void operator&() const = delete;
  template <class Other>
  void operator,(Other const&) const = delete;
  friend with_operators operator+(with_operators a, with_operators b) { return {a.x + b.x}; }
  friend bool operator<(with_operators a, with_operators b) { return a.x < b.x; }
  friend bool operator==(with_operators a, with_operators b) { return a.x == b.x; }
};

template <class F>
void on_each_policy(F f) {
  f(sweep::seq);
  f(sweep::host.threads(1));
  f(sweep::host.threads(3));
}

}  // namespace

TEST_CASE("users' types: what can be moved alone is sorted, parted and searched where it stands") {
  on_each_policy([](auto const& policy) {
    for (int const n : {0, 1, 2, 100, 30'000}) {
      auto items = drawn(n);
      std::vector<int> numbers(items.size());
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = items[i].x;
      auto const is_even = [](moved_alone const& item) { return item.x % 2 == 0; };
      auto const even = [](int x) { return x % 2 == 0; };
      auto const same = [&] {
        return std::equal(numbers.begin(), numbers.end(), items.begin(),
                          [](int x, moved_alone const& item) { return x == item.x; });
      };
      CHECK(sweep::count_if(policy, items.begin(), items.end(), is_even) ==
            std::count_if(numbers.begin(), numbers.end(), even));
      CHECK(sweep::max_element(policy, items.begin(), items.end()) - items.begin() ==
            std::max_element(numbers.begin(), numbers.end()) - numbers.begin());
      auto const middle = sweep::stable_partition(policy, items.begin(), items.end(), is_even);
      CHECK(middle - items.begin() ==
            std::stable_partition(numbers.begin(), numbers.end(), even) - numbers.begin());
      CHECK(same());
      sweep::stable_sort(policy, items.begin(), items.end());
      std::stable_sort(numbers.begin(), numbers.end());
      CHECK(same());
      auto const end = sweep::unique(policy, items.begin(), items.end()) - items.begin();
      CHECK(end == std::unique(numbers.begin(), numbers.end()) - numbers.begin());
      items.resize(static_cast<std::size_t>(end));
      numbers.resize(items.size());
      CHECK(same());
      items.erase(sweep::remove_if(policy, items.begin(), items.end(), is_even), items.end());
      std::erase_if(numbers, even);
      CHECK(same());
      std::reverse(items.begin(), items.end());
      auto const n_th = static_cast<std::ptrdiff_t>(items.size() / 2);
      sweep::nth_element(policy, items.begin(), items.begin() + n_th, items.end());
      if (!items.empty()) CHECK(items[items.size() / 2].x == numbers[items.size() / 2]);
    }
  });
}

TEST_CASE("users' types: what can be moved alone goes with its key") {
  on_each_policy([](auto const& policy) {
    int const n = 20'000;
    std::vector<int> keys;
    std::vector<moved_alone> values;
    for (int i = 0; i < n; ++i) {
      keys.push_back(i * 7919 % n);
      values.emplace_back(keys.back() + 1);
    }
    sweep::sort_by_key(policy, keys.begin(), keys.end(), values.begin());
    bool right = true;
    for (int i = 0; i < n; ++i)
      right =
          right && keys[static_cast<std::size_t>(i)] == i && values[static_cast<std::size_t>(i)].x == i + 1;
    CHECK(right);
  });
}

TEST_CASE("users' types: an address and a comma of their own are not taken for the language's") {
  on_each_policy([](auto const& policy) {
    int const n = 30'000;
    std::vector<with_operators> x;
    for (int i = 0; i < n; ++i) x.push_back({i * 7919 % 1000});
    std::vector<with_operators> out(x.size()), want(x.size());
    with_operators sum;
    for (std::size_t i = 0; i < x.size(); ++i) want[i] = sum = sum + x[i];
    sweep::inclusive_scan(policy, x.begin(), x.end(), out.begin());
    CHECK(out == want);
    CHECK(sweep::reduce(policy, x.begin(), x.end()) == sum);
    sweep::sort_copy(policy, x.begin(), x.end(), out.begin());
    want = x;
    std::sort(want.begin(), want.end());
    CHECK(out == want);
  });
}

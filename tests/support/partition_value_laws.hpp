// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_PARTITION_VALUE_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_PARTITION_VALUE_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/memory.hpp>
#include <support/sizes.hpp>
#include <support/values.hpp>

#include <sweep/partition.hpp>
#include <sweep/remove.hpp>
#include <sweep/unique.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

// The laws of what stands beside copy_if and unique: removals by value, the number of runs, partition.
namespace sweep_test {

struct is_odd {
  SWEEP_TEST_HD bool operator()(std::uint32_t x) const { return x % 2 == 1; }
};

/// Items of so many kinds.
template <class Place>
void partition_value_laws(Place const& at, std::size_t n, std::uint32_t kinds, std::size_t offset) {
  using U = std::uint32_t;
  random_source random("partition by value");
  auto x = draw_many<U>(n, random);
  for (auto& one : x) one %= kinds;
  auto left = x, parted = x;
  left.erase(std::remove(left.begin(), left.end(), 1u), left.end());
  auto const odd = std::stable_partition(parted.begin(), parted.end(), is_odd{}) - parted.begin();
  auto const title =
      std::string(at.name) + ", n = " + std::to_string(n) + ", of " + std::to_string(kinds) + " kinds: ";
  auto const size = static_cast<std::ptrdiff_t>(left.size());
  auto const& p = at.policy;
  typename Place::template array<U> const in(x, offset), out(n, 1), own(x, offset), again(x, 1), third(x, 2),
      fourth(x, 3), fifth(x);
  typename Place::template array<std::int64_t> const count(3, 1);
  auto const first = in.begin(), last = in.end();
  auto* const to = count.begin();
  auto const some = [&](auto const& array, std::ptrdiff_t many) {
    auto all = array.read();
    all.resize(static_cast<std::size_t>(many));
    return all;
  };

  expect(sweep::remove_copy(p, first, last, out.begin(), 1u) == out.begin() + size, title + "remove_copy");
  expect_equal(some(out, size), left, title + "remove_copy");
  expect(sweep::remove_copy_into(p, first, last, out.begin(), to, std::int64_t{1}) == to + 1,
         title + "remove_copy_into");
  expect_equal(some(out, size), left, title + "remove_copy_into");
  expect(sweep::remove(p, own.begin(), own.end(), 1u) == own.begin() + size, title + "remove");
  expect_equal(some(own, size), left, title + "remove");
  sweep::remove_into(p, again.begin(), again.end(), to + 1, 1u);
  expect_equal(some(again, size), left, title + "remove_into");

  expect(sweep::partition(p, third.begin(), third.end(), is_odd{}) == third.begin() + odd,
         title + "partition");
  expect_equal(third.read(), parted, title + "partition");
  sweep::partition_into(p, fourth.begin(), fourth.end(), to + 2, is_odd{});
  expect_equal(fourth.read(), parted, title + "partition_into");
  expect(sweep::partition(p, fifth.begin(), fifth.end(), first, is_odd{}) == fifth.begin() + odd,
         title + "partition by a stencil");
  expect_equal(fifth.read(), parted, title + "partition by a stencil");
  expect_equal(count.read(), std::vector<std::int64_t>{size, size, odd}, title + "counts");
  expect(count.guards_intact() && out.guards_intact() && own.guards_intact(),
         title + "writes its outputs only");
}

/// The number of runs, where the plan is a reduction's.
template <class Place>
void unique_count_laws(Place const& at, std::size_t n, std::uint32_t kinds, std::size_t offset) {
  using U = std::uint32_t;
  random_source random("unique_count");
  auto x = draw_many<U>(n, random);
  for (auto& one : x) one %= kinds;
  auto const title =
      std::string(at.name) + ", n = " + std::to_string(n) + ", of " + std::to_string(kinds) + " kinds: ";
  auto const& p = at.policy;
  typename Place::template array<U> const in(x, offset);
  typename Place::template array<std::int64_t> const count(1, 1);
  std::vector<U> every_other;
  for (std::size_t i = 0; i + 1 < n; i += 2) every_other.push_back(x[i]);
  auto const runs_of = [](std::vector<U> all) { return std::unique(all.begin(), all.end()) - all.begin(); };
  expect(sweep::unique_count(p, in.begin(), in.end()) == runs_of(x), title + "unique_count");
  expect(sweep::unique_count_into(p, in.begin(), in.end(), count.begin(), std::equal_to<>{}) == count.end(),
         title + "returns out + 1");
  expect(count.read()[0] == runs_of(x), title + "unique_count_into");
  auto const strides = strided<U*>(in.begin(), 2);
  expect(sweep::unique_count(p, strides, strides + static_cast<std::ptrdiff_t>(n / 2)) ==
             runs_of(every_other),
         title + "unique_count through strides");
}

}  // namespace sweep_test

#endif

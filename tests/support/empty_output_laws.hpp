// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_EMPTY_OUTPUT_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_EMPTY_OUTPUT_LAWS_HPP

#include <support/expect.hpp>
#include <support/values.hpp>

#include <sweep/copy_if.hpp>
#include <sweep/error.hpp>
#include <sweep/partition.hpp>
#include <sweep/remove.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace sweep_test {

struct never {
  SWEEP_TEST_HD bool operator()(std::uint32_t) const { return false; }
};
struct always {
  SWEEP_TEST_HD bool operator()(std::uint32_t) const { return true; }
};
struct above {
  std::uint32_t bound;
  SWEEP_TEST_HD bool operator()(std::uint32_t x) const { return x > bound; }
};

/// An output that no item goes to may be a null pointer, for any place.
template <class Place>
void empty_output_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  auto const& p = at.policy;
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  std::vector<U> x(n);
  std::iota(x.begin(), x.end(), 1u);
  typename Place::template array<U> const in(x), out(n);
  typename Place::template array<int> const count(2);
  U* const none = nullptr;
  auto const first = in.begin(), last = in.end();
  auto const all = [&](char const* what) {
    expect_equal(out.read(), x, title + what);
    expect(out.guards_intact(), title + what + std::string(" writes its output only"));
  };
  expect(sweep::copy_if(p, first, last, none, never{}) == none, title + "copy_if of nothing");
  expect(sweep::remove_copy_if(p, first, last, none, always{}) == none, title + "remove_copy_if of all");
  auto const left = sweep::partition_copy(p, first, last, none, out.begin(), never{});
  expect(left.first == none && left.second == out.end(), title + "partition_copy, no first part: the ends");
  all("partition_copy, no first part");
  auto const right = sweep::partition_copy(p, first, last, out.begin(), none, always{});
  expect(right.first == out.end() && right.second == none,
         title + "partition_copy, no second part: the ends");
  all("partition_copy, no second part");
  expect_throw<sweep::bad_argument>({"sweep::partition_copy", "out_false", "null"}, [&] {
    sweep::partition_copy(p, first, last, out.begin(), none, never{});
  });
  expect_throw<sweep::bad_argument>({"sweep::copy_if", "out", "null"}, [&] {
    sweep::copy_if(p, first, last, none, above{static_cast<U>(n - 1)});
  });
  sweep::copy_if_into(p, first, last, none, count.begin(), above{static_cast<U>(n - 1)});
  expect(count.read()[0] == 1, title + "copy_if_into counts what it cannot write");
}

}  // namespace sweep_test

#endif

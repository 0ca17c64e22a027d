// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A machine that has no more threads: the team does its work with those that it has.
#include <support/changed.hpp>
#include <support/expect.hpp>

#include <sweep/partition.hpp>
#include <sweep/reduce.hpp>
#include <sweep/scan.hpp>

#include <cstddef>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

using namespace sweep_test;

TEST_CASE("tile state: threads that cannot be started") {
  std::vector<long> x(300'000);
  std::iota(x.begin(), x.end(), 1L);
  std::vector<long> want(x.size());
  std::partial_sum(x.begin(), x.end(), want.begin());
  auto const policy = sweep::host.threads(8);
  for (std::size_t const most : {0, 1, 3}) {
    changed const limit(sweep::detail::most_threads, most);  // that can be started
    auto const title = std::to_string(most) + " more threads: ";
    std::mutex mutex;
    std::set<std::thread::id> seen;
    auto y = x;
    auto const noted = [&](long v) {
      std::lock_guard const lock(mutex);
      seen.insert(std::this_thread::get_id());
      return v;
    };
    sweep::transform_inclusive_scan(policy, y.begin(), y.end(), y.begin(), std::plus<>{}, noted);
    expect_equal(y, want, title + "a scan in place is done, once");
    expect(!seen.empty() && seen.size() <= most + 1, title + std::to_string(seen.size()) + " were at work");
    expect(sweep::reduce(policy, x.begin(), x.end()) == want.back(), title + "reduce");
    auto z = x;
    auto const end = sweep::stable_partition(policy, z.begin(), z.end(), [](long v) { return v % 3 == 0; });
    expect(end - z.begin() == 100'000 && *end == 1, title + "stable_partition");
  }
}

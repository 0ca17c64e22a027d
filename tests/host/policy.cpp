// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Policies of others on the host: the standard library's, and Thrust's with an allocator.
#include <support/expect.hpp>

#include <sweep/reduce.hpp>
#include <sweep/scan.hpp>

#include <execution>
#include <numeric>
#include <vector>

using namespace sweep_test;

TEST_CASE("host policy: the standard library's policies") {
  std::vector<long> const x(100'000, 3);
  auto const law = [&](auto const& policy, char const* what) {
    std::vector<long> out(x.size());
    sweep::inclusive_scan(policy, x.begin(), x.end(), out.begin());
    expect(out.front() == 3 && out.back() == 300'000, std::string(what) + ": scan");
    expect(sweep::reduce(policy, x.begin(), x.end()) == 300'000, std::string(what) + ": reduce");
  };
  law(std::execution::seq, "seq");
  law(std::execution::par, "par");
  law(std::execution::par_unseq, "par_unseq");
  law(std::execution::unseq, "unseq");
}

TEST_CASE("host policy: which of ours the standard library's are") {
  using namespace sweep::detail;
  auto const ours = [](auto const& policy) { return resolve<any_options>(policy).policy; };
  static_assert(std::is_same_v<decltype(ours(std::execution::seq)), sweep::seq_policy>);
  static_assert(std::is_same_v<decltype(ours(std::execution::unseq)), sweep::seq_policy>);
  static_assert(std::is_same_v<decltype(ours(std::execution::par)), sweep::host_policy<>>);
  static_assert(std::is_same_v<decltype(ours(std::execution::par_unseq)), sweep::host_policy<>>);
  static_assert(!policy<int> && !policy<std::vector<int>::iterator>);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of reductions of what iterators make of memory, on seq and host.
#if __has_include(<thrust/iterator/counting_iterator.h>)
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP  // no CUDA headers
#define CCCL_IGNORE_DEPRECATED_API
#include <support/host_places.hpp>
#include <support/reduce_power_laws.hpp>
#include <support/reduce_source_laws.hpp>

#include <string>

using namespace sweep_test;

TEST_CASE("host reductions: sources of one to three streams, and of none") {
  on_every_host_place([](auto const& places) { reduce_source_laws(places.for_turn(1), 50'000); });
}

TEST_CASE("host reductions: one value, given often") {
  reduce_power_laws(place{sweep::seq, "seq"}, {});
  reduce_power_laws(host_teams{}.for_turn(2), {std::int64_t{1} << 32, (std::int64_t{1} << 50) + 3});
  thrust::constant_iterator<std::string> const words("ab");
  for (int const n : {0, 1, 2, 7, 100}) {
    std::string want = ">";
    for (int i = 0; i < n; ++i) want += "ab";
    expect(sweep::reduce(sweep::host, words, words + n, std::string(">"), std::plus<>{}) == want, "strings");
  }
}

TEST_CASE("host reductions: the same bits wherever items lie") {
  on_every_host_place([](auto const& places) {
    for (auto const n : few_sizes()) reduce_placement_law<float>(places.for_turn(2), n);
  });
}
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of removals by value, of counted runs and of Thrust's partition on seq and host.
#include <support/host_places.hpp>
#include <support/partition_value_laws.hpp>

using namespace sweep_test;

TEST_CASE("host compactions: by value, counted runs, partition") {
  on_every_host_place([](auto const& places) {
    for (std::size_t k = 0; k < 4; ++k)
      for (auto const n : few_sizes())
        for (std::uint32_t const kinds : {1u, 2u, 50u}) {
          partition_value_laws(places.for_turn(k), n, kinds, n % 5);
          unique_count_laws(places.for_turn(k), n, kinds, n % 5);
        }
  });
}

TEST_CASE("host compactions: runs and removals of strings, without a policy") {
  std::vector<std::string> x{"a", "a", "rose", "is", "is", "a"};
  CHECK(sweep::unique_count(x) == 4);
  CHECK(sweep::unique_count(sweep::seq, x.begin(), x.end()) == 4);
  auto const end = sweep::remove(x, "is");
  CHECK(std::vector<std::string>(x.begin(), end) == std::vector<std::string>{"a", "a", "rose", "a"});
}

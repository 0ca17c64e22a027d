// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of merges on seq and host.
#include <support/host_places.hpp>
#include <support/merge_laws.hpp>

using namespace sweep_test;

namespace {
constexpr std::size_t most = host_items(100'000);
}

TEST_CASE("host merge: types and sizes") {
  on_every_host_place([](auto const& places) {
    merge_laws_of<std::uint8_t>("u8", most, places);
    merge_laws_of<std::uint32_t>("u32", most, places);
    merge_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, places);
    merge_laws_of<motion>("48 bytes", most, places);
  });
}

TEST_CASE("host merge: forms and iterators, and no order") {
  on_every_host_place([](auto const& places) {
    for (std::size_t k = 0; k < 4; ++k)
      for (auto const n : few_sizes()) {
        merge_form_laws(places.for_turn(k), n);
        merge_disorder_laws(places.for_turn(k), n);
      }
  });
}

TEST_CASE("host merge: strings, ranges, and calls without a policy") {
  std::vector<std::string> const words{"apple", "banana", "cherry"}, others{"avocado", "banana", "date"};
  std::vector<std::string> const want{"apple", "avocado", "banana", "banana", "cherry", "date"};
  std::vector<std::string> out(6);
  on_every_host_place([&](auto const& places) {
    std::fill(out.begin(), out.end(), "");
    sweep::merge(places.for_turn(2).policy, words.begin(), words.end(), others.begin(), others.end(),
                 out.begin());
    CHECK(out == want);
    std::fill(out.begin(), out.end(), "");
    CHECK(sweep::merge(places.for_turn(2).policy, words, others, out) == out.end());
    CHECK(out == want);
  });
  std::fill(out.begin(), out.end(), "");
  sweep::merge(words, others, out, std::less<>{});
  CHECK(out == want);
  std::vector<int> const one{1, 2, 3}, two{4, 5, 6};
  std::vector<int> values(6);
  auto const [keys_end, values_end] = sweep::merge_by_key(words, others, one, two, out, values);
  CHECK(keys_end == out.end());
  CHECK(values_end == values.end());
  CHECK(values == std::vector<int>{1, 4, 2, 5, 3, 6});
}

TEST_CASE("host merge: bad input, and nothing") {
  on_every_host_place([](auto const& places) {
    auto const at = places.for_turn(1);
    merge_error_laws(at, at.policy);
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs of no items, and outputs with no room to spare, on seq and host.
#include <support/empty_output_laws.hpp>
#include <support/host_places.hpp>

#include <sweep/copy_if.hpp>
#include <sweep/partition.hpp>
#include <sweep/policy.hpp>
#include <sweep/remove.hpp>
#include <sweep/unique.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

using namespace sweep_test;

TEST_CASE("host compactions: outputs of no items may be null pointers") {
  on_every_host_place([](auto const& places) {
    for (std::size_t const n : {1, 2, 33, 70'000}) empty_output_laws(places.for_turn(n), n);
  });
}

namespace {

/// Items whose lowest bit says what part they are of, by the bits of a pattern.
std::vector<int> items_by(unsigned pattern, int n) {
  std::vector<int> items;
  for (int i = 0; i < n; ++i) items.push_back(2 * i + static_cast<int>(pattern >> i & 1u));
  return items;
}
constexpr int guard = -1;
bool guarded(std::vector<int> const& got, std::vector<int> const& want) {
  return got.size() == want.size() + 1 && std::equal(want.begin(), want.end(), got.begin()) &&
         got.back() == guard;
}

template <class Policy>
void no_room_laws(Policy const& policy, std::vector<int> const& items) {
  int calls = 0;
  auto const is_odd = [](int x) { return x % 2 != 0; };
  auto const counted = [&](int x) {
    ++calls;
    return is_odd(x);
  };
  auto const n = static_cast<int>(items.size());
  std::vector<int> odd, even;
  for (int const x : items) (is_odd(x) ? odd : even).push_back(x);

  std::vector<int> kept(odd.size() + 1, guard), rest(even.size() + 1, guard);
  CHECK(sweep::copy_if(policy, items.data(), items.data() + n, kept.data(), counted) ==
        kept.data() + odd.size());
  CHECK(guarded(kept, odd));
  CHECK(calls == n);

  kept.assign(odd.size() + 1, guard);
  calls = 0;
  sweep::partition_copy(policy, items.data(), items.data() + n, kept.data(), rest.data(), counted);
  CHECK(guarded(kept, odd));
  CHECK(guarded(rest, even));
  CHECK(calls == n);

  auto in_place = items;
  in_place.push_back(guard);
  CHECK(sweep::remove_if(policy, in_place.data(), in_place.data() + n, is_odd) ==
        in_place.data() + even.size());
  CHECK(std::equal(even.begin(), even.end(), in_place.begin()));
  CHECK(in_place.back() == guard);

  auto const alike = [&](int a, int b) { return is_odd(a) == is_odd(b); };
  std::vector<int> firsts;
  std::unique_copy(items.begin(), items.end(), std::back_inserter(firsts), alike);
  kept.assign(firsts.size() + 1, guard);
  sweep::unique_copy(policy, items.data(), items.data() + n, kept.data(), alike);
  CHECK(guarded(kept, firsts));
  in_place = items;
  in_place.push_back(guard);
  CHECK(sweep::unique(policy, in_place.data(), in_place.data() + n, alike) ==
        in_place.data() + firsts.size());
  CHECK(std::equal(firsts.begin(), firsts.end(), in_place.begin()));
  CHECK(in_place.back() == guard);
}

}  // namespace

TEST_CASE("host compactions: nothing is written behind an output's items, and predicates are called once") {
  for (int n = 1; n <= 9; ++n)
    for (unsigned pattern = 0; pattern < 1u << n; ++pattern) {
      no_room_laws(sweep::seq, items_by(pattern, n));
      no_room_laws(sweep::host.threads(1), items_by(pattern, n));
    }
  std::vector<int> many(70'000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<int>(i * i / 7 % 1001);
  no_room_laws(sweep::host.threads(1), many);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_OVERWRITTEN_KEY_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_OVERWRITTEN_KEY_LAWS_HPP

#include <support/expect.hpp>
#include <support/random.hpp>
#include <support/values.hpp>

#include <sweep/segmented_scan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sweep_test {

/// Scans by key whose results take the keys' places, as Thrust allows, for any place. The keys are few, so
/// that results are taken for keys where a call mistakes them.
template <class Place>
void overwritten_key_laws(Place const& at, std::size_t n) {
  using U = std::uint32_t;
  random_source random("overwritten keys");
  std::vector<U> keys(n), ones(n, 1);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = i > 0 && random.between(0, 3) > 0 ? keys[i - 1] : static_cast<U>(random.between(1, 3));
  std::vector<U> ranks(n), backward(n);
  for (std::size_t i = 0; i < n; ++i) ranks[i] = i > 0 && keys[i] == keys[i - 1] ? ranks[i - 1] + 1 : 1;
  for (std::size_t i = n; i-- > 0;)
    backward[i] = i + 1 < n && keys[i] == keys[i + 1] ? backward[i + 1] + 1 : 1;
  auto from_two = ranks;
  for (U& rank : from_two) rank += 1;
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  typename Place::template array<U> const values(ones);
  auto const law = [&](std::vector<U> const& want, char const* what, auto call) {
    typename Place::template array<U> const both(keys);
    call(both.begin(), both.end());
    expect_equal(both.read(), want, title + what);
    expect(both.guards_intact(), title + what + std::string(" writes its output only"));
  };
  law(ranks, "inclusive_scan_by_key over its keys", [&](U* first, U* last) {
    sweep::inclusive_scan_by_key(at.policy, first, last, values.begin(), first);
  });
  law(backward, "the same backward", [&](U* first, U* last) {
    sweep::inclusive_scan_by_key(at.policy, first, last, values.begin(), first, sweep::segments::equal_keys{},
                                 add{}, sweep::backward);
  });
  law(from_two, "exclusive_scan_by_key over its keys", [&](U* first, U* last) {
    sweep::exclusive_scan_by_key(at.policy, first, last, values.begin(), first, U{2});
  });
}

}  // namespace sweep_test

#endif

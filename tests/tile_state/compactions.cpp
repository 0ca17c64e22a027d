// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compactions in place on real threads: a tile writes over the items of tiles far before it, which others
// have read. ThreadSanitizer asks whether those reads are known to have happened.
#include <support/expect.hpp>
#include <support/host_places.hpp>
#include <support/values.hpp>

#include <sweep/remove.hpp>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

using namespace sweep_test;

namespace {

/// Drops the first half, but for a few items, and keeps the rest, which moves over it.
struct late {
  std::uint32_t half;
  bool operator()(std::uint32_t x) const { return x >= half || x % 1000 == 0; }
};

}  // namespace

TEST_CASE("tile state: compactions in place") {
  auto const law = [](auto const& at) {
    std::vector<std::uint32_t> x(600'000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint32_t>(i);
    late const keep{static_cast<std::uint32_t>(x.size() / 2)};
    auto want = x;
    std::erase_if(want, [=](std::uint32_t v) { return !keep(v); });
    auto const end =
        sweep::remove_if(at.policy, x.begin(), x.end(), [=](std::uint32_t v) { return !keep(v); });
    x.erase(end, x.end());
    expect_equal(x, want, at.name);
  };
  for (int round = 0; round < 5; ++round) {
    using namespace sweep::variant;
    law(place{sweep::host.threads(12), "host on 12 threads"});
    law(place{sweep::host.threads(12).with(decoupled_lookback), "host, decoupled_lookback"});
    law(place{sweep::host.threads(12).with(chained), "host, chained"});
  }
}

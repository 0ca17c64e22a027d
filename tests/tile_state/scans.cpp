// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole host scans on real threads whose operators dawdle or throw.
#include <support/expect.hpp>
#include <support/host_places.hpp>
#include <support/scan_laws.hpp>
#include <tile_state/hostile.hpp>

#include <stdexcept>

using namespace sweep_test;

namespace {

using map = affine<std::uint32_t>;

/// Sleeps on a few items: their tile's total comes late, and everybody after it must wait.
struct dawdling {
  map operator()(map const& x) const {
    if (x.b % 4096 == 0) std::this_thread::sleep_for(std::chrono::microseconds(x.b >> 12 & 511));
    return x;
  }
};

/// Throws when it meets a certain map, which the data has once.
struct throwing_then {
  map bad;
  map operator()(map const& x, map const& y) const {
    if (y == bad || x == bad) throw std::runtime_error("met the bad item");
    return affine_then{}(x, y);
  }
};

}  // namespace

TEST_CASE("tile state: scans whose predecessors are slow") {
  random_source random("slow");
  auto const law = [&](auto const& at) {
    auto const x = draw_many<map>(300'000, random);
    std::vector<map> got(x.size());
    sweep::transform_inclusive_scan(at.policy, x.begin(), x.end(), got.begin(), affine_then{}, dawdling{});
    expect_equal(got, scan_oracle<map>(true, false, x, affine_then{}, std::nullopt), at.name);
    sweep::transform_exclusive_scan(at.policy, x.begin(), x.end(), got.begin(), x[0], affine_then{},
                                    dawdling{}, sweep::backward);
    expect_equal(got, scan_oracle<map>(false, true, x, affine_then{}, std::optional<map>(x[0])), at.name);
  };
  law(place{sweep::host.threads(12), "host on 12 threads"});
  on_every_host_variant(law);
}

TEST_CASE("tile state: an operator's exception reaches the caller, and nobody waits for ever") {
  random_source random("throw");
  auto const law = [&](auto const& at) {
    for (int round = 0; round < (slowed_down() ? 2 : 6); ++round) {
      auto x = draw_many<map>(200'000, random);
      auto const where = static_cast<std::size_t>(round == 0 ? 1 : random.between(1, 199'999));
      x[where] = {2, 1234};  // all others have odd factors
      std::vector<map> got(x.size());
      expect_throw<std::runtime_error>({"met the bad item"}, [&] {
        sweep::inclusive_scan(at.policy, x.begin(), x.end(), got.begin(), throwing_then{x[where]});
      });
      x[where] = {3, 1};  // the next call works
      sweep::inclusive_scan(at.policy, x.begin(), x.end(), got.begin(), throwing_then{{2, 1234}});
      expect_equal(got, scan_oracle<map>(true, false, x, affine_then{}, std::nullopt), at.name);
    }
  };
  law(place{sweep::seq, "seq"});
  law(place{sweep::host.threads(8), "host on 8 threads"});
  on_every_host_variant(law);
}

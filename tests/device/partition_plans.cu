// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device compactions under every variant, and under plans of the caller's own.
#include <support/device_places.hpp>
#include <support/partition_laws.hpp>
#include <support/partition_stencil_laws.hpp>
#include <support/sizes.hpp>

#include <sweep/plan.hpp>
#include <sweep/variant.hpp>

using namespace sweep_test;

namespace {

/// Small tiles in stages, so that small inputs have many of them.
template <sweep::partition_plan Plan>
void laws_of_stages(char const* name) {
  static_assert(Plan.stages > 0);
  random_source random(name);
  auto const at = half_at(sweep::device.with(sweep::plan<Plan>), name);
  auto const sizes = sanitizing() ? std::vector<std::size_t>{1, 1025, 6'000}
                                  : std::vector<std::size_t>{1, 31, 1'024, 20'011, 400'003};
  auto const laws = [&]<class X>(char const* what, X, std::size_t n) {
    for (std::uint32_t const share : {0, 10, 500, 1024})
      selection_law(at, what, draw_bytes<X>(n, random), some_of_1024{share},
                    static_cast<std::size_t>(random.between(0, 3)),
                    static_cast<std::size_t>(random.between(0, 17)));
    unique_law(at, what, draw_runs<X>(n, 3, random), static_cast<std::size_t>(random.between(0, 3)));
    three_way_law(at, what, draw_bytes<X>(n, random), 300, 300);
  };
  for (auto const n : sizes) {
    laws("u8", std::uint8_t{}, n);
    laws("u16", std::uint16_t{}, n);
    laws("u32", std::uint32_t{}, n);
    laws("u64", std::uint64_t{}, n);
    laws("12 bytes", parcel<12, std::uint32_t>{}, n);
    for (std::uint32_t const share : {10, 500}) {
      stencil_law(at, "u32", draw_bytes<std::uint32_t>(n, random), share, n % 5, random);
      stencil_law(at, "u8", draw_bytes<std::uint8_t>(n, random), share, n % 5, random);
    }
  }
}

}  // namespace

TEST_CASE("device compactions: variants and plans") {
  random_source random("compaction variants");
  auto const law = [&](auto const& policy, char const* name) {
    auto const at = half_at(policy, name);
    for (std::size_t const n : {std::size_t{0}, std::size_t{1}, std::size_t{1025}, std::size_t{100'003}}) {
      if (sanitizing() && n > 5000) continue;
      selection_law(at, "u32", draw_bytes<std::uint32_t>(n, random), some_of_1024{500}, n % 5, n % 3);
      unique_law(at, "u16", draw_runs<std::uint16_t>(n, 3, random), n % 7);
    }
    three_way_law(at, "u32", draw_bytes<std::uint32_t>(sanitizing() ? 3'000 : 100'003, random), 300, 300);
    if (!sanitizing())
      selection_law(at, "u32, large", draw_bytes<std::uint32_t>(4'000'003, random), some_of_1024{500});
  };
  using namespace sweep::variant;
  law(sweep::device.with(ordered_lookback), "ordered_lookback");
  law(sweep::device.with(decoupled_lookback), "decoupled_lookback");
  law(sweep::device.with(chained), "chained");
  law(sweep::device.with(three_kernel), "three_kernel");
  law(sweep::device.with(sweep::plan<sweep::partition_plan{.threads = 64, .rows = 1}>),
      "a plan of 64 threads");
  law(sweep::device.with(sweep::plan<sweep::partition_plan{
                             .threads = 1024, .rows = 2, .blocks = 1, .load = sweep::access::cached}>),
      "a plan of 1024 threads");
}

TEST_CASE("device compactions: stages of shared memory") {
  if (racechecking()) {
    MESSAGE("skipped: racecheck does not know barriers at which one lane stands for its warp");
    return;
  }
  using plan = sweep::partition_plan;
  laws_of_stages<plan{.threads = 32 * (1 + 3 + 4), .rows = 16, .blocks = 1, .stages = 3}>("3 stages");
  laws_of_stages<plan{.threads = 32 * (1 + 1 + 6), .rows = 32, .blocks = 1, .stages = 1, .loads = 1}>(
      "1 stage");
}

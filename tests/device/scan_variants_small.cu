// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All pairs of variants over items of 1 and 4 bytes, and plans of the user's own.
#include <support/device_variant_laws.hpp>

#include <sweep/plan.hpp>

using namespace sweep_test;

TEST_CASE("device variants: u8, inclusive forward") {
  variant_laws<std::uint8_t>(form::inclusive, add{}, sweep::forward);
}

TEST_CASE("device variants: affine maps of 4 bytes, exclusive backward") {
  variant_laws<affine<std::uint16_t>>(form::exclusive, affine_then{}, sweep::backward);
}

TEST_CASE("device scans: a plan of the user's own") {
  random_source random("plans");
  auto const law = [&](auto const& policy, char const* name) {
    for (auto const n : few_sizes()) {
      auto const x = draw_many<affine<std::uint32_t>>(n, random);
      auto const at = half_at(policy, name);
      scan_law<affine<std::uint32_t>>(form::inclusive, at, "affine maps", x, affine_then{},
                                      affine<std::uint32_t>{3, 4}, sweep::forward, 1, 1);
      scan_law<affine<std::uint32_t>>(form::exclusive, at, "affine maps", x, affine_then{},
                                      affine<std::uint32_t>{3, 4}, sweep::backward, 1, 2);
    }
  };
  law(sweep::device.with(sweep::plan<sweep::scan_plan{.threads = 64, .rows = 1}>), "a plan of 64 threads");
  law(sweep::device.with(sweep::plan<sweep::scan_plan{.threads = 1024,
                                                      .rows = 2,
                                                      .load = sweep::access::streaming,
                                                      .store = sweep::access::streaming}>),
      "a plan of 1024 threads, streaming");
  law(sweep::device.with(sweep::variant::chained)
          .with(sweep::plan<sweep::scan_plan{.threads = 96, .rows = 3}>),
      "a plan of 96 threads, chained");
}

TEST_CASE("device scans: more tiles than two supergroups hold") {
  random_source random("many tiles");
  auto const x = draw_many<affine<std::uint32_t>>(sanitizing() ? 20'000 : 400'003, random);
  // Tiles of 128 items.
  auto const at = half_at(sweep::device.with(sweep::plan<sweep::scan_plan{.threads = 64, .rows = 1}>),
                          "a plan of 64 threads");
  scan_law<affine<std::uint32_t>>(form::inclusive, at, "affine maps", x, affine_then{},
                                  affine<std::uint32_t>{3, 4}, sweep::forward);
  scan_law<affine<std::uint32_t>>(form::exclusive, at, "affine maps", x, affine_then{},
                                  affine<std::uint32_t>{3, 4}, sweep::backward, 1, 1);
}

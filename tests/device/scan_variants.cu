// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All pairs of variants across tiles and within a tile, over items of 1 to 24 bytes, and plans of
// the user's own.
#include <support/device_variant_laws.hpp>

#include <sweep/plan.hpp>

using namespace sweep_test;
using namespace sweep::variant;

TEST_CASE("device variants: warp_shuffle") {
  variant_laws<0>(scan_in_registers.with(warp_shuffle), "warp_shuffle");
}
TEST_CASE("device variants: hillis_steele") {
  variant_laws<1>(sweep::device.with(hillis_steele), "hillis_steele");
}
TEST_CASE("device variants: blelloch") { variant_laws<2>(sweep::device.with(blelloch), "blelloch"); }
TEST_CASE("device variants: blelloch_padded") {
  variant_laws<3>(sweep::device.with(blelloch_padded), "blelloch_padded");
}
TEST_CASE("device variants: brent_kung") { variant_laws<4>(sweep::device.with(brent_kung), "brent_kung"); }
TEST_CASE("device variants: matrix") { variant_laws<5>(sweep::device.with(matrix), "matrix"); }

// With the tables' plans, which follow the size of the input.
TEST_CASE("device variants: across tiles alone") {
  variant_case<0>(sweep::device.with(decoupled_lookback), "decoupled_lookback");
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

// Tiles of 45 KB, twenty for each block and more, which are large on any device; or a few too few.
TEST_CASE("device scans: one warp hears of all of a block's tiles") {
  int multiprocessors = 0;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  if (sanitizing() && multiprocessors > 16) return;
  random_source random("many tiles of a block");
  auto const law = [&](form what, std::size_t each, auto towards) {
    auto const n =
        std::max<std::size_t>(static_cast<std::size_t>(multiprocessors) * 20 * each, 1'700'000) + 123;
    scan_law<affine<std::uint32_t>>(what, half_at(sweep::device, "device"), "affine maps",
                                    draw_many<affine<std::uint32_t>>(n, random), affine_then{},
                                    affine<std::uint32_t>{3, 4}, towards);
  };
  law(form::inclusive, 5'700, sweep::forward);
  law(form::exclusive, 5'700, sweep::backward);
  law(form::inclusive, 5'000, sweep::backward);
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

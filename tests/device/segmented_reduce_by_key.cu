// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of reductions by key on the device: keys and items of all widths, wherever they lie.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/device_places.hpp>
#include <support/run_fold_laws.hpp>
#include <support/runs_in_stages.hpp>

using namespace sweep_test;

TEST_CASE("device reductions by key: widths of keys and items") {
  in_tiles_of_both_kinds([](std::size_t most) {
    run_fold_laws_of<std::uint8_t, std::uint8_t>("u8, u8", most, on_device, larger{});
    run_fold_laws_of<std::uint16_t, heisenberg<std::uint8_t>>("u16, 3 bytes", most, on_device,
                                                              heisenberg_product{});
    run_fold_laws_of<std::int64_t, std::uint16_t>("i64, u16", most, on_device, larger{});
    run_fold_laws_of<std::int32_t, heisenberg<std::uint64_t>>("i32, 24 bytes", most, on_device,
                                                              heisenberg_product{});
  });
}

TEST_CASE("device reductions by key: wide keys, and neighbours alone compared") {
  in_tiles_of_both_kinds([](std::size_t most) {
    run_fold_laws_of<motion, std::uint32_t>("48 bytes, u32", most, on_device, add{});
    run_fold_laws_of<std::int16_t, matrix2>("i16, 16 bytes", most, on_device, matrix2_product{},
                                            neighbours_differ_by_one{});
  });
}

TEST_CASE("device reductions by key: keys and items that are not in memory side by side") {
  run_fold_laws_of<std::uint8_t, std::uint64_t>("u8, u64", 300'000, on_device, add{}, equal_items{},
                                                by_strides_of_one{});
}

TEST_CASE("device reductions by key: the look-backs of a scan") {
  auto const chained = half_at(sweep::device.with(sweep::variant::chained), "chained");
  auto const decoupled = half_at(sweep::device.with(sweep::variant::decoupled_lookback), "decoupled");
  in_tiles_of_both_kinds([&](std::size_t most) {
    run_fold_laws_of<std::int32_t, std::uint32_t>("i32, u32", most, chained, add{});
    run_fold_laws_of<std::int32_t, std::uint32_t>("i32, u32", most, decoupled, add{});
  });
}

TEST_CASE("device reductions by key: large enough for large tiles") {
  std::size_t const n = sanitizing() ? 6'000 : 3'000'001;
  random_source random("run folds, large");
  for (std::int64_t const mean : {1, 8, 1000, 10'000'000})
    run_fold_law(on_device, "i32, u32", draw_runs<std::int32_t>(n, mean, random),
                 draw_many<std::uint32_t>(n, random), add{}, equal_items{}, {1, 3, 2, 7}, as_they_are{});
}

TEST_CASE("device reductions by key: keys and items made of what lies in memory") {
  in_tiles_of_both_kinds([](std::size_t) {
    random_source random("run fold sources");
    for (auto const n : few_sizes()) run_fold_source_laws(on_device, n, 7, random);
  });
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sampled products on the device.
#include <support/device_places.hpp>
#include <support/sddmm_laws.hpp>

using namespace sweep_test;

TEST_CASE("device sampled products: semirings, orders and shapes") {
  using U = std::uint32_t;
  constexpr auto maps = sweep::semiring<affine_then, make_affine, affine<U>>{{}, {}, {1, 0}};
  random_source random("sampled products");
  for (int kind = 0; kind < pattern_kinds; ++kind)
    for (std::int64_t const size :
         {std::int64_t{7}, random.between(500, 3000), random.between(10'000, 50'000)}) {
      if (sanitizing() && size > 3000) continue;
      auto const shape = draw_pattern(kind, size, random);
      sampled_product_laws<U, U, U>(on_device, "u32", shape, sweep::semirings::plus_times<U>(), random);
      sampled_product_laws<affine<U>, U, std::uint8_t>(on_device, "maps", shape, maps, random);
    }
  auto const shape = draw_pattern(0, 500, random);
  sampled_product_laws<motion, U, std::uint64_t>(
      on_device, "motions", shape, sweep::semiring{motion_then{}, make_motion{}, motion{}}, random);
}

// Where rows of x and columns of y are vectors of memory, of four, of two or of one, one lane or more have an
// entry, several at once; of many entries a warp has several batches, of few ones a part of one.
TEST_CASE("device sampled products: vectors") {
  using U = std::uint32_t;
  using W = std::uint64_t;
  constexpr auto maps = sweep::semiring<affine_then, make_affine, affine<U>>{{}, {}, {1, 0}};
  random_source random("sampled products of vectors");
  for (std::size_t const depth : {1, 2, 3, 4, 6, 8, 15, 16, 20, 30, 31, 64, 66, 132, 260})
    for (std::int64_t const size : {random.between(30, 3000), random.between(10'000, 40'000)}) {
      if (sanitizing() && size > 3000) continue;
      auto const shape = draw_pattern(static_cast<int>(random() % pattern_kinds), size, random);
      sampled_product_law<U, U, U>(on_device, "u32", shape, depth, sweep::semirings::plus_times<U>(), random,
                                   true);
      sampled_product_law<W, W, W>(on_device, "u64", shape, depth, sweep::semirings::plus_times<W>(), random,
                                   true);
      sampled_product_law<affine<U>, U, U>(on_device, "maps", shape, depth, maps, random, true);
    }
  if (sanitizing()) return;
  for (std::size_t const depth : {2, 4, 12, 13})
    sampled_product_law<U, U, U>(on_device, "u32", draw_pattern(1, random.between(300'000, 500'000), random),
                                 depth, sweep::semirings::plus_times<U>(), random, true);
}

TEST_CASE("device sampled products: bad input, offsets of any numbers") {
  random_source random("wild samples");
  wild_sample_law(on_device, 3000, random);
  sampled_product_error_laws(on_device, sweep::device.checked());
}

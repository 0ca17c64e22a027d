// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sampled products on seq and host.
#include <support/host_places.hpp>
#include <support/sddmm_laws.hpp>

using namespace sweep_test;

TEST_CASE("host sampled products: semirings, orders and shapes") {
  using U = std::uint32_t;
  random_source random("sampled products");
  on_every_host_place([&](auto const& places) {
    std::size_t turn = 0;
    for (int kind = 0; kind < pattern_kinds; ++kind)
      for (std::int64_t const size : {std::int64_t{7}, random.between(100, 3000)}) {
        auto const shape = draw_pattern(kind, size, random);
        auto const& at = places.for_turn(turn++);
        sampled_product_laws<U, U, U>(at, "u32", shape, sweep::semirings::plus_times<U>(), random);
        sampled_product_laws<affine<U>, U, std::uint8_t>(
            at, "maps", shape, sweep::semiring{affine_then{}, make_affine{}, affine<U>{1, 0}}, random);
      }
    wild_sample_law(places.for_turn(1), 700, random);
  });
}

TEST_CASE("host sampled products: ranges, no policy, attention") {
  std::vector<int> const offsets{0, 2, 3}, indices{0, 1, 1};
  std::vector<float> const q{1, 2, 3, 4}, k{1, 10, 100, 1000};
  std::vector<float> scores(3, 1.f);
  sweep::csr_view const a(2, 2, offsets, indices);
  // Keys by rows are their transpose by columns.
  auto const x = sweep::strided(q.begin(), {2, 2}), y = sweep::strided(k.begin(), {2, 2}, {1, 2});
  CHECK(sweep::sddmm(a, x, y, scores) == scores.end());
  CHECK(scores == std::vector<float>{21, 2100, 4300});
  sweep::sddmm(2.f, a, x, y, 1.f, scores);
  CHECK(scores == std::vector<float>{63, 6300, 12900});
  sweep::sddmm(sweep::seq, a, x, y, scores, sweep::semirings::max_times<float>());
  CHECK(scores == std::vector<float>{20, 2000, 4000});
  std::vector<float> few(2);
  expect_throw<sweep::bad_argument>({"sweep::sddmm:", "out", "2 items", "3"},
                                    [&] { sweep::sddmm(sweep::host, a, x, y, few); });
}

TEST_CASE("host sampled products: bad input") {
  sampled_product_error_laws(place{sweep::host, "host"}, sweep::host.checked());
  sampled_product_error_laws(place{sweep::seq, "seq"}, sweep::host.threads(2).checked());
}

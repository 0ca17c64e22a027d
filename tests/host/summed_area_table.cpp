// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of summed-area tables and sums of boxes on seq and host.
#include <support/changed.hpp>
#include <support/host_places.hpp>
#include <support/summed_area_table_laws.hpp>

#include <sweep/detail/axes/host_planes.hpp>

#include <string>

using namespace sweep_test;

TEST_CASE("host summed-area tables: any array, by an operator that does not commute") {
  int const arrays = sanitizing() ? 10 : 80;
  on_every_host_place([&](auto const& places) {
    table_laws<affine<std::uint32_t>>("tables", arrays, 700, affine_then{}, places);
  });
}

TEST_CASE("host summed-area tables: bands of rows that follow each other") {
  changed const short_blocks(sweep::detail::columns_of_block, 4);
  on_every_host_place([&](auto const& places) {
    random_source random("bands");
    std::size_t turn = 0;
    for (extents_of_array const& extents :
         {extents_of_array{16, 16}, {17, 23}, {70, 16}, {19, 71}, {3, 18, 17}, {1, 40, 18}, {5, 16, 1}})
      for (int k = 0; k < 4; ++k)
        table_law<affine<std::uint32_t>>(places.for_turn(turn++), extents, k % 2 == 0, k == 3, affine_then{},
                                         random);
  });
}

TEST_CASE("host summed-area tables: boxes, one, many, and around every item") {
  int const arrays = sanitizing() ? 10 : 80;
  on_every_host_place([&](auto const& places) { box_sum_laws("boxes", arrays, 700, places); });
}

TEST_CASE("host summed-area tables: what is refused, and arrays of nothing") {
  on_every_host_place([](auto const& places) { box_refusal_laws(places.for_turn(1)); });
  int const* const nothing = nullptr;
  int* const nowhere = nullptr;
  sweep::summed_area_table(sweep::strided(nothing, {0, 4}), sweep::strided(nowhere, {0, 4}));
  CHECK(sweep::box_sum(sweep::host, sweep::strided(nothing, {0, 4}), sweep::box<2>{{0, 0}, {1, 1}}) == 0);
}

TEST_CASE("host summed-area tables: bytes whose sums pass 2^31, exclusive or, strings, no policy") {
  std::vector<unsigned char> const image(4096 * 2100, 255);
  std::vector<std::uint32_t> table(image.size());
  auto const sums = sweep::strided(table.data(), {4096, 2100});
  sweep::summed_area_table(sweep::strided(image.data(), {4096, 2100}), sums);
  CHECK(table.back() == 4096u * 2100 * 255);
  CHECK(sweep::box_sum(sums, sweep::box<2>{{4000, 2000}, {9000, 9000}}) == 96u * 100 * 255);

  std::vector<unsigned> const bits{1, 2, 4, 8, 16, 32};
  std::vector<unsigned> odd(6), of_two(6);
  auto const xor_of = [](unsigned a, unsigned b) { return a ^ b; };
  auto const all = sweep::strided(odd.data(), {2, 3});
  sweep::summed_area_table(sweep::seq, sweep::strided(bits.data(), {2, 3}), all, xor_of);
  sweep::box_sum(sweep::seq, all, sweep::box_window<2>{{0, 1}, {0, 0}}, sweep::strided(of_two.data(), {2, 3}),
                 xor_of);
  CHECK(of_two == std::vector<unsigned>{1, 3, 6, 8, 24, 48});

  std::vector<std::string> const words{"a", "b", "c", "d"};
  std::vector<std::string> text(4);
  sweep::summed_area_table(sweep::strided(words.data(), {2, 2}), sweep::strided(text.data(), {2, 2}));
  CHECK(text == std::vector<std::string>{"a", "ab", "ac", "abcd"});
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of forms of sparse matrices on seq and host.
#include <support/convert_csr_laws.hpp>
#include <support/host_places.hpp>

#include <string>
#include <vector>

using namespace sweep_test;

TEST_CASE("host forms of sparse matrices: there, back and transposed") {
  random_source random("forms of matrices");
  on_every_host_place([&](auto const& places) {
    std::size_t turn = 0;
    for (int kind = 0; kind < pattern_kinds; ++kind)
      for (std::int64_t const size : {std::int64_t{7}, random.between(100, 3000), host_items(70'000)}) {
        if (sanitizing() && size > 3000) continue;
        auto const shape = draw_pattern(kind, size, random);
        conversion_laws<std::int32_t, std::int32_t, float>(places.for_turn(turn++), "f32", shape, random);
        conversion_laws<std::int64_t, std::uint32_t, motion>(places.for_turn(turn++), "motions", shape,
                                                             random);
      }
  });
}

TEST_CASE("host forms of sparse matrices: rows of any numbers") {
  random_source random("wild rows");
  on_every_host_place([&](auto const& places) {
    for (std::size_t const n : {1, 10, 3000}) wild_entry_law(places.for_turn(1), n, random);
  });
}

TEST_CASE("host forms of sparse matrices: ranges, counted values and strings") {
  std::vector<int> const rows{2, 0, 2, 0, 2}, columns{0, 2, 2, 0, 0};
  std::vector<std::string> const words{"to", "be", "or", "not", "too"};
  std::vector<std::size_t> offsets(4), indices(5), t_offsets(4), t_indices(5), map(5);
  std::vector<std::string> said(5);
  auto const a = sweep::coo_to_csr(sweep::coo_view(3, 3, rows, columns, words), offsets, indices, said);
  CHECK(offsets == std::vector<std::size_t>{0, 2, 2, 5});
  CHECK(indices == std::vector<std::size_t>{2, 0, 0, 2, 0});
  CHECK(said == std::vector<std::string>{"be", "not", "to", "or", "too"});
  std::vector<std::size_t> const count{0, 1, 2, 3, 4};
  sweep::csr_view const counted(3, 3, offsets, indices, count);
  sweep::transpose_csr(sweep::seq, counted, t_offsets, t_indices, map);
  CHECK(t_offsets == std::vector<std::size_t>{0, 3, 3, 5});
  CHECK(t_indices == std::vector<std::size_t>{0, 2, 2, 0, 2});
  CHECK(map == std::vector<std::size_t>{1, 2, 4, 0, 3});
  std::vector<int> its_rows(5);
  sweep::csr_to_coo(a, its_rows);
  CHECK(its_rows == std::vector<int>{0, 0, 2, 2, 2});
  sweep::csr_view const unknown(3, 3, offsets.begin(), indices.begin());
  std::vector<int> also(5);
  CHECK(sweep::csr_to_coo(sweep::host, unknown, also).entries == 5);
  CHECK(also == its_rows);
  sweep::transpose_csr(unknown, t_offsets, t_indices);
  CHECK(t_indices == std::vector<std::size_t>{0, 2, 2, 0, 2});
}

TEST_CASE("host forms of sparse matrices: bad input") {
  conversion_error_laws(place{sweep::host, "host"}, sweep::host.checked());
  conversion_error_laws(place{sweep::seq, "seq"}, sweep::host.threads(2).checked());
  std::vector<int> const two{0, 1}, three{0, 1, 2};
  std::vector<int> out(2);
  expect_throw<sweep::bad_argument>({"coo_view", "column_indices", "3 items", "2"},
                                    [&] { sweep::coo_view(3, 3, two, three); });
  expect_throw<sweep::bad_argument>({"coo_view", "values", "3 items", "2"},
                                    [&] { sweep::coo_view(3, 3, two, two, three); });
  expect_throw<sweep::bad_argument>({"sweep::coo_to_csr:", "offsets", "2 items", "4"},
                                    [&] { sweep::coo_to_csr(sweep::coo_view(3, 3, two, two), out); });
}

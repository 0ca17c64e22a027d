// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of plans of sparse products on seq and host.
#include <support/host_places.hpp>
#include <support/spmv_plan_laws.hpp>

#include <string>
#include <vector>

using namespace sweep_test;

TEST_CASE("host plans of products: the same bits, masks, and the transpose") {
  random_source random("plans");
  on_every_host_place([&](auto const& places) {
    std::size_t turn = 0;
    for (int kind = 0; kind < pattern_kinds; ++kind)
      for (std::int64_t const size : {std::int64_t{7}, random.between(100, 3000), host_items(60'000)}) {
        if (sanitizing() && size > 3000) continue;
        auto const shape = draw_pattern(kind, size, random);
        plan_law(places.for_turn(turn), shape, random);
        transposed_plan_law(places.for_turn(turn++), shape, random);
      }
  });
}

TEST_CASE("host plans of products: strings, several columns, no policy") {
  std::vector<int> const offsets{0, 2, 2, 5}, indices{0, 2, 0, 1, 2};
  std::vector<std::string> const values{"a", "b", "c", "d", "e"};
  sweep::csr_view const a(3, 3, offsets, indices, values);
  auto const joining = sweep::semiring{
      std::plus<>{}, [](std::string const& s, int n) { return s + char('0' + n); }, std::string("none")};
  auto const plan = sweep::spmv_plan(sweep::host, a, sweep::transposed);
  std::vector<int> const x{1, 2, 3};
  std::vector<std::string> y(3);
  sweep::spmv(sweep::host, plan, x, y, joining);
  CHECK(y == std::vector<std::string>{"a1c3", "d3", "b1e3"});
  sweep::csr_view const ones(3, 3, offsets, indices);
  auto const pattern = sweep::spmv_plan(sweep::seq, ones);
  std::vector<float> const features{1, 10, 2, 20, 3, 30};
  std::vector<float> sums(6);
  sweep::spmm(sweep::seq, pattern, sweep::strided(features.begin(), {3, 2}),
              sweep::strided(sums.begin(), {3, 2}));
  CHECK(sums == std::vector<float>{4, 40, 0, 0, 6, 60});
  std::vector<int> counts(3);
  sweep::spmv(pattern, x, counts);
  CHECK(counts == std::vector<int>{4, 0, 6});
}

TEST_CASE("host plans of products: bad input") {
  plan_error_laws(place{sweep::host, "host"}, sweep::host.checked());
  plan_error_laws(place{sweep::seq, "seq"}, sweep::host.threads(2).checked());
}

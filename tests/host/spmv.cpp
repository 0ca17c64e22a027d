// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of sparse products on seq and host.
#include <support/host_places.hpp>
#include <support/spmv_laws.hpp>

#include <complex>
#include <string>

using namespace sweep_test;

namespace {

/// law(place, pattern, random) for every kind of matrix, at several sizes.
template <class Law>
void on_every_pattern(char const* name, Law law) {
  random_source random(name);
  on_every_host_place([&](auto const& places) {
    std::size_t turn = 0;
    for (int kind = 0; kind < pattern_kinds; ++kind)
      for (std::int64_t const size : {std::int64_t{7}, random.between(100, 3000), host_items(90'000)}) {
        if (sanitizing() && size > 3000) continue;
        law(places.for_turn(turn++), draw_pattern(kind, size, random), random);
      }
  });
}

}  // namespace

TEST_CASE("host sparse products: semirings, types and shapes") {
  on_every_pattern("sparse products", [](auto const& at, pattern const& shape, random_source& random) {
    using U = std::uint32_t;
    namespace rings = sweep::semirings;
    product_law<U, U, U, std::int32_t, std::int32_t>(at, "u32", shape, rings::plus_times<U>(), random);
    product_law<std::uint64_t, std::uint8_t, std::uint16_t, std::int64_t, std::uint32_t>(
        at, "u8 by u16 in u64", shape, rings::plus_times<std::uint64_t>(), random);
    product_law<int, int, int, std::uint32_t, std::int64_t>(at, "min-plus", shape, rings::min_plus<int>(),
                                                            random);
    product_law<float, float, float, std::int32_t, std::int32_t>(at, "max-times", shape,
                                                                 rings::max_times<float>(), random);
    product_law<std::uint8_t, std::uint8_t, std::uint8_t, std::int32_t, std::int32_t>(
        at, "or-and", shape, rings::or_and(), random);
    product_law<affine<U>, U, U, std::int32_t, std::int32_t>(
        at, "maps", shape, sweep::semiring{affine_then{}, make_affine{}, affine<U>{1, 0}}, random);
    product_law<motion, U, std::uint64_t, std::int64_t, std::int32_t>(
        at, "motions", shape, sweep::semiring{motion_then{}, make_motion{}, motion{}}, random);
  });
}

TEST_CASE("host sparse products: masks and scalars") {
  on_every_pattern("masked and scaled products",
                   [](auto const& at, pattern const& shape, random_source& random) {
                     masked_law(at, shape, random);
                     scaled_law(at, shape, random);
                   });
}

TEST_CASE("host sparse products: floating point against sums of twice the digits") {
  on_every_pattern("floating-point products",
                   [](auto const& at, pattern const& shape, random_source& random) {
                     float_law<float>(at, shape, random);
                     float_law<double>(at, shape, random);
                   });
}

TEST_CASE("host sparse products: iterators and unknown sizes") {
  random_source random("product forms");
  on_every_host_place([&](auto const& places) { product_form_laws(places.for_turn(1), random); });
}

TEST_CASE("host sparse products: some rows of a larger matrix") {
  on_every_pattern("some rows", [](auto const& at, pattern const& shape, random_source& random) {
    some_rows_law(at, shape, random);
  });
}

TEST_CASE("host sparse products: offsets of any numbers") {
  random_source random("wild offsets");
  on_every_host_place([&](auto const& places) {
    for (std::size_t const rows : {1, 10, 3000}) wild_offset_law(places.for_turn(1), rows, random);
  });
}

TEST_CASE("host sparse products: ranges, complex numbers and strings") {
  std::vector<int> const offsets{0, 2, 2, 5};
  std::vector<std::size_t> const indices{0, 2, 0, 1, 2};
  using C = std::complex<double>;
  std::vector<C> const values{{1, 1}, {0, 2}, 3, 4, {0, -5}}, x{1, 10, {0, 1}};
  std::vector<C> y(3), z(3);
  sweep::csr_view const a(3, 3, offsets, indices, values);
  CHECK(a.nonzeros == 5);
  sweep::spmv(a, x, y);
  CHECK(y == std::vector<C>{{-1, 1}, 0, 48});
  sweep::spmv(C{2}, a, x, C{1}, y);
  CHECK(y == std::vector<C>{{-3, 3}, 0, 144});
  std::vector<std::string> const words{"to", "be", "or"};
  std::vector<std::string> said(3);
  sweep::csr_view const pattern(3, 3, offsets, indices);
  auto const joining = sweep::semiring{std::plus<>{}, [](int, std::string const& s) { return s + " "; },
                                       std::string("nothing")};
  sweep::spmv(sweep::seq, pattern, words, said, joining);
  CHECK(said == std::vector<std::string>{"to or ", "nothing", "to be or "});
  sweep::spmv(sweep::host, pattern, words, said, joining);
  CHECK(said == std::vector<std::string>{"to or ", "nothing", "to be or "});
}

TEST_CASE("host sparse products: bad input") {
  product_error_laws(place{sweep::host, "host"}, sweep::host.checked());
  product_error_laws(place{sweep::seq, "seq"}, sweep::host.threads(2).checked());
  std::vector<int> const offsets{0, 1}, indices{0};
  std::vector<float> const values{1}, two{1, 2}, none;
  std::vector<float> y(1);
  expect_throw<sweep::bad_argument>({"csr_view", "offsets", "2 items", "4"},
                                    [&] { sweep::csr_view(3, 3, offsets, indices, values); });
  expect_throw<sweep::bad_argument>({"csr_view", "values", "2 items", "1"},
                                    [&] { sweep::csr_view(1, 1, offsets, indices, two); });
  sweep::csr_view const a(1, 1, offsets, indices, values);
  expect_throw<sweep::bad_argument>({"sweep::spmv:", "x", "0 items", "1"},
                                    [&] { sweep::spmv(sweep::host, a, none, y); });
}

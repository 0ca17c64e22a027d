// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of products with dense matrices on the device.
#include <support/dense_product_laws.hpp>
#include <support/device_places.hpp>

using namespace sweep_test;

namespace {

// Of few products columns are vectors, unless the variant is another.
auto const by_path = half_at(sweep::device.with(sweep::variant::merge_path), "merge_path");

}  // namespace

TEST_CASE("device products with dense matrices: semirings, orders and shapes") {
  using U = std::uint32_t;
  random_source random("dense products");
  for (int kind = 0; kind < pattern_kinds; ++kind)
    for (std::int64_t const size :
         {std::int64_t{7}, random.between(500, 5000), random.between(50'000, 200'000)}) {
      if (sanitizing() && size > 5000) continue;
      auto const shape = draw_pattern(kind, size, random);
      auto const laws = [&](auto const& at) {
        dense_product_laws<U, U, U>(at, "u32", shape, sweep::semirings::plus_times<U>(), random);
        dense_product_laws<affine<U>, U, U>(
            at, "maps", shape, sweep::semiring{affine_then{}, make_affine{}, affine<U>{1, 0}}, random);
      };
      laws(on_device);
      laws(by_path);
    }
}

TEST_CASE("device products with dense matrices: small and odd items, iterators, masks") {
  using U = std::uint32_t;
  using B = std::uint8_t;
  random_source random("dense products of bytes");
  for (int kind = 0; kind < pattern_kinds; ++kind)
    for (std::int64_t const size : {random.between(500, 5000), random.between(20'000, 100'000)}) {
      if (sanitizing() && size > 5000) continue;
      auto const shape = draw_pattern(kind, size, random);
      dense_product_laws<B, B, B>(on_device, "u8", shape, sweep::semirings::plus_times<B>(), random);
      dense_product_laws<heisenberg<U>, B, B>(
          on_device, "12 bytes", shape,
          sweep::semiring{heisenberg_product{}, make_heisenberg{}, heisenberg<U>{0, 0, 7}}, random);
      dense_product_iterator_law(on_device, shape, random);
    }
}

// How many products there are, and how many entries for each column of the matrix, decides whether columns
// are vectors, or are put side by side first.
TEST_CASE("device products with dense matrices: columns that lie apart") {
  using U = std::uint32_t;
  random_source random("columns apart");
  for (int const kind : {0, 1})
    for (std::int64_t const size :
         {random.between(500, 5000), random.between(135'000, 250'000), random.between(280'000, 400'000)}) {
      if (sanitizing() && size > 5000) continue;
      auto const columns = static_cast<std::size_t>(random.between(9, 20));
      dense_product_law<U, U, U>(on_device, "apart", draw_pattern(kind, size, random), columns, false,
                                 random() % 2 == 0, sweep::semirings::plus_times<U>(), random);
    }
}

// Columns of several passes, of which one kernel has some and the next one the rest: by rows in vectors or
// not, put side by side first, and as they lie apart; the last pass has fewer columns, and fewer lanes.
TEST_CASE("device products with dense matrices: several passes") {
  using U = std::uint32_t;
  using W = std::uint64_t;
  constexpr auto maps = sweep::semiring<affine_then, make_affine, affine<U>>{{}, {}, {1, 0}};
  random_source random("several passes");
  for (std::int64_t const size : {random.between(300, 3000), random.between(20'000, 60'000)})
    for (bool const x_by_rows : {true, false}) {
      if (sanitizing() && size > 3000) continue;
      auto const shape = draw_pattern(static_cast<int>(random() % pattern_kinds), size, random);
      for (std::size_t const columns :
           {std::size_t{36}, std::size_t{64}, std::size_t{99}, std::size_t{270}}) {
        if (columns > 99 && size > 3000) continue;
        dense_product_law<U, U, U>(by_path, "u32", shape, columns, x_by_rows, random() % 2 == 0,
                                   sweep::semirings::plus_times<U>(), random);
        dense_product_law<W, W, W>(by_path, "u64", shape, columns, x_by_rows, random() % 2 == 0,
                                   sweep::semirings::plus_times<W>(), random);
        dense_product_law<affine<U>, U, U>(by_path, "maps", shape, columns, x_by_rows, random() % 2 == 0,
                                           maps, random);
      }
    }
}

// Rows of x that are no vectors are made such where there are entries enough; what fills them up is not to be
// seen, neither by functions nor in y, whose rows may be vectors or not.
TEST_CASE("device products with dense matrices: rows that are no vectors") {
  using U = std::uint32_t;
  using W = std::uint64_t;
  constexpr auto maps = sweep::semiring<affine_then, make_affine, affine<U>>{{}, {}, {1, 0}};
  random_source random("rows that are no vectors");
  auto const some =
      draw_pattern("sixteen entries a column", 400, 200, random, [&](auto) { return random.between(0, 16); });
  auto const many = draw_pattern(0, sanitizing() ? 9000 : 90'000, random);
  for (auto const* const shape : {&some, &many})
    for (std::size_t const columns :
         {std::size_t{3}, std::size_t{5}, std::size_t{7}, std::size_t{9}, std::size_t{33}, std::size_t{61}}) {
      if (sanitizing() && shape == &many && columns > 9) continue;
      bool const y_by_rows = random() % 3 != 0;
      dense_product_law<U, U, U>(by_path, "u32", *shape, columns, true, y_by_rows,
                                 sweep::semirings::plus_times<U>(), random);
      dense_product_law<W, W, W>(by_path, "u64", *shape, columns, true, y_by_rows,
                                 sweep::semirings::plus_times<W>(), random);
      dense_product_law<affine<U>, U, U>(by_path, "maps", *shape, columns, true, y_by_rows, maps, random);
      dense_product_law<U, U, U>(by_path, "u32", *shape, columns, false, y_by_rows,
                                 sweep::semirings::plus_times<U>(), random);
    }
  if (sanitizing()) return;
  // What is large enough unless a variant is named.
  auto const large = draw_pattern("many entries a column", 300'000, 90'000, random,
                                  [&](auto) { return random.between(0, 16); });
  for (std::size_t const columns : {std::size_t{5}, std::size_t{9}})
    for (bool const x_by_rows : {true, false})
      dense_product_law<U, U, U>(on_device, "u32", large, columns, x_by_rows, random() % 2 == 0,
                                 sweep::semirings::plus_times<U>(), random);
}

// Sums of floats begin with a zero that no sum shows: whole numbers are exact in any order, in windows that
// are a share's in part and in whole ones.
TEST_CASE("device products with dense matrices: sums of floats") {
  random_source random("sums of floats");
  std::int64_t const rows = 2000, columns = 2000;
  auto const shape =
      draw_pattern("rows of any length", rows, columns, random, [&](auto) { return random.between(0, 150); });
  for (std::int64_t const width : {4, 8, 31}) {
    std::vector<float> values(shape.entries()), x(static_cast<std::size_t>(columns * width));
    auto const whole = [&](float& a) { a = static_cast<float>(random.between(-20, 20)); };
    for (auto& a : values) whole(a);
    for (auto& a : x) whole(a);
    std::vector<float> want(static_cast<std::size_t>(rows * width));
    for (std::int64_t c = 0; c < width; ++c) {
      std::vector<float> column(static_cast<std::size_t>(columns));
      for (std::int64_t r = 0; r < columns; ++r)
        column[static_cast<std::size_t>(r)] = x[static_cast<std::size_t>(r * width + c)];
      auto const product =
          product_oracle<float>(shape, values, column, sweep::semirings::plus_times<float>());
      for (std::int64_t r = 0; r < rows; ++r)
        want[static_cast<std::size_t>(r * width + c)] = product[static_cast<std::size_t>(r)];
    }
    using place = decltype(on_device);
    placed_matrix<std::remove_const_t<place>, std::int32_t, std::int32_t, float> const matrix(shape, values,
                                                                                              random);
    typename std::remove_const_t<place>::template array<float> const in(x), y(want.size());
    auto const from = sweep::strided(static_cast<float const*>(in.begin()), {columns, width});
    auto const to = sweep::strided(y.begin(), {rows, width});
    sweep::spmm(by_path.policy, matrix.view(), from, to);
    expect(same_bits(y.read(), want), "whole numbers, " + std::to_string(width) + " columns");
    sweep::spmm(by_path.policy, matrix.view_of_unknown_size(), from, to);
    expect(same_bits(y.read(), want),
           "whole numbers, " + std::to_string(width) + " columns, in whole windows");
  }
}

TEST_CASE("device products with dense matrices: one column") {
  random_source random("one column");
  for (int kind = 0; kind < pattern_kinds; ++kind)
    for (std::int64_t const size : {random.between(100, 5000), random.between(50'000, 200'000)})
      if (!sanitizing() || size <= 5000) one_column_law(on_device, draw_pattern(kind, size, random), random);
}

TEST_CASE("device products with dense matrices: bad input") {
  dense_product_error_laws(on_device, sweep::device.checked());
}

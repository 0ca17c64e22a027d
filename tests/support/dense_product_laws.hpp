// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_DENSE_PRODUCT_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_DENSE_PRODUCT_LAWS_HPP

#include <support/spmv_laws.hpp>

#include <sweep/spmv.hpp>

#include <string>
#include <vector>

// The laws of products with dense matrices: each column is the product with that column.
namespace sweep_test {

/// Products that do not commute, of 12 bytes.
struct make_heisenberg {
  template <class A, class X>
  SWEEP_TEST_HD heisenberg<std::uint32_t> operator()(A const& a, X const& x) const {
    auto const p = static_cast<std::uint32_t>(a), q = static_cast<std::uint32_t>(x);
    return {p + 1, q, p ^ q};
  }
};

/// In row-major order or not; rows, or columns, may have room between them.
template <class Y, class A, class X, class Place, class Semiring>
void dense_product_law(Place const& at, std::string const& what, pattern const& shape, std::size_t columns,
                       bool x_by_rows, bool y_by_rows, Semiring const& by, random_source& random) {
  if (at.skipped) return;
  auto const title = std::string(at.name) + ": " + what + ", " + shape.name + ", " + std::to_string(columns) +
                     " columns" + (x_by_rows ? ", x by rows" : "") + (y_by_rows ? ", y by rows" : "");
  auto const rows_x = static_cast<std::size_t>(shape.columns), rows_y = static_cast<std::size_t>(shape.rows);
  // Every other time rows begin on 16-byte boundaries, where their items may travel in vectors.
  auto const gap = random() % 2 == 0
                       ? (16 - columns % 16) % 16 * static_cast<std::size_t>(random.between(0, 1))
                       : static_cast<std::size_t>(random.between(0, 3));
  auto const lead_x = (x_by_rows ? columns : rows_x) + gap, lead_y = (y_by_rows ? columns : rows_y) + gap;
  auto const place = [](std::size_t r, std::size_t c, bool by_rows, std::size_t lead) {
    return by_rows ? r * lead + c : c * lead + r;
  };
  auto const values = draw_entries<A>(shape.entries(), random);
  auto const x = draw_entries<X>(lead_x * (x_by_rows ? rows_x : columns), random);
  std::vector<Y> want(lead_y * (y_by_rows ? rows_y : columns), unwritten<Y>());
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<X> column(rows_x);
    for (std::size_t r = 0; r < rows_x; ++r) column[r] = x[place(r, c, x_by_rows, lead_x)];
    auto const product = product_oracle<Y>(shape, values, column, by);
    for (std::size_t r = 0; r < rows_y; ++r) want[place(r, c, y_by_rows, lead_y)] = product[r];
  }
  placed_matrix<Place, std::int32_t, std::int32_t, A> const matrix(shape, values, random);
  auto const offset = [&] {
    return static_cast<std::size_t>(random() % 4 == 0 ? 1 : 16 * random.between(0, 1));
  };
  typename Place::template array<X> const in(x, offset());
  typename Place::template array<Y> const y(want.size(), offset());
  auto const view = [&](auto* first, std::size_t rows, bool by_rows, std::size_t lead) {
    auto const r = static_cast<std::int64_t>(rows), c = static_cast<std::int64_t>(columns),
               l = static_cast<std::int64_t>(lead);
    return sweep::strided_view<decltype(first), 2>{first, {r, c}, {by_rows ? l : 1, by_rows ? 1 : l}};
  };
  sweep::spmm(at.policy, matrix.view(), view(in.begin(), rows_x, x_by_rows, lead_x),
              view(y.begin(), rows_y, y_by_rows, lead_y), by);
  expect_equal(y.read(), want, title);
  expect(y.guards_intact(), title + ": writes y only");
  // Shares of a path whose length only the device knows are longer: several windows each.
  typename Place::template array<Y> const of_unknown(want.size(), offset());
  sweep::spmm(at.policy, matrix.view_of_unknown_size(), view(in.begin(), rows_x, x_by_rows, lead_x),
              view(of_unknown.begin(), rows_y, y_by_rows, lead_y), by);
  expect_equal(of_unknown.read(), want, title + ", of an unknown number of entries");
  expect(of_unknown.guards_intact(), title + ", of an unknown number of entries: writes y only");
  if constexpr (std::is_arithmetic_v<Y>) {
    auto const before = y.read();
    for (Y const beta : {Y{0}, Y{5}}) {
      auto scaled = want;
      for (std::size_t c = 0; c < columns; ++c)
        for (std::size_t r = 0; r < rows_y; ++r) {
          auto const at_place = place(r, c, y_by_rows, lead_y);
          scaled[at_place] =
              static_cast<Y>(by.plus(by.times(Y{3}, want[at_place]), by.times(beta, before[at_place])));
        }
      typename Place::template array<Y> const sums(before);
      sweep::spmm(at.policy, Y{3}, matrix.view(), view(in.begin(), rows_x, x_by_rows, lead_x), beta,
                  view(sums.begin(), rows_y, y_by_rows, lead_y), by);
      expect_equal(sums.read(), scaled, title + ", scaled, beta = " + std::to_string(beta));
    }
  }
}

/// One column is a vector, wherever its items lie: the bits are those of the product with a vector.
template <class Place>
void one_column_law(Place const& at, pattern const& shape, random_source& random) {
  if (at.skipped) return;
  auto const title = std::string(at.name) + ": one column, " + shape.name + ", " +
                     std::to_string(shape.rows) + " rows, " + std::to_string(shape.entries()) + " entries";
  auto const rows = static_cast<std::size_t>(shape.rows), columns = static_cast<std::size_t>(shape.columns);
  auto const apart = [&](std::vector<float> const& items, std::size_t stride) {
    std::vector<float> all(items.size() * stride, unwritten<float>());
    for (std::size_t i = 0; i < items.size(); ++i) all[i * stride] = items[i];
    return all;
  };
  auto const step_x = static_cast<std::size_t>(random.between(1, 3)),
             step_y = static_cast<std::size_t>(random.between(1, 3));
  auto const x = draw_many<float>(columns, random), before = draw_many<float>(rows, random);
  placed_matrix<Place, std::int32_t, std::int32_t, float> const matrix(
      shape, draw_many<float>(shape.entries(), random), random);
  typename Place::template array<float> const in(x), wide_in(apart(x, step_x)), y(before),
      wide(apart(before, step_y));
  auto const column = [&](float* first, std::size_t count, std::size_t step) {
    auto const n = static_cast<std::int64_t>(count), stride = static_cast<std::int64_t>(step);
    // How far columns lie apart does not matter, for there is one.
    return sweep::strided_view<float*, 2>{first, {n, 1}, {stride, random.between(-9, 9)}};
  };
  auto const from = column(wide_in.begin(), columns, step_x), to = column(wide.begin(), rows, step_y);
  sweep::spmv(at.policy, 0.7f, matrix.view(), in.begin(), 0.3f, y.begin());
  sweep::spmm(at.policy, 0.7f, matrix.view(), from, 0.3f, to);
  expect(same_bits(wide.read(), apart(y.read(), step_y)), title + ", scaled");
  sweep::spmv(at.policy, matrix.view(), in.begin(), y.begin());
  sweep::spmm(at.policy, matrix.view(), from, to);
  expect(same_bits(wide.read(), apart(y.read(), step_y)), title);
  expect(wide.guards_intact(), title + ": writes y only");
}

/// Dense matrices of iterators that are no pointers, entries of 16 bytes, and rows that are not wanted.
template <class Place>
void dense_product_iterator_law(Place const& at, pattern const& shape, random_source& random) {
  using U = std::uint64_t;
  if (at.skipped) return;
  auto const columns = static_cast<std::size_t>(random.between(2, 40)),
             rows = static_cast<std::size_t>(shape.rows);
  auto const title =
      std::string(at.name) + ": iterators, " + shape.name + ", " + std::to_string(columns) + " columns";
  auto const by = sweep::semirings::plus_times<U>();
  auto const values = draw_entries<U>(shape.entries(), random);
  auto const x = draw_entries<U>(static_cast<std::size_t>(shape.columns) * columns, random);
  std::vector<U> want(rows * columns, unwritten<U>()), wanted(rows);
  for (auto& w : wanted) w = random() % 3 != 0;
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<U> column(static_cast<std::size_t>(shape.columns));
    for (std::size_t r = 0; r < column.size(); ++r) column[r] = x[r * columns + c];
    auto const product = product_oracle<U>(shape, values, column, by);
    for (std::size_t r = 0; r < rows; ++r)
      if (wanted[r] != 0) want[r * columns + c] = product[r];
  }
  placed_matrix<Place, std::int64_t, std::int64_t, U> const matrix(shape, values, random);
  typename Place::template array<U> const y(want.size()), flags(wanted), in(x);
  auto const view = [&](U* first, std::int64_t count) {
    using it = strided<U*>;
    auto const k = static_cast<std::int64_t>(columns);
    return sweep::strided_view<it, 2>{it(first, 1), {count, k}, {k, 1}};
  };
  sweep::spmm(at.policy, matrix.view().where(flags.begin()), view(in.begin(), shape.columns),
              view(y.begin(), shape.rows), by);
  expect_equal(y.read(), want, title);
  expect(y.guards_intact(), title + ": writes y only");
}

/// Columns and orders in turn.
template <class Y, class A, class X, class Place, class Semiring>
void dense_product_laws(Place const& at, std::string const& what, pattern const& shape, Semiring const& by,
                        random_source& random) {
  static constexpr std::size_t many[] = {0, 1, 2, 3, 4, 8, 16, 13, 32, 33, 64};
  auto const turn = random();
  dense_product_law<Y, A, X>(at, what, shape, many[turn % 11], turn / 11 % 3 != 0, turn / 33 % 3 != 0, by,
                             random);
}

template <class Place, class Checked>
void dense_product_error_laws(Place const& at, Checked const& checked) {
  std::vector<int> const offsets{0, 2, 2, 5}, later{2, 2, 3, 5}, indices{0, 2, 0, 1, 2};
  std::vector<float> const values{1, 2, 3, 4, 5};
  typename Place::template array<int> const o(offsets), l(later), i(indices);
  typename Place::template array<float> const v(values), in(std::vector<float>(12, 1.f)), y(12);
  sweep::csr_view const a(3, 3, 5, o.begin(), i.begin(), v.begin());
  using view = sweep::strided_view<float*, 2>;
  view const good{in.begin(), {3, 4}, {4, 1}}, to{y.begin(), {3, 4}, {4, 1}};
  expect_throw<sweep::bad_argument>({"sweep::spmm:", "x", "2 rows"}, [&] {
    sweep::spmm(at.policy, a, view{in.begin(), {2, 4}, {4, 1}}, to);
  });
  expect_throw<sweep::bad_argument>({"sweep::spmm:", "x", "3 columns"}, [&] {
    sweep::spmm(at.policy, a, view{in.begin(), {3, 3}, {4, 1}}, to);
  });
  expect_throw<sweep::bad_argument>({"sweep::spmm:", "y", "null"}, [&] {
    sweep::spmm(at.policy, a, good, view{nullptr, {3, 4}, {4, 1}});
  });
  expect_throw<sweep::bad_argument>({"sweep::spmm:", "y", "items in the same places: axis 0", "3 items far"},
                                    [&] {
                                      sweep::spmm(at.policy, a, good, view{y.begin(), {3, 4}, {3, 1}});
                                    });
  expect_throw<sweep::bad_argument>({"sweep::spmm:", "offsets", "start at 2 (index 0), not at 0"}, [&] {
    sweep::spmm(checked, sweep::csr_view(3, 3, 5, l.begin(), i.begin(), v.begin()), good, to);
  });
  expect(y.all_untouched(), std::string(at.name) + ": nothing is written");
  sweep::spmm(checked, a, good, to);
  expect_equal(y.read(), {3, 3, 3, 3, 0, 0, 0, 0, 12, 12, 12, 12}, std::string(at.name) + ": a good matrix");
}

}  // namespace sweep_test

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SDDMM_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_SDDMM_LAWS_HPP

#include <support/spmv_laws.hpp>

#include <sweep/sddmm.hpp>
#include <sweep/spmv_plan.hpp>

#include <string>
#include <type_traits>
#include <vector>

// The laws of sampled products, for any place: each entry's is the fold of a row's and a column's products,
// in their order.
namespace sweep_test {

/// A dense matrix in either order, with room between its lines, and its view.
struct dense_shape {
  std::size_t rows, columns, lead;
  bool by_rows;
  dense_shape(std::size_t r, std::size_t c, random_source& random)
      : dense_shape(r, c, random() % 2 == 0, static_cast<std::size_t>(random.between(0, 3))) {}
  dense_shape(std::size_t r, std::size_t c, bool in_rows, std::size_t room)
      : rows{r}, columns{c}, lead{(in_rows ? c : r) + room}, by_rows{in_rows} {}
  std::size_t items() const { return lead * (by_rows ? rows : columns); }
  std::size_t place(std::size_t r, std::size_t c) const { return by_rows ? r * lead + c : c * lead + r; }
  template <class It>
  auto view(It first) const {
    auto const r = static_cast<std::int64_t>(rows), c = static_cast<std::int64_t>(columns),
               l = static_cast<std::int64_t>(lead);
    return sweep::strided_view<It, 2>{first, {r, c}, {by_rows ? l : 1, by_rows ? 1 : l}};
  }
};

/// V sums of X and Y, of so many columns of x; if so, x by rows and y by columns, which begin where vectors
/// do if there are as many of four.
template <class V, class X, class Y, class Place, class Semiring>
void sampled_product_law(Place const& at, std::string const& what, pattern const& shape, std::size_t depth,
                         Semiring const& by, random_source& random, bool in_vectors = false) {
  if (at.skipped) return;
  auto const n = shape.entries();
  auto const rows_of_x = static_cast<std::size_t>(shape.rows),
             columns_of_y = static_cast<std::size_t>(shape.columns),
             room = static_cast<std::size_t>(4 * random.between(0, 1));
  auto const of_x = in_vectors ? dense_shape(rows_of_x, depth, true, room)
                               : dense_shape(rows_of_x, depth, random),
             of_y = in_vectors ? dense_shape(depth, columns_of_y, false, room)
                               : dense_shape(depth, columns_of_y, random);
  auto const title = std::string(at.name) + ": " + what + ", " + shape.name + ", " + std::to_string(n) +
                     " entries, " + std::to_string(depth) + " products each" +
                     (of_x.by_rows ? ", x by rows" : "") + (of_y.by_rows ? ", y by rows" : "");
  auto const x = draw_entries<X>(of_x.items(), random);
  auto const y = draw_entries<Y>(of_y.items(), random);
  std::vector<unsigned char> wanted(static_cast<std::size_t>(shape.rows));
  for (auto& flag : wanted) flag = random() % 3 != 0;
  std::vector<V> want(n), masked(n, unwritten<V>());
  for (std::size_t r = 0; r + 1 < shape.offsets.size(); ++r)
    for (auto k = static_cast<std::size_t>(shape.offsets[r]);
         k < static_cast<std::size_t>(shape.offsets[r + 1]); ++k) {
      auto const c = static_cast<std::size_t>(shape.indices[k]);
      want[k] = by.zero;
      for (std::size_t i = 0; i < depth; ++i) {
        auto const product = static_cast<V>(by.times(x[of_x.place(r, i)], y[of_y.place(i, c)]));
        want[k] = i == 0 ? product : static_cast<V>(by.plus(want[k], product));
      }
      if (wanted[r]) masked[k] = want[k];
    }
  placed_matrix<Place, std::int32_t, std::int32_t, float> const matrix(shape, std::vector<float>(n), random);
  typename Place::template array<X> const in_x(x);
  typename Place::template array<Y> const in_y(y);
  typename Place::template array<unsigned char> const flags(wanted);
  typename Place::template array<V> const out(n, static_cast<std::size_t>(random.between(0, 5))), some(n);
  auto const views = [&](auto call) { call(of_x.view(in_x.begin()), of_y.view(in_y.begin())); };
  views([&](auto const& a, auto const& b) {
    expect(sweep::sddmm(at.policy, matrix.view(), a, b, out.begin(), by) == out.end(),
           title + ": returns the end of the results");
    sweep::sddmm(at.policy, matrix.view().where(flags.begin()), a, b, some.begin(), by);
  });
  expect_equal(out.read(), want, title);
  expect(out.guards_intact(), title + ": writes the results only");
  expect_equal(some.read(), masked, title + ", masked");
  if constexpr (std::is_arithmetic_v<V>) {
    auto const plan = sweep::spmv_plan(at.policy, matrix.view());
    for (V const beta : {V{0}, V{5}}) {
      auto scaled = want;
      auto const before = draw_entries<V>(n, random);
      for (std::size_t k = 0; k < n; ++k)
        scaled[k] = static_cast<V>(by.plus(by.times(V{3}, want[k]), by.times(beta, before[k])));
      typename Place::template array<V> const sums(before);
      views([&](auto const& a, auto const& b) {
        sweep::sddmm(at.policy, V{3}, plan, a, b, beta, sums.begin(), by);
      });
      expect_equal(sums.read(), scaled, title + ", scaled, beta = " + std::to_string(beta));
    }
  }
}

/// Widths in turn.
template <class V, class X, class Y, class Place, class Semiring>
void sampled_product_laws(Place const& at, std::string const& what, pattern const& shape, Semiring const& by,
                          random_source& random) {
  static constexpr std::size_t many[] = {0, 1, 3, 16, 33, 64, 131};
  sampled_product_law<V, X, Y>(at, what, shape, many[random() % 7], by, random);
}

template <class Place, class Checked>
void sampled_product_error_laws(Place const& at, Checked const& checked) {
  using bad = sweep::bad_argument;
  std::vector<int> const offsets{0, 2, 2, 5}, later{2, 2, 3, 5}, indices{0, 2, 0, 1, 2},
      beyond{0, 2, 0, 3, 2};
  typename Place::template array<int> const o(offsets), l(later), i(indices), b(beyond);
  typename Place::template array<float> const in(std::vector<float>(12, 1.f)), out(5);
  sweep::csr_view const a(3, 3, 5, o.begin(), i.begin(), in.begin()),
      wild(3, 3, 5, o.begin(), b.begin(), in.begin()), of_more(3, 3, 5, l.begin(), i.begin(), in.begin());
  using view = sweep::strided_view<float*, 2>;
  view const x{in.begin(), {3, 4}, {4, 1}}, y{in.begin(), {4, 3}, {1, 4}};
  float* const nothing = nullptr;
  expect_throw<bad>({"sweep::sddmm:", "x", "2 rows"}, [&] {
    sweep::sddmm(at.policy, a, view{in.begin(), {2, 4}, {4, 1}}, y, out.begin());
  });
  expect_throw<bad>({"sweep::sddmm:", "y", "2 columns"}, [&] {
    sweep::sddmm(at.policy, a, x, view{in.begin(), {4, 2}, {1, 4}}, out.begin());
  });
  expect_throw<bad>({"sweep::sddmm:", "y", "3 rows", "4 columns"}, [&] {
    sweep::sddmm(at.policy, a, x, view{in.begin(), {3, 3}, {1, 4}}, out.begin());
  });
  expect_throw<bad>({"sweep::sddmm:", "out", "null"}, [&] { sweep::sddmm(at.policy, a, x, y, nothing); });
  expect_throw<bad>({"sweep::sddmm:", "y", "null"}, [&] {
    sweep::sddmm(at.policy, a, x, view{nothing, {4, 3}, {1, 4}}, out.begin());
  });
  expect_throw<bad>({"sweep::sddmm:", "indices", "entry 3: column 3 of 3"},
                    [&] { sweep::sddmm(checked, wild, x, y, out.begin()); });
  expect_throw<bad>({"sweep::sddmm:", "offsets", "start at 2 (index 0), not at 0"},
                    [&] { sweep::sddmm(checked, of_more, x, y, out.begin()); });
  expect(out.all_untouched(), std::string(at.name) + ": nothing is written");
}

/// Offsets of any numbers lead nowhere but to rows of x and results of the entries.
template <class Place>
void wild_sample_law(Place const& at, std::size_t rows, random_source& random) {
  if (at.skipped) return;
  auto const n = rows * 4;
  std::vector<std::int32_t> offsets(rows + 1);
  for (auto& o : offsets) o = static_cast<std::int32_t>(random());
  typename Place::template array<std::int32_t> const at_rows(offsets),
      columns(std::vector<std::int32_t>(n, 0));
  typename Place::template array<float> const x(std::vector<float>(rows * 2, 1.f)),
      y(std::vector<float>(2, 1.f)), out(n);
  sweep::csr_view const a(static_cast<std::int64_t>(rows), 1, static_cast<std::int64_t>(n), at_rows.begin(),
                          columns.begin(), x.begin());
  auto const r = static_cast<std::int64_t>(rows);
  sweep::sddmm(at.policy, a, sweep::strided_view<float*, 2>{x.begin(), {r, 2}, {2, 1}},
               sweep::strided_view<float*, 2>{y.begin(), {2, 1}, {1, 1}}, out.begin());
  expect_equal(out.read(), std::vector<float>(n, 2.f), std::string(at.name) + ": wild offsets");
  expect(out.guards_intact(), std::string(at.name) + ": wild offsets: writes the results only");
}

}  // namespace sweep_test

#endif

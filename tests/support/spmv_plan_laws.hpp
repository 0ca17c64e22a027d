// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SPMV_PLAN_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_SPMV_PLAN_LAWS_HPP

#include <support/spmv_laws.hpp>

#include <sweep/spmv_plan.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

// The laws of plans, for any place: the same products, to the bit, as often as one likes.
namespace sweep_test {

/// The transpose, whose values are numbers of entries.
struct turned_pattern {
  pattern shape;
  std::vector<std::size_t> entry;

  explicit turned_pattern(pattern const& a) : shape{a.name + ", transposed", a.columns, a.rows} {
    auto const n = a.entries();
    std::vector<std::int64_t> row(n);
    for (std::size_t r = 0; r + 1 < a.offsets.size(); ++r)
      for (auto k = a.offsets[r]; k < a.offsets[r + 1]; ++k)
        row[static_cast<std::size_t>(k)] = static_cast<std::int64_t>(r);
    entry.resize(n);
    std::iota(entry.begin(), entry.end(), std::size_t{0});
    std::stable_sort(entry.begin(), entry.end(),
                     [&](std::size_t j, std::size_t k) { return a.indices[j] < a.indices[k]; });
    shape.offsets.resize(static_cast<std::size_t>(a.columns) + 1);
    for (auto const c : a.indices) ++shape.offsets[static_cast<std::size_t>(c) + 1];
    std::partial_sum(shape.offsets.begin(), shape.offsets.end(), shape.offsets.begin());
    for (auto const k : entry) shape.indices.push_back(row[k]);
  }
  template <class A>
  std::vector<A> values_of(std::vector<A> const& values) const {
    std::vector<A> turned;
    for (auto const k : entry) turned.push_back(values[k]);
    return turned;
  }
};

/// Floats to the bit, products that do not commute, masks.
template <class Place>
void plan_law(Place const& at, pattern const& shape, random_source& random) {
  using U = std::uint32_t;
  if (at.skipped) return;
  auto const title = std::string(at.name) + ": planned, " + shape.name + ", " + std::to_string(shape.rows) +
                     " rows, " + std::to_string(shape.entries()) + " entries: ";
  auto const rows = static_cast<std::size_t>(shape.rows), columns = static_cast<std::size_t>(shape.columns);
  auto const values = draw_many<float>(shape.entries(), random);
  placed_matrix<Place, std::int32_t, std::int32_t, float> const matrix(shape, values, random);
  typename Place::template array<float> const in(draw_many<float>(columns, random)), y(rows), again(rows);
  auto made = sweep::spmv_plan(at.policy, matrix.view());
  auto const plan = std::move(made);
  sweep::spmv(at.policy, matrix.view(), in.begin(), y.begin());
  expect(sweep::spmv(at.policy, plan, in.begin(), again.begin()) == again.end(),
         title + "returns the end of y");
  expect(same_bits(y.read(), again.read()), title + "the bits are those without a plan");
  expect(again.guards_intact(), title + "writes y only");

  auto const narrow = sweep::spmv_plan(at.policy, matrix.view(), sweep::narrow_columns);
  bool fits = shape.entries() > 0;
  for (std::size_t k = 0; k < shape.entries(); k += 128) {
    auto const first = shape.indices.begin() + static_cast<std::ptrdiff_t>(k),
               last = shape.indices.begin() +
                      static_cast<std::ptrdiff_t>(std::min<std::size_t>(k + 128, shape.entries()));
    fits = fits && *std::max_element(first, last) - *std::min_element(first, last) < 1 << 16;
  }
  expect(narrow.has_narrow_columns() == fits && !plan.has_narrow_columns(), title + "columns in 16 bits");
  typename Place::template array<float> const third(rows, 1);
  sweep::spmv(at.policy, narrow, in.begin(), third.begin());
  // Of more entries products of narrow columns have bits of their own: a test of these looks at the sums.
  bool const own_bits = narrow.has_narrow_columns() && shape.entries() > std::size_t{1} << 22;
  if (own_bits) sweep::spmv(at.policy, narrow, in.begin(), y.begin());  // the same on every run
  expect(same_bits(y.read(), third.read()), title + "the bits are those without narrow columns");
  expect(third.guards_intact(), title + "writes y only");

  auto const maps = sweep::semiring<affine_then, make_affine, affine<U>>{{}, {}, {1, 0}};
  auto const x = draw_many<U>(columns, random), entries = draw_entries<U>(shape.entries(), random);
  placed_matrix<Place, std::int64_t, std::uint32_t, U> const other(shape, entries, random);
  typename Place::template array<U> const its_x(x);
  typename Place::template array<affine<U>> const sums(rows, 1);
  auto const other_plan = sweep::spmv_plan(at.policy, other.view_of_unknown_size());
  expect(other_plan.matrix().nonzeros == static_cast<std::int64_t>(shape.entries()), title + "entries");
  auto want = product_oracle<affine<U>>(shape, entries, x, maps);
  sweep::spmv(at.policy, other_plan, its_x.begin(), sums.begin(), maps);
  expect_equal(sums.read(), want, title + "maps");

  std::vector<unsigned char> wanted(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    wanted[r] = random() % 3 == 0;
    if (!wanted[r]) want[r] = unwritten<affine<U>>();
  }
  typename Place::template array<unsigned char> const flags(wanted);
  typename Place::template array<affine<U>> const masked(rows, 1);
  sweep::spmv(at.policy, other_plan.where(flags.begin()), its_x.begin(), masked.begin(), maps);
  expect_equal(masked.read(), want, title + "masked maps");
  typename Place::template array<affine<U>> const narrow_masked(rows);
  auto const other_narrow = sweep::spmv_plan(at.policy, other.view(), sweep::narrow_columns);
  sweep::spmv(at.policy, other_narrow.where(flags.begin()), its_x.begin(), narrow_masked.begin(), maps);
  expect_equal(narrow_masked.read(), want, title + "masked maps, narrow columns");

  // Three columns at once, with a plan and without.
  typename Place::template array<float> const many_in(draw_many<float>(3 * columns, random)), many(3 * rows),
      many_again(3 * rows);
  auto const three = [](float* first, std::int64_t count) {
    return sweep::strided_view<float*, 2>{first, {count, 3}, {3, 1}};
  };
  sweep::spmm(at.policy, matrix.view(), three(many_in.begin(), shape.columns),
              three(many.begin(), shape.rows));
  sweep::spmm(at.policy, narrow, three(many_in.begin(), shape.columns),
              three(many_again.begin(), shape.rows));
  expect(same_bits(many.read(), many_again.read()), title + "three columns");

  // One alone.
  typename Place::template array<float> const fourth(rows, 1);
  sweep::spmm(at.policy, narrow, sweep::strided_view<float*, 2>{in.begin(), {shape.columns, 1}, {1, 1}},
              sweep::strided_view<float*, 2>{fourth.begin(), {shape.rows, 1}, {1, 1}});
  expect(same_bits(y.read(), fourth.read()), title + "one column, narrow columns");
}

/// Products with the transposed matrix, of values and of a pattern.
template <class Place>
void transposed_plan_law(Place const& at, pattern const& shape, random_source& random) {
  using U = std::uint32_t;
  if (at.skipped) return;
  auto const title = std::string(at.name) + ": transposed, " + shape.name + ", " +
                     std::to_string(shape.rows) + " rows, " + std::to_string(shape.entries()) + " entries: ";
  turned_pattern const turned(shape);
  auto const rows = static_cast<std::size_t>(shape.rows), columns = static_cast<std::size_t>(shape.columns);
  auto const maps = sweep::semiring<affine_then, make_affine, affine<U>>{{}, {}, {1, 0}};
  auto const x = draw_many<U>(rows, random), entries = draw_entries<U>(shape.entries(), random);
  placed_matrix<Place, std::int32_t, std::int32_t, U> const matrix(shape, entries, random);
  typename Place::template array<U> const in(x);
  typename Place::template array<affine<U>> const sums(columns, 1);
  auto const plan = sweep::spmv_plan(at.policy, matrix.view(), sweep::transposed);
  expect(plan.matrix().rows == shape.columns && plan.matrix().columns == shape.rows, title + "sizes");
  for (int k = 0; k < 2; ++k) {
    sweep::spmv(at.policy, plan, in.begin(), sums.begin(), maps);
    expect_equal(sums.read(), product_oracle<affine<U>>(turned.shape, turned.values_of(entries), x, maps),
                 title + "maps");
  }
  expect(sums.guards_intact(), title + "writes y only");

  auto const n = static_cast<std::int64_t>(shape.entries());
  sweep::csr_view const ones(shape.rows, shape.columns, n, matrix.offsets.begin(), matrix.indices.begin());
  auto const by_pattern = sweep::spmv_plan(at.policy, ones, sweep::transposed);
  typename Place::template array<affine<U>> const counted(columns);
  sweep::spmv(at.policy, by_pattern, in.begin(), counted.begin(), maps);
  expect_equal(counted.read(),
               product_oracle<affine<U>>(turned.shape, std::vector<U>(shape.entries(), 1), x, maps),
               title + "a pattern");
}

template <class Place, class Checked>
void plan_error_laws(Place const& at, Checked const& checked) {
  using bad = sweep::bad_argument;
  std::vector<int> const offsets{0, 2, 2, 5}, falling{0, 2, 1, 5}, later{2, 2, 3, 5}, indices{0, 2, 0, 1, 2},
      beyond{0, 2, 0, 3, 2};
  typename Place::template array<int> const o(offsets), f(falling), l(later), i(indices), b(beyond);
  typename Place::template array<float> const v(std::vector<float>(5, 1.f));
  auto const matrix = [&](int const* its_offsets, int const* its_indices) {
    return sweep::csr_view(3, 3, 5, its_offsets, its_indices, static_cast<float const*>(v.begin()));
  };
  expect_throw<bad>({"sweep::spmv_plan:", "offsets", "null"},
                    [&] { sweep::spmv_plan(at.policy, matrix(nullptr, i.begin())); });
  expect_throw<bad>({"sweep::spmv_plan:", "offsets", "decrease at index 2: 1 after 2"},
                    [&] { sweep::spmv_plan(checked, matrix(f.begin(), i.begin())); });
  std::vector<std::string> const start{"sweep::spmv_plan:", "offsets", "start at 2 (index 0), not at 0"};
  auto const of_more = matrix(l.begin(), i.begin());
  expect_throw<bad>(start, [&] { sweep::spmv_plan(checked, of_more); });
  expect_throw<bad>(start, [&] { sweep::spmv_plan(checked, of_more, sweep::narrow_columns); });
  expect_throw<bad>(start, [&] { sweep::spmv_plan(checked, of_more, sweep::transposed); });
  expect_throw<bad>({"sweep::spmv_plan:", "indices", "entry 3: column 3 of 3"},
                    [&] { sweep::spmv_plan(checked, matrix(o.begin(), b.begin()), sweep::transposed); });
}

}  // namespace sweep_test

#endif

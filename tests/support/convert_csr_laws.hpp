// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_CONVERT_CSR_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_CONVERT_CSR_LAWS_HPP

#include <support/expect.hpp>
#include <support/memory.hpp>
#include <support/sparse_patterns.hpp>
#include <support/values.hpp>

#include <sweep/convert_csr.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

// The laws of forms of sparse matrices, for any place: entries by rows or columns, in the order in which they
// were.
namespace sweep_test {

/// Single entries, and the same by lines.
template <class T>
struct single_entries {
  std::vector<std::int64_t> rows, columns;
  std::vector<T> values;

  /// By rows, or by columns where that is asked for: offsets of lines, and the entries put in order.
  std::vector<std::int64_t> by_lines(bool of_columns, std::int64_t lines) {
    auto& line = of_columns ? columns : rows;
    std::vector<std::size_t> order(line.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return line[a] < line[b]; });
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(lines) + 1);
    for (auto const l : line) ++offsets[static_cast<std::size_t>(l) + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    auto const take = [&](auto& from) {
      auto const before = from;
      for (std::size_t k = 0; k < order.size(); ++k) from[k] = before[order[k]];
    };
    take(rows);
    take(columns);
    take(values);
    return offsets;
  }
  void shuffle(random_source& random) {
    for (std::size_t k = rows.size(); k > 1; --k) {
      auto const other = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(k) - 1));
      std::swap(rows[k - 1], rows[other]);
      std::swap(columns[k - 1], columns[other]);
      std::swap(values[k - 1], values[other]);
    }
  }
};

template <class To, class From>
std::vector<To> made_of(std::vector<From> const& from) {
  std::vector<To> to;
  for (auto const& x : from) to.push_back(static_cast<To>(x));
  return to;
}

/// O offsets, I indices, T values. There and back: entries in any order to rows, rows to entries, entries by
/// rows to rows; and the transpose.
template <class O, class I, class T, class Place>
void conversion_laws(Place const& at, std::string const& what, pattern const& shape, random_source& random) {
  if (at.skipped) return;
  auto const title = std::string(at.name) + ": " + what + ", " + shape.name + ", " +
                     std::to_string(shape.rows) + " rows, " + std::to_string(shape.entries()) + " entries: ";
  auto const n = shape.entries();
  auto const entries = static_cast<std::int64_t>(n);
  single_entries<T> all{{}, shape.indices, draw_many<T>(n, random)};
  for (std::size_t r = 0; r + 1 < shape.offsets.size(); ++r)
    all.rows.insert(all.rows.end(), static_cast<std::size_t>(shape.offsets[r + 1] - shape.offsets[r]),
                    static_cast<std::int64_t>(r));
  auto const any = [&] { return static_cast<std::size_t>(random.between(0, 5)); };
  auto ordered = all;
  auto const transposed = ordered.by_lines(true, shape.columns);
  all.shuffle(random);
  typename Place::template array<I> const rows(made_of<I>(all.rows), any()),
      columns(made_of<I>(all.columns), any());
  typename Place::template array<T> const values(all.values, any());
  auto const want = all.by_lines(false, shape.rows);

  typename Place::template array<O> const offsets(want.size(), any());
  typename Place::template array<I> const indices(n, any()), pattern_indices(n), its_rows(n, any());
  typename Place::template array<T> const its_values(n, any());
  sweep::coo_view const single(shape.rows, shape.columns, entries, rows.begin(), columns.begin(),
                               values.begin());
  auto const a = sweep::coo_to_csr(at.policy, single, offsets.begin(), indices.begin(), its_values.begin());
  expect(a.rows == shape.rows && a.columns == shape.columns && a.nonzeros == entries,
         title + "sizes of the rows");
  expect_equal(offsets.read(), made_of<O>(want), title + "offsets");
  expect_equal(indices.read(), made_of<I>(all.columns), title + "columns");
  expect_equal(its_values.read(), all.values, title + "values");
  expect(offsets.guards_intact() && indices.guards_intact() && its_values.guards_intact(),
         title + "writes the outputs only");

  auto const back = sweep::csr_to_coo(at.policy, a, its_rows.begin());
  expect(back.entries == entries && back.column_indices == indices.begin(), title + "sizes of the entries");
  expect_equal(its_rows.read(), made_of<I>(all.rows), title + "rows of the entries");
  expect(its_rows.guards_intact(), title + "writes the rows only");

  typename Place::template array<O> const again(want.size(), any()), pattern_offsets(want.size());
  auto const same = sweep::coo_to_csr(at.policy, back, again.begin());
  expect(same.nonzeros == entries && same.values == its_values.begin(), title + "sizes of the rows again");
  expect_equal(again.read(), made_of<O>(want), title + "offsets of entries in order");
  expect(again.guards_intact(), title + "writes the offsets only");

  sweep::coo_view const places(shape.rows, shape.columns, entries, rows.begin(), columns.begin());
  sweep::coo_to_csr(at.policy, places, pattern_offsets.begin(), pattern_indices.begin());
  expect_equal(pattern_indices.read(), made_of<I>(all.columns), title + "columns of a pattern");

  // Rows hold their entries in another order than the shape has them, so the transpose has its own oracle.
  auto turned = all;
  expect_equal(turned.by_lines(true, shape.columns), transposed, title + "columns are as long as they were");
  typename Place::template array<O> const t_offsets(transposed.size(), any());
  typename Place::template array<I> const t_indices(n, any());
  typename Place::template array<T> const t_values(n, any());
  auto const t = sweep::transpose_csr(at.policy, a, t_offsets.begin(), t_indices.begin(), t_values.begin());
  expect(t.rows == shape.columns && t.columns == shape.rows && t.nonzeros == entries,
         title + "sizes of the transpose");
  expect_equal(t_offsets.read(), made_of<O>(transposed), title + "offsets of the transpose");
  expect_equal(t_indices.read(), made_of<I>(turned.rows), title + "rows of the transpose");
  expect_equal(t_values.read(), turned.values, title + "values of the transpose");
  expect(t_offsets.guards_intact() && t_indices.guards_intact() && t_values.guards_intact(),
         title + "transposes into the outputs only");
}

/// Bad input, and that nothing is written.
template <class Place, class Checked>
void conversion_error_laws(Place const& at, Checked const& checked) {
  using bad = sweep::bad_argument;
  std::vector<int> const rows{0, 2, 0, 2, 2}, falling{0, 0, 2, 1, 2}, columns{2, 1, 0, 0, 2},
      beyond{2, 1, 3, 0, 2}, offsets{0, 2, 2, 5}, wrong{0, 2, 1, 5}, later{2, 2, 3, 5};
  typename Place::template array<int> const r(rows), f(falling), c(columns), b(beyond), o(offsets), w(wrong),
      l(later);
  typename Place::template array<float> const v(std::vector<float>(5, 1.f)), out(5);
  typename Place::template array<int> const to(4), at_columns(5);
  typename Place::template array<std::int8_t> const narrow(5);
  auto const entries = [&](int const* its_rows, int const* its_columns, std::int64_t n = 5) {
    return sweep::coo_view(3, 3, n, its_rows, its_columns, static_cast<float const*>(v.begin()));
  };
  auto const refuses = [&](auto const& policy, std::vector<std::string> const& words, auto const& a) {
    expect_throw<bad>(words,
                      [&] { sweep::coo_to_csr(policy, a, to.begin(), at_columns.begin(), out.begin()); });
  };
  int* const nothing = nullptr;
  refuses(at.policy, {"sweep::coo_to_csr:", "row_indices", "null"}, entries(nothing, c.begin()));
  refuses(at.policy, {"sweep::coo_to_csr:", "column_indices", "null"}, entries(r.begin(), nothing));
  refuses(at.policy, {"sweep::coo_to_csr:", "entries", "negative: -1"}, entries(r.begin(), c.begin(), -1));
  expect_throw<bad>({"sweep::coo_to_csr:", "offsets", "null"},
                    [&] { sweep::coo_to_csr(at.policy, entries(r.begin(), c.begin()), nothing); });
  expect_throw<bad>({"sweep::coo_to_csr:", "indices", "overlap the matrix"}, [&] {
    sweep::coo_to_csr(at.policy, entries(r.begin(), c.begin()), to.begin(), c.begin(), out.begin());
  });
  refuses(checked, {"sweep::coo_to_csr:", "row_indices", "entry 2: row 3 of 3"},
          entries(b.begin(), c.begin()));
  refuses(checked, {"sweep::coo_to_csr:", "column_indices", "entry 2: column 3 of 3"},
          entries(r.begin(), b.begin()));
  expect_throw<bad>({"sweep::coo_to_csr:", "row_indices", "decrease at entry 3: 1 after 2"},
                    [&] { sweep::coo_to_csr(checked, entries(f.begin(), c.begin()), to.begin()); });
  expect_throw<bad>({"sweep::csr_to_coo:", "offsets", "decrease at index 2: 1 after 2"}, [&] {
    sweep::csr_to_coo(checked, sweep::csr_view(3, 3, 5, w.begin(), c.begin(), v.begin()), at_columns.begin());
  });
  sweep::csr_view const of_more(3, 3, 5, l.begin(), c.begin(), v.begin());
  expect_throw<bad>({"sweep::csr_to_coo:", "offsets", "start at 2 (index 0), not at 0"},
                    [&] { sweep::csr_to_coo(checked, of_more, at_columns.begin()); });
  expect_throw<bad>({"sweep::transpose_csr:", "offsets", "start at 2 (index 0), not at 0"}, [&] {
    sweep::transpose_csr(checked, of_more, to.begin(), at_columns.begin(), out.begin());
  });
  sweep::csr_view const wide(1000, 1000, 5, o.begin(), c.begin(), v.begin());
  expect_throw<bad>({"sweep::csr_to_coo:", "row_indices", "does not hold 999"},
                    [&] { sweep::csr_to_coo(at.policy, wide, narrow.begin()); });
  expect_throw<bad>({"sweep::transpose_csr:", "indices", "null"}, [&] {
    sweep::transpose_csr(at.policy, sweep::csr_view(3, 3, 5, o.begin(), c.begin(), v.begin()), to.begin(),
                         nothing, out.begin());
  });
  expect_throw<bad>({"sweep::transpose_csr:", "indices", "entry 2: column 3 of 3"}, [&] {
    sweep::transpose_csr(checked, sweep::csr_view(3, 3, 5, o.begin(), b.begin(), v.begin()), to.begin(),
                         at_columns.begin(), out.begin());
  });
  expect(to.all_untouched() && at_columns.all_untouched() && out.all_untouched() && narrow.all_untouched(),
         std::string(at.name) + ": nothing is written");
}

/// Rows of any numbers: wrong offsets, and nothing written elsewhere.
template <class Place>
void wild_entry_law(Place const& at, std::size_t n, random_source& random) {
  if (at.skipped) return;
  std::vector<std::int32_t> rows(n);
  for (auto& r : rows) r = static_cast<std::int32_t>(random());
  typename Place::template array<std::int32_t> const wild(rows), offsets(101), indices(n);
  typename Place::template array<float> const values(n), out(n);
  sweep::coo_view const a(100, 100, static_cast<std::int64_t>(n), wild.begin(), wild.begin(), values.begin());
  sweep::coo_to_csr(at.policy, a, offsets.begin(), indices.begin(), out.begin());
  sweep::coo_to_csr(at.policy, a, offsets.begin());
  sweep::csr_view const b(100, 100, static_cast<std::int64_t>(n), wild.begin(), wild.begin(), values.begin());
  if (n > 100) {
    sweep::csr_to_coo(at.policy, b, indices.begin());
    sweep::transpose_csr(at.policy, b, offsets.begin(), indices.begin(), out.begin());
  }
  expect(offsets.guards_intact() && indices.guards_intact() && out.guards_intact(),
         std::string(at.name) + ": wild rows: writes the outputs only");
}

}  // namespace sweep_test

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SPMV_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_SPMV_LAWS_HPP

#include <support/expect.hpp>
#include <support/iterators.hpp>
#include <support/memory.hpp>
#include <support/sparse_patterns.hpp>
#include <support/values.hpp>

#include <sweep/bits.hpp>
#include <sweep/spmv.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

// The laws of sparse products, for any place: every row is the fold of its products, in the order of its
// entries, whatever the shape of the matrix.
namespace sweep_test {

/// Products that do not commute, of an entry and an item of the vector: maps and matrices.
struct make_affine {
  template <class A, class X>
  SWEEP_TEST_HD affine<std::uint32_t> operator()(A const& a, X const& x) const {
    return {static_cast<std::uint32_t>(a) | 1u, static_cast<std::uint32_t>(x)};
  }
};
struct make_motion {
  template <class A, class X>
  SWEEP_TEST_HD motion operator()(A const& a, X const& x) const {
    auto const p = static_cast<std::uint64_t>(a), q = static_cast<std::uint64_t>(x);
    return {{1 + p * q, p, q, 1}, {q, p}};
  }
};

/// What an array that nobody has written holds.
template <class Y>
Y unwritten() {
  Y y;
  std::memset(static_cast<void*>(&y), 0xa5, sizeof y);
  return y;
}

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class Y, class A, class X, class Semiring>
std::vector<Y> product_oracle(pattern const& at, std::vector<A> const& values, std::vector<X> const& x,
                              Semiring const& by) {
  using V = std::remove_const_t<decltype(by.zero)>;
  std::vector<Y> y;
  for (std::size_t r = 0; r + 1 < at.offsets.size(); ++r) {
    V sum = by.zero;
    for (auto k = at.offsets[r]; k < at.offsets[r + 1]; ++k) {
      auto const i = static_cast<std::size_t>(k);
      V const product = static_cast<V>(by.times(values[i], x[static_cast<std::size_t>(at.indices[i])]));
      sum = k == at.offsets[r] ? product : static_cast<V>(by.plus(sum, product));
    }
    y.push_back(static_cast<Y>(sum));
  }
  return y;
}

/// A matrix in a place's memory; its arrays begin at any alignment.
template <class Place, class O, class I, class A>
struct placed_matrix {
  typename Place::template array<O> offsets;
  typename Place::template array<I> indices;
  typename Place::template array<A> values;
  pattern const& at;

  placed_matrix(pattern const& shape, std::vector<A> const& its_values, random_source& random)
      : offsets(shape.offsets_as<O>(), static_cast<std::size_t>(random.between(0, 5))),
        indices(shape.indices_as<I>(), static_cast<std::size_t>(random.between(0, 5))),
        values(its_values, static_cast<std::size_t>(random.between(0, 5))),
        at{shape} {}
  auto view() const {
    return sweep::csr_view(at.rows, at.columns, static_cast<std::int64_t>(at.entries()), offsets.begin(),
                           indices.begin(), values.begin());
  }
  auto view_of_unknown_size() const {
    return sweep::csr_view(at.rows, at.columns, offsets.begin(), indices.begin(), values.begin());
  }
};

/// Sums of signed numbers do not overflow; every other byte is 0.
template <class A>
std::vector<A> draw_entries(std::size_t n, random_source& random) {
  auto all = draw_many<A>(n, random);
  if constexpr (sizeof(A) == 1)
    for (auto& a : all)
      if (random() % 2 == 0) a = 0;
  return all;
}

/// Exact values: any wrong bracket, order, loss or repetition shows.
template <class Y, class A, class X, class O, class I, class Place, class Semiring>
void product_law(Place const& at, std::string const& what, pattern const& shape, Semiring const& by,
                 random_source& random) {
  if (at.skipped) return;
  auto const title = std::string(at.name) + ": " + what + ", " + shape.name + ", " +
                     std::to_string(shape.rows) + " rows, " + std::to_string(shape.entries()) + " entries";
  auto const values = draw_entries<A>(shape.entries(), random);
  auto const x = draw_entries<X>(static_cast<std::size_t>(shape.columns), random);
  auto const want = product_oracle<Y>(shape, values, x, by);
  placed_matrix<Place, O, I, A> const matrix(shape, values, random);
  typename Place::template array<X> const in(x, static_cast<std::size_t>(random.between(0, 5)));
  auto const offset = static_cast<std::size_t>(random.between(0, 5));
  typename Place::template array<Y> const y(want.size(), offset);
  expect(sweep::spmv(at.policy, matrix.view(), in.begin(), y.begin(), by) == y.end(),
         title + ": returns the end of y");
  expect_equal(y.read(), want, title);
  expect(y.guards_intact(), title + ": writes y only");
}

/// Some rows alone, the others as they were.
template <class Place>
void masked_law(Place const& at, pattern const& shape, random_source& random) {
  using U = std::uint32_t;
  if (at.skipped) return;
  auto const title = std::string(at.name) + ": masked, " + shape.name;
  auto const by = sweep::semirings::plus_times<U>();
  auto const values = draw_entries<U>(shape.entries(), random);
  auto const x = draw_entries<U>(static_cast<std::size_t>(shape.columns), random);
  auto want = product_oracle<U>(shape, values, x, by);
  std::vector<std::uint32_t> words((want.size() + 31) / 32);
  for (std::size_t r = 0; r < want.size(); ++r) {
    if (random() % 3 == 0) words[r / 32] |= std::uint32_t{1} << r % 32;
    else want[r] = unwritten<U>();
  }
  placed_matrix<Place, std::int32_t, std::uint32_t, U> const matrix(shape, values, random);
  typename Place::template array<U> const in(x), y(want.size());
  typename Place::template array<std::uint32_t> const mask(words);
  sweep::spmv(at.policy, matrix.view().where(sweep::bits(mask.begin())), in.begin(), y.begin(), by);
  expect_equal(y.read(), want, title);
}

/// y = alpha A x + beta y, and relaxation, which is the same over (min, +).
template <class Place>
void scaled_law(Place const& at, pattern const& shape, random_source& random) {
  using U = std::uint32_t;
  if (at.skipped) return;
  auto const title = std::string(at.name) + ": scaled, " + shape.name;
  auto const rows = static_cast<std::size_t>(shape.rows);
  auto const values = draw_entries<U>(shape.entries(), random), before = draw_entries<U>(rows, random);
  auto const x = draw_entries<U>(static_cast<std::size_t>(shape.columns), random);
  placed_matrix<Place, std::int64_t, std::int32_t, U> const matrix(shape, values, random);
  typename Place::template array<U> const in(x);
  auto const sums = sweep::semirings::plus_times<U>();
  for (U const beta : {U{0}, U{5}}) {
    auto want = product_oracle<U>(shape, values, x, sums);
    for (std::size_t r = 0; r < rows; ++r) want[r] = 3 * want[r] + beta * before[r];
    typename Place::template array<U> const y(before, 1);
    expect(sweep::spmv(at.policy, 3u, matrix.view(), in.begin(), beta, y.begin()) == y.end(),
           title + ": returns the end of y");
    expect_equal(y.read(), want, title + ", beta = " + std::to_string(beta));
    expect(y.guards_intact(), title + ": writes y only");
  }
}

/// x[r] += a * b in two numbers, whose sum is exact to twice the digits.
struct double_double {
  double high = 0, low = 0;
  void add_product(double a, double b) {
    double const p = a * b, e = std::fma(a, b, -p), s = high + p, t = s - high;
    low += (high - (s - t)) + (p - t) + e;
    high = s;
  }
  double value() const { return high + low; }
};

/// Floating-point numbers against sums of twice the digits: a row of n entries is off by at most n times the
/// rounding of its largest partial sum. The bits are the same again.
template <class T, class Place>
void float_law(Place const& at, pattern const& shape, random_source& random) {
  if (at.skipped) return;
  auto const title = std::string(at.name) + ": floating point, " + shape.name;
  auto values = draw_many<T>(shape.entries(), random);
  auto x = draw_many<T>(static_cast<std::size_t>(shape.columns), random);
  for (auto& a : values) a -= T(0.5);
  for (auto& a : x) a -= T(0.5);
  placed_matrix<Place, std::int32_t, std::int32_t, T> const matrix(shape, values, random);
  typename Place::template array<T> const in(x), y(static_cast<std::size_t>(shape.rows)),
      again(static_cast<std::size_t>(shape.rows));
  sweep::spmv(at.policy, matrix.view(), in.begin(), y.begin());
  sweep::spmv(at.policy, matrix.view(), in.begin(), again.begin());
  auto const got = y.read(), same = again.read();
  expect(got.empty() || std::memcmp(got.data(), same.data(), got.size() * sizeof(T)) == 0,
         title + ": the same bits again");
  std::size_t wrong = got.size();
  for (std::size_t r = 0; r < got.size() && wrong == got.size(); ++r) {
    double_double sum;
    double magnitude = 0;
    for (auto k = shape.offsets[r]; k < shape.offsets[r + 1]; ++k) {
      auto const i = static_cast<std::size_t>(k), c = static_cast<std::size_t>(shape.indices[i]);
      sum.add_product(static_cast<double>(values[i]), static_cast<double>(x[c]));
      magnitude += std::abs(static_cast<double>(values[i]) * static_cast<double>(x[c]));
    }
    auto const bound = static_cast<double>(shape.offsets[r + 1] - shape.offsets[r] + 1) *
                       static_cast<double>(std::numeric_limits<T>::epsilon()) * magnitude;
    if (!(std::abs(static_cast<double>(got[r]) - sum.value()) <= bound)) wrong = r;
  }
  expect(wrong == got.size(), title + ": row " + std::to_string(wrong) + " is off");
}

/// Iterators that are no pointers: patterns alone, computed entries, strides; ranges; unknown sizes.
template <class Place>
void product_form_laws(Place const& at, random_source& random) {
  using U = std::uint32_t;
  if (at.skipped) return;
  auto const shape = draw_pattern(0, 4000, random);
  auto const title = std::string(at.name) + ": ";
  auto const by = sweep::semirings::plus_times<U>();
  auto const values = draw_entries<U>(shape.entries(), random);
  auto const x = draw_entries<U>(static_cast<std::size_t>(shape.columns), random);
  placed_matrix<Place, std::int32_t, std::int32_t, U> const matrix(shape, values, random);
  typename Place::template array<U> const in(x), wide(2 * static_cast<std::size_t>(shape.rows)),
      y(static_cast<std::size_t>(shape.rows));
  auto const want = product_oracle<U>(shape, values, x, by);
  auto const n = static_cast<std::int64_t>(shape.entries());

  sweep::spmv(at.policy, matrix.view_of_unknown_size(), in.begin(), y.begin());
  expect_equal(y.read(), want, title + "a matrix that does not say how many entries it has");

  std::vector<U> apart(wide.end() - wide.begin(), unwritten<U>());
  for (std::size_t r = 0; r < want.size(); ++r) apart[2 * r] = want[r];
  sweep::spmv(at.policy, matrix.view(), in.begin(), strided<U*>(wide.begin(), 2));
  expect_equal(wide.read(), apart, title + "into strides");

  sweep::csr_view const ones(shape.rows, shape.columns, n, matrix.offsets.begin(), matrix.indices.begin());
  sweep::spmv(at.policy, ones, in.begin(), y.begin());
  expect_equal(y.read(), product_oracle<U>(shape, std::vector<U>(shape.entries(), 1), x, by),
               title + "a pattern");
  sweep::spmv(at.policy, matrix.view(), in.begin(), y.begin(), sweep::semirings::plus_first<U>());
  expect_equal(y.read(), product_oracle<U>(shape, values, x, sweep::semirings::plus_first<U>()),
               title + "sums of the entries");
}

/// The offsets of some rows of a larger matrix, less the first of them.
struct offsets_of_rows {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::int32_t;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = std::int32_t;
  std::int32_t const* at;
  std::int32_t first;
  SWEEP_TEST_HD std::int32_t operator[](std::ptrdiff_t row) const { return at[row] - first; }
  friend SWEEP_TEST_HD offsets_of_rows operator+(offsets_of_rows o, std::ptrdiff_t row) {
    return {o.at + row, o.first};
  }
};

/// Rows of a larger matrix are one themselves, if their offsets begin at 0.
template <class Place>
void some_rows_law(Place const& at, pattern const& shape, random_source& random) {
  using U = std::uint32_t;
  if (at.skipped || shape.rows == 0) return;
  auto const by = sweep::semirings::plus_times<U>();
  auto const values = draw_entries<U>(shape.entries(), random);
  auto const x = draw_entries<U>(static_cast<std::size_t>(shape.columns), random);
  auto const all = product_oracle<U>(shape, values, x, by);
  auto const low = random.between(0, shape.rows - 1), high = random.between(low, shape.rows);
  auto const k = shape.offsets[static_cast<std::size_t>(low)],
             n = shape.offsets[static_cast<std::size_t>(high)] - k;
  placed_matrix<Place, std::int32_t, std::int32_t, U> const matrix(shape, values, random);
  typename Place::template array<U> const in(x), y(static_cast<std::size_t>(high - low));
  offsets_of_rows const offsets{matrix.offsets.begin() + low, static_cast<std::int32_t>(k)};
  sweep::spmv(at.policy,
              sweep::csr_view(high - low, shape.columns, n, offsets, matrix.indices.begin() + k,
                              matrix.values.begin() + k),
              in.begin(), y.begin());
  expect_equal(y.read(), std::vector<U>(all.begin() + low, all.begin() + high),
               std::string(at.name) + ": rows [" + std::to_string(low) + ", " + std::to_string(high) +
                   ") of " + shape.name);
}

/// Bad input, and that nothing is written.
template <class Place, class Checked>
void product_error_laws(Place const& at, Checked const& checked) {
  std::vector<int> const offsets{0, 2, 2, 5}, falling{0, 2, 1, 5}, later{2, 2, 3, 5}, indices{0, 2, 0, 1, 2},
      beyond{0, 2, 0, 3, 2};
  std::vector<float> const values{1, 2, 3, 4, 5}, x{1, 10, 100};
  typename Place::template array<int> const o(offsets), f(falling), l(later), i(indices), b(beyond);
  typename Place::template array<float> const v(values), in(x), y(3);
  float* const nothing = nullptr;
  auto const matrix = [&](int const* its_offsets, int const* its_indices, std::int64_t entries = 5) {
    return sweep::csr_view(3, 3, entries, its_offsets, its_indices, static_cast<float const*>(v.begin()));
  };
  auto const refuses = [&](auto const& policy, std::vector<std::string> const& words, auto const& a,
                           float const* vector, float* result) {
    expect_throw<sweep::bad_argument>(words, [&] { sweep::spmv(policy, a, vector, result); });
  };
  refuses(at.policy, {"sweep::spmv:", "offsets", "null"}, matrix(nullptr, i.begin()), in.begin(), y.begin());
  refuses(at.policy, {"sweep::spmv:", "y", "null"}, matrix(o.begin(), i.begin()), in.begin(), nothing);
  refuses(at.policy, {"sweep::spmv:", "x", "null"}, matrix(o.begin(), i.begin()), nothing, y.begin());
  refuses(at.policy, {"sweep::spmv:", "y", "overlaps x"}, matrix(o.begin(), i.begin()), y.begin() + 2,
          y.begin());
  refuses(checked, {"sweep::spmv:", "offsets", "decrease at index 2: 1 after 2"},
          matrix(f.begin(), i.begin()), in.begin(), y.begin());
  refuses(checked, {"sweep::spmv:", "offsets", "start at 2 (index 0), not at 0"},
          matrix(l.begin(), i.begin()), in.begin(), y.begin());
  refuses(checked, {"sweep::spmv:", "offsets", "end at 5", "6"}, matrix(o.begin(), i.begin(), 6), in.begin(),
          y.begin());
  refuses(checked, {"sweep::spmv:", "indices", "entry 3: column 3 of 3"}, matrix(o.begin(), b.begin()),
          in.begin(), y.begin());
  expect(y.all_untouched(), std::string(at.name) + ": nothing is written");
  sweep::spmv(checked, matrix(o.begin(), i.begin()), in.begin(), y.begin());
  expect_equal(y.read(), {201, 0, 543}, std::string(at.name) + ": a good matrix");
}

/// Offsets of any numbers lead nowhere but to rows of y.
template <class Place>
void wild_offset_law(Place const& at, std::size_t rows, random_source& random) {
  if (at.skipped) return;
  auto const n = static_cast<std::int64_t>(rows) * 4;
  std::vector<std::int32_t> offsets(rows + 1);
  for (auto& o : offsets) o = static_cast<std::int32_t>(random.between(0, 6 * n) - n);
  typename Place::template array<std::int32_t> const at_rows(offsets),
      columns(std::vector<std::int32_t>(static_cast<std::size_t>(n), 0));
  typename Place::template array<float> const values(std::vector<float>(static_cast<std::size_t>(n), 1.f)),
      x(std::vector<float>(1, 1.f)), y(rows);
  sweep::csr_view const a(static_cast<std::int64_t>(rows), 1, n, at_rows.begin(), columns.begin(),
                          values.begin());
  sweep::spmv(at.policy, a, x.begin(), y.begin());
  expect(y.guards_intact(), std::string(at.name) + ": wild offsets: writes y only");
}

}  // namespace sweep_test

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_TRIDIAGONAL_BLOCK_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_TRIDIAGONAL_BLOCK_LAWS_HPP

#include <support/tridiagonal_laws.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

// The laws of systems of blocks, for any place.
namespace sweep_test {

/// Systems of blocks: each of so many rows, and where its row i stands.
struct block_systems {
  std::vector<std::size_t> lengths;
  std::vector<std::size_t> begins;
  std::size_t row_stride = 1, items = 0;
  bool cyclic = false;
  std::size_t at(std::size_t s, std::size_t i) const { return begins[s] + i * row_stride; }
};

/// Systems of blocks are solved as scalar elimination would, by `solve` of what it is given; whatever is
/// wrong with one, no bit of the others changes.
template <class T, int M, class Place, class Solve>
void block_law(Place const& at, std::string const& shape, block_systems const& where, std::size_t rights,
               Solve solve, random_source& random) {
  using matrix = sweep::small_matrix<T, M>;
  using vector = sweep::small_vector<T, M>;
  auto const title = std::string(at.name) + ", blocks of " + std::to_string(M) + ", " + shape;
  std::vector<matrix> lower(where.items), diagonal(where.items), upper(where.items);
  std::vector<vector> right(where.items * rights);
  auto const draw = [&](T& x) { x = narrowed<T>(draw_unit<T>(random)); };
  auto const draw_all = [&](matrix& m) {
    for (auto& row : m.at)
      for (auto& x : row) draw(x);
  };
  for (auto& m : lower) draw_all(m);
  for (auto& m : diagonal) draw_all(m);
  for (auto& m : upper) draw_all(m);
  for (auto& v : right)
    for (auto& x : v.at) draw(x);
  for (std::size_t s = 0; s < where.lengths.size(); ++s)
    if (where.lengths[s] > 2 && random() % 3 == 0)  // diagonal blocks that are singular
      diagonal[where.at(s, where.lengths[s] / 2)] = matrix{};
  T const nothing(std::numeric_limits<real_type<T>>::quiet_NaN());
  for (std::size_t s = 0; s < where.lengths.size() && !where.cyclic; ++s)
    if (where.lengths[s] > 0)
      for (int i = 0; i < M; ++i)
        for (int k = 0; k < M; ++k)
          lower[where.at(s, 0)](i, k) = upper[where.at(s, where.lengths[s] - 1)](i, k) = nothing;
  typename Place::template array<std::int64_t> const first(1);
  auto const run = [&] {
    typename Place::template array<matrix> const l(lower), d(diagonal), u(upper);
    typename Place::template array<vector> const b(right), x(right.size()), in_place(right);
    solve(l, d, u, b, x, first);
    solve(l, d, u, in_place, in_place, first);
    expect(x.guards_intact(), title + ": writes the solution only");
    auto const got = x.read();
    bool alike = true;
    auto const again = in_place.read();
    for (std::size_t s = 0; s < where.lengths.size(); ++s)
      for (std::size_t i = 0; i < where.lengths[s]; ++i)
        for (int k = 0; k < M; ++k) {
          T const one = got[where.at(s, i)].at[k], other = again[where.at(s, i)].at[k];
          alike = alike && (same_bits<T>({one}, {other}) || !(widened(one) == widened(one)));
        }
    expect(alike, title + ": in place");
    return got;
  };
  auto const x = run();
  if (where.items > 0) expect(first.read()[0] == -1, title + ": no matrix is singular");
  bool good = true;
  for (std::size_t s = 0; s < where.lengths.size() && good; ++s)
    for (std::size_t r = 0; r < rights && good; ++r) {
      auto const n = where.lengths[s];
      auto const entry = [&](std::size_t i, std::size_t j) {
        wide_number sum{};
        auto const row = i / M, column = j / M;
        int const a = static_cast<int>(i % M), b = static_cast<int>(j % M);
        if ((row > 0 || where.cyclic) && (row + n - 1) % n == column)
          sum += widened(lower[where.at(s, row)](a, b));
        if (row == column) sum += widened(diagonal[where.at(s, row)](a, b));
        if ((row + 1 < n || where.cyclic) && (row + 1) % n == column)
          sum += widened(upper[where.at(s, row)](a, b));
        return sum;
      };
      auto const value = [&](std::size_t i) {
        return widened(right[r * where.items + where.at(s, i / M)].at[i % M]);
      };
      auto const found = [&](std::size_t i) {
        return widened(x[r * where.items + where.at(s, i / M)].at[i % M]);
      };
      long double residual = 0, norm = 0, of_x = 0, of_b = 0;
      for (std::size_t i = 0; i < n * M; ++i) {
        wide_number sum = -value(i);
        long double row_norm = 0;
        auto const row = i / M;
        std::vector<std::size_t> columns{row};
        for (auto const near : {(row + n - 1) % n, (row + 1) % n})
          if (std::find(columns.begin(), columns.end(), near) == columns.end()) columns.push_back(near);
        for (auto const column : columns)
          for (std::size_t k = 0; k < M; ++k) {
            auto const a = entry(i, column * M + k);
            sum += a * found(column * M + k);
            row_norm += std::abs(a);
          }
        if (!(std::abs(sum) <= residual)) residual = std::abs(sum);
        norm = std::max(norm, row_norm);
        of_x = std::max(of_x, std::abs(found(i)));
        of_b = std::max(of_b, std::abs(value(i)));
      }
      auto const error = residual == 0 ? 0 : residual / (norm * of_x + of_b);
      good = error <= 500 * unit_of<T>();
      if (!good)
        expect(false, title + ": system " + std::to_string(s) + " has a backward error of " +
                          std::to_string(static_cast<double>(error / unit_of<T>())) + " units");
      if (n * M <= 60 && s < 3) {
        std::vector<std::vector<wide_number>> a(n * M, std::vector<wide_number>(n * M)),
            b(n * M, std::vector<wide_number>(n * M + 1));
        long double inverse_norm = 0, off = 0, largest = 0;
        for (std::size_t i = 0; i < n * M; ++i) {
          for (std::size_t j = 0; j < n * M; ++j) a[i][j] = entry(i, j);
          b[i][i] = 1;
          b[i][n * M] = value(i);
        }
        auto const known = solve_dense(a, b);
        for (std::size_t i = 0; i < known.size(); ++i) {
          long double sum = 0;
          for (std::size_t j = 0; j < n * M; ++j) sum += std::abs(known[i][j]);
          inverse_norm = std::max(inverse_norm, sum);
          off = std::max(off, std::abs(known[i][n * M] - found(i)));
          largest = std::max(largest, std::abs(known[i][n * M]));
        }
        expect(off <= 40 * norm * inverse_norm * unit_of<T>() * largest,
               title + ": system " + std::to_string(s) + " is wrong");
        if (!where.cyclic && n > 0) {
          auto const banded = solve_band(n * M, 2 * M - 1, entry, value);
          long double apart = 0;
          for (std::size_t i = 0; i < banded.size(); ++i)
            apart = std::max(apart, std::abs(banded[i] - known[i][n * M]));
          expect(apart <= 1e-12L * norm * inverse_norm * largest, title + ": the oracles agree");
        }
      }
    }
  expect(good, title);
  // What is wrong with some.
  std::vector<bool> bad(where.lengths.size());
  auto const how = random() % 4;
  for (std::size_t s = 0; s < bad.size(); ++s) {
    auto const n = where.lengths[s];
    if (n == 0 || random() % 3 != 0) continue;
    bad[s] = true;
    auto const i = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(n) - 1));
    int const k = static_cast<int>(random() % M);
    if (how == 0) {
      for (std::size_t j = 0; j < n; ++j)
        lower[where.at(s, j)] = diagonal[where.at(s, j)] = upper[where.at(s, j)] = matrix{};
    } else if (how == 1) {
      diagonal[where.at(s, i)](k, k) = nothing;
    } else if (how == 2) {
      right[where.at(s, i)].at[k] = T(std::numeric_limits<real_type<T>>::infinity());
    } else {
      for (int j = 0; j < M; ++j) {
        diagonal[where.at(s, i)](j, k) = T{};
        upper[where.at(s, (i + n - 1) % n)](j, k) = lower[where.at(s, (i + 1) % n)](j, k) = T{};
      }
    }
  }
  auto const got = run();
  std::size_t changed = 0;
  for (std::size_t s = 0; s < bad.size(); ++s)
    for (std::size_t i = 0; i < where.lengths[s] && !bad[s]; ++i)
      if (!same_bits<vector>({got[where.at(s, i)]}, {x[where.at(s, i)]})) ++changed;
  expect(changed == 0, title + ": " + std::to_string(changed) +
                           " blocks have other bits for what others are, " + std::to_string(how));
  auto const row = first.read()[0];
  bool const any = std::find(bad.begin(), bad.end(), true) != bad.end();
  if (how == 0 || how == 3) expect((row >= 0) == any, title + ": a singular matrix is told of");
}

template <class T, int M, class Place>
void block_laws(std::string const& what, Place const& places, std::size_t most) {
  random_source random("blocks " + what);
  if (sanitizing()) most = std::min<std::size_t>(most, 700);
  std::size_t turn = 0;
  for (batch_shape shape : {batch_shape{0, 2},
                            {1},
                            {2},
                            {3, 4},
                            {1, 70},
                            {5, 9, 2},
                            {16, 3},
                            {17, 5},
                            {64, 2},
                            {65, 3},
                            {257, 2},
                            {300},
                            {4097},
                            {20'000},
                            {70'001},
                            {7, 40, 1, true},
                            {90, 5, 2, true}}) {
    if (shape.n * shape.systems > most) continue;
    shape.cyclic = shape.n > 0 && random() % 3 == 0;
    shape.padded = random() % 3 == 0;
    block_systems where{std::vector<std::size_t>(shape.systems, shape.n),
                        {},
                        shape.row_stride(),
                        shape.items(),
                        shape.cyclic};
    for (std::size_t s = 0; s < shape.systems; ++s) where.begins.push_back(shape.at(s, 0));
    auto const& at = places.for_turn(turn++);
    block_law<T, M>(
        at, shape.text(), where, shape.rights,
        [&](auto const& l, auto const& d, auto const& u, auto const& b, auto const& x, auto const& first) {
          sweep::tridiagonal_solve_into(
              at.policy,
              shape.of(sweep::tridiagonal(l.begin(), d.begin(), u.begin(), b.begin(), x.begin(),
                                          static_cast<std::int64_t>(shape.n))),
              first.begin());
        },
        random);
  }
}
/// The same by segments.
template <class T, int M, class Place>
void block_segment_laws(std::string const& what, Place const& places, std::size_t most) {
  random_source random("segments of blocks " + what);
  if (sanitizing()) most = std::min<std::size_t>(most, 700);
  std::size_t turn = 0;
  for (std::size_t const longest : {1u, 4u, 40u, 600u})
    for (std::size_t const rows : {1u, 30u, 600u, 9'000u}) {
      if (rows > most || longest > std::max<std::size_t>(rows, 2)) continue;
      block_systems where;
      std::vector<std::int64_t> offsets{0};
      while (where.items < rows) {
        where.begins.push_back(where.items);
        where.lengths.push_back(
            static_cast<std::size_t>(random.between(1, static_cast<std::int64_t>(longest))));
        where.items += where.lengths.back();
        offsets.push_back(static_cast<std::int64_t>(where.items));
      }
      auto const& at = places.for_turn(turn++);
      typename std::remove_cvref_t<decltype(at)>::template array<std::int64_t> const from(offsets);
      auto const count = static_cast<std::int64_t>(offsets.size());
      block_law<T, M>(
          at, std::to_string(count - 1) + " segments of " + std::to_string(where.items) + " rows", where, 1,
          [&](auto const& l, auto const& d, auto const& u, auto const& b, auto const& x, auto const& first) {
            sweep::tridiagonal_solve_into(
                at.policy,
                sweep::tridiagonal(l.begin(), d.begin(), u.begin(), b.begin(), x.begin(),
                                   static_cast<std::int64_t>(where.items))
                    .batch(sweep::segments::by_offsets(from.begin(), from.begin() + count)),
                first.begin());
          },
          random);
    }
}

}  // namespace sweep_test

#endif

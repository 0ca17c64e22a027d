// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_TRIDIAGONAL_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_TRIDIAGONAL_LAWS_HPP

#include <support/expect.hpp>
#include <support/memory.hpp>
#include <support/tridiagonal_matrices.hpp>

#include <sweep/tridiagonal.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <string>
#include <utility>
#include <vector>

// The laws of tridiagonal_solve, for any place.
namespace sweep_test {

template <class T>
long double unit_of() {
  return static_cast<long double>(std::numeric_limits<real_type<T>>::epsilon());
}

template <class T>
std::vector<T> draw_right(std::size_t n, random_source& random) {
  std::vector<T> b(n);
  for (auto& x : b) x = narrowed<T>(draw_unit<T>(random));
  return b;
}

/// How a batch stands in memory.
struct batch_shape {
  std::size_t n, systems = 1, rights = 1;
  bool interleaved = false, cyclic = false, padded = false;

  std::size_t row_stride() const { return interleaved ? systems + (padded ? 3 : 0) : 1; }
  std::size_t system_stride() const { return interleaved ? 1 : n + (padded ? 5 : 0); }
  std::size_t right_stride() const { return items(); }
  std::size_t items() const {
    return n == 0 || systems == 0 ? 0 : (n - 1) * row_stride() + (systems - 1) * system_stride() + 1;
  }
  std::size_t at(std::size_t system, std::size_t row) const {
    return system * system_stride() + row * row_stride();
  }
  std::string text() const {
    return "n = " + std::to_string(n) + ", systems = " + std::to_string(systems) +
           ", rights = " + std::to_string(rights) + (interleaved ? ", interleaved" : "") +
           (cyclic ? ", cyclic" : "") + (padded ? ", padded" : "");
  }
  template <class System>
  System placed(System const& system) const {
    auto const count = static_cast<std::int64_t>(systems);
    return interleaved ? system.interleaved(count, static_cast<std::int64_t>(row_stride()))
                       : system.batch(count, static_cast<std::int64_t>(system_stride()));
  }
  template <class System>
  System of(System system) const {
    system = placed(system);
    if (rights != 1)
      system = system.right_hand_sides(static_cast<std::int64_t>(rights),
                                       static_cast<std::int64_t>(right_stride()));
    return cyclic ? system.cyclic() : system;
  }
};

/// A batch of matrices and right-hand sides. What stands between systems, and what would couple their ends,
/// is NaN.
template <class T>
struct tridiagonal_batch {
  batch_shape shape;
  std::vector<tridiagonal_matrix<T>> matrices;
  std::vector<std::vector<T>> values;  // a right-hand side of each system after the other
  std::vector<T> lower, diagonal, upper, right;

  tridiagonal_batch(batch_shape const& of, matrix_kind kind, random_source& random) : shape{of} {
    for (std::size_t s = 0; s < shape.systems; ++s) matrices.push_back(draw_matrix<T>(kind, shape.n, random));
    for (std::size_t v = 0; v < shape.systems * shape.rights; ++v)
      values.push_back(draw_right<T>(shape.n, random));
    fill();
  }
  void fill() {
    using real = real_type<T>;
    T const nothing(std::numeric_limits<real>::quiet_NaN());
    lower.assign(shape.items(), nothing);
    diagonal = upper = lower;
    right.assign(shape.items() * shape.rights, nothing);
    for (std::size_t s = 0; s < shape.systems; ++s)
      for (std::size_t i = 0; i < shape.n; ++i) {
        if (i > 0 || shape.cyclic) lower[shape.at(s, i)] = matrices[s].lower[i];
        diagonal[shape.at(s, i)] = matrices[s].diagonal[i];
        if (i + 1 < shape.n || shape.cyclic) upper[shape.at(s, i)] = matrices[s].upper[i];
        for (std::size_t r = 0; r < shape.rights; ++r)
          right[r * shape.right_stride() + shape.at(s, i)] = values[r * shape.systems + s][i];
      }
  }
  /// The solution of system s for right-hand side r.
  std::vector<T> taken(std::vector<T> const& solution, std::size_t s, std::size_t r = 0) const {
    std::vector<T> x(shape.n);
    for (std::size_t i = 0; i < shape.n; ++i) x[i] = solution[r * shape.right_stride() + shape.at(s, i)];
    return x;
  }
};

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(static_cast<void const*>(a.data()), static_cast<void const*>(b.data()),
                                   a.size() * sizeof(T)) == 0);
}

/// Every system is solved, nothing else is written, the inputs stay, and a second run gives the same bits; so
/// does one that writes over the right-hand sides.
template <class T, class Place>
void batch_law(Place const& at, batch_shape const& shape, matrix_kind kind, random_source& random) {
  tridiagonal_batch<T> const batch(shape, kind, random);
  auto const title = std::string(at.name) + ", " + name_of(kind) + ", " + shape.text();
  auto const offset = [&] { return static_cast<std::size_t>(random.between(0, 5)); };
  using array = typename Place::template array<T>;
  bool const alike = random() % 2 == 0;
  auto const common = offset();
  auto const next = [&] { return alike ? common : offset(); };
  array const lower(batch.lower, next()), diagonal(batch.diagonal, next()), upper(batch.upper, next()),
      right(batch.right, next()), solution(batch.right.size(), next()), in_place(batch.right, next());
  typename Place::template array<std::int64_t> const first(1);
  auto const n = static_cast<std::int64_t>(shape.n);
  auto const solve = [&](array const& from, array const& to) {
    sweep::tridiagonal_solve(at.policy,
                             shape.of(sweep::tridiagonal(lower.begin(), diagonal.begin(), upper.begin(),
                                                         from.begin(), to.begin(), n)));
  };
  solve(right, solution);
  auto const x = solution.read();
  for (std::size_t r = 0; r < shape.rights; ++r)
    for (std::size_t s = 0; s < shape.systems; ++s) {
      auto const mine = batch.taken(x, s, r);
      auto const error =
          backward_error(batch.matrices[s], batch.values[r * shape.systems + s], mine, shape.cyclic);
      if (!(error <= 500 * unit_of<T>())) {
        expect(false, title + ": system " + std::to_string(s) + ", right-hand side " + std::to_string(r) +
                          " has a backward error of " +
                          std::to_string(static_cast<double>(error / unit_of<T>())) + " units");
        return;
      }
    }
  expect(true, title);
  expect(solution.guards_intact(), title + ": writes the solution only");
  expect(same_bits(lower.read(), batch.lower) && same_bits(right.read(), batch.right),
         title + ": inputs stay");
  if (shape.n == 0 || shape.systems == 0) return;
  sweep::tridiagonal_solve_into(at.policy,
                                shape.of(sweep::tridiagonal(lower.begin(), diagonal.begin(), upper.begin(),
                                                            in_place.begin(), in_place.begin(), n)),
                                first.begin());
  auto const again = in_place.read();
  for (std::size_t r = 0; r < shape.rights; ++r)
    for (std::size_t s = 0; s < shape.systems; ++s)
      if (!same_bits(batch.taken(again, s, r), batch.taken(x, s, r))) {
        expect(false, title + ": in place system " + std::to_string(s) + " has other bits");
        return;
      }
  expect(first.read()[0] == -1, title + ": no matrix is singular");
}

/// Rows around what threads and blocks hold at a time, and systems enough for several blocks.
inline std::vector<batch_shape> batch_shapes(std::size_t most, random_source& random) {
  if (sanitizing()) most = std::min<std::size_t>(most, 5000);
  std::vector<batch_shape> all{{0, 3},  {7, 0},  {1},     {1, 100}, {2, 5},
                               {3, 70}, {4, 33}, {33, 5}, {34, 9},  {65, 40}};
  for (std::size_t const tile : {288, 576, 1152, 2304, 4608})
    for (auto const n : {tile - 1, tile, tile + 1}) all.push_back({n, 1 + random() % 4});
  for (std::size_t const n : {9'000, 65'536, 70'001, 300'000}) all.push_back({n});
  for (int i = 0; i < 8; ++i)
    all.push_back(
        {static_cast<std::size_t>(random.between(1, 200)), static_cast<std::size_t>(random.between(1, 300))});
  all.push_back({100, 7, 3});
  all.push_back({1500, 2, 2});
  for (std::size_t const n : {1, 2, 31, 64, 65, 130, 500})
    all.push_back({n, static_cast<std::size_t>(random.between(32, 200)), n == 130 ? 2u : 1u, true});
  // On chip in clusters of blocks, and longer; the first few are what sanitizers have time for.
  for (std::size_t const n : {4900, 17'000, 40'000}) all.push_back({n, 1, n == 17'000 ? 2u : 1u});
  for (std::size_t const n : {140, 300, 1024, 3000, 3500}) all.push_back({n, 34, n == 300 ? 2u : 1u, true});
  std::erase_if(all, [most](batch_shape const& s) { return s.n * s.systems > most; });
  for (auto& shape : all) {
    shape.cyclic = shape.n > 0 && random() % 3 == 0;
    shape.padded = random() % 4 == 0;
  }
  return all;
}

template <class T, class Place>
void batch_laws_of(std::string const& what, std::size_t most, Place const& places) {
  random_source random(what);
  std::size_t turn = 0;
  for (auto const& shape : batch_shapes(most, random))
    batch_law<T>(places.for_turn(turn++), shape,
                 random() % 2 == 0 ? matrix_kind::random : matrix_kind::dominant, random);
}

/// Residuals and errors on every kind of matrix: errors in proportion to the condition.
template <class T, class Place, class Report>
void matrix_laws_of(std::string const& what, Place const& places, Report report) {
  random_source random(what);
  std::size_t turn = 0;
  for (auto const kind : all_matrix_kinds)
    for (std::size_t const n : {5u, 40u, under_address_sanitizer ? 80u : 160u})
      for (bool const cyclic : {false, true}) {
        if (cyclic && (kind == matrix_kind::poisson || kind == matrix_kind::near_singular))
          continue;  // singular
        auto const& at = places.for_turn(turn++);
        batch_shape shape{n};
        shape.cyclic = cyclic;
        tridiagonal_batch<T> const batch(shape, kind, random);
        auto const known = solve_widely(batch.matrices[0], batch.values[0], cyclic);
        if (known.x.empty() || known.condition * unit_of<T>() > 0.01L) continue;
        auto const title = std::string(at.name) + ", " + what + ", " + name_of(kind) + ", " + shape.text();
        using array = typename std::remove_cvref_t<decltype(at)>::template array<T>;
        array const lower(batch.lower), diagonal(batch.diagonal), upper(batch.upper), right(batch.right),
            solution(n);
        sweep::tridiagonal_solve(at.policy, shape.of(sweep::tridiagonal(
                                                lower.begin(), diagonal.begin(), upper.begin(), right.begin(),
                                                solution.begin(), static_cast<std::int64_t>(n))));
        auto const x = solution.read();
        auto const backward = backward_error(batch.matrices[0], batch.values[0], x, cyclic) / unit_of<T>(),
                   forward = forward_error(x, known.x) / unit_of<T>();
        expect(backward <= 40,
               title + ": a backward error of " + std::to_string(static_cast<double>(backward)));
        expect(forward <= 40 * known.condition,
               title + ": an error of " + std::to_string(static_cast<double>(forward)) + ", condition " +
                   std::to_string(static_cast<double>(known.condition)));
        report(kind, batch, known, backward, forward);
      }
}

/// A column of zeros makes a matrix singular where it stands: which one is told, that system's solution is
/// not finite, and no bit of the others' changes.
template <class T, class Place, class Checked>
void singular_law(Place const& at, Checked const& checked, batch_shape const& shape, random_source& random) {
  auto const title = std::string(at.name) + ", singular, " + shape.text();
  tridiagonal_batch<T> batch(shape, matrix_kind::random, random);
  using array = typename Place::template array<T>;
  typename Place::template array<std::int64_t> const first(1);
  auto const n = static_cast<std::int64_t>(shape.n);
  auto const solve = [&](array const& solution) {
    array const lower(batch.lower), diagonal(batch.diagonal), upper(batch.upper), right(batch.right);
    auto const systems = shape.of(sweep::tridiagonal(lower.begin(), diagonal.begin(), upper.begin(),
                                                     right.begin(), solution.begin(), n));
    sweep::tridiagonal_solve_into(at.policy, systems, first.begin());
    auto const row = first.read()[0];
    if (row < 0) sweep::tridiagonal_solve(checked, systems);
    else
      expect_throw<sweep::bad_argument>(
          {"sweep::tridiagonal_solve:", "singular",
           "system " + std::to_string(row / n) + ", row " + std::to_string(row % n)},
          [&] { sweep::tridiagonal_solve(checked, systems); });
    return row;
  };
  array const regular(batch.right.size()), solution(batch.right.size());
  expect(solve(regular) == -1, title + ": regular");
  auto const want = regular.read();
  if (shape.n < 200) {
    array const lower(batch.lower), diagonal(batch.diagonal), upper(batch.upper), x(batch.right),
        in_place(batch.right);
    auto const checked_into = [&](array const& from, array const& to) {
      sweep::tridiagonal_solve_into(checked,
                                    shape.of(sweep::tridiagonal(lower.begin(), diagonal.begin(),
                                                                upper.begin(), from.begin(), to.begin(), n)),
                                    first.begin());
    };
    checked_into(in_place, x);
    checked_into(in_place, in_place);
    expect(first.read()[0] == -1 && same_bits(in_place.read(), x.read()), title + ": checked, in place");
  }
  auto const systems = static_cast<std::int64_t>(shape.systems);
  auto const s = random.between(0, systems - 1), i = random.between(0, n - 1);
  auto const other = random.between(s, systems - 1);  // a second one, behind it
  auto const clear_column = [&](std::int64_t system, std::int64_t column) {
    auto& m = batch.matrices[static_cast<std::size_t>(system)];
    auto const c = static_cast<std::size_t>(column), rows = m.size();
    m.upper[(c + rows - 1) % rows] = m.diagonal[c] = m.lower[(c + 1) % rows] = T{};
    if (rows <= 2 && shape.cyclic) m.lower[(c + rows - 1) % rows] = m.upper[(c + 1) % rows] = T{};
  };
  clear_column(s, i);
  if (other != s) clear_column(other, random.between(0, n - 1));
  batch.fill();
  auto const told = solve(solution);
  expect(told == s * n + i, title + ": row " + std::to_string(i) + " of system " + std::to_string(s) +
                                " is singular, not " + std::to_string(told));
  auto const got = solution.read();
  for (std::int64_t k = 0; k < systems; ++k) {
    auto const x = batch.taken(got, static_cast<std::size_t>(k));
    bool finite = true;
    for (auto const& v : x) finite = finite && std::isfinite(static_cast<double>(std::abs(widened(v))));
    if (k == s || k == other) expect(!finite, title + ": not finite where it is singular");
    else if (!same_bits(x, batch.taken(want, static_cast<std::size_t>(k)))) {
      expect(false, title + ": system " + std::to_string(k) + " has other bits for what " +
                        std::to_string(s) + " is");
      return;
    }
  }
}

template <class T, class Place, class Checked>
void singular_laws(std::string const& what, Place const& at, Checked const& checked) {
  random_source random(what);
  for (int times = 0; times < (slowed_down() ? 1 : 4); ++times)
    for (batch_shape shape : {batch_shape{1, 40},
                              {2, 50},
                              {5, 100},
                              {40, 30},
                              {300, 6},
                              {1100, 3},
                              {5000, 2},
                              {70'001},
                              {20, 64, 1, true},
                              {100, 50, 1, true}}) {
      if (sanitizing() && shape.n > 6000) continue;
      shape.cyclic = shape.n > 2 && random() % 3 == 0;
      singular_law<T>(at, checked, shape, random);
    }
}

/// Numbers in place of coefficients, which are then of another type too, and of solutions of a wider one.
template <class Place>
void constant_law(Place const& at, std::size_t n) {
  random_source random("constants");
  auto const right = draw_right<float>(n, random);
  typename Place::template array<float> const b(right), x(n), y(n), lower(std::vector<float>(n, -1.0f)),
      diagonal(std::vector<float>(n, 4.0f));
  typename Place::template array<double> const wide(n);
  auto const size = static_cast<std::int64_t>(n);
  sweep::tridiagonal_solve(at.policy, sweep::tridiagonal(-1, 4.0, -1.0f, b.begin(), x.begin(), size));
  sweep::tridiagonal_solve(at.policy, sweep::tridiagonal(lower.begin(), diagonal.begin(), lower.begin(),
                                                         b.begin(), y.begin(), size));
  expect(same_bits(x.read(), y.read()),
         std::string(at.name) + ": numbers for coefficients, n = " + std::to_string(n));
  sweep::tridiagonal_solve(at.policy,
                           sweep::tridiagonal(-1, diagonal.begin(), -1, b.begin(), wide.begin(), size));
  auto const got = wide.read();
  tridiagonal_matrix<double> const m{std::vector<double>(n, -1), std::vector<double>(n, 4),
                                     std::vector<double>(n, -1)};
  expect(backward_error(m, std::vector<double>(right.begin(), right.end()), got, false) <= 1e-15L,
         std::string(at.name) + ": wide solutions of narrow right-hand sides");
}

/// Without pivoting, where none is needed.
template <class T, class Place>
void dominant_laws(std::string const& what, std::size_t most, Place const& places) {
  random_source random(what);
  std::size_t turn = 0;
  for (auto const& shape : batch_shapes(most, random))
    if (random() % 2 == 0) batch_law<T>(places.for_turn(turn++), shape, matrix_kind::dominant, random);
}

/// The variants that choose no pivots, of systems that are not cyclic and have so many rows at most.
template <class T, class Place>
void reduction_laws(std::string const& what, Place const& at, std::size_t most_rows) {
  random_source random(what);
  for (auto shape : batch_shapes(20'000, random)) {
    if (shape.n > most_rows) continue;
    shape.cyclic = false;
    batch_law<T>(at, shape, matrix_kind::dominant, random);
  }
}

/// Bad input, and that nothing is written.
template <class Place>
void tridiagonal_error_laws(Place const& at) {
  typename Place::template array<float> const a(std::vector<float>(100, 1.0f)), x(100);
  float* const none = nullptr;
  auto const& p = at.policy;
  auto const refused = [&](std::vector<std::string> words, auto const& system) {
    words.push_back("sweep::tridiagonal_solve:");
    expect_throw<sweep::bad_argument>(words, [&] { sweep::tridiagonal_solve(p, system); });
  };
  auto const of = [&](std::int64_t n) {
    return sweep::tridiagonal(a.begin(), a.begin(), a.begin(), a.begin(), x.begin(), n);
  };
  refused({"n is negative: -1"}, of(-1));
  refused({"systems are a negative number: -2"}, of(3).batch(-2));
  refused({"right_hand_sides are a negative number: -3"}, of(3).right_hand_sides(-3, 3));
  refused({"share items", "rows are 1 items apart, systems 4"}, of(5).batch(3, 4));
  refused({"share items", "rows are 3 items apart, systems 1"}, of(5).interleaved(4, 3));
  refused({"right_hand_sides share items"}, of(5).batch(4).right_hand_sides(2, 19));
  refused({"diagonal is a null pointer"}, sweep::tridiagonal(a.begin(), none, 1, a.begin(), x.begin(), 5));
  refused({"solution is a null pointer"}, sweep::tridiagonal(1, 2, 1, a.begin(), none, 5));
  refused({"right overlaps the solution"}, sweep::tridiagonal(1, 2, 1, x.begin() + 2, x.begin(), 5));
  std::int64_t const* const nowhere = nullptr;
  auto const rows = sweep::segments::by_rows(2, 3);
  refused({"n is negative: -1"}, of(-1).batch(rows));
  refused({"system is cyclic"}, of(6).cyclic().batch(rows));
  refused({"system has segments and is a batch besides"}, of(6).batch(2).batch(rows));
  refused({"offsets is a null pointer"}, of(6).batch(sweep::segments::by_offsets(nowhere, nowhere + 3)));
  refused({"right_hand_sides share items"}, of(6).batch(rows).right_hand_sides(2, 5));
  refused({"lower overlaps the solution"},
          sweep::tridiagonal(x.begin(), 2, 1, a.begin(), x.begin(), 5).right_hand_sides(2, 5));
  auto const refused_bands = [&](std::vector<std::string> words, auto const& system) {
    words.push_back("sweep::pentadiagonal_solve:");
    expect_throw<sweep::bad_argument>(words, [&] { sweep::pentadiagonal_solve(p, system); });
  };
  refused_bands({"n is negative: -1"}, sweep::pentadiagonal(1, 1, 4, 1, 1, a.begin(), x.begin(), -1));
  refused_bands({"lower_2 is a null pointer"},
                sweep::pentadiagonal(none, 1, 4, 1, 1, a.begin(), x.begin(), 9));
  refused_bands({"upper_1 overlaps the solution"},
                sweep::pentadiagonal(1, 1, 4, x.begin() + 1, 1, a.begin(), x.begin(), 9));
  refused_bands({"share items"}, sweep::pentadiagonal(1, 1, 4, 1, 1, a.begin(), x.begin(), 9).batch(2, 8));
  expect(x.all_untouched(), "nothing is written");
  sweep::tridiagonal_solve(p, sweep::tridiagonal(none, none, none, none, none, 0));
  sweep::tridiagonal_solve(p, of(5).batch(0));
  expect(x.all_untouched(), "nothing is written where there is nothing to solve");
}

}  // namespace sweep_test

#endif

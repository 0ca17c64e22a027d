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
  System of(System system) const {
    auto const count = static_cast<std::int64_t>(systems);
    system = interleaved ? system.interleaved(count, static_cast<std::int64_t>(row_stride()))
                         : system.batch(count, static_cast<std::int64_t>(system_stride()));
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
  for (std::size_t const tile : {448, 960, 1600, 2112, 3200, 4224})
    for (auto const n : {tile - 1, tile, tile + 1}) all.push_back({n, 1 + random() % 4});
  for (std::size_t const n : {9'000, 65'536, 70'001, 300'000}) all.push_back({n});
  for (int i = 0; i < 8; ++i)
    all.push_back(
        {static_cast<std::size_t>(random.between(1, 200)), static_cast<std::size_t>(random.between(1, 300))});
  all.push_back({100, 7, 3});
  all.push_back({1500, 2, 2});
  for (std::size_t const n : {1, 2, 31, 64, 65, 130, 500})
    all.push_back({n, static_cast<std::size_t>(random.between(32, 200)), n == 130 ? 2u : 1u, true});
  all.push_back({3000, 40, 1, true});
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
    batch_law<T>(places.for_turn(turn++), shape, matrix_kind::random, random);
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

/// What can be wrong with a matrix, or with what stands beside it.
enum class spoilt { zeros, zero_row, zero_column, zero_end, equal_rows, not_a_number, infinite, huge, right };
inline constexpr spoilt all_spoilt[] = {spoilt::zeros,    spoilt::zero_row,   spoilt::zero_column,
                                        spoilt::zero_end, spoilt::equal_rows, spoilt::not_a_number,
                                        spoilt::infinite, spoilt::huge,       spoilt::right};

template <class T>
void spoil(spoilt how, tridiagonal_matrix<T>& m, std::vector<T>& values, random_source& random) {
  auto const n = m.size();
  auto const i = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(n) - 1));
  using limits = std::numeric_limits<real_type<T>>;
  switch (how) {
  case spoilt::zeros:
    m.lower.assign(n, T{});
    m.diagonal = m.upper = m.lower;
    break;
  case spoilt::zero_row:
    m.lower[i] = m.diagonal[i] = m.upper[i] = T{};
    break;
  case spoilt::zero_column:
    m.upper[(i + n - 1) % n] = m.diagonal[i] = m.lower[(i + 1) % n] = T{};
    break;
  case spoilt::zero_end: {
    auto const end = random() % 2 == 0 ? 0 : n - 1;
    m.lower[end] = m.diagonal[end] = m.upper[end] = T{};
    break;
  }
  case spoilt::equal_rows: {
    T const one(1), minus(-1);  // each row the difference of its neighbours: the rows' sum is nothing
    m.lower.assign(n, minus);
    m.upper = m.lower;
    m.diagonal.assign(n, T(2));
    m.diagonal.front() = m.diagonal.back() = n == 1 ? T{} : one;
    break;
  }
  case spoilt::not_a_number:
    (random() % 2 == 0 ? m.diagonal : m.lower)[i] = T(limits::quiet_NaN());
    break;
  case spoilt::infinite:
    (random() % 2 == 0 ? m.diagonal : m.upper)[i] = T(limits::infinity());
    break;
  case spoilt::huge:
    for (auto& x : values) x = T(limits::max());
    for (auto& x : m.diagonal) x = x * T(limits::min());
    break;
  case spoilt::right:
    values[i] = T(random() % 2 == 0 ? limits::infinity() : limits::quiet_NaN());
    break;
  }
}

/// Every system is solved as if it were alone: whatever is wrong with some, no bit of the others' solutions
/// changes.
template <class T, class Place>
void isolation_law(Place const& at, batch_shape const& shape, spoilt how, random_source& random) {
  auto const title =
      std::string(at.name) + ", spoilt " + std::to_string(static_cast<int>(how)) + ", " + shape.text();
  tridiagonal_batch<T> batch(shape, matrix_kind::random, random);
  using array = typename Place::template array<T>;
  auto const solve = [&] {
    array const lower(batch.lower), diagonal(batch.diagonal), upper(batch.upper), right(batch.right),
        solution(batch.right.size());
    sweep::tridiagonal_solve(
        at.policy, shape.of(sweep::tridiagonal(lower.begin(), diagonal.begin(), upper.begin(), right.begin(),
                                               solution.begin(), static_cast<std::int64_t>(shape.n))));
    return solution.read();
  };
  auto const want = solve();
  std::vector<bool> bad(shape.systems);
  for (std::size_t s = 0; s < shape.systems; ++s)
    if (random() % 4 == 0) {
      bad[s] = true;
      spoil(how, batch.matrices[s], batch.values[s], random);
    }
  batch.fill();
  auto const got = solve();
  std::size_t changed = 0, first = 0;
  for (std::size_t s = shape.systems; s-- > 0;)
    if (!bad[s] && !same_bits(batch.taken(got, s), batch.taken(want, s))) ++changed, first = s;
  expect(changed == 0,
         title + ": " + std::to_string(changed) + " systems have other bits, first " + std::to_string(first));
}
template <class T, class Place>
void isolation_laws(std::string const& what, Place const& at) {
  random_source random("isolation " + what);
  for (auto const how : all_spoilt)
    for (batch_shape const shape : {batch_shape{1, 1600},
                                    {2, 4000},
                                    {3, 3000},
                                    {5, 6000},
                                    {17, 2000},
                                    {40, 1600},
                                    {700, 12},
                                    {20, 40, 1, true}}) {  // so many that a tile has several
      if (slowed_down() && shape.n != 3 && shape.n != 17) continue;
      isolation_law<T>(at, shape, how, random);
    }
}

/// Systems of varying length, one behind the other. What would couple them is NaN.
template <class T>
struct segment_batch {
  std::vector<std::size_t> lengths;
  std::size_t rights;
  std::vector<tridiagonal_matrix<T>> matrices;
  std::vector<std::vector<T>> values;  // a right-hand side of each system after the other
  std::vector<std::size_t> begins{0};
  std::vector<T> lower, diagonal, upper, right;
  std::vector<std::int64_t> lengths_in, offsets;
  std::vector<int> keys;
  std::vector<unsigned char> flags;

  segment_batch(std::vector<std::size_t> of, std::size_t rights_each, random_source& random)
      : lengths(std::move(of)), rights{rights_each} {
    int key = 0;
    for (auto const n : lengths) {
      matrices.push_back(draw_matrix<T>(matrix_kind::random, n, random));
      begins.push_back(begins.back() + n);
      lengths_in.push_back(static_cast<std::int64_t>(n));
      key = n > 0 ? (key + 1) % 7 : key;  // neighbours differ
      for (std::size_t i = 0; i < n; ++i) {
        keys.push_back(key);
        flags.push_back(i == 0);
      }
    }
    for (auto const begin : begins) offsets.push_back(static_cast<std::int64_t>(begin));
    for (std::size_t r = 0; r < rights; ++r)
      for (auto const n : lengths) values.push_back(draw_right<T>(n, random));
    fill();
  }
  std::size_t rows() const { return begins.back(); }
  void fill() {
    T const nothing(std::numeric_limits<real_type<T>>::quiet_NaN());
    lower.assign(rows(), nothing);
    diagonal = upper = lower;
    right.assign(rows() * rights, nothing);
    for (std::size_t s = 0; s < lengths.size(); ++s)
      for (std::size_t i = 0; i < lengths[s]; ++i) {
        auto const at = begins[s] + i;
        if (i > 0) lower[at] = matrices[s].lower[i];
        diagonal[at] = matrices[s].diagonal[i];
        if (i + 1 < lengths[s]) upper[at] = matrices[s].upper[i];
        for (std::size_t r = 0; r < rights; ++r) right[r * rows() + at] = values[r * lengths.size() + s][i];
      }
  }
  std::vector<T> taken(std::vector<T> const& solution, std::size_t s, std::size_t r = 0) const {
    auto const first = solution.begin() + static_cast<std::ptrdiff_t>(r * rows() + begins[s]);
    return std::vector<T>(first, first + static_cast<std::ptrdiff_t>(lengths[s]));
  }
};

/// The notations that a segment law tries: offsets and keys, or lengths and flags too.
enum class notations { some, all };

/// Systems by segments, in each notation: each is solved as if it were alone, whatever is wrong with others;
/// the first singular row is told by its place among all, and by segment and row where it is checked.
template <class T, notations Tried, class Place, class Checked>
void segment_law(Place const& at, Checked const& checked, segment_batch<T> batch, int notation,
                 random_source& random) {
  auto const title = std::string(at.name) + ", " + std::to_string(batch.lengths.size()) + " segments of " +
                     std::to_string(batch.rows()) + " rows, notation " + std::to_string(notation) +
                     ", rights = " + std::to_string(batch.rights);
  using array = typename Place::template array<T>;
  typename Place::template array<std::int64_t> const lengths(batch.lengths_in), offsets(batch.offsets),
      first(1);
  typename Place::template array<int> const keys(batch.keys);
  typename Place::template array<unsigned char> const flags(batch.flags);
  auto const n = static_cast<std::int64_t>(batch.rows());
  auto const count = static_cast<std::int64_t>(batch.lengths.size());
  auto const with = [&](array const& from, array const& to, auto call) {
    array const lower(batch.lower), diagonal(batch.diagonal), upper(batch.upper);
    auto const system =
        sweep::tridiagonal(lower.begin(), diagonal.begin(), upper.begin(), from.begin(), to.begin(), n);
    auto const many = static_cast<std::int64_t>(batch.rights);
    namespace by = sweep::segments;
    if (notation == 0)
      return call(system.batch(by::by_offsets(offsets.begin(), offsets.begin() + count + 1))
                      .right_hand_sides(many, n));
    if (notation == 2) return call(system.batch(by::by_key(keys.begin())).right_hand_sides(many, n));
    if constexpr (Tried == notations::all) {
      if (notation == 1)
        return call(
            system.batch(by::by_lengths(lengths.begin(), lengths.begin() + count)).right_hand_sides(many, n));
      call(system.batch(by::by_head_flags(flags.begin())).right_hand_sides(many, n));
    }
  };
  auto const solve = [&] {
    array const right(batch.right), solution(batch.right.size()), in_place(batch.right);
    with(right, solution, [&](auto const& system) { sweep::tridiagonal_solve(at.policy, system); });
    with(in_place, in_place,
         [&](auto const& system) { sweep::tridiagonal_solve_into(at.policy, system, first.begin()); });
    expect(solution.guards_intact() && same_bits(right.read(), batch.right),
           title + ": writes the solution only");
    auto const x = solution.read(), y = in_place.read();
    bool alike = true;
    for (std::size_t i = 0; i < x.size(); ++i)
      alike = alike && (same_bits<T>({x[i]}, {y[i]}) || !(widened(x[i]) == widened(x[i])));
    expect(alike, title + ": in place");
    return x;
  };
  auto const x = solve();
  bool good = true;
  for (std::size_t r = 0; r < batch.rights && good; ++r)
    for (std::size_t s = 0; s < batch.lengths.size() && good; ++s) {
      if (batch.lengths[s] == 0) continue;
      auto const error = backward_error(batch.matrices[s], batch.values[r * batch.lengths.size() + s],
                                        batch.taken(x, s, r), false);
      good = error <= 500 * unit_of<T>();
      if (!good)
        expect(false, title + ": segment " + std::to_string(s) + " has a backward error of " +
                          std::to_string(static_cast<double>(error / unit_of<T>())) + " units");
    }
  expect(good, title);
  if (batch.rows() == 0) return;
  expect(first.read()[0] == -1, title + ": no matrix is singular");

  // What is wrong with some is not told to others.
  for (auto const how : {all_spoilt[random() % std::size(all_spoilt)], spoilt::zero_column}) {
    auto const regular = batch.matrices;
    auto const known = batch.values;
    std::vector<bool> bad(batch.lengths.size());
    for (std::size_t s = 0; s < bad.size(); ++s)
      if (batch.lengths[s] > 0 && random() % 4 == 0) {
        bad[s] = true;
        for (std::size_t r = 0; r < batch.rights; ++r)
          spoil(how, batch.matrices[s], batch.values[r * bad.size() + s], random);
      }
    batch.fill();
    auto const got = solve();
    for (std::size_t s = 0; s < bad.size(); ++s)
      for (std::size_t r = 0; r < batch.rights; ++r)
        if (!bad[s] && !same_bits(batch.taken(got, s, r), batch.taken(x, s, r))) {
          expect(false, title + ": segment " + std::to_string(s) + " has other bits for what others are, " +
                            std::to_string(static_cast<int>(how)));
          s = bad.size() - 1;
          break;
        }
    if (how == spoilt::zero_column) {
      auto const row = first.read()[0];
      std::size_t s = 0;
      while (s + 1 < bad.size() && static_cast<std::int64_t>(batch.begins[s + 1]) <= row) ++s;
      bool const any = std::find(bad.begin(), bad.end(), true) != bad.end();
      expect(any ? row >= 0 && bad[s] &&
                       std::find(bad.begin(), bad.end(), true) - bad.begin() == static_cast<std::ptrdiff_t>(s)
                 : row == -1,
             title + ": row " + std::to_string(row) + " is told");
      if (any && row >= 0) {
        // Keys and flags know of no empty segments.
        std::size_t nth = s;
        if (notation >= 2)
          nth = static_cast<std::size_t>(std::count_if(batch.lengths.begin(),
                                                       batch.lengths.begin() + static_cast<std::ptrdiff_t>(s),
                                                       [](std::size_t l) { return l > 0; }));
        array const right(batch.right), solution(batch.right.size());
        with(right, solution, [&](auto const& system) {
          expect_throw<sweep::bad_argument>(
              {"sweep::tridiagonal_solve:", "singular",
               "segment " + std::to_string(nth) + ", row " +
                   std::to_string(row - static_cast<std::int64_t>(batch.begins[s]))},
              [&] { sweep::tridiagonal_solve(checked, system); });
        });
      }
    }
    batch.matrices = regular;
    batch.values = known;
    batch.fill();
  }
}

template <class T, notations Tried = notations::all, class Place, class Checked>
void segment_laws(std::string const& what, Place const& places, Checked const& checked, std::size_t most) {
  random_source random("segments " + what);
  if (sanitizing()) most = std::min<std::size_t>(most, 8000);
  std::size_t turn = 0;
  for (std::size_t const longest : {1u, 2u, 3u, 8u, 40u, 300u, 3'199u, 3'201u, 20'000u, 150'000u})
    for (std::size_t const rows : {1u, 50u, 3'200u, 9'000u, 200'000u}) {
      if (rows > most || (longest > rows && rows > 1) || (longest < 3 && rows > 9'000)) continue;
      if (under_address_sanitizer && rows > 9'000 && longest < 100'000) continue;
      std::vector<std::size_t> lengths;
      std::size_t sum = 0;
      while (sum < rows) {
        auto const length =
            random() % 5 == 0
                ? 0
                : static_cast<std::size_t>(random.between(1, static_cast<std::int64_t>(longest)));
        lengths.push_back(length);
        sum += length;
      }
      if (random() % 2 == 0) lengths.push_back(0);
      segment_law<T, Tried>(
          places.for_turn(turn), checked,
          segment_batch<T>(lengths, rows < 5'000 && turn % 3 == 0 ? 2 : 1, random),
          Tried == notations::all ? static_cast<int>(turn % 4) : static_cast<int>(turn % 2 * 2), random);
      ++turn;
    }
  segment_law<T, Tried>(places.for_turn(turn), checked, segment_batch<T>({}, 1, random), 0, random);
  segment_law<T, Tried>(places.for_turn(turn), checked, segment_batch<T>({0, 0}, 1, random),
                        Tried == notations::all ? 1 : 2, random);
}

/// The solution of n equations of bandwidth `half` to each side, by Gaussian elimination with partial
/// pivoting of rows in long double, one row after the other. entry(i, j) and right(i) give the equations.
/// Empty where a pivot is zero.
template <class Entry, class Right>
std::vector<wide_number> solve_band(std::size_t n, std::size_t half, Entry entry, Right right) {
  auto const width = 3 * half + 1;  // of row i columns [i - half, i + 2 half], after interchanges too
  std::vector<std::vector<wide_number>> a(n, std::vector<wide_number>(width));
  std::vector<wide_number> b(n);
  std::vector<std::size_t> first(n);  // the column that a row's items begin with
  for (std::size_t i = 0; i < n; ++i) {
    first[i] = i < half ? 0 : i - half;
    for (auto j = first[i]; j < std::min(n, i + half + 1); ++j) a[i][j - first[i]] = entry(i, j);
    b[i] = right(i);
  }
  auto const at = [&](std::size_t i, std::size_t j) {
    return j < first[i] || j - first[i] >= width ? wide_number{} : a[i][j - first[i]];
  };
  for (std::size_t k = 0; k < n; ++k) {
    auto const end = std::min(n, k + half + 1);
    auto pivot = k;
    for (auto i = k; i < end; ++i)
      if (std::abs(at(i, k)) > std::abs(at(pivot, k))) pivot = i;
    if (at(pivot, k) == wide_number{}) return {};
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    std::swap(first[k], first[pivot]);
    for (auto i = k + 1; i < end; ++i) {
      auto const factor = at(i, k) / at(k, k);
      std::vector<wide_number> row(width);
      for (auto j = k + 1; j < std::min(n, k + 1 + width); ++j) row[j - k - 1] = at(i, j) - factor * at(k, j);
      a[i] = row;
      first[i] = k + 1;
      b[i] -= factor * b[k];
    }
  }
  for (auto k = n; k-- > 0;) {
    for (auto j = k + 1; j < std::min(n, k + width); ++j) b[k] -= at(k, j) * b[j];
    b[k] /= at(k, k);
  }
  return b;
}

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

/// Banded systems: the residual, and beside elimination row by row in long double the error, in proportion to
/// what a change of the right-hand side by a unit of rounding makes of that. `solve` is given the bands.
template <class T, int H, class Place, class Solve>
void banded_law(Place const& at, batch_shape const& shape, Solve solve, random_source& random) {
  constexpr std::size_t half = H, count = 2 * half + 1;
  auto const title =
      std::string(at.name) + ", half a bandwidth of " + std::to_string(H) + ", " + shape.text();
  T const nothing(std::numeric_limits<real_type<T>>::quiet_NaN());
  std::vector<std::vector<T>> bands(count, std::vector<T>(shape.items(), nothing));
  std::vector<T> right(shape.items() * shape.rights, nothing);
  auto const n = shape.n;
  bool const dominant = random() % 2 == 0;
  for (std::size_t s = 0; s < shape.systems; ++s)
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < count; ++k)
        if (i + k >= half && i + k - half < n)
          bands[k][shape.at(s, i)] =
              narrowed<T>(draw_unit<T>(random) + (dominant && k == half ? 9.0L : 0.0L));
      for (std::size_t r = 0; r < shape.rights; ++r)
        right[r * shape.right_stride() + shape.at(s, i)] = narrowed<T>(draw_unit<T>(random));
    }
  if (!dominant && n > 4) bands[half][shape.at(0, n / 2)] = T{};
  typename Place::template array<std::int64_t> const first(1);
  auto const run = [&] {
    using array = typename Place::template array<T>;
    std::deque<array> in;  // arrays stay where they are
    for (auto const& band : bands) in.emplace_back(band);
    array const b(right), x(right.size()), in_place(right);
    solve(in, b, x, first);
    solve(in, in_place, in_place, first);
    expect(x.guards_intact() && same_bits(b.read(), right), title + ": writes the solution only");
    auto const got = x.read(), again = in_place.read();
    bool alike = true;
    for (std::size_t r = 0; r < shape.rights; ++r)
      for (std::size_t s = 0; s < shape.systems; ++s)
        for (std::size_t i = 0; i < n; ++i) {
          T const one = got[r * shape.right_stride() + shape.at(s, i)],
                  other = again[r * shape.right_stride() + shape.at(s, i)];
          alike = alike && (same_bits<T>({one}, {other}) || !(widened(one) == widened(one)));
        }
    expect(alike, title + ": in place");
    return got;
  };
  auto const x = run();
  if (n == 0 || shape.systems == 0) return;
  expect(first.read()[0] == -1, title + ": no matrix is singular");
  bool good = true;
  for (std::size_t s = 0; s < shape.systems && good; ++s)
    for (std::size_t r = 0; r < shape.rights && good; ++r) {
      auto const base = r * shape.right_stride();
      auto const entry = [&](std::size_t i, std::size_t j) {
        return j + half < i || j > i + half ? wide_number{} : widened(bands[j + half - i][shape.at(s, i)]);
      };
      auto const value = [&](std::size_t i) { return widened(right[base + shape.at(s, i)]); };
      auto const found = [&](std::size_t i) { return widened(x[base + shape.at(s, i)]); };
      long double residual = 0, norm = 0, of_x = 0, of_b = 0;
      for (std::size_t i = 0; i < n; ++i) {
        wide_number sum = -value(i);
        long double row = 0;
        for (auto j = i < half ? 0 : i - half; j < std::min(n, i + half + 1); ++j) {
          sum += entry(i, j) * found(j);
          row += std::abs(entry(i, j));
        }
        if (!(std::abs(sum) <= residual)) residual = std::abs(sum);
        norm = std::max(norm, row);
        of_x = std::max(of_x, std::abs(found(i)));
        of_b = std::max(of_b, std::abs(value(i)));
      }
      good = residual <= 500 * unit_of<T>() * (norm * of_x + of_b);
      expect(good, title + ": system " + std::to_string(s) + " has a residual of " +
                       std::to_string(static_cast<double>(residual)));
      if (s > 2) continue;
      // The solution in long double, and how far it is from what solves the equations with our residual.
      auto const known = solve_band(n, half, entry, value);
      auto const left = solve_band(n, half, entry, [&](std::size_t i) {
        wide_number sum = value(i);
        for (auto j = i < half ? 0 : i - half; j < std::min(n, i + half + 1); ++j)
          sum -= entry(i, j) * found(j);
        return sum;
      });
      long double off = 0, allowed = 0, largest = 0;
      for (std::size_t i = 0; i < known.size(); ++i) {
        off = std::max(off, std::abs(known[i] - found(i)));
        allowed = std::max(allowed, std::abs(left[i]));
        largest = std::max(largest, std::abs(known[i]));
      }
      expect(known.size() == n && off <= 1.01L * allowed + 1e-12L * largest,
             title + ": system " + std::to_string(s) + " is off by " +
                 std::to_string(static_cast<double>(off)));
      if (dominant)
        expect(off <= 100 * unit_of<T>() * largest,
               title + ": a dominant system is off by " + std::to_string(static_cast<double>(off / largest)));
    }
  // A column of zeros in one system.
  auto const bad = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(shape.systems) - 1)),
             column = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(n) - 1));
  for (std::size_t k = 0; k < count; ++k)
    if (column + half >= k && column + half - k < n) bands[k][shape.at(bad, column + half - k)] = T{};
  auto const got = run();
  expect(first.read()[0] == static_cast<std::int64_t>(bad * n + column),
         title + ": row " + std::to_string(first.read()[0]) + " is told, not " + std::to_string(column) +
             " of system " + std::to_string(bad));
  bool same = true;
  for (std::size_t s = 0; s < shape.systems; ++s)
    for (std::size_t i = 0; i < n && s != bad; ++i)
      same = same && same_bits<T>({got[shape.at(s, i)]}, {x[shape.at(s, i)]});
  expect(same, title + ": the others stay");
}

inline std::vector<batch_shape> banded_shapes(std::size_t most) {
  if (sanitizing()) most = std::min<std::size_t>(most, 1100);
  std::vector<batch_shape> all;
  for (std::size_t const n :
       {0, 1, 2, 3, 4, 5, 7, 31, 32, 33, 127, 128, 129, 130, 513, 1025, 16'385, 100'001})
    all.push_back({n, 1 + n % 3});
  all.push_back({9, 40, 2});
  all.push_back({50, 20, 1, true});
  all.push_back({201, 4, 2, true});
  std::erase_if(all, [most](batch_shape const& s) { return s.n * s.systems > most; });
  return all;
}
template <class T, class Place>
void pentadiagonal_laws(std::string const& what, Place const& places, std::size_t most) {
  random_source random("pentadiagonal " + what);
  std::size_t turn = 0;
  for (auto const& shape : banded_shapes(most)) {
    auto const& at = places.for_turn(turn++);
    banded_law<T, 2>(
        at, shape,
        [&](auto const& in, auto const& b, auto const& x, auto const& first) {
          auto const n = static_cast<std::int64_t>(shape.n), many = static_cast<std::int64_t>(shape.systems);
          auto system = sweep::pentadiagonal(in[0].begin(), in[1].begin(), in[2].begin(), in[3].begin(),
                                             in[4].begin(), b.begin(), x.begin(), n);
          system = shape.interleaved ? system.interleaved(many) : system.batch(many);
          system = system.right_hand_sides(static_cast<std::int64_t>(shape.rights),
                                           static_cast<std::int64_t>(shape.right_stride()));
          sweep::pentadiagonal_solve_into(at.policy, system, first.begin());
        },
        random);
  }
}
/// The same of any bandwidth.
template <class T, int H, class Place>
void wide_band_laws(std::string const& what, Place const& places, std::size_t most) {
  random_source random("bands " + what);
  std::size_t turn = 0;
  for (auto const& shape : banded_shapes(most)) {
    auto const& at = places.for_turn(turn++);
    auto const n = static_cast<std::int64_t>(shape.n), many = static_cast<std::int64_t>(shape.systems);
    banded_law<T, H>(
        at, shape,
        [&](auto const& in, auto const& b, auto const& x, auto const& first) {
          auto system = [&]<std::size_t... K>(std::index_sequence<K...>) {
            return sweep::banded(b.begin(), x.begin(), n, in[K].begin()...);
          }
          (std::make_index_sequence<2 * H + 1>{});
          system = shape.interleaved ? system.interleaved(many) : system.batch(many);
          system = system.right_hand_sides(static_cast<std::int64_t>(shape.rights),
                                           static_cast<std::int64_t>(shape.right_stride()));
          sweep::banded_solve_into(at.policy, system, first.begin());
        },
        random);
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

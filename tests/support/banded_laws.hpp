// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_BANDED_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_BANDED_LAWS_HPP

#include <support/tridiagonal_laws.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <utility>
#include <vector>

// The laws of systems with more bands than three, for any place.
namespace sweep_test {

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
  for (bool const interleaved : {false, true}) {
    batch_shape apart{40, 5, 2, interleaved};
    apart.padded = true;
    all.push_back(apart);
  }
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
          auto const n = static_cast<std::int64_t>(shape.n);
          auto system = sweep::pentadiagonal(in[0].begin(), in[1].begin(), in[2].begin(), in[3].begin(),
                                             in[4].begin(), b.begin(), x.begin(), n);
          system = shape.placed(system);
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
    auto const n = static_cast<std::int64_t>(shape.n);
    banded_law<T, H>(
        at, shape,
        [&](auto const& in, auto const& b, auto const& x, auto const& first) {
          auto system = [&]<std::size_t... K>(std::index_sequence<K...>) {
            return sweep::banded(b.begin(), x.begin(), n, in[K].begin()...);
          }
          (std::make_index_sequence<2 * H + 1>{});
          system = shape.placed(system);
          system = system.right_hand_sides(static_cast<std::int64_t>(shape.rights),
                                           static_cast<std::int64_t>(shape.right_stride()));
          sweep::banded_solve_into(at.policy, system, first.begin());
        },
        random);
  }
}

}  // namespace sweep_test

#endif

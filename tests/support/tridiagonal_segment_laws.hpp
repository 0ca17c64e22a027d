// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_TRIDIAGONAL_SEGMENT_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_TRIDIAGONAL_SEGMENT_LAWS_HPP

#include <support/tridiagonal_isolation_laws.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

// The laws of tridiagonal systems that are given as segments, for any place.
namespace sweep_test {

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

}  // namespace sweep_test

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_TRIDIAGONAL_RANGE_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_TRIDIAGONAL_RANGE_LAWS_HPP

#include <support/tridiagonal_laws.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

// Laws of what lies outside: of arrays, and of the range that numbers have.
namespace sweep_test {

/// Coefficients of what is in front of the first rows and behind the last need not be there: the same bits
/// from arrays without them, as LAPACK's dl and du are. Array: items and nothing around them, so that tools
/// see what is read besides.
template <class T, template <class> class Array, class Policy>
void bare_law(Policy const& policy, batch_shape const& shape, random_source& random) {
  auto const title = std::to_string(sizeof(T)) + " bytes, nothing around coefficients, " + shape.text();
  tridiagonal_batch<T> const batch(shape, matrix_kind::random, random);
  auto const without = shape.interleaved ? shape.row_stride() : 1;
  auto const cut = static_cast<std::ptrdiff_t>(without);
  Array<T> const lower(batch.lower), diagonal(batch.diagonal), upper(batch.upper), right(batch.right),
      full(std::vector<T>(batch.right.size())), bare(std::vector<T>(batch.right.size()));
  Array<T> const dl(std::vector<T>(batch.lower.begin() + cut, batch.lower.end())),
      du(std::vector<T>(batch.upper.begin(), batch.upper.end() - cut));
  auto const n = static_cast<std::int64_t>(shape.n);
  sweep::tridiagonal_solve(policy, shape.of(sweep::tridiagonal(lower.begin(), diagonal.begin(), upper.begin(),
                                                               right.begin(), full.begin(), n)));
  sweep::tridiagonal_solve(policy, shape.of(sweep::tridiagonal(dl.begin() - cut, diagonal.begin(), du.begin(),
                                                               right.begin(), bare.begin(), n)));
  expect(same_bits(bare.read(), full.read()), title);
}
template <class T, template <class> class Array, class Policy>
void bare_laws(Policy const& policy) {
  random_source random("bare coefficients");
  for (batch_shape const shape : {batch_shape{1, 40},
                                  {2},
                                  {3, 5},
                                  {64},
                                  {100, 3},
                                  {700, 2, 1, false, false, true},
                                  {3001},
                                  {5, 40, 1, true},
                                  {150, 33, 1, true, false, true}})
    bare_law<T, Array>(policy, shape, random);
}

/// Rows of the identity but for one, whose coefficients are so large that their products with right-hand
/// sides are beyond the numbers' range, though no unknown is: all are solved, with the same bits.
template <class T, class Place>
void large_row_law(Place const& at, batch_shape const& shape, std::size_t large_row) {
  using real = real_type<T>;
  auto const title = std::string(at.name) + ", " + std::to_string(sizeof(T)) + " bytes, large row " +
                     std::to_string(large_row) + ", " + shape.text();
  real const large = std::numeric_limits<real>::max() / real(1e8), value = real(1e10);
  std::vector<T> lower(shape.items()), diagonal(shape.items(), T(1)), right(shape.items(), T(value));
  for (std::size_t s = 0; s < shape.systems; ++s) {
    auto const i = shape.at(s, large_row);
    lower[i] = diagonal[i] = right[i] = T(large);
  }
  using array = typename Place::template array<T>;
  array const a(lower), b(diagonal), d(right), solution(right.size());
  array const c(std::vector<T>(shape.items()));
  sweep::tridiagonal_solve(
      at.policy, shape.of(sweep::tridiagonal(a.begin(), b.begin(), c.begin(), d.begin(), solution.begin(),
                                             static_cast<std::int64_t>(shape.n))));
  auto const got = solution.read();
  auto const taken = [&](std::size_t s) {
    std::vector<T> x(shape.n);
    for (std::size_t i = 0; i < shape.n; ++i) x[i] = got[shape.at(s, i)];
    return x;
  };
  auto const x = taken(0);
  for (std::size_t i = 0; i < shape.n; ++i) {
    auto const want = static_cast<long double>(value) * (i == large_row ? -1 : 1) + (i == large_row ? 1 : 0);
    auto const off = std::abs(widened(x[i]) - wide_number(want));
    if (!(off <= 8 * unit_of<T>() * static_cast<long double>(value))) {
      expect(false, title + ": unknown " + std::to_string(i) + " is off by " +
                        std::to_string(static_cast<double>(off)));
      return;
    }
  }
  std::size_t other = 0;
  for (std::size_t s = 1; s < shape.systems; ++s) other += !same_bits(taken(s), x);
  expect(other == 0, title + ": " + std::to_string(other) + " systems have other bits than the first");
}
template <class T, class Place>
void large_row_laws(Place const& at) {
  // The large row at the end, and at every place of the groups that threads eliminate at once.
  for (batch_shape const shape : {batch_shape{8, 3}, {8, 40, 1, true}, {8, 300}})
    for (std::size_t row = 1; row < shape.n; ++row) large_row_law<T>(at, shape, row);
  for (batch_shape const shape : {batch_shape{60, 33, 1, true}, {150, 33, 1, true}, {151, 4}, {3000, 2}})
    for (auto const row : {std::size_t{3}, std::size_t{7}, shape.n / 2 / 4 * 4 - 1, shape.n - 1})
      large_row_law<T>(at, shape, row);
}

}  // namespace sweep_test

#endif

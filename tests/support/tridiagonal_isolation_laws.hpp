// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_TRIDIAGONAL_ISOLATION_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_TRIDIAGONAL_ISOLATION_LAWS_HPP

#include <support/tridiagonal_laws.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

// Laws of systems beside others: whatever is wrong with one, its neighbours keep their bits.
namespace sweep_test {

/// What can be wrong with a matrix, or with what stands beside it.
enum class spoilt {
  zeros,
  zero_row,
  zero_column,
  zero_end,
  equal_rows,
  not_a_number,
  infinite,
  huge,
  right,
  needs_pivots
};
inline constexpr spoilt all_spoilt[] = {
    spoilt::zeros,        spoilt::zero_row, spoilt::zero_column, spoilt::zero_end, spoilt::equal_rows,
    spoilt::not_a_number, spoilt::infinite, spoilt::huge,        spoilt::right,    spoilt::needs_pivots};

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
  case spoilt::needs_pivots:
    m = draw_matrix<T>(matrix_kind::random, n, random);
    break;
  }
}

/// Every system is solved as if it were alone: whatever is wrong with some, no bit of the others' solutions
/// changes. Half the times the others are such that need no pivots to be chosen, but for theirs.
template <class T, class Place>
void isolation_law(Place const& at, batch_shape const& shape, spoilt how, random_source& random) {
  auto const title =
      std::string(at.name) + ", spoilt " + std::to_string(static_cast<int>(how)) + ", " + shape.text();
  bool const dominant = how == spoilt::needs_pivots || random() % 2 == 0;
  tridiagonal_batch<T> batch(shape, dominant ? matrix_kind::dominant : matrix_kind::random, random);
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
                                    {20, 40, 1, true},
                                    {300, 64, 1, true}}) {  // so many that a tile has several
      if (slowed_down() && shape.n != 3 && shape.n != 17) continue;
      isolation_law<T>(at, shape, how, random);
    }
}

}  // namespace sweep_test

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SEGMENTED_INDEX_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_SEGMENTED_INDEX_LAWS_HPP

#include <support/expect.hpp>
#include <support/sparse_patterns.hpp>
#include <support/values.hpp>

#include <sweep/segmented_reduce.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

// Folds of any function of an index, for any place: what sparse products are made of.
namespace sweep_test {

/// A map that does not commute with others, of an entry's number, and of what that leads to.
struct map_of_entry {
  std::int32_t const* indices;
  std::uint32_t const* x;
  template <class K>
  SWEEP_TEST_HD affine<std::uint32_t> operator()(K k) const {
    return {static_cast<std::uint32_t>(k) | 1u, x[indices[k]]};
  }
};

/// Numbers are what counts: an iterator whose item k is k.
template <class Numbers, class Place>
void index_fold_law(Place const& at, Numbers numbers, pattern const& shape, random_source& random) {
  if (at.skipped) return;
  using map = affine<std::uint32_t>;
  auto const n = shape.entries();
  auto const title = std::string(at.name) + ": folds of a function of an index, " + shape.name + ", " +
                     std::to_string(n) + " entries";
  auto const x = draw_many<std::uint32_t>(static_cast<std::size_t>(shape.columns), random);
  auto const indices = shape.indices_as<std::int32_t>();
  map_of_entry const by_oracle{indices.data(), x.data()};
  std::vector<map> want;
  std::vector<std::int64_t> lengths;
  for (std::size_t r = 0; r + 1 < shape.offsets.size(); ++r) {
    map sum{3, 5};
    for (auto k = shape.offsets[r]; k < shape.offsets[r + 1]; ++k) sum = affine_then{}(sum, by_oracle(k));
    want.push_back(sum);
    lengths.push_back(shape.offsets[r + 1] - shape.offsets[r]);
  }
  typename Place::template array<std::int32_t> const columns(indices),
      offsets(shape.offsets_as<std::int32_t>());
  typename Place::template array<std::int64_t> const given(lengths);
  typename Place::template array<std::uint32_t> const in(x);
  typename Place::template array<map> const out(want.size(), 1), by_lengths(want.size());
  map_of_entry const of_index{columns.begin(), in.begin()};
  auto const last = numbers + static_cast<std::ptrdiff_t>(n);
  expect(sweep::segmented_transform_reduce(at.policy, numbers, last,
                                           sweep::segments::by_offsets(offsets.begin(), offsets.end()),
                                           out.begin(), map{3, 5}, affine_then{}, of_index) == out.end(),
         title + ": returns the end of the results");
  expect_equal(out.read(), want, title);
  expect(out.guards_intact(), title + ": writes the results only");
  sweep::segmented_transform_reduce(at.policy, numbers, last,
                                    sweep::segments::by_lengths(given.begin(), given.end()),
                                    by_lengths.begin(), map{3, 5}, affine_then{}, of_index);
  expect_equal(by_lengths.read(), want, title + ", by lengths");
}

}  // namespace sweep_test

#endif

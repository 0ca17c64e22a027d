// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_REDUCE_SOURCE_LAWS_HPP
#define SWEEP_TESTS_SUPPORT_REDUCE_SOURCE_LAWS_HPP

#include <support/float_products.hpp>
#include <support/reduce_laws.hpp>

#include <sweep/unique.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <cstring>

// Reductions of what iterators make of memory, in operand order, for any place.
namespace sweep_test {

struct map_of_triple {
  template <class Triple>
  SWEEP_TEST_HD affine<std::uint32_t> operator()(Triple const& x) const {
    return {2u * thrust::get<0>(x) + 1u,
            static_cast<std::uint32_t>(thrust::get<1>(x) ^ static_cast<std::uint32_t>(thrust::get<2>(x)))};
  }
};
struct map_of_number {
  template <class X>
  SWEEP_TEST_HD affine<std::uint32_t> operator()(X const& x) const {
    return {2u * static_cast<std::uint32_t>(x) + 1u, static_cast<std::uint32_t>(x) * 3u + 1u};
  }
};

struct seven_bytes {
  std::uint8_t of[7];
};
struct map_of_bytes {
  SWEEP_TEST_HD affine<std::uint32_t> operator()(seven_bytes const& x) const {
    std::uint32_t all = 0;
    for (auto const byte : x.of) all = all * 31 + byte;
    return {2 * all + 1, all};
  }
};

/// Sources of one to three streams of several widths, each at its own alignment, and of none.
template <class Place>
void reduce_source_laws(Place const& at, std::size_t n, random_source& random) {
  using map = affine<std::uint32_t>;
  auto const offset = [&] { return static_cast<std::size_t>(random.between(0, 15)); };
  auto const bytes = draw_many<std::uint8_t>(n, random);
  auto const words = draw_many<std::uint32_t>(n, random);
  auto const wide = draw_many<std::uint64_t>(n, random);
  auto const halves = draw_many<std::uint16_t>(n, random);
  typename Place::template array<std::uint8_t> const in_bytes(bytes, offset());
  typename Place::template array<std::uint32_t> const in_words(words, offset());
  typename Place::template array<std::uint64_t> const in_wide(wide, offset());
  typename Place::template array<std::uint16_t> const in_halves(halves, offset());
  auto const size = static_cast<std::ptrdiff_t>(n);
  map const start{3, 4};
  auto const title = std::string(at.name) + ", n = " + std::to_string(n) + ": ";
  auto const law = [&](auto first, auto unary, auto item, char const* what) {
    map want = start;
    for (std::size_t i = 0; i < n; ++i) want = affine_then{}(want, unary(item(i)));
    expect(sweep::transform_reduce(at.policy, first, first + size, start, affine_then{}, unary) == want,
           title + what);
  };
  law(
      in_bytes.begin(), map_of_number{}, [&](std::size_t i) { return bytes[i]; }, "bytes");
  law(
      in_halves.begin(), map_of_number{}, [&](std::size_t i) { return halves[i]; }, "halves");
  auto const triple = thrust::make_zip_iterator(in_bytes.begin(), in_words.begin(), in_wide.begin());
  law(
      triple, map_of_triple{}, [&](std::size_t i) { return thrust::make_tuple(bytes[i], words[i], wide[i]); },
      "three streams");
  auto const mixed = thrust::make_zip_iterator(
      thrust::make_transform_iterator(in_halves.begin(), count_bits{}),
      thrust::make_counting_iterator(std::uint32_t{5}), thrust::make_reverse_iterator(in_words.end()));
  law(
      mixed, map_of_triple{},
      [&](std::size_t i) {
        return thrust::make_tuple(count_bits{}(halves[i]), static_cast<std::uint32_t>(5 + i),
                                  words[n - 1 - i]);
      },
      "a transform, indices, a reversed range");
  law(
      thrust::make_counting_iterator(std::uint32_t{7}), map_of_number{},
      [&](std::size_t i) { return static_cast<std::uint32_t>(7 + i); }, "indices");
  std::vector<std::uint32_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = words[i] % static_cast<std::uint32_t>(n);
  typename Place::template array<std::uint32_t> const in_order(order, offset());
  law(
      thrust::make_permutation_iterator(in_wide.begin(), in_order.begin()), map_of_number{},
      [&](std::size_t i) { return wide[order[i]]; }, "a permutation");
  std::vector<seven_bytes> items(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < 7; ++k) items[i].of[k] = bytes[(7 * i + k) % n];
  typename Place::template array<seven_bytes> const in_items(items, offset());
  law(
      thrust::make_permutation_iterator(in_items.begin(), in_order.begin()), map_of_bytes{},
      [&](std::size_t i) { return items[order[i]]; }, "a permutation of odd widths");

  std::vector<std::uint16_t> runs(n);
  for (std::size_t i = 0; i < n; ++i)
    runs[i] = static_cast<std::uint16_t>(i > 0 && halves[i] % 3 ? runs[i - 1] : halves[i]);
  typename Place::template array<std::uint16_t> const in_runs(runs, offset());
  std::int64_t count = n > 0;
  for (std::size_t i = 1; i < n; ++i) count += runs[i] != runs[i - 1];
  expect(sweep::unique_count(at.policy, in_runs.begin(), in_runs.end()) == count, title + "runs");
}
template <class Place>
void reduce_source_laws(Place const& at, std::size_t most) {
  random_source random("reduce sources");
  for (auto const n : few_sizes())
    if (n > 0) reduce_source_laws(at, n, random);
  for (int i = 0; i < (sanitizing() ? 2 : 12); ++i)
    reduce_source_laws(at, static_cast<std::size_t>(random.between(1, static_cast<int>(most))), random);
}

/// Sums of floats have the same bits wherever the items lie.
template <class T, class Place>
void reduce_placement_law(Place const& at, std::size_t n) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(random_float(seed() + i)) + T(0.5);
  T first{};
  for (std::size_t offset = 0; offset < 8; ++offset) {
    typename Place::template array<T> const in(x, offset);
    auto const sum = sweep::reduce(at.policy, in.begin(), in.end(), T{});
    if (offset == 0) first = sum;
    expect(std::memcmp(&sum, &first, sizeof(T)) == 0, std::string(at.name) + ", n = " + std::to_string(n) +
                                                          ": the same bits at offset " +
                                                          std::to_string(offset));
  }
}

}  // namespace sweep_test

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device reductions of items that stand anywhere in memory, and are asked for in parts: bytes and
// words, as wide as their places allow.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/device_places.hpp>
#include <support/expect.hpp>
#include <support/random.hpp>
#include <support/values.hpp>

#include <sweep/plan.hpp>
#include <sweep/reduce.hpp>

#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using namespace sweep_test;

namespace {

/// Of each map one of words, and one of a single byte.
struct wider_map {
  template <class Unit, int Count>
  SWEEP_TEST_HD affine_maps<std::uint32_t, 3> operator()(affine_maps<Unit, Count> const& x) const {
    return {x.m, {x.a[0], x.a[Count - 2]}};
  }
};
struct narrower_map {
  template <class Unit, int Count>
  SWEEP_TEST_HD affine_maps<std::uint8_t, 2> operator()(affine_maps<Unit, Count> const& x) const {
    return {static_cast<std::uint8_t>(x.m), {static_cast<std::uint8_t>(x.a[Count - 2])}};
  }
};

/// shift: of the items' first byte behind a word; `order_at`: items by which the places begin behind a
/// vector.
template <class Unit, int Count, class Policy>
void gathered_law(Policy const& policy, std::size_t n, random_source& random, std::size_t shift = 0,
                  std::size_t order_at = 0) {
  using map = affine_maps<Unit, Count>;
  std::vector<map> memory(n / 2 + 3);
  for (auto& x : memory) {
    x.m = static_cast<Unit>(random() | 1);
    for (auto& a : x.a) a = static_cast<Unit>(random());
  }
  std::vector<std::uint32_t> order(n);
  for (auto& place : order) place = static_cast<std::uint32_t>(random() % memory.size());
  if (n > 0) order.back() = static_cast<std::uint32_t>(memory.size() - 1);
  std::vector<Unit> units(Count * memory.size());
  std::memcpy(units.data(), memory.data(), memory.size() * sizeof(map));
  decltype(on_device)::array<Unit> const in(units, shift);
  decltype(on_device)::array<std::uint32_t> const in_order(order, order_at);
  auto const first =
      thrust::make_permutation_iterator(reinterpret_cast<map const*>(in.begin()), in_order.begin());
  auto const last = first + static_cast<std::ptrdiff_t>(n);
  auto const title = std::to_string(sizeof(map)) + "-byte items, n = " + std::to_string(n);
  auto const fold = [&](auto sum, auto made) {
    for (auto const place : order) sum = then_affine_maps{}(sum, made(memory[place]));
    return sum;
  };
  map start{3, {}};
  expect(sweep::reduce(policy, first, last, start, then_affine_maps{}) ==
             fold(start, [](map const& x) { return x; }),
         title);
  affine_maps<std::uint32_t, 3> const wide{3, {4, 5}};
  expect(sweep::transform_reduce(policy, first, last, wide, then_affine_maps{}, wider_map{}) ==
             fold(wide, wider_map{}),
         title + ", into words");
  affine_maps<std::uint8_t, 2> const narrow{5, {6}};
  auto const made = thrust::make_transform_iterator(first, narrower_map{});
  expect(sweep::reduce(policy, made, made + static_cast<std::ptrdiff_t>(n), narrow, then_affine_maps{}) ==
             fold(narrow, narrower_map{}),
         title + ", made narrower");
}

template <class Policy>
void gathered_laws(Policy const& policy, std::vector<std::size_t> const& sizes) {
  random_source random("gathered items");
  for (auto const n : sizes) {
    gathered_law<std::uint8_t, 2>(policy, n, random);
    gathered_law<std::uint8_t, 2>(policy, n, random, 1);
    gathered_law<std::uint8_t, 3>(policy, n, random, 0, 1);
    gathered_law<std::uint8_t, 4>(policy, n, random);
    gathered_law<std::uint8_t, 4>(policy, n, random, 2);
    gathered_law<std::uint8_t, 6>(policy, n, random);
    gathered_law<std::uint8_t, 6>(policy, n, random, 3);
    gathered_law<std::uint8_t, 7>(policy, n, random);
    gathered_law<std::uint16_t, 4>(policy, n, random, 0, 3);
    gathered_law<std::uint16_t, 4>(policy, n, random, 1);
    gathered_law<std::uint16_t, 5>(policy, n, random);
    for (std::size_t const words_behind : {0, 1}) {
      gathered_law<std::uint32_t, 2>(policy, n, random, words_behind);
      gathered_law<std::uint32_t, 4>(policy, n, random, words_behind);
    }
  }
}

}  // namespace

TEST_CASE("device reductions: gathered items in parts") {
  gathered_laws(sweep::device, {0, 1, 31, 2'047, 4'096, 4'097, 150'001});
}

TEST_CASE("device reductions: gathered items in parts, many tiles of a block") {
  gathered_laws(
      sweep::device.with(sweep::plan<sweep::reduce_plan{.threads = 64, .rows = 3, .most_blocks = 3}>),
      {3'072, 100'003});
}

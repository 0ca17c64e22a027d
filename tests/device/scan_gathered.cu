// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans in stages of items that are read elsewhere: a block asks for a tile's while it works on the one
// before, so there are many tiles for each block.
#define CCCL_IGNORE_DEPRECATED_API  // Thrust's fancy iterators are tested whatever their future
#include <support/device_places.hpp>
#include <support/expect.hpp>
#include <support/memory.hpp>
#include <support/partition_items.hpp>
#include <support/random.hpp>
#include <support/values.hpp>

#include <sweep/scan.hpp>
#include <sweep/segmented_scan.hpp>

#include <cuda/std/tuple>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using namespace sweep_test;

namespace {

template <class T>
using placed = guarded<T, device_memory>;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Not commutative.
struct triple {
  u32 first, middle, last;
  friend bool operator==(triple const&, triple const&) = default;
};
struct join {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
  __host__ __device__ triple operator()(triple const& a, triple const& b) const {
    return {a.first, a.middle + b.middle + (a.last ^ b.first), b.last};
  }
};
struct first_of_both {
  template <class Pair>
  __host__ __device__ u16 operator()(Pair const& both) const {
    using cuda::std::get;
    return static_cast<u16>(get<0>(both) + 3 * get<1>(both));
  }
};
/// An iterator of which nothing is known.
template <class T>
struct through {
  using value_type = T;
  using reference = T;
  using pointer = void;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;
  T const* items;
  u32 const* places;
  difference_type at;
  __host__ __device__ T operator[](difference_type i) const { return items[places[at + i]]; }
  __host__ __device__ T operator*() const { return (*this)[0]; }
  __host__ __device__ through operator+(difference_type i) const { return {items, places, at + i}; }
  __host__ __device__ difference_type operator-(through const& other) const { return at - other.at; }
};

/// A lane's items are fewer than are asked for at a time, or more.
constexpr auto short_lanes = scan_in_stages;
constexpr auto long_lanes = sweep::device.with(
    sweep::plan<sweep::scan_plan{.threads = 32 * (1 + 2 + 6), .rows = 8, .stages = 2, .loads = 1}>);

template <class T>
std::vector<T> folded(std::vector<T> const& x, bool backward, std::vector<u32> const& starts = {}) {
  std::vector<T> all(x.size());
  std::size_t next = 0;
  T sum{};
  for (std::size_t k = 0; k < x.size(); ++k) {
    auto const i = backward ? x.size() - 1 - k : k;
    bool begins = k == 0;
    while (next < starts.size() && starts[next] <= k) begins |= starts[next++] == k;
    all[i] = sum = begins ? x[i] : join{}(sum, x[i]);
  }
  return all;
}

template <class T, class Policy>
void gathered(char const* name, Policy const& on) {
  random_source random(name);
  if (!stages_can_run()) return;
  for (int round = 0; round < (sanitizing() ? 4 : 24); ++round) {
    auto const n = static_cast<std::size_t>(
        round % 4 == 3 ? random.between(1, 4'000) : random.between(1, sanitizing() ? 16'000 : 1'500'000));
    auto const offset = static_cast<std::size_t>(random.between(0, 16));
    auto const title = std::string(name) + ", n = " + std::to_string(n) + ", at " + std::to_string(offset);
    auto const size = static_cast<std::ptrdiff_t>(n);
    auto const x = draw_bytes<T>(n, random);
    std::vector<u32> order(n), starts{0};
    std::vector<T> picked(n), turned(n);
    for (auto& place : order) place = static_cast<u32>(random.between(0, size - 1));
    for (std::size_t i = 0; i < n; ++i) picked[i] = x[order[i]], turned[i] = x[order[n - 1 - i]];
    while (starts.back() + 1 < n && starts.size() < 5'000)
      starts.push_back(
          static_cast<u32>(random.between(starts.back() + 1, std::min(starts.back() + 900l, size))));
    if (starts.back() < n) starts.push_back(static_cast<u32>(n));
    placed<T> const items(x, offset), out(n, offset / 2);
    placed<u32> const places(order, offset), offsets(starts);
    auto const law = [&](std::vector<T> const& want, std::string const& what) {
      expect_equal(out.read(), want, title + ", " + what);
      expect(out.guards_intact(), title + ", " + what + ": writes the output only");
    };
    auto const in = thrust::make_permutation_iterator(items.begin(), places.begin());
    sweep::inclusive_scan(on, in, in + size, out.begin(), join{});
    law(folded(picked, false), "forward");
    if constexpr (sizeof(T) == 2) {  // the same for all
      sweep::inclusive_scan(on, in, in + size, out.begin(), join{}, sweep::backward);
      law(folded(picked, true), "backward");
      auto const back =
          thrust::make_permutation_iterator(items.begin(), thrust::make_reverse_iterator(places.end()));
      sweep::inclusive_scan(on, back, back + size, out.begin(), join{});
      law(folded(turned, false), "places from the last to the first");
      through<T> const opaque{items.begin(), places.begin(), 0};
      sweep::inclusive_scan(on, opaque, opaque + size, out.begin(), join{});
      law(folded(picked, false), "through an iterator of which nothing is known");
    }
    sweep::segmented_inclusive_scan(
        on, in, in + size, sweep::segments::by_offsets(offsets.begin(), offsets.end()), out.begin(), join{});
    law(folded(picked, false, starts), "in segments");
  }
}

/// Items that are neither words nor parts of one, the first of which begins `shift` bytes behind a word, and
/// places that begin `order_at` of them behind a vector.
template <class Unit, int Count, class Policy>
void gathered_in_parts(Policy const& on, std::size_t n, random_source& random, std::size_t shift = 0,
                       std::size_t order_at = 0) {
  using map = affine_maps<Unit, Count>;
  auto const size = static_cast<std::ptrdiff_t>(n);
  std::vector<map> memory(n / 2 + 3), picked(n), forward(n), backward(n);
  for (auto& x : memory) {
    x.m = static_cast<Unit>(random() | 1);
    for (auto& a : x.a) a = static_cast<Unit>(random());
  }
  std::vector<u32> order(n);
  for (std::size_t i = 0; i < n; ++i) {
    order[i] = static_cast<u32>(random() % memory.size());
    picked[i] = memory[order[i]];
  }
  for (std::size_t k = 0; k < n; ++k) {
    auto const i = n - 1 - k;
    forward[k] = k > 0 ? then_affine_maps{}(forward[k - 1], picked[k]) : picked[k];
    backward[i] = k > 0 ? then_affine_maps{}(backward[i + 1], picked[i]) : picked[i];
  }
  std::vector<Unit> units(Count * memory.size());
  std::memcpy(units.data(), memory.data(), memory.size() * sizeof(map));
  placed<Unit> const in_units(units, shift);
  placed<u32> const places(order, order_at);
  placed<map> const out(n);
  auto const in =
      thrust::make_permutation_iterator(reinterpret_cast<map const*>(in_units.begin()), places.begin());
  auto const law = [&](std::vector<map> const& want, char const* what) {
    auto const title = std::to_string(sizeof(map)) + " bytes of " + std::to_string(sizeof(Unit)) + ", " +
                       std::to_string(n) + " from " + std::to_string(shift) + ", " + what;
    expect_equal(out.read(), want, title);
    expect(out.guards_intact(), title + ": writes the output only");
  };
  sweep::inclusive_scan(on, in, in + size, out.begin(), then_affine_maps{});
  law(forward, "forward");
  sweep::inclusive_scan(on, in, in + size, out.begin(), then_affine_maps{}, sweep::backward);
  law(backward, "backward");
}
template <class Policy>
void gathered_in_parts(Policy const& on, std::vector<std::size_t> const& sizes) {
  random_source random("gathered in parts");
  for (auto const n : sizes) {
    gathered_in_parts<u8, 2>(on, n, random, 0, 1);
    gathered_in_parts<u8, 2>(on, n, random, 1);
    gathered_in_parts<u8, 2>(on, n, random, 2);
    gathered_in_parts<u8, 6>(on, n, random);
    gathered_in_parts<u8, 6>(on, n, random, 3, 3);
    gathered_in_parts<u16, 2>(on, n, random);
    gathered_in_parts<u16, 2>(on, n, random, 1);
  }
}

}  // namespace

TEST_CASE("device scans: gathered items in parts") {
  gathered_in_parts(sweep::device, {1, 33, 4'095, 70'001, 300'003});
}

TEST_CASE("device scans in stages: gathered items in parts") {
  if (!stages_can_run()) return;
  gathered_in_parts(long_lanes, {1, 33, 4'095, 70'001});
}

TEST_CASE("device scans in stages: items that are read elsewhere") {
  gathered<u8>("u8", long_lanes);
  gathered<u16>("u16", short_lanes);
  gathered<u32>("u32", long_lanes);
  gathered<u64>("u64", short_lanes);
  gathered<triple>("12 bytes", long_lanes);
}

TEST_CASE("device scans in stages: what is made of items read elsewhere and of others") {
  random_source random("zip");
  if (!stages_can_run()) return;
  auto const n = static_cast<std::size_t>(sanitizing() ? 9'000 : 900'000);
  auto const size = static_cast<std::ptrdiff_t>(n);
  auto const x = draw_bytes<u16>(n, random);
  auto const y = draw_bytes<u8>(n, random);
  std::vector<u32> order(n);
  std::vector<u16> want(n);
  for (std::size_t i = 0; i < n; ++i) {
    order[i] = static_cast<u32>(random.between(0, size - 1));
    want[i] = static_cast<u16>(x[order[i]] + 3 * y[i]);
  }
  placed<u16> const items(x, 1), out(n, 2);
  placed<u8> const others(y, 3);
  placed<u32> const places(order, 5);
  auto const both = thrust::make_transform_iterator(
      thrust::make_zip_iterator(thrust::make_permutation_iterator(items.begin(), places.begin()),
                                others.begin()),
      first_of_both{});
  sweep::inclusive_scan(short_lanes, both, both + size, out.begin(), join{});
  expect_equal(out.read(), folded(want, false), "zip");
  expect(out.guards_intact(), "zip: writes the output only");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TOUR_VARIANTS_HPP
#define SWEEP_TOUR_VARIANTS_HPP

#include "place.hpp"
#include "table.hpp"

#include <sweep/scan.hpp>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <tuple>

namespace tour {

template <class Tag>
struct named {
  Tag tag;
  char const* name;
};
template <class Tag>
named(Tag, char const*) -> named<Tag>;  // which clang below 17 does not deduce of an aggregate
namespace variant = sweep::variant;
inline constexpr std::tuple within_variants{
    named{variant::warp_shuffle, "warp_shuffle"}, named{variant::hillis_steele, "hillis_steele"},
    named{variant::blelloch, "blelloch"},         named{variant::blelloch_padded, "blelloch_padded"},
    named{variant::brent_kung, "brent_kung"},     named{variant::matrix, "matrix"}};
static_assert(rows_on_device == 5 * std::tuple_size_v<decltype(within_variants)>);

using item = std::uint32_t;

/// The input of a table, its serial sums, and the time of a plain copy of it.
template <class Place>
struct trial {
  trial(Place const& where, std::int64_t n)
      : place{where}, numbers(n), sums(n), in(n), out(n), small(1 << 20) {
    std::mt19937 random(2026);
    for (auto& x : numbers) x = random() % 1000;
    std::partial_sum(numbers.begin(), numbers.end(), sums.begin());
    first_numbers.assign(numbers.begin(), numbers.begin() + (1 << 20));
    place.copy_in(numbers, in);
    copy_us = place.time_us([&] { place.copy(in.data(), out.data(), bytes() / 2); });
  }
  std::size_t bytes() const { return 2 * sizeof(item) * numbers.size(); }

  template <class Policy>
  row run(Policy const& policy, row result) {
    auto const n = std::ssize(numbers);
    place.clear(out);  // of the last variant's results
    auto const us =
        place.time_us([&] { sweep::inclusive_scan(policy, in.data(), in.data() + n, out.data()); });
    result.gb_per_s = static_cast<double>(bytes()) * 1e-3 / us;
    result.of_copy = copy_us / us;
    result.right = place.copy_out(out) == sums;

    // Sizes around everything that is a power of two, from an address that is not aligned, in place.
    for (std::int64_t const few : {1, 31, 1023, 1025, 65537, 1000003}) {
      place.copy_in(first_numbers, small);
      sweep::inclusive_scan(policy, small.data() + 1, small.data() + 1 + few, small.data() + 1);
      auto const scanned = place.copy_out(small);
      for (std::int64_t i = 1; i <= few; ++i) result.right = result.right && scanned[i] == sums[i] - sums[0];
      result.right = result.right && scanned[0] == numbers[0] && scanned[few + 1] == numbers[few + 1];
    }
    return result;
  }

  Place place;
  std::vector<item> numbers, sums, first_numbers;
  typename Place::template array<item> in, out, small;
  double copy_us = 0;
};

/// Numbers whose sums depend on the order of additions, and whether sums are theirs but for rounding.
inline std::vector<float> rounded_numbers(std::size_t count) {
  std::vector<float> items(count);
  std::mt19937 random(2027);
  std::uniform_real_distribution<float> between(-1, 1);
  for (auto& x : items) x = between(random);
  return items;
}
inline bool near_sums(std::vector<float> const& items, std::vector<float> const& sums) {
  double const exact = std::accumulate(items.begin(), items.end(), 0.0);
  return std::abs(static_cast<double>(sums.back()) - exact) < 0.1;
}

}  // namespace tour

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_SIZES_HPP
#define SWEEP_TESTS_SUPPORT_SIZES_HPP

#include <support/random.hpp>

#include <sweep/detail/host/tile_size.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sweep_test {

/// Sizes at which something changes: nothing, one item, a warp, a tile and its neighbours, the papers' sizes,
/// and some random ones. Tiles hold 704 x 2^k items of 4 bytes, 2^k or 3 x 2^k items on the
/// device (the tables' and support/device_places.hpp), and host_tile_items on the host.
inline std::vector<std::size_t> edge_sizes(std::size_t item_bytes, std::size_t most, random_source& random) {
  if (sanitizing()) most = std::min<std::size_t>(most, 6000);
  std::vector<std::size_t> all{0, 1, 2, 3, 31, 32, 33};
  auto const around = [&](std::size_t tile) {
    for (auto const n : {tile - 1, tile, tile + 1}) all.push_back(n);
  };
  for (std::size_t k = 0; k < 6; ++k) around(std::max<std::size_t>(4, 2816 / item_bytes) << k);
  auto const host_tile = static_cast<std::size_t>(sweep::detail::host_tile_items(item_bytes));
  for (std::size_t k = 1; k <= 3; ++k) around(k * host_tile);
  for (std::size_t k = 6; k <= 16; ++k) {
    around(std::size_t{1} << k);
    around(std::size_t{3} << (k - 1));
  }
  for (int i = 0; i < 12; ++i) all.push_back(static_cast<std::size_t>(random.between(4, 70000)));
  std::erase_if(all, [most](std::size_t n) { return n > most; });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (!slowed_down()) return all;
  // Every fourth, and the smallest; under racecheck, where kernels take milliseconds, some that are drawn,
  // and the largest.
  std::vector<std::size_t> some;
  auto const drawn = static_cast<std::size_t>(racechecking() ? random.between(0, 23) : 0);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (racechecking() ? i % 24 == drawn || i + 1 == all.size() : i < 3 || i % 4 == 0) some.push_back(all[i]);
  return some;
}

/// A handful, for tests that care about something else.
inline std::vector<std::size_t> few_sizes() {
  if (sanitizing()) return {0, 1, 33, 1025, 3000};
  if (under_address_sanitizer) return {0, 1, 33, 1023, 1025, 5003};
  return {0, 1, 33, 1023, 1024, 1025, 16385, 100003};
}

}  // namespace sweep_test

#endif

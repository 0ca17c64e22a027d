// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items that are asked for in parts: of any size, wherever they stand, and no byte beside them.
#include <support/device_places.hpp>
#include <support/expect.hpp>
#include <support/random.hpp>

#include <sweep/detail/block/item_parts.cuh>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using namespace sweep_test;

namespace {

template <class Unit, int Count>
struct units {
  Unit of[Count];
};

constexpr int places = 8;

/// Item i stands i units behind the first one.
template <class Item, class Unit>
__global__ void join_parts(Unit const* from, Item* to) {
  int const i = static_cast<int>(threadIdx.x);
  sweep::detail::item_parts<Item> parts;
  parts.ask(reinterpret_cast<Item const*>(from + i));
  sweep::detail::item_in_words<Item> words;
  words.is(parts.joined());
  to[i] = words.item();
}

template <class Unit, int Count>
void joins(random_source& random) {
  using item = units<Unit, Count>;
  std::vector<Unit> memory(Count + places - 1);
  for (auto& unit : memory) unit = static_cast<Unit>(random());
  auto* const from = static_cast<Unit*>(device_memory::allocate(memory.size() * sizeof(Unit)));
  guarded<item, device_memory> const out(places);
  device_memory::copy_in(from, memory.data(), memory.size() * sizeof(Unit));
  join_parts<item><<<1, places>>>(from, out.begin());
  auto const got = out.read();
  for (std::size_t i = 0; i < places; ++i)
    expect(std::memcmp(&got[i], memory.data() + i, sizeof(item)) == 0,
           std::to_string(Count) + " times " + std::to_string(sizeof(Unit)) + " bytes, " + std::to_string(i) +
               " behind a word");
  device_memory::release(from);
}

template <class Unit, int... Counts>
void join_each(random_source& random) {
  (joins<Unit, Counts>(random), ...);
}

}  // namespace

TEST_CASE("device items in parts: of any size, wherever they stand") {
  random_source random("item parts");
  join_each<std::uint8_t, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12>(random);
  join_each<std::uint16_t, 1, 2, 3, 4, 5>(random);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Items that are asked for in parts: of any size, wherever they stand, and no byte beside them.
#include <support/device_places.hpp>
#include <support/expect.hpp>
#include <support/random.hpp>

#include <sweep/detail/block/item_parts.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

using namespace sweep_test;

namespace {

template <class Unit, int Count>
struct units {
  Unit of[Count];
};

constexpr int places = 8;

/// Of items of each count of units those that end with the last units of memory, one a thread.
template <class Unit, int... Counts>
__global__ void join_parts(Unit const* from, int all, Unit* to) {
  int const place = static_cast<int>(threadIdx.x);
  auto const join = [&]<int Count>(std::integral_constant<int, Count>) {
    using item = units<Unit, Count>;
    sweep::detail::item_parts<item> parts;
    parts.ask(reinterpret_cast<item const*>(from + all - (places - 1) - Count + place));
    sweep::detail::item_in_words<item> words;
    words.is(parts.joined());
    item const x = words.item();
    for (int k = 0; k < Count; ++k) to[place * Count + k] = x.of[k];
    to += places * Count;
  };
  (join(std::integral_constant<int, Counts>{}), ...);
}

template <class Unit, int... Counts>
void join_each(random_source& random) {
  constexpr int widest = std::max({Counts...});
  std::vector<Unit> memory(static_cast<std::size_t>(widest + places - 1)), want;
  for (auto& unit : memory) unit = static_cast<Unit>(random());
  for (int const count : {Counts...})
    for (int place = 0; place < places; ++place)
      for (int k = 0; k < count; ++k)
        want.push_back(memory[static_cast<std::size_t>(widest - count + place + k)]);
  auto* const from = static_cast<Unit*>(device_memory::allocate(memory.size() * sizeof(Unit)));
  device_memory::copy_in(from, memory.data(), memory.size() * sizeof(Unit));
  guarded<Unit, device_memory> const out(want.size());
  join_parts<Unit, Counts...><<<1, places>>>(from, static_cast<int>(memory.size()), out.begin());
  expect_equal(out.read(), want, std::to_string(sizeof(Unit)) + "-byte units");
  expect(out.guards_intact(), "items in parts: writes its output only");
  device_memory::release(from);
}

}  // namespace

TEST_CASE("device items in parts: of any size, wherever they stand") {
  random_source random("item parts");
  join_each<std::uint8_t, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12>(random);
  join_each<std::uint16_t, 1, 2, 3, 4, 5>(random);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_ALIGNMENT_HPP
#define SWEEP_DETAIL_CORE_ALIGNMENT_HPP

#include <sweep/detail/core/config.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Width of the widest aligned word, up to 16 bytes, that divides this many bytes.
SWEEP_HD constexpr int vector_width(std::size_t bytes) {
  auto const power_of_two = bytes & (~bytes + 1);
  return power_of_two < 16 ? static_cast<int>(power_of_two) : 16;
}

/// Fewest items of this size that fill whole 16-byte words.
SWEEP_HD constexpr int items_per_16_bytes(std::size_t item) { return 16 / vector_width(item); }

/// How many items before \p p the nearest boundary for vectors of V items lies; 0 where items are never on
/// one.
template <int V, class Item>
int items_before_vector(Item const* p) {
  auto const address = reinterpret_cast<std::uintptr_t>(p);
  for (int s = 0; s < V; ++s)
    if ((address - s * sizeof(Item)) % vector_width(V * sizeof(Item)) == 0) return s;
  return 0;
}

/// The same for a vector that begins a 128-byte line, where one can: tiles that begin with lines share no
/// 32-byte sector, of which each would write a part.
template <int V, class Item>
int items_before_line(Item const* p) {
  auto const address = reinterpret_cast<std::uintptr_t>(p);
  int const nearest = items_before_vector<V>(p);
  for (int s = nearest; s < nearest + 8 * V; s += V)
    if ((address - s * sizeof(Item)) % 128 == 0) return s;
  return nearest;
}

/// How many items behind \p p that line ends, for tiles that are cut from the end of what lies in memory:
/// what is behind an address is before its negative.
template <int V, class Item>
int items_behind_line(Item const* p) {
  return items_before_line<V>(reinterpret_cast<Item const*>(0 - reinterpret_cast<std::uintptr_t>(p)));
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_SORTED_ITEMS_CUH
#define SWEEP_BENCH_SORTED_ITEMS_CUH

#include "device_support.cuh"

#include <cstdint>
#include <type_traits>

/// What benches of sorts and merges move.
namespace bench {

/// In place of values where there are none.
struct none {};

/// Values beside keys: their own numbers, and where Sweep and its peer move them.
template <class V>
struct moved_values {
  V *in = nullptr, *out = nullptr, *peer = nullptr;
};
/// So many of them; cases of one type share the memory.
template <class V>
moved_values<V> numbered_values(std::int64_t n) {
  static buffer in, out, peer;
  if constexpr (std::is_same_v<V, none>) {
    return {};
  } else {
    moved_values<V> const made{in.get<V>(n), out.get<V>(n), peer.get<V>(n)};
    fill(
        made.in, n, [] __host__ __device__(std::uint64_t, std::int64_t i) { return static_cast<V>(i); },
        seed());
    return made;
  }
}

/// As wide as a line of a ledger: sorted by its first half.
struct alignas(16) entry {
  std::uint64_t key, rest;
  friend __host__ __device__ bool operator==(entry const& a, entry const& b) {
    return a.key == b.key && a.rest == b.rest;
  }
};
/// Sixteen letters, which are compared one by one.
struct text {
  unsigned char letters[16];
  static __host__ __device__ text of(std::uint64_t first, std::uint64_t rest) {
    text made{};
    for (int k = 0; k < 8; ++k) {
      made.letters[k] = static_cast<unsigned char>(first >> (56 - 8 * k));
      made.letters[k + 8] = static_cast<unsigned char>(rest >> (56 - 8 * k));
    }
    return made;
  }
  friend __host__ __device__ bool operator==(text const& a, text const& b) { return !(a < b) && !(b < a); }
  friend __host__ __device__ bool operator<(text const& a, text const& b) {
    for (int k = 0; k < 16; ++k)
      if (a.letters[k] != b.letters[k]) return a.letters[k] < b.letters[k];
    return false;
  }
};
struct earlier {
  template <class T>
  __host__ __device__ bool operator()(T const& a, T const& b) const {
    if constexpr (std::is_same_v<T, entry>) return a.key < b.key;
    else return a < b;
  }
};

}  // namespace bench

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_SORTED_ITEMS_CUH
#define SWEEP_BENCH_SORTED_ITEMS_CUH

#include <cstdint>
#include <type_traits>

/// What benches of sorts and merges move.
namespace bench {

/// In place of values where there are none.
struct none {};

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

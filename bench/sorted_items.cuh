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
struct earlier {
  template <class T>
  __host__ __device__ bool operator()(T const& a, T const& b) const {
    if constexpr (std::is_same_v<T, entry>) return a.key < b.key;
    else return a < b;
  }
};

}  // namespace bench

#endif

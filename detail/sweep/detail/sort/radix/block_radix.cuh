// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_BLOCK_RADIX_CUH
#define SWEEP_DETAIL_SORT_RADIX_BLOCK_RADIX_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/sort/problem.hpp>
#include <sweep/detail/sort/radix/radix_pass.cuh>
#include <sweep/detail/sort/tile/block_radix_sort.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// What a thread of 1024 has room for in its registers.
template <class Problem>
inline constexpr int bytes_of_radix_thread = Problem::has_values || !Problem::order_type::is_exact ? 48 : 64;

/// The same where a block sorts one range behind the other: as many rows as registers hold; of narrow keys as
/// many, however wide values are, which go through shared memory alone.
template <class Problem>
inline constexpr int bytes_of_looping_radix_thread = [] {
  using order = typename Problem::order_type;
  if (order::bits > 32) return Problem::has_values ? 80 : 88;
  if (!Problem::has_values) return order::has_exponent ? 64 : 56;
  return sizeof(typename Problem::value) > 4 && sizeof(typename Problem::key) <= 4 ? 88 : 44;
}();

/// So few items that one block sorts them: values are moved once.
template <class Problem, int Threads = 1024, int BytesOfThread = bytes_of_radix_thread<Problem>>
struct radix_block_job {
  using key = typename Problem::key;
  using value = typename Problem::value;
  static constexpr bool has_values = Problem::has_values;
  static constexpr bool possible = sizeof(key) <= 16 && sizeof(value) <= 16;
  static constexpr int threads = Threads, blocks = 1024 / Threads;
  static constexpr int bytes_of_item =
      static_cast<int>(std::max(std::max(sizeof(key), sizeof(value)), std::size_t{4}));
  static constexpr int R = possible ? BytesOfThread / bytes_of_item : 2, most_items = threads * R;
  using sorter =
      block_radix_sort<key, value, typename Problem::order_type, one_range, threads, R, has_values>;
  static constexpr std::size_t bytes = possible ? sizeof(typename sorter::shared) : 0;
  static constexpr std::size_t dynamic_bytes(int) { return bytes; }

  Problem problem;
  radix_digits digits;

  __device__ void operator()() const {
    extern __shared__ __align__(128) unsigned char memory[];
    auto& smem = *reinterpret_cast<typename sorter::shared*>(memory);
    sorter const sort(smem, problem.order, digits, one_range{}, static_cast<int>(problem.n));
    key keys[R];
    sort.for_each_item([&](int r, int i) { put_bytes(keys[r], static_cast<key>(problem.keys_in[i])); });
    sort(keys);
    sort.for_each_item([&](int, int i) { problem.put_key(i, smem.keys()[i]); });
    if constexpr (has_values)
      sort.move_values([&](int i) { return static_cast<value>(problem.values_in[i]); },
                       [&](int i, value const& x) { problem.put_value(i, x); });
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

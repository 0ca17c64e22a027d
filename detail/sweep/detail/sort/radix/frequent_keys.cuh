// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_RADIX_FREQUENT_KEYS_CUH
#define SWEEP_DETAIL_SORT_RADIX_FREQUENT_KEYS_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/multisplit/problem.hpp>
#include <sweep/detail/sort/problem.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Keys alone that are the same bits where they are equal need not be moved, only counted: where a sample has
// some keys often, each pass would move all of these for nothing. One look at all keys counts those that are
// in a table and brings the others together; these are sorted, and then every key of the table is written
// where it belongs, as often as it was counted.

/// Whether equal keys of an order are the same bits, but for zeros of two signs and NaNs, and what a table
/// has room for.
template <class Key, class Value, class Order>
inline constexpr bool has_frequent_keys = std::is_same_v<Value, keys_alone> &&
                                          (Order::is_exact || Order::words_are_keys) &&
                                          (sizeof(Key) == 4 || sizeof(Key) == 8);

/// Whether and how frequent keys are set apart: those of the sample, or of many more keys besides.
enum class set_apart_by : std::uint32_t { nothing, sample, more_keys };

/// In the device's memory. A key is in one of the two slots of its bucket; a slot that no key has needed has
/// one of another slot: of its own bucket, or, where both are so, of another.
template <class Key>
struct frequent_keys {
  using bits_type = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;
  struct alignas(2 * sizeof(bits_type)) bucket {
    bits_type first, second;
  };
  static constexpr int slot_bits = sizeof(Key) == 4 ? 13 : 12, slots = 1 << slot_bits;
  /// What others of a warp wait for in shared memory until they are so many, twice that.
  static constexpr int line = 64;
  static constexpr std::size_t shared_bytes(int warps) {
    return slots * (sizeof(Key) + 4) + static_cast<std::size_t>(warps) * 2 * line * sizeof(Key);
  }
  /// A key of the table in the order of all keys.
  struct placed {
    Key key;
    std::uint32_t count, through;  ///< how many there are, with those before it
  };

  std::uint32_t others;   ///< how many keys are not of the table
  std::uint32_t in_vain;  ///< whether other keys may be equal and not the same
  alignas(16) Key keys[slots];
  std::uint32_t counts[slots];
  std::uint32_t begins[slots];  ///< of placed ones, among all keys
  placed order[slots];

  __device__ static bits_type bits_of(Key const& x) {
    bits_type bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
  }
  /// 32 bits of a key, as if by chance.
  __device__ static unsigned mixed(bits_type bits) {
    unsigned mix = static_cast<unsigned>(bits);
    if constexpr (sizeof(Key) == 8) mix += static_cast<unsigned>(bits >> 32) * 0x85ebca6bu;
    mix *= 0x9e3779b1u;
    return (mix ^ mix >> 16) * 0xc2b2ae35u;
  }
  __device__ static unsigned bucket_of(bits_type bits) { return mixed(bits) >> (33 - slot_bits); }
  /// Whether no other key is equal. Others of the table do not keep their order, so that all of them must be.
  __device__ static bool is_alone(Key const& x) {
    if constexpr (std::is_floating_point_v<Key>)
      return x == x && bits_of(x) != bits_type{1} << (8 * sizeof(Key) - 1);  // nor -0.0
    else return true;
  }
};

/// Where more keys are looked at than the sample has: how often each of them is there, by chance with a few
/// others, and for each slot the number of the draw that is to have it, behind how often it is there.
template <class Key>
struct more_keys {
  using table = frequent_keys<Key>;
  static constexpr int each = 2;             ///< keys a thread draws
  static constexpr unsigned least_seen = 5;  ///< of a key, since two keys or three may be counted together
  static constexpr int least_count_bits = 6, most_count_bits = 17;
  unsigned long long* chosen;
  std::uint32_t* seen;
  int count_bits;

  /// In memory of so many bytes.
  __device__ more_keys(unsigned char* memory, std::int64_t bytes)
      : chosen{reinterpret_cast<unsigned long long*>(memory)},
        seen{reinterpret_cast<std::uint32_t*>(chosen + table::slots)},
        count_bits{least_count_bits} {
    while (count_bits < most_count_bits && bytes_of(count_bits + 1) <= bytes) ++count_bits;
  }
  SWEEP_HD static constexpr std::int64_t bytes_of(int count_bits) {
    return 8 * table::slots + (std::int64_t{4} << count_bits);
  }
  __device__ std::uint32_t* count_of(Key const& x) const {
    return seen + (table::mixed(table::bits_of(x)) * 0x9e3779b1u >> (32 - count_bits));
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

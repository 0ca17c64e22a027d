// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MULTISPLIT_PROBLEM_HPP
#define SWEEP_DETAIL_MULTISPLIT_PROBLEM_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/version.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Parts that one pass tells apart, and that there may be.
inline constexpr int parts_of_pass = 256;
/// Bits of bins that are few.
inline constexpr int few_bits_of_pass = 6;
inline constexpr std::int64_t most_parts = std::int64_t{1} << 16;

/// In place of values, and of a value, where keys have none.
struct keys_alone {};
template <class ValuesIn>
struct split_value {
  using type = value_of<ValuesIn>;
};
template <>
struct split_value<keys_alone> {
  using type = keys_alone;
};

/// Everything that was asked for, with its types complete and iterators unwrapped. offsets have parts + 1
/// results.
template <class KeysIn, class ValuesIn, class KeysOut, class ValuesOut, class Offsets, class BucketOf>
struct multisplit_problem {
  using key = value_of<KeysIn>;
  using value = typename split_value<ValuesIn>::type;
  static constexpr bool has_values = !std::is_same_v<ValuesIn, keys_alone>;

  KeysIn keys;
  ValuesIn values;
  KeysOut keys_out;
  ValuesOut values_out;
  Offsets offsets;
  std::int64_t n, parts;
  mutable BucketOf bucket_of;  ///< a caller's function need not be const

  /// Whoever has no part goes to the last one.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t part_of(key const& x) const {
    auto const given = bucket_of(x);
    if constexpr (sizeof(given) <= 4) {  // what is negative is large
      auto const last = static_cast<std::uint32_t>(parts - 1), part = static_cast<std::uint32_t>(given);
      return part < last ? part : last;
    }
    auto const part = static_cast<std::int64_t>(given);
    return part < 0 || part >= parts ? parts - 1 : part;
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t part_at(std::int64_t i) const { return part_of(static_cast<key>(keys[i])); }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void move(std::int64_t i, std::int64_t to) const {
    keys_out[to] = static_cast<written_value<KeysOut, key>>(keys[i]);
    if constexpr (has_values) values_out[to] = static_cast<written_value<ValuesOut, value>>(values[i]);
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void write_offset(std::int64_t part, std::int64_t begin) const {
    offsets[part] = static_cast<written_value<Offsets, std::int64_t>>(begin);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

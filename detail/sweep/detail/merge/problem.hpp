// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_MERGE_PROBLEM_HPP
#define SWEEP_DETAIL_MERGE_PROBLEM_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// In place of values where keys are merged alone.
struct unvalued {};

/// Everything that was asked for, with its types complete: n1 and n2 keys, each range in order, and the
/// values beside them. The comparison is asked of a key of the second range and one of the first.
template <class Keys1, class Keys2, class Values1, class Values2, class KeysOut, class ValuesOut, class Comp>
struct merge_problem {
  using key1 = value_of<Keys1>;
  using key2 = value_of<Keys2>;
  static constexpr bool has_values = !std::is_same_v<ValuesOut, unvalued>;

  SWEEP_HD std::int64_t n() const { return n1 + n2; }

  /// Whether a key of the second range stands before one of the first.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool before(key2 const& b, key1 const& a) const { return static_cast<bool>(comp(b, a)); }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool second_first(std::int64_t i, std::int64_t j) const {
    return static_cast<bool>(comp(keys2[j], keys1[i]));
  }

  /// Item i of the first range, or j of the second, becomes item k of the merge.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void take_first(std::int64_t k, std::int64_t i) const {
    keys_out[k] = static_cast<written_value<KeysOut, key1>>(keys1[i]);
    if constexpr (has_values)
      values_out[k] = static_cast<written_value<ValuesOut, value_of<Values1>>>(values1[i]);
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void take_second(std::int64_t k, std::int64_t j) const {
    keys_out[k] = static_cast<written_value<KeysOut, key2>>(keys2[j]);
    if constexpr (has_values)
      values_out[k] = static_cast<written_value<ValuesOut, value_of<Values2>>>(values2[j]);
  }

  Keys1 keys1;
  std::int64_t n1;
  Keys2 keys2;
  std::int64_t n2;
  Values1 values1;
  Values2 values2;
  KeysOut keys_out;
  ValuesOut values_out;
  mutable Comp comp;  ///< a caller's function need not be const
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

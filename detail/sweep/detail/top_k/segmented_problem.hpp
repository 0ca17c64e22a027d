// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TOP_K_SEGMENTED_PROBLEM_HPP
#define SWEEP_DETAIL_TOP_K_SEGMENTED_PROBLEM_HPP

// What selections in each of many segments are, and where segments are.

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/top_k/problem.hpp>
#include <sweep/segments.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// Items [begin, end).
struct segment_range {
  std::int64_t begin, end;
  SWEEP_HD std::int64_t size() const { return end - begin; }
};

/// Segments by where they begin. Offsets that leave the range do not leave it here.
template <class Offsets>
struct segment_bounds {
  Offsets offsets;
  std::int64_t most;            ///< how many segments there are, at most
  std::int64_t const* counted;  ///< how many, or null: as many
  std::int64_t n;
  std::int64_t longest;  ///< no segment has more items

  SWEEP_HD std::int64_t count() const {
    if (!counted) return most;
    return *counted;
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD segment_range operator()(std::int64_t s) const {
    auto const begin = within(static_cast<std::int64_t>(offsets[s]), 0);
    return {begin, within(static_cast<std::int64_t>(offsets[s + 1]), begin)};
  }

 private:
  SWEEP_HD std::int64_t within(std::int64_t x, std::int64_t least) const {
    return x < least ? least : x > n ? n : x;
  }
};

/// In place of values: an item's index in its segment.
struct index_in_segment {
  using value_type = std::int64_t;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = std::int64_t;
  using iterator_category = std::random_access_iterator_tag;
  SWEEP_HD std::int64_t operator[](std::int64_t i) const { return i; }
  SWEEP_HD std::int64_t operator*() const { return 0; }
};

/// For each segment s the items that a stable sort of it would put first: number j, of at most k, to place
/// s k + j. Other places stay as they are.
template <class KeysIn, class ValuesIn, class KeysOut, class ValuesOut, class Order>
struct segmented_top_k_problem : sort_problem<KeysIn, ValuesIn, KeysOut, ValuesOut, Order> {
  using whole = sort_problem<KeysIn, ValuesIn, KeysOut, ValuesOut, Order>;
  using typename whole::key;
  using typename whole::value;
  std::int64_t k;

  /// Item i of segment s, which begins there, is its result number j.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put(std::int64_t s, std::int64_t j, std::int64_t begin, std::int64_t i) const {
    auto const to = s * k + j;
    if constexpr (whole::keeps_keys) this->put_key(to, static_cast<key>(this->keys_in[begin + i]));
    if constexpr (std::is_same_v<ValuesIn, index_in_segment>) this->put_value(to, i);
    else if constexpr (whole::has_values) this->put_value(to, static_cast<value>(this->values_in[begin + i]));
  }
};

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

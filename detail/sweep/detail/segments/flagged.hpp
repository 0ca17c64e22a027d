// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTS_FLAGGED_HPP
#define SWEEP_DETAIL_SEGMENTS_FLAGGED_HPP

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/slots.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Whether any segment starts, in a word: whatever is not 0.
template <class Word>
struct wide_flag {
  Word word;

  wide_flag() = default;
  template <class F>
    requires(!std::is_same_v<F, wide_flag>)
  SWEEP_HD constexpr wide_flag(F const& flag) : word{word_of(flag)} {}
  SWEEP_HD constexpr operator bool() const { return word != 0; }
  friend SWEEP_HD constexpr bool operator==(wide_flag a, wide_flag b) { return a.word == b.word; }

 private:
  template <class F>
  static SWEEP_HD constexpr Word word_of(F const& flag) {
    if constexpr (std::is_integral_v<F> && sizeof(F) <= sizeof(Word)) return static_cast<Word>(flag);
    else return static_cast<bool>(flag);
  }
};
/// As wide as a V is aligned, up to a register: what is flagged by one has no padding, which nvcc takes along
/// byte by byte wherever values are moved as words.
template <class V>
using flag_beside =
    wide_flag<std::conditional_t<alignof(V) == 1, std::uint8_t,
                                 std::conditional_t<alignof(V) == 2, std::uint16_t, std::uint32_t>>>;

/// Whether it says no more than whether any segment starts.
template <class Count>
inline constexpr bool is_flag = std::is_same_v<Count, bool>;
template <class Word>
inline constexpr bool is_flag<wide_flag<Word>> = true;

/// The fold of a run of items, from the last segment start in the run on, and how many segments start in the
/// run (Count bool or wide_flag: whether any does). With segmented_op these are a monoid wherever the values
/// are a semigroup: a segmented scan is a scan of them (Blelloch 1990).
template <class V, class Count = bool>
struct flagged {
  V value;
  Count heads;

  template <class U>
    requires(!std::is_same_v<U, flagged> && requires(V const& x) { static_cast<U>(x); })
  SWEEP_HD constexpr explicit operator U() const { return static_cast<U>(value); }
};

template <class V, class Count>
inline constexpr bool relocatable<flagged<V, Count>> = relocatable<V>;

/// What stands before a segment's start does not matter to the fold; a count of starts needs all of them.
template <class V, class Flag>
requires is_flag<Flag> SWEEP_HD constexpr bool ignores_left(flagged<V, Flag> const& x) { return x.heads; }

template <class V, class Count>
inline constexpr bool may_ignore_left<flagged<V, Count>> = is_flag<Count>;

template <class V>
inline constexpr bool words_in_pairs<flagged<V, bool>> = true;

template <class V, class Flag>
  requires is_flag<Flag>
struct slot_form<flagged<V, Flag>> {
  using stored = V;
  static constexpr bool has_bit = true;
  static SWEEP_HD V const& value(flagged<V, Flag> const& x) { return x.value; }
  static SWEEP_HD bool bit(flagged<V, Flag> const& x) { return x.heads; }
  static SWEEP_HD void join(flagged<V, Flag>& x, V const& value, bool bit) { x = {value, bit}; }
};

SWEEP_HD constexpr bool joined(bool a, bool b) { return a | b; }
template <class Word>
SWEEP_HD constexpr wide_flag<Word> joined(wide_flag<Word> a, wide_flag<Word> b) {
  a.word |= b.word;
  return a;
}
template <class Count>
SWEEP_HD constexpr Count joined(Count a, Count b) {
  return a + b;
}

template <class Op>
struct segmented_op {
  Op op;
  SWEEP_NO_EXEC_CHECK
  template <class V, class Count>
  SWEEP_HD constexpr flagged<V, Count> operator()(flagged<V, Count> const& a, flagged<V, Count> const& b) {
    return {b.heads != Count{} ? b.value : static_cast<V>(op(a.value, b.value)), joined(a.heads, b.heads)};
  }
};

template <class V, class Flag>
  requires is_flag<Flag>
struct fold_form<flagged<V, Flag>> {
  using folded = V;
  static SWEEP_HD V const& value(flagged<V, Flag> const& x) { return x.value; }
  template <class Op>
  static SWEEP_HD Op& op(segmented_op<Op>& all) {
    return all.op;
  }
  static SWEEP_HD flagged<V, Flag> joined(V const& fold, bool begins) {
    return {fold, static_cast<Flag>(begins)};
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTS_HEADS_HPP
#define SWEEP_DETAIL_SEGMENTS_HEADS_HPP

#include <sweep/detail/core/divisors.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/segments/flagged.hpp>
#include <sweep/detail/segments/no_heads.hpp>
#include <sweep/segments.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// What sizes of input there can be, as a type.
template <size_class Size>
using only_size = std::integral_constant<size_class, Size>;
using any_size = only_size<size_class::any>;

// Sources answer whether item i > 0 starts a segment. What starts one in scan order follows from that:
// forward the heads and item 0; backward the items before a head, and the last one.

/// The sum of two lengths. Those of a bad description may add up to anything; what they lead to is checked.
struct wrapping_plus {
  SWEEP_HD constexpr std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
};

template <class It, class Eq>
struct key_source {
  static constexpr bool packed_heads = false;
  It keys;
  mutable Eq equal;  ///< the caller's function need not be const
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool operator()(std::int64_t i) const { return !equal(keys[i - 1], keys[i]); }
};

template <class It>
struct flag_source {
  static constexpr bool packed_heads = false;
  It flags;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool operator()(std::int64_t i) const { return static_cast<bool>(flags[i]); }
};

template <class It>
struct bit_source {
  static constexpr bool packed_heads = std::is_pointer_v<It>;
  It words;
  bool from_previous_kernel = false;  ///< by the kernel before, of the same call, which may still be running
  int skip = 0;                       ///< bits before the first item's
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD bool operator()(std::int64_t i) const {
    i += skip;
    return (words[i / 32] >> static_cast<unsigned>(i % 32) & 1u) != 0;
  }

  /// Bits [first, first + count), those from n on unknown; none of their words is read.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD unsigned bits(std::int64_t first, int count, std::int64_t n) const {
    first += skip;
    n += skip;
    if (first >= n) return 0;
    auto const word = first / 32, last = first + count - 1;
    auto const shift = static_cast<unsigned>(first % 32);
    unsigned found = words[word] >> shift;
    if (last / 32 > word && (word + 1) * 32 < n) found |= words[word + 1] << (32 - shift);
    return found;
  }

  /// The aligned 16-byte words that hold bits [first, first + count), where all of them are the caller's.
  SWEEP_HD bits_span window(std::int64_t first, std::int64_t count, std::int64_t n) const {
    first += skip;
    n += skip;
    auto const last = first + count < n ? first + count - 1 : n - 1;
    auto const base = reinterpret_cast<std::uintptr_t>(words);
    auto const at = base + static_cast<std::uintptr_t>(first / 32 * 4);
    auto const from = at / 16 * 16, end = (base + static_cast<std::uintptr_t>(last / 32 * 4) + 19) / 16 * 16;
    if (from < base || end > base + static_cast<std::uintptr_t>((n + 31) / 32 * 4)) return {};
    return {reinterpret_cast<void const*>(from), static_cast<unsigned>(end - from),
            static_cast<int>((at - from) * 8) + static_cast<int>(first % 32)};
  }
};

/// Segments of one length, one behind the other: nothing is read to know where they begin.
struct fixed_length_source {
  static constexpr bool packed_heads = true, fixed_length = true, from_previous_kernel = false;
  static constexpr int far = 1 << 16;  ///< behind any tile
  std::int64_t length;
  small_divisor step;  ///< from one head to the next, of those in a tile

  explicit constexpr fixed_length_source(std::int64_t of)
      : length{of}, step{of < far ? static_cast<int>(of) : far} {}
  SWEEP_HD constexpr bool operator()(std::int64_t i) const { return i % length == 0; }
  SWEEP_HD constexpr unsigned bits(std::int64_t first, int count, std::int64_t) const {
    unsigned found = 0;
    for (auto k = to_head(first); k < count; k += length) found |= 1u << k;
    return found;
  }
  static SWEEP_HD constexpr bits_span window(std::int64_t, std::int64_t, std::int64_t) { return {}; }

  /// How far behind item i, which may be before the first, the next segment begins, there or behind it.
  SWEEP_HD constexpr std::int64_t to_head(std::int64_t i) const {
    auto const rest = i % length;
    return rest > 0 ? length - rest : -rest;
  }
  /// The same of a place of a tile, in which the first segment begins at another.
  SWEEP_HD constexpr int to_head(int place, int first) const {
    int const behind = place - first;
    if (behind <= 0) return -behind;
    return (step.quotient(behind - 1) + 1) * static_cast<int>(step.divisor) - behind;
  }
};

/// Where segments begin: a thread block finds those of its tile itself and marks their heads
/// (segments/tile_heads.cuh).
template <class It>
struct marked_offset_source {
  static constexpr bool packed_heads = false, marked_in_tiles = true;
  It offsets;
  std::int64_t count;
};

/// The same by lengths: `ends` are made of them, or null where the block adds lengths up itself.
template <class It>
struct marked_length_source {
  static constexpr bool packed_heads = false, marked_in_tiles = true;
  struct begins {
    using value_type = std::int64_t;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = std::int64_t;
    using iterator_category = std::random_access_iterator_tag;
    std::int64_t const* ends;
    SWEEP_HD std::int64_t operator[](std::int64_t s) const { return s > 0 ? ends[s - 1] : 0; }
  };
  It lengths;
  std::int64_t const* ends;
  std::int64_t count;
};

// The source of a notation that says of each item whether it starts a segment.

/// Whether what should compare keys makes a number of them, as an operator does that stands in its place;
/// told where the compiler can compute it.
template <class F, class K>
inline constexpr bool makes_number_of_keys = [] {
  if constexpr (std::is_empty_v<F> && std::is_default_constructible_v<F> && std::is_arithmetic_v<K>)
    if constexpr (!std::is_same_v<std::invoke_result_t<F, K, K>, bool> &&
                  requires { typename std::bool_constant<(F{}(K{2}, K{1}) > 1)>; })
      return F{}(K{2}, K{1}) > 1;
  return false;
}();

template <class It, class Eq>
SWEEP_HD auto head_source_of(key_segments<It, Eq> const& from) {
  using equal = decltype(device_functor(from.equal));
  using key = decltype(unwrapped(from.keys)[0]);  // the source asks of what iterators give
  constexpr bool fits = makes<bool, equal, key, key>();
  static_assert(fits, "sweep: the equivalence cannot be called with two neighbouring items");
  if constexpr (fits)
    static_assert(!makes_number_of_keys<equal, std::remove_cvref_t<key>>,
                  "sweep: what compares the keys comes before the operator, and this makes numbers of them");
  if constexpr (fits)
    return key_source<unwrapped_t<It>, equal>{unwrapped(from.keys), device_functor(from.equal)};
  else return key_source<unwrapped_t<It>, never_holds>{unwrapped(from.keys), {}};
}
template <class It>
SWEEP_HD auto head_source_of(flag_segments<It> const& from) {
  return flag_source<unwrapped_t<It>>{unwrapped(from.flags)};
}
template <class It>
SWEEP_HD auto head_source_of(bit_segments<It> const& from) {
  return bit_source<unwrapped_t<It>>{unwrapped(from.words)};
}

/// Whether the keys lie where results may be written over them, and can be kept elsewhere.
template <class Segments>
inline constexpr bool may_be_overwritten = false;
template <class It, class Eq>
inline constexpr bool may_be_overwritten<key_segments<It, Eq>> = std::is_pointer_v<unwrapped_t<It>>&&
    std::is_default_constructible_v<value_of<It>>&& std::is_copy_assignable_v<value_of<It>>;

/// Whether results are written where keys stand.
template <class Segments, class Out>
SWEEP_HD bool overwrites(Out const& out, Segments const& from, std::int64_t n) {
  if constexpr (may_be_overwritten<Segments> && std::is_pointer_v<Out>) {
    auto const keys = unwrapped(from.keys);
    auto const first = reinterpret_cast<std::uintptr_t>(keys), to = reinterpret_cast<std::uintptr_t>(out);
    auto const count = static_cast<std::uintptr_t>(n);
    return to < first + count * sizeof(*keys) && first < to + count * sizeof(*out);
  } else {
    return false;
  }
}

/// Where segments start, for a scan_problem whose values are flagged<V>: in place of no_heads. With Starts
/// every segment begins with an initial value; NeedsNextHead: whoever reads the heads of a tile reads the
/// next one's first too.
template <class Source, class V, bool Starts, bool NeedsNextHead = false>
struct segment_heads {
  using mask = unsigned;
  static constexpr bool needs_next_head = NeedsNextHead;
  static constexpr bool segmented = true, packed_heads = Source::packed_heads;
  static constexpr bool marked_in_tiles = requires { Source::marked_in_tiles; };
  static constexpr bool fixed_length = requires { Source::fixed_length; };
  static constexpr bool starts = Starts;
  template <class Out, class>
  using written = written_value<Out, V>;

  Source source;
  V init{};

  SWEEP_NO_EXEC_CHECK
  template <direction Towards>
  SWEEP_HD mask at(std::int64_t lowest, int count, std::int64_t n) const {
    constexpr int next = Towards == direction::forward ? 0 : 1;
    mask found = 0;
    if constexpr (packed_heads) {
      found = source.bits(lowest + next, count, n);
    } else {
      for (int k = 0; k < count; ++k) {
        auto const i = lowest + k + next;
        if (i > 0 && i < n && source(i)) found |= 1u << k;
      }
    }
    return with_edge<Towards>(found, lowest, count, n);
  }

  /// The first item in scan order starts a segment.
  template <direction Towards>
  static SWEEP_HD mask with_edge(mask found, std::int64_t lowest, int count, std::int64_t n) {
    if constexpr (Towards == direction::forward) {
      if (lowest == 0) found |= 1u;
    } else {
      if (lowest + count == n) found |= 1u << (count - 1);
    }
    return found;
  }

  template <direction Towards>
  SWEEP_HD bits_span window(std::int64_t lowest, int count, std::int64_t n) const {
    return source.window(lowest + (Towards == direction::forward ? 0 : 1), count + (NeedsNextHead ? 1 : 0),
                         n);
  }

  SWEEP_NO_EXEC_CHECK
  template <class T, class Op, class X>
  SWEEP_HD T item(Op& op, X const& x, mask heads, int k) const {
    using count = decltype(T::heads);
    bool const head = (heads >> k & 1u) != 0;
    V value = static_cast<V>(x);
    if constexpr (Starts)
      if (head) value = op.op(init, value);
    return {value, static_cast<count>(head)};
  }

  template <class T>
  SWEEP_HD T before(T const& sum, mask heads, int k) const {
    return (heads >> k & 1u) != 0 ? T{init, 1} : sum;
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

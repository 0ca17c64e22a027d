// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_PROBLEM_HPP
#define SWEEP_DETAIL_PARTITION_PROBLEM_HPP

#include <sweep/detail/core/check.hpp>
#include <sweep/detail/core/choices.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/core/vector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace sweep::detail {

// Every compaction puts each item to one of two or three sides, in order. Sides count from 0; the last is
// that of items that no predicate holds for. The first sides are written, the others are dropped.

/// How many items of a range each side has, all but the last side: that one has the rest.
template <int Counts>
struct side_counts {
  std::int64_t of[Counts];

  SWEEP_HD friend side_counts operator+(side_counts a, side_counts const& b) {
    for (int k = 0; k < Counts; ++k) a.of[k] += b.of[k];
    return a;
  }
};

/// Integers side by side in memory that counts go to, whatever their width: one type for all of them, so that
/// a compaction is compiled once.
struct integers {
  void* first = nullptr;
  int bytes = 8;  ///< of each

  SWEEP_HD void put(int k, std::int64_t value) const {
    if (bytes == 8) put_as(k, value);
    else if (bytes == 4) put_as(k, static_cast<std::int32_t>(value));
    else if (bytes == 2) put_as(k, static_cast<std::int16_t>(value));
    else put_as(k, static_cast<std::int8_t>(value));
  }
  template <class F>
  void for_each_part(F f) const {
    f(static_cast<std::byte*>(first));
  }

 private:
  template <class T>
  SWEEP_HD void put_as(int k, T value) const {  // the integer's own type is its owner's affair
    std::memcpy(static_cast<std::byte*>(first) + k * static_cast<int>(sizeof(T)), &value, sizeof(T));
  }
};
template <int Counts>
SWEEP_HD constexpr integers integers_of(side_counts<Counts>* counts) {
  return {counts, sizeof(std::int64_t)};
}

/// An iterator that counts go through, as integers where it is that.
template <class It>
constexpr auto counts_through(It it) {
  return it;
}
template <int Counts>
constexpr integers counts_through(side_counts<Counts>* counts) {
  return integers_of(counts);
}
template <class T>
  requires(std::is_integral_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> &&
           !std::is_same_v<T, bool> && sizeof(T) <= 8)
constexpr integers counts_through(T* counts) { return {counts, sizeof(T)}; }

// Judges: the side of an item, from what they are told of it (itself, or its stencil).

/// Side 0: items for which the predicate says `Wanted`.
template <bool Wanted, class Pred>
struct where {
  static constexpr int sides = 2;
  static constexpr bool looks_left = false;
  template <class X>
  static constexpr void require() {
    require_predicate<Pred, X>();
  }
  mutable Pred pred;  ///< a caller's function need not be const

  SWEEP_SIDE_OF_CALLER
  template <class X>
  SWEEP_HD int operator()(X const& x) const {
    return static_cast<bool>(pred(x)) == Wanted ? 0 : 1;
  }
};
template <class Pred>
constexpr where<true, Pred> where_true(Pred pred) {
  return {pred};
}
template <class Pred>
constexpr where<false, Pred> where_false(Pred pred) {
  return {pred};
}

template <class Pred1, class Pred2>
struct by_two {
  static constexpr int sides = 3;
  static constexpr bool looks_left = false;
  template <class X>
  static constexpr void require() {
    require_predicate<Pred1, X>();
    require_predicate<Pred2, X>();
  }
  mutable Pred1 pred1;
  mutable Pred2 pred2;

  SWEEP_SIDE_OF_CALLER
  template <class X>
  SWEEP_HD int operator()(X const& x) const {
    return static_cast<bool>(pred1(x)) ? 0 : static_cast<bool>(pred2(x)) ? 1 : 2;
  }
};
template <class Pred1, class Pred2>
by_two(Pred1, Pred2) -> by_two<Pred1, Pred2>;

/// Side 0: items that differ from the one to their left. The first item has none and is not asked.
template <class Eq>
struct first_of_run {
  static constexpr int sides = 2;
  static constexpr bool looks_left = true;
  template <class X>
  static constexpr void require() {
    require_equivalence<Eq, X>();
  }
  mutable Eq eq;

  SWEEP_SIDE_OF_CALLER
  template <class X, class Y>
  SWEEP_HD int operator()(X const& left, Y const& x) const {
    return static_cast<bool>(eq(left, x)) ? 1 : 0;
  }
};
template <class Eq>
first_of_run(Eq) -> first_of_run<Eq>;  // clang finds none for an aggregate before 17

/// What a judge is told where there is no stencil.
struct the_items {};

/// Where sides go that nobody wants.
struct nowhere {};

/// The iterators that the first sides are written through.
template <class A, class B = nowhere, class C = nowhere>
struct side_outputs {
  static constexpr int count = std::is_same_v<B, nowhere> ? 1 : std::is_same_v<C, nowhere> ? 2 : 3;
  A a;
  B b{};
  C c{};

  template <int Side>
  SWEEP_HD constexpr auto const& of() const {
    if constexpr (Side == 0) return a;
    else if constexpr (Side == 1) return b;
    else return c;
  }
};
template <class... Outs>
side_outputs(Outs...) -> side_outputs<Outs...>;

template <class A, class B, class C, class Other>
constexpr side_outputs<Other, B, C> replaced_first(side_outputs<A, B, C> const& outputs, Other other) {
  return {other, outputs.b, outputs.c};
}

/// A side known when compiling, on both sides of the machine.
template <int Side>
struct side_number {
  SWEEP_HD constexpr operator int() const { return Side; }
};

/// Calls f(side_number<k>) for k = 0, ..., Count - 1.
SWEEP_SIDE_OF_CALLER
template <int Count, class F>
SWEEP_HD constexpr void for_each_side(F f) {
  [&]<int... Side>(std::integer_sequence<int, Side...>) { (f(side_number<Side>{}), ...); }
  (std::make_integer_sequence<int, Count>{});
}

/// One readable line where a policy's variants do not fit.
template <class... Choices>
constexpr void require_compaction_variant() {
  constexpr auto across = chosen<axis::across_tiles, across_tiles::ordered_lookback, Choices...>;
  static_assert(across != across_tiles::reduce_then_scan && across != across_tiles::scan_then_propagate,
                "sweep: a compaction has no such variant across tiles; variant::three_kernel is its form "
                "without look-back");
  static_assert(!chooses<axis::across_tiles, Choices...> ||
                    chosen<axis::compact_by, compact_by::single_pass, Choices...> == compact_by::single_pass,
                "sweep: variant::three_kernel does not look back, so there is no look-back to choose");
  static_assert(!chooses<axis::reduce_by, Choices...> && !chooses<axis::reduce_plan, Choices...>,
                "sweep: this policy carries a variant or plan of reduce, which a compaction does not have");
  static_assert(!chooses<axis::within_tile, Choices...> && !chooses<axis::scan_plan, Choices...>,
                "sweep: this policy carries a plan or a variant within the tile of scan, which a compaction "
                "does not have");
}

/// Where side 0 goes: to an output of its own, or over the items themselves.
enum class writing { apart, in_place };

/// Everything a compaction was asked for, with its types settled. What blocks and agents are written against.
template <writing Where, class Told, class Judge, class In, class Outputs, class Count>
struct partition_problem {
  static constexpr bool in_place = Where == writing::in_place;
  static constexpr bool looks_left = Judge::looks_left;
  static constexpr int sides = Judge::sides, written = Outputs::count;
  static constexpr bool told_items = std::is_same_v<Told, the_items>;  ///< the items decide for themselves
  using told_iterator = std::conditional_t<told_items, In, Told>;
  using raw = value_of<In>;
  using told_value = value_of<told_iterator>;
  using counts = side_counts<sides - 1>;

  template <class It>
  static constexpr bool contiguous = std::is_pointer_v<It>&& std::is_trivially_copyable_v<value_of<It>>;
  static constexpr bool in_contiguous = contiguous<In>, told_contiguous = contiguous<told_iterator>;

  /// Items per word: as many as the wider contiguous side moves in 16 bytes; of items that fill whole words
  /// only together, not more than 64 bytes.
  static constexpr int word_items = [] {
    int items = in_contiguous ? items_per_16_bytes(sizeof(raw)) : told_contiguous ? 16 : 4;
    if (told_contiguous) items = std::min(items, items_per_16_bytes(sizeof(told_value)));
    auto const widest = std::max(sizeof(raw), sizeof(told_value));
    while (items > 1 && static_cast<std::size_t>(items) * widest > 64) items /= 2;
    return items;
  }();

  SWEEP_HD constexpr told_iterator const& told() const {
    if constexpr (told_items) return in;
    else return stencil;
  }

  /// out[at] = item, where `out` is Side's output or a place in it.
  template <class Out, class Item>
  static SWEEP_HD void put_to(Out const& out, std::int64_t at, Item&& item) {
    using U = written_value<Out, std::remove_cvref_t<Item>>;
    if constexpr (std::is_same_v<U, std::remove_cvref_t<Item>>) out[at] = std::forward<Item>(item);
    else out[at] = static_cast<U>(std::forward<Item>(item));
  }
  template <int Side, class Item>
  SWEEP_HD void put(std::int64_t at, Item&& item) const {
    put_to(outputs.template of<Side>(), at, std::forward<Item>(item));
  }

  /// What all tiles have counted: one number, or one for each side but the last.
  SWEEP_HD void write_counts(counts const& all) const {
    if constexpr (std::is_same_v<Count, integers>) {
      for (int k = 0; k < sides - 1; ++k) count.put(k, all.of[k]);
    } else {
      using U = written_value<Count, std::int64_t>;
      *count = static_cast<U>(all.of[0]);
      if constexpr (sides == 3) count[1] = static_cast<U>(all.of[1]);
    }
  }

  template <writing Elsewhere, class OtherOutputs, class OtherCount>
  constexpr auto with(OtherOutputs other, OtherCount to) const {
    return partition_problem<Elsewhere, Told, Judge, In, OtherOutputs, OtherCount>{stencil, judge, in,
                                                                                   other,   to,    grid};
  }

  Told stencil;
  Judge judge;
  In in;
  Outputs outputs;
  Count count;
  tiling grid;
};

}  // namespace sweep::detail

#endif

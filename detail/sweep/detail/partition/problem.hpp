// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_PROBLEM_HPP
#define SWEEP_DETAIL_PARTITION_PROBLEM_HPP

#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/callable.hpp>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/core/values.hpp>
#include <sweep/detail/core/zip.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

// A compaction assigns each item to one of two or three parts, and each part keeps the items' order. Parts
// count from 0; the last is that of items that no predicate holds for. As many of the first as there are
// outputs are written, the others are dropped.

/// How many items of a range each part has, all but the last part: that one has the rest.
template <int Counts>
struct part_counts {
  std::int64_t of[Counts];

  SWEEP_HD friend part_counts operator+(part_counts a, part_counts const& b) {
    for (int k = 0; k < Counts; ++k) a.of[k] += b.of[k];
    return a;
  }
};

/// Integers side by side in memory, one for each counted part, of any width: one type for all of them, so
/// that a compaction is compiled once.
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
  void for_each_range(F f) const {
    f(static_cast<std::byte*>(first));
  }

 private:
  template <class T>
  SWEEP_HD void put_as(int k, T value) const {  // the integer may be of another type of this width
    std::memcpy(static_cast<std::byte*>(first) + k * static_cast<int>(sizeof(T)), &value, sizeof(T));
  }
};
template <int Counts>
SWEEP_HD constexpr integers integers_of(part_counts<Counts>* counts) {
  return {counts, sizeof(std::int64_t)};
}

/// Where counts are written: as integers where the iterator is a pointer to such, else through it.
template <class It>
SWEEP_HD constexpr auto counts_through(It it) {
  return it;
}
template <int Counts>
SWEEP_HD constexpr integers counts_through(part_counts<Counts>* counts) {
  return integers_of(counts);
}
template <class T>
  requires(std::is_integral_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> &&
           !std::is_same_v<T, bool> && sizeof(T) <= 8)
SWEEP_HD constexpr integers counts_through(T* counts) { return {counts, sizeof(T)}; }

// Selectors answer with an item's part. They are called with what is tested: the item, or the stencil's.

/// Part 0: items for which the predicate says `Wanted`.
template <bool Wanted, class Pred>
struct where {
  static constexpr int parts = 2;
  static constexpr bool looks_left = false;
  template <class X>
  SWEEP_HD static constexpr bool require() {
    return require_predicate<Pred, X>();
  }
  mutable Pred pred;  ///< a caller's function need not be const

  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD int operator()(X const& x) const {
    return static_cast<bool>(pred(x)) == Wanted ? 0 : 1;
  }
};
template <bool Wanted, class Pred>
struct type_arguments<where<Wanted, Pred>> : type_arguments<type_argument<Pred>> {};
template <class Pred>
SWEEP_HD constexpr where<true, Pred> select_where(Pred pred) {
  return {pred};
}
template <class Pred>
SWEEP_HD constexpr where<false, Pred> select_where_not(Pred pred) {
  return {pred};
}

/// A flag as a predicate.
struct is_set {
  template <class Flag>
    requires requires(Flag const& flag) { static_cast<bool>(flag); }
  SWEEP_HD constexpr bool operator()(Flag const& flag) const { return static_cast<bool>(flag); }
};

template <>
inline constexpr asked_for asks_for<is_set> = asked_for::flag;

/// What calls name the range that decides: pack has flags.
template <class Select>
SWEEP_HD constexpr char const* stencil_name() {
  return std::is_same_v<std::remove_cv_t<Select>, where<true, is_set>> ? "flags" : "stencil";
}
/// What calls name the output of a part, of so many.
SWEEP_HD constexpr char const* output_name(int outputs, int part) {
  if (outputs == 1) return "out";
  if (outputs == 2) return part == 0 ? "out_true" : "out_false";
  return part == 0 ? "out1" : part == 1 ? "out2" : "out3";
}

template <class Pred1, class Pred2>
struct by_two_predicates {
  static constexpr int parts = 3;
  static constexpr bool looks_left = false;
  template <class X>
  SWEEP_HD static constexpr bool require() {
    return require_predicate<Pred1, X>() && require_predicate<Pred2, X>();
  }
  mutable Pred1 pred1;
  mutable Pred2 pred2;

  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD int operator()(X const& x) const {
    return static_cast<bool>(pred1(x)) ? 0 : static_cast<bool>(pred2(x)) ? 1 : 2;
  }
};
template <class Pred1, class Pred2>
by_two_predicates(Pred1, Pred2) -> by_two_predicates<Pred1, Pred2>;

/// Part 0: items that differ from the one to their left. The first item has none, and belongs to
/// it uncompared.
template <class Eq>
struct first_of_run {
  static constexpr int parts = 2;
  static constexpr bool looks_left = true;
  template <class X>
  SWEEP_HD static constexpr bool require() {
    return require_equivalence<Eq, X>();
  }
  mutable Eq eq;

  SWEEP_NO_EXEC_CHECK
  template <class X, class Y>
  SWEEP_HD int operator()(X const& left, Y const& x) const {
    return static_cast<bool>(eq(left, x)) ? 1 : 0;
  }
};
template <class Eq>
first_of_run(Eq) -> first_of_run<Eq>;  // clang finds none for an aggregate before 17

/// What a range's items are made of, as a kernel loads it: what lies beneath them where that is one piece of
/// contiguous memory, either way round (the items themselves, or what a function makes them of), else the
/// items. With Elsewhere also where making an item reads other memory: of a permutation, the indices.
template <class It, bool Elsewhere = false>
struct beneath {
 private:
  using source = source_of_t<It>;
  template <class Source, bool>
  struct loaded {
    using type = stream_value<Source, 0>;
    static constexpr bool reversed = stream_reversed<Source, 0>;
  };
  template <class Source>
  struct loaded<Source, false> {
    using type = typename Source::value_type;
    static constexpr bool reversed = false;
  };

 public:
  static constexpr bool contiguous = source::streams == 1 && (Elsewhere || !source::reads_elsewhere);
  static constexpr bool reversed = loaded<source, contiguous>::reversed;
  using value = typename loaded<source, contiguous>::type;
  static constexpr bool is_items = !contiguous || std::is_same_v<source, memory_source<value, reversed>>;

  /// What the items from i on are made of.
  SWEEP_HD static constexpr memory_source<value, reversed> from(It const& it,
                                                                std::int64_t i = 0) requires contiguous {
    return {pointer(it, i)};
  }
  SWEEP_HD static constexpr value const* pointer(It const& it, std::int64_t i) requires contiguous {
    return source_of(it).template stream<0>().lowest(i, 1);
  }
  /// Item i of the range, of what lies beneath it.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD static constexpr value_of<It> item(It const& it, std::int64_t i, value const& x) {
    if constexpr (is_items) return x;
    else return source_of(it).template item<0>(i, [&](auto) { return x; });
  }
};

/// Pairs of key and value where the keys are what is tested, too.
template <class Keys, class Values>
class keyed_input : public zip_input<Keys, Values> {
 public:
  using zip_input<Keys, Values>::zip_input;
};
template <class It>
inline constexpr bool is_keyed_input = false;
template <class Keys, class Values>
inline constexpr bool is_keyed_input<keyed_input<Keys, Values>> = true;

SWEEP_NO_EXEC_CHECK
template <class Keys, class Values>
SWEEP_HD auto keyed(Keys keys, Values values) {
  return keyed_input<unwrapped_t<Keys>, unwrapped_t<Values>>(unwrapped(keys), unwrapped(values));
}

/// In place of a stencil where there is none: the items themselves are tested.
struct no_stencil {};

/// In place of an output: the part is dropped.
struct discarded {};

/// The iterators that the first parts are written through.
template <class A, class B = discarded, class C = discarded>
struct part_outputs {
  static constexpr int count = std::is_same_v<B, discarded> ? 1 : std::is_same_v<C, discarded> ? 2 : 3;
  A a;
  B b{};
  C c{};

  template <int Part>
  SWEEP_HD constexpr auto const& of() const {
    if constexpr (Part == 0) return a;
    else if constexpr (Part == 1) return b;
    else return c;
  }
};
template <class... Outs>
part_outputs(Outs...) -> part_outputs<Outs...>;

template <class A, class B, class C, class Other>
constexpr part_outputs<Other, B, C> replaced_first(part_outputs<A, B, C> const& outputs, Other other) {
  return {other, outputs.b, outputs.c};
}

/// A part known when compiling, on host and device.
template <int Part>
struct part_number {
  SWEEP_HD constexpr operator int() const { return Part; }
};

/// Whether an output is memory that holds X itself, and the lowest there of `count` items from this one on.
template <class Out, class X>
inline constexpr bool is_memory_of = std::is_same_v<Out, X*> || std::is_same_v<Out, reversed_items<X>>;
template <class X>
SWEEP_HD constexpr X* lowest_in(X* out, std::int64_t at, std::int64_t) {
  return out + at;
}
template <class X>
SWEEP_HD constexpr X* lowest_in(reversed_items<X> const& out, std::int64_t at, std::int64_t count) {
  return out.end() - (at + count);
}

/// Calls f(part_number<k>) for k = 0, ..., Count - 1.
SWEEP_NO_EXEC_CHECK
template <int Count, int Part = 0, class F>
SWEEP_HD constexpr void for_each_part(F&& f) {
  if constexpr (Part < Count) {
    f(part_number<Part>{});
    for_each_part<Count, Part + 1>(f);
  }
}

/// Where part 0 goes: to an output of its own, or over the items themselves.
enum class placement { out_of_place, in_place };

/// Everything a compaction was asked for, with its types complete. What tiles and agents are written
/// against.
template <placement Where, class Tested, class Select, class In, class Outputs, class Count>
struct partition_problem {
  static constexpr bool in_place = Where == placement::in_place;
  static constexpr bool looks_left = Select::looks_left;
  static constexpr int parts = Select::parts, written = Outputs::count;
  static constexpr bool tests_items = std::is_same_v<Tested, no_stencil>;  ///< there is no stencil
  using tested_iterator = std::conditional_t<tests_items, In, Tested>;
  using raw = value_of<In>;
  using tested_value = value_of<tested_iterator>;
  using counts = part_counts<parts - 1>;

  /// Whether the items are pointed at.
  static constexpr bool in_contiguous = std::is_pointer_v<In> && relocatable<raw>;
  /// What is loaded of what is tested, and of the items.
  using tested_beneath = beneath<tested_iterator>;
  using in_beneath = beneath<In>;
  static constexpr bool reads_elsewhere =
      source_of_t<In>::reads_elsewhere || source_of_t<tested_iterator>::reads_elsewhere;

  /// Items of a vector: as many as fill 16 bytes, of the wider of items and what is tested where that is
  /// contiguous, or what they are made of is; of items that fill whole 16 bytes only together, not more than
  /// 64 bytes. Items that no vector loads bring fill 16 bytes too, and are at least 4; of those that
  /// are read elsewhere wide ones, and narrow ones that others decide for, stand alone: lanes hold them as
  /// they have read them, neighbours.
  static constexpr int vector_items = [] {
    if (reads_elsewhere && (tests_items ? sizeof(raw) >= 16 : sizeof(raw) <= 4)) return 1;
    using in_loaded = typename in_beneath::value;
    using tested_loaded = typename tested_beneath::value;
    int items = in_beneath::contiguous       ? items_per_16_bytes(sizeof(in_loaded))
                : tested_beneath::contiguous ? 16
                                             : std::max(4, items_per_16_bytes(sizeof(raw)));
    if (tested_beneath::contiguous) items = std::min(items, items_per_16_bytes(sizeof(tested_loaded)));
    auto const widest = std::max(std::max(sizeof(raw), sizeof(tested_value)),
                                 std::max(sizeof(in_loaded), sizeof(tested_loaded)));
    while (items > 1 && static_cast<std::size_t>(items) * widest > 64) items /= 2;
    return items;
  }();

  /// Whether lanes hold single items that are read elsewhere.
  static constexpr bool single_items = reads_elsewhere && vector_items == 1;

  SWEEP_HD constexpr tested_iterator const& tested() const {
    if constexpr (tests_items) return in;
    else return stencil;
  }

  /// Whether part k is written to memory that holds items themselves, the other way round.
  static SWEEP_HD constexpr bool writes_reversed(int k) {
    return k == 0   ? std::is_same_v<decltype(Outputs::a), reversed_items<raw>>
           : k == 1 ? std::is_same_v<decltype(Outputs::b), reversed_items<raw>>
                    : std::is_same_v<decltype(Outputs::c), reversed_items<raw>>;
  }

  /// out[at] = item, where `out` is Part's output or a place in it.
  SWEEP_NO_EXEC_CHECK
  template <class Out, class Item>
  static SWEEP_HD void put_to(Out const& out, std::int64_t at, Item&& item) {
    using U = written_value<Out, std::remove_cvref_t<Item>>;
    if constexpr (std::is_pointer_v<Out> && std::is_same_v<U, std::remove_cvref_t<Item>> && relocatable<U> &&
                  !assigned_as_bytes<U>)
      put_bytes(out[at], item);  // which may be scratch, where no value stands yet
    else if constexpr (std::is_same_v<U, std::remove_cvref_t<Item>>) out[at] = std::forward<Item>(item);
    else out[at] = static_cast<U>(std::forward<Item>(item));
  }
  SWEEP_NO_EXEC_CHECK
  template <int Part, class Item>
  SWEEP_HD void put(std::int64_t at, Item&& item) const {
    put_to(outputs.template of<Part>(), at, std::forward<Item>(item));
  }

  /// What all tiles have counted: one number, or one for each part but the last.
  SWEEP_HD void write_counts(counts const& all) const {
    if constexpr (std::is_same_v<Count, integers>) {
      for (int k = 0; k < parts - 1; ++k) count.put(k, all.of[k]);
    } else {
      using U = written_value<Count, std::int64_t>;
      *count = static_cast<U>(all.of[0]);
      if constexpr (parts == 3) count[1] = static_cast<U>(all.of[1]);
    }
  }

  template <placement Elsewhere, class OtherOutputs, class OtherCount>
  constexpr auto with(OtherOutputs other, OtherCount to) const {
    return partition_problem<Elsewhere, Tested, Select, In, OtherOutputs, OtherCount>{stencil, select, in,
                                                                                      other,   to,     grid};
  }

  Tested stencil;
  Select select;
  In in;
  Outputs outputs;
  Count count;
  tiling grid;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

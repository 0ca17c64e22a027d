// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_PROBLEM_HPP
#define SWEEP_DETAIL_AXES_PROBLEM_HPP

#include <sweep/detail/axes/lines.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/places.hpp>
#include <sweep/detail/core/radix_word.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// What is written of a line: a result for each item, up to and with it or without it; or one for all.
enum class line_result { inclusive, exclusive, total };

// What stands before the first item of a line; `at` is the line's place among initial values.

struct nothing_before {
  template <class T>
  SWEEP_HD constexpr optional<T> of(std::int64_t) const {
    return {};
  }
};
template <class Value>
struct one_before {
  Value value;
  template <class T>
  SWEEP_HD constexpr optional<T> of(std::int64_t) const {
    return {static_cast<T>(value), true};
  }
};
/// A value a line, in an array without the axis.
template <class It>
struct each_before {
  It values;
  SWEEP_NO_EXEC_CHECK
  template <class T>
  SWEEP_HD constexpr optional<T> of(std::int64_t at) const {
    return {static_cast<T>(values[static_cast<typename std::iterator_traits<It>::difference_type>(at)]),
            true};
  }
};

/// Item `at` of the output, in whole words where it has any.
SWEEP_NO_EXEC_CHECK
template <class Out, class Place, class V>
SWEEP_HD void put_item(Out const& out, Place const& at, V&& value) {
  if constexpr (std::is_pointer_v<Out> && relocatable<std::remove_cvref_t<V>>) put_bytes(out[at], value);
  else out[static_cast<typename std::iterator_traits<Out>::difference_type>(at)] = static_cast<V&&>(value);
}

/// Whether a function of an item only says what its bytes mean: it may be called again, and what waits is the
/// item.
template <class F>
inline constexpr bool is_free = std::is_same_v<F, identity>;

/// Whether what it makes of such an item has the same bytes.
template <class F, class Item>
inline constexpr bool keeps_bytes = false;

/// Of writers that read nothing.
struct nothing_seen {};

/// What an input reads of an item, where it makes its items of that and of where they are (composed_input).
template <class In, class Place>
inline constexpr bool makes_items = requires(In const& from, Place const& at) {
  from.read.fetch(at);
};
/// Whether what it reads of them lies in memory, as it says.
template <class In>
inline constexpr bool reads_memory = requires(In const& from) {
  from.read.memory();
};
template <class In, class Place>
struct fetched_by {
  using type = value_of<In>;
};
template <class In, class Place>
  requires makes_items<In, Place>
struct fetched_by<In, Place> {
  using type = decltype(std::declval<In const&>().read.fetch(std::declval<Place const&>()));
};

/// Everything a call along an axis was asked for, with its types complete. Backward is a line whose strides
/// are turned round.
template <line_result What, class T, class In, class Out, class Op, class Unary, class Before,
          class Grid = grid_of_lines<place_in<In>, place_in<Out>>>
struct axis_problem {
  static constexpr line_result what = What;
  using value = T;
  using in_place = place_in<In>;
  using out_place = place_in<Out>;
  using raw = value_of<In>;
  using out_value = written_value<Out, T>;

  In in;
  Out out;
  mutable Op op;
  mutable Unary unary;  ///< a caller's function need not be const
  Before before;
  Grid grid;

  SWEEP_NO_EXEC_CHECK
  template <class X>
  SWEEP_HD T of(X&& x) const {
    return static_cast<T>(unary(static_cast<X&&>(x)));
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD T item(in_place const& at) const {
    return of(in[static_cast<typename std::iterator_traits<In>::difference_type>(at)]);
  }
  /// An item in two steps, so that what waits between them is what was read of it, where that is less.
  using fetched = typename fetched_by<In, in_place>::type;
  static constexpr bool waits_fetched =
      makes_items<In, in_place> && is_free<Unary> && relocatable<fetched> && sizeof(fetched) < sizeof(T);
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD fetched fetch(in_place const& at) const { return in.read.fetch(at); }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD T made(fetched const& x, in_place const& at) const { return of(in.read.make(x, at)); }
  /// Whether what is read of the items lies in memory: from memory() on, that of item `at` at its first
  /// place.
  static constexpr bool makes_of_memory = waits_fetched && reads_memory<In>;
  static constexpr bool of_memory = std::is_pointer_v<In> || makes_of_memory;
  using in_memory = std::conditional_t<makes_of_memory, fetched, raw>;
  SWEEP_HD auto memory() const {
    if constexpr (makes_of_memory) return in.read.memory();
    else return in;
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD T of_read(in_memory const& x, [[maybe_unused]] in_place const& at) const {
    if constexpr (makes_of_memory) return made(x, at);
    else return of(x);
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void put(out_place const& at, T const& result) const {
    put_item(out, at, static_cast<out_value>(result));
  }
  /// What a writer reads before it writes item `at`: it is asked for it of several items before the first of
  /// them is written, so that it waits for memory once.
  static constexpr bool looks = requires(Out const& to, out_place const& at) { to.write.look(at); };
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD auto look(out_place const& at) const {
    if constexpr (looks) return out.write.look(at);
    else return nothing_seen{};
  }
  SWEEP_NO_EXEC_CHECK
  template <class Seen>
  SWEEP_HD void put(out_place const& at, T const& result, Seen const& seen) const {
    if constexpr (looks) out.write(at, static_cast<out_value>(result), seen);
    else put(at, result);
  }
  SWEEP_NO_EXEC_CHECK
  template <class Place>
  SWEEP_HD optional<T> before_line(Place const& line) const {
    return before.template of<T>(line.init);
  }
};

/// The next item of a line, and what is written for it: `sum` is what came before, and then with it.
SWEEP_NO_EXEC_CHECK
template <line_result What, class T, class Op>
SWEEP_HD T next_of_line(optional<T>& sum, T const& x, Op& op) {
  T const before = sum.value;
  sum = {combine(sum, x, op), true};
  if constexpr (What == line_result::exclusive) return before;
  else return sum.value;
}

/// Items [first, end) of a line, after `sum`: the meaning of a call along an axis.
SWEEP_NO_EXEC_CHECK
template <class Problem, class Place, class T>
SWEEP_HD void walk_line(Problem const& problem, Place const& at, std::int64_t first, std::int64_t end,
                        optional<T>& sum) {
  auto op = problem.op;
  auto const& grid = problem.grid;
  for (auto i = first; i < end; ++i) {
    T const result = next_of_line<Problem::what>(sum, problem.item(at.in + i * grid.in), op);
    if constexpr (Problem::what != line_result::total) problem.put(at.out + i * grid.out, result);
  }
}

/// Whether lines are so many, or so short, that each is one chain of operations, by one thread: a matter of
/// extents alone, since it is part of what fixes the bits. Fewer and longer ones are cut into chunks.
inline constexpr std::int64_t lines_that_fill_a_device = 1 << 16, length_of_one_chain = 64;
inline constexpr std::size_t widest_in_chunks = 64;  // bytes of a value
template <class T, class Grid>
constexpr bool in_one_chain(Grid const& grid) {
  return sizeof(T) > widest_in_chunks || grid.lines >= lines_that_fill_a_device ||
         grid.length <= length_of_one_chain;
}

/// Neighbours of a line that one thread folds as a chain: 64 bytes of them, and no more than 16; 32 of narrow
/// numbers that are scanned, several of which share a register. 32 of such strips make a chunk.
template <class T, line_result What>
inline constexpr int strip_items = [] {
  int items = What != line_result::total && (std::is_arithmetic_v<T> || is_half<T>) ? 32 : 16;
  while (items > 1 && items * static_cast<int>(sizeof(T)) > 64) items /= 2;
  return items;
}();
template <class T, line_result What>
inline constexpr int chunk_items = 32 * strip_items<T, What>;
template <class T, line_result What>
SWEEP_HD constexpr std::int64_t chunks_of_line(std::int64_t length) {
  return (length + chunk_items<T, What> - 1) / chunk_items<T, What>;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_COLUMNS_HPP
#define SWEEP_DETAIL_SPMV_COLUMNS_HPP

#include <sweep/detail/convert_csr/preconditions.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/for_each.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/spmv/dispatch.hpp>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/detail/spmv/tuning.hpp>
#include <sweep/semiring.hpp>
#include <sweep/strided.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

// A product with several columns is one with a vector whose items are some columns side by side: what is done
// with one is done with each. A single column is a vector itself.

template <class V, int C, class Plus>
struct plus_each {
  mutable Plus plus;  ///< a caller's function need not be const
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD column_items<V, C> operator()(column_items<V, C> const& a, column_items<V, C> const& b) const {
    column_items<V, C> sums;
    for (int c = 0; c < C; ++c) sums.of[c] = static_cast<V>(plus(a.of[c], b.of[c]));
    return sums;
  }
};
template <class V, int C, class Times>
struct times_each {
  mutable Times times;
  SWEEP_NO_EXEC_CHECK
  template <class A, class X>
  SWEEP_HD column_items<V, C> operator()(A const& a, column_items<X, C> const& x) const {
    column_items<V, C> products;
    for (int c = 0; c < C; ++c) products.of[c] = static_cast<V>(times(a, x.of[c]));
    return products;
  }
};

/// Columns that several passes have: each so many, the last one what is left.
struct column_passes {
  std::int64_t columns, of_pass;
  SWEEP_HD constexpr int count() const { return static_cast<int>((columns + of_pass - 1) / of_pass); }
  SWEEP_HD constexpr int columns_of(int pass) const {
    auto const left = columns - pass * of_pass;
    return static_cast<int>(left < of_pass ? left : of_pass);
  }
};

/// Columns of a dense matrix, a row an item: [0, C) where items are whole, of which `count` exist. Lanes of a
/// device have [0, count) together, C each (tile/column_walk.cuh), in the first of some passes.
template <class It, int C>
struct column_reader {
  using item = value_of<It>;
  using value_type = column_items<item, C>;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = value_type;
  using iterator_category = std::random_access_iterator_tag;
  static constexpr std::size_t alignment = sizeof(value_type) < 16 ? sizeof(value_type) : 16;

  It first;
  std::int64_t row_stride, column_stride;
  int count;
  bool in_words;  ///< whether each C of a row's items are one vector of memory, and all of them exist
  column_passes passes;

  SWEEP_HD column_reader of_pass(int pass) const {
    int const columns = passes.columns_of(pass);
    return {first + pass * passes.of_pass * column_stride,
            row_stride,
            column_stride,
            columns,
            in_words && columns % C == 0,
            passes};
  }

  SWEEP_NO_EXEC_CHECK
  SWEEP_HD value_type operator[](std::int64_t row) const {
    value_type items{};
    auto const at = row * row_stride;
    if constexpr (is_vector_of<It, C>)
      if (in_words) {
        std::memcpy(static_cast<void*>(&items), __builtin_assume_aligned(first + at, alignment),
                    sizeof items);
        return items;
      }
    for (int c = 0; c < C; ++c)
      if (c < count) items.of[c] = first[at + c * column_stride];
    return items;
  }
  SWEEP_HD value_type operator*() const { return (*this)[0]; }
};
template <class It, int C>
struct column_writer {
  using item = value_of<It>;
  using value_type = void;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;

  It first;
  std::int64_t row_stride, column_stride;
  int count;
  bool in_words = false;  ///< whether x and y are

  /// A pass may read columns that no row of y has.
  SWEEP_HD column_writer of_pass(column_passes const& passes, int pass) const {
    int const columns = passes.columns_of(pass);
    return {first + pass * passes.of_pass * column_stride, row_stride, column_stride,
            columns < count ? columns : count, in_words && columns % C == 0};
  }

  struct reference {
    column_writer const* to;
    std::int64_t row;
    SWEEP_NO_EXEC_CHECK
    template <class V>
    SWEEP_HD void operator=(column_items<V, C> const& items) const {
      auto const at = row * to->row_stride;
      for (int c = 0; c < C; ++c)
        if (c < to->count)
          to->first[at + c * to->column_stride] = static_cast<written_value<It, V>>(items.of[c]);
    }
  };
  SWEEP_HD reference operator[](std::int64_t row) const { return {this, row}; }
  SWEEP_HD reference operator*() const { return {this, 0}; }
  /// What stands there, where a product is added to it.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD column_items<value_of<It>, C> sums_of(std::int64_t row) const {
    column_items<value_of<It>, C> items{};
    auto const at = row * row_stride;
    for (int c = 0; c < C; ++c)
      if (c < count) items.of[c] = first[at + c * column_stride];
    return items;
  }
};

// What a host's threads read and write: C columns side by side, all of which exist; or up to C that lie
// anywhere, where those that do not exist are the last one once more, so that no loop asks which do. Sums are
// folded number by number, so that a loop keeps them in registers.

template <class It, int C, bool SideBySide>
struct host_columns {
  using item = value_of<It>;
  using value_type = column_items<item, C>;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = value_type;
  using iterator_category = std::random_access_iterator_tag;

  It first;
  std::int64_t row_stride;
  int count;
  std::int64_t places[SideBySide ? 1 : C];  ///< of columns in a row

  SWEEP_HD host_columns(It const& first_one, std::int64_t rows_apart, std::int64_t columns_apart,
                        int existing)
      : first{first_one}, row_stride{rows_apart}, count{existing}, places{} {
    if constexpr (!SideBySide)
      for (int c = 0; c < C; ++c) places[c] = (c < count ? c : count - 1) * columns_apart;
  }

  SWEEP_HD std::int64_t place(std::int64_t row, int c) const {
    if constexpr (SideBySide) return row * row_stride + c;
    else return row * row_stride + places[c];
  }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD value_type operator[](std::int64_t row) const {
    value_type items;
    for (int c = 0; c < C; ++c) items.of[c] = first[place(row, c)];
    return items;
  }
  SWEEP_HD value_type operator*() const { return (*this)[0]; }

  /// What entries [k, end), of which there are some, make of their rows.
  SWEEP_NO_EXEC_CHECK
  template <class V, class Indices, class Values, class Times, class Plus>
  SWEEP_HD column_items<V, C> fold(Indices const& rows, Values const& values, std::int64_t k,
                                   std::int64_t end, times_each<V, C, Times>& times,
                                   plus_each<V, C, Plus>& plus) const {
    column_items<V, C> sums;
    auto const product = [&](auto const& a, std::int64_t row, int c) {
      return static_cast<V>(times.times(a, static_cast<item const&>(first[place(row, c)])));
    };
    {
      auto const& a = values[k];
      auto const row = static_cast<std::int64_t>(rows[k]);
      for (int c = 0; c < C; ++c) sums.of[c] = product(a, row, c);
    }
    while (++k < end) {
      auto const& a = values[k];
      auto const row = static_cast<std::int64_t>(rows[k]);
      for (int c = 0; c < C; ++c) sums.of[c] = static_cast<V>(plus.plus(sums.of[c], product(a, row, c)));
    }
    return sums;
  }

  struct written {
    host_columns const* to;
    std::int64_t row;
    SWEEP_NO_EXEC_CHECK
    template <class V>
    SWEEP_HD void operator=(column_items<V, C> const& items) const {
      for (int c = 0; c < C; ++c)
        if (SideBySide || c < to->count)
          to->first[to->place(row, c)] = static_cast<written_value<It, V>>(items.of[c]);
    }
  };
};
/// The same as an output.
template <class It, int C, bool SideBySide>
struct host_column_writer : host_columns<It, C, SideBySide> {
  using base = host_columns<It, C, SideBySide>;
  using base::base;
  using value_type = void;
  using reference = typename base::written;
  SWEEP_HD reference operator[](std::int64_t row) const { return {this, row}; }
  SWEEP_HD reference operator*() const { return {this, 0}; }
  /// What stands there, where a product is added to it.
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD column_items<value_of<It>, C> sums_of(std::int64_t row) const { return base::operator[](row); }
};

/// As many columns at once as 32 bytes of sums hold: a sector of memory, where they lie side by side; on a
/// host's threads eight, of up to a cache line.
template <class V, bool OnHost = false>
inline constexpr int columns_at_once = [] {
  auto const fit = static_cast<int>((OnHost ? 64 : 32) / sizeof(V));
  return fit < 1 ? 1 : OnHost && fit > 8 ? 8 : fit;
}();
/// Where lanes have the columns of an entry: how many each has, and whether a product is made so.
template <class V>
inline constexpr int columns_of_lane = sizeof(V) <= 4   ? 4
                                       : sizeof(V) <= 8 ? 2
                                                        : 1;
template <class Policy, class V>
inline constexpr bool lanes_have_columns =
    !on_host<Policy> && sizeof(V) <= 16 && !needs_entries(spmv_variant<Policy>);

/// As many items as fill vectors of C.
template <int C, class N>
SWEEP_HD constexpr N whole_vectors(N count) {
  return (count + (C - 1)) / C * C;
}
/// C neighbouring columns of a row, side by side in memory, in vectors where rows of it are such. In place of
/// columns that do not exist stands the last one again, so that functions see nothing that is not in x.
/// Neighbours are those of one row where its columns are, else all rows.
template <class In, class T, int C>
struct pack_columns {
  In first;
  std::int64_t row_stride, column_stride, rows;
  int count;
  bool in_words;
  T* to;

  SWEEP_HD std::int64_t pieces() const { return whole_vectors<C>(count) / C; }
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t i) const {
    bool const by_rows = column_stride == 1;
    auto const nth = static_cast<int>(by_rows ? i % pieces() : i / rows);
    auto const row = by_rows ? i / pieces() : i - nth * rows, at = row * row_stride;
    auto* const place = to + (row * whole_vectors<C>(count) + nth * C);
    column_items<T, C> items;
    for (int c = 0; c < C; ++c) {
      auto const column = nth * C + c < count ? nth * C + c : count - 1;
      put_bytes(items.of[c], static_cast<T>(first[at + column * column_stride]));
    }
    if (in_words) {
      constexpr auto aligned_to = sizeof items < 16 ? sizeof items : std::size_t{16};
      std::memcpy(__builtin_assume_aligned(static_cast<void*>(place), aligned_to), &items, sizeof items);
    } else {
      for (int c = 0; c < C; ++c) put_bytes(place[c], items.of[c]);
    }
  }
};
SWEEP_NO_EXEC_CHECK
template <class Policy, class In, class T, int C>
SWEEP_HD void put_side_by_side(Policy const& policy, char const* call,
                               pack_columns<In, T, C> const& columns) {
  for_each_index(policy, call, columns.rows * columns.pieces(), columns);
}
/// Passes over rows of x that lie in so many items of memory.
SWEEP_NO_EXEC_CHECK
template <class T, class Policy, class Passes>
SWEEP_HD void with_packed_rows(Policy const& given, char const* call, std::int64_t items,
                               Passes const& passes) {
  auto const target = resolve<spmv_options>(given);
  with_memory<T>(target.policy, call, items, passes);
  finish(call, target);
}

template <class View>
SWEEP_HD void require_extents(char const* call, char const* name, View const& view, std::int64_t rows,
                              std::int64_t columns, char const* of) {
  if (view.extents[0] != rows)
    refuse_argument(call, name, "has ", view.extents[0], " rows, but ", of, " ", rows);
  if (view.extents[1] != columns)
    refuse_argument(call, name, "has ", view.extents[1], " columns, but the other ", columns);
}

/// From the public call to products of some columns each.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Planned, class X, class Y, class Semiring, class Result>
SWEEP_HD void spmm(char const* call, Policy const& given, Planned const& planned, X const& x, Y const& y,
                   Semiring const& by, Result const& result_of) {
  auto const& a = planned.matrix;
  using in = unwrapped_t<decltype(x.first)>;
  using out = unwrapped_t<decltype(y.first)>;
  auto const ring = semiring_of<value_of<decltype(a.values)>, value_of<in>>(by);
  using V = std::remove_const_t<decltype(ring.zero)>;
  auto const target = resolve<spmv_options>(given);
  constexpr bool by_lanes = lanes_have_columns<std::remove_cvref_t<decltype(target.policy)>, V>;
  constexpr bool host = on_host<std::remove_cvref_t<decltype(target.policy)>>;
  auto const plus = device_functor(ring.plus);
  auto const times = device_functor(ring.times);
  auto const columns = y.extents[1];
  require_extents(call, "x", x, a.columns, columns, "the matrix has as many columns as");
  require_extents(call, "y", y, a.rows, columns, "the matrix");
  auto const first = unwrapped(x.first);
  auto const to = unwrapped(y.first);
  if (a.rows > 0 && columns > 0) {
    if (a.nonzeros > 0) require_range(target.policy, call, "x", first);
    require_range(target.policy, call, "y", to);
    require_places_of_their_own(call, y.extents, y.strides, "y");
  }
  using plus_type = std::remove_const_t<decltype(plus)>;
  using times_type = std::remove_const_t<decltype(times)>;
  // The products with C columns, from those readers into those writers.
  auto const some = [&]<int C>(auto const& policy, std::integral_constant<int, C>, auto const& from,
                               auto const& into) {
    column_items<V, C> zero;
    for (int c = 0; c < C; ++c) zero.of[c] = ring.zero;
    spmv(call, policy, planned, from, into,
         semiring{plus_each<V, C, plus_type>{plus}, times_each<V, C, times_type>{times}, zero},
         as_made{result_of(ring.zero)});
  };
  // Those of `count` columns, each as a vector of its own, on the device by one kernel.
  auto const each = [&](auto const& policy, std::int64_t c, int count) {
    spmv(call, policy, planned,
         strided_column<in>{first + c * x.strides[1], x.strides[0], x.strides[1], count},
         strided_column<out>{to + c * y.strides[1], y.strides[0], y.strides[1], count}, ring, result_of);
  };
  auto const one = [&](auto const& policy, std::int64_t c) { each(policy, c, 1); };
  auto const all = [&](auto const& policy) {
    if constexpr (host) {
      // Up to eight columns at once where they lie side by side, up to four that lie anywhere.
      constexpr int C = columns_at_once<V, true>, few = C < 4 ? C : 4;
      bool const side_by_side = x.strides[1] == 1 && y.strides[1] == 1;
      auto const next = [&]<int N, bool SideBySide>(std::int64_t c, std::integral_constant<int, N> n,
                                                    std::bool_constant<SideBySide>) {
        auto const count = static_cast<int>(columns - c < N ? columns - c : N);
        some(
            policy, n,
            host_columns<in, N, SideBySide>{first + c * x.strides[1], x.strides[0], x.strides[1], count},
            host_column_writer<out, N, SideBySide>{to + c * y.strides[1], y.strides[0], y.strides[1], count});
        return count;
      };
      // As many as there are of N or fewer, at least two.
      auto const most = [&]<int N>(std::int64_t c, std::integral_constant<int, N> n, auto const& self) {
        if constexpr (N > 2)
          if (columns - c < N) return self(c, std::integral_constant<int, N - 1>{}, self);
        return next(c, n, std::true_type{});
      };
      for (std::int64_t c = 0; c < columns;) {
        if constexpr (C > 1) {
          if (columns - c == 1) one(policy, c++);
          else if (side_by_side) c += most(c, std::integral_constant<int, C>{}, most);
          else c += next(c, std::integral_constant<int, few>{}, std::false_type{});
        } else {
          one(policy, c++);
        }
      }
    } else {
      constexpr int C = by_lanes ? columns_of_lane<V> : columns_at_once<V>;
      if constexpr (by_lanes || C > 1)
        if (columns == 1) return one(policy, 0);
      // Lanes side by side read a row side by side. Columns that lie apart are sectors of their own for each
      // entry, whoever reads it: they are put side by side before, where there are entries enough. Where
      // there are not, while a cache has the entries, or products are few, columns are vectors of one kernel.
      // The fewer columns of others are under way the longer their neighbours stay in a cache.
      using item = std::remove_cv_t<value_of<in>>;
      constexpr bool can_pack = by_lanes && std::is_pointer_v<in> && relocatable<item>;
      constexpr bool can_be_vectors =
          by_lanes && spmv_variant<std::remove_cvref_t<decltype(target.policy)>> == spmv_by::balance;
      constexpr std::int64_t most = std::int64_t{C} * column_lanes(sizeof(V));
      bool const are_apart = x.strides[1] != 1, are_many = columns > columns_at_once<V>;
      [[maybe_unused]] bool packs = can_pack && a.nonzeros >= 8 * a.columns;
      // Of many entries also fewer columns that are apart; and rows that are no vectors, which are read item
      // by item else.
      if constexpr (can_pack)
        packs =
            packs && (are_apart ? are_many || (columns >= C && are_worth_packing(a.nonzeros))
                                : columns > C && is_vector_of<item*, C> && are_worth_packing(a.nonzeros) &&
                                      !in_vectors<C>(first, x.strides[0], 1, columns));
      if constexpr (can_be_vectors) {
        constexpr auto entry = sizeof(value_of<decltype(a.indices)>) + sizeof(value_of<decltype(a.values)>);
        constexpr std::int64_t of_kernel = std::int64_t{C} * 8;
        bool const are_few = are_few_products(a.nonzeros, columns, (columns + of_kernel - 1) / of_kernel,
                                              are_apart),
                   are_cached = are_apart && are_many && !packs && !are_streamed(a.nonzeros, entry);
        if (a.nonzeros >= 0 && (are_few || are_cached)) {
          for (std::int64_t c = 0; c < columns; c += vectors_at_once)
            each(policy, c, static_cast<int>(columns - c < vectors_at_once ? columns - c : vectors_at_once));
          return;
        }
      }
      auto const passes = [&](auto const& by_policy, item* packed) {
        std::int64_t const of_pass = !by_lanes              ? C
                                     : packed || !are_apart ? most
                                                            : columns_at_once<V>,
                           at_once = by_lanes && !packed ? passes_at_once * of_pass : of_pass;
        for (std::int64_t c = 0; c < columns; c += at_once) {
          auto const left = columns - c < at_once ? columns - c : at_once;
          int const count = static_cast<int>(left < of_pass ? left : of_pass);
          std::int64_t width = count;
          auto from = first + c * x.strides[1];
          auto const into = to + c * y.strides[1];
          auto row_stride = x.strides[0], column_stride = x.strides[1];
          if constexpr (can_pack)
            if (packed) {
              put_side_by_side(by_policy, call,
                               pack_columns<in, item, C>{from, row_stride, column_stride, a.columns, count,
                                                         is_vector_of<item*, C>, packed});
              from = packed;
              row_stride = width = whole_vectors<C>(count);
              column_stride = 1;
            }
          // Of rows of y that are no vectors, too, lanes find each by one multiplication of 32 bits.
          bool const in_words = in_vectors<C>(from, row_stride, column_stride, static_cast<int>(width)) &&
                                (!by_lanes || are_near_rows(into, y.strides[0])),
                     to_words = in_words && in_vectors<C>(into, y.strides[0], y.strides[1], count);
          some(by_policy, std::integral_constant<int, C>{},
               column_reader<in, C>{from, row_stride, column_stride, static_cast<int>(width), in_words,
                                    column_passes{packed ? width : left, of_pass}},
               column_writer<out, C>{into, y.strides[0], y.strides[1], count, to_words});
        }
      };
      if constexpr (can_pack)
        if (packs)
          return with_packed_rows<item>(
              policy, call, a.columns * whole_vectors<C>(columns < most ? columns : most), passes);
      passes(policy, static_cast<item*>(nullptr));
    }
  };
  if constexpr (runs_in_one_loop<Policy>) {
    all(given);
  } else if constexpr (is_checked<std::remove_cvref_t<decltype(target.policy)>>) {
    require_matrix(target.policy, call, a);  // once, and before memory is obtained, when nothing runs
    with_memory_first([&] { all(without_checks(target.policy)); });
  } else {
    with_memory_first([&] { all(given); });
  }
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

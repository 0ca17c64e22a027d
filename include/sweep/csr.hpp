// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_CSR_HPP
#define SWEEP_CSR_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

/// \file
/// Sparse matrices as the caller has them.

/// \defgroup csr Sparse matrices
/// `#include <sweep/csr.hpp>`: a sparse matrix in compressed rows (CSR), as the caller has it. Nothing is
/// copied: what the iterators point to must stay until the call (on the device: the stream) is done with it.

namespace sweep::inline SWEEP_ABI {

namespace detail {

/// An iterator that gives one value everywhere: the entries of a matrix of which only the pattern is known.
template <class T>
struct same_value {
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = T;
  using iterator_category = std::random_access_iterator_tag;
  T value;
  SWEEP_HD constexpr T operator[](difference_type) const { return value; }
  SWEEP_HD constexpr T operator*() const { return value; }
  friend SWEEP_HD constexpr same_value operator+(same_value it, difference_type) { return it; }
};

/// All rows of a matrix.
using every_row = same_value<bool>;

/// The begin of a range, or an iterator as it is.
SWEEP_NO_EXEC_CHECK
template <class T>
SWEEP_HD constexpr auto begin_of(T& from) {
  if constexpr (std::is_array_v<T>) return &from[0];
  else if constexpr (is_range<T>) return from.begin();
  else return from;
}
template <class T>
using begin_of_t = std::remove_cv_t<decltype(begin_of(std::declval<T&>()))>;

/// How many items a range has; -1 where nobody says.
SWEEP_NO_EXEC_CHECK
template <class T>
SWEEP_HD constexpr std::int64_t size_of(T& from) {
  if constexpr (!std::is_array_v<T> && is_range<T>)
    return static_cast<std::int64_t>(from.end() - from.begin());
  else return -1;
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_wrong_size(char const* call, char const* argument,
                                                                    std::int64_t has, char const* but,
                                                                    std::int64_t wants) {
  throw bad_argument(call, argument, "has " + std::to_string(has) + but + std::to_string(wants));
}

}  // namespace detail

/// \addtogroup csr
/// @{

/// A sparse matrix in compressed rows: row r has the entries values[k] in columns indices[k], for k in
/// [offsets[r], offsets[r + 1]), in any order of columns, some of them perhaps more than once. Rows may be
/// empty. Values may come from any iterator, also from one that computes them.
template <class Offsets, class Indices, class Values = detail::same_value<int>,
          class Rows = detail::every_row>
struct csr_view {
  std::int64_t rows, columns;
  std::int64_t nonzeros;  ///< how many entries there are, or -1 where only offsets[rows] says so
  Offsets offsets;        ///< rows + 1 integers, not decreasing, from 0, also where rows are some of a larger
                          ///< matrix, to the number of entries
  Indices indices;        ///< the column of each entry
  Values values;          ///< its value
  Rows wanted;            ///< which rows a product writes: a flag each

  /// All of its members.
  ///
  /// \param row_count,column_count  how many rows and columns there are
  /// \param entries                 how many entries there are, or -1
  /// \param row_offsets             row_count + 1 integers
  /// \param column_indices          a column for each entry
  /// \param entry_values            a value for each entry
  /// \param wanted_rows             a flag for each row
  SWEEP_HD constexpr csr_view(std::int64_t row_count, std::int64_t column_count, std::int64_t entries,
                              Offsets row_offsets, Indices column_indices, Values entry_values,
                              Rows wanted_rows)
      : rows{row_count},
        columns{column_count},
        nonzeros{entries},
        offsets{row_offsets},
        indices{column_indices},
        values{entry_values},
        wanted{wanted_rows} {
    static_assert(std::is_integral_v<detail::value_of<Offsets>> &&
                      std::is_integral_v<detail::value_of<Indices>>,
                  "sweep: offsets and indices of a sparse matrix are integers");
  }

  /// From iterators, or containers, whose sizes are looked at: only they tell a call on the device how many
  /// entries there are, unless it is said.
  ///
  /// \param row_count,column_count  how many rows and columns there are
  /// \param row_offsets             row_count + 1 integers: an iterator, or a container
  /// \param column_indices          a column for each entry: an iterator, or a container
  /// \param entry_values            a value for each entry: an iterator, or a container
  template <class O, class I, class V>
    requires(!std::is_arithmetic_v<std::remove_cvref_t<O>>)
  constexpr csr_view(std::int64_t row_count, std::int64_t column_count, O&& row_offsets, I&& column_indices,
                     V&& entry_values)
      : csr_view(row_count, column_count, entries_of(row_count, row_offsets, column_indices, entry_values),
                 detail::begin_of(row_offsets), detail::begin_of(column_indices),
                 detail::begin_of(entry_values), Rows{true}) {}

  /// The same, with the number of entries.
  ///
  /// \param row_count,column_count  how many rows and columns there are
  /// \param entries                 how many entries there are
  /// \param row_offsets             row_count + 1 integers: an iterator
  /// \param column_indices          a column for each entry: an iterator
  /// \param entry_values            a value for each entry: an iterator
  constexpr csr_view(std::int64_t row_count, std::int64_t column_count, std::int64_t entries,
                     Offsets row_offsets, Indices column_indices, Values entry_values)
      : csr_view(row_count, column_count, entries, row_offsets, column_indices, entry_values, Rows{true}) {}

  /// A matrix of which only the pattern is known: every entry is 1.
  ///
  /// \param row_count,column_count  how many rows and columns there are
  /// \param row_offsets             row_count + 1 integers: an iterator, or a container
  /// \param column_indices          a column for each entry: an iterator, or a container
  template <class O, class I>
  constexpr csr_view(std::int64_t row_count, std::int64_t column_count, O&& row_offsets, I&& column_indices)
      : csr_view(row_count, column_count, row_offsets, column_indices, Values{1}) {}

  /// The same, with the number of entries.
  ///
  /// \param row_count,column_count  how many rows and columns there are
  /// \param entries                 how many entries there are
  /// \param row_offsets             row_count + 1 integers: an iterator
  /// \param column_indices          a column for each entry: an iterator
  SWEEP_HD constexpr csr_view(std::int64_t row_count, std::int64_t column_count, std::int64_t entries,
                              Offsets row_offsets, Indices column_indices)
      : csr_view(row_count, column_count, entries, row_offsets, column_indices, Values{1}, Rows{true}) {}

  /// The same matrix, of which a product writes some rows alone and leaves the others of y as they are.
  ///
  /// \param flags  a flag for each row, of any type that converts to bool: an iterator; sweep::bits are taken
  /// \return       the masked matrix
  template <class Flags>
  SWEEP_HD constexpr csr_view<Offsets, Indices, Values, Flags> where(Flags flags) const {
    return {rows, columns, nonzeros, offsets, indices, values, flags};
  }

 private:
  template <class O, class I, class V>
  static constexpr std::int64_t entries_of(std::int64_t row_count, O& row_offsets, I& column_indices,
                                           V& entry_values) {
    auto const ends = detail::size_of(row_offsets), entries = detail::size_of(column_indices),
               its_values = detail::size_of(entry_values);
    if (ends >= 0 && ends != row_count + 1)
      detail::throw_wrong_size("csr_view", "offsets", ends, " items, one more than rows would be ",
                               row_count + 1);
    if (entries >= 0 && its_values >= 0 && entries != its_values)
      detail::throw_wrong_size("csr_view", "values", its_values, " items, but there are as many indices as ",
                               entries);
    return entries >= 0 ? entries : its_values;
  }
};
/// \cond
template <class O, class I, class V>
  requires(!std::is_arithmetic_v<std::remove_cvref_t<O>>)
csr_view(std::int64_t, std::int64_t, O&&, I&&, V&&)
->csr_view<detail::begin_of_t<std::remove_reference_t<O>>, detail::begin_of_t<std::remove_reference_t<I>>,
           detail::begin_of_t<std::remove_reference_t<V>>>;
template <class O, class I, class V>
csr_view(std::int64_t, std::int64_t, std::int64_t, O, I, V) -> csr_view<O, I, V>;
template <class O, class I>
  requires(!std::is_arithmetic_v<O>)
csr_view(std::int64_t, std::int64_t, std::int64_t, O, I)
->csr_view<O, I>;
template <class O, class I>
csr_view(std::int64_t, std::int64_t, O&&, I&&) -> csr_view<detail::begin_of_t<std::remove_reference_t<O>>,
                                                           detail::begin_of_t<std::remove_reference_t<I>>>;
/// \endcond

/// A sparse matrix as single entries: entry k stands in row row_indices[k] and column column_indices[k] and
/// has the value values[k]. Entries may be in any order, and some at one place. Nothing is copied.
template <class Rows, class Columns, class Values = detail::same_value<int>>
struct coo_view {
  std::int64_t rows, columns;
  std::int64_t entries;    ///< how many there are
  Rows row_indices;        ///< the row of each entry
  Columns column_indices;  ///< its column
  Values values;           ///< its value

  /// All of its members.
  ///
  /// \param row_count,column_count  how many rows and columns there are
  /// \param entry_count             how many entries there are
  /// \param entry_rows              a row for each entry: an iterator
  /// \param entry_columns           a column for each entry: an iterator
  /// \param entry_values            a value for each entry: an iterator; by default 1 each
  SWEEP_HD constexpr coo_view(std::int64_t row_count, std::int64_t column_count, std::int64_t entry_count,
                              Rows entry_rows, Columns entry_columns, Values entry_values = Values{1})
      : rows{row_count},
        columns{column_count},
        entries{entry_count},
        row_indices{entry_rows},
        column_indices{entry_columns},
        values{entry_values} {
    static_assert(std::is_integral_v<detail::value_of<Rows>> && std::is_integral_v<detail::value_of<Columns>>,
                  "sweep: rows and columns of a sparse matrix's entries are integers");
  }

  /// From containers, whose sizes are looked at.
  ///
  /// \param row_count,column_count  how many rows and columns there are
  /// \param entry_rows              a row for each entry: a container
  /// \param entry_columns           a column for each entry: a container
  /// \param entry_values            a value for each entry: a container
  template <class R, class C, class V>
    requires(detail::is_range<R>&& detail::is_range<C>&& detail::is_range<V>)
  constexpr coo_view(std::int64_t row_count, std::int64_t column_count, R&& entry_rows, C&& entry_columns,
                     V&& entry_values)
      : coo_view(row_count, column_count, one_size("values", detail::size_of(entry_rows), entry_values),
                 entry_rows, entry_columns, detail::begin_of(entry_values)) {}

  /// The same where only the pattern is known: every entry is 1.
  ///
  /// \param row_count,column_count  how many rows and columns there are
  /// \param entry_rows              a row for each entry: a container
  /// \param entry_columns           a column for each entry: a container
  template <class R, class C>
    requires(detail::is_range<R>&& detail::is_range<C>)
  constexpr coo_view(std::int64_t row_count, std::int64_t column_count, R&& entry_rows, C&& entry_columns)
      : coo_view(row_count, column_count, detail::size_of(entry_rows), entry_rows, entry_columns, Values{1}) {
  }

 private:
  template <class R, class C>
    requires(detail::is_range<R>&& detail::is_range<C>)
  constexpr coo_view(std::int64_t row_count, std::int64_t column_count, std::int64_t entry_count,
                     R& entry_rows, C& entry_columns, Values entry_values)
      : coo_view(row_count, column_count, one_size("column_indices", entry_count, entry_columns),
                 detail::begin_of(entry_rows), detail::begin_of(entry_columns), entry_values) {}
  template <class T>
  static constexpr std::int64_t one_size(char const* argument, std::int64_t entry_count, T& other) {
    if (auto const has = detail::size_of(other); has != entry_count)
      detail::throw_wrong_size("coo_view", argument, has, " items, but there are as many rows as ",
                               entry_count);
    return entry_count;
  }
};
/// \cond
template <class R, class C, class V>
coo_view(std::int64_t, std::int64_t, std::int64_t, R, C, V) -> coo_view<R, C, V>;
template <class R, class C>
  requires(!std::is_arithmetic_v<R>)
coo_view(std::int64_t, std::int64_t, std::int64_t, R, C)
->coo_view<R, C>;
template <class R, class C, class V>
  requires(detail::is_range<R>&& detail::is_range<C>&& detail::is_range<V>)
coo_view(std::int64_t, std::int64_t, R&&, C&&, V&&)
->coo_view<detail::begin_of_t<std::remove_reference_t<R>>, detail::begin_of_t<std::remove_reference_t<C>>,
           detail::begin_of_t<std::remove_reference_t<V>>>;
template <class R, class C>
  requires(detail::is_range<R>&& detail::is_range<C>)
coo_view(std::int64_t, std::int64_t, R&&, C&&)
->coo_view<detail::begin_of_t<std::remove_reference_t<R>>, detail::begin_of_t<std::remove_reference_t<C>>>;
/// \endcond

/// @}

namespace detail {

template <class T>
inline constexpr bool is_csr = false;
template <class Offsets, class Indices, class Values, class Rows>
inline constexpr bool is_csr<csr_view<Offsets, Indices, Values, Rows>> = true;

template <class T>
concept csr_like = is_csr<T>;

/// Whether a matrix's values are not in memory: every entry is the same.
template <class Values>
inline constexpr bool is_same_value = false;
template <class T>
inline constexpr bool is_same_value<same_value<T>> = true;

template <class T>
inline constexpr bool is_coo = false;
template <class Rows, class Columns, class Values>
inline constexpr bool is_coo<coo_view<Rows, Columns, Values>> = true;

template <class T>
concept coo_like = is_coo<T>;

}  // namespace detail

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif

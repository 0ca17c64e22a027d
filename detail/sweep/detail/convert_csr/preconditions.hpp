// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CONVERT_CSR_PRECONDITIONS_HPP
#define SWEEP_DETAIL_CONVERT_CSR_PRECONDITIONS_HPP

#include <sweep/csr.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/segmented_scan/validate.hpp>
#include <sweep/segments.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

// What calls ask of sparse matrices.

/// k where entry k leads to none of so many lines, rows or columns, or else more than any.
template <class Indices>
struct bad_line {
  Indices indices;
  std::int64_t lines, n;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator()(std::int64_t k) const {
    auto const line = static_cast<std::int64_t>(indices[k]);
    return line < 0 || line >= lines ? k : n;
  }
};
/// k where entry k stands in a row before that of its neighbour, or else more than any.
template <class Indices>
struct falling_line {
  Indices indices;
  std::int64_t n;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD std::int64_t operator()(std::int64_t k) const {
    return k > 0 && static_cast<std::int64_t>(indices[k]) < static_cast<std::int64_t>(indices[k - 1]) ? k : n;
  }
};

/// A container that is too short.
SWEEP_NO_EXEC_CHECK
template <class T>
SWEEP_HD constexpr void require_size(char const* call, char const* argument, T& vector, std::int64_t wants) {
  if (auto const has = size_of(vector); has >= 0 && has < wants)
    refuse_argument(call, argument, "has ", has, " items, fewer than ", wants);
}

/// Entries of which none leads out of the matrix; the call waits for that.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Indices>
SWEEP_HD void check_lines(Policy const& policy, char const* call, char const* argument, char const* line,
                          Indices indices, std::int64_t lines, std::int64_t n) {
  auto const plain = without_tags(policy);
  auto const bad = fold_of(plain, call, bad_line<Indices>{indices, lines, n}, n, n, lesser{});
  if (bad < n)
    refuse_argument(call, argument, "lead out of the matrix at entry ", bad, line,
                    value_at(plain, call, indices, bad).c_str(), " of ", lines);
}

SWEEP_HD inline void require_sizes(char const* call, std::int64_t rows, std::int64_t columns) {
  if (rows < 0) refuse_argument(call, "rows", "are negative: ", rows);
  if (columns < 0) refuse_argument(call, "columns", "are negative: ", columns);
}

/// The matrix itself: what costs nothing always, the rest under .checked().
SWEEP_NO_EXEC_CHECK
template <class Policy, class A>
SWEEP_HD void require_matrix(Policy const& policy, char const* call, A const& a) {
  require_sizes(call, a.rows, a.columns);
  if (a.rows == 0) return;
  require_range(policy, call, "offsets", unwrapped(a.offsets));
  if (a.nonzeros > 0) {
    require_range(policy, call, "indices", unwrapped(a.indices));
    require_range(policy, call, "values", unwrapped(a.values));
  }
  if constexpr (is_checked<Policy>) {
    auto const plain = without_tags(policy);
    auto const n =
        a.nonzeros >= 0 ? a.nonzeros : std::stoll(value_at(plain, call, unwrapped(a.offsets), a.rows));
    check_segments(plain, call, offset_segments<decltype(a.offsets)>{a.offsets, a.rows}, n);
    check_lines(policy, call, "indices", ": column ", unwrapped(a.indices), a.columns, n);
  }
}

/// The number of a matrix's entries, which must be known to the host.
SWEEP_NO_EXEC_CHECK
template <class Policy, class A>
SWEEP_HD std::int64_t entries_of(Policy const&, char const* call, A const& a) {
  if (a.nonzeros >= 0) return a.nonzeros;
  if constexpr (on_host<Policy>) {
    auto const n = a.rows > 0 ? static_cast<std::int64_t>(a.offsets[a.rows]) : 0;
    return n > 0 ? n : 0;
  } else {
    refuse_argument(call, "a", "does not say how many entries it has, which this call must know");
    return 0;
  }
}

/// What is asked of single entries, in any order or by rows.
SWEEP_NO_EXEC_CHECK
template <class Policy, class A>
SWEEP_HD void require_entries(Policy const& policy, char const* call, A const& a, bool by_rows) {
  require_sizes(call, a.rows, a.columns);
  if (a.entries < 0) refuse_argument(call, "entries", "are negative: ", a.entries);
  if (a.entries == 0) return;
  auto const rows = unwrapped(a.row_indices);
  require_range(policy, call, "row_indices", rows);
  require_range(policy, call, "column_indices", unwrapped(a.column_indices));
  require_range(policy, call, "values", unwrapped(a.values));
  if constexpr (is_checked<Policy>) {
    check_lines(policy, call, "row_indices", ": row ", rows, a.rows, a.entries);
    check_lines(policy, call, "column_indices", ": column ", unwrapped(a.column_indices), a.columns,
                a.entries);
    if (!by_rows) return;
    using rows_type = std::remove_const_t<decltype(rows)>;
    auto const plain = without_tags(policy);
    auto const bad =
        fold_of(plain, call, falling_line<rows_type>{rows, a.entries}, a.entries, a.entries, lesser{});
    if (bad < a.entries)
      refuse_argument(call, "row_indices", "decrease at entry ", bad, ": ",
                      value_at(plain, call, rows, bad).c_str(), " after ",
                      value_at(plain, call, rows, bad - 1).c_str());
  }
}

/// Whether an output's integers hold so large a number.
template <class Out>
SWEEP_HD void require_room_for(char const* call, char const* argument, Out const&, std::int64_t largest) {
  using T = written_value<Out, std::int64_t>;
  if constexpr (std::is_integral_v<T> && sizeof(T) < 8)
    if (largest > static_cast<std::int64_t>(std::numeric_limits<T>::max()))
      refuse_argument(call, argument, "are of a type that does not hold ", largest);
}

/// An output that overlaps what is still read.
template <class Out, class In>
SWEEP_HD void require_apart(char const* call, char const* argument, Out const& out, std::int64_t written,
                            In const& in, std::int64_t read) {
  if constexpr (std::is_pointer_v<Out> && std::is_pointer_v<In>)
    if (overlap(out, written, in, read)) refuse_argument(call, argument, "overlap the matrix, which is read");
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

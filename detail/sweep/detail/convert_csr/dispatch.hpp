// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CONVERT_CSR_DISPATCH_HPP
#define SWEEP_DETAIL_CONVERT_CSR_DISPATCH_HPP

#include <sweep/csr.hpp>
#include <sweep/detail/bounds/dispatch.hpp>
#include <sweep/detail/convert_csr/preconditions.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/function_iterator.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/expand/dispatch.hpp>
#include <sweep/detail/gather/dispatch.hpp>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/runtime/reachable.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/sort/dispatch.hpp>
#include <sweep/radix_key.hpp>
#include <sweep/segments.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

// A matrix in compressed rows of the same entries in another order, or as single ones. Lines are the rows of
// the result, which in a transpose are columns.

/// 0, 1, 2, ...
using line_numbers = reader<std::int64_t, identity>;
struct line_before {
  template <class Line>
  SWEEP_HD bool operator()(Line const& line, std::int64_t number) const {
    return static_cast<std::int64_t>(line) < number;
  }
};
/// Where the number of entries goes, which the host knows.
struct forget_count {
  SWEEP_HD void operator()(std::int64_t, std::int64_t) const {}
};

/// Bits that tell so many lines apart.
SWEEP_HD constexpr int bits_of_lines(std::int64_t lines) {
  int bits = 0;
  while (bits < 63 && (lines - 1) >> bits > 0) ++bits;
  return bits;
}

/// Where each line begins, of entries whose lines do not decrease, and their number behind them.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Lines, class Offsets>
SWEEP_HD void write_line_offsets(Policy const& policy, char const* call, Lines lines_first, std::int64_t n,
                                 std::int64_t lines, Offsets offsets) {
  bounds_to(call, policy, lines_first, lines_first + n, line_numbers{}, line_numbers{{}, lines + 1}, offsets,
            before_lower_bound<line_before>{}, says_index{});
}

/// The row of each entry.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Offsets, class Out>
SWEEP_HD void write_rows_of_entries(Policy const& policy, char const* call, Offsets offsets,
                                    std::int64_t rows, std::int64_t n, Out out) {
  expand_where(policy, call, "offsets", line_numbers{}, rows, offset_segments<Offsets>{offsets, rows}, out, n,
               writer<std::int64_t, forget_count>{});
}

/// In place of values that are not written.
struct unwritten_values {};

/// Entries put in order by their lines, those of a line staying in theirs: a radix sort of their numbers by
/// the bits that lines have, then gathers. All memory is obtained before anything is written.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Lines, class Others, class Values, class Offsets, class OthersOut,
          class ValuesOut>
SWEEP_HD void order_entries(Policy const& policy, char const* call, std::int64_t lines, std::int64_t n,
                            Lines line_of, Others others, Values values, Offsets offsets,
                            OthersOut others_out, ValuesOut values_out) {
  using line = value_of<Lines>;
  using number =
      std::conditional_t<sizeof(written_value<Offsets, std::int64_t>) <= 4, std::uint32_t, std::int64_t>;
  with_memory<line>(policy, call, n, [&](auto const& with_lines, line* in_order) {
    with_memory<number>(with_lines, call, n, [&](auto const& rest, number* numbers) {
      sort_range(call, rest, line_of, line_of + n, reader<number, identity>{}, in_order, numbers,
                 radix_key().bits(0, bits_of_lines(lines)));
      write_line_offsets(rest, call, static_cast<line const*>(in_order), n, lines, offsets);
      auto const* const from = static_cast<number const*>(numbers);
      gather<mapped::input>(call, rest, n, from, every_item{}, others, others_out, identity{});
      if constexpr (!std::is_same_v<ValuesOut, unwritten_values>)
        gather<mapped::input>(call, rest, n, from, every_item{}, values, values_out, identity{});
    });
  });
}

/// What is asked of the outputs of a conversion: that they exist and hold their numbers.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Offsets, class Indices, class Values>
SWEEP_HD void require_outputs(Policy const& policy, char const* call, std::int64_t others, std::int64_t n,
                              Offsets const& offsets, Indices const& indices, Values const& values) {
  require_range(policy, call, "offsets", offsets);
  require_room_for(call, "offsets", offsets, n);
  if (n == 0) return;
  require_range(policy, call, "indices", indices);
  require_room_for(call, "indices", indices, others - 1);
  if constexpr (!std::is_same_v<Values, unwritten_values>) require_range(policy, call, "values", values);
}
/// And that nothing is overwritten that is still read.
template <class Offsets, class Indices, class Values, class In>
SWEEP_HD void require_outputs_apart(char const* call, std::int64_t lines, std::int64_t n,
                                    Offsets const& offsets, Indices const& indices, Values const& values,
                                    In const& in, std::int64_t read) {
  require_apart(call, "offsets", offsets, lines + 1, in, read);
  require_apart(call, "indices", indices, n, in, read);
  if constexpr (!std::is_same_v<Values, unwritten_values>) require_apart(call, "values", values, n, in, read);
}

SWEEP_NO_EXEC_CHECK
template <class It>
SWEEP_HD constexpr auto unwrapped_output(It const& it) {
  if constexpr (std::is_same_v<It, unwritten_values>) return it;
  else return unwrapped(it);
}

// From public calls to the parts above.

/// Entries by rows: where each row begins.
SWEEP_NO_EXEC_CHECK
template <class Policy, class A, class Offsets>
SWEEP_HD void ordered_coo_to_csr(char const* call, Policy const& given, A const& a, Offsets out) {
  auto const target = resolve<no_options>(given);
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  auto const callable = require_callable<on_host<policy_type>, decltype(a.row_indices), Offsets>();
  require_entries(target.policy, call, a, true);
  auto const rows = unwrapped(a.row_indices);
  auto const offsets = unwrapped(out);
  require_range(target.policy, call, "offsets", offsets);
  require_room_for(call, "offsets", offsets, a.entries);
  require_apart(call, "offsets", offsets, a.rows + 1, rows, a.entries);
  if constexpr (callable)
    write_line_offsets(without_tags(target.policy), call, rows, a.entries, a.rows, offsets);
  finish(call, target);
}

SWEEP_NO_EXEC_CHECK
template <class Policy, class A, class Offsets, class Indices, class Values>
SWEEP_HD void coo_to_csr(char const* call, Policy const& given, A const& a, Offsets offsets_out,
                         Indices indices_out, Values values_out) {
  auto const target = resolve<no_options>(given);
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  auto const callable = require_callable<on_host<policy_type>, decltype(a.row_indices),
                                         decltype(a.column_indices), decltype(a.values), Offsets, Indices>();
  require_entries(target.policy, call, a, false);
  auto const n = a.entries;
  auto const offsets = unwrapped(offsets_out);
  auto const indices = unwrapped(indices_out);
  auto const values = unwrapped_output(values_out);
  require_outputs(target.policy, call, a.columns, n, offsets, indices, values);
  auto const read = [&](auto const& in) {
    require_outputs_apart(call, a.rows, n, offsets, indices, values, in, n);
  };
  read(unwrapped(a.row_indices));
  read(unwrapped(a.column_indices));
  read(unwrapped(a.values));
  if constexpr (callable)
    order_entries(without_tags(target.policy), call, a.rows, n, unwrapped(a.row_indices),
                  unwrapped(a.column_indices), unwrapped(a.values), offsets, indices, values);
  finish(call, target);
}

/// The number of entries.
SWEEP_NO_EXEC_CHECK
template <class Policy, class A, class Rows>
SWEEP_HD std::int64_t csr_to_coo(char const* call, Policy const& given, A const& a, Rows rows_out) {
  auto const target = resolve<no_options>(given);
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  auto const callable = require_callable<on_host<policy_type>, decltype(a.offsets), Rows>();
  require_matrix(target.policy, call, a);
  auto const n = entries_of(target.policy, call, a);
  auto const rows = unwrapped(rows_out);
  if (n > 0) {
    require_range(target.policy, call, "row_indices", rows);
    require_room_for(call, "row_indices", rows, a.rows - 1);
    require_apart(call, "row_indices", rows, n, unwrapped(a.offsets), a.rows + 1);
    if constexpr (callable)
      write_rows_of_entries(without_tags(target.policy), call, unwrapped(a.offsets), a.rows, n, rows);
  }
  finish(call, target);
  return n;
}

/// The number of entries.
SWEEP_NO_EXEC_CHECK
template <class Policy, class A, class Offsets, class Indices, class Values>
SWEEP_HD std::int64_t transpose_csr(char const* call, Policy const& given, A const& a, Offsets offsets_out,
                                    Indices indices_out, Values values_out) {
  auto const target = resolve<no_options>(given);
  using policy_type = std::remove_cvref_t<decltype(target.policy)>;
  auto const callable = require_callable<on_host<policy_type>, decltype(a.offsets), decltype(a.indices),
                                         decltype(a.values), Offsets, Indices>();
  require_matrix(target.policy, call, a);
  auto const n = entries_of(target.policy, call, a);
  auto const offsets = unwrapped(offsets_out);
  auto const indices = unwrapped(indices_out);
  auto const values = unwrapped_output(values_out);
  require_outputs(target.policy, call, a.rows, n, offsets, indices, values);
  auto const read = [&](auto const& in, std::int64_t count) {
    require_outputs_apart(call, a.columns, n, offsets, indices, values, in, count);
  };
  read(unwrapped(a.offsets), a.rows + 1);
  read(unwrapped(a.indices), n);
  read(unwrapped(a.values), n);
  if constexpr (callable) {
    using row = written_value<unwrapped_t<Indices>, std::int64_t>;
    with_memory<row>(without_tags(target.policy), call, n, [&](auto const& rest, row* rows) {
      if (n > 0) write_rows_of_entries(rest, call, unwrapped(a.offsets), a.rows, n, rows);
      order_entries(rest, call, a.columns, n, unwrapped(a.indices), static_cast<row const*>(rows),
                    unwrapped(a.values), offsets, indices, values);
    });
  }
  finish(call, target);
  return n;
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

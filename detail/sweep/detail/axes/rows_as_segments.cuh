// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_ROWS_AS_SEGMENTS_CUH
#define SWEEP_DETAIL_AXES_ROWS_AS_SEGMENTS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/segmented_reduce/device.cuh>
#include <sweep/detail/segmented_reduce/problem.hpp>
#include <sweep/detail/segmented_reduce/tails.hpp>
#include <sweep/device.cuh>
#include <sweep/segments.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Whether a reduction's lines may be folded as segments, in brackets that depend on where they lie: where no
/// result tells.
template <class Problem>
inline constexpr bool may_be_segments = [] {
  using T = typename Problem::value;
  if constexpr (std::is_pointer_v<decltype(Problem::in)> && std::is_pointer_v<decltype(Problem::out)>)
    return Problem::what == line_result::total && of_integers<T> && relocatable<typename Problem::raw> &&
           std::is_same_v<decltype(Problem::before), one_before<T>>;
  else return false;
}();

/// Long lines that lie one behind the other in memory are segments of one length, in one launch; else nothing
/// is done. Shorter ones take less time as lines, and few that are longer, which are cut, as chunks.
template <class Source, class... Tags, class Problem>
bool reduce_rows_as_segments(device_policy<Source, Tags...> const& policy, char const* call,
                             Problem const& problem) {
  if constexpr (may_be_segments<Problem>) {
    using T = typename Problem::value;
    using Op = decltype(problem.op);
    constexpr std::int64_t shortest = 4 << 10, longest_of_few = 128 << 10, few = 128;  // bytes, and lines
    auto const& grid = problem.grid;
    bool const dense = grid.axes == 0 || (grid.axes == 1 && grid.across[0].stride.in == grid.length &&
                                          grid.across[0].stride.out == 1);
    auto const bytes = grid.length * static_cast<std::int64_t>(sizeof(typename Problem::raw));
    if (!dense || grid.in != 1 || bytes < shortest || (bytes > longest_of_few && grid.lines < few))
      return false;
    using segments = segmented_reduce_problem<T, decltype(problem.in), row_offsets, decltype(problem.out), Op,
                                              decltype(problem.unary), after_init<T, Op>>;
    return reduce_by_teams(without_tags(policy), call,
                           segments{problem.in + grid.first.in,
                                    row_offsets{{grid.length}},
                                    grid.lines,
                                    problem.out + grid.first.out,
                                    problem.op,
                                    problem.unary,
                                    after_init<T, Op>{problem.before.value, problem.op},
                                    nullptr,
                                    {grid.lines * grid.length}});
  } else {
    return false;
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

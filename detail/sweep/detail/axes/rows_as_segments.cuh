// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_ROWS_AS_SEGMENTS_CUH
#define SWEEP_DETAIL_AXES_ROWS_AS_SEGMENTS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/chunk_as_it_lies.cuh>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/scan/device.cuh>
#include <sweep/detail/segmented_reduce/device.cuh>
#include <sweep/detail/segmented_reduce/problem.hpp>
#include <sweep/detail/segmented_reduce/tails.hpp>
#include <sweep/detail/segments/heads.hpp>
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
    constexpr std::int64_t shortest = (sizeof(typename Problem::raw) <= 4 ? 1 : 4) << 10,
                           longest_of_few = 128 << 10, few = 128;  // bytes, and lines
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

/// From how many bytes of items on a scan's lines are scanned as segments: tests lower it.
inline std::int64_t fewest_bytes_as_segments = std::int64_t{24} << 20;

/// Whether a scan's lines may be scanned as segments: of narrow integers, whose brackets no result tells.
template <class Problem>
inline constexpr bool may_be_scanned_as_segments = [] {
  using T = typename Problem::value;
  using Before = decltype(Problem::before);
  if constexpr (Problem::what == line_result::total || !of_integers<T>) return false;
  else
    return are_narrow<decltype(Problem::in), typename Problem::raw> && sizeof(T) <= 4 &&
           are_narrow<decltype(Problem::out), typename Problem::out_value> &&
           (std::is_same_v<Before, nothing_before> || requires(Before const& before) { before.value; });
}();

/// Lines that lie one behind the other in memory are segments of one length for the pipeline of a segmented
/// scan, in which a lane has several times as many of their items as a strip; else nothing is done, and
/// false. Of lines that are one chain each threads walk along sums as narrow as items in less time.
template <class Source, class... Tags, class Problem>
bool scan_rows_as_segments(device_policy<Source, Tags...> const& policy, char const* call,
                           Problem const& problem) {
  if constexpr (may_be_scanned_as_segments<Problem>) {
    using T = typename Problem::value;
    using raw = typename Problem::raw;
    using Op = decltype(problem.op);
    constexpr bool starts = !std::is_same_v<decltype(problem.before), nothing_before>;
    constexpr std::int64_t shortest = 16;
    auto const& grid = problem.grid;
    auto const n = grid.lines * grid.length;
    bool const dense = grid.axes == 0 || (grid.axes == 1 && grid.across[0].stride.in == grid.length &&
                                          grid.across[0].stride.out == grid.length);
    if (!dense || magnitude(grid.in) != 1 || grid.out != grid.in || grid.length < shortest ||
        (sizeof(T) == sizeof(raw) && in_one_chain<T>(grid)) ||
        n * static_cast<std::int64_t>(sizeof(raw)) < fewest_bytes_as_segments)
      return false;
    auto const scan = [&]<direction Towards>(std::integral_constant<direction, Towards>) {
      using heads = segment_heads<fixed_length_source, T, starts>;
      using flat =
          scan_problem<Problem::what == line_result::inclusive ? scan_kind::inclusive : scan_kind::exclusive,
                       Towards, flagged<T>, decltype(problem.in), decltype(problem.out), segmented_op<Op>,
                       decltype(problem.unary), heads>;
      if (!scans_in_stages<flat>(call)) return false;
      heads begin{fixed_length_source(grid.length)};
      if constexpr (starts) begin.init = static_cast<T>(problem.before.value);
      auto const behind = Towards == direction::forward ? 0 : grid.length - 1;  // of what is first in memory
      run_scan<size_class::large>(without_tags(policy), call,
                                  flat{problem.in + (grid.first.in - behind),
                                       problem.out + (grid.first.out - behind),
                                       {problem.op},
                                       problem.unary,
                                       {},
                                       {n, 1, 0, Towards},
                                       begin});
      return true;
    };
    return grid.in > 0 ? scan(std::integral_constant<direction, direction::forward>{})
                       : scan(std::integral_constant<direction, direction::backward>{});
  } else {
    return false;
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

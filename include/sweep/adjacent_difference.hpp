// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_ADJACENT_DIFFERENCE_HPP
#define SWEEP_ADJACENT_DIFFERENCE_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/adjacent_difference/dispatch.hpp>
#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>

#include <cstddef>

/// \file
/// Differences of neighbours: what an inclusive scan with + takes back.

/// \defgroup adjacent_difference Differences of neighbours
/// `#include <sweep/adjacent_difference.hpp>`: item i of the output is made of item i and its neighbour.
/// Below x[i] is item i of [first, last), and n = last - first.
///
/// - **types**: any random-access iterators, difference type std::ptrdiff_t. Results are of out's value type,
///   or of the type that the operator returns where out has none; the item without a neighbour is converted
///   to it. On the device items must be trivially copyable and default constructible.
/// - **backward**: `sweep::backward` as the last argument makes the neighbour of an item the one behind it:
///   the same as the forward call over reverse iterators, item i of the output belonging to item i of the
///   input.
/// - **in place** is what begins at the same address, or at iterators that compare equal.
/// - **scratch** is device memory from the policy's source.
/// - **Thrust's policies** that synchronise wait, as they do in Thrust; sweep's own never do.
/// - **exceptions** of an operator or an iterator on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup adjacent_difference
/// @{

/// What an operator makes of each item and the one before it: out[0] = x[0], out[i] = op(x[i], x[i - 1]);
/// backward of each item and the one behind it: out[n - 1] = x[n - 1], out[i] = op(x[i], x[i + 1]).
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         n results; may be first
/// \param op          op(item, neighbour)
/// \param dir         forward, or backward: the neighbour is the next item instead of the previous one
/// \return            out + n
///
/// \par Promises
/// - order: op may be any function of an item and its neighbour; it is called once for each pair, in any
///   order.
/// - aliasing: out may be first; nothing else may overlap it.
/// - waiting: never; on the device ordered on the stream, and can be captured in a graph.
/// - determinism: the same bits on every run.
/// - complexity: n - 1 calls of op; each item is read once, each result written once.
/// - scratch: none; in place less than 2 % of the input and 256 bytes.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer,
///   too little scratch, with .checked() a pointer that the device cannot reach.
/// - source: the standard's std::adjacent_difference.
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          detail::function_like Op, class Dir = forward_t>
  requires(detail::is_direction<Dir> && !detail::is_direction<Op>)
SWEEP_HD Out adjacent_difference(Policy const& policy, In first, In last, Out out, Op op, Dir dir = {}) {
  return detail::adjacent_difference<decltype(dir)>("adjacent_difference", policy, first, last, out, op);
}

/// Differences of neighbours: out[0] = x[0], out[i] = x[i] - x[i - 1]. Promises as with an operator.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items
/// \param out         n results; may be first
/// \param dir         forward, or backward: out[n - 1] = x[n - 1], out[i] = x[i] - x[i + 1]
/// \return            out + n
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Out,
          class Dir = forward_t>
  requires(detail::is_direction<Dir>)
SWEEP_HD Out adjacent_difference(Policy const& policy, In first, In last, Out out, Dir dir = {}) {
  return detail::adjacent_difference<decltype(dir)>("adjacent_difference", policy, first, last, out,
                                                    detail::minus{});
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto adjacent_difference =
    [](auto const&... all) -> decltype(sweep::adjacent_difference(all...)) {
  return sweep::adjacent_difference(all...);
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto adjacent_difference(First const& first, Rest&&... rest) {
  return detail::complete_sized_call<1>("adjacent_difference", detail::canonical::adjacent_difference, first,
                                        rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif

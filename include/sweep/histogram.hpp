// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_HISTOGRAM_HPP
#define SWEEP_HISTOGRAM_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/call_arguments.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/histogram/dispatch.hpp>
#include <sweep/detail/runtime/call_forms.hpp>
#include <sweep/detail/runtime/sides.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

/// \file
/// Histograms: how many items each bin has, or the sum of their weights.

/// \defgroup histogram Histograms
/// `#include <sweep/histogram.hpp>`: how many items each bin has, or the sum of their weights. Bins are keys,
/// of equal width, or between edges. Below x[i] is item i of [first, last), and n = last - first.
///
/// - **types**: any random-access iterators; counts are of any type that integers convert to, sums of
///   floating-point weights of any that a double converts to. On the device items must be trivially copyable
///   and default constructible.
/// - **items without a bin** are not counted.
/// - **determinism**: counts and sums are made of integers, which may be added in any order: they are the
///   same on seq, host and device, on any number of threads. Sums of integers are those modulo 2^64, or
///   of the width of counts where these are integers.
/// - **floating-point weights** are added in fixed point: each is rounded to a multiple of 2^(e - 125 + 2
///   ceil(log2 n)), or of 2^-1023 if that is more, where 2^e is the least power of two above all their
///   magnitudes. Of 2^21 weights, 83 bits below the largest are kept, and finer ones are lost. The sum is
///   then rounded to a double. Weights must be finite, else all sums are NaN.
/// - **waiting**: never, but with `.checked()` for its answer.
/// - **exceptions** of an iterator on `seq` and `host` reach the caller.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup histogram
/// @{

/// How often each key occurs: counts[k] = number of items that are k, 0 <= k < bins.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n integers x[i]
/// \param counts      a result for each bin
/// \param bins        how many; key k belongs to bin k
/// \return            counts + number of bins
///
/// \par Promises
/// - aliasing: counts overlap nothing else. What they held is overwritten.
/// - waiting: never, but with .checked(); can be captured in a graph.
/// - determinism: always.
/// - complexity: each item is read once.
/// - scratch: none where counts are a pointer to integers of 4 or 8 bytes, else 8 bytes a bin.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer,
///   negative bins or more than 2^32 - 2, counts that are a range and have fewer places, too little scratch,
///   with .checked() a key that has no bin and a pointer that the device cannot reach.
/// - source: sums of blocks in shared memory, of runs of equal bins (docs/moves.md).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Counts,
          class Bins>
  requires(std::is_integral_v<Bins>)
SWEEP_HD Counts histogram(Policy const& policy, In first, In last, Counts counts, Bins bins) {
  return detail::histogram("histogram", policy, first, last, detail::unweighted{}, counts,
                           detail::keys_as_bins{static_cast<std::int64_t>(bins)});
}

/// How many items each of a number of equal bins has: item x belongs to bin floor((x - low) * bins / (high -
/// low)), where low <= x < high. Exact for integers; for floating-point numbers the whole part of (x - low) *
/// (bins / (high - low)) in the common type of items and levels.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items x[i]
/// \param counts      a result for each bin
/// \param bins        how many
/// \param low         where bin 0 begins
/// \param high        where the last bin ends; above low
/// \return            counts + number of bins
///
/// \par Promises
/// - aliasing: counts overlap nothing else. What they held is overwritten.
/// - waiting: never, but with .checked(); can be captured in a graph.
/// - determinism: always.
/// - complexity: each item is read once.
/// - scratch: none where counts are a pointer to integers of 4 or 8 bytes, else 8 bytes a bin.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer,
///   negative bins or more than 2^32 - 2, counts that are a range and have fewer places, too little scratch,
///   high not above low, of integers also 2^63 or more above it, with .checked() a pointer that the device
///   cannot reach.
/// - source: sums of blocks in shared memory, of runs of equal bins (docs/moves.md).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Counts,
          class Low, class High, class Bins>
  requires(std::is_integral_v<Bins>)
SWEEP_HD Counts histogram_even(Policy const& policy, In first, In last, Counts counts, Bins bins, Low low,
                               High high) {
  return detail::histogram(
      "histogram_even", policy, first, last, detail::unweighted{}, counts,
      detail::levels_as_bins<std::common_type_t<Low, High>>{static_cast<std::common_type_t<Low, High>>(low),
                                                            static_cast<std::common_type_t<Low, High>>(high),
                                                            static_cast<std::int64_t>(bins)});
}

/// How many items there are between edges: counts[b] = number of items x with edges[b] <= x < edges[b + 1],
/// compared in their common type.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items x[i]
/// \param counts      a result for each bin
/// \param edges_first,edges_last  bins + 1 numbers that do not decrease
/// \return            counts + number of bins
///
/// \par Promises
/// - aliasing: counts overlap nothing else. What they held is overwritten.
/// - waiting: never, but with .checked(); can be captured in a graph.
/// - determinism: always.
/// - complexity: each item is read once, and its bin found in log2(bins) steps.
/// - scratch: none where counts are a pointer to integers of 4 or 8 bytes, else 8 bytes a bin.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer,
///   negative bins or more than 2^32 - 2, counts that are a range and have fewer places, too little scratch,
///   with .checked() edges that decrease and a pointer that the device cannot reach.
/// - source: sums of blocks in shared memory, of runs of equal bins (docs/moves.md).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::output_for<Policy> Counts,
          detail::iterator_for<Policy> Edges>
SWEEP_HD Counts histogram_range(Policy const& policy, In first, In last, Counts counts, Edges edges_first,
                                Edges edges_last) {
  return detail::histogram(
      "histogram_range", policy, first, last, detail::unweighted{}, counts,
      detail::edges_as_bins<detail::unwrapped_t<Edges>>{
          detail::unwrapped(edges_first),
          detail::checked_distance("histogram_range", edges_first, edges_last, "edges_last", "edges_first")});
}

/// The sum of the weights of each key: counts[k] = sum of weights[i] where x[i] is k, 0 <= k < bins.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n integers x[i]
/// \param weights     n integers or floating-point numbers
/// \param counts      a result for each bin
/// \param bins        how many; key k belongs to bin k
/// \return            counts + number of bins
///
/// \par Promises
/// - aliasing: counts overlap nothing else. What they held is overwritten.
/// - waiting: never, but with .checked(); can be captured in a graph.
/// - determinism: always.
/// - complexity: items and weights are read once; floating-point weights twice.
/// - scratch: none where counts are a pointer to integers of 4 or 8 bytes, else 8 bytes a bin, of
///   floating-point weights 16 bytes a bin, and less than 64 KiB.
/// - errors, before anything is written: cuda_error; bad_argument for last before first, a null pointer,
///   negative bins or more than 2^32 - 2, counts that are a range and have fewer places, too little scratch,
///   with .checked() a key that has no bin and a pointer that the device cannot reach.
/// - source: sums of blocks in shared memory, of runs of equal bins (docs/moves.md).
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Weights,
          detail::output_for<Policy> Counts, class Bins>
  requires(std::is_integral_v<Bins>)
SWEEP_HD Counts weighted_histogram(Policy const& policy, In first, In last, Weights weights, Counts counts,
                                   Bins bins) {
  return detail::histogram("weighted_histogram", policy, first, last, weights, counts,
                           detail::keys_as_bins{static_cast<std::int64_t>(bins)});
}

/// The sum of the weights of each of a number of equal bins, as those of histogram_even. Other promises as
/// weighted_histogram.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items x[i]
/// \param weights     n integers or floating-point numbers
/// \param counts      a result for each bin
/// \param bins        how many
/// \param low         where bin 0 begins
/// \param high        where the last bin ends; above low
/// \return            counts + number of bins
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Weights,
          detail::output_for<Policy> Counts, class Low, class High, class Bins>
  requires(std::is_integral_v<Bins>)
SWEEP_HD Counts weighted_histogram_even(Policy const& policy, In first, In last, Weights weights,
                                        Counts counts, Bins bins, Low low, High high) {
  return detail::histogram(
      "weighted_histogram_even", policy, first, last, weights, counts,
      detail::levels_as_bins<std::common_type_t<Low, High>>{static_cast<std::common_type_t<Low, High>>(low),
                                                            static_cast<std::common_type_t<Low, High>>(high),
                                                            static_cast<std::int64_t>(bins)});
}

/// The sum of the weights between edges, as those of histogram_range. Other promises as weighted_histogram.
///
/// \param policy      where to run: seq, host, device, or a policy of Thrust's
/// \param first,last  n items x[i]
/// \param weights     n integers or floating-point numbers
/// \param counts      a result for each bin
/// \param edges_first,edges_last  bins + 1 numbers that do not decrease
/// \return            counts + number of bins
SWEEP_NO_EXEC_CHECK
template <detail::policy Policy, detail::iterator_for<Policy> In, detail::iterator_for<Policy> Weights,
          detail::output_for<Policy> Counts, detail::iterator_for<Policy> Edges>
SWEEP_HD Counts weighted_histogram_range(Policy const& policy, In first, In last, Weights weights,
                                         Counts counts, Edges edges_first, Edges edges_last) {
  return detail::histogram(
      "weighted_histogram_range", policy, first, last, weights, counts,
      detail::edges_as_bins<detail::unwrapped_t<Edges>>{
          detail::unwrapped(edges_first), detail::checked_distance("weighted_histogram_range", edges_first,
                                                                   edges_last, "edges_last", "edges_first")});
}

/// \cond
// The other forms of these calls (detail/runtime/call_forms.hpp).
namespace detail::canonical {

inline constexpr auto histogram = [](auto const&... all) -> decltype(sweep::histogram(all...)) {
  return sweep::histogram(all...);
};
inline constexpr auto histogram_even = [](auto const&... all) -> decltype(sweep::histogram_even(all...)) {
  return sweep::histogram_even(all...);
};
inline constexpr auto histogram_range = [](auto const&... all) -> decltype(sweep::histogram_range(all...)) {
  return sweep::histogram_range(all...);
};
inline constexpr auto weighted_histogram =
    [](auto const&... all) -> decltype(sweep::weighted_histogram(all...)) {
  return sweep::weighted_histogram(all...);
};
inline constexpr auto weighted_histogram_even =
    [](auto const&... all) -> decltype(sweep::weighted_histogram_even(all...)) {
  return sweep::weighted_histogram_even(all...);
};
inline constexpr auto weighted_histogram_range =
    [](auto const&... all) -> decltype(sweep::weighted_histogram_range(all...)) {
  return sweep::weighted_histogram_range(all...);
};

/// Counts that are a range have a place for each bin, and weights one for each item.
inline constexpr auto has_bins = [](auto const& input, auto& counts, std::integral auto const& bins,
                                    auto&...) {
  input.require_room("counts", counts, static_cast<std::int64_t>(bins));
};
inline constexpr auto has_bins_between = [](auto const& input, auto& counts, auto&... edges) {
  input.with_second([&](std::int64_t m, auto&...) { input.require_room("counts", counts, m - 1); }, edges...);
};
inline constexpr auto has_weights = [](auto const& check) {
  return [check](auto const& input, auto& weights, auto&... rest) {
    input.require_room("weights", weights, input.n);
    if constexpr (requires { check(input, rest...); }) check(input, rest...);
  };
};

}  // namespace detail::canonical

template <class First, class... Rest>
auto histogram(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<1>("histogram", detail::canonical::has_bins,
                                          detail::canonical::histogram, first, rest...);
}
template <class First, class... Rest>
auto histogram_even(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<1>("histogram_even", detail::canonical::has_bins,
                                          detail::canonical::histogram_even, first, rest...);
}
template <class First, class... Rest>
auto histogram_range(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<2, 1>("histogram_range", detail::canonical::has_bins_between,
                                             detail::canonical::histogram_range, first, rest...);
}
template <class First, class... Rest>
auto weighted_histogram(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<2>("weighted_histogram",
                                          detail::canonical::has_weights(detail::canonical::has_bins),
                                          detail::canonical::weighted_histogram, first, rest...);
}
template <class First, class... Rest>
auto weighted_histogram_even(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<2>("weighted_histogram_even",
                                          detail::canonical::has_weights(detail::canonical::has_bins),
                                          detail::canonical::weighted_histogram_even, first, rest...);
}
template <class First, class... Rest>
auto weighted_histogram_range(First const& first, Rest&&... rest) {
  return detail::complete_checked_call<3, 2>(
      "weighted_histogram_range", detail::canonical::has_weights(detail::canonical::has_bins_between),
      detail::canonical::weighted_histogram_range, first, rest...);
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif

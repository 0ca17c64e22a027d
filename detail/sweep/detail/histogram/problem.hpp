// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_HISTOGRAM_PROBLEM_HPP
#define SWEEP_DETAIL_HISTOGRAM_PROBLEM_HPP

#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/histogram/bins.hpp>
#include <sweep/detail/histogram/weights.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// What is to be counted, with its types complete, and where sums go: (limbs, bins).
template <class In, class Bins, class Weights, class Sum>
struct histogram_problem {
  static constexpr int limbs = Weights::limbs;
  using raw = value_of<In>;
  using amount = typename Weights::amount;
  using sum = Sum;
  static constexpr bool in_contiguous = [] {
    if constexpr (std::is_pointer_v<In>) return relocatable<raw>;
    else return false;
  }();
  static constexpr int vector_items = in_contiguous ? std::min(16, items_per_16_bytes(sizeof(raw))) : 4;

  SWEEP_HD std::int64_t slots() const { return limbs * bins; }

  In in;
  std::int64_t n;
  Bins bins_of;
  Weights weights;
  std::int64_t bins;
  Sum* sums;
};

/// A sum as it is written.
template <class Out>
struct write_sum {
  std::uint64_t const* sums;
  bool is_signed;
  Out out;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t bin) const {
    using U = written_value<Out, std::int64_t>;
    auto const sum = sums[bin];
    out[bin] = is_signed ? static_cast<U>(static_cast<std::int64_t>(sum)) : static_cast<U>(sum);
  }
};
template <class Out>
struct write_fixed_point {
  std::uint64_t const* sums;
  std::int64_t bins;
  fixed_point const* how;
  Out out;
  SWEEP_NO_EXEC_CHECK
  SWEEP_HD void operator()(std::int64_t bin) const {
    out[bin] = static_cast<written_value<Out, double>>(how->join(sums[bin], sums[bins + bin]));
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

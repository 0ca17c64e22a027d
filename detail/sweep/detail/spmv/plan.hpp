// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SPMV_PLAN_HPP
#define SWEEP_DETAIL_SPMV_PLAN_HPP

#include <sweep/csr.hpp>
#include <sweep/detail/convert_csr/dispatch.hpp>
#include <sweep/detail/convert_csr/preconditions.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/preconditions.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/kept_arrays.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/segmented_scan/validate.hpp>
#include <sweep/detail/spmv/near_columns.hpp>
#include <sweep/detail/spmv/problem.hpp>
#include <sweep/detail/spmv/tuning.hpp>

#if defined(__CUDACC__)
#include <sweep/detail/spmv/device.cuh>
#endif

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// What a plan keeps for a matrix: its arrays, if it is another one's transpose, and on the device where
// shares of its path begin. They have these numbers among a plan's arrays.
inline constexpr std::size_t planned_cuts = 0, planned_offsets = 1, planned_indices = 2, planned_values = 3;

/// The policy that a plan's memory is of.
template <class Policy>
using plan_policy =
    std::remove_cvref_t<decltype(without_tags(resolve<no_options>(std::declval<Policy const&>()).policy))>;

/// A matrix whose number of entries is known; where only its offsets say, the call waits for them.
template <class Policy, class A>
A counted_matrix(Policy const& policy, char const* call, A a) {
  if (a.nonzeros < 0)
    a.nonzeros = a.rows > 0 ? std::stoll(value_at(policy, call, unwrapped(a.offsets), a.rows)) : 0;
  return a;
}

/// How many shares of a matrix's path a plan keeps: on the device those of the kernel that it is for.
template <class Policy, class A>
path_division planned_division(A const& a) {
  if (on_host<Policy> || a.rows == 0) return {0, 0};
  return divide_path(a.rows + a.nonzeros, planned_warps);
}
/// Where they begin, where the last one ends, and room for one number more.
template <class Policy, class A>
std::int64_t planned_places(A const& a) {
  auto const blocks = planned_division<Policy>(a).blocks;
  return blocks > 0 ? blocks * planned_warps + 2 : 0;
}

/// A matrix with where shares of its path begin, which are found now. The policy is that for what else needs
/// memory; whether short rows are even is waited for, where they are so many that it matters.
template <class Policy, class A>
planned_matrix<A> plan_matrix([[maybe_unused]] Policy const& policy, [[maybe_unused]] char const* call,
                              A const& a, [[maybe_unused]] path_place* places) {
  if constexpr (!on_host<Policy>) {
#if defined(__CUDACC__)
    auto const [steps, blocks] = planned_division<Policy>(a);
    auto const shares = blocks * planned_warps;
    if (blocks > 0) {
      auto const offsets = unwrapped(a.offsets);
      path_rows<std::remove_const_t<decltype(offsets)>> const rows{a.rows, a.nonzeros, offsets};
      find_path_cuts(policy, call, rows, steps, shares, places);
      constexpr auto of_value = sizeof(value_of<decltype(a.values)>),
                     entry = of_value + sizeof(value_of<decltype(a.indices)>);
      bool are_uneven_rows = false;
      if constexpr (of_value <= 8 && entry <= 16)
        if (asks_for_windows(a.rows, a.nonzeros, of_value, entry)) {
          auto const& shape = row_tile_row_for(of_value, entry).shape;
          auto* const windows = &places[shares + 1].entry;
          count_tile_windows(policy, call, rows, unwrapped(a.indices), shape, windows);
          are_uneven_rows =
              are_uneven(std::stoll(value_at(policy, call, static_cast<std::int64_t const*>(windows), 0)),
                         shape.window_items(), a.nonzeros);
        }
      return {a, {places, steps, shares, are_uneven_rows}};
    }
#endif
  }
  return {a, {}};
}

/// The arrays of a plan that keeps the transposed matrix, of the matrix's own types; of a pattern's values
/// there are none.
template <class Policy, class A>
struct transposed_arrays {
  using offset = std::remove_cv_t<value_of<decltype(A::offsets)>>;
  using index = std::remove_cv_t<value_of<decltype(A::indices)>>;
  using value = std::remove_cv_t<value_of<decltype(A::values)>>;
  static constexpr bool pattern = is_same_value<decltype(A::values)>;
  using type = kept_arrays<Policy, path_place, offset, index, value>;
  using matrix = csr_view<offset const*, index const*,
                          std::conditional_t<pattern, std::remove_cv_t<decltype(A::values)>, value const*>>;
};

template <class A>
constexpr void require_planned() {
  static_assert(std::is_same_v<decltype(A::wanted), every_row>,
                "sweep: a plan is made of a whole matrix: plan.where(flags) masks its rows");
}

template <class Policy, class A>
typename transposed_arrays<Policy, A>::type make_transposed_arrays(Policy const& policy, char const* call,
                                                                   A const& a) {
  using arrays = transposed_arrays<Policy, A>;
  using T = typename arrays::value;
  static_assert(on_host<Policy> || relocatable<T>,
                "sweep: on the device values of a matrix that is kept must be trivially copyable");
  // The path of the transpose is as long as its rows and entries.
  auto const turned = csr_view(a.columns, a.rows, a.nonzeros, a.offsets, a.indices, a.values);
  return {policy,        call,       planned_places<Policy>(turned),
          a.columns + 1, a.nonzeros, arrays::pattern ? std::int64_t{0} : a.nonzeros};
}

/// The transposed matrix, made now in a plan's arrays.
template <class Policy, class A, class Arrays>
planned_matrix<typename transposed_arrays<Policy, A>::matrix> plan_transposed(Policy const& policy,
                                                                              char const* call, A const& a,
                                                                              Arrays const& arrays) {
  using made = transposed_arrays<Policy, A>;
  auto* const offsets = arrays.template get<planned_offsets>();
  auto* const indices = arrays.template get<planned_indices>();
  auto const matrix = [&](auto const& values) {
    return typename made::matrix(a.columns, a.rows, a.nonzeros, offsets, indices, values);
  };
  auto const plan = [&](auto const& turned) {
    return plan_matrix(arrays.rest(policy), call, turned, arrays.template get<planned_cuts>());
  };
  if constexpr (made::pattern) {
    transpose_csr(call, arrays.rest(policy), a, offsets, indices, unwritten_values{});
    return plan(matrix(a.values));
  } else {
    auto* const values = arrays.template get<planned_values>();
    transpose_csr(call, arrays.rest(policy), a, offsets, indices, values);
    return plan(matrix(static_cast<typename made::value const*>(values)));
  }
}

/// The arrays of a plan that keeps columns in 16 bits; the last says whether one did not fit.
template <class Policy, class Index>
struct near_arrays : kept_arrays<Policy, path_place, std::uint16_t, Index, std::int32_t> {
  using kept_arrays<Policy, path_place, std::uint16_t, Index, std::int32_t>::kept_arrays;
};
template <class A>
using index_of = std::remove_cv_t<value_of<decltype(A::indices)>>;

/// What a plan of such arrays has.
template <class Matrix, class Arrays>
struct planned_by {
  using type = planned_matrix<Matrix>;
};
template <class Matrix, class Policy, class Index>
struct planned_by<Matrix, near_arrays<Policy, Index>> {
  using type = narrow_matrix<Matrix>;
};

template <class Policy, class A, class Arrays>
narrow_matrix<A> plan_narrow(Policy const& policy, char const* call, A const& a, Arrays const& arrays) {
  auto* const low = arrays.template get<1>();
  auto* const least = arrays.template get<2>();
  bool const fit = make_near_columns(arrays.rest(policy), call, unwrapped(a.indices), a.nonzeros, low, least,
                                     arrays.template get<3>());
  narrow_matrix<A> planned{plan_matrix(arrays.rest(policy), call, a, arrays.template get<planned_cuts>()),
                           {}};
  if (fit) planned.near = {low, least};
  return planned;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_COMPARISON_MERGE_MEMORY_CUH
#define SWEEP_DETAIL_SORT_COMPARISON_MERGE_MEMORY_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/scratch_pieces.hpp>
#include <sweep/detail/sort/comparison/merge_passes.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Calls f with the values as they ride with their keys.
template <class Problem, class F>
void with_riding_values(Problem const& problem, F f) {
  if constexpr (riding_value<Problem>::is_index) f(index_itself{});
  else f(problem.values_in);
}

/// Where a sort that merges has its keys and values: where they are to be at last, or in memory of its own
/// where that is none; and beside it as much again, if passes go to and fro.
template <class Problem>
class merge_memory {
 public:
  using key = typename Problem::key;
  using value = typename riding_value<Problem>::type;
  static_assert(relocatable<key> && std::is_default_constructible_v<key>,
                "sweep: on the device keys must be trivially copyable and default constructible");

  /// Keys that nobody asks for have memory if the last pass needs it.
  merge_memory(Problem const& problem, bool to_and_fro, bool keys_needed)
      : problem_{problem},
        last_is_own_{!keys_stay && (Problem::keeps_keys || keys_needed)},
        to_and_fro_{to_and_fro} {
    if constexpr (riding_value<Problem>::is_index) keeps_ = problem.values_may_be_in_place();
  }
  std::size_t bytes() const {
    auto const n = problem_.n;
    std::size_t const keys = (last_is_own_ ? 1 : 0) + (to_and_fro_ ? 1 : 0),
                      values = !Problem::has_values ? 0 : (values_stay ? 0 : 1) + (to_and_fro_ ? 1 : 0);
    return keys * bytes_of_piece<key>(n) + values * bytes_of_piece<value>(n) +
           (keeps_ ? bytes_of_piece<typename Problem::value>(n) : 0);
  }
  void take(scratch_pieces& pieces) {
    auto const n = problem_.n;
    if constexpr (keys_stay) buffers.keys[0] = problem_.keys_out;
    else if (last_is_own_) buffers.keys[0] = pieces.take<key>(n);
    if (to_and_fro_) buffers.keys[1] = pieces.take<key>(n);
    if constexpr (Problem::has_values) {
      if constexpr (values_stay) buffers.values[0] = problem_.values_out;
      else buffers.values[0] = pieces.take<value>(n);
      if (to_and_fro_) buffers.values[1] = pieces.take<value>(n);
    }
    if (keeps_) kept_ = pieces.take<typename Problem::value>(n);
  }
  /// From memory of its own to where all is to be.
  void write(cudaStream_t stream) const {
    if constexpr (own_keys || !values_stay) {
      using job = write_sorted_job<Problem, key, value>;
      for (bool const keep : {true, false})
        if (!keep || keeps_)
          launch_job(problem_.call, stream, (problem_.n + job::threads - 1) / job::threads, job::threads,
                     job{problem_, own_keys ? buffers.keys[0] : nullptr,
                         values_stay ? nullptr : buffers.values[0], kept_, keep});
    }
  }

  merge_buffers<key, value> buffers{};

 private:
  static constexpr bool keys_stay = std::is_same_v<decltype(Problem::keys_out), key*>,
                        values_stay =
                            !Problem::has_values || std::is_same_v<decltype(Problem::values_out), value*>,
                        own_keys = !keys_stay && Problem::keeps_keys;
  Problem const& problem_;
  bool last_is_own_, to_and_fro_;
  bool keeps_ = false;  ///< values that others take the places of stay in memory meanwhile
  typename Problem::value* kept_ = nullptr;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

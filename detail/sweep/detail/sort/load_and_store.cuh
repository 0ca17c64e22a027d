// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_LOAD_AND_STORE_CUH
#define SWEEP_DETAIL_SORT_LOAD_AND_STORE_CUH

#include <sweep/detail/core/iterator.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/multisplit/problem.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// Passes read and write memory. Ranges that are none are read before the first pass, and written behind the
// last.

/// Whether passes can read and write a range as it is: memory of items of this type.
template <class It, class T>
inline constexpr bool passes_reach = [] {
  if constexpr (std::is_pointer_v<It>) return std::is_same_v<value_of<It>, T> && relocatable<T>;
  else return false;
}();

/// What values are moved as: what they are written as, unless they are read from memory.
template <class Problem>
using moved_value =
    std::conditional_t<Problem::has_values,
                       std::conditional_t<passes_reach<std::remove_cv_t<decltype(Problem::values_in)>,
                                                       typename Problem::value> ||
                                              !(relocatable<typename Problem::value_out> &&
                                                std::is_default_constructible_v<typename Problem::value_out>),
                                          typename Problem::value, typename Problem::value_out>,
                       keys_alone>;

/// Reads keys and values that are not memory which passes can read.
template <class Problem, class Value>
struct radix_load_job {
  static constexpr int threads = 256, blocks = 1;
  Problem problem;
  typename Problem::key* keys;  ///< or null
  Value* values;                ///< or null

  __device__ void operator()() const {
    auto const step = std::int64_t{gridDim.x} * threads;
    auto const t = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (keys)
      for (auto i = t; i < problem.n; i += step)
        put_bytes(keys[i], static_cast<typename Problem::key>(problem.keys_in[i]));
    if constexpr (Problem::has_values)
      if (values)
        for (auto i = t; i < problem.n; i += step)
          put_bytes(values[i],
                    static_cast<Value>(static_cast<typename Problem::value>(problem.values_in[i])));
  }
};

/// Brings items from the last memory to where they are to be, where that is no memory that passes can write.
template <class Problem, class Value>
struct radix_store_job {
  static constexpr int threads = 256, blocks = 1;
  using key = typename Problem::key;
  Problem problem;
  key const* keys;      ///< or null
  Value const* values;  ///< or null

  __device__ void operator()() const {
    if constexpr (Problem::keeps_keys)
      if (keys) store(keys, problem.keys_out);
    if constexpr (Problem::has_values)
      if (values) store(values, problem.values_out);
  }

 private:
  template <class T, class Out>
  __device__ void store(T const* from, Out const& out) const {
    auto const step = std::int64_t{gridDim.x} * threads;
#pragma unroll 4
    for (auto i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < problem.n; i += step)
      out[i] = static_cast<written_value<Out, T>>(from[i]);
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

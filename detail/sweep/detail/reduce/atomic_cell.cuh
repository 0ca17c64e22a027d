// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_ATOMIC_CELL_CUH
#define SWEEP_DETAIL_REDUCE_ATOMIC_CELL_CUH

#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/functional.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A value that many threads join by compare-and-swap: at most 8 bytes, in the low bytes of a word.
template <class T>
class joined_cell {
  static_assert(sizeof(T) <= 8, "sweep: the atomic variants of reduce need values of at most 8 bytes");
  using word = std::conditional_t<(sizeof(T) <= 4), std::uint32_t, std::uint64_t>;

 public:
  __device__ explicit joined_cell(std::uint64_t* at) : at_{*reinterpret_cast<word*>(at)} {}

  __device__ void set(T const& value) { atomic_ref<word>(at_).store(bits(value), relaxed); }
  __device__ T get() const { return value(atomic_ref<word>(at_).load(relaxed)); }

  template <class Op>
  __device__ void join(T const& x, Op& op) {
    if constexpr (adds<Op, T> && std::is_arithmetic_v<T> && sizeof(T) >= 4) {
      atomic_ref<T>(reinterpret_cast<T&>(at_)).fetch_add(x, relaxed);
    } else {
      auto seen = atomic_ref<word>(at_).load(relaxed);
      while (!atomic_ref<word>(at_).compare_exchange_weak(seen, bits(static_cast<T>(op(value(seen), x))),
                                                          relaxed)) {}
    }
  }

 private:
  static __device__ word bits(T const& value) {
    word w = 0;
    memcpy(&w, &value, sizeof(T));
    return w;
  }
  static __device__ T value(word const& w) {
    T t;
    memcpy(static_cast<void*>(&t), &w, sizeof(T));
    return t;
  }
  word& at_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

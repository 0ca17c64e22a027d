// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_LOOKBACK_RESULT_PLACE_HPP
#define SWEEP_DETAIL_LOOKBACK_RESULT_PLACE_HPP

#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/lookback/slots.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// A value in words that the host polls while a kernel writes them.
template <class T>
using polled_value = slots<T, system_atomic_ref>;

/// Where a call leaves its one result, as much of an iterator as that needs: memory, or polled words. One
/// kernel serves both.
template <class T>
class result_place {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;
  struct reference {
    result_place const* place;
    SWEEP_NO_EXEC_CHECK
    SWEEP_HD void operator=(T const& x) const {
      if constexpr (!relocatable<T>) *static_cast<T*>(place->at_) = x;  // on the host
      else if (place->stamp_ == 0) put_bytes(*static_cast<T*>(place->at_), x);
      else polled_value<T>(static_cast<std::uint64_t*>(place->at_), place->stamp_).publish(0, x);
    }
  };

  SWEEP_HD explicit result_place(T* memory) : at_{memory} {}
  SWEEP_HD result_place(std::uint64_t* words, std::uint32_t stamp) : at_{words}, stamp_{stamp} {}
  SWEEP_HD reference operator*() const { return {this}; }

 private:
  void* at_;
  std::uint32_t stamp_ = 0;  ///< of polled words
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_SCRATCH_PIECES_HPP
#define SWEEP_DETAIL_RUNTIME_SCRATCH_PIECES_HPP

#include <sweep/detail/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// Bytes that so many items take of a call's memory, in which every piece begins at a multiple of 256.
template <class T>
constexpr std::size_t bytes_of_piece(std::int64_t items) {
  return (static_cast<std::size_t>(items) * sizeof(T) + 255) / 256 * 256;
}

/// Hands out a call's memory, piece by piece.
class scratch_pieces {
 public:
  explicit scratch_pieces(void* memory) : next_{static_cast<std::byte*>(memory)} {}
  template <class T>
  T* take(std::int64_t items) {
    return reinterpret_cast<T*>(std::exchange(next_, next_ + bytes_of_piece<T>(items)));
  }

 private:
  std::byte* next_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_TILE_RELATION_TREE_CUH
#define SWEEP_DETAIL_TRIDIAGONAL_TILE_RELATION_TREE_CUH

#include <sweep/detail/tridiagonal/relation.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Relations of neighbouring chunks in shared memory: folded to that of all of them, and
/// from the states at the ends back to those between. What eliminates the state before chunk k takes the
/// place of the relation that began there. All threads of the block call; they have met after what was
/// written before.
template <class S>
class relation_tree {
  union slot {
    relation<S> related;
    elimination<S> eliminated;  // an odd number of words: neighbours are in different banks
  };

 public:
  /// For so many chunks at most.
  SWEEP_HD static constexpr std::size_t bytes(int most) {
    return sizeof(slot) * static_cast<std::size_t>(most) + sizeof(state<S>) * static_cast<std::size_t>(most + 1);
  }
  __device__ relation_tree(void* memory, int most)
      : slots_{static_cast<slot*>(memory)}, states_{reinterpret_cast<state<S>*>(slots_ + most)} {}

  __device__ void put(int chunk, relation<S> const& of) { slots_[chunk].related = of; }
  __device__ relation<S> const& all() const { return slots_[0].related; }
  __device__ state<S>& at(int k) { return states_[k]; }

  /// Level by level, neighbours with each other. singular(k, which) is told of the state before chunk k.
  template <class Singular>
  __device__ void fold(int count, Singular const& singular) {
    for (int by = 1; by < count; by *= 2) {
      int const left = 2 * by * static_cast<int>(threadIdx.x), right = left + by;
      if (right < count) {
        elimination<S> how;
        auto const both = join(slots_[left].related, slots_[right].related, how,
                               [&](int which) { singular(right, which); });
        slots_[left].related = both;
        slots_[right].eliminated = how;
      }
      __syncthreads();
    }
  }
  /// at(0) and at(count) are known, and then all between.
  __device__ void unfold(int count) {
    int by = 1;
    while (2 * by < count) by *= 2;
    for (; by >= 1; by /= 2) {
      int const left = 2 * by * static_cast<int>(threadIdx.x), right = left + by;
      if (right < count)
        states_[right] = slots_[right].eliminated.middle(states_[left], states_[min(left + 2 * by, count)]);
      __syncthreads();
    }
  }

 private:
  slot* slots_;
  state<S>* states_;
};

/// The lowest row with a zero pivot, where somebody wants to know.
__device__ inline void note_singular(std::int64_t* first, std::int64_t row) {
  if (first) atomicMin(reinterpret_cast<long long*>(first), static_cast<long long>(row));
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

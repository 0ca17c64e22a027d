// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_WINDOW_IN_SHARED_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_WINDOW_IN_SHARED_CUH

#include <sweep/detail/block/stage_items.cuh>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/sort/comparison/merge_passes.cuh>
#include <sweep/detail/sort/problem.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// The items of a window in shared memory, all of which are read before one is written: keys, and values but
/// for indices.
template <class Keys, class Values, class Key, class Value, int Items>
class window_in_shared {
 public:
  static constexpr bool has_values = !std::is_same_v<Value, absent_value>,
                        stages_values = has_values && !std::is_same_v<Values, index_itself>;
  struct no_room {};
  /// No address is shared with what has no room: of a member of a member nvcc 13.0 then gets others' wrong.
  struct shared {
    staged_items<Key, Items> keys;
    std::conditional_t<stages_values, staged_items<Value, Items>, no_room> values;
  };

  /// Starts the loads, by all threads of a block. There are some items.
  template <int Threads>
  static __device__ window_in_shared load(shared& smem, Keys const& keys, Values const& values,
                                          std::int64_t begin, int count) {
    window_in_shared all(smem);
    all.first_key_ = static_cast<int>(stage_items<Threads>(smem.keys, keys, begin, count) - smem.keys.room);
    if constexpr (stages_values)
      all.first_value_ =
          static_cast<int>(stage_items<Threads>(smem.values, values, begin, count) - smem.values.room);
    return all;
  }

  __device__ Key const* keys() const { return reinterpret_cast<Key const*>(smem_.keys.room + first_key_); }
  /// The value of item `from` to place `to` of the window, which begins with item `begin`.
  __device__ void put_value(Values const& values, std::int64_t begin, Value* out, int to, int from) const {
    if constexpr (stages_values)
      put_bytes(out[begin + to], reinterpret_cast<Value const*>(smem_.values.room + first_value_)[from]);
    else if constexpr (has_values) out[begin + to] = values[begin + from];
  }

 private:
  __device__ explicit window_in_shared(shared& smem) : smem_{smem} {}

  shared& smem_;
  int first_key_ = 0, first_value_ = 0;  ///< bytes in front of them
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

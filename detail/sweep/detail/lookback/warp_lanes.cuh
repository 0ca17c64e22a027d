// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_LOOKBACK_WARP_LANES_CUH
#define SWEEP_DETAIL_LOOKBACK_WARP_LANES_CUH

#include <sweep/detail/lookback/collective_lanes.hpp>
#include <sweep/detail/warp/reduce.cuh>
#include <sweep/detail/warp/shuffle.cuh>

namespace sweep::inline SWEEP_ABI::detail {

/// The primitives of a look-back's lanes (lookback/collective_lanes.hpp), by a warp's instructions.
struct device_warp {
  /// Each thread has its own lane's.
  template <class T>
  struct varying {
    T value;
    __device__ T& operator[](int) { return value; }
    __device__ T const& operator[](int) const { return value; }
  };

  int lane = static_cast<int>(threadIdx.x % 32);

  __device__ bool elected() const { return lane == 0; }
  __device__ void pause() const {}
  template <class F>
  __device__ void each(F f) const {
    f(lane);
  }
  template <class F>
  __device__ bool all(F f) const {
    return __all_sync(~0u, f(lane));
  }
  template <class F>
  __device__ unsigned ballot(F f) const {
    return __ballot_sync(~0u, f(lane));
  }
  template <class T>
  __device__ T broadcast(varying<T> const& v, int from) const {
    return warp_shfl(v.value, from);
  }
  template <class T>
  __device__ T lead(varying<T> const& v) const {
    return v.value;
  }
  template <class T>
  __device__ T from_leader(T const& x) const {
    return warp_shfl(x, 0);
  }
  template <class T, int K, class Op>
  __device__ void reduce_right(varying<T> (&v)[K], int const (&count)[K], int const (&from)[K],
                               Op& op) const {
    int most = count[0];
#pragma unroll
    for (int k = 1; k < K; ++k) most = max(most, count[k]);
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      if (by >= most) break;
      T right[K];
#pragma unroll
      for (int k = 0; k < K; ++k) right[k] = warp_shfl_down(v[k].value, by);
#pragma unroll
      for (int k = 0; k < K; ++k)
        if (lane >= from[k] && lane + by < count[k]) v[k].value = op(v[k].value, right[k]);
    }
  }
  template <class T, class Op>
  __device__ void scan_right(varying<T>& v, int count, Op& op) const {
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      if (by >= count) break;
      T const left = warp_shfl(v.value, (lane & ~(by - 1)) - 1);
      if ((lane & by) != 0 && lane < count) v.value = op(left, v.value);
    }
  }
};

using warp_lanes = collective_lanes<device_warp>;
static_assert(lookback_lanes<warp_lanes, int>);

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

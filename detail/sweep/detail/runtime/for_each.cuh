// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_FOR_EACH_CUH
#define SWEEP_DETAIL_RUNTIME_FOR_EACH_CUH

#include <sweep/detail/runtime/launch.cuh>
#include <sweep/device.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// f(i) for i in [0, n), each by a thread of its own.
template <class F>
struct for_each_job {
  static constexpr int threads = 256, blocks = 1;
  std::int64_t n;
  F f;
  __device__ void operator()() const {
    auto mine = f;
    auto const i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (i < n) mine(i);
  }
};

template <class Scratch, class... Tags, class F>
void for_each_index(device_policy<Scratch, Tags...> const& policy, char const* call, std::int64_t n, F f) {
  using job = for_each_job<F>;
  if (n > 0)
    launch_job(call, policy.stream(), (n + job::threads - 1) / job::threads, job::threads, job{n, f});
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_WAIT_CUH
#define SWEEP_DETAIL_RUNTIME_WAIT_CUH

#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/runtime/scratch.cuh>

namespace sweep::detail {

// All that ever waits for the device.

template <class Source, class... Tags>
void finish(char const* call, resolved<device_policy<Source, Tags...>> const& target) {
  if (target.waits) check(cudaStreamSynchronize(target.policy.stream()), call, "cudaStreamSynchronize");
}

}  // namespace sweep::detail

#endif

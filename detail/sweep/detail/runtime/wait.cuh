// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_WAIT_CUH
#define SWEEP_DETAIL_RUNTIME_WAIT_CUH

#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/detail/runtime/scratch.cuh>

namespace sweep::detail {

// All that ever waits for the device.

template <class Source, class... Choices>
void finish(char const* call, resolved<device_policy<Source, Choices...>> const& target) {
  if (target.waits) check(cudaStreamSynchronize(target.policy.stream()), call, "cudaStreamSynchronize");
}

/// The value that write(pointer) leaves behind, brought to the host: waits.
template <class T, class Source, class... Choices, class Write>
T value_through(device_policy<Source, Choices...> const& policy, char const* call, Write write) {
  scratch<pool_scratch> memory({}, call, policy.stream(), sizeof(T));
  auto* const result = static_cast<T*>(memory.memory());
  write(result);
  T value{};
  check(
      cudaMemcpyAsync(static_cast<void*>(&value), result, sizeof(T), cudaMemcpyDeviceToHost, policy.stream()),
      call, "cudaMemcpyAsync");
  check(cudaStreamSynchronize(policy.stream()), call, "cudaStreamSynchronize");
  return value;
}

}  // namespace sweep::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_DEVICE_CUH
#define SWEEP_DETAIL_RUNTIME_DEVICE_CUH

#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/runtime/asked_once.cuh>
#include <sweep/detail/runtime/error.cuh>
#include <sweep/version.hpp>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

inline int device_attribute(char const* call, cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, current_device(call)), call, "cudaDeviceGetAttribute");
  return value;
}

inline int multiprocessors(char const* call) {
  return device_attribute(call, cudaDevAttrMultiProcessorCount);
}

/// Whether the memory moves more than 4 TB/s, as an H200's does and an H100's does not. Drivers take 600 us
/// to tell a clock, so each device is asked once.
inline bool has_fast_memory(char const* call) {
  constexpr int most_devices = 64;
  enum : std::int32_t { unknown, slow, fast };
  static std::int32_t found[most_devices] = {};
  atomic_ref<std::int32_t> known(found[current_device(call) % most_devices]);
  if (known.load(relaxed) == unknown) {
    auto const transfers = 2e3 * device_attribute(call, cudaDevAttrMemoryClockRate);  // of a bit of the bus
    auto const bytes = transfers * device_attribute(call, cudaDevAttrGlobalMemoryBusWidth) / 8;
    known.store(bytes > 4e12 ? fast : slow, relaxed);
  }
  return known.load(relaxed) == fast;
}

/// For .checked(): memory that kernels of the current device may touch.
inline void require_reachable(char const* call, char const* argument, void const* pointer) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, pointer), call, "cudaPointerGetAttributes");
  if (attributes.type == cudaMemoryTypeUnregistered &&
      !device_attribute(call, cudaDevAttrPageableMemoryAccess))
    throw bad_argument(call, argument, "points to host memory that the device cannot reach");
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The emulated device as a program may ask about it, and errors.
#include "runtime.hpp"

#include <cstring>
#include <map>

namespace emulator {
namespace {

thread_local cudaError_t last = cudaSuccess;

struct error_text {
  char const *name, *text;
};
error_text const& text_of(cudaError_t error) {
  static std::map<int, error_text> const texts{
      {0, {"cudaSuccess", "no error"}},
      {1, {"cudaErrorInvalidValue", "invalid argument"}},
      {2, {"cudaErrorMemoryAllocation", "out of memory"}},
      {9, {"cudaErrorInvalidConfiguration", "invalid configuration argument"}},
      {98, {"cudaErrorInvalidDeviceFunction", "invalid device function"}},
      {101, {"cudaErrorInvalidDevice", "invalid device ordinal"}},
      {200, {"cudaErrorInvalidKernelImage", "device kernel image is invalid"}},
      {400, {"cudaErrorInvalidResourceHandle", "invalid resource handle"}},
      {401, {"cudaErrorIllegalState", "the operation cannot be performed in the present state"}},
      {600, {"cudaErrorNotReady", "device not ready"}},
      {700, {"cudaErrorIllegalAddress", "an illegal memory access was encountered"}},
      {702, {"cudaErrorLaunchTimeout", "the launch timed out and was terminated"}},
      {710, {"cudaErrorAssert", "device-side assert triggered"}},
      {715, {"cudaErrorIllegalInstruction", "an illegal instruction was encountered"}},
      {716, {"cudaErrorMisalignedAddress", "misaligned address"}},
      {719, {"cudaErrorLaunchFailure", "unspecified launch failure"}},
      {801, {"cudaErrorNotSupported", "operation not supported"}},
      {900, {"cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"}},
      {901, {"cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"}},
      {906,
       {"cudaErrorStreamCaptureImplicit",
        "operation would make the legacy stream depend on a capturing blocking stream"}},
  };
  static error_text const unknown{"cudaErrorUnknown", "unrecognized error code"};
  auto const found = texts.find(error);
  return found == texts.end() ? unknown : found->second;
}

int attribute(cudaDeviceAttr which) {
  switch (which) {
  case cudaDevAttrMultiProcessorCount:
    return static_cast<int>(chosen().multiprocessors);
  case cudaDevAttrComputeCapabilityMajor:
    return 9;
  case cudaDevAttrComputeCapabilityMinor:
    return 0;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    return shared_bytes_at_most;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    return shared_bytes_per_block;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    return 228 * 1024;
  case cudaDevAttrReservedSharedMemoryPerBlock:
    return 1024;
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    return 2048;
  case cudaDevAttrMaxThreadsPerBlock:
    return 1024;
  case cudaDevAttrMaxBlocksPerMultiprocessor:
    return 32;
  case cudaDevAttrMaxRegistersPerBlock:
    return 65536;
  case cudaDevAttrMaxGridDimX:
    return 0x7fffffff;
  case cudaDevAttrMaxGridDimY:
    return 65535;
  case cudaDevAttrWarpSize:
    return 32;
  case cudaDevAttrMemoryClockRate:
    return 2'619'000;  // kHz, as the next one an H100's
  case cudaDevAttrGlobalMemoryBusWidth:
    return 5120;
  case cudaDevAttrL2CacheSize:
    return 50 << 20;
  case cudaDevAttrClockRate:
    return 1'000'000;
  case cudaDevAttrCooperativeLaunch:
  case cudaDevAttrMemoryPoolsSupported:
  case cudaDevAttrUnifiedAddressing:
  case cudaDevAttrManagedMemory:
  case cudaDevAttrConcurrentManagedAccess:
  case cudaDevAttrCanMapHostMemory:
    return 1;
  default:
    return 0;
  }
}

}  // namespace

cudaError_t report(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}
cudaError_t& lasting_error() {
  static cudaError_t error = cudaSuccess;
  return error;
}

}  // namespace emulator

using namespace emulator;

extern "C" {

cudaError_t cudaGetLastError() {
  auto const error = last;
  last = lasting_error();
  return error;
}
cudaError_t cudaPeekAtLastError() { return last; }
char const* cudaGetErrorName(cudaError_t error) { return text_of(error).name; }
char const* cudaGetErrorString(cudaError_t error) { return text_of(error).text; }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : report(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceReset() { return cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  if (device != 0) return report(cudaErrorInvalidDevice);
  *value = attribute(which);
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (device != 0) return report(cudaErrorInvalidDevice);
  *p = {};
  std::strcpy(p->name, "emulated sm_90");
  p->major = 9;
  p->multiProcessorCount = attribute(cudaDevAttrMultiProcessorCount);
  p->totalGlobalMem = memory_bytes;
  p->sharedMemPerBlock = shared_bytes_per_block;
  p->sharedMemPerBlockOptin = shared_bytes_at_most;
  p->sharedMemPerMultiprocessor = 228 * 1024;
  p->warpSize = 32;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsPerMultiProcessor = 2048;
  p->regsPerBlock = 65536;
  p->l2CacheSize = 50 << 20;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t) { return cudaSuccess; }
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit) {
  *value = 0;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

}  // extern "C"

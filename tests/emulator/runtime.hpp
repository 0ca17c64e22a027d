// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA runtime as a program sees it, on the emulated machine. Work is done when it is submitted, so that
// streams are always up to date; what a capture records is done when its graph is launched.
#ifndef SWEEP_TESTS_EMULATOR_RUNTIME_HPP
#define SWEEP_TESTS_EMULATOR_RUNTIME_HPP

#include "machine.hpp"

#include <cuda_runtime_api.h>

#include <functional>
#include <mutex>

struct CUgraph_st {
  std::vector<std::function<cudaError_t()>> work;
};
struct CUgraphExec_st {
  std::vector<std::function<cudaError_t()>> work;
};
struct CUstream_st {
  unsigned long long id = 0;
  unsigned flags = 0;
  int priority = 0;
  std::shared_ptr<CUgraph_st> capture;  ///< what it is captured into
  bool began = false, invalid = false;  ///< the capture
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
};
struct CUevent_st {
  std::shared_ptr<CUgraph_st> capture;  ///< that it was recorded in
};

namespace emulator {

/// Held by every call: the emulated machine does one thing at a time.
std::recursive_mutex& machine_lock();
using guard = std::lock_guard<std::recursive_mutex>;

/// Keeps an error for cudaGetLastError, and returns it.
cudaError_t report(cudaError_t error);
/// The error that ended a kernel, after which nothing works any more.
cudaError_t& lasting_error();

CUstream_st& stream_of(cudaStream_t stream);
/// Does the work, or records it where the stream is being captured.
cudaError_t submit(cudaStream_t stream, std::function<cudaError_t()> work);
/// What no capture of this thread allows: fails in one.
bool forbidden_by_capture();
/// Waiting for a stream that is captured: fails, and ends its capture.
bool waits_for_capture(cudaStream_t stream);

/// A variable of a module, by its host address; null if there is none.
void* address_of_symbol(void const* symbol, std::size_t& bytes);

constexpr int shared_bytes_per_block = 48 * 1024, shared_bytes_at_most = 227 * 1024;
constexpr std::size_t memory_bytes = std::size_t{6} << 30;

}  // namespace emulator

#endif

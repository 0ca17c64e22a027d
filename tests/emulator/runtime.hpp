// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA runtime as a program sees it, on the emulated machine. What streams are given is done in any order
// that they allow, kernels of several streams at once, some of it soon and some not before somebody waits for
// it.
#ifndef SWEEP_TESTS_EMULATOR_RUNTIME_HPP
#define SWEEP_TESTS_EMULATOR_RUNTIME_HPP

#include "machine.hpp"

#include <cuda_runtime_api.h>

#include <functional>
#include <mutex>

namespace emulator {

/// What is given to a stream: something done at once when its turn comes, or a kernel.
struct task {
  std::function<void()> act;
  std::function<std::unique_ptr<launch>()> kernel;
  bool early = false;  ///< a kernel that may start while the one before it runs
};
/// A task that waits for its turn, or runs.
struct operation {
  task what;
  std::vector<std::shared_ptr<operation>> after;
  std::shared_ptr<operation> kernel_before;  ///< that an early one need not wait for to the end
  std::unique_ptr<launch> running;
  bool ended = false;  ///< a kernel; done, too, when the one before it is
  std::shared_ptr<bool> done = std::make_shared<bool>(false);
};

}  // namespace emulator

struct CUgraph_st {
  unsigned long long id = 0;  ///< of the capture that makes it
  std::vector<emulator::task> work;
};
struct CUgraphExec_st {
  std::vector<emulator::task> work;
  std::shared_ptr<emulator::operation> last;  ///< of its latest launch, which the next waits for
};
struct CUstream_st {
  unsigned long long id = 0;
  unsigned flags = 0;
  int priority = 0;
  std::shared_ptr<CUgraph_st> capture;  ///< what it is captured into
  bool began = false, invalid = false;  ///< the capture
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::shared_ptr<emulator::operation> last;                ///< that was given to it
  std::vector<std::shared_ptr<emulator::operation>> waits;  ///< events that what comes next waits for
};
struct CUevent_st {
  std::shared_ptr<emulator::operation> recorded;  ///< the stream's last then
  std::shared_ptr<CUgraph_st> capture;            ///< that it was recorded in
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
/// Every stream that there has been, and each thread's own.
std::vector<CUstream_st*>& all_streams();
/// Puts the task behind what the stream was given before, or records it where the stream is being captured.
cudaError_t submit(cudaStream_t stream, task what);
/// What no call on a stream does, or does to the end, until somebody waits for it (runtime_queue.cpp).
void enqueue(CUstream_st& stream, task what);
bool is_done(std::shared_ptr<operation> const& one);
/// Some of what is under way goes on a little.
void go_on();
cudaError_t wait_for(std::shared_ptr<operation> const& one);
cudaError_t wait_for_all();
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_KEPT_PAPER_RUNTIME_HPP
#define SWEEP_TESTS_KEPT_PAPER_RUNTIME_HPP

// As much of the CUDA runtime as what is kept for streams asks of it, without a GPU: streams are numbers of
// what they have been given and of what they have done, and memory knows which work used it last.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

struct CUstream_st {
  unsigned long long id;
  long given = 0, done = 0;
};
struct CUevent_st {
  CUstream_st* stream = nullptr;
  long at = 0;
};

namespace sweep_test {

struct paper_runtime {
  struct block {
    CUstream_st* stream;
    long last;  ///< work of the stream that uses it
    std::size_t bytes;
  };
  std::mutex mutex;
  std::map<void*, block> blocks;
  std::set<CUstream_st*> streams;
  std::size_t live = 0;  ///< bytes
  int events_recorded = 0, given_back_too_early = 0;
  unsigned long long next_id = 1;

  static paper_runtime& instance() {
    static auto& one = *new paper_runtime;
    return one;
  }
  CUstream_st* new_stream() {  // never deleted: work goes on when a stream has been destroyed
    std::lock_guard const lock(mutex);
    auto* const stream = new CUstream_st{next_id++};
    streams.insert(stream);
    return stream;
  }
  /// A kernel that uses this memory.
  void launch(CUstream_st* stream, void* memory) {
    std::lock_guard const lock(mutex);
    blocks.at(memory).last = ++stream->given;
  }
  void finish(CUstream_st* stream) {
    std::lock_guard const lock(mutex);
    stream->done = stream->given;
  }
};

}  // namespace sweep_test

inline auto& paper() { return sweep_test::paper_runtime::instance(); }
using paper_lock = std::lock_guard<std::mutex>;

extern "C" {
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  paper_lock const lock(paper().mutex);
  for (auto* stream : paper().streams) stream->done = stream->given;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus* status, unsigned long long*,
                                     cudaGraph_t*, cudaGraphNode_t const**, cudaGraphEdgeData const**,
                                     std::size_t*) {
#else
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t, cudaStreamCaptureStatus* status, unsigned long long*,
                                        cudaGraph_t*, cudaGraphNode_t const**, std::size_t*) {
#endif
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  *id = stream->id;
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, cudaMemPoolProps const*) {
  static char one = 0;
  *pool = reinterpret_cast<cudaMemPool_t>(&one);
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemGetInfo(std::size_t* unused, std::size_t* total) {
  *unused = *total = std::size_t{80} << 30;
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) { return cudaSuccess; }
cudaError_t cudaMallocFromPoolAsync(void** memory, std::size_t bytes, cudaMemPool_t, cudaStream_t stream) {
  paper_lock const lock(paper().mutex);
  *memory = std::malloc(1);
  paper().blocks[*memory] = {stream, stream->given, bytes};
  paper().live += bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  paper_lock const lock(paper().mutex);
  auto const& block = paper().blocks.at(memory);
  if (stream != block.stream && block.stream->done < block.last) ++paper().given_back_too_early;
  paper().live -= block.bytes;
  paper().blocks.erase(memory);
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* memory, int, std::size_t, cudaStream_t stream) {
  paper().launch(stream, memory);
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  paper_lock const lock(paper().mutex);
  ++paper().events_recorded;
  *event = {stream, stream->given};
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  paper_lock const lock(paper().mutex);
  return event->stream->done >= event->at ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
char const* cudaGetErrorString(cudaError_t) { return "an error"; }
char const* cudaGetErrorName(cudaError_t) { return "error"; }
}

#endif

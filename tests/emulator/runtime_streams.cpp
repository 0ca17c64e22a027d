// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, events, captures and graphs.
#include "runtime.hpp"

#include <algorithm>
#include <memory>

namespace emulator {
namespace {

unsigned long long ids = 3;
thread_local std::vector<CUstream_st*> captures;  ///< that this thread has begun
thread_local cudaStreamCaptureMode this_threads_mode = cudaStreamCaptureModeGlobal;

}  // namespace

std::recursive_mutex& machine_lock() {
  static auto& lock = *new std::recursive_mutex;
  return lock;
}

std::vector<CUstream_st*>& all_streams() {
  static auto& all = *new std::vector<CUstream_st*>;
  return all;
}

namespace {
/// Streams are kept, so that the handle of one that is destroyed is no other's.
CUstream_st* new_stream(unsigned long long id, unsigned flags, int priority) {
  auto* const s = new CUstream_st;
  s->id = id;
  s->flags = flags;
  s->priority = priority;
  all_streams().push_back(s);
  return s;
}
}  // namespace

CUstream_st& stream_of(cudaStream_t stream) {
  static auto* const legacy = new_stream(1, 0, 0);
  if (stream == nullptr || stream == cudaStreamLegacy) return *legacy;
  if (stream != cudaStreamPerThread) return *stream;
  thread_local auto* const own = new_stream(++ids, 0, 0);
  return *own;
}

cudaError_t submit(cudaStream_t stream, task what) {
  auto& s = stream_of(stream);
  if (lasting_error() != cudaSuccess) return report(lasting_error());
  if (s.capture) {
    if (s.invalid) return report(cudaErrorStreamCaptureInvalidated);
    s.capture->work.push_back(std::move(what));
    return cudaSuccess;
  }
  if (&s == &stream_of(nullptr) && std::any_of(captures.begin(), captures.end(),
                                               [](auto* c) { return !(c->flags & cudaStreamNonBlocking); }))
    return report(cudaErrorStreamCaptureImplicit);
  enqueue(s, std::move(what));
  return cudaSuccess;
}

bool forbidden_by_capture() {
  guard const lock(machine_lock());
  if (this_threads_mode == cudaStreamCaptureModeRelaxed) return false;
  bool any = false;
  for (auto* const s : captures)
    if (s->mode != cudaStreamCaptureModeRelaxed) any = s->invalid = true;
  return any;
}

bool waits_for_capture(cudaStream_t stream) {
  guard const lock(machine_lock());
  auto& s = stream_of(stream);
  if (!s.capture) return false;
  s.invalid = true;
  return true;
}

}  // namespace emulator

using namespace emulator;

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  guard const lock(machine_lock());
  *stream = new_stream(++ids, flags, priority);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  guard const lock(machine_lock());
  if (waits_for_capture(stream)) return report(cudaErrorStreamCaptureUnsupported);  // as the driver has it
  *id = stream_of(stream).id;
  return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  *flags = stream_of(stream).flags;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  *priority = stream_of(stream).priority;
  return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  guard const lock(machine_lock());
  if (waits_for_capture(stream)) return report(cudaErrorStreamCaptureUnsupported);
  auto& s = stream_of(stream);
  if (s.id == 1)  // it waits for all the blocking ones
    for (auto* const other : all_streams())
      if (!(other->flags & cudaStreamNonBlocking))
        if (auto const result = wait_for(other->last); result != cudaSuccess) return result;
  return wait_for(s.last);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  guard const lock(machine_lock());
  if (waits_for_capture(stream)) return report(cudaErrorStreamCaptureUnsupported);
  go_on();
  if (lasting_error() != cudaSuccess) return report(lasting_error());
  return is_done(stream_of(stream).last) ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaDeviceSynchronize() {
  if (forbidden_by_capture()) return report(cudaErrorStreamCaptureUnsupported);
  guard const lock(machine_lock());
  return wait_for_all();
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  guard const lock(machine_lock());
  return submit(stream, {[=] { function(data); }, {}});
}

// ---- Events ----
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  guard const lock(machine_lock());
  event->capture = stream_of(stream).capture;
  event->recorded = event->capture ? nullptr : stream_of(stream).last;
  return report(lasting_error());
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  guard const lock(machine_lock());
  if (event->capture) return report(cudaErrorCapturedEvent);
  go_on();
  if (lasting_error() != cudaSuccess) return report(lasting_error());
  return is_done(event->recorded) ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  guard const lock(machine_lock());
  return event->capture ? report(cudaErrorCapturedEvent) : wait_for(event->recorded);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 1;
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  guard const lock(machine_lock());
  if (event->capture) stream_of(stream).capture = event->capture;  // joins it
  else if (event->recorded) stream_of(stream).waits.push_back(event->recorded);
  return cudaSuccess;
}

// ---- Captures and graphs ----
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  guard const lock(machine_lock());
  auto& s = stream_of(stream);
  if (s.capture || s.id == 1)
    return report(s.capture ? cudaErrorIllegalState : cudaErrorStreamCaptureUnsupported);
  s.capture = std::make_shared<CUgraph_st>();
  s.capture->id = ++ids;
  s.began = true;
  s.invalid = false;
  s.mode = mode;
  captures.push_back(&s);
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  guard const lock(machine_lock());
  auto& s = stream_of(stream);
  *graph = nullptr;
  if (!s.capture || !s.began) return report(cudaErrorIllegalState);
  auto const captured = s.capture;
  for (auto* const other : all_streams())
    if (other->capture == captured) other->capture = nullptr;
  s.capture = nullptr;
  s.began = false;
  std::erase(captures, &s);
  if (s.invalid) return report(cudaErrorStreamCaptureInvalidated);
  *graph = new CUgraph_st(*captured);
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  guard const lock(machine_lock());
  auto const& s = stream_of(stream);
  *status = !s.capture  ? cudaStreamCaptureStatusNone
            : s.invalid ? cudaStreamCaptureStatusInvalidated
                        : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
// The function's name with CUDA 12 and with CUDA 13; what else they could tell, nobody here asks for.
cudaError_t told_of_capture(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id) {
  guard const lock(machine_lock());
  if (id && stream_of(stream).capture) *id = stream_of(stream).capture->id;
  return cudaStreamIsCapturing(stream, status);
}
#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t*, cudaGraphNode_t const**,
                                     cudaGraphEdgeData const**, std::size_t*) {
  return told_of_capture(stream, status, id);
}
#else
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t*, cudaGraphNode_t const**,
                                        std::size_t*) {
  return told_of_capture(stream, status, id);
}
#endif
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, this_threads_mode);
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* instance, cudaGraph_t graph, unsigned long long) {
  *instance = new CUgraphExec_st{graph->work, nullptr};
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t instance, cudaStream_t stream) {
  guard const lock(machine_lock());
  if (lasting_error() != cudaSuccess) return report(lasting_error());
  if (auto& s = stream_of(stream); !s.capture && instance->last) s.waits.push_back(instance->last);
  for (auto const& work : instance->work)
    if (auto const result = submit(stream, work); result != cudaSuccess) return report(result);
  if (auto& s = stream_of(stream); !s.capture) instance->last = s.last;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t instance) {
  delete instance;
  return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t*, std::size_t* count) {
  *count = graph->work.size();
  return cudaSuccess;
}

}  // extern "C"

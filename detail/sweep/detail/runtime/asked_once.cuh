// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_ASKED_ONCE_CUH
#define SWEEP_DETAIL_RUNTIME_ASKED_ONCE_CUH

#include <sweep/detail/runtime/error.cuh>

#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// A stream as the driver knows it: handles are used anew, these numbers are not. A captured stream is known
/// by its capture: its own number may not be asked for.
struct stream_place {
  cudaStream_t stream = nullptr;
  bool captured = false;
  unsigned long long id = ~0ull;  ///< of the capture or of the stream
  bool operator==(stream_place const&) const = default;
};

/// Where this thread's call runs, while it lives: what the driver has said once is not asked again.
class asked_once {
 public:
  asked_once() : before_{std::exchange(current(), this)} {}
  asked_once(asked_once const&) = delete;
  asked_once& operator=(asked_once const&) = delete;
  ~asked_once() { current() = before_; }

  /// The call's, or null.
  static asked_once*& current() {
    thread_local asked_once* call = nullptr;
    return call;
  }

  int device = -1;
  stream_place place;  ///< of no stream where its id is none

 private:
  asked_once* before_;
};

inline int current_device(char const* call) {
  auto* const asked = asked_once::current();
  if (asked && asked->device >= 0) return asked->device;
  int device = 0;
  check(cudaGetDevice(&device), call, "cudaGetDevice");
  if (asked) asked->device = device;
  return device;
}

inline stream_place place_of(char const* call, cudaStream_t stream) {
  auto* const asked = asked_once::current();
  if (asked && asked->place.stream == stream && asked->place.id != ~0ull) return asked->place;
  stream_place here{stream};
  cudaStreamCaptureStatus status{};
  check(cudaStreamGetCaptureInfo(stream, &status, &here.id), call, "cudaStreamGetCaptureInfo");
  here.captured = status != cudaStreamCaptureStatusNone;
  if (!here.captured) check(cudaStreamGetId(stream, &here.id), call, "cudaStreamGetId");
  if (asked) asked->place = here;
  return here;
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

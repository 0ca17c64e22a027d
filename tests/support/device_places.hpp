// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_DEVICE_PLACES_HPP
#define SWEEP_TESTS_SUPPORT_DEVICE_PLACES_HPP

#include <support/memory.hpp>

#include <sweep/policy.hpp>

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sweep_test {

inline void succeed(cudaError_t result) {
  if (result != cudaSuccess)
    throw std::runtime_error(std::string("the test's own CUDA call failed: ") + cudaGetErrorString(result));
}

/// Copies wait for everything that the device has been given.
struct device_memory {
  static void* allocate(std::size_t bytes) {
    void* memory = nullptr;
    succeed(cudaMalloc(&memory, bytes));
    return memory;
  }
  static void release(void* p) { (void)cudaFree(p); }
  static void copy_in(void* to, void const* from, std::size_t bytes) {
    succeed(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    succeed(cudaDeviceSynchronize());
  }
  static void copy_out(void* to, void const* from, std::size_t bytes) {
    succeed(cudaDeviceSynchronize());
    succeed(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
  }
};

/// n items of device memory, none of which is left uninitialised: what a call does not write may be read
/// back.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n)
      : n_{n}, data_{static_cast<T*>(device_memory::allocate(n * sizeof(T) + 1))} {
    succeed(cudaMemset(data_, 0xa5, n * sizeof(T) + 1));
  }
  explicit device_array(std::vector<T> const& items) : device_array(items.size()) { write(items); }
  device_array(device_array&& other) noexcept : n_{other.n_}, data_{std::exchange(other.data_, nullptr)} {}
  device_array& operator=(device_array&&) = delete;
  ~device_array() { device_memory::release(data_); }

  void write(std::vector<T> const& items) { device_memory::copy_in(data_, items.data(), n_ * sizeof(T)); }
  std::vector<T> read() const {
    std::vector<T> items(n_);
    device_memory::copy_out(static_cast<void*>(items.data()), data_, n_ * sizeof(T));
    return items;
  }
  T* begin() const { return data_; }
  T* end() const { return data_ + n_; }

 private:
  std::size_t n_;
  T* data_;
};

/// A stream of the test's own, which does not wait for the default one.
class own_stream {
 public:
  own_stream() { succeed(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  own_stream(own_stream&& other) noexcept : stream_{std::exchange(other.stream_, nullptr)} {}
  own_stream& operator=(own_stream&&) = delete;
  ~own_stream() {
    if (stream_) (void)cudaStreamDestroy(stream_);
  }
  operator cudaStream_t() const { return stream_; }
  void wait() const { succeed(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// What `enqueue` gives to the stream, captured to be launched any number of times, on any stream.
class captured_graph {
 public:
  template <class Enqueue>
  captured_graph(cudaStream_t stream, Enqueue enqueue) {
    cudaGraph_t graph = nullptr;
    succeed(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    enqueue();
    succeed(cudaStreamEndCapture(stream, &graph));
    succeed(cudaGraphInstantiate(&instance_, graph, 0));
    succeed(cudaGraphDestroy(graph));
  }
  captured_graph(captured_graph const&) = delete;
  captured_graph& operator=(captured_graph const&) = delete;
  ~captured_graph() { (void)cudaGraphExecDestroy(instance_); }

  void launch(cudaStream_t stream) const { succeed(cudaGraphLaunch(instance_, stream)); }

 private:
  cudaGraphExec_t instance_ = nullptr;
};

template <class Policy, bool EveryForm = true>
using device_place = place<Policy, device_memory, EveryForm>;

/// The default policy, and the same with half the kernels to compile.
using default_policy = sweep::device_policy<sweep::pool_scratch>;
inline constexpr device_place<default_policy> on_device{sweep::device, "device"};
inline constexpr device_place<default_policy, false> on_device_half{sweep::device, "device"};

/// A place with a policy that has choices; half the kernels.
template <class Policy>
device_place<Policy, false> half_at(Policy policy, char const* name) {
  return {policy, name};
}

}  // namespace sweep_test

#endif

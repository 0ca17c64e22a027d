// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_SUPPORT_DEVICE_PLACES_HPP
#define SWEEP_TESTS_SUPPORT_DEVICE_PLACES_HPP

#include <support/memory.hpp>
#include <support/random.hpp>

#include <sweep/plan.hpp>
#include <sweep/policy.hpp>
#include <sweep/variant.hpp>

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sweep_test {

inline void succeed(cudaError_t result) {
  if (result != cudaSuccess)
    throw std::runtime_error(std::string("the test's own CUDA call failed: ") + cudaGetErrorString(result));
}

/// Whether the GPU has so much memory left; where it has not, a case says so and ends.
inline bool has_free_memory(std::size_t bytes) {
  std::size_t free = 0, total = 0;
  succeed(cudaMemGetInfo(&free, &total));
  if (free < bytes)
    MESSAGE("skipped: " << free << " bytes of GPU memory are free, " << bytes << " are needed");
  return free >= bytes;
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
  /// From device to device, on the default stream; waits for nobody.
  static void copy_within(void* to, void const* from, std::size_t bytes) {
    succeed(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice));
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
    succeed(cudaStreamSynchronize(nullptr));  // the test's own streams do not wait for it
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

// What is compiled, and how often. The tables' plans depend on the size of the input: the default policy
// compiles two or three kernels for every form of a call, a policy with a plan one. So the default policy is
// for a few types, one for each line of the tables, and for calls as users write them. Everything else names
// a plan, with tiles so small that small inputs have many of them. Where types, forms and places meet, every
// pair of them is met and not every triple: the forms of a type take the places in turn, and each type begins
// one place further on. So every type has every form; every form meets every place, if there are as many
// types as places; and a type meets as many places as it has forms.

/// Whether plans with stages can be tested: bulk copies came with sm_90, and racecheck does not know barriers
/// at which one lane stands for its warp.
inline bool stages_can_run() {
  static bool const value = [] {
    int major = 0;
    succeed(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    if (major >= 9 && !racechecking()) return true;
    MESSAGE("plans with stages are skipped: they need sm_90, and racecheck does not know their barriers");
    return false;
  }();
  return value;
}

/// A place whose policy has a plan with stages.
template <class Policy>
device_place<Policy, false> staged_at(Policy policy, char const* name) {
  return {policy, name, !stages_can_run()};
}

/// Places that the forms of a type take in turn, from `First` on.
template <std::size_t First, bool EveryForm, class... Places>
struct places_in_turn {
  static constexpr bool every_form = EveryForm;
  template <class T>
  using array = guarded<T, device_memory>;
  std::tuple<Places...> all;

  template <std::size_t Form>
  auto const& of_form() const {
    return std::get<(First + Form) % sizeof...(Places)>(all);
  }
  places_in_turn const& for_turn(std::size_t) const { return *this; }
};

/// `Type` is the type's number in its list. EveryForm: as for a place.
template <std::size_t Type, bool EveryForm = true, class... Places>
places_in_turn<Type, EveryForm, Places...> in_turn(Places... places) {
  return {{places...}};
}

// ---- Plans of scans
// -----------------------------------------------------------------------------------------
/// Tiles of 512 words in registers, of 128 where the input is small.
inline constexpr auto scan_in_registers =
    sweep::device.with(sweep::plan<sweep::scan_plan{.threads = 32 * (1 + 4), .rows = 4}>);
/// Tiles of 32 words.
inline constexpr auto scan_in_few_registers =
    sweep::device.with(sweep::plan<sweep::scan_plan{.threads = 64, .rows = 1}>);
/// Tiles of 192 words in three stages.
inline constexpr auto scan_in_stages = sweep::device.with(
    sweep::plan<sweep::scan_plan{.threads = 32 * (1 + 3 + 4), .rows = 3, .stages = 3, .loads = 2}>);

/// Forms of a type of at most 16 bytes, and of a wider one.
template <std::size_t Type, bool EveryForm = false>
auto scans_in_turn() {
  return in_turn<Type, EveryForm>(half_at(scan_in_registers, "in registers"),
                                  staged_at(scan_in_stages, "in stages"));
}
/// The same with the default policy for one of the forms: forward if `Type` is even, else backward.
template <std::size_t Type>
auto tables_in_turn() {
  return in_turn<Type, false>(on_device_half, staged_at(scan_in_stages, "in stages"));
}
template <std::size_t Type>
auto wide_tables_in_turn() {
  return in_turn<Type, false>(on_device_half, half_at(scan_in_registers, "in registers"));
}
template <std::size_t Type, bool EveryForm = false>
auto wide_scans_in_turn() {
  return in_turn<Type, EveryForm>(half_at(scan_in_registers, "in registers"),
                                  half_at(scan_in_few_registers, "in few registers"));
}

// ---- Plans of compactions
// -----------------------------------------------------------------------------------
using compaction = sweep::partition_plan;
/// Tiles of 256 words in registers, of 64 where the input is small.
inline constexpr auto compact_in_registers =
    sweep::plan<compaction{.threads = 32 * (1 + 4), .rows = 2, .blocks = 1, .load = sweep::access::cached}>;
/// Tiles of 32 words, for the widest items too.
inline constexpr auto compact_in_few_registers = sweep::plan<compaction{.threads = 64, .rows = 1}>;
/// Tiles of 1024 items in three stages, and of 3072 items in one.
inline constexpr auto compact_in_stages =
    sweep::plan<compaction{.threads = 32 * (1 + 3 + 4), .rows = 16, .blocks = 1, .stages = 3}>;
inline constexpr auto compact_in_one_stage =
    sweep::plan<compaction{.threads = 32 * (1 + 1 + 6), .rows = 32, .blocks = 1, .stages = 1, .loads = 1}>;

/// Forms of a type of at most 16 bytes, under every plan and every variant; of a wider one, under every way
/// to look back.
template <std::size_t Type>
auto compactions_in_turn() {
  using namespace sweep::variant;
  return in_turn<Type>(half_at(sweep::device.with(compact_in_registers), "in registers"),
                       staged_at(sweep::device.with(compact_in_stages), "in stages"),
                       half_at(sweep::device.with(three_kernel), "three_kernel"),
                       staged_at(sweep::device.with(compact_in_one_stage), "in one stage"),
                       half_at(sweep::device.with(decoupled_lookback).with(compact_in_registers),
                               "decoupled_lookback in registers"),
                       staged_at(sweep::device.with(chained).with(compact_in_stages), "chained in stages"));
}
template <std::size_t Type>
auto wide_compactions_in_turn() {
  using namespace sweep::variant;
  return in_turn<Type>(
      half_at(sweep::device.with(ordered_lookback).with(compact_in_few_registers), "ordered_lookback"),
      half_at(sweep::device.with(decoupled_lookback).with(compact_in_few_registers), "decoupled_lookback"),
      half_at(sweep::device.with(chained).with(compact_in_few_registers), "chained"));
}

}  // namespace sweep_test

#endif

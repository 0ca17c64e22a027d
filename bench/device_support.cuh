// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_DEVICE_SUPPORT_CUH
#define SWEEP_BENCH_DEVICE_SUPPORT_CUH

#include "elements.hpp"
#include "support.hpp"

#include <sweep/version.hpp>

#include <cub/version.cuh>

#include <cuda_runtime.h>

#include <cstddef>
#include <fstream>
#include <functional>
#include <new>
#include <stdexcept>

/// Timing on a device: events around calls on one stream, medians over rounds in which everybody takes a
/// turn.
namespace bench {

inline constexpr int warm_ups = 3;
inline constexpr int rounds = 15;
inline constexpr int small_calls = 20;  // between two events, for data under 64 MB
inline constexpr double small_bytes = 64e6;
inline constexpr std::int64_t ceiling_items = std::int64_t{1} << 28;

inline constexpr std::int64_t power(int k) { return std::int64_t{1} << k; }

inline void check(cudaError_t status, char const* call) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

/// The stream that everything is timed on.
inline cudaStream_t stream() {
  static cudaStream_t const value = [] {
    cudaStream_t created{};
    check(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    return created;
  }();
  return value;
}

inline void wait() {
  check(cudaGetLastError(), "launch");
  check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
}

/// Device memory that lives as long as the process and grows on demand: one per role, reused by every case.
class buffer {
 public:
  template <class T>
  T* get(std::int64_t items) {
    auto const bytes = static_cast<std::size_t>(items) * sizeof(T);
    if (bytes > size_) {
      release();
      check(cudaMalloc(&data_, bytes), "cudaMalloc");
      size_ = bytes;
    }
    return static_cast<T*>(data_);
  }

  void poison(std::int64_t bytes) {
    check(cudaMemsetAsync(data_, 0xa5, static_cast<std::size_t>(bytes), stream()), "cudaMemsetAsync");
  }

  void release() {
    if (data_ != nullptr) check(cudaFree(data_), "cudaFree");
    data_ = nullptr;
    size_ = 0;
  }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

struct buffers {
  buffer input;
  buffer output;
  buffer peer_output;
  buffer scratch;
  buffer verdict;
};

inline buffers& memory() {
  static buffers value;
  return value;
}

template <class T, class Item>
__global__ void fill_kernel(T* out, std::int64_t n, std::uint64_t seed, Item item) {
  auto const stride = std::int64_t{gridDim.x} * blockDim.x;
  for (auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    out[i] = item(seed, i);
}

template <class T, class Item>
void fill(T* out, std::int64_t n, Item item, std::uint64_t input_seed) {
  fill_kernel<<<1056, 256, 0, stream()>>>(out, n, input_seed, item);
  check(cudaGetLastError(), "fill_kernel");
}

/// Counts the items that differ and finds the first of them.
template <class T>
__global__ void differences_kernel(T const* a, T const* b, std::int64_t n, unsigned long long* verdict) {
  auto const stride = std::int64_t{gridDim.x} * blockDim.x;
  for (auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    if (a[i] == b[i]) continue;
    atomicAdd(verdict, 1ull);
    atomicMin(verdict + 1, static_cast<unsigned long long>(i));
  }
}

/// Empty if the two arrays agree item for item, otherwise what to print.
template <class T>
std::string differences(T const* a, T const* b, std::int64_t n) {
  auto* const verdict = memory().verdict.get<unsigned long long>(2);
  unsigned long long result[2] = {0, ~0ull};
  check(cudaMemcpyAsync(verdict, result, sizeof result, cudaMemcpyHostToDevice, stream()), "cudaMemcpyAsync");
  differences_kernel<<<1056, 256, 0, stream()>>>(a, b, n, verdict);
  check(cudaGetLastError(), "differences_kernel");
  check(cudaMemcpyAsync(result, verdict, sizeof result, cudaMemcpyDeviceToHost, stream()), "cudaMemcpyAsync");
  wait();
  if (result[0] == 0) return {};
  return std::to_string(result[0]) + " of " + std::to_string(n) + " items differ, the first at " +
         std::to_string(result[1]);
}

/// A fingerprint of every bit of an array; equal arrays give equal ones whatever the order of the atomics.
static __global__ void fingerprint_kernel(std::uint32_t const* words, std::int64_t n,
                                          unsigned long long* verdict) {
  auto const stride = std::int64_t{gridDim.x} * blockDim.x;
  unsigned long long sum = 0;
  for (auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    sum += elements::random_bits(words[i], i);
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_down_sync(0xffffffffu, sum, lane);
  if (threadIdx.x % 32 == 0) atomicAdd(verdict, sum);
}

/// One value of the device's.
template <class T>
T value_of(T const* at) {
  T value{};
  check(cudaMemcpyAsync(&value, at, sizeof value, cudaMemcpyDeviceToHost, stream()), "cudaMemcpyAsync");
  wait();
  return value;
}

inline unsigned long long fingerprint(void const* data, std::int64_t bytes) {
  auto* const verdict = memory().verdict.get<unsigned long long>(2);
  check(cudaMemsetAsync(verdict, 0, sizeof *verdict, stream()), "cudaMemsetAsync");
  fingerprint_kernel<<<1056, 256, 0, stream()>>>(static_cast<std::uint32_t const*>(data), bytes / 4, verdict);
  check(cudaGetLastError(), "fingerprint_kernel");
  return value_of(verdict);
}

/// How many results there are, ours first, then the peer's.
inline std::int64_t* counts() {
  static buffer memory;
  return memory.get<std::int64_t>(2);
}
inline std::int64_t count_of(int which) { return value_of(counts() + which); }

/// Calls peer(scratch, bytes) without scratch to learn what it needs, then provides it.
template <class Peer>
auto with_scratch(Peer peer) {
  std::size_t bytes = 0;
  peer(nullptr, bytes);
  auto* const scratch = memory().scratch.get<std::byte>(static_cast<std::int64_t>(bytes));
  return [=](std::int64_t) {
    auto size = bytes;
    peer(scratch, size);
  };
}

/// Keeps the device busy for about 20 us, so that the timed calls are queued before the first of them starts
/// and the first launch's latency is nobody's time.
static __global__ void lead_in_kernel(long long cycles) {
  auto const start = clock64();
  while (clock64() - start < cycles) {}
}

class stopwatch {
 public:
  stopwatch() {
    check(cudaEventCreate(&start_), "cudaEventCreate");
    check(cudaEventCreate(&stop_), "cudaEventCreate");
  }
  stopwatch(stopwatch const&) = delete;
  stopwatch& operator=(stopwatch const&) = delete;
  ~stopwatch() {
    static_cast<void>(cudaEventDestroy(start_));
    static_cast<void>(cudaEventDestroy(stop_));
  }

  /// Microseconds of one of `calls` calls; call(i) gets a running number. One call more goes before them, so
  /// that everybody finds the caches as a call of its own has left them, not as whoever had the turn before.
  template <class Call>
  double us(int calls, Call&& call) {
    call(turn_++);
    lead_in_kernel<<<1, 1, 0, stream()>>>(36000);
    check(cudaGetLastError(), "lead_in_kernel");
    check(cudaEventRecord(start_, stream()), "cudaEventRecord");
    for (int i = 0; i < calls; ++i) call(turn_++);
    check(cudaEventRecord(stop_, stream()), "cudaEventRecord");
    check(cudaGetLastError(), "launch");
    check(cudaEventSynchronize(stop_), "cudaEventSynchronize");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start_, stop_), "cudaEventElapsedTime");
    return static_cast<double>(ms) * 1e3 / calls;
  }

 private:
  cudaEvent_t start_{};
  cudaEvent_t stop_{};
  std::int64_t turn_ = 0;
};

inline void copy_bytes(void* to, void const* from, double bytes_both_ways) {
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes_both_ways / 2), cudaMemcpyDeviceToDevice,
                        stream()),
        "cudaMemcpyAsync");
}

/// One who takes part in a comparison: run(i) enqueues call number i on the stream.
struct contender {
  std::string name;
  std::function<void(std::int64_t)> run;
  bool ours = false;  // another variant of ours, not a peer
};

/// The copy that a case of so many bytes is compared with, where they are more than its items.
inline contender copy_of(double bytes) {
  static buffer memory;
  auto* const from = memory.get<std::byte>(static_cast<std::int64_t>(bytes) + 16);
  return {"copy",
          [=](std::int64_t) { copy_bytes(from, from + static_cast<std::int64_t>(bytes / 2), bytes); }};
}

/// The copy's rate at 2^28 floats in bytes (read and written) per microsecond: what every ratio is a ratio
/// to.
inline double ceiling() {
  static double const rate = [] {
    auto const bytes = 2.0 * sizeof(float) * static_cast<double>(ceiling_items);
    auto* const in = memory().input.get<float>(ceiling_items);
    auto* const out = memory().output.get<float>(ceiling_items);
    fill(in, ceiling_items, elements::random_item<float>{}, seed());
    stopwatch watch;
    std::vector<double> times;
    for (int i = 0; i < 60; ++i)
      watch.us(1, [&](std::int64_t) { copy_bytes(out, in, bytes); });  // clocks come up
    for (int i = 0; i < rounds; ++i)
      times.push_back(watch.us(1, [&](std::int64_t) { copy_bytes(out, in, bytes); }));
    return bytes / median(times);
  }();
  return rate;
}

struct comparison {
  std::string name;
  std::int64_t items;
  double min_bytes;                   // read once, written once
  contender copy;                     // of as many bytes
  std::vector<contender> contenders;  // ours first
};

inline int calls_for(double bytes) { return bytes < small_bytes ? small_calls : 1; }

/// Each of Google Benchmark's iterations is a round in which the copy, ours and the peers take a turn; the
/// JSON's counters keep the medians.
inline void compare(benchmark::State& state, comparison const& run) {
  auto const calls = calls_for(run.min_bytes);
  stopwatch watch;
  std::vector<double> copy_times;
  std::vector<std::vector<double>> times(run.contenders.size());
  for (int i = 0; i < warm_ups; ++i) {
    watch.us(calls, run.copy.run);
    for (auto const& who : run.contenders) watch.us(calls, who.run);
  }
  for (auto _ : state) {
    copy_times.push_back(watch.us(calls, run.copy.run));
    for (std::size_t i = 0; i < times.size(); ++i) times[i].push_back(watch.us(calls, run.contenders[i].run));
    state.SetIterationTime(times.front().back() * 1e-6);
  }
  std::vector<timed> medians;
  for (std::size_t i = 0; i < times.size(); ++i)
    medians.push_back({run.contenders[i].name, median(times[i]), run.contenders[i].ours});
  report(state, run.name, run.items, run.min_bytes, median(copy_times), ceiling(), medians);
  state.counters["sweep_us_p10"] = quantile(times.front(), 0.1);
  state.counters["sweep_us_p90"] = quantile(times.front(), 0.9);
}

inline std::string version_text(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

inline std::string cccl_version() {
  return version_text(CUB_VERSION / 100000, CUB_VERSION / 100 % 1000, CUB_VERSION % 100);
}

inline std::string sweep_version() {
  return version_text(SWEEP_VERSION / 10000, SWEEP_VERSION / 100 % 100, SWEEP_VERSION % 100);
}

/// A peer's name with its version: "cub 3.5.0".
inline std::string cccl_peer(std::string_view library) { return std::string(library) + " " + cccl_version(); }

/// Registers a case; what it throws becomes the case's error, and the other cases go on.
template <class Run>
void add_case(std::string const& name, Run run, int iterations = rounds) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [name, run](benchmark::State& state) {
                                 try {
                                   run(state, name);
                                 } catch (std::exception const& error) {
                                   static_cast<void>(
                                       cudaGetLastError());  // an allocation's error is not sticky
                                   fail(state, name, error.what());
                                 }
                               })
      ->UseManualTime()
      ->Iterations(iterations)
      ->Unit(benchmark::kMicrosecond);
}

inline void add_context() {
  int device = 0;
  cudaDeviceProp properties{};
  int driver = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  std::string module = "unknown";
  if (std::ifstream file("/proc/driver/nvidia/version"); file) std::getline(file, module);
  benchmark::AddCustomContext("gpu", properties.name);
  benchmark::AddCustomContext("gpu_arch", "sm_" + std::to_string(properties.major * 10 + properties.minor));
  benchmark::AddCustomContext("gpu_sms", std::to_string(properties.multiProcessorCount));
  benchmark::AddCustomContext("gpu_l2_bytes", std::to_string(properties.l2CacheSize));
  benchmark::AddCustomContext("gpu_driver", module);
  benchmark::AddCustomContext("cuda_driver_api",
                              std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10));
  benchmark::AddCustomContext("cuda_toolkit",
                              version_text(__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__));
  benchmark::AddCustomContext("cccl", cccl_version());
  benchmark::AddCustomContext("sweep", sweep_version());
  benchmark::AddCustomContext("seed", std::to_string(seed()));
  benchmark::AddCustomContext("timing", "CUDA events; median of 15 rounds after 3 warm-ups, everybody taking "
                                        "turns, an untimed call before the timed ones; "
                                        "20 calls between two events where the data is under 64 MB");
  benchmark::AddCustomContext(
      "l2", "one pair of buffers for all calls, so warm where the data fits in it; cases with "
            "'rotated' go round 256 MB of buffers");
  benchmark::AddCustomContext("copy_bytes_per_us", std::to_string(ceiling()));
}

/// main() of every executable that needs a device.
inline int main_with_device(int argc, char** argv, void (*add_cases)()) {
  bool const lists = lists_only(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  add_cases();
  int devices = 0;
  if (!lists) {
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      std::fprintf(stderr, "SKIPPED: no CUDA device, nothing was measured\n");
      return 0;
    }
    try {
      add_context();
    } catch (std::exception const& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 1;
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (lists) return 0;
  print_table();
  std::printf("copy ceiling: %.1f GB/s at 2^28 floats\n", ceiling() * 1e-3);
  return log().failures.empty() ? 0 : 1;
}

}  // namespace bench

#endif

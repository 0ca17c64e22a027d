// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the emulator makes of kernels whose results are known, and of kernels with mistakes: each of those in
// a process of its own, for nothing works after one.
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

int failures = 0;
std::string last_failure;

void expect(bool yes, char const* what) {
  if (yes) return;
  if (last_failure != what) std::printf("FAILED: %s\n", what);
  last_failure = what;
  ++failures;
}

/// n results, one of each thread.
template <class T, class... A>
std::vector<T> results(void (*kernel)(T*, A...), unsigned blocks, unsigned threads, A... arguments) {
  std::vector<T> host(blocks * threads);
  T* device = nullptr;
  cudaMalloc(&device, host.size() * sizeof(T));
  kernel<<<blocks, threads>>>(device, arguments...);
  auto const error = cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost);
  expect(error == cudaSuccess, cudaGetErrorString(error));
  cudaFree(device);
  return host;
}

__device__ unsigned table[4] = {2, 3, 5, 7};
__constant__ double weights[2] = {0.5, -4.0};

__global__ void integers(std::uint64_t* out, std::uint32_t a, std::int64_t b) {
  std::uint32_t const i = threadIdx.x;
  std::uint64_t h = __umulhi(a * i, a) + __popc(i * a) + __clz(static_cast<int>(i)) + __brev(i) % 1000;
  h += __byte_perm(a, i, 0x2517) + __funnelshift_r(a, i, 5) + static_cast<std::uint64_t>(__mul64hi(b * i, b));
  unsigned __int128 const wide = static_cast<unsigned __int128>(h) * h + static_cast<std::uint64_t>(b);
  out[i] = static_cast<std::uint64_t>(wide >> 64) ^ static_cast<std::uint64_t>(wide) ^
           static_cast<std::uint64_t>((b - 5 * i) / 7 % 11) ^ table[i % 4];
}
std::uint64_t integers_on_host(std::uint32_t i, std::uint32_t a, std::int64_t b) {
  auto const high = [](std::uint32_t x, std::uint32_t y) {
    return static_cast<std::uint32_t>(std::uint64_t{x} * y >> 32);
  };
  std::uint32_t reversed = 0;
  for (unsigned k = 0; k < 32; ++k) reversed |= (i >> k & 1) << (31 - k);
  auto const sum = high(a * i, a) + static_cast<std::uint32_t>(__builtin_popcount(i * a)) +
                   static_cast<std::uint32_t>(i ? __builtin_clz(i) : 32) + reversed % 1000;
  std::uint64_t h = sum;
  std::uint64_t const both = std::uint64_t{i} << 32 | a;
  std::uint32_t permuted = 0;
  for (unsigned k = 0; k < 4; ++k)
    permuted |= static_cast<std::uint32_t>(both >> (8 * (0x2517 >> (4 * k) & 7)) & 255) << (8 * k);
  h += permuted + static_cast<std::uint32_t>(both >> 5) +
       static_cast<std::uint64_t>(static_cast<__int128>(b * i) * b >> 64);
  auto const wide = static_cast<unsigned __int128>(h) * h + static_cast<std::uint64_t>(b);
  unsigned const primes[] = {2, 3, 5, 7};
  return static_cast<std::uint64_t>(wide >> 64) ^ static_cast<std::uint64_t>(wide) ^
         static_cast<std::uint64_t>((b - 5 * static_cast<std::int64_t>(i)) / 7 % 11) ^ primes[i % 4];
}

__global__ void floats(double* out, float a) {
  float const x = a * static_cast<float>(threadIdx.x) - 3.25f;
  __half const h = __float2half(x * 100);
  out[threadIdx.x] = static_cast<double>(sqrtf(fabsf(x)) / 3) +
                     static_cast<double>(__half2float(h)) * weights[threadIdx.x % 2] +
                     rint(static_cast<double>(x)) + static_cast<double>(static_cast<int>(x)) +
                     fma(2.0, static_cast<double>(x), 1.0);
}

__device__ __noinline__ unsigned depth(unsigned n) { return n < 2 ? n : depth(n - 1) + depth(n - 2); }

/// Lanes go separate ways, in loops and calls, and meet again.
__global__ void divergence(unsigned* out) {
  unsigned const t = threadIdx.x;
  unsigned steps = 0;
  for (unsigned n = t + 1; n != 1; n = n % 2 ? 3 * n + 1 : n / 2) ++steps;
  unsigned local[8];
  for (unsigned k = 0; k < 8; ++k) local[k] = k * t;
  if (t % 3 == 0) steps += depth(t % 11);
  switch (t % 7) {
  case 0:
    steps += 3;
    break;
  case 1:
    steps *= 2;
    break;
  case 2:
    steps ^= t;
    break;
  case 3:
    steps -= 1;
    break;
  case 4:
    steps += local[steps % 8];
    break;
  case 5:
    steps |= 64;
    break;
  default:
    break;
  }
  unsigned const all = __reduce_add_sync(~0u, steps & 1);
  out[t] = steps + 1000 * all;
}
unsigned depth_on_host(unsigned n) { return n < 2 ? n : depth_on_host(n - 1) + depth_on_host(n - 2); }
std::vector<unsigned> divergence_on_host() {
  std::vector<unsigned> all(32);
  unsigned odd = 0;
  for (unsigned t = 0; t < 32; ++t) {
    unsigned steps = 0;
    for (unsigned n = t + 1; n != 1; n = n % 2 ? 3 * n + 1 : n / 2) ++steps;
    if (t % 3 == 0) steps += depth_on_host(t % 11);
    switch (t % 7) {
    case 0:
      steps += 3;
      break;
    case 1:
      steps *= 2;
      break;
    case 2:
      steps ^= t;
      break;
    case 3:
      steps -= 1;
      break;
    case 4:
      steps += steps % 8 * t;
      break;
    case 5:
      steps |= 64;
      break;
    default:
      break;
    }
    odd += steps & 1;
    all[t] = steps;
  }
  for (auto& one : all) one += 1000 * odd;
  return all;
}

/// A scan by shuffles and shared memory; then blocks wait for each other's totals.
__global__ void scan(unsigned* out, unsigned volatile* totals) {
  __shared__ unsigned sums[8], others;
  unsigned const t = threadIdx.x, lane = t % 32, warp = t / 32;
  unsigned x = blockIdx.x * blockDim.x + t;
  for (unsigned d = 1; d < 32; d *= 2) {
    unsigned const y = __shfl_up_sync(~0u, x, d);
    if (lane >= d) x += y;
  }
  if (lane == 31) sums[warp] = x;
  __syncthreads();
  for (unsigned k = 0; k < warp; ++k) x += sums[k];
  if (t == blockDim.x - 1) {
    unsigned before = 0;
    if (blockIdx.x > 0)
      while ((before = totals[blockIdx.x - 1]) == 0) __nanosleep(20);
    __threadfence();
    totals[blockIdx.x] = before + x;
    others = before;
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] = x + others;
}

/// One lane waits for what another lane of its warp does.
__global__ void lanes_wait(unsigned* out, unsigned volatile* flag) {
  unsigned got = 0;
  if (threadIdx.x == 0) {
    while (*flag == 0) {}
    got = *flag;
  } else if (threadIdx.x == 31) {
    *flag = 5;
  }
  __syncwarp();
  out[threadIdx.x] = __shfl_sync(~0u, got, 0) + __popc(__match_any_sync(~0u, threadIdx.x / 5));
}

__global__ void count(unsigned* out, unsigned* counters) {
  atomicAdd(&counters[threadIdx.x % 3], 1u);
  unsigned const before = atomicCAS(&counters[3], 0u, threadIdx.x + 1);
  out[threadIdx.x] = before == 0;
}

__global__ void wait_for_host(unsigned* out, unsigned volatile* flag) {
  while (*flag == 0) __nanosleep(100);
  *out = *flag;
}
/// The next kernel may start long before this one writes.
__global__ void lets_next_start(unsigned* out) {
  cudaTriggerProgrammaticLaunchCompletion();
  for (int i = 0; i < 20; ++i) __nanosleep(100);
  *out += 1;
}
__global__ void starts_early(unsigned* out) {
  cudaGridDependencySynchronize();
  *out *= 10;
}

/// Streams go on by themselves, and in their order.
void check_streams() {
  cudaStream_t one, two;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  unsigned *flag = nullptr, *out = nullptr, got[2] = {};
  cudaMallocHost(&flag, sizeof *flag);
  cudaMalloc(&out, sizeof got);
  *flag = 0;
  wait_for_host<<<1, 1, 0, one>>>(out, flag);
  cudaMemsetAsync(out + 1, 0, sizeof *out, two);
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = dim3(1);
  config.stream = two;
  config.attrs = &early;
  config.numAttrs = 1;
  for (int i = 0; i < 3; ++i) {
    cudaLaunchKernelEx(&config, lets_next_start, out + 1);
    cudaLaunchKernelEx(&config, starts_early, out + 1);
  }
  expect(cudaStreamQuery(one) == cudaErrorNotReady, "a stream that waits is not done");
  expect(cudaStreamSynchronize(two) == cudaSuccess, "another stream goes on");
  *flag = 7;
  cudaMemcpyAsync(got, out, sizeof got, cudaMemcpyDeviceToHost, one);
  expect(got[0] == 7, "a copy comes after the kernel before it");
  expect(got[1] == 1110, "kernels that start early wait for the one before");
}

// ---- Mistakes ----
__global__ void writes_beyond(unsigned* p) { p[threadIdx.x + 1] = 1; }
__global__ void misaligned(unsigned char* p) { *reinterpret_cast<unsigned*>(p + 1) = 1; }
__global__ void shared_beyond(unsigned* p, int at) {
  __shared__ unsigned s[4];
  s[threadIdx.x + static_cast<unsigned>(at)] = 1;
  __syncthreads();
  p[0] = s[0];
}
__global__ void asserts(unsigned* p) {
  assert(p == nullptr);
  *p = 1;
}
__global__ void half_a_barrier(unsigned* p) {
  if (threadIdx.x < 32) asm volatile("barrier.sync 1, 64;");
  *p = 1;
}
__global__ void absent_lanes(unsigned* p) {
  if (threadIdx.x % 2 == 0) *p = __shfl_sync(~0u, threadIdx.x, 1);
  else asm volatile("barrier.sync 2, 64;");
}

__global__ void no_barrier(unsigned* p) {
  __shared__ unsigned s[64];
  s[threadIdx.x] = threadIdx.x;
  p[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void no_warp_barrier(unsigned* p) {
  __shared__ unsigned s[32];
  s[threadIdx.x] = threadIdx.x;
  p[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void with_barriers(unsigned* p) {
  __shared__ unsigned s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  unsigned const x = s[threadIdx.x ^ 32];
  __syncthreads();
  s[threadIdx.x] = x;
  __syncwarp();
  p[threadIdx.x] = s[threadIdx.x ^ 1];
}

cudaError_t after(std::function<void(unsigned*)> const& launch) {
  int ends[2];
  if (pipe(ends) != 0) return cudaErrorUnknown;
  std::fflush(stdout);
  if (auto const child = fork(); child == 0) {
    if (!std::freopen("/dev/null", "w", stderr)) _exit(1);
    unsigned* p = nullptr;
    cudaMalloc(&p, 64 * sizeof(unsigned));
    launch(p);
    auto const error = cudaDeviceSynchronize();
    bool const told = write(ends[1], &error, sizeof error) == sizeof error;
    _exit(told ? 0 : 1);
  } else {
    auto error = cudaErrorUnknown;
    if (read(ends[0], &error, sizeof error) != sizeof error) error = cudaErrorUnknown;
    waitpid(child, nullptr, 0);
    close(ends[0]);
    close(ends[1]);
    return error;
  }
}

}  // namespace

int main() {
  setenv("SIM_RACE", "1", 1);
  auto const whole = results<std::uint64_t>(integers, 1, 64, 0x9e3779b9u, std::int64_t{-123456789012345});
  for (std::uint32_t i = 0; i < 64; ++i)
    expect(whole[i] == integers_on_host(i, 0x9e3779b9u, -123456789012345), "integers");

  auto const real = results<double>(floats, 1, 32, 0.3f);
  for (unsigned i = 0; i < 32; ++i) {
    float const x = std::fma(0.3f, static_cast<float>(i), -3.25f);
    double const half = static_cast<double>(__half2float(__float2half(x * 100)));
    double const want = static_cast<double>(std::sqrt(std::fabs(x)) / 3) + half * (i % 2 ? -4.0 : 0.5) +
                        std::rint(static_cast<double>(x)) + static_cast<double>(static_cast<int>(x)) +
                        std::fma(2.0, static_cast<double>(x), 1.0);
    expect(std::fabs(real[i] - want) < 1e-12 * (1 + std::fabs(want)), "floats");
  }

  expect(results<unsigned>(divergence, 1, 32) == divergence_on_host(), "divergence");

  unsigned *totals = nullptr, zeros[64] = {};
  cudaMalloc(&totals, sizeof zeros);
  cudaMemset(totals, 0, sizeof zeros);
  auto const sums = results<unsigned, unsigned volatile*>(scan, 40, 128, totals);
  unsigned sum = 0;
  for (unsigned i = 0; i < sums.size(); ++i) expect(sums[i] == (sum += i), "a scan across blocks");

  cudaMemset(totals, 0, sizeof zeros);
  auto const waited = results<unsigned, unsigned volatile*>(lanes_wait, 1, 32, totals);
  for (unsigned i = 0; i < 32; ++i)
    expect(waited[i] == (i < 30 ? 10u : 7u), "lanes that wait for each other");

  cudaMemset(totals, 0, sizeof zeros);
  auto const first = results<unsigned, unsigned*>(count, 1, 128, totals);
  unsigned winners = 0;
  for (auto const one : first) winners += one;
  cudaMemcpy(zeros, totals, sizeof zeros, cudaMemcpyDeviceToHost);
  expect(winners == 1 && zeros[0] == 43 && zeros[1] == 43 && zeros[2] == 42, "atomics");

  check_streams();

  expect(after([](unsigned* p) { writes_beyond<<<1, 63>>>(p); }) == cudaSuccess, "the last item of an array");
  expect(after([](unsigned* p) { writes_beyond<<<1, 64>>>(p); }) == cudaErrorIllegalAddress,
         "one behind an array");
  expect(after([](unsigned* p) { misaligned<<<1, 1>>>(reinterpret_cast<unsigned char*>(p)); }) ==
             cudaErrorMisalignedAddress,
         "alignment");
  expect(after([](unsigned* p) { shared_beyond<<<1, 4>>>(p, 0); }) == cudaSuccess,
         "all of an array in shared memory");
  expect(after([](unsigned* p) { shared_beyond<<<1, 4>>>(p, 1); }) == cudaErrorIllegalAddress,
         "one behind shared memory");
  expect(after([](unsigned* p) { asserts<<<1, 1>>>(p); }) == cudaErrorAssert, "an assertion");
  expect(after([](unsigned* p) { half_a_barrier<<<1, 64>>>(p); }) == cudaErrorLaunchTimeout,
         "a barrier that one warp misses");
  expect(after([](unsigned* p) { absent_lanes<<<1, 32>>>(p); }) == cudaErrorLaunchTimeout,
         "lanes that do not come");
  expect(after([](unsigned* p) { with_barriers<<<1, 64>>>(p); }) == cudaSuccess, "barriers");
  expect(after([](unsigned* p) { no_barrier<<<1, 64>>>(p); }) == cudaErrorLaunchFailure, "a race of warps");
  expect(after([](unsigned* p) { no_warp_barrier<<<1, 32>>>(p); }) == cudaErrorLaunchFailure,
         "a race of lanes");
  std::printf(failures ? "%d checks failed\n" : "all is as known\n", failures);
  return failures != 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_LAUNCH_CUH
#define SWEEP_DETAIL_RUNTIME_LAUNCH_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/error.cuh>

#include <cstdint>

namespace sweep::detail {

// From sm_90 on a kernel may start while the last blocks of the one before it on its stream run, so that its
// launch costs no time of its own. It touches nothing that others may still be writing before it has waited.

inline constexpr int first_arch_that_starts_early = 90;

/// The kernel before this one, and so all before it, is done. By whoever needs that, in every block.
__device__ inline void wait_for_kernel_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}
/// The next kernel may start once all blocks have called this, or have ended.
__device__ inline void let_next_kernel_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Whether a job waits for the kernel before it itself. It may do so late only where that is one of its own
/// call's, which has waited for all before it.
template <class Job>
inline constexpr bool job_waits = false;
template <class Job>
  requires requires { Job::waits_itself; }
inline constexpr bool job_waits<Job> = Job::waits_itself;

/// The one kernel: a job is a value with the work of a block in it. Job::threads and Job::blocks are those of
/// the architecture being compiled for.
template <class Job>
__global__ void __launch_bounds__(Job::threads, Job::blocks) run_job(Job const job) {
  if constexpr (!job_waits<Job>) wait_for_kernel_before();
  job();
}

/// The kernel of a job as the runtime knows it. nvcc gives every translation unit a stub of its own; not
/// inlined, all of a program's calls for a job agree on one.
template <class Job>
[[gnu::noinline]] void const* kernel_of() {
  return reinterpret_cast<void const*>(&run_job<Job>);
}

/// The architecture, times ten, of the machine code or PTX of this job's kernel that the current device runs:
/// the tuning row that it was compiled with.
template <class Job>
int arch_of(char const* call) {
  static int known[64] = {};  // written with the same value by whoever comes
  int device = 0;
  check(cudaGetDevice(&device), call, "cudaGetDevice");
  auto& arch = known[device % 64];
  if (arch == 0) {
    auto const* kernel = kernel_of<Job>();
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel), call, "cudaFuncGetAttributes");
    if constexpr (requires { Job::dynamic_bytes(0); }) {
      auto const bytes = static_cast<int>(Job::dynamic_bytes(attributes.ptxVersion));
      int most = 0;
      check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), call,
            "cudaDeviceGetAttribute");
      if (bytes <= most)  // else the caller says so
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), call,
              "cudaFuncSetAttribute");
    }
    arch = attributes.ptxVersion;
  }
  return arch;
}

/// Blocks for n items where one takes so many: at least one, at most so many.
inline std::int64_t blocks_for(std::int64_t n, std::int64_t each, std::int64_t most) {
  return std::max<std::int64_t>(1, std::min(most, (n + each - 1) / each));
}

template <class Job>
void launch_job(char const* call, cudaStream_t stream, std::int64_t blocks, int threads, Job const& job,
                std::size_t dynamic = 0) {
  void* arguments[] = {const_cast<Job*>(&job)};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = dynamic;
  config.stream = stream;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &early;
  config.numAttrs = arch_of<Job>(call) >= first_arch_that_starts_early ? 1 : 0;
  check(cudaLaunchKernelExC(&config, kernel_of<Job>(), arguments), call, "cudaLaunchKernelExC");
}

}  // namespace sweep::detail

#endif

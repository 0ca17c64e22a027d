// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_CORE_LAUNCH_CUH
#define SWEEP_DETAIL_CORE_LAUNCH_CUH

#include <sweep/detail/core/cuda.cuh>

#include <cstdint>

namespace sweep::detail {

/// The one kernel: a job is a value with the work of a block in it. Job::threads and Job::blocks are those of
/// the architecture being compiled for.
template <class Job>
__global__ void __launch_bounds__(Job::threads, Job::blocks) run_job(Job const job) {
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

template <class Job>
void launch_job(char const* call, cudaStream_t stream, std::int64_t blocks, int threads, Job const& job,
                std::size_t dynamic = 0) {
  void* arguments[] = {const_cast<Job*>(&job)};
  check(cudaLaunchKernel(kernel_of<Job>(), dim3(static_cast<unsigned>(blocks)),
                         dim3(static_cast<unsigned>(threads)), arguments, dynamic, stream),
        call, "cudaLaunchKernel");
}

}  // namespace sweep::detail

#endif

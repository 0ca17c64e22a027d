// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_ERROR_CUH
#define SWEEP_DETAIL_RUNTIME_ERROR_CUH

#include <sweep/error.hpp>
#include <sweep/version.hpp>

#include <cuda_runtime_api.h>

#include <string>

namespace sweep::inline SWEEP_ABI::detail {

class cuda_category : public std::error_category {
 public:
  char const* name() const noexcept override { return "cuda"; }
  std::string message(int code) const override { return cudaGetErrorString(static_cast<cudaError_t>(code)); }
};

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_cuda_error(cudaError_t result, char const* call,
                                                                    char const* cuda_call) {
  static cuda_category const category;
  (void)cudaGetLastError();
  throw cuda_error(static_cast<int>(result), category,
                   std::string("sweep::") + call + ": " + cuda_call + " (" + cudaGetErrorName(result) + ")");
}

/// Throws where a CUDA call has failed; an error that does not stick is cleared, so that the next call works.
inline void check(cudaError_t result, char const* call, char const* cuda_call) {
  if (result != cudaSuccess) throw_cuda_error(result, call, cuda_call);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

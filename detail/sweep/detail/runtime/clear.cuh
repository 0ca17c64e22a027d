// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUNTIME_CLEAR_CUH
#define SWEEP_DETAIL_RUNTIME_CLEAR_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

template <class Word>
struct clear_job {
  static constexpr int threads = 256, blocks = 1;
  Word* words;
  std::int64_t count;

  __device__ void operator()() const {
    let_next_kernel_start();
    auto const stride = std::int64_t{gridDim.x} * threads;
    for (auto i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count; i += stride) words[i] = 0;
  }
};

/// Zeros for the same call's next kernel, which may start meanwhile: behind cudaMemset it would wait for that
/// and for its own launch.
template <class Word>
void clear_words(char const* call, cudaStream_t stream, Word* words, std::int64_t count) {
  using job = clear_job<Word>;
  launch_job(call, stream, blocks_for(count, 4 * job::threads, std::int64_t{multiprocessors(call)} * 4),
             job::threads, job{words, count});
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_FIND_WINDOWS_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_FIND_WINDOWS_CUH

#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/sort/segments/offset_windows.cuh>
#include <sweep/detail/sort/segments/segment_heads.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// What is counted of listed windows and segments, behind the widest of these. The next kernel may begin
/// beside this one, and waits before it counts.
struct clear_counts_job {
  static constexpr int threads = 32, blocks = 1, words = 8;
  std::int64_t* at;

  __device__ void operator()() const {
    let_next_kernel_start();
    if (threadIdx.x < words) at[threadIdx.x] = 0;
  }
};
/// A template, so that who sorts no segments has no kernel of it.
template <class Heads>
void clear_counts(char const* call, cudaStream_t stream, Heads const& heads) {
  launch_job(call, stream, 1, clear_counts_job::threads, clear_counts_job{heads.widest});
}

/// What has the bits of heads.
template <class Heads>
auto bits_of(Heads const& heads) {
  if constexpr (are_offset_heads<Heads>) return heads.bits();
  else return heads;
}

/// Finds the heads around all windows, and lists these. What is counted of offsets has been cleared.
template <class Heads, class Groups>
void find_windows(char const* call, cudaStream_t stream, Heads const& heads,
                  windows_to_list<Groups> const& to_list, std::uint32_t* differing) {
  auto const windows = to_list.heads.windows;
  if constexpr (are_offset_heads<Heads>) {
    using job = find_offset_windows_job<decltype(heads.offsets), Groups>;
    launch_job(call, stream, (windows + job::warps - 1) / job::warps, job::threads, job{heads, to_list});
  } else {
    using find_job = find_window_heads_job<Heads>;
    launch_job(call, stream, (windows + find_job::threads / 32 - 1) / (find_job::threads / 32),
               find_job::threads,
               find_job{heads, to_list.heads, to_list.list, to_list.of_blocks, to_list.counted,
                        to_list.others, differing});
    using link_job = link_windows_job<Groups>;
    launch_job(call, stream, (windows + link_job::threads - 1) / link_job::threads, link_job::threads,
               link_job{to_list});
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

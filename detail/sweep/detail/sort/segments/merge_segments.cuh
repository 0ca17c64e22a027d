// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SORT_SEGMENTS_MERGE_SEGMENTS_CUH
#define SWEEP_DETAIL_SORT_SEGMENTS_MERGE_SEGMENTS_CUH

#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/grid_barrier.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/sort/comparison/merge_cuts.cuh>
#include <sweep/detail/sort/comparison/merge_passes.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// All merge passes of long segments in one kernel, whose blocks all run at the same time: how many passes
/// there are, and mostly there are none, only the device knows.
template <class Key, class Value, class Order, class Groups>
struct merge_segments_job {
  using runs_job = merge_runs_job<Key, Value, Order, Groups>;
  using cuts_job = merge_cuts_of_runs_job<Key, Value, Order, typename Groups::shape, Groups>;
  static constexpr int threads = runs_job::threads,
                       blocks = runs_job::blocks > 2 ? runs_job::blocks - 2 : 1;  // cuts take registers, too
  /// Two a pass.
  static constexpr int most_meetings(int passes) { return 2 * passes; }
  merge_buffers<Key, Value> buffers;
  Groups groups;
  std::int64_t tiles;
  std::int64_t* cuts;  ///< memory for where tiles begin; or null, where each finds that itself
  int log_lanes, passes;
  ticket_counter tickets;
  Order order;

  __device__ void operator()() const {
    __shared__ typename runs_job::shared smem;
    grid_barrier grid(tickets, static_cast<unsigned>(2 * passes));
    __syncthreads();
    int const some = min(Groups::passes_of(*groups.heads.widest), passes);
#pragma unroll 1
    for (int pass = 0; pass < some; ++pass) {
      if (pass > 0) { grid.meet(); }
      if (cuts) {
        find_cuts(pass);
        grid.meet();
      }
      runs_job{buffers, of_pass(pass), cuts, order}.merge(smem);
    }
    grid.leave();
  }

 private:
  __device__ Groups of_pass(int pass) const {
    auto some = groups;
    some.pass = pass;
    return some;
  }
  __device__ void find_cuts(int pass) const {
    auto const all = tiles * Groups::ways << log_lanes;
#pragma unroll 1
    for (unsigned turn = blockIdx.x; std::int64_t{turn} * threads < all; turn += gridDim.x)
      cuts_job{buffers, of_pass(pass), tiles, cuts, log_lanes, order}.find(std::int64_t{turn} * threads +
                                                                           threadIdx.x);
  }
};

/// Merges the windows of long segments, whose parts are in the buffers that their passes say.
template <class Policy, class Groups, class Key, class Value, class Order>
void merge_segments(Policy const& policy, char const* call, Groups groups, int passes,
                    merge_buffers<Key, Value> const& buffers, std::int64_t* cuts, Order const& order) {
  using job = merge_segments_job<Key, Value, Order, Groups>;
  using source = std::remove_cvref_t<decltype(policy.scratch_source())>;
  auto const tiles = groups.tiles();
  auto blocks = blocks_for_tiles<job>(call, groups, 0);
  if (!device_attribute(call, cudaDevAttrCooperativeLaunch)) {  // blocks are not promised to run at once
    blocks = 1;
    groups.tiles_of_block = static_cast<int>(tiles);
  }
  if (!finds_cuts_before<Groups>(groups.heads.n / Groups::shape::tile_items)) cuts = nullptr;
  launch_state<source> state(policy.scratch_source(), call, policy.stream(), 0);
  launch_job(
      call, policy.stream(), blocks, job::threads,
      job{buffers, groups, tiles, cuts, job::cuts_job::log_lanes_for(tiles), passes, state.tickets(), order},
      0, blocks > 1 ? blocks_are::resident : blocks_are::independent);
  state.launched(blocks * job::most_meetings(passes));
}

/// The same by a kernel for each pass.
template <class Groups, class Key, class Value, class Order>
void merge_by_passes(char const* call, cudaStream_t stream, Groups groups,
                     merge_buffers<Key, Value> const& buffers, std::int64_t* cuts, Order const& order) {
  using shape = typename Groups::shape;
  auto const all = groups.tiles(), blocks = std::int64_t{multiprocessors(call)} * 8;
  auto const each = std::max(std::int64_t{1}, std::min<std::int64_t>(all / blocks, shape::threads));
  groups.tiles_of_block = static_cast<int>(each);
  for (std::int64_t runs = 1; runs < groups.heads.windows; runs *= shape::ways, ++groups.pass)
    launch_merge_pass<shape>(call, stream, groups, all, groups.heads.n / shape::tile_items,
                             (all + each - 1) / each, buffers, cuts, order);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_LOOKBACK_ONE_PASS_CUH
#define SWEEP_DETAIL_LOOKBACK_ONE_PASS_CUH

#include <sweep/detail/block/pipeline.cuh>
#include <sweep/detail/core/launch.cuh>
#include <sweep/detail/core/reachable.cuh>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/waiting.cuh>
#include <sweep/detail/lookback/device_state.cuh>

#include <string>

namespace sweep::detail {

inline constexpr std::size_t most_shared_bytes = 227 * 1024;  ///< of a block on sm_90, where stages are

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_stages_need_sm_90(char const* call) {
  throw bad_argument(call, "plan", "has stages, which need sm_90 or later");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_plan_too_large(char const* call, std::size_t bytes) {
  throw bad_argument(call, "plan",
                     "needs " + std::to_string(bytes) + " bytes of shared memory a block, more than " +
                         std::to_string(most_shared_bytes));
}

/// One kernel, whose tiles tell each other by State while it runs. Job{problem, state, tickets} is the work
/// of a block; Choice knows the plan of an architecture. The grid has at least one tile.
template <class Job, class Choice, class State, class Source, class Problem>
void launch_one_pass(Source const& source, char const* call, cudaStream_t stream, Problem problem) {
  int const arch = arch_of<Job>(call), threads = Choice::threads_for(arch, problem.grid.n),
            stages = Choice::plan(arch).stages;
  auto const dynamic = Choice::dynamic_bytes(arch);
  if (stages > 0 && arch < 90) throw_stages_need_sm_90(call);
  if (dynamic > most_shared_bytes) throw_plan_too_large(call, dynamic);
  problem.grid.tile_items = Choice::tile_items(arch, threads);
  auto const tiles = std::max<std::int64_t>(1, problem.grid.tiles());
  auto const blocks = stages > 0 ? std::min<std::int64_t>(tiles, multiprocessors(call)) : tiles;
  with_launch_state(source, call, stream, State::words(tiles),
                    tiles + (stages > 0 ? pipeline_tickets(blocks, stages) : 0), [&](launch_state const& at) {
                      launch_job(call, stream, blocks, threads,
                                 Job{problem, State(at.tiles(), tiles, at.tag), at.tickets()}, dynamic);
                    });
}

}  // namespace sweep::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_FIND_DEVICE_CUH
#define SWEEP_DETAIL_FIND_DEVICE_CUH

#include <sweep/detail/core/alignment.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/find/problem.hpp>
#include <sweep/detail/find/tile.cuh>
#include <sweep/detail/find/tuning.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/reduce/agent.cuh>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/device.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// The numbers of the architecture at hand. Own is the tag of the caller's plan.
template <class Problem, class Own>
struct find_config {
  static constexpr find_plan plan(int arch) {
    if constexpr (!std::is_same_v<Own, no_plan>) return Own::value;
    else
      return pick(find_table, [=](find_row const& row) {
        return arch >= static_cast<int>(row.since) && sizeof(typename Problem::raw) <= row.widest;
      });
  }
  static constexpr find_plan here = plan(arch_here());
};

/// A search and the word by which its blocks tell each other how far it is worth to look.
template <class Problem>
struct told_search : Problem {
  found_piece elsewhere;
};

/// A reduction to the smallest index, whose blocks stop where it is known.
template <class Problem, class Config>
struct find_job {
  static constexpr int threads = Config::here.threads, blocks = Config::here.blocks;
  told_search<Problem> problem;
  slots<std::int64_t> parts;
  ticket_counter tickets;

  __device__ void operator()() const {
    auto mine = problem;
    reduce_share<find_share<told_search<Problem>, Config::here>, threads>(mine, {}, parts, tickets);
  }
};

template <class Source, class... Tags, class Problem>
void run_find(device_policy<Source, Tags...> const& policy, char const* call, Problem problem) {
  if constexpr (Problem::in_contiguous) problem.shift = items_before_line<Problem::vector_items>(problem.in);
  using config = find_config<Problem, own_plan<find_plan, Tags...>>;
  using job = find_job<Problem, config>;
  auto const stream = policy.stream();
  auto const plan = config::plan(facts_of<job>(call).arch);
  // As many blocks as there are pieces for, of contiguous items; others make longer ones.
  auto const blocks = blocks_for(problem.n, std::int64_t{plan.threads} * Problem::vector_items * plan.rows,
                                 std::int64_t{multiprocessors(call)} * plan.blocks);
  auto const words = blocks * slots<std::int64_t>::words;
  launch_state<Source> state(policy.scratch_source(), call, stream, words + 1);
  launch_job(call, stream, blocks, plan.threads,
             job{{problem, {state.tiles() + words, state.stamp()}},
                 {state.tiles(), state.stamp()},
                 state.tickets()});
  state.launched(tickets_of_shares(blocks));
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

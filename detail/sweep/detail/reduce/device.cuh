// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_DEVICE_CUH
#define SWEEP_DETAIL_REDUCE_DEVICE_CUH

#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/reduce/agent.cuh>
#include <sweep/detail/reduce/atomic_cell.cuh>
#include <sweep/detail/reduce/problem.hpp>
#include <sweep/detail/reduce/tile/register_share.cuh>
#include <sweep/detail/reduce/tile/tree_share.cuh>
#include <sweep/detail/reduce/tuning.hpp>
#include <sweep/detail/runtime/device.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/warp/reduce.cuh>
#include <sweep/device.cuh>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// The numbers of the architecture at hand. Own is the tag of the caller's plan.
template <class Problem, class Own>
struct reduce_config {
  /// A lane that keeps its own accumulator has one of them, and not one for each row in flight.
  static constexpr std::size_t widest =
      std::max(sizeof(typename Problem::raw), Problem::in_contiguous&& Problem::in_any_order
                                                  ? std::min<std::size_t>(sizeof(typename Problem::value), 16)
                                                  : sizeof(typename Problem::value));
  static constexpr reduce_plan plan(int arch) {
    if constexpr (!std::is_same_v<Own, no_plan>) return Own::value;
    else
      return pick(reduce_table, [=](reduce_row const& row) {
        return arch >= static_cast<int>(row.since) && widest <= row.widest;
      });
  }
  static constexpr reduce_plan here = plan(arch_here());
};

template <class Problem, reduce_by How, class Config>
struct reduce_job {
  static constexpr int threads = Config::here.threads, blocks = Config::here.blocks;
  Problem problem;
  slots<typename Problem::value> parts;
  ticket_counter tickets;

  __device__ void operator()() const {
    auto mine = problem;
    if constexpr (How == reduce_by::warp_shuffle)
      reduce_share<register_share<Problem, Config::here>, threads>(mine, parts, tickets);
    else reduce_share<tree_share<Problem, How, Config::here>, threads>(mine, parts, tickets);
  }
};

// The atomic variants: a cell that starts as the initial value, and is joined by every item or by every
// block.

template <class Problem>
struct start_cell_job {
  static constexpr int threads = 32, blocks = 1;
  Problem problem;
  std::uint64_t* cell;
  __device__ void operator()() const {
    if (threadIdx.x == 0) joined_cell<typename Problem::value>(cell).set(problem.init);
  }
};

template <class Problem, reduce_by How>
struct atomic_reduce_job {
  static constexpr int threads = 256, blocks = 1;
  Problem problem;
  std::uint64_t* cell;

  __device__ void operator()() const {
    using cell_type = joined_cell<typename Problem::value>;
    auto mine = problem;
    auto const stride = std::int64_t{gridDim.x} * threads;
    auto const first = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if constexpr (How == reduce_by::atomic) {
      for (auto i = first; i < problem.n; i += stride) cell_type(cell).join(mine.item(i), mine.op);
    } else {
      __shared__ std::uint64_t of_block;
      if (threadIdx.x == 0 && first < problem.n) cell_type(&of_block).set(mine.item(first));
      __syncthreads();
      for (auto i = threadIdx.x == 0 ? first + stride : first; i < problem.n; i += stride)
        cell_type(&of_block).join(mine.item(i), mine.op);
      __syncthreads();
      if (threadIdx.x == 0 && first < problem.n) cell_type(cell).join(cell_type(&of_block).get(), mine.op);
    }
  }
};

template <class Problem>
struct write_cell_job {
  static constexpr int threads = 32, blocks = 1;
  Problem problem;
  std::uint64_t* cell;
  __device__ void operator()() const {
    if (threadIdx.x == 0) problem.write(joined_cell<typename Problem::value>(cell).get());
  }
};

template <class Source, class... Tags, class Problem>
void run_reduce(device_policy<Source, Tags...> const& policy, char const* call, Problem problem) {
  using T = typename Problem::value;
  static_assert(relocatable<T> && std::is_default_constructible_v<T>,
                "sweep: on the device the accumulator must be trivially copyable and default constructible");
  if constexpr (Problem::in_contiguous)
    problem.shift = items_before_vector<Problem::vector_items>(problem.in);
  constexpr auto how = chosen<reduce_by, Tags...>;
  using config = reduce_config<Problem, own_plan<reduce_plan, Tags...>>;
  auto const stream = policy.stream();
  if constexpr (has_checked<Tags...>) {
    if constexpr (std::is_pointer_v<decltype(problem.in)>)
      if (problem.n > 0) require_reachable(call, "first", problem.in);
    if constexpr (std::is_pointer_v<decltype(problem.out)>) require_reachable(call, "out", problem.out);
  }
  if constexpr (how == reduce_by::atomic || how == reduce_by::shared_atomic) {
    using job = atomic_reduce_job<Problem, how>;
    scratch<Source> cell(policy.scratch_source(), call, stream, sizeof(std::uint64_t));
    auto* const at = static_cast<std::uint64_t*>(cell.memory());
    launch_job(call, stream, 1, 32, start_cell_job<Problem>{problem, at});
    launch_job(call, stream, blocks_for(problem.n, job::threads, 4096), job::threads, job{problem, at});
    launch_job(call, stream, 1, 32, write_cell_job<Problem>{problem, at});
  } else {
    using job = reduce_job<Problem, how, config>;
    auto const plan = config::plan(facts_of<job>(call).arch);
    auto const blocks = blocks_for(problem.n, std::int64_t{plan.threads} * Problem::vector_items,
                                   std::int64_t{multiprocessors(call)} * plan.blocks);
    launch_state<Source> state(policy.scratch_source(), call, stream, blocks * slots<T>::words);
    launch_job(call, stream, blocks, plan.threads,
               job{problem, {state.tiles(), state.stamp()}, state.tickets()});
    state.launched(blocks);
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

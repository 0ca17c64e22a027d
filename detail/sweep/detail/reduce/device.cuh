// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_DEVICE_CUH
#define SWEEP_DETAIL_REDUCE_DEVICE_CUH

#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/result_place.hpp>
#include <sweep/detail/reduce/agent.cuh>
#include <sweep/detail/reduce/atomic_cell.cuh>
#include <sweep/detail/reduce/problem.hpp>
#include <sweep/detail/reduce/tile/elsewhere_share.cuh>
#include <sweep/detail/reduce/tile/row_share.cuh>
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

/// Own is the tag of the caller's plan.
template <class Problem, class Own>
constexpr reduce_plan reduce_plan_of() {
  if constexpr (!std::is_same_v<Own, no_plan>) return Own::value;
  else
    return pick(reduce_table, [](reduce_row const& row) {
      return row.elsewhere == source_of_t<decltype(Problem::in)>::reads_elsewhere &&
             std::max(sizeof(value_of<decltype(Problem::in)>), sizeof(typename Problem::value)) <= row.widest;
    });
}

template <class Problem, reduce_by How, reduce_plan P>
constexpr auto share_of() {
  using source = source_of_t<decltype(Problem::in)>;
  if constexpr (How == reduce_by::warp_shuffle) {
    if constexpr (source::reads_elsewhere) return std::type_identity<elsewhere_share<Problem, source, P>>{};
    else if constexpr (row_share<Problem, source, P>::holds_group)
      return std::type_identity<row_share<Problem, source, P>>{};
    else return std::type_identity<elsewhere_share<Problem, source, P>>{};
  } else return std::type_identity<tree_share<Problem, How, P>>{};
}

template <class Problem, reduce_by How, class Own>
struct reduce_job {
  static constexpr reduce_plan plan = reduce_plan_of<Problem, Own>();
  static constexpr int threads = plan.threads, blocks = plan.blocks;
  using share = typename decltype(share_of<Problem, How, plan>())::type;
  Problem problem;
  typename share::input input;
  slots<typename Problem::value> parts;
  ticket_counter tickets;

  __device__ void operator()() const {
    auto mine = problem;
    reduce_share<share, threads>(mine, input, parts, tickets);
  }
};

/// A reduction of one value.
template <class Problem>
struct power_job {
  static constexpr int threads = 32, blocks = 1;
  Problem problem;
  __device__ void operator()() const {
    auto mine = problem;
    if (threadIdx.x == 0) mine.write_power();
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

template <class Source, class... Tags, class T, class In, class Out, class Op, class Unary>
void run_reduce(device_policy<Source, Tags...> const& policy, char const* call,
                reduce_problem<T, In, Out, Op, Unary> const& given) {
  auto const place = place_of_result<T, device_policy<Source>>(given.out);
  using Problem = reduce_problem<T, In, std::remove_const_t<decltype(place)>, Op, Unary>;
  Problem const problem{given.in, given.n, place, given.init, given.op, given.unary};
  static_assert(relocatable<T> && std::is_default_constructible_v<T>,
                "sweep: on the device the accumulator must be trivially copyable and default constructible");
  constexpr auto how = chosen<reduce_by, Tags...>;
  auto const stream = policy.stream();
  if constexpr (has_checked<Tags...>) {
    if constexpr (std::is_pointer_v<decltype(given.in)>)
      if (given.n > 0) require_reachable(call, "first", given.in);
    if constexpr (std::is_pointer_v<decltype(given.out)>) require_reachable(call, "out", given.out);
  }
  if constexpr (how == reduce_by::atomic || how == reduce_by::shared_atomic) {
    using job = atomic_reduce_job<Problem, how>;
    scratch<Source> cell(policy.scratch_source(), call, stream, sizeof(std::uint64_t));
    auto* const at = static_cast<std::uint64_t*>(cell.memory());
    launch_job(call, stream, 1, 32, start_cell_job<Problem>{problem, at});
    launch_job(call, stream, blocks_for(problem.n, job::threads, 4096), job::threads, job{problem, at});
    launch_job(call, stream, 1, 32, write_cell_job<Problem>{problem, at});
  } else if constexpr (Problem::of_one_value && how == reduce_by::warp_shuffle) {
    launch_job(call, stream, 1, power_job<Problem>::threads, power_job<Problem>{problem});
  } else {
    using job = reduce_job<Problem, how, own_plan<reduce_plan, Tags...>>;
    auto const in = job::share::input_of(problem);
    auto const blocks = job::share::blocks(problem, in);
    launch_state<Source> state(policy.scratch_source(), call, stream, blocks * slots<T>::words);
    launch_job(call, stream, blocks, job::threads,
               job{problem, in, {state.tiles(), state.stamp()}, state.tickets()});
    state.launched(tickets_of_shares(blocks));
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

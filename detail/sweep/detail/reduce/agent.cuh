// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_AGENT_CUH
#define SWEEP_DETAIL_REDUCE_AGENT_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/packed_value.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/warp/reduce.cuh>

#include <concepts>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// What the agent asks of a block's share of the input (reduce/tile): neighbouring items, so that the shares
/// in block order keep operand order.
template <class Share, class Problem, class T>
concept reducible_share = requires(Share& share, Problem const& problem, std::int64_t block,
                                   std::int64_t of) {
  { share.reduce(block, of) } -> std::same_as<optional<T>>;  // valid in thread 0; absent where it is empty
  {
    Share::shares(problem, of)
    } -> std::convertible_to<std::int64_t>;  // how many are not empty: the first so many
};

/// The reduction of all blocks' parts, in order, by the whole block; valid in thread 0. Shape: (warps, 32
/// lanes, parts of a lane). A part's words carry the launch's tag, so nothing else need be waited for.
template <int Threads, class T, class Op>
__device__ optional<T> reduce_parts(slots<T> const& parts, int count, Op& op) {
  __shared__ uninitialized<T, Threads / 32> of_warp;
  int const each = (count + Threads - 1) / Threads, lane = static_cast<int>(threadIdx.x % 32),
            warp = static_cast<int>(threadIdx.x / 32);
  int const first = static_cast<int>(threadIdx.x) * each, end = min(first + each, count);
  constexpr int at_once = registers_of < T >> 10 ? 1 : registers_of < T >> 1 ? 10 / registers_of<T> : 8;
  T sum{};
  for (int i = first; i < end; i += at_once) {
    T next[at_once];
    for (bool all = false; !all;) {
      all = true;
#pragma unroll
      for (int k = 0; k < at_once; ++k) all &= parts.try_read(min(i + k, end - 1), next[k]);
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      if (i + k < end) sum = i + k > first ? static_cast<T>(op(sum, next[k])) : next[k];
  }
  int const holding = each > 0 ? (count + each - 1) / each : 0;  // threads that have parts
  sum = warp_reduce_briefly(sum, min(max(holding - warp * 32, 0), 32), op);
  if (lane == 0) put_bytes(of_warp[warp], sum);
  __syncthreads();
  if (warp > 0) return {};
  int const holding_warps = (holding + 31) / 32;
  sum = lane < holding_warps ? of_warp[lane] : T{};
  return {warp_reduce_briefly(sum, holding_warps, op), count > 0};
}

/// How many tickets the blocks of such a reduction draw.
inline std::int64_t tickets_of_shares(std::int64_t blocks) { return blocks > 1 ? blocks : 0; }

template <class Problem, class T>
__device__ void write_result(Problem& problem, optional<T> const& all) {
  problem.write(all.present ? static_cast<T>(problem.op(problem.init, all.value)) : problem.init);
}

/// Blocks reduce neighbouring shares of the input and publish them; the last one to finish reduces those, in
/// order. Where there is one block alone it writes the result.
template <class Share, int Threads, class Problem, class Tickets>
__device__ void reduce_share(Problem& problem, typename Share::input const& in,
                             slots<typename Problem::value> const& parts, Tickets const& tickets) {
  using T = typename Problem::value;
  static_assert(reducible_share<Share, Problem, T>);
  __shared__ typename Share::shared smem;
  __shared__ bool last;
  optional<T> const share = Share(problem, in, smem).reduce(blockIdx.x, gridDim.x);
  if (gridDim.x == 1) {
    if (threadIdx.x == 0) write_result(problem, share);
    return;
  }
  if (threadIdx.x == 0) {
    if (share.present) parts.publish(blockIdx.x, share.value);
    last = tickets.draw() == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  optional<T> const all =
      reduce_parts<Threads>(parts, static_cast<int>(Share::shares(problem, gridDim.x)), problem.op);
  if (threadIdx.x == 0) write_result(problem, all);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

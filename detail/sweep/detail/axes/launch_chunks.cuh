// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_LAUNCH_CHUNKS_CUH
#define SWEEP_DETAIL_AXES_LAUNCH_CHUNKS_CUH

#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/runtime/launch_state.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// One launch of chunks that tell each other their totals, by launch(order): with so many words of state, and
/// as many tickets as the launch draws.
template <class Source, class Launch>
void launch_chunks(Source const& source, char const* call, cudaStream_t stream, chunk_order order,
                   std::int64_t words, std::int64_t tickets, Launch const& launch) {
  launch_state<Source> kept(source, call, stream, words);
  order.words = kept.tiles();
  order.stamp = kept.stamp();
  order.tickets = kept.tickets();
  launch(order);
  kept.launched(tickets);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

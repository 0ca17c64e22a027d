// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_PIPELINE_CUH
#define SWEEP_DETAIL_BLOCK_PIPELINE_CUH

#include <sweep/detail/block/bulk_copy.cuh>
#include <sweep/detail/core/config.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::detail {

/// Chunks of a pipeline's tile: each has a reducing and a scanning warp; one more warp loads, and one for
/// each stage elected.
SWEEP_HD constexpr int pipeline_chunks(int threads, int stages) { return (threads / 32 - 1 - stages) / 2; }

/// Shared memory for so many stages and buffers, of so many bytes each, and their barriers.
SWEEP_HD constexpr std::size_t pipeline_bytes(int stages, std::size_t stage_bytes, int buffers = 0,
                                              std::size_t buffer_bytes = 0) {
  auto const whole = [](std::size_t bytes) { return (bytes + 127) / 128 * 128; };
  return static_cast<std::size_t>(stages) * (whole(stage_bytes) + 48) +
         static_cast<std::size_t>(buffers) * whole(buffer_bytes) + 256;
}

/// Tickets that the loaders of so many blocks draw beyond the last tile: one for each end, and one ahead.
SWEEP_HD constexpr std::int64_t pipeline_tickets(std::int64_t blocks, int stages) {
  return blocks * (stages + 1);
}

/// Where stages hold the items themselves.
struct no_buffer {};
/// Where leaders do what is left to do.
struct no_scanners {};
/// Where bulk loads bring all there is to know of a tile.
struct no_marker {};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// A thread block that stays and works on several tiles at once, in shared memory (sm_90 and later). A tile
/// is C chunks. The block's warps divide the work, and nobody waits for a look-back but who needs its answer:
///   loader     claims tiles and starts their bulk loads, as many ahead as there is room for; one more tile
///              waits in the L2 cache, so that the memory's latency takes no room
///   marker     finds what else there is to know of a tile, if need be, while it is on its way
///   reducers   find a chunk's total as soon as the tile has landed, and prepare for it if there is a marker
///   leaders    one for each stage: tells the tile's total at once, learns what came before it
///   scanners   make a chunk's results and store them
/// A stage is what is known of a tile, and has its number; there are S. Its items are in one of B buffers:
/// with fewer buffers than stages, scanners take a chunk's items into registers before they wait for the
/// leader. The end is a tile numbered -1 in every stage, so that every leader learns of it.
template <class Stage, class Buffer, int S, int B, int C, int Loads>
class pipeline {
  static_assert(C >= 1 && C <= 32 && Loads >= 1 && Loads <= S && B <= S,
                "sweep: a plan with stages needs threads for all its roles, and at most as many loads as "
                "stages");

 public:
  struct shared {
    Stage stages[S];
    Buffer buffers[B];
    stage_barrier claimed[S], marked[S], loaded[S], reduced[S], led[S], free[S], drained[B];
  };

  /// claim() gives the next tile's number; those from `tiles` on do not exist. For each tile, by one thread,
  /// fetch(tile) prefetches what load(stage, buffer, barrier) will; that arrives at the barrier once its bulk
  /// loads are on their way; by whole warps, mark(stage), prepare(stage, chunk), reduce(stage, buffer,
  /// chunk), lead(stage), and scan(stage, buffer, chunk, led): where buffers are fewer than stages, it calls
  /// led() once, after its last use of the buffer and before it uses what the leader has learned.
  template <class Claim, class Fetch, class Load, class Reduce, class Lead, class Scan = no_scanners,
            class Mark = no_marker, class Prepare = no_marker>
  static __device__ void run(shared& smem, std::int64_t tiles, Claim claim, Fetch fetch, Load load,
                             Reduce reduce, Lead lead, Scan scan = {}, Mark mark = {}, Prepare prepare = {}) {
    constexpr bool scans = !std::is_same_v<Scan, no_scanners>, drains = B < S || !scans,
                   marks = !std::is_same_v<Mark, no_marker>;
    if (threadIdx.x == 0) {
      for (int s = 0; s < S; ++s) {
        smem.claimed[s].init(1);
        smem.marked[s].init(1);
        smem.loaded[s].init(1);
        smem.reduced[s].init(C);
        smem.led[s].init(1);
        smem.free[s].init(scans ? C : 1);
      }
      if constexpr (drains)
        for (int b = 0; b < B; ++b) smem.drained[b].init(C);
      fence_barrier_init();
    }
    __syncthreads();
    int const warp = static_cast<int>(threadIdx.x / 32);
    if (warp == 0) load_tiles<drains, marks>(smem, tiles, claim, fetch, load);
    else if (warp < 1 + S) lead_tiles<!scans>(smem, warp - 1, lead);
    else if (warp < 1 + S + C) reduce_chunks<!scans>(smem, warp - 1 - S, reduce, prepare);
    else if (int const next = warp - 1 - S - C; scans && next < C) {
      if constexpr (scans) scan_chunks(smem, next, scan);
    } else if (marks && next == (scans ? C : 0)) {
      if constexpr (marks) mark_tiles(smem, mark);
    }
  }

 private:
  /// Where the nth tile of this block is in a ring, and the parity of its phase.
  template <unsigned Size>
  struct turn {
    int at;
    unsigned parity;
    __device__ explicit turn(unsigned nth) : at{static_cast<int>(nth % Size)}, parity{nth / Size % 2} {}
  };

  /// Calls work(stage's turn, buffer's turn) for every tile of this block; work answers false at the end.
  template <class Work>
  static __device__ void for_each_tile(Work work) {
    for (unsigned nth = 0; work(turn<S>(nth), turn<B>(nth)); ++nth) {}
  }

  template <bool Drains, bool Marks, class Claim, class Fetch, class Load>
  static __device__ void load_tiles(shared& smem, std::int64_t tiles, Claim& claim, Fetch& fetch,
                                    Load& load) {
    if (threadIdx.x % 32 != 0) return;
    // No more than one ahead: what many blocks have fetched must still be in the cache when its turn comes.
    auto const claim_and_fetch = [&] {
      auto const tile = claim();
      if (tile < tiles) fetch(tile);
      return tile;
    };
    auto next = claim_and_fetch();
    int ends = 0;
    for_each_tile([&](turn<S> s, turn<B> b) {
      auto& at = smem.stages[s.at];
      smem.free[s.at].wait(s.parity ^ 1);
      if constexpr (Drains)
        if (ends == 0) smem.drained[b.at].wait(b.parity ^ 1);  // nobody drains what was never loaded
      bool const more = next < tiles;
      at.tile = more ? next : -1;
      if constexpr (Marks) smem.claimed[s.at].arrive();
      // Few loads at a time arrive nearly in order; many share the memory and all arrive as late as the last.
      if (s.at >= Loads) smem.loaded[s.at - Loads].wait(s.parity);
      else smem.loaded[s.at + S - Loads].wait(s.parity ^ 1);
      if (more) load(at, smem.buffers[b.at], smem.loaded[s.at]);
      else smem.loaded[s.at].arrive();
      next = claim_and_fetch();
      return more || ++ends < S;
    });
  }

  template <class Mark>
  static __device__ void mark_tiles(shared& smem, Mark& mark) {
    int ends = 0;
    for_each_tile([&](turn<S> s, turn<B>) {
      auto& at = smem.stages[s.at];
      smem.claimed[s.at].wait(s.parity);
      bool const more = at.tile >= 0;
      if (more) mark(at);
      arrive(smem.marked[s.at]);
      return more || ++ends < S;
    });
  }

  template <bool Drains, class Reduce, class Prepare>
  static __device__ void reduce_chunks(shared& smem, int chunk, Reduce& reduce, Prepare& prepare) {
    int ends = 0;
    for_each_tile([&](turn<S> s, turn<B> b) {
      auto& at = smem.stages[s.at];
      if constexpr (!std::is_same_v<Prepare, no_marker>) {
        smem.marked[s.at].wait(s.parity);
        if (at.tile >= 0) prepare(at, chunk);
      }
      smem.loaded[s.at].wait(s.parity);
      bool const more = at.tile >= 0;
      if (more) reduce(at, smem.buffers[b.at], chunk);
      arrive(smem.reduced[s.at]);
      if constexpr (Drains)
        if (more) arrive(smem.drained[b.at]);  // nobody waits for the last ones
      return more || ++ends < S;
    });
  }

  template <bool Last, class Lead>
  static __device__ void lead_tiles(shared& smem, int s, Lead& lead) {
    auto& at = smem.stages[s];
    bool more = true;
    for (unsigned parity = 0; more; parity ^= 1) {
      smem.reduced[s].wait(parity);
      more = at.tile >= 0;
      if (more) lead(at);
      arrive(Last ? smem.free[s] : smem.led[s]);
    }
  }

  template <class Scan>
  static __device__ void scan_chunks(shared& smem, int chunk, Scan& scan) {
    for_each_tile([&](turn<S> s, turn<B> b) {
      auto& at = smem.stages[s.at];
      if constexpr (B < S) smem.reduced[s.at].wait(s.parity);
      else smem.led[s.at].wait(s.parity);
      if (at.tile < 0) return false;
      scan(at, smem.buffers[b.at], chunk, [&] {
        if constexpr (B < S) {
          arrive(smem.drained[b.at]);
          smem.led[s.at].wait(s.parity);
        }
      });
      arrive(smem.free[s.at]);
      return true;
    });
  }

  /// A warp arrives.
  static __device__ void arrive(stage_barrier& barrier) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) barrier.arrive();
  }
};

#endif

}  // namespace sweep::detail

#endif

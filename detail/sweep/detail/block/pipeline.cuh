// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_PIPELINE_CUH
#define SWEEP_DETAIL_BLOCK_PIPELINE_CUH

#include <sweep/detail/block/bulk_copy.cuh>
#include <sweep/detail/core/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Chunks of a pipeline's tile: each has a reducing and a scanning warp; one more warp loads, and one for
/// each stage looks back.
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

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// Whether one warp may publish the totals of all of a block's tiles, and another learn what comes before one
/// after the other of them.
template <class Roles>
inline constexpr bool may_hear_apart = false;
template <class Roles>
  requires requires { Roles::may_hear_apart; }
inline constexpr bool may_hear_apart<Roles> = Roles::may_hear_apart;

/// What a pipeline asks of the roles of its warps. For each tile, by one thread:
///   claim()                        the number of the next tile
///   fetch(tile)                    prefetches what load will load
///   load(stage, buffer, landed)    starts the bulk loads; arrives at the barrier once they are on their way
/// and by whole warps:
///   reduce(stage, buffer, chunk)   finds a chunk's total
///   look_back(stage)               publishes the tile's total and learns what comes before the tile
/// With may_hear_apart also, where hears_apart(),
///   tell(stage)                    publishes the tile's total
///   listen()                       what a warp keeps from tile to tile, for
///   hear(stage, kept)              learns what comes before the tile, which may not have landed yet
/// With has_scanners also
///   scan(stage, buffer, chunk, drained)
///                                  makes a chunk's results and stores them; where buffers are fewer than
///                                  stages it calls drained() once, after its last use of the buffer and
///                                  before it uses what the look-back has found
/// and with has_marker
///   mark(stage), prepare(stage, chunk)
///                                  find what else there is to know of a tile while its items are on their
///                                  way: of all of it, then of a chunk
template <class Roles, class Stage, class Buffer>
concept pipeline_roles = requires(Roles& roles, Stage& stage, Buffer& buffer, stage_barrier& landed,
                                  int chunk, std::int64_t tile) {
  { roles.claim() } -> std::same_as<std::int64_t>;
  roles.fetch(tile);
  roles.load(stage, buffer, landed);
  roles.reduce(stage, buffer, chunk);
  roles.look_back(stage);
  requires !may_hear_apart<Roles> || requires(decltype(roles.listen())& kept) {
    { roles.hears_apart() } -> std::same_as<bool>;
    roles.tell(stage);
    roles.hear(stage, kept);
  };
  requires !Roles::has_scanners || requires(void (&drained)()) { roles.scan(stage, buffer, chunk, drained); };
  requires !Roles::has_marker || requires {
    roles.mark(stage);
    roles.prepare(stage, chunk);
  };
};

/// A thread block that stays and works on several tiles at once, in shared memory (sm_90 and later). A tile
/// is C chunks. The block's warps divide the work, and only those wait for a look-back that need its answer:
///   loader     claims tiles and starts their bulk loads, as many ahead as there is room for; one more tile
///              waits in the L2 cache, so that the memory's latency takes no room
///   marker     finds what else there is to know of a tile, if need be, while it is on its way
///   reducers   find a chunk's total as soon as the tile has landed, and prepare for it if there is a marker
///   look-back  warps, one for each stage: publish the tile's total at once, learn what came before it; or
///              two of them for all stages: one publishes totals, one learns from when a tile is claimed on
///   scanners   make a chunk's results and store them
/// A stage is what is known of a tile, and has its number; there are S. Its items are in one of B buffers:
/// with fewer buffers than stages, scanners take a chunk's items into registers before they wait for the
/// look-back. The end is a tile numbered -1 in every stage, so that every look-back warp learns of it.
template <class Stage, class Buffer, int S, int B, int C, int Loads>
class pipeline {
  static_assert(C >= 1 && C <= 32 && Loads >= 1 && Loads <= S && B <= S,
                "sweep: a plan with stages needs threads for all its roles, and at most as many loads as "
                "stages");

 public:
  struct shared {
    Stage stages[S];
    Buffer buffers[B];
    stage_barrier claimed[S], marked[S], loaded[S], reduced[S], looked_back[S], free[S], drained[B];
    bool hears;  ///< whether one warp hears of all tiles: here, as scanners have no register left
  };

  /// Tiles from `tiles` on do not exist. A tile may have fewer than C chunks, and the block fewer warps then.
  template <pipeline_roles<Stage, Buffer> Roles>
  static __device__ void run(shared& smem, std::int64_t tiles, Roles& roles, int chunks = C) {
    constexpr bool scans = Roles::has_scanners, marks = Roles::has_marker, drains = B < S || !scans;
    constexpr bool may_hear = may_hear_apart<Roles>;
    static_assert(!may_hear || (scans && !marks && S >= 2));
    bool hears = false;
    if constexpr (may_hear) hears = roles.hears_apart();
    if (threadIdx.x == 0) {
      for (int s = 0; s < S; ++s) {
        smem.claimed[s].init(1);
        smem.marked[s].init(1);
        smem.loaded[s].init(1);
        smem.reduced[s].init(chunks);
        smem.looked_back[s].init(1);
        smem.free[s].init(scans ? chunks : 1);
      }
      if constexpr (drains)
        for (int b = 0; b < B; ++b) smem.drained[b].init(chunks);
      smem.hears = hears;
      fence_barrier_init();
    }
    __syncthreads();
    int const warp = static_cast<int>(threadIdx.x / 32);
    if (warp == 0) load_tiles<drains>(smem, tiles, roles);
    else if (warp < 1 + S) {
      if (!hears) look_back(smem, warp - 1, roles);
      else if constexpr (may_hear) {
        if (warp == 1) tell_totals(smem, roles);
        else if (warp == 2) hear_tiles(smem, roles);
      }
    } else if (warp < 1 + S + chunks) {
      reduce_chunks(smem, warp - 1 - S, roles);
    } else if (int const next = warp - 1 - S - chunks; scans && next < chunks) {
      if constexpr (scans) scan_chunks(smem, next, roles);
    } else if (marks && next == (scans ? chunks : 0)) {
      if constexpr (marks) mark_tiles(smem, roles);
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

  /// A marker has no place where totals are told.
  static __device__ stage_barrier& told(shared& smem, int s) { return smem.marked[s]; }

  template <bool Drains, class Roles>
  static __device__ void load_tiles(shared& smem, std::int64_t tiles, Roles& roles) {
    if (threadIdx.x % 32 != 0) return;
    // No more than one ahead: what many blocks have fetched must still be in the cache when its turn comes.
    auto const claim_and_fetch = [&] {
      auto const tile = roles.claim();
      if (tile < tiles) roles.fetch(tile);
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
      if constexpr (Roles::has_marker || may_hear_apart<Roles>) smem.claimed[s.at].arrive();
      // Few loads at a time arrive nearly in order; many share the memory and all arrive as late as the last.
      if (s.at >= Loads) smem.loaded[s.at - Loads].wait(s.parity);
      else smem.loaded[s.at + S - Loads].wait(s.parity ^ 1);
      if (more) roles.load(at, smem.buffers[b.at], smem.loaded[s.at]);
      else smem.loaded[s.at].arrive();
      next = claim_and_fetch();
      return more || ++ends < S;
    });
  }

  template <class Roles>
  static __device__ void mark_tiles(shared& smem, Roles& roles) {
    int ends = 0;
    for_each_tile([&](turn<S> s, turn<B>) {
      auto& at = smem.stages[s.at];
      smem.claimed[s.at].wait(s.parity);
      bool const more = at.tile >= 0;
      if (more) roles.mark(at);
      arrive(smem.marked[s.at]);
      return more || ++ends < S;
    });
  }

  template <class Roles>
  static __device__ void reduce_chunks(shared& smem, int chunk, Roles& roles) {
    int ends = 0;
    for_each_tile([&](turn<S> s, turn<B> b) {
      auto& at = smem.stages[s.at];
      if constexpr (Roles::has_marker) {
        smem.marked[s.at].wait(s.parity);
        if (at.tile >= 0) roles.prepare(at, chunk);
      }
      smem.loaded[s.at].wait(s.parity);
      bool const more = at.tile >= 0;
      if (more) roles.reduce(at, smem.buffers[b.at], chunk);
      arrive(smem.reduced[s.at]);
      if constexpr (!Roles::has_scanners)
        if (more) arrive(smem.drained[b.at]);  // nobody waits for the last ones
      return more || ++ends < S;
    });
  }

  template <class Roles>
  static __device__ void tell_totals(shared& smem, Roles& roles) {
    for_each_tile([&](turn<S> s, turn<B>) {
      auto& at = smem.stages[s.at];
      smem.reduced[s.at].wait(s.parity);
      bool const more = at.tile >= 0;
      if (more) roles.tell(at);
      arrive(told(smem, s.at));
      return more;
    });
  }

  template <class Roles>
  static __device__ void hear_tiles(shared& smem, Roles& roles) {
    auto kept = roles.listen();
    for_each_tile([&](turn<S> s, turn<B>) {
      auto& at = smem.stages[s.at];
      smem.claimed[s.at].wait(s.parity);
      bool const more = at.tile >= 0;
      if (more) roles.hear(at, kept);
      arrive(smem.looked_back[s.at]);
      return more;
    });
  }

  template <class Roles>
  static __device__ void look_back(shared& smem, int s, Roles& roles) {
    auto& at = smem.stages[s];
    bool more = true;
    for (unsigned parity = 0; more; parity ^= 1) {
      smem.reduced[s].wait(parity);
      more = at.tile >= 0;
      if (more) roles.look_back(at);
      arrive(Roles::has_scanners ? smem.looked_back[s] : smem.free[s]);
    }
  }

  template <class Roles>
  static __device__ void scan_chunks(shared& smem, int chunk, Roles& roles) {
    for_each_tile([&](turn<S> s, turn<B> b) {
      auto& at = smem.stages[s.at];
      auto const wait_for_look_back = [&] {
        smem.looked_back[s.at].wait(s.parity);
        if constexpr (may_hear_apart<Roles>)
          if (smem.hears) told(smem, s.at).wait(s.parity);
      };
      if constexpr (B < S) smem.reduced[s.at].wait(s.parity);
      else wait_for_look_back();
      if (at.tile < 0) return false;
      roles.scan(at, smem.buffers[b.at], chunk, [&] {
        if constexpr (B < S) {
          arrive(smem.drained[b.at]);
          wait_for_look_back();
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

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

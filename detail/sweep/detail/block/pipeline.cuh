// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_BLOCK_PIPELINE_CUH
#define SWEEP_DETAIL_BLOCK_PIPELINE_CUH

#include <sweep/detail/block/bulk.cuh>
#include <sweep/detail/block/words.cuh>
#include <sweep/detail/lookback/lanes.cuh>

namespace sweep::detail {

/// Chunks of a pipeline's tile: each has a reducing and a scanning warp; one more warp loads, and one for
/// each stage leads.
SWEEP_HD constexpr int pipeline_chunks(scan_plan const& plan) {
  return (plan.threads / 32 - 1 - plan.stages) / 2;
}

/// The aligned 16-byte words that hold any so many neighbouring bits, and one more.
SWEEP_HD constexpr std::size_t window_bytes(std::size_t bits) { return (bits / 8 + 15) / 16 * 16 + 32; }

/// Shared memory that a pipeline takes; the host asks for it, so it is reckoned from the plan. `heads`: how
/// many items of a word have a head bit.
SWEEP_HD constexpr std::size_t pipeline_bytes(scan_plan const& plan, std::size_t word_bytes,
                                              std::size_t value_bytes, std::size_t heads) {
  auto const chunks = static_cast<std::size_t>(pipeline_chunks(plan)),
             stages = static_cast<std::size_t>(plan.stages);
  auto const beside = (chunks * (33 * value_bytes + 1) + value_bytes + 16 + 127) / 128 * 128;
  auto const items = (chunks * 32 * static_cast<std::size_t>(plan.rows) * word_bytes + 127) / 128 * 128;
  auto const bits =
      heads == 0 ? 0 : window_bytes(chunks * 32 * static_cast<std::size_t>(plan.rows) * heads) + 16;
  return stages * ((items + beside + bits + 127) / 128 * 128 + 32) + 128;
}

/// A thread block that stays and works on several tiles at once, in stages of shared memory (sm_90 and
/// later). Its warps divide the work, and nobody waits for a look-back but the warp that does it:
///   loader     claims tiles and starts their bulk loads, as many ahead as there are stages
///   reducers   fold each lane's items as soon as a tile has landed
///   leaders    one for each stage: tells the tile's total at once, learns what came before it
///   scanners   scan each lane's items in place and start the bulk stores
/// Shape of a tile, in scan order: (C chunks, 32 lanes, K words, V items). A lane's items are neighbours, so
/// most of the work is plain serial folding; with K odd, the lanes of a warp read different banks. A tile
/// that is not whole, or data that bulk copies cannot move, pass through the same stages item by item.
template <class Problem, scan_plan P>
class pipeline_block {
  using word = words<Problem, P>;
  using items = typename word::items;
  using T = typename Problem::value;
  using Raw = typename Problem::raw;
  using U = typename Problem::out_value;
  static constexpr int V = Problem::word_items, K = P.rows, S = P.stages;
  static constexpr int C = pipeline_chunks(P);
  static constexpr int lane_items = K * V, chunk_items = 32 * lane_items;
  static constexpr bool backward = word::backward, inclusive = word::inclusive;
  static constexpr bool segmented = Problem::heads_type::segmented;
  using mask = typename Problem::mask;

 public:
  static SWEEP_HD constexpr int tile_items(int) { return C * chunk_items; }
  static_assert(!segmented || Problem::heads_type::in_words, "heads are loaded as packed bits");
  static_assert(Problem::at_ends || sizeof(Raw) == sizeof(U), "results take the items' places");
  static_assert(!Problem::at_ends || (segmented && inclusive && !backward), "ends are looked for ahead");
  static_assert(V * sizeof(Raw) % 16 == 0, "sweep: a plan with stages needs words of 16 bytes");
  static_assert(
      C >= 1 && C <= 32 && P.threads % 32 == 0 && P.loads >= 1 && P.loads <= S,
      "sweep: a plan with stages needs threads for all its roles, and at most as many loads as stages");

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  struct no_heads_window {};
  struct heads_window {
    alignas(16) unsigned words[window_bytes(C * chunk_items) / 4];
    int shift;  ///< where the bit of the tile's lowest item stands
  };
  struct stage {
    alignas(128) unsigned char raw[C * chunk_items * sizeof(Raw)];
    alignas(T) unsigned char lanes[C * 32 * sizeof(T)];  ///< what comes before a lane in its chunk
    alignas(T) unsigned char chunks[C * sizeof(T)];      ///< totals, then what comes before a chunk
    std::int64_t tile;
    bool chunk_has_before[C];
    bool loaded;
    std::conditional_t<segmented, heads_window, no_heads_window> heads;
  };

  struct shared {
    stage stages[S];
    stage_barrier loaded[S], reduced[S], led[S], free[S];
  };
  static_assert(sizeof(shared) <= pipeline_bytes(P, V * sizeof(Raw), sizeof(T), segmented ? V : 0));

  __device__ pipeline_block(Problem const& problem, shared& smem)
      : problem_{problem}, smem_{smem}, lane_{static_cast<int>(threadIdx.x % 32)} {}

  /// `claim` gives the next tile; `exchange` is given a tile and its total and answers with the fold of
  /// everything before it.
  template <class Claim, class Op, class Exchange>
  __device__ void run(Claim claim, Op& op, Exchange exchange) {
    if (threadIdx.x == 0) {
      for (int s = 0; s < S; ++s) {
        smem_.loaded[s].init(1);
        smem_.reduced[s].init(C);
        smem_.led[s].init(1);
        smem_.free[s].init(C);
      }
      fence_barrier_init();
    }
    __syncthreads();
    int const warp = static_cast<int>(threadIdx.x / 32);
    if (warp == 0) load_tiles(claim);
    else if (warp < 1 + S) lead_tiles(warp - 1, op, exchange);
    else if (warp < 1 + S + C) reduce_chunks(warp - 1 - S, op);
    else if (warp < 1 + S + 2 * C) scan_chunks(warp - 1 - S - C, op);
  }

 private:
  // The end is a tile numbered -1 in every stage, so that every leader learns of it.

  /// Calls work(stage number, parity of its phase) for every tile of this block; work answers false at the
  /// end.
  template <class Work>
  __device__ void for_each_stage(Work work) {
    for (unsigned parity = 0;; parity ^= 1)
      for (int s = 0; s < S; ++s)
        if (!work(s, parity)) return;
  }

  template <class Claim>
  __device__ void load_tiles(Claim claim) {
    if (lane_ != 0) return;
    int ends = 0;
    for_each_stage([&](int s, unsigned parity) {
      auto& at = smem_.stages[s];
      smem_.free[s].wait(parity ^ 1);
      auto const tile = claim();  // not before there is room: whoever comes later waits for this tile
      // Few loads at a time arrive nearly in order; many share the memory and all arrive as late as the last.
      if (s >= P.loads) smem_.loaded[s - P.loads].wait(parity);
      else smem_.loaded[s + S - P.loads].wait(parity ^ 1);
      bool const more = tile < problem_.grid.tiles();
      at.tile = more ? tile : -1;
      at.loaded = false;
      if constexpr (segmented) at.heads.shift = 0;
      if (more) {
        auto const window = problem_.grid.window(tile);
        if constexpr (Problem::in_contiguous) {
          auto const* from = problem_.in + window.memory;
          if (whole(window) && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
            bits_span bits;
            if constexpr (segmented)
              bits = problem_.heads.template window<Problem::towards>(window.memory, tile_items(0),
                                                                      problem_.grid.n);
            if (!segmented || bits.bytes > 0) {
              at.loaded = true;
              if constexpr (segmented) at.heads.shift = bits.shift;
              smem_.loaded[s].arrive_expecting(static_cast<unsigned>(sizeof(at.raw)) + bits.bytes);
              bulk_load(at.raw, from, sizeof(at.raw), smem_.loaded[s]);
              if constexpr (segmented) bulk_load(at.heads.words, bits.from, bits.bytes, smem_.loaded[s]);
            }
          }
        }
      }
      if (!at.loaded) smem_.loaded[s].arrive();
      return more || ++ends < S;
    });
  }

  template <class Op>
  __device__ void reduce_chunks(int chunk, Op& op) {
    int ends = 0;
    for_each_stage([&](int s, unsigned parity) {
      auto& at = smem_.stages[s];
      smem_.loaded[s].wait(parity);
      if (at.tile >= 0) {
        auto const window = problem_.grid.window(at.tile);
        int const place = chunk * chunk_items + lane_ * lane_items;
        T sum{};
        bool any = true;
        if (!at.loaded) {
          fill_chunk(at, window, chunk);
          __syncwarp();
        }
        if (whole(window)) {
          sum = fold_lane(at, place, op);
        } else {
          int const from = max(place, window.low), to = min(place + lane_items, window.high);
          any = from < to;
          for (int p = from; p < to; ++p) sum = p > from ? static_cast<T>(op(sum, item(at, p))) : item(at, p);
        }
        warp_scan_some(sum, __ballot_sync(~0u, any), op);
        reinterpret_cast<T*>(at.lanes)[chunk * 32 + lane_] = warp_shfl_up(sum, 1);
        if (lane_ == 31) reinterpret_cast<T*>(at.chunks)[chunk] = sum;
      }
      bool const more = at.tile >= 0;
      __syncwarp();
      if (lane_ == 0) smem_.reduced[s].arrive();
      return more || ++ends < S;
    });
  }

  /// What a bulk load cannot bring: coalesced, item by item, and the heads by ballot.
  __device__ void fill_chunk(stage& at, tile_window const& window, int chunk) const {
    int const first = backward ? offset((chunk + 1) * chunk_items - 1) : chunk * chunk_items;
    for (int i = lane_; i < chunk_items; i += 32) {  // in memory order
      auto const index = window.memory + first + i;
      bool const there = index >= 0 && index < problem_.grid.n;
      if (there) reinterpret_cast<Raw*>(at.raw)[first + i] = problem_.in[index];
      if constexpr (segmented) {
        unsigned const word = __ballot_sync(~0u, there && (problem_.heads_at(index, 1) & 1u) != 0);
        if (lane_ == 0) at.heads.words[(first + i) / 32] = word;
      }
    }
    if constexpr (Problem::heads_type::ahead) {
      auto const next = window.memory + tile_items(0);
      if (chunk == C - 1 && lane_ == 0)
        at.heads.words[tile_items(0) / 32] = next < problem_.grid.n ? problem_.heads_at(next, 1) & 1u : 0u;
    }
  }

  template <class Op, class Exchange>
  __device__ void lead_tiles(int s, Op& op, Exchange exchange) {
    auto& at = smem_.stages[s];
    bool more = true;
    for (unsigned parity = 0; more; parity ^= 1) {
      smem_.reduced[s].wait(parity);
      more = at.tile >= 0;
      if (more) {
        auto const window = problem_.grid.window(at.tile);
        auto* const chunks = reinterpret_cast<T*>(at.chunks);
        int const first = lane_ * chunk_items;
        T sum = lane_ < C ? chunks[lane_] : T{};
        warp_scan_some(sum, __ballot_sync(~0u, lane_ < C && some(window, first, first + chunk_items)), op);
        maybe<T> before = exchange(std::int64_t{at.tile}, warp_lanes{}, warp_shfl(sum, 31));
        before = {warp_shfl(before.value, 0), __shfl_sync(~0u, before.present, 0) != 0};
        T const chunks_before = warp_shfl_up(sum, 1);
        if (some(window, 0, first))
          before = {before.present ? static_cast<T>(op(before.value, chunks_before)) : chunks_before, true};
        if (lane_ < C) {
          chunks[lane_] = before.value;
          at.chunk_has_before[lane_] = before.present;
        }
      }
      __syncwarp();
      if (lane_ == 0) smem_.led[s].arrive();
    }
  }

  template <class Op>
  __device__ void scan_chunks(int chunk, Op& op) {
    for_each_stage([&](int s, unsigned parity) {
      auto& at = smem_.stages[s];
      smem_.led[s].wait(parity);
      if (at.tile < 0) return false;
      auto const window = problem_.grid.window(at.tile);
      int const place = chunk * chunk_items + lane_ * lane_items;
      maybe<T> before{reinterpret_cast<T const*>(at.chunks)[chunk], at.chunk_has_before[chunk]};
      if (some(window, chunk * chunk_items, place)) {
        T const lanes_before = reinterpret_cast<T const*>(at.lanes)[chunk * 32 + lane_];
        before = {before.present ? static_cast<T>(op(before.value, lanes_before)) : lanes_before, true};
      }
      if constexpr (Problem::at_ends) {
        scan_to_ends(at, window, chunk, before, op);
        __syncwarp();
        if (lane_ == 0) smem_.free[s].arrive();
        return true;
      }
      bool stored = false;
      if (whole(window)) {
        scan_lane(at, place, before, op);
        if constexpr (Problem::out_contiguous) {
          int const first =
              backward ? offset((chunk + 1) * chunk_items - 1) : chunk * chunk_items;  // lowest in memory
          auto* const to = problem_.out + window.memory + first;
          if (reinterpret_cast<std::uintptr_t>(to) % 16 == 0) {
            fence_before_bulk();
            __syncwarp();
            if (lane_ == 0) {
              bulk_store(to, at.raw + first * sizeof(U), chunk_items * sizeof(U));
              await_bulk_reads<0>();
            }
            stored = true;
          }
        }
      } else {
        int const from = max(place, window.low), to = min(place + lane_items, window.high);
        for (int p = from; p < to; ++p) {
          T const x = item(at, p);
          T const with = before.present ? static_cast<T>(op(before.value, x)) : x;
          result(at, p) =
              static_cast<U>(inclusive ? with : problem_.before(before.value, heads(at, offset(p), 1), 0));
          before = {with, true};
        }
      }
      if (!stored) {
        __syncwarp();
        for (int i = lane_; i < chunk_items; i += 32) {  // coalesced, item by item
          int const p = chunk * chunk_items + i;
          if (exists(window, p)) problem_.out[window.memory + offset(p)] = result(at, p);
        }
        fence_before_bulk();  // what was put here by hand comes before what the next load brings
        __syncwarp();
      }
      if (lane_ == 0) smem_.free[s].arrive();
      return true;
    });
  }

  __device__ bool whole(tile_window const& window) const {
    return window.low == 0 && window.high == tile_items(0);
  }
  __device__ bool exists(tile_window const& window, int place) const {
    return place >= window.low && place < window.high;
  }
  __device__ bool some(tile_window const& window, int from, int to) const {
    return max(from, window.low) < min(to, window.high);
  }
  /// Where a place lies in the tile's memory.
  __device__ int offset(int place) const { return backward ? tile_items(0) - 1 - place : place; }
  __device__ T item(stage const& at, int place) const {
    return problem_.item(reinterpret_cast<Raw const*>(at.raw)[offset(place)], heads(at, offset(place), 1), 0);
  }
  __device__ U& result(stage& at, int place) const { return reinterpret_cast<U*>(at.raw)[offset(place)]; }

  /// Word k, in scan order, of the lane whose items begin at `place`: where its lowest item lies.
  __device__ int word_offset(int place, int k) const {
    return offset(backward ? place + (k + 1) * V - 1 : place + k * V);
  }
  __device__ unsigned char* word_at(stage& at, int place, int k) const {
    return at.raw + word_offset(place, k) * static_cast<int>(sizeof(Raw));
  }
  /// The heads of so many items, at most 32, from this one on in memory.
  __device__ mask heads(stage const& at, int lowest, int count) const {
    if constexpr (segmented) {
      int const bit = at.heads.shift + lowest;
      auto const* const words = at.heads.words + bit / 32;
      unsigned const next = bit % 32 + count > 32 ? words[1] : 0u;  // else it may be another warp's to fill
      return __funnelshift_r(words[0], next, static_cast<unsigned>(bit));
    } else {
      return {};
    }
  }
  /// The heads of a lane's items, in memory order. Place 0 of tile 0 starts a segment whatever its bit says.
  struct lane_heads {
    static constexpr int words = segmented ? (lane_items + 31) / 32 : 1;
    unsigned bits[words]{};
    /// Which of the bits of a word are the lane's.
    static __device__ constexpr unsigned valid(int w) {
      return lane_items - 32 * w >= 32 ? ~0u : (1u << (lane_items - 32 * w)) - 1;
    }
    __device__ int count() const {
      int all = 0;
#pragma unroll
      for (int w = 0; w < words; ++w) all += __popc(bits[w] & valid(w));
      return all;
    }
    __device__ mask of_word(int k) const {
      if constexpr (segmented) {
        int const first = (backward ? K - 1 - k : k) * V;
        return bits[first / 32] >> (first % 32);
      } else {
        return {};
      }
    }
  };
  __device__ lane_heads heads_of_lane(stage const& at, int place, int ahead = 0) const {
    lane_heads found;
    if constexpr (segmented) {
      int const lowest = word_offset(place, backward ? K - 1 : 0) + ahead;
#pragma unroll
      for (int w = 0; w < lane_heads::words; ++w)
        found.bits[w] = heads(at, lowest + 32 * w, min(lane_items - 32 * w, 32));
      constexpr int first = backward ? lane_items - 1 : 0;
      if (place == 0 && at.tile == 0 && ahead == 0) found.bits[first / 32] |= 1u << (first % 32);
    }
    return found;
  }
  static __device__ items read_word(unsigned char const* from) {
    items got;
#pragma unroll
    for (int w = 0; w < items::words / 4; ++w) {
      auto const quad = reinterpret_cast<uint4 const*>(from)[w];
      memcpy(got.word + 4 * w, &quad, 16);
    }
    return got;
  }

  template <class Op>
  __device__ T fold_lane(stage& at, int place, Op& op) const {
    auto const heads = heads_of_lane(at, place);
    T sum{};
#pragma unroll
    for (int k = 0; k < K; ++k) {
      T const part = word::fold(problem_, read_word(word_at(at, place, k)), heads.of_word(k),
                                op);  // short chains, so that words overlap
      sum = k > 0 ? static_cast<T>(op(sum, part)) : part;
    }
    return sum;
  }

  template <class Op>
  __device__ void scan_lane(stage& at, int place, maybe<T> const& before, Op& op) const {
    auto const all_heads = heads_of_lane(at, place);
    T sum = before.value;
    bool const has = before.present;  // false for the very first item alone
#pragma unroll
    for (int k = 0; k < K; ++k) {
      auto* const here = word_at(at, place, k);
      T xs[V];
      mask const heads = all_heads.of_word(k);
      word::unpack(problem_, read_word(here), heads, xs);
      U results[V];
#pragma unroll
      for (int v = 0; v < V; ++v) {
        if constexpr (!inclusive)
          results[word::in_memory(v)] = static_cast<U>(problem_.before(sum, heads, word::in_memory(v)));
        sum = k > 0 || v > 0 || has ? static_cast<T>(op(sum, xs[v])) : xs[v];
        if constexpr (inclusive) results[word::in_memory(v)] = static_cast<U>(sum);
      }
      packed_items<U, V> packed;
      packed.pack(results);
#pragma unroll
      for (int w = 0; w < items::words / 4; ++w) {
        uint4 quad;
        memcpy(&quad, packed.word + 4 * w, 16);
        reinterpret_cast<uint4*>(here)[w] = quad;
      }
    }
  }

  // An output that is written where segments start and end (segmented_reduce/ends.hpp).

  template <class Op>
  __device__ void scan_to_ends(stage& at, tile_window const& window, int chunk, maybe<T> before,
                               Op& op) const {
    int const place = chunk * chunk_items + lane_ * lane_items;
    auto const last = problem_.grid.n - 1 - window.memory;
    if (whole(window)) return scan_whole_to_ends(at, window, chunk, last, before, op);
    auto const& to = problem_.out.write;
    int const from = max(place, window.low), end = min(place + lane_items, window.high);
    for (int p = from; p < end; ++p) {
      T const x = item(at, p);
      before = {before.present ? static_cast<T>(op(before.value, x)) : x, true};
      if ((heads(at, p, 1) & 1u) != 0) to.start(window.memory + p, before.value);
      if (p == last || (heads(at, p + 1, 1) & 1u) != 0) to.end(window.memory + p, before.value);
    }
  }

  /// A chunk's results are gathered in the items' places, where they follow each other, and written side by
  /// side; so are the places of its starts.
  template <class Op>
  __device__ void scan_whole_to_ends(stage& at, tile_window const& window, int chunk, std::int64_t last,
                                     maybe<T> const& before, Op& op) const {
    using value = decltype(T::value);
    constexpr bool gathers = sizeof(value) <= sizeof(Raw) && sizeof(Raw) >= 2;
    auto const& to = problem_.out.write;
    int const place = chunk * chunk_items + lane_ * lane_items;
    auto const starts = heads_of_lane(at, place);
    auto ends = heads_of_lane(at, place, 1);
    if (last == place + lane_items - 1) ends.bits[(lane_items - 1) / 32] |= 1u << (lane_items - 1) % 32;
    items all[K];
#pragma unroll
    for (int k = 0; k < K; ++k) all[k] = read_word(word_at(at, place, k));
    __syncwarp();  // from here on results may take the items' places
    auto* const gathered = reinterpret_cast<value*>(at.raw + chunk * chunk_items * sizeof(Raw));
    int const ends_before = before_in_warp(ends.count());
    int next = ends_before;
    std::int64_t first_rank = 0;
    T sum = before.value;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      T xs[V];
      word::unpack(problem_, all[k], starts.of_word(k), xs);
#pragma unroll
      for (int v = 0; v < V; ++v) {
        auto const i = window.memory + place + k * V + v;
        sum = k > 0 || v > 0 || before.present ? static_cast<T>(op(sum, xs[v])) : xs[v];
        if constexpr (!gathers)
          if ((starts.of_word(k) >> v & 1u) != 0) to.start(i, sum);
        if ((ends.of_word(k) >> v & 1u) != 0) {
          if constexpr (gathers) {
            if (next == ends_before) first_rank = static_cast<std::int64_t>(sum.heads) - 1;
            gathered[next++] = sum.value;
          } else {
            to.end(i, sum);
          }
        }
      }
    }
    if constexpr (gathers) {
      write_side_by_side(next, next > ends_before, first_rank,
                         [&](std::int64_t rank, int j) { to.put(rank, gathered[j]); });
      if (last == place + lane_items - 1) to.count(static_cast<std::int64_t>(sum.heads));
      if constexpr (std::decay_t<decltype(to)>::has_keys) gather_starts(at, window, chunk, starts, sum);
      fence_before_bulk();  // what was put here by hand comes before what the next load brings
    }
  }

  /// Keys stand where segments start: the starts' places are gathered as results were. The count of starts up
  /// to and with this lane's last item is sum.heads.
  __device__ void gather_starts(stage& at, tile_window const& window, int chunk, lane_heads const& starts,
                                T const& sum) const {
    auto* const places = reinterpret_cast<unsigned short*>(at.raw + chunk * chunk_items * sizeof(Raw));
    __syncwarp();
    int const mine = starts.count(), starts_before = before_in_warp(mine);
    int next = starts_before;
#pragma unroll
    for (int w = 0; w < lane_heads::words; ++w)
      for (unsigned bits = starts.bits[w] & lane_heads::valid(w); bits != 0; bits &= bits - 1)
        places[next++] =
            static_cast<unsigned short>(lane_ * lane_items + 32 * w + __ffs(static_cast<int>(bits)) - 1);
    auto const first = window.memory + chunk * chunk_items;
    write_side_by_side(next, mine > 0, static_cast<std::int64_t>(sum.heads) - mine,
                       [&](std::int64_t rank, int j) { problem_.out.write.keys(rank, first + places[j]); });
  }

  /// write(rank, j) for the j-th of what the lanes have gathered, `end` being where this lane's part ends;
  /// ranks count on from that of the first lane that has any.
  template <class Write>
  __device__ void write_side_by_side(int end, bool any, std::int64_t first_rank, Write write) const {
    unsigned const with = __ballot_sync(~0u, any);
    int const all = __shfl_sync(~0u, end, 31);
    auto const rank = warp_shfl(first_rank, with ? __ffs(static_cast<int>(with)) - 1 : 0);
    __syncwarp();
    for (int j = lane_; j < all; j += 32) write(rank + j, j);
  }

  /// The sum of the lanes' numbers before this one's.
  __device__ int before_in_warp(int mine) const {
    int sum = mine;
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      int const left = __shfl_up_sync(~0u, sum, by);
      if (lane_ >= by) sum += left;
    }
    return sum - mine;
  }

  Problem const& problem_;
  shared& smem_;
  int lane_;
#endif
};

}  // namespace sweep::detail

#endif

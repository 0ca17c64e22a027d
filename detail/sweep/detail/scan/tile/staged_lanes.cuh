// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_STAGED_LANES_CUH
#define SWEEP_DETAIL_SCAN_TILE_STAGED_LANES_CUH

#include <sweep/detail/block/bulk_copy.cuh>
#include <sweep/detail/block/pipeline.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/scan/tile/vector_ops.cuh>
#include <sweep/detail/scan/tuning.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Bytes of the aligned 16-byte words that hold so many neighbouring bits, wherever they begin, and one more.
SWEEP_HD constexpr std::size_t window_bytes(std::size_t bits) { return (bits / 8 + 15) / 16 * 16 + 32; }

SWEEP_HD constexpr int chunks_of(scan_plan const& plan) { return pipeline_chunks(plan.threads, plan.stages); }

/// An upper bound on the shared memory of a scan's pipeline, from the plan alone, since the host sizes the
/// launch.
SWEEP_HD constexpr std::size_t scan_staged_bytes(scan_plan const& plan, scan_shape const& shape) {
  auto const chunks = static_cast<std::size_t>(chunks_of(plan));
  auto const vectors =
      chunks * 32 * static_cast<std::size_t>(vector_rows(plan.rows, shape.vector_bytes(), true));
  auto const items = (vectors * shape.vector_bytes() + 127) / 128 * 128;
  auto const beside = (chunks * (33 * shape.value + 1) + shape.value + 16 + 127) / 128 * 128;
  auto const bits =
      shape.segmented ? window_bytes(vectors * static_cast<std::size_t>(shape.vector_items)) + 16 : 0;
  return pipeline_bytes(plan.stages, items + beside + bits);
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// A pipeline's tile in shared memory, and what one lane does with its part of it. Shape of a tile, in scan
/// order: (C chunks, 32 lanes, K vectors, V items). A lane's items are neighbours, so most of the work is
/// plain serial folding; with K odd, the lanes of a warp read different banks.
template <class Problem, scan_plan P>
class scan_staged_lanes {
  using vec = vector_ops<Problem, P>;
  using items = typename vec::items;
  using T = typename Problem::value;
  using Raw = typename Problem::raw;
  using U = typename Problem::out_value;
  using mask = typename Problem::mask;
  static constexpr bool backward = vec::backward, inclusive = vec::inclusive;

 public:
  static constexpr int V = Problem::vector_items, K = vector_rows(P.rows, V * sizeof(Raw), true),
                       C = chunks_of(P);
  static constexpr int lane_items = K * V, chunk_items = 32 * lane_items, tile_items = C * chunk_items;
  static constexpr bool segmented = Problem::heads_type::segmented;

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

  __device__ explicit scan_staged_lanes(Problem const& problem)
      : problem_{problem}, lane_{static_cast<int>(threadIdx.x % 32)} {}

  __device__ Problem const& problem() const { return problem_; }
  __device__ int lane() const { return lane_; }

  // Where things are.

  /// Where a place lies in the tile's memory.
  __device__ int offset(int place) const { return backward ? tile_items - 1 - place : place; }
  __device__ T item(stage const& at, int place) const {
    return problem_.item(reinterpret_cast<Raw const*>(at.raw)[offset(place)], heads(at, offset(place), 1), 0);
  }
  __device__ U& result(stage& at, int place) const { return reinterpret_cast<U*>(at.raw)[offset(place)]; }

  /// Vector k, in scan order, of the lane whose items begin at `place`: where its lowest item lies.
  __device__ int vector_offset(int place, int k) const {
    return offset(backward ? place + (k + 1) * V - 1 : place + k * V);
  }
  __device__ unsigned char* vector_at(stage& at, int place, int k) const {
    return at.raw + vector_offset(place, k) * static_cast<int>(sizeof(Raw));
  }
  // Heads.

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
    __device__ mask of_vector(int k) const {
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
      int const lowest = vector_offset(place, backward ? K - 1 : 0) + ahead;
#pragma unroll
      for (int w = 0; w < lane_heads::words; ++w)
        found.bits[w] = heads(at, lowest + 32 * w, min(lane_items - 32 * w, 32));
      constexpr int first = backward ? lane_items - 1 : 0;
      if (place == 0 && at.tile == 0 && ahead == 0) found.bits[first / 32] |= 1u << (first % 32);
    }
    return found;
  }
  // Vectors.

  static __device__ items read_vector(unsigned char const* from) {
    items got;
#pragma unroll
    for (int w = 0; w < items::words / 4; ++w) {
      auto const quad = reinterpret_cast<uint4 const*>(from)[w];
      memcpy(got.word + 4 * w, &quad, 16);
    }
    return got;
  }

  // All of a lane's items.

  template <class Op>
  __device__ T fold_lane(stage& at, int place, Op& op) const {
    auto const heads = heads_of_lane(at, place);
    T sum{};
#pragma unroll
    for (int k = 0; k < K; ++k) {
      T const part = vec::fold(problem_, read_vector(vector_at(at, place, k)), heads.of_vector(k),
                               op);  // short chains, so that vectors overlap
      sum = k > 0 ? static_cast<T>(op(sum, part)) : part;
    }
    return sum;
  }

  template <class Op>
  __device__ void scan_lane(stage& at, int place, optional<T> const& before, Op& op) const {
    auto const all_heads = heads_of_lane(at, place);
    T sum = before.value;
    bool const has = before.present;  // false for the very first item alone
#pragma unroll
    for (int k = 0; k < K; ++k) {
      auto* const here = vector_at(at, place, k);
      T xs[V];
      mask const heads = all_heads.of_vector(k);
      vec::unpack(problem_, read_vector(here), heads, xs);
      U results[V];
#pragma unroll
      for (int v = 0; v < V; ++v) {
        if constexpr (!inclusive)
          results[vec::in_memory(v)] = static_cast<U>(problem_.before(sum, heads, vec::in_memory(v)));
        sum = k > 0 || v > 0 || has ? static_cast<T>(op(sum, xs[v])) : xs[v];
        if constexpr (inclusive) results[vec::in_memory(v)] = static_cast<U>(sum);
      }
      item_vector<U, V> packed;
      packed.pack(results);
#pragma unroll
      for (int w = 0; w < items::words / 4; ++w) {
        uint4 quad;
        memcpy(&quad, packed.word + 4 * w, 16);
        reinterpret_cast<uint4*>(here)[w] = quad;
      }
    }
  }

  /// What a bulk load cannot bring: coalesced, item by item, and the heads by ballot.
  __device__ void fill_chunk(stage& at, tile_window const& window, int chunk) const {
    int const first = backward ? offset((chunk + 1) * chunk_items - 1) : chunk * chunk_items;
    for (int i = lane_; i < chunk_items; i += 32) {  // in memory order
      auto const index = window.base + first + i;
      bool const there = index >= 0 && index < problem_.grid.n;
      if (there) put_bytes(reinterpret_cast<Raw*>(at.raw)[first + i], static_cast<Raw>(problem_.in[index]));
      if constexpr (segmented) {
        unsigned const word = __ballot_sync(~0u, there && (problem_.heads_at(index, 1) & 1u) != 0);
        if (lane_ == 0) at.heads.words[(first + i) / 32] = word;
      }
    }
    if constexpr (Problem::heads_type::needs_next_head) {
      auto const next = window.base + tile_items;
      if (chunk == C - 1 && lane_ == 0)
        at.heads.words[tile_items / 32] = next < problem_.grid.n ? problem_.heads_at(next, 1) & 1u : 0u;
    }
    fence_before_bulk();  // what was put here by hand comes before what the next load brings
  }

 private:
  Problem const& problem_;
  int lane_;
};

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

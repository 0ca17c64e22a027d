// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TILE_CLASSIFY_CHUNK_CUH
#define SWEEP_DETAIL_PARTITION_TILE_CLASSIFY_CHUNK_CUH

#include <sweep/bits.hpp>
#include <sweep/detail/block/pipeline.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/partition/problem.hpp>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>
#include <sweep/plan.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_HD constexpr int chunks_of(partition_plan const& plan) {
  return pipeline_chunks(plan.threads, plan.stages);
}
/// Scanners keep the tile that they are about to put in registers: one buffer less than there are stages.
SWEEP_HD constexpr int buffers_of(partition_plan const& plan) {
  return plan.stages > 1 ? plan.stages - 1 : 1;
}

/// Items that a lane reads at once: 16 bytes of a narrow type, else one.
SWEEP_HD constexpr int items_at_once(std::size_t bytes) { return bytes == 1 ? 16 : bytes == 2 ? 8 : 1; }

/// Rows of what is tested that a warp takes in one step.
template <class Problem>
inline constexpr int tested_at_once = std::is_same_v<typename Problem::tested_iterator, bits>
                                          ? 1
                                          : items_at_once(sizeof(typename Problem::tested_value));

/// Whether scanning warps bring items to their places by way of shared memory, so that writes are wide: where
/// narrow items decide for themselves. Other items go straight from registers or, where a stencil decides,
/// from global memory.
template <class Problem>
inline constexpr bool orders_in_shared_memory =
    Problem::tests_items&& items_at_once(sizeof(typename Problem::raw)) > 1;

/// Items that share a mask and a count: a lane's vector where bytes are put in order, else a row.
template <class Problem>
SWEEP_HD constexpr int marked_at_once() {
  return orders_in_shared_memory<Problem> && sizeof(typename Problem::raw) == 1 ? items_at_once(1) : 32;
}
template <class Problem>
SWEEP_HD constexpr std::size_t mark_bytes(int chunk_items) {
  constexpr int each = marked_at_once<Problem>();
  return static_cast<std::size_t>(chunk_items / each * (each / 8 + static_cast<int>(sizeof(unsigned short))));
}

/// Shape of a tile of a compaction's pipeline, in order: (C chunks, R rows, 32 items), and what is known of
/// it. What decides lies in a buffer: the items themselves, or a stencil.
template <class Problem, partition_plan P>
struct partition_stage {
  using tested_value = typename Problem::tested_value;
  using counts = typename Problem::counts;
  static constexpr bool tests_bits = std::is_same_v<typename Problem::tested_iterator, bits>;
  static constexpr int C = chunks_of(P), R = P.rows, chunk_items = 32 * R, tile_items = C * chunk_items,
                       counted = Problem::parts - 1;

  struct buffer {
    alignas(128) unsigned char tested[tests_bits ? 16 : tile_items * sizeof(tested_value)];
  };
  static constexpr int marked = marked_at_once<Problem>(), groups = chunk_items / marked;
  using mask = typename vector_type<marked / 8>::type;
  // Of each counted part:
  alignas(16) mask masks[counted][C][groups];             ///< which of a group's items belong to it
  alignas(16) unsigned short before[counted][C][groups];  ///< how many come before the group in its chunk
  static_assert(chunk_items < 1 << 16);
  counts before_chunk[C];
  int totals[counted][C];
  std::int64_t tile;
  bool loaded;
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// Which of the 32 items from this place on exist.
__device__ inline unsigned existing_items(tile_window const& window, int place) {
  int const from = min(max(window.valid_begin - place, 0), 32),
            to = min(max(window.valid_end - place, 0), 32);
  return to > from ? (to < 32 ? (1u << to) - 1 : ~0u) & ~0u << from : 0u;
}

template <class Tested>
__device__ Tested tested_item(unsigned char const* tested, int place) {
  item_vector<Tested, 1> item;
  Tested value[1];
  load_shared(tested + place * static_cast<int>(sizeof(Tested)), item);
  item.unpack(value);
  return value[0];
}

/// What a reducing warp does with its chunk: calls the selector for each item, and counts each part.
template <class Problem, partition_plan P>
class classify_chunk {
  using stage = partition_stage<Problem, P>;
  using buffer = typename stage::buffer;
  using tested_value = typename stage::tested_value;
  static constexpr int R = stage::R, counted = stage::counted, chunk_items = stage::chunk_items;
  static constexpr int V = tested_at_once<Problem>;
  static_assert(R % V == 0, "sweep: rows of narrow items come in words of 16 bytes");

 public:
  __device__ explicit classify_chunk(Problem const& problem)
      : problem_{problem}, lane_{static_cast<int>(threadIdx.x % 32)} {}

  __device__ void run(stage& at, buffer& in, int chunk) const {
    auto const window = problem_.grid.window(at.tile);
    if constexpr (stage::tests_bits) classify_bits(at, window, chunk);
    else if (!at.loaded) classify_unloaded(at, in, window, chunk);
    else if constexpr (V > 1) classify_vectors(at, in, window, chunk);
    else classify_rows(at, in, window, chunk);
    __syncwarp();
    count(at, chunk);
  }

 private:
  /// Each row in one step, an item a lane.
  __device__ void classify_rows(stage& at, buffer& in, tile_window const& window, int chunk) const {
#pragma unroll 1
    for (int first = 0; first < R; first += 32) {
      unsigned masks[counted]{};
#pragma unroll 8
      for (int r = 0; r < min(R, 32); ++r) {
        int const place = chunk * chunk_items + (first + r) * 32 + lane_;
        tested_value const x = tested_item<tested_value>(in.tested, place);
        keep_row(r, part_of(at, in, window, place, x), masks);
      }
      write_masks(at, chunk, first, masks);
    }
  }

  /// V rows in one step, V neighbouring items a lane.
  __device__ void classify_vectors(stage& at, buffer& in, tile_window const& window, int chunk) const {
    constexpr int J = R / V, together = J % 4 == 0 ? 4 : J % 2 == 0 ? 2 : 1;
#pragma unroll 1
    for (int j = 0; j < J; j += together) {
      item_vector<tested_value, V> words[together];
#pragma unroll
      for (int i = 0; i < together; ++i)
        load_shared(in.tested + vector_place(chunk, j + i) * static_cast<int>(sizeof(tested_value)),
                    words[i]);
#pragma unroll
      for (int i = 0; i < together; ++i) classify_vector(at, in, window, chunk, j + i, words[i]);
    }
  }
  __device__ int vector_place(int chunk, int j) const { return chunk * chunk_items + (j * 32 + lane_) * V; }
  __device__ void classify_vector(stage& at, buffer& in, tile_window const& window, int chunk, int j,
                                  item_vector<tested_value, V> const& word) const {
    int const place = vector_place(chunk, j);
    tested_value xs[V];
    word.unpack_each(xs);
    unsigned masks[counted]{};
    tested_value left{};
    if constexpr (Problem::looks_left) {
      left = warp_shfl_up(xs[V - 1], 1);
      if (lane_ == 0 && window.base + place > 0) left = left_of(in, window, place);
    }
#pragma unroll
    for (int v = 0; v < V; ++v) {
      int part = 0;
      if constexpr (Problem::looks_left) {
        if (v > 0 || window.base + place > 0) part = problem_.select(v > 0 ? xs[v - 1] : left, xs[v]);
      } else {
        part = problem_.select(xs[v]);
      }
#pragma unroll
      for (int k = 0; k < counted; ++k) masks[k] |= static_cast<unsigned>(part == k) << v;
    }
#pragma unroll
    for (int k = 0; k < counted; ++k) {
      if constexpr (stage::marked == V) {
        at.masks[k][chunk][j * 32 + lane_] = static_cast<typename stage::mask>(masks[k]);
      } else {  // 32 / V lanes hold a row
#pragma unroll
        for (int bits = V; bits < 32; bits *= 2)
          masks[k] |= __shfl_down_sync(~0u, masks[k], bits / V) << bits;
        if (lane_ % (32 / V) == 0) at.masks[k][chunk][j * V + lane_ * V / 32] = masks[k];
      }
    }
  }

  /// What a bulk load cannot bring; scanners find the items in the buffer all the same.
  __device__ void classify_unloaded(stage& at, buffer& in, tile_window const& window, int chunk) const {
#pragma unroll 1
    for (int first = 0; first < R; first += 32) {
      unsigned masks[counted]{};
#pragma unroll 1
      for (int r = 0; r < min(R, 32); ++r) {
        int const place = chunk * chunk_items + (first + r) * 32 + lane_;
        int part = counted;
        if (window.contains(place)) {
          tested_value const x = problem_.tested()[window.base + place];
          if constexpr (Problem::tests_items) put_bytes(reinterpret_cast<tested_value*>(in.tested)[place], x);
          part = part_of(at, in, window, place, x);
        }
        keep_row(r, part, masks);
      }
      write_masks(at, chunk, first, masks);
    }
    fence_before_bulk();  // what was put here by hand comes before what the next load brings
  }

  /// Packed flags come from global memory, a row in one word of bits.
  __device__ void classify_bits(stage& at, tile_window const& window, int chunk) const {
    int const set = problem_.select(true), clear = problem_.select(false);
    for (int row = lane_; row < R; row += 32) {
      int const place = chunk * chunk_items + row * 32;
      unsigned const exist = existing_items(window, place), flags = tests_flags(window.base + place, exist);
#pragma unroll
      for (int k = 0; k < counted; ++k)
        at.masks[k][chunk][row] = (set == k ? flags : 0u) | (clear == k ? exist & ~flags : 0u);
    }
  }

  __device__ int part_of(stage const& at, buffer& in, tile_window const& window, int place,
                         tested_value const& x) const {
    if constexpr (Problem::looks_left) {
      auto const index = window.base + place;
      if (index == 0) return 0;
      return problem_.select(at.loaded ? left_of(in, window, place)
                                       : static_cast<tested_value>(problem_.tested()[index - 1]),
                             x);
    } else {
      return problem_.select(x);
    }
  }
  __device__ tested_value left_of(buffer& in, tile_window const& window, int place) const {
    if (place > 0) return tested_item<tested_value>(in.tested, place - 1);
    return problem_.tested()[window.base + place - 1];
  }

  /// Lane r keeps the bits of row r.
  __device__ void keep_row(int r, int part, unsigned (&masks)[counted]) const {
#pragma unroll
    for (int k = 0; k < counted; ++k) {
      unsigned const mask = __ballot_sync(~0u, part == k);
      if (lane_ == r) masks[k] = mask;
    }
  }
  __device__ void write_masks(stage& at, int chunk, int first, unsigned const (&masks)[counted]) const {
#pragma unroll
    for (int k = 0; k < counted; ++k)
      if (first + lane_ < R) {
        constexpr int groups = 32 / stage::marked;
#pragma unroll
        for (int group = 0; group < groups; ++group)
          at.masks[k][chunk][(first + lane_) * groups + group] =
              static_cast<typename stage::mask>(masks[k] >> group * stage::marked % 32);
      }
  }

  /// The bits of those of a row's items that exist, from the one or two words that hold them.
  __device__ unsigned tests_flags(std::int64_t index, unsigned exist) const {
    if (exist == 0) return 0;
    auto const& from = problem_.tested();
    unsigned found = 0;
    auto const position = from.position() + index, low = position >> 5;
    int const shift = static_cast<int>(position & 31);
    if ((exist & ~0u >> shift) != 0) found = from.words()[low] >> shift;
    if (shift > 0 && exist >> (32 - shift) != 0) found |= from.words()[low + 1] << (32 - shift);
    return found & exist;
  }

  __device__ void count(stage& at, int chunk) const {
    plus op;
#pragma unroll
    for (int k = 0; k < counted; ++k) {
      auto const& masks = at.masks[k][chunk];
      auto& counts = at.before[k][chunk];
      int total = 0;
      if constexpr (stage::marked < 32) {
        // (vectors, lanes): the counts of two vectors share a register and its shuffles.
        constexpr int J = stage::groups / 32;
#pragma unroll
        for (int j = 0; j < J; j += 2) {
          unsigned const low = __popc(masks[j * 32 + lane_]),
                         high = j + 1 < J ? __popc(masks[(j + 1) * 32 + lane_]) : 0, both = high << 16 | low,
                         sums = warp_scan(both, op), before = sums - both,
                         totals = __shfl_sync(~0u, sums, 31);
          counts[j * 32 + lane_] = static_cast<unsigned short>(total + (before & 0xffff));
          total += totals & 0xffff;
          if (j + 1 < J) counts[(j + 1) * 32 + lane_] = static_cast<unsigned short>(total + (before >> 16));
          total += totals >> 16;
        }
      } else {
        // Neighbouring rows are a lane's, so that one scan counts them all.
        constexpr int mine = (R + 31) / 32;
        int const first = lane_ * mine;
        int each[mine], all = 0;
#pragma unroll
        for (int i = 0; i < mine; ++i) {
          each[i] = first + i < R ? __popc(masks[first + i]) : 0;
          all += each[i];
        }
        total = warp_scan(all, op);
        int before = total - all;
#pragma unroll
        for (int i = 0; i < mine; ++i) {
          if (first + i < R) counts[first + i] = static_cast<unsigned short>(before);
          before += each[i];
        }
      }
      if (lane_ == 31) at.totals[k][chunk] = total;
    }
  }

  Problem const& problem_;
  int lane_;
};

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

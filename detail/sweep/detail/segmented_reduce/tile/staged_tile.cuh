// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_STAGED_TILE_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_STAGED_TILE_CUH

#include <sweep/detail/block/pipeline.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/warp_lanes.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/segmented_reduce/problem.hpp>
#include <sweep/detail/segmented_reduce/tuning.hpp>
#include <sweep/detail/segments/flagged_scan.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/search.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// An upper bound on the shared memory of the pipeline, from the plan alone, since the host sizes the launch.
SWEEP_HD constexpr std::size_t segmented_reduce_staged_bytes(segmented_reduce_plan const& plan,
                                                             int vector_items, std::size_t item_bytes,
                                                             std::size_t value_bytes) {
  auto const chunks = static_cast<std::size_t>(plan.chunks),
             items = static_cast<std::size_t>(plan.chunk_items(vector_items, item_bytes));
  return pipeline_bytes(plan.stages, chunks * (3 * value_bytes + 32) + 128, plan.buffers,
                        chunks * items * item_bytes) +
         chunks * (items + 16);
}

/// The roles of a thread block that reduces the segments of tiles in a pipeline (block/pipeline.cuh) without
/// scanners.
/// The marker learns which segments end in a chunk. The chunk's reducer marks where they begin, and writes
/// the results of all of them but one: the first may have begun before the chunk. The look-back warp writes
/// that one's once it has learned the fold of what came before. So items leave shared memory without waiting
/// for a look-back. Where as many segments begin as end, none is empty, and results need no second look at
/// the offsets: they line up in their items' places.
template <class Problem, segmented_reduce_plan P, class Claim, class Publish>
class segmented_reduce_staged_tile {
  using Raw = typename Problem::raw;
  using V = typename Problem::value;
  using T = flagged<V>;
  using Op = segmented_op<decltype(Problem::op)>;
  static constexpr int C = P.chunks, W = Problem::vector_items, K = P.lane_vectors(W * sizeof(Raw)),
                       lane_items = K * W, chunk_items = 32 * lane_items, tile_size = C * chunk_items;
  static_assert(lane_items < 32 * 4 && sizeof(V) <= sizeof(Raw) && sizeof(Raw) % alignof(V) == 0,
                "results take the items' places");

  using offset = value_of<decltype(Problem::offsets)>;

 public:
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
 private:
  struct buffer {
    alignas(128) unsigned char raw[tile_size * sizeof(Raw)];
  };
  /// A byte for each of a chunk's items and for the one behind them: whether a segment begins with it.
  struct heads_of_chunk {
    alignas(16) unsigned char of[chunk_items + 16];
  };
  struct stage {
    T totals[C];
    V carries[C];               ///< of the segment that began before the chunk, what the chunk has of it
    std::int64_t carried[C];    ///< its number, or -1
    std::int64_t first[C + 1];  ///< segments [first[c], first[c + 1]) end in chunk c
    std::int64_t tile;
    bool any[C];  ///< whether the chunk has items
    bool loaded;
  };

 public:
  using block = pipeline<stage, buffer, P.stages, P.buffers, C, P.loads>;
  struct shared {
    typename block::shared block;
    heads_of_chunk heads[C];
  };
  static_assert(sizeof(shared) <= segmented_reduce_staged_bytes(P, W, sizeof(Raw), sizeof(V)));

  static constexpr bool has_scanners = false, has_marker = true;

  __device__ segmented_reduce_staged_tile(Problem const& problem, shared& smem, Op& op, Claim claim,
                                          Publish publish)
      : problem_{problem},
        smem_{smem},
        op_{op},
        claim_{claim},
        publish_{publish},
        lane_{static_cast<int>(threadIdx.x % 32)} {}

  __device__ std::int64_t claim() const { return claim_(); }

  __device__ void fetch(std::int64_t tile) const {
    if (auto const window = problem_.grid.window(tile); in_bulk(window))
      bulk_prefetch(problem_.in + window.base, static_cast<unsigned>(sizeof(buffer::raw)));
  }

  __device__ void load(stage& at, buffer& in, stage_barrier& landed) const {
    auto const window = problem_.grid.window(at.tile);
    at.loaded = in_bulk(window);
    if (!at.loaded) return landed.arrive();
    landed.arrive_expecting(static_cast<unsigned>(sizeof(in.raw)));
    bulk_load(in.raw, problem_.in + window.base, sizeof(in.raw), landed);
  }

  __device__ void mark(stage& at) const {
    static_assert(C < 32);
    wait_for_kernel_before();
    if (lane_ <= C) at.first[lane_] = problem_.segments_before[at.tile * C + lane_];
    fill_empty_blocks(at.tile);
  }

  /// Clear, then mark; while the items are on their way.
  __device__ void prepare(stage const& at, int chunk) const {
    auto* const heads = smem_.heads[chunk].of;
    for (int i = lane_; i < (chunk_items + 16) / 16; i += 32) reinterpret_cast<uint4*>(heads)[i] = uint4{};
    __syncwarp();
    constexpr int few = 4, many = sizeof(offset) <= 4 ? 14 : 7;
    auto const begin = problem_.grid.window(at.tile).base + chunk * chunk_items;
    auto const first = at.first[chunk], last = at.first[chunk + 1];
    if (last - first < 32 * few) {
      mark_rows<few>(heads, begin, first, last);
    } else {
      for_each_stretch(first, last,
                       [&](std::int64_t from, std::int64_t to) { mark_rows<many>(heads, begin, from, to); });
    }
    __syncwarp();
  }

  __device__ void reduce(stage& at, buffer& in, int chunk) const {
    auto const window = problem_.grid.window(at.tile);
    int const low = min(max(window.valid_begin - chunk * chunk_items, 0), chunk_items),
              high = min(max(window.valid_end - chunk * chunk_items, 0), chunk_items);
    auto const begin = window.base + chunk * chunk_items;  // of the chunk, in memory
    auto* const items = in.raw + chunk * chunk_items * static_cast<int>(sizeof(Raw));
    auto const* const heads = smem_.heads[chunk].of;
    if (!at.loaded) {
      fill(items, begin, low, high);
      __syncwarp();
    }
    if (low > 0 || high < chunk_items) reduce_lanes<false>(at, items, heads, chunk, low, high, op_);
    else if (at.first[chunk] < at.first[chunk + 1] || heads[0] != 0) {
      if (reduce_lanes<true>(at, items, heads, chunk, low, high, op_)) return fence_before_bulk();
    } else reduce_plain(at, items, chunk, op_);
    __syncwarp();
    for_each_stretch(at.first[chunk], at.first[chunk + 1], [&](std::int64_t from, std::int64_t to) {
      write_results(at, items, chunk, begin, from, to);
    });
    fence_before_bulk();  // what was put among the items comes before what the next load brings
  }

  __device__ void look_back(stage& at) const {
    bool const any = lane_ < C && at.any[lane_];
    T sum = any ? at.totals[lane_] : T{};
    unsigned const have = warp_scan_some(sum, __ballot_sync(~0u, any), op_);
    optional<T> before = publish_(warp_lanes{}, std::int64_t{at.tile}, warp_shfl(sum, 31));
    before = {warp_shfl(before.value, 0), __shfl_sync(~0u, before.present, 0) != 0};
    T const chunks_before = warp_shfl_up(sum, 1);
    if (lane_ > 0 && (have >> (lane_ - 1) & 1u) != 0) before = {combine(before, chunks_before, op_), true};
    if (lane_ < C && at.carried[lane_] >= 0)
      problem_.put(at.carried[lane_], before.present
                                          ? static_cast<V>(op_.op(before.value.value, at.carries[lane_]))
                                          : at.carries[lane_]);
  }

 private:
  /// Whether a bulk load brings a tile's items.
  __device__ bool in_bulk(tile_window const& window) const {
    return window.valid_begin == 0 && window.valid_end == tile_size &&
           reinterpret_cast<std::uintptr_t>(problem_.in + window.base) % 16 == 0;
  }

  // Any number of empty segments may end in one place. Aligned blocks of them, all of which are empty, are
  // nobody's who has the items there: each tile writes the results of an equal share of all blocks.
  static constexpr std::int64_t block_segments = 1024;

  __device__ bool block_is_empty(std::int64_t first) const {
    return problem_.offsets[first] == problem_.offsets[first + block_segments];
  }
  __device__ void fill_empty_blocks(std::int64_t tile) const {
    auto const blocks = problem_.count / block_segments, tiles = problem_.grid.tiles(),
               last = (tile + 1) * blocks / tiles;
    for (auto b = tile * blocks / tiles; b < last; b += 32) {
      unsigned empty = __ballot_sync(~0u, b + lane_ < last && block_is_empty((b + lane_) * block_segments));
      for (; empty != 0; empty &= empty - 1) {
        auto const first = (b + __ffs(static_cast<int>(empty)) - 1) * block_segments;
        for (auto i = std::int64_t{lane_}; i < block_segments; i += 32) problem_.put_empty(first + i);
      }
    }
  }
  /// f(from, to) for what remains of segments [first, last) without such blocks, at least once, in order. The
  /// last stretch ends with `last`; where a block was left out, the next one begins in the same place.
  template <class F>
  __device__ void for_each_stretch(std::int64_t first, std::int64_t last, F f) const {
    do {
      auto stop = last;
      if (last - first > chunk_items + 2 * block_segments) {  // many of them are empty
        if (first % block_segments == 0 && block_is_empty(first)) {
          auto const at = problem_.offsets[first];
          auto const ends = [&](std::int64_t b) {
            return problem_.offsets[first + (b + 1) * block_segments] != at;
          };
          first += warp_find_first(1, (last - first) / block_segments, ends) * block_segments;
        }
        stop = min(last, (first / block_segments + 1) * block_segments);
      }
      f(first, stop);
      first = stop;
    } while (first < last);
  }

  /// Rows of 32 offsets, so many at a time.
  template <int R>
  __device__ void mark_rows(unsigned char* heads, std::int64_t begin, std::int64_t first,
                            std::int64_t last) const {
#pragma unroll 1
    for (auto s = first + lane_; s <= last; s += 32 * R) {
      auto const from = problem_.offsets + s;
      int const left = static_cast<int>(min(last - s, std::int64_t{32 * R}));
      offset some[R];
#pragma unroll
      for (int r = 0; r < R; ++r)
        if (r * 32 <= left) some[r] = from[r * 32];
#pragma unroll
      for (int r = 0; r < R; ++r)
        if (r * 32 <= left)
          if (auto const p = place_of(some[r], begin); p <= chunk_items) heads[p] = 1;
    }
  }
  /// The item that an offset leads to, counted from `begin`; a large number where it leads elsewhere.
  static __device__ auto place_of(offset at, std::int64_t begin) {
    using U = std::conditional_t<sizeof(offset) <= 4, std::uint32_t, std::uint64_t>;
    return static_cast<U>(at) - static_cast<U>(begin);
  }

  /// Where no segment begins or ends.
  __device__ void reduce_plain(stage& at, unsigned char const* items, int chunk, Op& op) const {
    V sum{};
#pragma unroll
    for (int k = 0; k < K; ++k) {
      item_vector<Raw, W> word;
      Raw raw[W];
      load_shared(items + (lane_ * K + k) * W * static_cast<int>(sizeof(Raw)), word);
      word.unpack(raw);
      V part = static_cast<V>(problem_.unary(raw[0]));  // short chains, so that vectors overlap
#pragma unroll
      for (int w = 1; w < W; ++w) part = static_cast<V>(op.op(part, static_cast<V>(problem_.unary(raw[w]))));
      sum = k > 0 ? static_cast<V>(op.op(sum, part)) : part;
    }
    sum = warp_shfl(warp_scan(sum, op.op), 31);
    if (lane_ == 0) {
      put_bytes(at.totals[chunk], T{sum, false});
      at.any[chunk] = true;
      at.carried[chunk] = -1;
    }
  }

  __device__ void fill(unsigned char* items, std::int64_t begin, int low, int high) const {
    for (int i = low + lane_; i < high; i += 32)
      put_bytes(reinterpret_cast<Raw*>(items)[i], static_cast<Raw>(problem_.in[begin + i]));
  }

  /// Bit i: whether the lane's item i begins a segment; bit lane_items: whether the item behind them does.
  struct lane_heads {
    unsigned bits[lane_items / 32 + 1]{};
    __device__ bool operator[](int i) const { return (bits[i / 32] >> i % 32 & 1u) != 0; }
    /// Optimisation barrier: the compiler tests the bits again instead of holding the answers in registers.
    __device__ void keep_packed() {
#pragma unroll
      for (auto& word : bits) asm("" : "+r"(word));
    }
    /// How many segments end in the lane.
    __device__ int ends() const {
      int count = 0;
#pragma unroll
      for (int w = 0; w <= lane_items / 32; ++w) count += __popc(w == 0 ? bits[0] & ~1u : bits[w]);
      return count;
    }
  };
  __device__ lane_heads heads_of_lane(unsigned char const* heads) const {
    lane_heads found;
    auto const* const mine = heads + lane_ * lane_items;
    if constexpr (W % 4 == 0) {
#pragma unroll
      for (int i = 0; i < lane_items; i += 4) {
        unsigned const four = *reinterpret_cast<unsigned const*>(mine + i);
        found.bits[i / 32] |= bits_of_four(four) << i % 32;
      }
    } else {
#pragma unroll
      for (int i = 0; i < lane_items; ++i) found.bits[i / 32] |= static_cast<unsigned>(mine[i]) << i % 32;
    }
    found.bits[lane_items / 32] |= static_cast<unsigned>(mine[lane_items]) << lane_items % 32;
    return found;
  }

  /// Reduces a chunk from registers. Returns whether the results have been written; else each stands where
  /// its segment's last item stood, for write_results.
  template <bool Whole>
  __device__ bool reduce_lanes(stage& at, unsigned char* items, unsigned char const* heads, int chunk,
                               int low, int high, Op& op) const {
    auto begins = heads_of_lane(heads);
    int const place = lane_ * lane_items;
    auto* const mine = items + place * static_cast<int>(sizeof(Raw));
    item_vector<Raw, W> words[K];
#pragma unroll
    for (int k = 0; k < K; ++k) load_shared(mine + k * W * static_cast<int>(sizeof(Raw)), words[k]);
    // f(i, x) for the lane's items that exist, in order.
    auto const for_each_item = [&](auto f) {
#pragma unroll
      for (int k = 0; k < K; ++k) {
        Raw raw[W];
        words[k].unpack(raw);
#pragma unroll
        for (int w = 0; w < W; ++w) {
          int const i = k * W + w;
          if (Whole || (place + i >= low && place + i < high)) f(i, static_cast<V>(problem_.unary(raw[w])));
        }
      }
    };
    T total{};
    bool any = false;
    for_each_item([&](int i, V const& x) {
      bool const fresh = begins[i] || (Whole ? i == 0 : !any);
      total = {fresh ? x : static_cast<V>(op.op(total.value, x)), total.heads || begins[i]};
      any = true;
    });
    unsigned const have = warp_scan_some(total, Whole ? ~0u : __ballot_sync(~0u, any), op);
    T const before = warp_shfl_up(total, 1);
    if (lane_ == 31) {
      put_bytes(at.totals[chunk], total);
      at.any[chunk] = have != 0;
      at.carried[chunk] = -1;
    }
    begins.keep_packed();
    int const ends = begins.ends();
    V sum = before.value;
    bool has = lane_ > 0 && (have >> (lane_ - 1) & 1u) != 0;
    // f(i, fold) for the lane's items that end a segment, in order.
    auto const for_each_end = [&](auto f) {
      if (ends == 0) return;
      for_each_item([&](int i, V const& x) {
        sum = begins[i] || (Whole ? i == 0 && lane_ == 0 : !has) ? x : static_cast<V>(op.op(sum, x));
        has = true;
        if (begins[i + 1]) f(i, sum);
      });
    };
    if constexpr (Whole) {
      int ends_before = ends;
      detail::plus add;
      ends_before = warp_scan(ends_before, add) - ends;
      auto const first = at.first[chunk];
      int const count = __shfl_sync(~0u, ends_before + ends, 31);
      if (count == at.first[chunk + 1] - first) {  // none of them is empty
        auto* const folds = reinterpret_cast<V*>(items);
        __syncwarp();  // all items are in registers
        for_each_end([&](int, V const& fold) { put_bytes(folds[ends_before++], fold); });
        __syncwarp();
        bool const first_is_cut = heads[0] == 0;
        for (int r = lane_; r < count; r += 32) {
          if (r > 0 || !first_is_cut) {
            problem_.put(first + r, folds[r]);
          } else {
            put_bytes(at.carries[chunk], folds[0]);
            at.carried[chunk] = first;
          }
        }
        return true;
      }
    }
    for_each_end([&](int i, V const& fold) {
      put_bytes(*reinterpret_cast<V*>(mine + i * static_cast<int>(sizeof(Raw))), fold);
    });
    return false;
  }

  /// The offsets of some rows of 32 segments, and of the segment behind them.
  static constexpr int offset_rows = sizeof(offset) <= 4 ? 4 : 2;
  using some_offsets = offset[offset_rows + 1];
  __device__ void load_offsets(some_offsets& rows, std::int64_t first, std::int64_t last) const {
    auto const from = problem_.offsets + first;
    auto const left = last - first;
#pragma unroll
    for (int r = 0; r < offset_rows; ++r)
      if (r * 32 + lane_ <= left) rows[r] = from[r * 32 + lane_];
    if (offset_rows * 32 <= left) rows[offset_rows] = from[offset_rows * 32];
  }

  __device__ void write_results(stage& at, unsigned char const* items, int chunk, std::int64_t begin,
                                std::int64_t first, std::int64_t last) const {
    for (; first < last; first += offset_rows * 32) {
      some_offsets rows;
      load_offsets(rows, first, last);
#pragma unroll
      for (int r = 0; r < offset_rows; ++r) {
        offset const next_row = __shfl_sync(~0u, rows[r + 1], 0), right = __shfl_down_sync(~0u, rows[r], 1);
        if (auto const s = first + r * 32 + lane_; s < last)
          write_result(at, items, chunk, begin, s, rows[r], lane_ == 31 ? next_row : right);
      }
    }
  }
  __device__ void write_result(stage& at, unsigned char const* items, int chunk, std::int64_t begin,
                               std::int64_t s, offset from, offset to) const {
    if (from >= to) return problem_.put_empty(s);
    auto const p = place_of(to, begin) - 1;
    if (p >= chunk_items) return;  // offsets that do not fit the items
    V const fold = *reinterpret_cast<V const*>(items + p * static_cast<int>(sizeof(Raw)));
    if (static_cast<std::int64_t>(from) >= begin) {
      problem_.put(s, fold);
    } else {
      put_bytes(at.carries[chunk], fold);
      at.carried[chunk] = s;
    }
  }

  Problem const& problem_;
  shared& smem_;
  Op& op_;
  Claim claim_;
  Publish publish_;
  int lane_;
#endif
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

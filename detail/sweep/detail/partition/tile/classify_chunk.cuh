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
                                          : items_at_once(sizeof(typename Problem::tested_beneath::value));

/// Whether scanning warps bring items to their places by way of shared memory, so that writes are wide: where
/// narrow items decide for themselves. Other items go straight from registers or, where a stencil decides,
/// from global memory.
template <class Problem>
inline constexpr bool orders_in_shared_memory =
    Problem::tests_items&& items_at_once(sizeof(typename Problem::raw)) > 1 &&
    sizeof(typename Problem::raw) == sizeof(typename Problem::in_beneath::value);

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

/// What bulk loads bring before the items of a tile: whole 16 bytes with the item to their left.
template <class Problem>
SWEEP_HD constexpr int lead_bytes() {
  return Problem::looks_left
             ? (static_cast<int>(sizeof(typename Problem::tested_beneath::value)) + 15) / 16 * 16
             : 0;
}

/// Shape of a tile of a compaction's pipeline, in order: (C chunks, R rows, 32 items), and what is known of
/// it. What decides lies in a buffer, as it lies in memory: the items themselves, or a stencil.
template <class Problem, partition_plan P>
struct partition_stage {
  using loaded_value = typename Problem::tested_beneath::value;
  using counts = typename Problem::counts;
  static constexpr bool tests_bits = std::is_same_v<typename Problem::tested_iterator, bits>;
  static constexpr int C = chunks_of(P), R = P.rows, chunk_items = 32 * R, tile_items = C * chunk_items,
                       counted = Problem::parts - 1;

  /// Bytes before a tile's own, where the item to its left lies.
  static constexpr int lead = lead_bytes<Problem>();

  struct buffer {
    alignas(128) unsigned char with_lead[tests_bits ? 16 : lead + tile_items * sizeof(loaded_value)];
    SWEEP_HD unsigned char* tested() { return with_lead + lead; }
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

/// Places of a tile that a bulk load brings: those that exist, between 16-byte boundaries, where that of the
/// tile's lowest item is one.
struct place_range {
  int begin, end;
};
__device__ inline place_range bulk_places(tile_window const& window, int unit) {
  return {(window.valid_begin + unit - 1) / unit * unit, window.valid_end / unit * unit};
}

/// Which of the 32 items from this place on exist.
__device__ inline unsigned existing_items(tile_window const& window, int place) {
  int const from = min(max(window.valid_begin - place, 0), 32),
            to = min(max(window.valid_end - place, 0), 32);
  return to > from ? (to < 32 ? (1u << to) - 1 : ~0u) & ~0u << from : 0u;
}

/// What is tested at a place of a tile whose buffer has been filled.
template <class Problem, class Buffer>
__device__ typename Problem::tested_value tested_at(Problem const& problem, Buffer& in,
                                                    tile_window const& window, int place) {
  using tested = typename Problem::tested_beneath;
  item_vector<typename tested::value, 1> word;
  typename tested::value x[1];
  load_shared(in.tested() + place * static_cast<int>(sizeof(typename tested::value)), word);
  word.unpack(x);
  return tested::item(problem.tested(), window.base + place, x[0]);
}

/// The wanted items of a chunk where they are few: each lane has R neighbouring items, and finds those of
/// them by their bits, so that the rest costs nothing.
template <class Problem, partition_plan P>
class few_items {
  using stage = partition_stage<Problem, P>;
  static constexpr int R = stage::R, written = Problem::written;

 public:
  /// Where all parts are written, all items are wanted.
  static constexpr bool possible =
      written < Problem::parts && stage::marked == 32 && (R == 64 || (R <= 32 && 32 % R == 0));
  /// Of a lane. Beyond that whole rows cost less: those of global memory come coalesced.
  static constexpr int most_kept = std::max(1, R / (Problem::tests_items ? 4 : 8));
  using bits_type = std::conditional_t<R == 64, unsigned long long, unsigned>;

  __device__ few_items(stage const& at, int chunk, int lane) {
    int const row = lane * R / 32, shift = lane * R % 32;
#pragma unroll
    for (int k = 0; k < written; ++k) {
      unsigned const mask = at.masks[k][chunk][row];
      before_[k] = at.before[k][chunk][row] + __popc(mask & ((1u << shift) - 1));
      if constexpr (R == 64) masks_[k] = mask | bits_type{at.masks[k][chunk][row + 1]} << 32;
      else if constexpr (R == 32) masks_[k] = mask;
      else masks_[k] = mask >> shift & ((1u << R) - 1);
    }
  }
  __device__ bits_type wanted() const {
    bits_type all = 0;
#pragma unroll
    for (int k = 0; k < written; ++k) all |= masks_[k];
    return all;
  }
  /// The most that any lane has.
  __device__ int most() const {
    return static_cast<int>(__reduce_max_sync(~0u, static_cast<unsigned>(__popcll(wanted()))));
  }
  /// The number of the lowest bit.
  static __device__ int lowest(bits_type bits) {
    if constexpr (R == 64) return __ffsll(static_cast<long long>(bits)) - 1;
    else return __ffs(static_cast<int>(bits)) - 1;
  }
  /// Of those of part k: which they are, and how many come before them in the chunk.
  __device__ bits_type mask(int k) const { return masks_[k]; }
  __device__ int before(int k) const { return before_[k]; }

 private:
  bits_type masks_[written];
  int before_[written];
};

template <class It>
__device__ void prefetch_item(It const& from, std::int64_t index) {
  if constexpr (beneath<It>::contiguous)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(beneath<It>::pointer(from) + index));
  else if constexpr (is_keyed_input<It>) prefetch_item(from.second(), index);
  else if constexpr (requires { from.for_each_range([](auto const&) {}); })
    from.for_each_range([&](auto const& part) { prefetch_item(part, index); });
}

/// What a reducing warp does with its chunk: calls the selector for each item, and counts each part.
template <class Problem, partition_plan P>
class classify_chunk {
  using stage = partition_stage<Problem, P>;
  using buffer = typename stage::buffer;
  using tested_value = typename Problem::tested_value;
  using tested = typename Problem::tested_beneath;
  using loaded_value = typename tested::value;
  static constexpr int R = stage::R, counted = stage::counted, chunk_items = stage::chunk_items;
  static constexpr int V = tested_at_once<Problem>;
  static_assert(R % V == 0, "sweep: rows of narrow items come in words of 16 bytes");

 public:
  __device__ explicit classify_chunk(Problem const& problem)
      : problem_{problem}, lane_{static_cast<int>(threadIdx.x % 32)} {}

  __device__ void run(stage& at, buffer& in, int chunk) const {
    auto const window = problem_.grid.window(at.tile);
    if constexpr (stage::tests_bits) {
      classify_bits(at, window, chunk);
    } else {
      bool const whole = window.whole(stage::tile_items);
      if (!at.loaded) fill(in, window, chunk);
      else if (!whole) fill_edges(in, window, chunk);
      if (whole) classify<true>(at, in, window, chunk);
      else classify<false>(at, in, window, chunk);
    }
    __syncwarp();
    count(at, chunk);
    if constexpr (!Problem::tests_items) prefetch_few(at, window, chunk);
  }

 private:
  static constexpr int size = static_cast<int>(sizeof(loaded_value));
  /// Rows that a lane has in registers at once.
  static constexpr int together = [] {
    int rows = 8;
    while (rows > 1 && (R % rows != 0 || rows * size * (Problem::looks_left ? 2 : 1) > 32)) rows /= 2;
    return rows;
  }();

  __device__ tested_value tested_item(buffer& in, tile_window const& window, int place) const {
    return tested_at(problem_, in, window, place);
  }

  // What a bulk load cannot bring is put into the buffer by hand; scanners find it there all the same.

  /// The items of the chunk.
  __device__ void fill(buffer& in, tile_window const& window, int chunk) const {
    auto const* const from = tested::pointer(problem_.tested()) + window.base;
    auto* const to = reinterpret_cast<loaded_value*>(in.tested());
    int const start = chunk * chunk_items;
#pragma unroll 1
    for (int row = 0; row < R; row += together) {
      loaded_value xs[together];
#pragma unroll
      for (int r = 0; r < together; ++r)
        if (int const place = start + (row + r) * 32 + lane_; window.contains(place))
          put_bytes(xs[r], from[place]);
#pragma unroll
      for (int r = 0; r < together; ++r)
        if (int const place = start + (row + r) * 32 + lane_; window.contains(place))
          put_bytes(to[place], xs[r]);
    }
    __syncwarp();
    fence_before_bulk();  // what was put here by hand comes before what the next load brings
  }
  /// The items before the first 16-byte boundary, and behind the last.
  __device__ void fill_edges(buffer& in, tile_window const& window, int chunk) const {
    constexpr int unit = items_per_16_bytes(sizeof(loaded_value));
    auto const bulk = bulk_places(window, unit);
    auto* const to = reinterpret_cast<loaded_value*>(in.tested());
    int const place = lane_ < unit ? bulk.begin - unit + lane_ : bulk.end + lane_ - unit;
    if (lane_ < 2 * unit && window.contains(place) && place / chunk_items == chunk)
      put_bytes(to[place], tested::pointer(problem_.tested())[window.base + place]);
    __syncwarp();
    fence_before_bulk();
  }

  template <bool Whole>
  __device__ void classify(stage& at, buffer& in, tile_window const& window, int chunk) const {
    if constexpr (V > 1) classify_vectors<Whole>(at, in, window, chunk);
    else classify_rows<Whole>(at, in, window, chunk);
  }

  /// The item to the left of a chunk's first, in lane 0, which alone asks for it.
  __device__ tested_value left_of_chunk(stage const& at, buffer& in, tile_window const& window,
                                        int chunk) const {
    tested_value left{};
    int const start = chunk * chunk_items;
    if (lane_ == 0 && window.contains(start) && window.base + start > 0) {
      if (at.loaded) left = tested_item(in, window, start - 1);
      else left = problem_.tested()[window.base + start - 1];
    }
    return left;
  }
  /// Whether an item is the range's first, which has no left.
  static __device__ bool is_first(tile_window const& window, int place) { return window.base + place == 0; }

  /// Each row in one step, an item a lane.
  template <bool Whole>
  __device__ void classify_rows(stage& at, buffer& in, tile_window const& window, int chunk) const {
    static_assert(stage::marked == 32);
    tested_value left_of_first{};
    if constexpr (Problem::looks_left) left_of_first = left_of_chunk(at, in, window, chunk);
    int const start = chunk * chunk_items;
#pragma unroll 1
    for (int row = 0; row < R; row += together) {
      tested_value xs[together], lefts[together];
#pragma unroll
      for (int r = 0; r < together; ++r) {
        int const place = start + (row + r) * 32 + lane_;
        xs[r] = tested_item(in, window, place);
        if constexpr (Problem::looks_left) lefts[r] = tested_item(in, window, place - 1);
      }
#pragma unroll
      for (int r = 0; r < together; ++r) {
        int const place = start + (row + r) * 32 + lane_;
        int part = counted;
        if (Whole || window.contains(place)) {
          if constexpr (Problem::looks_left) {
            if (r == 0 && row == 0 && lane_ == 0) lefts[r] = left_of_first;
            // Where all exist, the first of all is a tile's first.
            if ((Whole && r > 0) || !is_first(window, place)) part = problem_.select(lefts[r], xs[r]);
            else part = 0;
          } else {
            part = problem_.select(xs[r]);
          }
        }
#pragma unroll
        for (int k = 0; k < counted; ++k) {
          unsigned const mask = __ballot_sync(~0u, part == k);
          if (lane_ == 0) at.masks[k][chunk][row + r] = mask;
        }
      }
    }
  }

  /// V rows in one step, V neighbouring items a lane.
  template <bool Whole>
  __device__ void classify_vectors(stage& at, buffer& in, tile_window const& window, int chunk) const {
    tested_value left_of_first{};
    if constexpr (Problem::looks_left) left_of_first = left_of_chunk(at, in, window, chunk);
    constexpr int J = R / V, together = J % 2 == 0 ? 2 : 1;
#pragma unroll 1
    for (int j = 0; j < J; j += together) {
      item_vector<loaded_value, V> words[together];
#pragma unroll
      for (int i = 0; i < together; ++i)
        load_shared(in.tested() + vector_place(chunk, j + i) * size, words[i]);
#pragma unroll
      for (int i = 0; i < together; ++i)
        classify_vector<Whole>(at, in, window, chunk, j + i, words[i], left_of_first);
    }
  }
  __device__ int vector_place(int chunk, int j) const { return chunk * chunk_items + (j * 32 + lane_) * V; }
  template <bool Whole>
  __device__ void classify_vector(stage& at, buffer& in, tile_window const& window, int chunk, int j,
                                  item_vector<loaded_value, V> const& word,
                                  tested_value const& left_of_first) const {
    if constexpr (are_flags) return classify_flags<Whole>(at, window, chunk, j, word);
    int const place = vector_place(chunk, j);
    tested_value xs[V];
    if constexpr (tested::is_items) {
      word.unpack_each(xs);
    } else {
      loaded_value loaded[V];
      word.unpack_each(loaded);
#pragma unroll
      for (int v = 0; v < V; ++v) xs[v] = tested::item(problem_.tested(), window.base + place + v, loaded[v]);
    }
    unsigned masks[counted]{};
    tested_value left{};
    if constexpr (Problem::looks_left) {
      left = warp_shfl_up(xs[V - 1], 1);
      if (lane_ == 0) left = j == 0 ? left_of_first : tested_item(in, window, place - 1);
    }
#pragma unroll
    for (int v = 0; v < V; ++v) {
      int part = counted;
      if (Whole || window.contains(place + v)) {
        if constexpr (Problem::looks_left) {
          // Where all exist, the first of all is a vector's first.
          if ((Whole && v > 0) || !is_first(window, place + v))
            part = problem_.select(v > 0 ? xs[v - 1] : left, xs[v]);
          else part = 0;
        } else {
          part = problem_.select(xs[v]);
        }
      }
#pragma unroll
      for (int k = 0; k < counted; ++k) masks[k] |= static_cast<unsigned>(part == k) << v;
    }
    write_vector_masks(at, chunk, j, masks);
  }

  /// Bytes that are flags already.
  static constexpr bool are_flags = std::is_same_v<decltype(Problem::select), where<true, is_set>> &&
                                    tested::is_items && std::is_integral_v<loaded_value> &&
                                    sizeof(loaded_value) == 1;
  template <bool Whole>
  __device__ void classify_flags(stage& at, tile_window const& window, int chunk, int j,
                                 item_vector<loaded_value, V> const& word) const {
    unsigned masks[1]{};
#pragma unroll
    for (int w = 0; w < V / 4; ++w) {
      unsigned const bytes = word.word[w], high = ((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bytes;
      masks[0] |= bits_of_four(high >> 7 & 0x01010101u) << 4 * w;
    }
    if constexpr (!Whole) masks[0] &= existing_items(window, vector_place(chunk, j));
    write_vector_masks(at, chunk, j, masks);
  }

  __device__ void write_vector_masks(stage& at, int chunk, int j, unsigned (&masks)[counted]) const {
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

  /// Few items that are wanted, of those that a stencil decides for, start on their way to the L2 cache.
  __device__ void prefetch_few(stage const& at, tile_window const& window, int chunk) const {
    if constexpr (few_items<Problem, P>::possible) {
      few_items<Problem, P> const few(at, chunk, lane_);
      if (few.most() > few.most_kept) return;
      int const place = chunk * chunk_items + lane_ * R;
      for (auto left = few.wanted(); left != 0; left &= left - 1)
        prefetch_item(problem_.in, window.base + place + few.lowest(left));
    }
  }

  Problem const& problem_;
  int lane_;
};

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

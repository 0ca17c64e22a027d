// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TILE_CLASSIFY_CHUNK_CUH
#define SWEEP_DETAIL_PARTITION_TILE_CLASSIFY_CHUNK_CUH

#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/partition/problem.hpp>
#include <sweep/detail/partition/tile/stage.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>
#include <sweep/plan.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

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
    if constexpr (loads_items<Problem>)
      if (at.items_loaded)
        items_beside<Problem>(problem_, in, window).load_ends(chunk * chunk_items, chunk_items, lane_);
    __syncwarp();
    count(at, chunk);
    if constexpr (!Problem::tests_items)
      if (!at.items_loaded) prefetch_few(at, window, chunk);
  }

 private:
  /// Rows that a lane has in registers at once.
  static constexpr int together = [] {
    int rows = 8;
    while (rows > 1 && (R % rows != 0 || rows * stage::size * (Problem::looks_left ? 2 : 1) > 32)) rows /= 2;
    return rows;
  }();

  __device__ tested_value tested_item(buffer& in, tile_window const& window, int place) const {
    return tested_at(problem_, in, window, place);
  }

  // What a bulk load cannot bring is put into the buffer by hand; scanners find it there all the same.

  /// The items of the chunk.
  __device__ void fill(buffer& in, tile_window const& window, int chunk) const {
    auto const from = tested::from(problem_.tested(), window.base);
    int const start = chunk * chunk_items;
#pragma unroll 1
    for (int row = 0; row < R; row += together) {
      loaded_value xs[together];
#pragma unroll
      for (int r = 0; r < together; ++r)
        if (int const place = start + (row + r) * 32 + lane_; window.contains(place))
          put_bytes(xs[r], *from.lowest(place, 1));
#pragma unroll
      for (int r = 0; r < together; ++r)
        if (int const place = start + (row + r) * 32 + lane_; window.contains(place))
          put_bytes(*reinterpret_cast<loaded_value*>(in.tested(place)), xs[r]);
    }
    __syncwarp();
    fence_before_bulk();  // what was put here by hand comes before what the next load brings
  }
  /// Those before the first 16-byte boundary, and behind the last.
  __device__ void fill_edges(buffer& in, tile_window const& window, int chunk) const {
    constexpr int unit = items_per_16_bytes(sizeof(loaded_value));
    auto const bulk = bulk_places(window, unit);
    int const place = lane_ < unit ? bulk.begin - unit + lane_ : bulk.end + lane_ - unit;
    if (lane_ < 2 * unit && window.contains(place) && place / chunk_items == chunk)
      put_bytes(*reinterpret_cast<loaded_value*>(in.tested(place)),
                *tested::pointer(problem_.tested(), window.base + place));
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
      for (int i = 0; i < together; ++i) load_shared(in.tested(vector_place(chunk, j + i), V), words[i]);
      if constexpr (tested::reversed) {
#pragma unroll
        for (int i = 0; i < together; ++i) words[i].turn();
      }
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

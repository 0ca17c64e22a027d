// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_STAGED_LINES_CUH
#define SWEEP_DETAIL_AXES_TILE_STAGED_LINES_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/pipeline.cuh>
#include <sweep/detail/block/staged_row.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/window.cuh>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/zip.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/lookback/warp_lanes.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

template <class Item>
inline constexpr bool moves_in_bulk = relocatable<Item> && alignof(Item) >= 4 && sizeof(Item) % 4 == 0;
/// Whether bulk copies can bring a problem's items, and results fit the places of their last halves. What a
/// value ignores is in the brackets of a look-back, but not of this one.
template <class Problem>
inline constexpr bool fits_stages = [] {
  if constexpr (is_zip_of_pointers<std::remove_const_t<decltype(Problem::in)>> &&
                std::is_pointer_v<decltype(Problem::out)> && Problem::what != line_result::total) {
    using first = std::remove_cvref_t<decltype(*std::declval<Problem const&>().in.first())>;
    using last = std::remove_cvref_t<decltype(*std::declval<Problem const&>().in.second())>;
    using U = typename Problem::out_value;
    return moves_in_bulk<first> && moves_in_bulk<last> && moves_in_bulk<U> &&
           relocatable<typename Problem::value> && !may_ignore_left<typename Problem::value> &&
           sizeof(U) == sizeof(last);
  } else {
    return false;
  }
}();

/// What stands in shared memory for a group of 32 chunks of a line: a window of each stream of the items
/// (core/item_source.hpp), of which the last takes the results.
template <class Problem>
struct lines_in_stages {
  using T = typename Problem::value;
  using U = typename Problem::out_value;
  using source = decltype(source_of(std::declval<std::remove_const_t<decltype(Problem::in)> const&>()));
  static constexpr int strip = strip_items<T, Problem::what>, of_chunk = chunk_items<T, Problem::what>,
                       most_chunks = 32, tile_items = most_chunks * of_chunk;
  /// Chunks of a tile, as a pipeline has them: each of some neighbouring chunks of the line.
  static constexpr int warps = 8, turns = most_chunks / warps;

  template <int K>
  using item = stream_value<source, K>;
  template <int K>
  static SWEEP_HD constexpr int offset() {
    if constexpr (K == 0) return 0;
    else return offset<K - 1>() + window_pitch(tile_items * static_cast<int>(sizeof(item<K - 1>)));
  }
  struct stage {
    alignas(128) unsigned char items[offset<source::streams>()];
    uninitialized<T, most_chunks> chunks;  ///< totals, then what comes before each
    std::int64_t tile;
    bool has_before;  ///< whether anything comes before chunk 0
  };
  static constexpr int stages = [] {
    for (int s = 4; s > 2; --s)
      if (pipeline_bytes(s, sizeof(stage)) <= std::size_t{227} * 1024) return s;
    return 2;
  }();
  static constexpr int threads = 32 * (1 + stages + 2 * warps);
  static constexpr std::size_t shared_bytes = pipeline_bytes(stages, sizeof(stage));
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// The roles of a thread block that scans long lines in the stages of a pipeline (block/pipeline.cuh). A tile
/// is a group of chunks of a line, cut and folded as in chunks_of_lines: the same bits.
template <class Problem>
class staged_lines {
  using layout = lines_in_stages<Problem>;
  using T = typename Problem::value;
  using U = typename Problem::out_value;
  using source = typename layout::source;
  using stage = typename layout::stage;
  using line_place = typename std::remove_cvref_t<decltype(Problem::grid)>::place_type;
  static constexpr int strip = layout::strip, of_chunk = layout::of_chunk, turns = layout::turns,
                       streams = source::streams;

 public:
  using block = pipeline<stage, no_buffer, layout::stages, layout::stages, layout::warps, 1>;
  static_assert(sizeof(typename block::shared) <= layout::shared_bytes);
  static constexpr bool has_scanners = true, has_marker = false;

  __device__ staged_lines(Problem const& problem, chunk_order const& order)
      : problem_{problem},
        order_{order},
        source_{source_of(problem.in)},
        lane_{static_cast<int>(threadIdx.x % 32)},
        backward_{problem.grid.in < 0} {}

  __device__ std::int64_t claim() const { return order_.tickets.draw(); }

  __device__ void fetch(std::int64_t tile) const {
    auto const here = place(tile);
    for_each_stream([&](auto k) {
      auto const words = items_of<decltype(k)::value>(here, 0, here.count).words_inside();
      if (!words.empty()) bulk_prefetch(reinterpret_cast<void const*>(words.from), words.bytes());
    });
  }

  __device__ void load(stage& at, no_buffer&, stage_barrier& landed) const {
    auto const here = place(at.tile);
    unsigned bytes = 0;
    for_each_stream([&](auto k) {
      constexpr int K = decltype(k)::value;
      auto const items = items_of<K>(here, 0, here.count);
      bytes += window<K>(at, items.from).load(items, line_of<K>(here), landed);
    });
    landed.arrive_expecting(bytes);
  }

  /// Totals of chunks, without what stands before the line.
  __device__ void reduce(stage& at, no_buffer&, int nth) const {
    auto const here = place(at.tile);
    auto op = problem_.op;
    complete(at, here, nth);
    if (int const first = nth * turns; (first + turns) * of_chunk <= here.count) {
      T sum[turns];
#pragma unroll
      for (int turn = 0; turn < turns; ++turn) {
        T x[strip];
        get_strip(at, here, (first + turn) * of_chunk + lane_ * strip, x);
        sum[turn] = x[0];
#pragma unroll
        for (int k = 1; k < strip; ++k) sum[turn] = op(sum[turn], x[k]);
      }
#pragma unroll
      for (int by = 1; by < 32; by *= 2)
#pragma unroll
        for (int turn = 0; turn < turns; ++turn) {
          T const left = warp_shfl_up(sum[turn], by);
          if (lane_ >= by) sum[turn] = op(left, sum[turn]);
        }
      if (lane_ == 31)
#pragma unroll
        for (int turn = 0; turn < turns; ++turn) put_bytes(at.chunks[first + turn], sum[turn]);
    } else {
#pragma unroll 1
      for (int turn = 0; turn < turns; ++turn) {
        int const from = (first + turn) * of_chunk, count = min(here.count - from, of_chunk);
        if (count <= 0) break;
        T const sum = scan_strips(at, here, from, count, op);
        if (lane_ == strips_of(count) - 1) put_bytes(at.chunks[first + turn], sum);
      }
    }
  }

  __device__ void look_back(stage& at) const {
    auto const here = place(at.tile);
    auto op = problem_.op;
    int const chunks = (here.count + of_chunk - 1) / of_chunk;
    auto const before_line = here.first == 0 ? problem_.before_line(here.at) : optional<T>{};
    T sum = at.chunks[min(lane_, chunks - 1)];
    if (lane_ == 0) sum = combine(before_line, sum, op);
      // The folds up to each chunk, in the brackets of warp_reduce_right.
#pragma unroll
    for (int by = 1; by < layout::most_chunks; by *= 2) {
      T const left = warp_shfl(sum, (lane_ & ~(by - 1)) - 1);
      if ((lane_ & by) != 0 && lane_ < chunks) sum = op(left, sum);
    }
    T const total = warp_shfl(sum, chunks - 1), in_group = warp_shfl_up(sum, 1);
    optional<T> above{};
    if (order_.chunks > layout::most_chunks)
      above = order_.template state_of<T>(here.line).template publish_group_and_ask_at_once<near_supers>(
          warp_lanes{}, here.group, total, op);
    above = {warp_shfl(above.value, 0), __shfl_sync(~0u, above.present, 0) != 0};
    auto before = combine(above, optional<T>{in_group, lane_ > 0}, op);
    if (here.first == 0 && lane_ == 0) before = before_line;
    if (lane_ < chunks) put_bytes(at.chunks[lane_], before.value);
    if (lane_ == 0) at.has_before = before.present;
  }

  template <class Drained>
  __device__ void scan(stage& at, no_buffer&, int nth, Drained const&) const {
    auto const here = place(at.tile);
    auto op = problem_.op;
    int const first = nth * turns;
    if (first * of_chunk >= here.count) return;
    if ((first + turns) * of_chunk <= here.count) {
#pragma unroll 1
      for (int turn = 0; turn < turns; turn += at_once) {
        T x[at_once][strip], sum[at_once];
#pragma unroll
        for (int t = 0; t < at_once; ++t) {
          get_strip(at, here, (first + turn + t) * of_chunk + lane_ * strip, x[t]);
          sum[t] = x[t][0];
#pragma unroll
          for (int k = 1; k < strip; ++k) sum[t] = op(sum[t], x[t][k]);
        }
#pragma unroll
        for (int by = 1; by < 32; by *= 2)
#pragma unroll
          for (int t = 0; t < at_once; ++t) {
            T const left = warp_shfl_up(sum[t], by);
            if (lane_ >= by) sum[t] = op(left, sum[t]);
          }
#pragma unroll
        for (int t = 0; t < at_once; ++t) {
          auto before = before_lane(at, first + turn + t, sum[t], op);
#pragma unroll
          for (int k = 0; k < strip; ++k) x[t][k] = next_of_line<Problem::what>(before, x[t][k], op);
          put_strip(at, here, (first + turn + t) * of_chunk + lane_ * strip, x[t]);
        }
      }
    } else {
#pragma unroll 1
      for (int turn = 0; turn < turns; ++turn) {
        int const from = (first + turn) * of_chunk, count = min(here.count - from, of_chunk);
        if (count <= 0) break;
        T const sum = scan_strips(at, here, from, count, op);
        auto before = before_lane(at, first + turn, sum, op);
#pragma unroll 1
        for (int p = lane_ * strip; p < min((lane_ + 1) * strip, count); ++p) {
          T const result = next_of_line<Problem::what>(before, item_at(at, here, from + p), op);
          write_item(result_at(at, here, from + p, 1), static_cast<U>(result));
        }
      }
    }
    store(at, here, nth);
  }

 private:
  static constexpr int at_once = sizeof(T) * strip <= 64 ? 2 : 1;
  /// Supergroups before its own whose prefixes a tile does not wait for.
  static constexpr int near_supers = sizeof(T) <= 16 ? 2 : 0;

  struct tile_place {
    std::int64_t line, group, first;  ///< item of the line
    line_place at;                    ///< of the line
    int count;
  };
  __device__ tile_place place(std::int64_t tile) const {
    auto const& grid = problem_.grid;
    auto const group = grid.lines == 1 ? tile : quotient(tile, grid.lines);
    auto const line = tile - group * grid.lines, first = group * layout::tile_items;
    return {line, group, first, grid.place(line),
            static_cast<int>(min(grid.length - first, std::int64_t{layout::tile_items}))};
  }

  template <class Work>
  static __device__ void for_each_stream(Work work) {
    [&]<int... K>(std::integer_sequence<int, K...>) { (work(stream_number<K>{}), ...); }
    (std::make_integer_sequence<int, streams>{});
  }

  /// Where `count` neighbours of a line lie, of which `from` is the first in scan order.
  template <class Item>
  __device__ byte_range range_of(Item const* memory, std::int64_t line, std::int64_t from,
                                 int64_t count) const {
    return byte_range::of(memory + (backward_ ? line - (from + count - 1) : line + from), count);
  }
  template <int K>
  __device__ byte_range items_of(tile_place const& here, int from, int count) const {
    return range_of(source_.template stream<K>().first, here.at.in, here.first + from, count);
  }
  template <int K>
  __device__ byte_range line_of(tile_place const& here) const {
    return range_of(source_.template stream<K>().first, here.at.in, 0, problem_.grid.length);
  }
  template <int K>
  static __device__ staged_window window(stage& at, std::uintptr_t lowest) {
    return {at.items + layout::template offset<K>(), lowest};
  }
  /// Where `count` neighbours of a tile stand in shared memory.
  template <int K>
  __device__ unsigned char* staged(stage& at, tile_place const& here, int from, int count) const {
    auto const lowest = items_of<K>(here, 0, here.count).from;
    int const m = backward_ ? here.count - from - count : from;
    return window<K>(at, lowest).at(lowest) + m * static_cast<int>(sizeof(typename layout::template item<K>));
  }
  __device__ unsigned char* result_at(stage& at, tile_place const& here, int from, int count) const {
    return staged<streams - 1>(at, here, from, count);
  }

  /// What bulk loads cannot bring of a warp's chunks: ends of the line.
  __device__ void complete(stage& at, tile_place const& here, int nth) const {
    if (here.first > 0 && here.first + here.count + 16 <= problem_.grid.length) return;
    int const from = nth * turns * of_chunk, count = min(here.count - from, turns * of_chunk);
    if (count <= 0) return;
    for_each_stream([&](auto k) {
      constexpr int K = decltype(k)::value;
      auto const items = items_of<K>(here, 0, here.count);
      window<K>(at, items.from)
          .template load_ends<typename layout::template item<K>>(items, line_of<K>(here),
                                                                 items_of<K>(here, from, count), lane_);
    });
    __syncwarp();
  }

  __device__ T item_at(stage& at, tile_place const& here, int p) const {
    return problem_.of(source_.item(0, [&](auto k) {
      constexpr int K = decltype(k)::value;
      return read_item<typename layout::template item<K>>(staged<K>(at, here, p, 1));
    }));
  }
  __device__ void get_strip(stage& at, tile_place const& here, int p, T (&x)[strip]) const {
    stream_rows<source, strip> rows;
    for_each_stream([&](auto k) {
      constexpr int K = decltype(k)::value;
      using item = typename layout::template item<K>;
      auto const* const from = staged<K>(at, here, p, strip);
      int const shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % 16);
      if constexpr (strip * sizeof(item) % 16 == 0) load_shifted(from - shift, shift, rows.template of<K>());
      else read_window(from, rows.template of<K>());
    });
#pragma unroll
    for (int v = 0; v < strip; ++v)
      x[v] = problem_.of(
          source_.item(0, [&](auto k) { return rows.template of<decltype(k)::value>().item(v); }));
    if (backward_) turn_round(x);
  }
  __device__ void put_strip(stage& at, tile_place const& here, int p, T const (&x)[strip]) const {
    U results[strip];
#pragma unroll
    for (int v = 0; v < strip; ++v) results[v] = static_cast<U>(x[v]);
    if (backward_) turn_round(results);
    item_vector<U, strip> row;
    row.pack(results);
    constexpr int words = item_vector<U, strip>::words;
    auto* const to = reinterpret_cast<unsigned*>(result_at(at, here, p, strip));
    if constexpr (words % 4 == 0)
      if (reinterpret_cast<std::uintptr_t>(to) % 16 == 0) {
#pragma unroll
        for (int w = 0; w < words; w += 4)
          reinterpret_cast<uint4*>(to)[w / 4] =
              uint4{row.word[w], row.word[w + 1], row.word[w + 2], row.word[w + 3]};
        return;
      }
    // Word by word, and so that lanes whose strips lie a multiple of 128 bytes apart write others at a time.
    int by = 0;
    if constexpr (words <= 32 && (words & (words - 1)) == 0) {
      by = lane_ * words / 32;
#pragma unroll
      for (int bit = 1; bit < words; bit *= 2) {
        unsigned turned[words];
#pragma unroll
        for (int w = 0; w < words; ++w) turned[w] = row.word[(w + bit) % words];
#pragma unroll
        for (int w = 0; w < words; ++w) row.word[w] = (by & bit) != 0 ? turned[w] : row.word[w];
      }
    }
#pragma unroll
    for (int w = 0; w < words; ++w) to[(w + by) % words] = row.word[w];
  }

  static __device__ int strips_of(int count) { return (count + strip - 1) / strip; }
  /// The fold of all strips up to a lane's, of a chunk of so many items: in little code.
  template <class Op>
  __device__ T scan_strips(stage& at, tile_place const& here, int from, int count, Op& op) const {
    int const mine = min(strip, count - strip * lane_);  // may be negative
    T sum{};
#pragma unroll 1
    for (int k = 0; k < mine; ++k) {
      T const x = item_at(at, here, from + lane_ * strip + k);
      sum = k > 0 ? static_cast<T>(op(sum, x)) : x;
    }
    return warp_scan_first(sum, strips_of(count), op);
  }
  /// What comes before a lane's strip, of a chunk whose strips were scanned.
  template <class Op>
  __device__ optional<T> before_lane(stage& at, int chunk, T const& sum, Op& op) const {
    T const left = warp_shfl_up(sum, 1);
    optional<T> before{at.chunks[chunk], chunk > 0 || at.has_before};
    return lane_ > 0 ? optional<T>{combine(before, left, op), true} : before;
  }

  /// Stores a warp's results, and waits until its place may be used again.
  __device__ void store(stage& at, tile_place const& here, int nth) const {
    fence_before_bulk();
    __syncwarp();
    int const from = nth * turns * of_chunk, count = min(here.count - from, turns * of_chunk);
    auto const results = range_of(problem_.out, here.at.out, here.first + from, count);
    auto* const staged_at = result_at(at, here, from, count);
    auto const by_hand = [&](byte_range part) {      // line by line of memory, several at a time
      constexpr int lines = sizeof(T) <= 8 ? 4 : 1;  // wider ones leave no registers
      for (auto a = part.from / 128 * 128 + static_cast<std::uintptr_t>(4 * lane_); a < part.to;
           a += 128 * lines) {
        unsigned words[lines];
#pragma unroll
        for (int l = 0; l < lines; ++l)
          if (auto const at = a + 128 * l; at >= part.from && at < part.to)
            words[l] = *reinterpret_cast<unsigned const*>(staged_at + (at - results.from));
#pragma unroll
        for (int l = 0; l < lines; ++l)
          if (auto const at = a + 128 * l; at >= part.from && at < part.to)
            *reinterpret_cast<unsigned*>(at) = words[l];
      }
    };
    // Results stand where their items did: bulk copies need them as far behind a boundary of 16 bytes as in
    // memory.
    auto const words = results.words_inside();
    if (words.empty() || (reinterpret_cast<std::uintptr_t>(staged_at) - results.from) % 16 != 0)
      return by_hand(results);
    if (lane_ == 0)
      bulk_store(reinterpret_cast<void*>(words.from), staged_at + (words.from - results.from), words.bytes());
    if (words.from > results.from || words.to < results.to) {
      by_hand({results.from, words.from});
      by_hand({words.to, results.to});
    }
    if (lane_ == 0) await_bulk_reads<0>();
  }

  Problem const& problem_;
  chunk_order const& order_;
  source source_;
  int lane_;
  bool backward_;
};

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

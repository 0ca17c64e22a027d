// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_CUH
#define SWEEP_DETAIL_AXES_TILE_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/lookback/tile_state.hpp>
#include <sweep/detail/lookback/warp_lanes.cuh>
#include <sweep/detail/runtime/launch_state.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// Items of V neighbouring lines, of which each is folded with its own.
template <class T, int V>
struct line_pack {
  T of[V];
};
template <class T, int V>
inline constexpr bool relocatable<line_pack<T, V>> = relocatable<T>;

template <class Op, int V>
struct each_of_pack {
  Op& op;
  template <class T>
  __device__ line_pack<T, V> operator()(line_pack<T, V> const& a, line_pack<T, V> const& b) const {
    line_pack<T, V> folded;
#pragma unroll
    for (int v = 0; v < V; ++v) folded.of[v] = op(a.of[v], b.of[v]);
    return folded;
  }
};

/// Inclusive scan in lane order of the first `count` lanes; nothing is asked of the others.
template <class T, class Op>
__device__ T warp_scan_first(T value, int count, Op& op) {
  int const lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    if (by >= count) break;
    T const left = warp_shfl_up(value, by);
    if (lane >= by && lane < count) value = op(left, value);
  }
  return value;
}

/// What comes before each strip of a chunk: lane l has strip l, and its total where l < strips. `before` is
/// what stands before the line. Where a line has several chunks they tell each other their totals.
template <class T, class Op>
__device__ optional<T> before_strip(T const& total, int strips, std::int64_t chunk, std::int64_t chunks,
                                    tile_state<T, across_tiles::ordered_lookback> const& tiles,
                                    optional<T> before, Op& op) {
  T const sum = warp_scan_first(total, strips, op);
  T const left = warp_shfl_up(sum, 1);
  if (chunks > 1) {
    T const all = warp_shfl(sum, strips - 1);
    auto const found =
        tiles.publish_and_look_back(warp_lanes{}, chunk, chunk == 0 ? combine(before, all, op) : all, op);
    if (chunk > 0) before = {warp_shfl(found.value, 0), true};
  }
  if (threadIdx.x % 32 == 0) return before;
  return {combine(before, left, op), true};
}

/// Stores V neighbours of any range, as a vector where they are one.
template <access How, int V, class Out, class Item>
__device__ void store_neighbours(Out const& to, std::int64_t index, Item const (&items)[V]) {
  if constexpr (std::is_pointer_v<Out> && relocatable<Item>)
    if (vector_aligned<V>(to, index)) {
      item_vector<Item, V> vector;
      vector.pack(items);
      return store_vectors<How>(to + index, vector);
    }
#pragma unroll
  for (int v = 0; v < V; ++v)
    if constexpr (std::is_pointer_v<Out> && relocatable<Item>) put_bytes(to[index + v], items[v]);
    else to[static_cast<typename std::iterator_traits<Out>::difference_type>(index + v)] = items[v];
}

/// Where item k of a run in shared memory stands: one place in so many is left out, so that lanes whose items
/// lie a power of two apart meet in few banks.
template <class T>
SWEEP_HD constexpr int skewed(int k) {
  return k + (k >> (sizeof(T) <= 4 ? 5 : sizeof(T) <= 8 ? 4 : 3));
}

/// How many results before \p first a boundary of 32 of them lies in memory; where results go `step` by step,
/// 1 or -1. Stores that keep to such boundaries write whole sectors. 0 where there are none.
template <class Out>
__device__ int places_before_boundary(Out const& out, std::int64_t first, std::int64_t step) {
  if constexpr (std::is_pointer_v<Out>) {
    if (step != 1 && step != -1) return 0;
    auto const place = static_cast<int>((reinterpret_cast<std::uintptr_t>(out + first) / sizeof(*out)) % 32);
    return step > 0 ? place : 31 - place;
  } else {
    return 0;
  }
}

/// What the chunks of all lines need to speak to each other.
struct chunk_order {
  std::int64_t chunks;             ///< of a line
  std::int64_t words_of_line = 0;  ///< or of a pack of lines
  std::uint64_t* words = nullptr;
  std::uint32_t stamp = 0;
  ticket_counter tickets{};  ///< none where nobody waits for another

  template <class State>
  __device__ State state_of(std::int64_t line) const {
    return State(words + line * words_of_line, chunks, stamp);
  }
  /// The number of a block, by which it is known what it works on: those that others wait for come first.
  __device__ std::int64_t claim() const {
    __shared__ std::int64_t claimed;
    if (threadIdx.x == 0) claimed = tickets.at ? tickets.draw() : blockIdx.x;
    __syncthreads();
    return claimed;
  }
};

/// A line's items one after the other, by one thread; neighbouring threads have neighbouring lines.
template <class Problem>
__device__ void march_line(Problem const& problem, std::int64_t line) {
  using T = typename Problem::value;
  constexpr int batch = strip_items<T>;
  auto const& grid = problem.grid;
  auto op = problem.op;
  auto const at = grid.place(line);
  auto sum = problem.before_line(at);
  for (std::int64_t first = 0; first < grid.length; first += batch) {
    T x[batch];
    auto const count = grid.length - first;
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (k < count) x[k] = problem.item(at.in + (first + k) * grid.in);
#pragma unroll
    for (int k = 0; k < batch; ++k)
      if (k < count) {
        x[k] = next_of_line<Problem::what>(sum, x[k], op);
        if constexpr (Problem::what != line_result::total) problem.put(at.out + (first + k) * grid.out, x[k]);
      }
  }
  if constexpr (Problem::what == line_result::total) problem.put(at.out, sum.value);
}

/// 32 lines that lie along the axis, by a warp: what neighbouring lanes load and store are neighbours of a
/// line, and each lane scans a line in shared memory. A window is (32 lines, width items).
template <class Problem>
struct line_window {
  using T = typename Problem::value;
  static constexpr int width = sizeof(T) <= 8 ? 32 : sizeof(T) <= 16 ? 16 : 8;
  static constexpr int batch = sizeof(T) <= 8 ? 16 : 4;
  static constexpr int skew = sizeof(T) <= 4   ? 5
                              : sizeof(T) <= 8 ? 4
                                               : 3;  // one place in so many is left out

  struct shared {
    uninitialized<T, 32 * width + (32 * width >> skew) + 32> items;
    std::int64_t in[32], out[32];
    int shift[32];
  };

  /// How lanes stand to items: along the line or across the lines; or whole short lines side by side.
  struct layout {
    bool in_along, out_along, packed;
  };

  Problem const& problem;
  shared& memory;
  int lane = static_cast<int>(threadIdx.x % 32);

  /// visit(j) for so many numbers, each by one lane; loads are under way together.
  template <class Load, class Keep>
  __device__ void load_all(int count, Load load, Keep keep) const {
    for (int first = lane; first - lane < count; first += 32 * batch) {
      T x[batch];
      bool have[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) have[k] = load(first + 32 * k, x[k]);
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (have[k]) keep(first + 32 * k, x[k]);
    }
    __syncwarp();
  }

  __device__ void run(std::int64_t line0, layout const& how) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    int const lines = static_cast<int>(min(grid.lines - line0, std::int64_t{32}));
    bool const mine = lane < lines;
    auto const at = grid.place(min(line0 + lane, grid.lines - 1));
    auto sum = problem.before_line(at);
    if (how.packed) {
      int const length = static_cast<int>(grid.length), items = lines * length;
      auto const first_in = warp_shfl(at.in, 0) - (grid.in < 0 ? length - 1 : 0);
      auto const first_out = warp_shfl(at.out, 0) - (grid.out < 0 ? length - 1 : 0);
      load_all(
          items,
          [&](int j, T& x) {
            if (j < items) x = problem.item(first_in + j);
            return j < items;
          },
          [&](int j, T const& x) { put_bytes(memory.items[skewed<T>(j)], x); });
      if (mine)
        scan(0, length, sum, op,
             [&](int k) { return skewed<T>(lane * length + (grid.in < 0 ? length - 1 - k : k)); });
      __syncwarp();
      if constexpr (Problem::what != line_result::total)
        for (int j = lane; j < items; j += 32) problem.put(first_out + j, memory.items[skewed<T>(j)]);
    } else {
      int const shift = how.out_along ? places_before_boundary(problem.out, at.out, grid.out) % width : 0;
      memory.in[lane] = at.in;
      memory.out[lane] = at.out;
      memory.shift[lane] = shift;
      __syncwarp();
      auto const end = grid.length + __reduce_max_sync(~0u, shift);
      for (std::int64_t window = 0; window < end; window += width) {
        load_all(
            32 * width,
            [&](int j, T& x) {
              auto const [r, k] = place(j, how.in_along);
              auto const p = window - memory.shift[r] + k;
              bool const there = j < 32 * width && r < lines && p >= 0 && p < grid.length;
              if (there) x = problem.item(memory.in[r] + p * grid.in);
              return there;
            },
            [&](int j, T const& x) {
              auto const [r, k] = place(j, how.in_along);
              put_bytes(memory.items[r * (width + 1) + k], x);
            });
        if (mine) {
          auto const low = shift - window, high = low + grid.length;
          scan(static_cast<int>(max(low, std::int64_t{0})), static_cast<int>(min(high, std::int64_t{width})),
               sum, op, [&](int k) { return lane * (width + 1) + k; });
        }
        __syncwarp();
        if constexpr (Problem::what != line_result::total) {
#pragma unroll 4
          for (int j = lane; j < 32 * width; j += 32) {
            auto const [r, k] = place(j, how.out_along);
            auto const p = window - memory.shift[r] + k;
            if (r < lines && p >= 0 && p < grid.length)
              problem.put(memory.out[r] + p * grid.out, memory.items[r * (width + 1) + k]);
          }
          __syncwarp();
        }
      }
    }
    if constexpr (Problem::what == line_result::total)
      if (mine) problem.put(at.out, sum.value);
  }

 private:
  struct line_and_item {
    int line, item;
  };
  static __device__ line_and_item place(int j, bool along) {
    return along ? line_and_item{j / width, j % width} : line_and_item{j % 32, j / 32};
  }

  template <class Op, class Where>
  __device__ void scan(int first, int end, optional<T>& sum, Op& op, Where where) const {
    for (int begin = first; begin < end; begin += 8) {
      T x[8];
#pragma unroll
      for (int k = 0; k < 8; ++k)
        if (begin + k < end) put_bytes(x[k], memory.items[where(begin + k)]);
#pragma unroll
      for (int k = 0; k < 8; ++k)
        if (begin + k < end) {
          T const result = next_of_line<Problem::what>(sum, x[k], op);
          if constexpr (Problem::what != line_result::total)
            put_bytes(memory.items[where(begin + k)], result);
        }
    }
  }
};

/// One chunk of 8 packs of V neighbouring lines, by a block: (32 strips, 8 packs) threads, each with the
/// items (strip, V) in registers.
template <class Problem, int V>
struct chunk_of_columns {
  using T = typename Problem::value;
  using pack = line_pack<T, V>;
  using state = tile_state<pack, across_tiles::ordered_lookback>;
  static constexpr int packs = 8, threads = 32 * packs, strip = strip_items<T>;
  struct shared {
    uninitialized<pack, 32 * (packs + 1)> totals;
  };

  static __device__ void run(Problem const& problem, shared& memory, std::int64_t first_pack,
                             std::int64_t chunk, chunk_order const& order) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    each_of_pack<decltype(op), V> ops{op};
    int const nth = static_cast<int>(threadIdx.x) % packs, row = static_cast<int>(threadIdx.x) / packs;
    auto const all_packs = grid.lines / V;
    auto const of_chunk = min(grid.length - chunk * chunk_items<T>, std::int64_t{chunk_items<T>});
    int const strips = static_cast<int>((of_chunk + strip - 1) / strip);
    auto const first = chunk * chunk_items<T> + row * strip;
    int const count =
        first_pack + nth < all_packs
            ? static_cast<int>(max(std::int64_t{0}, min(grid.length - first, std::int64_t{strip})))
            : 0;
    auto const at = grid.place(min(first_pack + nth, all_packs - 1) * V);
    pack x[strip];
#pragma unroll
    for (int k = 0; k < strip; ++k)
      if (k < count) {
        typename Problem::raw items[V];
        load_neighbours<access::streaming>(problem.in, at.in + (first + k) * grid.in, items);
#pragma unroll
        for (int v = 0; v < V; ++v) x[k].of[v] = problem.of(items[v]);
      }
    if (count > 0) {
      pack total = x[0];
#pragma unroll
      for (int k = 1; k < strip; ++k)
        if (k < count) total = ops(total, x[k]);
      put_bytes(memory.totals[row * (packs + 1) + nth], total);
    }
    __syncthreads();

    // Warp w speaks for pack w, lane l for its strip l.
    int const own = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    if (first_pack + own < all_packs) {
      pack total{};
      if (lane < strips) put_bytes(total, memory.totals[lane * (packs + 1) + own]);
      if constexpr (Problem::what == line_result::total) {
        pack const sum = warp_scan_first(total, strips, ops);
        if (lane == strips - 1)
#pragma unroll
          for (int v = 0; v < V; ++v) problem.put(chunk * grid.lines + (first_pack + own) * V + v, sum.of[v]);
      } else {
        optional<pack> before{};
#pragma unroll
        for (int v = 0; v < V; ++v) {
          auto const of_line = problem.before_line(grid.place((first_pack + own) * V + v));
          before.value.of[v] = of_line.value;
          before.present = of_line.present;
        }
        auto const before_mine = before_strip(total, strips, chunk, order.chunks,
                                              order.template state_of<state>(first_pack + own), before, ops);
        put_bytes(memory.totals[lane * (packs + 1) + own], before_mine.value);
      }
    }
    if constexpr (Problem::what != line_result::total) {
      __syncthreads();
      bool const starts = std::is_same_v<decltype(problem.before), nothing_before> && first == 0;
      optional<pack> sum{};
      put_bytes(sum.value, memory.totals[row * (packs + 1) + nth]);
      sum.present = !starts;
#pragma unroll
      for (int k = 0; k < strip; ++k)
        if (k < count) {
          pack const result = next_of_line<Problem::what>(sum, x[k], ops);
          using U = typename Problem::out_value;
          U items[V];
#pragma unroll
          for (int v = 0; v < V; ++v) items[v] = static_cast<U>(result.of[v]);
          store_neighbours<access::streaming>(problem.out, at.out + (first + k) * grid.out, items);
        }
    }
  }
};

/// One chunk of a line that lies along the axis, by a warp: 32 strips, which pass through shared memory.
template <class Problem>
struct chunk_of_line {
  using T = typename Problem::value;
  using pack = line_pack<T, 1>;
  using state = tile_state<pack, across_tiles::ordered_lookback>;
  static constexpr int strip = strip_items<T>, items = chunk_items<T>;
  using shared = uninitialized<T, skewed<T>(items)>;

  static __device__ void run(Problem const& problem, shared& memory, std::int64_t line, std::int64_t chunk,
                             chunk_order const& order) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    each_of_pack<decltype(op), 1> ops{op};
    int const lane = static_cast<int>(threadIdx.x) % 32;
    auto const at = grid.place(line);
    auto const first = chunk * items;
    int const count = static_cast<int>(min(grid.length - first, std::int64_t{items}));
    int const strips = (count + strip - 1) / strip;
    {
      T x[strip];
#pragma unroll
      for (int k = 0; k < strip; ++k)
        if (32 * k + lane < count) x[k] = problem.item(at.in + (first + 32 * k + lane) * grid.in);
#pragma unroll
      for (int k = 0; k < strip; ++k)
        if (32 * k + lane < count) put_bytes(memory[skewed<T>(32 * k + lane)], x[k]);
    }
    __syncwarp();
    int const mine = min(strip, count - strip * lane);  // may be negative
    T x[strip];
#pragma unroll
    for (int k = 0; k < strip; ++k)
      if (k < mine) put_bytes(x[k], memory[skewed<T>(strip * lane + k)]);
    pack total{};
    if (mine > 0) {
      total.of[0] = x[0];
#pragma unroll
      for (int k = 1; k < strip; ++k)
        if (k < mine) total.of[0] = op(total.of[0], x[k]);
    }
    if constexpr (Problem::what == line_result::total) {
      pack const sum = warp_scan_first(total, strips, ops);
      if (lane == strips - 1) problem.put(chunk * grid.lines + line, sum.of[0]);
    } else {
      auto const of_line = problem.before_line(at);
      auto const before =
          before_strip(total, strips, chunk, order.chunks, order.template state_of<state>(line),
                       optional<pack>{{{of_line.value}}, of_line.present}, ops);
      optional<T> sum{before.value.of[0], before.present};
#pragma unroll
      for (int k = 0; k < strip; ++k)
        if (k < mine)
          put_bytes(memory[skewed<T>(strip * lane + k)], next_of_line<Problem::what>(sum, x[k], op));
      __syncwarp();
      // Stores begin on boundaries of 32 results.
      int const shift = places_before_boundary(problem.out, at.out + first * grid.out, grid.out);
#pragma unroll
      for (int k = 0; k <= strip; ++k) {
        int const place = 32 * k + lane - shift;
        if (place >= 0 && place < count)
          problem.put(at.out + (first + place) * grid.out, memory[skewed<T>(place)]);
      }
    }
  }
};

/// One chunk of a few lines whose items lie side by side, row after row, by a block: memory is moved as it
/// lies, and each warp scans lines in shared memory, 32 strips at a time.
template <class Problem>
struct chunk_of_rows {
  using T = typename Problem::value;
  using pack = line_pack<T, 1>;
  using state = tile_state<pack, across_tiles::ordered_lookback>;
  static constexpr int strip = strip_items<T>, warps = 8, threads = 32 * warps;
  static constexpr int most_items = 32768 / static_cast<int>(sizeof(T));
  static constexpr int most_lines = most_items / chunk_items<T>;
  static constexpr int batch = sizeof(T) <= 8 ? 8 : 2;
  using shared = uninitialized<T, skewed<T>(most_items)>;

  static __device__ void run(Problem const& problem, shared& memory, std::int64_t line0, int lines,
                             std::int64_t chunk, chunk_order const& order) {
    auto const& grid = problem.grid;
    auto op = problem.op;
    each_of_pack<decltype(op), 1> ops{op};
    bool const backward = grid.in < 0;
    auto const first = chunk * chunk_items<T>;
    int const count = static_cast<int>(min(grid.length - first, std::int64_t{chunk_items<T>}));
    int const items = count * lines, strips = (count + strip - 1) / strip;
    auto const lowest = first + (backward ? count - 1 : 0);
    auto const at = grid.place(line0);
    auto const from = at.in + lowest * grid.in;
    for (int begin = static_cast<int>(threadIdx.x); begin < items; begin += batch * threads) {
      T x[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (begin + k * threads < items) x[k] = problem.item(from + begin + k * threads);
#pragma unroll
      for (int k = 0; k < batch; ++k)
        if (begin + k * threads < items) put_bytes(memory[skewed<T>(begin + k * threads)], x[k]);
    }
    __syncthreads();
    int const lane = static_cast<int>(threadIdx.x) % 32;
    for (int line = static_cast<int>(threadIdx.x) / 32; line < lines; line += warps) {
      auto const where = [&](int k) {
        int const row = strip * lane + k;
        return skewed<T>((backward ? count - 1 - row : row) * lines + line);
      };
      int const mine = min(strip, count - strip * lane);  // may be negative
      T x[strip];
      pack total{};
#pragma unroll
      for (int k = 0; k < strip; ++k)
        if (k < mine) {
          put_bytes(x[k], memory[where(k)]);
          total.of[0] = k == 0 ? x[0] : static_cast<T>(op(total.of[0], x[k]));
        }
      if constexpr (Problem::what == line_result::total) {
        pack const sum = warp_scan_first(total, strips, ops);
        if (lane == strips - 1) problem.put(chunk * grid.lines + line0 + line, sum.of[0]);
      } else {
        auto const of_line = problem.before_line(grid.place(line0 + line));
        auto const before =
            before_strip(total, strips, chunk, order.chunks, order.template state_of<state>(line0 + line),
                         optional<pack>{{{of_line.value}}, of_line.present}, ops);
        optional<T> sum{before.value.of[0], before.present};
#pragma unroll
        for (int k = 0; k < strip; ++k)
          if (k < mine) put_bytes(memory[where(k)], next_of_line<Problem::what>(sum, x[k], op));
      }
    }
    if constexpr (Problem::what != line_result::total) {
      __syncthreads();
      auto const to = at.out + lowest * grid.out;
      for (int j = static_cast<int>(threadIdx.x) - places_before_boundary(problem.out, to, 1); j < items;
           j += threads)
        if (j >= 0) problem.put(to + j, memory[skewed<T>(j)]);
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

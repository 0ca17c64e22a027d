// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_DENSE_ROWS_CUH
#define SWEEP_DETAIL_AXES_TILE_DENSE_ROWS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/arrays_beneath.cuh>
#include <sweep/detail/axes/tile/rows.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/small_divisor.hpp>
#include <sweep/detail/warp/shuffle.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// How many items are left out behind a strip of all of so many lines, that copies find their boundaries and
/// lanes that have neighbouring lines, and then those of the next strip, meet in few banks.
SWEEP_HD constexpr int gap_of_strips(int lines, int strip, int size, int copied) {
  int const lanes = 128 / (size < 4 ? 4 : size), width = 128 / lanes, each = copied / size;
  int best = 0, best_cost = 1 << 20;
  for (int gap = 0; gap * size < 128; gap += each) {
    int in_bank[32] = {}, most = 0;
    for (int u = 0; u < lanes; ++u) {
      int const at = (u / lines * (strip * lines + gap) + u % lines) * size / width;
      most = ++in_bank[at % lanes] > most ? in_bank[at % lanes] : most;
    }
    // A pass more over the banks costs as much as a sixth of the room.
    int const cost = 6 * gap + most * strip * lines;
    if (cost < best_cost) {
      best = gap;
      best_cost = cost;
    }
  }
  return best;
}

/// Some chunks of a few lines whose rows are one run in memory, by a block. Items are brought as they lie, by
/// asynchronous copies, and neighbouring lanes have neighbouring lines, and then the next strip: nothing is
/// moved item by item but from shared memory to the lane that folds it, and back. Results take the places of
/// items.
template <class Problem>
struct chunks_of_dense_rows {
  using rows = chunks_of_rows<Problem>;
  using arrays = arrays_beneath<Problem>;
  using T = typename Problem::value;
  using U = typename Problem::out_value;
  using told = typename rows::pack;
  static constexpr int strip = rows::strip, chunk_length = rows::chunk_length, turns = rows::turns, warps = 4,
                       threads = 32 * warps;
  /// Of two plain floats a row what chunks_of_rows has is faster.
  static constexpr int least_lines = comes_in_items<Problem> ? 3 : 1, most_lines = rows::few_lines;
  template <class Item>
  static constexpr bool moves = relocatable<Item>&& fills_words<Item>;
  template <int... K>
  static constexpr bool all_move(std::integer_sequence<int, K...>) {
    return (moves<typename arrays::template item<K>> && ...);
  }
  static constexpr bool possible = [] {
    if constexpr (Problem::what == line_result::total || arrays::count == 0 || sizeof(T) > 16 ||
                  !relocatable<T>)
      return false;
    else if constexpr (arrays_of_place<typename Problem::out_place> != 1 || !moves<U> || sizeof(U) < 4)
      return false;
    else if constexpr (!std::is_pointer_v<std::remove_const_t<decltype(Problem::out)>> && !Problem::looks)
      return false;
    else return all_move(std::make_integer_sequence<int, arrays::count>{});
  }();

  /// What waits: the items, or what they will be made of.
  using held =
      typename std::conditional_t<Problem::waits_fetched, std::type_identity<typename Problem::fetched>,
                                  std::type_identity<T>>::type;

  /// Bytes that are copied at a time, where memory lies on a boundary of them: strips are whole ones.
  template <class Item>
  static constexpr int copied = std::min(16, strip* static_cast<int>(sizeof(Item)));
  template <class Item>
  static constexpr auto gaps = [] {
    struct of_lines {
      int of[most_lines + 1];
    } all{};
    for (int lines = 1; lines <= most_lines; ++lines)
      all.of[lines] = gap_of_strips(lines, strip, sizeof(Item), copied<Item>);
    return all;
  }();

  /// Where a tile lies.
  struct tile_place {
    std::int64_t line0, first_chunk;
    typename decltype(Problem::grid)::place_type at;
    int chunks, rows, strips, lacking;
    std::int64_t lowest;  ///< row, counted in scan order
  };
  /// Whether results take their items' places in the last array.
  static constexpr bool in_place = [] {
    if constexpr (!possible) return false;
    else return sizeof(typename arrays::template item<arrays::count - 1>) == sizeof(U);
  }();
  struct shared {
    uninitialized<T, warps * turns> totals, before;  ///< of chunks
  };
  /// Where things stand in shared memory, of so many lines.
  struct layout {
    small_divisor by_strip{1}, by_lines{1};
    int strips;  ///< bytes before the totals of strips, and then the folds up to each in its chunk
    int pitch[arrays::count + 1];   ///< items from a strip of all lines to the next, of arrays and of results
    int offset[arrays::count + 2];  ///< bytes before these; and all
    int bytes() const { return offset[arrays::count + 1]; }
  };
  /// Of scans a power of two, as rows have it.
  static SWEEP_HD constexpr int chunks_of_block(int lines) {
    int several = 1;
    while (several < rows::most_chunks && 2 * several * lines <= turns * warps) several *= 2;
    return several;
  }
  static layout layout_of(int lines) {
    layout how;
    how.by_strip = small_divisor{strip * lines};
    how.by_lines = small_divisor{lines};
    how.strips = (sizeof(shared) + 15) / 16 * 16;
    how.offset[0] =
        how.strips + (lines * chunks_of_block(lines) * 33 * static_cast<int>(sizeof(T)) + 15) / 16 * 16;
    auto const place = [&]<class Item>(int k, std::type_identity<Item>) {
      how.pitch[k] = strip * lines + gaps<Item>.of[lines];
      how.offset[k + 1] =
          how.offset[k] +
          (chunks_of_block(lines) * 32 * how.pitch[k] * static_cast<int>(sizeof(Item)) + 15) / 16 * 16;
    };
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (place(K, std::type_identity<typename arrays::template item<K>>{}), ...);
    }
    (std::make_integer_sequence<int, arrays::count>{});
    if constexpr (in_place) {
      how.pitch[arrays::count] = how.pitch[arrays::count - 1];
      how.offset[arrays::count + 1] = how.offset[arrays::count];
      how.offset[arrays::count] = how.offset[arrays::count - 1];
    } else {
      place(arrays::count, std::type_identity<U>{});
    }
    return how;
  }

  Problem const& problem;
  chunk_order const& order;
  layout const& how;
  unsigned char* bytes;
  int lines;
  std::int64_t across;  ///< groups of lines
  int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = same_in_warp(thread / 32);
  int run_items = strip * lines;
  bool backward = leading(problem.grid.in) < 0;

  __device__ tile_place place(std::int64_t tile) const {
    tile_place here;
    auto const group = across == 1 ? tile : quotient(tile, across);
    here.line0 = (tile - group * across) * lines;
    int const each = chunks_of_block(lines);
    here.first_chunk = group * each;
    here.at = problem.grid.place(here.line0);
    here.chunks = static_cast<int>(min(order.chunks - here.first_chunk, std::int64_t{each}));
    here.rows = static_cast<int>(
        min(problem.grid.length - here.first_chunk * chunk_length, std::int64_t{here.chunks} * chunk_length));
    here.strips = (here.rows + strip - 1) / strip;
    // Backward the last strip, which may lack rows, lies first.
    here.lacking = backward ? here.strips * run_items - here.rows * lines : 0;
    here.lowest = here.first_chunk * chunk_length + (backward ? here.rows - 1 : 0);
    return here;
  }

  __device__ shared& memory() const { return *reinterpret_cast<shared*>(bytes); }
  template <int K>
  __device__ auto* staged() const {
    return reinterpret_cast<typename arrays::template item<K>*>(bytes + how.offset[K]);
  }
  __device__ U* results() const { return reinterpret_cast<U*>(bytes + how.offset[arrays::count]); }

  __device__ void run(std::int64_t tile) const {
    auto const here = place(tile);
    load(here);
    await_async_copies();
    __syncthreads();
    fold(here);
    __syncthreads();
    scan_strips(here);
    __syncthreads();
    rows::tell(problem, order, here.line0, lines, here.first_chunk, here.chunks, memory().totals,
               memory().before, warp, warps);
    __syncthreads();
    scan(here);
    __syncthreads();
    store(here);
  }

 private:
  template <class Work>
  static __device__ void for_each_array(Work work) {
    [&]<int... K>(std::integer_sequence<int, K...>) { (work(std::integral_constant<int, K>{}), ...); }
    (std::make_integer_sequence<int, arrays::count>{});
  }

  /// Where item k of array K stands, counted from the first that there could be.
  template <int K>
  __device__ int place_of(int k) const {
    return k + (how.pitch[K] - run_items) * how.by_strip.quotient(k);
  }
  template <class Item, class Pointer>
  static __device__ bool on_boundary(Pointer const* at, int lacking) {
    constexpr int bytes = copied<Item>;
    return reinterpret_cast<std::uintptr_t>(at) % bytes == 0 &&
           lacking % (bytes / static_cast<int>(sizeof(Item))) == 0;
  }
  __device__ void load(tile_place const& here) const {
    int const items = here.rows * lines;
    auto const first = leading(here.at.in) + here.lowest * leading(problem.grid.in);
    for_each_array([&](auto array) {
      constexpr int K = decltype(array)::value;
      using item = typename arrays::template item<K>;
      constexpr int each = copied<item> / static_cast<int>(sizeof(item));
      auto const from = [&](int i) { return arrays::template from<K>(problem, first + i); };
      int alone = 0;
      if (on_boundary<item>(from(0), here.lacking) && (arrays::in_run || lines % each == 0)) {
        alone = items / each * each;
#pragma unroll 4
        for (int i = thread * each; i < alone; i += threads * each)
          copy_async<copied<item>>(staged<K>() + place_of<K>(i + here.lacking), from(i));
      }
#pragma unroll 1
      for (int i = alone + thread; i < items; i += threads) {
        auto* const to = staged<K>() + place_of<K>(i + here.lacking);
        if constexpr (sizeof(item) >= 4) copy_async<sizeof(item)>(to, from(i));
        else put_bytes(*to, *from(i));
      }
    });
  }

  struct whole_strip {
    __device__ constexpr operator int() const { return strip; }
  };
  /// Calls work(strip, line, items of the strip) of each strip of a line that a lane has. Nearly all
  /// tiles are whole, of which nothing is asked of single items.
  template <class Work>
  __device__ void for_each_strip(tile_place const& here, Work work) const {
    int const all = 32 * lines * here.chunks;
    auto const each = [&](auto mine) {
#pragma unroll
      for (int turn = 0; turn < turns; ++turn)
        if (int const nth = turn * threads + thread; nth < all) {
          int const s = how.by_lines.quotient(nth);
          work(s, nth - s * lines, mine(s));
        }
    };
    if (here.rows == here.chunks * chunk_length) each([](int) { return whole_strip{}; });
    else each([&](int s) { return min(strip, here.rows - strip * s); });
  }
  /// The first of the places of a line's strip in array K.
  template <int K>
  __device__ int start_of(tile_place const& here, int s, int line) const {
    return backward ? (here.strips - 1 - s) * how.pitch[K] + (strip - 1) * lines + line
                    : s * how.pitch[K] + line;
  }
  __device__ T* strips() const { return reinterpret_cast<T*>(bytes + how.strips); }
  __device__ T& total_of(int s, int line) const { return strips()[(s / 32 * lines + line) * 33 + s % 32]; }
  __device__ T value(tile_place const& here, held const& x, int line, int s, int k) const {
    if constexpr (Problem::waits_fetched) {
      auto at = here.at.in;
      at += line * problem.grid.across[0].stride.in;
      at += (here.first_chunk * chunk_length + s * strip + k) * problem.grid.in;
      return arrays::made_of(
          problem, [&](auto) { return x; }, at);
    } else {
      return x;
    }
  }
  /// What item k of a strip is or will be made of.
  __device__ held waiting(tile_place const& here, int line, int s, int k) const {
    int const step = backward ? -lines : lines;
    auto const read = [&](auto array) {
      constexpr int K = decltype(array)::value;
      typename arrays::template item<K> item;
      put_bytes(item, staged<K>()[start_of<K>(here, s, line) + k * step]);
      return item;
    };
    if constexpr (Problem::waits_fetched) return read(std::integral_constant<int, 0>{});
    else return arrays::made_of(problem, read, here.at.in);
  }

  __device__ void fold(tile_place const& here) const {
    auto op = problem.op;
    for_each_strip(here, [&](int s, int line, auto mine) {
      T sum{};
#pragma unroll
      for (int k = 0; k < strip; ++k)
        if (k < mine) {
          held const item = waiting(here, line, s, k);
          auto const one = value(here, item, line, s, k);
          sum = k == 0 ? one : static_cast<T>(op(sum, one));
        }
      put_bytes(total_of(s, line), sum);
    });
  }

  /// Of each chunk of a line the folds up to each of its strips, by a warp, a lane a strip.
  __device__ void scan_strips(tile_place const& here) const {
    auto op = problem.op;
    int const units = lines * here.chunks;
    T sum[turns];
    int count[turns];
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {
      int const unit = warp + turn * warps;
      count[turn] = unit < units ? min(32, here.strips - 32 * how.by_lines.quotient(unit)) : 0;
      if (lane < count[turn]) put_bytes(sum[turn], strips()[unit * 33 + lane]);
    }
    // Side by side: each step of a scan waits for the one before it.
#pragma unroll
    for (int by = 1; by < 32; by *= 2)
#pragma unroll
      for (int turn = 0; turn < turns; ++turn) {
        T const before = warp_shfl_up(sum[turn], by);
        if (lane >= by && lane < count[turn]) sum[turn] = op(before, sum[turn]);
      }
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {
      int const unit = warp + turn * warps;
      if (lane < count[turn]) put_bytes(strips()[unit * 33 + lane], sum[turn]);
      if (lane == count[turn] - 1) put_bytes(memory().totals[unit], sum[turn]);
    }
  }

  __device__ void scan(tile_place const& here) const {
    auto op = problem.op;
    int const step = backward ? -lines : lines;
    for_each_strip(here, [&](int s, int line, auto mine) {
      // All are read before the first result takes the place of one.
      held own[strip];
#pragma unroll
      for (int k = 0; k < strip; ++k)
        if (k < mine) own[k] = waiting(here, line, s, k);
      optional<T> sum{};
      put_bytes(sum.value, memory().before[s / 32 * lines + line]);
      sum.present =
          !std::is_same_v<decltype(problem.before), nothing_before> || here.first_chunk + s / 32 > 0;
      if (s % 32 > 0) {
        T left;
        put_bytes(left, total_of(s - 1, line));
        sum = {combine(sum, left, op), true};
      }
      int const where = start_of<arrays::count>(here, s, line);
#pragma unroll
      for (int k = 0; k < strip; ++k)
        if (k < mine) {
          auto const one = value(here, own[k], line, s, k);
          put_bytes(results()[where + k * step], static_cast<U>(next_of_line<Problem::what>(sum, one, op)));
        }
    });
  }

  __device__ U result(int k) const {
    U x;
    put_bytes(x, results()[place_of<arrays::count>(k)]);
    return x;
  }
  __device__ void store(tile_place const& here) const {
    int const items = here.rows * lines;
    auto const first = leading(here.at.out) + here.lowest * leading(problem.grid.out);
    if constexpr (Problem::looks) {
      constexpr int batch = 4;
      for (int begin = thread; begin < items; begin += batch * threads) {
        decltype(problem.look(first)) seen[batch];
#pragma unroll
        for (int k = 0; k < batch; ++k)  // not in a branch
          seen[k] = problem.look(first + min(begin + k * threads, items - 1));
#pragma unroll
        for (int k = 0; k < batch; ++k)
          if (int const i = begin + k * threads; i < items)
            problem.out.write(first + i, result(i + here.lacking), seen[k]);
      }
    } else {
      constexpr int V = static_cast<int>(16 / sizeof(U));
      auto* const to = problem.out + first;
      int alone = 0;
      if (on_boundary<U>(to, here.lacking)) {
        alone = items / V * V;
#pragma unroll 4
        for (int i = V * thread; i < alone; i += V * threads) {
          item_vector<U, V> vector;
          load_shared(
              reinterpret_cast<unsigned char const*>(results() + place_of<arrays::count>(i + here.lacking)),
              vector);
          store_vectors<access::streaming>(to + i, vector);
        }
      }
#pragma unroll 4
      for (int i = alone + thread; i < items; i += threads) put_bytes(to[i], result(i + here.lacking));
    }
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

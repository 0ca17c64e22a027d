// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_DENSE_ROWS_CUH
#define SWEEP_DETAIL_AXES_TILE_DENSE_ROWS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/arrays_beneath.cuh>
#include <sweep/detail/axes/tile/gapped_strips.cuh>
#include <sweep/detail/axes/tile/rows.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/axes/tile/told_by_tiles.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/small_divisor.hpp>
#include <sweep/detail/warp/shuffle.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// Some chunks of a few lines whose rows are one run in memory, by a block. Items are brought as they lie, by
/// asynchronous copies, and neighbouring lanes have neighbouring lines, and then the next strip: nothing is
/// moved item by item but from shared memory to the lane that folds it, and back. Results take the places of
/// items. The chunks tell one total of theirs.
template <class Problem>
struct chunks_of_dense_rows {
  using rows = chunks_of_rows<Problem>;
  using arrays = arrays_beneath<Problem>;
  using T = typename Problem::value;
  using U = typename Problem::out_value;
  /// A warp tells of so many lines at a time, and hears of so many windows of tiles: what registers hold.
  static constexpr int told_lines = sizeof(T) <= 4 ? 2 : 1,
                       windows = sizeof(T) <= 8 || arch_here() >= 90 ? 2 : 1;
  using told = line_pack<T, told_lines>;
  static SWEEP_HD constexpr int packs_of(int lines) { return (lines + told_lines - 1) / told_lines; }
  static constexpr int strip = rows::strip, chunk_length = rows::chunk_length, turns = 4;
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
  /// Where things stand in shared memory, of so many lines.
  struct layout {
    small_divisor by_strip{1}, by_lines{1};
    int bits = 0, each = 1;         ///< chunks of a tile, a power of two
    int totals, before, strips;     ///< bytes before those of chunks, and the folds up to strips in theirs
    int pitch[arrays::count + 1];   ///< items from a strip of all lines to the next, of arrays and of results
    int offset[arrays::count + 2];  ///< bytes before these; and all
    int bytes() const { return offset[arrays::count + 1]; }
  };
  static layout layout_of(int lines, int bits) {
    layout how;
    auto const whole = [](std::size_t bytes) { return static_cast<int>((bytes + 15) / 16 * 16); };
    how.by_strip = small_divisor{strip * lines};
    how.by_lines = small_divisor{lines};
    how.bits = bits;
    how.each = 1 << bits;
    int const units = lines * how.each;
    how.totals = 16;
    how.before = how.totals + whole(units * sizeof(T));
    how.strips = how.before + whole(units * sizeof(T));
    how.offset[0] = how.strips + whole(units * 33 * sizeof(T));
    auto const place = [&]<class Item>(int k, std::type_identity<Item>) {
      how.pitch[k] = strip * lines + gaps<Item>.of[lines];
      how.offset[k + 1] = how.offset[k] + whole(how.each * 32 * how.pitch[k] * sizeof(Item));
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
  /// Of as many chunks as a tile has room for, but that of so many chunks there are so many tiles.
  static layout layout_of(int lines, int room, std::int64_t chunks, std::int64_t tiles) {
    layout how = layout_of(lines, 0);
    for (int bits = 1; bits <= 4 && chunks >> bits >= tiles; ++bits)
      if (auto const more = layout_of(lines, bits); more.bytes() <= room) how = more;
    return how;
  }

  Problem const& problem;
  chunk_order const& order;
  layout const& how;
  unsigned char* bytes;
  int lines;
  std::int64_t across;  ///< groups of lines that lie side by side
  int threads = static_cast<int>(blockDim.x), warps = threads / 32, thread = static_cast<int>(threadIdx.x),
      lane = thread % 32, warp = same_in_warp(thread / 32);
  int run_items = strip * lines;
  bool backward = leading(problem.grid.in) < 0;

  __device__ tile_place place(std::int64_t tile) const {
    tile_place here;
    auto const group = across == 1 ? tile : quotient(tile, across);
    here.line0 = (tile - group * across) * lines;
    int const each = how.each;
    here.first_chunk = group * each;
    here.at = across == 1 ? problem.grid.first : problem.grid.place(here.line0);
    here.chunks = static_cast<int>(min(order.chunks - here.first_chunk, std::int64_t{each}));
    here.rows = static_cast<int>(
        min(problem.grid.length - here.first_chunk * chunk_length, std::int64_t{here.chunks} * chunk_length));
    here.strips = (here.rows + strip - 1) / strip;
    // Backward the last strip, which may lack rows, lies first.
    here.lacking = backward ? here.strips * run_items - here.rows * lines : 0;
    here.lowest = here.first_chunk * chunk_length + (backward ? here.rows - 1 : 0);
    return here;
  }

  __device__ T* totals() const { return reinterpret_cast<T*>(bytes + how.totals); }
  __device__ T* befores() const { return reinterpret_cast<T*>(bytes + how.before); }
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
    tell(here);
    __syncthreads();
    scan(here);
    __syncthreads();
    store(here);
  }

 private:
  /// A warp tells of a pack of lines, and hears of what comes before each of the tile's chunks.
  __device__ void tell(tile_place const& here) const {
    constexpr int V = told_lines;
    auto op = problem.op;
    each_of_pack<decltype(op), V> ops{op};
    int const packs = packs_of(lines), each = how.each;
#pragma unroll 1
    for (int nth = warp; nth < packs; nth += warps) {
      auto const line = [&](int v) { return min(nth * V + v, lines - 1); };
      bool const exists = lane < here.chunks;
      int const chunk = exists ? lane : 0;
      told x;
#pragma unroll
      for (int v = 0; v < V; ++v) put_bytes(x.of[v], totals()[chunk * lines + line(v)]);
      optional<told> before{};
      if (here.first_chunk == 0) {
#pragma unroll
        for (int v = 0; v < V; ++v) {
          auto const one = problem.before_line(problem.grid.place(here.line0 + line(v)));
          before.value.of[v] = one.value;
          before.present = one.present;
        }
        if (lane == 0) x = combine(before, x, ops);
      }
#pragma unroll
      for (int by = 1; by < 32; by *= 2) {
        if (by >= each) break;
        told const left = warp_shfl(x, ((lane & ~(by - 1)) - 1) & 31);
        if ((lane & by) != 0 && exists) x = ops(left, x);
      }
      optional<told> left{};
      if (order.chunks > each) {
        told_by_tiles<told> const others{order.words +
                                             (here.line0 / lines * packs + nth) * order.words_of_state,
                                         order.chunks, how.bits, order.stamp};
        left = others.template exchange<windows>(here.first_chunk / each, here.chunks, x, ops);
      } else {
        left.value = warp_shfl_up(x, 1);
      }
      if (lane == 0 && here.first_chunk == 0) left = before;
      if (exists)
#pragma unroll
        for (int v = 0; v < V; ++v)
          if (nth * V + v < lines) put_bytes(befores()[lane * lines + nth * V + v], left.value.of[v]);
    }
  }

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
  /// The same of every so many items from k on, one after the other.
  __device__ gapped_places places_from(int pitch, int k, int by) const {
    return {how.by_strip, run_items, pitch - run_items, k, by};
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
        auto to = places_from(how.pitch[K], thread * each + here.lacking, threads * each);
#pragma unroll 4
        for (int i = thread * each; i < alone; i += threads * each, to.next())
          copy_async<copied<item>>(staged<K>() + to.at(), from(i));
      }
#pragma unroll 1
      for (int i = alone + thread; i < items; i += threads) {
        auto* const to = staged<K>() + place_of<K>(i + here.lacking);
        if constexpr (sizeof(item) >= 4) copy_async<sizeof(item)>(to, from(i));
        else put_bytes(*to, *from(i));
      }
    });
  }

  /// Calls work(strip, line, items of the strip) of each strip of a line that a lane has; the latter is a
  /// constant of tiles that are whole, which nearly all are: nothing is asked of single items there.
  template <class Work>
  __device__ void for_each_strip(tile_place const& here, Work work) const {
    int const all = 32 * lines * here.chunks;
    bool const whole = here.rows == here.chunks * chunk_length;
#pragma unroll 1
    for (int nth = thread; nth < all; nth += threads) {
      int const s = how.by_lines.quotient(nth), line = nth - s * lines;
      if (whole) work(s, line, std::integral_constant<int, strip>{});
      else work(s, line, min(strip, here.rows - strip * s));
    }
  }
  /// Calls work(k) of so many items of a strip, in turn.
  template <class Work>
  static __device__ void for_each_item(std::integral_constant<int, strip>, Work work) {
#pragma unroll
    for (int k = 0; k < strip; ++k) work(k);
  }
  template <class Work>
  static __device__ void for_each_item(int mine, Work work) {
#pragma unroll 1
    for (int k = 0; k < mine; ++k) work(k);
  }
  /// The first of the places of a line's strip in array K.
  template <int K>
  __device__ int start_of(tile_place const& here, int s, int line) const {
    return backward ? (here.strips - 1 - s) * how.pitch[K] + (strip - 1) * lines + line
                    : s * how.pitch[K] + line;
  }
  __device__ T* strips() const { return reinterpret_cast<T*>(bytes + how.strips); }
  __device__ T& total_of(int s, int line) const { return strips()[(s / 32 * lines + line) * 33 + s % 32]; }
  /// Goes through a strip of a line, item by item.
  struct walk {
    unsigned char* at[arrays::count + 1];  ///< of arrays, and of results
    typename Problem::in_place place;
    int step;  ///< items to the next
    template <int K>
    __device__ auto take() {
      using item = typename arrays::template item<K>;
      item x;
      put_bytes(x, *reinterpret_cast<item const*>(at[K]));
      at[K] += step * static_cast<int>(sizeof(item));
      return x;
    }
  };
  __device__ walk walk_of(tile_place const& here, int s, int line) const {
    walk all;
    all.step = backward ? -lines : lines;
    for_each_array([&](auto array) {
      constexpr int K = decltype(array)::value;
      all.at[K] = reinterpret_cast<unsigned char*>(staged<K>() + start_of<K>(here, s, line));
    });
    all.at[arrays::count] =
        reinterpret_cast<unsigned char*>(results() + start_of<arrays::count>(here, s, line));
    if constexpr (Problem::waits_fetched) {
      all.place = here.at.in;
      all.place += line * problem.grid.across[0].stride.in;
      all.place += (here.first_chunk * chunk_length + s * strip) * problem.grid.in;
    }
    return all;
  }
  __device__ held next_waiting(walk& at, tile_place const& here) const {
    if constexpr (Problem::waits_fetched) return at.template take<0>();
    else
      return arrays::made_of(
          problem, [&](auto array) { return at.template take<decltype(array)::value>(); }, here.at.in);
  }
  __device__ T next_value(walk& at, held const& x) const {
    if constexpr (Problem::waits_fetched) {
      T const made = arrays::made_of(
          problem, [&](auto) { return x; }, at.place);
      at.place += problem.grid.in;
      return made;
    } else {
      return x;
    }
  }

  __device__ void fold(tile_place const& here) const {
    auto op = problem.op;
    for_each_strip(here, [&](int s, int line, auto mine) {
      auto at = walk_of(here, s, line);
      T sum{};
      for_each_item(mine, [&](int k) {
        T const one = next_value(at, next_waiting(at, here));
        sum = k == 0 ? one : static_cast<T>(op(sum, one));
      });
      put_bytes(total_of(s, line), sum);
    });
  }

  /// Of each chunk of a line the folds up to each of its strips, by a warp, a lane a strip.
  __device__ void scan_strips(tile_place const& here) const {
    auto op = problem.op;
    int const units = lines * here.chunks;
#pragma unroll 1
    for (int first = warp; first < units; first += turns * warps) {
      T sum[turns];
      int count[turns];
#pragma unroll
      for (int turn = 0; turn < turns; ++turn) {
        int const unit = first + turn * warps;
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
        int const unit = first + turn * warps;
        if (lane < count[turn]) put_bytes(strips()[unit * 33 + lane], sum[turn]);
        if (lane == count[turn] - 1) put_bytes(totals()[unit], sum[turn]);
      }
    }
  }

  __device__ void scan(tile_place const& here) const {
    auto op = problem.op;
    for_each_strip(here, [&](int s, int line, auto mine) {
      auto at = walk_of(here, s, line);
      optional<T> sum{};
      put_bytes(sum.value, befores()[s / 32 * lines + line]);
      sum.present =
          !std::is_same_v<decltype(problem.before), nothing_before> || here.first_chunk + s / 32 > 0;
      if (s % 32 > 0) {
        T left;
        put_bytes(left, total_of(s - 1, line));
        sum = {combine(sum, left, op), true};
      }
      auto const put = [&](held const& x) {
        T const one = next_value(at, x);
        auto*& to = at.at[arrays::count];
        put_bytes(*reinterpret_cast<U*>(to), static_cast<U>(next_of_line<Problem::what>(sum, one, op)));
        to += at.step * static_cast<int>(sizeof(U));
      };
      if constexpr (std::is_same_v<decltype(mine), int>) {
        for_each_item(mine, [&](int) { put(next_waiting(at, here)); });
      } else {
        held own[strip];  // all are on their way before the first result is written
        for_each_item(mine, [&](int k) { own[k] = next_waiting(at, here); });
        for_each_item(mine, [&](int k) { put(own[k]); });
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
        auto at = places_from(how.pitch[arrays::count], V * thread + here.lacking, V * threads);
#pragma unroll 4
        for (int i = V * thread; i < alone; i += V * threads, at.next()) {
          item_vector<U, V> vector;
          load_shared(reinterpret_cast<unsigned char const*>(results() + at.at()), vector);
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

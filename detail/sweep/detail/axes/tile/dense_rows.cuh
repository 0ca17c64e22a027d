// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_DENSE_ROWS_CUH
#define SWEEP_DETAIL_AXES_TILE_DENSE_ROWS_CUH

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/arrays_beneath.cuh>
#include <sweep/detail/axes/tile/dense_rows_layout.cuh>
#include <sweep/detail/axes/tile/gapped_strips.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/axes/tile/told_by_tiles.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/cluster.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/divisors.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/warp/shuffle.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// Some chunks of a few lines whose rows are one run in memory, by a block. Items are brought as they lie, by
/// asynchronous copies, and neighbouring lanes have neighbouring lines, and then the next strip: nothing is
/// moved item by item but from shared memory to the lane that folds it, and back. Results take the places of
/// items. The chunks tell one total of theirs, or those of a cluster of blocks do.
template <class Problem, bool Clusters = false>
struct chunks_of_dense_rows : dense_rows_layout<Problem> {
  using shape = dense_rows_layout<Problem>;
  using typename shape::arrays, typename shape::T, typename shape::U, typename shape::told,
      typename shape::held, typename shape::layout;
  using shape::told_lines, shape::windows, shape::strip, shape::chunk_length, shape::turns, shape::packs_of;
  template <class Item>
  static constexpr int copied = shape::template copied<Item>;

  /// Where a tile lies.
  struct tile_place {
    std::int64_t line0, first_chunk;
    typename decltype(Problem::grid)::place_type at;
    int chunks, rows, strips, lacking;
    std::int64_t lowest;      ///< row, counted in scan order
    std::int64_t first_told;  ///< chunk of the block, or of the cluster
    int chunks_told;
  };

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
  int ranks = Clusters ? 1 << how.cluster_bits : 1,
      rank = Clusters ? static_cast<int>(blockIdx.x) & (ranks - 1) : 0;

  __device__ tile_place place(std::int64_t tile) const {
    tile_place here;
    auto const group = across == 1 ? tile : quotient(tile, across);
    here.line0 = (tile - group * across) * lines;
    int const each = how.each;
    here.first_chunk = here.first_told = group * each;
    if constexpr (Clusters) {
      here.first_told <<= how.cluster_bits;
      here.first_chunk = here.first_told + each * rank;
    }
    here.at = across == 1 ? problem.grid.first : problem.grid.place(here.line0);
    here.chunks = static_cast<int>(min(order.chunks - here.first_chunk, std::int64_t{each}));
    if constexpr (Clusters) {
      here.chunks_told =
          static_cast<int>(min(order.chunks - here.first_told, std::int64_t{each} << how.cluster_bits));
      here.chunks =
          max(0, min(here.chunks_told - each * rank, each));  // the last cluster's blocks may have none
    } else {
      here.chunks_told = here.chunks;
    }
    here.rows = static_cast<int>(
        min(problem.grid.length - here.first_chunk * chunk_length, std::int64_t{here.chunks} * chunk_length));
    if constexpr (Clusters) here.rows = max(0, here.rows);
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

  __device__ void run() const {
    auto const tile = claim();
    auto here = place(tile);
    load(here);
    await_async_copies();
    __syncthreads();
    fold(here);
    __syncthreads();
    scan_strips(here);
    auto& kept = reinterpret_cast<std::int64_t volatile*>(bytes)[1];
    if (Clusters && thread == 0) kept = tile;
    all_blocks();
    tell(here);
    all_blocks();
    if constexpr (Clusters) here = place(kept);  // asked for again, not kept in registers
    scan(here);
    __syncthreads();
    store(here);
  }

 private:
  /// A barrier of all blocks that tell one total.
  __device__ void all_blocks() const {
    if constexpr (Clusters) {
      __syncwarp();
      cluster_arrive();
      cluster_wait();
    } else {
      __syncthreads();
    }
  }
  /// The next number, the same of all blocks of a cluster.
  __device__ std::int64_t claim() const {
    if constexpr (Clusters) {
      auto& claimed = *reinterpret_cast<std::int64_t*>(bytes);
      if (rank == 0 && thread == 0) claimed = order.tickets.draw();
      all_blocks();
      return *in_block_of_cluster(&claimed, 0);
    } else {
      return order.claim();
    }
  }

  /// A warp tells of a pack of lines, and hears of what comes before each of the chunks that are told of.
  __device__ void tell(tile_place const& here) const {
    constexpr int V = told_lines;
    auto op = problem.op;
    each_of_pack<decltype(op), V> ops{op};
    int const packs = packs_of(lines), bits = how.bits + (Clusters ? how.cluster_bits : 0), each = 1 << bits;
#pragma unroll 1
    for (int nth = warp * ranks + rank; nth < packs; nth += warps * ranks) {
      auto const line = [&](int v) { return min(nth * V + v, lines - 1); };
      bool const exists = lane < here.chunks_told;
      int const chunk = exists ? lane : 0;
      auto const of_chunk = [&](T* here_of_block) {
        if constexpr (Clusters)
          return in_block_of_cluster(here_of_block + (chunk & (how.each - 1)) * lines,
                                     static_cast<unsigned>(chunk >> how.bits));
        else return here_of_block + chunk * lines;
      };
      T const* const from = of_chunk(totals());
      told x;
#pragma unroll
      for (int v = 0; v < V; ++v) put_bytes(x.of[v], from[line(v)]);
      optional<told> before{};
      if (here.first_told == 0) {
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
                                         order.chunks, bits, order.stamp};
        left = others.template exchange < Clusters
                   ? 1
                   : windows > (here.first_told / each, here.chunks_told, x, ops);
      } else {
        left.value = warp_shfl_up(x, 1);
      }
      if (lane == 0 && here.first_told == 0) left = before;
      T* const to = of_chunk(befores());
      if (exists)
#pragma unroll
        for (int v = 0; v < V; ++v)
          if (nth * V + v < lines) put_bytes(to[nth * V + v], left.value.of[v]);
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

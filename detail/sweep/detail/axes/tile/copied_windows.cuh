// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_TILE_COPIED_WINDOWS_CUH
#define SWEEP_DETAIL_AXES_TILE_COPIED_WINDOWS_CUH

#include <sweep/detail/axes/layout.cuh>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/tile/arrays_beneath.cuh>
#include <sweep/detail/axes/tile/strips.cuh>
#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Of lines that are one run in memory a block has the fewer, each a chain, the wider their values are, and a
/// step of a chain takes the longer. From this on of their items times the bytes of a value, squared, by the
/// bytes that are moved of an item, they come in copied windows: tests lower it.
inline std::int64_t shortest_chain_of_windows = 2100;

/// What is looked at before a result is written, if an array that lies as the results do.
template <class Problem>
struct item_looked_at {
  static constexpr int bytes = 0;
};
template <class Problem>
  requires(lie_one_by_one<Problem>)
struct item_looked_at<Problem> {
  using item = typename std::remove_const_t<decltype(Problem::out)>::looked_at;
  static constexpr int bytes = static_cast<int>(sizeof(item));
};

template <class Item>
inline constexpr bool is_copied_alone = relocatable<Item> && alignof(Item) >= 4 &&
                                        (sizeof(Item) == 4 || sizeof(Item) == 8 || sizeof(Item) == 16);
/// Whether asynchronous copies bring all that a problem's windows need, each item by itself. Values of 4
/// bytes, which wait in registers in line_window, would take as long or longer.
template <class Problem>
inline constexpr bool comes_in_copied_windows = [] {
  using arrays = arrays_beneath<Problem>;
  using looked = item_looked_at<Problem>;
  bool all = Problem::what != line_result::total && arrays::count > 0 &&
             sizeof(typename Problem::value) > 4 && is_copied_alone<typename Problem::out_value> &&
             (std::is_pointer_v<decltype(Problem::out)> || lie_one_by_one<Problem>);
  if constexpr (arrays::count > 0) all = all && is_copied_alone<typename arrays::template item<0>>;
  if constexpr (arrays::count > 1) all = all && is_copied_alone<typename arrays::template item<1>>;
  if constexpr (looked::bytes > 0) all = all && is_copied_alone<typename looked::item>;
  return all;
}();

/// 32 lines that lie along the axis, or 16, by a warp, as in line_window: but all that a window is made of,
/// and what is looked at before its results are written, is asked for at once, item by item, by asynchronous
/// copies, wherever lines begin in each of the arrays. Results take the items' places. What waits for memory
/// takes no registers, so that all lines are on their way, where they are no more than a device has lanes
/// for.
template <class Problem>
struct copied_windows {
  using T = typename Problem::value;
  using U = typename Problem::out_value;
  using arrays = arrays_beneath<Problem>;
  using looked = item_looked_at<Problem>;
  static constexpr int last = arrays::count - 1;
  template <int K>
  static constexpr int size = static_cast<int>(sizeof(typename arrays::template item<K>));
  static constexpr int result = static_cast<int>(sizeof(U)),
                       widest = std::max({size<0>, size<last>, result, looked::bytes});
  /// That a lane takes at once: whole words of 16 bytes of every array.
  static constexpr int group = 16 / std::min({size<0>, size<last>, result});
  static constexpr bool results_in_place = result == size<last>;
  /// Of an item in shared memory, and of all that is read and written of it.
  static constexpr int of_item = size<0> + (last > 0 ? size<last> : 0) + looked::bytes +
                                 (results_in_place ? 0 : result),
                       moved = size<0> + (last > 0 ? size<last> : 0) + 2 * looked::bytes + result;
  /// Of a line's window: more bytes at a time, of fewer places in memory, where there is room for 16 warps of
  /// 32 lines; what fills that with 128 bytes of each has 256 of half as many lines.
  static constexpr int small = 32 * (128 / widest) * of_item, lines_of_warp = small > (8 << 10) ? 16 : 32,
                       line_bytes = small > (6 << 10) && lines_of_warp == 32 ? 128 : 256,
                       width = line_bytes / widest;  ///< items
  static bool are_worth(std::int64_t length) {
    return length * static_cast<std::int64_t>(sizeof(T) * sizeof(T)) >= shortest_chain_of_windows * moved;
  }
  template <int Bytes>
  static constexpr int window_bytes = lines_of_warp* width* Bytes;
  static constexpr int all_bytes = window_bytes<size<0>> + (last > 0 ? window_bytes<size<last>> : 0) +
                                   window_bytes<looked::bytes> +
                                   (results_in_place ? 0 : window_bytes<result>);

  struct shared {
    alignas(16) unsigned char items[all_bytes];
    std::int64_t in[lines_of_warp], out[lines_of_warp];  ///< where windows begin
    int shift[lines_of_warp];  ///< places of a line's first window before its first item
  };

  Problem const& problem;
  shared& memory;
  line_layout how;
  std::int64_t line0;
  int lane = static_cast<int>(threadIdx.x % 32);
  int lines = static_cast<int>(min(problem.grid.lines - line0, std::int64_t{lines_of_warp}));

  __device__ void run() {
    auto const& grid = problem.grid;
    auto op = problem.op;
    auto const at = grid.place(min(line0 + lane % lines_of_warp, grid.lines - 1));
    auto sum = problem.before_line(at);
    int const shift = places_before_boundary(problem.out, at.out, grid.out) % width;
    if (lane < lines_of_warp) {
      memory.in[lane] = leading(at.in) - shift * leading(grid.in);
      memory.out[lane] = at.out - shift * grid.out;
      memory.shift[lane] = shift;
    }
    __syncwarp();
    int const most = __reduce_max_sync(~0u, shift);
    auto const end = grid.length + most;
    for (std::int64_t window = 0; window < end; window += width) {
      bool const inner = lines == lines_of_warp && window >= most && window + width <= grid.length;
      if (inner) load<true>(window);
      else load<false>(window);
      await_async_copies();
      __syncwarp();
      auto const first = at.in + (window - shift) * grid.in;
      auto const low = shift - window, high = low + grid.length;
      if (lane >= lines) {
      } else if (inner) scan(first, sum, op, [](int) { return true; });
      else scan(first, sum, op, [&](int k) { return k >= low && k < high; });
      __syncwarp();
      if (inner) store<true>(window);
      else store<false>(window);
      __syncwarp();
    }
  }

 private:
  // Where windows stand: those of the arrays, of what is looked at, and of results that have no array's
  // place.
  template <int K>
  static constexpr int offset = K == 0 ? 0 : window_bytes<size<0>>;
  static constexpr int offset_of_looked = offset<last> + window_bytes<size<last>>,
                       offset_of_results =
                           results_in_place ? offset<last> : offset_of_looked + window_bytes<looked::bytes>;
  /// Byte b of a line's window of so many bytes an item: words of 16 bytes change places, so that those of
  /// eight neighbouring lines lie in different banks.
  template <int Size>
  __device__ unsigned char* place(int offset, int line, int b) const {
    constexpr int bytes = width * Size, words = bytes / 16, turned = words < 8 ? words : 8;
    int const word = b / 16 ^ (line / (8 / turned) & (turned - 1));
    return memory.items + offset + line * bytes + word * 16 + b % 16;
  }

  struct line_and_item {
    int line, item;
  };
  __device__ line_and_item nth(int i) const {
    int const j = 32 * i + lane;
    return {j / width, j % width};
  }
  __device__ bool holds(int line, std::int64_t place) const {
    auto const p = place - memory.shift[line];
    return line < lines && p >= 0 && p < problem.grid.length;
  }

  /// Whole items stand on boundaries of their size; else their parts do.
  template <bool Whole, class Item>
  static __device__ void copy(unsigned char* to, Item const* from) {
    constexpr int size = static_cast<int>(sizeof(Item)), align = static_cast<int>(alignof(Item)),
                  part = !Whole && align < size ? align : size;
#pragma unroll
    for (int b = 0; b < size; b += part)
      copy_async<part>(to + b, reinterpret_cast<unsigned char const*>(from) + b);
  }
  template <bool Inner>
  __device__ void load(std::int64_t window) const {
    auto const& grid = problem.grid;
    by_whole_items<std::remove_const_t<decltype(problem.in)>>(how.in_items, [&](auto whole) {
      constexpr bool is_whole = decltype(whole)::value;
#pragma unroll 8
      for (int i = 0; i < lines_of_warp * width / 32; ++i) {
        auto const [line, k] = nth(i);
        if (!Inner && !holds(line, window + k)) continue;
        auto const at = memory.in[line] + (window + k) * leading(grid.in);
        copy<is_whole>(place<size<0>>(offset<0>, line, k * size<0>), arrays::template from<0>(problem, at));
        if constexpr (last > 0)
          copy<is_whole>(place<size<last>>(offset<last>, line, k * size<last>),
                         arrays::template from<last>(problem, at));
        if constexpr (looked::bytes > 0)
          copy<is_whole>(place<looked::bytes>(offset_of_looked, line, k * looked::bytes),
                         problem.out.write.looks_at(memory.out[line] + (window + k) * grid.out));
      }
    });
  }

  template <int K>
  __device__ void get(int k, typename arrays::template item<K> (&x)[group]) const {
    item_vector<typename arrays::template item<K>, group> vector;
#pragma unroll
    for (int w = 0; w < vector.words; w += 4) {
      auto const four = *reinterpret_cast<uint4 const*>(place<size<K>>(offset<K>, lane, k * size<K> + 4 * w));
      vector.word[w] = four.x;
      vector.word[w + 1] = four.y;
      vector.word[w + 2] = four.z;
      vector.word[w + 3] = four.w;
    }
    vector.unpack(x);
  }
  /// A lane's line in a window whose first item is at `first`: those items that are wanted(k).
  template <class Place, class Op, class Wanted>
  __device__ void scan(Place const& first, optional<T>& sum, Op& op, Wanted const& wanted) const {
    auto begun = sum;
    auto at = first;
#pragma unroll(32 / group)
    for (int k = 0; k < width; k += group) {
      typename arrays::template item<0> a[group];
      typename arrays::template item<last> b[group];
      get<0>(k, a);
      if constexpr (last > 0) get<last>(k, b);
      U results[group];
#pragma unroll
      for (int g = 0; g < group; ++g, at += problem.grid.in)
        if (wanted(k + g)) {
          T const x = arrays::made_of(
              problem,
              [&](auto array) {
                if constexpr (decltype(array)::value == 0) return a[g];
                else return b[g];
              },
              at);
          put_bytes(results[g], static_cast<U>(next_of_line<Problem::what>(begun, x, op)));
        }
      item_vector<U, group> vector;
      vector.pack(results);
#pragma unroll
      for (int w = 0; w < vector.words; w += 4)
        *reinterpret_cast<uint4*>(place<result>(offset_of_results, lane, k * result + 4 * w)) =
            uint4{vector.word[w], vector.word[w + 1], vector.word[w + 2], vector.word[w + 3]};
    }
    sum = begun;
  }

  template <bool Inner>
  __device__ void store(std::int64_t window) const {
    by_whole_items<std::remove_const_t<decltype(problem.out)>>(how.out_items, [&](auto whole) {
#pragma unroll 8
      for (int i = 0; i < lines_of_warp * width / 32; ++i) {
        auto const [line, k] = nth(i);
        if (!Inner && !holds(line, window + k)) continue;
        auto const at = memory.out[line] + (window + k) * problem.grid.out;
        U const x = get_one(reinterpret_cast<U const*>(place<result>(offset_of_results, line, k * result)));
        if constexpr (looked::bytes > 0) {
          using item = typename looked::item;
          item const read = get_one(
              reinterpret_cast<item const*>(place<looked::bytes>(offset_of_looked, line, k * looked::bytes)));
          problem.out.write(at, x, problem.out.write.found(read, at));
        } else if constexpr (decltype(whole)::value) {
          store_vectors<access::streaming>(problem.out + at, as_word(x));
        } else {
          put_item(problem.out, at, x);
        }
      }
    });
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

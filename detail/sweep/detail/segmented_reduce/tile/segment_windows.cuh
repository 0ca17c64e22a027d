// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_SEGMENT_WINDOWS_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_SEGMENT_WINDOWS_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/item_parts.cuh>
#include <sweep/detail/block/shared_window.cuh>
#include <sweep/detail/block/staged_row.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/segmented_reduce/tile/group_grid.cuh>
#include <sweep/detail/warp/reduce.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Shared memory for N items that are copied there in words of 16 bytes at most.
template <class T, int N>
struct alignas(16) copied_items : uninitialized<T, N> {};

/// Windows of a warp, one after the other: items that follow each other, brought into its share of shared
/// memory, where lanes fold runs of neighbours.
template <class Problem>
class segment_windows {
  using V = typename Problem::value;
  using Op = decltype(Problem::op);
  using Raw = typename Problem::raw;
  using Source = source_of_t<decltype(Problem::in)>;

 public:
  using shape = group_shape<Source, V>;

 private:
  static constexpr int g = shape::group, window_items = shape::window_items;
  struct no_window {};
  static constexpr auto window_type() {
    if constexpr (shape::in_streams)
      return std::type_identity<staged_row<Source, shape::unit, shape::lane_groups>>{};
    else return std::type_identity<no_window>{};
  }
  using row = typename decltype(window_type())::type;
  static constexpr auto memory_type() {
    if constexpr (shape::in_streams) return std::type_identity<typename row::shared>{};
    else if constexpr (shape::gathered || shape::in_values)
      return std::type_identity<copied_items<typename shape::kept, window_items>>{};
    else return std::type_identity<no_window>{};
  }

 public:
  using memory = typename decltype(memory_type())::type;  ///< of a window

  /// ahead: whether the second-level cache fetches what lies around the words that are asked for.
  __device__ segment_windows(Problem const& problem, std::int64_t n, memory* window, Op& op, bool ahead)
      : problem_{problem},
        n_{n},
        op_{op},
        source_{source_of(problem.in)},
        lane_{static_cast<int>(threadIdx.x % 32)},
        window_{window},
        ahead_{ahead} {}

  /// The same with another window of those that begin with this one.
  __device__ segment_windows in_slot(int slot) const {
    auto other = *this;
    other.window_ += slot;
    return other;
  }

  /// Items [base, base + count) are on their way to the window, base a multiple of the unit. What was there
  /// has been read, by all lanes.
  __device__ void ask(std::int64_t base, int count) {
    if constexpr (shape::in_streams) {
      row_of(count).fill(base, ahead_);
    } else if constexpr (shape::gathered) {
      if constexpr (shape::in_parts) gather_in_parts<window_items / 32>(base, count);
      else gather<window_items / 32>(base, count);
    } else if constexpr (shape::in_values) {
      constexpr int batch = shape::size <= 4     ? 8
                            : shape::size <= 16  ? 4
                            : shape::size <= 128 ? 128 / shape::size
                                                 : 1;
      auto& values = *window_;
      int i = lane_;
#pragma unroll 1
      for (; i - lane_ + batch * 32 <= count;
           i += batch * 32) {  // without branches: no load waits for another
        V some[batch];
#pragma unroll
        for (int b = 0; b < batch; ++b)
          put_bytes(some[b], static_cast<V>(problem_.unary(problem_.in[base + i + b * 32])));
#pragma unroll
        for (int b = 0; b < batch; ++b) put_bytes(values[i + b * 32], some[b]);
      }
#pragma unroll 1
      for (; i < count; i += 32) put_bytes(values[i], static_cast<V>(problem_.unary(problem_.in[base + i])));
    }
  }
  /// What has been asked for is there.
  __device__ void await() {
    if constexpr (shape::in_streams || shape::gathered) await_async_copies();
    __syncwarp();
  }

  /// All but those of the window that was asked for last.
  __device__ void await_first() {
    await_first_async_copies();
    __syncwarp();
  }

  /// Items [skip, count) of the window; for lane 0.
  __device__ V fold(std::int64_t base, int skip, int count) {
    if (count == window_items && skip == 0) return fold_whole(base);
    int const each = (count + 32 * g - 1) / (32 * g) * g, first = max(min(lane_ * each, count), skip),
              last = min((lane_ + 1) * each, count);
    return fold_by_lanes(base, count, first, last, 32);
  }

  /// The same by as many neighbouring lanes, each with a run of `each` places from a multiple of it on; for
  /// the first lane that has some. All lanes of the warp call it.
  __device__ V fold_by_lanes(std::int64_t base, int count, int first, int last, int width) {
    int const sub = lane_ & (width - 1);
    V sum{};
    if (first < last) sum = fold_items(base, count, first, last);
    bool has = first < last;
    if (__all_sync(~0u, has) && width == 32) return warp_reduce_right(sum, 32, op_);
#pragma unroll 1
    for (int by = 1; by < width; by *= 2) {
      V const right = warp_shfl_down(sum, by);
      bool const right_has = __shfl_down_sync(~0u, has, by) && sub + by < width && (sub & (2 * by - 1)) == 0;
      if (right_has) sum = has ? static_cast<V>(op_(sum, right)) : right;
      has = has || right_has;
    }
    return sum;
  }

 private:
  __device__ auto row_of(int count) {
    return row(source_, n_, (count + 32 * shape::unit - 1) / (32 * shape::unit), *window_);
  }

  /// Of so many rows of 32 elements those that there are: a lane finds where one of each row stands, before
  /// any is copied; lanes side by side copy the words of an element, so that few lines of the cache are asked
  /// for.
  template <int Rows>
  __device__ void gather(std::int64_t base, int count) {
    using element = typename shape::element;
    constexpr int bytes = shape::element_word, words = static_cast<int>(sizeof(element)) / bytes;
    element const* at[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) put_bytes(at[r], element_of(base + min(r * 32 + lane_, count - 1)));
    auto const word_at = [&](int k) -> void const* {
      auto const from = reinterpret_cast<std::uintptr_t>(at[k / words]);
      if constexpr (words == 1) return reinterpret_cast<void const*>(from);
      int const place = k % words * 32 + lane_;
      return reinterpret_cast<void const*>(__shfl_sync(~0u, from, place / words) +
                                           static_cast<unsigned>(place % words * bytes));
    };
    auto* const to = window_->bytes + lane_ * bytes;
    if constexpr (bytes >= 4) {
#pragma unroll
      for (int k = 0; k < Rows * words; ++k)
        if (k / words * 32 < count) copy_async<bytes>(to + k * 32 * bytes, word_at(k));
    } else {
      static_assert(words == 1);
      using word = std::conditional_t<bytes == 1, unsigned char, unsigned short>;
      unsigned some[Rows];
#pragma unroll
      for (int r = 0; r < Rows; ++r) some[r] = *static_cast<word const*>(word_at(r));
#pragma unroll
      for (auto& x : some) asm volatile("" : "+r"(x));  // all are asked for before the first is stored
#pragma unroll
      for (int r = 0; r < Rows; ++r)
        *reinterpret_cast<word*>(to + r * 32 * bytes) = static_cast<word>(some[r]);
    }
  }
  /// The same of elements in parts, which come by way of registers.
  template <int Rows>
  __device__ void gather_in_parts(std::int64_t base, int count) {
    item_parts<typename shape::element> some[Rows];
    typename shape::element const* at[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) put_bytes(at[r], element_of(base + min(r * 32 + lane_, count - 1)));
#pragma unroll
    for (int r = 0; r < Rows; ++r) some[r].ask(at[r]);
#pragma unroll
    for (int r = 0; r < Rows; ++r) (*window_)[r * 32 + lane_].is(some[r].joined());
  }
  __device__ typename shape::element const* element_of(std::int64_t i) const {
    return source_.element_of(i, [&](auto k) -> decltype(auto) {
      return *source_.template stream<decltype(k)::value>().lowest(i, 1);
    });
  }

  /// Items [from, to) of the window, of `count`, that begins with item `base`; there is one.
  __device__ V fold_items(std::int64_t base, int count, int from, int to) {
    if constexpr (shape::in_streams) {
      auto const window = row_of(count);
      return fold_run(
          from, to,
          [&](int at, V(&some)[g]) {
            stream_items<Source, g> items;
            if constexpr (shape::reads_anywhere) load_from_window(window.place_of(at), items.items);
            else window.load(at / g, items);
#pragma unroll
            for (int v = 0; v < g; ++v)
              put_bytes(some[v], of(source_.item(base + at + v, [&](auto k) -> decltype(auto) {
                          return items.template at<decltype(k)::value>(v);
                        })));
          },
          [&](int at) {
            stream_items<Source, 1> items;
            window.load_one(at, items);
            return of(source_.item(base + at, [&](auto k) -> decltype(auto) {
              return items.template at<decltype(k)::value>(0);
            }));
          });
    } else {
      auto const one = [&](int at) { return value_at(base, at); };
      return fold_run(
          from, to,
          [&](int at, V(&some)[g]) {
#pragma unroll
            for (int v = 0; v < g; ++v) put_bytes(some[v], one(at + v));
          },
          one);
    }
  }
  /// Item `at` of a window that has no streams, that begins with item `base`.
  __device__ V value_at(std::int64_t base, int at) const {
    if constexpr (shape::in_parts) return of(source_.made_of((*window_)[at].item()));
    else if constexpr (shape::gathered) return of(source_.made_of((*window_)[at]));
    else if constexpr (shape::in_values) return (*window_)[at];
    else return static_cast<V>(problem_.unary(problem_.in[base + at]));
  }
  template <class X>
  __device__ V of(X const& x) const {
    return static_cast<V>(problem_.unary(static_cast<Raw>(x)));
  }
  /// Whole groups by load(at, some), others by load_one(at).
  template <class Load, class LoadOne>
  __device__ V fold_run(int from, int to, Load load, LoadOne load_one) {
    V sum{};
    bool begun = false;
    if (to - from < g || (!shape::reads_anywhere && from % g != 0)) {
      sum = load_one(from++);
      begun = true;
#pragma unroll 1
      for (; !shape::reads_anywhere && from < to && from % g != 0; ++from)
        sum = static_cast<V>(op_(sum, load_one(from)));
    }
#pragma unroll 1
    for (; from + g <= to; from += g) {
      V some[g];
      load(from, some);
      V part = some[0];  // short chains, so that groups overlap
#pragma unroll
      for (int v = 1; v < g; ++v) part = static_cast<V>(op_(part, some[v]));
      sum = begun ? static_cast<V>(op_(sum, part)) : part;
      begun = true;
    }
#pragma unroll 1
    for (; from < to; ++from) sum = static_cast<V>(op_(sum, load_one(from)));
    return sum;
  }

  /// All of the window, of which each lane has as many neighbours; for lane 0.
  __device__ V fold_whole(std::int64_t base) {
    constexpr int run = window_items / 32, groups = run / g;
    V sum{};
    if constexpr (shape::in_streams) {
      auto const window = row_of(window_items);
      auto const at_once = [&](auto const& aligned) {
#pragma unroll(g >= 8 ? 2 : 4)
        for (int k = 0; k < groups; ++k) {
          int const at = lane_ * run + k * g;
          stream_items<Source, g> items;
          if constexpr (shape::reads_anywhere) load_from_window(window.place_of(at), items.items);
          else window.template load<std::remove_cvref_t<decltype(aligned)>::value>(at / g, items);
          auto const item = [&](int v) {
            return of(source_.item(base + at + v, [&](auto stream) -> decltype(auto) {
              return items.template at<decltype(stream)::value>(v);
            }));
          };
          V part = item(0);
#pragma unroll
          for (int v = 1; v < g; ++v) part = static_cast<V>(op_(part, item(v)));
          sum = k > 0 ? static_cast<V>(op_(sum, part)) : part;
        }
      };
      if (!shape::reads_anywhere && window.aligned()) at_once(std::true_type{});
      else at_once(std::false_type{});
#pragma unroll
      for (int v = groups * g; v < run; ++v) {
        int const at = lane_ * run + v;
        stream_items<Source, 1> items;
        window.load_one(at, items);
        sum = static_cast<V>(op_(sum, of(source_.item(base + at, [&](auto stream) -> decltype(auto) {
                                   return items.template at<decltype(stream)::value>(0);
                                 }))));
      }
    } else {
      auto const one = [&](int at) { return value_at(base, at); };
      constexpr int chain = run % 4 == 0 ? 4 : run % 3 == 0 ? 3 : 1;
#pragma unroll(shape::size <= 16 ? 8 / chain : 2)
      for (int k = 0; k < run; k += chain) {
        V part = one(lane_ * run + k);
#pragma unroll
        for (int v = 1; v < chain; ++v) part = static_cast<V>(op_(part, one(lane_ * run + k + v)));
        sum = k > 0 ? static_cast<V>(op_(sum, part)) : part;
      }
    }
    return warp_reduce_right(sum, 32, op_);
  }

  Problem const& problem_;
  std::int64_t n_;
  Op& op_;
  Source source_;
  int lane_;
  memory* window_;
  bool ahead_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

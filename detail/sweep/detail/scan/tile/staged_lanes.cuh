// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_STAGED_LANES_CUH
#define SWEEP_DETAIL_SCAN_TILE_STAGED_LANES_CUH

#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/scan/tile/staged_items.cuh>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// What one lane does with its part of a pipeline's tile: its items are neighbours, so most of the work is
/// plain serial folding.
template <class Problem, scan_plan P, scan_shape Shape>
class scan_staged_lanes : public scan_staged_items<Problem, P, Shape> {
  using base = scan_staged_items<Problem, P, Shape>;
  using typename base::rows, typename base::sink, typename base::source, typename base::T, typename base::U;
  using base::lane_, base::problem_, base::reading;

  // A lane folds flagged values without their flags: the bits beside its items tell where segments begin.
  using form = fold_form<T>;
  using folded = typename form::folded;
  /// Bytes that come as the numbers they are: unsigned ones, and signed ones of which numbers of two bytes
  /// are made.
  static constexpr bool as_numbers =
      sizeof(typename source::value_type) == 2 || std::is_same_v<typename source::value_type, unsigned char>;
  template <class Op>
  static __device__ void fold_in(folded& sum, T const& x, bool begins, Op& op) {
    sum = begins ? form::value(x) : static_cast<folded>(form::op(op)(sum, form::value(x)));
  }

 public:
  using typename base::lane_heads, typename base::results, typename base::stage;
  using base::heads, base::heads_of_lane, base::lowest, base::offset;
  using base::backward, base::chunk_items, base::inclusive, base::L, base::segmented, base::tile_items;
  template <int K>
  using stream_item = typename base::template stream_item<K>;
  template <int K>
  using sink_item = typename base::template sink_item<K>;

  __device__ scan_staged_lanes(Problem const& problem, results& to) : base{problem, to} {}

  // One item.

  /// As the operator sees it; place must exist.
  __device__ T item(stage& at, tile_window const& window, int place) const {
    return problem_.item(
        reading().item(window.base + offset(place),
                       [&](auto k) {
                         constexpr int K = decltype(k)::value;
                         auto const from = base::template stream_window<K>(at, window);
                         int const m =
                             base::template in_memory<stream_reversed<source, K>>(place, tile_items);
                         return read_item<stream_item<K>>(from.at.at(from.first) +
                                                          m * static_cast<int>(sizeof(stream_item<K>)));
                       }),
        heads(at, offset(place), 1), 0);
  }

  // All of a lane's items.

  __device__ rows read_lane(stage& at, tile_window const& window, int place) const {
    rows got;
    for_each_stream<source::streams>([&](auto k) {
      constexpr int K = decltype(k)::value;
      auto const from = base::template stream_window<K>(at, window);
      int const m = base::template ascends<stream_reversed<source, K>> ? place : tile_items - L - place;
      // What is made begins with a word.
      read_window<base::makes>(from.at.at(from.first) + m * static_cast<int>(sizeof(stream_item<K>)),
                               got.template of<K>());
    });
    return got;
  }
  /// Item v in scan order, as the operator sees it; `first` is the lane's lowest index.
  __device__ T item_of(rows const& all, lane_heads const& heads, std::int64_t first, int v) const {
    return problem_.item(reading().item(first + (backward ? L - 1 - v : v),
                                        [&](auto k) {
                                          constexpr int K = decltype(k)::value;
                                          auto const& row = all.template of<K>();
                                          int const at =
                                              base::template in_memory<stream_reversed<source, K>>(v, L);
                                          if constexpr (as_numbers) return row.number(at);
                                          else return row.item(at);
                                        }),
                         heads.word_of(v), lane_heads::bit_of(v) % 32);
  }

  /// Of the lane's items, those at the places [from, to); the others may be anything.
  template <class Op>
  __device__ T fold_some(stage& at, tile_window const& window, int place, int from, int to, Op& op) const {
    auto const all = read_lane(at, window, place);
    auto const heads = heads_of_lane(at, place);
    auto const first = lowest(window, place, L);
    T sum{};
#pragma unroll
    for (int v = 0; v < L; ++v)
      if (place + v >= from && place + v < to) {
        T const x = item_of(all, heads, first, v);
        sum = place + v > from ? static_cast<T>(op(sum, x)) : x;
      }
    return sum;
  }

  template <class Op>
  __device__ T fold_lane(stage& at, tile_window const& window, int place, Op& op) const {
    auto const all = read_lane(at, window, place);
    if constexpr (sums_bytes<Op>) {
      int sum = 0;
#pragma unroll
      for (int w = 0; w < (L + 3) / 4; ++w) {
        unsigned const ones = L - 4 * w >= 4 ? 0x01010101u : (1u << 8 * (L - 4 * w)) / 255;
        auto const word = all.template of<0>().word[w];
        if constexpr (std::is_signed_v<stream_item<0>>)
          sum = __dp4a(static_cast<int>(word), static_cast<int>(ones), sum);
        else sum = static_cast<int>(__dp4a(word, ones, static_cast<unsigned>(sum)));
      }
      return static_cast<T>(sum);
    } else {
      auto const heads = heads_of_lane(at, place);
      auto const first = lowest(window, place, L);
      constexpr int part_items =
          16 / sizeof(T) > 4 ? 16 / sizeof(T) : 4;  // short chains, so that they overlap
      folded sum{};
#pragma unroll
      for (int from = 0; from < L; from += part_items) {
        folded part = form::value(item_of(all, heads, first, from));
        bool begins = heads.begins(from);
#pragma unroll
        for (int k = 1; k < part_items; ++k) {  // as many of each: else the row goes to local memory
          int const v = from + k;
          if (v >= L) break;
          fold_in(part, item_of(all, heads, first, v), heads.begins(v), op);
          begins |= heads.begins(v);
        }
        sum = from > 0 && !begins ? static_cast<folded>(form::op(op)(sum, part)) : part;
      }
      return form::joined(sum, heads.begins_any());
    }
  }

  /// Makes the results of a lane and leaves them in the chunk's windows; where the lane is not Whole, of the
  /// places [from, to).
  template <bool Whole, class Op>
  __device__ void scan_lane(stage& at, tile_window const& window, int place, int from, int to,
                            optional<T> const& before, Op& op) const {
    int const chunk = place / chunk_items;
    auto const all = read_lane(at, window, place);
    auto const heads = heads_of_lane(at, place);
    auto const first = lowest(window, place, L);
    lane_results made(*this, at, window, chunk);
    folded sum = form::value(before.value);
    bool begun = ignores_left(before.value);
    bool const has = before.present;  // false for the very first item alone
#pragma unroll
    for (int v = 0; v < L; ++v) {
      if (!Whole && (place + v < from || place + v >= to)) continue;
      if constexpr (!inclusive)
        made.put(v, static_cast<U>(problem_.before(form::joined(sum, begun), heads.word_of(v),
                                                   lane_heads::bit_of(v) % 32)));
      T const x = item_of(all, heads, first, v);
      if ((Whole ? v > 0 : place + v > from) || has) fold_in(sum, x, heads.begins(v), op);
      else sum = form::value(x);
      begun |= heads.begins(v);
      if constexpr (inclusive) made.put(v, static_cast<U>(form::joined(sum, begun)));
    }
    made.finish(lane_);
  }

  // Some of a lane's items, in little code: for the one chunk in which a range ends.

  template <class Op>
  __device__ T fold_briefly(stage& at, tile_window const& window, int from, int to, Op& op) const {
    T sum{};
#pragma unroll 1
    for (int p = from; p < to; p += at_once) {
      T x[at_once];
      read_items(at, window, p, to, x);
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (p + k < to) sum = p + k > from ? static_cast<T>(op(sum, x[k])) : x[k];
    }
    return sum;
  }
  template <class Op>
  __device__ void scan_briefly(stage& at, tile_window const& window, int place, int from, int to,
                               optional<T> before, Op& op) const {
    lane_results made(*this, at, window, place / chunk_items);
#pragma unroll 1
    for (int p = from; p < to; p += at_once) {
      T x[at_once];
      read_items(at, window, p, to, x);
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (p + k < to) {
          T const with = combine(before, x[k], op);
          if constexpr (inclusive) made.put_apart(p + k - place, static_cast<U>(with));
          else
            made.put_apart(p + k - place,
                           static_cast<U>(problem_.before(before.value, heads(at, offset(p + k), 1), 0)));
          before = {with, true};
        }
    }
  }

 private:
  static constexpr int at_once = 4;
  __device__ void read_items(stage& at, tile_window const& window, int from, int to, T (&x)[at_once]) const {
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      if (from + k < to) put_bytes(x[k], item(at, window, from + k));
  }

  /// Whether the fold of items is the sum of their bytes.
  template <class Op>
  static constexpr bool sums_bytes = [] {
    if constexpr (source::streams == 1 && std::is_same_v<source, memory_source<typename Problem::raw>>)
      return std::is_integral_v<typename Problem::raw> && sizeof(typename Problem::raw) == 1 &&
             std::is_integral_v<T> && sizeof(T) >= 4 && adds<Op, T> && !segmented &&
             std::is_same_v<decltype(Problem::unary), identity>;
    else return false;
  }();

  /// Where a lane's results go: items of whole words at once, narrower ones together in the end.
  template <int K>
  struct sink_row {
    using item = sink_item<K>;
    static constexpr bool direct = natural_width<item> >= 4,
                          ascending = base::template ascends<stream_reversed<sink, K>>;
    struct none {};
    unsigned char* to;
    std::conditional_t<direct, none, item_vector<item, L>> row;
  };
  template <class Sinks>
  struct sink_rows;
  template <int... K>
  struct sink_rows<std::integer_sequence<int, K...>> : sink_row<K>... {};

  class lane_results {
   public:
    __device__ lane_results(scan_staged_lanes const& lanes, stage& at, tile_window const& window, int chunk) {
      for_each_stream<sink::streams>([&](auto k) {
        constexpr int K = decltype(k)::value;
        auto& row = static_cast<sink_row<K>&>(rows_);
        auto const window_to = lanes.template sink_window<K>(at, window, chunk);
        int const place = lanes.lane_ * L, m = sink_row<K>::ascending ? place : chunk_items - L - place;
        row.to = window_to.at.at(window_to.first) + m * static_cast<int>(sizeof(sink_item<K>));
      });
    }
    __device__ void put(int v, U const& result) {
      for_each_stream<sink::streams>([&](auto k) {
        constexpr int K = decltype(k)::value;
        using row_type = sink_row<K>;
        using item = typename row_type::item;
        auto& row = static_cast<row_type&>(rows_);
        int const m = row_type::ascending ? v : L - 1 - v;
        item const x = sink::template part<K>(result);
        if constexpr (row_type::direct) write_item(row.to + m * static_cast<int>(sizeof(item)), x);
        else row.row.template put<row_type::ascending>(m, x);
      });
    }
    /// The same at once, whatever its width; v need not be known when compiling.
    __device__ void put_apart(int v, U const& result) {
      for_each_stream<sink::streams>([&](auto k) {
        constexpr int K = decltype(k)::value;
        using row_type = sink_row<K>;
        using item = typename row_type::item;
        auto& row = static_cast<row_type&>(rows_);
        int const m = row_type::ascending ? v : L - 1 - v;
        write_item(row.to + m * static_cast<int>(sizeof(item)), item(sink::template part<K>(result)));
      });
    }
    __device__ void finish(int lane) {
      for_each_stream<sink::streams>([&](auto k) {
        using row_type = sink_row<decltype(k)::value>;
        auto& row = static_cast<row_type&>(rows_);
        if constexpr (!row_type::direct) write_window<row_type::ascending>(row.to, row.row, lane);
      });
    }

   private:
    sink_rows<std::make_integer_sequence<int, sink::streams>> rows_;
  };
};

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_REDUCE_TILE_ELSEWHERE_SHARE_CUH
#define SWEEP_DETAIL_REDUCE_TILE_ELSEWHERE_SHARE_CUH

#include <sweep/detail/block/item_parts.cuh>
#include <sweep/detail/block/staged_row.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/packed_value.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/reduce/problem.hpp>
#include <sweep/detail/warp/reduce.cuh>
#include <sweep/plan.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// A block's share of items that lie where their iterator alone knows: tiles that follow each other, of R
/// rows a warp that do, too, in which a lane has V neighbours. Lanes fold their neighbours, and the lanes of
/// all rows are folded together, in order. What leads to items (indices, most often) is read as vectors a
/// tile ahead, and all items of a tile are asked for before the first is looked at; where they lie at odd
/// places and take more parts, of as many rows as there are registers for. The block's warps read one place
/// of memory: what indices lead to is often near, and soon read again. V and R depend on types alone, so
/// brackets stand where the number of items and the plan say.
template <class Problem, class Source, reduce_plan P>
class elsewhere_share {
  using T = typename Problem::value;
  using Raw = typename Source::value_type;
  using Unary = decltype(Problem::unary);
  static constexpr int warps = P.threads / 32;

  /// What a lane has of an item on its way: parts of an element, the item, or what is folded of it.
  static constexpr bool in_parts = gathers_in_parts<Source> || has_wider_places<Source>;
  using held = typename std::conditional_t<relocatable<Raw> && std::is_default_constructible_v<Raw> &&
                                               sizeof(Raw) < sizeof(T),
                                           std::type_identity<Raw>, std::type_identity<T>>::type;
  static constexpr bool holds_items = in_parts || std::is_same_v<held, Raw>;
  /// Elements that lie at multiples of what divides their size are asked for in fewer parts.
  static constexpr bool looks_at_place = has_natural_places<Source> || has_wider_places<Source>;
  template <bool Natural>
  static constexpr auto asked_type() {
    if constexpr (!in_parts) return std::type_identity<held>{};
    else if constexpr (Natural) return std::type_identity<parts_at_natural_places<Source>>{};
    else return std::type_identity<item_parts<element_of_t<Source>>>{};
  }
  template <bool Natural>
  using asked = typename decltype(asked_type<Natural>())::type;

  template <int K = 0>
  static constexpr int bytes_of_places() {
    if constexpr (K == Source::streams) return 0;
    else return static_cast<int>(sizeof(stream_item<Source, K>)) + bytes_of_places<K + 1>();
  }
  /// Whether what leads to items is read a tile ahead.
  static constexpr bool has_places = Source::streams > 0 &&
                                     Source::reads_elsewhere&& bytes_of_places() <=
                                         16 &&[]<int... K>(std::integer_sequence<int, K...>) {
    return (std::is_default_constructible_v<stream_item<Source, K>> && ...);
  }
  (std::make_integer_sequence<int, Source::streams>{});
  static constexpr int registers_of_places = has_places ? (bytes_of_places() + 3) / 4 : 0;
  /// That an item takes on its way.
  template <bool Natural>
  static constexpr int registers_asked = [] {
    if constexpr (in_parts) return asked<Natural>::registers;
    else return static_cast<int>((sizeof(held) + 3) / 4);
  }();
  static constexpr int most_registers = 32;
  /// Of 4, 2 and 1 the most that fit.
  static constexpr int most_of(int registers, int of = most_registers) {
    return registers * 4 <= of ? 4 : registers * 2 <= of ? 2 : 1;
  }
  /// Neighbours that fit, and rows of so many. What rows are folded to has registers of its own, for each
  /// part of a value perhaps one.
  static constexpr int neighbours = most_of(registers_of_places + registers_asked<false>),
                       registers_of_row =
                           neighbours * (registers_of_places + registers_asked<looks_at_place>),
                       parts_of_sum = static_cast<int>(sizeof(T) / alignof(T)),
                       all_rows = most_of(registers_of_row + parts_of_sum, most_registers + 8);
  /// Of structs of bytes, which take long to exchange, two rows of twice as many neighbours in place of four.
  static constexpr int V = has_places && neighbours == 4 && all_rows == 4 && spreads_in_registers<T>
                               ? 8
                               : neighbours,
                       R = neighbours * all_rows / V;
  /// Rows whose items are on their way at once.
  template <bool Natural>
  static constexpr int rows_at_once = [] {
    int rows = R;
    while (rows > 1 && V * (R * registers_of_places + rows * registers_asked<Natural>) > most_registers)
      rows /= 2;
    return rows;
  }();
  static constexpr int row_items = 32 * V, tile_items = warps * R * row_items;

  /// Sums of warps that wait to be folded.
  static constexpr int most_sums =
      std::max(1, std::min(32, static_cast<int>(2048 / sizeof(T)) / warps)) * warps;

  struct no_places {};
  using places = std::conditional_t<has_places, stream_items<Source, V>, no_places>;

 public:
  struct shared {
    uninitialized<T, most_sums + 1> sums;  ///< of warps, and of all before them
  };
  struct input {
    Source source;
    std::int64_t tiles_each = 0;  ///< of every block
    int tiles_more = 0;           ///< the first so many have one more
    bool natural = false;         ///< where elements lie
  };
  static input input_of(Problem const& problem) {
    input in{source_of(problem.in)};
    auto const tiles = (problem.n + tile_items - 1) / tile_items, takers = blocks(problem, in);
    in.tiles_each = tiles / takers;
    in.tiles_more = static_cast<int>(tiles % takers);
    if constexpr (looks_at_place) in.natural = lies_at_natural_places(in.source);
    return in;
  }
  static std::int64_t blocks(Problem const& problem, input const&) {
    auto const tiles = (problem.n + tile_items - 1) / tile_items;
    return std::clamp<std::int64_t>(tiles, 1, P.most_blocks);
  }

  __device__ elsewhere_share(Problem& problem, input const& in, shared& smem)
      : problem_{problem},
        in_{in},
        smem_{smem},
        lane_{static_cast<int>(threadIdx.x % 32)},
        warp_{static_cast<int>(threadIdx.x / 32)} {}

  static __device__ std::int64_t shares(Problem const& problem, std::int64_t of) {
    return problem.n == 0 ? 0 : of;
  }

  __device__ optional<T> reduce(std::int64_t block, std::int64_t) {
    if constexpr (looks_at_place)
      if (in_.natural) return reduce_tiles<true>(block);
    return reduce_tiles<false>(block);
  }

 private:
  /// A warp's rows of a tile, of which the last may have fewer rows, shared by all warps, and items.
  struct warp_rows {
    std::int64_t first;  ///< item
    int count;
    bool whole;  ///< whether all items of the tile exist
  };
  __device__ warp_rows rows_of(std::int64_t tile) const {
    auto const begin = tile * tile_items, left = problem_.n - begin;
    bool const whole = left >= tile_items;
    int const count = whole ? R : (static_cast<int>(left) + warps * row_items - 1) / (warps * row_items);
    return {begin + warp_ * count * row_items, count, whole};
  }
  __device__ std::int64_t first_tile_of(std::int64_t block) const {
    return block * in_.tiles_each + min(block, std::int64_t{in_.tiles_more});
  }

  template <bool Natural>
  __device__ optional<T> reduce_tiles(std::int64_t block) {
    constexpr int A = rows_at_once<Natural>;
    auto tile = first_tile_of(block);
    auto const end = first_tile_of(block + 1);
    if (tile >= end) return {};
    asked<Natural> x[A][V];
    places at[R];
    int summed = 0;
    auto now = rows_of(tile);
    load_places(now, at);
    ask(now, at, 0, x);
    if (A == R && tile + 1 < end) load_places(rows_of(tile + 1), at);
#pragma unroll 1
    for (; tile < end; summed += warps) {
      if (summed + warps > most_sums + 1) {
        __syncthreads();
        if (warp_ == 0) put_sum(0, sum_of_sums(summed));  // lane 0 has read it
        summed = 1;
        __syncthreads();
      }
      if (!now.whole) break;
      T rows[R];
      int count = 0;  // of items that count, in place of what rows are folded to
#pragma unroll
      for (int from = 0; from < R; from += A) {
#pragma unroll
        for (int r = 0; r < A; ++r) {
          auto const sum = sum_of_lane(x[r], now.first + (from + r) * row_items + lane_ * V);
          if constexpr (counts_items<Unary>) count += static_cast<int>(sum);
          else put_bytes(rows[from + r], sum);
        }
        if (from + A < R) ask(now, at, from + A, x);
        if (from + 2 * A == R && tile + 1 < end) load_places(rows_of(tile + 1), at);
      }
      if (++tile < end) {
        now = rows_of(tile);
        ask(now, at, 0, x);
        if (A == R && tile + 1 < end) load_places(rows_of(tile + 1), at);
      }
      if constexpr (counts_items<Unary>)
        put_sum(summed + warp_, static_cast<T>(__reduce_add_sync(~0u, count)));
      else put_sum(summed + warp_, warp_reduce_rows(rows, problem_.op));
    }
    if (tile < end) {  // the last tile of all
      fold_what_exists(now, at, x, summed + warp_);
      int const items = now.count * row_items,  // of a warp
          left = static_cast<int>(problem_.n - tile * tile_items);
      summed += (left + items - 1) / items;
    }
    __syncthreads();
    if (warp_ > 0) return {};
    return {sum_of_sums(summed), true};
  }

  /// What leads to the items of a tile; where it is not whole, of items that do not exist to the last one.
  __device__ void load_places(warp_rows const& of, places (&at)[R]) const {
    if constexpr (has_places)
#pragma unroll
      for (int r = 0; r < R; ++r)
        load_neighbours_of<0>(of.first + r * row_items + lane_ * V, of.whole, at[r]);
  }
  template <int K, class Items>
  __device__ void load_neighbours_of(std::int64_t i, bool whole, Items& to) const {
    if constexpr (K < Source::streams) {
      auto const stream = in_.source.template stream<K>();
      if (whole && !stream_reversed<Source, K>) {
        load_neighbours<access::streaming, V>(stream.lowest(i, V), 0, to.items);
      } else {
#pragma unroll
        for (int v = 0; v < V; ++v)
          put_bytes(to.items[v], *stream.lowest(whole ? i + v : min(i + v, problem_.n - 1), 1));
      }
      load_neighbours_of<K + 1>(i, whole, to.others);
    }
  }

  /// Of A rows from this one on.
  template <class Asked, int A>
  __device__ void ask(warp_rows const& of, places const (&at)[R], int from, Asked (&x)[A][V]) const {
#pragma unroll
    for (int r = 0; r < A; ++r)
#pragma unroll
      for (int v = 0; v < V; ++v) {
        auto const own = of.first + (from + r) * row_items + lane_ * V + v,
                   i = of.whole ? own : min(own, problem_.n - 1);
        if constexpr (has_places) {
          auto const read = [&](auto k) -> decltype(auto) {
            return at[from + r].template at<decltype(k)::value>(v);
          };
          if constexpr (in_parts) x[r][v].ask(in_.source.element_of(i, read));
          else put_bytes(x[r][v], held_of(static_cast<Raw>(in_.source.item(i, read)), i));
        } else {
          put_bytes(x[r][v], held_of(static_cast<Raw>(problem_.in[i]), i));
        }
      }
  }
  __device__ held held_of(Raw const& raw, std::int64_t i) const {
    if constexpr (holds_items) return raw;
    else return problem_.of(raw, i);
  }
  /// Of what has arrived for an item.
  __device__ Raw raw_of(auto const& x) const {
    if constexpr (in_parts) return static_cast<Raw>(in_.source.made_of(x.joined().item(0)));
    else return x;
  }
  __device__ T value_of_item(auto const& x, std::int64_t i) const {
    if constexpr (holds_items) return problem_.of(raw_of(x), i);
    else return x;
  }

  template <class Asked>
  __device__ T sum_of_lane(Asked const (&x)[V], std::int64_t i) const {
    if constexpr (holds_items && folds_neighbours<Unary, Raw, V>) {
      Raw raw[V];
#pragma unroll
      for (int v = 0; v < V; ++v) put_bytes(raw[v], raw_of(x[v]));
      return problem_.unary.fold(raw, i);
    } else {
      constexpr int chain = V < 4 ? V : 4;  // short ones, so that they overlap
      T sum{};
#pragma unroll
      for (int from = 0; from < V; from += chain) {
        T part = value_of_item(x[from], i + from);
#pragma unroll
        for (int v = from + 1; v < from + chain; ++v)
          part = static_cast<T>(problem_.op(part, value_of_item(x[v], i + v)));
        sum = from > 0 ? static_cast<T>(problem_.op(sum, part)) : part;
      }
      return sum;
    }
  }
  /// The sum of a warp's rows that are not whole, row by row; the first A have been asked for.
  template <class Asked, int A>
  __device__ void fold_what_exists(warp_rows const& of, places const (&at)[R], Asked (&x)[A][V],
                                   int to) const {
    T sum{};
    auto const left = problem_.n - of.first;
#pragma unroll
    for (int from = 0; from < R; from += A) {
      if (from > 0) ask(of, at, from, x);
#pragma unroll
      for (int r = from; r < from + A; ++r) {
        auto const there = left - r * row_items;  // items from this row on
        if (r >= of.count || there <= 0) continue;
        auto const i = of.first + r * row_items + lane_ * V;
        T mine{};
#pragma unroll
        for (int v = 0; v < V; ++v)
          if (lane_ * V + v < there) {
            T const next = value_of_item(x[r - from][v], i + v);
            mine = v > 0 ? static_cast<T>(problem_.op(mine, next)) : next;
          }
        int const lanes = static_cast<int>(min((there + V - 1) / V, std::int64_t{32}));
        mine = warp_reduce_briefly(mine, lanes, problem_.op);
        sum = r > 0 ? static_cast<T>(problem_.op(sum, mine)) : mine;
      }
    }
    if (left > 0) put_sum(to, sum);
  }

  __device__ void put_sum(int at, T const& sum) const {
    if (lane_ == 0) put_bytes(smem_.sums[at], sum);
  }
  /// The fold of the first so many sums, in lane 0 of a warp.
  __device__ T sum_of_sums(int count) const {
    return warp_reduce_values(smem_.sums.data(), count, problem_.op);
  }

  Problem& problem_;
  input const& in_;
  shared& smem_;
  int lane_, warp_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

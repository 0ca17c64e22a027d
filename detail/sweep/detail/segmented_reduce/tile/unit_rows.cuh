// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_UNIT_ROWS_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_UNIT_ROWS_CUH

#include <sweep/detail/block/shifted_vectors.cuh>
#include <sweep/detail/block/staged_row.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/warp/reduce.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// How a warp reads items of one stream by units: a row is a unit of neighbours a lane, which fills whole
/// 16-byte words. So many rows are asked for at once, and so many wait for lanes to tell each other: more of
/// units that are one word.
template <class Source>
struct unit_rows_shape {
  using item = stream_item<Source, 0>;
  static constexpr int unit = items_of_group<Source>(), unit_words = words_of_group<Source, unit>(),
                       asked = unit_words == 1   ? 4
                               : unit_words <= 4 ? 2
                                                 : 1,
                       rows = unit_words == 1 ? 4 : 2, row_items = 32 * unit;
  /// Whether units may begin elsewhere than 16-byte words do, wherever the first one begins.
  static constexpr bool may_shift = alignof(item) < 16 && sizeof(item) / alignof(item) % 2 == 0;
};

/// A warp that folds neighbouring items of one stream, lanes a unit each, straight from memory: units use up
/// the sectors that they lie in, and there is nothing to gain from their neighbours in shared memory.
template <class Problem>
class unit_rows {
  using V = typename Problem::value;
  using Op = decltype(Problem::op);
  using Raw = typename Problem::raw;
  using Source = source_of_t<decltype(Problem::in)>;
  using Item = stream_item<Source, 0>;
  using Stream = decltype(std::declval<Source const&>().template stream<0>());
  using shape = unit_rows_shape<Source>;
  static constexpr int unit = shape::unit, U = shape::unit_words, L = shape::asked, R = shape::rows,
                       row_items = shape::row_items, words = 4 * U + (shape::may_shift ? 4 : 0);

 public:
  struct memory {};  ///< no window

  __device__ unit_rows(Problem const& problem, std::int64_t n, Op& op)
      : problem_{problem},
        op_{op},
        source_{source_of(problem.in)},
        lane_{static_cast<int>(threadIdx.x % 32)},
        n_{n} {}

  /// So many items from one on with which a unit begins, of which the first ones are left out, fewer than a
  /// unit has; for lane 0. There is one.
  __device__ V fold(std::int64_t first, int skip, int count) {
    V sum{};
    bool begun = false;
#pragma unroll 1
    while (count > 0) {
      bool const whole =
          (skip == 0 || (U == 1 && first >= 0)) && count >= R * row_items && words_exist(first);
      V const part = whole ? fold_whole(first, skip) : fold_some(first, skip, count);
      put_bytes(sum, begun ? static_cast<V>(op_(sum, part)) : part);
      int const done = (whole ? R : L) * row_items;
      first += done;
      count -= done;
      begun = true;
      skip = 0;
    }
    return sum;
  }

 private:
  /// Whether all words of R rows are the range's.
  __device__ bool words_exist(std::int64_t first) const {
    if constexpr (shape::may_shift) return first >= unit && first + R * row_items + unit <= n_;
    else return true;
  }
  __device__ V fold_whole(std::int64_t first, int skip) {
    first += lane_ * unit;
    int const left_out = U == 1 && lane_ == 0 ? skip : 0;
    V parts[R];
#pragma unroll
    for (int from = 0; from < R; from += L) {
      unsigned found[L][words];
#pragma unroll
      for (int r = 0; r < L; ++r) load(first + (from + r) * row_items, found[r]);
#pragma unroll
      for (int r = 0; r < L; ++r) {
        auto const at = first + (from + r) * row_items;
        if (U == 1 && from + r == 0 && skip > 0)
          put_bytes(parts[0], fold_unit<false>(at, found[0], left_out, unit));
        else put_bytes(parts[from + r], fold_unit<true>(at, found[r], 0, unit));
      }
    }
    return warp_reduce_rows(parts, op_);
  }
  /// Of L rows as many items as there are; for lane 0.
  __device__ V fold_some(std::int64_t first, int skip, int count) {
    // Items [from(r), to(r)) of a lane's unit exist.
    auto const from = [&](int r) { return r == 0 && lane_ == 0 ? skip : 0; };
    auto const to = [&](int r) { return min(max(count - (32 * r + lane_) * unit, 0), unit); };
    if constexpr (U == 1)
      if (first >= 0 && first + (count + unit - 1) / unit * unit <= n_) {
        unsigned found[L][words];
#pragma unroll
        for (int r = 0; r < L; ++r)
          if (to(r) > 0) load(first + lane_ * unit + r * row_items, found[r]);
        V parts[L];
#pragma unroll
        for (int r = 0; r < L; ++r)
          put_bytes(parts[r],
                    fold_unit<false>(first + lane_ * unit + r * row_items, found[r], from(r), to(r)));
        return warp_reduce_rows_of_some(parts, min((count + unit - 1) / unit, 32 * L), op_);
      }
    first += lane_ * unit;
    unsigned found[L][words];
    auto const in_words = [&](int r) {
      auto const at = first + r * row_items;
      constexpr int beyond = shape::may_shift ? unit : 0;
      return U > 1 && at >= beyond && at + unit + beyond <= n_;
    };
#pragma unroll
    for (int r = 0; r < L; ++r)
      if (to(r) > 0 && in_words(r)) load(first + r * row_items, found[r]);
    V sum{};
#pragma unroll(U == 1 ? 1 : L)
    for (int r = 0; r < L; ++r) {
      if (count <= r * row_items) break;
      V part{};
      if (to(r) > 0) {
        if (in_words(r)) put_bytes(part, fold_unit<false>(first + r * row_items, found[r], from(r), to(r)));
        else put_bytes(part, fold_single(first + r * row_items, from(r), to(r)));
      }
      part = warp_reduce_briefly(part, min((count - r * row_items + unit - 1) / unit, 32), op_);
      put_bytes(sum, r > 0 ? static_cast<V>(op_(sum, part)) : part);
    }
    return sum;
  }

  /// Items [from, to) of a unit.
  template <bool Whole>
  __device__ V fold_unit(std::int64_t first, unsigned (&found)[words], int from, int to) {
    item_vector<Item, unit> items;
    if constexpr (shape::may_shift) {
      shift_words<alignof(Item)>(found, shift_of(first), items.word);
    } else {
#pragma unroll
      for (int w = 0; w < 4 * U; ++w) items.word[w] = found[w];
    }
    V part{};
#pragma unroll
    for (int v = 0; v < unit; ++v)
      if (Whole || (v >= from && v < to)) {
        V const x = made(first + v, items.item(Stream::reversed ? unit - 1 - v : v));
        put_bytes(part, v > (Whole ? 0 : from) ? static_cast<V>(op_(part, x)) : x);
      }
    return part;
  }
  /// The same of a unit at an end of the range, beyond which nothing is read.
  __device__ V fold_single(std::int64_t first, int from, int to) {
    V part{};
#pragma unroll 1
    for (int v = from; v < to; ++v) {
      V const x = made(first + v, *source_.template stream<0>().lowest(first + v, 1));
      put_bytes(part, v > from ? static_cast<V>(op_(part, x)) : x);
    }
    return part;
  }

  /// How far behind a 16-byte word units begin.
  __device__ int shift_of(std::int64_t first) const {
    return static_cast<int>(
        reinterpret_cast<std::uintptr_t>(source_.template stream<0>().lowest(first, unit)) % 16);
  }
  /// The words that hold a unit.
  __device__ void load(std::int64_t first, unsigned (&found)[words]) const {
    auto const address = reinterpret_cast<std::uintptr_t>(source_.template stream<0>().lowest(first, unit));
    auto const* const from = reinterpret_cast<uint4 const*>(address - address % (shape::may_shift ? 16 : 1));
    auto const load_word = [&](int w) {
      uint4 const four = from[w];
      found[4 * w] = four.x;
      found[4 * w + 1] = four.y;
      found[4 * w + 2] = four.z;
      found[4 * w + 3] = four.w;
    };
#pragma unroll
    for (int w = 0; w < U; ++w) load_word(w);
    if constexpr (shape::may_shift)
      if (address % 16 != 0) load_word(U);
  }

  __device__ V made(std::int64_t i, Item const& x) const {
    return static_cast<V>(problem_.unary(static_cast<Raw>(source_.item(i, [&](auto) -> Item { return x; }))));
  }

  Problem const& problem_;
  Op& op_;
  Source source_;
  int lane_;
  std::int64_t n_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

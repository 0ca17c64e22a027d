// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TILE_DIRECT_SCATTER_CUH
#define SWEEP_DETAIL_PARTITION_TILE_DIRECT_SCATTER_CUH

#include <sweep/detail/partition/tile/chunk_loader.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// From registers to memory, each item to its place by itself.
template <class Problem, partition_plan P>
class direct_scatter : chunk_loader<Problem, P> {
  using base = chunk_loader<Problem, P>;
  using typename base::given, typename base::items, typename base::kept, typename base::loaded_value,
      typename base::raw, typename base::stage, typename base::buffer, typename base::values;
  using base::R, base::chunk_items, base::counted, base::halves, base::kept_rows, base::written;
  using base::item_of_pieces, base::lane_, base::problem_, base::put_to, base::take, base::take_loaded;

 public:
  __device__ explicit direct_scatter(Problem const& problem) : base{problem} {}

  template <class Drained>
  __device__ void run(stage& at, buffer& in, int chunk, Drained const& drained) const {
    auto const window = problem_.grid.window(at.tile);
    bool const whole = window.whole(stage::tile_items);
    if constexpr (base::keeps_keys) {
      if (whole) scatter_keyed<true>(at, in, window, chunk, drained);
      else scatter_keyed<false>(at, in, window, chunk, drained);
    } else if (!whole) {
      scatter<false, false>(at, in, window, chunk, drained);
    } else if (!halves && aligned()) {
      scatter<true, true>(at, in, window, chunk, drained);
    } else {
      scatter<true, false>(at, in, window, chunk, drained);
    }
  }

  /// Where few items are wanted, a lane brings its own to their places.
  template <class Drained>
  __device__ void run_few(stage& at, buffer& in, int chunk, few_items<Problem, P> const& few, int most,
                          Drained const& drained) const {
    auto const window = problem_.grid.window(at.tile);
    constexpr int K = few_items<Problem, P>::most_kept;
    int const start = chunk * chunk_items;
    items words[K]{};  // all defined here: ptxas would keep what may stand in them through the whole loop of
                       // tiles
    auto left = few.wanted();
#pragma unroll
    for (int i = 0; i < K; ++i) {
      if (i >= most) break;
      if (left != 0) {
        int const place = start + lane_ * R + few.lowest(left);
        if (Problem::tests_items || (loads_items<Problem> && at.items_loaded))
          take_loaded(in, window, place, words[i]);
        else base::template take_item<false>(in, window, place, words[i]);
      }
      left &= left - 1;
    }
    drained();
    auto const places = base::template chunk_places<false>(at, window, chunk);
    int next[written];
#pragma unroll
    for (int k = 0; k < written; ++k) next[k] = few.before(k);
    left = few.wanted();
#pragma unroll
    for (int i = 0; i < K; ++i) {
      if (i >= most) break;
      auto const bit = left & (~left + 1);
      left ^= bit;
      auto const index = window.base + start + lane_ * R + few.lowest(bit);
      for_each_part<written>([&](auto k) {
        if ((few.mask(k) & bit) != 0) put_item<false>(places.template of<k>(), next[k]++, index, words[i]);
      });
    }
  }

 private:
  /// Width of the accesses that can move an item, and whether the addresses of input and outputs allow it.
  __device__ bool aligned() const {
    bool all = true;
    if constexpr (given::contiguous)
      all = reinterpret_cast<std::uintptr_t>(given::pointer(problem_.in, 0)) %
                vector_width(sizeof(loaded_value)) ==
            0;
    for_each_part<written>([&](auto part) {
      auto const& out = problem_.outputs.template of<part>();
      if constexpr (is_memory_of<std::remove_cvref_t<decltype(out)>, raw>)
        all = all && reinterpret_cast<std::uintptr_t>(lowest_in(out, 0, 1)) % vector_width(sizeof(raw)) == 0;
    });
    return all;
  }
  /// Item `index` of the range to its place.
  template <bool Aligned, class Out>
  __device__ void put_item(Out const& out, int at, std::int64_t index, items const& word) const {
    if constexpr (is_memory_of<Out, raw> && Aligned)
      store_vectors<access::cached>(lowest_in(out, at, 1), base::template piece_of<0>(index, word));
    else put_to(out, at, item_of_pieces(index, word));
  }

  template <bool Whole, bool Aligned, class Drained>
  __device__ void scatter(stage& at, buffer& in, tile_window const& window, int chunk,
                          Drained const& drained) const {
    kept words;
    if constexpr (Problem::tests_items || loads_items<Problem>) take(at, in, window, chunk, words);
    else base::template take_wanted<Aligned>(at, in, window, chunk, 0, words);
    drained();
    auto const places = base::template chunk_places<Whole>(at, window, chunk);
    auto const put = [&](int part, auto const& to, std::int64_t index, int r) {
      for_each_part<written>([&](auto k) {
        if (part == k) put_item<Aligned>(places.template of<k>(), to(k), index, words[r]);
      });
    };
    scatter_rows<Whole, kept_rows>(at, window, chunk, 0, put);
#pragma unroll 1
    for (int row = kept_rows; row < R; row += kept_rows) {
      base::template take_wanted<Aligned>(at, in, window, chunk, row, words);
      scatter_rows<Whole, kept_rows>(at, window, chunk, row, put);
    }
  }

  /// Values as wide as that come from memory some rows at a time, and meet their keys on the way.
  template <bool Whole, class Drained>
  __device__ void scatter_keyed(stage& at, buffer& in, tile_window const& window, int chunk,
                                Drained const& drained) const {
    static_assert(written <= counted, "the last part has no masks of its own");
    auto const& from = problem_.in.second();
    using value = typename values::value;
    constexpr int rows = [] {
      int some = R;
      while (some > 1 && (R % some != 0 || some * static_cast<int>(sizeof(value)) > 64)) --some;
      return some;
    }();
    int const start = chunk * chunk_items;
    auto const wanted = [&](int row) {
      unsigned all = 0;
#pragma unroll
      for (int k = 0; k < written; ++k) all |= at.masks[k][chunk][row];
      return (all >> lane_ & 1u) != 0;
    };
    item_vector<value, 1> words[rows];
    auto const take_values = [&](int row) {
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        words[r] = {};
        if (wanted(row + r)) take_value(window.base + start + (row + r) * 32 + lane_, words[r]);
      }
    };
    typename Problem::tested_value keys[R];
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (int const place = start + r * 32 + lane_; Whole || window.contains(place))
        put_bytes(keys[r], tested_at(problem_, in, window, place));
    take_values(0);
    drained();
    auto const places = base::template chunk_places<Whole>(at, window, chunk);
#pragma unroll
    for (int row = 0; row < R; row += rows) {
      if (row > 0) take_values(row);
      scatter_rows<Whole, rows>(at, window, chunk, row,
                                [&](int part, auto const& to, std::int64_t index, int r) {
                                  value x[1];
                                  words[r].unpack(x);
                                  for_each_part<written>([&](auto k) {
                                    if (part == k)
                                      put_to(places.template of<k>(), to(k),
                                             loaded_value{keys[row + r], values::item(from, index, x[0])});
                                  });
                                });
    }
  }

  /// Where the items of each part begin, of those of a chunk.
  template <bool Whole>
  __device__ auto chunk_places(stage const& at, tile_window const& window, int chunk) const {
    int const start = chunk * chunk_items;
    return places_from(at.before_chunk[chunk],
                       window.base + (Whole ? start : max(start, window.valid_begin)));
  }
  /// So many rows from this one on: put(part, to, index, row of these) for each item of a part that is
  /// written, where to(k) is how many of part k come before the item in the chunk.
  template <bool Whole, int Rows, class Put>
  __device__ void scatter_rows(stage const& at, tile_window const& window, int chunk, int row,
                               Put const& put) const {
    int const start = chunk * chunk_items, first = Whole ? start : max(start, window.valid_begin);
    unsigned const lower = (1u << lane_) - 1;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      int const place = start + (row + r) * 32 + lane_;
      bool const there = Whole || window.contains(place);
      int part = counted, others = place - first, at_side[counted];
#pragma unroll
      for (int k = 0; k < counted; ++k) {
        unsigned const mask = at.masks[k][chunk][row + r];
        at_side[k] = at.before[k][chunk][row + r] + __popc(mask & lower);
        others -= at_side[k];
        if (mask >> lane_ & 1u) part = k;
      }
      if (!there || part >= written) continue;
      put(
          part, [&](auto k) { return k < counted ? at_side[k < counted ? k : 0] : others; },
          window.base + place, r);
    }
  }
};

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

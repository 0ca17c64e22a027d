// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_TAIL_WRITER_CUH
#define SWEEP_DETAIL_SCAN_TILE_TAIL_WRITER_CUH

#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/scan/tile/staged_lanes.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

/// What a scanning warp of a pipeline does where the output is written at segment starts and ends only
/// (segmented_reduce/tails.hpp).
template <class Lanes>
class scan_tail_writer {
  using stage = typename Lanes::stage;
  using lane_heads = typename Lanes::lane_heads;
  using Problem = std::remove_cvref_t<decltype(std::declval<Lanes const&>().problem())>;
  using T = typename Problem::value;
  static constexpr int lane_items = Lanes::L, chunk_items = Lanes::chunk_items;
  static_assert(Lanes::segmented && Lanes::inclusive && !Lanes::backward, "ends are looked for ahead");

 public:
  __device__ explicit scan_tail_writer(Lanes const& in) : in_{in}, problem_{in.problem()}, lane_{in.lane()} {}

  template <class Op>
  __device__ void scan(stage& at, tile_window const& window, int chunk, optional<T> before, Op& op) const {
    int const place = chunk * chunk_items + lane_ * lane_items;
    auto const last = problem_.grid.n - 1 - window.base;
    if (window.whole(Lanes::tile_items)) return scan_whole(at, window, chunk, last, before, op);
    auto const& to = problem_.out.write;
    int const from = max(place, window.valid_begin), end = min(place + lane_items, window.valid_end);
    for (int p = from; p < end; ++p) {
      T const x = in_.item(at, window, p);
      before = {combine(before, x, op), true};
      if ((in_.heads(at, p, 1) & 1u) != 0) to.start(window.base + p, before.value);
      if (p == last || (in_.heads(at, p + 1, 1) & 1u) != 0) to.end(window.base + p, before.value);
    }
  }

 private:
  /// A chunk's results are gathered in the items' places, where they follow each other, and written side by
  /// side; so are the places of its starts.
  template <class Op>
  __device__ void scan_whole(stage& at, tile_window const& window, int chunk, std::int64_t last,
                             optional<T> const& before, Op& op) const {
    using value = decltype(T::value);
    using item = typename Lanes::template stream_item<0>;
    constexpr bool gathers = Lanes::streams == 1 && sizeof(value) <= sizeof(item) &&
                             alignof(value) <= alignof(item) && alignof(item) >= 2 && chunk_items <= 1 << 16;
    auto const& to = problem_.out.write;
    int const place = chunk * chunk_items + lane_ * lane_items;
    auto const starts = in_.heads_of_lane(at, place);
    auto ends = in_.heads_of_lane(at, place, 1);
    if (last == place + lane_items - 1) ends.bits[(lane_items - 1) / 32] |= 1u << (lane_items - 1) % 32;
    auto const all = in_.read_lane(at, window, place);
    __syncwarp();  // from here on results may take the items' places
    auto* const gathered = reinterpret_cast<value*>(in_.chunk_at(at, window, chunk));
    int const ends_before = before_lane(ends.count());
    int next = ends_before;
    std::int64_t first_rank = 0;
    T sum = before.value;
#pragma unroll
    for (int v = 0; v < lane_items; ++v) {
      T const x = in_.item_of(all, starts, window.base + place, v);
      auto const i = window.base + place + v;
      sum = v > 0 || before.present ? static_cast<T>(op(sum, x)) : x;
      if constexpr (!gathers)
        if ((starts.bits[v / 32] >> v % 32 & 1u) != 0) to.start(i, sum);
      if ((ends.bits[v / 32] >> v % 32 & 1u) != 0) {
        if constexpr (gathers) {
          if (next == ends_before) first_rank = static_cast<std::int64_t>(sum.heads) - 1;
          put_bytes(gathered[next++], sum.value);
        } else {
          to.end(i, sum);
        }
      }
    }
    if constexpr (gathers) {
      write_side_by_side(next, next > ends_before, first_rank,
                         [&](std::int64_t rank, int j) { to.put(rank, gathered[j]); });
      if (last == place + lane_items - 1) to.count(static_cast<std::int64_t>(sum.heads));
      if constexpr (std::decay_t<decltype(to)>::has_keys) gather_starts(at, window, chunk, starts, sum);
      fence_before_bulk();  // what was put here by hand comes before what the next load brings
    }
  }

  /// Keys stand where segments start: the starts' places are gathered as results were. The count of starts up
  /// to and with this lane's last item is sum.heads.
  __device__ void gather_starts(stage& at, tile_window const& window, int chunk, lane_heads const& starts,
                                T const& sum) const {
    auto* const places = reinterpret_cast<unsigned short*>(in_.chunk_at(at, window, chunk));
    __syncwarp();
    int const mine = starts.count(), starts_before = before_lane(mine);
    int next = starts_before;
#pragma unroll
    for (int w = 0; w < lane_heads::words; ++w)
      for (unsigned bits = starts.bits[w] & lane_heads::valid(w); bits != 0; bits &= bits - 1)
        places[next++] =
            static_cast<unsigned short>(lane_ * lane_items + 32 * w + __ffs(static_cast<int>(bits)) - 1);
    auto const first = window.base + chunk * chunk_items;
    write_side_by_side(next, mine > 0, static_cast<std::int64_t>(sum.heads) - mine,
                       [&](std::int64_t rank, int j) { problem_.out.write.keys(rank, first + places[j]); });
  }

  /// write(rank, j) for the j-th of what the lanes have gathered, `end` being where this lane's part ends;
  /// ranks count on from that of the first lane that has any.
  template <class Write>
  __device__ void write_side_by_side(int end, bool any, std::int64_t first_rank, Write write) const {
    unsigned const with = __ballot_sync(~0u, any);
    int const all = __shfl_sync(~0u, end, 31);
    auto const rank = warp_shfl(first_rank, with ? __ffs(static_cast<int>(with)) - 1 : 0);
    __syncwarp();
    for (int j = lane_; j < all; j += 32) write(rank + j, j);
  }

  /// The sum of the lanes' numbers before this one's.
  static __device__ int before_lane(int mine) {
    plus op;
    return warp_scan(mine, op) - mine;
  }

  Lanes const& in_;
  Problem const& problem_;
  int lane_;
};

#endif

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

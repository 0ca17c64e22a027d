// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_RUN_LENGTH_TILE_REGISTER_TILE_CUH
#define SWEEP_DETAIL_RUN_LENGTH_TILE_REGISTER_TILE_CUH

#include <sweep/detail/block/stage_items.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/warp_lanes.cuh>
#include <sweep/detail/run_length/problem.hpp>
#include <sweep/detail/run_length/tile/staged_streams.cuh>
#include <sweep/detail/run_length/tile/warp_runs.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A thread block that works on the runs of one tile of keys, and folds the items that lie beside them where
/// the problem has some. Shape of a tile, in order:
///   (warps, R rows, 32 lanes, I items)
/// Keys and items are staged in shared memory as they lie in memory, so tiles begin at item 0 wherever that
/// is. A head closes the run before it: of each head a tile writes its key, and the length or the fold of the
/// run that it closes; all that it needs of the tiles before it is how many runs they have, and what the last
/// of those has so far. Warp 0 holds no items: it publishes that of the tile and learns that of everything
/// before it. Meanwhile the others put what is to be written close together in shared memory, in rounds where
/// heads are many.
template <class Problem, int Warps, int I, int R>
class runs_register_tile {
  using key = typename Problem::key;
  using state = typename Problem::state;
  static constexpr bool folds = Problem::folds, stages_keys = Problem::stages_keys;
  using staged = typename Problem::staged;
  using V = typename Problem::value;
  using chunk = warp_runs<Problem, I, R>;
  static constexpr int warp_items = chunk::items;

 public:
  static constexpr int threads = 32 * (1 + Warps), items = Warps * warp_items;
  static_assert(items <= 1 << 16);

 private:
  struct nothing {};
  using key_room = std::conditional_t<stages_keys, staged_items<key, items + 1>, nothing>;
  using item_room = std::conditional_t<folds, staged_items<staged, items>, nothing>;
  /// What is written of a head: its place and, where items are folded, the fold of the run that it closes.
  static constexpr int slot_bytes = 2 + (folds ? static_cast<int>(sizeof(V)) : 0);
  static constexpr int slots_at_least = items < 1024 ? items : 1024;
  /// The slots of a round. Folds take the items' room, which have been read by then.
  static constexpr int slots = [] {
    if constexpr (folds) {
      constexpr int fit = item_room::bytes / slot_bytes;
      return fit > items ? items : fit < slots_at_least ? slots_at_least : fit;
    } else {
      return items < 4096 ? items : 4096;
    }
  }();
  static constexpr bool one_round = slots >= items;

 public:
  struct shared {
    int counts[Warps];  ///< of each warp's heads
    int last[Warps];    ///< the place of the last of them, or -1
    uninitialized<V, folds ? Warps : 1> totals;
    uninitialized<state> before;
    [[no_unique_address]] key_room keys;  ///< behind others: words to the left of the first key may be read
    union {
      item_room items;
      struct {
        uninitialized<V, folds ? slots : 1> folds;
        std::uint16_t places[slots + 1];  ///< in the tile; the first one's is that of the round before
      } heads;
    };
  };

  __device__ runs_register_tile(Problem const& problem, shared& smem, std::int64_t tile)
      : problem_{problem},
        smem_{smem},
        base_{tile * items},
        tile_{tile},
        count_{static_cast<int>(min(problem.grid.n - base_, std::int64_t{items}))},
        lane_{static_cast<int>(threadIdx.x % 32)},
        warp_{static_cast<int>(threadIdx.x / 32) - 1},
        runs_{problem} {}

  template <class Tiles>
  __device__ void run(Tiles const& tiles) {
    stage();
    if (warp_ < 0) {
      meet_all();
      look_back(tiles);
    } else {
      if (count_ == items) find_runs<true>();
      else find_runs<false>();
      meet_all();
      write_runs();
    }
  }

 private:
  /// Keys, from the one to the left of the tile on, and items.
  __device__ void stage() {
    if constexpr (stages_keys) {
      int const left = tile_ > 0 ? 1 : 0;
      keys_ = stage_items<threads>(smem_.keys, problem_.keys, base_ - left, count_ + left) +
              left * static_cast<int>(sizeof(key));
    }
    if constexpr (folds) items_ = stage_items<threads>(smem_.items, problem_.in, base_, count_);
    await_async_copies();
    __syncthreads();
  }

  /// The look-back warp and the others, each at its own place in the code; and those others alone.
  static __device__ void meet_all() {
    __syncwarp();
    __barrier_sync_count(1, threads);
  }
  static __device__ void meet_workers() {
    __syncwarp();
    __barrier_sync_count(2, threads - 32);
  }

  template <bool Whole>
  __device__ void find_runs() {
    int const first = warp_ * warp_items, rest = count_ - first;
    int const count =
        runs_.template find<Whole>(base_ + first, rest, true, [&](int place, int, int, key(&some)[I + 1]) {
          load_staged_as<key>(keys_ + (first + place) * static_cast<int>(sizeof(key)), some);
        });
    if (lane_ == 0) smem_.counts[warp_] = count;
    if constexpr (folds) {
      if (!Whole && rest <= 0) return;
      lane_neighbours<memory_source<staged>, I> mine;
      mine.load([&](auto) { return items_ + (first + runs_.place(0)) * static_cast<int>(sizeof(staged)); });
      V const tail = runs_.template fold<Whole>(
          rest, [&](int v) { return static_cast<V>(mine.template at<0>(v)); },
          [&](int v, V const& fold) { folds_.put(v - 1, fold); });
      if (lane_ == 0) put_bytes(smem_.totals[warp_], tail);
    } else {
      int const last = runs_.last();
      if (lane_ == 0) smem_.last[warp_] = last < 0 ? -1 : first + last;
    }
  }

  /// What a tile's warps up to this lane's come to since the last head.
  __device__ V fold_warps(unsigned warps_with_heads) const {
    int const last_warp = (count_ - 1) / warp_items;
    V sum{};
    if (lane_ <= last_warp) put_bytes(sum, smem_.totals[lane_]);
    return warp_scan_segments(sum, warps_with_heads, last_warp, problem_.op);
  }

  /// Of the tile's warps: where each one's heads count from, and which of them have any.
  struct heads_of_warps {
    int mine, sum, total;
    unsigned some;
  };
  __device__ heads_of_warps sum_warps() const {
    int const mine = lane_ < Warps ? smem_.counts[lane_] : 0;
    plus add;
    int const sum = warp_scan(mine, add);
    return {mine, sum, __shfl_sync(~0u, sum, 31), __ballot_sync(~0u, mine != 0)};
  }

  template <class Tiles>
  __device__ void look_back(Tiles const& tiles) {
    auto const heads = sum_warps();
    auto op = problem_.joining();
    state found;
    if constexpr (folds) {
      found = {
          static_cast<decltype(found.value)>(warp_shfl(fold_warps(heads.some), (count_ - 1) / warp_items)),
          std::int64_t{heads.total}};
    } else {
      int const last = __reduce_max_sync(~0u, lane_ < Warps ? smem_.last[lane_] : -1);
      found = {heads.total, last < 0 ? 0 : base_ + last + 1};
    }
    auto const before = tiles.publish_and_look_back(warp_lanes{}, tile_, found, op);
    if (lane_ == 0) {
      put_bytes(smem_.before.value(), before.present ? before.value : state{});
      if (base_ + count_ >= problem_.grid.n) problem_.finish(combine(before, found, op));
    }
    if (heads.total > 0) meet_all();
  }

  /// Meanwhile, and once it is known what comes before the tile.
  __device__ void write_runs() {
    auto const heads = sum_warps();
    if (heads.total == 0) return;
    bool const some = (heads.some >> warp_ & 1u) != 0;
    int before_warp = 0;
    if (some) {
      before_warp = __shfl_sync(~0u, heads.sum - heads.mine, warp_);
      if constexpr (folds) {
        optional<V> const carry{warp_shfl(fold_warps(heads.some), max(warp_ - 1, 0)), warp_ > 0};
        unsigned const mask = runs_.heads();
        if (mask != 0)
          first_.put(0, runs_.closed_by_first(carry, [&] {
            auto lead = folds_.of[0];
#pragma unroll
            for (int v = 1; v < I - 1; ++v)
              if ((mask & ((2u << v) - 1)) == 0) lead = folds_.of[v];
            first_.of[0] = lead;
            return first_.at(0);
          }));
      }
    }
    for (int first = 0; first < heads.total; first += slots) {
      if (some) scatter(before_warp - first);
      if (first == 0) meet_all();
      else meet_workers();
      store(first, min(heads.total - first, slots));
      if (one_round) return;
      meet_workers();
    }
  }

  /// Where heads are, and what they close.
  __device__ void scatter(int before_warp) {
    int const place = warp_ * warp_items;
    auto const put = [&](int rank, int at, auto const&... closed) {
      int const slot = before_warp + rank;
      if (!one_round && static_cast<unsigned>(slot + 1) > static_cast<unsigned>(slots)) return;
      smem_.heads.places[slot + 1] = static_cast<std::uint16_t>(place + at);
      if constexpr (folds)
        if (one_round || slot >= 0) (put_bytes(smem_.heads.folds[slot], closed), ...);
    };
    if constexpr (folds) {
      unsigned mask = runs_.heads();
      if (mask == 0) return;
      int rank = runs_.rank();
      put(rank++, runs_.place(__ffs(static_cast<int>(mask)) - 1), first_.at(0));
      mask &= mask - 1;
#pragma unroll
      for (int v = 1; v < I; ++v)
        if ((mask >> v & 1u) != 0) put(rank++, runs_.place(v), folds_.at(v - 1));
    } else {
      runs_.for_each_head(put);
    }
  }

  __device__ void store(int first, int count) const {
    auto const& before = smem_.before.value();
    auto const* const places = smem_.heads.places + 1;
    auto const run = before.heads + first;
    int const worker = static_cast<int>(threadIdx.x) - 32;
    for_each_written(problem_.keys_out, run, 0, count, worker, threads - 32, [&](int i) {
      if constexpr (stages_keys) problem_.put_key(run + i, reinterpret_cast<key const*>(keys_)[places[i]]);
      else problem_.put_key(run + i, problem_.keys[base_ + places[i]]);
    });
    int const inner = first == 0 ? 1 : 0;  // the tile's first head closes a run of the tiles before
    if constexpr (folds) {
      write_folds(problem_, run - 1, inner, count, smem_.heads.folds.data(), worker, threads - 32);
      if (inner != 0 && worker == 0 && run > 0)
        problem_.put(run - 1, places[0] > 0 ? static_cast<V>(problem_.op(static_cast<V>(before.value),
                                                                         smem_.heads.folds[0]))
                                            : static_cast<V>(before.value));
    } else {
      for_each_written(problem_.out, run - 1, inner, count, worker, threads - 32,
                       [&](int i) { problem_.put_length(run + i - 1, int{places[i]} - int{places[i - 1]}); });
      if (inner != 0 && worker == 0) problem_.close_run(before, base_ + places[0]);
    }
  }

  Problem const& problem_;
  shared& smem_;
  std::int64_t base_, tile_;
  int count_, lane_, warp_;
  unsigned char const* keys_ = nullptr;  ///< the tile's first
  unsigned char const* items_ = nullptr;
  chunk runs_;
  // Of a lane's items but the last, since the last head before each; what its first head closes.
  [[no_unique_address]] std::conditional_t<folds, kept_values<V, (I > 1 ? I - 1 : 1)>, nothing> folds_;
  [[no_unique_address]] std::conditional_t<folds, kept_values<V, 1>, nothing> first_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

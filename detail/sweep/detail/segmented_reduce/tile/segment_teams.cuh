// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_SEGMENT_TEAMS_CUH
#define SWEEP_DETAIL_SEGMENTED_REDUCE_TILE_SEGMENT_TEAMS_CUH

#include <sweep/detail/block/async_copy.cuh>
#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/segmented_reduce/tile/cut_records.cuh>
#include <sweep/detail/segmented_reduce/tile/segment_places.cuh>
#include <sweep/detail/segmented_reduce/tile/segment_windows.cuh>
#include <sweep/detail/segmented_reduce/tile/stream_windows.cuh>
#include <sweep/detail/segmented_reduce/tile/team_grid.cuh>
#include <sweep/detail/segmented_reduce/tile/unit_rows.cuh>
#include <sweep/detail/warp/reduce.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A thread block that folds long segments, each by a team of its warps with equal shares of it. Segments of
/// at least two cells of items, or more, are cut where cells begin: blocks have a cell, too, or nothing else.
template <class Problem, team_reads Reads>
class segment_teams {
  using V = typename Problem::value;
  using Op = decltype(Problem::op);
  using Source = source_of_t<decltype(Problem::in)>;

 public:
  using shape = team_shape<Source, V, Reads>;

 private:
  struct no_slots {  ///< of other windows
    struct shared {};
    __device__ explicit no_slots(shared&) {}
  };
  using slots = std::conditional_t<shape::in_windows, window_slots<shape::warps + 1>, no_slots>;
  static constexpr int W = shape::warps, turns = shape::turns;
  static constexpr auto items_type() {
    if constexpr (shape::by_units) return std::type_identity<unit_rows<Problem>>{};
    else if constexpr (shape::of_stream) return std::type_identity<stream_windows<Problem, slots>>{};
    else return std::type_identity<segment_windows<Problem>>{};
  }
  using windows = typename decltype(items_type())::type;
  using places = segment_places<decltype(Problem::offsets)>;
  /// Where a warp's segments begin, and how many items they have.
  struct walked_parts {
    std::int64_t begins[W][32];
    int lengths[W][32];
  };
  /// The same of each team's, and what warps know of the shares that they are dealt.
  struct dealt_parts {
    struct share {
      std::int64_t begin;
      int items, each, count, before;  ///< shares, and those of the teams before
    };
    std::int64_t begins[W];
    int lengths[W];
    share shares[W][W];
  };
  using parts_known = std::conditional_t<shape::deals, dealt_parts, walked_parts>;

 public:
  struct shared {
    typename places::shared places;
    uninitialized<V, W * turns> sums[2];  ///< of teams' shares; rounds take sides in turn
    uninitialized<V, W + 1> of_warps;
    [[no_unique_address]] typename slots::shared of_slots;  ///< of each warp
    [[no_unique_address]] parts_known parts;
    bool last;
  };

  using window = typename windows::memory;

  __device__ segment_teams(Problem const& problem, team_grid const& grid, shared& smem, window* memory,
                           Op& op)
      : problem_{problem},
        grid_{grid},
        smem_{smem},
        op_{op},
        places_(problem.offsets, grid.n, grid.count, smem.places),
        lane_{static_cast<int>(threadIdx.x % 32)},
        warp_{static_cast<int>(threadIdx.x / 32)},
        memory_{memory},
        slots_(smem.of_slots) {}

  __device__ void operator()(std::int64_t block, cut_records<V> const& records) {
    auto const cell = block - grid_.first_cell;
    bool const has_cell = cell >= 0 && cell < grid_.cells, folds = warp_ < W;
    if (has_cell && (!folds || places_.sums())) places_.find(cell_begin(cell), cell_begin(cell + 1) - 1);
    segment_part mine{};
    if (walks()) {
      if constexpr (shape::in_windows)
        if (folds) fold_one_by_one((block * W + warp_) * grid_.rounds);
    } else if (folds || places_.sums()) {
      int const log = grid_.log_team;
      int const team = warp_ >> log;
      bool const strided = grid_.stride > 0;
      auto const first = strided ? (block < grid_.stride ? block : grid_.count) : block * (W >> log);
      mine = places_.at(first, strided ? team * static_cast<int>(grid_.stride) : team, 32 << log);
    }
    bool const owned = folds && !walks() && mine.segment < grid_.count;
    if (owned && mine.end <= mine.begin && lane_ == 0 && rank(grid_.log_team) == 0)
      problem_.put_empty(mine.segment);
    if (!owned || is_cut(mine)) mine.end = mine.begin;
#pragma unroll 1
    for (int round = 0, side = 0;; ++round, side = 1 - side) {  // rounds may be passed over, sides are not
      int const log = round == 0 ? grid_.log_team : log_warps;  // of a team
      V sum{};
      int const shares = fold_shares(mine, log, side, folds && mine.begin < mine.end, sum);
      bool const has = shares > 0;
      bool const joins = log > 0 || (shape::deals && grid_.deals);
      if (round == 0 && !joins && !has_cell) {
        if (has && lane_ == 0) problem_.put(own_segment(block), sum);
        return;
      }
      __syncthreads();
      if (has && rank(log) == 0) {
        if (joins) sum = join_shares(sums_of_team(side, log), shares);
        if (lane_ == 0) {
          if (round == 0) problem_.put(own_segment(block), sum);
          else smem_.last = records.leave(cell, sum, places_.found(round - 1), grid_.cell_items);
        }
      }
      if (!has_cell) return;
      if (round > 0) {
        __syncthreads();
        if (smem_.last) {
          auto const& whole = places_.found(round - 1);
          V const fold = records.join(whole, grid_.cell_items, smem_.of_warps, op_);
          if (threadIdx.x == 0) problem_.put(whole.segment, fold);
        }
      }
      // The cell's segments that are cut.
      while (true) {
        if (round == 2) return;
        mine = places_.found(round);
        if (is_cut(mine) && (round == 0 || mine.segment != places_.found(0).segment)) break;
        ++round;
      }
      mine.begin = max(mine.begin, cell_begin(cell));
      mine.end = min(mine.end, cell_begin(cell + 1));
    }
  }

 private:
  static constexpr int log_warps = 3;
  static_assert(W == 1 << log_warps);
  static_assert(shape::have_room(shape::slots) && shape::have_room(shape::most_slots));

  __device__ std::int64_t own_segment(std::int64_t block) const {
    int const team = warp_ >> grid_.log_team;
    return grid_.stride > 0 ? block + team * grid_.stride : block * (W >> grid_.log_team) + team;
  }
  /// Whether warps have several segments, one after the other.
  __device__ bool walks() const { return shape::in_windows && grid_.rounds > 1; }
  __device__ std::int64_t cell_begin(std::int64_t cell) const {
    return min(cell * grid_.cell_items, grid_.n);
  }
  __device__ int rank(int log) const { return warp_ & ((1 << log) - 1); }
  __device__ bool is_cut(segment_part const& one) const {
    return grid_.cells > 0 && one.end - one.begin >= grid_.cut_items;
  }

  /// Of segments that lie in memory, which are cut long before.
  using length = std::conditional_t<shape::of_stream || shape::usual::gathered, int, std::int64_t>;

  /// Where a warp may begin that is to have this item: with an item that may be outside the range.
  __device__ std::int64_t unit_of(std::int64_t item) const {
    static_assert((shape::aligned & (shape::aligned - 1)) == 0 && (shape::unit & (shape::unit - 1)) == 0);
    return ((item + grid_.shift) & -std::int64_t{grid_.aligned}) - grid_.shift;
  }

  /// A segment's items among a team of warps: from the unit on that has the first, so many shares of `each`.
  struct team_shares {
    std::int64_t begin;
    length items, each;
    int skip, count;  ///< items of the unit that are left out, and shares
  };
  /// A share a warp, of equal numbers of rows, which begin where units do. Where neighbours may be near each
  /// other in memory, and so many bytes are a warp's, warps take windows in turn: a first-level cache has
  /// what neighbours share as long as all of a team are near each other.
  __device__ team_shares shares_of(segment_part const& of, int log) const {
    auto const begin = unit_of(of.begin);
    auto const items = static_cast<length>(of.end - begin),
               rows = (items + shape::row_items - 1) / shape::row_items;
    length each = ((rows + (1 << log) - 1) >> log) * shape::row_items;
    auto const shares_from = [&](int nth) {
      return __popc(__ballot_sync(~0u, nth + lane_ < turns << log && (nth + lane_) * each < items));
    };
    int count;
    constexpr length kept_together = 3584 / sizeof(typename Source::value_type);
    if (turns > 1 && log > 0 && items >> log >= kept_together) {
      constexpr length of_turns = shape::window_items * turns;
      each = (((items + of_turns - 1) / of_turns + (1 << log) - 1) >> log) * shape::window_items;
      count = shares_from(0) + shares_from(32);
    } else {
      count = shares_from(0);
    }
    return {begin, items, each, static_cast<int>(of.begin - begin), count};
  }
  /// A warp's share: so many items from one on, of which the first ones are left out. There is one.
  struct team_share {
    std::int64_t begin;
    length count;
    int skip;
  };
  __device__ team_share share_of(team_shares const& all, int nth) const {
    auto const before = nth * all.each;
    return {all.begin + before, min(all.each, all.items - before), nth == 0 ? all.skip : 0};
  }
  /// What a team's shares are folded to.
  __device__ V* sums_of_team(int side, int log) {
    return __builtin_addressof(smem_.sums[side][(warp_ - rank(log)) * turns]);
  }

  /// A warp's shares of a segment, if it has one: the last is in lane 0's sum, and those of a team are in its
  /// sums. Returns how many the team has.
  __device__ int fold_shares(segment_part const& of, int log, int side, bool has, V& sum) {
    if constexpr (shape::deals) {
      return fold_dealt_shares(of, log, side, has, sum);
    } else {
      auto shares = shares_of(of, log);
      if (!has) shares.count = 0;
      if constexpr (turns == 1) {
        if (rank(log) < shares.count) sum = fold_share(share_of(shares, rank(log)));
        if (log > 0 && warp_ < W && lane_ == 0) put_bytes(sums_of_team(side, log)[rank(log)], sum);
      } else {
#pragma unroll 1
        for (int nth = rank(log); nth < shares.count; nth += 1 << log) {
          sum = fold_share(share_of(shares, nth));
          if (log > 0 && lane_ == 0) put_bytes(sums_of_team(side, log)[nth], sum);
        }
      }
      return shares.count;
    }
  }
  /// The same of teams whose shares are dealt out to the block's warps in their order: a cache has what wide
  /// neighbours share as long as all of a block are near each other, and no warp is done long before the
  /// others. Segments of about a window are a warp's own. A lane knows a team's shares.
  __device__ int fold_dealt_shares(segment_part const& of, int log, int side, bool has, V& sum) {
    int const teams = W >> log;
    bool const own = log == 0 && !grid_.deals, knows = own || log == log_warps ? lane_ == 0 : lane_ < teams;
    auto& parts = smem_.parts;
    std::int64_t begin = of.begin;
    int items = has ? static_cast<int>(of.end - of.begin) : 0;
    if (!own && log < log_warps) {
      if (lane_ == 0 && rank(log) == 0 && warp_ < W) {
        parts.begins[warp_ >> log] = begin;
        parts.lengths[warp_ >> log] = items;
      }
      __syncthreads();
      begin = parts.begins[lane_ % W];
      items = parts.lengths[lane_ % W];
    }
    if (warp_ >= W) return 0;
    if (!knows) items = 0;
    auto* const dealt = parts.shares[warp_];
    int through;  ///< shares of the teams up to the lane's
    {
      constexpr int of_turns = shape::window_items * turns,
                    kept_together = 3584 / sizeof(typename Source::value_type);
      int each = (((items + of_turns - 1) / of_turns + (1 << log) - 1) >> log) * shape::window_items;
      if (log > 0 && items >> log < kept_together)
        each =
            (((items + shape::row_items - 1) / shape::row_items + (1 << log) - 1) >> log) * shape::row_items;
      if (own) each = items;
      int const count = items > 0 ? (items + each - 1) / each : 0;
      if (own || log == log_warps) {
        through = warp_shfl(count, 0);
      } else {
        plus add{};
        through = warp_scan(count, add);
      }
      if (knows) dealt[lane_] = {begin, items, each, count, through - count};
      __syncwarp();
    }
#pragma unroll 1
    for (int next = own ? 0 : warp_;; next += W) {
      int const from = __popc(__ballot_sync(~0u, through <= next));
      if (from == 32) return dealt[own ? 0 : warp_ >> log].count;
      auto const& of_team = dealt[from];
      int const nth = next - of_team.before, before = nth * of_team.each;
      sum = fold_share({of_team.begin + before, min(of_team.each, of_team.items - before), 0});
      if (!own && lane_ == 0) put_bytes(smem_.sums[side][(from << log) * turns + nth], sum);
    }
  }
  /// So many shares' folds as one; for lane 0.
  __device__ V join_shares(V const* sums, int count) {
    constexpr int each = (W * turns + 31) / 32;  // of a lane
    static_assert(each <= 2, "shares_of counts the shares of two lanes' worth");
    V sum{};
#pragma unroll
    for (int k = 0; k < each; ++k) {
      int const nth = lane_ * each + k;
      if (nth < count) sum = k > 0 ? static_cast<V>(op_(sum, sums[nth])) : sums[nth];
    }
    return warp_reduce_briefly(sum, (count + each - 1) / each, op_);
  }

  __device__ auto windows_of_warp() {
    auto* const of = memory_ + grid_.slots * warp_;
    if constexpr (shape::in_windows) return windows(problem_, grid_.n, of, slots_, op_, grid_.lines_ahead);
    else return windows(problem_, grid_.n, of, op_, grid_.lines_ahead);
  }
  /// For lane 0. A warp's windows take turns, so that one is on its way while another is folded; what fits
  /// all of them is one window. Dear values of all lanes wait for those of the next window.
  __device__ V fold_share(team_share const& of) {
    if constexpr (shape::by_units) return windows(problem_, grid_.n, op_).fold(of.begin, of.skip, of.count);
    else return fold_windows(of);
  }
  __device__ V fold_windows(team_share const& of) {
    auto some = windows_of_warp();
    auto left = of.count;
    int skip = of.skip;
    if constexpr (shape::of_stream)
      some.begin_with(of.begin, shape::rows_of_windows(left, grid_.slots), left);
    auto const window_items = [&some] {
      if constexpr (shape::of_stream) return some.items();
      else return shape::window_items;
    };
    auto const count = [&] { return static_cast<int>(min(left, length{window_items()})); };
    if constexpr (shape::of_stream) {
      some.ask(0, skip, count(), 0);
    } else if constexpr (shape::slots > 1) {
      some.ask(of.begin, count());
      end_first_async_copies();
    }
    V sum{}, waiting{};
    bool begun = false, waits = false;
    auto const add = [&](V const& fold) {
      put_bytes(sum, begun ? static_cast<V>(op_(sum, fold)) : fold);
      begun = true;
    };
#pragma unroll 1
    for (int nth = 0; left > 0; ++nth) {
      int const here = count();
      auto const at = of.begin + (of.count - left);
      left -= window_items();
      if constexpr (shape::of_stream) {
        bool const more = left > 0;
        if (more) some.ask(nth + 1, 0, count(), (nth + 1) % 2);
        some.await(nth % 2, more);
        if constexpr (shape::in_pairs) {
          int holding;
          V const part = some.fold_runs(at, skip, here, nth % 2, holding);
          if (holding < 32) {
            if (waits) add(warp_reduce_briefly(waiting, 32, op_));
            waits = false;
            add(warp_reduce_right(part, holding, op_));
          } else if (waits) {
            V const rows[2] = {waiting, part};
            waits = false;
            add(warp_reduce_rows(rows, op_));
          } else {
            put_bytes(waiting, part);
            waits = true;
          }
        } else {
          add(some.fold(at, skip, here, nth % 2));
        }
      } else if constexpr (shape::slots > 1) {
        bool const more = left > 0;
        if (more) some.in_slot((nth + 1) % 2).ask(at + here, count());
        if (more) some.await_first();
        else some.await();
        add(some.in_slot(nth % 2).fold(at, skip, here));
      } else {
        some.ask(at, here);
        some.await();
        add(some.fold(at, skip, here));
      }
      skip = 0;
      __syncwarp();
    }
    if (waits) add(warp_reduce_briefly(waiting, 32, op_));
    return sum;
  }

  /// A warp's segments from this one on, of each of which a lane knows where it is: while a window is folded,
  /// the next one is on its way, of whichever segment.
  __device__ void fold_one_by_one(std::int64_t first_segment) {
    auto const mine = places_.at(first_segment, lane_ < grid_.rounds ? lane_ : grid_.count, 1);
    bool const owned = mine.segment < grid_.count;
    if (owned && mine.end <= mine.begin) problem_.put_empty(mine.segment);
    unsigned parts = __ballot_sync(~0u, owned && mine.begin < mine.end && !is_cut(mine));
    smem_.parts.begins[warp_][lane_] = mine.begin;
    smem_.parts.lengths[warp_][lane_] = static_cast<int>(mine.end - mine.begin);
    __syncwarp();
    auto ahead = windows_of_warp();
    // Of the window that is asked for: where it begins, and its part, how many of its items are left out and
    // whether its part began before it, in one register.
    std::int64_t begin = 0;
    unsigned known = 0;
    constexpr unsigned skip_place = 5, began = 1u << 9;
    constexpr int window_rows = shape::rows_of_windows(std::int64_t{1} << 62, shape::slots),
                  window_items = window_rows * shape::row_items;
    int left = 0;  // of the part
    V sum{};
#pragma unroll 1
    for (int slot = 0;; slot = 1 - slot) {
      auto here = ahead;
      auto const at = begin;
      auto const of_here = known;
      int const count = min(left, window_items);
      begin += count;
      left -= count;
      bool const ends = left == 0, more = !ends || parts != 0;
      if (!ends) {
        known = (known & 31u) | began;
      } else if (more) {
        int const part = __ffs(static_cast<int>(parts)) - 1;
        parts &= parts - 1;
        auto const first = smem_.parts.begins[warp_][part];
        begin = unit_of(first);
        int const skip = static_cast<int>(first - begin);
        left = skip + smem_.parts.lengths[warp_][part];
        known = static_cast<unsigned>(skip) << skip_place | static_cast<unsigned>(part);
      }
      if (more) {
        int const asked = min(left, window_items);
        ahead.begin_with(begin, window_rows, asked);
        ahead.ask(0, static_cast<int>(known >> skip_place & 15u), asked, slot);
      }
      if (count > 0) {
        ahead.await(1 - slot, more);
        V const fold = here.fold(at, static_cast<int>(of_here >> skip_place & 15u), count, 1 - slot);
        sum = (of_here & began) != 0 ? static_cast<V>(op_(sum, fold)) : fold;
        if (ends && lane_ == 0) problem_.put(first_segment + (of_here & 31u), sum);
        __syncwarp();
      }
      if (!more) return;
    }
  }

  Problem const& problem_;
  team_grid const& grid_;
  shared& smem_;
  Op& op_;
  places places_;
  int lane_, warp_;
  window* memory_;
  [[no_unique_address]] slots slots_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

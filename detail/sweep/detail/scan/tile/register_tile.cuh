// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_REGISTER_TILE_CUH
#define SWEEP_DETAIL_SCAN_TILE_REGISTER_TILE_CUH

#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/warp_lanes.cuh>
#include <sweep/detail/scan/tile/register_items.cuh>
#include <sweep/detail/scan/tile/rows_aside.cuh>
#include <sweep/detail/segments/flagged_scan.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// A thread block that holds its tile in registers (scan/tile/register_items.cuh): warps scan their runs,
/// then the look-back warp, which holds no items and so has registers for it, scans the totals of all runs
/// and learns what came before the tile. Where there are several batches of rows, all but the last wait in
/// shared memory for that. Problem gives the iterators, the types and the tiling; see scan/problem.hpp.
template <class Problem, scan_plan P, int R, int B = 1>
class scan_register_tile : public scan_register_items<Problem, P, R, B> {
  using base = scan_register_items<Problem, P, R, B>;
  using typename base::lead_fold, typename base::lead_items, typename base::Raw, typename base::T,
      typename base::vec;
  using base::ask_heads, base::ask_lead, base::batch_, base::existing, base::fold_lead, base::folds_lead,
      base::has_all, base::has_run, base::has_stand_ins, base::has_whole_run, base::heads_at, base::inclusive,
      base::lane_, base::load_part, base::load_rows, base::lowest, base::mark_heads, base::memory_of,
      base::most_runs, base::named_barrier, base::nth_run, base::problem_, base::rows_, base::run_items,
      base::runs, base::segmented, base::smem_, base::some_heads_of_rows, base::V, base::vector_place,
      base::warp_, base::warps_, base::window_;

 public:
  using typename base::shared;
  using base::marks;
  static constexpr int rows = R;

  /// `aside`: waiting_chunks for each batch but one and each thread that holds items.
  __device__ scan_register_tile(Problem const& problem, shared& smem, [[maybe_unused]] uint4* aside = nullptr)
      : base{problem, smem} {
    if constexpr (B > 1) {
      batches_ = problem.grid.tile_items / (R * warps_ * run_items);
      aside_ = aside;
    }
  }

  static constexpr bool has_look_back_warp = true;
  static constexpr bool follows_itself = true;  ///< the kernel before: it waits just before it reads
  __device__ bool in_look_back_warp() const { return warp_ < 0; }

  /// A tile all of whose items exist and one at an end of the data have the same verbs and code of their own.
  template <class Work>
  __device__ void with_items(tile_window const& window, Work work) {
    window_ = window;
    if (window.whole(problem_.grid.tile_items)) work(whole_rows{*this});
    else work(part_of_rows{*this});
  }

  /// The look-back warp's part, when run totals are there: `publish` is given the tile's total and answers
  /// with the fold of everything before the tile. Of a segment that began not long before the warp folds the
  /// items itself, while the others have theirs on their way: sooner than others' totals come.
  template <class Op, class Publish>
  __device__ void look_back(tile_window const& window, Op& op, Publish publish) {
    window_ = window;
    auto const asked = ask_heads();
    if constexpr (folds_lead) {
      lead_items items = ask_lead();
      mark_heads(asked);
      lead_fold const lead = fold_lead(items, op);
      optional<T> const before =
          scan_runs(op, [&](auto const& lanes, auto const& total, auto const& meanwhile) {
            T const all = known_total(total);
            if (lead.knows && publish.alone(lanes, all)) {
              meanwhile();
              hand_on(lead.before);
              return lead.before;
            }
            return publish(lanes, all, [&] {
              meanwhile();
              if (lead.knows) hand_on(lead.before);
            });
          });
      if (!lead.knows) hand_on(before);
    } else {
      mark_heads(asked);
      hand_on(scan_runs(op, publish));
    }
  }

 private:
  /// Loaded once, all rows in flight.
  struct whole_rows {
    scan_register_tile& tile;
    __device__ void load() {
      auto const asked = tile.ask_heads();
      tile.load_rows();
      tile.mark_heads(asked);
    }
    template <class Op>
    __device__ void scan(Op& op) {
      tile.template scan_batches<which_exist::all>([&] { tile.load_rows(); }, [&] { tile.scan_rows(op); });
    }
    template <class Op, class Publish>
    __device__ void await_look_back(Op&, Publish const&) {
      tile.await();
    }
    template <class Op>
    __device__ void store(Op& op) {
      do tile.store_rows(op);
      while (tile.template batch_before<which_exist::all>());
    }
  };
  /// The same, asking of each vector which of its items exist.
  struct part_of_rows {
    scan_register_tile& tile;
    __device__ void load() {
      auto const asked = tile.ask_heads();
      tile.load_part();
      tile.mark_heads(asked);
    }
    template <class Op>
    __device__ void scan(Op& op) {
      tile.template scan_batches<which_exist::some>([&] { tile.load_part(); },
                                                    [&] {
                                                      if constexpr (has_stand_ins) tile.scan_stand_ins(op);
                                                      else tile.scan_part(op);
                                                    });
    }
    template <class Op, class Publish>
    __device__ void await_look_back(Op&, Publish const&) {
      tile.await();
    }
    template <class Op>
    __device__ void store(Op& op) {
      do {
        if constexpr (has_stand_ins) tile.template store_rows_of<true, which_exist::some>(op);
        else tile.store_part(op);
      } while (tile.template batch_before<which_exist::some>());
    }
  };
  __device__ void await() {
    named_barrier();  // run totals are there
    named_barrier();  // so is all that came before them
  }

  /// What comes before the tile is there for all warps.
  __device__ void hand_on(optional<T> const& before) {
    if (lane_ == 0) {
      put_bytes(smem_.prefix.value(), before.value);
      smem_.has_prefix = before.present;
    }
    named_barrier();
  }
  /// Everything before run r of this warp; the first run of tile 0 may have nothing there.
  template <class Op>
  __device__ optional<T> before_run(int r, bool has_runs, Op& op) const {
    optional<T> const before_tile{smem_.prefix.value(), smem_.has_prefix};
    if (!has_runs) return before_tile;
    T const before = runs()[nth_run(r) - 1];
    return {combine(before_tile, before, op), true};
  }
  template <class Op>
  __device__ void scan_rows(Op& op) {
    typename vec::mask heads[R];
    if constexpr (marks) {
#pragma unroll
      for (int r = 0; r < R; ++r) heads[r] = heads_at(lowest(r), V);
    } else {
      heads_of_rows<Problem::towards, V>(
          problem_.heads, problem_.grid.n, [&](int r) { return lowest(r); }, heads);
    }
    if constexpr (segmented) {
      typename vec::mask any = 0;
#pragma unroll
      for (int r = 0; r < R; ++r) any |= heads[r];
      has_heads_ = __any_sync(~0u, (any << (32 - V)) != 0);
      if (!has_heads_) return scan_rows_of<false>(heads, op);
    }
    scan_rows_of<true>(heads, op);
  }
  template <class Op>
  __device__ void store_rows(Op& op) {
    if constexpr (segmented)
      if (!has_heads_) return store_rows_of<false, which_exist::all>(op);
    store_rows_of<true, which_exist::all>(op);
  }

  // Where no segment starts in any of a warp's runs, these are folded and scanned as if there were none.

  template <bool Heads, class Op>
  __device__ void scan_rows_of(typename vec::mask const (&heads)[R], Op& op) {
    T sums[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      auto const mine = Heads ? heads[r] : typename vec::mask{};
      T xs[V];
      vec::unpack(problem_, rows_[r], mine, xs);
      if constexpr (Heads) {
        sums[r] = warp_scan(vec::fold(xs, op), op);
        stash(r, mine, xs, warp_shfl_up(sums[r], 1), op);
      } else {
        auto const sum = warp_scan(vec::fold(xs, op).value, op.op);
        sums[r] = {sum, {}};
        stash(r, mine, xs, T{warp_shfl_up(sum, 1), {}}, op);
      }
    }
    // Apart from the rows, or the compiler takes the last lane its own way through them.
    if (lane_ == 31) {
#pragma unroll
      for (int r = 0; r < R; ++r) put_bytes(runs()[nth_run(r)], sums[r]);
    }
  }
  template <bool Heads, which_exist Which, class Op>
  __device__ void store_rows_of(Op& op) {
    bool const by_vectors = vec::can_store_vectors(problem_, window_.base);
    if constexpr (has_stand_ins) flags_.keep_packed();
#pragma unroll
    for (int r = 0; r < R; ++r) {
      auto vector = stashed(r);
      if constexpr (!Heads) {
        vector.heads = {};
        vector.before.heads = {};
      }
      T results[V];
      vec::finish(problem_, vector, lane_ > 0, before_run(r, r > 0 || batch_ > 0 || warp_ > 0, op), results,
                  op);
      int const place = vector_place(r);
      if (Which == which_exist::all || has_all(place)) {
        vec::store(problem_, lowest(r), results, by_vectors);
      } else {
        auto const [from, to] = existing(place);
#pragma unroll
        for (int v = 0; v < V; ++v)
          if (v >= from && v < to) problem_.put(memory_of(place, v), results[v]);
      }
    }
  }

  // What waits for the look-back. Of flagged values all flags stand side by side in a few words.

  template <class Op>
  __device__ void stash(int r, typename vec::mask heads, T const (&xs)[V], T const& before, Op& op) {
    if constexpr (has_stand_ins) {
      before_[r] = fold_form<T>::value(before);
      flags_.put(r, (heads & ((1u << V) - 1)) | unsigned{before.heads} << V);
    } else {
      stash_[r] = vec::stash(rows_[r], heads, xs, {before, lane_ > 0}, op);
    }
  }
  __device__ typename vec::stashed stashed(int r) {
    if constexpr (has_stand_ins) {
      unsigned const flags = flags_.get(r);
      return {rows_[r], flags, fold_form<T>::joined(before_[r], (flags >> V & 1u) != 0)};
    } else {
      return stash_[r];
    }
  }
  template <class Op>
  __device__ void scan_stand_ins(Op& op) {
    typename vec::mask heads[R];
    some_heads_of_rows(heads);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      auto const [from, to] = existing(vector_place(r));
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (v < from || v >= to) heads[r] |= 1u << vec::in_memory(v);
    }
    scan_rows_of<true>(heads, op);
  }

  // All batches but the last wait in shared memory, which each thread has some of.

  static_assert(B == 1 || has_stand_ins || !segmented);
  /// Whole rows wait as they are stashed, those of a tile at an end of the data as they came.
  template <which_exist Which>
  static constexpr bool wait_as_values = !has_stand_ins && !vec::packed && Which == which_exist::all;
  template <which_exist Which>
  using chunks = rows_in_chunks<
      std::conditional_t<wait_as_values<Which>, waiting_values<Problem, R>, waiting_rows<Problem, R>>>;
  static constexpr int chunks_of_batch = waiting_chunks<Problem>(R);
  template <which_exist Which>
  __device__ uint4* waiting_of(int batch) const {
    static_assert(chunks<Which>::count <= chunks_of_batch);
    return aside_ + (batch * chunks_of_batch * warps_ + warp_) * 32 + lane_;
  }
  /// All batches, the first of which is loaded. Of flagged values the first has code of its own: together it
  /// takes more registers; of others, apart.
  template <which_exist Which, class Load, class Scan>
  __device__ void scan_batches(Load const& load, Scan const& scan) {
    if constexpr (has_stand_ins) {
      scan();
      while (next_batch<Which>()) {
        load();
        scan();
      }
    } else {
      for (;;) {
        scan();
        if (!next_batch<Which>()) break;
        load();
      }
    }
  }
  /// Whether there is one more; then the one at hand waits aside.
  template <which_exist Which>
  __device__ bool next_batch() {
    if constexpr (B == 1) {
      return false;
    } else {
      if (batch_ + 1 == batches_) return false;
      chunks<Which> all;
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if constexpr (wait_as_values<Which>) {
#pragma unroll
          for (int v = 0; v < V; ++v) put_bytes(all.rows.of[r][v], stash_[r].xs[v]);
        } else if constexpr (has_stand_ins) {
          all.rows.items[r] = rows_[r];
          put_bytes(all.rows.before[r], before_[r]);
        } else if constexpr (Which == which_exist::all) {
          all.rows.items[r] = stash_[r].raw;
          put_bytes(all.rows.before[r], stash_[r].before);
        } else {
          all.rows.items[r] = rows_[r];
          put_bytes(all.rows.before[r], part_before_[r]);
        }
      }
      if constexpr (has_stand_ins) all.rows.flags = flags_;
      all.set_aside(waiting_of<Which>(batch_++), 32 * warps_);
      return true;
    }
  }
  /// Whether there is one before it, which then is at hand.
  template <which_exist Which>
  __device__ bool batch_before() {
    if constexpr (B == 1) {
      return false;
    } else {
      if (batch_ == 0) return false;
      chunks<Which> all;
      all.take_back(waiting_of<Which>(--batch_), 32 * warps_);
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if constexpr (wait_as_values<Which>) {
#pragma unroll
          for (int v = 0; v < V; ++v) put_bytes(stash_[r].xs[v], all.rows.of[r][v]);
        } else if constexpr (has_stand_ins) {
          rows_[r] = all.rows.items[r];
          put_bytes(before_[r], all.rows.before[r]);
        } else if constexpr (Which == which_exist::all) {
          stash_[r].raw = all.rows.items[r];
          put_bytes(stash_[r].before, all.rows.before[r]);
        } else {
          rows_[r] = all.rows.items[r];
          put_bytes(part_before_[r], all.rows.before[r]);
        }
      }
      if constexpr (has_stand_ins) {
        flags_ = all.rows.flags;
        has_heads_ = __any_sync(~0u, flags_.any());
      }
      return true;
    }
  }

  // Runs all of whose items exist have code without questions: what few lanes ask would hold up all others.

  template <class Op>
  __device__ void scan_part(Op& op) {
    some_heads_of_rows(heads_);
    T sums[R];
    unsigned have[R];  // which lanes have items
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (has_whole_run(r)) {
        T xs[V];
        vec::unpack(problem_, rows_[r], heads_[r], xs);
        put_bytes(sums[r], vec::fold(xs, op));
        have[r] = ~0u;
        continue;
      }
      Raw raw[V];
      rows_[r].unpack(raw);
      auto const [from, to] = existing(vector_place(r));
      T sum{};
#pragma unroll
      for (int v = 0; v < V; ++v)
        if (v >= from && v < to) {
          T const x = problem_.item(raw[vec::in_memory(v)], heads_[r], vec::in_memory(v));
          sum = v > from ? static_cast<T>(op(sum, x)) : x;
        }
      put_bytes(sums[r], sum);
      have[r] = __ballot_sync(~0u, from < to);
    }
    warp_scan_rows_of_some(sums, have, op);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (lane_ == 31 && has_run(r)) put_bytes(runs()[nth_run(r)], sums[r]);
      put_bytes(part_before_[r], warp_shfl_up(sums[r], 1));
    }
  }

  template <class Op>
  __device__ void store_part(Op& op) {
    bool const by_vectors = vec::can_store_vectors(problem_, window_.base);
#pragma unroll
    for (int r = 0; r < R; ++r)
      if (has_run(r)) {
        int const run_start = nth_run(r) * run_items, first = vector_place(r);
        optional<T> before = before_run(r, window_.overlaps(0, run_start), op);
        if (window_.overlaps(run_start, first)) before = {combine(before, part_before_[r], op), true};
        Raw raw[V];
        rows_[r].unpack(raw);
        T results[V];
        auto const add = [&](int v) {
          T const x = problem_.item(raw[vec::in_memory(v)], heads_[r], vec::in_memory(v));
          T const with = combine(before, x, op);
          results[v] = inclusive ? with : problem_.before(before.value, heads_[r], vec::in_memory(v));
          before = {with, true};
        };
        if (has_whole_run(r)) {
#pragma unroll
          for (int v = 0; v < V; ++v) add(v);
          vec::store(problem_, lowest(r), results, by_vectors);
          continue;
        }
        auto const [from, to] = existing(first);
#pragma unroll
        for (int v = 0; v < V; ++v)
          if (v >= from && v < to) {
            add(v);
            problem_.put(memory_of(first, v), results[v]);
          }
      }
  }

  /// Publishes the tile's total as soon as it is known; run totals become inclusive prefixes while the answer
  /// is awaited. Shape: (32 lanes, runs of a lane).
  template <class Op, class Publish>
  __device__ optional<T> scan_runs(Op& op, Publish publish) const {
    constexpr int most = (most_runs + 31) / 32;
    // Runs that exist: all, where others stand in for their items.
    int const count = problem_.grid.tile_items / run_items,
              from = has_stand_ins ? 0 : window_.valid_begin / run_items,
              to = has_stand_ins ? count : (window_.valid_end + run_items - 1) / run_items;
    int const each = (count + 31) / 32, first = max(lane_ * each, from), end = min((lane_ + 1) * each, to);
    T sum{};
    auto const total_of = [&](int i) { return runs()[min(first + i, max(to - 1, 0))]; };
    auto const total = [&] {
      named_barrier();  // run totals are there
      sum = total_of(0);
#pragma unroll
      for (int i = 1; i < most; ++i)
        if (first + i < end) sum = op(sum, total_of(i));
      if constexpr (has_stand_ins) {
        sum = warp_scan(sum, op);
        return warp_shfl(sum, (count - 1) / each);
      } else {
        warp_scan_some(sum, __ballot_sync(~0u, first < end), op);
        return warp_shfl(sum, 31);
      }
    };
    return publish(warp_lanes{}, total_when_known{total}, [&] {
      T running = warp_shfl_up(sum, 1);
      __syncwarp();  // all have read the totals
      bool has = first > from;
#pragma unroll
      for (int i = 0; i < most; ++i)
        if (first + i < end) {
          T const next = total_of(i);  // read anew: there are no registers for all
          running = has ? static_cast<T>(op(running, next)) : next;
          put_bytes(runs()[first + i], running);
          has = true;
        }
    });
  }
  typename vec::stashed stash_[R];           ///< between scan and store
  typename fold_form<T>::folded before_[R];  ///< the same of flagged values, where rows_ stay
  row_bits<R, V + 1> flags_;     ///< where segments start in a vector, and whether any does before it
  bool has_heads_ = true;        ///< whether a segment starts in a run of the warp
  typename vec::mask heads_[R];  ///< at an end of the data, where rows_ stay, too
  T part_before_[R];             ///< what comes before a vector in its run
  int batches_ = 1;
  uint4* aside_ = nullptr;  ///< shared memory of the batches that wait
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

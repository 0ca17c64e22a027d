// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_REGISTER_ITEMS_CUH
#define SWEEP_DETAIL_SCAN_TILE_REGISTER_ITEMS_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/item_source.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/slots.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/scan/tile/vector_ops.cuh>
#include <sweep/detail/segments/find_heads.cuh>
#include <sweep/detail/segments/flagged_scan.cuh>
#include <sweep/detail/segments/tile_heads.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// A tile's items as they come into the registers of a thread block, with the heads of its segments. Shape,
/// in scan order: (R rows, warps, 32 lanes, V items); every access of a warp is 32 neighbouring vectors of V
/// items, and the block's accesses follow each other in memory. A run is the part of a row that one warp
/// holds. The first warp holds none. Of up to B batches of R rows each one is in registers at a time.
template <class Problem, scan_plan P, int R, int B>
class scan_register_items {
 protected:
  using vec = vector_ops<Problem, P>;
  using T = typename Problem::value;
  using Raw = typename Problem::raw;
  static constexpr int V = Problem::vector_items, run_items = 32 * V,
                       most_runs = B * R * (P.threads / 32 - 1);
  static constexpr bool backward = vec::backward, inclusive = vec::inclusive,
                        segmented = Problem::heads_type::segmented;
  /// Whether values are flagged. Where an item does not exist, another then stands in for it as a segment of
  /// its own, so that the operator meets it with nothing that does; what is counted by segments cannot have
  /// such.
  static constexpr bool has_stand_ins = segmented && may_ignore_left<T>;

 public:
  /// Whether the block finds out itself where segments begin.
  static constexpr bool marks = Problem::heads_type::marked_in_tiles;
  struct no_marks {};

  struct shared {
    [[no_unique_address]] std::conditional_t<marks, tile_heads<most_runs * run_items>, no_marks> heads;
    uninitialized<T, most_runs> runs;  ///< totals, then inclusive prefixes of runs
    uninitialized<T> prefix;
    bool has_prefix;
  };
  /// By all threads, before they synchronize for the first time. Nothing is read yet that the kernel before
  /// may still be writing.
  __device__ scan_register_items(Problem const& problem, shared& smem)
      : problem_{problem},
        smem_{smem},
        lane_{static_cast<int>(threadIdx.x % 32)},
        warp_{(segmented ? warp_of_block() : static_cast<int>(threadIdx.x / 32)) - 1},
        warps_{static_cast<int>(blockDim.x / 32) - 1} {
    if constexpr (marks)
      smem_.heads.clear(problem.grid.tile_items, static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x));
  }

 protected:
  // Where segments begin, the block asks before it asks for items: that these are made of what is read may
  // wait for it. Then all mark the heads, which the look-back warp may have to look for.

  /// How a tile's segments lie in memory: `lengths` are added up by the block.
  static constexpr bool has_lengths = requires(Problem const& problem) { problem.heads.source.lengths; };
  __device__ bool adds_lengths() const {
    if constexpr (has_lengths) return problem_.heads.source.ends == nullptr;
    else return false;
  }
  __device__ auto begins() const {
    auto const& source = problem_.heads.source;
    if constexpr (has_lengths) return typename std::remove_cvref_t<decltype(source)>::begins{source.ends};
    else return source.offsets;
  }
  struct nothing_asked {};
  /// The first that reads what others wrote.
  __device__ auto ask_heads() const {
    if constexpr (marks) {
      auto const count = problem_.heads.source.count;
      auto const first = adds_lengths() ? 0
                                        : smem_.heads.first_near(count, problem_.grid.n, window_.base,
                                                                 problem_.grid.tile_items);
      follow_kernel_before();
      return smem_.heads.template ask_near<!has_lengths>(begins(), adds_lengths() ? 0 : count, first);
    } else {
      follow_kernel_before();
      return nothing_asked{};
    }
  }
  template <class Asked>
  __device__ void mark_heads(Asked const& asked) {
    if constexpr (marks) {
      auto const& source = problem_.heads.source;
      auto const from = window_.base, n = problem_.grid.n;
      auto const items = problem_.grid.tile_items;
      auto const edge = backward ? from + items : from;  // of what comes before the tile
      auto const items_before = backward ? n - edge : edge;
      if (warp_ < 0 && lane_ == 0) smem_.heads.nearer_lead(items_before);
      auto const synchronize = [] { named_barrier(); };
      int nearest = 0x7fffffff;
      auto const look = [&](auto where) {  // counted from the tile's first item
        auto const away = backward ? where - items : -where;
        if (away >= 0 && away < nearest) nearest = static_cast<int>(away);
      };
      if (adds_lengths()) {
        if constexpr (has_lengths)
          smem_.heads.mark_lengths(source.lengths, source.count, n, from, items, synchronize, look);
      } else {
        smem_.heads.mark_near(asked, from, items);
        smem_.heads.template find_lead<Problem::towards>(asked, edge);
        synchronize();
        if (smem_.heads.has_near()) return;
        // Ends of lengths take two registers each.
        auto const probe = [&] {
          if constexpr (has_lengths) return smem_.heads.first_probe(begins(), source.count);
          else return asked.probe;
        }();
        smem_.heads.mark(begins(), smem_.heads.find(begins(), source.count, from, items, probe, synchronize),
                         from, items, look);
      }
      if (nearest < 0x7fffffff) smem_.heads.nearer_lead(nearest);
      synchronize();
    }
  }
  __device__ auto heads_at(std::int64_t lowest, int count) const {
    if constexpr (marks)
      return problem_.heads.template with_edge<Problem::towards>(
          smem_.heads.at(static_cast<int>(lowest - window_.base) + (backward ? 1 : 0)), lowest, count,
          problem_.grid.n);
    else return problem_.heads_at(lowest, count);
  }

  /// The look-back warp and the others, each at its own place in the code.
  static __device__ void named_barrier() { __barrier_sync_count(1, blockDim.x); }
  __device__ T* runs() const { return smem_.runs.data(); }
  __device__ int nth_run(int r) const { return (batch_ * R + r) * warps_ + warp_; }
  __device__ int vector_place(int r) const { return nth_run(r) * run_items + lane_ * V; }
  /// Where place + v, v < V, of a vector lies in memory.
  __device__ std::int64_t memory_of(int place, int v) const {
    return window_.base + (backward ? problem_.grid.tile_items - 1 - place - v : place + v);
  }
  // A tile all of whose items exist: loaded once, all rows in flight.

  /// Of the vector at a place the item that is first in memory, counted from the tile's first; its index.
  __device__ int lowest_place(int place) const {
    return backward ? problem_.grid.tile_items - V - place : place;
  }
  __device__ std::int64_t lowest(int r) const { return window_.base + lowest_place(vector_place(r)); }

  __device__ void load_rows() {
    auto const at = [&](int r) { return lowest_place(vector_place(r)); };
    if (vec::can_load_vectors(problem_, window_.base))
      return vec::load_whole(problem_, window_.base, at, rows_);
    if constexpr (vec::shifts) {
      constexpr int around = 16;
      if (window_.base >= around && window_.base + problem_.grid.tile_items + around <= problem_.grid.n)
        load_shifted_rows<words_around::exist>();
      else load_shifted_rows<words_around::may_end>();
    } else {
      vec::load_each(problem_, window_.base, at, rows_);
    }
  }
  template <words_around Around>
  __device__ void load_shifted_rows() {
    // Found anew, so that no places are kept in registers from here to the stores.
    int first = vector_place(0), step = warps_ * run_items;
    asm("" : "+r"(first), "+r"(step));
    int const tile_items = problem_.grid.tile_items;
    vec::template load_shifted<Around>(
        problem_, window_.base,
        [=](int r) { return backward ? tile_items - V - first - r * step : first + r * step; }, rows_);
  }

  // A tile at an end of the data.

  __device__ bool has_all(int place) const {
    return window_.contains(place) && window_.contains(place + V - 1);
  }
  __device__ bool has_run(int r) const {
    return window_.overlaps(nth_run(r) * run_items, (nth_run(r) + 1) * run_items);
  }
  __device__ bool has_whole_run(int r) const {
    return window_.contains(nth_run(r) * run_items) && window_.contains((nth_run(r) + 1) * run_items - 1);
  }
  /// Which of the items of a vector exist: from the first, to behind the last.
  struct some_items {
    int from, to;
  };
  __device__ some_items existing(int place) const {
    return {max(window_.valid_begin - place, 0), min(window_.valid_end - place, V)};
  }
  /// The heads of a vector of which perhaps not all items exist.
  __device__ unsigned some_heads(std::int64_t lowest) const {
    unsigned const found = smem_.heads.at(static_cast<int>(lowest - window_.base) + (backward ? 1 : 0));
    auto const edge = (backward ? problem_.grid.n - 1 : 0) - lowest;  // what the scan begins with
    return edge >= 0 && edge < V ? found | 1u << edge : found;
  }

  /// Shifting leaves anything where nothing exists of a vector: what stands in there is an item.
  __device__ void load_shifted_part() {
    load_shifted_rows<words_around::may_end>();
    if constexpr (has_stand_ins) {
      Raw each[V];
      put_bytes(each[0], static_cast<Raw>(problem_.in[memory_of(window_.valid_begin, 0)]));
#pragma unroll
      for (int v = 1; v < V; ++v) put_bytes(each[v], each[0]);
      item_vector<Raw, V> some;
      some.pack(each);
#pragma unroll
      for (int r = 0; r < R; ++r)
        if (int const place = vector_place(r); !window_.overlaps(place, place + V)) rows_[r] = some;
    }
  }
  __device__ void load_part() {
    constexpr bool shifts = Problem::in_contiguous && vec::shifts;
    // Where vectors are of many items, to load those at the ends one by one takes longer than to shift all.
    if constexpr (shifts && V > 8) {
      load_shifted_part();
    } else if constexpr (!Problem::in_contiguous) {
      // Items are made of what is read, and that may lead to more: all rows ask for all, in place of an item
      // that does not exist for the nearest.
      Raw raw[R][V];
#pragma unroll
      for (int r = 0; r < R; ++r)
#pragma unroll
        for (int v = 0; v < V; ++v) {
          int const nearest = max(window_.valid_begin, min(vector_place(r) + v, window_.valid_end - 1));
          put_bytes(raw[r][vec::in_memory(v)], static_cast<Raw>(problem_.in[memory_of(nearest, 0)]));
        }
#pragma unroll
      for (int r = 0; r < R; ++r) rows_[r].pack(raw[r]);
    } else {
      bool const by_vectors = vec::can_load_vectors(problem_, window_.base);
      if constexpr (shifts)
        if (!by_vectors) return load_shifted_part();
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if (!has_stand_ins && !has_run(r)) continue;
        int const place = vector_place(r);
        if (by_vectors && has_all(place)) {
          item_vector<Raw, V> one[1];
          vec::load_whole(
              problem_, window_.base, [&](int) { return lowest_place(place); }, one);
          rows_[r] = one[0];
          continue;
        }
        // In place of an item that does not exist the nearest is read: no read waits for a branch.
        Raw raw[V];
#pragma unroll
        for (int v = 0; v < V; ++v) {
          auto const i = max(std::int64_t{0}, min(memory_of(place, v), problem_.grid.n - 1));
          put_bytes(raw[vec::in_memory(v)], static_cast<Raw>(problem_.in[i]));
        }
        rows_[r].pack(raw);
      }
    }
  }
  __device__ void some_heads_of_rows(typename vec::mask (&heads)[R]) const {
    if constexpr (marks) {
#pragma unroll
      for (int r = 0; r < R; ++r) heads[r] = some_heads(lowest(r));
    } else {
      heads_of_rows<Problem::towards, V, which_exist::some>(
          problem_.heads, problem_.grid.n, [&](int r) { return lowest(r); }, heads);
    }
  }
  // The items before the tile, from where its first segment begins.

  using source = typename Problem::source;
  using sink = typename Problem::sink;
  /// Bytes by which a vector's heads are found where the source says of each item whether it is one; 0 where
  /// that is not known to lie in memory.
  static constexpr std::size_t head_bytes = [] {
    if constexpr (has_stand_ins && !marks) {
      using heads = decltype(Problem::heads_type::source);
      constexpr auto way = way_to_find<heads, V>;
      if constexpr (way == finds_heads::from_keys) return V * sizeof(value_of<decltype(heads::keys)>);
      else if constexpr (way == finds_heads::from_flags) return V * sizeof(value_of<decltype(heads::flags)>);
      else return std::size_t{way == finds_heads::from_bits ? 4 : 0};
    } else {
      return std::size_t{0};
    }
  }();
  /// Whether it is known where they and their heads lie, and that nobody writes there.
  static constexpr bool folds_lead = (marks || head_bytes > 0) &&
                                     (Problem::in_contiguous || Problem::reads_side_by_side) &&
                                     Problem::writes_streams && !Problem::writes_at_tails;
  /// Runs before the tile, the nearest first, of which some are asked for before it is known how far back the
  /// segment begins, and as many again where it begins behind them: so many there are whose items, and the
  /// words around them, are the range's.
  struct lead_items {
    /// As many as there are registers for.
    static constexpr int most_runs =
        std::max(1, std::min(6, 24 / (item_vector<Raw, V>::words + static_cast<int>((head_bytes + 3) / 4))));
    /// So many times, but once where few tiles are before this one: their totals come sooner than those
    /// items.
    static constexpr int steps = sizeof(Raw) <= 8 ? 2 : 1, few_tiles = 64;
    int runs = 0, nearest = 0;
    item_vector<Raw, V> rows[most_runs];
    __device__ int place(int lane, int k) const {
      return lane * V - (min(nearest + k, runs - 1) + 1) * run_items;
    }
  };
  __device__ lead_items ask_lead() const {
    constexpr int around = 16;
    lead_items some;
    auto const edge = window_.base + (backward ? problem_.grid.tile_items : 0), n = problem_.grid.n;
    if ((backward ? edge < around : edge + around > n) || in_place()) return some;
    auto const before = max(std::int64_t{0}, (backward ? n - edge : edge) - around);
    bool const few = before < std::int64_t{lead_items::few_tiles} * problem_.grid.tile_items;
    some.runs = static_cast<int>(
        min(before / run_items, std::int64_t{(few ? 1 : lead_items::steps) * lead_items::most_runs}));
    if (some.runs > 0) ask_lead(some);
    return some;
  }
  __device__ void ask_lead(lead_items& some) const {
    auto const at = [&](int k) { return lowest_place(some.place(lane_, k)); };
    if (vec::can_load_vectors(problem_, window_.base)) vec::load_whole(problem_, window_.base, at, some.rows);
    else if constexpr (vec::shifts)
      vec::template load_shifted<words_around::exist>(problem_, window_.base, at, some.rows);
    else vec::load_each(problem_, window_.base, at, some.rows);
  }

  /// What comes before the tile, where items tell.
  struct lead_fold {
    bool knows = false;
    optional<T> before{};
  };
  /// Run by run, as far as the segment reaches: what stands before it there does not matter.
  template <class Op>
  __device__ lead_fold fold_lead(lead_items& items, Op& op) const {
    constexpr int most = lead_items::most_runs;
    int lead = 0;
    if constexpr (marks) {
      lead = smem_.heads.lead;
      if (lead > items.runs * run_items) return {};
      if (lead == 0) return {true, {}};
    } else if (items.runs < most) {
      return {};
    }
    for (T sum{};;) {
      typename vec::mask heads[most];
      int farthest = most - 1;
      if constexpr (marks) {
        farthest = (lead - 1) / run_items - items.nearest;
#pragma unroll
        for (int k = 0; k < most; ++k) {
          int const first = -lead - items.place(lane_, k);  // of the segment's items
          heads[k] = first >= 0 && first < V ? 1u << vec::in_memory(first) : 0u;
        }
      } else {
        heads_of_rows<Problem::towards, V>(
            problem_.heads, problem_.grid.n,
            [&](int k) { return window_.base + lowest_place(items.place(lane_, k)); }, heads);
      }
      T const part = fold_runs(items, heads, farthest, op);
      sum = items.nearest > 0 ? static_cast<T>(op(part, sum)) : part;
      if constexpr (marks) {
        if (farthest < most) return {true, {sum, true}};
      } else {
        if (sum.heads) return {true, {sum, true}};
        if (items.nearest + 2 * most > items.runs) return {};
      }
      items.nearest += most;
      ask_lead(items);
    }
  }
  template <class Op>
  __device__ T fold_runs(lead_items const& items, typename vec::mask const (&heads)[lead_items::most_runs],
                         int farthest, Op& op) const {
    constexpr int most = lead_items::most_runs;
    T sums[most];
#pragma unroll
    for (int k = 0; k < most; ++k) {
      T xs[V];
      vec::unpack(problem_, items.rows[k], heads[k], xs);
      sums[k] = warp_scan(vec::fold(xs, op), op);
    }
    T sum = sums[most - 1];
#pragma unroll
    for (int k = most - 2; k >= 0; --k) sum = k < farthest ? static_cast<T>(op(sum, sums[k])) : sums[k];
    return warp_shfl(sum, 31);
  }

  /// Whether results are written over items.
  __device__ bool in_place() const {
    bool any = false;
    auto const n = problem_.grid.n;
    auto const from = source_of(problem_.in);
    auto const to = Problem::sink_under(problem_.out);
    for_each_stream<source::streams>([&](auto k) {
      auto const read = reinterpret_cast<std::uintptr_t>(
                     from.template stream<decltype(k)::value>().lowest(0, n)),
                 read_end = read + n * sizeof(stream_value<source, decltype(k)::value>);
      for_each_stream<sink::streams>([&](auto j) {
        auto const write = reinterpret_cast<std::uintptr_t>(
                       to.template stream<decltype(j)::value>().lowest(0, n)),
                   write_end = write + n * sizeof(stream_value<sink, decltype(j)::value>);
        any = any || (read < write_end && write < read_end);
      });
    });
    return any;
  }
  Problem const& problem_;
  shared& smem_;
  int lane_, warp_, warps_;
  int batch_ = 0;  ///< whose rows are in registers
  tile_window window_{};
  item_vector<Raw, V> rows_[R];  ///< between load and scan, and at an end of the data
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

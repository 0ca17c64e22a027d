// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_REGISTER_TILE_CUH
#define SWEEP_DETAIL_SCAN_TILE_REGISTER_TILE_CUH

#include <sweep/detail/block/uninitialized.cuh>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/lookback/warp_lanes.cuh>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/scan/tile/vector_ops.cuh>
#include <sweep/detail/segments/find_heads.cuh>
#include <sweep/detail/segments/flagged_scan.cuh>
#include <sweep/detail/segments/tile_heads.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>

#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

/// A thread block that holds its tile in registers. Shape of a tile, in scan order:
///   (R rows, warps, 32 lanes, V items)
/// Every access of a warp is 32 neighbouring vectors of V items, and the block's accesses follow each other
/// in memory. A run is the part of a row that one warp holds: warps scan their runs, then the look-back warp,
/// which holds no items and so has registers for it, scans the totals of all runs and learns what came before
/// the tile. Problem gives the iterators, the types and the tiling; see scan/problem.hpp.
template <class Problem, scan_plan P, int R>
class scan_register_tile {
  using vec = vector_ops<Problem, P>;
  using T = typename Problem::value;
  using Raw = typename Problem::raw;
  static constexpr int V = Problem::vector_items, run_items = 32 * V, most_runs = R * (P.threads / 32 - 1);
  static constexpr bool backward = vec::backward, inclusive = vec::inclusive,
                        segmented = Problem::heads_type::segmented;
  /// Whether values are flagged. Where an item does not exist, another then stands in for it as a segment of
  /// its own, so that the operator meets it with nothing that does; what is counted by segments cannot have
  /// such.
  static constexpr bool has_stand_ins = segmented && may_ignore_left<T>;

 public:
  static constexpr int rows = R;

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
  __device__ scan_register_tile(Problem const& problem, shared& smem)
      : problem_{problem},
        smem_{smem},
        lane_{static_cast<int>(threadIdx.x % 32)},
        warp_{warp_of_block() - 1},
        warps_{static_cast<int>(blockDim.x / 32) - 1} {
    if constexpr (marks) smem_.heads.clear(static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x));
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
      lead_items const items = ask_lead();
      mark_heads(asked);
      int const lead = smem_.heads.lead;
      bool const knows = lead <= items.runs * run_items;
      optional<T> const known = knows ? fold_lead(items, lead, op) : optional<T>{};
      optional<T> const before =
          scan_runs(op, [&](auto const& lanes, auto const& total, auto const& meanwhile) {
            T const all = known_total(total);
            if (knows && publish.alone(lanes, all)) {
              meanwhile();
              hand_on(known);
              return known;
            }
            return publish(lanes, all, [&] {
              meanwhile();
              if (knows) hand_on(known);
            });
          });
      if (!knows) hand_on(before);
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
      tile.scan_rows(op);
    }
    template <class Op, class Publish>
    __device__ void await_look_back(Op&, Publish const&) {
      tile.await();
    }
    template <class Op>
    __device__ void store(Op& op) {
      tile.store_rows(op);
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
      if constexpr (has_stand_ins) tile.scan_stand_ins(op);
      else tile.scan_part(op);
    }
    template <class Op, class Publish>
    __device__ void await_look_back(Op&, Publish const&) {
      tile.await();
    }
    template <class Op>
    __device__ void store(Op& op) {
      if constexpr (has_stand_ins) tile.template store_rows_of<true, which_exist::some>(op);
      else tile.store_part(op);
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

  // The items before the tile, from where its first segment begins.

  using source = typename Problem::source;
  using sink = typename Problem::sink;
  /// Whether it is known where they lie, and that nobody writes there.
  static constexpr bool folds_lead = marks && (Problem::in_contiguous || Problem::reads_side_by_side) &&
                                     Problem::writes_streams && !Problem::writes_at_tails;
  /// The runs before the tile, the nearest first, that are asked for before it is known how far back the
  /// segment begins: so many there are whose items, and the words around them, are the range's.
  struct lead_items {
    /// As many as there are registers for.
    static constexpr int most_runs = std::max(1, std::min(4, 24 / item_vector<Raw, V>::words));
    int runs = 0;
    item_vector<Raw, V> rows[most_runs];
    __device__ int place(int lane, int k) const { return lane * V - (min(k, runs - 1) + 1) * run_items; }
  };
  __device__ lead_items ask_lead() const {
    constexpr int around = 16;
    lead_items some;
    auto const edge = window_.base + (backward ? problem_.grid.tile_items : 0), n = problem_.grid.n;
    if ((backward ? edge < around : edge + around > n) || in_place()) return some;
    auto const before = max(std::int64_t{0}, (backward ? n - edge : edge) - around);
    some.runs = static_cast<int>(min(before / run_items, std::int64_t{lead_items::most_runs}));
    if (some.runs == 0) return some;
    auto const at = [&](int k) { return lowest_place(some.place(lane_, k)); };
    if (vec::can_load_vectors(problem_, window_.base)) vec::load_whole(problem_, window_.base, at, some.rows);
    else if constexpr (vec::shifts)
      vec::template load_shifted<words_around::exist>(problem_, window_.base, at, some.rows);
    else vec::load_each(problem_, window_.base, at, some.rows);
    return some;
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
  /// Run by run, as far as the segment reaches: what stands before it there does not matter.
  template <class Op>
  __device__ optional<T> fold_lead(lead_items const& items, int lead, Op& op) const {
    constexpr int most = lead_items::most_runs;
    if (lead == 0) return {};
    int const farthest = (lead - 1) / run_items;
    T sums[most];
#pragma unroll
    for (int k = 0; k < most; ++k) {
      int const first = -lead - items.place(lane_, k);  // of the segment's items
      T xs[V];
      vec::unpack(problem_, items.rows[k], first >= 0 && first < V ? 1u << vec::in_memory(first) : 0u, xs);
      sums[k] = warp_scan(vec::fold(xs, op), op);
    }
    T sum = sums[most - 1];
#pragma unroll
    for (int k = most - 2; k >= 0; --k) sum = k < farthest ? static_cast<T>(op(sum, sums[k])) : sums[k];
    return {warp_shfl(sum, 31), true};
  }

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
      auto const first = adds_lengths() ? 0 : smem_.heads.first_near(count, problem_.grid.n, window_.base);
      follow_kernel_before();
      return smem_.heads.ask_near(begins(), adds_lengths() ? 0 : count, first);
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
      if (adds_lengths()) {
        if constexpr (has_lengths) {
          int nearest = 0x7fffffff;
          smem_.heads.mark_lengths(
              source.lengths, source.count, n, from, [] { named_barrier(); },
              [&](int where) {
                if (int const away = backward ? where - items : -where; away >= 0)
                  nearest = min(nearest, away);
              });
          if (nearest < 0x7fffffff) smem_.heads.nearer_lead(nearest);
        }
        named_barrier();
      } else {
        smem_.heads.mark_near(asked, from);
        smem_.heads.template find_lead<Problem::towards>(asked, edge);
        named_barrier();
        if (smem_.heads.has_near()) return;
        if (warp_ < 0) {
          smem_.heads.find(begins(), source.count, from, min(from + items + 1, n));
          __syncwarp();
          if (lane_ == 0) smem_.heads.template find_lead<Problem::towards>(begins(), source.count, edge);
        }
        named_barrier();
        smem_.heads.mark(begins(), from);
        named_barrier();
      }
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
  __device__ int nth_run(int r) const { return r * warps_ + warp_; }
  __device__ int vector_place(int r) const { return nth_run(r) * run_items + lane_ * V; }
  /// Where place + v, v < V, of a vector lies in memory.
  __device__ std::int64_t memory_of(int place, int v) const {
    return window_.base + (backward ? problem_.grid.tile_items - 1 - place - v : place + v);
  }
  /// Everything before run r of this warp; the first run of tile 0 may have nothing there.
  template <class Op>
  __device__ optional<T> before_run(int r, bool has_runs, Op& op) const {
    optional<T> const before_tile{smem_.prefix.value(), smem_.has_prefix};
    if (!has_runs) return before_tile;
    T const before = runs()[nth_run(r) - 1];
    return {combine(before_tile, before, op), true};
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
      vec::finish(problem_, vector, lane_ > 0, before_run(r, r > 0 || warp_ > 0, op), results, op);
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
  /// R times so many bits.
  template <int Bits>
  struct row_bits {
    static constexpr int each = 32 / Bits;
    unsigned word[(R + each - 1) / each];
    __device__ void put(int r, unsigned bits) {
      bits <<= r % each * Bits;
      word[r / each] = r % each == 0 ? bits : word[r / each] | bits;
    }
    /// What is above them is unspecified.
    __device__ unsigned get(int r) const { return word[r / each] >> r % each * Bits; }
    /// Optimisation barrier: bits wait where they are, and not each for itself.
    __device__ void keep_packed() {
#pragma unroll
      for (auto& some : word) asm("" : "+r"(some));
    }
  };

  // A tile at an end of the data. The operator meets no item that does not exist.

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
    int const count = R * warps_, from = has_stand_ins ? 0 : window_.valid_begin / run_items,
              to = has_stand_ins ? count : (window_.valid_end + run_items - 1) / run_items;
    int const each = (count + 31) / 32, first = max(lane_ * each, from), end = min((lane_ + 1) * each, to);
    T totals[most], sum{};
    auto const total = [&] {
      named_barrier();  // run totals are there
#pragma unroll
      for (int i = 0; i < most; ++i) totals[i] = runs()[min(first + i, max(to - 1, 0))];
      sum = totals[0];
#pragma unroll
      for (int i = 1; i < most; ++i)
        if (first + i < end) sum = op(sum, totals[i]);
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
          running = has ? static_cast<T>(op(running, totals[i])) : totals[i];
          put_bytes(runs()[first + i], running);
          has = true;
        }
    });
  }

  Problem const& problem_;
  shared& smem_;
  int lane_, warp_, warps_;
  tile_window window_{};
  item_vector<Raw, V> rows_[R];              ///< between load and scan
  typename vec::stashed stash_[R];           ///< between scan and store
  typename fold_form<T>::folded before_[R];  ///< the same of flagged values, where rows_ stay
  row_bits<V + 1> flags_;        ///< where segments start in a vector, and whether any does before it
  bool has_heads_ = true;        ///< whether a segment starts in a run of the warp
  typename vec::mask heads_[R];  ///< at an end of the data, where rows_ stay, too
  T part_before_[R];             ///< what comes before a vector in its run
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

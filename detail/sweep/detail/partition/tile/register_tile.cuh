// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_TILE_REGISTER_TILE_CUH
#define SWEEP_DETAIL_PARTITION_TILE_REGISTER_TILE_CUH

#include <sweep/bits.hpp>
#include <sweep/detail/block/load_single_items.cuh>
#include <sweep/detail/block/shared_window.cuh>
#include <sweep/detail/block/store_contiguous.cuh>
#include <sweep/detail/block/vector_io.cuh>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/plan_table.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/lookback/warp_lanes.cuh>
#include <sweep/detail/partition/problem.hpp>
#include <sweep/detail/partition/tile/marked_rows.cuh>
#include <sweep/detail/partition/tile/register_rows.cuh>
#include <sweep/detail/warp/scan.cuh>
#include <sweep/detail/warp/shuffle.cuh>
#include <sweep/plan.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace sweep::inline SWEEP_ABI::detail {

/// A thread block that compacts a tile through shared memory. What a warp holds is one stretch of memory, so
/// that warps need nothing of each other but a count of each part. The look-back warp, which holds no items,
/// publishes the tile's counts at once and learns what came before it; meanwhile the others scatter the items
/// that are wanted into shared memory, one part behind the other. Then each part is one stretch of memory to
/// write.
template <class Problem, partition_plan P, int R>
class partition_register_tile : register_rows<Problem::vector_items, R, P.load> {
  using rows = register_rows<Problem::vector_items, R, P.load>;
  using rows::all_items, rows::can_load_words, rows::existing, rows::lane_, rows::load_bits, rows::load_each,
      rows::load_words, rows::vector_place, rows::warp_, rows::warp_items, rows::whole_, rows::window_,
      rows::word_index;
  using raw = typename Problem::raw;
  using tested_value = typename Problem::tested_value;
  using counts = typename Problem::counts;
  static constexpr int V = Problem::vector_items, most_warps = P.threads / 32 - 1,
                       counted = Problem::parts - 1, written = Problem::written;
  static constexpr bool keeps_keys = is_keyed_input<std::remove_cvref_t<decltype(Problem::in)>>;
  /// What lanes hold of the items: where their keys are tested, and so are held anyway, the values.
  using held = typename decltype([] {
    if constexpr (keeps_keys)
      return std::type_identity<
          value_of<std::remove_cvref_t<decltype(std::declval<Problem const&>().in.second())>>>{};
    else return std::type_identity<raw>{};
  }())::type;

 public:
  static_assert(P.threads % 32 == 0 && most_warps >= 1 && most_warps <= 31 && R >= 1,
                "sweep: a plan of a compaction needs 64 to 1024 threads, whole warps, and a row");

  struct shared {
    alignas(16) alignas(raw) alignas(
        tested_value) unsigned char stage[most_warps * warp_items * sizeof(raw) + 16];
    int warps[counted][most_warps];  ///< each warp's counts
    counts before;
  };
  static_assert(sizeof(shared) <= 48 * 1024 - 64,
                "sweep: a tile of this many threads, rows and bytes an item does not fit into shared memory");

  __device__ partition_register_tile(Problem const& problem, shared& smem)
      : rows{smem.stage, static_cast<int>(threadIdx.x / 32) - 1},
        problem_{problem},
        smem_{smem},
        warps_{static_cast<int>(blockDim.x / 32) - 1} {}

  static constexpr bool has_look_back_warp = true;
  __device__ bool in_look_back_warp() const { return warp_ < 0; }

  /// Calls the selector for each item, and counts each part.
  template <writes What>
  __device__ void classify(tile_window const& window) {
    window_ = window;
    whole_ = window.whole(problem_.grid.tile_items);
    if (whole_) select<true>();
    else select<false>();
    if constexpr (!Problem::tests_items && What == writes::results) load_wanted();
#pragma unroll
    for (int k = 0; k < counted; ++k) {
      int const count = marked_[k].count();
      if (lane_ == 0) smem_.warps[k][warp_] = count;
    }
  }

  /// The look-back warp's part, when the warps' counts are there: `publish` is given the tile's counts and
  /// answers with those of everything before it. Then the warp helps to store.
  template <writes What, class Publish>
  __device__ void look_back(tile_window const& window, Publish publish) {
    window_ = window;
    named_barrier();
    int before_warp[counted];
    sum_warps(before_warp);
    counts total;
#pragma unroll
    for (int k = 0; k < counted; ++k) total.of[k] = totals_[k];
    counts const before = publish(warp_lanes{}, total);
    if (lane_ == 0) smem_.before = before;
    if constexpr (What == writes::results) {
      named_barrier();
      store_parts();
    }
  }
  /// The others': meanwhile they put the items in order.
  template <writes What, class Publish>
  __device__ void await_look_back(Publish const&) {
    named_barrier();  // the warps' counts are there
    if constexpr (What == writes::results) {
      int before_warp[counted];
      sum_warps(before_warp);
      scatter_in_order(before_warp);
      named_barrier();  // the items are in order, and what came before them is known
    }
  }

  __device__ void store() { store_parts(); }

 private:
  /// The look-back warp and the others, each at its own place in the code.
  static __device__ void named_barrier() { __barrier_sync_count(1, blockDim.x); }

  /// Which of a vector's items belong to any part that is written.
  __device__ unsigned wanted(int r) const {
    if constexpr (written == Problem::parts) return existing(r);
    else {
      unsigned mask = 0;
#pragma unroll
      for (int k = 0; k < written; ++k) mask |= marked_[k].marks(r);
      return mask;
    }
  }

  /// Each item's part, as bits of masks.
  template <bool Whole>
  __device__ void select() {
    if constexpr (std::is_same_v<typename Problem::tested_iterator, bits>) {
      unsigned flags[R];
#pragma unroll
      for (int r = 0; r < R; ++r) flags[r] = load_bits(problem_.tested(), r, Whole ? all_items : existing(r));
      bool last = false;  // of the row before
#pragma unroll
      for (int r = 0; r < R; ++r) {
        bool values[V];
#pragma unroll
        for (int v = 0; v < V; ++v) values[v] = flags[r] >> v & 1u;
        classify_vector<Whole>(r, values, last);
        last = values[V - 1];
      }
    } else {
      item_vector<tested_value, V> tested[R];
      auto const& from = problem_.tested();
      if (Whole && can_load_words(from)) {
        load_words(
            from, [](int) { return all_items; }, tested);
      } else if constexpr (sizeof(tested_value) <= sizeof(raw) &&
                           !rows::template is_computed<typename Problem::tested_iterator>) {
        rows::template load_items<Whole>(from, tested);
      } else {
#pragma unroll
        for (int r = 0; r < R; ++r) load_each(from, r, Whole ? all_items : existing(r), tested[r]);
      }
      tested_value last{};  // of the row before
#pragma unroll
      for (int r = 0; r < R; ++r) {
        tested_value values[V];
        if constexpr (fills_no_words(sizeof(tested_value))) {
#pragma unroll
          for (int v = 0; v < V; ++v) {
            auto one = tested[r].vector_of(v);
            one.keep_packed();  // bytes are taken apart one item after the other
            tested_value x[1];
            one.unpack(x);
            put_bytes(values[v], x[0]);
          }
        } else {
          tested[r].unpack(values);
        }
        classify_vector<Whole>(r, values, last);
        if constexpr (Problem::looks_left) put_bytes(last, values[V - 1]);
        if constexpr (Problem::tests_items) items_[r] = tested[r];
        else if constexpr (keeps_keys) keys_[r] = tested[r];
      }
    }
  }

  template <bool Whole, class X>
  __device__ void classify_vector(int r, X (&values)[V], X const& last_of_row_before) {
    unsigned masks[counted]{};
    unsigned const exist = Whole ? all_items : existing(r);
    auto const index = word_index(r);
    X left{};
    if constexpr (Problem::looks_left) {
      left = warp_shfl(select_registers(lane_ == 31, last_of_row_before, values[V - 1]), (lane_ + 31) % 32);
      if (r == 0 && lane_ == 0 && index > 0 && (exist & 1u)) left = problem_.tested()[index - 1];
    }
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (!Whole && !(exist >> v & 1u)) continue;
      int part = 0;
      if constexpr (Problem::looks_left) {
        if (Whole ? v > 0 || index > 0 : index + v > 0)
          part = problem_.select(v > 0 ? values[v - 1] : left, values[v]);
      } else {
        part = problem_.select(values[v]);
      }
#pragma unroll
      for (int k = 0; k < counted; ++k) masks[k] |= static_cast<unsigned>(part == k) << v;
      // One comparison after the other: those of all items at once want more predicates than ptxas has
      // (C7600).
      if constexpr (Problem::looks_left) asm volatile("" : "+r"(masks[0]));
    }
#pragma unroll
    for (int k = 0; k < counted; ++k) marked_[k].mark(r, masks[k]);
  }

  /// A stencil has decided, or keys.
  __device__ void load_wanted() {
    if constexpr (keeps_keys) load_wanted_of(problem_.in.second(), items_);
    else load_wanted_of(problem_.in, items_);
  }
  /// Vectors of which nothing is wanted are not read.
  template <class It>
  __device__ void load_wanted_of(It const& from, item_vector<value_of<It>, V> (&into)[R]) const {
    if constexpr (Problem::single_items) {
      unsigned all = 0;
#pragma unroll
      for (int r = 0; r < R; ++r) all |= wanted(r) << r;
      value_of<It> values[R];
      load_single_items<false>(
          from, all, [&](int r) { return word_index(r); }, values);
#pragma unroll
      for (int r = 0; r < R; ++r) {
        value_of<It> one[1];
        put_bytes(one[0], values[r]);
        into[r].pack(one);
      }
    } else if constexpr (!keeps_keys && beneath<It>::contiguous && beneath<It>::is_items &&
                         !beneath<It>::reversed &&
                         (sizeof(held) < 2 || fills_no_words(sizeof(held)) || written == Problem::parts)) {
      // A row after the other, where registers are few: an item that no vector brings takes one until its row
      // is packed, and all parts have places of their own.
      bool const by_vectors = can_load_words(from);
#pragma unroll
      for (int r = 0; r < R; ++r) {
        unsigned const need = wanted(r);
        if (!by_vectors) load_each(from, r, need, into[r]);
        else if (need != 0) load_vectors<P.load>(from + word_index(r), into[r]);
      }
    } else {
      if constexpr (beneath<It>::contiguous)
        if (can_load_words(from))
          return load_words(
              from, [&](int r) { return wanted(r); }, into);
#pragma unroll
      for (int r = 0; r < R; ++r) load_each(from, r, wanted(r), into[r]);
    }
  }

  /// One item as it lies in memory. Items leave their vectors one by one: docs/errors.md says what nvcc 13.0
  /// does to arrays of 128-bit integers.
  __device__ item_vector<raw, 1> item_of(int r, int v) const {
    if constexpr (keeps_keys) {
      raw pair[1];
      put_bytes(pair[0].first, keys_[r].item(v));
      put_bytes(pair[0].second, items_[r].item(v));
      item_vector<raw, 1> x;
      x.pack(pair);
      return x;
    } else {
      return items_[r].vector_of(v);
    }
  }

  /// What comes before a warp in the tile, and the tile's totals.
  __device__ void sum_warps(int (&before_warp)[counted]) {
#pragma unroll
    for (int k = 0; k < counted; ++k) {
      int const mine = lane_ < warps_ ? smem_.warps[k][lane_] : 0;
      plus op;
      int const sum = warp_scan(mine, op);
      totals_[k] = __shfl_sync(~0u, sum, 31);
      before_warp[k] = __shfl_sync(~0u, sum - mine, max(warp_, 0));
    }
  }

  /// Items of the written parts into shared memory: (part, items in order).
  __device__ void scatter_in_order(int const (&before_warp)[counted]) {
    auto* const stage = reinterpret_cast<raw*>(smem_.stage);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      int next[Problem::parts];  // where the vector's next item of each part goes
      int start = 0, rest = max(vector_place(r) - window_.valid_begin, 0);
#pragma unroll
      for (int k = 0; k < counted; ++k) {
        int const before = before_warp[k] + marked_[k].before(r);
        next[k] = Problem::writes_reversed(k) ? start + totals_[k] - 1 - before : start + before;
        start += totals_[k];
        rest -= before;
      }
      next[counted] = Problem::writes_reversed(counted) ? window_.count() - 1 - rest : start + rest;
      unsigned which[Problem::parts];  // of the vector's items belong to each part
      which[counted] = written == Problem::parts ? existing(r) : 0;
#pragma unroll
      for (int k = 0; k < counted; ++k) {
        which[k] = marked_[k].marks(r);
        which[counted] &= ~which[k];
      }
      if (written < Problem::parts && wanted(r) == 0) continue;
      if constexpr (sizeof(held) < 2 || fills_no_words(sizeof(held))) items_[r].keep_packed();
      if constexpr (keeps_keys && sizeof(tested_value) < 4) keys_[r].keep_packed();
#pragma unroll
      for (int v = 0; v < V; ++v)
#pragma unroll
        for (int k = 0; k < written; ++k)
          if (which[k] >> v & 1u) {
            auto* const to = reinterpret_cast<unsigned char*>(stage + next[k]);
            if constexpr (fills_no_words(sizeof(raw))) store_in_window(to, item_of(r, v));
            else store_shared(to, item_of(r, v));
            next[k] += Problem::writes_reversed(k) ? -1 : 1;
          }
    }
  }

  __device__ void store_parts() const {
    counts const before = smem_.before;
    int first = 0, left = window_.valid_end - window_.valid_begin;
    std::int64_t rest =
        window_.base + window_.valid_begin;  // of the items before this tile, those of the last part
#pragma unroll
    for (int k = 0; k < counted; ++k) {
      rest -= before.of[k];
      left -= totals_[k];
    }
    if (Problem::in_place && Problem::parts == 2 && rest == 0 && left == 0) return;  // all in their places
    for_each_part<written>([&](auto part) {
      int count = left;
      auto at = rest;
      if constexpr (part < counted) {
        count = totals_[part];
        at = before.of[part];
      }
      write_run<part>(at, first, count);
      first += count;
    });
  }

  template <int Part>
  __device__ void write_run(std::int64_t at, int first, int count) const {
    auto const& out = problem_.outputs.template of<Part>();
    if constexpr (is_memory_of<std::remove_cvref_t<decltype(out)>, raw>) {
      store_contiguous(lowest_in(out, at, count), smem_.stage, first, count);
    } else {
      auto const* const stage = reinterpret_cast<raw const*>(smem_.stage);
      for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
        problem_.template put<Part>(at + i, stage[first + i]);
    }
  }

  Problem const& problem_;
  shared& smem_;
  int warps_;
  item_vector<held, V> items_[R];
  [[no_unique_address]] std::conditional_t<keeps_keys, item_vector<tested_value, V>[R], no_stencil> keys_;
  marked_rows<V, R, Problem::single_items> marked_[counted];
  int totals_[counted];  ///< of the tile
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_SEGMENTED_SERIAL_TILE_HPP
#define SWEEP_DETAIL_SCAN_TILE_SEGMENTED_SERIAL_TILE_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/host/strands.hpp>
#include <sweep/detail/scan/tile/serial_tile.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Heads that know where the next one is, so that nobody asks item by item.
template <class Source>
concept knows_next_head = requires(Source const& source, std::int64_t i) {
  source.next_head(i, i);  // the first head behind i and before the second, else the second
  source.last_head(i, i);  // the last head from the second up to i, else what stands before the second
};

/// One host thread with a cache-sized tile of a segmented problem. Its total is what was folded from the last
/// segment start in scan order on, which is looked for from the end: of short segments little is read twice.
/// Then each segment is one chain. Where results are written at segment ends alone, a tile writes those of
/// the segments that end in it, at the next start or behind its last item.
template <class Problem>
class scan_segmented_serial_tile : public host_tile<Problem> {
  using base = host_tile<Problem>;
  using T = typename Problem::value;
  using V = decltype(T::value);
  using C = decltype(T::heads);
  using heads_type = typename Problem::heads_type;
  using base::backward, base::inclusive;
  static constexpr bool at_tails = Problem::writes_at_tails;
  static constexpr bool in_runs = knows_next_head<decltype(heads_type::source)>;
  static_assert(!at_tails || (!backward && inclusive));

 public:
  using base::base;
  /// Whether the brackets do not matter, and one thread alone needs no totals.
  static constexpr bool in_any_brackets = of_integers<V>;
  static constexpr bool may_stream = may_stream_results<Problem>;
  static constexpr std::size_t bytes_streamed = sizeof(streamed_word<typename Problem::out_value>);

  template <class Work>
  void with_items(tile_window const& window, Work work) {
    this->place(window);
    work(*this);
  }

  template <class Op>
  void scan(Op& op) {
    auto const problem = this->problem_;
    tile const here{problem, this->first_, this->count_};
    int const from = here.last_start();
    remember(problem);
    if constexpr (std::is_same_v<C, bool>) this->total_ = {fold(here, from, op), from >= 0};
    else this->total_ = {fold(here, from, op), here.starts()};
  }

  template <class Op>
  void store(Op& op) {
    this->template store_by<may_stream>([&](auto streams) { store_as<decltype(streams)::value>(op); });
  }

  /// By one thread alone: with what comes before the tile. Gives the tile's total, which is what the scan has
  /// come to where the last segment began in the tile and not long ago; or in any brackets all that there is
  /// up to its end.
  template <class Op>
  T scan_after(optional<T> const& before, Op& op) {
    this->before_ = before;
    int last = -1;
    T sum{};
    if (!in_any_brackets && may_be_in_place(this->problem_)) {  // items are gone behind the scan
      scan(op);
      store(op);
      return this->total_;
    }
    this->template store_by<may_stream>(
        [&](auto streams) { sum = store_as<decltype(streams)::value>(op, last); });
    if constexpr (!in_any_brackets) {
      if (last < 0 || this->count_ - last > shortest)
        sum.value = fold(tile{this->problem_, this->first_, this->count_}, last, op);
      if constexpr (std::is_same_v<C, bool>) sum.heads = last >= 0;
      else sum.heads -= before.value.heads;
    }
    return sum;
  }

 private:
  /// Heads that know the next one are asked again near where they were asked last.
  void remember([[maybe_unused]] Problem const& asked) const {
    if constexpr (in_runs) this->problem_.heads.source.passed = asked.heads.source.passed;
  }

  /// Folds of more items are made in strands.
  static constexpr int shortest = 1024;
  /// What the items from a place on fold to: that is where the last segment starts, or if it is negative the
  /// first.
  template <class Tile, class Op>
  static V fold(Tile const& here, int from, Op& op) {
    int const first = std::max(from, 0), count = here.count - first;
    if (count <= shortest) {
      V const x = here.item(first);
      V sum = from >= 0 ? here.begun(op, x) : x;
      for (int k = 1; k < count; ++k) sum = static_cast<V>(op.op(sum, here.item(first + k)));
      return sum;
    }
    V strands[host_strands];
    return reduce_in_strands<V>(
        count,
        [&](int k) {
          V const x = here.item(first + k);
          return k == 0 && from >= 0 ? here.begun(op, x) : x;
        },
        op.op, strands);
  }

  /// A tile's items by their places in scan order.
  struct tile {
    Problem const& problem;
    std::int64_t first;
    int count;

    std::int64_t memory_of(int place) const { return backward ? first - place : first + place; }
    V item(int place) const { return static_cast<V>(problem.unary(problem.in[memory_of(place)])); }
    /// The fold at a segment's first item.
    template <class Op>
    V begun(Op& op, V const& x) const {
      if constexpr (heads_type::starts) return static_cast<V>(op.op(problem.heads.init, x));
      else return x;
    }
    bool starts_at(int place) const {
      auto const i = memory_of(place);
      if constexpr (backward) return i + 1 == problem.grid.n || problem.heads.source(i + 1);
      else return i == 0 || problem.heads.source(i);
    }
    /// The first start behind `place`, or the tile's end.
    int next_start(int place) const {
      auto const i = memory_of(place);
      if constexpr (backward) {  // behind the head of the segment that i is in
        auto const head = problem.heads.source.last_head(i, first - (count - 1));
        return static_cast<int>(std::min<std::int64_t>(count, first - head + 1));
      } else {
        return static_cast<int>(problem.heads.source.next_head(i, first + count) - first);
      }
    }
    /// The last place that starts a segment, or -1.
    int last_start() const {
      if constexpr (in_runs) {
        if constexpr (backward) {
          auto const low = first - (count - 1);
          auto const head = problem.heads.source.next_head(low, first + 2);
          if (head <= first + 1 && head < problem.grid.n) return static_cast<int>(first - (head - 1));
          return first == problem.grid.n - 1 ? 0 : -1;
        } else {
          auto const head = problem.heads.source.last_head(first + count - 1, first);
          if (head >= first) return static_cast<int>(head - first);
          return first == 0 ? 0 : -1;
        }
      } else {
        int place = count - 1;
        while (place >= 0 && !starts_at(place)) --place;
        return place;
      }
    }
    /// How many places start a segment.
    C starts() const {
      auto found = static_cast<C>(starts_at(0));
      for (int place = 1; place < count; ++place)
        found += static_cast<C>(problem.heads.source(memory_of(place) + (backward ? 1 : 0)));
      return found;
    }
  };

  /// What the items come to; last: where the last segment starts, if one does.
  template <bool Streams, class Op>
  T store_as(Op& op) const {
    int last;
    return store_as<Streams>(op, last);
  }
  template <bool Streams, class Op>
  T store_as(Op& op, int& last) const {
    auto const problem = this->problem_;
    int const count = this->count_;
    tile const here{problem, this->first_, count};
    V sum = this->before_.value.value;
    auto heads = this->before_.value.heads;
    int begun_at = -1;
    auto const begin = [&](int place) {
      if constexpr (at_tails) {
        if (place > 0) problem.out.write.end(here.memory_of(place) - 1, T{sum, heads});
      }
      if constexpr (std::is_same_v<C, bool>) heads = true;
      else ++heads;
      begun_at = place;
      auto const at = here.memory_of(place);
      V const x = here.item(place);
      if constexpr (!inclusive) put_result<Streams>(problem, at, T{problem.heads.init, C(1)});
      sum = here.begun(op, x);
      if constexpr (at_tails) problem.out.write.start(at, T{sum, heads});
      else if constexpr (inclusive) put_result<Streams>(problem, at, T{sum, heads});
    };
    auto const go_on = [&](int place) {
      auto const at = here.memory_of(place);
      V const x = here.item(place);
      if constexpr (!inclusive) put_result<Streams>(problem, at, T{sum, heads});
      sum = static_cast<V>(op.op(sum, x));
      if constexpr (inclusive && !at_tails) put_result<Streams>(problem, at, T{sum, heads});
    };
    // The first place: it starts a segment, or goes on with what came before, if that is known.
    if (here.starts_at(0)) {
      begin(0);
    } else if (this->before_.present) {
      go_on(0);
    } else {
      sum = here.item(0);
      if constexpr (!at_tails)
        put_result<Streams>(problem, here.memory_of(0), T{inclusive ? sum : V{}, heads});
    }
    if constexpr (in_runs) {
      for (int place = 1, start = here.next_start(0); place < count;) {
        for (; place < start; ++place) go_on(place);
        if (place == count) break;
        start = here.next_start(place);
        begin(place++);
      }
    } else {
      SWEEP_STEPS_AT_ONCE
      for (int place = 1; place < count; ++place)
        if (problem.heads.source(here.memory_of(place) + (backward ? 1 : 0))) begin(place);
        else go_on(place);
    }
    if constexpr (at_tails) {
      auto const end = here.memory_of(count - 1);
      if (end + 1 == problem.grid.n || problem.heads.source(end + 1))
        problem.out.write.end(end, T{sum, heads});
    }
    last = begun_at;
    remember(problem);
    return {sum, heads};
  }
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

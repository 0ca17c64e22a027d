// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_SCAN_TILE_SERIAL_TILE_HPP
#define SWEEP_DETAIL_SCAN_TILE_SERIAL_TILE_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/core/tiling.hpp>
#include <sweep/detail/host/prefix_sums.hpp>
#include <sweep/detail/host/strands.hpp>
#include <sweep/detail/host/streaming.hpp>
#include <sweep/detail/lookback/thread_lanes.hpp>
#include <sweep/detail/lookback/tile_state.hpp>

#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Whether a problem's results may be written past the caches, and whether they are.
template <class Problem>
inline constexpr bool may_stream_results = false;
template <class Problem>
  requires(Problem::out_contiguous && !Problem::writes_at_tails)
inline constexpr bool may_stream_results<Problem> = streamable<typename Problem::out_value>;
/// Whether results may be written where items stand.
template <class Problem>
bool may_be_in_place(Problem const& problem) {
  if constexpr (Problem::writes_at_tails) {
    return false;
  } else if constexpr (Problem::in_contiguous && Problem::out_contiguous) {
    auto const in = reinterpret_cast<std::uintptr_t>(problem.in);
    auto const out = reinterpret_cast<std::uintptr_t>(problem.out);
    auto const n = static_cast<std::uintptr_t>(problem.grid.n);
    return out < in + n * sizeof(typename Problem::raw) && in < out + n * sizeof(typename Problem::out_value);
  } else {
    return true;
  }
}
template <class Tile, class Problem>
bool streams_results([[maybe_unused]] Problem const& problem, [[maybe_unused]] int threads) {
  if constexpr (Tile::may_stream) {
    if constexpr (Problem::in_contiguous)  // what was just read is in the cache, and best written there
      if (may_be_in_place(problem)) return false;
    using U = typename Problem::out_value;
    return is_streamed(static_cast<std::size_t>(problem.grid.n) * sizeof(U), Tile::bytes_streamed, threads);
  } else {
    return false;
  }
}
template <bool Streams, class Problem, class Result>
void put_result(Problem const& problem, std::int64_t i, Result const& result) {
  if constexpr (Streams) stream_store(problem.out[i], static_cast<typename Problem::out_value>(result));
  else problem.put(i, result);
}

/// Where one host thread's tile lies, and what came before it: what all such tiles have in common.
template <class Problem>
class host_tile {
 protected:
  using T = typename Problem::value;
  static constexpr bool backward = Problem::towards == direction::backward;
  static constexpr bool inclusive = Problem::kind == scan_kind::inclusive;

 public:
  host_tile(Problem const& problem, std::uint32_t& failed, bool streams)
      : problem_{problem}, lanes_{failed}, streams_{streams} {}

  static constexpr bool has_look_back_warp = false;

  void place(tile_window const& window, bool next_is_whole = false) {
    ahead_ = next_is_whole;
    first_ = backward ? window.base + problem_.grid.tile_items - 1 - window.valid_begin
                      : window.base + window.valid_begin;
    count_ = window.count();
  }
  void load() {}

  /// `publish` is given the tile's total and answers with the fold of everything before the tile.
  template <class Op, class Publish>
  void await_look_back(Op&, Publish publish) {
    before_ = publish(lanes_, total_, no_work{});
  }

 protected:
  std::int64_t memory_of(int place) const { return backward ? first_ - place : first_ + place; }

  /// store(std::bool_constant<streams>)
  template <bool MayStream, class Store>
  void store_by(Store store) {
    if constexpr (MayStream)
      if (streams_) {
        store(std::true_type{});
        return end_streaming();
      }
    store(std::false_type{});
  }

  Problem const problem_;  // a copy: functors may have a state
  thread_lanes lanes_;
  bool streams_;
  std::int64_t first_ = 0;  ///< where place 0 lies in memory
  int count_ = 0;
  bool ahead_ = false;  ///< this thread's next tile is the next one, and whole
  T total_{};
  optional<T> before_{};
};

/// One host thread with a cache-sized tile. Shape of a tile, in scan order: (S strands, length). The strands
/// advance together, so that a processor has S independent chains of operations to overlap; the tile is read
/// twice, the second time from cache. Running sums of narrow integers are made in vectors instead.
template <class Problem>
class scan_serial_tile : public host_tile<Problem> {
  using base = host_tile<Problem>;
  using T = typename Problem::value;
  static constexpr int strands = host_strands;
  using base::backward, base::inclusive;

 public:
  using base::base;
  /// Whether the brackets do not matter, so that one thread alone needs no totals, and one chain of
  /// operations is short enough.
  static constexpr bool in_any_brackets = std::is_integral_v<T>;
  static constexpr bool in_lanes = [] {
    if constexpr (adds<std::remove_cvref_t<decltype(Problem::op)>, T> && !backward &&
                  Problem::in_contiguous && Problem::out_contiguous &&
                  std::is_same_v<decltype(Problem::unary), identity>)
      return sums_in_lanes<typename Problem::raw, T, typename Problem::out_value>;
    else return false;
  }();
  static constexpr bool may_stream =
      SWEEP_HAS_STREAMING_STORES &&
      (in_lanes || (may_stream_results<Problem> && fills_lines<typename Problem::out_value>));
  static constexpr std::size_t bytes_streamed = 16;

  template <class Work>
  void with_items(tile_window const& window, Work work) {
    this->place(window);
    work(*this);
  }

  template <class Op>
  void scan(Op& op) {
    auto const problem = this->problem_;  // a local: nothing that is written can be one of its members
    auto const first = this->first_;
    int const count = this->count_;
    if constexpr (adds_numbers<Op, T>) {
      int const length = count / strands;
      optional<T> all{};
      auto const add = [&](int place, int items) {
        auto const low = backward ? first - place - (items - 1) : first + place;
        T const sum = sum_in_lanes<T>(items, [&](int i) { return problem.item(low + i); });
        all = {combine(all, sum, op), true};
        return sum;
      };
      if (length > 0)
        for (int s = 0; s < strands; ++s) totals_[s] = add(s * length, length);
      if (count > strands * length) add(strands * length, count - strands * length);
      this->total_ = all.value;
    } else {
      this->total_ = reduce_in_strands<T>(
          count, [&](int place) { return problem.item(backward ? first - place : first + place); }, op,
          totals_);
    }
  }

  template <class Op>
  void store(Op& op) {
    this->template store_by<may_stream>([&](auto streams) { store_as<decltype(streams)::value>(op); });
  }

  /// By one thread alone: with what comes before the tile. Gives the tile's total; or in any brackets all
  /// that there is up to its end.
  template <class Op>
  T scan_after(optional<T> const& before, Op& op) {
    this->before_ = before;
    if constexpr (in_lanes) {
      T all{};
      this->template store_by<may_stream>(
          [&](auto streams) { all = put_in_lanes<decltype(streams)::value>(); });
      return all;
    } else if constexpr (in_any_brackets) {
      return in_one_chain(op);
    } else {
      scan(op);
      store(op);
      return this->total_;
    }
  }

 private:
  /// Of integers, a chain of which each step takes a cycle or two.
  template <class Op>
  T in_one_chain(Op& op) const {
    auto const problem = this->problem_;
    auto at = this->first_;
    int count = this->count_;
    T sum = this->before_.value;
    if (!this->before_.present) {
      sum = problem.item(at);
      problem.put(at, inclusive ? sum : T{});
      at += backward ? -1 : 1;
      --count;
    }
    SWEEP_STEPS_AT_ONCE
    for (; count > 0; --count) {
      T const x = problem.item(at);
      if constexpr (!inclusive) problem.put(at, sum);
      sum = static_cast<T>(op(sum, x));
      if constexpr (inclusive) problem.put(at, sum);
      at += backward ? -1 : 1;
    }
    return sum;
  }

  template <bool Streams>
  T put_in_lanes() const {
    auto const& problem = this->problem_;
    return put_running_sums<T, inclusive, Streams>(
        problem.in + this->first_, this->count_, this->before_.present ? this->before_.value : T{},
        problem.out + this->first_, this->ahead_ ? this->count_ : 0);
  }

  template <bool Streams, class Op>
  void store_as(Op& op) const {
    if constexpr (in_lanes) put_in_lanes<Streams>();
    else store_in_strands<Streams>(op);
  }
  template <bool Streams, class Op>
  void store_in_strands(Op& op) const {
    auto const problem = this->problem_;
    auto const first = this->first_;
    auto const memory_of = [first](int place) { return backward ? first - place : first + place; };
    // The item where the fold before it may be missing; gives the fold with it.
    auto const step = [&](optional<T> const& before, int place) {
      T const x = problem.item(memory_of(place));
      T const with = combine(before, x, op);
      problem.put(memory_of(place), inclusive ? with : before.value);
      return with;
    };
    optional<T> all = this->before_;
    int const count = this->count_, length = count / strands;
    if (length > 0) {
      T running[strands];
      for (int s = 0; s < strands; ++s) {
        running[s] = step(all, s * length);
        all = {combine(all, totals_[s], op), true};
      }
      // put(s, i, result): of place i of a strand
      auto const advance = [&](int from, int end, auto const& put) {
        for (int i = from; i < end; ++i) {
          SWEEP_STEPS_AT_ONCE
          for (int s = 0; s < strands; ++s) {
            T const x = problem.item(memory_of(s * length + i));
            if constexpr (!inclusive) put(s, i, running[s]);
            running[s] = op(running[s], x);
            if constexpr (inclusive) put(s, i, running[s]);
          }
        }
      };
      constexpr int line = std::max(1, 64 / static_cast<int>(sizeof(typename Problem::raw)));
      // Memory works while this tile, which is in the cache, is written.
      [[maybe_unused]] auto const fetch = [&](int i) {
        if constexpr (fetches_ahead)
          for (int s = 0; s < strands; ++s)
            __builtin_prefetch(problem.in + memory_of(s * length + i) + (backward ? -count : count));
      };
      int i = 1;
      if constexpr (Streams) {
        using U = typename Problem::out_value;
        constexpr int most = 4 * static_cast<int>(line_bytes / sizeof(U));
        alignas(line_bytes) U results[strands][most];
        auto const* const next = problem.out + memory_of(i);
        int some =
            backward ? most - items_before_line(next + 1) : items_before_line(next);  // up to a line's end
        for (; i < length; i += some, some = most) {
          some = std::min(some, length - i);
          if constexpr (fetches_ahead)
            if (this->ahead_)
              for (int k = i; k < i + some; k += line) fetch(k);
          advance(i, i + some, [&](int s, int at, T const& result) {
            results[s][backward ? some - 1 - (at - i) : at - i] = static_cast<U>(result);
          });
          for (int s = 0; s < strands; ++s)
            stream_lines(problem.out + memory_of(s * length + (backward ? i + some - 1 : i)), results[s],
                         static_cast<std::size_t>(some) * sizeof(U));
        }
      } else {
        auto const put = [&](int s, int at, T const& result) {
          problem.put(memory_of(s * length + at), result);
        };
        if constexpr (fetches_ahead)
          if (this->ahead_)
            for (; i + line <= length; i += line) {
              fetch(i);
              advance(i, i + line, put);
            }
        advance(i, length, put);
      }
    }
    for (int i = strands * length; i < count; ++i) all = {step(all, i), true};
  }

  static constexpr bool fetches_ahead = Problem::in_contiguous;
  T totals_[strands]{};
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

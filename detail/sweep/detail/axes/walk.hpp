// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_WALK_HPP
#define SWEEP_DETAIL_AXES_WALK_HPP

#include <sweep/detail/axes/lines.hpp>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/strands.hpp>
#include <sweep/detail/host/streaming.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// How a host thread walks along neighbouring lines, each of which is one chain of operations. Whatever the
// strides are, memory is gone through in pieces of at least a cache line.

/// Neighbours in memory that are neighbouring lines: their sums lie in the fastest cache.
template <class T>
inline constexpr int lines_of_row = static_cast<int>(std::max<std::size_t>(4, 16384 / sizeof(T)));
/// Rows of these that are walked through together, and neighbours whose sums stay in a register meanwhile.
inline constexpr int rows_at_once = 4;
template <class T>
inline constexpr int items_of_vector = static_cast<int>(std::max<std::size_t>(1, 16 / sizeof(T)));
/// Lines whose chains a processor overlaps.
inline constexpr int chains_of_lines = 4;
/// Shorter lines follow each other: several that share a page would be streams that no processor fetches
/// ahead.
inline constexpr std::int64_t bytes_of_page = 4096;
/// Parts of rows that go past the caches; tests lower it.
inline std::size_t bytes_of_streamed_row = 2048;
/// Wider values than these take so much time that nothing is kept of several items: a thread's stack is
/// small.
template <class T>
inline constexpr bool is_wide = sizeof(T) > 256;
/// A window of lines and items, in the fastest cache, where it is read one way and written the other.
template <class T>
inline constexpr int items_of_window = is_wide<T> ? 1 : 64;
template <class T>
inline constexpr int lines_of_window =
    static_cast<int>(std::min<std::size_t>(64, std::max<std::size_t>(4, 256 / sizeof(T))));

/// The places of lines, one after the other.
template <class Grid>
class places_in_turn {
 public:
  places_in_turn(Grid const& grid, std::int64_t line) : grid_{grid}, line_{line} { find(); }

  typename Grid::place_type const& here() const { return at_; }
  /// Lines from here on that lie side by side along the first axis across.
  std::int64_t run() const { return left_; }
  void go_on(std::int64_t lines = 1) {
    line_ += lines;
    left_ -= lines;
    if (left_ > 0) {
      auto const& step = grid_.across[0].stride;
      at_ = {at_.in + lines * step.in, at_.out + lines * step.out, at_.init + lines * step.init};
    } else if (line_ < grid_.lines) {
      find();
    }
  }

 private:
  void find() {
    at_ = grid_.place(line_);
    left_ = grid_.axes > 0 ? grid_.across[0].extent - line_ % grid_.across[0].extent : 1;
  }
  Grid const& grid_;
  std::int64_t line_, left_ = 1;
  typename Grid::place_type at_{};
};

/// What of a running fold its results and the next items need: all of it, unless its operator says less. An
/// operator that does, folds such a part with the next item too.
template <class Op, class T>
struct running_part {
  using type = T;
  static T const& of(T const& fold) { return fold; }
};

/// Walks along lines of a grid. What: as the problem, or `total` to fold alone. start(nth, place) is the
/// optional value before the nth of the lines; finish(nth, place, sum) is told what it comes to. Lines have
/// at least one item.
template <line_result What, class Problem>
class line_walk {
  using T = typename Problem::value;
  using part =
      std::conditional_t<What == line_result::inclusive,
                         running_part<std::remove_cvref_t<decltype(Problem::op)>, T>, running_part<void, T>>;
  using sum_type = typename part::type;
  using grid_type = std::remove_cvref_t<decltype(Problem::grid)>;
  using line_place = typename grid_type::place_type;
  using places_in_turn = detail::places_in_turn<grid_type>;
  using one_item = std::integral_constant<std::int64_t, 1>;
  static constexpr bool writes = What != line_result::total, inclusive = What == line_result::inclusive;
  /// Sums for which one chain is as fast as memory.
  static constexpr bool keeps_up = adds_numbers<std::remove_cvref_t<decltype(Problem::op)>, T> &&
                                   (std::is_integral_v<T> || (writes && sizeof(T) >= 8));

 public:
  /// Whether results may go past the caches, and whether these do.
  static constexpr bool may_stream = writes &&
                                     std::is_pointer_v<std::remove_cvref_t<decltype(Problem::in)>> &&
                                     std::is_pointer_v<std::remove_cvref_t<decltype(Problem::out)>> &&
                                     fills_lines<typename Problem::out_value>;
  /// By how wide words it is judged whether so many threads gain (is_streamed): one does as a rule, two where
  /// rows are few, and eight of chains that keep up with what one stores.
  static std::size_t bytes_streamed(grid_type const& grid) {
    if (lie_along(grid)) return keeps_up ? 4 : 16;
    return grid.length > rows_at_once ? 16 : 8;
  }
  explicit line_walk(Problem const& problem, bool streams = false) : problem_{problem}, streams_{streams} {}

  template <class Start, class Finish>
  void operator()(grid_type const& grid, std::int64_t first, std::int64_t count, Start start,
                  Finish finish) const {
    auto const in = grid.axes > 0 ? leading(grid.across[0].stride.in) : 1,
               out = grid.axes > 0 ? leading(grid.across[0].stride.out) : 1;
    auto const [in_across, out_across] = nearer_across(grid);
    places_in_turn places(grid, first);
    if (in_across && (out_across || !writes) && in == 1 && (out == 1 || !writes) &&
        grid.across[0].extent > 1) {
      for (std::int64_t nth = 0; nth < count;) {
        auto const lines = std::min(std::min(count - nth, places.run()), std::int64_t{lines_of_row<T>});
        rows(grid, places.here(), static_cast<int>(lines), nth, start, finish);
        nth += lines;
        places.go_on(lines);
      }
    } else if (!in_across && !out_across) {
      with_steps(grid, [&](auto step_in, auto step_out) {
        std::int64_t nth = 0;
        if ((!keeps_up || streams_) && grid.length * static_cast<std::int64_t>(sizeof(T)) >= bytes_of_page)
          for (; nth + chains_of_lines <= count; nth += chains_of_lines)
            lines_together<chains_of_lines, false>(grid, step_in, step_out, grid.length, places, nth, start,
                                                   finish);
        while (nth < count) {
          auto const lines = std::min(count - nth, places.run());
          one_by_one(grid, step_in, step_out, places.here(), lines, nth, start, finish);
          nth += lines;
          places.go_on(lines);
        }
      });
    } else {
      constexpr int most = lines_of_window<T>;
      bool const by_rows = grid.across[0].extent >= most;
      for (std::int64_t nth = 0; nth < count; nth += most) {
        if (count - nth >= most)
          windows(grid, places, std::integral_constant<int, most>{}, in_across && by_rows,
                  out_across && by_rows, nth, start, finish);
        else
          windows(grid, places, static_cast<int>(count - nth), in_across && by_rows, out_across && by_rows,
                  nth, start, finish);
      }
    }
    if (streams_) end_streaming();
  }

  /// Whether a line's own items lie nearer to each other than to its neighbours', read and written.
  static bool lie_along(grid_type const& grid) {
    auto const [in_across, out_across] = nearer_across(grid);
    return !in_across && !out_across;
  }

  /// Lines [first, first + count) in the brackets of chunks of so many items, as if each chunk had been
  /// folded by itself and scanned after what came before it: its fold goes along beside its results, and
  /// memory is gone through once.
  void in_chunks(grid_type const& grid, std::int64_t chunk, std::int64_t first, std::int64_t count) const {
    auto const start = [&](std::int64_t, line_place const& at) { return problem_.before_line(at); };
    auto const finish = [](std::int64_t, line_place const&, sum_type const&) {};
    places_in_turn places(grid, first);
    with_steps(grid, [&](auto in, auto out) {
      for (; count >= chains_of_lines; count -= chains_of_lines)
        lines_together<chains_of_lines, true>(grid, in, out, chunk, places, 0, start, finish);
      for (; count >= 2; count -= 2) lines_together<2, true>(grid, in, out, chunk, places, 0, start, finish);
      if (count > 0) lines_together<1, true>(grid, in, out, chunk, places, 0, start, finish);
    });
    if (streams_) end_streaming();
  }

 private:
  struct nearer {
    bool in, out;
  };
  /// Whether neighbouring lines are nearer than neighbours along a line.
  static nearer nearer_across(grid_type const& grid) {
    auto const closer = [&](auto const& across, auto const& along) {
      return grid.axes > 0 && magnitude(leading(across)) < magnitude(leading(along));
    };
    return {closer(grid.across[0].stride.in, grid.in), writes && closer(grid.across[0].stride.out, grid.out)};
  }

  /// The first item of a line, which nothing may stand before; gives the sum with it.
  template <class Op>
  static sum_type first_of_line(Problem const& problem, line_place const& at, optional<T> before, Op& op) {
    T const result = next_of_line<What>(before, problem.item(at.in), op);
    if constexpr (writes) problem.put(at.out, result);
    return part::of(before.value);
  }

  static void put(Problem const& problem, typename Problem::out_place const& at, sum_type const& sum) {
    put_item(problem.out, at, static_cast<typename Problem::out_value>(sum));
  }

  /// The place of a line so many lines further, where neighbours lie side by side: told, so that vectors
  /// apply.
  static std::int64_t beside(std::int64_t at, int lines, std::int64_t) { return at + lines; }
  template <int N>
  static places<N> beside(places<N> const& at, int lines, places<N> const& step) {
    return at + lines * step;
  }

  /// So many rows, from row i on, of lines [begin, end): a strip of their sums stays in registers.
  /// put(r, b, result): of line b in the r-th of them.
  template <int Rows, class Op, class Put>
  static void rows_from(Problem const& problem, Op& op, grid_type const& grid, line_place const& at,
                        std::int64_t i, int begin, int end, sum_type* sum, Put const& put) {
    constexpr int strip = items_of_vector<T>;
    auto const& step = grid.across[0].stride;
    int b = begin;
    for (; b + strip <= end; b += strip) {
      sum_type of[strip];
      for (int k = 0; k < strip; ++k) of[k] = sum[b + k];
      for (int r = 0; r < Rows; ++r) {
        auto const in = at.in + (i + r) * grid.in;
        T x[strip];  // read before anything is written, which would be in the way of vectors
        for (int k = 0; k < strip; ++k) x[k] = problem.item(beside(in, b + k, step.in));
        for (int k = 0; k < strip; ++k) {
          sum_type const before = of[k];
          of[k] = op(before, x[k]);
          if constexpr (writes) put(r, b + k, inclusive ? of[k] : before);
        }
      }
      for (int k = 0; k < strip; ++k) sum[b + k] = of[k];
    }
    for (; b < end; ++b)
      for (int r = 0; r < Rows; ++r) {
        T const x = problem.item(beside(at.in + (i + r) * grid.in, b, step.in));
        if constexpr (writes && !inclusive) put(r, b, sum[b]);
        sum[b] = op(sum[b], x);
        if constexpr (inclusive) put(r, b, sum[b]);
      }
  }
  template <int Rows, class Op>
  static void written_rows(Problem const& problem, Op& op, grid_type const& grid, line_place const& at,
                           std::int64_t i, int lines, sum_type* sum) {
    rows_from<Rows>(problem, op, grid, at, i, 0, lines, sum, [&](int r, int b, sum_type const& result) {
      put(problem, beside(at.out + (i + r) * grid.out, b, grid.across[0].stride.out), result);
    });
  }
  /// The same past the caches, a part of the rows at a time.
  template <int Rows, class Op>
  static void streamed_rows(Problem const& problem, Op& op, grid_type const& grid, line_place const& at,
                            std::int64_t i, int lines, sum_type* sum) {
    using U = typename Problem::out_value;
    constexpr int most = 1024 / static_cast<int>(sizeof(U));
    alignas(line_bytes) U results[Rows][most];
    auto const out = at.out + i * grid.out;
    int some = items_before_line(problem.out + out);
    for (int b = 0; b < lines; b += some, some = most) {
      some = std::min(some, lines - b);
      rows_from<Rows>(problem, op, grid, at, i, b, b + some, sum, [&](int r, int k, sum_type const& result) {
        results[r][k - b] = static_cast<U>(result);
      });
      for (int r = 0; r < Rows; ++r)
        stream_lines(problem.out + out + r * grid.out + b, results[r],
                     static_cast<std::size_t>(some) * sizeof(U));
    }
  }

  /// Lines whose items lie side by side in memory: a row of them after the other.
  template <class Start, class Finish>
  void rows(grid_type const& grid, line_place const& at, int lines, std::int64_t nth, Start& start,
            Finish& finish) const {
    auto const problem = problem_;  // a local: nothing that is written can be one of its members
    auto op = problem.op;
    auto const& step = grid.across[0].stride;
    auto const place = [&](int b) {
      return line_place{at.in + b * step.in, at.out + b * step.out, at.init + b * step.init};
    };
    sum_type sum[lines_of_row<T>];
    for (int b = 0; b < lines; ++b) sum[b] = first_of_line(problem, place(b), start(nth + b, place(b)), op);
    std::int64_t i = 1;
    if constexpr (may_stream)
      if (streams_ &&
          static_cast<std::size_t>(lines) * sizeof(typename Problem::out_value) >= bytes_of_streamed_row) {
        for (; i + rows_at_once <= grid.length; i += rows_at_once)
          streamed_rows<rows_at_once>(problem, op, grid, at, i, lines, sum);
        for (; i < grid.length; ++i) streamed_rows<1>(problem, op, grid, at, i, lines, sum);
      }
    for (; i + rows_at_once <= grid.length; i += rows_at_once)
      written_rows<rows_at_once>(problem, op, grid, at, i, lines, sum);
    for (; i < grid.length; ++i) written_rows<1>(problem, op, grid, at, i, lines, sum);
    for (int b = 0; b < lines; ++b) finish(nth + b, place(b), sum[b]);
  }

  /// walk(in, out) with the steps along lines: of neighbours in memory as constants, so that a compiler
  /// knows.
  template <class Walk>
  static void with_steps(grid_type const& grid, Walk walk) {
    if constexpr (std::is_integral_v<typename Problem::in_place> &&
                  std::is_integral_v<typename Problem::out_place>)
      if (grid.in == 1 && (grid.out == 1 || !writes)) return walk(one_item{}, one_item{});
    walk(grid.in, grid.out);
  }

  /// The next item of a line, after some.
  template <class Op>
  static void next(Problem const& problem, Op& op, typename Problem::in_place const& in,
                   [[maybe_unused]] typename Problem::out_place const& out, sum_type& sum) {
    T const x = problem.item(in);
    if constexpr (writes && !inclusive) put(problem, out, sum);
    sum = op(sum, x);
    if constexpr (inclusive) put(problem, out, sum);
  }

  /// Lines beside each other, one after the other.
  template <class In, class Out, class Start, class Finish>
  void one_by_one(grid_type const& grid, In in, Out out, line_place const& first, std::int64_t lines,
                  std::int64_t nth, Start& start, Finish& finish) const {
    auto const problem = problem_;  // a local: nothing that is written can be one of its members
    auto op = problem.op;
    auto const length = grid.length;
    auto const& step = grid.across[0].stride;
    for (std::int64_t b = 0; b < lines; ++b) {
      line_place const at{first.in + b * step.in, first.out + b * step.out, first.init + b * step.init};
      sum_type sum = first_of_line(problem, at, start(nth + b, at), op);
      for (std::int64_t i = 1; i < length; ++i) next(problem, op, at.in + i * in, at.out + i * out, sum);
      finish(nth + b, at, sum);
    }
  }

  /// Lines whose own items are neighbours: their chains advance together. Of each chunk that they Fold, the
  /// fold goes along beside the results, and what comes before the next one is made of it.
  template <int Lines, bool Folds, class In, class Out, class Start, class Finish>
  [[gnu::noinline]] void lines_together(grid_type const& grid, In in, Out out, std::int64_t chunk,
                                        places_in_turn& places, std::int64_t nth, Start& start,
                                        Finish& finish) const {
    auto const problem = problem_;
    auto op = problem.op;
    auto const length = grid.length;
    line_place at[Lines];
    optional<T> before[Lines];
    sum_type sum[Lines];
    for (int b = 0; b < Lines; ++b, places.go_on()) {
      at[b] = places.here();
      before[b] = start(nth + b, at[b]);
    }
    for (std::int64_t from = 0; from < length; from += chunk) {
      auto const end = std::min(length, from + chunk);
      [[maybe_unused]] T fold[Folds ? Lines : 1];
      for (int b = 0; b < Lines; ++b) {
        line_place const here{at[b].in + from * in, at[b].out + from * out, at[b].init};
        if constexpr (Folds) fold[b] = problem.item(here.in);
        sum[b] = first_of_line(problem, here, before[b], op);
      }
      // put(b, i, result): of item i of a line
      auto const advance = [&](std::int64_t begin, std::int64_t stop, auto const& put) {
        for (auto i = begin; i < stop; ++i)
          for (int b = 0; b < Lines; ++b) {
            T const x = problem.item(at[b].in + i * in);
            if constexpr (writes && !inclusive) put(b, i, sum[b]);
            sum[b] = op(sum[b], x);
            if constexpr (Folds) fold[b] = op(fold[b], x);
            if constexpr (inclusive) put(b, i, sum[b]);
          }
      };
      if constexpr (may_stream && std::is_same_v<Out, one_item>) {
        if (streams_) {
          stream_by_lines<Lines>(problem, at, from + 1, end, advance);
        } else {
          advance(from + 1, end, [&](int b, std::int64_t i, sum_type const& result) {
            put(problem, at[b].out + i * out, result);
          });
        }
      } else {
        advance(from + 1, end, [&](int b, std::int64_t i, sum_type const& result) {
          put(problem, at[b].out + i * out, result);
        });
      }
      if constexpr (Folds)
        for (int b = 0; b < Lines; ++b) before[b] = {combine(before[b], fold[b], op), true};
    }
    for (int b = 0; b < Lines; ++b) finish(nth + b, at[b], sum[b]);
  }

  /// Some results of each line at a time.
  template <int Lines, class Advance>
  static void stream_by_lines(Problem const& problem, line_place const (&at)[Lines], std::int64_t begin,
                              std::int64_t end, Advance const& advance) {
    using U = typename Problem::out_value;
    constexpr std::int64_t most = 1024 / sizeof(U);
    alignas(line_bytes) U results[Lines][most];
    std::int64_t some = items_before_line(problem.out + at[0].out + begin);
    for (auto i = begin; i < end; i += some, some = most) {
      some = std::min(some, end - i);
      advance(i, i + some, [&](int b, std::int64_t k, sum_type const& result) {
        results[b][k - i] = static_cast<U>(result);
      });
      for (int b = 0; b < Lines; ++b)
        stream_lines(problem.out + at[b].out + i, results[b], static_cast<std::size_t>(some) * sizeof(U));
    }
  }

  /// Lines of any strides: windows of them are read in the order in which the input lies in memory, and
  /// written in the order in which the output does.
  template <class Lines, class Start, class Finish>
  void windows(grid_type const& grid, places_in_turn& places, Lines lines, bool in_by_rows, bool out_by_rows,
               std::int64_t nth, Start& start, Finish& finish) const {
    auto const problem = problem_;
    auto op = problem.op;
    constexpr int most = lines_of_window<T>;
    auto const length = grid.length;
    auto const in = grid.in;
    auto const out = grid.out;
    line_place at[most];
    sum_type sum[most], results[items_of_window<T>][most];
    T window[items_of_window<T>][most];
    for (int b = 0; b < lines; ++b, places.go_on()) {
      at[b] = places.here();
      sum[b] = first_of_line(problem, at[b], start(nth + b, at[b]), op);
    }
    for (std::int64_t i = 1; i < length;) {
      auto const count = static_cast<int>(std::min<std::int64_t>(items_of_window<T>, length - i));
      if (in_by_rows) {
        for (int k = 0; k < count; ++k)
          for (int b = 0; b < lines; ++b) window[k][b] = problem.item(at[b].in + (i + k) * in);
      } else {
        for (int b = 0; b < lines; ++b)
          for (int k = 0; k < count; ++k) window[k][b] = problem.item(at[b].in + (i + k) * in);
      }
      for (int k = 0; k < count; ++k)
        for (int b = 0; b < lines; ++b) {
          sum_type const before = sum[b];
          sum[b] = op(before, window[k][b]);
          if constexpr (writes) results[k][b] = inclusive ? sum[b] : before;
        }
      if constexpr (writes) {
        if (out_by_rows) {
          for (int k = 0; k < count; ++k)
            for (int b = 0; b < lines; ++b) put(problem, at[b].out + (i + k) * out, results[k][b]);
        } else {
          for (int b = 0; b < lines; ++b)
            for (int k = 0; k < count; ++k) put(problem, at[b].out + (i + k) * out, results[k][b]);
        }
      }
      i += count;
    }
    for (int b = 0; b < lines; ++b) finish(nth + b, at[b], sum[b]);
  }

  Problem const problem_;  // a copy: functors may have a state
  bool streams_;
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

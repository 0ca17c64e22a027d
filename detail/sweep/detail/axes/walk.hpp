// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_WALK_HPP
#define SWEEP_DETAIL_AXES_WALK_HPP

#include <sweep/detail/axes/lines.hpp>
#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/core/optional.hpp>
#include <sweep/detail/core/standard.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

// How a host thread walks along neighbouring lines, each of which is one chain of operations. Whatever the
// strides are, memory is gone through in pieces of at least a cache line.

/// Neighbours in memory that are neighbouring lines: their sums lie in the fastest cache.
template <class T>
inline constexpr int lines_of_row = static_cast<int>(std::max<std::size_t>(4, 16384 / sizeof(T)));
/// Lines whose chains a processor overlaps.
inline constexpr int chains_of_lines = 4;
/// Lines of so few items overlap by themselves.
inline constexpr std::int64_t short_line = 16;
/// Wider values than these take so much time that nothing is kept of several items: a thread's stack is
/// small.
template <class T>
inline constexpr bool is_wide = sizeof(T) > 256;
/// Items of each of these lines that are folded before they are written.
template <class T>
inline constexpr int items_of_piece = is_wide<T>
                                          ? 1
                                          : static_cast<int>(std::max<std::size_t>(16, 1024 / sizeof(T)));
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
  static constexpr bool writes = What != line_result::total, inclusive = What == line_result::inclusive;

 public:
  explicit line_walk(Problem const& problem) : problem_{problem} {}

  template <class Start, class Finish>
  void operator()(grid_type const& grid, std::int64_t first, std::int64_t count, Start start,
                  Finish finish) const {
    auto const in = grid.axes > 0 ? leading(grid.across[0].stride.in) : 1,
               out = grid.axes > 0 ? leading(grid.across[0].stride.out) : 1;
    bool const in_across = grid.axes > 0 && magnitude(in) < magnitude(leading(grid.in));
    bool const out_across = writes && grid.axes > 0 && magnitude(out) < magnitude(leading(grid.out));
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
      std::int64_t nth = 0;
      if (grid.length > short_line)
        for (; nth + chains_of_lines <= count; nth += chains_of_lines)
          side_by_side_lines(grid, places, nth, start, finish);
      for (; nth < count; ++nth, places.go_on()) alone(grid, places.here(), nth, start, finish);
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
  }

 private:
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

  /// Lines whose items lie side by side in memory: a row of them after the other.
  template <class Start, class Finish>
  void rows(grid_type const& grid, line_place const& at, int lines, std::int64_t nth, Start& start,
            Finish& finish) const {
    auto const problem = problem_;  // a local: nothing that is written can be one of its members
    auto op = problem.op;
    constexpr int strip = strip_items<T>;
    auto const& step = grid.across[0].stride;
    auto const place = [&](int b) {
      return line_place{at.in + b * step.in, at.out + b * step.out, at.init + b * step.init};
    };
    sum_type sum[lines_of_row<T>];
    for (int b = 0; b < lines; ++b) sum[b] = first_of_line(problem, place(b), start(nth + b, place(b)), op);
    for (std::int64_t i = 1; i < grid.length; ++i) {
      auto const in = at.in + i * grid.in;
      auto const out = at.out + i * grid.out;
      int b = 0;
      for (; b + strip <= lines; b += strip) {
        T x[strip];  // read before anything is written, which would be in the way of vectors
        for (int k = 0; k < strip; ++k) x[k] = problem.item(beside(in, b + k, step.in));
        for (int k = 0; k < strip; ++k) {
          sum_type const before = sum[b + k], with = op(before, x[k]);
          sum[b + k] = with;
          if constexpr (writes) put(problem, beside(out, b + k, step.out), inclusive ? with : before);
        }
      }
      for (; b < lines; ++b) {
        T const x = problem.item(beside(in, b, step.in));
        if constexpr (writes && !inclusive) put(problem, beside(out, b, step.out), sum[b]);
        sum[b] = op(sum[b], x);
        if constexpr (inclusive) put(problem, beside(out, b, step.out), sum[b]);
      }
    }
    for (int b = 0; b < lines; ++b) finish(nth + b, place(b), sum[b]);
  }

  /// A line by itself.
  template <class Start, class Finish>
  void alone(grid_type const& grid, line_place const& at, std::int64_t nth, Start& start,
             Finish& finish) const {
    auto const& problem = problem_;
    auto op = problem.op;
    sum_type sum = first_of_line(problem, at, start(nth, at), op);
    for (std::int64_t i = 1; i < grid.length; ++i) {
      T const x = problem.item(at.in + i * grid.in);
      if constexpr (writes && !inclusive) put(problem, at.out + i * grid.out, sum);
      sum = op(sum, x);
      if constexpr (inclusive) put(problem, at.out + i * grid.out, sum);
    }
    finish(nth, at, sum);
  }

  /// Lines whose own items are neighbours: their chains advance together, a piece of each at a time.
  template <class Start, class Finish>
  void side_by_side_lines(grid_type const& grid, places_in_turn& places, std::int64_t nth, Start& start,
                          Finish& finish) const {
    auto const problem = problem_;
    auto op = problem.op;
    constexpr int lines = chains_of_lines, most = items_of_piece<T>;
    auto const length = grid.length;
    auto const in = grid.in;
    auto const out = grid.out;
    line_place at[lines];
    sum_type sum[lines];
    for (int b = 0; b < lines; ++b, places.go_on()) {
      at[b] = places.here();
      sum[b] = first_of_line(problem, at[b], start(nth + b, at[b]), op);
    }
    if constexpr (!writes) {
      for (std::int64_t i = 1; i < length; ++i)
        for (int b = 0; b < lines; ++b) sum[b] = op(sum[b], problem.item(at[b].in + i * in));
    } else {
      sum_type results[lines][most];
      for (std::int64_t i = 1; i < length;) {
        auto const count = static_cast<int>(std::min<std::int64_t>(most, length - i));
        for (int k = 0; k < count; ++k)
          for (int b = 0; b < lines; ++b) {
            T const x = problem.item(at[b].in + (i + k) * in);
            if constexpr (!inclusive) results[b][k] = sum[b];
            sum[b] = op(sum[b], x);
            if constexpr (inclusive) results[b][k] = sum[b];
          }
        for (int b = 0; b < lines; ++b) {
          auto const to = at[b].out + i * out;
          if (leading(out) == 1)
            for (int k = 0; k < count; ++k) put(problem, beside(to, k, out), results[b][k]);
          else
            for (int k = 0; k < count; ++k) put(problem, to + k * out, results[b][k]);
        }
        i += count;
      }
    }
    for (int b = 0; b < lines; ++b) finish(nth + b, at[b], sum[b]);
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
};

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

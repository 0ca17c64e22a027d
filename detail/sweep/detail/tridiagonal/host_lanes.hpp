// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_HOST_LANES_HPP
#define SWEEP_DETAIL_TRIDIAGONAL_HOST_LANES_HPP

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/tridiagonal/chunk.hpp>
#include <sweep/detail/tridiagonal/host_system.hpp>
#include <sweep/detail/tridiagonal/lanes.hpp>
#include <sweep/detail/tridiagonal/problem.hpp>
#include <sweep/version.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// What stands in the lanes that a thread works on at a time: the first of them are used.
template <class Problem>
struct host_lanes {
  using real = typename Problem::number;
  using number = line_of_lanes<real>;
  static constexpr int count = number::count;
  Problem const* problem;
  solve_place place[count];
  std::int64_t first[count] = {};  ///< row of its system that each begins with
  std::int64_t rows = 0;           ///< of each
  int used = 0;
  bool side_by_side = false;  ///< whether each one's items are next to those of the one before

  void add(solve_place const& where, std::int64_t first_row) {
    place[used] = where;
    first[used] = first_row;
    ++used;
  }
  /// A zero pivot of row j, unless nobody uses the lane.
  void note(first_of_rows& singular, std::int64_t j, int lane) const {
    if (lane < used) singular.note(problem->row_of(place[lane], first[lane] + j));
  }
};

/// Tells the CPU of an item of memory that will be read, or written.
template <bool Writes, class It>
void fetch_ahead([[maybe_unused]] It const& items, [[maybe_unused]] std::int64_t at) {
  if constexpr (std::is_pointer_v<It>) __builtin_prefetch(items + at, Writes);
}

/// Rows of all lanes, asked for one after the other: of each lane some at a time are read, so that each
/// reads its own memory in order.
template <class Problem, bool Equilibrated>
class host_lane_rows {
  using lanes_type = host_lanes<Problem>;
  using real = typename lanes_type::real;
  using number = typename lanes_type::number;
  static constexpr int count = lanes_type::count, depth = 16;

 public:
  explicit host_lane_rows(lanes_type const& of) : of_{&of} {
    for (int lane = of.used; lane < count; ++lane)
      for (int r = 0; r < depth; ++r) {
        lower_[r][lane] = upper_[r][lane] = right_[r][lane] = 0;
        diagonal_[r][lane] = 1;
      }
  }
  tridiagonal_row<number> operator()(std::int64_t j) const {
    auto const r = j % depth;
    if (r == 0) read(j, static_cast<int>(std::min<std::int64_t>(depth, of_->rows - j)));
    tridiagonal_row<number> const row{read_of(lower_[r]), read_of(diagonal_[r]), read_of(upper_[r]),
                                      read_of(right_[r])};
    if constexpr (Equilibrated) return equilibrated(row);
    else return row;
  }

 private:
  using buffer = real[depth][count];
  static number read_of(real const (&row)[count]) {
    number all;
    std::memcpy(&all, row, sizeof all);
    return all;
  }

  void read(std::int64_t j, int rows) const {
    auto const& problem = *of_->problem;
    auto const& layout = problem.layout;
    auto const by = layout.row_stride;
    // What would couple the ends of a system that is not cyclic is not looked at.
    auto const begins = [&](int lane) { return !layout.cyclic && of_->first[lane] + j == 0; };
    auto const ends = [&](int lane) {
      return !layout.cyclic && of_->first[lane] + j + rows == of_->place[lane].n;
    };
    if (of_->side_by_side) {  // all begin and end together
      auto const at = of_->place[0].coefficients + j * by, of_value = of_->place[0].values + j * by;
      bool const first = begins(0), last = ends(0);
      for (int r = 0; r < rows; ++r) {
        if (!(first && r == 0)) read_row(lower_[r], [&](int k) { return problem.lower_at(at + r * by + k); });
        read_row(diagonal_[r], [&](int k) { return problem.diagonal_at(at + r * by + k); });
        if (!(last && r + 1 == rows))
          read_row(upper_[r], [&](int k) { return problem.upper_at(at + r * by + k); });
        read_row(right_[r], [&](int k) { return problem.right_at(of_value + r * by + k); });
      }
      if (first) std::fill_n(lower_[0], count, real{});
      if (last) std::fill_n(upper_[rows - 1], count, real{});
      return;
    }
    // The next rows of so many lanes are more streams than the CPU follows by itself.
    for (int lane = 0; lane < of_->used && rows == depth; ++lane) {
      auto const row = of_->first[lane] + std::min(j + 2 * depth, of_->rows) - 1;
      auto const at = of_->place[lane].coefficients + row * by;
      fetch_ahead<false>(problem.lower, at);
      fetch_ahead<false>(problem.diagonal, at);
      fetch_ahead<false>(problem.upper, at);
      fetch_ahead<false>(problem.right, of_->place[lane].values + row * by);
    }
    for (int lane = 0; lane < of_->used; ++lane) {
      auto const row = of_->first[lane] + j;
      auto const at = of_->place[lane].coefficients + row * by, of_value = of_->place[lane].values + row * by;
      bool const first = begins(lane), last = ends(lane);
      for (int r = first; r < rows; ++r) lower_[r][lane] = problem.lower_at(at + r * by);
      for (int r = 0; r < rows; ++r) diagonal_[r][lane] = problem.diagonal_at(at + r * by);
      for (int r = 0; r < rows - last; ++r) upper_[r][lane] = problem.upper_at(at + r * by);
      for (int r = 0; r < rows; ++r) right_[r][lane] = problem.right_at(of_value + r * by);
      if (first) lower_[0][lane] = 0;
      if (last) upper_[rows - 1][lane] = 0;
    }
  }
  template <class Item>
  void read_row(real (&to)[count], Item const& item) const {
    if (of_->used == count)
      for (int k = 0; k < count; ++k) to[k] = item(k);
    else
      for (int k = 0; k < of_->used; ++k) to[k] = item(k);
  }

  lanes_type const* of_;
  alignas(64) mutable buffer lower_, diagonal_, upper_, right_;
};

/// What an elimination keeps of the rows of all lanes, and where solutions go: some rows at a time.
template <class Problem>
class host_lane_store {
  using lanes_type = host_lanes<Problem>;
  using real = typename lanes_type::real;
  static constexpr int count = lanes_type::count;

 public:
  using number = typename lanes_type::number;
  static constexpr std::int64_t depth = 16;

  host_lane_store(lanes_type const& of, kept_row<number>* rows) : of_{&of}, rows_{rows} {}
  void keep(std::int64_t j, kept_row<number> const& row) const { rows_[j] = row; }
  kept_row<number> const& kept(std::int64_t j) const { return rows_[j]; }
  void solve(std::int64_t j, int lane, real x) const {
    if (lane < of_->used) of_->problem->write_row(of_->place[lane], of_->first[lane] + j, x);
  }
  void solve(std::int64_t j, number const& x) const {
    real all[count];
    put_lanes(x, all);
    for (int lane = 0; lane < of_->used; ++lane) solve(j, lane, all[lane]);
  }
  void put(std::int64_t j, number const& x) const { put_lanes(x, solved_[j % depth]); }
  /// Rows [begin, end) that have been put: no more than `depth`, none of which takes another's place.
  void write(std::int64_t begin, std::int64_t end) const {
    auto const& problem = *of_->problem;
    auto const by = problem.layout.row_stride;
    if (of_->side_by_side) {
      for (auto j = begin; j < end; ++j) {
        auto const at = of_->place[0].values + j * by;
        if (of_->used == count)
          for (int k = 0; k < count; ++k) problem.write(at + k, solved_[j % depth][k]);
        else
          for (int k = 0; k < of_->used; ++k) problem.write(at + k, solved_[j % depth][k]);
      }
      return;
    }
    for (int lane = 0; lane < of_->used; ++lane) {
      auto const at = of_->place[lane].values + of_->first[lane] * by;
      fetch_ahead<true>(problem.solution, at + std::max<std::int64_t>(0, begin - 2 * depth) * by);
      for (auto j = begin; j < end; ++j) problem.write(at + j * by, solved_[j % depth][lane]);
    }
  }

 private:
  lanes_type const* of_;
  kept_row<number>* rows_;
  alignas(64) mutable real solved_[depth][count];
};

/// One of the states at an end of every lane.
template <class Lanes, class StateOf>
state<Lanes> states_of_lanes(int used, StateOf const& state_of) {
  typename Lanes::real below[Lanes::count] = {}, above[Lanes::count] = {};
  for (int lane = 0; lane < used; ++lane) {
    below[lane] = state_of(lane).below;
    above[lane] = state_of(lane).above;
  }
  state<Lanes> all;
  std::memcpy(&all.below, below, sizeof all.below);
  std::memcpy(&all.above, above, sizeof all.above);
  return all;
}
template <class Lanes>
equation<typename Lanes::real> equation_of_lane(equation<Lanes> const& e, int lane) {
  return {{lane_of(e.left.below, lane), lane_of(e.left.above, lane)},
          {lane_of(e.right.below, lane), lane_of(e.right.above, lane)},
          lane_of(e.value, lane)};
}
template <class Lanes>
relation<typename Lanes::real> relation_of_lane(relation<Lanes> const& all, int lane) {
  return {equation_of_lane(all.upper, lane), equation_of_lane(all.lower, lane)};
}

/// Fewer systems than these are as fast one by one.
template <int Lanes>
inline constexpr int lanes_worth_it = Lanes / 4 + 1;

template <class Problem>
[[gnu::flatten]] auto relation_of_lanes(host_lanes<Problem> const& all) {
  using number = typename host_lanes<Problem>::number;
  return relation_of_rows<Problem::how, number>(host_lane_rows<Problem, true>(all), all.rows);
}
/// Rows whose states are known.
template <class Problem, class Lanes>
[[gnu::flatten]] void solve_lanes_of_rows(host_lanes<Problem> const& all, state<Lanes> const& left,
                                          state<Lanes> const& right, kept_row<Lanes>* kept,
                                          first_of_rows& singular) {
  solve_rows<Problem::how, Lanes>(host_lane_rows<Problem, true>(all), all.rows, left, right,
                                  host_lane_store<Problem>(all, kept),
                                  [&](std::int64_t j, int lane) { all.note(singular, j, lane); });
}
/// Whole systems that are not cyclic.
template <class Problem, class Lanes>
[[gnu::flatten]] void solve_lanes_of_lines(host_lanes<Problem> const& all, kept_row<Lanes>* kept,
                                           first_of_rows& singular) {
  solve_system<Problem::how, Lanes>(host_lane_rows<Problem, false>(all), all.rows,
                                    host_lane_store<Problem>(all, kept),
                                    [&](std::int64_t j, int lane) { all.note(singular, j, lane); });
}
/// Whole systems, one in each lane.
template <class Problem, class Lanes>
void solve_lanes_of_systems(host_lanes<Problem> const& all, kept_row<Lanes>* kept, first_of_rows& singular) {
  if (!all.problem->layout.cyclic) return solve_lanes_of_lines(all, kept, singular);
  auto const related = relation_of_lanes(all);
  end_states<typename Lanes::real> ends[Lanes::count];
  for (int lane = 0; lane < all.used; ++lane)
    ends[lane] = close_system(relation_of_lane(related, lane), true,
                              [&](int which) { all.note(singular, which == 0 ? 0 : all.rows - 1, lane); });
  solve_lanes_of_rows(all, states_of_lanes<Lanes>(all.used, [&](int lane) { return ends[lane].left; }),
                      states_of_lanes<Lanes>(all.used, [&](int lane) { return ends[lane].right; }), kept,
                      singular);
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

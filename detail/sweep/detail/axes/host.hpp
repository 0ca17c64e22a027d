// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_AXES_HOST_HPP
#define SWEEP_DETAIL_AXES_HOST_HPP

#include <sweep/detail/axes/problem.hpp>
#include <sweep/detail/axes/walk.hpp>
#include <sweep/detail/core/atomic.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sweep::inline SWEEP_ABI::detail {

/// Where in memory the places of a grid lie.
struct span_of_places {
  std::int64_t low, high;
  void add(std::int64_t extent, std::int64_t stride) { (stride < 0 ? low : high) += (extent - 1) * stride; }
};
/// Whether results of so many lines go past the caches; not where items are read that they may take the
/// places of: these are in the cache.
template <class Problem>
bool streams_lines([[maybe_unused]] Problem const& problem, [[maybe_unused]] int threads) {
  using walk = line_walk<Problem::what, Problem>;
  if constexpr (walk::may_stream) {
    using U = typename Problem::out_value;
    auto const& grid = problem.grid;
    if (!is_streamed(static_cast<std::size_t>(grid.lines * grid.length) * sizeof(U),
                     walk::bytes_streamed(grid), threads))
      return false;
    span_of_places in{grid.first.in, grid.first.in}, out{grid.first.out, grid.first.out};
    in.add(grid.length, grid.in);
    out.add(grid.length, grid.out);
    for (int r = 0; r < grid.axes; ++r) {
      in.add(grid.across[r].extent, grid.across[r].stride.in);
      out.add(grid.across[r].extent, grid.across[r].stride.out);
    }
    auto const place = [](auto const* at) { return reinterpret_cast<std::uintptr_t>(at); };
    return place(problem.in + in.high + 1) <= place(problem.out + out.low) ||
           place(problem.out + out.high + 1) <= place(problem.in + in.low);
  } else {
    return false;
  }
}

/// Lines that one thread walks along one after the other, several at a time.
template <class Problem>
void walk_lines(Problem const& given, std::int64_t first, std::int64_t count, bool streams) {
  auto const finish = [&](std::int64_t, auto const& at, [[maybe_unused]] auto const& sum) {
    if constexpr (Problem::what == line_result::total) given.put(at.out, sum);
  };
  if (given.grid.length == 0) {
    for (places_in_turn places(given.grid, first); count > 0; --count, places.go_on())
      finish(0, places.here(), given.before_line(places.here()).value);
    return;
  }
  line_walk<Problem::what, Problem> const walk(given, streams);
  walk(
      given.grid, first, count, [&](std::int64_t, auto const& at) { return given.before_line(at); }, finish);
}

SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void run_axis(seq_policy const&, char const*, Problem const& given) {
  if (only_obtains()) return;
  auto const problem = given;
  for (std::int64_t line = 0; line < problem.grid.lines; ++line) {
    auto const at = problem.grid.place(line);
    auto sum = problem.before_line(at);
    walk_line(problem, at, 0, problem.grid.length, sum);
    if constexpr (Problem::what == line_result::total) problem.put(at.out, sum.value);
  }
}

/// Lines whose extents are these are cut into chunks, and the chunks of a line tell each other their totals:
/// they are few and long. A tile is some chunks of all lines, so that it stays in a core's cache while it is
/// read twice. What is folded in which brackets is a matter of extents and the type alone.
struct host_chunks {
  std::int64_t items, of_tile;  ///< items of a chunk, and chunks of each line in a tile

  static constexpr std::int64_t enough_lines = 256, long_line = 1 << 14, chains = 8;
  template <class T, class Grid>
  static constexpr bool needed(Grid const& grid) {
    return !is_wide<T> && grid.lines < enough_lines && grid.length > long_line;
  }
  template <class Grid>
  static constexpr host_chunks of(Grid const& grid, std::size_t bytes) {
    auto const tile = static_cast<std::int64_t>((std::size_t{1} << 17) / std::max<std::size_t>(bytes, 4));
    auto const of_tile = std::max<std::int64_t>(1, chains / grid.lines);
    // Chunks side by side must not begin a multiple of a page apart, where they would share cache sets.
    return {std::max<std::int64_t>(64, tile / (of_tile * grid.lines)) | 16, of_tile};
  }
};

/// Chunks [first, first + count) of all lines, as lines: those of a chunk, then those of the next one.
template <class Grid>
Grid grid_of_chunks(Grid const& grid, std::int64_t chunk, std::int64_t first, std::int64_t count) {
  auto of = grid;
  of.first.in += first * chunk * grid.in;
  of.first.out += first * chunk * grid.out;
  of.length = std::min(chunk, grid.length - first * chunk);
  of.lines *= count;
  of.across[of.axes++] = {count, {chunk * grid.in, chunk * grid.out, 0}};
  return of;
}

/// Many lines, or short ones, are shared out: as many to a thread at a time as are worth it.
template <class Problem>
void run_lines(team& members, Problem const& given) {
  using T = typename Problem::value;
  constexpr std::int64_t worth = 1 << 13;  // items for which a thread comes back
  auto const& grid = given.grid;
  auto const length = std::max<std::int64_t>(1, grid.length);
  int const threads = members.members_for(grid.lines * length / worth);
  std::int64_t const strip = std::max<std::int64_t>(strip_items<T, Problem::what>, lines_of_window<T>);
  bool const streams = streams_lines(given, threads);
  // Lines side by side: rows as long as may be, since each is another page.
  auto together = std::min<std::int64_t>(lines_of_row<T>, (grid.lines + threads - 1) / threads);
  if (together * length < worth) together = (worth + length - 1) / length;
  if (together > strip) together = (together + strip - 1) / strip * strip;
  members.for_each_tile((grid.lines + together - 1) / together, threads, [](int member) { return member; },
                        [&](std::int64_t tile, int) {
                          auto const first = tile * together;
                          walk_lines(given, first, std::min(together, grid.lines - first), streams);
                        });
}

/// Whether each thread has whole lines to itself, as many as others, and several whose chains a processor
/// overlaps; or where threads are many and memory is slower than a chain, one.
inline bool enough_whole_lines(std::int64_t lines, team const& members) {
  std::int64_t const threads = members.threads(), each = (lines + threads - 1) / threads;
  return (lines >= chains_of_lines * threads || (threads >= 8 && lines >= threads)) &&
         4 * each * threads <= 5 * lines;
}
/// These, in one pass; in the brackets of chunks, since bits are no matter of threads.
template <class Problem>
void run_whole_lines(team& members, Problem const& given) {
  auto const& grid = given.grid;
  auto const chunk = host_chunks::of(grid, sizeof(typename Problem::value)).items;
  bool const streams = streams_lines(given, members.threads());
  auto const each =
      std::min<std::int64_t>(chains_of_lines, (grid.lines + members.threads() - 1) / members.threads());
  members.for_each_share((grid.lines + each - 1) / each, [&](std::int64_t share) {
    line_walk<Problem::what, Problem> const walk(given, streams);
    walk.in_chunks(grid, chunk, share * each, std::min(each, grid.lines - share * each));
  });
}

/// Few and long lines, in one pass: a tile of chunks is folded, waits for what comes before it, and tells the
/// next tile what comes before that; then it is scanned, from the cache.
template <class Problem>
class chunked_lines {
  using T = typename Problem::value;
  static constexpr bool scans = Problem::what != line_result::total;
  static constexpr int most = host_chunks::enough_lines;  // lines and chunks of a tile

 public:
  chunked_lines(team& members, Problem const& given)
      : members_{members},
        given_{given},
        chunk_{host_chunks::of(given.grid, sizeof(T))},
        chunks_{(given.grid.length + chunk_.items - 1) / chunk_.items},
        tiles_{(chunks_ + chunk_.of_tile - 1) / chunk_.of_tile},
        streams_{streams_lines(given, members.members_for(tiles_))},
        carried_(static_cast<std::size_t>((scans ? tiles_ : chunks_) * given.grid.lines)),
        ready_(static_cast<std::size_t>(tiles_)) {}

  void run() {
    members_.for_each_tile(tiles_, [&](std::int64_t tile) {
      if constexpr (scans) scan_tile(tile);
      else fold_tile(tile, carried_->data() + tile * chunk_.of_tile * given_.grid.lines);
    });
    if constexpr (!scans) {
      if (only_obtains()) return;
      auto op = given_.op;
      for (std::int64_t line = 0; line < given_.grid.lines; ++line) {
        auto const at = given_.grid.place(line);
        auto sum = given_.before_line(at);
        for (std::int64_t c = 0; c < chunks_; ++c)
          sum = {combine(sum, carried_->data()[c * given_.grid.lines + line], op), true};
        given_.put(at.out, sum.value);
      }
    }
  }

 private:
  /// visit(grid, first) for the chunks of a tile: the whole ones, and the last one, which may be shorter.
  template <class Visit>
  void for_each_grid(std::int64_t tile, Visit visit) const {
    auto const first = tile * chunk_.of_tile, end = std::min(chunks_, first + chunk_.of_tile);
    auto const whole = std::min(end, given_.grid.length / chunk_.items);
    if (whole > first)
      visit(grid_of_chunks(given_.grid, chunk_.items, first, whole - first), std::int64_t{0});
    if (end > whole)
      visit(grid_of_chunks(given_.grid, chunk_.items, whole, 1), (whole - first) * given_.grid.lines);
  }

  void fold_tile(std::int64_t tile, T* totals) const {
    line_walk<line_result::total, Problem> const fold(given_);
    for_each_grid(tile, [&](auto const& grid, std::int64_t first) {
      fold(
          grid, 0, grid.lines, [](std::int64_t, auto const&) { return optional<T>{}; },
          [&](std::int64_t nth, auto const&, T const& sum) { totals[first + nth] = sum; });
    });
  }

  void scan_tile(std::int64_t tile) {
    auto const lines = given_.grid.lines;
    auto const chunks = std::min(chunk_.of_tile, chunks_ - tile * chunk_.of_tile);
    T totals[most];
    optional<T> before[most];
    fold_tile(tile, totals);
    if (tile > 0) wait_for(tile);
    auto op = given_.op;
    for (std::int64_t line = 0; line < lines; ++line) {
      optional<T> sum = tile == 0 ? given_.before_line(given_.grid.place(line))
                                  : optional<T>{carried_->data()[tile * lines + line], true};
      for (auto nth = line; nth < chunks * lines; nth += lines) {
        before[nth] = sum;
        sum = {combine(sum, totals[nth], op), true};
      }
      if (tile + 1 < tiles_) carried_->data()[(tile + 1) * lines + line] = sum.value;
    }
    if (tile + 1 < tiles_) flag(tile + 1).store(1, release);
    line_walk<Problem::what, Problem> const scan(given_, streams_);
    for_each_grid(tile, [&](auto const& grid, std::int64_t first) {
      scan(
          grid, 0, grid.lines, [&](std::int64_t nth, auto const&) { return before[first + nth]; },
          [](std::int64_t, auto const&, auto const&) {});
    });
  }

  atomic_ref<std::uint32_t> flag(std::int64_t tile) {
    return atomic_ref<std::uint32_t>((*ready_)[static_cast<std::size_t>(tile)]);
  }
  void wait_for(std::int64_t tile) {
    wait_in_team(members_.failed(), [&] { return flag(tile).load(acquire) != 0; });
  }

  team& members_;
  Problem const& given_;
  host_chunks chunk_;
  std::int64_t chunks_, tiles_;
  bool streams_;
  call_array<T> carried_;
  call_zeros<std::uint32_t> ready_;
};

template <class... Tags, class Problem>
void run_axis(host_policy<Tags...> const& policy, char const* call, Problem const& given) {
  using T = typename Problem::value;
  if constexpr (!std::is_copy_assignable_v<T>) {
    run_axis(seq, call, given);
  } else {
    team members(policy.threads());
    auto const& grid = given.grid;
    if (!host_chunks::needed<T>(grid)) return run_lines(members, given);
    if constexpr (Problem::what != line_result::total) {
      bool const alone = members.members_for(grid.length / 512) == 1;  // who needs no totals of others
      bool const whole =
          line_walk<Problem::what, Problem>::lie_along(grid) && enough_whole_lines(grid.lines, members);
      if constexpr (is_exact<std::remove_cvref_t<decltype(given.op)>, T>) {
        if (alone || whole) return run_lines(members, given);
      } else {
        if (whole) return run_whole_lines(members, given);
      }
    }
    chunked_lines<Problem>(members, given).run();
  }
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_PARTITION_HOST_HPP
#define SWEEP_DETAIL_PARTITION_HOST_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/functional.hpp>
#include <sweep/detail/core/memory_plan.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/core/relocatable.hpp>
#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/host/team.hpp>
#include <sweep/detail/host/tile_size.hpp>
#include <sweep/detail/lookback/tile_state.hpp>
#include <sweep/detail/partition/agent.hpp>
#include <sweep/detail/partition/problem.hpp>
#include <sweep/detail/partition/tile/serial_tile.hpp>
#include <sweep/detail/runtime/resolve.hpp>
#include <sweep/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace sweep::inline SWEEP_ABI::detail {

SWEEP_BEGIN_LOOPS

/// Item i to place `to` of its part, where that is written.
SWEEP_NO_EXEC_CHECK
template <int Part, class Problem>
SWEEP_HD void put_item(Problem const& problem, int part, std::int64_t to, std::int64_t i) {
  if constexpr (Part < Problem::written) {
    if (part != Part) put_item<Part + 1>(problem, part, to, i);
    else if constexpr (!Problem::in_place) problem.template put<Part>(to, problem.in[i]);
    else if (Part > 0 || to != i) problem.template put<Part>(to, std::move(problem.in[i]));
  }
}

/// Whether every item may be written before it is known whether it is wanted.
template <class Problem, int Part = 0>
constexpr bool is_written_over() {
  if constexpr (Part < Problem::written) {
    using raw = typename Problem::raw;
    using out = std::remove_cvref_t<decltype(std::declval<Problem const&>().outputs.template of<Part>())>;
    return Problem::parts == 2 && std::is_same_v<out, raw*> && std::is_trivially_copyable_v<raw> &&
           sizeof(raw) <= 64 && is_written_over<Problem, Part + 1>();
  } else {
    return true;
  }
}

/// Where the next item of an output goes. From one to the next that is to cost one addition: of a number of
/// items, by which an instruction's address reaches those of 1, 2, 4 or 8 bytes, or of bytes.
template <class T>
class output_end {
  static constexpr bool counts = sizeof(T) <= 8 && 8 % sizeof(T) == 0;

 public:
  SWEEP_HD explicit output_end(T* first) : first_{first}, at_{counts ? nullptr : first} {}
  /// Writes an item there, where the next one is written over it if it is not kept.
  SWEEP_HD void write(T const& x) const {
    if constexpr (counts) first_[count_] = x;
    else *at_ = x;
  }
  SWEEP_HD void keep(bool kept) {
    if constexpr (counts) count_ += kept;
    else at_ += kept;
  }
  SWEEP_HD void put(T const& x) {
    write(x);
    keep(true);
  }
  SWEEP_HD std::int64_t count() const { return counts ? count_ : at_ - first_; }

 private:
  T* first_;
  T* at_;
  std::int64_t count_ = 0;
};

/// By one loop, without branches: each item is written to the end of each output, where an item behind it
/// is written over it if it does not belong there. Those at the end that have none behind them come first, so
/// that nothing is written behind an output's items: of one output those behind its last item, of two the
/// last ones of one part.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void partition_written_over(Problem const& given) {
  auto const problem = given;  // a local: nothing that is written can be one of its members
  auto const n = problem.grid.n;
  using raw = typename Problem::raw;
  output_end<raw> out(problem.outputs.a);
  [[maybe_unused]] output_end<raw> rest(nullptr);
  if constexpr (Problem::written == 2) rest = output_end<raw>(problem.outputs.b);
  auto const part_of = [&problem](std::int64_t i) -> int {
    if constexpr (Problem::looks_left)
      return i > 0 ? problem.select(problem.tested()[i - 1], problem.tested()[i]) : 0;
    else return problem.select(problem.tested()[i]);
  };
  std::int64_t i = 0, ends = n;  // from `ends` on all items are of one part
  int last = 0;                  // that part
  if constexpr (Problem::written == 1) last = 1;
  else if (n > 0) last = part_of(--ends);
  bool others = false;  // whether there is an item of the other part, and so right before `ends`
  while (!others && ends > 0)
    if (part_of(ends - 1) == last) --ends;
    else others = true;
  auto const behind = ends - (others ? 1 : 0);
  auto const write = [&] {
    raw const x = problem.in[i];
    out.write(x);
    if constexpr (Problem::written == 2) rest.write(x);
  };
  auto const keep = [&](bool first) {
    out.keep(first);
    if constexpr (Problem::written == 2) rest.keep(!first);
    ++i;
  };
  if (Problem::looks_left && behind > 0) {  // the first item has none to its left
    write();
    keep(true);
  }
  SWEEP_STEPS_AT_ONCE
  while (i < behind) {
    if constexpr (!Problem::looks_left) {
      write();
      keep(problem.select(problem.tested()[i]) == 0);
    } else if constexpr (!Problem::in_place) {
      write();
      keep(problem.select(problem.tested()[i - 1], problem.tested()[i]) == 0);
    } else {  // where the item to its left stood may be written now
      bool const first = problem.select(problem.tested()[i - 1], problem.tested()[i]) == 0;
      write();
      keep(first);
    }
  }
  for (; i < n; ++i) {
    bool const first = (last == 0) == (i >= ends);
    if (first) out.put(problem.in[i]);
    else if constexpr (Problem::written == 2) rest.put(problem.in[i]);
    else break;
  }
  typename Problem::counts all;
  all.of[0] = out.count();
  problem.write_counts(all);
}

/// One loop, the meaning of a compaction. Any thread can run it, in a kernel too, where a branch costs less
/// than what is written twice.
SWEEP_NO_EXEC_CHECK
template <class Problem>
SWEEP_HD void run_partition(seq_policy const&, char const*, Problem const& problem) {
  if (only_obtains()) return;
#if !defined(__CUDA_ARCH__)
  if constexpr ((!Problem::in_place || gathers_items<Problem>)&&is_written_over<Problem>())
    return partition_written_over(problem);
#endif
  constexpr int parts = Problem::parts;
  std::int64_t at[parts]{};
  int part = 0;
  for (std::int64_t i = 0; i < problem.grid.n; ++i) {
    if constexpr (Problem::looks_left) {
      // In place, an item that was kept may have left its place for the last one that was written.
      bool const moved = Problem::in_place && Problem::tests_items && part == 0;
      if (i > 0)
        part = problem.select(moved ? problem.tested()[at[0] - 1] : problem.tested()[i - 1],
                              problem.tested()[i]);
    } else {
      part = problem.select(problem.tested()[i]);
    }
    auto const to = at[part]++;
    put_item<0>(problem, part, to, i);
  }
  typename Problem::counts all;
  for (int k = 0; k < parts - 1; ++k) all.of[k] = at[k];
  problem.write_counts(all);
}

/// Each tile by whichever member of the team claims it.
template <writes What, class Tiles, class Problem>
void partition_tiles(team& members, Tiles const& told, Problem const& problem) {
  using tile_type = partition_serial_tile<Problem>;
  auto const tiles = std::max<std::int64_t>(1, problem.grid.tiles());
  auto const all = static_cast<std::size_t>(members.members_for(tiles)),
             each = static_cast<std::size_t>(problem.grid.tile_items);
  call_array<typename tile_type::held> const memory(all * each * Problem::written);
  auto const bytes = static_cast<std::size_t>(problem.grid.n) * sizeof(typename Problem::raw);
  bool const streams = !Problem::in_place && is_streamed(bytes, 16, members.members_for(tiles));
  members.for_each_tile(tiles, [&](std::int64_t tile, int member) {
    tile_type nth(problem, members.failed(),
                  memory->data() + static_cast<std::size_t>(member) * each * Problem::written, streams);
    partition_tile<What>(nth, told, problem, tile);
  });
}

/// By one thread: item by item, or in tiles that do not leave the nearest cache.
template <class Problem>
void partition_in_order(Problem problem) {
  if (only_obtains()) return;
  if constexpr (is_written_over<Problem>()) {
    partition_written_over(problem);
  } else {
    using tile_type = partition_serial_tile<Problem>;
    constexpr int tile_items = std::max(1, 2048 / static_cast<int>(sizeof(typename Problem::raw)));
    problem.grid.tile_items = tile_items;
    auto const memory = std::make_unique_for_overwrite<typename tile_type::held[]>(std::size_t{tile_items} *
                                                                                   Problem::written);
    std::uint32_t failed = 0;
    typename Problem::counts before{};
    tile_type one(problem, failed, memory.get(), false);
    for (std::int64_t tile = 0; tile < problem.grid.tiles(); ++tile) {
      one.template classify<writes::results>(problem.grid.window(tile));
      before = one.store_after(before);
    }
    problem.write_counts(before);
  }
}

/// Items that can be copied byte by byte, which a team may hold outside their places.
template <class T>
inline constexpr bool may_be_taken = relocatable<T>&& std::is_default_constructible_v<T>;

template <class... Tags, class Problem>
void run_partition(host_policy<Tags...> const& policy, char const* call, Problem const& given) {
  using T = typename Problem::counts;
  constexpr auto how = chosen<compact_by, Tags...>;
  constexpr auto across = chosen<across_tiles, Tags...>;
  if constexpr (Problem::in_place && !gathers_items<Problem>) {
    run_partition(seq, call, given);
  } else {
    auto problem = given;
    problem.grid.tile_items = host_tile_items(sizeof(typename Problem::raw));
    auto const tiles = std::max<std::int64_t>(1, problem.grid.tiles());
    team members(policy.threads());
    if constexpr (how == compact_by::single_pass)
      if (members.members_for(tiles) == 1) return partition_in_order(problem);
    constexpr bool looks_back =
        across != across_tiles::reduce_then_scan && across != across_tiles::scan_then_propagate;
    if constexpr (how == compact_by::single_pass && looks_back) {
      call_zeros<std::uint64_t> const words(static_cast<std::size_t>(tile_state<T, across>::words(tiles)));
      partition_tiles<writes::results>(members, tile_state<T, across>(words->data(), tiles, 1), problem);
    } else {
      call_zeros<T> const of_tiles(static_cast<std::size_t>(tiles));
      auto& totals = *of_tiles;
      auto const two_passes = [&](auto const& task) {
        partition_tiles<writes::totals>(members, collected_totals<T>{totals.data()}, task);
        for (std::size_t t = 1; t < totals.size(); ++t) totals[t] = totals[t - 1] + totals[t];
        partition_tiles<writes::results>(members, known_prefixes<T>{totals.data()}, task);
      };
      if constexpr (Problem::in_place) {  // nobody waits until items have left their places
        call_array<typename Problem::raw> const of_items(static_cast<std::size_t>(problem.grid.n));
        auto* const kept = of_items->data();
        if (only_obtains()) return;
        two_passes(problem.template with<placement::out_of_place>(replaced_first(problem.outputs, kept),
                                                                  problem.count));
        auto const count = totals.back().of[0];
        for (std::int64_t i = 0; i < count; ++i) problem.template put<0>(i, kept[i]);
      } else {
        two_passes(problem);
      }
    }
  }
}

/// An array that grows as its items are written, in order.
template <class T>
struct appended {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  struct reference {
    std::vector<T>* items;
    void operator=(T&& item) const { items->push_back(std::move(item)); }
    void operator=(T const& item) const { items->push_back(item); }
  };
  std::vector<T>* items;
  reference operator[](difference_type) const { return {items}; }
};

/// Part 0 in place, part 1 behind it, by way of scratch.
SWEEP_NO_EXEC_CHECK
template <class Policy, class Problem>
requires on_host<Policy> SWEEP_HD void run_stable_partition([[maybe_unused]] Policy const& policy,
                                                            char const* call,
                                                            [[maybe_unused]] Problem const& problem) {
#if defined(__CUDA_ARCH__)
  end_kernel(call, "a range", "cannot be partitioned in place without memory, which a kernel has not");
#else
  using raw = typename Problem::raw;
  auto const n = problem.grid.n;
  if constexpr (may_be_taken<raw>) {
    auto const rest = std::make_unique_for_overwrite<raw[]>(static_cast<std::size_t>(n));
    typename Problem::counts all{};
    run_partition(
        policy, call,
        problem.template with<placement::in_place>(part_outputs{problem.in, rest.get()}, integers_of(&all)));
    for (auto i = all.of[0]; i < n; ++i) problem.template put<0>(i, rest.get()[i - all.of[0]]);
    problem.write_counts(all);
  } else {
    std::vector<raw> rest;
    rest.reserve(static_cast<std::size_t>(n));
    run_partition(seq, call,
                  problem.template with<placement::in_place>(part_outputs{problem.in, appended<raw>{&rest}},
                                                             problem.count));
    auto const kept = n - static_cast<std::int64_t>(rest.size());
    for (std::int64_t i = kept; i < n; ++i)
      problem.template put<0>(i, std::move(rest[static_cast<std::size_t>(i - kept)]));
  }
#endif
}

SWEEP_END_LOOPS

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

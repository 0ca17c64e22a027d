// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_BLOCK_CUH
#define SWEEP_DETAIL_TRIDIAGONAL_BLOCK_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/tridiagonal/block.hpp>
#include <sweep/detail/tridiagonal/problem.hpp>
#include <sweep/detail/tridiagonal/tile/relation_tree.cuh>
#include <sweep/detail/tridiagonal/tuning.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// Blocks of unknowns: a relation is too large for a tree in shared memory, so each thread has a chunk of
// rows, or a group of relations, on its own.

/// What threads share in memory of a call: `solves` chains of relations at each level, and what is kept of
/// rows.
template <class Problem>
struct block_memory {
  using B = typename Problem::number;
  using link = typename chain_links<B>::link;
  link* links;
  kept_row<B>* kept;
};

/// A thread has a chunk of one solve's rows, or all of them.
template <class Problem>
struct block_rows_job {
  using B = typename Problem::number;
  static constexpr int threads = 64, blocks = 1;

  Problem problem;
  block_memory<Problem> memory;
  std::int64_t chunks;  ///< of a solve
  int chunk_rows;
  chunk_work work;

  struct store {
    Problem const* problem;
    kept_row<B>* rows;
    solve_place place;
    std::int64_t first;
    __device__ void keep(std::int64_t j, kept_row<B> const& row) const { rows[j] = row; }
    __device__ kept_row<B> const& kept(std::int64_t j) const { return rows[j]; }
    __device__ void solve(std::int64_t j, B const& x) const { problem->write_row(place, first + j, x); }
  };

  __device__ void operator()() const {
    auto const& layout = problem.layout;
    auto const solves = layout.solves(), job = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (job >= solves * chunks) return;
    bool const side_by_side = layout.system_stride < layout.row_stride;
    auto const solve = side_by_side ? job % solves : job / chunks;
    auto const chunk = side_by_side ? job / solves : job % chunks;
    auto const place = problem.place_of(solve);
    auto const first = chunk * chunk_rows;
    auto const m =
        work == chunk_work::whole_system ? layout.n : min(std::int64_t{chunk_rows}, layout.n - first);
    auto const rows = [&](std::int64_t j) { return equilibrated(problem.cut_row(place, first + j)); };
    auto* const links = memory.links + solve * (chunks + 1);
    if (work == chunk_work::fold) {
      links[chunk].related = relation_of_rows<Problem::how, B>(rows, m);
      return;
    }
    auto const note = [&](std::int64_t unknown) {
      note_singular(problem.first_singular, problem.row_of(place, first * width_of<B> + unknown));
    };
    store const to{&problem, memory.kept + solve * layout.n + first, place, first};
    if (work == chunk_work::whole_system) solve_system<Problem::how, B>(rows, m, to, note);
    else solve_rows<Problem::how, B>(rows, m, links[chunk].known, links[chunk + 1].known, to, note);
  }
};

enum class chain_work { fold, solve, unfold };

/// A thread has a group of the relations of one solve's chain: folded to one of the level above, and then,
/// from two of the states there, the states between. Where all are one group it finds the ends' itself.
template <class Problem>
struct block_chain_job {
  using B = typename Problem::number;
  using link = typename block_memory<Problem>::link;
  static constexpr int threads = 64, blocks = 1, most = 16;

  Problem problem;
  link *links, *above;
  std::int64_t count, groups;  ///< of a solve
  std::int64_t rows;           ///< of a relation, but for the last
  chain_work work;

  __device__ void operator()() const {
    auto const job = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (job >= problem.layout.solves() * groups) return;
    auto const solve = job / groups, group = job % groups, first = group * most;
    auto const mine = min(std::int64_t{most}, count - first);
    chain_links<B> const chain{links + solve * (count + 1) + first};
    auto const note = [&](std::int64_t k, int which) {
      auto const row = min((first + k) * rows, problem.layout.n);
      note_singular(problem.first_singular,
                    problem.row_of(problem.place_of(solve), (row - 1) * width_of<B> + which));
    };
    if (work == chain_work::solve) return solve_chain<B>(chain, mine, problem.layout.cyclic, note);
    auto* const outer = above + solve * (groups + 1) + group;
    if (work == chain_work::fold) {
      outer->related = fold_chain<B>(chain, mine, note);
      return;
    }
    unfold_chain<B>(chain, mine, outer[0].known, outer[1].known);
    if (group + 1 == groups) chain.put(mine, outer[1].known);
  }
};

template <class Policy, class Problem>
void solve_by_blocks(Policy const& policy, char const* call, Problem const& problem) {
  using B = typename Problem::number;
  using rows_job = block_rows_job<Problem>;
  using chain_job = block_chain_job<Problem>;
  using link = typename block_memory<Problem>::link;
  constexpr int chunk_rows = 16;
  constexpr std::int64_t most_alone = 64, many = 8192;
  auto const& layout = problem.layout;
  auto const solves = layout.solves();
  bool const whole = !layout.cyclic && (layout.n <= most_alone || solves >= many);
  auto const chunks = whole ? 1 : (layout.n + chunk_rows - 1) / chunk_rows;

  struct level {
    std::int64_t count, at;
  } levels[16];
  int depth = 0;
  std::int64_t links_needed = 0;
  for (auto count = chunks; !whole; count = (count + chain_job::most - 1) / chain_job::most) {
    levels[depth++] = {count, links_needed};
    links_needed += solves * (count + 1);
    if (count <= chain_job::most) break;
  }
  auto const threads_of = [](std::int64_t jobs, int threads) { return (jobs + threads - 1) / threads; };
  with_memory<link>(policy, call, links_needed, [&](auto const& rest, link* links) {
    with_memory<kept_row<B>>(rest, call, layout.n * solves, [&](auto const&, kept_row<B>* kept) {
      auto const rows = [&](chunk_work work) {
        launch_job(call, policy.stream(), threads_of(solves * chunks, rows_job::threads), rows_job::threads,
                   rows_job{problem, {links, kept}, chunks, chunk_rows, work});
      };
      if (whole) return rows(chunk_work::whole_system);
      auto const chain = [&](int at, chain_work work) {
        auto const& here = levels[at];
        auto const groups = (here.count + chain_job::most - 1) / chain_job::most;
        std::int64_t rows_of = chunk_rows;
        for (int l = 0; l < at; ++l) rows_of *= chain_job::most;
        launch_job(call, policy.stream(), threads_of(solves * groups, chain_job::threads), chain_job::threads,
                   chain_job{problem, links + here.at, at + 1 < depth ? links + levels[at + 1].at : nullptr,
                             here.count, groups, rows_of, work});
      };
      rows(chunk_work::fold);
      for (int at = 0; at + 1 < depth; ++at) chain(at, chain_work::fold);
      chain(depth - 1, chain_work::solve);
      for (int at = depth - 2; at >= 0; --at) chain(at, chain_work::unfold);
      rows(chunk_work::solve);
    });
  });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

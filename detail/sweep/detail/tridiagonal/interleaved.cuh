// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_INTERLEAVED_CUH
#define SWEEP_DETAIL_TRIDIAGONAL_INTERLEAVED_CUH

#include <sweep/detail/core/standard.hpp>
#include <sweep/detail/runtime/launch.cuh>
#include <sweep/detail/runtime/memory.hpp>
#include <sweep/detail/tridiagonal/problem.hpp>
#include <sweep/detail/tridiagonal/tile/interleaved_rows.cuh>
#include <sweep/detail/tridiagonal/tile/relation_tree.cuh>
#include <sweep/detail/tridiagonal/tile/rows.cuh>
#include <sweep/detail/tridiagonal/tuning.hpp>

#include <cstddef>
#include <cstdint>

namespace sweep::inline SWEEP_ABI::detail {

// Systems side by side: neighbouring threads have neighbouring systems, so that each row of theirs is read at
// once.

/// Words that threads keep side by side: word w of place k of each solve.
template <class S>
struct links_side_by_side {
  static constexpr int words = sizeof(elimination<S>) / sizeof(S);
  S* memory;
  std::int64_t solves, solve;

  __device__ S& word(std::int64_t k, int w) const { return memory[(k * words + w) * solves + solve]; }
  template <class Link>
  __device__ Link load(std::int64_t k) const {
    S word_of[sizeof(Link) / sizeof(S)];
#pragma unroll
    for (int w = 0; w < static_cast<int>(sizeof(Link) / sizeof(S)); ++w) word_of[w] = word(k, w);
    Link link;
    memcpy(&link, word_of, sizeof link);
    return link;
  }
  template <class Link>
  __device__ void store(std::int64_t k, Link const& link) const {
    S word_of[sizeof(Link) / sizeof(S)];
    memcpy(word_of, &link, sizeof link);
#pragma unroll
    for (int w = 0; w < static_cast<int>(sizeof(Link) / sizeof(S)); ++w) word(k, w) = word_of[w];
  }

  __device__ relation<S> related(std::int64_t k) const { return load<relation<S>>(k); }
  __device__ elimination<S> kept(std::int64_t k) const { return load<elimination<S>>(k); }
  __device__ state<S> known(std::int64_t k) const { return load<state<S>>(k); }
  __device__ void keep(std::int64_t k, elimination<S> const& how) const { store(k, how); }
  __device__ void put(std::int64_t k, state<S> const& x) const { store(k, x); }
};

/// A thread has a chunk of one system, or all of it, in shared memory.
template <class Problem>
struct interleaved_rows_job {
  using T = typename Problem::value_type;
  using S = typename Problem::number;
  static constexpr int threads = 32, blocks = 7;
  static constexpr std::size_t dynamic_bytes(int) {
    return staged_rows<S>::bytes(most_rows_of_system(sizeof(S)) * threads);
  }

  Problem problem;
  int chunk_rows;
  unsigned groups;  ///< blocks for all solves
  chunk_work work;
  S* memory;  ///< the solves' chains

  __device__ void operator()() const {
    let_next_kernel_start();
    extern __shared__ __align__(16) unsigned char sweep_shared_rows[];
    auto const& layout = problem.layout;
    // What was read last is read first once more, as it may still be in the second-level cache.
    auto const block = work == chunk_work::solve ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    auto const chunk = std::int64_t{block / groups}, solves = layout.solves();
    auto const solve = std::int64_t{block % groups} * threads + threadIdx.x;
    if (solve >= solves) return;  // no thread waits for another
    auto const place = problem.place_of(solve);
    auto const first = chunk * chunk_rows;
    int const m = static_cast<int>(min(std::int64_t{chunk_rows}, layout.n - first));
    interleaved_rows<Problem, threads> rows(problem, place, first, m, sweep_shared_rows, chunk_rows);
    links_side_by_side<S> const links{memory, solves, solve};
    if (work == chunk_work::fold) {
      folded_rows<interleaved_rows<Problem, threads>> folded{rows};
      bool quickly = true;
      links.store(chunk, fold_rows<Problem::how, false, S>(
                             folded, m, quickly, [&](int j) { return rows.again(j); }, [](int) {}));
      return;
    }
    auto const note = [&](int j) { note_singular(problem.first_singular, place.row + first + j); };
    if (work == chunk_work::whole_system) solve_system_of<Problem::how, S>(rows, m, note);
    else solve_between<Problem::how, S>(rows, m, links.known(chunk), links.known(chunk + 1), note);
  }
};

/// A thread has the chain of one solve.
template <class S>
struct interleaved_chain_job {
  static constexpr int threads = 64, blocks = 4;
  system_layout layout;
  std::int64_t chunks;
  int chunk_rows;
  S* memory;
  std::int64_t* first_singular;

  __device__ void operator()() const {
    let_next_kernel_start();
    auto const solve = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (solve >= layout.solves()) return;
    auto const row = solve % layout.systems * layout.n;
    solve_chain<S, join_on_device>(
        links_side_by_side<S>{memory, layout.solves(), solve}, chunks, layout.cyclic,
        [&](std::int64_t k, int which) {
          note_singular(first_singular, row + (k == chunks ? layout.n : k * chunk_rows) - 1 + which);
        });
  }
};

/// A thread has a system, row by row, and keeps what it needs on the way back in memory beside the other
/// threads'.
template <class Problem>
struct thomas_job {
  using S = typename Problem::number;
  static constexpr int threads = 64, blocks = 4;
  Problem problem;
  S* memory;

  struct rows {
    Problem const* problem;
    solve_place place;
    __device__ tridiagonal_row<S> operator()(std::int64_t j) const { return problem->row(place, j); }
  };
  struct store {
    Problem const* problem;
    S* kept_at;
    std::int64_t solves, values;
    __device__ void keep(std::int64_t j, kept_row<S> const& row) const {
      kept_at[2 * j * solves] = row.next;
      kept_at[(2 * j + 1) * solves] = row.value;
    }
    __device__ kept_row<S> kept(std::int64_t j) const {
      return {kept_at[2 * j * solves], S{}, kept_at[(2 * j + 1) * solves]};
    }
    __device__ void solve(std::int64_t j, S x) const {
      problem->write(values + j * problem->layout.row_stride, x);
    }
  };

  __device__ void operator()() const {
    auto const solves = problem.layout.solves(), solve = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (solve >= solves) return;
    auto const place = problem.place_of(solve);
    solve_system<pivots::as_they_stand, S>(
        rows{&problem, place}, problem.layout.n, store{&problem, memory + solve, solves, place.values},
        [&](std::int64_t j) { note_singular(problem.first_singular, place.row + j); });
  }
};

template <class Policy, class Problem>
void solve_by_thomas(Policy const& policy, char const* call, Problem const& problem) {
  using S = typename Problem::number;
  using job = thomas_job<Problem>;
  auto const solves = problem.layout.solves();
  with_memory<S>(policy, call, 2 * problem.layout.n * solves, [&](auto const&, S* memory) {
    launch_job(call, policy.stream(), (solves + job::threads - 1) / job::threads, job::threads,
               job{problem, memory});
  });
}

/// Whole systems in one kernel; of longer ones chunks, their chains, and the chunks again.
template <class Policy, class Problem>
void solve_interleaved(Policy const& policy, char const* call, Problem const& problem) {
  using S = typename Problem::number;
  using job = interleaved_rows_job<Problem>;
  auto const& layout = problem.layout;
  bool const whole = layout.n <= most_rows_of_system(sizeof(S)) && !layout.cyclic;
  auto const most = whole ? layout.n : std::int64_t{most_rows_of_long_system(sizeof(S))};
  auto const chunks = (layout.n + most - 1) / most;
  auto const chunk_rows = static_cast<int>((layout.n + chunks - 1) / chunks);
  auto const groups = (layout.solves() + job::threads - 1) / job::threads;
  auto const bytes = staged_rows<S>::bytes(chunk_rows * job::threads);
  auto const launch = [&](chunk_work work, S* memory) {
    launch_job(call, policy.stream(), groups * chunks, job::threads,
               job{problem, chunk_rows, static_cast<unsigned>(groups), work, memory}, bytes);
  };
  if (whole) return launch(chunk_work::whole_system, nullptr);
  using chain = interleaved_chain_job<S>;
  with_memory<S>(policy, call, links_side_by_side<S>::words * (chunks + 1) * layout.solves(),
                 [&](auto const&, S* memory) {
                   launch(chunk_work::fold, memory);
                   launch_job(call, policy.stream(), (layout.solves() + chain::threads - 1) / chain::threads,
                              chain::threads,
                              chain{layout, chunks, chunk_rows, memory, problem.first_singular});
                   launch(chunk_work::solve, memory);
                 });
}

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_INTERLEAVED_CUH
#define SWEEP_DETAIL_TRIDIAGONAL_INTERLEAVED_CUH

#include <sweep/detail/block/cluster.cuh>
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

/// A thread's links of a chain, word by word where Words says: words(k, w) is word w of link k.
template <class S, class Words>
struct links_by_words {
  static constexpr int words = sizeof(elimination<S>) / sizeof(S);
  Words word;

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

/// Those that threads keep side by side, for so many solves.
template <class S, int Words>
struct words_side_by_side {
  S* memory;
  std::int64_t solves, solve;
  __device__ S& operator()(std::int64_t k, int w) const { return memory[(k * Words + w) * solves + solve]; }
};
template <class S, int Words = static_cast<int>(sizeof(elimination<S>) / sizeof(S))>
using links_side_by_side = links_by_words<S, words_side_by_side<S, Words>>;

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
      folded_rows<interleaved_rows<Problem, threads>> folded{{rows}};
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

/// What the blocks of a cluster have of neighbouring systems: a team of threads has a chunk of as many as
/// stand in a line of memory, a thread one system's, and the teams of all blocks have whole systems.
template <class S>
struct interleaved_team {
  static constexpr int threads = 128;
  static constexpr int systems = static_cast<int>(128 / sizeof(S));
  static constexpr int teams = threads / systems;
  /// Relations that are handed on while those of blocks are folded; and states between blocks.
  static constexpr int handed = most_blocks_of_cluster / 2;
  static_assert(handed <= teams);

  SWEEP_HD static constexpr std::size_t bytes(int chunk_rows) {
    return staged_rows<S>::bytes(chunk_rows * threads) + words_apart * threads * sizeof(S) +
           handed * systems * sizeof(relation<S>);
  }
  /// Of a team's link: the others stand where the first two rows of its chunk did, of which nothing is kept.
  static constexpr int words_apart = static_cast<int>(sizeof(elimination<S>) / sizeof(S)) - 8;
};

/// The links of a block's teams for one system.
template <class S>
struct words_in_rows {
  S* rows;
  S* apart;
  int pitch, solve;
  __device__ S& operator()(std::int64_t team, int w) const {
    using shape = interleaved_team<S>;
    int const thread = static_cast<int>(team) * shape::systems + solve;
    return w < 8 ? rows[w / 2 * pitch + w % 2 * shape::threads + thread]
                 : apart[(w - 8) * shape::threads + thread];
  }
};

/// The relations of the chunks of a cluster's threads, folded, and from the ends of systems back to the
/// states between.
template <class S>
class team_chain {
  using shape = interleaved_team<S>;
  static constexpr int teams = shape::teams, levels = 3;
  static_assert(1 << levels == most_blocks_of_cluster);
  struct ends {
    state<S> left, right;
  };
  using links = links_by_words<S, words_in_rows<S>>;

 public:
  /// In the memory of chunks of so many rows, and behind it. Rows 0 and 1 go.
  __device__ team_chain(S* memory, int chunk_rows, int blocks)
      : team_{static_cast<int>(threadIdx.x) / shape::systems},
        blocks_{blocks},
        rank_{static_cast<int>(blockIdx.x) % blocks},
        links_{memory, memory + 4 * chunk_rows * shape::threads, chunk_rows * shape::threads,
               static_cast<int>(threadIdx.x) % shape::systems},
        handed_{links_.word.apart + shape::words_apart * shape::threads, shape::systems, links_.word.solve},
        states_{handed_.word.memory, shape::systems, links_.word.solve} {}

  __device__ int chunk() const { return rank_ * teams + team_; }

  /// From the relation of this thread's chunk to the states at both its ends. singular(k, which) is told of
  /// the state before chunk k; close(relation) closes a system.
  template <class Singular, class Close>
  __device__ void solve(relation<S> all, state<S>& left, state<S>& right, Singular const& singular,
                        Close const& close) const {
    auto const join = [&](relation<S> const& one, relation<S> const& other, elimination<S>& how, int k) {
      return join_on_device{}(one, other, how, [&](int which) { singular(k, which); });
    };
#pragma unroll 1
    for (int by = 1; by < teams; by *= 2) {
      int const in_pair = team_ & (2 * by - 1);
      if (in_pair == by) links_.store(team_, all);
      __syncthreads();
      if (in_pair == 0) {
        elimination<S> how;
        all = join(all, links_.related(team_ + by), how, chunk() + by);
        links_.keep(team_ + by, how);
      }
    }
    // Every block folds the relations of all, a team a join or two.
    if (team_ == 0) links_.store(0, all);
    cluster_arrive();
    cluster_wait();
    auto const of_block = [&](int rank) {
      auto const& here = links_.word;
      return links{in_block_of_cluster(here.rows, static_cast<unsigned>(rank)),
                   in_block_of_cluster(here.apart, static_cast<unsigned>(rank)), here.pitch, here.solve}
          .related(0);
    };
    elimination<S> how[(most_blocks_of_cluster - 2) / teams + 1];
#pragma unroll
    for (int level = 0; level < levels; ++level) {
      if (int const k = nth_join(level); k < blocks_ >> (level + 1)) {
        int const at = k << level;
        auto const one = level == 0 ? of_block(2 * k) : handed_.related(at),
                   other = level == 0 ? of_block(2 * k + 1) : handed_.related(at + (1 << level) / 2);
        handed_.store(at, join(one, other, how[first_join(level) / teams], ((2 * k + 1) << level) * teams));
      }
      __syncthreads();
      if (level == 0) cluster_arrive();  // this block has read
    }
    if (team_ == 0) all = blocks_ > 1 ? handed_.related(0) : links_.related(0);
    __syncthreads();
    if (team_ == 0) {
      end_states<S> const closed = close(all);
      states_.put(0, closed.left);
      states_.put(blocks_, closed.right);
    }
    __syncthreads();
#pragma unroll
    for (int level = levels - 1; level >= 0; --level) {
      if (int const k = nth_join(level); k < blocks_ >> (level + 1))
        states_.put((2 * k + 1) << level,
                    middle_of(how[first_join(level) / teams], states_.known((2 * k) << level),
                              states_.known((2 * k + 2) << level)));
      __syncthreads();
    }
    left = states_.known(rank_);
    right = states_.known(rank_ + 1);
#pragma unroll 1
    for (int by = teams / 2; by >= 1; by /= 2) {
      int const in_pair = team_ & (2 * by - 1);
      if (in_pair == 0) {
        auto const middle = middle_of(links_.kept(team_ + by), left, right);
        links_.store(team_ + by, ends{middle, right});
        right = middle;
      }
      __syncthreads();
      if (in_pair == by) {
        auto const of_team = links_.template load<ends>(team_);
        left = of_team.left;
        right = of_team.right;
      }
    }
    cluster_wait();  // others have read
  }

 private:
  /// The joins of blocks' relations go round the teams, those of a level behind those of the level below.
  SWEEP_HD static constexpr int first_join(int level) {
    return most_blocks_of_cluster - (most_blocks_of_cluster >> level);
  }
  __device__ int nth_join(int level) const { return (team_ - first_join(level) % teams + teams) % teams; }

  int team_, blocks_, rank_;
  links links_;
  links_side_by_side<S, static_cast<int>(sizeof(relation<S>) / sizeof(S))> handed_;
  links_side_by_side<S, 2> states_;
};

/// A thread has a chunk of one system in shared memory from when it is read to when it is solved, and the
/// blocks of a cluster have all of their systems.
template <class Problem>
struct interleaved_team_job {
  using S = typename Problem::number;
  using shape = interleaved_team<S>;
  static constexpr int threads = shape::threads, blocks = 3;
  static constexpr std::size_t dynamic_bytes(int) { return shape::bytes(most_rows_of_team(sizeof(S))); }

  Problem problem;
  int chunk_rows;
  int cluster;  ///< blocks

  __device__ void operator()() const {
    let_next_kernel_start();
    extern __shared__ __align__(16) unsigned char sweep_shared_rows[];
    auto const& layout = problem.layout;
    team_chain<S> const chain(reinterpret_cast<S*>(sweep_shared_rows), chunk_rows, cluster);
    auto const solves = layout.solves(),
               solve = std::int64_t{blockIdx.x / static_cast<unsigned>(cluster)} * shape::systems +
                       threadIdx.x % shape::systems;
    bool const is_solve = solve < solves;
    auto const place = problem.place_of(min(solve, solves - 1));
    auto const first = std::int64_t{chain.chunk()} * chunk_rows;
    int const m =
        is_solve ? static_cast<int>(max(std::int64_t{0}, min(std::int64_t{chunk_rows}, layout.n - first)))
                 : 0;
    using own_rows = interleaved_rows<Problem, threads>;
    own_rows rows(problem, place, first, m, sweep_shared_rows, chunk_rows, true);
    int const nth = static_cast<int>(threadIdx.x) % shape::systems;
    auto const of_team = solve - nth;
    rows.template stage_all<shape::systems>(
        nth, layout.system_stride == 1 && of_team % layout.systems + shape::systems <= layout.systems);
    rows_kept_in_place<S, own_rows> kept{{rows}};
    bool quickly = true;
    auto const own = fold_rows<Problem::how, false, S>(
        kept, m, quickly, [&](int j) { return rows.again(j); }, [](int) {});
    auto* const told = is_solve ? problem.first_singular : nullptr;
    state<S> left, right;
    chain.solve(
        own, left, right,
        [&](int k, int which) {
          note_singular(told, place.row + min(std::int64_t{k} * chunk_rows, layout.n) - 1 + which);
        },
        [&](relation<S> const& all) {
          return close_system(all, layout.cyclic, [&](int which) {
            note_singular(told, place.row + (which == 0 ? 0 : layout.n - 1));
          });
        });
    if (m > 0 && kept.quick_end >= m) {
      unfold_quick<S>(rows, m, left, right);
    } else if (m > 0) {
      for (int j = 0; j < min(m, max(kept.overwritten, 2)); ++j) rows.restore(j);
      solve_between<Problem::how, S>(rows, m, left, right,
                                     [&](int j) { note_singular(told, place.row + first + j); });
    }
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

/// Whole systems on the way from their rows to their solutions in the shared memory of a cluster's blocks.
/// False where they do not fit.
template <class Policy, class Problem>
bool solve_by_teams(Policy const& policy, char const* call, Problem const& problem) {
  using S = typename Problem::number;
  using job = interleaved_team_job<Problem>;
  using shape = interleaved_team<S>;
  auto const& layout = problem.layout;
  auto const facts = facts_of<job>(call);
  constexpr std::int64_t most =
      std::int64_t{most_blocks_of_cluster} * shape::teams * most_rows_of_team(sizeof(S));
  if (facts.arch < first_arch_with_clusters || !facts.fits || layout.n > most) return false;
  int cluster = 1;
  while (cluster < most_blocks_of_cluster &&
         layout.n > std::int64_t{cluster} * shape::teams * few_rows_of_team(sizeof(S)))
    cluster *= 2;
  constexpr int group = rows_of_group<S>;
  auto const chunks = std::int64_t{cluster} * shape::teams;
  auto const chunk_rows = static_cast<int>((layout.n + chunks * group - 1) / (chunks * group)) * group;
  auto const groups = (layout.solves() + shape::systems - 1) / shape::systems;
  launch_job(call, policy.stream(), groups * cluster, job::threads, job{problem, chunk_rows, cluster},
             shape::bytes(chunk_rows), blocks_are::independent, cluster);
  return true;
}

/// Whole systems in one kernel; of longer ones chunks, their chains, and the chunks again.
template <class Policy, class Problem>
void solve_interleaved(Policy const& policy, char const* call, Problem const& problem) {
  using S = typename Problem::number;
  using job = interleaved_rows_job<Problem>;
  auto const& layout = problem.layout;
  bool const whole = layout.n <= most_rows_of_system(sizeof(S)) && !layout.cyclic;
  if (!whole && solve_by_teams(policy, call, problem)) return;
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

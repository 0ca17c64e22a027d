// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_DETAIL_TRIDIAGONAL_TUNING_HPP
#define SWEEP_DETAIL_TRIDIAGONAL_TUNING_HPP

#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/tridiagonal/relation.hpp>
#include <sweep/policy.hpp>
#include <sweep/variant.hpp>

#include <cstddef>

namespace sweep::inline SWEEP_ABI::detail {

/// What tridiagonal_solve can be told by its policy: how pivots are chosen, and on the device an algorithm.
struct tridiagonal_options {
  template <bool OnHost, class... Tags>
  static constexpr void require() {
    static_assert(
        (is_on<Tags, solve_by, pivoting, checked_t> && ...),
        "sweep: tridiagonal_solve has thomas, cyclic_reduction, parallel_cyclic_reduction, hybrid and "
        "no_pivoting; this policy carries a variant or plan of another algorithm");
    static_assert(
        !OnHost || !(is_on<Tags, solve_by> || ...),
        "sweep: the algorithms of tridiagonal_solve are for sweep::device; on threads each system is "
        "eliminated row by row (no_pivoting is for both)");
  }
};

/// The same of systems by segments, which have no named algorithms.
struct segmented_tridiagonal_options {
  template <bool OnHost, class... Tags>
  static constexpr void require() {
    static_assert(!(is_on<Tags, solve_by> || ...),
                  "sweep: systems by segments are solved by the default of tridiagonal_solve: thomas, "
                  "cyclic_reduction, parallel_cyclic_reduction and hybrid take systems of one length");
    tridiagonal_options::require<OnHost, Tags...>();
  }
};

/// The same of banded systems.
struct banded_options {
  template <bool OnHost, class... Tags>
  static constexpr void require() {
    static_assert((is_on<Tags, pivoting, checked_t> && ...),
                  "sweep: banded systems are solved in one way; of variants they have no_pivoting");
  }
};

/// How a policy says that pivots are found.
template <class Policy>
inline constexpr pivots chosen_pivots = pivots::chosen;
template <class... Tags>
inline constexpr pivots chosen_pivots<host_policy<Tags...>> =
    chosen<pivoting, Tags...> == pivoting::none ? pivots::as_they_stand : pivots::chosen;
#if defined(__CUDACC__)
template <class Source, class... Tags>
inline constexpr pivots chosen_pivots<device_policy<Source, Tags...>> =
    chosen<pivoting, Tags...> == pivoting::none || chosen<solve_by, Tags...> != solve_by::partitioned
        ? pivots::as_they_stand
        : pivots::chosen;
#endif

// Rows of a thread's chunk, at most: a thread keeps them in shared memory while it solves.

/// Where a block works on neighbouring rows, a chunk a thread.
constexpr int most_chunk_rows(std::size_t bytes) { return static_cast<int>(144 / bytes); }
/// Threads of the blocks that share a system.
inline constexpr int threads_of_long = 32;
/// Where the threads of a block work on neighbouring systems: the whole of a system, or a chunk of a longer
/// one.
constexpr int most_rows_of_system(std::size_t bytes) { return bytes <= 4 ? 128 : bytes <= 8 ? 64 : 32; }
constexpr int most_rows_of_long_system(std::size_t bytes) { return bytes <= 4 ? 40 : bytes <= 8 ? 20 : 10; }
/// Where the blocks of a cluster have neighbouring systems: a multiprocessor has room for two blocks, and for
/// three. Where it had room for one alone, reading rows twice would be as quick.
constexpr int most_rows_of_team(std::size_t bytes) { return bytes <= 4 ? 52 : bytes <= 8 ? 26 : 12; }
constexpr int few_rows_of_team(std::size_t bytes) { return bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8; }
/// Rows of a block that reduces cyclically.
constexpr int most_reduction_rows(std::size_t bytes) { return bytes <= 4 ? 2048 : bytes <= 8 ? 1024 : 512; }
/// Relations that a block folds, and that a thread folds of these before the tree of threads does.
constexpr int chain_relations(std::size_t bytes) { return bytes <= 4 ? 1024 : bytes <= 8 ? 256 : 128; }
inline constexpr int relations_of_thread = 2;

}  // namespace sweep::inline SWEEP_ABI::detail

#endif

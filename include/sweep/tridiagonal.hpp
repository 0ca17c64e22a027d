// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TRIDIAGONAL_HPP
#define SWEEP_TRIDIAGONAL_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/core/policy_options.hpp>
#include <sweep/detail/tridiagonal/call.hpp>
#include <sweep/detail/tridiagonal/dispatch.hpp>
#include <sweep/segments.hpp>
#include <sweep/small_matrix.hpp>

#include <cstdint>

/// \file
/// Tridiagonal systems of equations, one or many.

/// \defgroup tridiagonal Tridiagonal systems
/// `#include <sweep/tridiagonal.hpp>`: systems of equations in which each unknown stands beside its two
/// neighbours alone: row i is lower[i] x[i - 1] + diagonal[i] x[i] + upper[i] x[i + 1] = right[i].
/// sweep::tridiagonal says where such systems stand, tridiagonal_solve solves them. The page
/// docs/tridiagonal.md says which method is for what, and what can be expected of the results.
///
/// - **numbers**: float, double, and std::complex, cuda::std::complex or thrust::complex of these; everything
///   is converted to what solutions are written as, and computed with in that. On the device std::complex
///   computes nothing: cuda::std::complex has the same layout.
/// - **blocks**: of sweep::small_vector<T, M>, M from 1 to 4, with sweep::small_matrix<T, M> for
///   coefficients, or numbers for multiples of the identity; std::array and cuda::std::array are such vectors
///   too. A row is then M equations, and items and rows below are blocks.
/// - **pivots**: rows are interchanged, so that any matrix is solved that is not singular; with
///   `.with(sweep::variant::no_pivoting)` they are not, which is enough where each diagonal outweighs its row
///   or the matrix is positive definite.
/// - **singular matrices**: a pivot that is exactly zero divides: at least one unknown of that system is
///   infinite or NaN. tridiagonal_solve_into says which row that was, on all policies; with `.checked()` it
///   is a bad_argument that names system and row, and the call waits for it.
/// - **waiting**: never, but with `.checked()`; on the device ordered on the stream, and can be captured in
///   a graph.
/// - **determinism**: results are the same bits in every run, on any number of threads.

namespace sweep::inline SWEEP_ABI {

/// \addtogroup tridiagonal
/// @{

/// Tridiagonal systems and where they stand in memory: item i of a system is at i * row_stride of every
/// range, and the next system's is system_stride further. Made by sweep::tridiagonal.
template <class Lower, class Diagonal, class Upper, class Right, class Solution>
struct tridiagonal_system {
  Lower lower;        ///< coefficients of x[i - 1]; item 0 is not used unless the system is cyclic
  Diagonal diagonal;  ///< coefficients of x[i]
  Upper upper;        ///< coefficients of x[i + 1]; item n - 1 is not used unless the system is cyclic
  Right right;        ///< right-hand sides
  Solution solution;  ///< where x goes
  detail::system_layout layout;
  detail::system_sizes sizes{};  ///< of what was given as ranges

  /// So many systems, one behind the other.
  ///
  /// \param count  systems
  SWEEP_HD constexpr tridiagonal_system batch(std::int64_t count) const { return batch(count, layout.n); }
  /// So many systems, each beginning so many items after the one before.
  ///
  /// \param count   systems
  /// \param stride  items from one system to the next, n at least
  SWEEP_HD constexpr tridiagonal_system batch(std::int64_t count, std::int64_t stride) const {
    auto all = *this;
    all.layout.systems = count;
    all.layout.system_stride = stride;
    return all;
  }
  /// Systems of varying length, one behind the other: each segment of the n rows is a system. Lower
  /// coefficients of the segments' first rows and upper ones of their last are not used.
  ///
  /// \param segments  of the n rows, made by a function of sweep::segments
  template <detail::segments_like Segments>
  SWEEP_HD constexpr auto batch(Segments const& segments) const {
    return segmented_tridiagonal_system<Segments, Lower, Diagonal, Upper, Right, Solution>{*this, segments};
  }
  /// So many systems side by side: row i of all of them, then row i + 1 of all of them.
  ///
  /// \param count  systems
  SWEEP_HD constexpr tridiagonal_system interleaved(std::int64_t count) const {
    return interleaved(count, count);
  }
  /// The same, with rows that are further apart.
  ///
  /// \param count   systems
  /// \param stride  items from one row to the next, count at least
  SWEEP_HD constexpr tridiagonal_system interleaved(std::int64_t count, std::int64_t stride) const {
    auto all = *this;
    all.layout.systems = count;
    all.layout.system_stride = 1;
    all.layout.row_stride = stride;
    return all;
  }
  /// Several right-hand sides of the same matrices, one set behind the other. The solutions stand likewise.
  ///
  /// \param count   right-hand sides of each system
  /// \param stride  items from one set of right-hand sides to the next
  SWEEP_HD constexpr tridiagonal_system right_hand_sides(std::int64_t count, std::int64_t stride) const {
    auto all = *this;
    all.layout.rights = count;
    all.layout.right_stride = stride;
    return all;
  }
  /// Systems that close to a ring: x[-1] is x[n - 1], and x[n] is x[0].
  SWEEP_HD constexpr tridiagonal_system cyclic() const {
    auto all = *this;
    all.layout.cyclic = true;
    return all;
  }
};

/// Tridiagonal systems that are the segments of a range, one behind the other: what
/// tridiagonal_system::batch makes of segments.
template <class Segments, class Lower, class Diagonal, class Upper, class Right, class Solution>
struct segmented_tridiagonal_system : tridiagonal_system<Lower, Diagonal, Upper, Right, Solution> {
  Segments segments;

  /// Several right-hand sides of the same matrices, as those of tridiagonal_system.
  ///
  /// \param count   right-hand sides of each system
  /// \param stride  items from one set of right-hand sides to the next, n at least
  SWEEP_HD constexpr segmented_tridiagonal_system right_hand_sides(std::int64_t count,
                                                                   std::int64_t stride) const {
    auto all = *this;
    all.layout.rights = count;
    all.layout.right_stride = stride;
    return all;
  }
  /// \cond
  template <class... More>
  void batch(More const&...) const {
    static_assert(detail::never<Segments>, "sweep: segments say already where systems begin");
  }
  template <class... More>
  void interleaved(More const&...) const {
    static_assert(detail::never<Segments>,
                  "sweep: systems by segments stand one behind the other, not side by side");
  }
  template <bool Never = false>
  void cyclic() const {
    static_assert(Never,
                  "sweep: systems by segments are not cyclic; those of one length are, by batch(count)");
  }
  /// \endcond
};

/// One tridiagonal system of n unknowns. Its members batch, interleaved, right_hand_sides and cyclic make
/// more of it. Nothing is copied.
///
/// \param lower     n coefficients of x[i - 1], the first of which is not used: iterator, range,
///                  or one number for all; LAPACK's, which has no such first one, begins one item earlier: dl
///                  - 1
/// \param diagonal  n coefficients of x[i]: iterator, range, or one number for all
/// \param upper     n coefficients of x[i + 1], the last of which is not used: likewise
/// \param right     n items: iterator or range
/// \param solution  where x goes, n items: iterator or range; it may be one of the others
/// \param n         unknowns of a system
/// \return          the system, to be given to tridiagonal_solve
SWEEP_NO_EXEC_CHECK
template <class Lower, class Diagonal, class Upper, class Right, class Solution>
SWEEP_HD constexpr auto tridiagonal(Lower&& lower, Diagonal&& diagonal, Upper&& upper, Right&& right,
                                    Solution&& solution, std::int64_t n) {
  return detail::system_of(n,
                           {detail::said_size(lower), detail::said_size(diagonal), detail::said_size(upper),
                            detail::said_size(right), detail::said_size(solution)},
                           detail::coefficients(lower), detail::coefficients(diagonal),
                           detail::coefficients(upper), detail::items_of(right), detail::items_of(solution));
}

/// The same of as many unknowns as a range of right-hand sides has.
///
/// \param lower,diagonal,upper  coefficients
/// \param right                 a range, which has a size
/// \param solution              where x goes
/// \return                      the system, to be given to tridiagonal_solve
template <class Lower, class Diagonal, class Upper, class Right, class Solution>
  requires detail::is_range<std::remove_reference_t<Right>>
constexpr auto tridiagonal(Lower&& lower, Diagonal&& diagonal, Upper&& upper, Right&& right,
                           Solution&& solution) {
  return tridiagonal(lower, diagonal, upper, right, solution,
                     static_cast<std::int64_t>(right.end() - right.begin()));
}

/// Systems of equations of one bandwidth h: row i has coefficients of x[i - h] to x[i + h]. Where they stand
/// in memory is as for tridiagonal_system. Made by sweep::pentadiagonal and sweep::banded.
template <class Right, class Solution, class... Bands>
struct banded_system {
  detail::band_list<Bands...> bands;  ///< the diagonals, the lowest first
  Right right;                        ///< right-hand sides
  Solution solution;                  ///< where x goes
  detail::system_layout layout;
  detail::system_sizes sizes{};  ///< of what was given as ranges

  /// So many systems, one behind the other.
  ///
  /// \param count  systems
  SWEEP_HD constexpr banded_system batch(std::int64_t count) const { return batch(count, layout.n); }
  /// So many systems, each beginning so many items after the one before.
  ///
  /// \param count   systems
  /// \param stride  items from one system to the next, n at least
  SWEEP_HD constexpr banded_system batch(std::int64_t count, std::int64_t stride) const {
    auto all = *this;
    all.layout.systems = count;
    all.layout.system_stride = stride;
    return all;
  }
  /// So many systems side by side: row i of all of them, then row i + 1 of all of them.
  ///
  /// \param count  systems
  SWEEP_HD constexpr banded_system interleaved(std::int64_t count) const { return interleaved(count, count); }
  /// The same, with rows that are further apart.
  ///
  /// \param count   systems
  /// \param stride  items from one row to the next, count at least
  SWEEP_HD constexpr banded_system interleaved(std::int64_t count, std::int64_t stride) const {
    auto all = batch(count, 1);
    all.layout.row_stride = stride;
    return all;
  }
  /// Several right-hand sides of the same matrices, one set behind the other. The solutions stand likewise.
  ///
  /// \param count   right-hand sides of each system
  /// \param stride  items from one set of right-hand sides to the next
  SWEEP_HD constexpr banded_system right_hand_sides(std::int64_t count, std::int64_t stride) const {
    auto all = *this;
    all.layout.rights = count;
    all.layout.right_stride = stride;
    return all;
  }
  /// \cond
  template <detail::segments_like Segments>
  void batch(Segments const&) const {
    static_assert(detail::never<Segments>,
                  "sweep: banded systems are of one length; segments are for sweep::tridiagonal");
  }
  template <bool Never = false>
  void cyclic() const {
    static_assert(Never, "sweep: banded systems are not cyclic; tridiagonal ones can be");
  }
  /// \endcond
};

/// One system of n unknowns with h coefficients to each side of the diagonal, h from 1 to 4.
/// Nothing is copied.
///
/// \param right     n items: iterator or range
/// \param solution  where x goes, n items: iterator or range; it may be one of the others
/// \param n         unknowns of a system
/// \param bands     2 h + 1 of them, the lowest first: n coefficients of x[i - h], ..., of x[i + h], each an
///                  iterator, a range, or one number for all; those of unknowns that are not there are not
///                  used
/// \return          the system, to be given to banded_solve
SWEEP_NO_EXEC_CHECK
template <class Right, class Solution, class... Bands>
SWEEP_HD constexpr auto banded(Right&& right, Solution&& solution, std::int64_t n, Bands&&... bands) {
  return detail::banded_of(
      n, {-1, -1, -1, detail::said_size(right), detail::said_size(solution), {detail::said_size(bands)...}},
      detail::items_of(right), detail::items_of(solution), detail::coefficients(bands)...);
}

/// One system of n unknowns with two coefficients to each side of the diagonal. Nothing is copied.
///
/// \param lower_2   n coefficients of x[i - 2], the first two of which are not used: iterator, range, or one
///                  number for all; so are the other coefficients
/// \param lower_1   of x[i - 1], the first of which is not used
/// \param diagonal  of x[i]
/// \param upper_1   of x[i + 1], the last of which is not used
/// \param upper_2   of x[i + 2], the last two of which are not used
/// \param right     n items: iterator or range
/// \param solution  where x goes, n items: iterator or range; it may be one of the others
/// \param n         unknowns of a system
/// \return          the system, to be given to pentadiagonal_solve
SWEEP_NO_EXEC_CHECK
template <class Lower2, class Lower1, class Diagonal, class Upper1, class Upper2, class Right, class Solution>
SWEEP_HD constexpr auto pentadiagonal(Lower2&& lower_2, Lower1&& lower_1, Diagonal&& diagonal,
                                      Upper1&& upper_1, Upper2&& upper_2, Right&& right, Solution&& solution,
                                      std::int64_t n) {
  return banded(right, solution, n, lower_2, lower_1, diagonal, upper_1, upper_2);
}

/// Solves tridiagonal systems.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's; none: by the iterators
/// \param system  the systems, as sweep::tridiagonal makes them
///
/// \par Promises
/// - aliasing: solutions may take the places of right-hand sides, or where there is one right-hand side of
///   any coefficients; a range that they overlap otherwise is refused.
/// - waiting: never, but with .checked(); can be captured in a graph.
/// - determinism: always. Results of seq, host and device differ in rounding.
/// - isolation: what one system's matrix and right-hand side are, infinities and NaNs among them, changes no
///   bit of another's solution.
/// - complexity: O(n) operations for each system and right-hand side. On the device each item is read and
///   written once where a block holds a system, or from sm_90 on a cluster interleaved ones; else read twice.
/// - scratch: on the device none where these hold it, else less than 14 values for every 1,152 rows of 4
///   bytes, 576 of 8, 288 of 16; interleaved systems that they do not hold (docs/tridiagonal.md): 11 for
///   every 40 rows of 4 bytes, 20 of 8, 10 of 16; thomas: 2 values a row; segments: a bit a row besides, and
///   what their notation takes in a segmented_scan; blocks of M unknowns less than 4 M + 1 values an unknown.
///   seq and host: for each thread 3 values a row of as many systems as it solves at a time: of real numbers
///   64 bytes of these, of which a shared system has 1,024 rows each; else 1; of blocks 3 M + 1 an unknown.
/// - errors, before anything is written: cuda_error; bad_argument for a negative number of anything, systems
///   that overlap or reach further than 2^55 items, ranges with too few items, a null pointer, overlapping
///   ranges, segments of what is a batch already or cyclic; with .checked() a pointer that the device cannot
///   reach, segments that do not fit the rows, and after all is written a singular matrix.
/// - source: relations of chunks by Gaussian elimination with scaled partial pivoting, folded by an
///   associative operation, and the same elimination on the way back, after Klein and Strzodka 2021; for each
///   system of seq LAPACK's gtsv.
template <detail::policy Policy, class System>
  requires detail::system_for<System, Policy>
void tridiagonal_solve(Policy const& policy, System const& system) {
  detail::tridiagonal_solve("tridiagonal_solve", policy, system);
}

/// The same, and which row has the first zero pivot: of system s row i is s * n + i, of segments it is the
/// row's place among all; -1 where no matrix is singular. Other promises as tridiagonal_solve; never waits,
/// but with .checked().
///
/// \param policy          where to run: seq, host, device, or a policy of Thrust's; none: by the iterators
/// \param system          the systems, as sweep::tridiagonal makes them
/// \param first_singular  one integer
template <detail::policy Policy, class System, detail::output_for<Policy> Out>
  requires detail::system_for<System, Policy>
void tridiagonal_solve_into(Policy const& policy, System const& system, Out first_singular) {
  detail::tridiagonal_solve_into("tridiagonal_solve_into", policy, system, first_singular);
}

/// Solves pentadiagonal systems: as tridiagonal ones of blocks of two unknowns, which are read where the
/// coefficients stand.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's; none: by the iterators
/// \param system  the systems, as sweep::pentadiagonal makes them
///
/// \par Promises
/// - aliasing, waiting, determinism, isolation, errors: as tridiagonal_solve.
/// - complexity: O(n) operations for each system and right-hand side; on the device each item is read twice,
///   but once where a system has up to 128 unknowns.
/// - scratch: on the device less than 9 values an unknown, on seq and host 7 an unknown for each thread's
///   system.
/// - source: block relations by Gaussian elimination with scaled partial pivoting among all equations of a
///   block, after Klein and Strzodka 2023.
template <detail::policy Policy, class System>
  requires(detail::banded_system_for<System, Policy>&& detail::half_bandwidth<System> == 2)
void pentadiagonal_solve(Policy const& policy, System const& system) {
  detail::tridiagonal_solve("pentadiagonal_solve", policy, system);
}
/// The same, and which row has the first zero pivot: of system s row i is s * n + i; -1 where no matrix is
/// singular. Never waits, but with .checked().
///
/// \param policy          where to run: seq, host, device, or a policy of Thrust's; none: by the iterators
/// \param system          the systems, as sweep::pentadiagonal makes them
/// \param first_singular  one integer
template <detail::policy Policy, class System, detail::output_for<Policy> Out>
  requires(detail::banded_system_for<System, Policy>&& detail::half_bandwidth<System> == 2)
void pentadiagonal_solve_into(Policy const& policy, System const& system, Out first_singular) {
  detail::tridiagonal_solve_into("pentadiagonal_solve_into", policy, system, first_singular);
}

/// Solves systems of a bandwidth of up to 4 to each side: as tridiagonal ones of blocks of as many unknowns.
/// Promises as pentadiagonal_solve; scratch and operations grow with the bandwidth and its square.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's; none: by the iterators
/// \param system  the systems, as sweep::banded or sweep::pentadiagonal makes them
template <detail::policy Policy, class System>
  requires detail::banded_system_for<System, Policy>
void banded_solve(Policy const& policy, System const& system) {
  detail::tridiagonal_solve("banded_solve", policy, system);
}
/// The same, and which row has the first zero pivot, as pentadiagonal_solve_into.
///
/// \param policy          where to run: seq, host, device, or a policy of Thrust's; none: by the iterators
/// \param system          the systems, as sweep::banded or sweep::pentadiagonal makes them
/// \param first_singular  one integer
template <detail::policy Policy, class System, detail::output_for<Policy> Out>
  requires detail::banded_system_for<System, Policy>
void banded_solve_into(Policy const& policy, System const& system, Out first_singular) {
  detail::tridiagonal_solve_into("banded_solve_into", policy, system, first_singular);
}

/// \cond
// Calls without a policy, and what cannot be.
template <class System>
  requires(detail::half_bandwidth<System> == 2)
void pentadiagonal_solve(System const& system) {
  pentadiagonal_solve(detail::policy_of_system<System>(), system);
}
template <class System, class Out>
  requires(detail::half_bandwidth<System> == 2)
void pentadiagonal_solve_into(System const& system, Out first_singular) {
  pentadiagonal_solve_into(detail::policy_of_system<System, Out>(), system, first_singular);
}
template <class System>
  requires(detail::half_bandwidth<System> != 0)
void banded_solve(System const& system) { banded_solve(detail::policy_of_system<System>(), system); }
template <class System, class Out>
  requires(detail::half_bandwidth<System> != 0)
void banded_solve_into(System const& system, Out first_singular) {
  banded_solve_into(detail::policy_of_system<System, Out>(), system, first_singular);
}
template <class First, class... Rest>
void pentadiagonal_solve(First const&, Rest const&...) {
  detail::refuse_banded<First, Rest...>();
}
template <class First, class... Rest>
void pentadiagonal_solve_into(First const&, Rest const&...) {
  detail::refuse_banded<First, Rest...>();
}
template <class First, class... Rest>
void banded_solve(First const&, Rest const&...) {
  detail::refuse_banded<First, Rest...>();
}
template <class First, class... Rest>
void banded_solve_into(First const&, Rest const&...) {
  detail::refuse_banded<First, Rest...>();
}
template <class System>
  requires detail::is_tridiagonal_system<System>
void tridiagonal_solve(System const& system) {
  tridiagonal_solve(detail::policy_of_system<System>(), system);
}
template <class System, class Out>
  requires detail::is_tridiagonal_system<System>
void tridiagonal_solve_into(System const& system, Out first_singular) {
  tridiagonal_solve_into(detail::policy_of_system<System, Out>(), system, first_singular);
}
template <class First, class... Rest>
void tridiagonal_solve(First const&, Rest const&...) {
  detail::refuse_systems<First, Rest...>();
}
template <class First, class... Rest>
void tridiagonal_solve_into(First const&, Rest const&...) {
  detail::refuse_systems<First, Rest...>();
}
/// \endcond

/// @}

}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif

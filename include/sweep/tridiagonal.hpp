// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TRIDIAGONAL_HPP
#define SWEEP_TRIDIAGONAL_HPP

#include <sweep/detail/core/config.hpp>
#include <sweep/detail/tridiagonal/call.hpp>
#include <sweep/detail/tridiagonal/dispatch.hpp>

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
/// is
///   converted to what solutions are written as, and computed with in that. On the device std::complex
///   computes nothing: cuda::std::complex has the same layout.
/// - **pivots**: rows are interchanged, so that any matrix is solved that is not singular; with
///   `.with(sweep::variant::no_pivoting)` they are not, which is enough where each diagonal outweighs its row
///   or the matrix is positive definite.
/// - **singular matrices**: a pivot that is exactly zero divides: at least one unknown of that system is
/// infinite
///   or NaN. tridiagonal_solve_into says which row that was, on all policies; with `.checked()` it is a
///   bad_argument that names system and row, and the call waits for it.
/// - **waiting**: never, but with `.checked()`; on the device ordered on the stream, and can be captured in a
/// graph.
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

/// One tridiagonal system of n unknowns. Its members batch, interleaved, right_hand_sides and cyclic make
/// more of it. Nothing is copied.
///
/// \param lower     n coefficients of x[i - 1], the first of which is not used: iterator, range, or one
/// number for
///                  all; LAPACK's, which has no such first one, begins one item earlier: dl - 1
/// \param diagonal  n coefficients of x[i]: iterator, range, or one number for all
/// \param upper     n coefficients of x[i + 1], the last of which is not used: iterator, range, or one number
/// for all \param right     n items: iterator or range \param solution  where x goes, n items: iterator or
/// range; it may be one of the others \param n         unknowns of a system \return          the system, to
/// be given to tridiagonal_solve
SWEEP_NO_EXEC_CHECK
template <class Lower, class Diagonal, class Upper, class Right, class Solution>
SWEEP_HD constexpr auto tridiagonal(Lower&& lower, Diagonal&& diagonal, Upper&& upper, Right&& right,
                                    Solution&& solution, std::int64_t n) {
  return detail::system_of(n, detail::coefficients(lower), detail::coefficients(diagonal),
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

/// Solves tridiagonal systems.
///
/// \param policy  where to run: seq, host, device, or a policy of Thrust's; none: by the iterators
/// \param system  the systems, as sweep::tridiagonal makes them
///
/// \par Promises
/// - aliasing: solutions may take the places of right-hand sides, or where there is one right-hand side of
/// any
///   coefficients; a range that they overlap otherwise is refused.
/// - waiting: never, but with .checked(); can be captured in a graph.
/// - determinism: always. Results of seq, host and device differ in rounding.
/// - isolation: what one system's matrix is changes no bit of another's solution, but on the device an
/// infinity or
///   a NaN among the coefficients of a system with few unknowns may reach its neighbours in a batch.
/// - complexity: O(n) operations for each system and right-hand side. On the device each item is read and
/// written
///   once where a block holds a system, and else read twice.
/// - scratch: on the device none where a block holds a system, else less than 13 values for every 3,200 rows
///   of 4 bytes, 960 of 8, 448 of 16; interleaved systems of more than 128 rows of 4 bytes, 64 of 8, 32 of
///   16: 11 for every 32, 24, 12; thomas: 2 values a row. seq and host: 3 values a row for each thread's
///   system.
/// - errors, before anything is written: cuda_error; bad_argument for a negative number of anything, systems
/// that
///   overlap, a null pointer, overlapping ranges; with .checked() a pointer that the device cannot reach, and
///   after all is written a singular matrix.
/// - source: relations of chunks by Gaussian elimination with scaled partial pivoting, folded by an
/// associative
///   operation, and the same elimination on the way back, after Klein and Strzodka 2021; for each system of
///   seq LAPACK's gtsv.
template <detail::policy Policy, class System>
  requires detail::system_for<System, Policy>
void tridiagonal_solve(Policy const& policy, System const& system) {
  detail::tridiagonal_solve("tridiagonal_solve", policy, system);
}

/// The same, and which row has the first zero pivot: of system s row i is s * n + i; -1 where no matrix is
/// singular. Other promises as tridiagonal_solve; never waits, but with .checked().
///
/// \param policy          where to run: seq, host, device, or a policy of Thrust's; none: by the iterators
/// \param system          the systems, as sweep::tridiagonal makes them
/// \param first_singular  one integer
template <detail::policy Policy, class System, detail::output_for<Policy> Out>
  requires detail::system_for<System, Policy>
void tridiagonal_solve_into(Policy const& policy, System const& system, Out first_singular) {
  detail::tridiagonal_solve_into("tridiagonal_solve_into", policy, system, first_singular);
}

/// \cond
// Calls without a policy, and what cannot be.
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

#endif

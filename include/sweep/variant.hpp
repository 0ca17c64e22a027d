// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_VARIANT_HPP
#define SWEEP_VARIANT_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/version.hpp>

#include <type_traits>

namespace sweep::inline SWEEP_ABI {

/// Which end an algorithm starts from. An argument, not a policy: it changes the result.
struct forward_t {};
struct backward_t {};
#if defined(__CUDA_ARCH__)  // a kernel has its own
__device__ constexpr forward_t forward{};
__device__ constexpr backward_t backward{};
#else
inline constexpr forward_t forward{};    ///< from the first item to the last, the default
inline constexpr backward_t backward{};  ///< from the last item to the first
#endif

/// How tiles learn what came before them.
enum class across_tiles {
  ordered_lookback,     ///< groups of 32 and supergroups of 1024 tiles, one fixed fold per tile; 2n,
                        ///< reproducible
  decoupled_lookback,   ///< Merrill and Garland 2016: the nearest prefix wins; 2n, floating point varies from
                        ///< run to run
  chained,              ///< each tile waits for its predecessor's prefix; 2n, reproducible
  reduce_then_scan,     ///< reads the input twice; 3n, reproducible
  scan_then_propagate,  ///< scans tiles, then adds what came before them (Sengupta 2007); 4n, reproducible
};

/// How one block scans its tile. On the host there is one way: this axis is the device's.
enum class within_tile {
  warp_shuffle,     ///< 16-byte rows in registers, shuffles across lanes
  hillis_steele,    ///< Kogge-Stone in shared memory, double buffered: n log n operations
  blelloch,         ///< up-sweep and down-sweep in shared memory, with its bank conflicts
  blelloch_padded,  ///< the same with one word of padding every 32: conflict-free
  brent_kung,       ///< up-sweep, then the inclusive down-sweep: half of Blelloch's additions on the way down
  matrix,           ///< H rows x padded W, one thread scans a row (Dotsenko 2008, section 4.1; segmented with
                    ///< packed flags and the block's two shortcuts, section 4.2)
};

/// How a reduction folds what its threads hold.
enum class reduce_by {
  warp_shuffle,           ///< rows in registers, shuffles across lanes; reproducible, keeps operand order
  atomic,                 ///< every item joins the result by an atomic; commutative operators only
  shared_atomic,          ///< the same per block in shared memory first; commutative operators only
  interleaved,            ///< shared-memory tree with growing stride: divergent, keeps operand order
  sequential_addressing,  ///< shared-memory tree with halving stride: conflict-free, keeps operand order
};

/// How a compaction finds the places of what it keeps.
enum class compact_by {
  single_pass,   ///< tiles tell each other their counts while the one kernel runs: each item is read once
  three_kernel,  ///< counts of tiles, their scan, then every item to its place: the predicate is called twice
};

/// How items are sorted. All ways are stable.
enum class sort_by {
  order,  ///< by the order: radix where it is of numbers or by radix_key, merges where it is any comparison
  radix,  ///< a split for each digit of the key, the lowest first; the order says what digits are
  radix_msd,  ///< splits by the highest digits, until blocks can sort what agrees in these
  sample,     ///< a split by keys of a sample; what is between two of them is sorted by blocks and by merges
  merge,      ///< sorted tiles, merged; by the order as a comparison
  split_radix,  ///< enumerate and split for each bit, by any of the scans (Blelloch 1990, Dotsenko 2008)
  radix_merge,  ///< blocks split by each bit, and merges (Sengupta 2007)
  quicksort,  ///< blocks split segments by their first keys, by > and >= in turn, and merges (Sengupta 2007)
  bitonic,    ///< a network of exchanges in one block, for as many items as fit there (Batcher 1968)
};

/// How the rows of a sparse product are shared out on the device.
enum class spmv_by {
  balance,         ///< whole rows, and ranges of entries where neighbouring rows have too many for one block
  merge_path,      ///< rows and entries together in equal shares (Merrill and Garland 2016)
  row_vector,      ///< a row by as many lanes as its mean length asks for (Bell and Garland 2009)
  segmented_scan,  ///< products, head flags, a backward segmented scan, a gather (Sengupta 2007)
};

/// How a tridiagonal system is solved on the device.
enum class solve_by {
  partitioned,       ///< chunks of rows in threads, folded to relations of their ends; for every size
  thomas,            ///< a system a thread, row by row
  cyclic_reduction,  ///< every other unknown eliminated in each step, then back; never pivots
  parallel_cyclic_reduction,  ///< every row rid of its neighbours in each step; n log n operations; never
                              ///< pivots
  hybrid,                     ///< cyclic reduction, and the parallel one for what is left; never pivots
};

/// How the pivots of an elimination are chosen.
enum class pivoting {
  scaled,  ///< the largest in proportion to its row
  none,    ///< as they stand, on the diagonal
};

namespace variant {

/// Type of the variants: `policy.with(sweep::variant::chained)`.
template <auto Which>
struct tag {
  using axis = std::remove_cvref_t<decltype(Which)>;
  static constexpr auto value = Which;
};

inline constexpr tag<across_tiles::ordered_lookback> ordered_lookback{};
inline constexpr tag<across_tiles::decoupled_lookback> decoupled_lookback{};
inline constexpr tag<across_tiles::chained> chained{};
inline constexpr tag<across_tiles::reduce_then_scan> reduce_then_scan{};
inline constexpr tag<across_tiles::scan_then_propagate> scan_then_propagate{};

/// Of a scan: rows in registers. Of a reduction: the same; this tag serves both.
struct warp_shuffle_t {
  using axis = within_tile;
  static constexpr auto value = within_tile::warp_shuffle;
};
inline constexpr warp_shuffle_t warp_shuffle{};
inline constexpr tag<within_tile::hillis_steele> hillis_steele{};
inline constexpr tag<within_tile::blelloch> blelloch{};
inline constexpr tag<within_tile::blelloch_padded> blelloch_padded{};
inline constexpr tag<within_tile::brent_kung> brent_kung{};
inline constexpr tag<within_tile::matrix> matrix{};
/// Of a segmented scan: the reduce and down-sweep with a flag in a byte beside every value (Sengupta 2007);
/// with scan_then_propagate all of that paper's form.
inline constexpr tag<within_tile::blelloch> tree{};

inline constexpr tag<reduce_by::atomic> atomic{};
inline constexpr tag<reduce_by::shared_atomic> shared_atomic{};
inline constexpr tag<reduce_by::interleaved> interleaved{};
inline constexpr tag<reduce_by::sequential_addressing> sequential_addressing{};

inline constexpr tag<compact_by::single_pass> single_pass{};
inline constexpr tag<compact_by::three_kernel> three_kernel{};

inline constexpr tag<sort_by::radix> radix{};
inline constexpr tag<sort_by::radix_msd> radix_msd{};
inline constexpr tag<sort_by::sample> sample{};
inline constexpr tag<sort_by::merge> merge{};
inline constexpr tag<sort_by::split_radix> split_radix{};
inline constexpr tag<sort_by::radix_merge> radix_merge{};
inline constexpr tag<sort_by::quicksort> quicksort{};
inline constexpr tag<sort_by::bitonic> bitonic{};

inline constexpr tag<spmv_by::merge_path> merge_path{};
inline constexpr tag<spmv_by::row_vector> row_vector{};
inline constexpr tag<spmv_by::segmented_scan> segmented_scan{};

inline constexpr tag<solve_by::thomas> thomas{};
inline constexpr tag<solve_by::cyclic_reduction> cyclic_reduction{};
inline constexpr tag<solve_by::parallel_cyclic_reduction> parallel_cyclic_reduction{};
inline constexpr tag<solve_by::hybrid> hybrid{};
inline constexpr tag<pivoting::none> no_pivoting{};

}  // namespace variant
}  // namespace sweep::inline SWEEP_ABI

#include <sweep/detail/macros/back.hpp>

#endif

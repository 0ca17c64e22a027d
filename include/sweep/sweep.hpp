// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_SWEEP_HPP
#define SWEEP_SWEEP_HPP

#ifndef SWEEP_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include <sweep/detail/macros/aside.hpp>

#include <sweep/adjacent_difference.hpp>
#include <sweep/axes.hpp>
#include <sweep/bits.hpp>
#include <sweep/bounds.hpp>
#include <sweep/convert_csr.hpp>
#include <sweep/convert_segments.hpp>
#include <sweep/copy_if.hpp>
#include <sweep/count.hpp>
#include <sweep/csr.hpp>
#include <sweep/distribute.hpp>
#include <sweep/equal.hpp>
#include <sweep/error.hpp>
#include <sweep/expand.hpp>
#include <sweep/extrema.hpp>
#include <sweep/gather.hpp>
#include <sweep/histogram.hpp>
#include <sweep/is_sorted.hpp>
#include <sweep/merge.hpp>
#include <sweep/multisplit.hpp>
#include <sweep/pair.hpp>
#include <sweep/partition.hpp>
#include <sweep/plan.hpp>
#include <sweep/policy.hpp>
#include <sweep/radix_key.hpp>
#include <sweep/recurrence.hpp>
#include <sweep/reduce.hpp>
#include <sweep/remove.hpp>
#include <sweep/run_length.hpp>
#include <sweep/scan.hpp>
#include <sweep/scan_many.hpp>
#include <sweep/sddmm.hpp>
#include <sweep/search.hpp>
#include <sweep/segmented_axes.hpp>
#include <sweep/segmented_recurrence.hpp>
#include <sweep/segmented_reduce.hpp>
#include <sweep/segmented_scan.hpp>
#include <sweep/segmented_sort.hpp>
#include <sweep/segmented_top_k.hpp>
#include <sweep/segments.hpp>
#include <sweep/semiring.hpp>
#include <sweep/sort.hpp>
#include <sweep/split.hpp>
#include <sweep/spmv.hpp>
#include <sweep/spmv_plan.hpp>
#include <sweep/strided.hpp>
#include <sweep/summed_area_table.hpp>
#include <sweep/three_way_partition.hpp>
#include <sweep/top_k.hpp>
#include <sweep/tridiagonal.hpp>
#include <sweep/unique.hpp>
#include <sweep/variant.hpp>
#include <sweep/version.hpp>

#if defined(__CUDACC__)
#include <sweep/release_kept.cuh>
#endif

#include <sweep/detail/macros/back.hpp>

#endif

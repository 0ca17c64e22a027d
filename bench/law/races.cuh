// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_LAW_RACES_CUH
#define SWEEP_BENCH_LAW_RACES_CUH

// The algorithms' races: each takes sources, types and operators, which bench/law.py draws.
#include <law/races/axes.cuh>
#include <law/races/compactions.cuh>
#include <law/races/keys_and_segments.cuh>
#include <law/races/moves.cuh>
#include <law/races/products.cuh>
#include <law/races/recurrences.cuh>
#include <law/races/reductions.cuh>
#include <law/races/scans.cuh>
#include <law/races/sorts.cuh>
#include <law/races/splits_and_merges.cuh>

#endif

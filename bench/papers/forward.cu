// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "papers_cases.cuh"

void bench::add_forward_sizes() { add_paper_sizes<direction::forward>(); }

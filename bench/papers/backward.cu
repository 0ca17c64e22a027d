// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "papers_cases.cuh"

void bench::add_backward_sizes() { add_paper_sizes<direction::backward>(); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: needs compute capability 8.0
// options: -arch=sm_75
#include <sweep/scan.hpp>

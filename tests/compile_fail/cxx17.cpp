// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: needs C\+\+20
// options: -std=c++17
#include <sweep/scan.hpp>

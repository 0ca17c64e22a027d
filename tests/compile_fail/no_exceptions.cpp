// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: reports errors by exceptions
// options: -fno-exceptions
#include <sweep/scan.hpp>

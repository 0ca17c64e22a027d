// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls on host threads as nvcc compiles them, which warns where a kernel could call what the host alone
// has.
#include <every_call.cpp>

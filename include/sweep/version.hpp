// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_VERSION_HPP
#define SWEEP_VERSION_HPP

/// 10000 * major + 100 * minor + patch.
#define SWEEP_VERSION 100

#endif

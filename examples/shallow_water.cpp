// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Water over ground, by a tridiagonal solve for every row and every column, on threads
// (docs/shallow-water.md).
#include "shallow_water/scene.hpp"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) try {
  return water::play("host", argc, argv,
                     [](water::scene& s, int steps) { water::run_on_host(sweep::host, s, steps); });
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

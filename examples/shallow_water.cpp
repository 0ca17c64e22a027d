// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Water over ground, by a tridiagonal solve for every row and every column, on threads: --help says what can
// be asked for, docs/shallow-water.md how it works.
#include "shallow_water/play.hpp"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) try {
  return water::play("host", argc, argv, water::move_on_host);
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

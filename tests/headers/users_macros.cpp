// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program whose other headers, or whose command line, have taken names for macros: Sweep's headers do not
// see them, and leave them as they were.
#undef SWEEP_SHOW_WARNINGS
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define small char
#define near
#define far
#define slots
#define signals public
#define emit
#define I _Complex_I
#define B0 0
#define Bool int
#define Below 1
#define None 0L
#define True 1
#define Status int
#define Success 0
#define check(x) (x)
#define require(x) (x)
#define bit(b) (1UL << (b))
#define byte unsigned char
#define clamp(x, a, b) max(a, min(x, b))
#define log(x) (x)
#define noinline __attribute__((noinline))
#define round(x) (x)
#define sign(x) ((x) < 0 ? -1 : 1)
#define square(x) ((x) * (x))
#define swap(x, y) (void)((x), (y))
#define unused __attribute__((unused))
#define real float
#define complex _Complex
#define A 1
#define B 2
#define C 3
#define D 4
#define E 5
#define F 6
#define G 7
#define H 8
#define J 10
#define K 11
#define L 12
#define L2 13
#define M 14
#define N 1000
#define O 16
#define P 17
#define Q 18
#define R 19
#define S 20
#define T 21
#define U 22
#define V 23
#define W 24
#define X 25
#define Y 26
#define Z 27
#define BLOCK_SIZE 256
#define WARP_SIZE 32

#include <sweep/scan.hpp>
#include <sweep/sweep.hpp>

static_assert(A == 1 && L2 == 13 && N == 1000 && T == 21 && Z == 27 && max(2, 3) == 3 && sizeof(small) == 1 &&
              check(1) == 1 && bit(3) == 8);

int main() {
  std::vector<int> x{3, 1, 2};
  sweep::sort(sweep::host, x.begin(), x.end());
  sweep::inclusive_scan(sweep::host, x.begin(), x.end(), x.begin());
  return sweep::reduce(sweep::host, x.begin(), x.end()) != 10;
}

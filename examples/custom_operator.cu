// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A linear recurrence, y[i] = a[i] y[i-1] + b[i], as a scan. Step i is the function y -> a y + b, a pair of
// numbers; two steps one after the other are such a function again. Composition is associative and not
// commutative.
#include <sweep/sweep.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(error));
  std::exit(1);
}

struct step {
  float a, b;
};

/// First f, then g: g(f(y)) = g.a f.a y + (g.a f.b + g.b).
struct then {
  __host__ __device__ step operator()(step f, step g) const { return {g.a * f.a, g.a * f.b + g.b}; }
};

/// What is written: the function applied to where the recurrence begins, 0.
struct value {
  float y = 0;
  value() = default;
  __host__ __device__ explicit value(step f) : y{f.b} {}
};

}  // namespace

int main() {
  constexpr std::int64_t n = 1'000'003;
  step* steps = nullptr;
  value* y = nullptr;
  check(cudaMallocManaged(&steps, n * sizeof(step)));
  check(cudaMallocManaged(&y, n * sizeof(value)));
  for (std::int64_t i = 0; i < n; ++i) {  // a low-pass filter whose strength varies
    float const keep = 0.5f + 0.4f * std::sin(0.001f * static_cast<float>(i));
    steps[i] = {keep, (1 - keep) * static_cast<float>(i % 100)};
  }

  sweep::inclusive_scan(sweep::device, steps, steps + n, y, then{});
  check(cudaDeviceSynchronize());

  double expected = 0, worst = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    expected = static_cast<double>(steps[i].a) * expected + static_cast<double>(steps[i].b);
    worst = std::max(worst, std::abs(static_cast<double>(y[i].y) - expected));
  }
  bool const right = worst < 1e-3;
  std::printf("filtered %lld samples, largest error %.1e, %s\n", static_cast<long long>(n), worst,
              right ? "right" : "WRONG");
  check(cudaFree(steps));
  check(cudaFree(y));
  return right ? 0 : 1;
}

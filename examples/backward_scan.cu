// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scan from the end: the best price still to come, and so the best profit of buying at each minute. The
// direction is an argument; nothing is reversed in memory, and reverse iterators take the same path.
#include <sweep/sweep.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <vector>

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(error));
  std::exit(1);
}

struct larger {
  __host__ __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};

}  // namespace

int main() {
  constexpr std::int64_t minutes = 1'000'003;
  float *price = nullptr, *best_to_come = nullptr, *again = nullptr;
  check(cudaMallocManaged(&price, minutes * sizeof(float)));
  check(cudaMallocManaged(&best_to_come, minutes * sizeof(float)));
  check(cudaMallocManaged(&again, minutes * sizeof(float)));
  std::mt19937 random(11);
  std::normal_distribution<float> change(0, 0.1f);
  price[0] = 100;
  for (std::int64_t i = 1; i < minutes; ++i) price[i] = std::max(1.0f, price[i - 1] + change(random));

  sweep::inclusive_scan(sweep::device, price, price + minutes, best_to_come, larger{}, sweep::backward);
  sweep::inclusive_scan(sweep::device, std::reverse_iterator(price + minutes), std::reverse_iterator(price),
                        std::reverse_iterator(again + minutes), larger{});
  check(cudaDeviceSynchronize());

  bool right = true;
  float best = price[minutes - 1], profit = 0;
  for (auto i = minutes; i-- > 0;) {
    best = std::max(best, price[i]);
    profit = std::max(profit, best - price[i]);
    right = right && best_to_come[i] == best && again[i] == best;
  }
  std::printf("best profit of one purchase and one sale: %.2f, %s\n", static_cast<double>(profit),
              right ? "right" : "WRONG");
  check(cudaFree(price));
  check(cudaFree(best_to_come));
  check(cudaFree(again));
  return right ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sweep/sweep.hpp>

#include <array>
#include <cstdio>

int main() {
  std::array const values{3, 1, 4, 1, 5};
  std::array const expected{3, 4, 8, 9, 14};
  std::array<int, 5> sums{};
  sweep::inclusive_scan(sweep::host, values.begin(), values.end(), sums.begin());
  if (sums != expected) { return 1; }

  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no CUDA device: the device policy was compiled and not run\n");
    return 77;
  }
  int* items = nullptr;
  cudaMalloc(&items, sizeof values);
  cudaMemcpy(items, values.data(), sizeof values, cudaMemcpyHostToDevice);
  sweep::inclusive_scan(sweep::device, items, items + values.size(), items);
  cudaMemcpy(sums.data(), items, sizeof sums, cudaMemcpyDeviceToHost);
  cudaFree(items);
  std::printf("%d %d %d %d %d\n", sums[0], sums[1], sums[2], sums[3], sums[4]);
  return sums == expected ? 0 : 1;
}

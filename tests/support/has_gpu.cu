// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exits with 0 where a kernel of this build runs on the GPU, and with 77 where there is no GPU.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void touch(int* word) { *word = 42; }

int main() {
  int devices = 0;
  if (cudaError_t const found = cudaGetDeviceCount(&devices); found != cudaSuccess || devices == 0) {
    std::printf("no CUDA device (%s)\n", cudaGetErrorString(found));
    return 77;
  }
  int* word = nullptr;
  int read = 0;
  cudaMalloc(&word, sizeof *word);
  touch<<<1, 1>>>(word);
  cudaMemcpy(&read, word, sizeof read, cudaMemcpyDeviceToHost);
  if (read != 42) {
    std::printf("a CUDA device, but it cannot run this build: %s\n", cudaGetErrorString(cudaGetLastError()));
    return 1;
  }
}

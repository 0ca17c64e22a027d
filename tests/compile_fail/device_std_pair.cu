// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: std::pair is assigned on the host alone: on the device use cuda::std::pair
#include <sweep/copy_if.hpp>

#include <cuda/std/utility>

#include <utility>

#if defined(SWEEP_TEST_FIXED)
using item = cuda::std::pair<int, float>;
#else
using item = std::pair<int, float>;
#endif
struct is_first {
  __host__ __device__ bool operator()(item const& x) const { return x.first == 1; }
};

item* kept(item* first, item* last, item* out) {
  return sweep::copy_if(sweep::device, first, last, out, is_first{});
}

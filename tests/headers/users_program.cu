// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Thrust program with its own spellings of operators, some of which the newest CCCL calls deprecated: no
// compiler says a word about what Sweep's headers do with them.
#undef SWEEP_SHOW_WARNINGS
#include <sweep/sweep.hpp>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>

int main() {
  thrust::device_vector<float> x(6), y(6);
  thrust::device_vector<int> k(6), sorted(12);
  auto const on = thrust::device;
  sweep::inclusive_scan(on, x.begin(), x.end(), y.begin(), thrust::plus<float>());
  sweep::exclusive_scan(on, x.begin(), x.end(), y.begin(), 0.0f, thrust::maximum<float>());
  sweep::transform_inclusive_scan(on, x.begin(), x.end(), y.begin(), thrust::negate<float>(),
                                  thrust::plus<float>());
  sweep::inclusive_scan_by_key(on, k.begin(), k.end(), x.begin(), y.begin(), thrust::equal_to<int>(),
                               thrust::plus<float>());
  sweep::transform_reduce(on, x.begin(), x.end(), thrust::negate<float>(), 0.0f, thrust::plus<float>());
  sweep::reduce_by_key(on, k.begin(), k.end(), x.begin(), sorted.begin(), y.begin(), thrust::equal_to<int>(),
                       thrust::plus<float>());
  sweep::adjacent_difference(on, x.begin(), x.end(), y.begin(), thrust::minus<float>());
  sweep::copy_if(on, x.begin(), x.end(), k.begin(), y.begin(), thrust::logical_not<int>());
  sweep::unique(on, k.begin(), k.end(), thrust::equal_to<int>());
  sweep::count_if(on, k.begin(), k.end(), thrust::logical_not<int>());
  sweep::merge(on, k.begin(), k.end(), k.begin(), k.end(), sorted.begin(), thrust::less<int>());
  sweep::gather_if(on, k.begin(), k.end(), k.begin(), x.begin(), y.begin(), thrust::logical_not<int>());
  sweep::min_element(on, k.begin(), k.end(), thrust::less<int>());
}

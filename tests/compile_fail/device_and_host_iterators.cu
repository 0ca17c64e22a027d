// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: sweep: one call has iterators of the host and of the device
#include <sweep/scan.hpp>

#include <thrust/device_vector.h>
#include <vector>

void scan(thrust::device_vector<int> const& x, std::vector<int>& on_host,
          thrust::device_vector<int>& on_device) {
#if defined(SWEEP_TEST_FIXED)
  (void)on_host;
  sweep::inclusive_scan(x, on_device);
#else
  (void)on_device;
  sweep::inclusive_scan(x, on_host);
#endif
}

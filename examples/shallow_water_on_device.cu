// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same water on a GPU: nothing waits until a picture is asked for.
#include "shallow_water/play.hpp"

#include <thrust/copy.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

int main(int argc, char** argv) try {
  return water::play("device", argc, argv, [](water::scene& s, int steps) {
    water::move<thrust::device_vector<double>>(
        sweep::device, s, steps, [](auto& v) { return v.data().get(); },
        [](double const* from, std::vector<double>& to) {
          thrust::device_ptr<double const> const first(from);
          thrust::copy(first, first + static_cast<std::ptrdiff_t>(to.size()), to.begin());
        });
  });
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

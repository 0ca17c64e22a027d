// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same water on a GPU: two calls a step, nothing waits until a picture is asked for.
#include "shallow_water/scene.hpp"

#include <thrust/copy.h>
#include <thrust/device_vector.h>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) try {
  return water::play("device", argc, argv, [](water::scene& s, int steps) {
    thrust::device_vector<double> const ground = s.ground;
    thrust::device_vector<double> surface = s.surface, before = s.before.empty() ? s.surface : s.before,
                                  after(surface.size());
    for (int k = 0; k < steps; ++k) {
      water::step(sweep::device,
                  {s.width, s.height, ground.data().get(), surface.data().get(), before.data().get(), s.pull,
                   s.friction},
                  after.data().get());
      before.swap(surface);
      surface.swap(after);
    }
    s.before.resize(s.surface.size());
    thrust::copy(surface.begin(), surface.end(), s.surface.begin());
    thrust::copy(before.begin(), before.end(), s.before.begin());
  });
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

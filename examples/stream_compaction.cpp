// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rays through a scene: after every bounce the rays that have left it are dropped, so that the next bounce
// works on close neighbours again. Each ray keeps its pixel, and rays keep their order.
#include <sweep/sweep.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace {

struct ray {
  std::uint32_t pixel;
  std::uint32_t state;  ///< of its random numbers
  float energy;
};

/// One bounce: a ray loses a random part of its energy.
ray bounced(ray r) {
  r.state = r.state * 1664525u + 1013904223u;
  r.energy *= 0.3f + 0.7f * static_cast<float>(r.state >> 8) * 0x1p-24f;
  return r;
}

bool is_spent(ray const& r) { return r.energy < 0.1f; }

}  // namespace

int main() {
  std::vector<ray> rays(1 << 18);
  for (std::uint32_t i = 0; i < rays.size(); ++i) rays[i] = {i, i * 2654435761u, 1.0f};
  std::vector<ray> done;  // in the order in which they ended
  auto const total = rays.size();

  for (int bounce = 0; !rays.empty(); ++bounce) {
    for (auto& r : rays) r = bounced(r);
    std::vector<ray> alive(rays.size()), spent(rays.size());
    auto const ends =
        sweep::partition_copy(sweep::host, rays.begin(), rays.end(), spent.begin(), alive.begin(), is_spent);
    done.insert(done.end(), spent.begin(), ends.first);
    alive.erase(ends.second, alive.end());
    rays = std::move(alive);
    if (bounce < 4) std::printf("after bounce %d: %zu rays\n", bounce + 1, rays.size());
    bool const in_order = std::is_sorted(rays.begin(), rays.end(),
                                         [](ray const& a, ray const& b) { return a.pixel < b.pixel; });
    if (!in_order || rays.size() + done.size() != total) return 1;
  }
  std::printf("all %zu rays are spent\n", done.size());
}

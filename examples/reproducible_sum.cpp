// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point addition is not associative, so a sum's last bits depend on where the brackets are. Sweep
// puts them in the same places whatever the number of threads. A sum by equal shares, one a thread, does not.
#include <sweep/sweep.hpp>

#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace {

float sum_by_shares(std::vector<float> const& items, int threads) {
  float total = 0;
  auto const n = std::ssize(items);
  for (int t = 0; t < threads; ++t)
    total += std::accumulate(items.begin() + n * t / threads, items.begin() + n * (t + 1) / threads, 0.0f);
  return total;
}

}  // namespace

int main() {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> between(-1, 1);
  std::vector<float> items(1 << 20), sums(items.size());
  for (auto& x : items) x = between(random);

  std::set<float> by_shares, reduced;
  std::set<std::vector<float>> scanned;
  for (int threads = 1; threads <= 8; ++threads) {
    auto const host = sweep::host.threads(threads);
    by_shares.insert(sum_by_shares(items, threads));
    reduced.insert(sweep::reduce(host, items.begin(), items.end(), 0.0f));
    sweep::inclusive_scan(host, items.begin(), items.end(), sums.begin());
    scanned.insert(sums);
  }
  std::printf("different results with 1 to 8 threads: %zu by shares, %zu by sweep::reduce, %zu by "
              "sweep::inclusive_scan\n",
              by_shares.size(), reduced.size(), scanned.size());
  double const exact = std::accumulate(items.begin(), items.end(), 0.0);
  bool const near = std::abs(*reduced.begin() - exact) < 0.01 && std::abs(sums.back() - exact) < 0.01;
  return near && by_shares.size() > 1 && reduced.size() == 1 && scanned.size() == 1 ? 0 : 1;
}

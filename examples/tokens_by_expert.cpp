// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tokens go to the experts that a router has chosen for them, two each, and come back: a multisplit of
// (expert, token) pairs gives every expert a batch of neighbours. Against the naive way, a loop over all
// tokens for each expert.
#include <sweep/sweep.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

namespace {

constexpr int experts = 64, choices = 2;
constexpr std::size_t tokens = 50'000;

/// Some experts are asked for more often than others.
int chosen_expert(std::size_t token, int choice) {
  auto const bits = (token * choices + static_cast<std::size_t>(choice) + 1) * 0x9e3779b97f4a7c15u;
  auto const u = static_cast<double>(bits >> 11) * 0x1p-53;
  return static_cast<int>(std::exp(std::log(experts) * u)) - 1;
}

}  // namespace

int main() {
  std::vector<int> expert(choices * tokens);
  for (std::size_t i = 0; i < expert.size(); ++i)
    expert[i] = chosen_expert(i / choices, static_cast<int>(i % choices));
  std::vector<std::int32_t> slot(expert.size());
  std::iota(slot.begin(), slot.end(), 0);

  // Batches: the experts in order, and for each place of a batch the slot (token, choice) that it came from.
  std::vector<int> batch(expert.size());
  std::vector<std::int32_t> came_from(expert.size()), goes_to(expert.size());
  auto const offsets =
      sweep::multisplit_by_key(sweep::host, expert, slot, batch, came_from, experts, [](int e) { return e; });
  // The inverse: where each slot's result is found.
  sweep::scatter(sweep::host, slot, came_from, goes_to);

  std::printf("expert   tokens\n");
  for (int const e : {0, 1, 7, 63})
    std::printf(
        "%6d %8d\n", e,
        static_cast<int>(offsets[static_cast<std::size_t>(e) + 1] - offsets[static_cast<std::size_t>(e)]));

  std::size_t at = 0;
  for (int e = 0; e < experts; ++e) {
    if (static_cast<std::size_t>(offsets[static_cast<std::size_t>(e)]) != at) return 1;
    for (std::size_t i = 0; i < expert.size(); ++i)
      if (expert[i] == e) {
        if (batch[at] != e || static_cast<std::size_t>(came_from[at]) != i) return 1;
        if (static_cast<std::size_t>(goes_to[i]) != at) return 1;
        ++at;
      }
  }
  return at == expert.size() ? 0 : 1;
}

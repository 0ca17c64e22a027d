// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "papers_cases.cuh"

/// bench_papers: the tables of the article and of the two papers that the variants come from, with our
/// variants.

namespace bench {
namespace {

void add_cases() {
  add_article();
  add_forward_sizes();
  add_backward_sizes();
  add_sorts();
}

/// The papers' figures show run time relative to the matrix scan's: the same, size by size.
void print_sizes(char const* direction) {
  std::printf("\n%s scans of floats, time relative to the matrix scan's (Dotsenko 2008, figures 6 and 7)\n",
              direction);
  std::printf("%-12s %10s %8s %12s %8s %8s\n", "size", "matrix us", "tree", "tree, padded", "default", "cub");
  auto const prefix = "papers/inclusive_sum/f32/" + std::string(direction) + "/";
  for (auto const& row : log().rows) {
    if (!row.name.starts_with(prefix) || row.times.size() != 5) continue;
    auto const& t = row.times;  // default, matrix, tree, padded tree, CUB
    std::printf("%-12s %10.2f %8.2f %12.2f %8.2f %8.2f\n", row.name.substr(prefix.size()).c_str(), t[1].us,
                t[2].us / t[1].us, t[3].us / t[1].us, t[0].us / t[1].us, t[4].us / t[1].us);
  }
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  int const status = bench::main_with_device(argc, argv, bench::add_cases);
  if (!bench::log().rows.empty()) {
    bench::print_sizes("forward");
    bench::print_sizes("backward");
  }
  return status;
}

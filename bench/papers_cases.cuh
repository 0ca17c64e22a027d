// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_PAPERS_CASES_CUH
#define SWEEP_BENCH_PAPERS_CASES_CUH

#include "scan_cases.cuh"

#include <sweep/variant.hpp>

namespace bench {

inline constexpr int paper_rounds = 7;  // there are hundreds of cases

// One translation unit each.
void add_article();
void add_forward_sizes();
void add_backward_sizes();
void add_sorts();

/// The sizes of both papers: 2^k - 1, 2^k, 2^k + 1 and 3 * 2^(k-1) + 1, k = 10 .. 25.
struct paper_size {
  std::int64_t items;
  std::string name;
};

inline std::vector<paper_size> paper_sizes() {
  std::vector<paper_size> sizes;
  for (int k = 10; k <= 25; ++k) {
    auto const two_to_k = "2^" + std::to_string(k);
    sizes.push_back({power(k) - 1, two_to_k + "-1"});
    sizes.push_back({power(k), two_to_k});
    sizes.push_back({power(k) + 1, two_to_k + "+1"});
    sizes.push_back({3 * power(k - 1) + 1, "3*2^" + std::to_string(k - 1) + "+1"});
  }
  return sizes;
}

/// The matrix scan as its paper has it (reduce, then scan), the tree scans as theirs (scan, then propagate),
/// the default and CUB, all checked against CUB.
template <direction Direction>
void compare_paper_size(benchmark::State& state, std::string const& name, std::int64_t n) {
  using plus = cuda::std::plus<>;
  constexpr auto inclusive = kind::inclusive;
  auto* const in = memory().input.get<float>(n);
  auto* const out = memory().output.get<float>(n);
  auto* const expected = memory().peer_output.get<float>(n);
  auto const bytes = static_cast<double>(n) * 2 * sizeof(float);
  fill(in, n, elements::random_item<float>{}, seed());
  std::size_t scratch_bytes = 0;
  void* const scratch = cub_scratch<inclusive, Direction>(scratch_bytes, in, expected, n, plus{}, 0.0f);
  namespace variant = sweep::variant;
  auto const with = [=](auto across, auto within) {
    return [=](std::int64_t) {
      sweep_scan<inclusive, Direction>(default_policy().with(across).with(within), in, out, n, plus{}, 0.0f);
    };
  };
  auto const default_scan = [=](std::int64_t) {
    sweep_scan<inclusive, Direction>(default_policy(), in, out, n, plus{}, 0.0f);
  };
  auto const peer = [=](std::int64_t) {
    auto size = scratch_bytes;
    cub_scan<inclusive, Direction>(scratch, size, in, expected, n, plus{}, 0.0f);
  };
  std::vector<contender> const contenders = {
      {"sweep", default_scan},
      {"matrix", with(variant::reduce_then_scan, variant::matrix), true},
      {"tree", with(variant::scan_then_propagate, variant::blelloch), true},
      {"tree_padded", with(variant::scan_then_propagate, variant::blelloch_padded), true},
      {cccl_peer("cub"), peer},
  };
  memory().peer_output.poison(n * 4);
  peer(0);
  for (std::size_t i = 0; i + 1 < contenders.size(); ++i) {
    memory().output.poison(n * 4);
    contenders[i].run(0);
    wait();
    if (auto const why = differences(out, expected, n); !why.empty())
      return fail(state, name, contenders[i].name + " against CUB: " + why);
  }
  compare(state, {name, n, bytes, {"copy", [=](std::int64_t) { copy_bytes(out, in, bytes); }}, contenders});
}

template <direction Direction>
void add_paper_sizes() {
  for (auto const& size : paper_sizes())
    add_case(
        "papers/inclusive_sum/f32/" +
            std::string(Direction == direction::forward ? "forward/" : "backward/") + size.name,
        [n = size.items](benchmark::State& state, std::string const& name) {
          compare_paper_size<Direction>(state, name, n);
        },
        paper_rounds);
}

}  // namespace bench

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "segments.cuh"

#include <cuda/std/functional>

/// The papers' segmented tables: their best layout (a segment starts where a block does), their worst
/// (block-long segments that end at a block's last item) and one segment, forward and backward, with the tree
/// of 2007, the matrix of 2008 and the default, against the default plain scan.

namespace bench {
namespace {

constexpr std::int64_t block_items = 1024;  // of the variants in shared memory, for floats

struct paper_layout {
  char const* name;
  head_at heads;
};
constexpr paper_layout paper_layouts[] = {
    {"best", {0, block_items, 0}}, {"worst", {0, block_items, block_items - 1}}, {"one_segment", {0}}};

template <class Dir>
void compare_layout(benchmark::State& state, std::string const& name, std::int64_t n, head_at heads,
                    Dir towards) {
  auto& all = segments_of();
  all.make(n, heads);
  auto* const in = memory().input.get<float>(n);
  auto* const out = memory().output.get<float>(n);
  auto* const expected = memory().peer_output.get<float>(n);
  fill(in, n, elements::random_item<float>{}, seed());
  auto const segments = sweep::segments::by_head_bits(all.bits.get<std::uint32_t>(0));
  auto const with = [=](auto policy, float* to) {
    return [=](std::int64_t) {
      sweep::segmented_inclusive_scan(policy, in, in + n, segments, to, cuda::std::plus<>{}, towards);
    };
  };
  namespace variant = sweep::variant;
  auto const policy = sweep::device.on(stream());
  auto const ours = with(policy, out);
  auto const tree = policy.with(variant::scan_then_propagate).with(variant::tree);
  auto const matrix = policy.with(variant::scan_then_propagate).with(variant::matrix);
  ours(0);
  for (auto const& other : {std::function<void(std::int64_t)>(with(tree, expected)),
                            std::function<void(std::int64_t)>(with(matrix, expected))}) {
    memory().peer_output.poison(n * 4);
    other(0);
    wait();
    if (auto const why = differences(out, expected, n); !why.empty())
      return fail(state, name, "a variant against the default: " + why);
  }
  auto const bytes = static_cast<double>(n) * 8.125;
  compare(state, {.name = name,
                  .items = n,
                  .min_bytes = bytes,
                  .copy = {"copy", [=](std::int64_t) { copy_bytes(out, in, static_cast<double>(n) * 8); }},
                  .contenders = {{"sweep", ours},
                                 {"tree", with(tree, expected), true},
                                 {"matrix", with(matrix, expected), true},
                                 {"plain_scan",
                                  [=](std::int64_t) {
                                    sweep::inclusive_scan(policy, in, in + n, expected, cuda::std::plus<>{},
                                                          towards);
                                  },
                                  true}}});
}

}  // namespace

void add_paper_layouts() {
  for (auto const& layout : paper_layouts)
    for (int const k : {16, 20, 24}) {
      auto const prefix = std::string("segmented_scan/papers/f32/") + layout.name;
      add_case(case_name(prefix + "_forward", power(k)),
               [=](benchmark::State& state, std::string const& name) {
                 compare_layout(state, name, power(k), layout.heads, sweep::forward);
               });
      add_case(case_name(prefix + "_backward", power(k)),
               [=](benchmark::State& state, std::string const& name) {
                 compare_layout(state, name, power(k), layout.heads, sweep::backward);
               });
    }
}

}  // namespace bench

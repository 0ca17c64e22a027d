// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of segmented reductions on seq and host.
#include <support/host_places.hpp>
#include <support/segmented_reduce_laws.hpp>

using namespace sweep_test;

TEST_CASE("host segmented reductions") {
  std::vector<std::size_t> const sizes{0, 1, 2, 33, 1000, sanitizing() ? 5000u : 70'000u};
  on_every_host_place([&](auto const& at) {
    segmented_reduce_laws_of<std::uint32_t>("u32 sums", sizes, add{}, at);
    segmented_reduce_laws_of<heisenberg<std::uint32_t>>("heisenberg", sizes, heisenberg_product{}, at);
  });
}

TEST_CASE("host segmented reductions: what is described badly never leads out of the ranges") {
  std::vector<std::uint32_t> const x(1000, 1);
  for (auto const& wrong : {std::vector<std::int64_t>{5, 3, -7, 2000, 999, 1000}, {-1, 1 << 20}, {7, 8}}) {
    guarded<std::uint32_t, host_memory> const out(wrong.size());
    auto const* const end = out.begin() + wrong.size();
    expect(sweep::segmented_reduce(sweep::host, x.begin(), x.end(), sweep::segments::by_offsets(wrong),
                                   out.begin()) == end - 1,
           "a result for every segment");
    sweep::segmented_reduce(sweep::host, x.begin(), x.end(), sweep::segments::by_lengths(wrong), out.begin());
    expect(out.guards_intact(), "writes its output only");
  }
}

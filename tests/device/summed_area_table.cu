// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device summed-area tables and sums of boxes.
#include <support/device_places.hpp>
#include <support/summed_area_table_laws.hpp>

using namespace sweep_test;

TEST_CASE("device summed-area tables: any array, by an operator that does not commute") {
  table_laws<affine<std::uint32_t>>("tables", sanitizing() ? 8 : 60, 900, affine_then{}, on_device);
}

TEST_CASE("device summed-area tables: boxes, one, many, and around every item") {
  box_sum_laws("boxes", sanitizing() ? 8 : 60, 900, on_device);
}

TEST_CASE("device summed-area tables: what is refused") { box_refusal_laws(on_device); }

TEST_CASE("device summed-area tables: captured in a graph and replayed, without waiting") {
  random_source random("table graph");
  extents_of_array const extents{40, 30};
  device_array<std::uint32_t> in(draw_many<std::uint32_t>(1'200, random));
  device_array<std::uint32_t> const table(1'200), sums(1'200);
  own_stream const stream;
  auto const on = sweep::device.on(stream);
  auto const to = sweep::strided(table.begin(), {40, 30});
  captured_graph const graph(stream, [&] {
    sweep::summed_area_table(on, sweep::strided(static_cast<std::uint32_t const*>(in.begin()), {40, 30}), to);
    sweep::box_sum(on, to, sweep::around(2, 3), sweep::strided(sums.begin(), {40, 30}));
  });
  for (int replay = 0; replay < 2; ++replay) {
    auto const x = draw_many<std::uint32_t>(1'200, random);
    in.write(x);
    graph.launch(stream);
    stream.wait();
    std::vector<std::uint32_t> want;
    for (std::int64_t k = 0; k < 1'200; ++k)
      want.push_back(folded_box(x, extents, {{k / 30 - 2, k / 30 + 3}, {k % 30 - 3, k % 30 + 4}},
                                std::plus<>{}, std::uint32_t{0}));
    expect_equal(sums.read(), want, "boxes, replay " + std::to_string(replay));
  }
}

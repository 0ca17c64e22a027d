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

namespace {
/// Planes in one pass, or the layers of volumes, however few tiles these have, against a scan along each axis
/// on the host; rows, columns, layers and volumes anywhere in memory.
struct planes_case {
  std::int64_t volumes, layers, rows, columns;  ///< no layers: planes alone
  bool turned;                                  ///< columns lie in memory
};
template <class T, class U, class Op>
void planes_law(planes_case const& of, Op op, random_source& random) {
  auto const pad = random.between(0, 5);
  auto const layers = std::max<std::int64_t>(of.layers, 1);
  auto const step = of.turned ? of.rows + pad : 1, row = of.turned ? 1 : of.columns + pad;
  auto const layer =
      (of.turned ? of.columns * (of.rows + pad) : of.rows * (of.columns + pad)) + random.between(0, 9);
  auto const volume = layers * layer + random.between(0, 9);
  auto const size = static_cast<std::size_t>(of.volumes * volume);
  auto const x = draw_many<T>(size, random);
  auto const gaps = draw_many<U>(size, random);
  auto want = gaps;
  for (std::int64_t v = 0; v < of.volumes; ++v)
    sweep::summed_area_table(
        sweep::seq, sweep::strided(x.data() + v * volume, {layers, of.rows, of.columns}, {layer, row, step}),
        sweep::strided(want.data() + v * volume, {layers, of.rows, of.columns}, {layer, row, step}), op);
  device_array<T> const in(x);
  guarded<U, device_memory> const out(gaps, 3);
  sweep::detail::plane_grid grid;
  grid.rows = of.rows;
  grid.columns = of.columns;
  grid.row = {row, row, 0};
  grid.column = {step, step, 0};
  grid.layers = layers;
  grid.layer = {layer, layer, 0};
  grid.planes.lines = of.volumes;
  grid.planes.axes = 1;
  grid.planes.across[0] = {of.volumes, {volume, volume, 0}};
  using problem = sweep::detail::axis_problem<sweep::detail::line_result::inclusive, U, T const*, U*, Op,
                                              sweep::detail::identity, sweep::detail::nothing_before,
                                              sweep::detail::plane_grid>;
  problem const whole{in.begin(), out.begin(), op, {}, {}, grid};
  if (of.layers > 0) sweep::detail::run_volumes(sweep::device, "test", whole);
  else sweep::detail::tile_planes(sweep::device, "test", whole);
  auto const title = std::to_string(of.volumes) + " of " + std::to_string(of.layers) + " layers, " +
                     std::to_string(of.rows) + " x " + std::to_string(of.columns) +
                     (of.turned ? ", columns in memory" : "");
  expect_equal(out.read(), want, title);
  expect(out.guards_intact(), title + ": writes nothing else");
}
}  // namespace

TEST_CASE("device summed-area tables: planes and volumes in one pass") {
  random_source random("planes");
  std::int64_t const most = sanitizing() ? 40'000 : 2'000'000;
  if (racechecking())
    MESSAGE("volumes skipped: racecheck does not know turns of warps at which one lane stands for its warp");
  for (int k = 0; k < (sanitizing() ? 12 : 60); ++k) {
    planes_case of{};
    of.rows = random.between(1, 400);
    of.columns = random.between(1, std::min<std::int64_t>(most / of.rows, k % 4 == 1 ? 1'200 : 3'000));
    auto const left = std::max<std::int64_t>(1, most / of.rows / of.columns);
    of.volumes = random.between(1, std::min<std::int64_t>(3, left));
    of.layers = k % 2 == 0 || racechecking()
                    ? 0
                    : random.between(1, std::clamp<std::int64_t>(left / of.volumes, 1, 90));
    of.turned = k % 5 == 4;
    if (k % 3 == 0) planes_law<affine<std::uint32_t>, affine<std::uint32_t>>(of, affine_then{}, random);
    else if (k % 3 == 1) planes_law<std::uint32_t, std::uint32_t>(of, sweep::detail::plus{}, random);
    else if (k % 9 == 2) planes_law<std::uint8_t, std::uint32_t>(of, sweep::detail::plus{}, random);
    else if (k % 9 == 5) planes_law<std::uint16_t, std::uint32_t>(of, sweep::detail::plus{}, random);
    else planes_law<std::uint8_t, std::uint64_t>(of, sweep::detail::plus{}, random);
  }
}

TEST_CASE("device summed-area tables: of so many items that planes take one pass, the same bits every time") {
  if (sanitizing()) return;
  random_source random("large table");
  std::int64_t const rows = 2'111, columns = 4'099;
  auto const x = draw_many<float>(static_cast<std::size_t>(rows * columns), random);
  device_array<float> const in(x), out(x.size());
  std::vector<float> first;
  for (int turn = 0; turn < 4; ++turn) {
    sweep::summed_area_table(sweep::device,
                             sweep::strided(static_cast<float const*>(in.begin()), {rows, columns}),
                             sweep::strided(out.begin(), {rows, columns}));
    if (turn == 0) first = out.read();
    else expect_equal(out.read(), first, "bits of turn " + std::to_string(turn));
  }
  std::vector<std::int64_t> whole(x.size());
  std::vector<std::uint8_t> small(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) small[k] = static_cast<std::uint8_t>(random.between(0, 255));
  sweep::summed_area_table(sweep::seq, sweep::strided(small.data(), {rows, columns}),
                           sweep::strided(whole.data(), {rows, columns}), std::plus<std::int64_t>{});
  device_array<std::uint8_t> const bytes(small);
  device_array<std::int64_t> const sums(small.size());
  sweep::summed_area_table(sweep::device,
                           sweep::strided(static_cast<std::uint8_t const*>(bytes.begin()), {rows, columns}),
                           sweep::strided(sums.begin(), {rows, columns}), std::plus<std::int64_t>{});
  expect_equal(sums.read(), whole, "sums of bytes");
}

TEST_CASE("device summed-area tables: shapes on either side of those whose planes take one pass") {
  if (sanitizing()) return;
  random_source random("shapes of planes");
  std::int64_t const shapes[][3] = {{70, 300, 101}, {5, 1'000, 420}, {1, 1'990, 2'000}, {1, 2'100, 1'000},
                                    {300, 37, 250}, {260, 33, 263},  {1, 14'000, 600},  {1, 14'000, 620}};
  for (auto const& of : shapes) {
    auto const [layers, rows, columns] = of;
    auto const x = draw_many<std::uint32_t>(static_cast<std::size_t>(layers * rows * columns), random);
    device_array<std::uint32_t> const in(x), out(x.size());
    std::vector<std::uint32_t> want(x.size());
    sweep::summed_area_table(sweep::seq, sweep::strided(x.data(), {layers, rows, columns}),
                             sweep::strided(want.data(), {layers, rows, columns}));
    sweep::summed_area_table(
        sweep::device, sweep::strided(static_cast<std::uint32_t const*>(in.begin()), {layers, rows, columns}),
        sweep::strided(out.begin(), {layers, rows, columns}));
    expect_equal(out.read(), want,
                 std::to_string(layers) + " x " + std::to_string(rows) + " x " + std::to_string(columns));
  }
}

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

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
/// Planes in one pass, however few tiles they have, against a scan along each axis on the host; rows, columns
/// and planes anywhere in memory.
template <class T, class U, class Op>
void planes_law(std::int64_t planes, std::int64_t rows, std::int64_t columns, bool turned, Op op,
                random_source& random) {
  auto const pad = random.between(0, 5);
  auto const step = turned ? rows + pad : 1, row = turned ? 1 : columns + pad;
  auto const plane = (turned ? columns * (rows + pad) : rows * (columns + pad)) + random.between(0, 9);
  auto const size = static_cast<std::size_t>(planes * plane);
  auto const x = draw_many<T>(size, random);
  auto const gaps = draw_many<U>(size, random);
  auto want = gaps;
  for (std::int64_t p = 0; p < planes; ++p)
    sweep::summed_area_table(sweep::seq, sweep::strided(x.data() + p * plane, {rows, columns}, {row, step}),
                             sweep::strided(want.data() + p * plane, {rows, columns}, {row, step}), op);
  device_array<T> const in(x);
  guarded<U, device_memory> const out(gaps, 3);
  sweep::detail::plane_grid grid;
  grid.rows = rows;
  grid.columns = columns;
  grid.row = {row, row, 0};
  grid.column = {step, step, 0};
  grid.planes.lines = planes;
  grid.planes.axes = 1;
  grid.planes.across[0] = {planes, {plane, plane, 0}};
  using problem = sweep::detail::axis_problem<sweep::detail::line_result::inclusive, U, T const*, U*, Op,
                                              sweep::detail::identity, sweep::detail::nothing_before,
                                              sweep::detail::plane_grid>;
  sweep::detail::run_planes(sweep::device, "test", problem{in.begin(), out.begin(), op, {}, {}, grid});
  auto const title = std::to_string(planes) + " planes of " + std::to_string(rows) + " x " +
                     std::to_string(columns) + (turned ? ", columns in memory" : "");
  expect_equal(out.read(), want, title);
  expect(out.guards_intact(), title + ": writes nothing else");
}
}  // namespace

TEST_CASE("device summed-area tables: planes in one pass") {
  random_source random("planes");
  std::int64_t const most = sanitizing() ? 30'000 : 1'000'000;
  for (int k = 0; k < (sanitizing() ? 5 : 40); ++k) {
    auto const rows = random.between(1, 400),
               columns = random.between(1, std::min<std::int64_t>(most / rows, 3'000));
    auto const planes =
        random.between(1, std::max<std::int64_t>(1, std::min<std::int64_t>(4, most / rows / columns)));
    bool const turned = k % 5 == 4;
    if (k % 3 == 0)
      planes_law<std::uint32_t, std::uint32_t>(planes, rows, columns, turned, sweep::detail::plus{}, random);
    else if (k % 3 == 1)
      planes_law<affine<std::uint32_t>, affine<std::uint32_t>>(planes, rows, columns, turned, affine_then{},
                                                               random);
    else
      planes_law<std::uint8_t, std::uint64_t>(planes, rows, columns, turned, sweep::detail::plus{}, random);
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

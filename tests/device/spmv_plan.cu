// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of plans of sparse products on the device: with few blocks, which find their shares themselves, and
// many.
#include <support/device_places.hpp>
#include <support/spmv_plan_laws.hpp>

#include <cstddef>
#include <span>

using namespace sweep_test;

TEST_CASE("device plans of products: the same bits, masks, and the transpose") {
  random_source random("plans");
  for (int kind = 0; kind < pattern_kinds; ++kind)
    for (std::int64_t const size :
         {std::int64_t{7}, random.between(500, 5000), random.between(1'000'000, 4'000'000)}) {
      if (sanitizing() && size > 5000) continue;
      auto const shape = draw_pattern(kind, size, random);
      plan_law(on_device, shape, random);
      transposed_plan_law(on_device, shape, random);
    }
}

namespace {

std::vector<float> whole_numbers(std::size_t n, random_source& random) {
  std::vector<float> some(n);
  for (auto& v : some) v = static_cast<float>(random.between(-3, 3));
  return some;
}

/// A product of whole numbers by a plan, which `expects` looks at first.
template <class Expects, class... Which>
void planned_product_law(pattern const& shape, random_source& random, Expects expects, Which... which) {
  auto const values = whole_numbers(shape.entries(), random),
             x = whole_numbers(static_cast<std::size_t>(shape.columns), random);
  placed_matrix<device_place<default_policy>, std::int32_t, std::int32_t, float> const matrix(shape, values,
                                                                                              random);
  device_array<float> const in(x), y(static_cast<std::size_t>(shape.rows));
  auto const plan = sweep::spmv_plan(sweep::device, matrix.view(), which...);
  expects(plan);
  sweep::spmv(sweep::device, plan, in.begin(), y.begin());
  expect_equal(y.read(), product_oracle<float>(shape, values, x, sweep::semirings::plus_times<float>()),
               shape.name + ", planned");
}

}  // namespace

TEST_CASE("device plans of products: many narrow columns, in uneven rows") {
  random_source random("many narrow columns");
  auto const shape = draw_pattern("uneven rows", 220'000, 60'000, random, [&](auto r) {
    return r % 97 > 90 ? random.between(100, 600) : random.between(0, 5);
  });
  CHECK(shape.entries() > std::size_t{1} << 22);  // these take the path
  planned_product_law(
      shape, random, [](auto const& plan) { CHECK(plan.has_narrow_columns()); }, sweep::narrow_columns);
}

// Of short rows that are more than a cache holds a plan knows whether they are even, and lie near each other.
TEST_CASE("device plans of products: short rows, even ones and others") {
  if (sanitizing()) return;
  random_source random("short rows");
  auto const lengths = [&](auto r) { return r % 1000 < 60 ? random.between(50, 200) : random.between(0, 3); };
  auto const uneven = draw_pattern("uneven short rows", 1'500'000, 20'000, random, lengths),
             far = draw_pattern("uneven short rows, far columns", 1'500'000, 2'000'000, random, lengths),
             even = draw_pattern("even short rows", 1'400'000, 20'000, random,
                                 [&](auto) { return random.between(6, 8); });
  CHECK(std::min({uneven.entries(), far.entries(), even.entries()}) > std::size_t{1} << 23);
  planned_product_law(uneven, random, [](auto const& plan) { CHECK(plan.planned().cuts.are_uneven_rows); });
  planned_product_law(far, random, [](auto const& plan) { CHECK(!plan.planned().cuts.are_uneven_rows); });
  planned_product_law(even, random, [](auto const& plan) { CHECK(!plan.planned().cuts.are_uneven_rows); });
}

TEST_CASE("device plans of products: what is kept is what products use") {
  random_source random("kept cuts");
  auto const shape = draw_pattern(0, sanitizing() ? 20'000 : 200'000, random);
  auto const n = shape.entries();
  placed_matrix<device_place<default_policy>, std::int32_t, std::int32_t, float> const matrix(
      shape, draw_many<float>(n, random), random);
  device_array<float> const x(draw_many<float>(static_cast<std::size_t>(shape.columns), random));
  device_array<float> const y(static_cast<std::size_t>(shape.rows)), again(y.read().size());
  auto const plan = sweep::spmv_plan(sweep::device, matrix.view());
  CHECK(plan.planned().cuts.at != nullptr);
  // Shares that all begin at the matrix's end: nothing is written but by them.
  auto const places = static_cast<std::size_t>(plan.planned().cuts.shares) + 1;
  std::vector<sweep::detail::path_place> const ends(places, {shape.rows, static_cast<std::int64_t>(n)});
  succeed(cudaMemcpy(const_cast<sweep::detail::path_place*>(plan.planned().cuts.at), ends.data(),
                     places * sizeof ends[0], cudaMemcpyHostToDevice));
  sweep::spmv(sweep::device.with(sweep::variant::merge_path), plan, x.begin(), y.begin());
  expect_equal(y.read(), again.read(), "a plan's shares are taken as they stand");
}

TEST_CASE("device plans of products: memory of the caller's, graphs, errors") {
  random_source random("plan memory");
  auto const shape = draw_pattern(4, 3000, random);
  turned_pattern const turned(shape);
  auto const values = draw_many<std::uint32_t>(shape.entries(), random);
  placed_matrix<device_place<default_policy>, std::int32_t, std::int32_t, std::uint32_t> const matrix(
      shape, values, random);
  device_array<std::uint32_t> in(static_cast<std::size_t>(shape.rows));
  device_array<std::uint32_t> const y(static_cast<std::size_t>(shape.columns));
  device_array<std::byte> const memory(std::size_t{8} << 20);
  own_stream const stream;
  auto const on = sweep::device.on(stream);
  expect_throw<sweep::bad_argument>({"sweep::spmv_plan:", "scratch", "16 bytes"}, [&] {
    sweep::spmv_plan(on.scratch(std::span(memory.begin(), 16)), matrix.view(), sweep::transposed);
  });
  auto const plan = sweep::spmv_plan(on.scratch(std::span(memory.begin(), std::size_t{8} << 20)),
                                     matrix.view(), sweep::transposed);
  captured_graph const graph(stream, [&] { sweep::spmv(on, plan, in.begin(), y.begin()); });
  for (int replay = 0; replay < 2; ++replay) {
    auto const x = draw_many<std::uint32_t>(static_cast<std::size_t>(shape.rows), random);
    in.write(x);
    graph.launch(stream);
    stream.wait();
    expect_equal(y.read(),
                 product_oracle<std::uint32_t>(turned.shape, turned.values_of(values), x,
                                               sweep::semirings::plus_times<std::uint32_t>()),
                 "replay " + std::to_string(replay));
  }
  plan_error_laws(on_device, sweep::device.checked());
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of device reductions over types, operators, sizes, alignments and variants.
#include <support/device_places.hpp>
#include <support/float_products.hpp>
#include <support/reduce_laws.hpp>

#include <sweep/plan.hpp>
#include <sweep/variant.hpp>

#include <cstring>
#include <functional>

using namespace sweep_test;

namespace {
constexpr std::size_t most = 300'000;
}

TEST_CASE("device reductions: u32 under operators chosen at run time") {
  reduce_laws_of_operators<std::uint32_t>("u32", most, on_device);
}

TEST_CASE("device reductions: values of 1 to 48 bytes") {
  reduce_laws_of<std::uint8_t>("u8", most, chosen_operator<std::uint8_t>{operation::plus}, on_device);
  reduce_laws_of<uint128>("u128", most, add{}, on_device);
  reduce_laws_of<heisenberg<std::uint8_t>>("3 bytes", most, heisenberg_product{}, on_device);
  reduce_laws_of<brackets>("brackets", most, brackets_join{}, on_device);
  reduce_laws_of<heisenberg<std::uint64_t>>("24 bytes", most, heisenberg_product{}, on_device);
  reduce_laws_of<motion>("48 bytes", most, motion_then{}, on_device);
}

TEST_CASE("device reductions: every argument form") {
  for (auto const n : few_sizes()) reduce_form_laws(on_device, n);
}

TEST_CASE("device reductions: variants that keep operand order") {
  random_source random("ordered reductions");
  using namespace sweep::variant;
  auto const law = [&](auto const& policy, char const* name) {
    for (auto const n : few_sizes()) {
      auto const at = half_at(policy, name);
      reduce_law(at, "affine maps", draw_many<affine<std::uint32_t>>(n, random), affine_then{},
                 affine<std::uint32_t>{3, 4}, n % 5);
      reduce_law(at, "24 bytes", draw_many<heisenberg<std::uint64_t>>(n, random), heisenberg_product{},
                 heisenberg<std::uint64_t>{3, 4, 5}, n % 3);
    }
  };
  law(sweep::device.with(warp_shuffle), "warp_shuffle");
  law(sweep::device.with(interleaved), "interleaved");
  law(sweep::device.with(sequential_addressing), "sequential_addressing");
  law(sweep::device.with(sweep::plan<sweep::reduce_plan{.threads = 128, .rows = 2}>),
      "a plan of 128 threads");
}

TEST_CASE("device reductions: variants for operators that commute") {
  random_source random("atomic reductions");
  using namespace sweep::variant;
  auto const law = [&](auto const& policy, char const* name) {
    for (auto const n : few_sizes()) {
      auto const at = half_at(policy, name);
      reduce_law(at, "u32 plus", draw_many<std::uint32_t>(n, random), std::plus<>{}, 9u, n % 5);
      reduce_law(at, "u64 maximum", draw_many<std::uint64_t>(n, random),
                 chosen_operator<std::uint64_t>{operation::maximum}, std::uint64_t{5}, n % 3);
      reduce_law(at, "u16 plus", draw_many<std::uint16_t>(n, random), add{}, std::uint16_t{5});
      reduce_law(at, "f32 walk", draw_walk<float>(n, random), std::plus<>{}, 2.0f);
    }
  };
  law(sweep::device.with(atomic), "atomic");
  law(sweep::device.with(shared_atomic), "shared_atomic");
}

TEST_CASE("device reductions: the same bits on every run, near the sum in double") {
  std::vector<float> x(sanitizing() ? 20'000 : 4'000'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = random_float(seed() + i) + 0.5f;
  double want = 0;
  for (float const v : x) want += v;
  device_array<float> const in(x);
  auto const first = sweep::reduce(sweep::device, in.begin(), in.end());
  expect_near(std::vector{first}, {want}, {want * 1000}, "f32 sum");
  for (int run = 0; run < (sanitizing() ? 3 : 300); ++run) {
    auto const again = sweep::reduce(sweep::device, in.begin(), in.end());
    expect(std::memcmp(&first, &again, sizeof first) == 0, "run " + std::to_string(run));
  }
}

TEST_CASE("device reductions: captured in a graph and replayed with other inputs") {
  using map = affine<std::uint32_t>;
  random_source random("reduce graph");
  std::size_t const n = sanitizing() ? 3'000 : 200'001;
  device_array<map> in(draw_many<map>(n, random));
  device_array<map> const out(3);
  own_stream const stream;
  auto const on = sweep::device.on(stream);
  captured_graph const graph(stream, [&] {
    sweep::reduce_into(on, in.begin(), in.end(), out.begin(), map{3, 4}, affine_then{});
    sweep::reduce_into(on.with(sweep::variant::interleaved), in.begin(), in.end(), out.begin() + 1, map{3, 4},
                       affine_then{});
    sweep::transform_reduce_into(on, in.begin(), in.end(), out.begin() + 2, map{3, 4}, affine_then{},
                                 sweep::detail::identity{});
  });
  for (int replay = 0; replay < 4; ++replay) {
    auto const x = draw_many<map>(n, random);
    in.write(x);
    graph.launch(stream);
    graph.launch(stream);
    stream.wait();
    auto const want = reduce_oracle<map>(x, affine_then{}, map{3, 4});
    expect_equal(out.read(), {want, want, want}, "replay " + std::to_string(replay));
  }
}

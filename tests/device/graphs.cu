// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What never waits can be captured in a CUDA graph and replayed with other inputs, anywhere.
#include <support/device_places.hpp>
#include <support/scan_laws.hpp>

#include <sweep/variant.hpp>

using namespace sweep_test;

namespace {

using map = affine<std::uint32_t>;

std::size_t graph_items() { return sanitizing() ? 5'000 : 200'003; }

/// Captured once, replayed with new inputs, between calls that are not captured.
template <class Policy>
void replay_law(Policy const& given, std::string const& name) {
  random_source random("graphs " + name);
  auto const n = graph_items();
  own_stream const stream;
  device_array<map> in(draw_many<map>(n, random));
  device_array<map> const out(n), back(n), beside(n);
  auto const policy = given.on(stream);
  sweep::inclusive_scan(policy, in.begin(), in.end(), beside.begin(),
                        affine_then{});  // keeps state for the stream
  captured_graph const graph(stream, [&] {
    sweep::inclusive_scan(policy, in.begin(), in.end(), out.begin(), affine_then{});
    sweep::exclusive_scan(policy, out.begin(), out.end(), back.begin(), map{3, 4}, affine_then{},
                          sweep::backward);
  });
  for (int replay = 0; replay < 4; ++replay) {
    auto const x = draw_many<map>(n, random);
    in.write(x);
    graph.launch(stream);
    sweep::inclusive_scan(policy, in.begin(), in.end(), beside.begin(), affine_then{});
    graph.launch(stream);
    auto const sums = scan_oracle<map>(true, false, x, affine_then{}, std::nullopt);
    auto const title = name + ", replay " + std::to_string(replay);
    expect_equal(out.read(), sums, title);
    expect_equal(beside.read(), sums, title + ", not captured");
    expect_equal(back.read(),
                 scan_oracle<map>(false, true, sums, affine_then{}, std::optional<map>(map{3, 4})),
                 title + ", second scan");
  }
}

}  // namespace

TEST_CASE("device graphs: scans of every variant across tiles are replayed with other inputs") {
  using namespace sweep::variant;
  replay_law(sweep::device, "default");
  replay_law(scan_in_registers.with(decoupled_lookback), "decoupled_lookback");
  replay_law(scan_in_registers.with(chained), "chained");
  replay_law(sweep::device.with(reduce_then_scan), "reduce_then_scan");
  replay_law(sweep::device.with(scan_then_propagate), "scan_then_propagate");
}

TEST_CASE("device graphs: one capture on two streams at once, and replays beside calls on the stream it was "
          "captured on") {
  random_source random("graphs at once");
  auto const n = graph_items();
  auto const x = draw_many<map>(n, random);
  auto const want = scan_oracle<map>(true, false, x, affine_then{}, std::nullopt);
  device_array<map> const in(x), out_a(n), out_b(n), out_c(n);
  own_stream const origin, one, two;
  auto const enqueue = [&](device_array<map> const& out) {
    return [&] {
      sweep::inclusive_scan(sweep::device.on(origin), in.begin(), in.end(), out.begin(), affine_then{});
    };
  };
  captured_graph const a(origin, enqueue(out_a)), b(origin, enqueue(out_b));
  for (int round = 0; round < (sanitizing() ? 3 : 40); ++round) {
    a.launch(one);
    b.launch(two);
    enqueue(out_c)();
    a.launch(two);
    b.launch(one);
  }
  expect_equal(out_a.read(), want, "first instance");
  expect_equal(out_b.read(), want, "second instance");
  expect_equal(out_c.read(), want, "not captured");
}

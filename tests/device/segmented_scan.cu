// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of segmented scans on the device: all notations and layouts, small and large inputs, aligned or not;
// variants, plans, graphs, scratch.
#include <support/device_places.hpp>
#include <support/segmented_laws.hpp>

using namespace sweep_test;

namespace {

std::vector<std::size_t> device_sizes() {
  if (sanitizing()) return {0, 1, 33, 1025, 6000};
  return {0, 1, 2, 31, 32, 33, 896, 897, 1000, 1024, 1536, 1537, 5760, 5761, 65537, 1'000'003};
}

/// Sizes that reach the stages of shared memory.
std::vector<std::size_t> large_sizes(std::size_t bytes) {
  if (sanitizing()) return {};
  auto const first = (std::size_t{12} << 20) / bytes;
  return {first, first + 1, 2 * first - 77};
}

template <class Policy>
void laws_at(Policy policy, char const* name) {
  random_source random(name);
  auto const at = half_at(policy, name);
  auto const sizes = sanitizing() ? std::vector<std::size_t>{1, 1025, 5000}
                                  : std::vector<std::size_t>{1, 31, 1023, 1024, 1025, 20'000, 300'001};
  for_each_layout(sizes, random, [&](layout_case const& given) {
    auto const x = draw_many<heisenberg<std::uint16_t>>(given.n, random);
    auto const init = draw<heisenberg<std::uint16_t>>(random);
    auto const offset = static_cast<std::size_t>(random.between(0, 5));
    // With a variant or a plan flags become bits first.
    segmented_law<true>(only<notation::flags>, at, given.name, x, given.heads, given.all,
                        heisenberg_product{}, init, sweep::forward, offset, 0);
    segmented_law<false>(only<notation::bits>, at, given.name, x, given.heads, given.all,
                         heisenberg_product{}, init, sweep::backward, 0, offset);
  });
}

/// Small tiles in stages, so that small inputs have many of them.
template <class X, class Op>
void laws_of_stages(char const* name, Op op) {
  random_source random(name);
  auto const at = staged_at(scan_in_stages, name);
  auto const sizes = sanitizing() ? std::vector<std::size_t>{1, 1025, 6000}
                                  : std::vector<std::size_t>{1, 31, 1023, 1025, 20'000, 300'001, 1'500'000};
  for_each_layout(sizes, random, [&](layout_case const& given) {
    auto const x = draw_many<X>(given.n, random);
    auto const init = draw<X>(random);
    auto const in_offset = static_cast<std::size_t>(random.between(0, 5)),
               out_offset = random() % 2 == 0 ? in_offset : static_cast<std::size_t>(random.between(0, 5));
    segmented_law<true>(only<notation::bits>, at, given.name, x, given.heads, given.all, op, init,
                        sweep::forward, in_offset, out_offset);
    segmented_law<false>(only<notation::offsets>, at, given.name, x, given.heads, given.all, op, init,
                         sweep::backward, in_offset, out_offset);
  });
}

}  // namespace

// Every notation meets the tables' plans, by one of the two forms for each type; the other goes by small
// tiles.
TEST_CASE("device segmented scans: 4-byte sums") {
  auto const at = tables_in_turn<0>();
  segmented_laws_of<std::uint32_t>("u32 sums", device_sizes(), add{}, at);
  segmented_laws_of<std::uint32_t>("u32 sums", large_sizes(4), add{}, at);
}

TEST_CASE("device segmented scans: products that do not commute") {
  auto const at = wide_tables_in_turn<1>();
  segmented_laws_of<heisenberg<std::uint32_t>>("heisenberg", device_sizes(), heisenberg_product{}, at);
  segmented_laws_of<heisenberg<std::uint32_t>>("heisenberg", large_sizes(12), heisenberg_product{}, at);
}

TEST_CASE("device segmented scans: stages of shared memory") {
  laws_of_stages<std::uint32_t>("u32 in stages", add{});
  laws_of_stages<std::uint64_t>("u64 in stages", add{});
}

// With 132 multiprocessors, 16,896 items are one wave of tiles that registers hold, and four times as many
// one of tiles most of whose rows wait in shared memory.
TEST_CASE("device segmented scans: rows that wait in shared memory") {
  auto const sizes = sanitizing()
                         ? std::vector<std::size_t>{16'896, 50'001}
                         : std::vector<std::size_t>{16'896, 16'897, 30'000, 50'001, 67'584, 67'585, 150'000};
  segmented_laws_of<std::uint32_t>("u32 set aside", sizes, add{},
                                   in_turn<0>(half_at(scan_in_few_registers, "in few registers")));
}

TEST_CASE("device segmented scans: variants") {
  using namespace sweep::variant;
  laws_at(scan_in_registers.with(decoupled_lookback), "decoupled_lookback");
  laws_at(scan_in_registers.with(chained), "chained");
  laws_at(sweep::device.with(matrix), "matrix");
  laws_at(sweep::device.with(scan_then_propagate).with(tree), "scan_then_propagate, tree");
  laws_at(sweep::device.with(scan_then_propagate).with(matrix), "scan_then_propagate, matrix");
  laws_at(sweep::device.with(reduce_then_scan), "reduce_then_scan");
}

TEST_CASE("device segmented scans: captured in a graph and replayed") {
  random_source random("graph");
  own_stream const stream;
  std::size_t const n = 50'000;
  auto const heads = random_heads<50>(n, random);
  notations const all(heads, random);
  device_array<std::int32_t> const offsets(all.offsets);
  device_array<std::uint32_t> in(n);
  device_array<std::uint32_t> const out(n);
  captured_graph const graph(stream, [&] {
    sweep::segmented_exclusive_scan(scan_in_registers.on(stream), in.begin(), in.end(),
                                    sweep::segments::by_offsets(offsets.begin(), offsets.end()), out.begin(),
                                    3u, add{}, sweep::backward);
  });
  for (int turn = 0; turn < 3; ++turn) {
    auto const x = draw_many<std::uint32_t>(n, random);
    in.write(x);
    graph.launch(stream);
    stream.wait();
    expect_equal(out.read(), segmented_oracle<std::uint32_t>(false, true, x, heads, add{}, {3u}), "replayed");
  }
}

TEST_CASE("device segmented scans: scratch of the caller's") {
  random_source random("scratch");
  std::size_t const n = 100'000;
  auto const heads = random_heads<50>(n, random);
  notations const all(heads, random);
  auto const x = draw_many<std::uint32_t>(n, random);
  device_array<std::int64_t> const lengths(all.lengths);
  device_array<std::uint32_t> const in(x), out(n);
  device_array<std::byte> const memory(n / 8 + 64 * 1024);
  auto const segments = sweep::segments::by_lengths(lengths.begin(), lengths.end());
  sweep::segmented_inclusive_scan(sweep::device.scratch(std::span(memory.begin(), memory.end())), in.begin(),
                                  in.end(), segments, out.begin());
  expect_equal(out.read(), segmented_oracle<std::uint32_t>(true, false, x, heads, add{}, {}), "scratch");
  expect_throw<sweep::bad_argument>({"segmented_inclusive_scan", "scratch", "bytes"}, [&] {
    sweep::segmented_inclusive_scan(sweep::device.scratch(std::span(memory.begin(), 64)), in.begin(),
                                    in.end(), segments, out.begin());
  });
}

TEST_CASE("device segmented scans: what is described badly never leads out of the ranges") {
  std::vector<std::uint32_t> const x(1000, 1);
  device_array<std::uint32_t> const in(x);
  for (auto const& wrong : {std::vector<std::int64_t>{5, 3, -7, 2000, 999, 1000}, {-1, 1 << 20}, {7}}) {
    device_array<std::int64_t> const given(wrong);
    guarded<std::uint32_t, device_memory> const out(x.size());
    sweep::segmented_inclusive_scan(scan_in_registers, in.begin(), in.end(),
                                    sweep::segments::by_offsets(given.begin(), given.end()), out.begin());
    sweep::segmented_inclusive_scan(scan_in_registers, in.begin(), in.end(),
                                    sweep::segments::by_lengths(given.begin(), given.end()), out.begin());
    expect(out.guards_intact(), "writes its output only");
  }
}

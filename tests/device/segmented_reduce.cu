// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laws of segmented reductions on the device, and the forms that never wait.
#include <support/changed.hpp>
#include <support/device_places.hpp>
#include <support/segmented_reduce_laws.hpp>

using namespace sweep_test;

namespace {

std::vector<std::size_t> sizes() {
  if (sanitizing()) return {0, 1, 33, 3000};
  return {0, 1, 2, 33, 1000, 1025, 70'001, 3'300'000};
}

/// The default policy where it has a way of its own, which plans do not have: by offsets and lengths, each in
/// one direction, and by keys. Everything else by small tiles.
template <class InRegisters, class InStages>  // nvcc cannot spell the types of plans
struct reduce_places {
  template <class T>
  using array = guarded<T, device_memory>;
  InRegisters in_registers;
  InStages in_stages;

  template <std::size_t Form>
  auto const& of_form() const {
    if constexpr (Form == reduce_form(notation::offsets, true) ||
                  Form == reduce_form(notation::lengths, false) || Form == reduce_by_key_form)
      return on_device;
    else if constexpr (Form / 2 == static_cast<std::size_t>(notation::bits)) return in_stages;
    else return in_registers;
  }
  reduce_places const& for_turn(std::size_t) const { return *this; }
};

template <class InRegisters, class InStages>
reduce_places<InRegisters, InStages> places_of(InRegisters in_registers, InStages in_stages) {
  return {in_registers, in_stages};
}

}  // namespace

TEST_CASE("device segmented reductions: sums") {
  if (racechecking())
    MESSAGE("offsets and lengths skipped: racecheck does not know barriers at which one lane stands for its "
            "warp");
  changed const limit(sweep::detail::reduced_in_stages_bytes, 8 << 20);
  segmented_reduce_laws_of<std::uint32_t>(
      "u32 sums", sizes(), add{},
      places_of(half_at(scan_in_registers, "in registers"), staged_at(scan_in_stages, "in stages")));
}

TEST_CASE("device segmented reductions: products that do not commute") {
  auto some = sizes();
  if (!sanitizing()) some.pop_back();
  segmented_reduce_laws_of<heisenberg<std::uint32_t>, false>("heisenberg", some, heisenberg_product{},
                                                             half_at(scan_in_registers, "in registers"));
}

TEST_CASE("device segmented reductions: captured in a graph and replayed") {
  random_source random("graph");
  own_stream const stream;
  std::size_t const n = 50'000;
  auto const heads = random_heads<50>(n, random);
  notations const all(heads, random);
  device_array<std::int32_t> const keys(all.keys), keys_out(n);
  device_array<std::uint32_t> in(n);
  device_array<std::uint32_t> const out(n);
  device_array<std::int64_t> const count(2);
  auto const policy = scan_in_registers.on(stream);
  captured_graph const graph(stream, [&] {
    sweep::reduce_by_key_into(policy, keys.begin(), keys.end(), in.begin(), keys_out.begin(), out.begin(),
                              count.begin());
    sweep::segmented_reduce_into(policy, in.begin(), in.end(), sweep::segments::by_key(keys.begin()),
                                 out.begin(), count.begin() + 1, 5u, add{}, sweep::backward);
  });
  auto lengths = all.lengths;
  std::erase(lengths, 0);
  for (int turn = 0; turn < 3; ++turn) {
    auto const x = draw_many<std::uint32_t>(n, random);
    in.write(x);
    graph.launch(stream);
    stream.wait();
    auto const want = segmented_reduce_oracle(true, x, lengths, add{}, 5u);
    auto got = out.read();
    got.resize(want.size());
    expect_equal(got, want, "replayed");
    expect(count.read() == std::vector<std::int64_t>(2, static_cast<std::int64_t>(want.size())), "counts");
  }
}

TEST_CASE("device segmented reductions: an empty range has no segments, and a count that says so") {
  device_array<std::int64_t> const count(std::vector<std::int64_t>(2, -1));
  std::uint32_t* const none = nullptr;
  std::int32_t* const no_keys = nullptr;
  sweep::reduce_by_key_into(scan_in_registers, no_keys, no_keys, none, no_keys, none, count.begin());
  sweep::segmented_reduce_into(scan_in_registers, none, none,
                               sweep::segments::by_key(static_cast<std::int32_t const*>(nullptr)), none,
                               count.begin() + 1, 5u, add{}, sweep::backward);
  expect_equal(count.read(), {0, 0}, "counts");
  expect_throw<sweep::bad_argument>({"sweep::reduce_by_key_into", "count", "null"}, [&] {
    sweep::reduce_by_key_into(scan_in_registers, no_keys, no_keys, none, no_keys, none,
                              static_cast<std::int64_t*>(nullptr));
  });
}

TEST_CASE("device segmented reductions: what is described badly never leads out of the ranges") {
  if (racechecking()) {
    MESSAGE("skipped: racecheck does not know barriers at which one lane stands for its warp");
    return;
  }
  std::vector<std::uint32_t> const x(60'000, 1);
  device_array<std::uint32_t> const in(x);
  for (auto const& wrong : {std::vector<std::int64_t>{5, 3, -7, 2000, 999, 60'000},
                            {-1, 1 << 20},
                            {7},
                            {60'000, 0, 60'000, 0},
                            {std::int64_t{1} << 40, -(std::int64_t{1} << 40), 0}}) {
    device_array<std::int64_t> const given(wrong);
    guarded<std::uint32_t, device_memory> const by_offsets(wrong.size() - 1), by_lengths(wrong.size());
    sweep::segmented_reduce(sweep::device, in.begin(), in.end(),
                            sweep::segments::by_offsets(given.begin(), given.end()), by_offsets.begin(), 0u,
                            add{});
    sweep::segmented_reduce(sweep::device, in.begin(), in.end(),
                            sweep::segments::by_lengths(given.begin(), given.end()), by_lengths.begin(), 0u,
                            add{});
    expect(by_offsets.guards_intact() && by_lengths.guards_intact(), "writes its outputs only");
  }
}

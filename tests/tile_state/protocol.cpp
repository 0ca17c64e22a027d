// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The protocols by which tiles learn what came before them, on real threads in hostile schedules.
#include <support/expect.hpp>
#include <tile_state/hostile.hpp>

#include <string>

using namespace sweep_test;
using sweep::across_tiles;

namespace {

constexpr schedule schedules[] = {
    {.name = "one thread", .threads = 1},
    {.name = "more threads than cores", .threads = 16},
    {.name = "late starters", .threads = 8, .late_starters = 4},
    {.name = "slow predecessors", .threads = 6, .slow_every = 17},
    {.name = "slow closers of groups", .threads = 6, .slow_every = 32},
    {.name = "restless", .threads = 8, .restless = true},
    {.name = "all at once", .threads = 12, .late_starters = 3, .slow_every = 29, .restless = true},
};

/// Every tile must learn the fold of all tiles before it, in order; tile 0 nothing.
template <across_tiles How, class T, class Op>
void protocol_law(std::string const& what, std::size_t tiles, Op op, schedule const& plan) {
  random_source random(what);
  auto const totals = draw_many<T>(tiles, random);
  auto const learned = run_protocol<T, How>(totals, op, plan);
  std::size_t wrong = 0;
  std::optional<T> want;
  for (std::size_t i = 0; i < tiles; ++i) {
    if (learned[i] != want) ++wrong;
    want = want ? op(*want, totals[i]) : totals[i];
  }
  expect(wrong == 0, what + ", " + plan.name + ", " + std::to_string(tiles) +
                         " tiles: " + std::to_string(wrong) + " learned something wrong");
}

template <across_tiles How>
void protocol_laws(std::string const& name) {
  // Within a group, closing one, closing a supergroup, and into the third one.
  for (std::size_t const tiles : {1, 2, 31, 32, 33, 64, 1023, 1024, 1025, 2100})
    for (auto const& plan : schedules)
      protocol_law<How, heisenberg<std::uint32_t>>(name + ", 12 bytes", tiles, heisenberg_product{}, plan);
  for (auto const& plan : schedules) {
    protocol_law<How, std::uint8_t>(name + ", 1 byte", 150, chosen_operator<std::uint8_t>{operation::last},
                                    plan);
    protocol_law<How, affine<std::uint8_t>>(name + ", 2 bytes", 150, affine_then{}, plan);
    protocol_law<How, heisenberg<std::uint8_t>>(name + ", 3 bytes", 150, heisenberg_product{}, plan);
    protocol_law<How, affine<std::uint32_t>>(name + ", 8 bytes", 150, affine_then{}, plan);
    protocol_law<How, matrix2>(name + ", 16 bytes", 150, matrix2_product{}, plan);
    protocol_law<How, heisenberg<std::uint64_t>>(name + ", 24 bytes", 150, heisenberg_product{}, plan);
    protocol_law<How, motion>(name + ", 48 bytes", 150, motion_then{}, plan);
  }
}

}  // namespace

TEST_CASE("tile state: ordered look-back in hostile schedules") {
  protocol_laws<across_tiles::ordered_lookback>("ordered_lookback");
}
TEST_CASE("tile state: decoupled look-back in hostile schedules") {
  protocol_laws<across_tiles::decoupled_lookback>("decoupled_lookback");
}
TEST_CASE("tile state: chained tiles in hostile schedules") {
  protocol_laws<across_tiles::chained>("chained");
}

TEST_CASE("tile state: ordered look-back gives the same bits in every schedule") {
  random_source random("bits");
  auto const totals = draw_many<float>(1500, random);
  auto const first = run_protocol<float, across_tiles::ordered_lookback>(totals, add{}, schedules[0]);
  for (auto const& plan : schedules)
    expect(run_protocol<float, across_tiles::ordered_lookback>(totals, add{}, plan) == first, plan.name);
}

TEST_CASE("tile state: a waiting thread is released when another one has failed") {
  using state = sweep::detail::tile_state<std::uint32_t, across_tiles::chained>;
  std::vector<std::uint64_t> words(static_cast<std::size_t>(state::words(4)));
  state const shared(words.data(), 4, 1);
  std::uint32_t failed = 0;
  bool released = false;
  std::jthread waiting([&] {
    add op;
    try {
      shared.exchange(sweep::detail::thread_lanes(failed), 2, 5u, op);  // tile 1 never publishes
    } catch (sweep::detail::team_failed const&) { released = true; }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  sweep::detail::atomic_ref<std::uint32_t>(failed).store(1, sweep::detail::relaxed);
  waiting.join();
  CHECK(released);
}

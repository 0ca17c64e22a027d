// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The protocols by which tiles learn what came before them, on real threads in hostile schedules. Each thread
// looks back as a host thread does, or as a warp does (tile_state/warp_model.hpp).
#include <support/expect.hpp>
#include <tile_state/hostile.hpp>
#include <tile_state/warp_model.hpp>

#include <sweep/detail/segments/flagged.hpp>

#include <functional>
#include <string>
#include <utility>

using namespace sweep_test;
using sweep::across_tiles;

namespace {

constexpr schedule schedules[] = {
    {.name = "one thread", .threads = 1},
    {.name = "more threads than cores", .threads = 16},
    {.name = "late starters", .threads = 8, .late_starters = 4},
    {.name = "slow predecessors", .threads = 6, .slow_every = 17},
    {.name = "slow closers of groups", .threads = 6, .slow_every = 32},
    {.name = "late totals of groups", .threads = 6, .dawdle_every = 32},
    {.name = "restless", .threads = 8, .restless = true},
    {.name = "all at once",
     .threads = 12,
     .late_starters = 3,
     .slow_every = 29,
     .dawdle_every = 31,
     .restless = true},
};

/// A few of the schedules, drawn anew each time.
std::vector<schedule> some_schedules(std::string const& what) {
  random_source random(what);
  std::vector<schedule> all(std::begin(schedules), std::end(schedules));
  for (std::size_t i = 0; i + 1 < all.size(); ++i) std::swap(all[i], all[i + random() % (all.size() - i)]);
  all.resize(slowed_down() ? 1 : 3);
  return all;
}

struct as_thread {
  using lanes = hostile_thread;
  static constexpr char const* name = "threads";
  static lanes make(std::uint32_t& failed, restless& nerves) { return {failed, nerves}; }
};
struct as_warp {
  using lanes = hostile_warp;
  static constexpr char const* name = "warps";
  static lanes make(std::uint32_t& failed, restless& nerves) { return lanes(warp_model(failed, nerves)); }
};

/// How many of the tiles have not learned the fold of all tiles before them, in order; tile 0 nothing.
template <class T, class Op, class Same>
std::size_t wrong_tiles(std::vector<T> const& totals, std::vector<std::optional<T>> const& learned, Op op,
                        Same same) {
  std::size_t wrong = 0;
  std::optional<T> want;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (learned[i].has_value() != want.has_value() || (want && !same(*learned[i], *want))) ++wrong;
    want = want ? op(*want, totals[i]) : totals[i];
  }
  return wrong;
}

template <class As, across_tiles How, class T, bool InGroups = false, int NearSupers = 2, bool Apart = false,
          class Op>
void protocol_law(std::string const& what, std::size_t tiles, Op op, schedule const& plan) {
  random_source random(what);
  auto const totals = draw_many<T>(tiles, random);
  auto const learned = run_protocol<T, How, InGroups, NearSupers, Apart>(totals, op, plan, As::make);
  auto const wrong = wrong_tiles(totals, learned, op, std::equal_to<>{});
  expect(wrong == 0, what + ", " + As::name + ", " + plan.name + ", " + std::to_string(tiles) +
                         " tiles: " + std::to_string(wrong) + " learned something wrong");
}

// ---- Values that ignore what is left of them --------------------------------------------------------------

template <class V>
using flagged = sweep::detail::flagged<V, bool>;

/// Which tiles' totals ignore what is left of them.
struct head_pattern {
  char const* name;
  bool (*at)(std::size_t tile, random_source& random);
};
constexpr head_pattern head_patterns[] = {
    {"no heads", [](std::size_t, random_source&) { return false; }},
    {"heads everywhere", [](std::size_t, random_source&) { return true; }},
    {"heads in every second tile", [](std::size_t tile, random_source&) { return tile % 2 == 1; }},
    {"one head in 8", [](std::size_t, random_source& random) { return random.between(1, 8) == 1; }},
    {"one head in 100", [](std::size_t, random_source& random) { return random.between(1, 100) == 1; }},
    {"heads just before groups", [](std::size_t tile, random_source&) { return tile % 32 == 31; }},
    {"heads that begin groups", [](std::size_t tile, random_source&) { return tile % 96 == 32; }},
    {"heads just before supergroups", [](std::size_t tile, random_source&) { return tile % 1024 == 1023; }},
};

template <class V>
std::vector<flagged<V>> draw_flagged(std::size_t tiles, head_pattern const& heads, random_source& random) {
  std::vector<flagged<V>> totals;
  for (std::size_t i = 0; i < tiles; ++i) totals.push_back({draw<V>(random), heads.at(i, random)});
  return totals;
}

constexpr auto same_flagged = [](auto const& x, auto const& y) {
  return x.value == y.value && x.heads == y.heads;
};

template <class As, across_tiles How, class V, class Op>
void flagged_law(std::string const& what, std::size_t tiles, Op op, head_pattern const& heads,
                 schedule const& plan) {
  random_source random(what + heads.name);
  auto const totals = draw_flagged<V>(tiles, heads, random);
  sweep::detail::segmented_op<Op> const segmented{op};
  auto const learned = run_protocol<flagged<V>, How>(totals, segmented, plan, As::make);
  auto const wrong = wrong_tiles(totals, learned, segmented, same_flagged);
  expect(wrong == 0, what + ", " + heads.name + ", " + As::name + ", " + plan.name + ", " +
                         std::to_string(tiles) + " tiles: " + std::to_string(wrong) +
                         " learned something wrong");
}

// ---- All laws of one protocol -----------------------------------------------------------------------------

template <class As, across_tiles How>
void protocol_laws(std::string const& name) {
  // Within a group, closing one, with one and two groups before, closing a supergroup, into the third one.
  for (std::size_t const tiles : {1, 2, 31, 32, 33, 64, 65, 97, 150})
    for (auto const& plan : schedules)
      protocol_law<As, How, heisenberg<std::uint32_t>>(name + ", 12 bytes", tiles, heisenberg_product{},
                                                       plan);
  // A chain has nothing that many tiles could change.
  constexpr bool in_groups = How != across_tiles::chained;
  constexpr std::size_t many = in_groups ? 2100 : 230;
  for (std::size_t const tiles : {1023, 1024, 1025, 2100})
    for (auto const& plan :
         in_groups ? some_schedules(name + std::to_string(tiles)) : std::vector<schedule>{})
      protocol_law<As, How, heisenberg<std::uint32_t>>(name + ", 12 bytes", tiles, heisenberg_product{},
                                                       plan);
  for (auto const& plan : schedules) {
    protocol_law<As, How, std::uint8_t>(name + ", 1 byte", 150,
                                        chosen_operator<std::uint8_t>{operation::last}, plan);
    protocol_law<As, How, affine<std::uint8_t>>(name + ", 2 bytes", 150, affine_then{}, plan);
    protocol_law<As, How, heisenberg<std::uint8_t>>(name + ", 3 bytes", 150, heisenberg_product{}, plan);
    protocol_law<As, How, affine<std::uint32_t>>(name + ", 8 bytes", 150, affine_then{}, plan);
    protocol_law<As, How, matrix2>(name + ", 16 bytes", 150, matrix2_product{}, plan);
    protocol_law<As, How, heisenberg<std::uint64_t>>(name + ", 24 bytes", 150, heisenberg_product{}, plan);
    protocol_law<As, How, motion>(name + ", 48 bytes", 150, motion_then{}, plan);
  }
  for (auto const& heads : head_patterns) {
    for (auto const& plan : some_schedules(name + ", 230 flagged"))
      flagged_law<As, How, heisenberg<std::uint32_t>>(name + ", flagged 12 bytes", 230, heisenberg_product{},
                                                      heads, plan);
    flagged_law<As, How, affine<std::uint32_t>>(name + ", flagged 8 bytes", many, affine_then{}, heads,
                                                some_schedules(name + ", many flagged")[0]);
  }
}

}  // namespace

TEST_CASE("tile state: ordered look-back in hostile schedules, as threads") {
  protocol_laws<as_thread, across_tiles::ordered_lookback>("ordered_lookback");
}
TEST_CASE("tile state: ordered look-back in hostile schedules, as warps") {
  protocol_laws<as_warp, across_tiles::ordered_lookback>("ordered_lookback");
}
TEST_CASE("tile state: ordered look-back for all tiles of a group at once, as warps") {
  constexpr auto how = across_tiles::ordered_lookback;
  // Within a supergroup, closing one, with one and two before.
  for (std::size_t const groups : {1, 2, 31, 32, 33, 63, 64, 65, 97, 330})
    for (auto const& plan : schedules) {
      protocol_law<as_warp, how, heisenberg<std::uint32_t>, true, 2>("groups", groups, heisenberg_product{},
                                                                     plan);
      protocol_law<as_warp, how, heisenberg<std::uint32_t>, true, 0>("groups, no near supergroups", groups,
                                                                     heisenberg_product{}, plan);
    }
}
TEST_CASE("tile state: totals told, and tiles heard of one after the other, as warps") {
  constexpr auto how = across_tiles::ordered_lookback;
  // Of supergroups some are folded, some begun late and skipped.
  for (std::size_t const tiles : {1, 2, 32, 33, 97, 161, 230, 1023, 1024, 1025, 4200})
    for (auto const& plan : schedules) {
      protocol_law<as_warp, how, affine<std::uint32_t>, false, 2, true>("apart, 8 bytes", tiles,
                                                                        affine_then{}, plan);
      if (tiles < 1000)
        protocol_law<as_warp, how, motion, false, 2, true>("apart, 48 bytes", tiles, motion_then{}, plan);
    }
}
TEST_CASE("tile state: whoever hears of the first tile of a supergroup late tells its prefix all the same") {
  using value = affine<std::uint32_t>;
  random_source random("late");
  constexpr std::int64_t tiles = 5 * 1024 + 1;
  auto const totals = draw_many<value>(static_cast<std::size_t>(tiles), random);
  using state = sweep::detail::tile_state<value, across_tiles::ordered_lookback>;
  std::vector<std::uint64_t> words(static_cast<std::size_t>(state::words(tiles)));
  state const shared(words.data(), tiles, 7);
  std::uint32_t failed = 0;
  restless nerves(false, random);
  auto const lanes = as_warp::make(failed, nerves);
  affine_then op;
  for (std::int64_t i = 0; i < tiles; ++i) shared.tell(lanes, i, totals[static_cast<std::size_t>(i)]);
  std::optional<value> want;
  for (std::int64_t i = 0; i < tiles; ++i) {
    if (i % 1024 == 0) {
      auto late = shared.listen(lanes);
      auto const before = late.before(i, op);
      expect(before.present == want.has_value() && (!want || before.value == *want), std::to_string(i));
    }
    auto const& x = totals[static_cast<std::size_t>(i)];
    want = want ? op(*want, x) : x;
  }
}
TEST_CASE("tile state: tiles that do without what comes before them, as warps") {
  constexpr auto how = across_tiles::ordered_lookback;
  using value = flagged<heisenberg<std::uint32_t>>;
  sweep::detail::segmented_op<heisenberg_product> const op{heisenberg_product{}};
  for (auto const& heads : head_patterns)
    for (auto const& plan : some_schedules(heads.name)) {
      random_source random(heads.name);
      auto const totals = draw_flagged<heisenberg<std::uint32_t>>(1100, heads, random);
      auto const asks = [](std::size_t tile) { return tile % 3 == 0; };
      auto const learned = run_protocol<value, how>(totals, op, plan, as_warp::make, asks),
                 all = run_protocol<value, how>(totals, op, plan, as_warp::make);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < totals.size(); ++i) {
        bool const closes = i % 32 == 31;
        auto const& want = asks(i) || closes ? all[i] : std::nullopt;
        if (learned[i].has_value() != want.has_value() || (want && !same_flagged(*learned[i], *want)))
          ++wrong;
      }
      expect(wrong == 0, std::string(heads.name) + ", " + plan.name + ": " + std::to_string(wrong) +
                             " learned something wrong");
    }
}
TEST_CASE("tile state: decoupled look-back in hostile schedules, as threads") {
  protocol_laws<as_thread, across_tiles::decoupled_lookback>("decoupled_lookback");
}
TEST_CASE("tile state: decoupled look-back in hostile schedules, as warps") {
  protocol_laws<as_warp, across_tiles::decoupled_lookback>("decoupled_lookback");
}
TEST_CASE("tile state: chained tiles in hostile schedules, as threads") {
  protocol_laws<as_thread, across_tiles::chained>("chained");
}
TEST_CASE("tile state: chained tiles in hostile schedules, as warps") {
  protocol_laws<as_warp, across_tiles::chained>("chained");
}

// ---- The same bits ----------------------------------------------------------------------------------------

namespace {

/// The fold of count numbers, with the brackets of a host thread's lanes or of a warp's.
float fold_as(as_thread, float const* x, int count) {
  float sum = x[0];
  for (int i = 1; i < count; ++i) sum += x[i];
  return sum;
}
float fold_as(as_warp, float const* x, int count) {  // lane l is folded with the fold that lane l + by has
  if (count == 1) return x[0];
  int by = 1;
  while (2 * by < count) by *= 2;
  return fold_as(as_warp{}, x, by) + fold_as(as_warp{}, x + by, count - by);
}

/// The expression that docs/lookback.md gives for what comes before each tile.
template <class As>
std::vector<std::optional<float>> expression(std::vector<float> const& totals) {
  using sweep::detail::combine;
  using maybe = sweep::detail::optional<float>;
  add op;
  std::vector<float> groups;
  for (std::size_t i = 0; i + 32 <= totals.size(); i += 32) groups.push_back(fold_as(As{}, &totals[i], 32));
  auto const fold = [&](std::vector<float> const& x, std::size_t first, std::size_t count) {
    return count > 0 ? maybe{fold_as(As{}, &x[first], static_cast<int>(count)), true} : maybe{};
  };
  maybe super{};
  std::vector<std::optional<float>> want;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    auto const group = i / 32;
    if (i > 0 && i % 1024 == 0)
      super = combine(combine(super, fold(groups, group - 32, 31), op), maybe{groups[group - 1], true}, op);
    auto const above = combine(super, fold(groups, group / 32 * 32, group % 32), op);
    auto const all = combine(above, fold(totals, group * 32, i % 32), op);
    want.push_back(all.present ? std::optional(all.value) : std::nullopt);
  }
  return want;
}

template <class As>
void same_bits_law() {
  random_source random("bits");
  auto const totals = draw_many<float>(2100, random);
  auto const want = expression<As>(totals);
  for (auto const& plan : some_schedules(std::string(As::name) + " bits")) {
    expect(run_protocol<float, across_tiles::ordered_lookback>(totals, add{}, plan, As::make) == want,
           std::string(As::name) + ", " + plan.name);
    if constexpr (std::is_same_v<As, as_warp>)
      expect(run_protocol<float, across_tiles::ordered_lookback, false, 2, true>(totals, add{}, plan,
                                                                                 As::make) == want,
             std::string("apart, ") + plan.name);
  }

  for (auto const& heads : head_patterns) {
    auto const some = draw_flagged<float>(1200, heads, random);
    auto const bits = [&](schedule const& plan) {
      std::vector<std::pair<float, bool>> all;
      for (auto const& x : run_protocol<flagged<float>, across_tiles::ordered_lookback>(
               some, sweep::detail::segmented_op<add>{}, plan, As::make))
        all.push_back(x ? std::pair(x->value, x->heads) : std::pair(0.0f, false));
      return all;
    };
    auto const first = bits(schedules[0]);
    for (auto const& plan : some_schedules(heads.name))
      expect(bits(plan) == first, std::string(heads.name) + ", " + As::name + ", " + plan.name);
  }
}

}  // namespace

TEST_CASE("tile state: ordered look-back gives the same bits in every schedule, as threads") {
  same_bits_law<as_thread>();
}
TEST_CASE("tile state: ordered look-back gives the same bits in every schedule, as warps") {
  same_bits_law<as_warp>();
}
TEST_CASE("tile state: groups have the bits of their first tiles, in every schedule") {
  random_source random("bits of groups");
  auto const totals = draw_many<float>(32 * 330, random);
  auto const of_tiles = expression<as_warp>(totals);
  std::vector<float> groups;
  std::vector<std::optional<float>> want;
  for (std::size_t i = 0; i < totals.size(); i += 32) {
    groups.push_back(fold_as(as_warp{}, &totals[i], 32));
    want.push_back(of_tiles[i]);
  }
  for (auto const& plan : schedules)
    expect(run_protocol<float, across_tiles::ordered_lookback, true>(groups, add{}, plan, as_warp::make) ==
               want,
           plan.name);
}

// ---- Who waits for whom -----------------------------------------------------------------------------------

namespace {

struct leave {};
struct missing {
  std::size_t tile;
  bool closers_only_publish = false;  ///< they never get to their group's total
};

/// Tiles one after the other, without that one. What those learn that need not wait; nothing in the others.
template <class As, class T, class Op>
std::vector<std::optional<T>> run_without(missing what, std::vector<T> const& totals, Op op) {
  using state = sweep::detail::tile_state<T, across_tiles::ordered_lookback>;
  auto const tiles = static_cast<std::int64_t>(totals.size());
  std::vector<std::uint64_t> words(static_cast<std::size_t>(state::words(tiles)));
  state const shared(words.data(), tiles, 1);
  std::uint32_t failed = 1;  // whoever would wait throws
  restless nerves(false, random_source("in turn"));
  auto const lanes = As::make(failed, nerves);
  std::vector<std::optional<T>> learned(totals.size());
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (i == what.tile) continue;
    auto const meanwhile = [&] {
      if (what.closers_only_publish && i % 32 == 31) throw leave{};
    };
    try {
      auto const before =
          shared.publish_and_look_back(lanes, static_cast<std::int64_t>(i), totals[i], op, meanwhile);
      if (before.present) learned[i] = before.value;
    } catch (sweep::detail::team_failed const&) {
    } catch (leave const&) {}
  }
  return learned;
}

constexpr std::size_t nobody = ~std::size_t{0};

}  // namespace

TEST_CASE("tile state: a warp needs no group totals of the two groups before its own") {
  random_source random("near");
  auto const totals = draw_many<heisenberg<std::uint32_t>>(128, random);
  auto const learned = run_without<as_warp>({nobody, true}, totals, heisenberg_product{});
  auto want = totals[0];
  for (std::size_t i = 1; i < totals.size(); ++i) {
    // In the fourth group there is one group more, whose total never comes.
    expect(i % 32 == 31 || learned[i].has_value() == (i < 96), "tile " + std::to_string(i));
    expect(!learned[i] || *learned[i] == want, "tile " + std::to_string(i) + " learned something wrong");
    want = heisenberg_product{}(want, totals[i]);
  }
}

namespace {

/// Groups one after the other, without the prefixes of supergroups: in so many of these they need none.
template <int NearSupers, class T, class Op>
void groups_without_prefixes_law(Op op) {
  using state = sweep::detail::tile_state<T, across_tiles::ordered_lookback>;
  constexpr std::int64_t groups = 32 * 5, tiles = 32 * groups;
  random_source random("no prefixes");
  auto const totals = draw_many<T>(groups, random);
  auto const all = static_cast<std::size_t>(state::words(tiles));
  constexpr auto before_prefixes = static_cast<std::size_t>(tiles + groups) * sweep::detail::slots<T>::words;
  std::vector<std::uint64_t> words(all);
  state const shared(words.data(), tiles, 1);
  std::uint32_t failed = 1;  // whoever would wait throws
  restless nerves(false, random_source("in turn"));
  auto const lanes = as_warp::make(failed, nerves);
  T want{};
  for (std::int64_t group = 0; group < groups; ++group) {
    auto const at = static_cast<std::size_t>(group);
    std::optional<T> learned;
    try {
      auto const before =
          shared.template publish_group_and_ask_at_once<NearSupers>(lanes, group, totals[at], op);
      learned = before.present ? before.value : T{};
    } catch (sweep::detail::team_failed const&) {}
    std::fill(words.begin() + static_cast<std::ptrdiff_t>(before_prefixes), words.end(), 0u);
    expect(learned.has_value() == (group / 32 <= NearSupers), "group " + std::to_string(group));
    expect(!learned || *learned == want, "group " + std::to_string(group) + " learned something wrong");
    want = group > 0 ? static_cast<T>(op(want, totals[at])) : totals[at];
  }
}

}  // namespace

TEST_CASE("tile state: groups need no prefixes of the supergroups just before their own") {
  groups_without_prefixes_law<2, affine<std::uint32_t>>(affine_then{});
  groups_without_prefixes_law<1, matrix2>(matrix2_product{});
  groups_without_prefixes_law<0, heisenberg<std::uint64_t>>(heisenberg_product{});
}

TEST_CASE("tile state: a tile waits for the totals that it needs, and for no others") {
  using value = heisenberg<std::uint32_t>;
  sweep::detail::segmented_op<heisenberg_product> op{};
  for (auto const& heads : head_patterns) {
    random_source random(heads.name);
    auto const totals = draw_flagged<value>(170, heads, random);
    std::size_t const step = slowed_down() ? 5 : 1;
    for (std::size_t without = 0; without < totals.size(); without += step + without % 3) {
      auto const learned = run_without<as_warp>({without}, totals, op);
      std::optional<flagged<value>> want;
      std::optional<std::size_t> head;  // the last before this tile
      for (std::size_t i = 0; i < totals.size(); ++i) {
        auto const where = std::string(heads.name) + ": tile " + std::to_string(i) + " without tile " +
                           std::to_string(without);
        bool const headed = head && *head > without, in_own_group = head && *head / 32 == i / 32;
        if (i < without || (i > without && headed && in_own_group))
          expect(learned[i].has_value() == want.has_value(), where + " need not wait");
        if (i > without && !headed) expect(!learned[i], where + " must wait");
        if (learned[i]) expect(same_flagged(*learned[i], *want), where + " learned something wrong");
        want = want ? op(*want, totals[i]) : totals[i];
        if (totals[i].heads) head = i;
      }
    }
  }
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
      shared.publish_and_look_back(sweep::detail::thread_lanes(failed), 2, 5u,
                                   op);  // tile 1 never publishes
    } catch (sweep::detail::team_failed const&) { released = true; }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  sweep::detail::atomic_ref<std::uint32_t>(failed).store(1, sweep::detail::relaxed);
  waiting.join();
  CHECK(released);
}

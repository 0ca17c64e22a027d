// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TESTS_TILE_STATE_HOSTILE_HPP
#define SWEEP_TESTS_TILE_STATE_HOSTILE_HPP

#include <support/expect.hpp>
#include <support/values.hpp>

#include <sweep/detail/lookback/thread_lanes.hpp>
#include <sweep/detail/lookback/tile_state.hpp>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

namespace sweep_test {

/// What a schedule does to those who take part in it.
struct schedule {
  char const* name;
  int threads;
  int late_starters = 0;  ///< so many threads start when others have been at work for a while
  int slow_every = 0;     ///< the owner of every so-manieth tile sleeps before it publishes; 0: nobody
  int dawdle_every = 0;   ///< the owner of every so-manieth tile sleeps after it has published its total
  bool restless = false;  ///< threads pause at random between publishing, gathering and waiting
};

/// Yields or sleeps at random.
class restless {
 public:
  restless(bool active, random_source random) : active_{active}, random_{random} {}
  int draw(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
  void pause() {
    if (!active_) return;
    auto const dice = random_() % 64;
    if (dice == 0) std::this_thread::sleep_for(std::chrono::microseconds(random_.between(1, 200)));
    else if (dice < 16) std::this_thread::yield();
  }

 private:
  bool active_;
  random_source random_;
};

/// A host thread that pauses before each step of a protocol.
class hostile_thread : public sweep::detail::thread_lanes {
 public:
  hostile_thread(std::uint32_t& failed, restless& nerves) : thread_lanes(failed), nerves_{&nerves} {}

  bool elected() const {
    nerves_->pause();  // before publishing
    return thread_lanes::elected();
  }
  template <class... Arguments>
  auto gather(Arguments const&... arguments) const {
    nerves_->pause();  // after publishing
    return thread_lanes::gather(arguments...);
  }
  template <class... Gathered>
  void wait(Gathered&... all) const {
    nerves_->pause();
    thread_lanes::wait(all...);
  }
  template <class T, class Op>
  T look_back(sweep::detail::slots<T> const& prefixes, sweep::detail::slots<T> const& totals,
              std::int64_t tile, Op& op) const {
    nerves_->pause();
    return thread_lanes::look_back(prefixes, totals, tile, op);
  }

 private:
  restless* nerves_;
};

struct all_ask {
  bool operator()(std::size_t) const { return true; }
};
/// Real threads run a protocol over tiles with these totals, each thread as the lanes that
/// make_lanes(failed, nerves) makes. What each tile learned of the tiles before it. In groups: of groups
/// of 32 tiles; apart: each thread tells totals and hears of tile after tile. Tiles that ask for nothing
/// publish alone where they may.
template <class T, sweep::across_tiles How, bool InGroups = false, int NearSupers = 2, bool Apart = false,
          class Op, class MakeLanes, class Asks = all_ask>
std::vector<std::optional<T>> run_protocol(std::vector<T> const& totals, Op op, schedule const& plan,
                                           MakeLanes make_lanes, Asks asks = {}) {
  using state = sweep::detail::tile_state<T, How>;
  auto const published = static_cast<std::int64_t>(totals.size()), tiles = (InGroups ? 32 : 1) * published;
  std::vector<std::uint64_t> words(static_cast<std::size_t>(state::words(tiles)));
  state const shared(words.data(), tiles, 7);
  std::vector<std::optional<T>> learned(totals.size());
  std::vector<int> calls(totals.size());  // of meanwhile
  std::atomic<std::int64_t> next = 0;
  std::uint32_t failed = 0;

  auto const member = [&](int number) {
    random_source random(std::string(plan.name) + std::to_string(number));
    restless nerves(plan.restless, random);
    auto const lanes = make_lanes(failed, nerves);
    auto mine = op;
    auto const sleep = [&] {
      std::this_thread::sleep_for(std::chrono::microseconds(random.between(100, 800)));
    };
    if (number < plan.late_starters) std::this_thread::sleep_for(std::chrono::milliseconds(5 * (number + 1)));
    auto kept = [&] {
      if constexpr (Apart) return shared.listen(lanes);
      else return 0;
    }();
    for (std::int64_t tile; (tile = next.fetch_add(1)) < published;) {
      auto const at = static_cast<std::size_t>(tile);
      if (plan.slow_every > 0 && tile % plan.slow_every == plan.slow_every - 1) sleep();
      auto const meanwhile = [&] {
        ++calls[at];
        if (plan.dawdle_every > 0 && tile % plan.dawdle_every == plan.dawdle_every - 1) sleep();
      };
      if constexpr (!std::is_same_v<Asks, all_ask>)
        if (!asks(at) && shared.publish_alone(lanes, tile, totals[at])) {
          meanwhile();
          continue;
        }
      auto const before = [&] {
        if constexpr (InGroups) {
          meanwhile();
          return shared.template publish_group_and_ask_at_once<NearSupers>(lanes, tile, totals[at], mine);
        } else if constexpr (Apart) {
          shared.tell(lanes, tile, totals[at]);
          meanwhile();
          return kept.before(tile, mine);
        } else {
          return shared.publish_and_look_back(lanes, tile, totals[at], mine, meanwhile);
        }
      }();
      if (before.present) learned[at] = before.value;
    }
  };
  {
    std::vector<std::jthread> team;
    for (int i = 0; i < plan.threads; ++i) team.emplace_back(member, i);
  }  // joins
  expect(calls == std::vector<int>(totals.size(), 1), "meanwhile is called once a tile");
  return learned;
}

}  // namespace sweep_test

#endif

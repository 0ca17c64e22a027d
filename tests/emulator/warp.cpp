// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp's lanes each have their own place in the program. Lanes at one place are a group; the group that is
// furthest behind runs, so that the others are caught up with and joined.
#include "handlers.hpp"

#include <algorithm>

namespace emulator {

void warp::run(int instructions) {
  budget = instructions;
  if (near_since != releases()) {
    near = {};
    near_since = releases();
  }
  if (stale || !others.empty()) regroup(!others.empty() && home->of->random() % 8 == 0);
  int used = 0;
  for (; budget > 0 && now.active; --budget, ++used) {
    auto const& i = code[now.pc];
    lanes m = now.active;
    if (i.guard != no_operand) {
      lanes const p = predicate(i.guard);
      m &= i.guard_inverted ? ~p : p;
    }
    if (i.moves && m) {
      i.run(*this, i, m);
    } else {
      if (m) i.run(*this, i, m);
      ++now.pc;
    }
    if (now.pc >= limit) [[unlikely]]
      regroup();
  }
  home->of->steps += static_cast<std::uint64_t>(used);
}

void warp::use_window(std::uint32_t window) {
  now.window = window;
  registers = file.data() + window;
}

namespace {

bool may_join(group const& a, group const& b) {
  auto const free = [](group const& g) {
    return g.waiting == waits::not_at_all || g.waiting == waits::for_lanes;
  };
  return a.pc == b.pc && free(a) && free(b) && a.window == b.window && a.local == b.local &&
         a.stack == b.stack;
}

/// Lanes that wait for each other at different __syncwarp()s.
bool release_warp_barriers(warp& w) {
  bool any = false;
  for (auto const& one : w.others) {
    if (one.waiting != waits::for_lanes || w.code[one.pc].run != warp_barrier) continue;
    auto const named = [&](group const& g) {
      return reinterpret_cast<u32 const*>(w.code[g.pc].operands[5] >= 0
                                              ? w.file.data() + g.window + w.code[g.pc].operands[5]
                                              : w.constants - w.code[g.pc].operands[5])[first_lane(g.active)];
    };
    auto const members = named(one);
    auto const takes_part = [&](group const& g) {
      return g.waiting == waits::for_lanes && w.code[g.pc].run == warp_barrier && named(g) == members;
    };
    lanes there = 0;
    for (auto const& g : w.others)
      if (takes_part(g)) there |= g.active;
    if (members & w.alive & ~there) continue;
    for (auto& g : w.others)
      if (takes_part(g)) {
        g.waiting = waits::not_at_all;
        g.barrier = 1;  // so that nobody is asked again
      }
    for (auto& g : w.others)
      if (g.barrier == 1 && g.waiting == waits::not_at_all && w.code[g.pc].run == warp_barrier) {
        ++g.pc;
        g.barrier = 0;
      }
    any = true;
    break;
  }
  return any;
}

}  // namespace

void warp::regroup(bool any) {
  stale = false;
  if (now.active) others.push_back(now);
  now.active = 0;
  limit = UINT32_MAX;
  for (std::size_t a = 0; a < others.size(); ++a)
    for (std::size_t b = a + 1; b < others.size();) {
      if (may_join(others[a], others[b])) {
        others[a].active |= others[b].active;
        others[a].waiting = waits::not_at_all;
        others[b] = std::move(others.back());
        others.pop_back();
      } else {
        ++b;
      }
    }
  std::size_t best = others.size();
  std::size_t ready = 0;
  for (std::size_t k = 0; k < others.size(); ++k) {
    auto const& g = others[k];
    if (g.waiting != waits::not_at_all) continue;
    ++ready;
    bool const better = best == others.size() ? true
                        : any                 ? home->of->random() % ready == 0
                                              : g.stack.size() > others[best].stack.size() ||
                                    (g.stack.size() == others[best].stack.size() && g.pc < others[best].pc);
    if (better) best = k;
  }
  if (best == others.size()) {
    if (release_warp_barriers(*this)) regroup();
    return;
  }
  now = std::move(others[best]);
  others[best] = std::move(others.back());
  others.pop_back();
  use_window(now.window);
  for (auto const& g : others)
    if (g.stack.size() == now.stack.size() && g.pc > now.pc &&
        (g.waiting == waits::not_at_all || g.waiting == waits::for_lanes))
      limit = std::min(limit, g.pc);
}

void warp::go(std::uint32_t target, lanes taken) {
  if (taken == now.active) {
    now.pc = target;
  } else {
    group left = now;
    left.active &= ~taken;
    ++left.pc;
    others.push_back(std::move(left));
    now.active = taken;
    now.pc = target;
  }
  if (!others.empty()) regroup();
}

void warp::wait(waits how, lanes those, unsigned barrier) {
  group waiting = now;
  waiting.active = those;
  waiting.waiting = how;
  waiting.barrier = static_cast<std::uint8_t>(barrier);
  others.push_back(std::move(waiting));
  now.active &= ~those;
  ++now.pc;
  if (now.active == 0) regroup();
}

void warp::leave(lanes those) {
  alive &= ~those;
  now.active &= ~those;
  ++now.pc;
  home->alive -= static_cast<std::uint32_t>(std::popcount(those));
  for (auto& g : others)
    if (g.waiting == waits::for_lanes) g.waiting = waits::not_at_all;
  check_barriers(*home);
  if (now.active == 0) regroup();
}

void warp::fail(int code_of_error, std::string const& what, unsigned lane, instruction const& i) {
  auto const& threads = home->of->threads;
  unsigned const t = index * warp_size + lane;
  throw kernel_error(code_of_error,
                     what + "\n  in " + home->of->kernel->name + "\n  at " + home->of->kernel->place_of(i) +
                         ", block (" + std::to_string(home->index.x) + ", " + std::to_string(home->index.y) +
                         ", " + std::to_string(home->index.z) + "), thread (" +
                         std::to_string(t % threads.x) + ", " + std::to_string(t / threads.x % threads.y) +
                         ", " + std::to_string(t / threads.x / threads.y) + ")");
}

}  // namespace emulator

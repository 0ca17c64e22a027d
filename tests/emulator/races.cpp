// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "races.hpp"

#include "machine.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace emulator {
namespace {

void join(race_watch::clock& into, race_watch::clock const& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t k = 0; k < from.size(); ++k) into[k] = std::max(into[k], from[k]);
}

}  // namespace

int looks_for_races() {
  static int const value = [] {
    auto const* const text = std::getenv("SIM_RACE");
    return text ? std::atoi(text) : 0;
  }();
  return value;
}

race_watch::race_watch(std::vector<block*> const& cluster)
    : cluster_{cluster}, warps_{cluster[0]->warps.size()} {
  auto const agents = cluster.size() * warps_ + 1;  // the last: copies
  clocks_.assign(agents, clock(agents));
  for (std::size_t k = 0; k < agents; ++k) clocks_[k][k] = 1;
  meetings_.resize(agents);
  for (auto const* const b : cluster) bytes_.emplace_back(b->shared.size());
}

std::size_t race_watch::agent_of(warp const& w) const { return w.home->rank * warps_ + w.index; }

race_watch::byte_state* race_watch::state_of(std::byte const* at) {
  for (std::size_t k = 0; k < cluster_.size(); ++k) {
    auto const& shared = cluster_[k]->shared;
    if (at >= shared.data() && at < shared.data() + shared.size())
      return &bytes_[k][static_cast<std::size_t>(at - shared.data())];
  }
  return nullptr;
}

bool race_watch::ordered(record const& before, record const& now, clock const& known) const {
  if (before.time == 0 || (before.atomic && now.atomic)) return true;
  if (before.agent != now.agent) return before.time <= known[before.agent];
  if (before.agent == clocks_.size() - 1)
    return before.instance == now.instance || before.time <= known[before.agent];
  return before.lane == now.lane || before.meeting < now.meeting || before.instance == now.instance;
}

void race_watch::note(byte_state& b, record const& now, access how, clock const& known, warp& w,
                      unsigned lane, instruction const& i) {
  if (!ordered(b.written, now, known)) report(b.written, true, now, how, w, lane, i);
  if (how == access::read) {
    if (b.read.time == 0 || (b.read.agent == now.agent && b.read.lane == now.lane && b.readers.empty())) {
      b.read = now;
      return;
    }
    if (b.readers.empty()) b.readers.push_back(b.read);
    auto const same = std::find_if(b.readers.begin(), b.readers.end(),
                                   [&](record const& r) { return r.agent == now.agent; });
    if (same == b.readers.end()) {
      b.readers.push_back(now);
    } else {
      // What came before in the warp, and in order, whoever knows this one knows.
      bool const at_once = same->meeting == now.meeting && same->lane != now.lane;
      *same = now;
      if (at_once) same->lane = several;
    }
    return;
  }
  if (b.readers.empty()) {
    if (!ordered(b.read, now, known)) report(b.read, false, now, how, w, lane, i);
  } else {
    for (auto const& r : b.readers)
      if (!ordered(r, now, known)) report(r, false, now, how, w, lane, i);
    b.readers.clear();
  }
  b.read = {};
  b.written = now;
}

void race_watch::touch(warp& w, unsigned lane, std::byte const* at, unsigned bytes, access how,
                       instruction const& i) {
  auto* const state = state_of(at);
  if (!state) return;
  auto const agent = agent_of(w);
  auto const& known = clocks_[agent];
  record const now{&i,
                   known[agent],
                   meetings_[agent],
                   instance_,
                   static_cast<std::uint16_t>(agent),
                   static_cast<std::uint8_t>(lane),
                   how == access::atomic};
  for (unsigned k = 0; k < bytes; ++k) note(state[k], now, how, known, w, lane, i);
}

race_watch::clock race_watch::copy(warp& w, unsigned lane, std::byte const* at, unsigned bytes, access how,
                                   instruction const& i) {
  auto const agent = agent_of(w), copier = clocks_.size() - 1;
  auto known = clocks_[agent];
  record const now{
      &i,   ++copies_, 0, instance_, static_cast<std::uint16_t>(copier), static_cast<std::uint8_t>(lane),
      false};
  if (auto* const state = state_of(at))
    for (unsigned k = 0; k < bytes; ++k) {
      // The giver's own accesses are before it, since it gives it.
      note(state[k], now, how, known, w, lane, i);
    }
  known[copier] = std::max(known[copier], copies_);
  ++clocks_[agent][agent];
  return known;
}

void race_watch::release(warp const& w, void const* what) {
  auto const agent = agent_of(w);
  join(handed_[what], clocks_[agent]);
  ++clocks_[agent][agent];
}
void race_watch::acquire(warp const& w, void const* what) {
  auto const found = handed_.find(what);
  if (found != handed_.end()) join(clocks_[agent_of(w)], found->second);
}
void race_watch::done(clock const& copied, void const* what) { join(handed_[what], copied); }
void race_watch::done(clock const& copied, warp const& w) { join(clocks_[agent_of(w)], copied); }

void race_watch::report(record const& before, bool was_write, record const& now, access how, warp& w,
                        unsigned lane, instruction const& i) {
  static auto& known = *new std::set<std::string>;
  bool const copier = before.agent == clocks_.size() - 1;
  auto const who = copier
                       ? std::string("a copy")
                       : "warp " + std::to_string(before.agent % warps_) +
                             (cluster_.size() > 1
                                  ? " of block " + std::to_string(before.agent / warps_) + " of the cluster"
                                  : "") +
                             (before.lane == several ? "" : ", lane " + std::to_string(before.lane) + ",");
  bool const copies_now = now.agent == clocks_.size() - 1;
  auto const what = std::string("a race in shared memory: ") + (copies_now ? "a copy given by " : "") +
                    "this thread " +
                    (how == access::read    ? "reads"
                     : how == access::write ? "writes"
                                            : "changes") +
                    " what " + who + (was_write ? " has written" : " has read") + " at " +
                    w.home->of->kernel->place_of(*before.where) + ", and nothing is between";
  if (looks_for_races() == 1) w.fail(719, what, lane, i);
  auto const key =
      w.home->of->kernel->name + std::to_string(before.where->line) + " " + std::to_string(i.line);
  if (!known.insert(key).second) return;
  try {
    w.fail(719, what, lane, i);
  } catch (kernel_error const& e) { std::fprintf(stderr, "emulator: %s\n", e.what()); }
}

}  // namespace emulator

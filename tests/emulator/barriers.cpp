// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of blocks, clusters and memory, and the copies that mbarriers and groups wait for.
#include "handlers.hpp"

#include <algorithm>

namespace emulator {
namespace {

/// By what the race watch knows every other phase of a cluster's barrier.
void const* name_of_phase(cluster_barrier const& b, u32 phase) { return phase % 2 ? &b.phase : &b.arrived; }

void complete(block& b, unsigned id) {
  auto& state = b.barriers[id];
  auto const given = state;
  state = {};
  for (auto& w : b.warps)
    w.release(waits::at_barrier, id, [&](group const& g, instruction const& i) {
      if (b.races) {
        b.races->acquire(w, &state);
        b.races->met(w);
      }
      if (i.option == 2) {
        for_lanes(g.active, [&](unsigned l) {
          reinterpret_cast<u32*>(w.file.data() + g.window + i.operands[0])[l] = given.yes;
        });
      } else if (i.option > 2) {
        bool const result = i.option == 3 ? given.yes == given.asked : given.yes != 0;
        auto& p = *reinterpret_cast<lanes*>(w.file.data() + g.window + i.operands[0]);
        p = (p & ~g.active) | (result ? g.active : 0);
      }
    });
  if (b.races) b.races->forget(&state);
}

}  // namespace

void check_barriers(block& b) {
  for (unsigned id = 0; id < b.barriers.size(); ++id) {
    auto const& state = b.barriers[id];
    if (state.arrived > 0 && state.arrived >= (state.expected ? state.expected : b.alive)) complete(b, id);
  }
  auto& all = b.cluster[0]->of_cluster;
  std::uint32_t alive = 0;
  for (auto const* const one : b.cluster) alive += one->alive;
  if (all.arrived == 0 || all.arrived < alive) return;
  all.arrived = 0;
  u32 const ended = all.phase++;
  if (b.races)
    b.races->forget(name_of_phase(all, ended + 1));  // everybody has seen the end of the one before
  for (auto* const one : b.cluster)
    for (auto& w : one->warps)
      w.release(waits::at_cluster, 0, [&](group const&, instruction const&) {
        if (b.races) {
          b.races->acquire(w, name_of_phase(all, ended));
          b.races->met(w);
        }
      });
}

/// Operands: result or none, predicate or none, number, threads or none. i.option: 0 sync, 1 arrive, 2 popc,
/// 3 and, 4 or.
void block_barrier(warp& w, instruction const& i, lanes m) {
  auto const* const numbers = w.at<u32>(i.operands[2]);
  unsigned const first = first_lane(m);
  u32 const id = numbers[first];
  if (id >= 16) w.fail(715, "barrier " + std::to_string(id), first, i);
  for_lanes(m, [&](unsigned l) {
    if (numbers[l] != id) w.fail(715, "lanes of one warp at different barriers", l, i);
  });
  auto& state = w.home->barriers[id];
  u32 const expected = i.operands[3] == no_operand ? 0 : w.at<u32>(i.operands[3])[first];
  if (expected % warp_size != 0)
    w.fail(715, "a barrier of " + std::to_string(expected) + " threads", first, i);
  if (state.arrived > 0 && state.expected != expected)
    w.fail(715, "barrier " + std::to_string(id) + " is used with different numbers of threads", first, i);
  state.expected = expected;
  if (w.home->races) w.home->races->release(w, &state);
  state.arrived += expected && m == w.alive ? warp_size : static_cast<u32>(std::popcount(m));
  if (expected && state.arrived > expected)
    w.fail(715, "more threads than barrier " + std::to_string(id) + " is for", first, i);
  if (i.option >= 2) {
    state.yes += static_cast<u32>(std::popcount(w.predicate(i.operands[1]) & m));
    state.asked += static_cast<u32>(std::popcount(m));
  }
  if (i.option == 1) ++w.now.pc;
  else w.wait(waits::at_barrier, m, id);
  check_barriers(*w.home);
}

void cluster_arrive(warp& w, instruction const&, lanes m) {
  auto& all = w.home->cluster[0]->of_cluster;
  for_lanes(m, [&](unsigned l) { w.cluster_phase[l] = all.phase; });
  if (w.home->races) w.home->races->release(w, name_of_phase(all, all.phase));
  all.arrived += static_cast<u32>(std::popcount(m));
  check_barriers(*w.home);
}

void cluster_wait(warp& w, instruction const&, lanes m) {
  auto const& all = w.home->cluster[0]->of_cluster;
  lanes still = 0;
  for_lanes(m, [&](unsigned l) { still |= lanes{w.cluster_phase[l] == all.phase} << l; });
  if (auto const over = m & ~still; over && w.home->races) {
    w.home->races->acquire(w, name_of_phase(all, w.cluster_phase[first_lane(over)]));
    w.home->races->met(w);
  }
  if (still) w.wait(waits::at_cluster, still);
  else ++w.now.pc;
}

// ---- mbarriers ----
namespace {

/// What the 8 bytes of an mbarrier hold here.
struct mbarrier {
  u32 pending, expected;
  s32 bytes;  ///< that copies have yet to bring
  u32 phase;

  explicit mbarrier(std::byte const* from) {
    u64 all;
    std::memcpy(&all, from, 8);
    pending = all & 0xfffff;
    expected = all >> 20 & 0xfffff;
    bytes = static_cast<s32>(static_cast<s64>(all << 1) >> 41);
    phase = static_cast<u32>(all >> 63);
  }
  mbarrier(u32 count) : pending{count}, expected{count}, bytes{0}, phase{0} {}
  u64 word() const {
    return u64{phase} << 63 | (static_cast<u64>(static_cast<s64>(bytes)) & 0x7fffff) << 40 |
           u64{expected} << 20 | pending;
  }
  void keep(std::byte* to) {
    if (pending == 0 && bytes == 0) {
      phase ^= 1;
      pending = expected;
    }
    u64 const all = word();
    std::memcpy(to, &all, 8);
  }
};

void complete_bytes(std::byte* at, unsigned bytes) {
  mbarrier b(at);
  b.bytes -= static_cast<s32>(bytes);
  b.keep(at);
}

enum class use { init, end, expect, arrive, arrive_expect, complete, test, test_parity };
/// Operands: address, result or none, count or bytes or state.
template <use U>
void on_mbarrier(warp& w, instruction const& i, lanes m) {
  lane_addresses const address(w, i);
  bool waiting = false;
  for_lanes(m, [&](unsigned l) {
    auto* const at = w.locate(space_of(i), address[l], 8, l, i);
    u32 const given = i.operands[2] == no_operand || U == use::test ? 1 : w.at<u32>(i.operands[2])[l];
    if constexpr (U == use::init) {
      if (given == 0 || given > 0xfffff) w.fail(715, "an mbarrier of no arrivals, or of too many", l, i);
      mbarrier(given).keep(at);
      return;
    }
    mbarrier b(at);
    u64 const before = b.word();
    auto* const races = w.home->races.get();
    if (races && (U == use::arrive || U == use::arrive_expect)) races->release(w, at);
    if constexpr (U == use::arrive || U == use::arrive_expect) {
      u32 const arrivals = U == use::arrive ? given : 1;
      if (b.pending < arrivals) w.fail(719, "more arrivals than the mbarrier expects", l, i);
      b.pending -= arrivals;
      if constexpr (U == use::arrive_expect) b.bytes += static_cast<s32>(given);
      b.keep(at);
      if (i.operands[1] != no_operand) w.at<u64>(i.operands[1])[l] = before;
    } else if constexpr (U == use::expect) {
      b.bytes += static_cast<s32>(given);
      b.keep(at);
    } else if constexpr (U == use::complete) {
      complete_bytes(at, given);
    } else if constexpr (U == use::test || U == use::test_parity) {
      u32 const phase = U == use::test ? static_cast<u32>(w.at<u64>(i.operands[2])[l] >> 63) : given & 1;
      bool const passed = b.phase != phase;
      if (races && passed) races->acquire(w, at);
      auto& p = w.predicate(i.operands[1]);
      p = (p & ~(1u << l)) | lanes{passed} << l;
      waiting |= !passed;
    }
  });
  if (waiting) w.yield();
}

/// A copy that is done in a while.
void copy_later(warp& w, unsigned lane, instruction const& i, std::byte* to, std::byte const* from,
                unsigned bytes, unsigned zeros, std::byte* barrier) {
  race_watch::clock known;
  auto const races = w.home->races;
  if (races) {
    races->begin();
    (void)races->copy(w, lane, from, bytes, access::read, i);
    known = races->copy(w, lane, to, bytes + zeros, access::write, i);
  }
  w.home->of->begin_later(&w, [=, &w] {
    std::memcpy(to, from, bytes);
    std::memset(to + bytes, 0, zeros);
    if (races && barrier) races->done(known, barrier);
    if (races && !barrier) races->done(known, w);
    if (barrier) complete_bytes(barrier, bytes + zeros);
  });
}

std::byte* locate_range(warp& w, space s, u64 address, unsigned bytes, unsigned lane, instruction const& i) {
  if (address % 16 != 0 || bytes % 16 != 0)
    w.fail(716, "a bulk copy of what is not aligned to 16 bytes", lane, i);
  return w.locate_rarely(s, address, bytes, lane, i);
}

u64 address_in(warp& w, operand o, bool narrow, unsigned l) {
  return narrow ? w.at<u32>(o)[l] : w.at<u64>(o)[l];
}

}  // namespace

handler mbarrier_of(std::string_view op) {
  if (op == "init") return on_mbarrier<use::init>;
  if (op == "inval") return on_mbarrier<use::end>;
  if (op == "expect_tx") return on_mbarrier<use::expect>;
  if (op == "arrive") return on_mbarrier<use::arrive>;
  if (op == "arrive.expect_tx") return on_mbarrier<use::arrive_expect>;
  if (op == "complete_tx") return on_mbarrier<use::complete>;
  if (op == "test") return on_mbarrier<use::test>;
  if (op == "test.parity") return on_mbarrier<use::test_parity>;
  return nullptr;
}

/// Operands: address, items, (last) mbarrier's address. i.option: bytes of an item, of a 32-bit address.
void store_async(warp& w, instruction const& i, lanes m) {
  unsigned const size = i.option & 15, bytes = size * i.count;
  for_lanes(m, [&](unsigned l) {
    auto* const to =
        w.locate(space::shared, w.at<u32>(i.operands[0])[l] + static_cast<u64>(i.value), bytes, l, i);
    auto* const barrier = w.locate(space::shared, w.at<u32>(i.operands[5])[l], 8, l, i);
    std::array<std::byte, 16> items;
    for (unsigned k = 0; k < i.count; ++k)
      std::memcpy(items.data() + k * size, w.at<std::byte>(i.operands[k + 1]) + l * size, size);
    race_watch::clock known;
    auto const races = w.home->races;
    if (races) {
      races->begin();
      known = races->copy(w, l, to, bytes, access::write, i);
    }
    w.home->of->begin_later(&w, [=] {
      std::memcpy(to, items.data(), bytes);
      if (races) races->done(known, barrier);
      complete_bytes(barrier, bytes);
    });
  });
}

/// cp.async. Operands: to, from, bytes to read or none. i.value: bytes to write.
void copy_async(warp& w, instruction const& i, lanes m) {
  auto const bytes = static_cast<unsigned>(i.value);
  for_lanes(m, [&](unsigned l) {
    auto* const to = w.locate(space::shared, address_in(w, i.operands[0], i.option & 128, l), bytes, l, i);
    unsigned const read = i.operands[2] == no_operand ? bytes : std::min(bytes, w.at<u32>(i.operands[2])[l]);
    auto* const from = read ? w.locate(space::global, w.at<u64>(i.operands[1])[l], bytes, l, i) : to;
    copy_later(w, l, i, to, from, read, bytes - read, nullptr);
  });
}

/// cp.async.bulk. Operands: to, from, bytes, mbarrier or none. i.option: 1 to shared memory from global, 2
/// the other way, 3 within shared memory; 16, 32, 64: the first, second, fourth address has 32 bits.
void bulk_copy(warp& w, instruction const& i, lanes m) {
  unsigned const way = i.option & 3;
  for_lanes(m, [&](unsigned l) {
    u32 const bytes = w.at<u32>(i.operands[2])[l];
    auto* const to = locate_range(w, way == 2 ? space::global : space::shared,
                                  address_in(w, i.operands[0], i.option & 16, l), bytes, l, i);
    auto* const from = locate_range(w, way == 1 ? space::global : space::shared,
                                    address_in(w, i.operands[1], i.option & 32, l), bytes, l, i);
    auto* const barrier =
        i.operands[3] == no_operand
            ? nullptr
            : w.locate(space::shared, address_in(w, i.operands[3], i.option & 64, l), 8, l, i);
    copy_later(w, l, i, to, from, bytes, 0, barrier);
  });
}

void settle_copies(warp& w, instruction const&, lanes) { w.home->of->settle(&w); }

}  // namespace emulator

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks for races in shared memory: two accesses of one byte, one of them a write, that nothing orders. A
// clock for each warp counts what the others know of it; barriers, mbarriers, atomics and volatile accesses
// hand clocks on.
#ifndef SWEEP_TESTS_EMULATOR_RACES_HPP
#define SWEEP_TESTS_EMULATOR_RACES_HPP

#include "program.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

namespace emulator {

struct block;

enum class access : std::uint8_t { read, write, atomic };

/// What is known of the accesses of one cluster.
class race_watch {
 public:
  using clock = std::vector<std::uint32_t>;

  explicit race_watch(std::vector<block*> const& cluster);

  /// A new instruction begins: what its lanes do they do at once.
  void begin() { ++instance_; }
  /// `at` may be anywhere; what is not in the cluster's shared memory is not looked at.
  void touch(warp& w, unsigned lane, std::byte const* at, unsigned bytes, access how, instruction const& i);
  /// The warp's lanes have met.
  void met(warp const& w) { ++meetings_[agent_of(w)]; }
  /// Who acquires `what` knows what those knew who have released it.
  void release(warp const& w, void const* what);
  void acquire(warp const& w, void const* what);
  void forget(void const* what) { handed_.erase(what); }

  /// A copy begins, of or to `bytes` bytes: whoever gives it touches them now, and nobody may until it is
  /// known to be done. Returns what those know who know that.
  clock copy(warp& w, unsigned lane, std::byte const* at, unsigned bytes, access how, instruction const& i);
  void done(clock const& copied, void const* what);
  void done(clock const& copied, warp const& w);

 private:
  /// The last of its kind.
  struct record {
    instruction const* where = nullptr;
    std::uint32_t time = 0, meeting = 0, instance = 0;
    std::uint16_t agent = 0;
    std::uint8_t lane = 0;
    bool atomic = false;
  };
  struct byte_state {
    record written, read;
    std::vector<record> readers;  ///< one of each warp, where there are several
  };
  static constexpr std::uint8_t several = 32;

  std::size_t agent_of(warp const& w) const;
  bool ordered(record const& before, record const& now, clock const& known) const;
  void note(byte_state& b, record const& now, access how, clock const& known, warp& w, unsigned lane,
            instruction const& i);
  void report(record const& before, bool was_write, record const& now, access how, warp& w, unsigned lane,
              instruction const& i);
  byte_state* state_of(std::byte const* at);

  std::vector<block*> cluster_;
  std::size_t warps_;  ///< of a block
  std::vector<clock> clocks_;
  std::vector<std::uint32_t> meetings_;
  std::uint32_t instance_ = 0, copies_ = 0;
  std::unordered_map<void const*, clock> handed_;
  std::vector<std::vector<byte_state>> bytes_;
};

/// Whether races are looked for (SIM_RACE): 1 ends the kernel at the first, 2 says what they are and goes on.
int looks_for_races();

}  // namespace emulator

#endif

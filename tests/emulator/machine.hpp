// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What runs: lanes in groups that go on together, warps of groups, blocks of warps, and a launch.
#ifndef SWEEP_TESTS_EMULATOR_MACHINE_HPP
#define SWEEP_TESTS_EMULATOR_MACHINE_HPP

#include "memory.hpp"
#include "program.hpp"
#include "races.hpp"

#include <functional>
#include <random>
#include <stdexcept>

namespace emulator {

struct block;
struct launch;

struct dimensions {
  unsigned x = 1, y = 1, z = 1;
  std::uint64_t all() const { return std::uint64_t{x} * y * z; }
};

/// A kernel ended by a mistake of its own; `code` is the cudaError_t that the host sees.
/// (Codes are written as numbers: 700 illegal address, 702 no end, 710 assertion, 715 illegal instruction,
/// 716 misaligned address, 719 failure.)
struct kernel_error : std::runtime_error {
  kernel_error(int error, std::string const& what) : std::runtime_error(what), code{error} {}
  int code;
};

enum class waits : std::uint8_t { not_at_all, for_lanes, at_barrier, at_cluster };

struct call_frame {
  std::uint32_t return_to, call, window, local, function = 0;
  friend bool operator==(call_frame const&, call_frame const&) = default;
};

/// Lanes of one warp at one instruction. Groups that meet become one.
struct group {
  std::uint32_t pc = 0;
  lanes active = 0;
  waits waiting = waits::not_at_all;
  std::uint8_t barrier = 0;
  std::uint32_t function = 0, window = 0, local = 0;  ///< the running function, its registers and its frame
  std::vector<call_frame> stack;
};

struct warp {
  block* home = nullptr;
  unsigned index = 0;
  std::byte* registers = nullptr;  ///< the running function's window
  std::byte const* constants = nullptr;
  instruction const* code = nullptr;
  group now;
  std::uint32_t limit = UINT32_MAX;  ///< where another group waits to go on together with this one
  int budget = 0;                    ///< instructions before it is another warp's turn
  bool stale = true;                 ///< groups must be looked through
  lanes alive = 0, carry = 0;
  std::vector<group> others;
  std::vector<std::byte> file, local_memory;
  std::uint32_t local_bytes = 0;
  std::uint64_t near_since = 0;                          ///< releases() then
  region near;                                           ///< the global memory used last
  std::array<std::uint32_t, warp_size> cluster_phase{};  ///< in which a lane arrived

  template <class T>
  T* at(operand o) {
    return reinterpret_cast<T*>(o >= 0 ? registers + o : const_cast<std::byte*>(constants) - o);
  }
  lanes& predicate(operand o) { return *at<lanes>(o); }

  /// Of `bytes` bytes at an address of a space, for a lane. Ends the kernel where nothing is.
  std::byte* locate(space s, std::uint64_t address, unsigned bytes, unsigned lane, instruction const& i);
  std::byte* locate_rarely(space s, std::uint64_t address, unsigned bytes, unsigned lane,
                           instruction const& i);
  [[noreturn]] void fail(int code, std::string const& what, unsigned lane, instruction const& i);

  // ---- Which lanes go on where (warp.cpp) ----
  void run(int instructions);
  /// Joins groups that have met, and takes up the one that is furthest behind, or any.
  void regroup(bool any = false);
  /// `taken` of now.active go to target, the others to the next instruction.
  void go(std::uint32_t target, lanes taken);
  /// Those of now.active stay at this instruction and wait; the others go on.
  void wait(waits how, lanes those, unsigned barrier = 0);
  /// Those who wait go on behind the instruction; done(lanes, its instruction) first.
  template <class F>
  void release(waits how, unsigned barrier, F done) {
    for (auto& g : others) {
      if (g.waiting != how || g.barrier != barrier) continue;
      done(g, code[g.pc]);
      g.waiting = waits::not_at_all;
      ++g.pc;
      stale = true;
    }
  }
  void leave(lanes those);  ///< they end
  void use_window(std::uint32_t window);
  void yield() { budget = 0; }
  bool runnable() const { return now.active != 0 || stale; }
};

struct barrier_state {
  std::uint32_t arrived = 0, expected = 0;  ///< expected: 0 for every thread of the block
  std::uint32_t yes = 0, asked = 0;         ///< answers, where it reduces them
};
struct cluster_barrier {
  std::uint32_t arrived = 0, phase = 0;
};

struct block {
  launch* of = nullptr;
  std::uint64_t number = 0;
  dimensions index, cluster_index, index_in_cluster;
  bool lets_next_start = false;
  unsigned rank = 0;
  std::vector<block*> cluster;
  std::vector<warp> warps;
  std::vector<std::byte> shared;
  std::uint32_t threads = 0, alive = 0;
  std::array<barrier_state, 16> barriers;
  cluster_barrier of_cluster;         ///< its first block's
  std::shared_ptr<race_watch> races;  ///< the cluster's; null: they are not looked for
  bool done() const { return alive == 0; }
};

/// What a warp has begun and what is done a little later: copies.
struct pending {
  std::uint64_t when;
  warp* whose;
  std::function<void()> act;
};

struct launch {
  program const* kernel = nullptr;
  dimensions grid, threads, cluster;
  std::uint32_t dynamic_shared = 0;
  std::vector<std::byte> parameters;
  std::uint64_t steps = 0;
  std::vector<pending> later;
  std::minstd_rand random;

  bool all_resident = false;
  std::uint64_t let_on = 0;            ///< blocks that let the next kernel start, or have ended
  std::shared_ptr<bool const> before;  ///< whether the kernel before it is done; null: it was
  std::unique_ptr<struct residents> blocks;

  launch();
  ~launch();
  /// A turn for every warp that is there. False: the kernel is done.
  bool advance();
  bool next_may_start() const { return let_on == grid.all(); }
  void begin_later(warp* whose, std::function<void()> act);
  /// What is due, or all that `whose` has begun.
  void settle();
  void settle(warp* whose);
  void settle_all();
};

/// Looks whether barriers of the block and of its cluster are complete, for threads have arrived or ended.
void check_barriers(block& b);

/// What the environment says: SIM_BLOCKS, SIM_SMS, SIM_SEED, SIM_SLICE.
struct settings {
  unsigned blocks = 8, multiprocessors = 4, seed = 1, slice = 300;
};
settings const& chosen();

// ---- What the handlers of an instruction are found by (decode.cpp) ----
struct shape {
  handler run = nullptr;
  type result;
  std::vector<type> sources;
  std::uint8_t option = 0;  ///< the instruction's
};
/// "add.s32" and the like: what computes lane by lane from registers to a register.
std::unordered_map<std::string, shape> const& arithmetic();
void define_floats(std::unordered_map<std::string, shape>& table);
void define_conversions(std::unordered_map<std::string, shape>& table);

}  // namespace emulator

#endif

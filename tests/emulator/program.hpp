// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel and the functions it calls, decoded: one array of instructions, each of which runs for the lanes
// of a warp.
#ifndef SWEEP_TESTS_EMULATOR_PROGRAM_HPP
#define SWEEP_TESTS_EMULATOR_PROGRAM_HPP

#include "ptx.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace emulator {

constexpr unsigned warp_size = 32;
/// A bit for each lane.
using lanes = std::uint32_t;
constexpr lanes every_lane = ~lanes{0};

/// Where a register's 32 values lie: in the window of the running function, or (negative) among the
/// constants. A predicate is one word, a bit for each lane.
using operand = std::int32_t;
constexpr operand no_operand = INT32_MIN;

struct warp;
struct instruction;
using handler = void (*)(warp&, instruction const&, lanes);

struct instruction {
  handler run = nullptr;
  operand guard = no_operand;
  bool guard_inverted = false;
  bool moves = false;       ///< the handler itself says where the lanes go on
  std::uint8_t count = 1;   ///< items of a vector
  std::uint8_t option = 0;  ///< what the handler takes it for
  std::array<operand, 6> operands = {no_operand, no_operand, no_operand, no_operand, no_operand, no_operand};
  std::int64_t value = 0;  ///< an address's offset, a branch's target, ...
  std::uint32_t line = 0;  ///< in the PTX text
  source_line source;
};

/// Bytes of a function's frame in local memory.
struct piece {
  std::uint32_t offset = 0, bytes = 0;
};
struct function {
  std::string name;
  std::uint32_t begin = 0;   ///< its first instruction
  std::uint32_t window = 0;  ///< where its registers lie, below others of the same function that called it
  std::uint32_t frame = 0;   ///< bytes of its local memory, for each lane
  std::vector<piece> parameters, results;
};
struct call {
  std::int32_t callee = -1;  ///< a function's number; -1: a register has its address
  operand address = no_operand;
  std::vector<piece> arguments, results;
};

struct program {
  std::string name;
  std::map<std::uint32_t, std::string> const* files = nullptr;
  /// The line of the PTX and, where it is known, that of the source.
  std::string place_of(instruction const& i) const;
  std::vector<instruction> code;
  std::vector<function> functions;  ///< the kernel is the first
  std::vector<call> calls;
  std::vector<std::vector<std::uint32_t>> tables;  ///< of targets, for brx.idx
  std::vector<std::byte> constants;
  std::vector<piece> parameters;  ///< in the launch's parameters
  std::uint32_t parameter_bytes = 0;
  std::uint32_t shared_bytes = 0;  ///< without what the launch adds
  std::uint32_t dynamic_at = 0;    ///< where that begins, from the beginning of shared memory
  std::uint32_t local_bytes = 0;   ///< for each lane, calls included
  std::uint32_t window_bytes = 0;  ///< registers of all functions, once
  std::uint32_t most_threads = 1024;
  unsigned cluster[3] = {0, 0, 0};
  std::vector<std::string> unknown;  ///< instructions that end the kernel if they are met
};

/// Where the module's variables lie, by name.
using addresses = std::unordered_map<std::string, std::uint64_t>;

std::unique_ptr<program> decode(module_text const& module, std::string const& kernel,
                                addresses const& globals);

}  // namespace emulator

#endif

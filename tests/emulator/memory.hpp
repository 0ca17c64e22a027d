// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GPU's memory is the host's: an address of global memory is a host pointer. Shared, local and parameter
// memory have windows of addresses where no pointer points.
#ifndef SWEEP_TESTS_EMULATOR_MEMORY_HPP
#define SWEEP_TESTS_EMULATOR_MEMORY_HPP

#include <cstddef>
#include <cstdint>

namespace emulator {

enum class space : std::uint8_t { generic, global, shared, local, parameter, frame };

constexpr std::uint64_t window_bits = std::uint64_t{0xff} << 56;
constexpr std::uint64_t shared_window = std::uint64_t{2} << 56;
constexpr std::uint64_t local_window = std::uint64_t{3} << 56;
constexpr std::uint64_t parameter_window = std::uint64_t{4} << 56;
constexpr std::uint64_t function_window = std::uint64_t{5} << 56;
/// Shared memory begins here in its window, so that 0 is nowhere, as on an H100. Above the low 24 bits is the
/// block's rank in its cluster, plus 1; 0 is the block itself.
constexpr std::uint32_t shared_begin = 1024;
constexpr unsigned rank_shift = 24;

/// Memory that kernels may use.
struct region {
  std::uint64_t begin = 1, end = 0;
  bool holds(std::uint64_t address, std::uint64_t bytes) const {
    return address >= begin && address + bytes <= end;
  }
};

enum class memory_kind : std::uint8_t { device, pinned, managed, variable };
struct allocation {
  region where;
  memory_kind what;
  void* block = nullptr;  ///< what malloc gave; null: somebody else's
};

/// Between guards, filled with 0xA5. Null: no memory.
void* allocate(std::size_t bytes, memory_kind what);
/// False: nothing was allocated there.
bool release(void* p);
void adopt(void* p, std::size_t bytes, memory_kind what);
/// The allocation that holds an address, or null. Not thread safe, as everything here: the runtime has one
/// lock.
allocation const* find(std::uint64_t address);
std::size_t allocated_bytes();
/// How often memory was released: what was found may have gone since.
std::uint64_t releases();

}  // namespace emulator

#endif

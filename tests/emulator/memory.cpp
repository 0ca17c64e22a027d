// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory.hpp"

#include "machine.hpp"

#include <cstdlib>
#include <cstring>
#include <map>

namespace emulator {
namespace {

constexpr std::size_t guard = 512;
constexpr std::size_t alignment = 512;
constexpr std::size_t filled_below = std::size_t{256} << 20;  // what is larger need not all be there

std::map<std::uint64_t, allocation>& all() {
  static auto& table = *new std::map<std::uint64_t, allocation>;  // outlives whatever frees memory at exit
  return table;
}
std::size_t in_use = 0;
std::uint64_t released = 0;

}  // namespace

void* allocate(std::size_t bytes, memory_kind what) {
  auto const whole = (bytes + 2 * guard + alignment - 1) / alignment * alignment;
  auto* const block = static_cast<std::byte*>(std::aligned_alloc(alignment, whole));
  if (!block) return nullptr;
  if (whole < filled_below) std::memset(block, 0xa5, whole);
  auto* const p = block + guard;
  auto const begin = reinterpret_cast<std::uint64_t>(p);
  all()[begin] = {{begin, begin + bytes}, what, block};
  in_use += bytes;
  return p;
}

void adopt(void* p, std::size_t bytes, memory_kind what) {
  auto const begin = reinterpret_cast<std::uint64_t>(p);
  all()[begin] = {{begin, begin + bytes}, what, nullptr};
}

bool release(void* p) {
  auto const found = all().find(reinterpret_cast<std::uint64_t>(p));
  if (found == all().end()) return false;
  if (found->second.block) {
    in_use -= found->second.where.end - found->second.where.begin;
    std::free(found->second.block);
  }
  all().erase(found);
  ++released;
  return true;
}

allocation const* find(std::uint64_t address) {
  auto next = all().upper_bound(address);
  if (next == all().begin()) return nullptr;
  auto const& one = std::prev(next)->second;
  return address < one.where.end || address == one.where.begin ? &one : nullptr;
}

std::size_t allocated_bytes() { return in_use; }
std::uint64_t releases() { return released; }

std::byte* warp::locate(space s, std::uint64_t address, unsigned bytes, unsigned lane, instruction const& i) {
  if (address % bytes != 0)
    fail(716, "an address that is not aligned to " + std::to_string(bytes) + " bytes", lane, i);
  if (s == space::frame) return locate_rarely(space::local, address + now.local, bytes, lane, i);
  return locate_rarely(s, address, bytes, lane, i);
}

std::byte* warp::locate_rarely(space s, std::uint64_t address, unsigned bytes, unsigned lane,
                               instruction const& i) {
  if (s == space::generic) {
    auto const window = address & window_bits;
    s = window == shared_window      ? space::shared
        : window == local_window     ? space::local
        : window == parameter_window ? space::parameter
                                     : space::global;
    if (s != space::global) address &= ~window_bits;
  }
  auto const nowhere = [&](char const* what) {
    char text[64];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    fail(700, std::to_string(bytes) + " bytes at " + text + " are not in " + what, lane, i);
  };
  switch (s) {
  case space::shared: {
    auto low = static_cast<std::uint32_t>(address);
    auto* b = home;
    if (auto const rank = low >> rank_shift) {
      if (rank > home->cluster.size()) nowhere("the cluster's shared memory");
      b = home->cluster[rank - 1];
      if (b != home && b->done()) nowhere("shared memory: that block has ended");
      low &= (1u << rank_shift) - 1;
    }
    if (low < shared_begin || low - shared_begin + bytes > b->shared.size()) nowhere("shared memory");
    return b->shared.data() + (low - shared_begin);
  }
  case space::local:
    address &= ~window_bits;
    if (address + bytes > local_bytes) nowhere("local memory");
    return local_memory.data() + std::size_t{lane} * local_bytes + address;
  case space::parameter:
    address &= ~window_bits;
    if (address + bytes > home->of->parameters.size()) nowhere("the parameters");
    return home->of->parameters.data() + address;
  default: {
    if (near.holds(address, bytes)) break;
    auto const* const found = find(address);
    if (!found || !found->where.holds(address, bytes)) {
      std::string beside = "any allocation";
      if (found)
        beside += " (they begin in one of " + std::to_string(found->where.end - found->where.begin) + ")";
      nowhere(beside.c_str());
    }
    near = found->where;
  }
  }
  return reinterpret_cast<std::byte*>(address);
}

}  // namespace emulator

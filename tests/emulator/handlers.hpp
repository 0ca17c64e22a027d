// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers that the decoder chooses by type, space and operation.
#ifndef SWEEP_TESTS_EMULATOR_HANDLERS_HPP
#define SWEEP_TESTS_EMULATOR_HANDLERS_HPP

#include "lanewise.hpp"

#include <bit>
#include <string_view>

namespace emulator {

/// The addresses of an instruction's lanes: operand `k`, of 4 bytes where i.option's highest bit is set, plus
/// i.value.
struct lane_addresses {
  u32 const* narrow;
  u64 const* wide;
  u64 offset;
  lane_addresses(warp& w, instruction const& i, unsigned k = 0)
      : narrow{i.option & 128 ? w.at<u32>(i.operands[k]) : nullptr},
        wide{w.at<u64>(i.operands[k])},
        offset{static_cast<u64>(i.value)} {}
  u64 operator[](unsigned l) const {
    return narrow ? static_cast<u32>(narrow[l] + offset) : wide[l] + offset;
  }
};
/// Volatile and synchronizing accesses.
constexpr std::uint8_t strong = 64;
inline space space_of(instruction const& i) { return static_cast<space>(i.option & 15); }
constexpr std::uint8_t option_of(space s, bool narrow) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(s) | (narrow ? 128u : 0u));
}

template <class F>
void for_lanes(lanes m, F f) {
  for (; m; m &= m - 1) f(static_cast<unsigned>(std::countr_zero(m)));
}
inline unsigned first_lane(lanes m) { return static_cast<unsigned>(std::countr_zero(m)); }

// ---- access.cpp: operand 0 is the address, the items follow ----
handler load_of(type t, unsigned register_bytes, space s);
handler store_of(type t, unsigned register_bytes, space s);
/// Operands: address, old value (or none), one or two values.
handler atomic_of(std::string_view operation, type t);
void pack(warp& w, instruction const& i, lanes m);    ///< operand 0 of the others, of i.option bytes each
void unpack(warp& w, instruction const& i, lanes m);  ///< the others, of i.option bytes each, of operand 0
void frame_address(warp& w, instruction const& i, lanes m);
void map_to_rank(warp& w, instruction const& i, lanes m);
void rank_of_address(warp& w, instruction const& i, lanes m);
void is_in_space(warp& w, instruction const& i, lanes m);

// ---- exchange.cpp: between the lanes of a warp ----
handler shuffle_of(std::string_view mode);
handler vote_of(std::string_view mode);
handler match_of(std::string_view mode, unsigned bytes);
handler reduction_of(std::string_view operation, bool is_signed);
void active_lanes(warp& w, instruction const& i, lanes m);
void elect(warp& w, instruction const& i, lanes m);
void warp_barrier(warp& w, instruction const& i, lanes m);

// ---- barriers.cpp ----
void block_barrier(warp& w, instruction const& i, lanes m);
void cluster_arrive(warp& w, instruction const& i, lanes m);
void cluster_wait(warp& w, instruction const& i, lanes m);
handler mbarrier_of(std::string_view operation);
void store_async(warp& w, instruction const& i, lanes m);
void copy_async(warp& w, instruction const& i, lanes m);
void bulk_copy(warp& w, instruction const& i, lanes m);
void settle_copies(warp& w, instruction const& i, lanes m);

// ---- control.cpp ----
void branch(warp& w, instruction const& i, lanes m);
void branch_by_table(warp& w, instruction const& i, lanes m);
void call_function(warp& w, instruction const& i, lanes m);
void call_printf(warp& w, instruction const& i, lanes m);
void call_assert(warp& w, instruction const& i, lanes m);
void go_back(warp& w, instruction const& i, lanes m);
void end(warp& w, instruction const& i, lanes m);
void trap(warp& w, instruction const& i, lanes m);
void pause(warp& w, instruction const& i, lanes m);
void wait_for_grid(warp& w, instruction const& i, lanes m);
void let_next_start(warp& w, instruction const& i, lanes m);
void nothing(warp& w, instruction const& i, lanes m);
void unknown(warp& w, instruction const& i, lanes m);
/// A register that the machine keeps; i.value says which.
void special(warp& w, instruction const& i, lanes m);
/// Its number and its size, or -1.
int special_register(std::string_view name, unsigned& bytes);

}  // namespace emulator

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores, atomics, and arithmetic on addresses.
#include "handlers.hpp"

#include <algorithm>

namespace emulator {
namespace {

template <space S>
[[gnu::always_inline]] inline std::byte* place(warp& w, u64 address, unsigned bytes, unsigned lane,
                                               instruction const& i) {
  if ((address & (bytes - 1)) == 0) {
    if constexpr (S == space::global || S == space::generic) {
      if (w.near.holds(address, bytes)) return reinterpret_cast<std::byte*>(address);
    } else if constexpr (S == space::shared) {
      auto const low = u64{static_cast<u32>(address)} - shared_begin;
      auto& shared = w.home->shared;
      if (low < shared.size() && low + bytes <= shared.size()) return shared.data() + low;
    }
  }
  return w.locate(S, address, bytes, lane, i);
}

/// Who looks for races in that space; a new instruction begins.
template <space S>
race_watch* watched(warp& w) {
  if constexpr (S != space::shared && S != space::generic) return nullptr;
  auto* const races = w.home->races.get();
  if (races) races->begin();
  return races;
}
[[gnu::noinline]] void watch(race_watch& races, warp& w, unsigned lane, std::byte const* p, unsigned bytes,
                             access how, instruction const& i) {
  bool const synchronizes = i.option & strong;
  if (synchronizes && how == access::read) races.acquire(w, p);
  races.touch(w, lane, p, bytes, synchronizes ? access::atomic : how, i);
  if (synchronizes && how == access::write) races.release(w, p);
}

/// T: in memory; R: the register.
template <class T, class R, space S>
void load(warp& w, instruction const& i, lanes m) {
  lane_addresses const address(w, i);
  auto const count = i.count;
  auto const bytes = static_cast<unsigned>(sizeof(T) * count);
  auto* const races = watched<S>(w);
  for_lanes(m, [&](unsigned l) {
    auto const* const p = place<S>(w, address[l], bytes, l, i);
    if (races) [[unlikely]]
      watch(*races, w, l, p, bytes, access::read, i);
    std::array<T, 4> items;
    for (unsigned k = 0; k < count; ++k) std::memcpy(&items[k], p + k * sizeof(T), sizeof(T));
    for (unsigned k = 0; k < count; ++k)
      if (i.operands[k + 1] != no_operand) w.at<R>(i.operands[k + 1])[l] = static_cast<R>(items[k]);
  });
}
template <class T, class R, space S>
void store(warp& w, instruction const& i, lanes m) {
  lane_addresses const address(w, i);
  auto const count = i.count;
  auto const bytes = static_cast<unsigned>(sizeof(T) * count);
  auto* const races = watched<S>(w);
  for_lanes(m, [&](unsigned l) {
    auto* const p = place<S>(w, address[l], bytes, l, i);
    std::array<T, 4> items;
    for (unsigned k = 0; k < count; ++k) items[k] = static_cast<T>(w.at<R>(i.operands[k + 1])[l]);
    if (races && std::memcmp(p, items.data(), bytes) != 0) [[unlikely]]  // several may write what is there
      watch(*races, w, l, p, bytes, access::write, i);
    std::memcpy(p, items.data(), bytes);
  });
}

template <bool Load, class T, class R, space S>
handler one_access() {
  if constexpr (Load) return load<T, R, S>;
  else return store<T, R, S>;
}
template <bool Load, class T, class R>
handler in_space(space s) {
  switch (s) {
  case space::generic:
    return one_access<Load, T, R, space::generic>();
  case space::global:
    return one_access<Load, T, R, space::global>();
  case space::shared:
    return one_access<Load, T, R, space::shared>();
  case space::local:
    return one_access<Load, T, R, space::local>();
  case space::parameter:
    return one_access<Load, T, R, space::parameter>();
  default:
    return one_access<Load, T, R, space::frame>();
  }
}
template <bool Load, class T>
handler in_register(unsigned bytes, space s) {
  if constexpr (sizeof(T) <= 2) {
    if (bytes == 2) return in_space<Load, T, u16>(s);
  }
  if constexpr (sizeof(T) <= 4) {
    if (bytes == 4) return in_space<Load, T, u32>(s);
  }
  if constexpr (sizeof(T) <= 8) {
    if (bytes == 8) return in_space<Load, T, u64>(s);
  }
  if (bytes == 16) return in_space<Load, T, u128>(s);
  return nullptr;
}
template <bool Load>
handler of_type(type t, unsigned register_bytes, space s) {
  if (Load && t.meaning == kind::integer) {
    if (t.bytes == 1) return in_register<Load, s8>(register_bytes, s);
    if (t.bytes == 2) return in_register<Load, s16>(register_bytes, s);
    if (t.bytes == 4) return in_register<Load, s32>(register_bytes, s);
  }
  switch (t.bytes) {
  case 1:
    return in_register<Load, u8>(register_bytes, s);
  case 2:
    return in_register<Load, u16>(register_bytes, s);
  case 4:
    return in_register<Load, u32>(register_bytes, s);
  case 8:
    return in_register<Load, u64>(register_bytes, s);
  default:
    return in_register<Load, u128>(register_bytes, s);
  }
}

// ---- Atomics: the lanes' order is anybody's guess ----
template <class T, class F>
void atomic(warp& w, instruction const& i, lanes m) {
  lane_addresses const address(w, i);
  auto* const races = watched<space::generic>(w);
  auto const one = [&](unsigned l) {
    auto* const p = w.locate(space_of(i), address[l], sizeof(T), l, i);
    if (races) [[unlikely]] {
      races->acquire(w, p);
      races->touch(w, l, p, sizeof(T), access::atomic, i);
      races->release(w, p);
    }
    T old;
    std::memcpy(&old, p, sizeof(T));
    T const b = w.at<T>(i.operands[2])[l];
    T const c = i.operands[3] == no_operand ? T{} : w.at<T>(i.operands[3])[l];
    T const next = F{}(old, b, c);
    std::memcpy(p, &next, sizeof(T));
    if (i.operands[1] != no_operand) w.at<T>(i.operands[1])[l] = old;
  };
  lanes const from = ~lanes{0} << (w.home->of->random() & 31);
  for_lanes(m & from, one);
  for_lanes(m & ~from, one);
}
template <class T, class F>
handler atomic_with(F) {
  return atomic<T, F>;
}
template <class T>
handler number_atomic(std::string_view op) {
  if (op == "add") return atomic_with<T>([](T a, T b, T) { return static_cast<T>(a + b); });
  if (op == "min") return atomic_with<T>([](T a, T b, T) { return b < a ? b : a; });
  if (op == "max") return atomic_with<T>([](T a, T b, T) { return b > a ? b : a; });
  return nullptr;
}
template <class T>
handler bits_atomic(std::string_view op) {
  if (op == "and") return atomic_with<T>([](T a, T b, T) { return static_cast<T>(a & b); });
  if (op == "or") return atomic_with<T>([](T a, T b, T) { return static_cast<T>(a | b); });
  if (op == "xor") return atomic_with<T>([](T a, T b, T) { return static_cast<T>(a ^ b); });
  if (op == "exch") return atomic_with<T>([](T, T b, T) { return b; });
  if (op == "cas") return atomic_with<T>([](T a, T b, T c) { return a == b ? c : a; });
  if (op == "inc") return atomic_with<T>([](T a, T b, T) { return a >= b ? T{0} : static_cast<T>(a + 1); });
  if (op == "dec")
    return atomic_with<T>([](T a, T b, T) { return a == 0 || a > b ? b : static_cast<T>(a - 1); });
  return number_atomic<T>(op);
}

}  // namespace

handler load_of(type t, unsigned register_bytes, space s) { return of_type<true>(t, register_bytes, s); }
handler store_of(type t, unsigned register_bytes, space s) { return of_type<false>(t, register_bytes, s); }

handler atomic_of(std::string_view op, type t) {
  if (t == type{kind::real, 4}) return number_atomic<float>(op);
  if (t == type{kind::real, 8}) return number_atomic<double>(op);
  if (t == type{kind::real, 2}) return number_atomic<half>(op);
  if (t == type{kind::brain, 2}) return number_atomic<brain>(op);
  if (t == type{kind::integer, 4}) return number_atomic<s32>(op);
  if (t == type{kind::integer, 8}) return number_atomic<s64>(op);
  switch (t.bytes) {
  case 2:
    return bits_atomic<u16>(op);
  case 4:
    return bits_atomic<u32>(op);
  case 8:
    return bits_atomic<u64>(op);
  case 16:
    return bits_atomic<u128>(op);
  default:
    return nullptr;
  }
}

void pack(warp& w, instruction const& i, lanes m) {
  unsigned const part = i.option, whole = part * i.count;
  auto* const d = w.at<std::byte>(i.operands[0]);
  for_lanes(m, [&](unsigned l) {
    for (unsigned k = 0; k < i.count; ++k)
      std::memcpy(d + l * whole + k * part, w.at<std::byte>(i.operands[k + 1]) + l * part, part);
  });
}
void unpack(warp& w, instruction const& i, lanes m) {
  unsigned const part = i.option, whole = part * i.count;
  auto const* const s = w.at<std::byte>(i.operands[0]);
  for_lanes(m, [&](unsigned l) {
    std::array<std::byte, 16> parts;
    std::memcpy(parts.data(), s + l * whole, whole);
    for (unsigned k = 0; k < i.count; ++k)
      if (i.operands[k + 1] != no_operand)
        std::memcpy(w.at<std::byte>(i.operands[k + 1]) + l * part, parts.data() + k * part, part);
  });
}

void frame_address(warp& w, instruction const& i, lanes m) {
  u64 const address = w.now.local + static_cast<u64>(i.value);
  for_lanes(m, [&](unsigned l) {
    if (i.option & 128) w.at<u32>(i.operands[0])[l] = static_cast<u32>(address);
    else w.at<u64>(i.operands[0])[l] = address;
  });
}

namespace {
constexpr u64 low_bits = (u64{1} << rank_shift) - 1;
template <class T>
void map_addresses(warp& w, instruction const& i, lanes m) {
  for_lanes(m, [&](unsigned l) {
    u32 const rank = w.at<u32>(i.operands[2])[l];
    if (rank >= w.home->cluster.size())
      w.fail(715,
             "mapa to block " + std::to_string(rank) + " of a cluster of " +
                 std::to_string(w.home->cluster.size()),
             l, i);
    T const a = w.at<T>(i.operands[1])[l];
    w.at<T>(i.operands[0])[l] = static_cast<T>((a & ~(u64{255} << rank_shift)) | u64{rank + 1} << rank_shift);
  });
}
}  // namespace

void map_to_rank(warp& w, instruction const& i, lanes m) {
  if (i.option & 128) map_addresses<u32>(w, i, m);
  else map_addresses<u64>(w, i, m);
}

void rank_of_address(warp& w, instruction const& i, lanes m) {
  lane_addresses const address(w, i, 1);
  for_lanes(m, [&](unsigned l) {
    auto const rank = static_cast<u32>(address[l] >> rank_shift & 255);
    w.at<u32>(i.operands[0])[l] = rank == 0 ? w.home->rank : rank - 1;
  });
}

void is_in_space(warp& w, instruction const& i, lanes m) {
  lane_addresses const address(w, i, 1);
  lanes result = 0;
  for_lanes(m, [&](unsigned l) {
    auto const window = address[l] & window_bits;
    bool const own = (address[l] & ~low_bits & ~window_bits) == 0;
    bool const yes = space_of(i) == space::shared      ? window == shared_window && (own || i.count == 2)
                     : space_of(i) == space::local     ? window == local_window
                     : space_of(i) == space::parameter ? window == parameter_window
                                                       : window == 0;
    result |= lanes{yes} << l;
  });
  auto& d = w.predicate(i.operands[0]);
  d = (d & ~m) | result;
}

}  // namespace emulator

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the lanes of a warp tell each other. Each of these instructions names the lanes that take part, and
// waits until all of them are there.
#include "handlers.hpp"

namespace emulator {
namespace {

/// Calls act(members) for each set of lanes that is complete, and lets the others wait. i.operands[5]: the
/// sets.
template <class F>
[[gnu::always_inline]] inline void when_complete(warp& w, instruction const& i, lanes m, F act) {
  u32 const* const named = w.at<u32>(i.operands[5]);
  lanes done = 0;
  for (lanes left = m; left;) {
    unsigned const first = first_lane(left);
    lanes const members = named[first];
    lanes same = 0;
    for (lanes k = left; k; k &= k - 1)
      if (named[std::countr_zero(k)] == members) same |= k & -k;
    left &= ~same;
    if (same & ~members) w.fail(719, "a lane that the mask does not name", first_lane(same & ~members), i);
    if (members & w.alive & ~same) continue;
    act(same);
    done |= same;
    if (w.home->races) w.home->races->met(w);
  }
  // Lanes whose guard is false have nothing to wait for.
  lanes const on = done | (w.now.active & ~m), waiting = m & ~done;
  if (!waiting) {
    ++w.now.pc;
    return;
  }
  if (on) {
    group ahead = w.now;
    ahead.active = on;
    ++ahead.pc;
    w.others.push_back(ahead);
  }
  w.now.active = waiting;
  w.now.waiting = waits::for_lanes;
  w.others.push_back(w.now);
  w.now.active = 0;
  w.now.waiting = waits::not_at_all;
  w.regroup();
}

enum class mode { up, down, butterfly, index };
/// Operands: result, predicate or none, value, lane or distance, clamp and segments, members.
template <mode M>
void shuffle(warp& w, instruction const& i, lanes m) {
  when_complete(w, i, m, [&](lanes members) {
    u32 const *const a = w.at<u32>(i.operands[2]), *const b = w.at<u32>(i.operands[3]),
                     *const c = w.at<u32>(i.operands[4]);
    std::array<u32, warp_size> result;
    lanes valid = 0;
    for_lanes(members, [&](unsigned l) {
      u32 const n = b[l] & 31, clamp = c[l] & 31, segments = c[l] >> 8 & 31;
      u32 const most = (l & segments) | (clamp & ~segments), least = l & segments;
      u32 from = 0;
      bool in = false;
      if constexpr (M == mode::up) {
        from = l - n;
        in = static_cast<s32>(from) >= static_cast<s32>(most);
      } else if constexpr (M == mode::down) {
        from = l + n;
        in = from <= most;
      } else if constexpr (M == mode::butterfly) {
        from = l ^ n;
        in = from <= most;
      } else {
        from = least | (n & ~segments);
        in = from <= most;
      }
      if (!in) from = l;
      valid |= lanes{in} << l;
      result[l] = (members >> from & 1) ? a[from] : 0xdeadbeef;  // of nobody who takes part
    });
    for_lanes(members, [&](unsigned l) { w.at<u32>(i.operands[0])[l] = result[l]; });
    if (i.operands[1] != no_operand) {
      auto& p = w.predicate(i.operands[1]);
      p = (p & ~members) | valid;
    }
  });
}

enum class poll { all, any, uniform, ballot };
/// Operands: result, -, predicate.
template <poll P>
void vote(warp& w, instruction const& i, lanes m) {
  when_complete(w, i, m, [&](lanes members) {
    lanes const yes = w.predicate(i.operands[2]) & members;
    if constexpr (P == poll::ballot) {
      for_lanes(members, [&](unsigned l) { w.at<u32>(i.operands[0])[l] = yes; });
    } else {
      bool const result = P == poll::all   ? yes == members
                          : P == poll::any ? yes != 0
                                           : yes == 0 || yes == members;
      auto& p = w.predicate(i.operands[0]);
      p = (p & ~members) | (result ? members : 0);
    }
  });
}

/// Operands: result, predicate or none, value.
template <class T, bool All>
void match(warp& w, instruction const& i, lanes m) {
  when_complete(w, i, m, [&](lanes members) {
    T const* const a = w.at<T>(i.operands[2]);
    std::array<u32, warp_size> result{};
    for_lanes(members, [&](unsigned l) {
      for_lanes(members, [&](unsigned k) { result[l] |= lanes{a[k] == a[l]} << k; });
    });
    bool const all = result[first_lane(members)] == members;
    for_lanes(members,
              [&](unsigned l) { w.at<u32>(i.operands[0])[l] = All ? (all ? members : 0) : result[l]; });
    if (All && i.operands[1] != no_operand) {
      auto& p = w.predicate(i.operands[1]);
      p = (p & ~members) | (all ? members : 0);
    }
  });
}

/// Operands: result, -, value.
template <class T, class F>
void reduce(warp& w, instruction const& i, lanes m) {
  when_complete(w, i, m, [&](lanes members) {
    T const* const a = w.at<T>(i.operands[2]);
    T total = a[first_lane(members)];
    for_lanes(members & (members - 1), [&](unsigned l) { total = F{}(total, a[l]); });
    for_lanes(members, [&](unsigned l) { w.at<T>(i.operands[0])[l] = total; });
  });
}
template <class T, class F>
handler reduce_with(F) {
  return reduce<T, F>;
}

}  // namespace

handler shuffle_of(std::string_view name) {
  return name == "up"     ? shuffle<mode::up>
         : name == "down" ? shuffle<mode::down>
         : name == "bfly" ? shuffle<mode::butterfly>
                          : shuffle<mode::index>;
}
handler vote_of(std::string_view name) {
  return name == "all"   ? vote<poll::all>
         : name == "any" ? vote<poll::any>
         : name == "uni" ? vote<poll::uniform>
                         : vote<poll::ballot>;
}
handler match_of(std::string_view name, unsigned bytes) {
  if (name == "all") return bytes == 4 ? match<u32, true> : match<u64, true>;
  return bytes == 4 ? match<u32, false> : match<u64, false>;
}
handler reduction_of(std::string_view op, bool is_signed) {
  if (op == "add") return reduce_with<u32>([](u32 a, u32 b) { return a + b; });
  if (op == "and") return reduce_with<u32>([](u32 a, u32 b) { return a & b; });
  if (op == "or") return reduce_with<u32>([](u32 a, u32 b) { return a | b; });
  if (op == "xor") return reduce_with<u32>([](u32 a, u32 b) { return a ^ b; });
  if (is_signed) {
    if (op == "min") return reduce_with<s32>([](s32 a, s32 b) { return b < a ? b : a; });
    return reduce_with<s32>([](s32 a, s32 b) { return b > a ? b : a; });
  }
  if (op == "min") return reduce_with<u32>([](u32 a, u32 b) { return b < a ? b : a; });
  return reduce_with<u32>([](u32 a, u32 b) { return b > a ? b : a; });
}

void active_lanes(warp& w, instruction const& i, lanes m) {
  for_lanes(m, [&](unsigned l) { w.at<u32>(i.operands[0])[l] = m; });
}
void elect(warp& w, instruction const& i, lanes m) {
  when_complete(w, i, m, [&](lanes members) {
    unsigned const leader = first_lane(members);
    if (i.operands[0] != no_operand)
      for_lanes(members, [&](unsigned l) { w.at<u32>(i.operands[0])[l] = leader; });
    auto& p = w.predicate(i.operands[1]);
    p = (p & ~members) | lanes{1} << leader;
  });
}
void warp_barrier(warp& w, instruction const& i, lanes m) {
  when_complete(w, i, m, [](lanes) {});
}

}  // namespace emulator

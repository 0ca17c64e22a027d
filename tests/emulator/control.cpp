// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches, calls, ends, and the registers that the machine keeps.
#include "handlers.hpp"

#include <chrono>
#include <cstdio>

namespace emulator {

void branch(warp& w, instruction const& i, lanes m) { w.go(static_cast<u32>(i.value), m); }

/// Operands: an index into the table i.value.
void branch_by_table(warp& w, instruction const& i, lanes m) {
  auto const& targets = w.home->of->kernel->tables[static_cast<std::size_t>(i.value)];
  auto const* const index = w.at<u32>(i.operands[0]);
  group const all = w.now;
  if (auto const rest = all.active & ~m) {
    w.others.push_back(all);
    w.others.back().active = rest;
    ++w.others.back().pc;
  }
  for (lanes left = m; left;) {
    u32 const chosen = index[first_lane(left)];
    lanes same = 0;
    for_lanes(left, [&](unsigned l) { same |= lanes{index[l] == chosen} << l; });
    if (chosen >= targets.size()) w.fail(715, "a branch beyond its table", first_lane(same), i);
    w.others.push_back(all);
    w.others.back().active = same;
    w.others.back().pc = targets[chosen];
    left &= ~same;
  }
  w.now.active = 0;
  w.regroup();
}

namespace {
std::byte* in_frame(warp& w, u32 frame, piece p, unsigned lane) {
  return w.local_memory.data() + std::size_t{lane} * w.local_bytes + frame + p.offset;
}
}  // namespace

/// i.value: which of the program's calls.
void call_function(warp& w, instruction const& i, lanes m) {
  auto const& p = *w.home->of->kernel;
  auto const& made = p.calls[static_cast<std::size_t>(i.value)];
  auto callee = made.callee;
  if (callee < 0) {
    auto const* const address = w.at<u64>(made.address);
    u64 const target = address[first_lane(m)];
    lanes same = 0;
    for_lanes(m, [&](unsigned l) { same |= lanes{address[l] == target} << l; });
    m = same;  // the others are asked again
    if ((target & window_bits) != function_window || (target & ~window_bits) >= p.functions.size())
      w.fail(715, "a call of what is no function", first_lane(m), i);
    callee = static_cast<s32>(target & ~window_bits);
  }
  if (lanes const rest = w.now.active & ~m) {
    group stay = w.now;
    stay.active = rest;
    w.others.push_back(std::move(stay));
    lanes const asked = made.callee < 0 ? rest : 0;
    if (!asked) ++w.others.back().pc;
  }
  w.now.active = m;
  auto const& from = p.functions[w.now.function];
  auto const& to = p.functions[static_cast<std::size_t>(callee)];
  // Every function has registers of its own, and a further set for each time that it is within itself: lanes
  // that are elsewhere keep theirs.
  auto within = static_cast<u32>(w.now.function == static_cast<u32>(callee));
  for (auto const& caller : w.now.stack) within += caller.function == static_cast<u32>(callee);
  u32 const window = to.window + within * p.window_bytes, frame = w.now.local + from.frame;
  if (frame + to.frame > w.local_bytes) w.fail(719, "calls too deep for local memory", first_lane(m), i);
  if (auto const bytes = (within + 1) * std::size_t{p.window_bytes}; w.file.size() < bytes)
    w.file.resize(bytes, std::byte{0xa5});
  for (std::size_t k = 0; k < made.arguments.size() && k < to.parameters.size(); ++k)
    for_lanes(m, [&](unsigned l) {
      std::memcpy(in_frame(w, frame, to.parameters[k], l), in_frame(w, w.now.local, made.arguments[k], l),
                  made.arguments[k].bytes);
    });
  w.now.stack.push_back({w.now.pc + 1, static_cast<u32>(i.value), w.now.window, w.now.local});
  w.now.stack.back().function = w.now.function;
  w.now.function = static_cast<u32>(callee);
  w.now.local = frame;
  w.use_window(window);
  w.now.pc = to.begin;
  w.regroup();
}

void go_back(warp& w, instruction const& i, lanes m) {
  if (w.now.stack.empty()) return w.leave(m);
  if (lanes const rest = w.now.active & ~m) {
    w.others.push_back(w.now);
    w.others.back().active = rest;
    ++w.others.back().pc;
  }
  (void)i;
  w.now.active = m;
  auto const& p = *w.home->of->kernel;
  auto const back = w.now.stack.back();
  w.now.stack.pop_back();
  auto const& made = p.calls[back.call];
  auto const& ended = p.functions[w.now.function];
  for (std::size_t k = 0; k < made.results.size() && k < ended.results.size(); ++k)
    for_lanes(m, [&](unsigned l) {
      std::memcpy(in_frame(w, back.local, made.results[k], l), in_frame(w, w.now.local, ended.results[k], l),
                  made.results[k].bytes);
    });
  w.now.function = back.function;
  w.now.local = back.local;
  w.use_window(back.window);
  w.now.pc = back.return_to;
  w.regroup();
}

void end(warp& w, instruction const&, lanes m) { w.leave(m); }
void trap(warp& w, instruction const& i, lanes m) { w.fail(719, "a trap", first_lane(m), i); }
void pause(warp& w, instruction const&, lanes) { w.yield(); }
void wait_for_grid(warp& w, instruction const&, lanes) {
  auto const& before = w.home->of->before;
  if (before && !*before) w.yield();
  else ++w.now.pc;
}
void let_next_start(warp& w, instruction const&, lanes) {
  w.home->of->let_on += !w.home->lets_next_start;
  w.home->lets_next_start = true;
}
void nothing(warp&, instruction const&, lanes) {}
void unknown(warp& w, instruction const& i, lanes m) {
  w.fail(715,
         "an instruction that the emulator does not know: " +
             w.home->of->kernel->unknown[static_cast<std::size_t>(i.value)],
         first_lane(m), i);
}

namespace {

u64 word_at(warp& w, u32 frame, piece p, unsigned lane) {
  u64 word = 0;
  std::memcpy(&word, in_frame(w, frame, p, lane), std::min<std::size_t>(8, p.bytes));
  return word;
}
std::string text_at(warp& w, u64 address, unsigned lane, instruction const& i) {
  std::string text;
  if (address == 0) return "(null)";
  for (; text.size() < 4096; ++address) {
    auto const c = static_cast<char>(*w.locate(space::generic, address, 1, lane, i));
    if (c == 0) break;
    text += c;
  }
  return text;
}

/// As printf does, from a format and the memory where the arguments lie one after the other.
std::string formatted(warp& w, std::string const& format, u64 arguments, unsigned lane,
                      instruction const& i) {
  std::string out;
  u64 at = arguments;
  for (std::size_t k = 0; k < format.size(); ++k) {
    if (format[k] != '%') {
      out += format[k];
      continue;
    }
    auto const end = format.find_first_of("diouxXeEfFgGaAcsp%", k + 1);
    if (end == format.npos) break;
    auto spec = format.substr(k, end - k + 1);
    k = end;
    char const what = spec.back();
    if (what == '%') {
      out += '%';
      continue;
    }
    bool const real = std::string_view("eEfFgGaA").find(what) != std::string_view::npos;
    bool const wide = real || what == 's' || what == 'p' || spec.find_first_of("ljzt") != spec.npos;
    unsigned const bytes = wide ? 8 : 4;
    at = (at + bytes - 1) / bytes * bytes;
    u64 word = 0;
    std::memcpy(&word, w.locate(space::generic, at, bytes, lane, i), bytes);
    at += bytes;
    char text[512];
    if (real) std::snprintf(text, sizeof text, spec.c_str(), std::bit_cast<double>(word));
    else if (what == 's') std::snprintf(text, sizeof text, spec.c_str(), text_at(w, word, lane, i).c_str());
    else if (wide) std::snprintf(text, sizeof text, spec.c_str(), word);
    else std::snprintf(text, sizeof text, spec.c_str(), static_cast<u32>(word));
    out += text;
  }
  return out;
}

}  // namespace

void call_printf(warp& w, instruction const& i, lanes m) {
  auto const& made = w.home->of->kernel->calls[static_cast<std::size_t>(i.value)];
  for_lanes(m, [&](unsigned l) {
    auto const text = formatted(w, text_at(w, word_at(w, w.now.local, made.arguments[0], l), l, i),
                                word_at(w, w.now.local, made.arguments[1], l), l, i);
    std::fputs(text.c_str(), stdout);
    auto const written = static_cast<u32>(text.size());
    if (!made.results.empty()) std::memcpy(in_frame(w, w.now.local, made.results[0], l), &written, 4);
  });
}

void call_assert(warp& w, instruction const& i, lanes m) {
  auto const& made = w.home->of->kernel->calls[static_cast<std::size_t>(i.value)];
  auto const l = first_lane(m);
  auto const text = [&](unsigned k) {
    return text_at(w, word_at(w, w.now.local, made.arguments[k], l), l, i);
  };
  w.fail(710,
         "the assertion '" + text(0) + "' of " + text(1) + ":" +
             std::to_string(word_at(w, w.now.local, made.arguments[2], l)),
         l, i);
}

// ---- Special registers ----
namespace {
constexpr std::string_view names[] = {"tid.x",
                                      "tid.y",
                                      "tid.z",
                                      "ntid.x",
                                      "ntid.y",
                                      "ntid.z",
                                      "ctaid.x",
                                      "ctaid.y",
                                      "ctaid.z",
                                      "nctaid.x",
                                      "nctaid.y",
                                      "nctaid.z",
                                      "laneid",
                                      "warpid",
                                      "nwarpid",
                                      "lanemask_eq",
                                      "lanemask_le",
                                      "lanemask_lt",
                                      "lanemask_ge",
                                      "lanemask_gt",
                                      "cluster_ctaid.x",
                                      "cluster_ctaid.y",
                                      "cluster_ctaid.z",
                                      "cluster_nctaid.x",
                                      "cluster_nctaid.y",
                                      "cluster_nctaid.z",
                                      "clusterid.x",
                                      "clusterid.y",
                                      "clusterid.z",
                                      "nclusterid.x",
                                      "nclusterid.y",
                                      "nclusterid.z",
                                      "cluster_ctarank",
                                      "cluster_nctarank",
                                      "smid",
                                      "nsmid",
                                      "clock",
                                      "clock_hi",
                                      "clock64",
                                      "globaltimer",
                                      "globaltimer_lo",
                                      "globaltimer_hi",
                                      "dynamic_smem_size",
                                      "total_smem_size",
                                      "gridid",
                                      "is_explicit_cluster",
                                      "envreg"};

u64 clock_of(warp& w) { return w.home->of->steps * 8; }
u64 nanoseconds() {
  return static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                              std::chrono::steady_clock::now().time_since_epoch())
                              .count());
}

u64 value_of(warp& w, int which, unsigned l) {
  auto const& b = *w.home;
  auto const& of = *b.of;
  auto const& t = of.threads;
  u32 const thread = w.index * warp_size + l;
  auto const part = [](dimensions const& d, int k) { return k == 0 ? d.x : k == 1 ? d.y : d.z; };
  auto const within = [&](int first) { return which - first; };
  if (which < 3) return which == 0 ? thread % t.x : which == 1 ? thread / t.x % t.y : thread / t.x / t.y;
  if (which < 6) return part(t, within(3));
  if (which < 9) return part(b.index, within(6));
  if (which < 12) return part(of.grid, within(9));
  switch (which) {
  case 12:
    return l;
  case 13:
    return w.index;
  case 14:
    return b.warps.size();
  case 15:
    return u32{1} << l;
  case 16:
    return (u64{2} << l) - 1;
  case 17:
    return (u64{1} << l) - 1;
  case 18:
    return every_lane << l;
  case 19:
    return u64{every_lane} << l << 1 & every_lane;
  case 32:
    return b.rank;
  case 33:
    return of.cluster.all();
  case 34:
    return b.number % chosen().multiprocessors;
  case 35:
    return chosen().multiprocessors;
  case 36:
  case 38:
    return clock_of(w);
  case 37:
    return clock_of(w) >> 32;
  case 39:
  case 40:
    return nanoseconds();
  case 41:
    return nanoseconds() >> 32;
  case 42:
    return of.dynamic_shared;
  case 43:
    return b.shared.size();
  case 45:
    return of.cluster.all() > 1;
  default:
    break;
  }
  if (which < 23) return part(b.index_in_cluster, within(20));
  if (which < 26) return part(of.cluster, within(23));
  if (which < 29) return part(b.cluster_index, within(26));
  if (which < 32)
    return part({of.grid.x / of.cluster.x, of.grid.y / of.cluster.y, of.grid.z / of.cluster.z}, within(29));
  return 0;
}
}  // namespace

int special_register(std::string_view name, unsigned& bytes) {
  for (std::size_t k = 0; k < std::size(names); ++k)
    if (names[k] == name) {
      bytes = name == "clock64" || name == "globaltimer" || name == "gridid" ? 8 : 4;
      return static_cast<int>(k);
    }
  return -1;
}

void special(warp& w, instruction const& i, lanes m) {
  auto const which = static_cast<int>(i.value);
  for_lanes(m, [&](unsigned l) {
    u64 const value = value_of(w, which, l);
    if (i.option == 8) w.at<u64>(i.operands[0])[l] = value;
    else if (i.option == 2) w.at<u16>(i.operands[0])[l] = static_cast<u16>(value);
    else w.at<u32>(i.operands[0])[l] = static_cast<u32>(value);
  });
}

}  // namespace emulator

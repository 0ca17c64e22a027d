// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which handler an instruction is: memory, and what threads tell each other.
#include "decoder.hpp"

#include <algorithm>

namespace emulator {
namespace {

space named_space(parts const& a) {
  for (auto const word : a.words) {
    if (word == "global" || word == "const") return space::global;
    if (word == "shared" || word == "shared::cta" || word == "shared::cluster") return space::shared;
    if (word == "local") return space::local;
    if (word == "param" || word == "param::entry" || word == "param::func") return space::parameter;
  }
  return space::generic;
}

type const natural32{kind::natural, 4}, natural64{kind::natural, 8};

}  // namespace

bool decoder::select_memory(parts const& a) {
  auto const op = a.op();
  auto in = named_space(a);
  auto const t = a.of();
  bool const is_async = a.has("async");
  if ((op == "ld" || op == "ldu" || op == "st") && !is_async) {
    bool const loads = op != "st";
    auto const at = place(a.arguments[loads ? 1 : 0]);
    if (at.in) in = *at.in;
    auto const list = items(a.arguments[loads ? 0 : 1]);
    if (list.size() > 4) refuse("more than four items");
    std::array<operand, 4> one;
    one.fill(no_operand);
    unsigned bytes = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      auto const v =
          loads ? written(list[k]) : read(list[k], {t.meaning, std::max<std::uint8_t>(t.bytes, 2)});
      if (v.where == no_operand) continue;
      if (bytes && bytes != v.bytes) refuse("registers of different sizes");
      bytes = v.bytes;
      one[k] = v.where;
    }
    auto const run = loads ? load_of(t, bytes, in) : store_of(t, bytes, in);
    if (!run) refuse("no such access");
    auto& i = emit(run, {at.base, one[0], one[1], one[2], one[3]});
    i.count = static_cast<std::uint8_t>(list.size());
    i.value = at.offset;
    i.option = option_of(in, at.narrow);
    for (auto const word : {"volatile", "relaxed", "acquire", "release"})
      if (a.has(word)) i.option |= strong;
  } else if (op == "st" && is_async) {
    std::array<operand, 4> one;
    one.fill(no_operand);
    auto const list = items(a.arguments[1]);
    for (std::size_t k = 0; k < list.size(); ++k) one[k] = read_as(list[k], {kind::bits, t.bytes});
    auto const to = address_in_register(a.arguments[0], 4), barrier = address_in_register(a.arguments[2], 4);
    auto& i = emit(store_async, {to, one[0], one[1], one[2], one[3], barrier});
    i.count = static_cast<std::uint8_t>(list.size());
    i.option = t.bytes;
  } else if (op == "atom" || (op == "red" && !is_async)) {
    bool const has_result = op == "atom";
    std::string_view operation;
    for (auto const word : {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"})
      if (a.has(word)) operation = word;
    auto const run = atomic_of(operation, t);
    if (!run) refuse("no such atomic");
    std::size_t const first = has_result ? 1 : 0;
    auto const at = place(a.arguments[first]);
    auto const d = has_result ? written(a.arguments[0]).where : no_operand;
    auto const b = read_as(a.arguments[first + 1], t);
    auto const c = operation == "cas" ? read_as(a.arguments[first + 2], t) : no_operand;
    auto& i = emit(run, {at.base, d, b, c});
    i.value = at.offset;
    i.option = option_of(in, at.narrow);
  } else if (op == "cvta") {
    // Global addresses are what they are; the other spaces have their windows.
    bool const back = a.has("to");
    u64 const window = in == space::shared      ? shared_window
                       : in == space::local     ? local_window
                       : in == space::parameter ? parameter_window
                                                : 0;
    auto const d = written(a.arguments[0]);
    auto const x = read_as(a.arguments[1], natural64);
    auto const result = d.bytes == 8 ? d.where : new_register(natural64);
    if (window == 0) computed("mov.b64", result, {x});
    else if (back) computed("and.b64", result, {x, constant(~window_bits, 8)});
    else computed("or.b64", result, {x, constant(window, 8)});
    if (d.bytes != 8) computed("cvt.u32.u64", d.where, {result});
  } else if (op == "isspacep") {
    auto const x = read(a.arguments[1], natural64);
    auto& i = emit(is_in_space, {written(a.arguments[0]).where, x.where});
    i.option = option_of(in, x.bytes == 4);
    i.count = a.has("shared::cluster") ? 2 : 1;  // the other blocks' shared memory, too
  } else if (op == "mapa") {
    bool const narrow = t.bytes == 4;
    auto const x = read_as(a.arguments[1], t), rank = read_as(a.arguments[2], natural32);
    emit(map_to_rank, {written(a.arguments[0]).where, x, rank}).option = narrow ? 128 : 0;
  } else if (op == "getctarank") {
    auto const x = read(a.arguments[1], natural64);
    emit(rank_of_address, {written(a.arguments[0]).where, x.where}).option = x.bytes == 4 ? 128 : 0;
  } else {
    return false;
  }
  return true;
}

bool decoder::select_exchange(parts const& a) {
  auto const op = a.op();
  auto const results = a.arguments.empty() ? std::vector<std::string_view>{} : split(a.arguments[0], '|');
  auto const result = [&](std::size_t k) {
    return k < results.size() ? written(results[k]).where : no_operand;
  };
  if (op == "shfl") {
    auto const x = read_as(a.arguments[1], natural32), b = read_as(a.arguments[2], natural32),
               c = read_as(a.arguments[3], natural32);
    emit(shuffle_of(a.words[2]), {result(0), result(1), x, b, c, read_as(a.arguments[4], natural32)}, true);
  } else if (op == "vote") {
    auto const p = predicate(a.arguments[1]);
    auto const members = read_as(a.arguments[2], natural32);
    emit(vote_of(a.words[2]), {result(0), no_operand, p, no_operand, no_operand, members}, true);
  } else if (op == "match") {
    auto const x = read_as(a.arguments[1], {kind::bits, a.of().bytes});
    auto const members = read_as(a.arguments[2], natural32);
    emit(match_of(a.words[1], a.of().bytes), {result(0), result(1), x, no_operand, no_operand, members},
         true);
  } else if (op == "redux") {
    auto const x = read_as(a.arguments[1], natural32);
    auto const members = read_as(a.arguments[2], natural32);
    emit(reduction_of(a.words[2], a.of().meaning == kind::integer),
         {result(0), no_operand, x, no_operand, no_operand, members}, true);
  } else if (op == "activemask") {
    emit(active_lanes, {result(0)});
  } else if (op == "elect") {
    auto const members = read_as(a.arguments[1], natural32);
    emit(elect, {result(0), result(1), no_operand, no_operand, no_operand, members}, true);
  } else if (op == "bar" && a.has("warp")) {
    emit(warp_barrier,
         {no_operand, no_operand, no_operand, no_operand, no_operand, read_as(a.arguments[0], natural32)},
         true);
  } else {
    return false;
  }
  return true;
}

bool decoder::select_barrier(parts const& a) {
  auto const op = a.op();
  if ((op == "barrier" || op == "bar") && a.has("cluster")) {
    if (a.has("arrive")) emit(cluster_arrive, {});
    else emit(cluster_wait, {}, true);
  } else if (op == "bar" || op == "barrier") {
    bool const reduces = a.has("red");
    std::size_t const first = reduces ? 1 : 0;
    auto const d = reduces ? written(a.arguments[0]).where : no_operand;
    auto const id = read_as(a.arguments[first], natural32);
    bool const counted = a.arguments.size() > first + (reduces ? 2u : 1u);
    auto const count = counted ? read_as(a.arguments[first + 1], natural32) : no_operand;
    auto const p = reduces ? predicate(a.arguments.back()) : no_operand;
    emit(block_barrier, {d, p, id, count}, true).option = reduces ? (a.has("popc")  ? 2
                                                                     : a.has("and") ? 3
                                                                                    : 4)
                                                                  : (a.has("arrive") ? 1 : 0);
  } else if (op == "mbarrier") {
    auto const verb = a.words[1];
    if (verb == "pending_count") return false;
    bool const tests = verb == "test_wait" || verb == "try_wait";
    bool const expects = verb == "arrive" && a.has("expect_tx");
    bool const has_result = tests || verb == "arrive" || verb == "arrive_drop";
    std::string const name = tests     ? (a.has("parity") ? "test.parity" : "test")
                             : expects ? "arrive.expect_tx"
                                       : std::string(verb);
    auto const run = mbarrier_of(name);
    if (!run || a.has("noComplete")) refuse("no such mbarrier operation");
    // Without a result, as remote arrivals are, the address is first.
    std::size_t const first = has_result && !a.arguments[0].starts_with("[") ? 1 : 0;
    auto const at = place(a.arguments[first]);
    auto const d = first ? written(a.arguments[0]).where : no_operand;
    operand given = no_operand;
    if (a.arguments.size() > first + 1)
      given = read_as(a.arguments[first + 1], name == "test" ? natural64 : natural32);
    auto& i = emit(run, {at.base, d, given});
    i.value = at.offset;
    i.option = option_of(named_space(a), at.narrow);
  } else {
    return false;
  }
  return true;
}

bool decoder::select_copy(parts const& a) {
  if (a.op() != "cp" || !a.has("async")) return false;
  bool const bulk = a.has("bulk");
  if (a.has("wait_all") || a.has("wait_group")) {
    emit(settle_copies, {});
  } else if (a.has("commit_group") || a.has("prefetch")) {
    emit(nothing, {});
  } else if (a.has("mbarrier") && !bulk) {
    return false;
  } else if (!bulk) {
    auto const to = address_in_register(a.arguments[0], 4), from = address_in_register(a.arguments[1], 8);
    auto const bytes = number(a.arguments[2], natural32);
    if (!bytes) refuse("a size that is no number");
    bool const partly = a.arguments.size() > 3 && !a.has("L2::cache_hint");
    auto const read_bytes = partly ? read_as(a.arguments[3], natural32) : no_operand;
    auto& i = emit(copy_async, {to, from, read_bytes});
    i.option = 128;
    i.value = static_cast<s64>(*bytes);
  } else {
    if (a.has("multicast::cluster") || a.has("tensor")) return false;
    auto const is_shared = [](std::string_view word) { return word.starts_with("shared"); };
    bool const to_shared = is_shared(a.words[3]), from_shared = is_shared(a.words[4]);
    auto const to = address_in_register(a.arguments[0], to_shared ? 4 : 8);
    auto const from = address_in_register(a.arguments[1], from_shared ? 4 : 8);
    auto const bytes = read_as(a.arguments[2], natural32);
    auto const barrier = to_shared ? address_in_register(a.arguments[3], 4) : no_operand;
    unsigned const way = to_shared ? (from_shared ? 3 : 1) : 2;
    emit(bulk_copy, {to, from, bytes, barrier}).option =
        static_cast<std::uint8_t>(way | (to_shared ? 16u : 0u) | (from_shared ? 32u : 0u) | 64u);
  }
  return true;
}

}  // namespace emulator

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which handler an instruction is: moves, arithmetic, memory and control.
#include "decoder.hpp"

#include <algorithm>

namespace emulator {
namespace {

parts cut_instruction(std::string_view text) {
  parts a;
  a.text = text;
  if (text.front() == '@') {
    auto const end = text.find_first_of(" \t\n");
    a.guard = text.substr(1, end - 1);
    text = trimmed(text.substr(end));
  }
  auto const end = std::min(text.find_first_of(" \t\n"), text.size());
  auto opcode = text.substr(0, end);
  for (std::size_t from = 0; from <= opcode.size();) {
    auto const dot = std::min(opcode.find('.', from), opcode.size());
    a.words.push_back(opcode.substr(from, dot - from));
    from = dot + 1;
  }
  if (end < text.size()) a.arguments = split(text.substr(end), ',');
  return a;
}

std::string joined(parts const& a, std::initializer_list<std::string_view> without) {
  std::string name;
  for (auto const word : a.words) {
    if (std::find(without.begin(), without.end(), word) != without.end()) continue;
    if (!name.empty()) name += '.';
    name += word;
  }
  return name;
}

}  // namespace

instruction& decoder::emit(handler run, std::initializer_list<operand> operands, bool moves) {
  auto& i = p_.code.emplace_back();
  i.run = run;
  i.moves = moves;
  i.guard = guard_;
  i.guard_inverted = guard_inverted_;
  i.line = line_;
  i.source = source_;
  std::copy(operands.begin(), operands.end(), i.operands.begin());
  return i;
}

void decoder::computed(std::string const& name, operand d, std::initializer_list<operand> sources) {
  auto const found = arithmetic().find(name);
  if (found == arithmetic().end()) refuse("no instruction " + name);
  auto& i = emit(found->second.run, {d});
  i.option = found->second.option;
  std::copy(sources.begin(), sources.end(), i.operands.begin() + 1);
}

void decoder::instruction_of(statement const& s) {
  auto const a = cut_instruction(s.text);
  guard_ = no_operand;
  guard_inverted_ = false;
  if (!a.guard.empty()) {
    guard_inverted_ = a.guard.front() == '!';
    guard_ = read(guard_inverted_ ? a.guard.substr(1) : a.guard, {kind::predicate, 4}).where;
  }
  auto const before = p_.code.size();
  try {
    select(a);
  } catch (std::exception const& why) {
    p_.code.resize(before);
    p_.unknown.push_back(std::string(s.text) + " (" + why.what() + ")");
    emit(unknown, {}).value = static_cast<s64>(p_.unknown.size() - 1);
  }
}

void decoder::select(parts const& a) {
  auto const op = a.op();
  if (op == "mov") return select_move(a);
  if (op == "setp") return select_comparison(a);
  if (op == "cvt") return select_conversion(a);
  if (op == "call") return select_call(a);
  if (select_control(a) || select_memory(a) || select_exchange(a) || select_barrier(a) || select_copy(a) ||
      select_arithmetic(a))
    return;
  refuse("unknown");
}

bool decoder::select_arithmetic(parts const& a) {
  auto name = joined(a, {"rn", "ftz", "approx", "full", "noftz"});
  auto found = arithmetic().find(name);
  if (found == arithmetic().end() && a.of().meaning == kind::bits && a.of().bytes) {
    // Bits, where the table has numbers: set, slct and the like.
    name.replace(name.rfind(".b") + 1, 1, "u");
    found = arithmetic().find(name);
  }
  if (found == arithmetic().end()) return false;
  auto const& s = found->second;
  if (a.arguments.size() < s.sources.size() + 1) refuse("too few operands");
  std::array<operand, 6> operands{};
  auto const d = written(a.arguments[0]);
  for (std::size_t k = 0; k < s.sources.size(); ++k)
    operands[k + 1] = read_as(a.arguments[k + 1], s.sources[k]);
  operand result = d.where;
  if (d.bytes != s.result.bytes) result = new_register({kind::natural, s.result.bytes});
  auto& i = emit(s.run, {result});
  for (std::size_t k = 1; k <= s.sources.size(); ++k) i.operands[k] = operands[k];
  if (d.bytes != s.result.bytes)
    computed("cvt.u" + std::to_string(8 * d.bytes) + ".u" + std::to_string(8 * s.result.bytes), d.where,
             {result});
  return true;
}

void decoder::select_move(parts const& a) {
  auto const t = a.of();
  auto const to = items(a.arguments[0]), from = items(a.arguments[1]);
  if (to.size() > 1 || from.size() > 1) {
    auto const many = to.size() > 1 ? to : from;
    auto const part = static_cast<unsigned>(t.bytes / many.size());
    type const of_part{kind::bits, static_cast<std::uint8_t>(part)};
    std::array<operand, 4> one;
    one.fill(no_operand);
    for (std::size_t k = 0; k < many.size(); ++k) {
      if (to.size() > 1) {
        auto const v = written(many[k]);
        if (v.where != no_operand && v.bytes != part) refuse("parts of another size");
        one[k] = v.where;
      } else {
        one[k] = read_as(many[k], of_part);
      }
    }
    auto const whole = to.size() > 1 ? read_as(from[0], t) : written(to[0]).where;
    auto& i = emit(to.size() > 1 ? unpack : pack, {whole, one[0], one[1], one[2], one[3]});
    i.count = static_cast<std::uint8_t>(many.size());
    i.option = static_cast<std::uint8_t>(part);
    return;
  }
  auto const d = written(to[0]);
  if (t.meaning == kind::predicate) return computed("mov.pred", d.where, {predicate(from[0])});
  if (t.bytes == 16) {
    auto& i = emit(pack, {d.where, read_as(from[0], t)});
    i.count = 1;
    i.option = 16;
    return;
  }
  auto const v = read_as(from[0], {t.meaning, static_cast<std::uint8_t>(d.bytes)});
  computed("mov.b" + std::to_string(8 * d.bytes), d.where, {v});
}

/// setp.op{.and}.type p{|q}, a, b{, c}.
void decoder::select_comparison(parts const& a) {
  std::string_view combined;
  for (auto const word : {"and", "or", "xor"})
    if (a.has(word)) combined = word;
  auto const name = joined(a, {"ftz", combined.empty() ? "ftz" : combined});
  auto const found = arithmetic().find(name);
  if (found == arithmetic().end()) refuse("no comparison " + name);
  auto const results = split(a.arguments[0], '|');
  auto const t = found->second.sources[0];
  auto const x = read_as(a.arguments[1], t), y = read_as(a.arguments[2], t);
  if (results.size() == 1 && combined.empty()) return computed(name, written(results[0]).where, {x, y});
  type const p{kind::predicate, 4};
  auto const compared = new_register(p), inverse = new_register(p);
  computed(name, compared, {x, y});
  computed("not.pred", inverse, {compared});
  auto const with = combined.empty() ? no_operand : predicate(a.arguments[3]);
  for (std::size_t k = 0; k < results.size(); ++k) {
    auto const from = k == 0 ? compared : inverse;
    auto const to = written(results[k]).where;
    if (to == no_operand) continue;
    if (combined.empty()) computed("mov.pred", to, {from});
    else computed(std::string(combined) + ".pred", to, {from, with});
  }
}

void decoder::select_conversion(parts const& a) {
  auto const to = type_named(a.words[a.words.size() - 2]), from = a.of();
  auto const name = joined(a, {"ftz", "relu", "satfinite"});
  auto const found = arithmetic().find(name);
  if (found == arithmetic().end()) refuse("no conversion " + name);
  auto const& s = found->second;
  auto const d = written(a.arguments[0]);
  if (s.sources.size() == 2)
    return computed(name, d.where, {read_as(a.arguments[1], from), read_as(a.arguments[2], from)});
  auto const x = read(a.arguments[1], from);
  auto source = x.where;
  if (x.bytes != from.bytes) {
    if (x.bytes < from.bytes) refuse("a narrow register");
    source = new_register({kind::natural, from.bytes});
    computed("cvt.u" + std::to_string(8 * from.bytes) + ".u" + std::to_string(8 * x.bytes), source,
             {x.where});
  }
  if (d.bytes == to.bytes) return computed(name, d.where, {source});
  auto const result = new_register({kind::natural, to.bytes});
  computed(name, result, {source});
  std::string const sign = to.meaning == kind::integer ? "s" : "u";
  computed("cvt." + sign + std::to_string(8 * d.bytes) + "." + sign + std::to_string(8 * to.bytes), d.where,
           {result});
}

bool decoder::select_control(parts const& a) {
  auto const op = a.op();
  if (op == "bra") {
    emit(branch, {}, true);
    jumps_.push_back({p_.code.size() - 1, scope_, std::string(a.arguments[0])});
  } else if (op == "brx") {
    auto const index = read_as(a.arguments[0], {kind::natural, 4});
    emit(branch_by_table, {index}, true);
    jumps_.push_back({p_.code.size() - 1, scope_, std::string(a.arguments[1])});
  } else if (op == "ret") {
    emit(go_back, {}, true);
  } else if (op == "exit") {
    emit(end, {}, true);
  } else if (op == "trap" || op == "brkpt") {
    emit(trap, {});
  } else if (op == "nanosleep") {
    emit(pause, {});
  } else if (op == "griddepcontrol") {
    if (a.has("wait")) emit(wait_for_grid, {}, true);
    else emit(let_next_start, {});
  } else if (op == "fence" || op == "membar" || op == "prefetch" || op == "prefetchu" || op == "discard" ||
             op == "applypriority" || op == "pmevent" || op == "setmaxnreg") {
    emit(nothing, {});
  } else if (op == "createpolicy") {
    computed("mov.b64", written(a.arguments[0]).where, {constant(0, 8)});
  } else {
    return false;
  }
  return true;
}

/// call{.uni} (results), name, (arguments){, prototype}.
void decoder::select_call(parts const& a) {
  call c;
  std::size_t k = 0;
  auto const pieces = [&](std::string_view list) {
    std::vector<piece> all;
    for (auto const one : split(list.substr(1, list.size() - 2), ',')) {
      auto const* const n = one.empty() ? nullptr : look_up(one);
      if (n && n->in_frame) all.push_back(*n->in_frame);
      else if (!one.empty()) refuse("an argument that is no variable");
    }
    return all;
  };
  if (a.arguments[k].starts_with("(")) c.results = pieces(a.arguments[k++]);
  auto const name = a.arguments[k++];
  if (k < a.arguments.size() && a.arguments[k].starts_with("(")) c.arguments = pieces(a.arguments[k]);
  auto const number = static_cast<s64>(p_.calls.size());
  if (name == "vprintf" || name == "__assertfail") {
    p_.calls.push_back(c);
    emit(name == "vprintf" ? call_printf : call_assert, {}).value = number;
    return;
  }
  if (name.starts_with("%")) {
    // Whatever the module has may be called.
    for (auto const& [function, r] : module_.routines)
      if (!r.kernel && !r.body.empty()) number_of_function(function);
    c.address = read_as(name, {kind::natural, 8});
  } else {
    c.callee = number_of_function(std::string(name));
  }
  p_.calls.push_back(c);
  emit(::emulator::call_function, {}, true).value = number;
}

}  // namespace emulator

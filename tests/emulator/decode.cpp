// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions, names, registers, constants and places in memory.
#include "decoder.hpp"

#include <algorithm>
#include <charconv>

namespace emulator {

void decoder::refuse(std::string const& why) const { throw std::runtime_error(why); }

bool parts::has(std::string_view word) const {
  return std::find(words.begin() + 1, words.end(), word) != words.end();
}

// ---- Functions ----
void decoder::decode_all(std::string const& kernel) {
  auto const found = module_.routines.find(kernel);
  if (found == module_.routines.end() || found->second.body.empty())
    throw std::runtime_error("no PTX of the kernel " + kernel);
  p_.name = kernel;
  p_.files = &module_.files;
  p_.constants.resize(256);  // so that none has the operand 0
  p_.most_threads = found->second.most_threads;
  std::copy_n(found->second.cluster, 3, p_.cluster);
  for (auto const& parameter : found->second.parameters) {
    p_.parameter_bytes = static_cast<u32>((p_.parameter_bytes + parameter.alignment - 1) /
                                          parameter.alignment * parameter.alignment);
    p_.parameters.push_back({p_.parameter_bytes, static_cast<u32>(parameter.bytes)});
    p_.parameter_bytes += static_cast<u32>(parameter.bytes);
  }
  number_of_function(kernel);
  for (std::size_t k = 0; k < p_.functions.size(); ++k) {
    function_ = k;
    auto const r = module_.routines.find(p_.functions[k].name);
    if (r == module_.routines.end() || r->second.body.empty())
      throw std::runtime_error("no PTX of the function " + p_.functions[k].name);
    decode_function(r->second, p_.functions[k]);
  }
  place_shared();
  u32 deepest = p_.functions[0].frame;
  if (p_.functions.size() > 1) deepest += 16384;
  p_.local_bytes = (deepest + 15) / 16 * 16;
}

int decoder::number_of_function(std::string const& name) {
  auto const [at, isnew] = function_numbers_.try_emplace(name, static_cast<int>(p_.functions.size()));
  if (isnew) {
    p_.functions.emplace_back();
    p_.functions.back().name = name;
  }
  return at->second;
}

void decoder::decode_function(routine const& r, function& into) {
  routine_ = &r;
  scopes_.assign(1, {});
  scope_ = 0;
  jumps_.clear();
  window_ = frame_ = 0;
  auto const number = function_;
  auto const begin = static_cast<u32>(p_.code.size());
  std::vector<piece> parameters, results;
  if (r.kernel) {
    for (std::size_t k = 0; k < r.parameters.size(); ++k) {
      named n;
      n.of = r.parameters[k].of;
      n.parameter = p_.parameters[k].offset;
      scopes_[0].names[r.parameters[k].name] = n;
    }
  } else {
    for (auto const& v : r.parameters) parameters.push_back(new_in_frame(v));
    for (auto const& v : r.results) results.push_back(new_in_frame(v));
  }
  for (auto const& s : statements(r.body, r.line)) {
    line_ = s.line;
    source_ = s.source;
    switch (s.is) {
    case statement::form::open: {
      scope inner;
      inner.parent = scope_;
      scope_ = static_cast<int>(scopes_.size());
      scopes_.push_back(std::move(inner));
      break;
    }
    case statement::form::close:
      scope_ = scopes_[static_cast<std::size_t>(scope_)].parent;
      break;
    case statement::form::label:
      scopes_[static_cast<std::size_t>(scope_)].labels[std::string(s.text)] =
          static_cast<u32>(p_.code.size());
      break;
    case statement::form::directive:
      directive(s);
      break;
    case statement::form::instruction:
      instruction_of(s);
      break;
    }
  }
  guard_ = no_operand;
  emit(go_back, {}, true);
  resolve_jumps();
  auto& done = p_.functions[number];  // `into` may have moved
  (void)into;
  done.begin = begin;
  done.window = p_.window_bytes;
  p_.window_bytes += (window_ + 63) / 64 * 64;
  done.frame = (frame_ + 15) / 16 * 16;
  done.parameters = std::move(parameters);
  done.results = std::move(results);
}

void decoder::resolve_jumps() {
  auto const target = [&](int from, std::string const& label) {
    for (int s = from; s >= 0; s = scopes_[static_cast<std::size_t>(s)].parent) {
      auto const& labels = scopes_[static_cast<std::size_t>(s)].labels;
      if (auto const found = labels.find(label); found != labels.end()) return found->second;
    }
    throw std::runtime_error("no label " + label);
  };
  for (auto const& j : jumps_) {
    auto& i = p_.code[j.instruction];
    if (i.run == branch_by_table) {
      auto const* const table = look_up(j.label);
      if (!table) throw std::runtime_error("no table " + j.label);
      i.value = static_cast<s64>(p_.tables.size());
      auto& targets = p_.tables.emplace_back();
      for (auto const& label : table->targets) targets.push_back(target(j.scope, label));
    } else {
      i.value = target(j.scope, j.label);
    }
  }
}

// ---- Declarations ----
void decoder::directive(statement const& s) {
  auto const text = s.text;
  auto& here = scopes_[static_cast<std::size_t>(scope_)];
  if (text.starts_with(".reg")) return declare_registers(trimmed(text.substr(4)));
  if (text.starts_with(".local") || text.starts_with(".param")) {
    auto const v = declared(text);
    new_in_frame(v);
  } else if (text.starts_with(".shared")) {
    auto const v = declared(text);
    shared_here_[v.name] = v;
  } else if (text.starts_with(".branchtargets")) {
    // The label before it is its name.
    named n;
    for (auto const label : split(text.substr(14), ',')) n.targets.emplace_back(label);
    for (auto const& [name, at] : here.labels)
      if (at == p_.code.size() && !here.names.contains(name)) here.names[name] = n;
  }
}

void decoder::declare_registers(std::string_view text) {
  auto const space = text.find_first_of(" \t");
  auto const t = type_named(trimmed(text.substr(1, space - 1)));
  auto& here = scopes_[static_cast<std::size_t>(scope_)];
  for (auto name : split(text.substr(space), ',')) {
    if (auto const angle = name.find('<'); angle != name.npos) {
      auto const count = static_cast<unsigned>(std::stoul(std::string(name.substr(angle + 1))));
      numbered family{t, 0, count};
      for (unsigned k = 0; k < count; ++k) {
        auto const r = new_register(t);
        if (k == 0) family.first = r;
      }
      here.families[std::string(trimmed(name.substr(0, angle)))] = family;
    } else {
      named n;
      n.of = t;
      n.where = new_register(t);
      here.names[std::string(name)] = n;
    }
  }
}

operand decoder::new_register(type t) {
  unsigned const bytes = t.meaning == kind::predicate ? 4u : std::max<unsigned>(t.bytes, 2) * warp_size;
  auto const unit = t.meaning == kind::predicate ? 4u : 64u;
  window_ = (window_ + unit - 1) / unit * unit;
  auto const at = static_cast<operand>(window_);
  window_ += bytes;
  return at;
}

piece decoder::new_in_frame(variable const& v) {
  auto const alignment = static_cast<u32>(std::max<std::uint64_t>(v.alignment, 1));
  frame_ = (frame_ + alignment - 1) / alignment * alignment;
  piece const at{frame_, static_cast<u32>(v.bytes)};
  frame_ += at.bytes;
  named n;
  n.of = v.of;
  n.in_frame = at;
  scopes_[static_cast<std::size_t>(scope_)].names[v.name] = n;
  return at;
}

decoder::named const* decoder::look_up(std::string_view name) const {
  static thread_local named found;
  std::string const whole(name);
  auto const digits = whole.find_last_not_of("0123456789") + 1;
  for (int s = scope_; s >= 0; s = scopes_[static_cast<std::size_t>(s)].parent) {
    auto const& here = scopes_[static_cast<std::size_t>(s)];
    if (auto const one = here.names.find(whole); one != here.names.end()) return &one->second;
    if (digits == whole.size() || digits == 0) continue;
    auto const family = here.families.find(whole.substr(0, digits));
    if (family == here.families.end()) continue;
    auto const number = static_cast<unsigned>(std::stoul(whole.substr(digits)));
    auto const& f = family->second;
    if (number >= f.count) continue;
    unsigned const stride =
        f.of.meaning == kind::predicate ? 4u : std::max<unsigned>(f.of.bytes, 2) * warp_size;
    found = {};
    found.of = f.of;
    found.where = f.first + static_cast<operand>(number * stride);
    return &found;
  }
  return nullptr;
}

// ---- Constants ----
operand decoder::constant(u64 low, unsigned bytes, u64 high) {
  auto const key = std::to_string(bytes) + ":" + std::to_string(low) + ":" + std::to_string(high);
  auto const [at, isnew] = constants_.try_emplace(key, 0);
  if (!isnew) return at->second;
  auto const offset = (p_.constants.size() + 63) / 64 * 64;
  p_.constants.resize(offset + std::size_t{bytes} * warp_size);
  for (unsigned l = 0; l < warp_size; ++l) {
    std::memcpy(p_.constants.data() + offset + l * bytes, &low, std::min(bytes, 8u));
    if (bytes == 16) std::memcpy(p_.constants.data() + offset + l * bytes + 8, &high, 8);
  }
  return at->second = -static_cast<operand>(offset);
}

/// Of a shared variable; it is known when the whole kernel has been seen.
operand decoder::shared_address(std::string const& name, std::int64_t offset, unsigned bytes) {
  auto const at = (p_.constants.size() + 63) / 64 * 64;
  p_.constants.resize(at + std::size_t{bytes} * warp_size);
  shared_uses_.push_back({name, offset, bytes, -static_cast<operand>(at)});
  return -static_cast<operand>(at);
}

void decoder::place_shared() {
  std::unordered_map<std::string, u32> offsets;
  auto const variable_named = [&](std::string const& name) -> variable const& {
    if (auto const here = shared_here_.find(name); here != shared_here_.end()) return here->second;
    return module_.shared.find(name)->second;
  };
  u32 used = 0, alignment_of_dynamic = 1;
  for (auto const& use : shared_uses_) {
    auto const& v = variable_named(use.name);
    if (v.bytes == 0) {
      alignment_of_dynamic = std::max(alignment_of_dynamic, static_cast<u32>(v.alignment));
    } else if (!offsets.contains(use.name)) {
      auto const alignment = static_cast<u32>(v.alignment);
      used = (used + alignment - 1) / alignment * alignment;
      offsets[use.name] = used;
      used += static_cast<u32>(v.bytes);
    }
  }
  p_.shared_bytes = used;
  p_.dynamic_at = (used + alignment_of_dynamic - 1) / alignment_of_dynamic * alignment_of_dynamic;
  for (auto const& use : shared_uses_) {
    auto const& v = variable_named(use.name);
    u64 const address =
        shared_begin + (v.bytes == 0 ? p_.dynamic_at : offsets[use.name]) + static_cast<u64>(use.offset);
    for (unsigned l = 0; l < warp_size; ++l)
      std::memcpy(p_.constants.data() - use.where + l * use.bytes, &address, use.bytes);
  }
}

// ---- Operands ----
std::optional<u64> decoder::number(std::string_view text, type t) const {
  if (text.empty()) return {};
  bool const negative = text[0] == '-';
  auto const digits = trimmed(negative ? text.substr(1) : text);
  if (digits.empty() || digits[0] < '0' || digits[0] > '9') return {};
  auto const real = [&](double x) -> u64 {
    if (t == type{kind::real, 8}) return std::bit_cast<u64>(x);
    if (t.meaning == kind::brain) return brain_bits(x);
    if (t.bytes == 2) return half_bits(x);
    return std::bit_cast<u32>(static_cast<float>(x));
  };
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'f' || digits[1] == 'F'))
    return std::stoull(std::string(digits.substr(2)), nullptr, 16);
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'd' || digits[1] == 'D')) {
    auto const bits = std::stoull(std::string(digits.substr(2)), nullptr, 16);
    return t.bytes == 8 || t.meaning == kind::bits ? bits : real(std::bit_cast<double>(bits));
  }
  if (digits.find('.') != digits.npos) return real(std::stod(std::string(negative ? text : digits)));
  auto plain = std::string(digits);
  while (!plain.empty() && (plain.back() == 'U' || plain.back() == 'u')) plain.pop_back();
  u64 const magnitude = plain.size() > 2 && (plain[1] == 'b' || plain[1] == 'B')
                            ? std::stoull(plain.substr(2), nullptr, 2)
                            : std::stoull(plain, nullptr, 0);
  u64 const n = negative ? u64{0} - magnitude : magnitude;
  if (t.meaning == kind::real || t.meaning == kind::brain)
    if (t.packed == 1) return real(negative ? -static_cast<double>(magnitude) : static_cast<double>(n));
  return n;
}

/// The address of a variable or a function, plus an offset.
std::optional<operand> decoder::symbol(std::string_view text, unsigned bytes) {
  std::int64_t offset = 0;
  auto name = text;
  if (auto const plus = text.find('+'); plus != text.npos) {
    name = trimmed(text.substr(0, plus));
    offset = std::stoll(std::string(trimmed(text.substr(plus + 1))), nullptr, 0);
  }
  std::string const key(name);
  if (shared_here_.contains(key) || module_.shared.contains(key)) return shared_address(key, offset, bytes);
  if (auto const global = globals_.find(key); global != globals_.end())
    return constant(global->second + static_cast<u64>(offset), bytes);
  if (auto const* const n = look_up(name); n && n->parameter >= 0)
    return constant(static_cast<u64>(n->parameter + offset), bytes);
  if (auto const* const n = look_up(name); n && n->in_frame) {
    auto const at = new_register({kind::natural, static_cast<std::uint8_t>(bytes)});
    auto& i = emit(frame_address, {at});
    i.value = n->in_frame->offset + offset;
    i.option = bytes == 4 ? 128 : 0;
    return at;
  }
  if (module_.routines.contains(key))
    return constant(function_window | static_cast<u64>(number_of_function(key)), bytes);
  return {};
}

value decoder::read(std::string_view text, type t) {
  if (text.empty()) refuse("an operand is missing");
  if (auto const n = number(text, t)) {
    if (t.meaning == kind::predicate) return {constant(*n ? ~u64{0} : 0, 4), 4};
    return {
        constant(t.bytes < 8 ? *n & ((u64{1} << (8 * t.bytes)) - 1) : *n, t.bytes, *n >> 63 ? ~u64{0} : 0),
        t.bytes};
  }
  if (auto const* const n = look_up(text); n && n->where != no_operand)
    return {n->where, n->of.meaning == kind::predicate ? 4u : n->of.bytes < 2 ? 2u : n->of.bytes};
  if (text[0] == '%') {
    unsigned bytes = 0;
    if (text == "%pm0" || text.starts_with("%envreg")) return {constant(0, t.bytes), t.bytes};
    auto const which = special_register(text.substr(1), bytes);
    if (which < 0) refuse("no register " + std::string(text));
    auto const at = new_register({kind::natural, static_cast<std::uint8_t>(bytes)});
    auto& i = emit(special, {at});
    i.value = which;
    i.option = static_cast<std::uint8_t>(bytes);
    return {at, bytes};
  }
  if (auto const address = symbol(text, t.bytes)) return {*address, t.bytes};
  if (text == "WARP_SZ") return {constant(warp_size, t.bytes), t.bytes};
  refuse("what is " + std::string(text) + "?");
}

operand decoder::read_as(std::string_view text, type t) {
  if (t.meaning == kind::predicate) return predicate(text);
  auto const v = read(text, t);
  if (v.bytes == t.bytes) return v.where;
  auto const at = new_register({kind::natural, t.bytes});
  computed("cvt." + std::string(t.meaning == kind::integer && v.bytes < t.bytes ? "s" : "u") +
               std::to_string(8 * t.bytes) + (t.meaning == kind::integer && v.bytes < t.bytes ? ".s" : ".u") +
               std::to_string(8 * v.bytes),
           at, {v.where});
  return at;
}

operand decoder::predicate(std::string_view text) {
  if (!text.empty() && text[0] == '!') {
    auto const at = new_register({kind::predicate, 4});
    computed("not.pred", at, {predicate(trimmed(text.substr(1)))});
    return at;
  }
  return read(text, {kind::predicate, 4}).where;
}

value decoder::written(std::string_view text) {
  if (text == "_") return {};
  auto const* const n = look_up(text);
  if (!n || n->where == no_operand) refuse("no register " + std::string(text));
  return {n->where, n->of.meaning == kind::predicate ? 4u : std::max<unsigned>(n->of.bytes, 2)};
}

std::vector<std::string_view> decoder::items(std::string_view text) const {
  if (!text.empty() && text.front() == '{') return split(text.substr(1, text.size() - 2), ',');
  return {text};
}

place_text decoder::place(std::string_view text) {
  if (text.empty() || text.front() != '[') refuse("no address: " + std::string(text));
  auto const inside = trimmed(text.substr(1, text.size() - 2));
  place_text at;
  auto base = inside;
  auto sign = inside.find_first_of("+-", 1);
  if (sign != inside.npos) {
    base = trimmed(inside.substr(0, sign));
    auto offset = std::string(trimmed(inside.substr(sign + 1)));
    at.offset =
        offset.starts_with("-") ? -std::stoll(offset.substr(1), nullptr, 0) : std::stoll(offset, nullptr, 0);
    if (inside[sign] == '-') at.offset = -at.offset;
  }
  if (auto const* const n = look_up(base)) {
    if (n->where != no_operand) {
      at.base = n->where;
      at.narrow = n->of.bytes == 4;
    } else if (n->parameter >= 0) {
      at.base = constant(static_cast<u64>(n->parameter), 8);
      at.in = space::parameter;
    } else if (n->in_frame) {
      at.base = constant(n->in_frame->offset, 8);
      at.in = space::frame;
    }
    return at;
  }
  if (auto const n = number(base, {kind::natural, 8})) at.base = constant(*n, 8);
  else if (auto const address = symbol(base, 8)) at.base = *address;
  else refuse("what is at " + std::string(text) + "?");
  return at;
}

/// For instructions that take no offset.
operand decoder::address_in_register(std::string_view text, unsigned bytes) {
  auto const at = place(text);
  unsigned const has = at.narrow ? 4 : 8;
  operand base = at.base;
  if (has != bytes) {
    base = new_register({kind::natural, static_cast<std::uint8_t>(bytes)});
    computed(bytes == 8 ? "cvt.u64.u32" : "cvt.u32.u64", base, {at.base});
  }
  if (at.offset == 0) return base;
  auto const sum = new_register({kind::natural, static_cast<std::uint8_t>(bytes)});
  auto const mask = bytes == 8 ? ~u64{0} : u64{0xffffffff};
  computed(bytes == 8 ? "add.u64" : "add.u32", sum,
           {base, constant(static_cast<u64>(at.offset) & mask, bytes)});
  return sum;
}

std::string program::place_of(instruction const& i) const {
  auto text = "line " + std::to_string(i.line) + " of its PTX";
  if (auto const file = files->find(i.source.file); i.source.line && file != files->end())
    text += " (" + file->second + ":" + std::to_string(i.source.line) + ")";
  return text;
}

std::unique_ptr<program> decode(module_text const& module, std::string const& kernel,
                                addresses const& globals) {
  auto p = std::make_unique<program>();
  decoder(module, globals, *p).decode_all(kernel);
  return p;
}

}  // namespace emulator

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx.hpp"

#include <algorithm>
#include <stdexcept>

namespace emulator {

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '%';
}

std::string_view trimmed(std::string_view text) {
  auto const space = " \t\r\n";
  auto const from = text.find_first_not_of(space);
  if (from == text.npos) return {};
  return text.substr(from, text.find_last_not_of(space) - from + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    if (c == '{' || c == '[' || c == '(') ++depth;
    if (c == '}' || c == ']' || c == ')') --depth;
    if (c != separator || depth > 0) continue;
    parts.push_back(trimmed(text.substr(from, i - from)));
    from = i + 1;
  }
  if (auto const last = trimmed(text.substr(from)); !last.empty() || !parts.empty()) parts.push_back(last);
  return parts;
}

type type_named(std::string_view name) {
  if (name == "pred") return {kind::predicate, 4};
  if (name == "f16x2") return {kind::real, 4, 2};
  if (name == "bf16x2") return {kind::brain, 4, 2};
  auto const digits = name.find_first_of("0123456789");
  if (digits == name.npos) return {};
  auto const prefix = name.substr(0, digits), size = name.substr(digits);
  std::uint8_t const bytes = size == "8"     ? 1
                             : size == "16"  ? 2
                             : size == "32"  ? 4
                             : size == "64"  ? 8
                             : size == "128" ? 16
                                             : 0;
  if (bytes == 0) return {};
  if (prefix == "b") return {kind::bits, bytes};
  if (prefix == "u") return {kind::natural, bytes};
  if (prefix == "s") return {kind::integer, bytes};
  if (prefix == "f") return {kind::real, bytes};
  if (prefix == "bf") return {kind::brain, bytes};
  return {};
}

namespace {

/// Walks over text and counts its lines.
struct walker {
  std::string_view text;
  std::size_t at = 0;
  std::uint32_t line = 1;

  bool done() const { return at >= text.size(); }
  char here() const { return text[at]; }
  void step() { line += text[at++] == '\n'; }
  bool skip_comment() {
    if (here() != '/' || at + 1 >= text.size()) return false;
    if (text[at + 1] == '/') {
      at = std::min(text.find('\n', at), text.size());
      return true;
    }
    if (text[at + 1] != '*') return false;
    auto const end = std::min(text.find("*/", at), text.size() - 2) + 2;
    while (at < end) step();
    return true;
  }
  void skip_space() {
    while (!done())
      if (here() == ' ' || here() == '\t' || here() == '\n' || here() == '\r') step();
      else if (!skip_comment()) return;
  }
  void skip_line() {
    while (!done() && here() != '\n') ++at;
  }
  /// From "{" to after its "}".
  void skip_braces() {
    int depth = 0;
    while (!done()) {
      if (skip_comment()) continue;
      if (here() == '{') ++depth;
      if (here() == '}' && --depth == 0) return step();
      step();
    }
  }
};

bool begins(std::string_view text, std::string_view with) { return text.starts_with(with); }
bool has_word(std::string_view text, std::string_view word) {
  for (auto i = text.find(word); i != text.npos; i = text.find(word, i + 1))
    if (i + word.size() == text.size() || !is_name(text[i + word.size()])) return true;
  return false;
}

unsigned number_after(std::string_view text, std::string_view word, unsigned otherwise) {
  auto const i = text.find(word);
  return i == text.npos ? otherwise
                        : static_cast<unsigned>(std::stoul(std::string(text.substr(i + word.size()))));
}

/// Whether a header's bracket is closed, so that what follows is a body or the end.
routine routine_of(std::string_view header) {
  routine r;
  r.kernel = has_word(header, ".entry");
  auto rest = header.substr(header.find(r.kernel ? ".entry" : ".func") + (r.kernel ? 6 : 5));
  auto const list = [&](std::vector<variable>& into) {
    auto const close = rest.find(')');
    for (auto const one : split(rest.substr(1, close - 1), ','))
      if (!one.empty()) into.push_back(declared(one));
    rest = trimmed(rest.substr(close + 1));
  };
  rest = trimmed(rest);
  while (begins(rest, ".attribute") || begins(rest, ".noreturn")) rest = trimmed(rest.substr(rest.find(' ')));
  if (begins(rest, "(")) list(r.results);
  auto const end = std::min(rest.find_first_of("( \t\n"), rest.size());
  r.name = trimmed(rest.substr(0, end));
  rest = trimmed(rest.substr(end));
  if (begins(rest, "(")) list(r.parameters);
  if (rest.find(".maxntid") != rest.npos || rest.find(".reqntid") != rest.npos) {
    auto const at = rest.find(".maxntid") != rest.npos ? rest.find(".maxntid") : rest.find(".reqntid");
    r.most_threads = 1;
    auto const words = rest.substr(at + 8, std::min(rest.find('.', at + 1), rest.size()) - at - 8);
    for (auto const n : split(words, ','))
      r.most_threads *= static_cast<std::uint32_t>(std::stoul(std::string(n)));
  }
  if (auto const at = rest.find(".reqnctapercluster"); at != rest.npos) {
    auto const numbers = split(rest.substr(at + 18), ',');
    for (std::size_t i = 0; i < 3; ++i)
      r.cluster[i] = i < numbers.size() ? static_cast<unsigned>(std::stoul(std::string(numbers[i]))) : 1;
  }
  return r;
}

}  // namespace

variable declared(std::string_view text) {
  variable v;
  if (auto const equals = text.find('='); equals != text.npos) {
    v.initial = trimmed(text.substr(equals + 1));
    text = text.substr(0, equals);
  }
  v.alignment = number_after(text, ".align", 0);
  // The last type is the variable's; ".ptr .global .align 8" describe what a pointer points at.
  std::size_t name_at = 0;
  for (auto i = text.find('.'); i != text.npos; i = text.find('.', i + 1)) {
    auto end = i + 1;
    while (end < text.size() && is_name(text[end])) ++end;
    if (auto const t = type_named(text.substr(i + 1, end - i - 1)); t.bytes) {
      v.of = t;
      name_at = end;
      if (text.find(".ptr", i) != text.npos) v.alignment = 0;
      break;
    }
  }
  auto name = trimmed(text.substr(name_at));
  if (begins(name, ".ptr")) {
    auto const space = name.find_last_of(" \t");
    name = trimmed(name.substr(space + 1));
  }
  v.bytes = v.of.bytes;
  if (auto const bracket = name.find('['); bracket != name.npos) {
    for (auto rest = name.substr(bracket); !rest.empty();) {
      auto const size = trimmed(rest.substr(1, rest.find(']') - 1));
      v.bytes = size.empty() ? 0 : v.bytes * std::stoull(std::string(size));
      rest = trimmed(rest.substr(rest.find(']') + 1));
    }
    name = trimmed(name.substr(0, bracket));
  }
  if (v.alignment == 0) v.alignment = v.of.bytes;
  v.name = name;
  return v;
}

module_text cut(std::string given) {
  module_text m;
  m.text = std::move(given);
  walker w{m.text};
  for (w.skip_space(); !w.done(); w.skip_space()) {
    auto const from = w.at;
    auto const rest = w.text.substr(from);
    if (begins(rest, ".version") || begins(rest, ".target") || begins(rest, ".address_size") ||
        begins(rest, ".file") || begins(rest, ".loc")) {
      w.skip_line();
      if (begins(rest, ".file")) {
        auto const line = rest.substr(0, w.at - from);
        auto const quote = line.find('"');
        m.files[number_after(line, ".file", 0)] = line.substr(quote + 1, line.rfind('"') - quote - 1);
      }
      continue;
    }
    if (begins(rest, ".section")) {
      w.at += rest.find('{');
      w.skip_braces();
      continue;
    }
    bool value = false;
    while (!w.done() && w.here() != ';' && (value || w.here() != '{')) {
      value |= w.here() == '=';
      if (!w.skip_comment()) w.step();
    }
    auto const header = trimmed(w.text.substr(from, w.at - from));
    if (has_word(header, ".entry") || has_word(header, ".func")) {
      auto r = routine_of(header);
      r.line = w.line;
      if (!w.done() && w.here() == '{') {
        auto const body = w.at;
        w.skip_braces();
        r.body = w.text.substr(body + 1, w.at - body - 2);
      } else if (!w.done()) {
        w.step();
      }
      auto& kept = m.routines[r.name];
      if (kept.body.empty()) kept = r;
      continue;
    }
    if (!w.done()) w.step();
    if (header.find(".shared") != header.npos) {
      auto const v = declared(header);
      m.shared[v.name] = v;
    } else if (header.find(".global") != header.npos || header.find(".const") != header.npos) {
      auto const v = declared(header);
      auto& kept = m.global[v.name];
      if (kept.initial.empty()) kept = v;
    }
  }
  return m;
}

std::vector<statement> statements(std::string_view body, std::uint32_t line) {
  using form = statement::form;
  std::vector<statement> all;
  source_line source;
  walker w{body, 0, line};
  for (w.skip_space(); !w.done(); w.skip_space()) {
    auto const from = w.at;
    auto const begin = w.line;
    if (w.here() == '{' || w.here() == '}') {
      all.push_back({w.here() == '{' ? form::open : form::close, {}, begin, source});
      w.step();
      continue;
    }
    if (w.here() == ';') {
      w.step();
      continue;
    }
    bool const directive = w.here() == '.';
    if (directive && (begins(body.substr(from), ".loc") || begins(body.substr(from), ".file")) &&
        !begins(body.substr(from), ".local")) {
      w.skip_line();
      auto const text = body.substr(from, w.at - from);
      if (auto const second = text.find_first_of(" \t", text.find_first_not_of(" \t", 4));
          second != text.npos)
        source = {number_after(text, ".loc", 0), number_after(text.substr(second), "", 0)};
      continue;
    }
    bool label = false;
    while (!w.done() && w.here() != ';') {
      if (w.skip_comment()) continue;
      if (w.here() == ':' && w.at + 1 < body.size() && body[w.at + 1] != ':' && body[w.at - 1] != ':') {
        label = true;
        break;
      }
      w.step();
    }
    auto const text = trimmed(body.substr(from, w.at - from));
    if (!w.done()) w.step();
    all.push_back({label       ? form::label
                   : directive ? form::directive
                               : form::instruction,
                   text, begin, source});
  }
  return all;
}

}  // namespace emulator

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lexer.hpp"
#include "text.hpp"

namespace tour {

findings read_serially(corpus const& text, report const& done) {
  findings found;
  std::vector<std::int64_t> of_length(longest + 1);
  std::int64_t line_begin = 0;
  auto now = code_gap;
  for (std::int64_t i = 0; i < std::ssize(text.bytes); ++i) {
    if (i % (1 << 20) == 0) done(static_cast<double>(i) / static_cast<double>(text.bytes.size()));
    auto const byte = text.bytes[i];
    if (text.begins[i]) {
      now = code_gap;
      line_begin = i;
    }
    auto const before = now;
    now = next(before, byte);
    if (!is_space(byte) && !in_word(before)) {
      ++found.words;
      found.words_in_comments += in_comment(now);
    }
    found.comments += in_comment(now) && !in_comment(before);
    if (byte == '\n') {
      ++found.lines;
      found.line_ends.push_back(i);
      ++of_length[std::min<std::int64_t>(i - line_begin, longest)];
      line_begin = i + 1;
    }
  }
  found.shorter.push_back(0);
  for (auto const count : of_length) found.shorter.push_back(found.shorter.back() + count);
  return found;
}

}  // namespace tour

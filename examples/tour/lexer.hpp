// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TOUR_LEXER_HPP
#define SWEEP_TOUR_LEXER_HPP

#include "place.hpp"

#include <cstdint>

namespace tour {

// A finite-state machine that knows words and the comments of C++ in any text. Its state after a byte depends
// on all bytes before; but what a byte does to every possible state is a small table, and tables compose: (a
// then b) maps s to b[a[s]]. Composition is associative and not commutative, so a scan runs the machine in
// parallel.

/// White space of ASCII. `wc -w` has the same in the C locale; in others it knows more of it, and fewer bytes
/// that begin a word.
TOUR_HD constexpr bool is_space(unsigned char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

/// Fifteen states. What the machine is in, and whether the last byte belongs to a word; where only one is
/// possible, it is not told apart.
enum state : unsigned char {
  code_gap,
  code_word,
  slash,  // '/' may begin a comment
  string_gap,
  string_word,
  string_escape,  // "..."
  character_gap,
  character_word,
  character_escape,  // '...'
  line_gap,
  line_word,
  line_escape,  // comment to the end of the line; a backslash continues it
  block_gap,
  block_word,
  block_star,  // comment to the next star and slash
};
inline constexpr int states = 15;

TOUR_HD constexpr bool in_word(state s) { return s % 3 != 0; }
TOUR_HD constexpr bool in_comment(state s) { return s >= line_gap; }

constexpr state next(state s, unsigned char byte) {
  bool const word = !is_space(byte);
  auto const to = [word](state gap) { return static_cast<state>(gap + word); };
  switch (s / 3 * 3) {
  case code_gap:
    if (s == slash && byte == '/') return line_word;
    if (s == slash && byte == '*') return block_word;
    return byte == '/' ? slash : byte == '"' ? string_word : byte == '\'' ? character_word : to(code_gap);
  case string_gap:
    if (s == string_escape) return to(string_gap);
    return byte == '\\' ? string_escape : byte == '"' ? code_word : byte == '\n' ? code_gap : to(string_gap);
  case character_gap:
    if (s == character_escape) return to(character_gap);
    return byte == '\\'   ? character_escape
           : byte == '\'' ? code_word
           : byte == '\n' ? code_gap
                          : to(character_gap);
  case line_gap:
    return byte == '\\' ? line_escape : byte == '\n' && s != line_escape ? code_gap : to(line_gap);
  default:
    return byte == '*' ? block_star : s == block_star && byte == '/' ? code_word : to(block_gap);
  }
}

/// What some bytes do to every state: four bits for each of the fifteen, in one word.
struct transition {
  std::uint64_t packed = 0;

  TOUR_HD constexpr state operator()(state s) const { return static_cast<state>(packed >> (4 * s) & 15); }
};

/// First a, then b.
struct then {
  TOUR_HD constexpr transition operator()(transition a, transition b) const {
    transition both;
#if defined(__CUDA_ARCH__)
#pragma unroll 1  // a tile's scan is unrolled already, with this in hundreds of places
#endif
    for (int s = 0; s < states; ++s) both.packed |= std::uint64_t{b(a(static_cast<state>(s)))} << (4 * s);
    return both;
  }
};

/// What the machine writes for each byte: the state that it is in afterwards, having begun in code.
struct reached {
  state after = code_gap;

  reached() = default;
  TOUR_HD constexpr explicit reached(transition t) : after{t(code_gap)} {}
};

/// Bytes that do the same share a transition.
inline constexpr unsigned char examples_of[] = {'/', '*', '"', '\'', '\\', '\n', ' ', 'x'};
struct transition_table {
  transition of[8];
};
constexpr transition_table transitions() {
  transition_table all;
  for (int c = 0; c < 8; ++c)
    for (int s = 0; s < states; ++s)
      all.of[c].packed |= std::uint64_t{next(static_cast<state>(s), examples_of[c])} << (4 * s);
  return all;
}
TOUR_HD constexpr int class_of(unsigned char byte) {
  switch (byte) {
  case '/':
    return 0;
  case '*':
    return 1;
  case '"':
    return 2;
  case '\'':
    return 3;
  case '\\':
    return 4;
  case '\n':
    return 5;
  default:
    return is_space(byte) ? 6 : 7;
  }
}

}  // namespace tour

#endif

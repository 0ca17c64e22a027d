// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TOUR_READ_HPP
#define SWEEP_TOUR_READ_HPP

#include "lexer.hpp"
#include "place.hpp"
#include "text.hpp"

#include <sweep/reduce.hpp>
#include <sweep/scan.hpp>

#include <atomic>
#include <cstddef>
#include <iterator>

namespace tour {

/// The positions of a text as a range: 0, 1, 2, ...
struct position {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::int64_t;
  using difference_type = std::ptrdiff_t;
  using pointer = std::int64_t const*;
  using reference = std::int64_t;

  std::int64_t at = 0;

  TOUR_HD std::int64_t operator*() const { return at; }
  TOUR_HD std::int64_t operator[](std::int64_t i) const { return at + i; }
  TOUR_HD position operator+(std::int64_t i) const { return {at + i}; }
  TOUR_HD std::int64_t operator-(position other) const { return at - other.at; }
};

/// An output that is written nowhere: out[i] = value calls write(i, value).
template <class Write>
struct into {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = void;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  struct reference {
    Write write;
    std::int64_t at;
    template <class T>
    TOUR_HD void operator=(T const& value) const {
      write(at, value);
    }
  };

  Write write;
  std::int64_t at = 0;

  TOUR_HD reference operator*() const { return {write, at}; }
  TOUR_HD reference operator[](std::int64_t i) const { return {write, at + i}; }
  TOUR_HD into operator+(std::int64_t i) const { return {write, at + i}; }
};

TOUR_HD inline void count_one(std::int64_t& counter) {
#if defined(__CUDA_ARCH__)
  atomicAdd(reinterpret_cast<unsigned long long*>(&counter), 1ull);
#else
  std::atomic_ref(counter).fetch_add(1, std::memory_order_relaxed);
#endif
}

/// The text where the algorithms can read it.
struct view {
  unsigned char const* bytes;
  unsigned char const* begins;
};

struct is_newline {
  TOUR_HD std::int64_t operator()(unsigned char byte) const { return byte == '\n'; }
};

struct add {
  template <class T>
  TOUR_HD T operator()(T const& a, T const& b) const {
    return a + b;
  }
};

// ---- Lines: how many newlines came before a byte, and where the byte's line begins

struct line {
  std::int64_t newlines = 0, begin = 0;
};
struct line_of_byte {
  view text;
  TOUR_HD line operator()(std::int64_t i) const {
    bool const ends = text.bytes[i] == '\n';
    return {ends, ends ? i + 1 : text.begins[i] ? i : 0};
  }
};
struct later_line {
  TOUR_HD line operator()(line a, line b) const {
    return {a.newlines + b.newlines, b.begin > a.begin ? b.begin : a.begin};
  }
};

/// Each newline writes its own entry of the line index, and counts a line of its length.
struct write_line {
  view text;
  std::int64_t* line_ends;
  std::int64_t* of_length;
  TOUR_HD void operator()(std::int64_t i, line before) const {
    if (text.bytes[i] != '\n') return;
    auto const length = text.begins[i] ? 0 : i - before.begin;
    line_ends[before.newlines] = i;
    count_one(of_length[length < longest ? length : longest]);
  }
};

// ---- Words and comments

/// What a byte does to the machine. The first of a file forgets what came before it.
struct transition_of_byte {
  view text;
  transition_table table;
  TOUR_HD transition operator()(std::int64_t i) const {
    auto const t = table.of[class_of(text.bytes[i])];
    if (!text.begins[i]) return t;
    transition constant;
    for (int s = 0; s < states; ++s) constant.packed |= std::uint64_t{t(code_gap)} << (4 * s);
    return constant;
  }
};

struct word_counts {
  std::int64_t words = 0, comments = 0, words_in_comments = 0;
  TOUR_HD friend word_counts operator+(word_counts const& a, word_counts const& b) {
    return {a.words + b.words, a.comments + b.comments, a.words_in_comments + b.words_in_comments};
  }
};
struct count_word {
  view text;
  reached const* state_after;
  TOUR_HD word_counts operator()(std::int64_t i) const {
    auto const before = text.begins[i] ? code_gap : state_after[i - 1].after, after = state_after[i].after;
    bool const word = !is_space(text.bytes[i]) && !in_word(before);
    return {word, in_comment(after) && !in_comment(before), word && in_comment(after)};
  }
};

template <class Place>
findings read(Place const& place, corpus const& text, report const& done) {
  auto const n = std::ssize(text.bytes);
  auto const size = text.bytes.size();
  typename Place::template array<unsigned char> bytes(size), begins(size);
  place.copy_in(text.bytes, bytes);
  place.copy_in(text.begins, begins);
  view const seen{bytes.data(), begins.data()};
  position const first{0}, last{n};
  findings found;
  done(0.1);

  // How many lines, then where they end and how long they are.
  found.lines =
      sweep::transform_reduce(place.policy, seen.bytes, seen.bytes + n, std::int64_t{0}, add{}, is_newline{});
  typename Place::template array<std::int64_t> line_ends(static_cast<std::size_t>(found.lines)),
      of_length(longest + 2), shorter(longest + 2);
  done(0.2);
  into<write_line> const lines{{seen, line_ends.data(), of_length.data()}};
  sweep::transform_exclusive_scan(place.policy, first, last, lines, line{}, later_line{}, line_of_byte{seen});
  sweep::exclusive_scan(place.policy, of_length.data(), of_length.data() + of_length.size(), shorter.data());
  done(0.4);

  // The machine's state after each byte, one byte each, though the scan's values are transitions.
  typename Place::template array<reached> state_after(size);
  sweep::transform_inclusive_scan(place.policy, first, last, state_after.data(), then{},
                                  transition_of_byte{seen, transitions()});
  done(0.8);
  auto const counts = sweep::transform_reduce(place.policy, first, last, word_counts{}, add{},
                                              count_word{seen, state_after.data()});

  found.words = counts.words;
  found.comments = counts.comments;
  found.words_in_comments = counts.words_in_comments;
  found.line_ends = place.copy_out(line_ends);
  found.shorter = place.copy_out(shorter);
  return found;
}

}  // namespace tour

#endif

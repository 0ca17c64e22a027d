// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The line index of a text, by a scan of newline flags: byte i belongs to line number (newlines before i).
// line_index [FILE [LINE]]: prints a line of a file; without a file, of a poem.
#include <sweep/sweep.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace {

std::string const poem = "I felt a Cleaving in my Mind -\n"
                         "As if my Brain had split -\n"
                         "I tried to match it - Seam by Seam -\n"
                         "But could not make them fit.\n";

/// line_begins[k] is where line k begins; one more entry says where the last line ends.
std::vector<std::int64_t> index_lines(std::string const& text) {
  auto const n = std::ssize(text);
  std::vector<std::int64_t> line_of(text.size() + 1);  // (n + 1): the last is the number of newlines
  line_of[text.size()] =
      sweep::transform_reduce(sweep::host, text.begin(), text.end(), std::int64_t{0}, std::plus<>{},
                              [](char c) { return std::int64_t{c == '\n'}; });
  sweep::transform_exclusive_scan(sweep::host, text.begin(), text.end(), line_of.begin(), std::int64_t{0},
                                  std::plus<>{}, [](char c) { return std::int64_t{c == '\n'}; });
  std::vector<std::int64_t> line_begins(static_cast<std::size_t>(line_of.back()) + 1);
  for (std::int64_t i = 0; i < n;
       ++i)  // every newline knows its own entry: the order of these writes is free
    if (text[i] == '\n') line_begins[line_of[i] + 1] = i + 1;
  return line_begins;
}

bool is_right(std::string const& text, std::vector<std::int64_t> const& line_begins) {
  std::vector<std::int64_t> expected{0};
  for (std::int64_t i = 0; i < std::ssize(text); ++i)
    if (text[i] == '\n') expected.push_back(i + 1);
  return line_begins == expected;
}

}  // namespace

int main(int count, char** arguments) {
  std::string text = poem;
  if (count > 1) {
    std::ifstream file(arguments[1], std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
    if (!file) return std::printf("cannot read %s\n", arguments[1]), 1;
  }
  auto const line_begins = index_lines(text);
  auto const lines = std::ssize(line_begins) - 1;
  auto const wanted = count > 2 ? std::atoll(arguments[2]) : (lines + 1) / 2;
  if (wanted >= 1 && wanted <= lines) {
    auto const begin = line_begins[wanted - 1], end = line_begins[wanted];
    std::printf("line %lld of %lld: %.*s", static_cast<long long>(wanted), static_cast<long long>(lines),
                static_cast<int>(end - begin), text.data() + begin);
  }
  return is_right(text, line_begins) ? 0 : 1;
}

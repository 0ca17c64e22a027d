// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TOUR_TERMINAL_HPP
#define SWEEP_TOUR_TERMINAL_HPP

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

namespace tour {

/// How many columns there are to write to: $COLUMNS, or the terminal's, or 80 where there is none.
inline int columns(int file) {
  int wide = 80;
  winsize size{};
  if (char const* const said = std::getenv("COLUMNS"); said != nullptr && std::atoi(said) > 0)
    wide = std::atoi(said);
  else if (ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) wide = size.ws_col;
  return std::clamp(wide, 40, 200);
}

/// Writes a text in lines of at most so many columns, each indented as much as the text itself is, and all
/// but the first by two more.
inline void write_wrapped(std::string_view text, int wide) {
  auto const first = static_cast<int>(std::min(text.find_first_not_of(' '), text.size()));
  int const indent = first + 2;
  std::printf("%*s", first, "");
  text.remove_prefix(static_cast<std::size_t>(first));
  int at = first;
  while (!text.empty()) {
    auto const word = text.substr(0, text.find(' '));
    if (at > first && at + 1 + static_cast<int>(word.size()) > wide) {
      std::printf("\n%*s", indent, "");
      at = indent;
    } else if (at > first) {
      std::putchar(' ');
      ++at;
    }
    std::fwrite(word.data(), 1, word.size(), stdout);
    at += static_cast<int>(word.size());
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  std::putchar('\n');
}

/// What is being done and how much of it is done: a line on the terminal that is overwritten, elsewhere
/// nothing.
class progress {
 public:
  void step(std::string what, double fraction = 0) {
    what_ = std::move(what);
    percent_ = -1;
    at(fraction);
  }
  void at(double fraction) {
    auto const now = static_cast<int>(100 * std::clamp(fraction, 0.0, 1.0));
    if (!terminal_ || now == percent_) return;
    percent_ = now;
    auto const number = ' ' + std::to_string(now) + " %";
    auto const room = static_cast<std::size_t>(columns(STDERR_FILENO)) - number.size() - 1;
    write("\r\033[K" + ("  ... " + what_).substr(0, room) + number);
  }
  void done() {
    if (terminal_) write("\r\033[K");
  }

 private:
  static void write(std::string const& text) {
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
  }

  bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::string what_;
  int percent_ = -1;
};

}  // namespace tour

#endif

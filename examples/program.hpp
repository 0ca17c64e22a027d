// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_PROGRAM_HPP
#define SWEEP_EXAMPLES_PROGRAM_HPP

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

/// What the example programs have in common: their arguments, their files, and what is said when either is
/// wrong.
namespace program {

/// What is wrong with a file, and in which line.
struct bad_file : std::runtime_error {
  bad_file(std::string const& file, std::string const& reason) : std::runtime_error(file + ": " + reason) {}
  bad_file(std::string const& file, std::int64_t line, std::string const& reason)
      : std::runtime_error(file + ", line " + std::to_string(line) + ": " + reason) {}
};

/// Runs body(arguments), which says whether all was right. --help prints what a program does instead.
template <class Body>
int run(int argc, char** argv, char const* help, Body body) try {
  std::vector<std::string> const arguments(argv + (argc > 0), argv + argc);
  for (auto const& argument : arguments)
    if (argument == "--help") return std::fputs(help, stdout) < 0;
  return body(arguments) ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

/// A whole file.
inline std::string read(std::string const& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write(std::string const& name, std::string const& bytes) {
  std::ofstream file(name, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + name);
}

/// The text without the white space around it.
inline std::string_view trimmed(std::string_view text) {
  auto const begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin, end - begin + 1);
}

/// Whether the whole of a text is a finite number, which is then the value.
template <class T>
bool is_number(std::string_view text, T& value) {
  text = trimmed(text);
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool const whole = !text.empty() && error == std::errc{} && end == text.data() + text.size();
  if constexpr (std::is_floating_point_v<T>) return whole && std::isfinite(value);
  return whole;
}

/// An argument that is a number.
template <class T>
T number(std::string const& argument) {
  T value{};
  if (!is_number(argument, value)) throw std::runtime_error("'" + argument + "' is no number (see --help)");
  return value;
}

/// Calls line(number, text) for each line, which are counted from 1.
template <class Line>
void for_each_line(std::string_view text, Line line) {
  for (std::int64_t k = 1; !text.empty(); ++k) {
    auto const end = text.find('\n');
    line(k, text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace program

#endif

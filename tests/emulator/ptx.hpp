// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of a PTX module, cut into variables, functions and kernels. Their bodies are cut when they are
// decoded.
#ifndef SWEEP_TESTS_EMULATOR_PTX_HPP
#define SWEEP_TESTS_EMULATOR_PTX_HPP

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace emulator {

/// The types of PTX, by size and by what their bits mean.
enum class kind : std::uint8_t { bits, natural, integer, real, brain, predicate };
struct type {
  kind meaning = kind::bits;
  std::uint8_t bytes = 0;  ///< 0: no type
  std::uint8_t packed = 1;
  friend bool operator==(type const&, type const&) = default;
};
/// "u32" and the like; of 0 bytes if it is none.
type type_named(std::string_view name);

struct variable {
  std::string name;
  type of;
  std::uint64_t bytes = 0;  ///< 0: its size is the launch's
  std::uint64_t alignment = 1;
  std::string_view initial;  ///< the text after "="
};

/// A kernel or a function, not decoded yet.
struct routine {
  std::string name;
  bool kernel = false;
  std::vector<variable> parameters, results;
  std::string_view body;  ///< empty: declared only
  std::uint32_t line = 0;
  std::uint32_t most_threads = 1024;
  unsigned cluster[3] = {0, 0, 0};  ///< .reqnctapercluster
};

/// A line of a source file, where nvcc was given -lineinfo.
struct source_line {
  std::uint32_t file = 0, line = 0;
};

struct module_text {
  std::string text;
  std::map<std::uint32_t, std::string> files;
  std::map<std::string, routine, std::less<>> routines;
  std::map<std::string, variable, std::less<>> shared, global;  ///< global: constants, too
};
module_text cut(std::string text);

/// A `.name` declaration: "align 8 .b8 name[16]", with or without what comes before the alignment.
variable declared(std::string_view text);

/// One statement of a body.
struct statement {
  enum class form { instruction, label, directive, open, close } is;
  std::string_view text;
  std::uint32_t line;
  source_line source;
};
std::vector<statement> statements(std::string_view body, std::uint32_t line);

// ---- Pieces of text ----
std::string_view trimmed(std::string_view text);
/// At separators that are not within brackets.
std::vector<std::string_view> split(std::string_view text, char separator);
bool is_name(char c);

}  // namespace emulator

#endif

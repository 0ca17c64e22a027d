// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_EXAMPLES_CSV_HPP
#define SWEEP_EXAMPLES_CSV_HPP

#include "program.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Tables of numbers, as comma-separated values with a line of names above them.
namespace csv {

struct table {
  std::vector<std::string> names;
  std::int64_t rows = 0;
  std::vector<double> values;  ///< row by row
  std::int64_t columns() const { return static_cast<std::int64_t>(names.size()); }
};

/// Reads a table. Columns whose first value is no number, as dates are, are left out; in all others every
/// value must be one.
inline table read(std::string const& name) {
  table t;
  std::vector<std::string> names;
  std::vector<bool> kept;
  program::for_each_line(program::read(name), [&](std::int64_t line, std::string_view text) {
    text = program::trimmed(text);
    if (text.empty() || text[0] == '#') return;
    std::vector<std::string_view> fields;
    for (bool more = true; more;) {
      auto const end = text.find(',');
      more = end != std::string_view::npos;
      fields.push_back(program::trimmed(text.substr(0, end)));
      if (more) text.remove_prefix(end + 1);
    }
    if (names.empty()) {
      names.assign(fields.begin(), fields.end());
      return;
    }
    if (fields.size() != names.size())
      throw program::bad_file(name, line,
                              std::to_string(fields.size()) + " values, but there are " +
                                  std::to_string(names.size()) + " names");
    for (std::size_t c = 0; c < fields.size(); ++c) {
      double value = 0;
      bool const good = program::is_number(fields[c], value);
      if (t.rows == 0) {
        kept.push_back(good);
        if (good) t.names.push_back(names[c]);
      }
      if (!kept[c]) continue;
      if (!good)
        throw program::bad_file(name, line,
                                "'" + std::string(fields[c]) + "' under '" + names[c] + "' is no number");
      t.values.push_back(value);
    }
    ++t.rows;
  });
  if (t.values.empty()) throw program::bad_file(name, "has no columns of numbers");
  return t;
}

}  // namespace csv

#endif

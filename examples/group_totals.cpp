// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running totals within groups of a CSV table's rows, by a segmented scan whose segments are the group
// column's equal neighbours, and each group's total, by a reduction by key. group_totals [FILE GROUP VALUE]:
// column numbers count from 0. Without arguments, time by family in the repository's own measurements.
#include <sweep/sweep.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct column_pair {
  std::vector<std::string> groups;
  std::vector<double> values;
};

/// Rows whose value is a number; a group is what stands before the first '/'.
column_pair read(std::string const& path, int group, int value) {
  column_pair columns;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    std::vector<std::string> row;
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
    if (static_cast<int>(row.size()) <= std::max(group, value)) continue;
    char* end = nullptr;
    auto const& text = row[static_cast<std::size_t>(value)];
    double const number = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0') continue;
    auto const& name = row[static_cast<std::size_t>(group)];
    columns.groups.push_back(name.substr(0, name.find('/')));
    columns.values.push_back(number);
  }
  return columns;
}

}  // namespace

int main(int count, char** arguments) {
  std::string const path = count > 1 ? arguments[1] : SWEEP_EXAMPLE_CSV;
  auto const table =
      read(path, count > 2 ? std::atoi(arguments[2]) : 0, count > 3 ? std::atoi(arguments[3]) : 2);
  auto const n = table.values.size();
  if (n == 0) return std::printf("%s has no rows with numbers there\n", path.c_str()), 1;

  std::vector<double> running(n), totals(n);
  std::vector<std::string> names(n);
  auto const groups = sweep::segments::by_key(table.groups.begin());
  sweep::segmented_inclusive_scan(sweep::host, table.values.begin(), table.values.end(), groups,
                                  running.begin());
  auto const ends = sweep::reduce_by_key(sweep::host, table.groups.begin(), table.groups.end(),
                                         table.values.begin(), names.begin(), totals.begin());
  std::printf("%zu rows, %td groups\n", n, ends.second - totals.begin());
  for (auto i = 0; i < ends.second - totals.begin(); ++i)
    std::printf("%14.1f  %s\n", totals[static_cast<std::size_t>(i)],
                names[static_cast<std::size_t>(i)].c_str());

  double sum = 0;  // the last row of every group has the group's total
  std::size_t group = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum = i > 0 && table.groups[i] == table.groups[i - 1] ? sum + table.values[i] : table.values[i];
    if (std::abs(running[i] - sum) > 1e-9 * std::abs(sum)) return 1;
    if (i + 1 == n || table.groups[i] != table.groups[i + 1])
      if (std::abs(totals[group++] - sum) > 1e-9 * std::abs(sum)) return 1;
  }
  return 0;
}

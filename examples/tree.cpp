// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The depth of every node of a tree, and how many nodes are below it, by a walk around the tree (Tarjan and
// Vishkin 1985). The walk goes along every edge twice, down and up again, and which step follows which is
// known of each step by itself; where steps stand in the walk is found by doubling: every step asks the step
// that it knows of which one that one knows of. With +1 for each step down and -1 for each step up, the scan
// along the walk is the depth, and a node's subtree is what lies between the step down to it and the step up
// from it.
#include "program.hpp"

#include <sweep/gather.hpp>
#include <sweep/scan.hpp>
#include <sweep/sort.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using ids = std::vector<std::int32_t>;

struct measures {
  ids depth, nodes;  ///< of each node: edges above it, and nodes in its subtree, with itself
  bool operator==(measures const&) const = default;
};

/// parent[k] is the parent of node k, the root's is -1.
measures measure(ids const& parent) {
  auto const n = static_cast<std::int32_t>(parent.size());
  // Siblings side by side, the root in front of all: the first of node k's children is child[first[k]].
  ids child(parent.size()), sorted(parent), first(parent.size() + 1);
  for (std::int32_t k = 0; k < n; ++k) child[k] = k;
  sweep::sort_by_key(sweep::host, sorted.begin(), sorted.end(), child.begin());
  for (std::int32_t k = 0; k < n; ++k) ++first[parent[k] + 1];
  sweep::inclusive_scan(sweep::host, first.begin(), first.end(), first.begin());

  // Step 2 k goes down to node k and step 2 k + 1 up from it. The step up to the root's own parent ends the
  // walk.
  auto const root = child[0];
  auto const down = [](std::int32_t k) { return 2 * k; };
  auto const up = [](std::int32_t k) { return 2 * k + 1; };
  ids next(2 * parent.size()), left(next.size(), 1), next_of_next(next.size()), left_of_next(next.size());
  for (std::int32_t i = 0; i < n; ++i) {
    auto const k = child[i];
    next[down(k)] = first[k] < first[k + 1] ? down(child[first[k]]) : up(k);
    next[up(k)] = k == root ? up(k) : i + 1 < first[parent[k] + 1] ? down(child[i + 1]) : up(parent[k]);
  }
  left[up(root)] = 0;
  for (std::size_t known = 1; known < next.size(); known *= 2) {
    sweep::gather(sweep::host, next.begin(), next.end(), left.begin(), left_of_next.begin());
    sweep::gather(sweep::host, next.begin(), next.end(), next.begin(), next_of_next.begin());
    for (std::size_t s = 0; s < left.size(); ++s) left[s] += next[s] == up(root) ? 0 : left_of_next[s];
    next.swap(next_of_next);
  }
  for (std::int32_t k = 0; k < n; ++k)
    if (next[down(k)] != up(root))
      throw std::runtime_error("node " + std::to_string(k) +
                               " is not below the root: its ancestors are a cycle");

  ids place(left.size()), steps(left.size()), depth(left.size());
  auto const last = static_cast<std::int32_t>(left.size()) - 1;
  for (std::size_t s = 0; s < left.size(); ++s) {
    place[s] = last - left[s];
    left[s] = s % 2 == 0 ? 1 : -1;
  }
  sweep::scatter(sweep::host, left.begin(), left.end(), place.begin(), steps.begin());
  sweep::inclusive_scan(sweep::host, steps.begin(), steps.end(), depth.begin());

  measures found{ids(parent.size()), ids(parent.size())};
  for (std::int32_t k = 0; k < n; ++k) {
    found.depth[k] = depth[place[down(k)]] - 1;
    found.nodes[k] = (place[up(k)] - place[down(k)] + 1) / 2;
  }
  return found;
}

/// The same by walking from every node to the root.
measures measure_by_walks(ids const& parent) {
  measures found{ids(parent.size()), ids(parent.size(), 1)};
  for (std::size_t k = 0; k < parent.size(); ++k)
    for (auto above = parent[k]; above >= 0; above = parent[above]) {
      ++found.depth[k];
      ++found.nodes[above];
    }
  return found;
}

ids read(std::string const& name) {
  ids parent;
  std::int64_t root = 0;
  std::vector<std::int64_t> line_of;
  program::for_each_line(program::read(name), [&](std::int64_t line, std::string_view text) {
    if (program::trimmed(text).empty()) return;
    if (!program::is_number(text, parent.emplace_back()) || parent.back() < -1)
      throw program::bad_file(name, line, "'" + std::string(program::trimmed(text)) + "' is no parent");
    if (parent.back() == -1 && root)
      throw program::bad_file(name, line, "a second root, beside line " + std::to_string(root));
    if (parent.back() == -1) root = line;
    line_of.push_back(line);
  });
  for (std::size_t k = 0; k < parent.size(); ++k)
    if (parent[k] >= static_cast<std::int64_t>(parent.size()))
      throw program::bad_file(name, line_of[k], "there is no node " + std::to_string(parent[k]));
  if (!root) throw program::bad_file(name, "has no root");
  return parent;
}

char const* const help = "tree [FILE]: depth and size of the subtree of each node of a tree. The file has a "
                         "line for each node, which are\n"
                         "counted from 0: its parent's number, and -1 for the root. Without a file: of a "
                         "small tree, and of large ones\n"
                         "made at random.\n";

}  // namespace

int main(int argc, char** argv) {
  return program::run(argc, argv, help, [](std::vector<std::string> const& arguments) {
    if (arguments.size() > 1) throw std::runtime_error("one file, or none (see --help)");
    auto const parent = arguments.empty() ? ids{2, 2, 4, 4, -1, 3, 4, 3, 7} : read(arguments[0]);
    auto const found = measure(parent);
    std::printf("node parent depth nodes\n");
    for (std::size_t k = 0; k < parent.size(); ++k)
      std::printf("%4zu %6d %5d %5d\n", k, parent[k], found.depth[k], found.nodes[k]);
    bool right = found == measure_by_walks(parent);
    if (!arguments.empty()) return right;

    std::mt19937 chance(3);
    for (int reach : {1, 3, 100'000}) {  // a chain, a deep tree, a flat one; nodes are numbered at random
      ids number(4'000), random(number.size());
      for (std::size_t k = 0; k < number.size(); ++k) number[k] = static_cast<std::int32_t>(k);
      std::shuffle(number.begin(), number.end(), chance);
      random[number[0]] = -1;
      for (std::size_t k = 1; k < number.size(); ++k)
        random[number[k]] = number[k - 1 - chance() % std::min<std::size_t>(reach, k)];
      auto const measured = measure(random);
      right = right && measured == measure_by_walks(random);
      std::printf("a tree of %zu nodes, %d deep\n", random.size(),
                  *std::max_element(measured.depth.begin(), measured.depth.end()));
    }
    return right;
  });
}

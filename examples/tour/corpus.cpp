// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "corpus.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace tour {

namespace fs = std::filesystem;

corpus load(std::vector<fs::path> const& paths) {
  std::vector<fs::path> files;
  for (auto const& path : paths) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    auto const before = std::ssize(files);
    for (auto const& entry : fs::recursive_directory_iterator(path))
      if (entry.is_regular_file()) files.push_back(entry.path());
    std::sort(files.begin() + before, files.end());
  }
  corpus text;
  for (auto const& path : files) {
    std::ifstream file(path, std::ios::binary);
    auto const begin = text.bytes.size();
    text.bytes.insert(text.bytes.end(), std::istreambuf_iterator<char>(file), {});
    if (!file || fs::is_directory(path)) throw std::runtime_error("tour: cannot read " + path.string());
    text.begins.resize(text.bytes.size());
    if (text.bytes.size() > begin) text.begins[begin] = 1;
    ++text.files;
  }
  return text;
}

std::vector<fs::path> own_sources() {
  fs::path root = SWEEP_TOUR_SOURCES;
  if (!fs::exists(root)) root = fs::current_path();  // the program was built elsewhere
  std::vector<fs::path> files;
  for (auto const* folder : {"include", "detail", "examples", "tests", "bench", "docs", "scripts"})
    if (fs::exists(root / folder)) files.push_back(root / folder);
  if (files.empty())
    throw std::runtime_error("tour: no sources at " + root.string() + "; name a file to read");
  return files;
}

}  // namespace tour

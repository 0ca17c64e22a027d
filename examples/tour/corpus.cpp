// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "corpus.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace tour {

namespace fs = std::filesystem;

namespace {

struct file_list {
  std::vector<fs::path> files;
  std::vector<std::string> unreadable;

  void pass_over(fs::path const& path, std::string const& why) {
    unreadable.push_back(path.string() + ": " + why);
  }

  /// The files below a folder. Pipes, devices and sockets are left alone, and links to folders are not
  /// followed.
  void add_folder(fs::path const& folder) {
    std::error_code error;
    std::vector<fs::directory_entry> entries;
    for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
         entry.increment(error))
      entries.push_back(*entry);
    if (error) pass_over(folder, error.message());
    std::sort(entries.begin(), entries.end());
    for (auto const& entry : entries) {
      std::error_code unknown;
      if (entry.is_directory(unknown)) {
        if (!entry.is_symlink(unknown)) add_folder(entry.path());
      } else if (entry.is_regular_file(unknown)) {
        files.push_back(entry.path());
      } else if (!entry.exists(unknown)) {
        pass_over(entry.path(), unknown ? unknown.message() : "leads nowhere");
      }
    }
  }
};

}  // namespace

corpus load(std::vector<fs::path> const& paths, report const& done) {
  file_list list;
  std::error_code unknown;
  for (auto const& path : paths) {
    if (fs::is_directory(path, unknown)) list.add_folder(path);
    else list.files.push_back(path);
  }
  std::uintmax_t expected = 1;
  for (auto const& path : list.files) {
    auto const size = fs::file_size(path, unknown);
    if (!unknown) expected += size;
  }

  corpus text;
  constexpr std::size_t piece = 1 << 20;
  for (auto const& path : list.files) {
    auto const begin = text.bytes.size();
    int why = 0;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (file) {
      for (std::size_t got = piece; got == piece;) {
        auto const at = text.bytes.size();
        text.bytes.resize(at + piece);
        got = std::fread(text.bytes.data() + at, 1, piece, file.get());
        if (std::ferror(file.get())) why = errno;
        text.bytes.resize(at + got);
        done(static_cast<double>(text.bytes.size()) / static_cast<double>(expected));
      }
    } else {
      why = errno;
    }
    if (why != 0) {
      list.pass_over(path, std::strerror(why));
      text.bytes.resize(begin);
      continue;
    }
    text.begins.resize(text.bytes.size());
    if (text.bytes.size() > begin) text.begins[begin] = 1;
    ++text.files;
  }
  text.unreadable = std::move(list.unreadable);
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

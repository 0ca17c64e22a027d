// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_TOUR_CORPUS_HPP
#define SWEEP_TOUR_CORPUS_HPP

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tour {

/// Told how much of a piece of work is done, from 0 to 1.
using report = std::function<void(double)>;

/// Files one behind the other.
struct corpus {
  std::vector<unsigned char> bytes;
  std::vector<unsigned char>
      begins;  ///< 1 where a file begins: words and lines do not run on into the next file
  int files = 0;
  std::vector<std::string> unreadable;  ///< files and folders that were passed over, and why
};

/// The files, and those below the folders, in the order of their names.
corpus load(std::vector<std::filesystem::path> const& paths, report const& done);

/// The source files of this repository.
std::vector<std::filesystem::path> own_sources();

}  // namespace tour

#endif

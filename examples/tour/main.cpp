// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tour [--text-only] [FILE...]: scans on real text, checked, and a table of every scan variant. By default it
// reads the sources of this repository.
#include "table.hpp"
#include "text.hpp"

#include <sweep/version.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

#if defined(SWEEP_TOUR_CUDA)
constexpr bool with_cuda = true;
#else
constexpr bool with_cuda = false;  // the device half of the tour is not linked
#endif

/// A line on the terminal that is overwritten; elsewhere nothing, for the table grows as it is measured.
class progress {
 public:
  void step(std::string const& what) { write("\r\033[K  ... " + what); }
  void done() { write("\r\033[K"); }

 private:
  void write(std::string const& text) {
    if (!terminal_) return;
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
  }

  bool terminal_ = isatty(STDERR_FILENO) != 0;
};

class guide {
 public:
  guide() {
    if constexpr (with_cuda) gpu_ = tour::gpu_name();
    std::printf("Sweep %d.%d.%d on %s and %d host threads\n", SWEEP_VERSION / 10000,
                SWEEP_VERSION / 100 % 100, SWEEP_VERSION % 100, has_gpu() ? gpu_.c_str() : "no GPU",
                threads_);
  }

  void read(std::vector<std::filesystem::path> const& paths) {
    auto const text = tour::load(paths);
    std::printf("\nText: %d file%s, %s bytes, read on the %s\n", text.files, text.files == 1 ? "" : "s",
                with_commas(std::ssize(text.bytes)).c_str(), has_gpu() ? "GPU" : "host");
    std::fflush(stdout);
    now_.step("in plain loops");
    auto const expected = tour::read_serially(text);
    now_.step("on the host");
    auto found = tour::read_on_host(text, threads_);
    bool const host_is_right = found == expected;
    bool device_is_right = true;
    if constexpr (with_cuda)
      if (has_gpu()) {
        now_.step("on the GPU");
        found = tour::read_on_device(text);
        device_is_right = found == expected;
      }
    now_.done();
    print(text, found);
    std::printf("  against plain loops: host %s", expect(host_is_right));
    if (has_gpu()) std::printf(", GPU %s", expect(device_is_right));
    std::printf("\n");
  }

  void run_variants() {
    std::printf("\nInclusive sums of 4-byte integers, 2^24 on the host%s, against plain loops;\n"
                "GB/s of 8 bytes an item, and the ratio to a plain copy by the same policy\n",
                has_gpu() ? " and 2^26 on the GPU" : "");
    std::printf("  %-7s %-20s %-16s %8s %6s  %s\n", "policy", "across tiles", "within a tile", "GB/s",
                "ratio", "results");
    std::fflush(stdout);
    auto const begin = [this](tour::row const& r) { now_.step(r.policy + " " + r.across + " " + r.within); };
    auto const end = [this](tour::row const& r) {
      now_.done();
      std::printf("  %-7s %-20s %-16s %8.1f %6.2f  %s\n", r.policy.c_str(), r.across.c_str(),
                  r.within.c_str(), r.gb_per_s, r.of_copy, expect(r.right));
      std::fflush(stdout);
    };
    tour::table_on_host(threads_, begin, end);
    if constexpr (with_cuda)
      if (has_gpu()) tour::table_on_device(begin, end);
    now_.done();
  }

  void repeat() {
    now_.step("the same bits");
    bool const on_host = tour::reproducible_on_host();
    bool on_device = true;
    if constexpr (with_cuda)
      if (has_gpu()) on_device = tour::reproducible_on_device();
    now_.done();
    std::printf("\nSums of floats, the same bits: with 1 to 16 threads %s", expect(on_host));
    if (has_gpu()) std::printf(", in 20 runs on the GPU %s", expect(on_device));
    std::printf("\n");
  }

  bool all_right() const { return right_; }

 private:
  bool has_gpu() const { return !gpu_.empty(); }

  char const* expect(bool holds) {
    right_ = right_ && holds;
    return holds ? "right" : "WRONG";
  }

  static void print(tour::corpus const& text, tour::findings const& found) {
    std::printf("  lines, words, bytes, as `wc -l -w -c` counts them:\n");
    std::printf("wc %lld %lld %zu\n", static_cast<long long>(found.lines),
                static_cast<long long>(found.words), text.bytes.size());
    if (found.lines > 0)
      std::printf("  line index: line %s of %s ends at byte %s\n", with_commas((found.lines + 1) / 2).c_str(),
                  with_commas(found.lines).c_str(),
                  with_commas(found.line_ends[static_cast<std::size_t>(found.lines - 1) / 2]).c_str());
    std::printf("  comments: %s, with %s of the %s words\n", with_commas(found.comments).c_str(),
                with_commas(found.words_in_comments).c_str(), with_commas(found.words).c_str());
    std::printf("  lines by length, each count a difference of two prefix sums:\n");
    constexpr int bounds[] = {0, 1, 20, 40, 60, 80, 100, 120, tour::longest + 1};
    for (std::size_t i = 0; i + 1 < std::size(bounds); ++i) {
      int const low = bounds[i], high = bounds[i + 1];
      auto const count = found.lines_between(low, high);
      auto const bar = found.lines > 0 ? (40 * count + found.lines - 1) / found.lines : 0;
      auto const range = high > tour::longest ? std::to_string(low) + " or more"
                         : low == 0           ? std::string("empty")
                                              : std::to_string(low) + " to " + std::to_string(high - 1);
      std::printf("    %-12s %10s  %s\n", range.c_str(), with_commas(count).c_str(),
                  std::string(static_cast<std::size_t>(bar), '#').c_str());
    }
  }

  static std::string with_commas(std::int64_t number) {
    auto digits = std::to_string(number);
    for (auto at = std::ssize(digits) - 3; at > 0; at -= 3) digits.insert(digits.begin() + at, ',');
    return digits;
  }

  std::string gpu_;
  int threads_ = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  bool right_ = true;
  progress now_;
};

}  // namespace

int main(int count, char** arguments) try {
  std::vector<std::filesystem::path> paths(arguments + 1, arguments + count);
  bool const text_only = !paths.empty() && paths.front() == "--text-only";
  if (text_only) paths.erase(paths.begin());

  guide sweep_guide;
  sweep_guide.read(paths.empty() ? tour::own_sources() : paths);
  if (!text_only) {
    sweep_guide.run_variants();
    sweep_guide.repeat();
  }
  std::printf("\n%s\n", sweep_guide.all_right() ? "Everything is right." : "Something is WRONG.");
  return sweep_guide.all_right() ? 0 : 1;
} catch (std::exception const& error) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

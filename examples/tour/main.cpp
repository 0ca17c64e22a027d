// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tour [--text-only] [FILE...]: scans on real text, checked, and a table of every scan variant (see usage).
#include "table.hpp"
#include "terminal.hpp"
#include "text.hpp"

#include <sweep/version.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

#if defined(SWEEP_TOUR_CUDA)
constexpr bool with_cuda = true;
#else
constexpr bool with_cuda = false;  // the device half of the tour is not linked
#endif

constexpr char const* usage[] = {
    "tour [OPTION...] [FILE...]: what scans find out about text, and what every variant of them costs",
    "",
    "Reads the files, and those below folders, as one text: counts lines, words and comments, makes an index "
    "of "
    "the lines and counts them by length, with scans on the host, on the GPU where there is one, and in "
    "plain "
    "loops, which all must agree. By default it reads Sweep's own sources. Then it runs every scan variant "
    "on "
    "numbers and compares results and times with a plain loop and a plain copy.",
    "",
    "  --text-only  the text alone",
    "  --help       this",
    "  --           what follows is files",
    "",
    "A word is what stands between white space of ASCII. On ASCII text `wc` counts the same; on other text "
    "its "
    "counts depend on the locale.",
    "",
    "Exit status: 0 if everything was right; 1 if something was wrong, a file could not be read (it is named "
    "and passed over) or output was lost; 2 for an unknown option. COLUMNS says how wide the output may be, "
    "if "
    "not the terminal does: 40 to 200."};

class guide {
 public:
  guide() {
    if constexpr (with_cuda) gpu_ = tour::gpu_name();
    auto const part = [](int by) { return std::to_string(SWEEP_VERSION / by % 100); };
    say("Sweep " + part(10000) + "." + part(100) + "." + part(1) + " on " + (has_gpu() ? gpu_ : "no GPU") +
        " and " + std::to_string(threads_) + (threads_ == 1 ? " host thread" : " host threads"));
  }

  void read(std::vector<std::filesystem::path> const& paths) {
    now_.step("reading files");
    auto const done = [this](double fraction) { now_.at(fraction); };
    auto const text = tour::load(paths, done);
    now_.done();
    for (auto const& file : text.unreadable) std::fprintf(stderr, "tour: passed over: %s\n", file.c_str());
    all_read_ = text.unreadable.empty();
    if (text.files == 0) throw std::runtime_error("tour: there is nothing to read");
    std::printf("\n");
    say("Text: " + counted(text.files, "file") + ", " + counted(std::ssize(text.bytes), "byte") +
        (text.unreadable.empty() ? ""
                                 : ", " + counted(std::ssize(text.unreadable), "other") + " passed over") +
        ", read on the " + (has_gpu() ? "GPU" : "host"));
    std::fflush(stdout);
    now_.step("in plain loops");
    auto const expected = tour::read_serially(text, done);
    now_.step("on the host");
    auto found = tour::read_on_host(text, threads_, done);
    bool const host_is_right = found == expected;
    bool device_is_right = true;
    if constexpr (with_cuda)
      if (has_gpu()) {
        now_.step("on the GPU");
        found = tour::read_on_device(text, done);
        device_is_right = found == expected;
      }
    now_.done();
    print(text, found);
    say(std::string("  against plain loops: host ") + expect(host_is_right) +
        (has_gpu() ? std::string(", GPU ") + expect(device_is_right) : ""));
  }

  void run_variants() {
    std::printf("\n");
    say(std::string("Inclusive sums of 4-byte integers, 2^24 on the host") +
        (has_gpu() ? " and 2^26 on the GPU" : "") +
        ", against plain loops; GB/s of 8 bytes an item, and the ratio to a plain copy by the same policy");
    bool const narrow = wide_ < 74;  // then a row takes two lines
    if (narrow)
      std::printf("  policy  across tiles\n  %-16s %7s %5s %s\n", "within a tile", "GB/s", "ratio",
                  "results");
    else
      std::printf("  %-7s %-20s %-16s %8s %6s  %s\n", "policy", "across tiles", "within a tile", "GB/s",
                  "ratio", "results");
    std::fflush(stdout);
    int rows = 0;
    int const all_rows = tour::rows_on_host + (has_gpu() ? tour::rows_on_device : 0);
    auto const begin = [&](tour::row const& r) {
      now_.step(r.policy + " " + r.across + " " + r.within, static_cast<double>(rows++) / all_rows);
    };
    auto const end = [&](tour::row const& r) {
      now_.done();
      if (narrow)
        std::printf("  %-7s %s\n  %-16s %7.1f %5.2f %s\n", r.policy.c_str(), r.across.c_str(),
                    r.within.c_str(), r.gb_per_s, r.of_copy, expect(r.right));
      else
        std::printf("  %-7s %-20s %-16s %8.1f %6.2f  %s\n", r.policy.c_str(), r.across.c_str(),
                    r.within.c_str(), r.gb_per_s, r.of_copy, expect(r.right));
      std::fflush(stdout);
    };
    now_.step("numbers to sum");
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
    std::printf("\n");
    say(std::string("Sums of floats, the same bits: with 1 to 16 threads ") + expect(on_host) +
        (has_gpu() ? std::string(", in 20 runs on the GPU ") + expect(on_device) : ""));
  }

  bool all_right() const { return right_ && all_read_; }
  char const* verdict() const {
    return !right_     ? "Something is WRONG."
           : all_read_ ? "Everything is right."
                       : "Everything that could be read is right.";
  }

 private:
  bool has_gpu() const { return !gpu_.empty(); }

  char const* expect(bool holds) {
    right_ = right_ && holds;
    return holds ? "right" : "WRONG";
  }

  void say(std::string const& text) const { tour::write_wrapped(text, wide_); }

  static std::string counted(std::int64_t count, std::string const& what) {
    return with_commas(count) + " " + what + (count == 1 ? "" : "s");
  }

  void print(tour::corpus const& text, tour::findings const& found) const {
    say("  lines, words (between white space of ASCII) and bytes, as `wc -l -w -c` counts them in ASCII "
        "text:");
    std::printf("wc %lld %lld %zu\n", static_cast<long long>(found.lines),
                static_cast<long long>(found.words), text.bytes.size());
    if (found.lines > 0)
      say("  line index: line " + with_commas((found.lines + 1) / 2) + " of " + with_commas(found.lines) +
          " ends at byte " + with_commas(found.line_ends[static_cast<std::size_t>(found.lines - 1) / 2]));
    say("  comments: " + with_commas(found.comments) + ", with " + with_commas(found.words_in_comments) +
        " of the " + with_commas(found.words) + " words");
    say("  lines by length, each count a difference of two prefix sums:");
    constexpr int bounds[] = {0, 1, 20, 40, 60, 80, 100, 120, tour::longest + 1};
    int const bars = wide_ - 29;
    for (std::size_t i = 0; i + 1 < std::size(bounds); ++i) {
      int const low = bounds[i], high = bounds[i + 1];
      auto const count = found.lines_between(low, high);
      auto const bar = found.lines > 0 ? (bars * count + found.lines - 1) / found.lines : 0;
      auto const range = high > tour::longest ? std::to_string(low) + " or more"
                         : low == 0           ? std::string("empty")
                                              : std::to_string(low) + " to " + std::to_string(high - 1);
      std::printf("    %-11s %11s  %s\n", range.c_str(), with_commas(count).c_str(),
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
  int wide_ = tour::columns(STDOUT_FILENO);
  bool right_ = true, all_read_ = true;
  tour::progress now_;
};

}  // namespace

int main(int count, char** arguments) try {
  std::vector<std::filesystem::path> paths;
  bool text_only = false, options_end = false;
  for (std::string_view const word : std::span(arguments, static_cast<std::size_t>(count)).subspan(1)) {
    if (options_end || word.substr(0, 1) != "-") paths.emplace_back(word);
    else if (word == "--") options_end = true;
    else if (word == "--text-only") text_only = true;
    else if (word == "--help" || word == "-h") {
      for (auto const* const line : usage) tour::write_wrapped(line, tour::columns(STDOUT_FILENO));
      return std::fflush(stdout) == 0 ? 0 : 1;
    } else {
      std::fprintf(stderr, "tour: there is no option %s (tour --help)\n", std::string(word).c_str());
      return 2;
    }
  }

  guide sweep_guide;
  sweep_guide.read(paths.empty() ? tour::own_sources() : paths);
  if (!text_only) {
    sweep_guide.run_variants();
    sweep_guide.repeat();
  }
  std::printf("\n%s\n", sweep_guide.verdict());
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) throw std::runtime_error("tour: output was lost");
  return sweep_guide.all_right() ? 0 : 1;
} catch (std::exception const& error) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

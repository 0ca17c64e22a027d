// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_SUPPORT_HPP
#define SWEEP_BENCH_SUPPORT_HPP

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What every benchmark executable shares, with or without CUDA: case names, medians, seeds, the closing
/// table.
namespace bench {

inline std::string size_name(std::int64_t items) {
  for (int k = 0; k < 63; ++k)
    if (items == std::int64_t{1} << k) return "2^" + std::to_string(k);
  return std::to_string(items);
}

/// family/algorithm/type/detail/2^k
inline std::string case_name(std::string_view prefix, std::int64_t items) {
  return std::string(prefix) + "/" + size_name(items);
}

inline double median(std::vector<double> times) {
  if (times.empty()) return 0;
  std::sort(times.begin(), times.end());
  auto const middle = times.size() / 2;
  return times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
}

inline double quantile(std::vector<double> times, double q) {
  if (times.empty()) return 0;
  std::sort(times.begin(), times.end());
  return times[static_cast<std::size_t>(q * static_cast<double>(times.size() - 1) + 0.5)];
}

/// One seed per process, fresh unless SWEEP_BENCH_SEED gives it; kept in the result's context.
inline std::uint64_t seed() {
  static std::uint64_t const value = [] {
    if (char const* const given = std::getenv("SWEEP_BENCH_SEED")) return std::strtoull(given, nullptr, 0);
    std::random_device device;
    return (static_cast<unsigned long long>(device()) << 32) | device();
  }();
  return value;
}

struct timed {
  std::string name;
  double us;
  bool ours = false;  // another variant of ours, not a peer
};

/// One line of the closing table: first what is measured, then its peers.
struct table_row {
  std::string name;
  std::int64_t items;
  double min_bytes;
  double copy_us;     // a copy of as many bytes, in the same rounds
  double copy_ratio;  // of the first, to the ceiling
  std::vector<timed> times;
};

struct run_log {
  std::vector<table_row> rows;
  std::vector<std::string> failures;
};

inline run_log& log() {
  static run_log value;
  return value;
}

inline void print_table() {
  auto const& rows = log().rows;
  if (!rows.empty())
    std::printf("\n%-52s %9s %9s %10s %6s  %s\n", "case", "copy us", "us", "GB/s", "ratio",
                "peers: us (times faster)");
  for (auto const& row : rows) {
    if (row.times.empty()) continue;
    auto const us = row.times.front().us;
    std::printf("%-52s %9.2f %9.2f %10.1f %6.3f ", row.name.c_str(), row.copy_us, us,
                row.min_bytes / us * 1e-3, row.copy_ratio);
    for (std::size_t i = 1; i < row.times.size(); ++i)
      std::printf(" %s %.2f (%.2fx)", row.times[i].name.c_str(), row.times[i].us, row.times[i].us / us);
    std::printf("\n");
  }
  for (auto const& failure : log().failures) std::printf("FAILED %s\n", failure.c_str());
}

inline void fail(benchmark::State& state, std::string const& name, std::string const& why) {
  log().failures.push_back(name + ": " + why);
  state.SkipWithError(why.c_str());
}

/// Writes what was measured where the JSON keeps it and the closing table finds it. times[0] is ours.
/// `ceiling` is the copy's rate in bytes per microsecond.
inline void report(benchmark::State& state, std::string const& name, std::int64_t items, double min_bytes,
                   double copy_us, double ceiling, std::vector<timed> const& times) {
  auto const ratio = min_bytes / times.front().us / ceiling;
  state.counters["items"] = static_cast<double>(items);
  state.counters["min_bytes"] = min_bytes;
  state.counters["copy_us"] = copy_us;
  state.counters["copy_ratio"] = ratio;
  for (std::size_t i = 0; i < times.size(); ++i) {
    auto const kind = i == 0 ? "sweep_us" : (times[i].ours ? "variant_us:" : "peer_us:") + times[i].name;
    state.counters[kind] = times[i].us;
  }
  log().rows.push_back({name, items, min_bytes, copy_us, ratio, times});
}

inline bool lists_only(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](char const* argument) {
    return std::string_view(argument).starts_with("--benchmark_list_tests");
  });
}

}  // namespace bench

#endif

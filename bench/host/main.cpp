// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/contenders.hpp"

#include <sweep/version.hpp>

#include <chrono>
#include <cstring>

#if defined(_OPENMP)
#include <omp.h>
#endif
#if defined(SWEEP_BENCH_TBB)
#include <tbb/global_control.h>
#endif

/// bench_host: the host policy against one plain loop, the parallel algorithms of C++, TBB, Thrust and the
/// libraries of each field, and against a copy by as many threads. Names are
/// algorithm/.../host_threads_n/2^k.

namespace bench::host {
namespace {

constexpr int rounds = 5;

double us(std::function<std::int64_t()> const& call, std::function<void()> const& before = {}) {
  if (before) before();
  auto const start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

void run(benchmark::State& state, work const& what, std::string const& name, int threads) {
#if defined(SWEEP_BENCH_TBB)
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
#endif
#if defined(_OPENMP)
  omp_set_num_threads(threads);
#endif
  auto all = what.contenders(threads);
  static std::vector<std::byte> want;
  static std::string wanted_of;
  std::int64_t wanted = 0;
  std::vector<std::vector<double>> times(all.size());
  times.front().push_back(us([&] { return wanted = all.front().run(); }));
  if (wanted_of != what.name) want.assign(what.out, what.out + what.out_bytes), wanted_of = what.name;
  for (std::size_t k = 1; k < all.size(); ++k) {
    std::memset(static_cast<void*>(what.out), 0xa5, what.out_bytes);
    std::int64_t written = 0;
    times[k].push_back(us([&] { return written = all[k].run(); }, all[k].before));
    bool const agrees = what.agrees ? what.agrees(what.out, want.data(), written)
                                    : std::memcmp(what.out, want.data(), what.out_bytes) == 0;
    if (written != wanted || !agrees)
      return bench::fail(state, name, all[k].name + " gives other results than the plain loop");
  }
  auto const copied = static_cast<std::int64_t>(what.bytes / 2);
  auto const from = made<std::byte>(copied, [](std::int64_t i) { return std::byte(i & 255); });
  auto const to = made<std::byte>(copied, [](std::int64_t) { return std::byte(0); });
  auto const copy = [&] {
    in_parts(threads, copied, [from = from.get(), to = to.get()](std::int64_t first, std::int64_t end) {
      std::memcpy(to + first, from + first, static_cast<std::size_t>(end - first));
    });
    return std::int64_t{0};
  };
  std::swap(all[0], all[1]);  // ours first
  std::swap(times[0], times[1]);
  std::vector<double> copies;
  // Who took three times as long as the fastest the first time is not asked again.
  auto const fastest = (*std::min_element(times.begin(), times.end())).front();
  std::vector<bool> slow;
  for (auto& first : times) {
    slow.push_back(first.front() > 3 * fastest && slow.size() > 0);
    if (!slow.back()) first.clear();
  }
  for (auto _ : state) {
    copies.push_back(us(copy));
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!slow[i]) times[i].push_back(us(all[i].run, all[i].before));
    state.SetIterationTime(times.front().back() * 1e-6);
  }
  std::vector<bench::timed> medians;
  for (std::size_t i = 0; i < all.size(); ++i) medians.push_back({all[i].name, bench::median(times[i])});
  auto const copy_us = bench::median(copies);
  bench::report(state, name, what.items, what.bytes, copy_us, what.bytes / copy_us, medians);
}

}  // namespace

void add(std::string const& name, std::int64_t items, work (*make)()) {
  static std::shared_ptr<work> current;  // one kind's data at a time
  int const most = static_cast<int>(std::max(2u, std::thread::hardware_concurrency()));
  for (int const threads : {1, 2, 16}) {
    if (threads > most) continue;
    auto const full = bench::case_name(name + "/host_threads_" + std::to_string(threads), items);
    benchmark::RegisterBenchmark(full.c_str(),
                                 [=](benchmark::State& state) {
                                   auto const kind = bench::case_name(name, items);
                                   if (!current || current->name != kind) {
                                     current.reset();
                                     current = std::make_shared<work>(make());
                                     current->name = kind;
                                   }
                                   run(state, *current, full, threads);
                                 })
        ->UseManualTime()
        ->Iterations(rounds)
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace bench::host

int main(int argc, char** argv) {
  bool const lists = bench::lists_only(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  bench::host::add_scans();
  bench::host::add_selections();
  bench::host::add_segments();
  bench::host::add_loops();
  bench::host::add_axes();
  bench::host::add_sorts();
  bench::host::add_products();
  bench::host::add_tridiagonal();
  benchmark::AddCustomContext("compiler", __VERSION__);
  benchmark::AddCustomContext("sweep", std::to_string(SWEEP_VERSION / 10000) + "." +
                                           std::to_string(SWEEP_VERSION / 100 % 100) + "." +
                                           std::to_string(SWEEP_VERSION % 100));
  benchmark::AddCustomContext("hardware_threads", std::to_string(std::thread::hardware_concurrency()));
  benchmark::AddCustomContext("seed", std::to_string(bench::seed()));
  benchmark::AddCustomContext(
      "timing", "steady clock; median of 5 rounds after one whose results are compared, everybody "
                "taking turns; ratios are to a copy of as many bytes by as many threads");
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (!lists) bench::print_table();
  return bench::log().failures.empty() ? 0 : 1;
}

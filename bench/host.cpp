// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Thrust's parallel backend here is OpenMP; it has to be named before any of its headers.
#if defined(_OPENMP) && __has_include(<thrust/scan.h>)
#define SWEEP_BENCH_THRUST_OMP 1
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_OMP
#include <thrust/scan.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/version.h>
#endif

#include "elements.hpp"
#include "support.hpp"

#include <sweep/policy.hpp>
#include <sweep/scan.hpp>
#include <sweep/version.hpp>

#include <chrono>
#include <functional>
#include <numeric>
#include <thread>

#if defined(_OPENMP)
#include <omp.h>
#endif
#if defined(SWEEP_BENCH_TBB)
#include <execution>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_scan.h>
#include <tbb/version.h>
#endif

/// bench_host: the host policy against the parallel scans of C++, TBB and Thrust, and against a copy by as
/// many threads. Names are scan/inclusive_sum/type/host_threads_n/2^k.

namespace {

constexpr int warm_ups = 2;
constexpr int rounds = 9;
constexpr std::int64_t items = std::int64_t{1} << 26;

struct contender {
  std::string name;
  std::function<void()> run;
};

double us(std::function<void()> const& call) {
  auto const start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

/// Each of n threads copies its part.
template <class T>
void copy_by(int threads, T const* from, T* to, std::int64_t n) {
  std::vector<std::thread> others;
  auto const part = [=](int t) {
    auto const first = n * t / threads;
    std::memcpy(to + first, from + first,
                static_cast<std::size_t>(n * (t + 1) / threads - first) * sizeof(T));
  };
  for (int t = 1; t < threads; ++t) others.emplace_back(part, t);
  part(0);
  for (auto& other : others) other.join();
}

#if defined(SWEEP_BENCH_TBB)
template <class T>
void tbb_scan(T const* in, T* out, std::int64_t n) {
  using range = tbb::blocked_range<std::int64_t>;
  tbb::parallel_scan(
      range(0, n), T{},
      [=](range const& r, T sum, bool is_final) {
        for (auto i = r.begin(); i < r.end(); ++i) {
          sum += in[i];
          if (is_final) out[i] = sum;
        }
        return sum;
      },
      [](T left, T right) { return left + right; });
}
#endif

template <class T>
std::vector<contender> contenders(int threads, T const* in, T* out, std::int64_t n) {
  std::vector<contender> all = {
      {"sweep", [=] { sweep::inclusive_scan(sweep::host.threads(threads), in, in + n, out); }},
      {"std::inclusive_scan", [=] { std::inclusive_scan(in, in + n, out); }},
  };
#if defined(SWEEP_BENCH_TBB)
  all.push_back(
      {"std::inclusive_scan(par)", [=] { std::inclusive_scan(std::execution::par, in, in + n, out); }});
  all.push_back(
      {"tbb::parallel_scan " + std::to_string(TBB_VERSION_MAJOR) + "." + std::to_string(TBB_VERSION_MINOR),
       [=] { tbb_scan(in, out, n); }});
#endif
#if defined(SWEEP_BENCH_THRUST_OMP)
  all.push_back(
      {"thrust::omp " + std::to_string(THRUST_MAJOR_VERSION) + "." + std::to_string(THRUST_MINOR_VERSION),
       [=] { thrust::inclusive_scan(thrust::omp::par, in, in + n, out); }});
#endif
  return all;
}

template <class T>
void run(benchmark::State& state, std::string const& name, int threads) {
#if defined(SWEEP_BENCH_TBB)
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
#endif
#if defined(_OPENMP)
  omp_set_num_threads(threads);
#endif
  std::vector<T> in(static_cast<std::size_t>(items));
  std::vector<T> out(in.size());
  for (std::int64_t i = 0; i < items; ++i)
    in[static_cast<std::size_t>(i)] = elements::random_item<T>{}(bench::seed(), i);
  auto const bytes = 2.0 * sizeof(T) * static_cast<double>(items);
  auto const all = contenders(threads, in.data(), out.data(), items);
  for (auto const& who : all) {
    std::memset(static_cast<void*>(out.data()), 0xa5, out.size() * sizeof(T));
    who.run();
    for (std::int64_t i = 0; i < items; ++i)  // the sum of steps is the height
      if (out[static_cast<std::size_t>(i)] != static_cast<T>(elements::height(bench::seed(), i, 20)))
        return bench::fail(state, name, who.name + ": item " + std::to_string(i) + " is wrong");
  }
  auto const copy = [&] { copy_by(threads, in.data(), out.data(), items); };
  std::vector<double> copies;
  std::vector<std::vector<double>> times(all.size());
  for (int i = 0; i < warm_ups; ++i) {
    copy();
    for (auto const& who : all) who.run();
  }
  for (auto _ : state) {
    copies.push_back(us(copy));
    for (std::size_t i = 0; i < all.size(); ++i) times[i].push_back(us(all[i].run));
    state.SetIterationTime(times.front().back() * 1e-6);
  }
  std::vector<bench::timed> medians;
  for (std::size_t i = 0; i < all.size(); ++i) medians.push_back({all[i].name, bench::median(times[i])});
  auto const copy_us = bench::median(copies);
  bench::report(state, name, items, bytes, copy_us, bytes / copy_us, medians);
}

template <class T>
void add(std::string const& type) {
  for (int const threads : {1, 2}) {
    auto const name =
        bench::case_name("scan/inclusive_sum/" + type + "/host_threads_" + std::to_string(threads), items);
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { run<T>(state, name, threads); })
        ->UseManualTime()
        ->Iterations(rounds)
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace

int main(int argc, char** argv) {
  bool const lists = bench::lists_only(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  add<float>("f32");
  add<std::int32_t>("i32");
  benchmark::AddCustomContext("compiler", __VERSION__);
  benchmark::AddCustomContext("sweep", std::to_string(SWEEP_VERSION / 10000) + "." +
                                           std::to_string(SWEEP_VERSION / 100 % 100) + "." +
                                           std::to_string(SWEEP_VERSION % 100));
  benchmark::AddCustomContext("hardware_threads", std::to_string(std::thread::hardware_concurrency()));
  benchmark::AddCustomContext("seed", std::to_string(bench::seed()));
  benchmark::AddCustomContext("timing",
                              "steady clock; median of 9 rounds after 2 warm-ups, everybody taking turns; "
                              "ratios are to a copy by as many threads");
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (!lists) bench::print_table();
  return bench::log().failures.empty() ? 0 : 1;
}

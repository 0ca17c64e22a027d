// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SWEEP_BENCH_HOST_CONTENDERS_HPP
#define SWEEP_BENCH_HOST_CONTENDERS_HPP

// Thrust's parallel backend here is OpenMP; it has to be named before any of its headers.
#if defined(_OPENMP) && __has_include(<thrust/scan.h>)
#define SWEEP_BENCH_THRUST_OMP 1
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_OMP
#include <thrust/system/omp/execution_policy.h>
#include <thrust/version.h>
#endif

#include "elements.hpp"
#include "support.hpp"

#include <sweep/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#if defined(SWEEP_BENCH_TBB)
#include <tbb/blocked_range.h>
#include <tbb/version.h>
#endif

/// What the files of bench_host share: works, each done by several contenders with so many threads. The first
/// contender is a plain loop or what else stands for it, the second is ours.
namespace bench::host {

struct contender {
  std::string name;
  std::function<std::int64_t()> run;  ///< gives how many items were written to the first output
  std::function<void()> before{};     ///< what has to be done each time before it runs, and is not measured
};

/// Each of n threads does its part of [0, count).
template <class Part>
void in_parts(int threads, std::int64_t count, Part part) {
  std::vector<std::thread> others;
  auto const nth = [=](int t) { part(count * t / threads, count * (t + 1) / threads); };
  for (int t = 1; t < threads; ++t) others.emplace_back(nth, t);
  nth(0);
  for (auto& other : others) other.join();
}

/// So many items, each made by make(i).
template <class T, class Make>
std::shared_ptr<T[]> made(std::int64_t n, Make make) {
  std::shared_ptr<T[]> const all(new T[static_cast<std::size_t>(n)]);
  in_parts(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())), n,
           [=, x = all.get()](std::int64_t first, std::int64_t end) {
             for (auto i = first; i < end; ++i) x[i] = static_cast<T>(make(i));
           });
  return all;
}

inline std::string const thrust_name =
#if defined(SWEEP_BENCH_THRUST_OMP)
    "thrust::omp " + std::to_string(THRUST_MAJOR_VERSION) + "." + std::to_string(THRUST_MINOR_VERSION);
#else
    "";
#endif
inline std::string const tbb_version =
#if defined(SWEEP_BENCH_TBB)
    " " + std::to_string(TBB_VERSION_MAJOR) + "." + std::to_string(TBB_VERSION_MINOR);
using tbb_range = tbb::blocked_range<std::int64_t>;
#else
    "";
#endif

inline auto const bits = [](std::int64_t i) { return elements::random_bits(bench::seed(), i); };

/// One kind of work: who does it, what it reads and writes at least, and where it leaves its results.
struct work {
  std::int64_t items = 0;
  double bytes = 0;  ///< read and written at least
  std::function<std::vector<contender>(int threads)> contenders{};
  std::byte* out = nullptr;
  std::size_t out_bytes = 0;  ///< of all outputs
  std::vector<std::shared_ptr<void>> keep{};
  /// Whether what a contender left is right: (its outputs, those of the first, how many items it wrote).
  /// Bytes are compared where nothing is said.
  std::function<bool(std::byte const*, std::byte const*, std::int64_t)> agrees{};
  std::string name{};
};

/// Races the contenders of a work with 1, 2 and 16 threads, as far as there are so many. The name's last part
/// is work::items, which has to be known before the work is made.
void add(std::string const& name, std::int64_t items, work (*make)());

void add_scans();
void add_selections();
void add_segments();
void add_loops();
void add_axes();
void add_sorts();
void add_products();
void add_tridiagonal();

}  // namespace bench::host

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Thrust's parallel backend here is OpenMP; it has to be named before any of its headers.
#if defined(_OPENMP) && __has_include(<thrust/scan.h>)
#define SWEEP_BENCH_THRUST_OMP 1
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_OMP
#include <thrust/copy.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/version.h>
#endif

#include "elements.hpp"
#include "support.hpp"

#include <sweep/copy_if.hpp>
#include <sweep/partition.hpp>
#include <sweep/policy.hpp>
#include <sweep/reduce.hpp>
#include <sweep/scan.hpp>
#include <sweep/segmented_reduce.hpp>
#include <sweep/segmented_scan.hpp>
#include <sweep/sort.hpp>
#include <sweep/version.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <thread>

#if defined(_OPENMP)
#include <omp.h>
#include <parallel/algorithm>
#endif
#if defined(SWEEP_BENCH_TBB)
#include <execution>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/version.h>
#endif

/// bench_host: the host policy against one plain loop, the parallel algorithms of C++, TBB and Thrust, and
/// against a copy by as many threads. Names are algorithm/.../host_threads_n/2^k.

namespace {

constexpr int rounds = 5;
constexpr std::int64_t items = std::int64_t{1} << 26;

struct contender {
  std::string name;
  std::function<std::int64_t()> run;  ///< gives how many items were written to the first output
};

double us(std::function<std::int64_t()> const& call) {
  auto const start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

/// Each of n threads does its part of [0, count).
template <class Part>
void in_parts(int threads, std::int64_t count, Part part) {
  std::vector<std::thread> others;
  auto const nth = [=](int t) { part(count * t / threads, count * (t + 1) / threads); };
  for (int t = 1; t < threads; ++t) others.emplace_back(nth, t);
  nth(0);
  for (auto& other : others) other.join();
}

/// So many items, each made by make(i), or nothing.
template <class T, class Make>
std::shared_ptr<T[]> made(std::int64_t n, Make make) {
  std::shared_ptr<T[]> const all(new T[static_cast<std::size_t>(n)]);
  in_parts(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())), n,
           [=, x = all.get()](std::int64_t first, std::int64_t end) {
             for (auto i = first; i < end; ++i) x[i] = static_cast<T>(make(i));
           });
  return all;
}

std::string const thrust_name =
#if defined(SWEEP_BENCH_THRUST_OMP)
    "thrust::omp " + std::to_string(THRUST_MAJOR_VERSION) + "." + std::to_string(THRUST_MINOR_VERSION);
#else
    "";
#endif
std::string const tbb_version =
#if defined(SWEEP_BENCH_TBB)
    " " + std::to_string(TBB_VERSION_MAJOR) + "." + std::to_string(TBB_VERSION_MINOR);
#else
    "";
#endif

#if defined(SWEEP_BENCH_TBB)
using tbb_range = tbb::blocked_range<std::int64_t>;
template <class U, class T>
void tbb_scan(T const* in, U* out, std::int64_t n) {
  tbb::parallel_scan(
      tbb_range(0, n), U{},
      [=](tbb_range const& r, U sum, bool is_final) {
        for (auto i = r.begin(); i < r.end(); ++i) {
          sum += static_cast<U>(in[i]);
          if (is_final) out[i] = sum;
        }
        return sum;
      },
      [](U left, U right) { return left + right; });
}
#endif

/// One kind of work: who does it, what it reads and writes at least, and where it leaves its results.
struct work {
  std::string name;
  double bytes = 0;  ///< read and written at least
  std::function<std::vector<contender>(int threads)> contenders;
  std::byte* out = nullptr;
  std::size_t out_bytes = 0;  ///< of all outputs
  std::shared_ptr<void> keep[4]{};
};

auto const bits = [](std::int64_t i) { return elements::random_bits(bench::seed(), i); };

template <class T, class U>
work scan_work() {
  auto const x = made<T>(items, [](std::int64_t i) {
    if constexpr (sizeof(T) == 1) return bits(i) & 7u;
    else return static_cast<int>(bits(i) % 3) - 1;  // sums of floats are exact in any brackets
  });
  auto const y = made<U>(items, [](std::int64_t) { return 0; });
  work w{"", double(items) * (sizeof(T) + sizeof(U))};
  w.out = reinterpret_cast<std::byte*>(y.get());
  w.out_bytes = sizeof(U) * items;
  w.keep[0] = x;
  w.keep[1] = y;
  w.contenders = [in = static_cast<T const*>(x.get()), out = y.get()](int threads) {
    T const* const end = in + items;
    std::vector<contender> all;
    all.push_back({"plain loop", [=] {
                     U sum{};
                     for (std::int64_t i = 0; i < items; ++i) out[i] = sum = static_cast<U>(sum + in[i]);
                     return items;
                   }});
    all.push_back({"sweep", [=] {
                     return sweep::inclusive_scan(sweep::host.threads(threads), in, end, out, std::plus<U>{},
                                                  U{}) -
                            out;
                   }});
#if defined(SWEEP_BENCH_TBB)
    all.push_back({"std::inclusive_scan(par)", [=] {
                     return std::inclusive_scan(std::execution::par, in, end, out, std::plus<U>{}, U{}) - out;
                   }});
    all.push_back({"tbb::parallel_scan" + tbb_version, [=] {
                     tbb_scan(in, out, items);
                     return items;
                   }});
#endif
#if defined(SWEEP_BENCH_THRUST_OMP)
    all.push_back({thrust_name, [=] {
                     return thrust::inclusive_scan(thrust::omp::par, in, end, out, U{}, thrust::plus<U>{}) -
                            out;
                   }});
#endif
    return all;
  };
  return w;
}

template <class T>
work reduce_work() {
  auto const x = made<T>(items, [](std::int64_t i) { return static_cast<int>(bits(i) % 3) - 1; });
  auto const y = made<T>(1, [](std::int64_t) { return 0; });
  work w{"", double(items) * sizeof(T)};
  w.out = reinterpret_cast<std::byte*>(y.get());
  w.out_bytes = sizeof(T);
  w.keep[0] = x;
  w.keep[1] = y;
  w.contenders = [in = static_cast<T const*>(x.get()), out = y.get()](int threads) {
    T const* const end = in + items;
    std::vector<contender> all;
    auto const add = [&](std::string const& name, auto fold) {
      all.push_back({name, [=] {
                       *out = fold();
                       return std::int64_t{1};
                     }});
    };
    add("plain loop", [=] {
      T sum{};
      for (std::int64_t i = 0; i < items; ++i) sum += in[i];
      return sum;
    });
    add("sweep", [=] { return sweep::reduce(sweep::host.threads(threads), in, end, T{}); });
#if defined(SWEEP_BENCH_TBB)
    add("std::reduce(par)", [=] { return std::reduce(std::execution::par, in, end, T{}); });
    add("tbb::parallel_reduce" + tbb_version, [=] {
      return tbb::parallel_reduce(
          tbb_range(0, items), T{},
          [=](tbb_range const& r, T sum) {
            for (auto i = r.begin(); i < r.end(); ++i) sum += in[i];
            return sum;
          },
          std::plus<T>{});
    });
#endif
#if defined(SWEEP_BENCH_THRUST_OMP)
    add(thrust_name, [=] { return thrust::reduce(thrust::omp::par, in, end, T{}); });
#endif
    return all;
  };
  return w;
}

struct is_kept {
  bool operator()(std::int32_t x) const { return (x & 1) != 0; }
};

work copy_if_work() {
  auto const x = made<std::int32_t>(items, bits);
  auto const y = made<std::int32_t>(items, [](std::int64_t) { return 0; });
  work w{"", 1.5 * double(items) * 4};
  w.out = reinterpret_cast<std::byte*>(y.get());
  w.out_bytes = 4 * items;
  w.keep[0] = x;
  w.keep[1] = y;
  w.contenders = [in = static_cast<std::int32_t const*>(x.get()), out = y.get()](int threads) {
    std::int32_t const* const end = in + items;
    std::vector<contender> all;
    all.push_back({"plain loop", [=] {
                     std::int64_t to = 0;
                     for (std::int64_t i = 0; i < items; ++i) {
                       out[to] = in[i];
                       to += is_kept{}(in[i]);
                     }
                     return to;
                   }});
    all.push_back({"sweep", [=] {
                     return sweep::copy_if(sweep::host.threads(threads), in, end, out, is_kept{}) - out;
                   }});
#if defined(SWEEP_BENCH_TBB)
    all.push_back({"std::copy_if(par)",
                   [=] { return std::copy_if(std::execution::par, in, end, out, is_kept{}) - out; }});
#endif
#if defined(SWEEP_BENCH_THRUST_OMP)
    all.push_back(
        {thrust_name, [=] { return thrust::copy_if(thrust::omp::par, in, end, out, is_kept{}) - out; }});
#endif
    return all;
  };
  return w;
}

work partition_work() {
  auto const x = made<std::int32_t>(items, bits);
  auto const y = made<std::int32_t>(2 * items, [](std::int64_t) { return 0; });
  work w{"", 2.0 * double(items) * 4};
  w.out = reinterpret_cast<std::byte*>(y.get());
  w.out_bytes = 8 * items;
  w.keep[0] = x;
  w.keep[1] = y;
  w.contenders = [in = static_cast<std::int32_t const*>(x.get()), out = y.get()](int threads) {
    std::int32_t const* const end = in + items;
    auto* const rest = out + items;
    std::vector<contender> all;
    all.push_back({"plain loop", [=] {
                     std::int64_t to = 0, other = 0;
                     for (std::int64_t i = 0; i < items; ++i) {
                       bool const kept = is_kept{}(in[i]);
                       out[to] = in[i];
                       rest[other] = in[i];
                       to += kept;
                       other += !kept;
                     }
                     return to;
                   }});
    all.push_back(
        {"sweep", [=] {
           return sweep::partition_copy(sweep::host.threads(threads), in, end, out, rest, is_kept{}).first -
                  out;
         }});
#if defined(SWEEP_BENCH_TBB)
    all.push_back({"std::partition_copy(par)", [=] {
                     return std::partition_copy(std::execution::par, in, end, out, rest, is_kept{}).first -
                            out;
                   }});
#endif
#if defined(SWEEP_BENCH_THRUST_OMP)
    all.push_back({thrust_name, [=] {
                     return thrust::partition_copy(thrust::omp::par, in, end, out, rest, is_kept{}).first -
                            out;
                   }});
#endif
    return all;
  };
  return w;
}

template <class T>
work by_key_work() {
  auto const keys =
      made<std::int32_t>(items, [](std::int64_t i) { return bits(i / 100 + bits(i / 1000) % 7); });
  auto const x = made<T>(items, [](std::int64_t i) { return static_cast<int>(bits(i) % 3) - 1; });
  auto const y = made<T>(items, [](std::int64_t) { return 0; });
  work w{"", double(items) * (4 + 2 * sizeof(T))};
  w.out = reinterpret_cast<std::byte*>(y.get());
  w.out_bytes = sizeof(T) * items;
  w.keep[0] = keys;
  w.keep[1] = x;
  w.keep[2] = y;
  w.contenders = [key = keys.get(), in = x.get(), out = y.get()](int threads) {
    std::vector<contender> all;
    all.push_back({"plain loop", [=] {
                     T sum = out[0] = in[0];
                     for (std::int64_t i = 1; i < items; ++i)
                       out[i] = sum = key[i] == key[i - 1] ? static_cast<T>(sum + in[i]) : in[i];
                     return items;
                   }});
    all.push_back(
        {"sweep", [=] {
           return sweep::inclusive_scan_by_key(sweep::host.threads(threads), key, key + items, in, out) - out;
         }});
#if defined(SWEEP_BENCH_THRUST_OMP)
    all.push_back({thrust_name, [=] {
                     return thrust::inclusive_scan_by_key(thrust::omp::par, key, key + items, in, out) - out;
                   }});
#endif
    return all;
  };
  return w;
}

/// Lengths 0 to 2 * mean, fixed by the seed.
std::shared_ptr<std::int32_t[]> offsets_of(std::int64_t segments) {
  auto const all = made<std::int32_t>(segments + 1, [](std::int64_t) { return 0; });
  auto const mean = items / segments;
  std::int64_t at = 0;
  for (std::int64_t s = 0; s < segments; ++s) {
    all[s] = static_cast<std::int32_t>(at);
    at = std::min(items, at + static_cast<std::int64_t>(bits(s) % static_cast<std::uint64_t>(2 * mean + 1)));
  }
  all[segments] = items;
  return all;
}

template <class T, bool Reduces>
work segments_work() {
  constexpr std::int64_t segments = items / 100;
  auto const offsets = offsets_of(segments);
  auto const x = made<T>(items, [](std::int64_t i) { return static_cast<int>(bits(i) % 3) - 1; });
  auto const y = made<T>(Reduces ? segments : items, [](std::int64_t) { return 0; });
  work w{"",
         double(items) * sizeof(T) + double(segments) * 4 + double(Reduces ? segments : items) * sizeof(T)};
  w.out = reinterpret_cast<std::byte*>(y.get());
  w.out_bytes = sizeof(T) * (Reduces ? segments : items);
  w.keep[0] = offsets;
  w.keep[1] = x;
  w.keep[2] = y;
  w.contenders = [at = offsets.get(), in = x.get(), out = y.get()](int threads) {
    std::vector<contender> all;
    auto const one = [=](std::int64_t s) {
      T sum{};
      for (std::int64_t i = at[s]; i < at[s + 1]; ++i) {
        sum += in[i];
        if constexpr (!Reduces) out[i] = sum;
      }
      if constexpr (Reduces) out[s] = sum;
    };
    auto const by = sweep::segments::by_offsets(at, at + segments + 1);
    all.push_back({"plain loop", [=] {
                     for (std::int64_t s = 0; s < segments; ++s) one(s);
                     return segments;
                   }});
    all.push_back({"sweep", [=] {
                     auto const policy = sweep::host.threads(threads);
                     if constexpr (Reduces) sweep::segmented_reduce(policy, in, in + items, by, out, T{});
                     else sweep::segmented_inclusive_scan(policy, in, in + items, by, out);
                     return segments;
                   }});
#if defined(SWEEP_BENCH_TBB)
    all.push_back({"tbb::parallel_for" + tbb_version, [=] {
                     tbb::parallel_for(tbb_range(0, segments), [=](tbb_range const& r) {
                       for (auto s = r.begin(); s < r.end(); ++s) one(s);
                     });
                     return segments;
                   }});
#endif
#if defined(_OPENMP)
    all.push_back({"omp parallel for", [=] {
#pragma omp parallel for
                     for (std::int64_t s = 0; s < segments; ++s) one(s);
                     return segments;
                   }});
#endif
    return all;
  };
  return w;
}

/// Sorted by its first half, of which the second is made, so that who is not stable gives the same.
struct entry {
  std::uint64_t key, rest;
  entry() = default;
  explicit entry(std::uint64_t x) : key{x}, rest{~x} {}
};
struct earlier {
  template <class T>
  bool operator()(T const& a, T const& b) const {
    if constexpr (std::is_same_v<T, entry>) return a.key < b.key;
    else return a < b;
  }
};

/// Everybody copies the input and sorts the copy.
template <class T, class Order>
work sort_work() {
  auto const x = made<T>(items, [](std::int64_t i) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<double>(bits(i) >> 11) * 0x1p-53;
    else return bits(i);
  });
  auto const y = made<T>(items, [](std::int64_t) { return 0; });
  work w{"", 2.0 * double(items) * sizeof(T)};
  w.out = reinterpret_cast<std::byte*>(y.get());
  w.out_bytes = sizeof(T) * items;
  w.keep[0] = x;
  w.keep[1] = y;
  w.contenders = [in = static_cast<T const*>(x.get()), out = y.get()](int threads) {
    auto const copied = [=](auto sort) {
      return [=] {
        in_parts(threads, items,
                 [=](std::int64_t first, std::int64_t end) { std::copy(in + first, in + end, out + first); });
        sort();
        return items;
      };
    };
    std::vector<contender> all;
    all.push_back({"std::sort", copied([=] { std::sort(out, out + items, earlier{}); })});
    all.push_back(
        {"sweep", copied([=] { sweep::sort(sweep::host.threads(threads), out, out + items, Order{}); })});
#if defined(SWEEP_BENCH_TBB)
    all.push_back(
        {"std::sort(par)", copied([=] { std::sort(std::execution::par, out, out + items, earlier{}); })});
#endif
#if defined(_OPENMP)
    all.push_back(
        {"__gnu_parallel::sort", copied([=] { __gnu_parallel::sort(out, out + items, earlier{}); })});
#endif
#if defined(SWEEP_BENCH_THRUST_OMP)
    all.push_back(
        {thrust_name, copied([=] { thrust::sort(thrust::omp::par, out, out + items, earlier{}); })});
#endif
    return all;
  };
  return w;
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
    times[k].push_back(us([&] { return written = all[k].run(); }));
    auto const bytes = what.name.starts_with("copy_if")     ? static_cast<std::size_t>(written) * 4
                       : what.name.starts_with("partition") ? what.out_bytes / 2
                                                            : what.out_bytes;
    if (written != wanted ||
        std::memcmp(what.out, want.data(),
                    what.name.starts_with("partition") ? static_cast<std::size_t>(written) * 4 : bytes) != 0)
      return bench::fail(state, name, all[k].name + " gives other results than the plain loop");
  }
  static auto const from = made<std::byte>(items * 8, [](std::int64_t i) { return std::byte(i & 255); });
  static auto const to = made<std::byte>(items * 8, [](std::int64_t) { return std::byte(0); });
  auto const copied = static_cast<std::int64_t>(what.bytes / 2);
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
      if (!slow[i]) times[i].push_back(us(all[i].run));
    state.SetIterationTime(times.front().back() * 1e-6);
  }
  std::vector<bench::timed> medians;
  for (std::size_t i = 0; i < all.size(); ++i) medians.push_back({all[i].name, bench::median(times[i])});
  auto const copy_us = bench::median(copies);
  bench::report(state, name, items, what.bytes, copy_us, what.bytes / copy_us, medians);
}

void add(std::string const& name, work (*make)()) {
  static std::shared_ptr<work> current;  // one kind's data at a time
  int const most = static_cast<int>(std::max(2u, std::thread::hardware_concurrency()));
  for (int const threads : {1, 2, 16}) {
    if (threads > most) continue;
    auto const full = bench::case_name(name + "/host_threads_" + std::to_string(threads), items);
    benchmark::RegisterBenchmark(full.c_str(),
                                 [=](benchmark::State& state) {
                                   if (!current || current->name != name) {
                                     current.reset();
                                     current = std::make_shared<work>(make());
                                     current->name = name;
                                   }
                                   run(state, *current, full, threads);
                                 })
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
  add("scan/inclusive_sum/f32", scan_work<float, float>);
  add("scan/inclusive_sum/i32", scan_work<std::int32_t, std::int32_t>);
  add("scan/inclusive_sum/i64", scan_work<std::int64_t, std::int64_t>);
  add("scan/inclusive_sum/u8_to_u32", scan_work<std::uint8_t, std::uint32_t>);
  add("reduce/sum/f32", reduce_work<float>);
  add("reduce/sum/i32", reduce_work<std::int32_t>);
  add("copy_if/half/i32", copy_if_work);
  add("partition_copy/half/i32", partition_work);
  add("scan_by_key/inclusive_sum/i32/mean_100", by_key_work<std::int32_t>);
  add("scan_by_key/inclusive_sum/f32/mean_100", by_key_work<float>);
  add("segmented_scan/offsets_sum/f32/mean_100", segments_work<float, false>);
  add("segmented_reduce/offsets_sum/f32/mean_100", segments_work<float, true>);
  add("sort/keys/u32", sort_work<std::uint32_t, std::less<>>);
  add("sort/keys/f64", sort_work<double, std::less<>>);
  add("sort/comparison/16_bytes", sort_work<entry, earlier>);
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/contenders.hpp"

#include <sweep/scan.hpp>
#include <sweep/segmented_reduce.hpp>
#include <sweep/segmented_scan.hpp>

#include <algorithm>
#if defined(SWEEP_BENCH_TBB)
#include <tbb/parallel_for.h>
#endif
#if defined(SWEEP_BENCH_THRUST_OMP)
#include <thrust/scan.h>
#endif

namespace bench::host {
namespace {

constexpr std::int64_t items = std::int64_t{1} << 26;

template <class T>
work by_key_work() {
  auto const keys =
      made<std::int32_t>(items, [](std::int64_t i) { return bits(i / 100 + bits(i / 1000) % 7); });
  auto const x = made<T>(items, [](std::int64_t i) { return static_cast<int>(bits(i) % 3) - 1; });
  auto const y = made<T>(items, [](std::int64_t) { return 0; });
  work w{items, double(items) * (4 + 2 * sizeof(T))};
  w.out = reinterpret_cast<std::byte*>(y.get());
  w.out_bytes = sizeof(T) * items;
  w.keep.push_back(keys);
  w.keep.push_back(x);
  w.keep.push_back(y);
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
  work w{items,
         double(items) * sizeof(T) + double(segments) * 4 + double(Reduces ? segments : items) * sizeof(T)};
  w.out = reinterpret_cast<std::byte*>(y.get());
  w.out_bytes = sizeof(T) * (Reduces ? segments : items);
  w.keep.push_back(offsets);
  w.keep.push_back(x);
  w.keep.push_back(y);
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

}  // namespace

void add_segments() {
  add("scan_by_key/inclusive_sum/i32/mean_100", items, by_key_work<std::int32_t>);
  add("scan_by_key/inclusive_sum/f32/mean_100", items, by_key_work<float>);
  add("segmented_scan/offsets_sum/f32/mean_100", items, segments_work<float, false>);
  add("segmented_reduce/offsets_sum/f32/mean_100", items, segments_work<float, true>);
}

}  // namespace bench::host
